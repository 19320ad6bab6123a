"""Check that words shown as a quotation stand in the cited artefact, in the place that is named."""

import re
from collections.abc import Iterable, Iterator

from agent.domain.claims import MARK, Anchor, Claim, Judgement, Quote, Verdict
from agent.domain.commits import FileChange
from agent.domain.evidence import CommitEvidence, Dossier, Evidence
from agent.gate.patches import readings
from agent.gate.verbatim import normal, normalised, stands_in, stands_whole

_SIGNED = re.compile(r"^([+-])[ \t]+", re.MULTILINE)
_PASSAGE = re.compile(r"“([^“”]+)”|「([^「」]+)」|『([^『』]+)』|(?<![\w=(])\"([^\"]+)\"(?!\w)")
_WORDS = re.compile(r"[A-Za-z0-9_]+")
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
# Shorter ones are mostly words held at arm's length, not words of somebody.
_FEW_WORDS = 3
_FEW_SIGNS = 8


def check_quotes(claim: Claim, dossier: Dossier) -> Iterator[Judgement]:
    """Find the quotations that are not verbatim."""
    for quote in claim.quotes:
        if reason := misquoted(quote, dossier.found[quote.cite]):
            yield Judgement(
                verdict=Verdict.QUOTE, reason=reason, check="verbatim", about=quote.cite, literal=short(quote.text)
            )


def check_passages(claim: Claim, dossier: Dossier, text: str) -> Iterator[Judgement]:
    """Find what a text sets in quotation marks and no cited evidence has."""
    evidence = [dossier.found[cite] for cite in claim.sources]
    for passage in passages(text):
        if not any(is_quoted(passage, one) for one in evidence):
            reason = f"“{short(passage)}” is set in quotation marks, and no cited evidence has these words"
            yield Judgement(verdict=Verdict.QUOTE, reason=reason, check="passage", literal=short(passage))


def passages(text: str) -> list[str]:
    """Find what a text sets in quotation marks as the words of somebody else."""
    found: list[str] = []
    for match in _PASSAGE.finditer(text):
        passage = next(group for group in match.groups() if group)
        if len(_WORDS.findall(passage)) >= _FEW_WORDS or len(_CHINESE.findall(passage)) >= _FEW_SIGNS:
            found.append(MARK.sub("", passage).replace("`", "").strip().rstrip(".,;。，；"))
    return found


def misquoted(quote: Quote | Anchor, evidence: Evidence) -> str:
    """Say why words do not stand where they should; nothing when they do."""
    start, end = (quote.start, quote.end) if isinstance(quote, Quote) else (None, None)
    gaps = isinstance(quote, Quote)
    if not normal(quote.text):
        return "the quotation is empty"
    if quote.file is None:
        return "" if is_quoted(quote.text, evidence, gaps=gaps) else f"“{short(quote.text)}” is not in {evidence.id}"
    if not isinstance(evidence, CommitEvidence):
        return f"{evidence.id} has no files, so {quote.file} cannot be quoted from it"
    files = [file for file in evidence.change.files if _is_named(quote.file, file)]
    if not files:
        return f"{evidence.id} does not touch {quote.file}; it touches {_listed(evidence.paths)}"
    return _not_in_file(quote, files, start, end, gaps=gaps)


def _is_named(path: str, file: FileChange) -> bool:
    """Tell whether a path names a file, whole or by its last folders."""
    return any(f"/{name}".endswith(f"/{path.removeprefix('./')}") for name in (file.path, file.previous_path) if name)


def _not_in_file(
    quote: Quote | Anchor, files: list[FileChange], start: int | None, end: int | None, *, gaps: bool
) -> str:
    patches = [file.patch for file in files if file.patch]
    if not patches:
        return f"{quote.file} has no text in this diff"
    if _any_patch(quote.text, patches, start, end, gaps=gaps):
        return ""
    if start is not None and _any_patch(quote.text, patches, None, None, gaps=gaps):
        return f"“{short(quote.text)}” is in {quote.file}, but not in lines {start} to {end or start}"
    return f"“{short(quote.text)}” is not in the diff of {quote.file}"


def is_quoted(text: str, evidence: Evidence, *, gaps: bool = True) -> bool:
    """Tell whether words stand in one text of an artefact; an ellipsis may stand for a gap where gaps are allowed."""
    if isinstance(evidence, CommitEvidence):
        patches = [file.patch for file in evidence.change.files if file.patch]
        plain: tuple[str, ...] = (evidence.change.commit.message, "\n".join(evidence.paths))
        return _in_texts(text, plain, gaps=gaps) or _any_patch(text, patches, None, None, gaps=gaps)
    return _in_texts(text, evidence.texts, gaps=gaps)


def _in_texts(text: str, texts: Iterable[str], *, gaps: bool) -> bool:
    wanted, stands = normal(text), stands_in if gaps else stands_whole
    return any(stands(wanted, normalised(one)) for one in texts)


def _any_patch(text: str, patches: Iterable[str], start: int | None, end: int | None, *, gaps: bool) -> bool:
    # A sign may stand apart from its line; that it is there at all is part of what the quotation says.
    forms, stands = {normal(text), normal(_SIGNED.sub(r"\1", text))}, stands_in if gaps else stands_whole
    return any(stands(form, one) for patch in patches for one in readings(patch, start, end) for form in forms)


def short(text: str) -> str:
    """Cut a text for a message."""
    flat = " ".join(text.split())
    return flat if len(flat) <= 80 else f"{flat[:79]}…"


def _listed(paths: tuple[str, ...]) -> str:
    more = len(paths) - 3
    return ", ".join(paths[:3]) + (f" and {more} more" if more > 0 else "") if paths else "no file"
