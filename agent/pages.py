"""How a report reads: the data of a window rendered as Markdown, in either language."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote

from agent.domain import Notice
from agent.ids import RepoId
from agent.markdown import cell, code, inline, link, slug
from agent.report import Depth, LedgerRow, Report, RepoSection, ThreadLine
from agent.settings import Language
from agent.window import Window, zone
from agent.words import Words, words

_SHORT = 7
_SQUASHED = re.compile(r"\(#([1-9]\d{0,8})\)$")


@dataclass(frozen=True)
class Web:
    """The addresses that a report links to."""

    base: str

    def repo(self, repo: RepoId) -> str:
        """Point at a repository."""
        return f"{self.base}/{repo}"

    def commit(self, repo: RepoId, sha: str) -> str:
        """Point at a commit by its full hash."""
        return f"{self.base}/{repo}/commit/{sha}"

    def thread(self, repo: RepoId, number: int, *, pull: bool = False) -> str:
        """Point at an issue or pull request."""
        return f"{self.base}/{repo}/{'pull' if pull else 'issues'}/{number}"

    def release(self, repo: RepoId, tag: str) -> str:
        """Point at a release."""
        return f"{self.base}/{repo}/releases/tag/{quote(tag)}"


def report_page(report: Report, lang: Language, web: Web) -> str:
    """Render the whole report."""
    say = words(lang)
    lines = [f"# {say.title.format(report.window.label)}", "", _summary(report, say), ""]
    lines += _failures(report, say)
    lines += _contents(report, say)
    for section in report.sections:
        lines += _section(report, section, say, web)
    lines += ["---", "", *_footer(report, say)]
    return "\n".join(lines) + "\n"


def readme_page(latest: Report, labels: Iterable[str], lang: Language, web: Web) -> str:
    """Render the front page of an output folder: the latest report in full and the list of all of them."""
    say = words(lang)
    archive = [f"- {link(label, f'reports/{label}.md')}" for label in sorted(labels, reverse=True)]
    return "\n".join([report_page(latest, lang, web), f"## {say.archive}", "", *archive, ""])


def footer_counts(report: Report) -> dict[str, int]:
    """Count what was done with the landed commits."""
    depths = Counter(row.depth for row in report.ledger)
    return {
        "landed": len(report.ledger),
        "late": sum(row.late for row in report.ledger),
        **{depth.value: depths[depth] for depth in Depth},
        "unreadable_files": sum(row.unreadable for row in report.ledger),
    }


def _summary(report: Report, say: Words) -> str:
    window = report.window
    where = zone(window.tz)
    start, end = (f"{moment.astimezone(where):%Y-%m-%d %H:%M}" for moment in (window.start, window.end))
    parts = [say.period.format(start=start, end=end, tz=window.tz)]
    if window.cutoff is not None:
        parts.append(say.partial.format(f"{window.cutoff.astimezone(where):%Y-%m-%d %H:%M}"))
    counts = footer_counts(report)
    repos = say.one_repo if len(report.repos) == 1 else say.repos.format(len(report.repos))
    parts += [repos, say.landed.format(_commits(counts["landed"], say))]
    if counts["late"]:
        parts.append(say.late_total.format(counts["late"]))
    return " · ".join(parts)


def _failures(report: Report, say: Words) -> list[str]:
    if not report.failures:
        return []
    told = [say.failed[f.stage].format(repo=inline(f.repo), message=code(f.message)) for f in report.failures]
    return ["> [!WARNING]", f"> {say.incomplete}", *(f"> - {line}" for line in told), ""]


def _contents(report: Report, say: Words) -> list[str]:
    """List the repositories with links; one repository needs no list."""
    if len(report.sections) < 2:
        return []
    taken: set[str] = {slug(say.title.format(report.window.label), set())}
    lines = [f"**{say.contents}**", ""]
    for section in report.sections:
        count = len(report.rows(section.repo))
        lines.append(f"- {link(inline(section.repo), '#' + slug(section.repo, taken))} ({count})")
        for heading in _subheadings(report, section, say):
            slug(heading, taken)
    return [*lines, ""]


def _subheadings(report: Report, section: RepoSection, say: Words) -> list[str]:
    """Name the headings below a repository, in the order in which they are rendered."""
    late = any(row.late for row in report.rows(section.repo))
    found = ((late, say.late_heading), (section.releases, say.releases), (section.issues, say.issues))
    return [heading for present, heading in found if present]


def _section(report: Report, section: RepoSection, say: Words, web: Web) -> list[str]:
    rows = report.rows(section.repo)
    on_time, late = [row for row in rows if not row.late], [row for row in rows if row.late]
    short = _short_hashes((*(row.sha for row in rows), section.tip or ""))
    lines = [f"## {inline(section.repo)}", "", _section_summary(section, on_time, short, say, web), ""]
    lines += [f"> {_notice(notice, say)}\n" for notice in section.notices]
    if on_time:
        lines += _table(on_time, short, report.window, say, web)
    if late:
        lines += [f"### {say.late_heading}", "", say.late_note, "", *_table(late, short, report.window, say, web)]
    return lines + _releases(section, say, web) + _issues(section, say, web)


def _section_summary(section: RepoSection, rows: list[LedgerRow], short: dict[str, str], say: Words, web: Web) -> str:
    if section.tip is None:
        return say.empty
    branch = code(section.branch)
    if not rows:
        return say.nothing.format(branch=branch)
    commits = link(_commits(len(rows), say), web.repo(section.repo))
    text = say.branch.format(
        commits=commits,
        branch=branch,
        tip=link(code(short[section.tip]), web.commit(section.repo, section.tip)),
        files=sum(row.files or 0 for row in rows),
        additions=sum(row.additions or 0 for row in rows),
        deletions=sum(row.deletions or 0 for row in rows),
    )
    merges = [row.members for row in rows if row.members]
    return f"{text} {say.merges.format(merges=len(merges), members=sum(merges))}" if merges else text


def _commits(count: int, say: Words) -> str:
    return say.one_commit if count == 1 else say.commits.format(count)


def _table(rows: list[LedgerRow], short: dict[str, str], window: Window, say: Words, web: Web) -> list[str]:
    head = f"| {' | '.join(say.columns)} |"
    body = [_row(row, short[row.sha], window, say, web) for row in rows]
    return [head, "|---|---|---|---|---:|---:|", *body, ""]


def _row(row: LedgerRow, short: str, window: Window, say: Words, web: Web) -> str:
    cells = (
        link(code(short), web.commit(row.repo, row.sha)),
        _moment(row.landed_at, window, late=row.late),
        _title(row, say, web),
        inline(row.author),
        say.not_counted if row.files is None else str(row.files),
        "" if row.additions is None else f"+{row.additions} −{row.deletions}",
    )
    return f"| {' | '.join(map(cell, cells))} |"


def _title(row: LedgerRow, say: Words, web: Web) -> str:
    """Write the title as it is; only the number of the pull request that brought it becomes a link."""
    title, number = row.title.rstrip(), row.pull
    # A number in parentheses at the end is how squash merges name their pull request.
    if named := _SQUASHED.search(title):
        number = number or int(named[1])
        title = title[: named.start()].rstrip() if int(named[1]) == number else title
    suffix = f" ({link(f'#{number}', web.thread(row.repo, number, pull=True))})" if number else ""
    notes = []
    if row.members:
        notes.append(_commits(row.members, say))
    if row.unreadable:
        notes.append(say.unreadable.format(row.unreadable, row.files))
    if row.depth is Depth.FAILED:
        notes.append(code(row.reason))
    note = f" — {say.comma.join(notes)}" if notes else ""
    return (inline(title) or "—") + suffix + note


def _moment(at: datetime, window: Window, *, late: bool) -> str:
    """Write the time of day, with the date where the day is not the report's own."""
    local = at.astimezone(zone(window.tz))
    return f"{local:%Y-%m-%d %H:%M}" if late or ".." in window.label else f"{local:%H:%M}"


