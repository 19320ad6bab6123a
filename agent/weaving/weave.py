"""The stories of one repository's day, put together from what landed, what lies behind it and what was told before."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from pydantic import Field

from agent.conventions import Purpose, read_heading
from agent.domain import Commit, Frozen
from agent.evidence import CommitEvidence, EvidenceId
from agent.ids import RepoId, commit_id, thread_id
from agent.sources import Headline, Past
from agent.stories import Act, Step, Story, StoryKind
from agent.weaving.followups import follows
from agent.weaving.headlines import Line, headline
from agent.weaving.lineage import Kinship, kinships
from agent.weaving.parts import read_part
from agent.weaving.retakes import Retake
from agent.weaving.series import Series, series_of

MENDED_WITHIN = timedelta(days=14)
"""So old may lines be whose mending is a follow-up of the commit that wrote them."""
_MOST_OF_THEM = 0.8
_MOST_PARTS = 24
_OPENING = 2_000
_BUG = re.compile(r"\b(?:the|this)\s(?:bug|crash|deadlock)\s(?:triggers|occurs|happens|appears)\b", re.IGNORECASE)
_FIXUP = re.compile(r"\bfix-?ups?\b", re.IGNORECASE)
_LINEAGE = (StoryKind.REVERT, StoryKind.RELAND)


class Remembered(Frozen):
    """What earlier reports said of some commits."""

    days: dict[EvidenceId, str] = Field(default_factory=dict)
    """The day of the report to which a commit belongs."""
    stories: tuple[Story, ...] = ()
    """The stories in which one of them is a step, oldest first."""


@dataclass(frozen=True, kw_only=True)
class Loom:
    """Everything that stories are made from."""

    repo: RepoId
    today: Sequence[CommitEvidence]
    """What belongs to this report, with its facts as far as it was read."""
    past: Past = field(default_factory=Past)
    background: Sequence[CommitEvidence] = ()
    """Earlier commits that were read because today's name them."""
    writers: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Who wrote the lines that a commit takes out, by its hash."""
    undone: Mapping[str, str] = field(default_factory=dict)
    """What a commit undoes a part of though it does not name it, by hashes."""
    wholly: frozenset[str] = frozenset()
    """Those of them that undo all of it."""
    retakes: Sequence[Retake] = ()
    """What comes back in part or as a whole though no message says so."""
    bodies: Mapping[str, tuple[int, str]] = field(default_factory=dict)
    """The number and the text of the pull request of a commit, by its hash."""


def weave(loom: Loom) -> list[Story]:
    """Find the stories to which today's commits belong."""
    line = Line([*loom.past.found, *map(_head, loom.background), *map(_head, loom.today)])
    again = {one.doer for one in loom.retakes}
    kin = [one for one in kinships(loom.today, line) if one.again or one.doer.sha not in again]
    stories = [_lineage(one, loom.repo) for one in kin]
    known = {one.doer.sha for one in kin}
    stories += [
        _retaken(loom.repo, *found, whole=one.whole)
        for one in loom.retakes
        if one.doer not in known and (found := _all(line, one[:3]))
    ]
    stories += [
        _story(
            StoryKind.REVERT,
            loom.repo,
            [
                _step(loom.repo, target, Act.LANDED),
                _step(loom.repo, doer, Act.UNDONE if sha in loom.wholly else Act.PART_UNDONE),
            ],
        )
        for sha, of in loom.undone.items()
        if sha not in known and (doer := line.sha(sha)) and (target := line.sha(of))
    ]
    pairs = {(one.doer.sha, one.target.sha) for one in kin}
    pairs |= {(one.doer, one.original) for one in loom.retakes} | set(loom.undone.items())
    stories += _follow_ups(loom, line, pairs)
    stories += _series(loom, line)
    return _joined(stories, {one.id for one in loom.today})


