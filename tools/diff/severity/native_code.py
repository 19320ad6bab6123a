"""The severity of a difference in native code (C++, CUDA, Go, Rust) for those who use it."""

import re

from agent.domain.facts import Severity
from agent.domain.surface import SurfaceChange
from tools.diff.file_roles import HEADERS, HIDDEN, VERSION_HEADER, is_public_header
from tools.diff.located_differences import Difference, FoundDeclaration
from tools.diff.names_sought_in_trees import SurroundingTrees, holds_word, is_native
from tools.diff.severity.table import severity_of

_DEVICE = re.compile(rb"__device__|\b[A-Z]+_DEVICE\b")
"""How CUDA marks what only code on the device calls; a kernel is launched by others."""
_UNREPORTED_IN_NATIVE = ("parameter", "field", "constant")


def is_certain(difference: Difference) -> bool:
    """Return False for differences of which text cannot say what they mean for users.

    Overloads and templates of native code have parameters that no caller writes by name, and its
    fields and constants belong to kernels more often than to users.
    """
    newest = difference.newest
    if not is_native(newest) or newest.kind not in _UNREPORTED_IN_NATIVE:
        return True
    # A macro or a constant of a public header has a value that users compile in.
    return newest.kind == "constant" and difference.kind != "symbol-added" and not newest.owner


def native_severity(
    difference: Difference, surface: SurfaceChange | None, trees: SurroundingTrees
) -> Severity:
    """Return what a difference in C++, CUDA, Go or Rust means.

    A header is public where documents or examples include it, and something is certain to break
    only where its name is gone from all headers.
    """
    oldest = difference.oldest
    meant = severity_of(difference.kind)
    if difference.kind == "constant-changed" and VERSION_HEADER.search(oldest.file):
        return Severity.BEHAVIOUR
    if not _is_reached(oldest):
        return Severity.INTERNAL
    is_header = oldest.file.endswith(HEADERS)
    is_documented = surface is not None and surface.is_documented_header(oldest.file)
    if not is_documented and (meant is Severity.ADDITIVE or (is_header and surface is not None)):
        return Severity.INTERNAL  # Documents and examples show that users do without it
    if meant is not Severity.BREAKING:
        return meant
    is_specialized = "<" in oldest.path  # The template without its special case may be there
    if not is_header or is_specialized:
        return Severity.MAY_BREAK
    if difference.kind != "symbol-removed" or trees.after is None:
        return Severity.MAY_BREAK
    for path, line in trees.after:
        if path.endswith(HEADERS) and holds_word(line, oldest.name):
            return Severity.MAY_BREAK
    return Severity.BREAKING


def _is_reached(declared: FoundDeclaration) -> bool:
    """Return True if users of native or compiled code may reach a symbol."""
    path = declared.file
    if declared.name.startswith("_") or HIDDEN.search(declared.path):
        return False
    if path.endswith(HEADERS):
        # A removed header says what happens to its declarations.
        is_in_removed_file = declared.versions.file.status == "removed"
        return is_public_header(path) and not is_in_removed_file and not _is_device_code(declared)
    if path.endswith(".go"):
        names = declared.owner if declared.kind == "parameter" else declared.path
        return all(name[:1].isupper() for name in names.split(".")) and not HIDDEN.search(path)
    return path.endswith(".rs") and is_marked_public(declared)


def is_marked_public(declared: FoundDeclaration) -> bool:
    """Return True for what its language marks as public, by itself or by what it stands in.

    Rust marks fields and methods too.
    """
    is_rust = declared.file.endswith(".rs")
    if "public" in declared.parts or not declared.owner:
        return "public" in declared.parts
    if is_rust and declared.kind in ("field", "function"):
        return False
    owners = [sibling for sibling in declared.siblings if sibling.path == declared.owner]
    return any("public" in owner.parts for owner in owners)


def _is_device_code(declared: FoundDeclaration) -> bool:
    path = declared.path if declared.kind == "function" else declared.owner
    for declaration in declared.siblings:
        if declaration.kind != "function" or declaration.path != path:
            continue
        source = declaration.source[declaration.start : declaration.end]
        if _DEVICE.search(source.partition(b"(")[0]):
            return True
    return False
