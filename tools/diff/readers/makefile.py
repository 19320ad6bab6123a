"""What a Makefile lets its caller set: its variables, whichever branch sets them, and the options that it asks for."""

import re
from collections.abc import Container, Iterator
from typing import NamedTuple

from tools.diff.readers.lines import fold
from tools.diff.readers.manifest_pins import pinned_by_name, pinned_in_command
from tools.diff.reading import Site, Source

_VARIABLE = re.compile(r"^(\s*)(?:export\s+)?([A-Za-z_][\w.-]*)\s*(\?=|:{1,3}=|=)\s*(.*)$")
_RULE = re.compile(r"^[^\s#=][^=]*:(?!=)")
_BRANCH = re.compile(r"^\s*(ifn?eq|ifn?def|else|endif)\b(.*)$")
_OPTION = re.compile(r"^\s*\(\s*\$[({]([a-z]\w*)[)}]\s*,\s*([\w.+-]+)\s*\)")
_EITHER = " | "


class _Set(NamedTuple):
    """One place that sets a variable."""

    number: int
    asks: bool
    value: str
    conditional: bool


def makefile_sites(source: Source, lines: list[str]) -> Iterator[Site]:
    """Read the variables: `?=` asks the environment first, the others can be set on the command line."""
    variables: dict[str, list[_Set]] = {}
    options: dict[str, list[tuple[int, str]]] = {}
    depth, in_rule = 0, False
    for number, line in enumerate(lines, source.first_line):
        if branch := _BRANCH.match(line):
            depth = max(0, depth + (branch[1][:2] == "if") - (branch[1] == "endif"))
            if "eq" in branch[1] and (option := _OPTION.match(branch[2])):
                options.setdefault(option[1], []).append((number, option[2]))
        elif line.startswith("\t") and (in_rule or not depth):
            yield from pinned_in_command(line, number)
        elif found := _VARIABLE.match(line):
            in_rule, value = False, fold(found[4].partition(" #")[0])
            if pinned := pinned_by_name(found[2], value, number):
                yield pinned
            elif not found[1] or depth:
                variables.setdefault(found[2], []).append(_Set(number, found[3] == "?=", value, depth > 0))
        elif line[:1].strip():
            in_rule = _RULE.match(line) is not None
    changed = source.changed or ()
    yield from (_variable(name, places, changed) for name, places in variables.items())
    # Elsewhere in a file that is not seen as a whole, what it asks for may be set.
    if source.whole:
        yield from (_option(name, asked, changed) for name, asked in options.items() if name not in variables)


def _variable(name: str, places: list[_Set], changed: Container[int]) -> Site:
    """Speak for all branches that set a variable; one that is set in some case only is derived, not offered."""
    value = _EITHER.join(dict.fromkeys(one.value for one in places))
    number = min(places, key=lambda one: one.number not in changed).number
    derived = "ifeq" if all(one.conditional for one in places) else ""
    asks = any(one.asks for one in places)
    return Site("env" if asks else "config", name, number, number, value=value, condition=derived)


def _option(name: str, asked: list[tuple[int, str]], changed: Container[int]) -> Site:
    """Speak of what callers may set and nothing here does: `make compiler=clang`."""
    number = min(asked, key=lambda one: one[0] not in changed)[0]
    return Site("config", name, number, number, value=_EITHER.join(dict.fromkeys(value for _, value in asked)))
