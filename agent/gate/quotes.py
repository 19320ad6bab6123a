"""Check quotations and anchors: words stand verbatim in the cited artefact, and an anchor proves something."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from agent.domain.claims import MARK, Anchor, Claim, Judgement, Quote
from agent.domain.evidence import CommitEvidence, Dossier, Evidence, ThreadEvidence
from agent.domain.patch import read_hunks
from agent.gate.text import BREAK, normal, stands_in, without_signs
from agent.triage.conventions import Area, area

_SIGNED = re.compile(r"^([+-])[ \t]+", re.MULTILINE)
_PASSAGE = re.compile(r"“([^“”]+)”|「([^「」]+)」|『([^『』]+)』|(?<![\w=(])\"([^\"]+)\"(?!\w)")
# A shorter passage is mostly words held at arm's length, not words of somebody.
_LONG_PASSAGE = re.compile(
    r"(?:[A-Za-z0-9_]+[^A-Za-z0-9_]+){2}[A-Za-z0-9_]|(?:[\u4e00-\u9fff][^\u4e00-\u9fff]*){8}"
)
_LONGEST_ANCHOR = 4000
_END = re.compile(r"[.!?;:](?=\s|$)|[。！？；：]|\n")
_BULLET = re.compile(r"^[\s>]*(?:[-*+•]|\d{1,3}[.)])\s+|^[\s>#]+")
_NUMBER = re.compile(r"\s*\(#\d+\)\s*$")
_EMPHASIS = re.compile(r"[*_]{2,3}|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)")


class PatchLine(NamedTuple):
    """One line of a hunk."""

    mark: str  # `+`, `-` or a space
    text: str
    hunk: int


@lru_cache(maxsize=512)
def patch_lines(patch: str) -> tuple[PatchLine, ...]:
    """Read the lines of all hunks."""
    return tuple(
        PatchLine(mark, line[1:], place)
        for place, hunk in enumerate(read_hunks(patch), start=1)
        for mark, _, line in hunk.numbered()
    )


@lru_cache(maxsize=512)
def _readings(patch: str) -> tuple[str, ...]:
    """Give the normalised forms in which people quote a patch.

    With the signs of a diff, without them, and each side by itself: the file as it was, the file as it became.
    """
    lines = patch_lines(patch)
    return (
        _joined(lines, lambda line: line.mark.strip() + line.text.strip()),
        _joined(lines, lambda line: line.text),
        _joined((line for line in lines if line.mark != "-"), lambda line: line.text),
        _joined((line for line in lines if line.mark != "+"), lambda line: line.text),
    )


def _joined(lines: Iterable[PatchLine], form: Callable[[PatchLine], str]) -> str:
    hunks = groupby(lines, key=lambda line: line.hunk)
    return BREAK.join(normal("\n".join(form(line) for line in hunk)) for _, hunk in hunks)


def check_quotes(claim: Claim, dossier: Dossier) -> Iterator[Judgement]:
    """Find the quotations that are not verbatim."""
    for quote in claim.quotes:
        if reason := misquoted(quote, dossier.found[quote.cite]):
            yield wrong_quote(reason, "verbatim", quote)


def check_passages(claim: Claim, dossier: Dossier, text: str) -> Iterator[Judgement]:
    """Find what a text sets in quotation marks as the words of somebody else and no cited evidence has."""
    for match in _PASSAGE.finditer(text):
        passage = next(group for group in match.groups() if group)
        words = MARK.sub("", passage).replace("`", "").strip().rstrip(".,;。，；")
        if _LONG_PASSAGE.search(passage) and not any(
            _is_quoted(words, dossier.found[one]) for one in claim.sources
        ):
            reason = (
                f"“{short(words)}” is set in quotation marks, and no cited evidence has these words"
            )
            yield Judgement(verdict="quote", reason=reason, check="passage", literal=short(words))


def misquoted(quote: Anchor, evidence: Evidence) -> str:
    """Say why words do not stand where they should; nothing when they do. Only a quotation may leave words out."""
    gaps = isinstance(quote, Quote)
    if not normal(quote.text):
        return "the quotation is empty"
    if quote.file is None:
        return (
            ""
            if _is_quoted(quote.text, evidence, gaps=gaps)
            else f"“{short(quote.text)}” is not in {evidence.id}"
        )
    # A path names a file whole or by its last folders.
    tail = f"/{quote.file.removeprefix('./')}"
    files = evidence.change.files if isinstance(evidence, CommitEvidence) else ()
    named = [
        one
        for one in files
        if any(f"/{path}".endswith(tail) for path in (one.path, one.previous_path) if path)
    ]
    if not named:
        return f"{evidence.id} does not touch {quote.file}"
    if _in_patches(quote.text, [file.patch or "" for file in named], gaps=gaps):
        return ""
    return f"“{short(quote.text)}” is not in the diff of {quote.file}"


def _is_quoted(text: str, evidence: Evidence, *, gaps: bool = True) -> bool:
    """Tell whether words stand in one text of an artefact; an ellipsis may stand for a gap where gaps are allowed."""
    if not isinstance(evidence, CommitEvidence):
        return any(stands_in(normal(text), normal(one), gaps=gaps) for one in evidence.texts)
    message, paths, *patches = evidence.texts
    plain = any(stands_in(normal(text), normal(one), gaps=gaps) for one in (message, paths))
    return plain or _in_patches(text, patches, gaps=gaps)


def _in_patches(text: str, patches: Iterable[str], *, gaps: bool) -> bool:
    # A sign may stand apart from its line; that it is there at all is part of what the quotation says.
    forms = {normal(text), normal(_SIGNED.sub(r"\1", text))}
    return any(
        stands_in(form, one, gaps=gaps)
        for patch in patches
        for one in _readings(patch)
        for form in forms
    )


def short(text: str) -> str:
    """Cut a text for a message."""
    flat = " ".join(text.split())
    return flat if len(flat) <= 80 else f"{flat[:79]}…"


def wrong_quote(reason: str, check: str, quote: Anchor | None = None, near: str = "") -> Judgement:
    """Refuse words that do not stand where they should."""
    about, literal = (quote.cite, short(quote.text)) if quote else (None, "")
    return Judgement(
        verdict="quote", reason=reason, check=check, about=about, literal=literal, nearest=near
    )


def anchor_fault(anchor: Anchor, dossier: Dossier) -> str:
    """Say why an anchor is not verbatim; nothing when it is."""
    if len(anchor.text) > _LONGEST_ANCHOR:
        return f"it has {len(anchor.text)} characters; a few lines are enough"
    return misquoted(anchor, dossier.found[anchor.cite])


def is_written(anchor: Anchor, evidence: Evidence) -> bool:
    """Tell whether an anchor is a whole sentence of what people wrote: a message, documents, a thread, notes."""
    if isinstance(evidence, ThreadEvidence):
        texts = (
            evidence.thread.title,
            evidence.thread.body,
            *(comment.body for comment in evidence.comments),
        )
    elif isinstance(evidence, CommitEvidence):
        commit = evidence.change.commit
        documents = (
            file.patch or "" for file in evidence.change.files if area(file.path) is Area.DOCS
        )
        texts = (commit.message, _NUMBER.sub("", commit.title), *map(without_signs, documents))
    else:
        texts = (evidence.release.name, evidence.release.body)
    return any(_is_sentence(anchor.text, text) for text in texts)


def _is_sentence(anchor: str, text: str) -> bool:
    """Tell whether an anchor begins and ends where sentences or lines of a text do."""
    words = " ".join(_sentences(anchor)).split()
    form = f"{BREAK}{f'[ {BREAK}]'.join(map(re.escape, words))}{BREAK}"
    return (
        bool(words) and re.search(form, f"{BREAK}{BREAK.join(_sentences(text))}{BREAK}") is not None
    )


def _sentences(text: str) -> list[str]:
    """Give the sentences of a text without bullets and emphasis."""
    found = (normal(_EMPHASIS.sub("", _BULLET.sub("", piece))) for piece in _END.split(text))
    return [sentence for sentence in found if sentence]
