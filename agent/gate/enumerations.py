"""How many things a sentence lists, beside the number that announces them."""

import re

_AND = r"(?:、|,\s*and\b|,\s*or\b|，?\s*以及|\band\b|\bor\b|与|和|及|或|,|，)"
_SPANS = re.compile(rf"`[^`]+`(?:\s*{_AND}\s*`[^`]+`)+")
# "CPU 与 CUDA 两条路径": a list ends right in front of the number.
_ITEM = "[^，。；：、与和及或]"
_BEHIND = re.compile(rf"(?:{_ITEM}{{1,40}}、)*{_ITEM}{{1,40}}(?:与|和|及|以及|或){_ITEM}{{1,30}}$")
# "two paths: CPU and CUDA", "三种场景：甲、乙、丙".
_AHEAD = re.compile(r"[^，。；：:,.;()（—]{0,40}[:：,，(（—]\s*(?P<list>[^。；;()（）：:]+?)(?:[。；;)）]|\.\s|\.?$)")


def list_lengths(before: str, after: str, text: str) -> set[int]:
    """Count the items of the lists that touch a number, and of every list of code in the text."""
    lengths = {len(re.findall(r"`[^`]+`", run[0])) for run in _SPANS.finditer(text)}
    if behind := _BEHIND.search(before.rstrip()):
        lengths.add(len(re.findall(r"、|以及|与|和|及(?<!以及)|或", behind[0])) + 1)
    if ahead := _AHEAD.match(after):
        lengths.add(len([item for item in re.split(_AND, ahead["list"]) if item.strip()]))
    return {length for length in lengths if length > 1}
