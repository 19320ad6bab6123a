"""Free prose taken apart: sentences, and in them words, code, names, values and marks."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property


class Kind(StrEnum):
    """What a piece of a sentence is."""

    MARK = "mark"
    CODE = "code"
    QUOTED = "quoted"
    PATH = "path"
    FLAG = "flag"
    NAME = "name"
    """An identifier that looks like one: snake_case, dotted, CamelCase, a variable of the environment."""
    VERSION = "version"
    NUMBER = "number"
    PERSON = "person"
    """Somebody who wrote what is cited, under a name that was looked up."""
    WORD = "word"
    HAN = "han"
    PUNCT = "punct"


NAMED = frozenset({Kind.CODE, Kind.QUOTED, Kind.PATH, Kind.FLAG, Kind.NAME})
VALUES = NAMED | {Kind.VERSION, Kind.NUMBER}

_SUFFIX = (
    r"(?:pyi?|cuh?|cc|cpp|cxx|c|hpp|h|inc|rs|go|tsx?|jsx?|json|ya?ml|toml|md|mdx|rst|txt|sh|cfg|ini|cmake|ipynb|jinja|"
    r"lock|in|proto|html|css|patch|whl|so)"
)
_LETTER = "A-Za-z0-9À-ÖØ-öø-ɏ"
_PIECES: tuple[tuple[Kind, str], ...] = (
    (Kind.MARK, r"\[@[0-9]+\]"),
    (Kind.CODE, r"``(?P<twice>[^\n]+?)``|`(?P<once>[^`\n]+)`"),
    (Kind.QUOTED, r"“[^”\n]{1,200}”|「[^」\n]{1,200}」|『[^』\n]{1,200}』|(?<![\w])\"[^\"\n]{1,200}\"(?!\w)"),
    (
        Kind.PATH,
        rf"\.?[A-Za-z0-9_][\w.\-]*(?:/[\w.\-*]+)+\.{_SUFFIX}(?![\w])|[A-Za-z0-9_.\-]+(?:/[\w.\-]*){{2,}}"
        rf"|[\w\-]+(?:\.[\w\-]+)*\.{_SUFFIX}(?!\.?\w)|[\w\-]*[_.][\w\-]*/[\w.\-]*",
    ),
    (Kind.FLAG, r"(?<![\w-])--[A-Za-z][\w\-]*(?:=[\w.\-]+)?"),
    (
        Kind.VERSION,
        r"(?<![\w.])(?:v[0-9]+(?:\.[0-9]+)*|[0-9]+(?:\.[0-9]+){2,})(?:[.\-]?(?:rc|post|dev|a|b)[0-9]*)*(?![\w])",
    ),
    (
        Kind.NUMBER,
        r"(?<![\w.])[+\-−~]?[0-9](?:[0-9]|[,_](?=[0-9]))*(?:\.[0-9]*f\b|\.[0-9]+)?(?:e[+-]?[0-9]+)?(?:\s?%|(?=[^\w])|(?=[KMGTkmgtx]B?\b)|$)",
    ),
    (
        Kind.NAME,
        r"[A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)+(?:\(\))?|[A-Za-z]*_\w+(?:\(\))?|[A-Za-z]\w*_\w*(?:\(\))?|[A-Za-z_]\w*\(\)",
    ),
    (Kind.WORD, rf"[{_LETTER}]+(?:['’\-+][{_LETTER}]+)*\+{{0,2}}"),
    (Kind.HAN, r"[㐀-䶿一-鿿]+"),
    (Kind.PUNCT, r"->|=>|→|[^\s\w]"),
)
_MASTER = re.compile("|".join(f"(?P<{kind.name}>{form})" for kind, form in _PIECES), re.ASCII)
# Two humps or more, or letters and digits mixed as in no word: FlashInferMLAImpl, topK.
_CAMEL = re.compile(r"[A-Z][a-z0-9]+(?:[A-Z][A-Za-z0-9]*)+|[a-z]+[A-Z][A-Za-z0-9]*|[A-Z]{2,}[a-z]+[A-Z0-9]\w*")
_STOP = re.compile(r"(?<=[。！？!?])|(?<=[.])(?=\s*\[@|\s+[A-Z`\"“\[一-鿿])|(?<=[.])(?=\s*$)|\n+")
_EMPHASIS = re.compile(r"(?P<code>`[^`\n]+`)|\*\*")
_LEADING_MARKS = re.compile(r"(?:\s*\[@[0-9]+\])+")
_ABBREVIATED = re.compile(r"\b(?:e\.g|i\.e|etc|vs|cf|approx|resp)\.$", re.IGNORECASE)


_FILE = re.compile(rf"[\w./*\-]+\.{_SUFFIX}|[\w.*\-]*(?:/[\w.*\-]*)+", re.ASCII)


@dataclass(frozen=True)
class Token:
    """One piece of a sentence."""

    kind: Kind
    text: str
    """Without the back-quotes or quotation marks around it."""
    start: int
    end: int

    @cached_property
    def lower(self) -> str:
        """The text without capitals."""
        return self.text.lower()

    @property
    def named(self) -> bool:
        """True for what must stand in the evidence letter by letter."""
        return self.kind in NAMED

    @property
    def path(self) -> bool:
        """True for what can only be a file or a folder, marked as code or not."""
        return self.kind is Kind.PATH or (self.kind is Kind.CODE and _FILE.fullmatch(self.text) is not None)

    @property
    def camel(self) -> bool:
        """True for a word with humps that nobody marked as code: a class, or a product's name."""
        return self.kind is Kind.WORD and _CAMEL.fullmatch(self.text) is not None


