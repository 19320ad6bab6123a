"""The text of cited evidence, normalised, and the search for words in megabytes of it."""

import re
import string
import unicodedata
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import NamedTuple

from agent.domain.evidence import (
    Citable,
    CommitEvidence,
    FileEvidence,
    PublishedEvidence,
    ThreadEvidence,
    all_dates_of,
)
from agent.domain.threads import Issue
from agent.gate.numbers_and_units import NumberSpan, index_numbers

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
_MAX_TRIES = 20_000  # Finds after which a search ends: only made-up texts repeat a literal so often
_LINE_CONTEXT = 1000  # Characters of a long line that are looked at on either side of a find
BREAK = "\0"  # Stands between stretches that do not touch, so that no quotation spans it


def normal(text: str) -> str:
    """Return a text with compatibility forms, quotation marks, escapes and spaces normalised."""
    return " ".join(_ESCAPE.sub(r"\1", plain_marks(text)).split())


def plain_marks(text: str) -> str:
    """Return a text with compatibility forms, hyphens and quotation marks normalised, by line."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", text.translate(_MARKS))


def fold_case(text: str) -> str:
    """Return a text with ASCII letters in lower case; positions stay the same."""
    return text.translate(_LOWER)


@lru_cache(maxsize=512)
def without_signs(patch: str) -> str:
    """Return a patch without its signs and line numbers, which prove nothing by themselves."""
    return _DIFF_SIGNS.sub("", patch)


def stands_in(quote: str, text: str, *, gaps: bool = True) -> bool:
    """Return True if a text holds a quote, both normalised.

    With `gaps` an ellipsis in the quote may stand for words that are left out.
    """
    if _end_of(quote, text) is not None:
        return True
    if not gaps:
        return False
    parts = [part.strip() for part in _ELLIPSIS.split(quote)]
    parts = [part for part in parts if part]
    position = 0
    for part in parts:
        end = _end_of(part, text, position)
        if end is None:
            return False
        position = end
    return bool(parts)


def _end_of(part: str, text: str, start: int = 0) -> int | None:
    position = next(find_words(part, text, start, parts=False), None)
    return None if position is None else position + len(part)


def find_words(
    needle: str, text: str, start: int = 0, *, parts: bool = True, written: str = ""
) -> Iterator[int]:
    """Yield where whole words of a text begin.

    With `parts`, parts of identifiers count as words. `written` is the text before its case was
    folded, in which the borders of words can be seen.
    """
    written = written or text
    position = text.find(needle, start) if needle else -1
    tries = 0
    while position >= 0 and tries < _MAX_TRIES:
        end = position + len(needle)
        if is_border(written, position, parts=parts) and is_border(written, end, parts=parts):
            yield position
        position = text.find(needle, position + 1)
        tries += 1


def is_border(text: str, position: int, *, parts: bool = True) -> bool:
    """Return True if a cut here parts two words or, with `parts`, two parts of an identifier.

    A number is never cut.
    """
    if not 0 < position < len(text):
        return True
    before = text[position - 1]
    after = text[position]
    if before in _ALNUM and after in _ALNUM:
        return parts and _is_border_in_name(text, position)
    if not parts and {before, after} <= _ALNUM | {"_"}:
        return False
    # The point of a decimal or a version belongs to the number, the one that ends a sentence not.
    if before.isdigit() and after in ".,":
        return not text[position + 1 : position + 2].isdigit()
    if before in ".," and after.isdigit():
        return not (position > 1 and text[position - 2].isdigit())
    return True


def _is_border_in_name(text: str, position: int) -> bool:
    before = text[position - 1]
    after = text[position]
    if before.isdigit() != after.isdigit():
        return True
    if before.islower() and after.isupper():
        return True
    return before.isupper() and after.isupper() and text[position + 1 : position + 2].islower()


class TextLine(NamedTuple):
    """A line around a find, and the position of the find within it."""

    text: str
    position: int


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
        """The text in lower case; positions are the same."""
        return fold_case(self.text)

    @cached_property
    def numbers(self) -> dict[Decimal, list[NumberSpan]]:
        """The numbers of the text by value."""
        return index_numbers(self.text)

    def has(self, literal: str, *, fold: bool = False) -> bool:
        """Return True if a literal occurs here."""
        return next(self.positions(literal, fold=fold), None) is not None

    def positions(self, literal: str, *, fold: bool = False) -> Iterator[int]:
        """Yield where a literal begins; half a word and half a number do not count."""
        if fold:
            return find_words(fold_case(literal), self.folded, written=self.text)
        return find_words(literal, self.text)

    def line_at(self, position: int) -> TextLine:
        """Return the line around a position, cut where it is very long."""
        earliest = max(0, position - _LINE_CONTEXT)
        start = self.text.rfind("\n", earliest, position) + 1 or earliest
        end = self.text.find("\n", position, position + _LINE_CONTEXT)
        if end < 0:
            end = position + _LINE_CONTEXT
        return TextLine(self.text[start:end], position - start)


def text_of(evidence: Citable) -> SearchText:
    """Return everything that is known of an artefact as one text."""
    dates = [moment.strftime("%Y-%m-%d") for moment in all_dates_of(evidence)]
    if isinstance(evidence, CommitEvidence):
        words = [*_commit_prose(evidence), *code_lines(evidence), *dates]
        return _search_text("\n".join(words), evidence.paths, (evidence.change.commit.sha,))
    if isinstance(evidence, PublishedEvidence):
        return _search_text(evidence.text, (), (evidence.id.sha,))
    if isinstance(evidence, FileEvidence):
        return code_of(evidence)
    if isinstance(evidence, ThreadEvidence):
        thread = evidence.thread
        words = [f"#{thread.number}", thread.state, thread.author or ""]
        words += [comment.author or "" for comment in evidence.comments]
        words += evidence.texts
        words += dates
        merge_commit = None if isinstance(thread, Issue) else thread.merge_commit
        hashes = (merge_commit,) if merge_commit else ()
        return _search_text("\n".join(words), (), hashes)
    return _search_text("\n".join((*evidence.texts, *dates)), (), ())


# Citable is laid out again for every claim about it: the costly part is cached.
_search_text = lru_cache(maxsize=64)(SearchText)


def code_of(evidence: Citable) -> SearchText:
    """Return the diff, paths and facts of a commit, or lines of a file; other artefacts have none."""
    if isinstance(evidence, FileEvidence):
        path = evidence.id.path
        return _search_text("\n".join((*evidence.texts, path)), (path,), (evidence.id.sha,))
    if not isinstance(evidence, CommitEvidence):
        return _search_text("", (), ())
    return _search_text("\n".join(code_lines(evidence)), evidence.paths, ())


def code_lines(evidence: CommitEvidence) -> Iterator[str]:
    """Yield the facts, the paths and the patches of a commit, without the signs of the diff."""
    for fact in evidence.facts:
        parts = (fact.name, fact.old, fact.new, fact.detail)
        yield "\n".join(part for part in parts if part)
    for file in evidence.change.files:
        yield f"{file.path} {file.previous_path or ''}"
        yield without_signs(file.patch or "")


def _commit_prose(evidence: CommitEvidence) -> Iterator[str]:
    """Yield what people wrote of a commit, who they are, and how large it is."""
    change = evidence.change
    yield change.commit.message
    for person in (change.commit.author, change.commit.committer):
        # The part of a no-reply address before the sign is the login.
        login = person.email.partition("@")[0].rpartition("+")[2]
        yield f"{person.name} {login}"
    if evidence.pull:
        yield f"#{evidence.pull}"
    yield f"{len(change.files)} files, {change.additions} lines, {change.deletions} lines"
    for file in change.files:
        yield f"{file.path} {file.additions} {file.deletions}"


_PART = re.compile(r"[A-Za-z]{2,}|[0-9]{3,}")
_MAX_PARTS = 12  # Parts of a literal by which a similar line is looked for
_MAX_TEXTS = 20
_MAX_FINDS = 200
_MAX_LENGTH = 200  # Characters of the line that is shown


def nearest(literal: str, texts: Sequence[SearchText], others: Sequence[str] = ()) -> str:
    """Return the line that shares most with a literal, else with the others of its sentence."""
    for words in (literal, " ".join(others)):
        parts = list(dict.fromkeys(map(fold_case, _PART.findall(words))))[:_MAX_PARTS]
        lines: set[str] = set()
        for part in parts:
            for text in texts[:_MAX_TEXTS]:
                lines.update(_lines_with(part, text))
        if lines:
            best = min(lines, key=lambda line: (-_shared(parts, line), len(line), line))
            return best if len(best) <= _MAX_LENGTH else f"{best[: _MAX_LENGTH - 1]}…"
    return ""


def _shared(parts: Sequence[str], line: str) -> int:
    folded = fold_case(line)
    return sum(len(part) for part in parts if part in folded)


def _lines_with(part: str, text: SearchText) -> Iterator[str]:
    """Yield the first lines with a part; of large diffs not all finds are looked at."""
    position = text.folded.find(part)
    finds = 0
    while position >= 0 and finds < _MAX_FINDS:
        line = text.line_at(position)
        start = max(0, line.position - _MAX_LENGTH)
        yield " ".join(line.text[start : line.position + _MAX_LENGTH].split())
        next_line = position + len(line.text) - line.position + 1
        position = text.folded.find(part, next_line)
        finds += 1
