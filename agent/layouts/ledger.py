"""The ledger: per repository the table of all commits, statistics, and the commits by importance with their facts."""

from collections import Counter

from agent.layouts import parts
from agent.layouts.entries import full, headline_span
from agent.layouts.issues import issues, outlook
from agent.layouts.rows import commit_link, lines_changed, moment, notes, titled
from agent.layouts.sheet import Sheet, chrome, computed
from agent.layouts.tales import tales
from agent.layouts.view import View, row_id
from agent.markdown import cell, inline, link
from agent.report import LedgerRow, RepoSection
from agent.spans import Span
from agent.triage import Tier

_TOLD = (Tier.HIGH, Tier.MID)


def ledger(view: View) -> list[Span]:
    """Write the page."""
    front = Sheet()
    parts.head(front, view)
    parts.brief(front, view)
    front.paragraph(chrome(f"**{view.say.contents}**"))
    body = Sheet(front.taken)
    for section in view.report.sections:
        _section(body, section, view)
    for section in view.report.sections:
        _contents(front, section, body.anchors, view)
    front.blank()
    front.take(body)
    parts.footer(front, view)
    return front.spans


def _contents(sheet: Sheet, section: RepoSection, anchors: dict[str, str], view: View) -> None:
    entry = link(inline(section.repo), f"#{anchors[section.repo]}")
    sheet.line(chrome("- "), computed(f"{entry} ({len(view.rows(section.repo))})"))
    for tier in (*_TOLD, Tier.LOW):
        rows = view.items(section.repo, tier)
        if rows:
            entry = link(view.say.tiers[tier], f"#{anchors[f'{section.repo} {tier}']}")
            sheet.line(chrome("  - "), computed(f"{entry} ({view.count(section.repo, tier)})"))
        for row in rows if tier in _TOLD else ():
            name = titled(view.undid.get(row_id(row), row), view.web)[0]
            headline = None if row_id(row) in view.undid else view.headline(row)
            beside = [chrome(" — "), headline_span(headline, view)] if headline else []
            sheet.line(chrome("    - ["), name, computed(f"](#{anchors[row_id(row)]})"), *beside)


def _section(sheet: Sheet, section: RepoSection, view: View) -> None:
    say, rows = view.say, view.rows(section.repo)
    on_time, late = [row for row in rows if not row.late], [row for row in rows if row.late]
    parts.section_head(sheet, section, view)
    if on_time:
        sheet.heading(3, f"{section.repo} table", chrome(say.all_commits))
        _table(sheet, on_time, view)
    if late:
        sheet.heading(3, f"{section.repo} late", chrome(say.late_heading))
        sheet.paragraph(computed(say.late_note))
        _table(sheet, late, view)
    if rows:
        _statistics(sheet, section, rows, view)
    for tier in _TOLD:
        if told := view.items(section.repo, tier):
            parts.tier_heading(sheet, section, tier, view)
            for row in told:
                full(sheet, row, view, detailed=True)
    tales(sheet, section, view)
    parts.small(sheet, section, view)
    parts.releases(sheet, section, view)
    issues(sheet, section, view)
    outlook(sheet, section, view)


def _table(sheet: Sheet, rows: list[LedgerRow], view: View) -> None:
    sheet.line(computed(f"| {' | '.join(view.say.columns)} |"))
    sheet.line(chrome("|---|---|---|---|---:|---:|---|---|"))
    for row in rows:
        sheet.line(*_row(row, view))
    sheet.blank()


def _row(row: LedgerRow, view: View) -> list[Span]:
    say = view.say
    note = notes(row, say)
    before = (commit_link(row, view.short(row), view.web), moment(row, view.report.window))
    after = (
        inline(row.author),
        say.not_counted if row.files is None else str(row.files),
        lines_changed(row),
        say.tier_marks[tier] if row.tier and (tier := view.tier(row)) else "",
        say.depths[row.depth],
    )
    words = [Span(cell(span.text), span.owner) for span in titled(row, view.web)]
    return [
        computed(f"| {' | '.join(map(cell, before))} | "),
        *words,
        *([computed(cell(f" — {note}"))] if note else []),
        computed(f" | {' | '.join(map(cell, after))} |"),
    ]


def _statistics(sheet: Sheet, section: RepoSection, rows: list[LedgerRow], view: View) -> None:
    say = view.say
    sheet.heading(3, f"{section.repo} statistics", chrome(say.statistics))
    tiers = Counter(view.tier(row) for row in rows if row.tier)
    purposes = Counter(row.purpose for row in rows if row.purpose)
    depths = Counter(row.depth for row in rows)
    told = {
        "tier": [f"{say.tier_marks[tier]} {tiers[tier]}" for tier in Tier if tiers[tier]],
        "purpose": [f"{say.purposes[purpose]} {count}" for purpose, count in purposes.most_common()],
        "depth": [f"{say.depths[depth]} {count}" for depth, count in depths.most_common()],
        "authors": [str(len({row.author for row in rows}))],
        "lines": [f"+{sum(row.additions or 0 for row in rows)} −{sum(row.deletions or 0 for row in rows)}"],
    }
    for name, values in told.items():
        if values:
            sheet.line(chrome(f"- **{say.by[name]}**{say.colon}"), computed(say.comma.join(values)))
    sheet.blank()
