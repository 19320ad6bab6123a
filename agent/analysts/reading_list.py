"""The closed list of commits that a model chooses from: handles, rows, and its own notes about each."""

import re
from collections.abc import Iterable

from agent.domain.evidence import CommitEvidence
from agent.models import tokens_of
from agent.telling.sentences import params_of, sentence
from agent.triage.collected import Collected

_HANDLE = re.compile(r"\bc\d{1,3}\b")


def handles_of(found: Collected) -> dict[str, str]:
    """Name the commits by their place in the table."""
    return {f"c{number}": one.sha for number, one in enumerate(found.table, start=1)}


def notes_about(notes: str, handle: str) -> str:
    """Keep the notes that name a commit, or none: those about another one would mislead."""
    named = [(line, set(_HANDLE.findall(line))) for line in notes.splitlines()]
    return "\n".join(line for line, handles in named if not handles or handle in handles)


def first_fact(evidence: CommitEvidence | None) -> str:
    """Tell the first thing that code found in a commit, behind its title."""
    told = sentence("fact", params_of(evidence.facts[0]), "en") if evidence and evidence.facts else ""
    return f" | {told}" if told else ""


def fitting(rows: Iterable[str], room: int) -> list[str]:
    """Keep the heaviest rows that fit, and say how many do not."""
    kept: list[str] = []
    lines = list(rows)
    for line in lines:
        room -= tokens_of(line)
        if room < 0:
            return [*kept, f"(and {len(lines) - len(kept)} lighter ones)"]
        kept.append(line)
    return kept
