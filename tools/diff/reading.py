"""What a file declares, whatever its language: symbols, and sites that a user can set, call or run into.

A reader turns one version of one file (or a fragment of it, cut from a hunk) into a `Reading`; comparing two readings
gives the facts. Readers never compare, never look at the other version and never raise on bad input.
"""

from collections.abc import Callable, Set
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, Protocol

SymbolKind = Literal[
    "function", "method", "class", "struct", "enum", "member", "field", "constant", "variable", "type", "macro", "trait"
]
SiteKind = Literal[
    "flag",
    "env",
    "config",
    "route",
    "dependency",
    "version",
    "image",
    "deprecation",
    "error",
    "assertion",
    "warning",
    "limit",
    "constant",
    "registration",
]


ELSE: Final = "…"
"""Stands for a branch that is taken where other conditions do not hold."""


class Late:
    """A text that is made when somebody looks at it; most shapes are never compared."""

    __slots__ = ("_make", "_text")

    def __init__(self, make: Callable[[], str]) -> None:
        self._make: Callable[[], str] | None = make
        self._text = ""

    def __str__(self) -> str:
        if self._make is not None:
            self._text, self._make = self._make(), None
        return self._text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str | Late) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def __bool__(self) -> bool:
        return bool(str(self))


class Param(NamedTuple):
    """One parameter of a signature, as written."""

    name: str
    default: str | None = None
    annotation: str | None = None
    star: Literal["", "*", "**"] = ""
    keyword_only: bool = False
    positional_only: bool = False


class Special(NamedTuple):
    """A partial specialisation: of which template, for which arguments."""

    owner: str
    arguments: str
    likened: str
    """The arguments without what the specialisation calls its own parameters, by which two versions are compared."""


class Symbol(NamedTuple):
    """Something with a name that other code can use."""

    name: str
    """Qualified inside the file with dots in every language: `Cache.match_prefix`, `moe.ActType.SwiGlu`."""
    kind: SymbolKind
    start: int
    """First line, counted from 1, of the declaration (with decorators and attributes)."""
    end: int
    """Last line of the whole declaration, its body included."""
    head: int
    """Last line of the declaration's head: signature, bases, value; the body begins after it."""
    public: bool
    params: tuple[Param, ...] | None = None
    """None for what has no signature; receivers (`self`, `cls`, `&self`) are left out."""
    returns: str | None = None
    bases: tuple[str, ...] = ()
    value: str | None = None
    """Of a constant, enum member or field: the value or default as written, white space folded."""
    annotation: str | None = None
    decorators: tuple[str, ...] = ()
    shape: str | Late = ""
    """A digest of the body without the symbol's own name: an equal shape is the same thing under another name."""
    hunk: int = 0
    """Of a function in a fragment: which hunk shows it, since classes have methods of the same name."""
    device: bool = False
    """Whether only other code of a kernel calls it: what changes there breaks no user."""
    announced: bool = False
    """Whether it is only announced here and defined elsewhere, with defaults that stand nowhere else."""
    implied: bool = False
    """Whether a compiler makes it unasked, or is told not to make it: nobody uses a class otherwise for its sake."""
    pure: bool = False
    """Whether it is a method that C++ leaves to those who derive from its class: `virtual void run() = 0`."""
    special: Special | None = None
    """The partial specialisation that this is, or is a member of."""
    overload: bool = False
    """Whether the other version has the name as well, for other parameters."""


class Site(NamedTuple):
    """Something that a user sets, calls by name or runs into."""

    kind: SiteKind
    name: str
    """`--max-len`, `VLLM_USE_X`, `POST /v1/chat`, `torch`, the error's class, …"""
    start: int
    end: int
    public: bool = True
    value: str | None = None
    """A version, a default, a message, the bound of a limit."""
    choices: tuple[str, ...] | None = None
    scope: str = ""
    """The symbol or section in which it stands, where that tells two of the same name apart."""
    guard: str = ""
    """Of an error: the condition that must hold lest it is raised; with the same one it is the same error."""
    under: tuple[str, ...] = ()
    """Of an error: the conditions of the branches around it, outermost first, its own guard aside."""
    rejects: bool = False
    """Of a limit: what is so is refused (`if x > 8: raise`); else it is let through (`assert x <= 8`)."""
    also: tuple[str, ...] = ()
    """Of a flag: its other spellings."""
    about: str = ""
    """Of a flag: what its help says, by which it is known under another name."""
    condition: str = ""
    """Of an error: the macro without which it is not compiled."""
    params: tuple[Param, ...] | None = None
    """Of a function that is registered: what those who call it by that name give, where it says so there."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Everything one version of a file declares."""

    symbols: tuple[Symbol, ...] = ()
    sites: tuple[Site, ...] = ()
    exports: frozenset[str] | None = None
    """Names the file says are its interface (`__all__`, `export`); None where it says nothing."""
    imports: frozenset[str] = frozenset()
    """Names that the file has from elsewhere: whoever takes them from here still can."""
    code: str = ""
    """A digest of everything but comments and white space, where the source asks for one; equal digests mean that only
    those changed."""
    problems: tuple[str, ...] = field(default=())
    """What could not be read, in words."""
    overloaded: bool = False
    """Whether functions of one name and other parameters are other functions in this language."""
    numbered: bool = False
    """Whether the two ends of a wire know fields and members by their values, in whichever version each of them is."""
    generics: frozenset[str] = frozenset()
    """What templates call their parameters."""
    includes: frozenset[str] = frozenset()
    """The file names of headers that the file includes."""
    offered: bool = False
    """Whether a header declares functions behind a macro that exports them: `ACME_API int run(void);`."""


EMPTY = Reading()


@dataclass(frozen=True, slots=True)
class Source:
    """One version of a file, whole or cut from a hunk."""

    path: str
    text: bytes
    first_line: int = 1
    """The number of the text's first line in the file."""
    whole: bool = True
    heading: str = ""
    """Of a fragment: the enclosing declaration that git prints behind `@@`, if any."""
    changed: Set[int] | None = None
    """The lines that the commit changed on this side, None where that is not known; what no such line declares needs
    no shape."""
    near: tuple[tuple[int, int], ...] | None = None
    """Of a whole file: the spans of lines that hunks show, None where all matters; of what is declared elsewhere only
    the names and signatures are needed, and what users set."""
    digest: bool = False
    """Whether the reading needs the digest of the code, which costs a pass over every token."""


class Reader(Protocol):
    """Reads one language."""

    def __call__(self, source: Source) -> Reading:
        """Say what the source declares; what cannot be parsed is a problem in words, never an exception."""
        ...
