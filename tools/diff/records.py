"""When the constructor of a Python record asks for a field."""

import re

from tools.diff.reading import Symbol

_RECORD = re.compile(r"BaseModel$|NamedTuple$|(?:^|\.)Struct$|(?:^|\.)(?:dataclass|define|frozen)\b(?!.*init=False)")
_ASKED_FOR = re.compile(r"(?:\w+\.)?(?:[Ff]ield|attrib|ib)\(")
_OFFERED = re.compile(r"\bdefault|\bfactory|\binit\s*=\s*False|[Ff]ield\((?!\.\.\.|\w+\s*=|\))")


def must_be_given(symbol: Symbol, owner: Symbol) -> bool:
    """Tell whether a constructor that is made from the fields of a Python record asks for this one."""
    made = any(_RECORD.search(text) for text in (*owner.bases, *owner.decorators))
    if symbol.kind != "field" or not made or (symbol.annotation or "").startswith(("ClassVar", "typing.ClassVar")):
        return False
    return symbol.value is None or bool(_ASKED_FOR.match(symbol.value) and not _OFFERED.search(symbol.value))
