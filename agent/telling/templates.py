"""The sentences that code writes: each is a predicate with its values, and reads the same in every language."""

import json
from collections.abc import Callable, Mapping, Sequence

from agent.domain.base import Language
from agent.domain.facts import Fact, FactKind, Severity
from agent.stories.serials import series_sentence
from agent.telling.catalogue import catalogue
from agent.telling.change_sentences import change_sentence
from agent.telling.phrasing import Phrases, phrases_of
from agent.telling.troubles import trouble_sentence

Params = Mapping[str, str]


def _change(facts: Sequence[Fact], phrases: Phrases) -> str | None:
    return change_sentence(facts, phrases)


def _risk(facts: Sequence[Fact], phrases: Phrases) -> str | None:
    return trouble_sentence(facts, phrases.risk, phrases)


def _advice(facts: Sequence[Fact], phrases: Phrases) -> str | None:
    return trouble_sentence(facts, phrases.advice, phrases)


_MADE: Mapping[str, Callable[[Sequence[Fact], Phrases], str | None]] = {
    "fact": _change,
    "facts": _change,
    "risk": _risk,
    "risks": _risk,
    "advice": _advice,
    "advices": _advice,
}
SEVERAL = {"fact": "facts", "risk": "risks", "advice": "advices"}
"""What a statement about one fact is called when it is about several."""


def sentence(predicate: str, params: Params, lang: Language) -> str | None:
    """Write the sentence; None where the values give none, as for the risk of something that has no risk."""
    if predicate == "series":
        return series_sentence(params, lang)
    if predicate == "changes lines":
        days = int(params["days"])
        lines: list[str] = catalogue(lang)["facts"]["changes_lines"]
        return lines[days > 1].format(days)
    if predicate in (fixed := _fixed(lang)):
        return fixed[predicate]
    return _MADE[predicate](facts_of(params), phrases_of(lang))


def _fixed(lang: Language) -> Mapping[str, str]:
    """Give the sentences whose only values are what they cite, and a number of days."""
    fixed: Mapping[str, str] = catalogue(lang)["facts"]["fixed"]
    return fixed


def names_alone(predicate: str, text: str, lang: Language) -> str | None:
    """Give the names of a sentence that says no more than that lines of them change; None where it says more."""
    before, after = phrases_of(lang).without_values[FactKind.CODE_CHANGED].split("{name}")
    if predicate not in ("fact", "facts") or not (text.startswith(before) and text.endswith(after)):
        return None
    return text.removeprefix(before).removesuffix(after)


def params_of(fact: Fact) -> dict[str, str]:
    """Give a fact's values as those of a statement."""
    values = {
        "kind": fact.kind.value,
        "severity": fact.severity.value,
        "name": fact.name,
        "old": fact.old,
        "new": fact.new,
        "detail": fact.detail,
    }
    return {key: value for key, value in values.items() if value is not None}


def params_of_several(facts: Sequence[Fact]) -> dict[str, str]:
    """Give the values of several facts as those of one statement."""
    told = [params_of(fact) for fact in facts]
    return {"facts": json.dumps(told, ensure_ascii=False, separators=(",", ":"))}


def facts_of(params: Params) -> tuple[Fact, ...]:
    """Read the values back; what is no list of facts is a ValueError."""
    if "facts" not in params:
        return (fact_of(params),)
    told = json.loads(params["facts"])
    if not isinstance(told, list) or not told or not all(isinstance(one, dict) and "name" in one for one in told):
        raise ValueError("no list of facts")
    return tuple(fact_of(one) for one in told)


def fact_of(params: Params) -> Fact:
    """Read the values of one fact back."""
    return Fact(
        kind=FactKind(params["kind"]),
        severity=Severity(params.get("severity", Severity.BEHAVIOUR.value)),
        name=params["name"],
        old=params.get("old"),
        new=params.get("new"),
        detail=params.get("detail"),
    )
