"""Other names that a Rust file gives to what it uses: `use serde_json::Value as JsonValue` makes no new type."""

import re
from collections.abc import Sequence

from tools.diff.reading import Symbol

_USE = re.compile(rb"^[ \t]*(?:pub(?:\([^)]*\))?\s+)?use\s[^;]{0,2000};", re.M)
_ALIAS = re.compile(rb"(\w+)\s+as\s+(\w+)")


def unaliased(symbols: Sequence[Symbol], mask: bytes) -> list[Symbol]:
    """Write the types of signatures by the names they have where they come from."""
    if b" as " not in mask:
        return list(symbols)
    found = (alias for use in _USE.finditer(mask) for alias in _ALIAS.finditer(use.group()))
    names = {alias.group(2).decode(): alias.group(1).decode() for alias in found if alias.group(2) != b"_"}
    if not names:
        return list(symbols)
    word = re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})\b")

    def plain(text: str | None) -> str | None:
        return text if text is None else word.sub(lambda match: names[match.group()], text)

    return [
        symbol._replace(
            params=None
            if symbol.params is None
            else tuple(param._replace(annotation=plain(param.annotation)) for param in symbol.params),
            returns=plain(symbol.returns),
            annotation=plain(symbol.annotation),
        )
        for symbol in symbols
    ]
