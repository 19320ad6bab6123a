"""In which function of a file a changed line stands, and whether it is code at all."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tools.diff.exchanged import Exchange
from tools.diff.hunks import Hunk, Side

if TYPE_CHECKING:
    from tools.diff.versions import Versions

_PYTHON = (".py", ".pyi")
_BUILD = ("CMakeLists.txt", ".cmake")
_CALLED = ("function", "method")
_SCOPES = (*_CALLED, "class")
_INDENT = 4
_LAMBDA = re.compile(r"\}\s*[),;]")
DEFINED = re.compile(r"(?:async )?def (\w+)|class (\w+)")
ASIDE = re.compile(r"dummy|fake|mock|(?:^|[._])test|debug|bench|reference|__repr__|__str__|profile_run|sample_inputs")
"""Names of functions that are nobody's business outside."""
_METHOD = re.compile(r"(?:async )?def \w+\((?:self|cls)\b")
_C_HEADING = re.compile(
    r"(?:^|[\s*&~])(?!__(?:launch_bounds|attribute|cluster_dims|declspec)_*\b|pub\()((?:\w+::)*~?\w+)\s*\("
)
_BOUNDS = re.compile(r"\b__launch_bounds__\s*\(")
_C_CONTAINER = re.compile(
    r"\s*(?:typedef\s+|pub(?:\([^)]*\))?\s+)?(?:struct|class|union|enum|namespace|extern|template|impl|trait|mod|#)\b"
)
_C_METHOD = re.compile(
    r"\s+(?!(?:if|else|for|while|switch|do|try|catch|return|case|struct|class|union|enum|namespace|template|using)\b|#|//)"
    r"(?:[\w:<>,*&~]+\s+)*(?!(?:[A-Z0-9]+_)*[A-Z0-9]+\()[\w:~]+\([^=;\[{]*\)[\w\s]*\{$"
)
"""A function that is written out on the lines of its class; calls of macros and functions without a name are none."""
_RUST_FUNCTION = re.compile(r"\s*(?:pub(?:\([^)]*\))?\s+)?(?:(?:const|async|unsafe)\s+)*fn\s+\w")
_SETS = re.compile(r"[a-z_][\w.]* = \S")
_TRIPLE = ('"""', "'''")
_OPEN = re.compile(r"(?:[:(\[{,=]\s*|\breturn\s+|^)[rRbBfFuU]{0,2}$")
"""What stands before quotes that begin something."""


def hunk_line(hunk: Hunk, number: int, sign: str) -> str:
    """Give a changed line of a hunk by its number, without its sign and indentation."""
    at = hunk.old_start if sign == "-" else hunk.new_start
    other = "+" if sign == "-" else "-"
    for line in hunk.lines:
        if line[:1] in (other, "\\"):
            continue
        if at == number:
            return line[1:].strip()
        at += 1
    return ""


def _above(hunk: Hunk, number: int, side: Side = "new") -> list[str]:
    """Give the lines of one side above a line, with their signs."""
    return list(hunk.signed(side)[: number - hunk.span(side)[0]])


def _standing(found: Exchange) -> tuple[int, Side]:
    """Say on which line of which side something stands: what only went is nowhere on the new one."""
    return (found.come, "new") if found.new else (found.gone, "old")


def is_prose(found: Exchange, hunk: Hunk) -> bool:
    """Tell whether a line lies inside a docstring that the hunk shows the beginning or the end of."""
    number, side = _standing(found)
    above = _above(hunk, number, side)
    below = hunk.signed(side)[len(above) + 1 :]
    if sum(line.count(quotes) for line in above for quotes in _TRIPLE) % 2 and not _is_ended(above):
        return True
    last = ""
    for line in below:
        text = line[1:].strip()
        if DEFINED.match(text):
            return False
        if any(quotes in line for quotes in _TRIPLE):
            # Behind a colon a docstring only begins.
            return text in _TRIPLE and not last.endswith(":")
        last = text or last
    return False


def _is_ended(lines: Sequence[str]) -> bool:
    """Tell whether the first quotes that a hunk shows end a docstring: prose stands above them, or code below."""
    texts = [line[1:].strip() for line in lines if line[1:].strip()]
    at = next(at for at, text in enumerate(texts) if any(quotes in text for quotes in _TRIPLE))
    prose = texts[at].removesuffix('"""').removesuffix("'''")
    if prose and (prose == texts[at] or any(quotes in prose for quotes in _TRIPLE)):
        return False
    above = prose or (texts[at - 1] if at else "")
    return not _OPEN.search(above) if above else any(map(_SETS.match, texts[1:2]))


