"""Messages of reverts: what they say of earlier commits that they take back, bring back or copy.

This is the one place that knows the forms: the titles and lines that git, GitHub and Gerrit write, `revert:` of
Conventional Commits, and tags and types before them.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal

from agent.domain.references import grouped_pull_numbers, pull_numbers, without_pull_numbers

Verb = Literal["revert", "reland"]
LineageKind = Verb | Literal["cherry-pick"]
MAX_MESSAGE = 100_000  # Characters of a message that are read
TITLE_WORDS = "revert|re-?appl|re-?land"
"""A pattern that fits every title which takes something back or brings it back, and others too."""
_MAX_SUBJECT = 2_000
_QUOTES = '"“”'


@dataclass(frozen=True, slots=True)
class Lineage:
    """The relation of a commit to an earlier one, which is named by hash, number or subject."""

    kind: LineageKind
    sha: str = ""  # As written, perhaps abbreviated
    number: int | None = None  # Of the earlier pull request
    repo: str = ""  # `owner/name`, where the message says one
    subject: str = ""
    part: bool = False  # The message says that it is only a part


@dataclass(frozen=True, slots=True)
class RevertTitle:
    """A title that takes something back or brings it back, taken apart."""

    verbs: tuple[Verb, ...]  # A revert of a revert has two, the outer one first
    part: bool
    tagged: bool  # A tag in brackets stands before it, as before a pick for a release branch
    quotations: int  # How many titles in quotation marks it begins, each in the one before
    names_title: bool  # What stands behind the first verb is a title
    target: str  # What stands behind the first verb, as written
    innermost: str  # What stands behind the last verb, without its opening quotation marks

    @property
    def reverts(self) -> int:
        """How often it takes something back: twice brings it back."""
        return self.verbs.count("revert")

    @property
    def kind(self) -> Verb:
        """What it does to what the innermost title names."""
        return "revert" if self.reverts % 2 else "reland"

    @property
    def quotation(self) -> str:
        """What the outer quotation marks hold; empty without them."""
        return _quoted(self.target)[0][1:] if self.target.startswith(tuple(_QUOTES)) else ""

    @property
    def behind_quotation(self) -> str:
        """What stands behind the last quotation mark."""
        return _quoted(self.target)[1]


_PREFIX = (
    r"[^\w\[\"“”'`(#]{0,9}(?P<tags>(?:\[[^\[\]]{1,60}\]:?\s{0,9}){0,9})"
    r"(?:[\w/.+-]{1,30}(?:\([^()]{1,60}\))?!?\s?:\s{1,2}){0,2}"
)
"""Signs, tags in brackets, and types of Conventional Commits or parts of the project before a colon."""
_REPO = r"[\w.-]{1,99}/[\w.-]{1,99}"
_HASH = r"(?=[0-9a-f]{0,39}\d)[0-9a-f]{7,40}(?![\w-])"
_REFERENCE = rf"(?:{_REPO})?#[1-9]\d{{0,9}}\b|(?:commit\s{{1,3}})?{_HASH}"
_BEHIND_VERB = r"(?:(?P<colon>(?:\([^()]{1,60}\))?!?:)?\s{1,3}(?:of\s{1,3})?|(?=[\"“]))"
_VERB = (
    r"(?P<part>partial(?:ly)?\s{1,3})?"
    r"(?:(?P<verb>re(?:vert|-?apply|-?land))|re(?:vert(?:s|ed|ing)|-?appl(?:ies|ied|ying)|-?land(?:s|ed|ing)))"
    rf"{_BEHIND_VERB}(?:(?=(?P<quote>[\"“]))|(?={_REFERENCE})|(?(verb)(?=\S)|(?!)))"
)
"""A verb in any form before a quoted title, a number or a hash, and before words only the bare verb.

