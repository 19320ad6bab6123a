"""Calls in a masked text: of functions and macros, found by how their names begin or end."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tools.diff.readers.limits import bounds
from tools.diff.readers.masked import Masked
from tools.diff.readers.scopes import Scopes
from tools.diff.reading import Site, SiteKind, Symbol

_SCOPED = ("error", "limit", "constant", "warning")
"""Sites that are told by the function they stand in."""
MAX_VALUE = 300
ENV_NAME = re.compile(r"[A-Z][A-Z0-9_]{2,}")
MAX_CONDITION = 1500
MAX_BRANCH = 700
_ROUND, _CLOSED = b"()"
_NEGATED = re.compile(rb"\s*!\s*\(")
_COMPARES = re.compile(rb"[<>=]")
_CAPITALS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"


def named_environment(masked: Masked, symbols: Iterable[Symbol], pattern: re.Pattern[bytes]) -> Iterator[Site]:
    """Give the variables that calls read by the name of a constant, each at the constant."""
    called: set[str] | None = None
    for symbol in symbols:
        variable = (symbol.value or "").strip('"')
        if symbol.kind != "constant" or symbol.value != f'"{variable}"' or not ENV_NAME.fullmatch(variable):
            continue
        if called is None:
            called = {match.group(1).decode() for match in pattern.finditer(masked.mask)}
        if symbol.name.rpartition(".")[2] in called:
            yield Site("env", variable, symbol.start, symbol.end)


@dataclass(frozen=True, slots=True)
class Call:
    """A name with its arguments; offsets are those of the masked text."""

    name: str
    start: int
    end: int
    arguments: list[tuple[int, int]]


def calls(masked: Masked, pattern: re.Pattern[bytes]) -> Iterator[Call]:
    """Give each call whose name and bracket match; capitals before the match belong to the name."""
    mask = masked.mask
    for match in pattern.finditer(mask):
        opening = mask.index(b"(", match.start())
        # Patterns begin with a literal, which the engine finds fast; the rest of the name may stand before it.
        before = mask[max(0, match.start() - 80) : match.start()]
        outer = before.rstrip(_CAPITALS)
        if outer[-1:].isalnum() or outer.rstrip().endswith(b"define"):
            continue
        start = match.start() - len(before) + len(outer)
        name = mask[start:opening].split(b"<")[0].strip().decode("utf-8", "replace")
        yield Call(name, start, masked.close(opening) or match.end(), masked.arguments(opening))


class Sites:
    """Makes the sites of one text."""

    def __init__(self, masked: Masked, scopes: Scopes) -> None:
        self.masked = masked
        self.scopes = scopes

    def at(self, kind: SiteKind, name: str, start: int, end: int, value: str | None = None) -> Site:
        """Make a site of what stands between two offsets."""
        line = self.masked.line(start)
        scope = self.scopes.at(line) if kind in _SCOPED else ""
        return Site(kind, name, line, self.masked.line(end), value=value[:MAX_VALUE] if value else None, scope=scope)

    def environment(self, pattern: re.Pattern[bytes]) -> Iterator[Site]:
        """Give the variables that calls read, matched up to the name's quote; a second argument is the default."""
        masked = self.masked
        for match in pattern.finditer(masked.mask):
            arguments = masked.arguments(masked.mask.index(b"(", match.start()))
            name = masked.literal(*arguments[0]) if arguments else None
            if name and ENV_NAME.fullmatch(name):
                default = masked.fold(*arguments[1]) if len(arguments) > 1 else None
                yield self.at("env", name, match.start(), arguments[-1][1], default)

    def message(self, spans: list[tuple[int, int]]) -> str | None:
        """Return what the string literals in the spans say."""
        return " ".join(text for span in spans for text in self.masked.literals(*span)) or None

    def limits(self, condition: tuple[int, int], start: int | None = None) -> Iterator[Site]:
        """Give the bounds of a condition that fails, or that must hold."""
        for name, bound in bounds(self.masked, *condition):
            yield self.at("limit", name, condition[0] if start is None else start, condition[1], bound)

    def guards(self, pattern: re.Pattern[bytes], fails: re.Pattern[bytes]) -> Iterator[Site]:
        """Give the bounds of conditions whose branch fails; the pattern ends with the bracket around the condition.

        Where conditions stand without a bracket, the pattern ends before them and a brace ends them.
        """
        mask = self.masked.mask
        for match in pattern.finditer(mask):
            opening = match.end() - 1
            if mask[opening] == _ROUND:
                condition = match.end(), self.masked.close(opening, MAX_CONDITION) or match.end()
            else:
                condition = match.end(), max(match.end(), mask.find(b"{", match.end(), match.end() + MAX_CONDITION))
            # Most conditions compare with nothing that could be a bound; they are let go before they are taken apart.
            if _COMPARES.search(mask, *condition) and fails.search(mask, *self._branch(condition[1])):
                rejects = not self._is_denied(*condition)
                yield from (site._replace(rejects=rejects) for site in self.limits(condition, match.start()))

    def _is_denied(self, start: int, end: int) -> bool:
        """Tell whether a condition says what must hold: `!(n <= 8)`."""
        negated = _NEGATED.match(self.masked.mask, start, end)
        return negated is not None and self.masked.close(negated.end() - 1, end - start) == end - 1

    def _branch(self, after: int) -> tuple[int, int]:
        """Return the first statement of a branch, or the whole of a short block."""
        mask = self.masked.mask
        after += mask[after] == _CLOSED if after < len(mask) else 0
        text = mask[after : after + MAX_BRANCH]
        if text.lstrip().startswith(b"{"):
            closing = self.masked.close(mask.index(b"{", after), MAX_BRANCH)
            return after, closing if closing is not None else after + 200
        end = text.find(b";")
        return after, after + (end if end >= 0 else 200)
