"""What a shell script or a Makefile takes from its caller: variables with defaults, flags; and its functions."""

import hashlib
import re
from collections.abc import Iterator

from tools.diff.readers.lines import digest, fold, lines_of, refusal, refused, unquote
from tools.diff.readers.makefile import makefile_sites
from tools.diff.readers.manifest_pins import Installed, pinned_by_name, pinned_in_command
from tools.diff.reading import Reading, Site, Source, Symbol

_DEFAULT = re.compile(r"\$\{([A-Z][A-Z0-9_]*)(:?[-=])((?:[^{}\n]|\$?\{[^{}\n]*\})*)\}")
_ASSIGN = re.compile(
    r"""^\s*(?:(export|readonly|declare\s+-\w+|typeset\s+-\w+)\s+)?([A-Za-z_]\w*)=("(?:[^"\\]|\\.)*"|'[^']*'|[^\s;&|]*)"""
)
_ASKED = re.compile(r"^\s*(?::\s|if\b|\[)")
_CASE = re.compile(r"^\s*\(?((?:-{1,2}[A-Za-z0-9?][\w=*-]*)(?:\s*\|\s*-{0,2}[\w=*?-]+)*)\s*\)(?!\s*\))")
_GETOPTS = re.compile(r"""\bgetopts\s+["']?([A-Za-z0-9:]+)""")
_FUNCTION = re.compile(r"^(\s*)(?:function\s+([\w:.-]+)\s*(?:\(\s*\))?|([\w:.-]+)\s*\(\s*\))\s*(?:\{|$)")
_MAKE_TARGET = re.compile(r"^([A-Za-z0-9_][\w./-]*)\s*:(?!=)")
_MAKEFILE = re.compile(r"(?:^|/)(?:GNU)?[Mm]akefile[^/]*$|\.mk$")
_LOCAL = re.compile(r"^(\s*)(?:local\s+|readonly\s+|declare\s+-\w+\s+)?([A-Z][A-Z0-9_]*)=(.*)$")
_INDIRECT = re.compile(r"^\s*for\s+\w+\s+in\s([^;]*)")
_VARIABLE = re.compile(r"[A-Z][A-Z0-9]*_[A-Z0-9_]+")
_PLUMBING = ("PATH", "LD_LIBRARY_PATH", "PYTHONPATH", "HOME", "PWD", "IFS", "DEBIAN_FRONTEND")


def is_makefile(path: str) -> bool:
    """Say whether this is a Makefile."""
    return _MAKEFILE.search(path) is not None


def read(source: Source) -> Reading:
    """Give the variables, flags, pinned packages and functions of a script."""
    if why := refusal(source):
        return refused(why)
    lines = lines_of(source)
    if is_makefile(source.path):
        targets = _targets(lines, source.first_line)
        return Reading(tuple(targets), tuple(makefile_sites(source, lines)), code=digest(source))
    sites = _once(_script(source, lines))
    return Reading(tuple(_functions(lines, source.first_line)), tuple(sites), code=digest(source))


def _once(sites: Iterator[Site]) -> Iterator[Site]:
    """Give each name with each value once; a script reads the same variable in many places."""
    seen = set[tuple[str, str, str | None]]()
    for site in sites:
        key = (site.kind, site.name, site.value)
        if key not in seen:
            seen.add(key)
            yield site


def _script(source: Source, lines: list[str]) -> Iterator[Site]:
    """Walk over a script's lines."""
    packages = Installed()
    own: dict[str, int] = {}
    if b"${!" in source.text:
        yield from _named(lines, source.first_line)
    for number, line in enumerate(lines, source.first_line):
        if not line or line.lstrip().startswith("#"):
            continue
        yield from packages.read(line, number)
        if "$" in line:
            depth = len(line) - len(line.lstrip())
            yield from (site for site in _defaults(line, number) if own.get(site.name, depth + 1) > depth)
        if "=" in line:
            yield from _assignment(line, number)
            # What the script itself has set is nothing that it asks for, unless it was set in some case only.
            if (local := _LOCAL.match(line)) and f"{{{local[2]}" not in local[3]:
                # Set a second time, it is set in the other case as well.
                own[local[2]] = 0 if local[2] in own else len(local[1])
            yield from pinned_in_command(line, number)
        if "-" in line and ")" in line and (case := _CASE.match(line)):
            yield from _flags(case[1], number)
        if "getopts" in line and (options := _GETOPTS.search(line)):
            yield from (Site("flag", f"-{letter}", number, number) for letter in options[1] if letter != ":")


