"""The digest: brief and highlights, then each repository from what to act on down to what is folded."""

from agent.layouts import parts
from agent.layouts.entries import full, headline_span, lead
from agent.layouts.issues import issues, outlook
from agent.layouts.rows import titled
from agent.layouts.sheet import Sheet, chrome, computed
from agent.layouts.tales import tales
from agent.layouts.view import View, row_id
from agent.markdown import inline, link
from agent.report import LedgerRow, RepoSection
from agent.spans import Span
from agent.triage import Tier

_MOST, _LEAST = 12, 3


def digest(view: View) -> list[Span]:
    """Write the page."""
    front = Sheet()
    parts.head(front, view)
    parts.brief(front, view)
    chosen = _chosen(view)
    if chosen:
        # Headings further down must not take the anchor of one that stands above them.
        front.heading(2, "highlights", chrome(view.say.highlights))
    body = Sheet(front.taken)
    for section in view.report.sections:
        _section(body, section, view)
    _highlights(front, chosen, body.anchors, view)
    _contents(front, body.anchors, view)
    front.take(body)
    parts.footer(front, view)
    return front.spans


def _chosen(view: View) -> list[LedgerRow]:
    """Choose what everybody should see: the top tier of all repositories, and a few more on a quiet day."""
    repos = [section.repo for section in view.report.sections]
    high, mid = (
        sorted((row for repo in repos for row in view.items(repo, tier)), key=view.order)
        for tier in (Tier.HIGH, Tier.MID)
    )
    return [*high[:_MOST], *mid[: max(0, _LEAST - len(high))]]


def _highlights(sheet: Sheet, rows: list[LedgerRow], anchors: dict[str, str], view: View) -> None:
    several = len(view.report.sections) > 1
    for row in rows:
        whose = [computed(f"{inline(row.repo)}{view.say.colon}")] if several else []
        mark = [computed(f"**{view.say.breaking}** ")] if view.breaking(row) else []
        linked = (chrome("["), _name(row, view), computed(f"](#{anchors[row_id(row)]})"))
        sheet.line(chrome("- "), *mark, *whose, *linked, *lead(row, view))
    if rows:
        sheet.blank()


def _name(row: LedgerRow, view: View) -> Span:
    """Name a commit by its headline, else by its title; one that undid another by the title of that."""
    earlier = view.undid.get(row_id(row))
    headline = None if earlier else view.headline(row)
    return headline_span(headline, view) if headline else titled(earlier or row, view.web)[0]


def _contents(sheet: Sheet, anchors: dict[str, str], view: View) -> None:
    """List the repositories with links; one repository needs no list."""
    if len(view.report.sections) < 2:
        return
    sheet.paragraph(chrome(f"**{view.say.contents}**"))
    for section in view.report.sections:
        entry = link(inline(section.repo), f"#{anchors[section.repo]}")
        sheet.line(chrome("- "), computed(f"{entry} ({len(view.rows(section.repo))})"))
    sheet.blank()


def _section(sheet: Sheet, section: RepoSection, view: View) -> None:
    parts.section_head(sheet, section, view)
    if view.rows(section.repo):
        counts = {tier.value: view.count(section.repo, tier) for tier in Tier}
        sheet.paragraph(computed(view.say.counts.format(**counts)))
    for tier in (Tier.HIGH, Tier.MID):
        if rows := view.items(section.repo, tier):
            parts.tier_heading(sheet, section, tier, view)
            for row in rows:
                full(sheet, row, view, detailed=False)
    tales(sheet, section, view)
    parts.small(sheet, section, view)
    parts.releases(sheet, section, view)
    issues(sheet, section, view)
    outlook(sheet, section, view)
