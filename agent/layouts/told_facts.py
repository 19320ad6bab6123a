"""Which facts and links of a commit the sentences of its analysis tell already."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence

from agent.claims import Claim
from agent.evidence import EvidenceId
from agent.facts import Severity

_FACTS = ("fact", "facts", "risk", "risks", "advice", "advices")
_PARAMETER = "parameter-"
_SHORT = 7


def is_breaking(claim: Claim) -> bool:
    """Tell whether a claim of the rules speaks of something that breaks what worked."""
    return any(values.get("severity") == Severity.BREAKING for values in _facts(claim))


def is_told(claim: Claim, sentences: Sequence[Claim]) -> bool:
    """Tell whether sentences of analysis say what a claim of the rules says.

    A fact is told where one sentence or its anchors have its name and its values; a link where a sentence names what it
    leads to.
    """
    if claim.predicate in _FACTS:
        facts = _facts(claim)
        gravest = [values for values in facts if values.get("severity") == Severity.BREAKING] or facts
        texts = [_literals(sentence) for sentence in sentences]
        return all(any(_has(text, values) for text in texts) for values in gravest)
    others = linked(claim)
    return bool(others) and any(all(_names(text, cite) for cite in others) for text in map(_literals, sentences))


def linked(claim: Claim) -> set[EvidenceId]:
    """Give what a claim names beside the commit that it is about; attributed speech names nothing."""
    return set() if claim.speech else set(claim.sources) - set(claim.about[:1])


def _names(text: str, cite: EvidenceId) -> bool:
    """Tell whether a text names a thread by its number, a commit by its hash, a release by its tag."""
    if "#" in cite:
        return _stands(f"#{cite.rpartition('#')[2]}", text)
    name = cite.rpartition("@")[2]
    return name[:_SHORT] in text if re.fullmatch("[0-9a-f]{40}", name) else _stands(name, text)


def _facts(claim: Claim) -> list[Mapping[str, str]]:
    if claim.predicate not in _FACTS:
        return []
    try:
        listed = json.loads(claim.params["facts"]) if "facts" in claim.params else [claim.params]
    except ValueError:
        # A report that was changed by hand is shown as far as it can be read.
        return []
    return [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []


def _literals(sentence: Claim) -> str:
    return "\n".join((*sentence.text.values(), *(anchor.text for anchor in sentence.anchors)))


def _has(text: str, values: Mapping[str, str]) -> bool:
    wanted = [_short(name) for name in values.get("name", "").split(", ")]
    wanted += [values[key] for key in ("old", "new") if values.get(key)]
    if values.get("kind", "").startswith(_PARAMETER):
        wanted.append(values.get("detail", ""))
    return all(_stands(one, text) for one in wanted if one)


def _short(name: str) -> str:
    """Give the last part of a qualified name, by which a sentence may call it."""
    return re.split(r"\.(?=\w+$)|::(?=\w+$)", name)[-1] if "/" not in name else name


def _stands(literal: str, text: str) -> bool:
    """Find a literal that is no part of a longer word or number."""
    before, after = (r"(?<!\w)" if literal[:1].isalnum() else ""), (r"(?!\w)" if literal[-1:].isalnum() else "")
    return re.search(f"{before}{re.escape(literal)}{after}", text, re.ASCII) is not None


def untold(claims: Iterable[Claim], sentences: Sequence[Claim]) -> list[Claim]:
    """Choose what stays in sight beside analysis: breaking facts and links that no sentence tells."""
    return [
        claim
        for claim in claims
        if not claim.speech and (is_breaking(claim) or linked(claim)) and not is_told(claim, sentences)
    ]