def _named(lines: list[str], first: int) -> Iterator[Site]:
    """Find the variables that a loop names and then reads by their names: `for var in A B; do x="${!var}"`."""
    at = 0
    while at < len(lines):
        if (found := _INDIRECT.match(lines[at])) is None:
            at += 1
            continue
        listed, start = found[1], at
        while listed.endswith("\\") and at + 1 < len(lines):
            at += 1
            listed = lines[at].partition(";")[0]
            yield from (Site("env", name, first + at, first + at) for name in _VARIABLE.findall(listed))
        yield from (Site("env", name, first + start, first + start) for name in _VARIABLE.findall(found[1]))
        at += 1


def _defaults(line: str, number: int) -> Iterator[Site]:
    """Read `${X:-default}` in all its forms."""
    for found in _DEFAULT.finditer(line):
        if found[1] not in _PLUMBING:
            yield Site("env", found[1], number, number, value=fold(unquote(found[3])))


def _assignment(line: str, number: int) -> Iterator[Site]:
    """Read `export X=1` as a variable and `X_VERSION=1.2` as what it pins."""
    found = _ASSIGN.match(line)
    if found is None:
        return
    name, value = found[2], fold(unquote(found[3]))
    if (asked := _DEFAULT.fullmatch(value)) and asked[1] == name:
        return
    # What is put together of other variables pins nothing.
    if "$" not in value and "`" not in value and (pinned := pinned_by_name(name, value, number)):
        yield pinned
    elif found[1] == "export" and name.isupper() and name not in _PLUMBING:
        yield Site("env", name, number, number, value=value)


def _flags(pattern: str, number: int) -> Iterator[Site]:
    """Read the pattern of a `case`: `-h | --help)`."""
    for alternative in pattern.split("|"):
        name = alternative.strip().rstrip("*").removesuffix("=")
        if re.fullmatch(r"-[A-Za-z0-9?]|--[A-Za-z0-9][\w-]*", name):
            yield Site("flag", name, number, number)


def _functions(lines: list[str], first: int) -> Iterator[Symbol]:
    """Find functions; one ends at the brace in its own column."""
    for at, line in enumerate(lines):
        if "(" not in line and "function" not in line:
            continue
        found = _FUNCTION.match(line)
        if found is None:
            continue
        name, end = found[2] or found[3], at
        closing = found[1] + "}"
        if not line.rstrip().endswith("}"):
            end = next((k for k in range(at + 1, len(lines)) if lines[k].rstrip() == closing), at)
        yield _symbol(name, lines[at + 1 : end + 1], first + at, first + end)


def _targets(lines: list[str], first: int) -> Iterator[Symbol]:
    """Find the targets of a Makefile that can be asked for by name."""
    for at, line in enumerate(lines):
        if found := _MAKE_TARGET.match(line):
            end = at
            while end + 1 < len(lines) and lines[end + 1].startswith("\t"):
                end += 1
            yield _symbol(found[1], lines[at + 1 : end + 1], first + at, first + end)


def _symbol(name: str, body: list[str], start: int, end: int) -> Symbol:
    """Make the symbol of a function or target."""
    text = "\n".join(line.strip() for line in body if line.strip()).replace(name, "")
    shape = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest() if text else ""
    return Symbol(name, "function", start, end, start, public=not name.startswith("_"), shape=shape)
