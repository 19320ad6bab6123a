"""What C++ binds to a class for Python: `py::class_<Tree>(m, "Tree").def("match", …).def("evict", …)`."""

import re
from collections.abc import Iterator

from tools.diff.readers.calls import Call
from tools.diff.readers.cfamily_bound import bound, names_arguments
from tools.diff.readers.masked import Masked
from tools.diff.reading import Site

_CLASS = re.compile(rb"\b(?:class_|enum_)\s*(?=<)")
_ANGLE = re.compile(rb"[<>;{}]")
_MADE = re.compile(rb"\s*(\w*)\s*(?=\()")
_KEPT = re.compile(rb"(\w+)\s*=\s*(?:\w+::)*$")
_LINK = re.compile(rb"(?:\s*#[^\n]*\n)*\s*\.\s*(\w+)\s*(?:<[^;(){}]*>\s*)?(?=\()")
_BINDING = re.compile(rb"def(?:_static|_readwrite|_readonly|_property|_property_readonly|_r[wo]|_prop_r[wo])?|value")
_FIRST = re.compile(rb"\(\s*(\"\x01*\")\s*[,)]")
_NAME = re.compile(r"(?!__)[A-Za-z_]\w*")
_BEFORE, _TEMPLATE, _LONGEST = 100, 400, 20_000
"""How far a variable, a template's end and a bracket's are looked for."""


def chained(masked: Masked) -> Iterator[tuple[int, Site]]:
    """Give what is bound to classes that the text names, each with where its `def` stands.

    The package itself is what calls it mostly; who else does cannot be seen.
    """
    if b"class_" not in masked.mask and b"enum_" not in masked.mask:
        return
    kept: dict[bytes, str] = {}
    for match in _CLASS.finditer(masked.mask):
        made = _MADE.match(masked.mask, _behind_template(masked.mask, match.end()))
        closing = masked.close(made.end(), _LONGEST) if made else None
        if made is None or closing is None:
            continue
        arguments = masked.parts(made.end() + 1, closing)
        name = masked.literal(*arguments[1]) if len(arguments) > 1 else None
        if not name:
            continue
        before = _KEPT.search(masked.mask, max(0, match.start() - _BEFORE), match.start())
        if variable := made.group(1) or (before.group(1) if before else b""):
            kept[variable] = name
        yield from _links(masked, closing + 1, name)
    for variable, name in kept.items():
        for match in re.finditer(rb"\b%s(?=\s*\.\s*def)" % variable, masked.mask):
            yield from _links(masked, match.end(), name)


def _behind_template(mask: bytes, start: int) -> int:
    """Return where a template's arguments have ended; the end of the text where they do not."""
    depth = 0
    for match in _ANGLE.finditer(mask, start, start + _TEMPLATE):
        if match.group() in b";{}":
            break
        depth += 1 if match.group() == b"<" else -1
        if depth == 0:
            return match.end()
    return len(mask)


def _links(masked: Masked, start: int, owner: str) -> Iterator[tuple[int, Site]]:
    """Follow a chain of calls and read what each of them binds."""
    while link := _LINK.match(masked.mask, start):
        closing = masked.close(link.end(), _LONGEST)
        end = closing if closing is not None else len(masked.text)
        first = _FIRST.match(masked.mask, link.end(), end + 1)
        name = masked.literal(*first.span(1)) if first else None
        if name and _BINDING.fullmatch(link.group(1)) and _NAME.fullmatch(name):
            call = Call(link.group(1).decode(), link.start(1), end, [])
            if names_arguments(masked, call):
                call.arguments.extend(masked.parts(link.end() + 1, end))
            lines = masked.line(link.start(1)), masked.line(end)
            params = bound(masked, call)
            yield (
                link.start(1),
                Site("registration", f"{owner}.{name}", *lines, public=False, params=params),
            )
        if closing is None:
            return
        start = closing + 1
