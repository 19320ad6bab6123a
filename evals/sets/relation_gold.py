"""Gold for relations: those that readers of git and threads found, and those that a report asserts."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from agent.domain.errors import UsageError
from agent.domain.evidence_id import EvidenceId
from agent.domain.links import Act, Relation, Story, StoryStep
from agent.domain.references import pull_number
from agent.domain.report import Report

FIRST_RELEASE = "first released in"
RelationName = Literal[
    "fixes",
    "partly fixes",
    "reverts the fix",
    "reverts because of",
    "introduced by",
    "continues",
    "step of",
    "reverts",
    "lands again",
    "needs or ports",
    "same change made independently",
    "first released in",
]
_RELATION_BY_ACT: Mapping[Act, Relation] = {
    "undone": Relation.UNDOES,
    "a part undone": Relation.UNDOES,
    "landed again": Relation.RELANDS,
    "a part landed again": Relation.RELANDS,
    "mended": Relation.INTRODUCED,
    "follow-up": Relation.CONTINUES,
    "part": Relation.CONTINUES,
    "step": Relation.STEP,
    "ported": Relation.NEEDS,
    "taken in": Relation.NEEDS,
    "same change": Relation.INDEPENDENT,
}
"""What the steps of stories say that they have to do with the steps before them."""
_KINDS: Mapping[str, str] = {
    Relation.UNDOES: "reverts and re-lands",
    Relation.RELANDS: "reverts and re-lands",
    Relation.INTRODUCED: "regressions",
    Relation.CONTINUES: "follow-ups",
    Relation.STEP: "series",
    Relation.NEEDS: "across repositories",
    Relation.INDEPENDENT: "same changes",
    FIRST_RELEASE: "releases",
}
ISSUES = "issues"


class GoldRelation(BaseModel):
    """What a commit has to do with an issue, a pull request, a commit or a release."""

    commit: str  # owner/name@sha, which may be shortened
    other: str  # The same, or owner/name#12, or owner/name@tag
    relation: RelationName
    kind: str = ""  # Under which it is counted, if not by its relation
    recorded: bool = False  # Whether GitHub records it: no model has to find it

    @property
    def counted_as(self) -> str:
        """The kind under which it is counted."""
        if self.kind:
            return self.kind
        repos = {text.replace("@", "#").partition("#")[0] for text in (self.commit, self.other)}
        if len(repos) > 1:
            return "across repositories"
        return _KINDS.get(self.relation, ISSUES)


class Trap(BaseModel):
    """Something that looks related and is not: with this relation, or with any."""

    other: str
    commit: str = ""  # Any commit where it is empty
    relation: RelationName | None = None


class RelationGold(BaseModel):
    """The relations of a window, others that may be told, and what must not be told."""

    relations: list[GoldRelation] = Field(default_factory=list)
    allowed: list[GoldRelation] = Field(default_factory=list)
    """True ones that need not be told."""
    traps: list[Trap] = Field(default_factory=list)


_GOLD: TypeAdapter[RelationGold | list[GoldRelation]] = TypeAdapter(
    RelationGold | list[GoldRelation]
)


def read_gold(path: Path) -> RelationGold:
    """Return the gold of a file: a list of relations, or an object with traps and allowed ones."""
    try:
        gold = _GOLD.validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        raise UsageError(f"the relations in {path} cannot be read: {error}") from error
    return gold if isinstance(gold, RelationGold) else RelationGold(relations=gold)


class NamedPair(NamedTuple):
    """A commit and something else, by their full names."""

    commit: str
    other: str


class Assertion(NamedTuple):
    """A relation that a report asserts."""

    pair: NamedPair
    relation: str
    by_model: bool = False


class FullNames:
    """Gives commits one name: a shortened hash and a pull request stand for what landed."""

    def __init__(self, titles: Mapping[EvidenceId, str]) -> None:
        self._commits = sorted(name for name in titles if name.is_commit)
        self._landed_as: dict[str, str] = {}
        for name in self._commits:
            number = pull_number(titles[name])
            if number is not None:
                self._landed_as.setdefault(EvidenceId.thread(name.repo, number), name)

    def full(self, text: str) -> str:
        """Return the name of the commit that a text means, or the text if that is unknown."""
        if text in self._landed_as:
            return self._landed_as[text]
        name = EvidenceId.parse(text)
        if name is None or not name.may_abbreviate_hash:
            return text
        matching = [commit for commit in self._commits if commit.startswith(text)]
        return matching[0] if len(matching) == 1 else text

    def pair(self, commit: str, other: str) -> NamedPair:
        """Return a pair by its full names."""
        return NamedPair(self.full(commit), self.full(other))


def asserted_links(report: Report, names: FullNames) -> Iterator[Assertion]:
    """Yield the relations with issues that a report asserts."""
    for link in report.links:
        if link.relation is not Relation.MENTIONS:
            pair = names.pair(link.change, link.issue)
            yield Assertion(pair, link.relation.value, bool(link.judged_by))


def asserted_steps(stories: Iterable[Story], names: FullNames) -> Iterator[Assertion]:
    """Yield the relations that the news of stories assert."""
    for story in stories:
        if story.kind == "released":
            yield from _first_releases(story, names)
            continue
        for position, step in enumerate(story.timeline):
            relation = _RELATION_BY_ACT.get(step.act)
            if relation is None or step.cite not in story.news:
                continue
            for other in _before(step, story.timeline[:position]):
                pair = names.pair(step.cite, other)
                yield Assertion(pair, relation.value, bool(story.judged_by))


def _before(step: StoryStep, earlier: Iterable[StoryStep]) -> Iterator[EvidenceId]:
    """Yield what a step goes back to: what it says so of, all parts of a series, or the first."""
    if step.after:
        yield from step.after
        return
    steps = [other for other in earlier if other.act != "released"]
    if step.act == "part":
        yield from (other.cite for other in steps)
    elif steps:
        yield steps[0].cite


def _first_releases(story: Story, names: FullNames) -> Iterator[Assertion]:
    *landed, release = story.timeline
    for step in landed:
        pair = NamedPair(names.full(step.cite), release.cite)
        yield Assertion(pair, FIRST_RELEASE)