def with_memory(story: Story, known: Remembered) -> Story:
    """Say since when a story is told, and put what earlier reports knew of it in front."""
    earlier = [one for one in known.stories if _same_sort(one, story) and set(one.steps) & set(story.steps)]
    steps = {step.cite: step for one in earlier for step in one.timeline} if story.kind is not StoryKind.SERIES else {}
    steps |= {step.cite: step for step in story.timeline}
    timeline = tuple(sorted(steps.values(), key=lambda step: (step.at, step.cite)))
    days = [known.days[step.cite] for step in timeline if step.cite in known.days and step.cite not in story.news]
    return story.model_copy(
        update={"timeline": timeline, "steps": tuple(step.cite for step in timeline), "since": max(days, default="")}
    )


def _same_sort(one: Story, other: Story) -> bool:
    return one.kind is other.kind or (one.kind in _LINEAGE and other.kind in _LINEAGE)


def _head(one: CommitEvidence) -> Headline:
    return headline(one.change.commit, one.pull)


def _step(repo: RepoId, head: Headline, act: Act, part: int | None = None) -> Step:
    return Step(cite=commit_id(repo, head.sha), at=head.at, act=act, title=head.title, part=part)


def _story(kind: StoryKind, repo: RepoId, steps: Sequence[Step]) -> Story:
    ordered = tuple(sorted(steps, key=lambda step: step.at))
    return Story(kind=kind, repo=repo, steps=tuple(step.cite for step in ordered), timeline=ordered)


def _all(line: Line, shas: Sequence[str]) -> tuple[Headline, Headline, Headline] | None:
    found = [line.sha(sha) for sha in shas]
    return (found[0], found[1], found[2]) if found[0] and found[1] and found[2] else None


def _lineage(one: Kinship, repo: RepoId) -> Story:
    first = _step(repo, one.target, Act.LANDED)
    if not one.again:
        undone_now = _step(repo, one.doer, Act.UNDONE).model_copy(update={"after": (first.cite,)})
        return _story(StoryKind.REVERT, repo, [first, undone_now])
    undone = [_step(repo, one.undone_by, Act.UNDONE)] if one.undone_by else []
    return _story(StoryKind.RELAND, repo, [first, *undone, _step(repo, one.doer, Act.LANDED_AGAIN)])


def _retaken(repo: RepoId, doer: Headline, target: Headline, undoing: Headline, *, whole: bool) -> Story:
    again = Act.LANDED_AGAIN if whole else Act.PART_AGAIN
    acts = ((target, Act.LANDED), (undoing, Act.UNDONE), (doer, again))
    return _story(StoryKind.RELAND, repo, [_step(repo, head, act) for head, act in acts])


def _follow_ups(loom: Loom, line: Line, taken: set[tuple[str, str]]) -> list[Story]:
    stories = []
    for one in loom.today:
        doer = _head(one)
        targets = [head for head in _followed(one, doer, loom, line) if (doer.sha, head.sha) not in taken]
        if targets:
            landed = [_step(loom.repo, target, Act.LANDED) for target in targets]
            after = tuple(step.cite for step in landed)
            last = _step(loom.repo, doer, Act.FOLLOW_UP).model_copy(update={"after": after})
            stories.append(_story(StoryKind.FOLLOW_UP, loom.repo, [*landed, last]))
    return stories


def _followed(one: CommitEvidence, doer: Headline, loom: Loom, line: Line) -> list[Headline]:
    """List the earlier commits that a commit mends or completes: those it names, else whose lines it mends."""
    texts = [one.change.commit.message, loom.bodies.get(doer.sha, (0, ""))[1]]
    named = [name for text in texts for name in follows(text) if name.repo in ("", loom.repo.lower())]
    found = [line.pull(name.number, doer) if name.number else line.sha(name.sha) for name in named]
    earlier = [head for head in found if head is not None and head.at <= doer.at and head.sha != doer.sha]
    if earlier:
        return list(dict.fromkeys(earlier))
    writer = line.sha(mended_commit(loom.writers.get(doer.sha, {})) or "-")
    return [writer] if writer is not None and writer.sha != doer.sha else []


