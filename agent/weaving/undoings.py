"""Which earlier changes a message says it undoes or brings back, as a whole or in part; facts name only one."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from agent.weaving.followups import MORE, NOISE, REF, Named, named

_MOST = 20_000
_TAGS = r"^\W*(?:\[[^\]\n]{1,40}\]\s*){0,5}(?:[\w/.-]{1,30}\s?:\s{0,2})?"
_SOME = r"(?P<part>partial(?:ly)?\s)?"
_COUNTED = (
    r"(?:(?:the|those|these|all|both|\d|two|three|four|changes?|prs?|pull\srequests?|commits?|in|of|from)\s){0,6}"
)
_TITLE = re.compile(rf"{_TAGS}{_SOME}reverts?(?:ed|ing)?\b:?\s*(?P<rest>[^\n]*)", re.IGNORECASE)
_LISTED = re.compile(rf"{_COUNTED}{REF}", re.IGNORECASE)
_OUT_OF = re.compile(
    rf"[^\"“”\n#]{{3,120}}?\s(?:from|of|in|by|introduced\s(?:in|by))\s(?:the\s)?{REF}(?=\W*$)", re.IGNORECASE
)
_OWN = re.compile(r"\s*\(#\d{1,9}\)\s*$")
# A line may go on with what the last one began; only a sentence says what the commit does.
_OPENING = r"(?:\A\s*|\n[ \t]*\n|(?<=[.:!])\s)\W{0,4}(?:this\s(?:pr|pull\srequest|commit|change|patch)\s)?"
_BODY = (
    re.compile(rf"{_OPENING}{_SOME}reverts?:?\s{{1,3}}[-*\s]{{0,4}}{_COUNTED}{REF}", re.IGNORECASE | re.MULTILINE),
    re.compile(rf"\b(?:have|had|need|want|going)\sto\s{_SOME}revert\s{_COUNTED}{REF}", re.IGNORECASE),
)
_BODY_PART = re.compile(
    rf"{_OPENING}reverts?\s(?:the\s)?[^\n.;#\"“]{{3,80}}?\s(?:from|of|in)\s{REF}", re.IGNORECASE | re.MULTILINE
)
_AGAIN = re.compile(
    rf"\b(?:restores?|re-?lands?|re-?appl(?:y|ies)|re-?introduces?|brings?\sback)\s(?:the\s)?"
    rf"(?:[\w-]+\s){{0,4}}?(?:of|from|in)\s{REF}",
    re.IGNORECASE,
)
_AGAIN_AFTER = re.compile(
    rf"\b(?:restor|re-?land|re-?appl|re-?introduc|bring)\w{{0,5}}\b[^.;\n]{{0,90}}?"
    rf"\breverted\s(?:in|by|with)\s{REF}",
    re.IGNORECASE,
)
_SQUASHED = re.compile(r"^\* \S", re.MULTILINE)


@dataclass(frozen=True)
class Undoing:
    """An earlier change by what a message calls it, and what the message says of it."""

    of: Named
    part: bool = False
    """Only a part of it is meant."""
    again: bool = False
    """It is brought back, and not undone."""
    undoer: bool = False
    """What is named is the one that had undone what is brought back."""


def undoings(message: str) -> list[Undoing]:
    """List the earlier changes that a message says it undoes or brings back."""
    title, _, body = message[:_MOST].partition("\n")
    opening = _TITLE.match(_OWN.sub("", title))
    body = NOISE.sub(" ", body)
    if opening is None and (squashed := _SQUASHED.search(body)):
        # A squash lists the branch's own commits, and what these undid never landed.
        body = body[: squashed.start()]
    found: dict[tuple[int | None, str, str], Undoing] = {}
    for one in (*_of_title(opening), *_of_body(body)):
        found.setdefault((one.of.number, one.of.sha, one.of.repo), one)
    return list(found.values())


def _of_title(opening: re.Match[str] | None) -> Iterator[Undoing]:
    if opening is None:
        return
    rest = opening["rest"].strip()
    if first := _LISTED.match(rest):
        yield from (Undoing(one, part=bool(opening["part"])) for one in _all(first, rest))
    elif part := _OUT_OF.match(rest):
        yield Undoing(named(part, rest), part=True)


def _of_body(body: str) -> Iterator[Undoing]:
    for form in _BODY:
        for match in form.finditer(body):
            yield from (Undoing(one, part=bool(match["part"])) for one in _all(match, body))
    yield from (Undoing(named(match, match[0]), part=True) for match in _BODY_PART.finditer(body))
    yield from (Undoing(named(match, match[0]), part=True, again=True) for match in _AGAIN.finditer(body))
    yield from (
        Undoing(named(match, match[0]), part=True, again=True, undoer=True) for match in _AGAIN_AFTER.finditer(body)
    )


def _all(first: re.Match[str], text: str) -> Iterator[Named]:
    yield named(first, first[0])
    end = first.end()
    while more := MORE.match(text, end):
        yield named(more, more[0])
        end = more.end()
