"""Constants and aliases that are written otherwise and stand for the same, or for what no reader can tell."""

import re
from collections.abc import Iterable, Mapping

from tools.diff.heirs import own_name, owners
from tools.diff.reading import Symbol
from tools.diff.values import same_type, same_value

_WORD = re.compile(r"(?<![\w.:])[A-Za-z_]\w*(?!\w|::)")
_NAME = re.compile(r"\w+")
_NUMBER = re.compile(r"\d|\"")
_COMPUTED = re.compile(r"[-+*/%()?]")
_ARGUMENTS = re.compile(r"<.*>")
_DEPTH = 3
"""How far names are followed that stand for names."""
_KINDS = ("constant", "type")
_BUILT_IN = re.compile(r"\w*env!\s*\(")
"""What a build puts in the place of a constant, by whichever name it asks for it."""


def values_of(symbols: Iterable[Symbol]) -> dict[str, str]:
    """Give what names of constants and aliases stand for."""
    return {symbol.name: symbol.value for symbol in symbols if symbol.kind in _KINDS and symbol.value}


def is_same(
    one: Symbol, other: Symbol, known: tuple[Mapping[str, str], Mapping[str, str]], renamed: Mapping[str, str]
) -> bool:
    """Tell whether nobody can say that a constant or alias stands for something else now.

    Both versions say what names stand for; what it was made of before may have another name now.
    """
    if one.kind not in _KINDS or other.kind not in _KINDS:
        return False
    if one.value is None or other.value is None:
        return True
    if _is_given_on(one) or _is_given_on(other):
        return True
    if all(_BUILT_IN.match(symbol.value or "") for symbol in (one, other)):
        return True
    same = same_type if "type" in (one.kind, other.kind) else same_value
    sides = [_writings(symbol, names) for symbol, names in zip((one, other), known, strict=True)]
    sides[0] += [_NAME.sub(lambda name: renamed.get(name[0], name[0]), writing) for writing in sides[0]]
    if any(same(mine, its) for mine in sides[0] for its in sides[1]):
        return True
    written = [side[1] for side in sides]
    # What is computed from names alone may well be the same number.
    return one.kind == "constant" and any(map(_COMPUTED.search, written)) and not any(map(_NUMBER.search, written))


def is_same_type_by_name(one: Symbol, other: Symbol, before: Mapping[str, str], after: Mapping[str, str]) -> bool:
    """Tell whether the type of a field is an alias for the same, or for what the like-named alias elsewhere is."""
    sides = [
        _resolved(symbol._replace(value=symbol.annotation), known) for symbol, known in ((one, before), (other, after))
    ]
    if same_type(*sides):
        return True
    aliases = (
        symbol._replace(name=(symbol.annotation or ""), value=side)
        for symbol, side in zip((one, other), sides, strict=True)
    )
    return any(map(_is_given_on, aliases))


def _is_given_on(symbol: Symbol) -> bool:
    """Tell whether a name stands for the same name of a class out of sight: `kRows = Base::kRows`."""
    return (symbol.value or "").endswith(f"::{own_name(symbol)}")


def _writings(symbol: Symbol, known: Mapping[str, str]) -> list[str]:
    """Write a value as it is, with what its names stand for, and with what those of that stand for in turn."""
    writings = [symbol.value or ""]
    for _ in range(_DEPTH):
        writings.append(_resolved(symbol._replace(value=writings[-1]), known))
    return writings


def _resolved(symbol: Symbol, known: Mapping[str, str]) -> str:
    """Write a value with what the names in it stand for where it is written."""
    # The names are those of the file; what is one of several specialisations has its arguments besides.
    scopes = dict.fromkeys((*owners(symbol.name), *owners(_ARGUMENTS.sub("", symbol.name))))

    def meaning(word: re.Match[str]) -> str:
        found = (known.get(f"{owner}.{word[0]}") for owner in scopes)
        return next((value for value in found if value is not None), known.get(word[0], word[0]))

    return _WORD.sub(meaning, symbol.value or "")
