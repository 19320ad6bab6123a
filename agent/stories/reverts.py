"""Changes that were undone and came back: who undid whom, by what messages name and by titles."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from agent.domain.base import RepoId
from agent.domain.commits import Headline
from agent.domain.links import Act, Story, StoryKind
from agent.stories.timeline import Line, is_revert, step, story


class Said(NamedTuple):
    """What a message or a patch says of an earlier change: it comes back `again`, or else it is undone."""

    again: bool
    sha: str = ""
    number: int | None = None
    title: str = ""


@dataclass(frozen=True)
class Undoing:
    """What a commit does to an earlier one or a part of it: it undoes it, or lands it again after another undid it."""

    doer: Headline
    target: Headline
    again: bool = False
    undone_by: Headline | None = None
    part: bool = False


@dataclass(frozen=True)
class Named:
    """What commits of a line say of earlier ones, by hash: today's, and all that call themselves reverts."""

    line: Line
    said: Mapping[str, Sequence[Said]]

    def undoings(self, doer: Headline) -> list[Undoing]:
        """List what a commit undoes and brings back."""
        found: dict[str, Undoing] = {}
        named = [(one.again, target) for one in self.said.get(doer.sha, ()) if (target := self._target(one, doer))]
        returns = any(again for again, _ in named)
        for again, target in named:
            if again:
                found.setdefault(target.sha, Undoing(doer, target, True, self._undoer(target, doer)))
            elif not is_revert(target.title):
                found.setdefault(target.sha, Undoing(doer, target))
            elif not returns:
                # Who reverts a revert lands the first one again.
                back = [Undoing(doer, one, True, target) for one in self.undone_by(target)]
                found |= {one.target.sha: one for one in back or [Undoing(doer, target)]} | found
        return list(found.values())

    def undone_by(self, revert: Headline) -> list[Headline]:
        """Name what a revert undid, oldest first."""
        found = {self._target(one, revert) for one in self.said.get(revert.sha, ()) if not one.again}
        return sorted((head for head in found if head and not is_revert(head.title)), key=lambda head: head.at)

    def _target(self, said: Said, doer: Headline) -> Headline | None:
        return self.line.earlier(doer, sha=said.sha, number=said.number, title=said.title)

    def _undoer(self, target: Headline, doer: Headline) -> Headline | None:
        """Find what undid a commit before it came back: the last revert between the two that names it."""
        between = [head for head in self.line.heads if target.at <= head.at <= doer.at and head.sha != doer.sha]
        return next((head for head in reversed(between) if target in self.undone_by(head)), None)


def undoing_story(one: Undoing, repo: RepoId) -> Story:
    """Put an undoing down as a story of two or three steps."""
    first = step(repo, one.target, Act.LANDED)
    undone = [step(repo, one.undone_by, Act.UNDONE)] if one.undone_by else []
    acts = (Act.LANDED_AGAIN, Act.PART_AGAIN) if one.again else (Act.UNDONE, Act.PART_UNDONE)
    last = step(repo, one.doer, acts[one.part], after=() if one.again else (first.cite,))
    return story(StoryKind.RELAND if one.again else StoryKind.REVERT, repo, [first, *undone, last])
