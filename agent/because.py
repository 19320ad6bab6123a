"""Why an issue is likely fixed although nobody says so, in words."""

from collections.abc import Mapping, Sequence

from agent.markdown import code
from agent.settings import Language

_MOST = 3
_FORMS: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "error": "both have the error text {}",
        "name": "both name {}",
        "file": "the issue names {}, which the change touches",
        "word": "both titles speak of {}",
        "closed": "the issue was closed soon after the landing",
        "reporter": "the reporter wrote the change",
    },
    "zh": {
        "error": "两者都有报错文字 {}",
        "name": "两者都提到 {}",
        "file": "issue 提到的 {} 被该提交改动",
        "word": "两者标题都说到 {}",
        "closed": "合入后不久 issue 即被关闭",
        "reporter": "报告者就是改动的作者",
    },
}
_AND: Mapping[Language, tuple[str, str]] = {"en": (", ", "; "), "zh": ("、", "；")}
_LIKELY: Mapping[Language, str] = {"en": "Likely fixes [@2] because {}.", "zh": "可能修复 [@2]，因为{}。"}


def reasons_of(evidence: Sequence[str]) -> tuple[str, ...]:
    """Take from a link's evidence what a sentence can tell; scores are for machines."""
    return tuple(one for one in evidence if one.partition(": ")[0] in _FORMS["en"] and ": " in one)


def because(reasons: Sequence[str], lang: Language) -> str:
    """Tell the strongest reasons, as Markdown; empty where there is none."""
    values: dict[str, list[str]] = {}
    for reason in reasons:
        kind, _, value = reason.partition(": ")
        if kind in _FORMS[lang]:
            values.setdefault(kind, []).append(code(value))
    between, apart = _AND[lang]
    kinds = [kind for kind in _FORMS[lang] if kind in values][:_MOST]
    return apart.join(_FORMS[lang][kind].format(between.join(values[kind])) for kind in kinds)


def likely_sentence(params: Mapping[str, str], lang: Language) -> str:
    """Write the sentence of a link of grade C from the reasons that its evidence gives, one in a line."""
    return _LIKELY[lang].format(because(params["because"].split("\n"), lang))
