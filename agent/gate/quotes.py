"""Checks of quotes and anchors: they stand verbatim in the cited artefact as it is shown."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import groupby, product
from typing import NamedTuple

from agent.domain.claims import MARK, Anchor, Claim, Judgement, Quote
from agent.domain.commits import FileChange
from agent.domain.evidence import Citable, CommitEvidence, EvidenceSet, FileEvidence
from agent.domain.patch import read_hunks
from agent.domain.window import Window
from agent.evidence_headings import code_written_lines, file_heading, printed_texts
from agent.gate.literals import literals
from agent.gate.searchable_evidence_text import BREAK, normal, stands_in

_SIGNED = re.compile(r"^([+-])[ \t]+", re.MULTILINE)
_HANDLE = re.compile(r"^\[#?[\w.]{1,12}\] ", re.MULTILINE)  # `[c] ` before a heading
_PASSAGE = re.compile(r"“([^“”]+)”|「([^「」]+)」|『([^『』]+)』|(?<![\w=(])\"([^\"]+)\"(?!\w)")
# A shorter passage is mostly a word used loosely, not the words of somebody.
_LONG_PASSAGE = re.compile(
    r"(?:[A-Za-z0-9_]+[^A-Za-z0-9_]+){2}[A-Za-z0-9_]|(?:[\u4e00-\u9fff][^\u4e00-\u9fff]*){8}"
)
_TWO_WORDS = re.compile(r"[A-Za-z0-9_]+[^A-Za-z0-9_]+[A-Za-z0-9_]")
_WORD = re.compile(r"[A-Za-z0-9]+")
_COMMENT_START = re.compile(r"///?!?|#+!?|/\*+!?|\*+(?!/)|--|;+|%+|\"\"\"|'''|<!--")
_COMMENT_ENDS = ("*/", '"""', "'''", "-->")
MAX_ANCHOR = 4000  # Characters of an anchor
_MAX_TESTED = 400  # Characters of an anchor whose words are looked for before it is compared
_MAX_MESSAGE = 80  # Characters of a text that are shown in a message


class PatchLine(NamedTuple):
    """One line of a hunk."""

    mark: str  # `+`, `-` or a space
    text: str
    hunk: int


@lru_cache(maxsize=512)
def patch_lines(patch: str) -> tuple[PatchLine, ...]:
    """Return the lines of all hunks."""
    lines: list[PatchLine] = []
    for number, hunk in enumerate(read_hunks(patch), start=1):
        for mark, _, line in hunk.numbered():
            lines.append(PatchLine(mark, line[1:], number))
    return tuple(lines)


# ---------------------------------------------------------------- the forms of a patch


def _signed(line: PatchLine) -> str:
    return line.mark.strip() + line.text.strip()


def _bare(line: PatchLine) -> str:
    return line.text


def _uncommented(line: PatchLine) -> str:
    """Return a line without the signs that make it a comment or the edge of a docstring."""
    text = line.text.strip()
    start = _COMMENT_START.match(text)
    if start is not None:
        text = text[start.end() :]
    for end in _COMMENT_ENDS:
        text = text.removesuffix(end)
    return text


def _joined(lines: Iterable[PatchLine], form: Callable[[PatchLine], str]) -> str:
    hunks = []
    for _, hunk in groupby(lines, key=lambda line: line.hunk):
        text = "\n".join(form(line) for line in hunk)
        hunks.append(normal(text))
    return BREAK.join(hunks)


@lru_cache(maxsize=512)
def _quotable_forms(patch: str) -> tuple[str, ...]:
    """Return the normalised forms in which people quote a patch.

    With the signs of a diff, without them, and each side by itself: the file before and after.
    """
    lines = patch_lines(patch)
    old_side = [line for line in lines if line.mark != "+"]
    new_side = [line for line in lines if line.mark != "-"]
    return (
        _joined(lines, _signed),
        _joined(lines, _bare),
        _joined(new_side, _bare),
        _joined(old_side, _bare),
    )


