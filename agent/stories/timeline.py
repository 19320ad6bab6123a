"""Landed commits found again by hash, number or title, the steps of stories, and who undid or brought back whom."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple

from pydantic import Field

from agent.domain.base import Frozen, RepoId
from agent.domain.commits import Change, Commit, Headline, Person, reverts_in
from agent.domain.evidence import CommitEvidence
from agent.domain.evidence_id import EvidenceId
from agent.domain.links import Act, Story, StoryKind, StoryStep
from agent.domain.references import pull_number, without_pull_numbers

NEAR = timedelta(days=60)  # How far back everything is read
_AGAIN = re.compile(r"^\W*(?:re-?land(?:ed|ing)?|re-?apply)\b[\s:\]-]*", re.IGNORECASE)
LINEAGE = ("revert", "reland")


def headline(commit: Commit, pull: int | None = None) -> Headline:
    """Make the headline of a commit."""
    number, title = (
        pull or pull_number(commit.subject) or pull_number(commit.title),
        commit.title[:400],
    )
    return Headline(
        sha=commit.sha, at=commit.committed_at, author=commit.author.name, title=title, pull=number
    )


def evidence_of(repo: RepoId, head: Headline) -> CommitEvidence:
    """Make evidence of a headline: who landed what, when and under which title; its diff was not read."""
    person, moments = (
        Person(name=head.author, email=""),
        {"authored_at": head.at, "committed_at": head.at},
    )
    commit = Commit(
        repo=repo,
        sha=head.sha,
        parents=(),
        author=person,
        committer=person,
        message=head.title,
        **moments,
    )
    change = Change(commit=commit, files=(), incomplete="only its first line was read")
    return CommitEvidence(change=change, pull=head.pull)


class Said(NamedTuple):
    """What a message or a patch says of an earlier change: it comes back `again`, or else it is undone."""

    again: bool
    sha: str = ""
    number: int | None = None
    title: str = ""


def _plain(title: str) -> str:
    """Give a title as one compares it: without numbers of pull requests, signs, case, and words for landing again."""
    return " ".join(
        re.sub(r"\W+", " ", _AGAIN.sub("", without_pull_numbers(title))).lower().split()
    )


class Remembered(Frozen):
    """What earlier reports said of some commits: their days, and the stories in which one is a step, oldest first."""

    days: dict[EvidenceId, str] = Field(default_factory=dict)
    stories: tuple[Story, ...] = ()


class CommitPair(Frozen):
    """A commit of the day, and an earlier one that it names or, `by_lines`, whose lines it changes."""

    doer: Headline
    earlier: Headline
    by_lines: bool = False
    said_in: EvidenceId | None = None
    """The pull request that names the earlier commit, if the later one does not."""

    def ids(self, repo: RepoId) -> tuple[EvidenceId, EvidenceId]:
        """Return the later and the earlier commit by the names under which they are cited."""
        doer = EvidenceId.commit(repo, self.doer.sha)
        return doer, EvidenceId.commit(repo, self.earlier.sha)


class StoriesFound(Frozen):
    """The stories of a day, and what else of the past its commits lead to; it is handed on as a note."""

    stories: tuple[Story, ...] = ()
    pairs: tuple[
        CommitPair, ...
    ] = ()  # What may be follow-ups: only somebody who reads both sides can tell
    heads: tuple[Headline, ...] = ()  # The earlier commits of stories and pairs
    whole: tuple[
        str, ...
    ] = ()  # Commits whose lines prove a story: they are cited with their patches


def step(
    repo: RepoId,
    head: Headline,
    act: Act,
    part: int | None = None,
    after: tuple[EvidenceId, ...] = (),
) -> StoryStep:
    """Make a step of a landed commit."""
    return StoryStep(
        cite=EvidenceId.commit(repo, head.sha),
        at=head.at,
        act=act,
        title=head.title,
        part=part,
        after=after,
    )


def story(kind: StoryKind, repo: RepoId, steps: Iterable[StoryStep]) -> Story:
    """Make a story of steps, oldest first."""
    return _with_steps(Story(kind=kind, repo=repo, steps=()), steps)


def _with_steps(one: Story, steps: Iterable[StoryStep]) -> Story:
    ordered = tuple(sorted(steps, key=lambda step: (step.at, step.cite)))
    return one.model_copy(
        update={"timeline": ordered, "steps": tuple(step.cite for step in ordered)}
    )


def joined(stories: Sequence[Story]) -> list[Story]:
    """Tell as one what shares its beginning: a revert and the re-land after it."""
    found: list[Story] = []
    for one in sorted(stories, key=lambda one: (one.timeline[-1].at, one.kind)):
        before = next(
            (old for old in found if old.steps[0] == one.steps[0] or old.steps[-1] in one.steps),
            None,
        )
        if before is None:
            found.append(one)
            continue
        found.remove(before)
        steps = {step.cite: step for step in (*before.timeline, *one.timeline)}
        # What undid or came back is more than that it landed.
        for old in (step for step in before.timeline if step.act != "landed"):
            after = tuple(dict.fromkeys((*old.after, *steps[old.cite].after)))
            steps[old.cite] = old.model_copy(update={"after": after})
        found.append(_with_steps(one, steps.values()))
    return found


def with_memory(one: Story, today: set[EvidenceId], known: Remembered) -> Story:
    """Name the steps that the report adds, say since when the story is told, and put in front what was known of it."""
    earlier = [old for old in known.stories if one.kind in LINEAGE and old.kind in LINEAGE]
    known_steps = [
        step for old in earlier if set(old.steps) & set(one.steps) for step in old.timeline
    ]
    steps = {step.cite: step for step in known_steps if step.act != "released"}
    whole = _with_steps(one, (steps | {step.cite: step for step in one.timeline}).values())
    days = [known.days[cite] for cite in whole.steps if cite in known.days and cite not in today]
    news = tuple(cite for cite in whole.steps if cite in today)
    return whole.model_copy(update={"news": news, "since": max(days, default="")})


# ---------------------------------------------------------------- undone and brought back


@dataclass(frozen=True)
class Undoing:
    """What a commit does to an earlier one or a part of it: it undoes it, or lands it again after another undid it."""

    doer: Headline
    target: Headline
    again: bool = False
    undone_by: Headline | None = None
    part: bool = False

    def story(self, repo: RepoId) -> Story:
        """Put it down as a story of two or three steps."""
        first = step(repo, self.target, "landed")
        undone = [step(repo, self.undone_by, "undone")] if self.undone_by else []
        acts: tuple[Act, Act] = (
            ("landed again", "a part landed again") if self.again else ("undone", "a part undone")
        )
        last = step(repo, self.doer, acts[self.part], after=() if self.again else (first.cite,))
        return story("reland" if self.again else "revert", repo, [first, *undone, last])


class LandedLine:
    """Landed commits, each once, oldest first; and what today's and all that are called reverts say of others."""

    def __init__(
        self, heads: Iterable[Headline], said: Mapping[str, Sequence[Said]] | None = None
    ) -> None:
        self.heads = sorted(
            {head.sha: head for head in heads}.values(), key=lambda head: (head.at, head.sha)
        )
        self._said = said or {}
        self._named: dict[int | str, list[Headline]] = defaultdict(list)
        for head in self.heads:
            self._named[_plain(head.title)].append(head)
            self._named[head.pull or 0].append(head)

    def earlier(self, doer: Headline, said: Said) -> Headline | None:
        """Find the last commit before another one by its hash, else its number, else its title."""
        of_hash = [head for head in self.heads if head.sha.startswith(said.sha)] if said.sha else []
        # An abbreviated hash must mean one commit only.
        found = (
            of_hash if len(of_hash) == 1 else self._named.get(said.number or _plain(said.title), [])
        )
        return next(
            (head for head in reversed(found) if head.sha != doer.sha and head.at <= doer.at), None
        )

    def undoings(self, doer: Headline) -> list[Undoing]:
        """List what a commit undoes and brings back."""
        found: dict[str, Undoing] = {}
        named = [
            (one.again, head)
            for one in self._said.get(doer.sha, ())
            if (head := self.earlier(doer, one))
        ]
        returns = any(again for again, _ in named)
        for again, target in named:
            if again:
                found.setdefault(
                    target.sha, Undoing(doer, target, True, self._undoer(target, doer))
                )
            elif not reverts_in(target.title):
                found.setdefault(target.sha, Undoing(doer, target))
            elif not returns:
                # Who reverts a revert lands the first one again.
                back = [Undoing(doer, one, True, target) for one in self._undone_by(target)]
                found |= {one.target.sha: one for one in back or [Undoing(doer, target)]} | found
        return list(found.values())

    def _undone_by(self, revert: Headline) -> list[Headline]:
        found = {
            self.earlier(revert, one) for one in self._said.get(revert.sha, ()) if not one.again
        }
        return sorted(
            (head for head in found if head and not reverts_in(head.title)),
            key=lambda head: head.at,
        )

    def _undoer(self, target: Headline, doer: Headline) -> Headline | None:
        """Find what undid a commit before it came back: the last revert between the two that names it."""
        between = [
            head for head in self.heads if target.at <= head.at <= doer.at and head.sha != doer.sha
        ]
        return next((head for head in reversed(between) if target in self._undone_by(head)), None)
