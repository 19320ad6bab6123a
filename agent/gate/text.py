"""The text of cited evidence: what it means that words stand in it, and looking literals up in megabytes."""

import re
import string
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache

from agent.domain.commits import Issue
from agent.domain.evidence import CommitEvidence, Evidence, ThreadEvidence, all_dates_of

_MARKS = str.maketrans(
    dict.fromkeys("‘’‚‛′‹›´", "'")
    | dict.fromkeys("“”„‟″«»「」『』", '"')
    # Models like to write hyphens that never break a line; dates and names have them all the same.
    | dict.fromkeys("\u2010\u2011\u2012\ufe63\uff0d", "-")
)
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_ALNUM = frozenset(string.ascii_letters + string.digits)
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_ELLIPSIS = re.compile(r"\[\s*(?:\.\s?){3,6}\]|\(\s*(?:\.\s?){3,6}\)|\.{3,6}")
_DIFF_SIGNS = re.compile(r"^(?:@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@|[ +\-\\])", re.MULTILINE)
_TRIES = 20_000
"""After how many finds a search is given up: only made-up texts repeat a literal so often inside of words."""
_AROUND = 1000  # How much of a long line is looked at on either side of a find
BREAK = "\0"  # Stands between stretches that do not touch, so that no quotation reaches over it


def normal(text: str) -> str:
    """Normalise compatibility forms, quotation marks, Markdown's escapes and white space."""
    return " ".join(_ESCAPE.sub(r"\1", plain_marks(text)).split())


def plain_marks(text: str) -> str:
    """Normalise compatibility forms, hyphens and quotation marks; lines stay as they are."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text.translate(_MARKS))


def fold_case(text: str) -> str:
    """Write ASCII letters in lower case; places stay the same."""
    return text.translate(_LOWER)


@lru_cache(maxsize=512)
def without_signs(patch: str) -> str:
    """Give the words of a patch: neither its signs nor the numbers of its lines prove what a sentence says."""
    return _DIFF_SIGNS.sub("", patch)


def stands_in(quote: str, text: str, *, gaps: bool = True) -> bool:
    """Tell whether a quote is in a text, both normalised; where gaps may be, an ellipsis stands for one."""
    if _end_of(quote, text):
        return True
    said = [part for part in map(str.strip, _ELLIPSIS.split(quote)) if part] if gaps else []
    position: int | None = 0
    for part in said:
        position = _end_of(part, text, position or 0)
        if position is None:
            return False
    return bool(said)


def _end_of(part: str, text: str, start: int = 0) -> int | None:
    return next((at + len(part) for at in find_words(part, text, start, parts=False)), None)


def find_words(
    needle: str, text: str, start: int = 0, *, parts: bool = True, written: str = ""
) -> Iterator[int]:
    """Find where whole words of a text begin; its borders may be read in the text as it was written."""
    at, tries = text.find(needle, start) if needle else -1, 0
    written = written or text
    while at >= 0 and tries < _TRIES:
        if is_border(written, at, parts=parts) and is_border(
            written, at + len(needle), parts=parts
        ):
            yield at
        at, tries = text.find(needle, at + 1), tries + 1


def is_border(text: str, at: int, *, parts: bool = True) -> bool:
    """Tell whether a cut here parts two words or, where these count, two parts of an identifier; never a number."""
    if not 0 < at < len(text):
        return True
    before, after = text[at - 1], text[at]
    if before in _ALNUM and after in _ALNUM:
        humps = (before.islower() or before.isdigit()) and after.isupper()
        ends = before.isupper() and after.isupper() and text[at + 1 : at + 2].islower()
        return parts and (humps or ends or before.isdigit() != after.isdigit())
    if not parts and {before, after} <= _ALNUM | {"_"}:
        return False
    # The point of a decimal or a version belongs to the number; the one that ends a sentence does not.
    inner = before.isdigit() and after in ".," and text[at + 1 : at + 2].isdigit()
    return not inner and not (
        before in ".," and after.isdigit() and at > 1 and text[at - 2].isdigit()
    )


class SearchText:
    """A text in which literals are found as whole words or as parts of identifiers."""

    def __init__(
        self, text: str, paths: tuple[str, ...] = (), hashes: tuple[str, ...] = ()
    ) -> None:
        self.text = plain_marks(text)
        self.paths = paths
        self.hashes = hashes

    @cached_property
    def folded(self) -> str:
        """The text in lower case; places are the same."""
        return fold_case(self.text)

    def has(self, literal: str, *, fold: bool = False) -> bool:
        """Tell whether a literal stands here."""
        return next(self.places(literal, fold=fold), None) is not None

    def places(self, literal: str, *, fold: bool = False) -> Iterator[int]:
        """Find where a literal begins; half a word and half a number do not count."""
        if fold:
            return find_words(fold_case(literal), self.folded, written=self.text)
        return find_words(literal, self.text)

    def line_at(self, place: int) -> tuple[str, int]:
        """Give the line around a place, cut where it is very long, and the place within it."""
        start = self.text.rfind("\n", max(0, place - _AROUND), place) + 1 or max(0, place - _AROUND)
        end = self.text.find("\n", place, place + _AROUND)
        return self.text[start : end if end >= 0 else place + _AROUND], place - start


def text_of(evidence: Evidence) -> SearchText:
    """Lay out everything that is known of an artefact."""
    dates = [moment.strftime("%Y-%m-%d") for moment in all_dates_of(evidence)]
    if isinstance(evidence, CommitEvidence):
        words = [*_commit_words(evidence), *dates]
        return _search_text("\n".join(words), evidence.paths, (evidence.change.commit.sha,))
    if isinstance(evidence, ThreadEvidence):
        thread = evidence.thread
        people = [thread.author or "", *(comment.author or "" for comment in evidence.comments)]
        merged = "" if isinstance(thread, Issue) else thread.merge_commit or ""
        words = [f"#{thread.number}", thread.state, *people, *evidence.texts, *dates]
        return _search_text("\n".join(words), (), (merged,) if merged else ())
    return _search_text("\n".join((*evidence.texts, *dates)), (), ())


# Evidence is laid out again for every claim about it: what costs time is kept.
_search_text = lru_cache(maxsize=64)(SearchText)


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
        yield without_signs(file.patch or "")


_PART = re.compile(r"[A-Za-z]{2,}|[0-9]{3,}")
_LOOKED_AT, _LONGEST = 200, 200


def nearest(literal: str, texts: Sequence[SearchText], others: Sequence[str] = ()) -> str:
    """Find the line that shares most with a literal, else with the other literals of its sentence."""
    for words in (literal, " ".join(others)):
        parts = list(dict.fromkeys(map(fold_case, _PART.findall(words))))[:12]
        lines = {line for part in parts for text in texts[:20] for line in _lines(part, text)}
        if lines:
            shared = {
                line: sum(len(part) for part in parts if part in fold_case(line)) for line in lines
            }
            best = min(lines, key=lambda line: (-shared[line], len(line), line))
            return best if len(best) <= _LONGEST else f"{best[: _LONGEST - 1]}…"
    return ""


def _lines(part: str, text: SearchText) -> Iterator[str]:
    """Give the lines with a part; only the first finds are looked at, so that large diffs stay cheap."""
    at, looked = text.folded.find(part), 0
    while at >= 0 and looked < _LOOKED_AT:
        line, place = text.line_at(at)
        yield " ".join(line[max(0, place - _LONGEST) : place + _LONGEST].split())
        at, looked = text.folded.find(part, at + len(line) - place + 1), looked + 1
