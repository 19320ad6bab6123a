"""The text of cited evidence: what it means that words stand in it exactly, and looking literals up in megabytes."""

import re
import string
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache

from agent.domain.commits import Issue
from agent.domain.evidence import CommitEvidence, Evidence, ThreadEvidence, all_dates_of

_MARKS = str.maketrans({**dict.fromkeys("‘’‚‛′‹›´", "'"), **dict.fromkeys("“”„‟″«»「」『』", '"')})
# Translating a large text costs much more than seeing that there is nothing to translate.
_QUOTATION_MARK = re.compile("[‘’‚‛′‹›´“”„‟″«»「」『』]")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_ELLIPSIS = re.compile(r"\[\s*(?:\.\s?){3,6}\]|\(\s*(?:\.\s?){3,6}\)|\.{3,6}")
_WORD = re.compile(r"[A-Za-z0-9_]")
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_TRIES = 20_000
"""After how many finds a search is given up: only made-up texts repeat a literal so often inside of words."""
BREAK = "\0"  # Stands between stretches that do not touch, so that no quotation reaches over it


def normal(text: str) -> str:
    """Normalise compatibility forms, quotation marks, Markdown's escapes and white space."""
    return " ".join(_ESCAPE.sub(r"\1", plain_marks(text)).split())


def plain_marks(text: str) -> str:
    """Normalise compatibility forms and quotation marks; lines stay as they are."""
    if text.isascii():
        return text
    if _QUOTATION_MARK.search(text):
        text = text.translate(_MARKS)
    if unicodedata.is_normalized("NFKC", text):
        return text
    return unicodedata.normalize("NFKC", text).translate(_MARKS)


def fold_case(text: str) -> str:
    """Write ASCII letters in lower case."""
    return text.translate(_LOWER)


def stands_in(quote: str, normalised: str, *, gaps: bool = True) -> bool:
    """Tell whether a quote is in a text, both normalised; where gaps may be, an ellipsis stands for one."""
    if _find(quote, normalised, 0) is not None:
        return True
    parts = [part.strip() for part in _ELLIPSIS.split(quote)]
    said = [part for part in parts if part]
    if len(parts) < 2 or not said or not gaps:
        return False
    position: int | None = 0
    for part in said:
        position = _find(part, normalised, position or 0)
        if position is None:
            return False
    return True


def _find(part: str, text: str, start: int) -> int | None:
    """Find where whole words of a text end; half a word is another word, half a number another number."""
    if not part:
        return None
    at, tries = text.find(part, start), 0
    while at >= 0 and tries < _TRIES:
        end = at + len(part)
        if not _cuts(text, at) and not _cuts(text, end):
            return end
        at, tries = text.find(part, at + 1), tries + 1
    return None


def _cuts(text: str, at: int) -> bool:
    """Tell whether a cut at this place would go through a word or a number."""
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    if _WORD.match(before) and _WORD.match(after):
        return True
    # The point of a decimal or version belongs to the number; the one that ends a sentence does not.
    return (before.isdigit() and after == "." and text[at + 1 : at + 2].isdigit()) or (
        before == "." and after.isdigit() and at > 1 and text[at - 2].isdigit()
    )


@lru_cache(maxsize=512)
def normalised(text: str) -> str:
    """Normalise a text of the evidence, once however often it is quoted."""
    return normal(text)


# ---------------------------------------------------------------- looking up

_ALNUM = frozenset(string.ascii_letters + string.digits)
_HUNK = re.compile(r"^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@", re.MULTILINE)
_SIGN = re.compile(r"^[ +\-\\]", re.MULTILINE)
_AROUND = 1000  # How much of a long line is looked at on either side of a find


class SearchText:
    """A text in which literals are found as whole words or as parts of identifiers."""

    def __init__(self, text: str, paths: tuple[str, ...] = (), hashes: tuple[str, ...] = ()) -> None:
        self.text = plain_marks(text)
        self.paths = paths
        self.hashes = hashes

    @cached_property
    def folded(self) -> str:
        """The text in lower case; places are the same."""
        lower = self.text.lower()
        return lower if len(lower) == len(self.text) else fold_case(self.text)

    def has(self, literal: str, *, fold: bool = False) -> bool:
        """Tell whether a literal stands here."""
        return next(self.places(literal, fold=fold), None) is not None

    def places(self, literal: str, *, fold: bool = False) -> Iterator[int]:
        """Find where a literal begins; half a word and half a number do not count."""
        hay, needle = (self.folded, fold_case(literal)) if fold else (self.text, literal)
        at, tries = hay.find(needle) if needle else -1, 0
        while at >= 0 and tries < _TRIES:
            if is_border(self.text, at) and is_border(self.text, at + len(needle)):
                yield at
            at, tries = hay.find(needle, at + 1), tries + 1

    def line_at(self, place: int) -> tuple[str, int]:
        """Give the line around a place, cut where it is very long, and the place within it."""
        start = self.text.rfind("\n", max(0, place - _AROUND), place) + 1 or max(0, place - _AROUND)
        end = self.text.find("\n", place, place + _AROUND)
        return self.text[start : end if end >= 0 else place + _AROUND], place - start


