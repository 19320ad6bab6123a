"""How a part of a series is told: its number, the others that have landed, and those that have not."""

from collections.abc import Mapping

from agent.settings import Language

_PART: Mapping[Language, str] = {"en": "Part {} of a series", "zh": "系列的第 {} 部分"}
_PART_OF: Mapping[Language, str] = {"en": "Part {} of {}", "zh": "共 {1} 部分的系列中的第 {0} 部分"}
_LANDED: Mapping[Language, str] = {"en": "; landed: {}", "zh": "；已合入：{}"}
_ONE: Mapping[Language, str] = {"en": "part {} [@{}]", "zh": "第 {} 部分 [@{}]"}
_MISSING: Mapping[Language, str] = {"en": "; part {} has not landed", "zh": "；第 {} 部分尚未合入"}
_SEVERAL: Mapping[Language, str] = {"en": "; parts {} have not landed", "zh": "；第 {} 部分均尚未合入"}
_LIST: Mapping[Language, str] = {"en": ", ", "zh": "、"}
_END: Mapping[Language, str] = {"en": ".", "zh": "。"}


def series_sentence(params: Mapping[str, str], lang: Language) -> str:
    """Write the sentence; the parts that have landed are cited in the order of their marks."""
    total, missing = params.get("total"), params.get("missing", "").split()
    text = _PART_OF[lang].format(params["part"], total) if total else _PART[lang].format(params["part"])
    marked = [(int(part), mark) for mark, part in enumerate(params.get("landed", "").split(), start=2)]
    landed = [_ONE[lang].format(part, mark) for part, mark in sorted(marked)]
    if landed:
        text += _LANDED[lang].format(_LIST[lang].join(landed))
    if missing:
        form = _MISSING if len(missing) == 1 else _SEVERAL
        text += form[lang].format(_LIST[lang].join(missing))
    return text + _END[lang]
