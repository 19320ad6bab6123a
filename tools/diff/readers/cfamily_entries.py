"""The names that C, C++ or CUDA code gives to others: registered operators, command-line flags, deprecations."""

import re
from collections.abc import Iterator

from tools.diff.readers.calls import calls
from tools.diff.readers.cfamily_bound import bound
from tools.diff.readers.cfamily_chains import chained
from tools.diff.readers.masked import Masked
from tools.diff.readers.syntax import mentions
from tools.diff.reading import Site, Symbol

_DEF = re.compile(rb"def(?<!\wdef)\s*\(\s*\"")
_CHAINED = re.compile(rb"[)>]\s*\.\s*$")
_NEAR = 200
_EXPORT = re.compile(
    rb"(?:TVM_(?:FFI_)?DLL_EXPORT_TYPED_FUNC|TVM_REGISTER_GLOBAL|TVM_FFI_REGISTER_GLOBAL|PYBIND11_MODULE"
    rb"|TORCH_LIBRARY(?:_FRAGMENT)?|REGISTER_[A-Z_]+)\s*\("
)
_EXPORTED = re.compile(
    rb"(?:TVM_DLL_EXPORT_TYPED_FUNC\s*\(\s*\w+\s*,|\.\s*set_body(?:_typed|_packed)?\s*\("
    rb"|\b(?:def|impl)\s*\(\s*\"\x01*\"\s*,(?:\s*[\w:]+\s*,)?)\s*&?\s*([\w:]+)\s*[,)]"
)
"""What anybody calls by a name; what `TVM_FFI_DLL_EXPORT_TYPED_FUNC` exports, the package loads and wraps itself."""
_EXPORTING = (b"TVM_DLL", b"REGISTER_GLOBAL", b"TORCH_LIB")
_MAY_EXPORT = (b"TVM_", b"TORCH_LIB", b"PYBIND11_MODULE", b"REGISTER_")
_GFLAG = re.compile(rb"DEFINE_(?:string|bool|double|u?int(?:32|64))\s*\(")
_OPTION = re.compile(
    rb"(?:add_option|add_flag|add_argument|get_cmd_line_argument|check_cmd_line_flag)\s*(?:<[^<>]*>\s*)?\(\s*\""
)
_MAY_OPTION = (b"add_option", b"add_flag", b"add_argument", b"cmd_line")
_LISTED = re.compile(rb"\badd_opt\s*\(\s*[\w:]+\s*\(\s*(?=\{)")
_SPELLINGS = re.compile(rb"\{[^{}]{1,300}\}(?:\s*,\s*\{[^{}]{1,300}\})?")
"""All spellings of an option, and those by which it is turned off."""
_SPELLED = re.compile(rb"\"(--?[\w-]+)\"")
_COMPARED = re.compile(
    rb"(?:strcmp\s*\(\s*argv\s*\[[^\]\n]{1,20}\]\s*,|\b(?:arg|argv\s*\[[^\]\n]{1,20}\])\s*==)\s*\"(--[\w-]+)\""
)
"""What a program without a library for it looks for among its arguments."""
_DEPRECATED = re.compile(rb"\[\[\s*deprecated|\(\(\s*deprecated|(?<!\w)(?:[A-Z0-9]+_)*DEPRECATED(?:_MESSAGE)?\b")


def entries(masked: Masked, symbols: list[Symbol]) -> Iterator[Site]:
    """Give what others can name."""
    yield from _registrations(masked)
    yield from _flags(masked)
    yield from _deprecations(masked, symbols)


def exported(masked: Masked) -> frozenset[str] | None:
    """Name the functions that the text hands to those who call them by a registered name; None where it hands none."""
    if not mentions(masked.mask, _EXPORTING):
        return None
    found = (match.group(1).decode().rpartition("::")[2] for match in _EXPORTED.finditer(masked.mask))
    return frozenset(found) or None


