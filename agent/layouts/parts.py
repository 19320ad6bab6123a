"""What both layouts have: the head of a report, what is folded, releases and the footer."""

from agent.layouts.account import account, notice_words
from agent.layouts.analysis import paragraphs, sentence
from agent.layouts.entries import folded_line, one_line
from agent.layouts.figures import footer_counts
from agent.layouts.rows import counted_commits
from agent.layouts.sheet import Sheet, chrome, computed, title
from agent.layouts.view import View
from agent.markdown import code, inline, link
from agent.report import LedgerRow, Report, RepoSection
from agent.triage import Noise, Tier
from agent.window import zone
from agent.words import Words


def head(sheet: Sheet, view: View) -> None:
    """Name the window, and say first what is missing."""
    report, say = view.report, view.say
    sheet.heading(1, "report", computed(say.title.format(report.window.label)))
    sheet.paragraph(computed(_summary(report, say)))
    if report.failures:
        sheet.line(chrome("> [!WARNING]"))
        sheet.line(chrome(f"> {say.incomplete}"))
        for failure in report.failures:
            told = say.failed[failure.stage].format(repo=inline(failure.repo), message=code(failure.message))
            sheet.line(computed(f"> - {told}"))
        sheet.blank()


def brief(sheet: Sheet, view: View) -> None:
    """Say first what matters over all repositories."""
    if told := view.brief():
        for claim in told:
            sheet.line(chrome("- "), *sentence(claim, view))
        sheet.blank()


def _summary(report: Report, say: Words) -> str:
    window = report.window
    where = zone(window.tz)
    start, end = (f"{at.astimezone(where):%Y-%m-%d %H:%M}" for at in (window.start, window.end))
    parts = [say.period.format(start=start, end=end, tz=window.tz)]
    if window.cutoff is not None:
        parts.append(say.partial.format(f"{window.cutoff.astimezone(where):%Y-%m-%d %H:%M}"))
    counts = footer_counts(report)
    parts.append(say.one_repo if len(report.repos) == 1 else say.repos.format(len(report.repos)))
    parts.append(say.landed.format(counted_commits(counts["landed"], say)))
    if counts["late"]:
        parts.append(say.late_total.format(counts["late"]))
    return " · ".join(parts)


def section_head(sheet: Sheet, section: RepoSection, view: View) -> None:
    """Name a repository, count what landed, and tell what a reader must know of it."""
    sheet.heading(2, section.repo, computed(inline(section.repo)))
    paragraphs(sheet, view.summary(section.repo), view)
    sheet.paragraph(computed(_section_summary(section, view)))
    for notice in section.notices:
        sheet.paragraph(computed(f"> {notice_words(notice, view.say)}"))


def _section_summary(section: RepoSection, view: View) -> str:
    say, rows = view.say, [row for row in view.rows(section.repo) if not row.late]
    if section.tip is None:
        return say.empty
    branch = code(section.branch)
    if not rows:
        return say.nothing.format(branch=branch)
    text = say.branch.format(
        commits=link(
            counted_commits(len(rows), say), view.web.commits(section.repo, section.branch, view.report.window)
        ),
        branch=branch,
        tip=link(code(view.tip(section)), view.web.commit(section.repo, section.tip)),
        files=sum(row.files or 0 for row in rows),
        additions=sum(row.additions or 0 for row in rows),
        deletions=sum(row.deletions or 0 for row in rows),
    )
    merges = [row.members for row in rows if row.members]
    return f"{text} {say.merges.format(merges=len(merges), members=sum(merges))}" if merges else text


def small(sheet: Sheet, section: RepoSection, view: View) -> None:
    """Tell the rest: one line for each that is small, groups to open for what is folded, and what was not read."""
    say = view.say
    if rows := view.items(section.repo, Tier.LOW):
        tier_heading(sheet, section, Tier.LOW, view)
        for row in rows:
            sheet.line(*one_line(row, view))
        sheet.blank()
    if rows := view.items(section.repo, None):
        sheet.heading(3, f"{section.repo} unread", chrome(say.not_read), computed(f" ({len(rows)})"))
        for row in rows:
            sheet.line(*one_line(row, view))
        sheet.blank()
    _folded(sheet, view.items(section.repo, Tier.NOISE), view)


def tier_heading(sheet: Sheet, section: RepoSection, tier: Tier, view: View) -> None:
    """Head a tier with the number of its commits."""
    count = view.count(section.repo, tier)
    sheet.heading(3, f"{section.repo} {tier}", chrome(view.say.tiers[tier]), computed(f" ({count})"))


def _folded(sheet: Sheet, rows: list[LedgerRow], view: View) -> None:
    for noise in Noise:
        group = [row for row in rows if row.noise is noise]
        if group:
            sheet.write(chrome("<details>\n<summary>"), computed(f"{view.say.noises[noise]} ({view.commits(group)})"))
            sheet.paragraph(chrome("</summary>"))
            for row in group:
                sheet.line(*folded_line(row, view))
            sheet.paragraph(chrome("\n</details>"))


def releases(sheet: Sheet, section: RepoSection, view: View) -> None:
    """List what was published."""
    if not section.releases:
        return
    say = view.say
    sheet.heading(3, f"{section.repo} releases", chrome(say.releases))
    for release in section.releases:
        spans = [chrome("- "), computed(link(code(release.tag), view.web.release(section.repo, release.tag)))]
        if release.name and release.name != release.tag:
            spans += [chrome(" "), title(release.name)]
        if release.prerelease:
            spans.append(computed(f" ({say.prerelease})"))
        sheet.line(*spans)
    sheet.blank()


def footer(sheet: Sheet, view: View) -> None:
    """Account for the report: how much was read, checked, dropped, linked, and by whom it was written."""
    # A reader can count what stands on the page; the record has the claims that were folded away, too.
    shown = {span.owner for span in sheet.spans}
    lines = account(view, [claim for claim in view.report.claims if claim.id in shown])
    sheet.paragraph(chrome("---"))
    for line in lines[:-1]:
        sheet.paragraph(computed(line))
    sheet.line(computed(lines[-1]))
