"""Whether words shown as a quotation stand in the cited artefact, in the place that is named."""

import re
from collections.abc import Iterable

from agent.claims import MARK, Claim, Judgement, Quote, Verdict
from agent.domain import FileChange
from agent.dossier import Dossier
from agent.evidence import CommitEvidence, Evidence
from agent.gate.patches import readings
from agent.gate.predicates import prose
from agent.gate.verbatim import normal, normalised, stands_in
from agent.settings import Language

_SIGNED = re.compile(r"^([+-])[ \t]+", re.MULTILINE)
_PASSAGE = re.compile(r"“([^“”]+)”|「([^「」]+)」|『([^『』]+)』|(?<![\w=(])\"([^\"]+)\"(?!\w)")
_SAYS = re.compile(
    r"(?:says?|said|writes?|wrote|titled|reads?|states?|stated|called|写道|写到|称|说|表示|指出|题为|标题为|原文)"
    r"(?:\s*\[@\d+\])?\s*[:：,，]?\s*$"
)
_WORDS = re.compile(r"[A-Za-z0-9_]+")
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
# Shorter ones are mostly words held at arm's length, not words of somebody.
_FEW_WORDS = 3
_FEW_SIGNS = 8


def quotes(claim: Claim, dossier: Dossier, lang: Language) -> Judgement | None:
    """Find the first quotation that is not verbatim."""
    for quote in claim.quotes:
        if reason := _misquoted(quote, dossier.found[quote.cite]):
            return Judgement(verdict=Verdict.QUOTE, reason=reason, check="verbatim", about=quote.cite)
    evidence = [dossier.found[cite] for cite in claim.sources]
    for passage in passages(prose(claim, lang)):
        if not any(is_quoted(passage, one) for one in evidence):
            reason = f"“{_short(passage)}” is set in quotation marks, and no cited evidence has these words"
            return Judgement(verdict=Verdict.QUOTE, reason=reason, check="passage")
    return None


def passages(text: str) -> list[str]:
    """Find what a text sets in quotation marks as the words of somebody else."""
    found: list[str] = []
    for match in _PASSAGE.finditer(text):
        passage = next(group for group in match.groups() if group)
        long = len(_WORDS.findall(passage)) >= _FEW_WORDS or len(_CHINESE.findall(passage)) >= _FEW_SIGNS
        if long or _SAYS.search(text[: match.start()]):
            found.append(MARK.sub("", passage))
    return found


def _misquoted(quote: Quote, evidence: Evidence) -> str:
    """Say why a quotation fails; nothing when it stands."""
    if not normal(quote.text):
        return "the quotation is empty"
    if quote.file is None:
        return "" if is_quoted(quote.text, evidence) else f"“{_short(quote.text)}” is not in {evidence.id}"
    if not isinstance(evidence, CommitEvidence):
        return f"{evidence.id} has no files, so {quote.file} cannot be quoted from it"
    files = [file for file in evidence.change.files if quote.file in (file.path, file.previous_path)]
    if not files:
        return f"{evidence.id} does not touch {quote.file}; it touches {_listed(evidence.paths)}"
    return _not_in_file(quote, files)


def _not_in_file(quote: Quote, files: list[FileChange]) -> str:
    patches = [file.patch for file in files if file.patch]
    if not patches:
        return f"{quote.file} has no text in this diff"
    if _any_patch(quote.text, patches, quote.start, quote.end):
        return ""
    if quote.start is not None and _any_patch(quote.text, patches, None, None):
        return (
            f"“{_short(quote.text)}” is in {quote.file}, but not in lines {quote.start} to {quote.end or quote.start}"
        )
    return f"“{_short(quote.text)}” is not in the diff of {quote.file}"


def is_quoted(text: str, evidence: Evidence) -> bool:
    """Tell whether words stand in one text of an artefact."""
    if isinstance(evidence, CommitEvidence):
        patches = [file.patch for file in evidence.change.files if file.patch]
        plain: tuple[str, ...] = (evidence.change.commit.message, "\n".join(evidence.paths))
        return _in_texts(text, plain) or _any_patch(text, patches, None, None)
    return _in_texts(text, evidence.texts)


def _in_texts(text: str, texts: Iterable[str]) -> bool:
    wanted = normal(text)
    return any(stands_in(wanted, normalised(one)) for one in texts)


def _any_patch(text: str, patches: Iterable[str], start: int | None, end: int | None) -> bool:
    # A sign may stand apart from its line; that it is there at all is part of what the quotation says.
    forms = {normal(text), normal(_SIGNED.sub(r"\1", text))}
    return any(stands_in(form, one) for patch in patches for one in readings(patch, start, end) for form in forms)


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 80 else f"{flat[:79]}…"


def _listed(paths: tuple[str, ...]) -> str:
    more = len(paths) - 3
    return ", ".join(paths[:3]) + (f" and {more} more" if more > 0 else "") if paths else "no file"