@lru_cache(maxsize=512)
def _printed_forms(heading: str, patch: str) -> tuple[str, ...]:
    """Return the further forms that an anchor may be copied from.

    The patch below its heading, with the heading of each hunk, and both sides without the signs of
    comments, so that a sentence of a comment or docstring can be copied as a sentence.
    """
    lines = patch_lines(patch)
    old_side = [line for line in lines if line.mark != "+"]
    new_side = [line for line in lines if line.mark != "-"]
    printed = [heading]
    printed += map(_as_printed, patch.split("\n"))
    return (
        normal("\n".join(printed)),
        _joined(new_side, _uncommented),
        _joined(old_side, _uncommented),
    )


def _as_printed(line: str) -> str:
    """Return a line of a patch with its sign, if any, close to its text."""
    if line[:1] in ("+", "-"):
        return line[:1] + line[1:].strip()
    return line


# ---------------------------------------------------------------- quotations


def check_quotes(claim: Claim, evidence_set: EvidenceSet) -> Iterator[Judgement]:
    """Yield a judgement for each quotation that is not verbatim."""
    for quote in claim.quotes:
        reason = misquoted(quote, evidence_set.by_id[quote.cite])
        if reason:
            yield wrong_quote(reason, "verbatim", quote)


def check_passages(claim: Claim, evidence_set: EvidenceSet, text: str) -> Iterator[Judgement]:
    """Yield a judgement for each passage in quotation marks that no cited evidence has."""
    for match in _PASSAGE.finditer(text):
        passage = next(group for group in match.groups() if group)
        if not _is_quotation(passage):
            continue
        words = MARK.sub("", passage).replace("`", "").strip().rstrip(".,;。，；")
        if any(_is_quoted(words, evidence_set.by_id[cite]) for cite in claim.sources):
            continue
        reason = (
            f"“{short(words)}” is set in quotation marks, and no cited evidence has these words"
        )
        yield Judgement(verdict="quote", reason=reason, check="passage", literal=short(words))


def _is_quotation(passage: str) -> bool:
    """Return True for what is too long for a word used loosely, or sets a name among words."""
    if _LONG_PASSAGE.search(passage):
        return True
    return bool(_TWO_WORDS.search(passage) and literals(passage))


def misquoted(
    quote: Anchor, evidence: Citable, window: Window | None = None, note: str = ""
) -> str:
    """Return why words are not in the evidence, or an empty string if they are.

    A quotation may leave words out and is taken from what people wrote and from the diff. An anchor
    may be copied from everything that is shown, the `note` beside the evidence included.
    """
    if not normal(quote.text):
        return "the quotation is empty"
    if quote.file is not None:
        return _misquoted_file(quote, quote.file, evidence)
    if isinstance(quote, Quote):
        is_there = _is_quoted(quote.text, evidence)
    else:
        is_there = _is_shown(quote.text, evidence, window, note)
    return "" if is_there else f"“{short(quote.text)}” is not in {evidence.id}"


def _misquoted_file(quote: Anchor, path: str, evidence: Citable) -> str:
    # A path names a file whole or by its last folders.
    tail = f"/{path.removeprefix('./')}"
    files: list[FileChange] = []
    if isinstance(evidence, CommitEvidence):
        for file in evidence.change.files:
            names = (file.path, file.previous_path)
            if any(f"/{name}".endswith(tail) for name in names if name):
                files.append(file)
    if not files:
        return f"{evidence.id} does not touch {path}"
    if isinstance(quote, Quote):
        is_there = any(_is_in_patch(quote.text, file.patch or "", gaps=True) for file in files)
    else:
        is_there = any(is_in_file(quote.text, file) for file in files)
    return "" if is_there else f"“{short(quote.text)}” is not in the diff of {path}"


def _is_quoted(text: str, evidence: Citable) -> bool:
    """Return True if one text of an artefact has these words; an ellipsis may stand for a gap."""
    words = normal(text)
    if not isinstance(evidence, CommitEvidence):
        return any(stands_in(words, normal(other)) for other in evidence.texts)
    message, paths, *patches = evidence.texts
    if stands_in(words, normal(message)) or stands_in(words, normal(paths)):
        return True
    return any(_is_in_patch(text, patch, gaps=True) for patch in patches)