def is_border(text: str, at: int) -> bool:
    """Tell whether a cut here parts two words, two parts of an identifier, or letters from digits."""
    if not 0 < at < len(text):
        return True
    before, after = text[at - 1], text[at]
    if before in _ALNUM and after in _ALNUM:
        humps = (before.islower() or before.isdigit()) and after.isupper()
        ends = before.isupper() and after.isupper() and text[at + 1 : at + 2].islower()
        return humps or ends or before.isdigit() != after.isdigit()
    # The point of a decimal or a version belongs to the number; the one that ends a sentence does not.
    inner = before.isdigit() and after in ".," and text[at + 1 : at + 2].isdigit()
    return not inner and not (before in ".," and after.isdigit() and at > 1 and text[at - 2].isdigit())


class _Same:
    """Makes evidence a key by its identity: it never changes, and comparing whole diffs would be slow."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence

    def __hash__(self) -> int:
        return id(self.evidence)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.evidence is self.evidence


def text_of(evidence: Evidence) -> SearchText:
    """Lay out everything that is known of an artefact."""
    return _text_of(_Same(evidence))


@lru_cache(maxsize=64)
def _text_of(key: _Same) -> SearchText:
    evidence = key.evidence
    dates = [moment.strftime("%Y-%m-%d") for moment in all_dates_of(evidence)]
    if isinstance(evidence, CommitEvidence):
        known = (*_commit_words(evidence), *dates)
        return SearchText("\n".join(known), evidence.paths, (evidence.change.commit.sha,))
    if isinstance(evidence, ThreadEvidence):
        people = (evidence.thread.author or "", *(comment.author or "" for comment in evidence.comments))
        words = (f"#{evidence.thread.number}", evidence.thread.state, *people, *evidence.texts, *dates)
        merged = "" if isinstance(evidence.thread, Issue) else evidence.thread.merge_commit or ""
        return SearchText("\n".join(words), (), (merged,) if merged else ())
    return SearchText("\n".join((*evidence.texts, *dates)))


def _commit_words(evidence: CommitEvidence) -> Iterator[str]:
    change, commit = evidence.change, evidence.change.commit
    yield commit.message
    for person in (commit.author, commit.committer):
        # The part of a no-reply address in front of the sign is the login.
        yield f"{person.name} {person.email.partition('@')[0].rpartition('+')[2]}"
    if evidence.pull:
        yield f"#{evidence.pull}"
    yield f"{len(change.files)} files, {change.additions} lines, {change.deletions} lines"
    for fact in evidence.facts:
        yield "\n".join(part for part in (fact.name, fact.old, fact.new, fact.detail) if part)
    for file in change.files:
        yield f"{file.path} {file.previous_path or ''} {file.additions} {file.deletions}"
        if file.patch:
            yield without_signs(file.patch)


def without_signs(patch: str) -> str:
    """Give the words of a patch: neither its signs nor the numbers of its lines prove what a sentence says."""
    return _SIGN.sub("", _HUNK.sub("", patch))


_PART = re.compile(r"[A-Za-z]+|[0-9]+")
_SHORTEST, _BEGINNING = 3, 4
_LOOKED_AT, _LONGEST = 200, 200


def nearest(literal: str, texts: Sequence[SearchText], others: Sequence[str] = ()) -> str:
    """Find the line that shares most parts with a literal, else with the other literals of its sentence."""
    parts = _parts((literal,))
    for wanted in (parts, [part[:_BEGINNING] for part in parts if len(part) > _BEGINNING], _parts(others)):
        if lines := list(_lines(wanted, texts)):
            best = min(lines, key=lambda line: (-_shared(line, parts or wanted), len(line)))
            return best if len(best) <= _LONGEST else f"{best[: _LONGEST - 1]}…"
    return ""


def _parts(literals: Sequence[str]) -> list[str]:
    found = (fold_case(part) for literal in literals for part in _PART.findall(literal))
    wanted = (part for part in found if len(part) >= (_SHORTEST if part.isdigit() else _SHORTEST - 1))
    return list(dict.fromkeys(wanted))[:12]


def _lines(parts: Sequence[str], texts: Sequence[SearchText]) -> Iterator[str]:
    """Give the lines with a part; only the first finds of each are looked at, so that large diffs stay cheap."""
    for part in parts:
        for text in texts[:20]:
            at, looked = text.folded.find(part), 0
            while at >= 0 and looked < _LOOKED_AT:
                line, place = text.line_at(at)
                yield " ".join(line[max(0, place - _LONGEST) : place + _LONGEST].split())
                at, looked = text.folded.find(part, at + len(line) - place + 1), looked + 1


def _shared(line: str, parts: Sequence[str]) -> int:
    folded = fold_case(line)
    return sum(len(part) for part in parts if part in folded)
