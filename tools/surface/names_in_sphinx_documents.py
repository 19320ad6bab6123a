"""The names that documents of Sphinx describe, by its directives and by the roles of its links."""

import re
from collections.abc import Iterator
from typing import NamedTuple

_DIRECTIVE = re.compile(r"(\s*)\.\.\s+(?:py:)?([a-z]+)::[ \t]*(\S*)")
_ITEM = re.compile(r"\s+~?([A-Za-z_][\w.]*)")
_OPTION = re.compile(r"\s+:([\w-]+):")
_MODULES = ("currentmodule", "module", "automodule")
_SHOWN = ("autofunction", "autoclass", "autodata", "autoexception", "autodecorator")
_ROLE = re.compile(
    r":(?:py:)?(?:func|class|meth|data|exc|obj|attr|const|deco):`(?:[^`<]*<)?[~!]?([\w.]+)(?:\(\))?>?`"
)
_LONGEST_LINE = 1_000  # Characters; names are short


class Described(NamedTuple):
    """What the documents of Sphinx show to users."""

    modules: frozenset[str]
    names: frozenset[tuple[str, str]]  # Names with the modules they are shown in
    whole_modules: frozenset[str]  # Those of which all members are shown


def described_names(text: str) -> Described:
    """Return the modules and names that a document in reStructuredText describes."""
    document = _Document()
    for line in text.splitlines():
        if len(line) <= _LONGEST_LINE and line.strip():
            document.read(line)
    modules = {module for module, _ in document.names} | document.whole_modules
    return Described(
        frozenset(modules), frozenset(document.names), frozenset(document.whole_modules)
    )


class _Document:
    """What was described so far, and by which directive the next lines are read."""

    def __init__(self) -> None:
        self.names: set[tuple[str, str]] = set()
        self.whole_modules: set[str] = set()
        self._module = ""
        self._directive = ""

    def read(self, line: str) -> None:
        """Read the next line that is not blank."""
        for path in _ROLE.findall(line):
            self.names.update(_meanings(self._module, path))
        directive = _DIRECTIVE.match(line)
        if directive is not None:
            indentation, name, argument = directive.groups()
            # What stands inside of a directive is a member of what that shows.
            self._directive = "" if indentation else name
            self._begin(argument)
        elif not line[0].isspace():
            self._directive = ""
        elif self._directive == "automodule":
            option = _OPTION.match(line)
            if option is not None and option[1] == "members" and self._module:
                self.whole_modules.add(self._module)
        elif self._directive == "autosummary":
            item = _ITEM.match(line)
            if item is not None:
                self.names.update(_meanings(self._module, item[1]))

    def _begin(self, argument: str) -> None:
        if self._directive in _MODULES:
            self._module = argument
        if self._directive in _SHOWN:
            self.names.update(_meanings(self._module, argument))


def _meanings(module: str, written: str) -> Iterator[tuple[str, str]]:
    """Yield what a name may mean: one of the module of which a document speaks, or with its own."""
    own_module, _, name = written.partition("(")[0].rpartition(".")
    if module:
        yield f"{module}.{own_module}".rstrip("."), name
    if own_module:
        yield own_module, name
