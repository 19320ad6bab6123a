"""When two ways of writing a value or a type mean the same."""

import re
from collections.abc import Set

_TYPING = re.compile(r"\b(?:typing|t|typing_extensions|collections\.abc|builtins)\.(?=[A-Z])")
_ELABORATED = re.compile(r"\b(?:struct|enum) (?=\w)")
"""What C may write before a type's name: `struct state *` and `state *` are one."""
_LOWER = re.compile(r"\b(List|Dict|Tuple|Set|FrozenSet|Type|Deque|DefaultDict)(?=\[|\b)")
_OPTIONAL = re.compile(r"\bOptional\[((?:[^\[\]]|\[(?:[^\[\]]|\[[^\[\]]*\])*\])*)\]")
_UNION = re.compile(r"\bUnion\[((?:[^\[\]]|\[(?:[^\[\]]|\[[^\[\]]*\])*\])*)\]")
_PARAMETER = re.compile(r"^([^=]*?[\w)*&.]\s*?)\s+\w+\s*(=.*)?$")
_NAME = re.compile(r"[\w.]+(?:::[\w.]+)*|[^\w\s]")
_PATH = re.compile(r"\w+(?:\.|::)")
_QUALIFIER = re.compile(r"\b[A-Za-z_]\w*(?:\.|::)(?=[A-Za-z_])|\s")
_QUALIFIED = re.compile(r"\b[A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)*")
TEMPLATE = "template "
_BY_VALUE = re.compile(r"\bconst\b\s*")
_READ_ONLY = re.compile(r"^(?:const ([^&*=]+?)|([^&*=]+?) const) ?&(?=$| =)")
_WORD = re.compile(r"\w+")
_ROUND = str.maketrans("<>", "()")
_ANNOTATED = re.compile(r"(?:A|Annotated)\[(.*)\]$", re.DOTALL)
_FORWARD = re.compile(r"""Literal\[[^\]]*\]|(["'])([A-Za-z_][^"']*)\1""")
"""A type that is named before it is there; within a `Literal` quotes make values."""
_NUMBER = re.compile(r"^[\"'](-?\d+(?:\.\d+)?)[\"']$")
_FIELD = re.compile(r"(?:\w+\.)*[Ff]ield\(")
_SAID = re.compile(r",?\b(?:description|title|help|doc|examples)=\(?(?:[rf]?\"[^\"]*\")+\)?")
"""What a field says of itself, which is not what it holds."""
_OPEN_START = re.compile(r"(?<![\w.)\]\"'])\.(?=\d)")
_OPEN_END = re.compile(r"(?<![\w.])(\d+)\.(?![\w.])")
"""A number that begins or ends with its point: `.5` is `0.5`, `4.` is `4.0`."""


def same_value(one: str | None, other: str | None) -> bool:
    """Tell whether two values differ in their writing only: spaces, quotes, brackets around them, trailing commas."""
    if one is None or other is None:
        return one == other
    return one == other or _plain(one) == _plain(other) or _is_same_by_paths(one, other)


def _is_same_by_paths(one: str, other: str) -> bool:
    """Tell whether a name is only reached by a longer or shorter path: `Arch.sm_90`, `base.Arch.sm_90`."""
    # Within quotes a path is a value.
    if '"' in one + other or "'" in one + other or _QUALIFIER.sub("", one) != _QUALIFIER.sub("", other):
        return False
    pairs = zip(_QUALIFIED.findall(one), _QUALIFIED.findall(other), strict=True)
    names = ((mine.replace("::", "."), its.replace("::", ".")) for mine, its in pairs)
    return all(f".{mine}".endswith(f".{its}") or f".{its}".endswith(f".{mine}") for mine, its in names)


def requoted(text: str) -> str:
    """Write code with one sort of quotes and with whole decimals, as a formatter does."""
    return closed(text.replace("'", '"')) if "'" in text or "." in text else text


def closed(text: str) -> str:
    """Write numbers that begin or end with their point with the nought that it stands for."""
    return _OPEN_START.sub("0.", _OPEN_END.sub(r"\1.0", text))


def same_type(one: str | None, other: str | None) -> bool:
    """Tell whether two annotations differ in their spelling only: `Optional[X]` is `X | None`, `List` is `list`."""
    if one is None or other is None:
        return one == other
    if one == other:
        return True
    before, after = _spelled(one), _spelled(other)
    return before == after or _same_paths(before, after)


def _same_paths(one: frozenset[str], other: frozenset[str]) -> bool:
    """Tell whether names are only given by a longer or shorter path: `cutlass.pipeline.Async`, `pipeline.Async`."""
    sides = [_NAME.findall("|".join(sorted(side, key=_last_names))) for side in (one, other)]
    if len(sides[0]) != len(sides[1]):
        return False
    pairs = [(mine.replace("::", "."), its.replace("::", ".")) for mine, its in zip(*sides, strict=True)]
    return all(
        f".{mine}".endswith(f".{its}") or f".{its}".endswith(f".{mine}") or _in_lengthened(mine, its)
        for mine, its in pairs
    )


