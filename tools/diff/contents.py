"""The names by which a file that came or went as a whole is told: those that its users call or write down."""

import re
from collections.abc import Iterable

from tools.diff.headers import is_c, is_source
from tools.diff.homes import DECLARED

_OPEN = re.compile(r"\n[+-]pub (?:(?:async|unsafe|const) )*(?:fn|struct|enum|trait|type|const|static|union) (\w+)")
_IN_THE_CRATE = re.compile(r"\n[+-]pub\([^)\n]*\) (?:(?:async|unsafe|const) )*(?:fn|struct|enum|trait|type) (\w+)")
_FUNCTION = re.compile(
    r"\n[+-](?!(?:template|return|else|typedef|using|struct|class|enum|union|static_assert|namespace|friend)\b)"
    r"(?=[A-Za-z_])(?:[\w:<>,*&\[\]]+[ \t]+)+[*&]*(?!(?:operator|alignas)\b)([A-Za-z_]\w*)[ \t]*\((?!\*)"
)
"""A function of C with its return type at the margin."""
_ON_THE_DEVICE = re.compile(r"__device__|[A-Z]_DEVICE\b")
_ON_THE_HOST = re.compile(r"__host__|__global__|[A-Z]_HOST")
_HIDDEN = re.compile(
    r"\n[+-]namespace (?:(details?|internal|impl) )?\{"
    r"(?:.*?\n[+-]\}[ \t]*//[ \t]*(?:end )?(?:anonymous )?namespace(?(1) \1)\s|.*)",
    re.DOTALL,
)
"""What a file keeps for itself, up to the comment behind the closing brace."""
_ENTRY = re.compile(r"\n[+-]EntryClass\b[^=\n]*=([^\]\n]*(?:\n[+-][^\]\n]*)*?)(?:\]|\n[+-]\n|\Z)")
_MODEL = re.compile(r"For[A-Z][a-z]+(?:[A-Z]\w*)?$")
_NAME = re.compile(r"[A-Z]\w+")
_ALL = 1_000
_MACRO = re.compile(r"[A-Z][A-Z0-9_]*$")
Found = re.Match[str]


def telling(path: str, patch: str, most: int) -> list[Found]:
    """Find the declarations of a whole file that say what it has, each name once, in the order of the file."""
    if path.endswith(".rs"):
        return _first(_OPEN.finditer(patch), most) or _first(_IN_THE_CRATE.finditer(patch), most)
    if not is_c(path):
        return _told_first(_first(DECLARED.finditer(patch), _ALL), patch, most)
    named = _first(DECLARED.finditer(patch), most)
    # Of a header with many classes the functions are what its users call.
    hidden = [found.span() for found in _HIDDEN.finditer(patch)]
    called = _first((found for found in _FUNCTION.finditer(patch) if _is_called(found, path, hidden)), most // 2)
    return sorted((*named[: most - len(called)], *called), key=lambda found: found.start())


def _told_first(named: list[Found], patch: str, most: int) -> list[Found]:
    """Leave out of many names others than those by which a model is asked for: `EntryClass`, `TalkForCausalLM`."""
    if len(named) <= most:
        return named
    entry = _ENTRY.search(patch)
    entries = {*_NAME.findall(entry[1])} if entry is not None else set()
    asked = [found for found in named if found[1] in entries or _MODEL.search(found[1])][:most]
    rest = [found for found in named if found not in asked][: most - len(asked)]
    return [found for found in named if found in asked or found in rest]


def _first(found: Iterable[Found], most: int) -> list[Found]:
    new: dict[str, Found] = {}
    for one in found:
        # Specialisations repeat the name of their template.
        if one[1][0] != "_":
            new.setdefault(one[1], one)
        if len(new) == most:
            break
    return list(new.values())


def _is_called(found: Found, path: str, hidden: Iterable[tuple[int, int]]) -> bool:
    """Tell whether users call a function: it is no macro, not the file's own, and does not run on the device alone."""
    device = _ON_THE_DEVICE.search(found[0]) is not None and _ON_THE_HOST.search(found[0]) is None
    own = (is_source(path) and "static " in found[0]) or any(first < found.start() < last for first, last in hidden)
    return not device and not own and not _MACRO.match(found[1])