def _registrations(masked: Masked) -> Iterator[Site]:
    for call in calls(masked, _EXPORT) if mentions(masked.mask, _MAY_EXPORT) else ():
        if arguments := call.arguments:
            name = masked.literal(*arguments[0]) or masked.fold(*arguments[0])
            # The name of the module is given when it is compiled.
            if name == "TORCH_EXTENSION_NAME":
                continue
            value = masked.fold(*arguments[1]) if len(arguments) > 1 else None
            lines = masked.line(call.start), masked.line(call.end)
            yield Site("registration", name, *lines, value=value, scope=call.name)
    classes = b"class_<" in masked.mask
    members = dict(chained(masked))
    yield from members.values()
    for call in calls(masked, _DEF):
        # Behind a bracket stands the next method of a class that is bound, behind a name what a module gives.
        if call.start in members:
            continue
        if classes and _CHAINED.search(masked.mask[max(0, call.start - _NEAR) : call.start]):
            continue
        arguments = call.arguments
        schema = masked.joined(*arguments[0]) if arguments else ""
        name = schema.partition("(")[0].strip()
        if name:
            function = masked.fold(*arguments[1]) if len(arguments) > 1 else None
            value = schema if "(" in schema else function
            lines = masked.line(call.start), masked.line(call.end)
            yield Site("registration", name, *lines, value=value, params=bound(masked, call))


def _flags(masked: Masked) -> Iterator[Site]:
    for call in calls(masked, _GFLAG) if b"DEFINE_" in masked.mask else ():
        if len(call.arguments) > 1:
            name, value = (masked.fold(*span) for span in call.arguments[:2])
            yield Site("flag", f"--{name}", masked.line(call.start), masked.line(call.end), value=value)
    yield from _listed(masked) if b"add_opt" in masked.mask else ()
    yield from _compared(masked) if b"arg" in masked.mask else ()
    for call in calls(masked, _OPTION) if mentions(masked.mask, _MAY_OPTION) else ():
        names = masked.joined(*call.arguments[0]) if call.arguments else ""
        name = next((part for part in re.split(r"[,\s]+", names) if len(part.lstrip("-")) > 1), names)
        if re.fullmatch(r"-{0,2}\w[\w.-]*", name):
            given = call.arguments[2] if call.name == "get_cmd_line_argument" and len(call.arguments) > 2 else None
            lines = masked.line(call.start), masked.line(call.end)
            yield Site("flag", f"--{name.lstrip('-')}", *lines, value=masked.fold(*given) if given else None)


def _listed(masked: Masked) -> Iterator[Site]:
    """Give the options that are added with a list of their spellings: `add_opt(arg({"-a", "--all"}, …))`."""
    for match in _LISTED.finditer(masked.mask):
        spellings = _SPELLINGS.match(masked.mask, match.end())
        if spellings is None:
            continue
        found = [one.decode() for one in _SPELLED.findall(masked.text, *spellings.span())]
        name = next((one for one in found if one.startswith("--")), found[0] if found else "")
        if name:
            also = tuple(one for one in found if one != name)
            yield Site("flag", name, masked.line(spellings.start()), masked.line(spellings.end()), also=also)


def _compared(masked: Masked) -> Iterator[Site]:
    """Give the options that a program compares its arguments with: `strcmp(argv[at], "--all") == 0`."""
    for match in _COMPARED.finditer(masked.text) if b'"--' in masked.text else ():
        # In a comment or a text nothing is compared.
        if masked.mask[match.start() : match.start() + 3] == match[0][:3]:
            line = masked.line(match.start())
            yield Site("flag", match[1].decode(), line, line)


def _deprecations(masked: Masked, symbols: list[Symbol]) -> Iterator[Site]:
    if b"deprecated" not in masked.mask and b"DEPRECATED" not in masked.mask:
        return
    for match in _DEPRECATED.finditer(masked.mask):
        line = masked.line(match.start())
        if masked.mask[: match.start()].rpartition(b"\n")[2].lstrip().startswith(b"#"):
            continue
        owner = next(
            (s for s in sorted(symbols, key=lambda s: s.start) if s.start >= line or s.start <= line <= s.head), None
        )
        tail = masked.mask[match.end() : match.end() + 2].lstrip()
        closing = masked.close(masked.mask.index(b"(", match.end())) if tail.startswith(b"(") else None
        message = " ".join(masked.literals(match.end(), closing)) if closing is not None else None
        name = owner.name if owner is not None else ""
        yield Site("deprecation", name, line, masked.line(closing or match.end()), value=message or None)