def mended_commit(writers: Mapping[str, int]) -> str | None:
    """Name the recent commit that wrote nearly all of the lines which another one takes out."""
    total = sum(writers.values())
    if not total:
        return None
    sha, lines = max(writers.items(), key=lambda pair: (pair[1], pair[0]))
    return sha if sha and lines >= _MOST_OF_THEM * total else None


def is_fix(commit: Commit) -> bool:
    """Tell a commit that says it mends something which runs."""
    purposes = read_heading(commit.title).purposes
    mends = Purpose.FIX in purposes or _FIXUP.search(commit.title) or _BUG.search(commit.message[:_OPENING])
    return bool(mends) and not {Purpose.DOCS, Purpose.TESTS, Purpose.CI, Purpose.CHORE} & set(purposes)


def is_move(title: str) -> bool:
    """Tell a commit that mostly moves what others wrote: who mends it there mends not that commit."""
    heading = read_heading(title)
    words = title.lower()
    moved = any(
        word in words for word in ("move", "rename", "migrat", "split", "extract", "reorganiz", "format", "revert")
    )
    return moved or Purpose.REFACTOR in heading.purposes or Purpose.CHORE in heading.declared


def _series(loom: Loom, line: Line) -> list[Story]:
    mine = {one.change.commit.sha for one in loom.today}
    if not any(read_part(one.change.commit.title) for one in loom.today):
        return []
    return [
        _numbered(one, loom)
        for one in series_of(line.heads)
        if len(one.members) > 1 and any(head.sha in mine for head, _ in one.members)
    ]


def _numbered(series: Series, loom: Loom) -> Story:
    members = series.members[-_MOST_PARTS:]
    story = _story(
        StoryKind.SERIES, loom.repo, [_step(loom.repo, head, Act.PART, part.index) for head, part in members]
    )
    whole = loom.past.since is not None and len(members) == len(series.members)
    gaps = {"missing": series.missing(), "unfound": series.unfound()} if whole else {}
    return story.model_copy(update={**gaps, "total": series.total})


def _joined(stories: Sequence[Story], mine: set[EvidenceId]) -> list[Story]:
    """Tell as one what shares its beginning: two follow-ups of a commit, a revert and the re-land after it."""
    joined: list[Story] = []
    for story in sorted(stories, key=lambda one: (one.timeline[-1].at, one.kind)):
        before = next((one for one in joined if _goes_on(one, story)), None)
        if before is not None:
            joined.remove(before)
            steps = {step.cite: step for step in (*before.timeline, *story.timeline)}
            # What followed, undid or came back is more than that it landed.
            steps |= {
                step.cite: _both(step, steps[step.cite]) for step in before.timeline if step.act is not Act.LANDED
            }
            story = _story(story.kind, story.repo, list(steps.values()))
        joined.append(story)
    news = [tuple(step for step in story.steps if step in mine) for story in joined]
    return [story.model_copy(update={"news": new}) for story, new in zip(joined, news, strict=True)]


def _both(one: Step, other: Step) -> Step:
    """Keep everything that a step undoes where two stories tell of it."""
    if one.act is not other.act:
        return one
    return one.model_copy(update={"after": tuple(dict.fromkeys((*one.after, *other.after)))})


def _goes_on(one: Story, story: Story) -> bool:
    if one.kind in _LINEAGE and story.kind in _LINEAGE:
        return one.steps[0] == story.steps[0] or one.steps[-1] in story.steps
    return one.kind is story.kind is StoryKind.FOLLOW_UP and bool(_followed_in(one) & _followed_in(story))


def _followed_in(story: Story) -> set[EvidenceId]:
    return {cite for step in story.timeline for cite in step.after}


def said_by(one: CommitEvidence, body: tuple[int, str] | None) -> EvidenceId | None:
    """Name the pull request where it, and not the commit, says what a commit follows."""
    if follows(one.change.commit.message) or body is None or not follows(body[1]):
        return None
    return thread_id(one.repo, body[0])
