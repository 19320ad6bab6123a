"""How a part of a series is told: its number, the others that have landed, and those that have not."""

from collections.abc import Mapping

from agent.domain.base import Language
from agent.telling.catalogue import catalogue


def series_sentence(params: Mapping[str, str], lang: Language) -> str:
    """Write the sentence; the parts that have landed are cited in the order of their marks."""
    say: Mapping[str, str] = catalogue(lang)["facts"]["series"]
    total, missing = params.get("total"), params.get("missing", "").split()
    text = say["part_of"].format(params["part"], total) if total else say["part"].format(params["part"])
    marked = [(int(part), mark) for mark, part in enumerate(params.get("landed", "").split(), start=2)]
    landed = [say["one"].format(part, mark) for part, mark in sorted(marked)]
    if landed:
        text += say["landed"].format(say["list"].join(landed))
    if missing:
        text += say["missing" if len(missing) == 1 else "several"].format(say["list"].join(missing))
    return text + say["end"]
