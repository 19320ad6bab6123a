"""Excerpts of evidence: the few lines that show what a sentence says, with those lines marked."""

import re
from collections.abc import Iterable
from functools import lru_cache

from agent.domain.claims import MARK, Anchor, Claim
from agent.domain.evidence_id import EvidenceId
from agent.reports.page_model import GAP, ExcerptLine, PageExcerpt

_MAX_LINES = 8
_MAX_EXCERPTS = 4  # Files of one artefact that a citation opens on
_CODE = re.compile(r"`+([^`]+)`+")
_WORD = re.compile(r"[\w.:/-]*\w", re.ASCII)
_LITERAL = re.compile(r"\d|_|\w[A-Z]|--")
NAME_SEPARATORS = re.compile(r"[.:/\s=,]+")


def code_spans(text: str) -> list[str]:
    """Return what a text sets as code."""
    return _CODE.findall(text)


def excerpts_of(cite: EvidenceId, claim: Claim, text: str) -> list[PageExcerpt]:
    """Return the anchors of a claim in one artefact, else its quotations, by file.

    `text` has the words of the claim, whose names are marked in the lines. Passages of one file
    need not follow each other there, so a mark stands between them.
    """
    passages = [anchor for anchor in claim.anchors if anchor.cite == cite]
    if not passages:
        passages = [quote for quote in claim.quotes if quote.cite == cite]
    texts_of_file: dict[str, list[str]] = {}
    for passage in _without_parts(passages):
        texts = texts_of_file.setdefault(passage.file or "", [])
        passage_text = passage.text.strip("\n")
        if passage_text not in texts:
            texts.append(passage_text)
    excerpts = []
    for file, texts in list(texts_of_file.items())[:_MAX_EXCERPTS]:
        excerpts.append(excerpt_of(file, f"\n{GAP}\n".join(texts), text))
    return excerpts


def _without_parts(passages: list[Anchor]) -> Iterable[Anchor]:
    """Yield the passages that are not part of another one."""
    if len(passages) < 2:
        yield from passages
        return
    texts = {passage.text for passage in passages}
    for passage in passages:
        others = texts - {passage.text}
        if not any(passage.text.strip() in other for other in others):
            yield passage


def excerpt_of(file: str, passage: str, sentence: str) -> PageExcerpt:
    """Return the lines of a passage that name most of a sentence, with those lines marked."""
    return _cut(file, passage, _literals(sentence))


@lru_cache(maxsize=8_192)  # Both languages and several pages show the same lines
def _cut(file: str, passage: str, literals: tuple[str, ...]) -> PageExcerpt:
    lines: list[ExcerptLine] = []
    for line in passage.strip("\n").split("\n"):
        is_changed = bool(file) and line[:1] in ("+", "-")
        side = line[:1] if is_changed else ""
        lines.append(ExcerptLine(line, side, _has_any(line, literals)))
    starts = range(max(1, len(lines) - _MAX_LINES + 1))

    def marked_lines(start: int) -> int:
        return sum(line.marked for line in lines[start : start + _MAX_LINES])

    start = max(starts, key=marked_lines)  # Of equals the first
    return PageExcerpt(file, tuple(lines[start : start + _MAX_LINES]))


def _has_any(line: str, literals: tuple[str, ...]) -> bool:
    return any(literal in line for literal in literals)


@lru_cache(maxsize=4_096)
def _literals(sentence: str) -> tuple[str, ...]:
    """Return the names, numbers and values of a sentence as code has them, and their last parts."""
    literals: list[str] = []
    for code in code_spans(sentence):
        literals.append(code)
        literals += (part for part in NAME_SEPARATORS.split(code) if len(part) > 2)
    prose = _CODE.sub(" ", MARK.sub(" ", sentence))
    literals += (word for word in _WORD.findall(prose) if _LITERAL.search(word))
    return tuple(literal for literal in literals if len(literal) > 1)
