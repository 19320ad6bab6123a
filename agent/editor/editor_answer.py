"""The answer of an editor: places and groups of the commits that it was shown."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from pydantic import BaseModel, Field, JsonValue, create_model

from agent.domain.base import Language
from agent.domain.placement import Importance
from agent.editor.placements import Proposal
from agent.editor.reasons_and_labels import EditorWords
from agent.editor.rows import CommitRow
from agent.report_languages import writing_of
from agent.writing.model_sentences import words_of

_MIN_GROUP = 2
_TIERS: list[JsonValue] = [int(importance) for importance in Importance]

_PLACE_TOKENS = 20  # Of an answer: a handle and a tier
_REASON_TOKENS = 28  # Twelve words, with a share of the labels


def tokens_per_commit(languages: Sequence[Language]) -> int:
    """Return how many tokens of an answer the place of one commit takes."""
    return _PLACE_TOKENS + _REASON_TOKENS * len(languages)


class PlacedCommit(BaseModel):
    """The place of one commit; the reasons in each language are fields of the subclass."""

    commit: str = Field(description="the handle of the commit, such as c3")
    tier: int = Field(
        default=-1,
        description="3 must know, 2 worth knowing, 1 minor, 0 noise",
        json_schema_extra={"enum": _TIERS},
    )


class GroupedCommits(BaseModel):
    """Commits that belong together; the labels in each language are fields of the subclass."""

    commits: list[str] = Field(
        default_factory=list, description="the handles of commits that belong together"
    )


@cache
def edition_shape(languages: tuple[Language, ...]) -> type[BaseModel]:
    """Return the shape in which an editor answers."""
    reasons: dict[str, Any] = {}
    labels: dict[str, Any] = {}
    for lang in languages:
        language = writing_of(lang).asked_as
        reason = f"why, in at most twelve words of {language}"
        reasons[f"reason_{lang}"] = (str, Field(default="", description=reason))
        label = f"a short phrase for the group in {language}"
        labels[f"label_{lang}"] = (str, Field(default="", description=label))
    place = create_model("ReasonedPlace", __base__=PlacedCommit, **reasons)
    group = create_model("LabelledGroup", __base__=GroupedCommits, **labels)
    placed = "every commit once, the most important first"
    return create_model(
        "Edition",
        places=(list[place], Field(default_factory=list, description=placed)),
        groups=(list[group], Field(default_factory=list)),
    )


def proposals(
    answer: Any, rows: Mapping[str, CommitRow], languages: tuple[Language, ...]
) -> list[Proposal]:
    """Return what an answer says of commits that were shown, each once, in its order.

    A tier that does not exist places nothing.
    """
    proposed: dict[str, Proposal] = {}
    for placed in answer.places:
        row = rows.get(_handle(placed.commit))
        if row is None or row.sha in proposed or placed.tier not in _TIERS:
            continue
        reasons = words_of(placed, languages, "reason_")
        proposed[row.sha] = Proposal(row.sha, Importance(placed.tier), reasons)
    return list(proposed.values())


def groups(
    answer: Any, rows: Mapping[str, CommitRow], languages: tuple[Language, ...]
) -> Iterator[EditorWords]:
    """Yield the labels of an answer with the rows of their groups."""
    for number, proposed in enumerate(answer.groups, start=1):
        handles = dict.fromkeys(_handle(text) for text in proposed.commits)
        members = tuple(rows[handle] for handle in handles if handle in rows)
        label = words_of(proposed, languages, "label_")
        if len(members) >= _MIN_GROUP and label:
            yield EditorWords(f"{members[0].commit.shortened()}.label{number}", members, label)


def _handle(text: str) -> str:
    return text.strip("[]`. ")
