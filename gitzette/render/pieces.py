"""The smallest pieces of a page: lines, excerpts, citations that open on their evidence, sentences."""

import re
from dataclasses import dataclass, replace
from functools import cached_property

_HAN = re.compile("[\u3400-\u9fff]")
_LETTER = re.compile(r"\w")


@dataclass(frozen=True)
class Line:
    """One line of an excerpt."""

    text: str
    side: str
    """`+`, `-` or empty."""
    marked: bool = False
    """It holds an identifier, a number or words of the sentence that it proves."""


@dataclass(frozen=True)
class Excerpt:
    """Lines of a diff, or words of a message or a thread where `file` is empty."""

    file: str
    lines: tuple[Line, ...]

    def is_part_of(self, other: "Excerpt") -> bool:
        """Tell whether another one shows all of these lines."""
        return self.file == other.file and {one.text for one in self.lines} <= {one.text for one in other.lines}


@dataclass(frozen=True)
class Citation:
    """One cited artefact, and what its evidence opens on."""

    id: str
    name: str
    """As short as it is clear: `a52eff1`, `#2453`, `v0.6.3`."""
    url: str
    title: str = ""
    author: str = ""
    when: str = ""
    place: str = ""
    """The anchor under which the page tells of it; empty where it does not."""
    own: bool = False
    """It is the commit under whose headline the sentence stands."""
    earlier: bool = False
    """It is of an earlier day."""
    excerpts: tuple[Excerpt, ...] = ()
    """The anchor of the sentence, or the lines of its fact; never other lines."""
    grade: str = ""
    """How sure a link to an issue is."""
    records: tuple[str, ...] = ()
    """What such a link rests on."""

    @property
    def opens(self) -> bool:
        """Whether there is anything to open: another artefact always has its title."""
        return bool(self.excerpts or self.records or not self.own)

    @property
    def evidence(self) -> str:
        """Give the text that it opens on."""
        named = () if self.own else (self.title, self.name, self.id)
        lines = (line.text for one in self.excerpts for line in one.lines)
        return "\n".join((*named, *(one.file for one in self.excerpts), *lines, *self.records))


@dataclass(frozen=True)
class Sentence:
    """One claim in the reader's language: words, in which backticks mean code, and citations in their places."""

    id: str
    kind: str
    """`fact`, `quotation`, `stated`, `inferred` or `advice`."""
    role: str
    label: str
    """What stands in front of it: inferred, advice, risk, or who says it."""
    parts: tuple[str | Citation, ...]
    repo: str = ""
    behind: tuple[Citation, ...] = ()
    """Citations that stand behind the words."""
    telling: bool = False
    """A fact of which a brief may be made: it says more than that something changed."""
    aside: str = ""
    """The title of the earlier commit that it speaks of."""
    reported: tuple[Citation, ...] = ()
    """The issues in which it was reported, where nothing else anchors it."""

    @cached_property
    def text(self) -> str:
        """Give the words alone, with the names of what they cite in the middle."""
        return "".join(one if isinstance(one, str) else one.name for one in self.parts).strip()

    @property
    def whole(self) -> str:
        """Give the sentence as it is read, with the title that stands behind it."""
        return f"{self.text} — {self.aside}" if self.aside else self.text

    def apart(self) -> "Sentence":
        """Give the sentence as it stands away from its commit, whose citation is then named."""
        parts = tuple(one if isinstance(one, str) else replace(one, own=False) for one in self.parts)
        return replace(self, parts=parts, behind=tuple(replace(one, own=False) for one in self.behind))

    @cached_property
    def citations(self) -> tuple[Citation, ...]:
        """List what it cites."""
        return (*self.reported, *(one for one in self.parts if isinstance(one, Citation)), *self.behind)

    @cached_property
    def words(self) -> int:
        """Count its words."""
        return words_in(f"{self.label} {self.text}")


def words_in(text: str) -> int:
    """Count words: runs of letters and digits, and two Chinese characters for one."""
    plain, han = _HAN.subn(" ", text)
    return sum(_LETTER.search(word) is not None for word in plain.split()) + (han + 1) // 2