def scope_of(versions: "Versions", hunk: Hunk, found: Exchange) -> str | None:
    """Name the function in which a value is exchanged; None where there is none, or it is a new one."""
    path = versions.file.path
    if path.endswith(_BUILD):
        return path.rpartition("/")[2]
    if path.endswith(_PYTHON):
        name = _python_scope(hunk, found)
        if not versions.whole or (name is None and not is_deep_in_class(hunk, found)):
            return name
        symbol = _python_symbol(versions, hunk, found)
        # What a function inside of another one returns, that one does not.
        nested = name is not None and symbol is not None and symbol.rpartition(".")[2] != name.rpartition(".")[2]
        return None if nested and found.form == "returned" else symbol
    if hunk_line(hunk, found.come, "+").startswith("#"):
        return path.rpartition("/")[2]
    if found.form == "returned" and _is_in_lambda(hunk, found):
        return None
    around = [one for one in versions.new.symbols if one.kind in _CALLED and one.head < found.come <= one.end]
    if not around:
        return _c_scope(hunk, found)
    name = max(around, key=lambda one: one.start).name
    return name if any(one.name == name and one.kind in _CALLED for one in versions.old.symbols) else None


def is_deep_in_class(hunk: Hunk, found: Exchange) -> bool:
    """Tell whether a line stands in a method of a class that a hunk is headed by, and begins nothing above."""
    heading = DEFINED.match(hunk.heading)
    if heading is None or not heading[2] or found.form == "returned":
        return False
    number, side = _standing(found)
    above = _above(hunk, number, side)
    deep = depth_of(hunk.signed(side)[len(above)]) >= 2 * _INDENT
    return deep and not any(DEFINED.match(line[1:].lstrip()) for line in above)


def _is_in_lambda(hunk: Hunk, found: Exchange) -> bool:
    """Tell whether what ends below a line is given to a function, and so returns for itself."""
    lines = hunk.signed("new")[found.come - hunk.new_start :]
    depth = depth_of(lines[0])
    closing = next((line for line in lines if line[1:].strip() and depth_of(line) < depth), "")
    return _LAMBDA.match(closing[1:].strip()) is not None


def _python_symbol(versions: "Versions", hunk: Hunk, found: Exchange) -> str | None:
    """Name the last function that begins above a line, unless the line stands no deeper than that."""
    number, side = _standing(found)
    here, there = (versions.new, versions.old) if side == "new" else (versions.old, versions.new)
    above = [one for one in here.symbols if one.kind in _SCOPES and one.start <= number]
    last = max(above, key=lambda one: one.start, default=None)
    if last is None or last.kind not in _CALLED or last.head >= number:
        return None
    depth = depth_of(hunk.signed(side)[number - hunk.span(side)[0]])
    known = any(one.name == last.name and one.kind in _CALLED for one in there.symbols)
    return last.name if known and depth > _INDENT * last.name.count(".") else None


def _python_scope(hunk: Hunk, found: Exchange) -> str | None:
    """Name the function by what the hunk shows above the line, and else by what git names the hunk by."""
    number, side = _standing(found)
    depth = depth_of(hunk.signed(side)[number - hunk.span(side)[0]])
    names: list[str] = []
    for line in reversed(_above(hunk, number, side)):
        text = line[1:].strip()
        if not text or text[0] in "#)]}\"'" or depth_of(line) >= depth:
            continue
        depth = depth_of(line)
        if (match := DEFINED.match(text)) is not None:
            # What a new function decides is nothing else than before, and so is what one did that went; of a function
            # that is only begun here a value is a default.
            if line[:1] in ("+", "-") or (not names and match[2]):
                return None
            names.append(match[1] or match[2])
            if match[2]:
                break
        elif depth == 0:
            return None
    heading = DEFINED.match(hunk.heading.strip())
    if heading is not None and depth and (names or heading[1]):
        inside = heading[2] is not None or not names
        if not names and depth < (8 if _METHOD.match(hunk.heading.strip()) else 4):
            return None
        names += [heading[1] or heading[2]] if inside else []
    return ".".join(reversed(names)) or None


def depth_of(line: str) -> int:
    """Say by how many spaces a line of a diff is indented."""
    return len(line) - 1 - len(line[1:].lstrip(" "))


def _c_scope(hunk: Hunk, found: Exchange) -> str | None:
    """Name a function of C that begins at the left margin: in the hunk, or before it."""
    head = hunk.heading
    for line in _above(hunk, found.come):
        text = line[1:]
        begins = (text[:1].isalpha() or text[:2] == "__") and ("(" in text or _C_CONTAINER.match(text))
        if begins or _RUST_FUNCTION.match(text):
            head = "" if line[:1] == "+" else text
        elif text.startswith("}"):
            head = ""
    match = None if _C_CONTAINER.match(head) else _C_HEADING.search(head)
    return function_in(head if match else _c_method(hunk, found))


def is_unfinished(heading: str) -> bool:
    """Tell a heading of git that ends before the name of its function: `__global__ void __launch_bounds__(N)`."""
    return _BOUNDS.search(heading) is not None and _C_HEADING.search(heading) is None


def function_in(text: str) -> str | None:
    """Name the first function that some lines of C declare or define."""
    match = _C_HEADING.search(text)
    return match[1].replace("::", ".") if match else None


def _c_method(hunk: Hunk, found: Exchange) -> str:
    """Give the line on which a function of a class begins that a line belongs to, if the hunk shows it and it stays."""
    head, depth = "", 0
    for line in _above(hunk, found.come):
        text = line[1:]
        inside = len(text) - len(text.lstrip())
        if head and text.strip() and inside <= depth:
            head = ""
        if not head and _C_METHOD.match(text):
            head, depth = line, inside
    return head[1:] if head[:1] == " " else ""
