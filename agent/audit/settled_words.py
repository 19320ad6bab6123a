"""The words of a sentence that code has compared with git already, and the sentence without them."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import islice
from operator import attrgetter
from typing import NamedTuple

from agent.audit.counted_lines import check_counts
from agent.audit.entries import AuditEntry, commits_meant, thread_repos
from agent.audit.hash_context_checks import is_gap, people_and_dates, thread_beside
from agent.audit.markdown import MarkdownSpan, code_of, plain
from agent.audit.repository_lookup_results import Library, ReportReference, touched

SETTLED = "[…]"
"""What stands for settled words in the middle of a sentence, which cannot do without them."""
_TAKEN = "\ufffc"  # Stands for settled words until the rest is put together
_FIRST_REFERENCE = 0xE000  # Characters for private use, each for a reference to the commit itself
_MAX_REFERENCES = 1000
_LAST_REFERENCE = _FIRST_REFERENCE + _MAX_REFERENCES
_BARE_MARK = re.compile(f"[{_TAKEN}{chr(_FIRST_REFERENCE)}-{chr(_LAST_REFERENCE)}]")
_MARK = rf"[`*_]{{0,3}}{_BARE_MARK.pattern}[`*_]{{0,3}}"
_MARKS = rf"{_MARK}(?:[\s,，、;；·|/–—-]{{0,4}}{_MARK}){{0,20}}"
_HAS_MARK = re.compile(_MARK)
_BRACKETED = re.compile(r"\s?[(（\[【]([^()（）\[\]【】]{1,300})[)）\]】]")
_PADDING = re.compile(
    rf"{_MARK}|[\s,，、;；:：·|/–—-]|\b(?:PR|MR|pull request|commit|by|on|dated)\b|提交|作者",
    re.IGNORECASE,
)
_AT_START = re.compile(
    rf"\A\s?(?:{_MARKS}\s?[,，、;；:：·|–—-]{{1,3}}|{_MARK}[\s,/]{{1,4}}{_MARKS})\s?"
)
_AT_END = re.compile(rf"\s?[,，、;；:：·|–—-]\s?{_MARKS}(?=\s?[.。!！]?\Z)")
_BETWEEN_COMMAS = re.compile(rf"\s?[,，、;；]\s?{_MARKS}(?=\s?[,，、;；])")
_BARE_REFERENCE = re.compile(
    r"(?:(?:PR|MR|pull request|commit|提交)[\s:：]{0,3})?`?[#!]?[\da-f]{1,40}`?", re.IGNORECASE
)


class _Place(NamedTuple):
    """Settled words in the text of a block, and the character that stands for them."""

    start: int
    end: int
    mark: str


class SettledWords:
    """The words of a block that code has compared with its commits.

    Names, dates, counts and paths are taken out of a sentence wherever they stand. The hash or
    number of the commit itself is taken out where it stands apart, as in brackets; in the middle
    of a sentence it is part of what is said.
    """

    def __init__(self, entry: AuditEntry, library: Library) -> None:
        self._text = entry.block.text
        self._words_by_mark = {_TAKEN: SETTLED}
        end_by_start: dict[int, int] = {}
        for start, end in (*_compared_words(entry, library), *_paths_beside(entry)):
            end_by_start[start] = max(end, end_by_start.get(start, 0))
        places = [_Place(start, end, _TAKEN) for start, end in end_by_start.items()]
        own_references = islice(_own_references(entry, library), _MAX_REFERENCES)
        for number, (start, end) in enumerate(dict.fromkeys(own_references)):
            mark = chr(_FIRST_REFERENCE + number)
            places.append(_Place(start, end, mark))
            self._words_by_mark[mark] = plain(self._text[start:end])
        self._places = sorted(places)

    def rest(self, start: int, end: int) -> str:
        """Return the words of a part of the block as a reader sees them, without the settled ones."""
        pieces = []
        offset = start
        first = bisect_left(self._places, start, key=attrgetter("start"))
        for place in islice(self._places, first, None):
            if place.start >= end:
                break
            if offset <= place.start and place.end <= end:
                pieces += [self._text[offset : place.start], place.mark]
                offset = place.end
        pieces.append(self._text[offset:end])
        words = plain("".join(pieces))
        if len(pieces) > 1:
            words = _without_what_stands_apart(words)
        return _BARE_MARK.sub(lambda match: self._words_by_mark.get(match[0], ""), words)


def _compared_words(entry: AuditEntry, library: Library) -> Iterator[tuple[int, int]]:
    """Yield where the names, dates and counts of a block stand that are right or wrong."""
    ruled_words = [*people_and_dates(entry, library)]
    if entry.is_read:
        ruled_words += check_counts(entry, entry.evidence)
    for ruled in ruled_words:
        if ruled.is_settled and ruled.start < ruled.end:
            yield ruled.start, ruled.end


def _paths_beside(entry: AuditEntry) -> Iterator[tuple[int, int]]:
    """Yield where paths stand right beside a hash whose commit touches them."""
    hashes = [reference for reference in entry.references if reference.kind == "commit"]
    if not hashes or not entry.evidence:
        return
    for code in code_of(entry.block.text):
        if not _is_beside_one(code, hashes, entry.block.text):
            continue
        if any(touched(code.text, evidence.change) for evidence in entry.evidence):
            yield code.start, code.end


def _is_beside_one(code: MarkdownSpan, hashes: Sequence[ReportReference], text: str) -> bool:
    index = bisect_left(hashes, code.start, key=lambda reference: reference.start)
    if index > 0 and is_gap(text[hashes[index - 1].end : code.start]):
        return True
    return index < len(hashes) and is_gap(text[code.end : hashes[index].start])


def _own_references(entry: AuditEntry, library: Library) -> Iterator[tuple[int, int]]:
    """Yield where the only commit of a block is named, by its hash or its pull request.

    The number beside its hash is compared with its pull request.
    """
    if len(entry.commits) != 1:
        return
    (commit,) = entry.commits
    for reference in entry.references:
        if not _BARE_REFERENCE.fullmatch(plain(reference.label or reference.value)):
            continue
        if reference.kind == "commit":
            meant = commits_meant(reference, entry.scope, library)
        else:
            landed = library.landed(reference, thread_repos(entry, reference, library))
            meant = [landed] if landed is not None else []
        if [other.id for other in meant] != [commit.id]:
            continue
        yield reference.start, reference.end
        number = thread_beside(entry, reference) if reference.kind == "commit" else None
        if number is not None:
            yield number.start, number.end


def _without_what_stands_apart(text: str) -> str:
    """Return a sentence without marks in brackets or behind punctuation, and without that."""
    for pattern in (_AT_START, _AT_END, _BETWEEN_COMMAS):
        text = pattern.sub("", _BRACKETED.sub(_without_settled, text))
    return " ".join(text.split())


def _without_settled(bracketed: re.Match[str]) -> str:
    """Return nothing for brackets with nothing but settled words and their labels in them."""
    inner = bracketed[1]
    if _HAS_MARK.search(inner) and not _PADDING.sub("", inner):
        return ""
    return bracketed[0]
