"""When the constructor of a Python record asks for a field."""

import re
from collections.abc import Mapping

from tools.diff.reading import Symbol

_RECORD = re.compile(r"BaseModel$|NamedTuple$|(?:^|\.)Struct$|(?:^|\.)(?:dataclass|define|frozen)\b(?!.*init=False)")
_HANDED_DOWN = re.compile(
    r"BaseModel$|(?:^|\.)Struct$|^(?:kw_only|array_like|omit_defaults|forbid_unknown_fields)\s*=\s*True"
)
"""Bases, and what stands beside them, of classes of which the heirs are records too."""
_ASKED_FOR = re.compile(r"(?:\w+\.)?(?:[Ff]ield|attrib|ib)\(")
_OFFERED = re.compile(r"\bdefault|\bfactory|\binit\s*=\s*False|[Ff]ield\((?!\.\.\.|\w+\s*=|\))")


def must_be_given(symbol: Symbol, owner: Symbol, world: Mapping[str, Symbol]) -> bool:
    """Tell whether a constructor that is made from the fields of a Python record asks for this one."""
    made = any(_RECORD.search(text) for text in (*owner.bases, *owner.decorators)) or _is_heir(owner, world)
    if symbol.kind != "field" or not made or (symbol.annotation or "").startswith(("ClassVar", "typing.ClassVar")):
        return False
    return symbol.value is None or bool(_ASKED_FOR.match(symbol.value) and not _OFFERED.search(symbol.value))


def _is_heir(owner: Symbol, world: Mapping[str, Symbol]) -> bool:
    """Tell whether a class, or one of its bases in the same file, is made a record by what it inherits."""
    waiting, known = [owner], {owner.name}
    while waiting:
        one = waiting.pop()
        if any(map(_HANDED_DOWN.search, one.bases)):
            return True
        waiting += [world[base] for base in one.bases if base in world and base not in known]
        known.update(one.bases)
    return False