`Reverting transactions works` and `Reverts are listed` are about something else.
"""
_TITLE = re.compile(f"{_PREFIX}(?P<word>{_VERB})", re.IGNORECASE)
_INNER_TITLES = (
    re.compile(rf"(?P<word>{_VERB})", re.IGNORECASE),
    re.compile(rf"{_PREFIX}(?P<word>{_VERB})(?=[\"“])", re.IGNORECASE),
)
"""How a title in a title begins; behind a type, as in `fix: revert the order`, words are no second revert."""
_HEADER = re.compile(r"[a-z]{2,20}(?:\([^()]{1,60}\))?!?:\s")
"""The first line of a commit by Conventional Commits, whose `revert: ` stands before another one."""
_TARGET = re.compile(
    rf"(?P<repo>{_REPO})?#(?P<number>[1-9]\d{{0,9}})\b|(?:commit\s{{1,3}})?(?P<sha>{_HASH})",
    re.IGNORECASE,
)
_AND = re.compile(r"\s{0,3}(?:,\s{0,3}and\b|,|and\b|&|\+)\s{0,3}")
"""What stands between the references of a title that takes several changes back."""
_TRAILERS: tuple[tuple[re.Pattern[str], LineageKind], ...] = (
    (re.compile(r"^This reverts commit (?P<sha>[0-9a-f]{7,40})\b", re.MULTILINE), "revert"),
    (
        re.compile(r"^\(cherry picked from commit (?P<sha>[0-9a-f]{7,40})\b", re.MULTILINE),
        "cherry-pick",
    ),
    (
        re.compile(rf"^Reverts (?P<repo>{_REPO})?#(?P<number>[1-9]\d{{0,9}})\s*$", re.MULTILINE),
        "revert",
    ),
)
"""The lines that `git revert`, `git cherry-pick -x` and GitHub's button leave in a message."""
_SQUASHED = re.compile(r"^\* \S", re.MULTILINE)


def read_title(title: str) -> RevertTitle | None:
    """Return a title that takes something back or brings it back, taken apart; None for any other."""
    first = _TITLE.match(title[:_MAX_SUBJECT])
    if first is None:
        return None
    target = title[first.end() : _MAX_SUBJECT]
    matches = [first]
    innermost = target.lstrip(_QUOTES)
    while inner := _inner_title(innermost):
        matches.append(inner)
        innermost = innermost[inner.end() :].lstrip(_QUOTES)
    verbs = tuple(_verb(match) for match in matches)
    is_header = bool(first["colon"]) and _HEADER.match(target) is not None
    return RevertTitle(
        verbs=verbs,
        part=any(match["part"] for match in matches),
        tagged=bool(first["tags"]),
        quotations=sum(bool(match["quote"]) for match in matches),
        names_title=bool(first["quote"]) or verbs[0] == "reland" or is_header,
        target=target,
        innermost=innermost,
    )


def _inner_title(text: str) -> re.Match[str] | None:
    for pattern in _INNER_TITLES:
        match = pattern.match(text)
        if match is not None:
            return match
    return None


def _verb(match: re.Match[str]) -> Verb:
    return "revert" if "revert" in match["word"].lower() else "reland"


def reverts_in(message: str) -> int:
    """Count how often a message says that it reverts.

    A revert of a revert brings back what the second one names.
    """
    subject, body = _parts(message)
    title = read_title(subject)
    if title is not None:
        return title.reverts
    return int(any(trailer.kind == "revert" for trailer in read_trailers(_own_part(body))))


def read_lineage(message: str) -> list[Lineage]:
    """Return what a message says of earlier commits: its title first, then by certainty."""
    subject, body = _parts(message)
    title = read_title(subject)
    headlines = _headlines(title) if title else []
    if title is None:
        body = _own_part(body)
    trailers = list(dict.fromkeys(read_trailers(body)))
    if title is not None and title.part:
        trailers = [replace(trailer, part=trailer.kind == title.kind) for trailer in trailers]
    if not headlines:
        return sorted(trailers, key=lambda lineage: not lineage.sha)
    kind = headlines[0].kind
    if len(headlines) == 1:
        headlines, trailers = _completed(headlines[0], trailers)
    trailers.sort(key=lambda lineage: (lineage.kind != kind, not lineage.sha))
    return [*headlines, *trailers]


