"""A claim before anything is cited, with the versions of it that are wrong by construction."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from agent.claims import Quote
from agent.settings import Language
from evals.sets.mutants_case import Operator

Words = Mapping[Language, str]
_LONGEST = 48


@dataclass(frozen=True, kw_only=True)
class Draft:
    """A claim before anything is cited: a predicate with its values, and words in both languages or none."""

    predicate: str
    params: Mapping[str, str] = field(default_factory=dict)
    words: Words = field(default_factory=dict)
    now: Words = field(default_factory=dict)
    """The same told as what is there now, where it can be."""
    quotes: tuple[Quote, ...] = ()
    bound: bool = False
    """Whether it can be true of no commit but the one it was made of, nor of that one together with another."""
    wrong: tuple[tuple[Operator, "Draft"], ...] = ()


def with_wrong(draft: Draft, *wrong: tuple[Operator, Draft]) -> Draft:
    """Give a claim the versions of it that are wrong."""
    return replace(draft, wrong=wrong)


def plain(text: str) -> bool:
    """Tell whether a value can stand in a sentence as one name."""
    return 1 < len(text) <= _LONGEST and text.isprintable() and not set("`,") & set(text) and text == text.strip()
