"""The sentences that code writes: each is a predicate with its values, and reads the same in every language."""

import json
from collections.abc import Callable, Mapping, Sequence

from agent.change_sentences import change_sentence
from agent.facts import Fact, FactKind, Severity
from agent.phrases_en import PHRASES as EN
from agent.phrases_zh import PHRASES as ZH
from agent.phrasing import Phrases
from agent.serials import series_sentence
from agent.settings import Language
from agent.troubles import trouble_sentence

_PHRASES: Mapping[Language, Phrases] = {"en": EN, "zh": ZH}
Params = Mapping[str, str]

_FIXED: Mapping[str, Mapping[Language, str]] = {
    "undoes": {"en": "Reverts [@2].", "zh": "撤销 [@2]。"},
    "relands": {"en": "Relands [@2].", "zh": "重新合入 [@2]。"},
    "fixes": {"en": "Fixes [@2].", "zh": "修复 [@2]。"},
    "likely fixes": {
        "en": "Likely fixes [@2]: nobody says so, a model that read both does.",
        "zh": "可能修复 [@2]：没有人这样写明，由模型读过两者后得出。",
    },
    "undone": {"en": "Reverted by [@2].", "zh": "已被 [@2] 撤销。"},
    "relands part": {
        "en": "Relands a part of [@2], which [@3] had reverted.",
        "zh": "重新合入 [@2] 的一部分，该提交曾被 [@3] 撤销。",
    },
    "undoes part": {"en": "Reverts a part of [@2].", "zh": "撤销 [@2] 的一部分。"},
    "mends": {"en": "Mends what [@2] introduced.", "zh": "修复 [@2] 引入的问题。"},
    "continues": {"en": "Continues [@2].", "zh": "继续 [@2] 的工作。"},
    "same work": {"en": "Is the same work as [@2].", "zh": "与 [@2] 是同一工作。"},
    "refers to": {"en": "Refers to [@2].", "zh": "提到 [@2]。"},
    "refers as said": {"en": "Refers to [@3] in [@2].", "zh": "在 [@2] 中提到 [@3]。"},
    "takes in": {"en": "Takes in [@2].", "zh": "引入 [@2]。"},
}
"""Sentences whose only values are what they cite."""
_LINES: Mapping[Language, tuple[str, str]] = {
    "en": ("Changes lines that [@2] brought within a day before.", "Changes lines that [@2] brought {} days before."),
    "zh": ("改动了 [@2] 在一天之内写入的行。", "改动了 [@2] 在 {} 天前写入的行。"),
}


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


def has_template(predicate: str) -> bool:
    """Tell whether code, and nobody else, writes the words of this kind of statement."""
    return predicate in _FIXED or predicate in _MADE or predicate in ("series", "changes lines")


def sentence(predicate: str, params: Params, lang: Language) -> str | None:
    """Write the sentence; None where the values give none, as for the risk of something that has no risk."""
    if predicate == "series":
        return series_sentence(params, lang)
    if predicate == "changes lines":
        return _LINES[lang][int(params["days"]) > 1].format(params["days"])
    fixed = _FIXED.get(predicate)
    return fixed[lang] if fixed else _MADE[predicate](facts_of(params), _PHRASES[lang])


def names_alone(predicate: str, text: str, lang: Language) -> str | None:
    """Give the names of a sentence that says no more than that lines of them change; None where it says more."""
    before, after = _PHRASES[lang].without_values[FactKind.CODE_CHANGED].split("{name}")
    if predicate not in ("fact", "facts") or not (text.startswith(before) and text.endswith(after)):
        return None
    return text.removeprefix(before).removesuffix(after)


def of_names_alone(names: str, lang: Language) -> str:
    """Write the sentence that says of names that lines of them change."""
    return _PHRASES[lang].without_values[FactKind.CODE_CHANGED].format(name=names)


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
