"""Which earlier commit a commit undoes, brings back or copies, by its message and its patch."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal, NamedTuple

from agent.domain.base import RepoId
from agent.domain.commits import FileChange
from agent.domain.evidence_id import EvidenceId
from agent.domain.facts import Fact, FactKind
from agent.domain.references import grouped_pull_numbers, pull_numbers, without_pull_numbers
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


LineageKind = Literal["revert", "reland", "cherry-pick"]
MAX_MESSAGE = 100_000  # Characters of a message that are read
_MAX_SUBJECT = 2_000


@dataclass(frozen=True, slots=True)
class Lineage:
    """The relation of a commit to an earlier one, which is named by hash, number or subject."""

    kind: LineageKind
    sha: str = ""  # As written, perhaps abbreviated
    number: int | None = None  # Of the earlier pull request
    repo: str = ""  # `owner/name`, where the message says one
    subject: str = ""


_TAGS = re.compile(r"^(?:\s*\[[^\[\]]{1,60}\])*\s*")
_REVERT_TITLE = re.compile(
    r"(Revert|Reapply|Reland)s?:?\s+(?=(?P<quote>[\"“])?)(?=(?P<number>#[1-9]\d{0,9}\b)?)",
    re.IGNORECASE,
)
"""How the titles begin that git (`Revert "…"`, `Reapply "…"`), GitHub's button and Gerrit (`Reland`) write."""
_QUOTES = '"“”'
_TRAILERS: tuple[tuple[re.Pattern[str], LineageKind], ...] = (
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
_FACTS: Mapping[str, FactKind] = {
    "revert": "revert",
    "reland": "reland",
    "cherry-pick": "cherry-pick",
}
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


def _parts(message: str) -> tuple[str, str]:
    """Return subject and body, with the two parts of a subject joined that GitHub cut."""
    first_line, _, rest = message.lstrip("\n").partition("\n")
    subject = first_line.strip()[:_MAX_SUBJECT]
    body = rest.lstrip("\n")
    beginning, ellipsis, end = subject.partition("…")
    if not ellipsis or not body.startswith("…"):
        return subject, body
    middle, _, body = body[1:].partition("\n")
    return f"{beginning}{middle.strip()}{end}", body


def _headlines(subject: str) -> list[Lineage]:
    """Read a title that begins with `Revert`, `Reapply` or `Reland` and names titles or numbers.

    A revert of a revert brings back what the innermost title names. Words without quotation marks
    are no title; the numbers in parentheses behind them name what is meant.
    """
    text = subject[_TAGS.match(subject).end() :]  # type: ignore[union-attr]
    first = _REVERT_TITLE.match(text)
    if first is None:
        return []
    reverts = 0
    is_quoted = False
    while word := _REVERT_TITLE.match(text):
        reverts += word[1].lower() == "revert"
        is_quoted |= bool(word["quote"])
        text = text[word.end() :].lstrip(_QUOTES)
    kind: LineageKind = "revert" if reverts % 2 else "reland"
    if first["number"]:
        return [Lineage(kind, number=int(first["number"][1:]))]
    title, rest = _quoted_title(text) if is_quoted else (text, text)
    numbers = _named_numbers(rest)
    is_title = bool(first["quote"]) or first[1].lower() == "reland"
    if len(numbers) > 1 or not is_title:
        return [Lineage(kind, number=number) for number in numbers]
    if title != text:
        numbers = pull_numbers(title)[-1:] or numbers
    return [Lineage(kind, number=next(iter(numbers), None), subject=_title(title))]


def _quoted_title(text: str) -> tuple[str, str]:
    """Return what stands before the last quotation mark and behind it; without one, the text twice."""
    end = max(text.rfind(quote) for quote in _QUOTES)
    if end <= 0:
        return text, text
    return text[:end], text[end:]


def _title(text: str) -> str:
    while (stripped := without_pull_numbers(text).strip(f" {_QUOTES}…")) != text:
        text = stripped
    return text


def _named_numbers(text: str) -> list[int]:
    """Return the numbers in parentheses; a single one at the end is the commit's own."""
    groups = grouped_pull_numbers(text)
    if groups and len(groups[-1]) == 1:
        groups.pop()
    return list(chain.from_iterable(groups))


def read_trailers(body: str) -> Iterator[Lineage]:
    """Yield what the lines say that git and GitHub's button write."""
    for pattern, kind in _TRAILERS:
        for trailer in pattern.finditer(body):
            groups = trailer.groupdict()
            number = int(groups["number"]) if groups.get("number") else None
            sha = groups.get("sha") or ""
            repo = groups.get("repo") or ""
            yield Lineage(kind, sha=sha, number=number, repo=repo)


def _completed(
    headline: Lineage, trailers: Iterable[Lineage]
) -> tuple[list[Lineage], list[Lineage]]:
    """Return a title with what the body says of the same commit, and the other trailers.

    The body counts where it speaks of one commit and no more.
    """
    others = list(trailers)
    same_kind = [other for other in others if other.kind == headline.kind]
    hashes = [other for other in same_kind if other.sha]
    numbers = [other for other in same_kind if other.number is not None]
    if len(hashes) == 1 and not headline.sha:
        headline = replace(headline, sha=hashes[0].sha)
        others.remove(hashes[0])
    if len(numbers) == 1 and headline.number in (None, numbers[0].number):
        headline = replace(headline, number=numbers[0].number, repo=numbers[0].repo)
        others.remove(numbers[0])
    return [headline], others


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
    subject, _ = _parts(message[:MAX_MESSAGE])
    title_count = len(_headlines(subject))
    facts: list[Fact] = []
    for target in lineage[: max(1, title_count)]:
        sha = target.sha
        proof = "message"
        if partner is not None and partner.kind == target.kind and title_count < 2:
            sha = sha or partner.sha
            proof = "message and patch"
        if target.number or sha or target.subject:
            facts.append(_fact(target, sha, proof))
    return facts


def _fact(lineage: Lineage, sha: str, proof: str) -> Fact:
    kind = _FACTS[lineage.kind]
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
