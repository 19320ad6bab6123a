"""The sentences that code writes: each is a predicate with its values, and reads the same in every language."""

from collections.abc import Callable, Mapping

from agent.facts import Fact, FactKind, Severity
from agent.phrases_en import PHRASES as EN
from agent.phrases_zh import PHRASES as ZH
from agent.phrasing import Phrases, advice_sentence, change_sentence, risk_sentence
from agent.settings import Language

_PHRASES: Mapping[Language, Phrases] = {"en": EN, "zh": ZH}
Params = Mapping[str, str]

_FIXED: Mapping[str, Mapping[Language, str]] = {
    "undoes": {"en": "Undoes [@2].", "zh": "撤销 [@2]。"},
    "relands": {"en": "Lands [@2] again.", "zh": "重新合入 [@2]。"},
    "fixes": {"en": "Fixes [@2].", "zh": "修复 [@2]。"},
    "undone": {"en": "Undone the same day by [@2].", "zh": "当日已被 [@2] 撤销。"},
}
"""Sentences whose only values are what they cite."""


def _of_fact(tell: Callable[[Fact, Phrases], str | None]) -> Callable[[Params, Language], str | None]:
    return lambda params, lang: tell(fact_of(params), _PHRASES[lang])


_MADE: Mapping[str, Callable[[Params, Language], str | None]] = {
    "fact": _of_fact(change_sentence),
    "risk": _of_fact(risk_sentence),
    "advice": _of_fact(advice_sentence),
}


def has_template(predicate: str) -> bool:
    """Tell whether code, and nobody else, writes the words of this kind of statement."""
    return predicate in _FIXED or predicate in _MADE


def sentence(predicate: str, params: Params, lang: Language) -> str | None:
    """Write the sentence; None where the values give none, as for the risk of something that has no risk."""
    fixed = _FIXED.get(predicate)
    return fixed[lang] if fixed else _MADE[predicate](params, lang)


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


def fact_of(params: Params) -> Fact:
    """Read the values back."""
    return Fact(
        kind=FactKind(params["kind"]),
        severity=Severity(params.get("severity", Severity.BEHAVIOUR.value)),
        name=params["name"],
        old=params.get("old"),
        new=params.get("new"),
        detail=params.get("detail"),
    )
