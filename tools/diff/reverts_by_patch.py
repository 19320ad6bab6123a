"""Reverts, re-lands and copies of earlier commits, by the patch and the message of a commit."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from agent.domain.base import RepoId
from agent.domain.commits import FileChange
from agent.domain.evidence_id import EvidenceId
from agent.domain.facts import Fact, FactKind
from agent.domain.revert_messages import Lineage, read_lineage, title_lineage
from tools.diff.severity.table import severity_of

_DIGEST_SIZE = 16
_NOWHERE = b"/dev/null"


@dataclass(frozen=True, slots=True)
class PatchIds:
    """The names of a change and of its opposite."""

    forward: str
    reverse: str
    lines: int
    """How many lines there are more or fewer; the name of a change without any says nothing."""


def patch_ids(files: Iterable[FileChange]) -> PatchIds:
    """Return the names of a change and its opposite from one pass over its patches."""
    forward: list[bytes] = []
    reverse: list[bytes] = []
    line_count = 0
    for file in files:
        lines = _line_changes(file.patch or "")
        old_path, new_path = _paths(file)
        removed = _digest(sorted(lines.removed))
        added = _digest(sorted(lines.added))
        # A patch that was not read is nobody's opposite.
        forward_mark = b"forward" if file.omitted else b""
        reverse_mark = b"reverse" if file.omitted else b""
        forward.append(_digest([old_path, new_path, removed, added, forward_mark]))
        reverse.append(_digest([new_path, old_path, added, removed, reverse_mark]))
        line_count += len(lines.removed) + len(lines.added)
    forward_id = _digest(sorted(forward)).hex()
    reverse_id = _digest(sorted(reverse)).hex()
    return PatchIds(forward_id, reverse_id, line_count)


class _LineChanges(NamedTuple):
    """The lines of which there are fewer and more than before, without white space."""

    removed: list[bytes]
    added: list[bytes]


def _line_changes(patch: str) -> _LineChanges:
    """Return the changed lines of a patch; a line that only moved is in neither list."""
    removed: Counter[bytes] = Counter()
    added: Counter[bytes] = Counter()
    for line in _bytes(patch).split(b"\n"):
        # A slice, because a byte taken by its index is a number.
        sign = line[:1]
        if sign not in (b"+", b"-"):
            continue
        text = b"".join(line[1:].split())
        if text:
            lines = added if sign == b"+" else removed
            lines[text] += 1
    return _LineChanges(list((removed - added).elements()), list((added - removed).elements()))


def _paths(file: FileChange) -> tuple[bytes, bytes]:
    """Return the old and the new path."""
    path = _bytes(file.path)
    if file.status == "added":
        return _NOWHERE, path
    if file.status == "removed":
        return path, _NOWHERE
    if file.status == "renamed" and file.previous_path:
        return _bytes(file.previous_path), path
    return path, path


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _digest(parts: list[bytes]) -> bytes:
    return hashlib.blake2b(b"\n".join(parts), digest_size=_DIGEST_SIZE).digest()


_FACTS: Mapping[str, FactKind] = {
    "revert": "revert",
    "reland": "reland",
    "cherry-pick": "cherry-pick",
}
_FACTS_OF_PARTS: Mapping[str, FactKind] = {"revert": "partial-revert", "reland": "partial-reland"}


def find_partner(ids: PatchIds, earlier: Mapping[str, PatchIds]) -> Lineage | None:
    """Return the commit that a change undoes, brings back or copies, among earlier ones, oldest first."""
    repeated: list[str] = []
    opposite: list[str] = []
    matches: list[str] = []
    for sha, other in earlier.items():
        if not other.lines:
            continue
        if other.forward == ids.forward:
            repeated.append(sha)
        if other.reverse == ids.forward:
            opposite.append(sha)
        if ids.forward in (other.forward, other.reverse):
            matches.append(sha)
    if not matches:
        return None
    # The first decides what later ones are: the change, its revert, its re-land, a second revert.
    if matches[0] in opposite:
        return Lineage("revert", sha=opposite[-1])
    return Lineage("reland" if opposite else "cherry-pick", sha=repeated[-1])


def lineage_facts(message: str, partner: Lineage | None) -> list[Fact]:
    """Return the facts about earlier commits: those that the title names, else the first trailer's.

    Where the message names none, it is the one that the patch shows.
    """
    lineage = read_lineage(message)
    if not lineage:
        # A copy of an earlier commit on the same line is chance: small changes are alike everywhere.
        if partner is None or partner.kind == "cherry-pick":
            return []
        return [_fact(partner, partner.sha, "patch")]
    title_count = len(title_lineage(message))
    facts: list[Fact] = []
    for target in lineage[: max(1, title_count)]:
        sha = target.sha
        proof = "message"
        # What is the exact opposite of one commit is not a part of another.
        is_single = title_count < 2 and not target.part
        if partner is not None and partner.kind == target.kind and is_single:
            sha = sha or partner.sha
            proof = "message and patch"
        if target.number or sha or target.subject:
            facts.append(_fact(target, sha, proof))
    return facts


def _fact(lineage: Lineage, sha: str, proof: str) -> Fact:
    kind = (_FACTS_OF_PARTS if lineage.part else _FACTS)[lineage.kind]
    return Fact(
        kind=kind,
        severity=severity_of(kind),
        name=_pull_name(lineage) or sha or lineage.subject,
        old=sha or None,
        detail=proof,
    )


def _pull_name(lineage: Lineage) -> str:
    """Return the number of the earlier pull request, with its repository where that is written."""
    if not lineage.number:
        return ""
    if not lineage.repo:
        return f"#{lineage.number}"
    return str(EvidenceId.listed(RepoId(lineage.repo), number=lineage.number))