def title_lineage(message: str) -> list[Lineage]:
    """Return what the title of a message names."""
    title = read_title(_parts(message)[0])
    return _headlines(title) if title else []


def read_trailers(body: str) -> Iterator[Lineage]:
    """Yield what the lines say that git and GitHub's button write."""
    for pattern, kind in _TRAILERS:
        for trailer in pattern.finditer(body):
            groups = trailer.groupdict()
            number = int(groups["number"]) if groups.get("number") else None
            sha = groups.get("sha") or ""
            repo = groups.get("repo") or ""
            yield Lineage(kind, sha=sha, number=number, repo=repo)


def _parts(message: str) -> tuple[str, str]:
    """Return subject and body, with the two parts of a subject joined that GitHub cut."""
    first_line, _, rest = message[:MAX_MESSAGE].lstrip("\n").partition("\n")
    subject = first_line.strip()[:_MAX_SUBJECT]
    body = rest.lstrip("\n")
    beginning, ellipsis, end = subject.partition("…")
    if not ellipsis or not body.startswith("…"):
        return subject, body
    middle, _, body = body[1:].partition("\n")
    return f"{beginning}{middle.strip()}{end}", body


def _own_part(body: str) -> str:
    """Return a body without the branch's own commits that a squash lists.

    One that undid another of them says nothing of what landed.
    """
    squashed = _SQUASHED.search(body)
    return body[: squashed.start()] if squashed else body


def _headlines(title: RevertTitle) -> list[Lineage]:
    """Return the commits that a title names.

    A revert of a revert brings back what the innermost title names. Words without quotation marks
    are no title; the numbers in parentheses behind them name what is meant.
    """
    kind = title.kind
    references = list(_references(title.target))
    if references:
        return [_named(reference, title) for reference in references]
    text = title.innermost
    inner, rest = _quoted(text) if title.quotations else (text, text)
    for _ in range(title.quotations - 1):
        inner = _quoted(inner)[0]
    numbers = _named_numbers(rest)
    if len(numbers) > 1 or not title.names_title:
        return [Lineage(kind, number=number, part=title.part) for number in numbers]
    if inner != text:
        numbers = pull_numbers(inner)[-1:] or numbers
    number = next(iter(numbers), None)
    return [Lineage(kind, number=number, subject=_bare_title(inner), part=title.part)]


def _references(text: str) -> Iterator[re.Match[str]]:
    """Yield the numbers and hashes with which a text begins, as in `#1, #2 and #3`."""
    reference = _TARGET.match(text)
    while reference is not None:
        yield reference
        separator = _AND.match(text, reference.end())
        reference = _TARGET.match(text, separator.end()) if separator else None


def _named(reference: re.Match[str], title: RevertTitle) -> Lineage:
    return Lineage(
        title.kind,
        sha=(reference["sha"] or "").lower(),
        number=int(reference["number"]) if reference["number"] else None,
        repo=reference["repo"] or "",
        part=title.part,
    )


def _quoted(text: str) -> tuple[str, str]:
    """Return what stands before the last quotation mark and behind it; without one, the text twice."""
    end = max(text.rfind(quote) for quote in _QUOTES)
    if end <= 0:
        return text, text
    return text[:end], text[end:]


def _bare_title(text: str) -> str:
    while (stripped := without_pull_numbers(text).strip(f" {_QUOTES}…")) != text:
        text = stripped
    return text


def _named_numbers(text: str) -> list[int]:
    """Return the numbers in parentheses; a single one at the end is the commit's own."""
    groups = grouped_pull_numbers(text)
    if groups and len(groups[-1]) == 1:
        groups.pop()
    return list(chain.from_iterable(groups))


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
