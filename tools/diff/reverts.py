"""Which earlier commit a commit undoes, brings back or copies: as its message says, and as its patch shows."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from agent.domain.base import RepoId
from agent.domain.commits import FileChange
from agent.domain.evidence_id import EvidenceId
from agent.domain.facts import Fact, Severity
from agent.domain.references import grouped_pull_numbers, pull_numbers, without_pull_numbers

_SIZE = 16
_NOWHERE = b"/dev/null"


@dataclass(frozen=True, slots=True)
class PatchIds:
    """The names of a change and of its opposite."""

    forward: str
    reverse: str
    lines: int
    """How many lines there are more or fewer; without any (a binary file, a new order) the name tells nothing."""


def patch_ids(files: Iterable[FileChange]) -> PatchIds:
    """Name a change and its opposite in one pass over its patches."""
    forward, reverse, lines = [], [], 0
    for file in files:
        removed, added = _line_changes(file.patch or "")
        old, new = _paths(file)
        gone, come = _digest(sorted(removed)), _digest(sorted(added))
        # A patch that was not read is nobody's opposite.
        unread = [b"forward", b"reverse"] if file.omitted else [b"", b""]
        forward.append(_digest([old, new, gone, come, unread[0]]))
        reverse.append(_digest([new, old, come, gone, unread[1]]))
        lines += len(removed) + len(added)
    return PatchIds(_digest(sorted(forward)).hex(), _digest(sorted(reverse)).hex(), lines)


def _line_changes(patch: str) -> tuple[list[bytes], list[bytes]]:
    """List the lines of which there are fewer and more than before; a line that only moved is in neither."""
    removed, added = [], []
    for line in _bytes(patch).split(b"\n"):
        # A slice, because a byte taken by its index is a number.
        if line[:1] == b"+":
            added.append(b"".join(line[1:].split()))
        elif line[:1] == b"-":
            removed.append(b"".join(line[1:].split()))
    if removed and added:
        less, more = Counter(removed), Counter(added)
        removed, added = [*(less - more).elements()], [*(more - less).elements()]
    return [line for line in removed if line], [line for line in added if line]


def _paths(file: FileChange) -> tuple[bytes, bytes]:
    path = _bytes(file.path)
    if file.status == "added":
        return _NOWHERE, path
    if file.status == "removed":
        return path, _NOWHERE
    return (
        _bytes(file.previous_path) if file.status == "renamed" and file.previous_path else path
    ), path


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _digest(parts: list[bytes]) -> bytes:
    return hashlib.blake2b(b"\n".join(parts), digest_size=_SIZE).digest()


LineageKind = Literal["revert", "reland", "cherry-pick"]
MAX_MESSAGE = 100_000


@dataclass(frozen=True, slots=True)
class Lineage:
    """What a commit is to an earlier one, which is named by what is known of it."""

    kind: LineageKind
    sha: str = ""  # As written, perhaps abbreviated
    number: int | None = None  # Of the earlier pull request
    repo: str = ""  # `owner/name`, where the message says one
    subject: str = ""


_TAGS = re.compile(r"^(?:\s*\[[^\[\]]{1,60}\])*\s*")
_HEAD = re.compile(
    r"(Revert|Reapply|Reland)s?:?\s+(?=(?P<quote>[\"“])?)(?=(?P<number>#[1-9]\d{0,9}\b)?)",
    re.IGNORECASE,
)
"""How the titles begin that git (`Revert "…"`, `Reapply "…"`), GitHub's button and Gerrit (`Reland`) write."""
_QUOTES = '"“”'
_SAID: tuple[tuple[re.Pattern[str], LineageKind], ...] = (
    (re.compile(r"^This reverts commit (?P<sha>[0-9a-f]{7,40})\b", re.MULTILINE), "revert"),
    (
        re.compile(r"^\(cherry picked from commit (?P<sha>[0-9a-f]{7,40})\b", re.MULTILINE),
        "cherry-pick",
    ),
    (
        re.compile(
            r"^Reverts (?P<repo>[\w.-]{1,99}/[\w.-]{1,99})?#(?P<number>[1-9]\d{0,9})\s*$",
            re.MULTILINE,
        ),
        "revert",
    ),
)
"""The lines that `git revert`, `git cherry-pick -x` and GitHub's button leave in a message."""
_FACTS = {"revert": "revert", "reland": "reland", "cherry-pick": "cherry-pick"}
_SQUASHED = re.compile(r"^\* \S", re.MULTILINE)


def read_lineage(message: str) -> list[Lineage]:
    """Return what a message says of earlier commits: its title first, then by certainty."""
    subject, body = _parts(message[:MAX_MESSAGE])
    headlines = _headlines(subject)
    if not headlines and (squashed := _SQUASHED.search(body)):
        # A squash lists the branch's own commits; one that undid another of them says nothing of what landed.
        body = body[: squashed.start()]
    trailers = list(dict.fromkeys(read_trailers(body)))
    if not headlines:
        return sorted(trailers, key=lambda lineage: not lineage.sha)
    kind = headlines[0].kind
    if len(headlines) == 1:
        headlines, trailers = _completed(headlines[0], trailers)
    trailers.sort(key=lambda lineage: (lineage.kind != kind, not lineage.sha))
    return [*headlines, *trailers]


