"""The surroundings of a change: code that a reader needs besides the diff to know what it does."""

from agent.domain.base import Frozen


class CodePassage(Frozen):
    """A stretch of a file as it is after a commit, with the lines that the commit changed marked.

    Every line begins with its sign, as in a diff: a blank, `+` for an added line, `-` for a
    removed one. Removed lines have no number of their own.
    """

    file: str
    first: int  # The number of the first line in the new version of the file
    lines: tuple[str, ...]
    scopes: tuple[str, ...] = ()
    """First lines of what encloses the passage, outermost first: `class Scheduler:`, `#ifdef HIP`."""

    @property
    def last(self) -> int:
        """The number of the last line in the new version of the file."""
        kept = sum(not line.startswith("-") for line in self.lines)
        return self.first + max(kept, 1) - 1

    @property
    def changed(self) -> int:
        """The number of lines that the commit added or removed here."""
        return sum(line[:1] in ("+", "-") for line in self.lines)


class Use(Frozen):
    """One line of the repository, as it is after a commit, that has a certain name."""

    file: str
    line: int
    text: str
    in_tests: bool = False
    following: tuple[str, ...] = ()  # Lines below a condition, which it decides over


class NameUses(Frozen):
    """Uses of a name that a commit changes, in other places of the repository."""

    name: str
    uses: tuple[Use, ...] = ()
    more: int = 0  # How many further lines have the name
    are_siblings: bool = False
    """Whether these are other implementations of a base class, or others that are registered so."""

    @property
    def only_in_tests(self) -> bool:
        """True where nothing but tests has the name."""
        return bool(self.uses) and not self.more and all(use.in_tests for use in self.uses)


class Definition(Frozen):
    """The definition of a name that decides whether the change takes effect."""

    name: str
    passage: CodePassage
    documentation: tuple[int, ...] = ()  # Positions of the passage's lines that are a docstring


class Surroundings(Frozen):
    """The code around a change in the repository, as it is after the commit."""

    passages: tuple[CodePassage, ...] = ()
    uses: tuple[NameUses, ...] = ()
    definitions: tuple[Definition, ...] = ()
    searched: bool = False  # Whether the whole tree could be searched for uses and definitions
    releases: tuple[str, ...] = ()
    """What code says about which releases have this commit and those it goes back to."""


NO_SURROUNDINGS = Surroundings()