@dataclass(frozen=True)
class Sentence:
    """One sentence of a claim."""

    text: str

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """The pieces in their order."""
        return tuple(_pieces(self.text))

    @property
    def marks(self) -> tuple[int, ...]:
        """The citations that are marked in it, counted from 1."""
        return tuple(int(token.text) for token in self.tokens if token.kind is Kind.MARK)


def sentences(text: str) -> tuple[Sentence, ...]:
    """Cut a text after its full stops, never inside code; a mark behind the stop belongs before it."""
    parts: list[str] = []
    for piece in _STOP.split(_joined(text)):
        if parts and (_open(parts[-1]) or _ABBREVIATED.search(parts[-1])):
            parts[-1] += piece
            continue
        marks = _LEADING_MARKS.match(piece)
        if parts and marks:
            parts[-1] += marks.group()
            piece = piece[marks.end() :]
        parts.append(piece)
    return tuple(Sentence(part.strip()) for part in parts if re.search(r"\w", part))


def clauses(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """Cut a sentence at its commas and the like."""
    start = 0
    for place, token in enumerate(tokens):
        if token.kind is Kind.PUNCT and token.text in "，,；;：:。":
            yield tokens[start:place]
            start = place + 1
    yield tokens[start:]


def _joined(text: str) -> str:
    """Drop the emphasis of Markdown, which says nothing, and the points of abbreviations; code stays as it is."""
    return _EMPHASIS.sub(lambda match: match["code"] or "", text).replace("e.g.", "eg").replace("i.e.", "ie")


def _open(text: str) -> bool:
    """Tell whether a code span or a quotation was begun and not ended."""
    return text.count("`") % 2 == 1 or text.count("“") > text.count("”") or text.count("「") > text.count("」")


def _pieces(text: str) -> Iterator[Token]:
    for match in _MASTER.finditer(text):
        kind = Kind[str(match.lastgroup if match.lastgroup not in ("twice", "once") else "CODE")]
        yield Token(kind, _bare(kind, match), match.start(), match.end())


def _bare(kind: Kind, match: re.Match[str]) -> str:
    text = match.group()
    if kind is Kind.MARK:
        return text[2:-1]
    if kind is Kind.CODE:
        return text.strip("`").strip()
    if kind is Kind.QUOTED:
        return text[1:-1].strip()
    return text
