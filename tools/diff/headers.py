"""Headers and sources of C, C++ and CUDA: what they declare at their margin, and when two declarations are one."""

import re
from collections.abc import Iterator

from tools.diff.draft import Draft

HEADERS = (".h", ".hh", ".hpp", ".hxx", ".cuh", ".inl")
_SOURCES = (".c", ".cc", ".cpp", ".cxx", ".cu")
_DECLARED = re.compile(
    r"^[+-](?:\#[ \t]*define[ \t]+|using[ \t]+(?=\w+[ \t]*=)"
    r"|(?:[ \t]*[A-Z]+_API[ \t]+)?(?:[\w:<>,*&\[\]]+[ \t]+)*[*&]*)"
    r"([A-Za-z_]\w*)[ \t]*(?=[(=])",
    re.MULTILINE,
)
"""A macro, an alias, a constant or a function with its return type, at the margin or behind a mark of the interface."""
_INCLUDED = re.compile(r"^[+ ][ \t]*\#[ \t]*include[ \t]+[\"<](?:[^\">\n]*/)?([^/\">\n]+)[\">]", re.MULTILINE)
_NO_NAMES = (
    *("if", "for", "while", "switch", "return", "else", "case", "sizeof"),
    *("namespace", "template", "default", "alignas"),
)
_MEMBERS = ("method", "field", "member", "property")
_BY_THEMSELVES = ("function", "macro", "enum", "class", "struct")
_TELLING, _UNMISTAKABLE = 8, 12
"""Letters of a name that hardly two declarations have by chance: of one text, and whatever their text."""


def is_c(path: str) -> bool:
    """Tell whether a file is C, C++ or CUDA."""
    return path.endswith((*HEADERS, *_SOURCES))


def is_source(path: str) -> bool:
    """Tell whether a file of C, C++ or CUDA is compiled by itself, and included by nobody."""
    return path.endswith(_SOURCES)


def margin_names(patch: str) -> Iterator[str]:
    """Name what a whole file declares at its margin, beside its classes."""
    return (found[1] for found in _DECLARED.finditer(patch) if found[1] not in _NO_NAMES)


def outer_name(draft: Draft, path: str) -> str:
    """Give the name by which a whole file would declare a thing: without its namespaces, which stand on other lines."""
    own = draft.name.rpartition(".")[2]
    inner = draft.owner or draft.detail in _MEMBERS or (draft.detail not in _BY_THEMSELVES and len(own) < _TELLING)
    return draft.name if inner or not is_c(path) else own


def same_sort(one: Draft, other: Draft) -> bool:
    """Tell whether two things are of one sort, whatever else goes by their names in their files."""
    return len({"function" if draft.detail == "overload" else draft.detail for draft in (one, other)}) == 1


def is_same_thing(one: Draft, other: Draft, path: str, there: str) -> bool:
    """Tell whether what left one header is what came to another, or of sources: by its name and how it is declared.

    A declaration in a header and the definition in a source share a name and are two things, and so do methods of the
    same name in two specialisations of a class.
    """
    alike = any(path.endswith(ends) and there.endswith(ends) for ends in (HEADERS, _SOURCES))
    if not alike or one.owner or other.owner or one.detail in _MEMBERS or not same_sort(one, other):
        return False
    mine, its = f".{one.name}", f".{other.name}"
    named = mine.endswith(its) or its.endswith(mine)
    own = len(mine.rpartition(".")[2])
    written = one.old == other.new
    return (named and (written or own >= _UNMISTAKABLE)) or (written and own >= _UNMISTAKABLE)


def is_of_other_namespace(one: Draft, other: Draft) -> bool:
    """Tell whether two things of one name stand in namespaces of which neither may be the rest of the other."""
    mine, its = f".{one.name}", f".{other.name}"
    return not (mine.endswith(its) or its.endswith(mine))


def opens_namespace(patch: str, name: str) -> bool:
    """Tell whether a new file has the namespace that a thing stood in, by its last word; what has none needs none."""
    space = name.rpartition(".")[0].rpartition(".")[2]
    if not space or "namespace" not in patch:
        return True
    return re.search(rf"\n\+\s*(?:inline )?namespace (?:\w+::)*{re.escape(space)}\b", patch) is not None


def includes(patch: str, path: str) -> bool:
    """Tell whether a patch shows that its file includes another: whoever includes the one has the other as well."""
    name = path.rpartition("/")[2]
    return name in patch and any(found[1] == name for found in _INCLUDED.finditer(patch))