def _short_hashes(shas: Iterable[str]) -> dict[str, str]:
    """Abbreviate to seven digits, or to as many as tell the report's own commits apart."""
    ordered = sorted(set(shas))
    short: dict[str, str] = {}
    for before, sha, after in zip(["", *ordered], ordered, [*ordered[1:], ""], strict=False):
        shared = max(_shared(sha, before), _shared(sha, after))
        short[sha] = sha[: max(_SHORT, shared + 1)]
    return short


def _shared(one: str, other: str) -> int:
    """Count the leading digits that two hashes have in common."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _releases(section: RepoSection, say: Words, web: Web) -> list[str]:
    if not section.releases:
        return []
    lines = [f"### {say.releases}", ""]
    for release in section.releases:
        name = f" {inline(release.name)}" if release.name and release.name != release.tag else ""
        mark = f" ({say.prerelease})" if release.prerelease else ""
        lines.append(f"- {link(code(release.tag), web.release(section.repo, release.tag))}{name}{mark}")
    return [*lines, ""]


def _issues(section: RepoSection, say: Words, web: Web) -> list[str]:
    if not section.issues:
        return []
    lines = [f"### {say.issues}", ""]
    for event, name in say.events.items():
        found = [thread for thread in section.issues if thread.event == event]
        if found:
            lines += [f"**{name}** ({len(found)})", "", *(_thread(thread, section, web) for thread in found), ""]
    return lines


def _thread(thread: ThreadLine, section: RepoSection, web: Web) -> str:
    number = link(f"#{thread.number}", web.thread(section.repo, thread.number))
    author = f" — {inline(thread.author)}" if thread.author else ""
    return f"- {number} {inline(thread.title)}{author}"


def _notice(notice: Notice, say: Words) -> str:
    return say.notices[notice.kind].format(*map(code, notice.about))


def _footer(report: Report, say: Words) -> list[str]:
    lines = [say.footer.format(**footer_counts(report))]
    coverage = [
        f"{inline(section.repo)} {say.coverage[section.coverage]}"
        + "".join(f" ({_notice(notice, say)})" for notice in section.coverage_notices)
        for section in report.sections
    ]
    if coverage:
        lines += ["", say.threads.format(say.semicolon.join(coverage))]
    return lines
