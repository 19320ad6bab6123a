"""The surface of a Python package: changes of the paths that its users import."""

from collections.abc import Sequence
from functools import cached_property
from typing import Literal

from agent.domain.base import Frozen

BreakKind = Literal[
    "gone",
    "parameter-removed",
    "parameter-added",
    "parameter-required",
    "parameter-reordered",
    "parameter-keyword-only",
]
"""How something public breaks: nothing is importable under its path any more, or calls that worked
do not fit its parameters."""


class PublicName(Frozen):
    """Something in a changed file that users reach."""

    file: str
    name: str  # Behind the names of the classes around it
    path: str  # As users import it, `package.module.Class`


class PublicBreak(Frozen):
    """Something public that old code cannot use as before."""

    kind: BreakKind
    path: str
    file: str  # Where it was defined before
    name: str  # Its name in that file, behind the names of the classes around it
    parameter: str = ""
    replacement: str = ""  # The path or the parameter to use instead, where the tree shows one
    is_certain: bool = True
    """False where only some old code breaks, or where a base outside of the tree may help out."""
    is_given_on: bool = False  # A package lists it in `__all__`, or binds it and lists nothing


class SurfaceChange(Frozen):
    """The public names of a commit's files, and those that break."""

    names: tuple[PublicName, ...] = ()
    breaks: tuple[PublicBreak, ...] = ()
    exporting_folders: tuple[str, ...] = ()
    """The folders of packages that say what users import, by giving names on or by documents that
    show it. What users import from others nobody can say."""
    commands: tuple[PublicName, ...] = ()
    """The functions in changed files that commands start, and that nobody is shown to call."""
    described: tuple[PublicName, ...] = ()
    """The names in changed files that documents describe, and do not merely use."""
    given_on: tuple[str, ...] = ()
    """The paths that packages give on now and that nobody could import before."""
    documented_headers: tuple[str, ...] = ()
    """The changed headers that documents or examples include."""

    @cached_property
    def _paths(self) -> dict[tuple[str, str], list[str]]:
        paths: dict[tuple[str, str], list[str]] = {}
        for public in self.names:
            paths.setdefault((public.file, public.name), []).append(public.path)
        return paths

    def public_path(self, file: str, name: str) -> str:
        """Return the first path under which users import something; empty where they do not."""
        paths = self.public_paths(file, name)
        return paths[0] if paths else ""

    def public_paths(self, file: str, name: str) -> Sequence[str]:
        """Return all paths under which users import something."""
        return self._paths.get((file, name), ())

    def is_command(self, file: str, name: str) -> bool:
        """Return True for a function that a command starts, without arguments of users."""
        return any((command.file, command.name) == (file, name) for command in self.commands)

    def is_described(self, file: str, name: str) -> bool:
        """Return True for something that documents describe to users."""
        return any((public.file, public.name) == (file, name) for public in self.described)

    def is_newly_given_on(self, module: str, name: str) -> bool:
        """Return True for a name that a module of this name, or the end of it, gives on now."""
        paths = (path.rpartition(".") for path in self.given_on)
        return any(given == name and module.endswith(giving) for giving, _, given in paths)

    def is_exporting(self, file: str) -> bool:
        """Return True for a file of a package that says what users import from it."""
        return any(file.startswith(f"{folder}/") for folder in self.exporting_folders)

    def is_documented_header(self, file: str) -> bool:
        """Return True for a header that documents or examples show users to include."""
        return file in self.documented_headers

    def breaks_of(self, file: str, name: str) -> list[PublicBreak]:
        """Return how something in a file breaks."""
        return [broken for broken in self.breaks if (broken.file, broken.name) == (file, name)]
