"""The issues of a repository: new, fixed and by what, still open and important, and what is not over."""

from agent.conventions import read_heading
from agent.evidence import EvidenceId
from agent.ids import RepoId
from agent.layouts.rows import named
from agent.layouts.sheet import Sheet, chrome, computed, title
from agent.layouts.view import View, row_id
from agent.linking.standing import Standing
from agent.links import Grade, Link, Relation
from agent.markdown import code, inline, link
from agent.report import LedgerRow, RepoSection, ThreadLine
from agent.spans import Span
from agent.stories import StoryKind
from agent.words import Words

_RELEASED = (Standing.FIXED, Standing.ADDRESSED)


def issues(sheet: Sheet, section: RepoSection, view: View) -> None:
    """List what was opened and closed, by which commits issues were addressed, and what many wait for."""
    say = view.say
    groups = say.events | say.issue_groups
    lines = {event: [one for one in section.issues if one.event == event] for event in groups}
    beside = _beside(section, view)
    own = [spans for issue, spans in beside if issue.startswith(f"{section.repo}#")]
    if not any(lines.values()) and not beside:
        return
    sheet.heading(3, f"{section.repo} issues", chrome(say.issues))
    for event, name in groups.items():
        told = [_thread(one, section, view) for one in lines[event]]
        _threads(sheet, name, [*told, *own] if event == "linked" else told)
    _threads(sheet, say.elsewhere, [spans for _, spans in beside if spans not in own])


def outlook(sheet: Sheet, section: RepoSection, view: View) -> None:
    """Tell what is not over: open issues that somebody spoke of, and series of which parts are missing."""
    say = view.say
    active = [thread for thread in section.issues if thread.event == "active"]
    past = _surpassed(view)
    rows = [row for row in view.rows(section.repo) if row_id(row) not in past]
    series = [(row, part) for row in rows if (part := _unfinished(row, say))]
    if not active and not series:
        return
    sheet.heading(3, f"{section.repo} outlook", chrome(say.outlook))
    _threads(sheet, say.still_open, [_thread(thread, section, view) for thread in active])
    lines = [[*named(row, view.short(row), view.web), computed(f" — {part}")] for row, part in series]
    _threads(sheet, say.series, lines)


def _threads(sheet: Sheet, name: str, lines: list[list[Span]]) -> None:
    if lines:
        sheet.paragraph(computed(f"**{name}** ({len(lines)})"))
        for line in lines:
            sheet.line(chrome("- "), *line)
        sheet.blank()


def _thread(thread: ThreadLine, section: RepoSection, view: View) -> list[Span]:
    number = link(f"#{thread.number}", view.web.thread(section.repo, thread.number))
    author = f" — {inline(thread.author)}" if thread.author else ""
    return [computed(number), chrome(" "), title(thread.title), computed(author), *_news(thread, section, view)]


def _news(thread: ThreadLine, section: RepoSection, view: View) -> list[Span]:
    """Tell what addresses an issue, how it stands, and since which release."""
    say = view.say
    own = [one for one in view.report.links if one.issue == f"{section.repo}#{thread.number}"]
    told = [words for one in own if (words := _link(one, thread.standing, view))]
    if thread.standing in say.standings and not any(one.relation is Relation.REVERTS for one in own):
        told.append(say.standings[thread.standing])
    if thread.release is not None and thread.standing in _RELEASED:
        first = link(code(thread.release), view.web.release(section.repo, thread.release))
        told.append(say.first_in.format(first) if thread.release else say.unreleased)
    if thread.event == "important":
        told.append(say.waiting.format(comments=thread.comments))
    return [computed(f" → {say.semicolon.join(told)}")] if told else []


def _link(one: Link, standing: Standing | None, view: View) -> str:
    """Say which commit of this report addresses or names an issue, and how sure that is."""
    row = next((row for row in view.report.ledger if one.change == f"{row.repo}@{row.sha}"), None)
    relation = told_relation(one, standing)
    if row is None or relation is None:
        return ""
    change = link(code(view.short(row)), view.web.commit(row.repo, row.sha))
    return f"{view.say.fixed[relation]} {change} ({one.grade.value})"


def told_relation(one: Link, standing: Standing | None) -> str | None:
    """Choose the word for what a change does to an issue; None where nothing is to be said."""
    if one.relation is Relation.FIXES:
        if not one.may_read_fixed:
            return "likely"
        return "addressed" if standing in (Standing.ADDRESSED, Standing.REOPENED, Standing.UNDONE) else "fixes"
    if one.relation is Relation.PARTLY:
        return "partly" if one.grade is not Grade.C else "likely partly"
    others = {Relation.REVERTS: "reverts", Relation.BECAUSE: "because", Relation.MENTIONS: "mentions"}
    return others.get(one.relation)


def _beside(section: RepoSection, view: View) -> list[tuple[str, list[Span]]]:
    """List the issues of which nothing is known but that a commit of this repository addresses them."""
    told = {f"{section.repo}#{thread.number}" for thread in section.issues}
    found = [one for one in view.report.links if one.change.startswith(f"{section.repo}@") and one.issue not in told]
    return [
        (one.issue, [computed(f"{_issue_link(one, section, view)} → {words}")])
        for one in found
        if (words := _link(one, None, view))
    ]


def _issue_link(one: Link, section: RepoSection, view: View) -> str:
    repo, _, number = one.issue.partition("#")
    shown = f"#{number}" if repo == section.repo else inline(one.issue)
    return link(shown, view.web.thread(RepoId(repo), int(number)))


def _surpassed(view: View) -> set[EvidenceId]:
    """Name the parts of which a later one of the same series landed in the window: that one stands for all."""
    found: set[EvidenceId] = set()
    for story in view.report.stories:
        if story.kind is StoryKind.SERIES and story.news:
            parts = {step.cite: step.part or 0 for step in story.timeline if step.cite in story.news}
            found |= {cite for cite in parts if cite != max(parts, key=parts.__getitem__)}
    return found


def _unfinished(row: LedgerRow, say: Words) -> str | None:
    part = read_heading(row.title).part
    if part is None or (part[1] is not None and part[0] >= part[1]):
        return None
    return say.part.format(part[0]) if part[1] is None else say.part_of.format(*part)
