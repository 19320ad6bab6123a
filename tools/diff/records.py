"""When the users of a Python record notice a new field: its constructor asks for it, or it is taken apart by place."""

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


def is_unpacked(symbol: Symbol, owner: Symbol) -> bool:
    """Tell whether a field is one of a tuple: whoever takes the tuple apart gets one value too many."""
    return symbol.kind == "field" and any(base.rpartition(".")[2] == "NamedTuple" for base in owner.bases)
