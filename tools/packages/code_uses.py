"""Finds the lines of own Python code that a new version of a package breaks."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from agent.bumps.python_uses import (
    CallShape,
    ModuleNames,
    PathUse,
    names_given_on,
    path_uses,
)
from agent.bumps.result import CodeUse, Effect
from tools.packages.python_tree import PythonTree, call_fault, shifted_argument
from tools.surface.module import PythonDefinition
from tools.surface.package import OUTSIDE, Meaning, module_paths

_ERRORS: Mapping[Effect, frozenset[str]] = {
    "gone": frozenset({"ImportError", "ModuleNotFoundError", "AttributeError", "Exception"}),
    "argument": frozenset({"TypeError", "Exception"}),
    "changed": frozenset(),
}
"""What is raised where a line fails; a handler for it means that the line is prepared."""


class FileUse(NamedTuple):
    """A use of a path in a file of one's own."""

    file: str
    use: PathUse


class _CallKey(NamedTuple):
    """A call as it is written, wherever in a file."""

    file: str
    path: str
    call: CallShape | None


class OwnUses(NamedTuple):
    """The uses of some packages in own code, before and after a bump."""

    uses: list[FileUse]
    earlier: list[FileUse]


def own_uses(base: Mapping[str, str], tip: Mapping[str, str], packages: Collection[str]) -> OwnUses:
    """Return what Python files use of some packages, also through one another, at both commits.

    Most files are the same at both, and are parsed once.
    """
    reader = _OwnFiles(tip, packages)
    uses: list[FileUse] = []
    for file, text in tip.items():
        uses += reader.uses(file, text)
    earlier = [use for use in uses if base.get(use.file) == tip[use.file]]
    for file, text in base.items():
        if tip.get(file) != text:
            earlier += reader.uses(file, text)
    return OwnUses(uses, earlier)


class _OwnFiles:
    """Reads own files one by one, with what they have from each other."""

    def __init__(self, files: Mapping[str, str], packages: Collection[str]) -> None:
        self._packages = packages
        self._modules = {file: module for module, file in module_paths(files).items()}
        self._given_on: dict[str, ModuleNames] = {}
        for file, module in self._modules.items():
            names = names_given_on(files[file], packages, module)
            if names is not None:
                self._given_on[module] = names

    def uses(self, file: str, text: str) -> list[FileUse]:
        """Return what a file uses."""
        module = self._modules.get(file, "")
        uses = path_uses(text, self._packages, self._given_on, module)
        return [FileUse(file, use) for use in uses]


async def broken_uses(code: OwnUses, old: PythonTree, new: PythonTree) -> list[CodeUse]:
    """Return the uses that work with the old version of a package and fail with the new one.

    Those of what only the new one calls deprecated are returned as changed.

    A call that came with the bump was written for the new version, whatever its arguments were
    called in the old one.
    """
    paths = {file_use.use.path for file_use in code.uses}
    before = await old.meanings(paths)
    after = await new.meanings(paths)
    earlier_calls = {_CallKey(file, use.path, use.call) for file, use in code.earlier}
    broken: list[CodeUse] = []
    for file, use in code.uses:
        earlier = before[use.path]
        later = after[use.path]
        is_new_call = _CallKey(file, use.path, use.call) not in earlier_calls
        if earlier is OUTSIDE and not is_new_call and old.may_inherit(use.path):
            fault = _fault_of_method(use, later)
            if fault:
                broken.append(_code_use(file, use, "argument", f"`{use.path}`: {fault}"))
        is_outside = earlier is OUTSIDE and not old.is_imported_from_elsewhere(use.path)
        if earlier is None or is_outside:
            continue
        if later is None:
            replacement = new.moved_to(use.path, earlier)
            broken.append(_code_use(file, use, "gone", f"`{use.path}` is gone", replacement))
        elif not is_new_call:
            fault = _call_break(use, earlier, later)
            if fault:
                broken.append(_code_use(file, use, "argument", f"`{use.path}`: {fault}"))
        if _is_deprecated(later) and not _is_deprecated(earlier):
            broken.append(_code_use(file, use, "changed", f"`{use.path}` is deprecated"))
    return _first_lines(broken)


def _is_deprecated(meaning: Meaning | None) -> bool:
    return isinstance(meaning, PythonDefinition) and meaning.is_deprecated


def _code_use(file: str, use: PathUse, effect: Effect, text: str, replacement: str = "") -> CodeUse:
    return CodeUse(
        file=file,
        line=use.line,
        name=use.path,
        effect=effect,
        text=text,
        replacement=replacement,
        is_guarded=bool(use.caught & _ERRORS[effect]),
    )


def _call_break(use: PathUse, earlier: Meaning, later: Meaning | None) -> str:
    """Return why a call fails that worked before; empty if it still works, or nobody can say."""
    if not isinstance(earlier, PythonDefinition) or not isinstance(later, PythonDefinition):
        return ""
    if earlier.kind != later.kind or use.call is None or earlier.signatures == later.signatures:
        return ""
    if call_fault(earlier, use.call):
        return ""  # It did not fit before either: a wrapper takes other arguments
    return call_fault(later, use.call) or shifted_argument(earlier, later, use.call)


def _fault_of_method(use: PathUse, later: Meaning | None) -> str:
    """Return why a call of a method fails that its class had from a base in another package."""
    if use.call is None or not isinstance(later, PythonDefinition) or later.kind != "function":
        return ""
    return call_fault(later, use.call)


def _first_lines(broken: Sequence[CodeUse]) -> list[CodeUse]:
    """Return each line once, and of a name that is gone only its first line in a file.

    That is the import: a reader who mends it meets the other uses there.
    """
    kept: dict[tuple[str, int, str], CodeUse] = {}
    for use in sorted(broken, key=lambda use: (use.file, use.line)):
        line = 0 if use.effect == "gone" else use.line
        kept.setdefault((use.file, line, use.text), use)
    return list(kept.values())
