"""The parameters that Python callers of a bound function see: `m.def("f", &f, py::arg("a"), py::arg("b") = 1)`."""

import re

from tools.diff.readers.calls import Call
from tools.diff.readers.masked import Masked
from tools.diff.reading import Param

_BINDS = (b"::arg(", b'"_a')
_BOUND = re.compile(r'(?:(?:\w+::)*arg\(\s*"(\w+)"\s*\)|"(\w+)"_a)(?:\.\w+\([^()]*\))*(?:\s*=\s*(.+))?')
_BY_KEYWORD = re.compile(r"(?:\w+::)*kw_only\(\)")
_IN_PYTHON = {"true": "True", "false": "False", "nullptr": "None"}
_NOTHING = re.compile(r"(?:\w+::)+(?:nullopt|none\(\))|(?:\w+::)*object\(\)")
_FIRST = 2
"""Behind the name and the function."""


def bound(masked: Masked, call: Call) -> tuple[Param, ...] | None:
    """List the parameters that a binding names; None where it names none."""
    if not names_arguments(masked, call):
        return None
    params: list[Param] = []
    by_keyword = False
    for span in call.arguments[_FIRST:]:
        text = masked.fold(*span)
        by_keyword = by_keyword or _BY_KEYWORD.fullmatch(text) is not None
        if found := _BOUND.fullmatch(text):
            params.append(Param(found[1] or found[2], _as_python(found[3]), keyword_only=by_keyword))
    return tuple(params) or None


def names_arguments(masked: Masked, call: Call) -> bool:
    """Tell whether a binding says what its arguments are called."""
    return any(word in masked.bare[call.start : call.end + 1] for word in _BINDS)


def _as_python(default: str | None) -> str | None:
    """Write a default as callers know it."""
    if default is None or _NOTHING.fullmatch(default):
        return default and "None"
    return _IN_PYTHON.get(default, default)
