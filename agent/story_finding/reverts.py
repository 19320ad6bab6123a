"""Changes that were undone and came back: who undid whom, by what messages name and by titles."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple

from agent.ids import RepoId
from agent.sources import Headline
from agent.stories import Act, Story, StoryKind
from agent.story_finding.headlines import Line, plain
from agent.story_finding.joining import step, story

_REVERT = re.compile(
    r"\W*(?:\[[^\]]{1,40}\]\s*){0,5}(?:[\w/.+-]{1,30}(?:\([^()]{1,30}\))?!?\s?:\s{1,2})?(?:partial(?:ly)?\s)?revert",
    re.IGNORECASE,
)
_SAME_TITLE = timedelta(days=120)
_LONG_TITLE = 16


class Said(NamedTuple):
    """What a message or a patch says of an earlier change, which is named by what is known of it."""

    again: bool
    """It comes back; otherwise it is undone."""
    sha: str = ""
    number: int | None = None
    title: str = ""


@dataclass(frozen=True)
class Undoing:
    """What a commit of the day does to an earlier one."""

    doer: Headline
    target: Headline
    again: bool = False
    """It lands the target again; otherwise it undoes it."""
    undone_by: Headline | None = None
    """For a commit that lands again: what had undone the target."""
    part: bool = False
    """Only a part of the target is undone or comes back."""


def is_revert(title: str) -> bool:
    """Tell a title that takes something back, as git writes it."""
    return _REVERT.match(title) is not None


def target_of(said: Said, doer: Headline, line: Line) -> Headline | None:
    """Find the earlier commit that is meant: by its hash, its number, else its title."""
    found = line.sha(said.sha) if said.sha else None
    if found is None and said.number:
        found = line.pull(said.number, doer)
    if found is None and not said.number and said.title:
        found = line.titled(said.title, doer)
    return found if found and found.at <= doer.at and found.sha != doer.sha else None


def undoings(doer: Headline, said: Mapping[str, Sequence[Said]], line: Line) -> list[Undoing]:
    """List what a commit undoes and brings back; `said` has by hash what each commit and each revert names."""
    named = [(one, target) for one in said.get(doer.sha, ()) if (target := target_of(one, doer, line))]
    again = any(one.again for one, _ in named)
    found: dict[str, Undoing] = {}
    for one, target in named:
        if one.again:
            found.setdefault(target.sha, Undoing(doer, target, True, _undoer(target, doer, said, line)))
        elif not is_revert(target.title):
            found.setdefault(target.sha, Undoing(doer, target))
        elif not again:
            # Who reverts a revert lands the first one again.
            originals = list(_undone_by(target, said, line))
            back = [Undoing(doer, original, True, target) for original in originals] or [Undoing(doer, target)]
            found |= {undoing.target.sha: undoing for undoing in back if undoing.target.sha not in found}
    return list(found.values()) or _titled_again(doer, said, line)


def undoing_story(one: Undoing, repo: RepoId) -> Story:
    """Put an undoing down as a story of two or three steps."""
    first = step(repo, one.target, Act.LANDED)
    if not one.again:
        last = step(repo, one.doer, Act.PART_UNDONE if one.part else Act.UNDONE, after=(first.cite,))
        return story(StoryKind.REVERT, repo, [first, last])
    undone = [step(repo, one.undone_by, Act.UNDONE)] if one.undone_by else []
    last = step(repo, one.doer, Act.PART_AGAIN if one.part else Act.LANDED_AGAIN)
    return story(StoryKind.RELAND, repo, [first, *undone, last])


def _undone_by(revert: Headline, said: Mapping[str, Sequence[Said]], line: Line) -> Iterator[Headline]:
    found = (target_of(one, revert, line) for one in said.get(revert.sha, ()) if not one.again)
    yield from dict.fromkeys(head for head in found if head and not is_revert(head.title))


def original_of(revert: Headline, said: Mapping[str, Sequence[Said]], line: Line) -> Headline | None:
    """Name the last commit that a revert undid."""
    return max(_undone_by(revert, said, line), key=lambda head: (head.at, head.sha), default=None)


def _undoer(target: Headline, doer: Headline, said: Mapping[str, Sequence[Said]], line: Line) -> Headline | None:
    """Find what undid a commit before it came back: the last revert between the two that names it."""
    between = [
        head for head in line.heads if target.at <= head.at <= doer.at and head.sha not in (target.sha, doer.sha)
    ]
    naming = [head for head in between if head.sha in said and target in _undone_by(head, said, line)]
    return naming[-1] if naming else None


def _titled_again(doer: Headline, said: Mapping[str, Sequence[Said]], line: Line) -> list[Undoing]:
    """Find a commit of the very same title that was undone before this one."""
    earlier = line.titled(doer.title, doer)
    if earlier is None or is_revert(doer.title) or len(plain(doer.title)) < _LONG_TITLE:
        return []
    undone_by = _undoer(earlier, doer, said, line)
    if undone_by is None or doer.at - undone_by.at > _SAME_TITLE:
        return []
    return [Undoing(doer, earlier, True, undone_by)]