def _in_lengthened(one: str, other: str) -> bool:
    """Tell whether a package only has a longer name now: `cutlass.DataType`, `cutlass_cppgen.DataType`."""
    (mine, _, rest), (its, _, same) = one.partition("."), other.partition(".")
    return bool(rest) and rest == same and (mine.startswith(f"{its}_") or its.startswith(f"{mine}_"))


def _last_names(text: str) -> str:
    return _PATH.sub("", text)


def same_template(one: str, other: str) -> bool:
    """Tell whether two lists of template parameters differ in the parameters' names only, which nobody gives."""
    return one == other or _nameless(one) == _nameless(other)


def same_generic(one: str | None, other: str | None, names: Set[str]) -> bool:
    """Tell whether two types of C++ differ in what their templates call an argument, or in what callers never see."""
    if one is None or other is None:
        return one == other
    sides = (_BY_VALUE.sub("", text) if "&" not in text and "*" not in text else text for text in (one, other))
    before, after = (nameless(side, names) for side in sides)
    return same_type(before, after)


def is_handed_alike(one: str, other: str) -> bool:
    """Tell whether a value is taken as it is, or as a reference that nobody writes through: callers give the same."""
    if ("&" in one) == ("&" in other):
        return False
    plain = [_READ_ONLY.sub(r"\1\2", text) if "&" in text else _BY_VALUE.sub("", text) for text in (one, other)]
    return plain[0].replace(" ", "") == plain[1].replace(" ", "")


def nameless(text: str, names: Set[str]) -> str:
    """Write a type or arguments as they are whatever a template calls its parameters."""
    return _WORD.sub(lambda word: "T" if word[0] in names else word[0], text)


def parameter_names(template: str) -> frozenset[str]:
    """Name the parameters of a template, types and numbers."""
    inside = template.removeprefix(TEMPLATE).strip()[1:-1].translate(_ROUND)
    words = (_WORD.findall(part.partition("=")[0]) for part in _split(inside))
    return frozenset(found[-1] for found in words if len(found) > 1)


def asks_otherwise(one: str, other: str) -> bool:
    """Tell whether whoever names a template must give more arguments than before, or may give fewer."""
    before, after = _nameless(one), _nameless(other)
    asked = [sum("=" not in part and "..." not in part for part in parts if part) for parts in (before, after)]
    return asked[0] != asked[1] or len(after) < len(before)


def _nameless(template: str) -> list[str]:
    inside = template.removeprefix(TEMPLATE).strip()[1:-1].translate(_ROUND)
    return [_PARAMETER.sub(r"\1\2", part.strip().replace("typename", "class")) for part in _split(inside)]


def _plain(value: str) -> str:
    text = requoted(re.sub(r"\s+", "", value))
    text = re.sub(r",(?=[)\]}])", "", text)
    if _FIELD.match(text):
        text = _SAID.sub("", text)
    # A factory makes the same empty thing whatever the types of what will be in it.
    text = re.sub(r"(default_factory=\w+)\[[^()]*\]", r"\1", text)
    while text.startswith("(") and text.endswith(")") and _balanced(text[1:-1]):
        text = text[1:-1]
    # A variable's default is text wherever it is read, whether it is written as a number or as its text.
    return _NUMBER.sub(r"\1", text)


def _balanced(text: str) -> bool:
    """Tell whether brackets that are taken off belonged to each other; without a comma they only group."""
    depth = 0
    for char in text:
        depth += (char in "([{") - (char in ")]}")
        if depth < 0 or (depth == 0 and char == ","):
            return False
    return depth == 0


def _spelled(annotation: str) -> frozenset[str]:
    text = _TYPING.sub("", annotation.strip("\"'"))
    if "struct " in text or "enum " in text:
        text = _ELABORATED.sub("", text)
    if '"' in text or "'" in text:
        text = _FORWARD.sub(lambda found: found[2] or found[0], text)
    # What else an annotation carries is no part of the type.
    if found := _ANNOTATED.match(text):
        text = _split(found[1])[0]
    for _ in range(8):
        shorter = _UNION.sub(lambda found: "|".join(_split(found[1])), _OPTIONAL.sub(r"\1|None", text))
        if shorter == text:
            break
        text = shorter
    text = _LOWER.sub(lambda found: found[1].lower(), text)
    return frozenset(re.sub(r"\s+", "", part) for part in _split(text, "|"))


def _split(text: str, mark: str = ",") -> list[str]:
    """Split at marks that stand outside of brackets."""
    parts, depth, start = [], 0, 0
    for at, char in enumerate(text):
        depth += (char in "([{") - (char in ")]}")
        if char == mark and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    return [*parts, text[start:]]
