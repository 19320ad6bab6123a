"""The timeline of a story: its steps, and landed commits found by hash, number or title."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple

from pydantic import Field

from agent.domain.base import Frozen, RepoId
from agent.domain.commits import Change, Commit, Headline, Person
from agent.domain.evidence import CommitEvidence
from agent.domain.evidence_id import EvidenceId
from agent.domain.links import Act, Story, StoryKind, StoryStep
from agent.domain.references import pull_number, without_pull_numbers
from agent.domain.revert_messages import reverts_in

NEAR = timedelta(days=60)
"""How far back everything is read."""
LINEAGE = ("revert", "reland")
"""The kinds of stories in which a change is undone or comes back."""
_MAX_TITLE = 400  # Characters
_LANDING_AGAIN = re.compile(r"^\W*(?:re-?land(?:ed|ing)?|re-?apply)\b[\s:\]-]*", re.IGNORECASE)


def headline(commit: Commit, pull: int | None = None) -> Headline:
    """Return the headline of a commit."""
    return Headline(
        sha=commit.sha,
        at=commit.committed_at,
        author=commit.author.name,
        title=commit.title[:_MAX_TITLE],
        pull=pull or pull_number(commit.subject) or pull_number(commit.title),
    )


def evidence_of(repo: RepoId, landed: Headline) -> CommitEvidence:
    """Return a headline as evidence: its author, hash, time and title, without a diff."""
    person = Person(name=landed.author, email="")
    commit = Commit(
        repo=repo,
        sha=landed.sha,
        parents=(),
        author=person,
        authored_at=landed.at,
        committer=person,
        committed_at=landed.at,
        message=landed.title,
    )
    change = Change(commit=commit, files=(), incomplete="only its first line was read")
    return CommitEvidence(change=change, pull=landed.pull)


class LineageReference(NamedTuple):
    """A reference of a message or a patch to an earlier change that it undoes or brings back."""

    again: bool  # It comes back
    sha: str = ""
    number: int | None = None
    title: str = ""
    part: bool = False  # Only a part of it


def _comparable(title: str) -> str:
    """Return a title without pull requests, signs, case and words for landing again."""
    bare_title = _LANDING_AGAIN.sub("", without_pull_numbers(title))
    words = re.sub(r"\W+", " ", bare_title).lower()
    return " ".join(words.split())


class Remembered(Frozen):
    """Days and stories of some commits in earlier reports, oldest first."""

    days: dict[EvidenceId, str] = Field(default_factory=dict)
    stories: tuple[Story, ...] = ()


class CommitPair(Frozen):
    """A commit of the day, and an earlier one that it names or whose lines it changes."""

    doer: Headline
    earlier: Headline
    by_lines: bool = False  # It changes lines of the earlier one
    said_in: EvidenceId | None = None
    """The pull request that names the earlier commit, if the later one does not."""

    def ids(self, repo: RepoId) -> tuple[EvidenceId, EvidenceId]:
        """Return the later and the earlier commit by the names under which they are cited."""
        doer = EvidenceId.commit(repo, self.doer.sha)
        return doer, EvidenceId.commit(repo, self.earlier.sha)


class StoriesFound(Frozen):
    """The stories of a day, and what else of the past its commits lead to."""

    stories: tuple[Story, ...] = ()
    pairs: tuple[CommitPair, ...] = ()
    """What may be follow-ups: only somebody who reads both sides can say so."""
    heads: tuple[Headline, ...] = ()  # The earlier commits of stories and pairs
    proving: tuple[str, ...] = ()
    """Commits whose lines prove a story: they are cited with their patches."""


def step(
    repo: RepoId,
    landed: Headline,
    act: Act,
    part: int | None = None,
    after: tuple[EvidenceId, ...] = (),
) -> StoryStep:
    """Return the step of a story that a landed commit is."""
    return StoryStep(
        cite=EvidenceId.commit(repo, landed.sha),
        at=landed.at,
        act=act,
        title=landed.title,
        part=part,
        after=after,
    )


def story(kind: StoryKind, repo: RepoId, steps: Iterable[StoryStep]) -> Story:
    """Return a story of some steps, which are put in order, oldest first."""
    return _with_steps(Story(kind=kind, repo=repo, steps=()), steps)


def _with_steps(story_without: Story, steps: Iterable[StoryStep]) -> Story:
    timeline = tuple(sorted(steps, key=lambda step: (step.at, step.cite)))
    cites = tuple(step.cite for step in timeline)
    return story_without.model_copy(update={"timeline": timeline, "steps": cites})


def joined(stories: Sequence[Story]) -> list[Story]:
    """Return stories of which those with the same beginning are one: a revert and its re-land."""
    joined_stories: list[Story] = []
    for later in sorted(stories, key=lambda story: (story.timeline[-1].at, story.kind)):
        earlier = _earlier_part(later, joined_stories)
        if earlier is None:
            joined_stories.append(later)
            continue
        joined_stories.remove(earlier)
        joined_stories.append(_continued(earlier, later))
    return joined_stories


def _earlier_part(later: Story, candidates: Iterable[Story]) -> Story | None:
    """Return the story that begins like a later one, or ends with one of its steps."""
    for candidate in candidates:
        begins_alike = candidate.steps[0] == later.steps[0]
        if begins_alike or candidate.steps[-1] in later.steps:
            return candidate
    return None


def _continued(earlier: Story, later: Story) -> Story:
    steps = {step.cite: step for step in (*earlier.timeline, *later.timeline)}
    for step_before in earlier.timeline:
        # That something undid or came back is more than that it landed.
        if step_before.act == "landed":
            continue
        cite = step_before.cite
        after = tuple(dict.fromkeys((*step_before.after, *steps[cite].after)))
        steps[cite] = step_before.model_copy(update={"after": after})
    return _with_steps(later, steps.values())


def with_memory(new_story: Story, today: set[EvidenceId], memory: Remembered) -> Story:
    """Return a story with what earlier reports know of it.

    It names the steps that are news, and the day on which it was last reported.
    """
    steps: dict[EvidenceId, StoryStep] = {}
    for earlier in memory.stories:
        is_lineage = new_story.kind in LINEAGE and earlier.kind in LINEAGE
        if not is_lineage or not set(earlier.steps) & set(new_story.steps):
            continue
        for earlier_step in earlier.timeline:
            if earlier_step.act != "released":
                steps[earlier_step.cite] = earlier_step
    for new_step in new_story.timeline:
        steps[new_step.cite] = new_step
    full_story = _with_steps(new_story, steps.values())
    days = []
    for cite in full_story.steps:
        if cite in memory.days and cite not in today:
            days.append(memory.days[cite])
    news = tuple(cite for cite in full_story.steps if cite in today)
    return full_story.model_copy(update={"news": news, "since": max(days, default="")})


# ---------------------------------------------------------------- undone and brought back


@dataclass(frozen=True)
class Undoing:
    """The effect on an earlier commit or a part of it: it is undone, or lands again."""

    doer: Headline
    target: Headline
    again: bool = False  # It lands again
    undone_by: Headline | None = None  # What undid it before it landed again
    part: bool = False  # Only a part of it

    @property
    def act(self) -> Act:
        """Return the act of the reverting or relanding commit."""
        if self.again:
            return "a part landed again" if self.part else "landed again"
        return "a part undone" if self.part else "undone"

    def story(self, repo: RepoId) -> Story:
        """Return a story of two or three steps."""
        first = step(repo, self.target, "landed")
        steps = [first]
        if self.undone_by:
            steps.append(step(repo, self.undone_by, "undone"))
        after = () if self.again else (first.cite,)
        steps.append(step(repo, self.doer, self.act, after=after))
        return story("reland" if self.again else "revert", repo, steps)


class _NamedTarget(NamedTuple):
    """An earlier commit that a message names."""

    landed: Headline
    again: bool
    part: bool


class LandedLine:
    """Landed commits, each once, oldest first, and what some of them say of others."""

    def __init__(
        self,
        heads: Iterable[Headline],
        reference: Mapping[str, Sequence[LineageReference]] | None = None,
    ) -> None:
        heads_by_sha = {landed.sha: landed for landed in heads}
        self.heads = sorted(heads_by_sha.values(), key=lambda landed: (landed.at, landed.sha))
        self._lineage = reference or {}
        self._by_number_or_title: dict[int | str, list[Headline]] = defaultdict(list)
        for landed in self.heads:
            self._by_number_or_title[_comparable(landed.title)].append(landed)
            self._by_number_or_title[landed.pull or 0].append(landed)

    def earlier(self, doer: Headline, reference: LineageReference) -> Headline | None:
        """Return the last commit before another one by its hash, else its number, else its title."""
        for landed in reversed(self._candidates(reference)):
            if landed.sha != doer.sha and landed.at <= doer.at:
                return landed
        return None

    def _candidates(self, reference: LineageReference) -> list[Headline]:
        if reference.sha:
            of_hash = [landed for landed in self.heads if landed.sha.startswith(reference.sha)]
            # An abbreviated hash must mean one commit only.
            if len(of_hash) == 1:
                return of_hash
        key = reference.number or _comparable(reference.title)
        return self._by_number_or_title.get(key, [])

    def undoings(self, doer: Headline) -> list[Undoing]:
        """Return the commits that a commit undoes, and those it brings back."""
        targets = self._named_targets(doer)
        brings_back = any(target.again for target in targets)
        undoings: dict[str, Undoing] = {}
        for landed, again, part in targets:
            if again:
                undone_by = self._undoer(landed, doer)
                undoing = Undoing(doer, landed, again=True, undone_by=undone_by, part=part)
                undoings.setdefault(landed.sha, undoing)
            elif not reverts_in(landed.title):
                undoings.setdefault(landed.sha, Undoing(doer, landed, part=part))
            elif not brings_back:
                for undoing in self._reverted_revert(doer, landed):
                    undoings.setdefault(undoing.target.sha, undoing)
        return list(undoings.values())

    def _named_targets(self, doer: Headline) -> list[_NamedTarget]:
        targets = []
        for reference in self._lineage.get(doer.sha, ()):
            landed = self.earlier(doer, reference)
            if landed is not None:
                targets.append(_NamedTarget(landed, reference.again, reference.part))
        return targets

    def _reverted_revert(self, doer: Headline, revert: Headline) -> list[Undoing]:
        """Return the commits that come back when a revert is reverted: those it undid."""
        brought_back = []
        for landed in self._undone_by(revert):
            brought_back.append(Undoing(doer, landed, again=True, undone_by=revert))
        return brought_back or [Undoing(doer, revert)]

    def _undone_by(self, revert: Headline) -> list[Headline]:
        """Return the commits that a revert undoes, oldest first, without other reverts."""
        heads = set()
        for reference in self._lineage.get(revert.sha, ()):
            landed = None if reference.again else self.earlier(revert, reference)
            if landed is not None and not reverts_in(landed.title):
                heads.add(landed)
        return sorted(heads, key=lambda landed: landed.at)

    def _undoer(self, target: Headline, doer: Headline) -> Headline | None:
        """Return the last revert that names a commit, between it and the one that brings it back."""
        for landed in reversed(self.heads):
            is_between = target.at <= landed.at <= doer.at and landed.sha != doer.sha
            if is_between and target in self._undone_by(landed):
                return landed
        return None
