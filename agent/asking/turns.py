"""What a sentence says that something turned from and into: renamed, replaced, swapped, set to another value."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from agent.asking.stems import parts, stem

_SIGNS = "`'\"“”「」"
_OLD, _NEW = (rf"[{_SIGNS}]?(?P<{side}>[^,;:?!，。；：？！()从由把将]{{1,48}}?)[{_SIGNS}]?" for side in ("old", "new"))
_END = r"(?=\s*(?:$|[,;:?!，。；：？！(]|\.(?!\d)|\b(?:in|for|on|at|by|when|since|under|and)\b|的|是|了|吗|那))"
_BECAME = (
    "(?:又|再|被|直接|重新)*(?:改名|重命名|替换|切换|改|换|切|变|调|设|降|升|提|迁|移|退)(?:回|成|为|到|至|叫)+了?"
)
_VERBS = r"(?:chang|switch|mov|migrat|set|rais|lower|bump|upgrad|downgrad|flip|convert|default|back)\w*|went|goes"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"\brenam\w*\s+(?:the\s+)?{_OLD}\s+(?:to|as|into)\s+{_NEW}{_END}",
        rf"\bfrom\s+{_OLD}\s+(?:back\s+)?to\s+{_NEW}{_END}",
        rf"\b(?:replac|swap|substitut|exchang)\w*\s+(?:the\s+)?{_OLD}\s+(?:with|by|for)\s+{_NEW}{_END}",
        rf"\b(?:us|adopt|prefer|pass|return|rais)\w*\s+{_NEW}\s+(?:\w+\s+)?(?:instead of|rather than|in place of)\s+"
        rf"{_OLD}{_END}",
        rf"(?:从|由|把|将)\s*{_OLD}\s*{_BECAME}\s*{_NEW}{_END}",
        rf"用\s*{_NEW}\s*(?:代替|替代|取代|替换|顶替)(?:了|掉)?\s*{_OLD}{_END}",
        rf"\b(?:{_VERBS})\s+(?:back\s+)?to\s+(?!(?:on|in|at|the end)\b){_NEW}{_END}",
        rf"\b(?:use|using|adopt|became|becomes|is now|are now|set as)\s+{_NEW}{_END}",
        rf"(?<!名){_BECAME}\s*{_NEW}{_END}",
    )
)
"""Those that tell both sides come first."""
_WORD = re.compile(r"\d+(?:\.\d+)+|[A-Za-z0-9_]+|[\u4e00-\u9fff]+")
_ASKING = frozenset(("what", "which", "how", "多少", "什么", "啥", "几", "哪个"))
_LONGEST = 40


@dataclass(frozen=True)
class Turn:
    """The words of what was, and of what is; the old ones may be untold."""

    old: frozenset[str]
    new: frozenset[str]

    @classmethod
    def of(cls, old: str, new: str) -> "Turn":
        """Take the words of both sides; those that both have say nothing."""
        before, after = _words(old), _words(new)
        return cls(before - after, after - before)

    def agrees(self, other: "Turn") -> bool:
        """Tell whether both go the same way."""
        return self._along(other) > self._against(other)

    def opposes(self, other: "Turn") -> bool:
        """Tell whether one comes from where the other goes to."""
        return self._against(other) > self._along(other)

    def _along(self, other: "Turn") -> int:
        return len(self.old & other.old) + len(self.new & other.new)

    def _against(self, other: "Turn") -> int:
        return len(self.old & other.new) + len(self.new & other.old)


def turns_of(text: str) -> Iterator[Turn]:
    """Find what a sentence says that something turned into; where it tells both sides, those alone."""
    told = [(found, "old" in form.groupindex) for form in _FORMS for found in form.finditer(text)]
    whole = [one for one in told if one[1]] or told
    for found, both in whole:
        turn = Turn.of(found["old"] if both else "", found["new"])
        if turn.old or (turn.new and not both):
            yield turn


def turn_between(old: str | None, new: str | None) -> Turn | None:
    """Take two values of something for a turn, where there was one before; long ones are texts, and no values."""
    if not new or max(len(old or ""), len(new)) > _LONGEST:
        return None
    return Turn.of(old or "", new)


def _words(text: str) -> frozenset[str]:
    found: set[str] = set()
    for word in _WORD.findall(text):
        found |= {stem(part) if part.isalpha() else part for part in parts(word) or [word]}
    return frozenset((found | {word.lower() for word in _WORD.findall(text)}) - _ASKING)
