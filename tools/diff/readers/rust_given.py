"""What a Rust file gives to others out of its inner modules: by `pub use`, or to Python by registering it."""

import re
from collections.abc import Sequence, Set

from tools.diff.reading import Symbol

_USE = re.compile(rb"^pub use (?:self::)?(\w+)::(?:(\w+)|\{([^{}]*)\});", re.M)
_WRAPPED = re.compile(rb"\bwrap_pyfunction!\s*\(\s*(?:\w+::)*(\w+)")
_CLASS = re.compile(rb"\badd_class::<\s*(?:\w+::)*(\w+)")
_FOR_PYTHON = ("#[pyfunction", "#[pyclass")
_WORD = re.compile(rb"\w+")
_SIGNATURE = re.compile(r"^#\[pyo3\(.*\bsignature\s*=\s*\((.*)\)\s*\)\]$")
_DEFAULT = re.compile(r"(\w+)\s*=\s*(\"[^\"]*\"|[^,()]+(?:\([^()]*\))?)")
_GIVEN_BY_PYTHON = "Python<"


def passed_on(mask: bytes) -> frozenset[str]:
    """Give the names inside of modules that a file gives on, or would if it had those modules: `python.register`."""
    uses = _USE.finditer(mask) if b"pub use " in mask else ()
    return frozenset(f"{use[1].decode()}.{name.decode()}" for use in uses for name in _WORD.findall(use[2] or use[3]))


def given(symbols: Sequence[Symbol], mask: bytes, opened: Set[str]) -> list[Symbol]:
    """Name what users have out of an inner module as they do, and show what Python has."""
    if not opened and b"wrap_pyfunction!" not in mask and b"add_class::<" not in mask:
        return list(symbols)
    known = {symbol.name for symbol in symbols}
    registered = {found[1].decode() for pattern in (_WRAPPED, _CLASS) for found in pattern.finditer(mask)}
    outside = {name: name.rpartition(".")[2] for name in opened & known}
    shown: set[str] = set()
    for symbol in symbols:
        own = symbol.name.rpartition(".")[2]
        if own in registered and any(text.startswith(_FOR_PYTHON) for text in symbol.decorators):
            shown.add(symbol.name)
            outside[symbol.name] = own
    # A name that the file itself has stays what it was.
    outside = {name: own for name, own in outside.items() if own == name or own not in known}
    return [_as_had(symbol, outside, shown) for symbol in symbols]


def _as_had(symbol: Symbol, outside: dict[str, str], shown: set[str]) -> Symbol:
    owner = next((name for name in (symbol.name, symbol.name.rpartition(".")[0]) if name in outside), None)
    if owner is None:
        return symbol
    name = outside[owner] + symbol.name.removeprefix(owner)
    if symbol.name in shown:
        symbol = _as_called(symbol._replace(public=True))
    return symbol._replace(name=name)


def _as_called(symbol: Symbol) -> Symbol:
    """Write what a function takes as Python gives it: without the interpreter, and with what may be left out."""
    signature = next((found[1] for text in symbol.decorators if (found := _SIGNATURE.match(text))), "")
    defaults = {found[1]: found[2].strip() for found in _DEFAULT.finditer(signature)}
    params = symbol.params and tuple(
        param._replace(default=defaults.get(param.name))
        for param in symbol.params
        if not (param.annotation or "").startswith(_GIVEN_BY_PYTHON)
    )
    decorators = tuple(text for text in symbol.decorators if not _SIGNATURE.match(text))
    return symbol._replace(params=params, decorators=decorators)