def _is_in_patch(text: str, patch: str, *, gaps: bool) -> bool:
    return _has_form(text, _quotable_forms(patch), gaps=gaps)


def _has_form(text: str, forms: Iterable[str], *, gaps: bool) -> bool:
    # A sign may stand apart from its line, but whether it is there is a part of the quotation.
    quotes = {normal(text), normal(_SIGNED.sub(r"\1", text))}
    return any(stands_in(quote, form, gaps=gaps) for quote, form in product(quotes, forms))


# ---------------------------------------------------------------- anchors


def _is_shown(text: str, evidence: Citable, window: Window | None, note: str) -> bool:
    return is_in_code(text, evidence, note) or is_in_prose(text, evidence, window)


def is_in_prose(text: str, evidence: Citable, window: Window | None = None) -> bool:
    """Return True if words stand in what people wrote, or in the heading above it."""
    words = normal(_HANDLE.sub("", text))
    return _is_verbatim(words, printed_texts(evidence, window))


def _is_verbatim(words: str, texts: Iterable[str]) -> bool:
    """Return True if normalised words stand in one of these texts, without a gap."""
    return any(stands_in(words, normal(text), gaps=False) for text in texts)


def is_in_code(text: str, evidence: Citable, note: str = "") -> bool:
    """Return True if words stand in the diff, among the paths, or in lines that code wrote."""
    words = normal(_HANDLE.sub("", text))
    # Several lines of a note are copied with the handles between them.
    if note and (_is_verbatim(words, [note]) or _is_verbatim(normal(text), [note])):
        return True
    if isinstance(evidence, FileEvidence):
        return _is_verbatim(words, evidence.texts)
    if not isinstance(evidence, CommitEvidence):
        return False
    if any(is_in_file(text, file) for file in evidence.change.files):
        return True
    paths = "\n".join(evidence.paths)
    facts = "\n".join(code_written_lines(evidence))
    return _is_verbatim(words, [paths, facts])


def is_in_file(text: str, file: FileChange) -> bool:
    """Return True if words stand in the diff of a file or in its headings."""
    patch = file.patch or ""
    heading = file_heading(file)
    if not _may_hold(text, heading, patch):
        return False
    if _has_form(text, _quotable_forms(patch), gaps=False):
        return True
    return _has_form(text, _printed_forms(heading, patch), gaps=False)


def is_heading_of(text: str, file: FileChange) -> bool:
    """Return True if words are the heading of a file, or a part of it, and no line of its diff."""
    if not _is_verbatim(normal(text), [file_heading(file)]):
        return False
    return not _is_in_patch(text, file.patch or "", gaps=False)


def _may_hold(text: str, heading: str, patch: str) -> bool:
    """Return False if a word of a text is missing: a cheap test for commits of many files.

    Only ASCII keeps its letters when it is normalised.
    """
    if not patch.isascii() or not heading.isascii():
        return True
    words = set(_WORD.findall(text[:_MAX_TESTED]))
    return all(word in patch or word in heading for word in words)


def anchor_fault(anchor: Anchor, evidence_set: EvidenceSet) -> str:
    """Return why an anchor is not verbatim, or an empty string if it is."""
    if len(anchor.text) > MAX_ANCHOR:
        return f"it has {len(anchor.text)} characters; a few lines are enough"
    note = evidence_set.notes.get(anchor.cite, "")
    return misquoted(anchor, evidence_set.by_id[anchor.cite], evidence_set.window, note)


# ---------------------------------------------------------------- messages


def short(text: str) -> str:
    """Return a text, cut for a message."""
    flat = " ".join(text.split())
    return flat if len(flat) <= _MAX_MESSAGE else f"{flat[: _MAX_MESSAGE - 1]}…"


def wrong_quote(
    reason: str, check: str, quote: Anchor | None = None, nearest: str = ""
) -> Judgement:
    """Return the judgement about words that are not where they should be."""
    return Judgement(
        verdict="quote",
        reason=reason,
        check=check,
        about=quote.cite if quote else None,
        literal=short(quote.text) if quote else "",
        nearest=nearest,
    )
