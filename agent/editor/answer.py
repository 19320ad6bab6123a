"""The answer of an editor, and checks of it: known handles, sound words, true labels."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from pydantic import BaseModel, Field, JsonValue, create_model

from agent.analysts.sentences import words_of
from agent.domain.base import Language, RepoId
from agent.domain.claims import Anchor, Claim, Kind
from agent.domain.evidence import EvidenceSet
from agent.domain.placement import CommitGroup, Importance
from agent.editor.placements import Proposal
from agent.editor.rows import CommitRow
from agent.gate.check import refusals
from agent.languages import writing_of

_MAX_REASON_WORDS = 12
_MAX_REASON_CHARACTERS = 120  # Languages without spaces have no words to count
_MAX_LABEL_CHARACTERS = 100
_MIN_GROUP = 2
_MAX_GROUP = 12
_TIERS: list[JsonValue] = [int(importance) for importance in Importance]

TOKENS_PER_COMMIT = 48
"""Of an answer: a handle, a tier and twelve words, with a share of the labels."""


class PlacedCommit(BaseModel):
    """The place of one commit."""

    commit: str = Field(description="the handle of the commit, such as c3")
    tier: int = Field(
        default=-1,
        description="3 must know, 2 worth knowing, 1 minor, 0 noise",
        json_schema_extra={"enum": _TIERS},
    )
    reason: str = Field(default="", description="why, in at most twelve words")


class GroupedCommits(BaseModel):
    """Commits that belong together; the labels in each language are fields of the subclass."""

    commits: list[str] = Field(
        default_factory=list, description="the handles of commits that belong together"
    )


@cache
def edition_shape(languages: tuple[Language, ...]) -> type[BaseModel]:
    """Return the shape in which an editor answers."""
    labels: dict[str, Any] = {}
    for lang in languages:
        description = f"a short phrase for the group in {writing_of(lang).asked_as}"
        labels[f"label_{lang}"] = (str, Field(default="", description=description))
    group = create_model("LabelledGroup", __base__=GroupedCommits, **labels)
    placed = "every commit once, the most important first"
    return create_model(
        "Edition",
        places=(list[PlacedCommit], Field(default_factory=list, description=placed)),
        groups=(list[group], Field(default_factory=list)),
    )


def proposals(answer: Any, rows: Mapping[str, CommitRow], lang: Language) -> list[Proposal]:
    """Return what an answer says of commits that were shown, each once, in its order.

    A tier that does not exist places nothing, and a reason that may not be published is left out.
    """
    proposed: dict[str, Proposal] = {}
    for placed in answer.places:
        row = rows.get(_handle(placed.commit))
        if row is None or row.sha in proposed or placed.tier not in _TIERS:
            continue
        reason = _published_reason(placed.reason, row, lang)
        proposed[row.sha] = Proposal(row.sha, Importance(placed.tier), reason)
    return list(proposed.values())


def groups(
    answer: Any, rows: Mapping[str, CommitRow], languages: tuple[Language, ...], repo: RepoId
) -> Iterator[CommitGroup]:
    """Yield the groups of an answer whose labels hold; a commit belongs to the first that has it."""
    grouped: set[str] = set()
    for proposed in answer.groups:
        handles = dict.fromkeys(_handle(text) for text in proposed.commits)
        members = [handle for handle in handles if handle in rows and handle not in grouped]
        label = words_of(proposed, languages, "label_")
        if not _MIN_GROUP <= len(members) <= _MAX_GROUP or not label:
            continue
        if any(len(text) > _MAX_LABEL_CHARACTERS for text in label.values()):
            continue
        member_rows = [rows[handle] for handle in members]
        if not holds(label, member_rows):
            continue
        grouped.update(members)
        commits = tuple(row.commit for row in member_rows)
        yield CommitGroup(repo=repo, commits=commits, label=label)


def holds(text: Mapping[Language, str], rows: Sequence[CommitRow]) -> bool:
    """Return True if the gate has no objection to words about some commits, held to their rows."""
    claim = claim_about(rows, text)
    evidence_set = EvidenceSet(by_id={row.commit: row.evidence for row in rows})
    return not any(refusals(claim, evidence_set, lang) for lang in text)


def claim_about(rows: Sequence[CommitRow], text: Mapping[Language, str]) -> Claim:
    """Return words about some commits as a claim that rests on their rows."""
    commits = tuple(row.commit for row in rows)
    return Claim(
        id=f"edited {commits[0].shortened()}",
        repo=commits[0].repo,
        role="summary",
        about=commits,
        cites=commits,
        text=dict(text),
        anchors=(Anchor(cite=commits[0], text=rows[0].heading),),
        kind=Kind.STATED,
    )


def _published_reason(text: str, row: CommitRow, lang: Language) -> str:
    """Return a reason, or nothing if it is too long or may not be published."""
    reason = " ".join(text.split())
    if not reason or len(reason) > _MAX_REASON_CHARACTERS:
        return ""
    if len(reason.split()) > _MAX_REASON_WORDS or not holds({lang: reason}, [row]):
        return ""
    return reason


def _handle(text: str) -> str:
    return text.strip("[]`. ")
