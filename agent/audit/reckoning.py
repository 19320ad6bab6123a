"""What our rules say of a commit: the sentences of its facts, made again to be compared with what a report prints."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import lru_cache

from agent.audit.markdown_blocks import read_blocks
from agent.conventions import Purpose
from agent.domain import Change
from agent.facts import Fact, FactKind, FactSheet
from agent.markdown import inline, visible
from agent.settings import Language
from agent.telling import Group, changed_functions, told_groups
from agent.templates import SEVERAL, params_of, params_of_several, sentence
from agent.triage import weigh

_NEAR = 0.7
_MOST = 6
"""How many sentences of facts an entry has at most."""
_LINEAGE = {"undoes": FactKind.REVERT, "relands": FactKind.RELAND}
_SIGNS = ("+- ", "+", "-")
"""Of the lines of a place all are shown, or those that came, or those that went."""


@dataclass(frozen=True)
class Reckoning:
    """The facts of one commit, by its patch alone and, where they could be read, with its whole files."""

    change: Change
    skimmed: FactSheet
    studied: FactSheet | None = None
    _told: dict[tuple[str, Language], tuple[str, ...]] = field(default_factory=dict, repr=False, compare=False)

    def sentences(self, predicate: str, lang: Language) -> tuple[str, ...]:
        """Give every sentence that may stand for a fact, a risk or an advice, as a page shows it."""
        key = (predicate, lang)
        if key not in self._told:
            made = (text for sheet in self._sheets for text in _made(sheet.facts, predicate, lang))
            self._told[key] = tuple(dict.fromkeys(shown(text) for text in made))
        return self._told[key]

    def nearest(self, text: str, predicate: str, lang: Language) -> str:
        """Find the sentence that a text was before somebody changed it; empty where it is another one."""
        scored = [(_likeness(text, one), one) for one in self.sentences(predicate, lang)]
        best, found = max(scored, default=(0.0, ""))
        return found if best >= _NEAR else ""

    def partners(self, predicate: str) -> Iterator[str]:
        """Name the commits that this one undoes or brings back: hashes, and numbers of pull requests as `#n`."""
        for sheet in self._sheets:
            for fact in sheet.facts:
                if fact.kind is _LINEAGE[predicate]:
                    yield fact.old or ""
                    yield "#" + fact.name.rpartition("#")[2]

    def proves(self, excerpt: str) -> bool:
        """Tell whether an excerpt has the place of a fact, and so stands for a sentence about it.

        Around the lines that went or came there may stand what was changed beside them.
        """
        shown_ = [visible(line) for line in excerpt.split("\n")]
        groups = (group for sheet in self._sheets for group in _groups(sheet.facts)[:_MOST])
        places = (place for group in groups for fact in group for place in fact.places[:1])
        picks = ([visible(line) for line in place.lines if line[:1] in signs] for place in places for signs in _SIGNS)
        return any(pick and _stands_in(pick, shown_) for pick in picks)

    def purposes(self, labels: Sequence[str], *, studied: bool | None = None) -> set[Purpose | None]:
        """Tell what the change is for, by each reading of it."""
        sheets = self._sheets if studied is None or self.studied is None else self._sheets[: 1 if studied else None]
        sheets = sheets if studied is not False else (self.skimmed,)
        return {weigh(self.change, sheet, labels=labels).purpose for sheet in sheets}

    @property
    def _sheets(self) -> tuple[FactSheet, ...]:
        return (self.studied, self.skimmed) if self.studied else (self.skimmed,)


def _groups(facts: Sequence[Fact]) -> list[Group]:
    """Group what an entry tells; where it has nothing else to tell, the functions of which lines changed."""
    return told_groups(facts) or changed_functions(facts)


def _made(facts: Sequence[Fact], predicate: str, lang: Language) -> Iterator[str]:
    for group in _groups(facts):
        several = len(group) > 1
        params = params_of_several(group) if several else params_of(group[0])
        if text := sentence(SEVERAL[predicate] if several else predicate, params, lang):
            yield text


@lru_cache(maxsize=4096)
def shown(text: str) -> str:
    """Give words of ours as they read on a page."""
    return " ".join(read_blocks(f"- {inline(text)}")[0].text.split())


def _likeness(one: str, other: str) -> float:
    if abs(len(one) - len(other)) > max(len(one), len(other)) // 2:
        return 0.0
    return SequenceMatcher(None, one, other, autojunk=False).ratio()


def _stands_in(lines: Sequence[str], others: Sequence[str]) -> bool:
    """Tell whether lines follow one another among others."""
    return any(others[at : at + len(lines)] == lines for at in range(len(others) - len(lines) + 1))
