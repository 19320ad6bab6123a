"""Changes that were undone and came back: who undid whom, by facts of the diff and by titles."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from agent.evidence import CommitEvidence
from agent.facts import Fact, FactKind
from agent.ids import RepoId
from agent.sources import Headline
from agent.weaving.headlines import Line, headline, plain
from agent.weaving.undoings import Undoing, undoings

_TAGS = r"^\W*(?:\[[^\]]{1,40}\]\s*)*(?:[\w/.+-]{1,30}\s?:\s{1,2})?"
_QUOTED = re.compile(rf"{_TAGS}reverts?\s*:?\s*[\"“](?P<title>.+)[\"”…]", re.IGNORECASE)
_NUMBERED = re.compile(rf"{_TAGS}(?:partial(?:ly)?\s)?(?:revert|rollback|roll back)\b(?P<rest>.*)", re.IGNORECASE)
_BACK = re.compile(
    r"\b(?:re-?enabl(?:e|es|ed|ing)|restor(?:e|es|ed|ing)|undo(?:es)?|put(?:s|ting)?\sback|back\sout|bring(?:s|ing)?\sback)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?:#|\bPR\s{0,2})([1-9]\d{1,8})\b", re.IGNORECASE)
_OWN = re.compile(r"\(#\d{1,9}\)\s*$")
_NAME = re.compile(r"#([1-9]\d{0,8})$")
_SAME_TITLE = timedelta(days=120)
_ENOUGH_LINES = 6


@dataclass(frozen=True)
class Kinship:
    """What a commit of the day does to an earlier one."""

    doer: Headline
    target: Headline
    again: bool
    """It lands the target again; otherwise it undoes it."""
    undone_by: Headline | None = None
    """For a commit that lands again: what had undone the target."""


def kinships(today: Sequence[CommitEvidence], line: Line) -> list[Kinship]:
    """List who undoes and who brings back what, as far as the earlier commit is known."""
    found: dict[tuple[str, str], Kinship] = {}
    reverts = [head for head in line.heads if is_revert(head.title)]
    for one in sorted(today, key=lambda one: (one.at, one.id)):
        doer = headline(one.change.commit, one.pull)
        for again, target in _targets(one, doer, line):
            undone_by = _undoer(target, doer, reverts, found.values()) if again else None
            found.setdefault((doer.sha, target.sha), Kinship(doer, target, again, undone_by))
        if not any(key[0] == doer.sha for key in found) and (same := _titled_again(doer, line, reverts)):
            found[doer.sha, same.target.sha] = same
    return list(found.values())


def sets_back(title: str) -> bool:
    """Tell a title that takes something back, or says that something is again as it was."""
    return is_revert(title) or _BACK.search(title) is not None


def is_revert(title: str) -> bool:
    """Tell a title that takes something back."""
    return _NUMBERED.match(title) is not None


def _targets(one: CommitEvidence, doer: Headline, line: Line) -> Iterator[tuple[bool, Headline]]:
    for fact in one.facts:
        if fact.kind not in (FactKind.REVERT, FactKind.RELAND) or not _is_meant(fact, one):
            continue
        if target := _target(fact, doer, line):
            yield fact.kind is FactKind.RELAND, target
    for said in undoings(one.change.commit.message):
        if not said.part and not said.again and (target := said_target(said, one.repo, doer, line)):
            yield False, target


def said_target(said: Undoing, repo: RepoId, doer: Headline, line: Line) -> Headline | None:
    """Find the earlier commit that a message names."""
    if said.of.repo not in ("", repo.lower()):
        return None
    found = line.pull(said.of.number, doer) if said.of.number else line.sha(said.of.sha)
    return found if found and found.sha != doer.sha and found.at <= doer.at else None


def _is_meant(fact: Fact, one: CommitEvidence) -> bool:
    """Tell a revert from a value that happens to be set back: either the message says so, or much is undone."""
    change = one.change
    said = "message" in (fact.detail or "") or sets_back(change.commit.title)
    return said or change.additions + change.deletions >= _ENOUGH_LINES


def _target(fact: Fact, doer: Headline, line: Line) -> Headline | None:
    """Find the earlier commit of a fact: by its hash, its number, else its title."""
    if fact.old and (found := line.sha(fact.old)) and found.at <= doer.at and found.sha != doer.sha:
        return found
    if number := _NAME.search(fact.name):
        return line.pull(int(number[1]), doer)
    return line.titled(fact.name, doer) if fact.name else None


def _undoer(target: Headline, doer: Headline, reverts: Sequence[Headline], today: Iterable[Kinship]) -> Headline | None:
    """Find what undid a commit before it came back: the last revert between the two that names it."""
    known = [one.doer for one in today if not one.again and one.target.sha == target.sha]
    between = [head for head in reverts if target.at <= head.at <= doer.at and head.sha not in (target.sha, doer.sha)]
    named = [head for head in between if names(head.title, target)]
    return max([*known, *named], key=lambda head: (head.at, head.sha), default=None)


def names(title: str, target: Headline) -> bool:
    """Tell whether the title of a revert names a commit, by its number or its title."""
    quoted = _QUOTED.match(title)
    if quoted and (text := plain(quoted["title"])) and len(text) > 8 and plain(target.title).startswith(text):
        return True
    rest = _NUMBERED.match(title)
    numbers = _NUMBER.findall(_OWN.sub("", rest["rest"])) if rest else []
    return target.pull is not None and str(target.pull) in numbers


def _titled_again(doer: Headline, line: Line, reverts: Sequence[Headline]) -> Kinship | None:
    """Find a commit of the very same title that was undone before this one."""
    earlier = line.titled(doer.title, doer)
    if earlier is None or is_revert(doer.title) or len(plain(doer.title)) < 16:
        return None
    undone_by = _undoer(earlier, doer, reverts, ())
    if undone_by is None or doer.at - undone_by.at > _SAME_TITLE:
        return None
    return Kinship(doer, earlier, True, undone_by)