def find_partner(ids: PatchIds, earlier: Mapping[str, PatchIds]) -> Lineage | None:
    """Find the commit that a change undoes, brings back or copies, among earlier ones given oldest first."""
    same = [sha for sha, other in earlier.items() if other.lines and other.forward == ids.forward]
    opposite = [
        sha for sha, other in earlier.items() if other.lines and other.reverse == ids.forward
    ]
    # Who was first decides what the ones after it are: the change itself, its revert, its re-land, a second revert.
    first = next((sha for sha in earlier if sha in same or sha in opposite), None)
    if first is None:
        return None
    if first in opposite:
        return Lineage("revert", sha=opposite[-1])
    return Lineage("reland" if opposite else "cherry-pick", sha=same[-1])


def _parts(message: str) -> tuple[str, str]:
    """Part subject and body, and join a subject that GitHub cut with an ellipsis."""
    subject, _, body = message.lstrip("\n").partition("\n")
    subject, body = subject.strip()[:2_000], body.lstrip("\n")
    head, ellipsis, tail = subject.partition("…")
    if ellipsis and body.startswith("…"):
        rest, _, body = body[1:].partition("\n")
        return f"{head}{rest.strip()}{tail}", body
    return subject, body


def _headlines(subject: str) -> list[Lineage]:
    """Read a title that begins with `Revert`, `Reapply` or `Reland` and names titles or numbers.

    A revert of a revert brings back what the innermost title names. Words without quotation marks
    are no title; the numbers in parentheses behind them name what is meant.
    """
    text = subject[_TAGS.match(subject).end() :]  # type: ignore[union-attr]
    first = _HEAD.match(text)
    if first is None:
        return []
    reverts = 0
    is_quoted = False
    while found := _HEAD.match(text):
        reverts += found[1].lower() == "revert"
        is_quoted |= bool(found["quote"])
        text = text[found.end() :].lstrip(_QUOTES)
    kind: LineageKind = "revert" if reverts % 2 else "reland"
    if first["number"]:
        return [Lineage(kind, number=int(first["number"][1:]))]
    end = max(text.rfind(quote) for quote in _QUOTES) if is_quoted else -1
    inside, outside = (text[:end], text[end:]) if end > 0 else (text, text)
    named = _named_numbers(outside)
    if len(named) > 1 or not (first["quote"] or first[1].lower() == "reland"):
        return [Lineage(kind, number=number) for number in named]
    within = pull_numbers(inside) if inside != text else []
    number = within[-1] if within else next(iter(named), None)
    return [Lineage(kind, number=number, subject=_title(inside))]


def _title(text: str) -> str:
    while (stripped := without_pull_numbers(text).strip(f" {_QUOTES}…")) != text:
        text = stripped
    return text


def _named_numbers(text: str) -> list[int]:
    """Return the numbers in parentheses; a single one at the end is the commit's own."""
    groups = grouped_pull_numbers(text)
    if groups and len(groups[-1]) == 1:
        groups.pop()
    return [number for group in groups for number in group]


def read_trailers(body: str) -> Iterator[Lineage]:
    """Read the lines that git and GitHub's button write."""
    for pattern, kind in _SAID:
        for found in pattern.finditer(body):
            groups = found.groupdict()
            number = int(groups["number"]) if groups.get("number") else None
            yield Lineage(
                kind, sha=groups.get("sha") or "", number=number, repo=groups.get("repo") or ""
            )


def _completed(
    headline: Lineage, trailers: Iterable[Lineage]
) -> tuple[list[Lineage], list[Lineage]]:
    """Put what the body says of the same commit into the title, where it is one commit and no more."""
    others = list(trailers)
    hashes = [other for other in others if other.kind == headline.kind and other.sha]
    numbers = [
        other for other in others if other.kind == headline.kind and other.number is not None
    ]
    if len(hashes) == 1 and not headline.sha:
        headline = replace(headline, sha=hashes[0].sha)
        others.remove(hashes[0])
    if len(numbers) == 1 and headline.number in (None, numbers[0].number):
        headline = replace(headline, number=numbers[0].number, repo=numbers[0].repo)
        others.remove(numbers[0])
    return [headline], others


def lineage_facts(message: str, partner: Lineage | None) -> list[Fact]:
    """Make the facts about earlier commits: those that the title names, else the first that is said.

    Where the message names none, it is the one that the patch shows.
    """
    said = read_lineage(message)
    if not said:
        # A copy of an earlier commit on the same line is chance: one-line changes are alike everywhere.
        shown = partner is not None and partner.kind != "cherry-pick"
        return [_fact(partner, partner.sha, "patch")] if partner is not None and shown else []
    titled = _headlines(_parts(message[:MAX_MESSAGE])[0])
    facts = []
    for lineage in said[: max(1, len(titled))]:
        agrees = partner is not None and partner.kind == lineage.kind and len(titled) < 2
        sha = lineage.sha or (partner.sha if partner is not None and agrees else "")
        if lineage.number or sha or lineage.subject:
            facts.append(_fact(lineage, sha, "message and patch" if agrees else "message"))
    return facts


def _fact(lineage: Lineage, sha: str, proof: str) -> Fact:
    return Fact(
        kind=_FACTS[lineage.kind],
        severity=Severity.BEHAVIOUR,
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
