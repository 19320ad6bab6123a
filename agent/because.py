"""Why an issue is likely fixed, or something of another repository taken up, although nobody says so, in words."""

from collections.abc import Mapping, Sequence
from typing import Any

from agent.catalogue import catalogue
from agent.markdown import code
from agent.settings import Language

_MOST = 3
_REASONS = ("error", "name", "file", "word", "closed", "reporter")
"""Reasons that a sentence can tell, the strongest first."""


def reasons_of(evidence: Sequence[str]) -> tuple[str, ...]:
    """Take from a link's evidence what a sentence can tell; scores are for machines."""
    return tuple(one for one in evidence if one.partition(": ")[0] in _REASONS and ": " in one)


def because(reasons: Sequence[str], lang: Language) -> str:
    """Tell the strongest reasons, as Markdown; empty where there is none."""
    say = _words(lang)
    values: dict[str, list[str]] = {}
    for reason in reasons:
        kind, _, value = reason.partition(": ")
        if kind in _REASONS:
            values.setdefault(kind, []).append(code(value))
    between, apart = say["and"]
    kinds = [kind for kind in _REASONS if kind in values][:_MOST]
    return str(apart.join(say[kind].format(between.join(values[kind])) for kind in kinds))


def likely_sentence(params: Mapping[str, str], lang: Language) -> str:
    """Write the sentence of a link of grade C from the reasons that its evidence gives, one in a line."""
    return str(_words(lang)["likely"].format(because(params["because"].split("\n"), lang)))


def adoption_sentence(params: Mapping[str, str], lang: Language) -> str:
    """Write which names a commit uses that another repository's one brought."""
    say = _words(lang)
    return str(say["adopts"].format(say["and"][0].join(map(code, params["names"].split()))))


def _words(lang: Language) -> dict[str, Any]:
    words: dict[str, Any] = catalogue(lang)["facts"]["because"]
    return words
