"""Broken uses: lines of the user's Python code that a new version of a package breaks."""

import ast
import asyncio
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from agent.bumps.bump_report_model import CodeUse, Effect
from agent.bumps.python_uses import CallShape, Override, OwnPython, PathUse
from tools.packages.python_package_api import (
    PythonTree,
    call_fault,
    override_fault,
    shifted_argument,
)
from tools.packages.python_types import PathAnswer
from tools.surface.import_path_resolution import OUTSIDE, Meaning
from tools.surface.python_module import PythonDefinition

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


async def own_uses(
    base: Mapping[str, str], tip: Mapping[str, str], packages: Collection[str]
) -> OwnUses:
    """Return what Python files use of some packages, also through one another, at both commits.

    Most files are the same at both, and are read once. A limit of time may end it between files.
    """
    code = OwnPython(tip, packages)
    uses: list[FileUse] = []
    for file in tip:
        await asyncio.sleep(0)
        uses += [FileUse(file, use) for use in code.uses(file)]
    earlier = [use for use in uses if base.get(use.file) == tip[use.file]]
    for file, text in base.items():
        if tip.get(file) != text:
            await asyncio.sleep(0)
            earlier += [FileUse(file, use) for use in code.uses_of_text(file, text)]
    return OwnUses(uses, earlier)


async def broken_uses(code: OwnUses, old: PythonTree, new: PythonTree) -> list[CodeUse]:
    """Return the uses that work with the old version of a package and fail with the new one.

    Those of what only the new one calls deprecated are returned as changed.

    A call that came with the bump was written for the new version, whatever its arguments were
    called in the old one.
    """
    paths = {file_use.use.path for file_use in code.uses}
    before = await old.answers(paths)
    after = await new.answers(paths)
    earlier_calls = {_CallKey(file, use.path, use.call) for file, use in code.earlier}
    broken: list[CodeUse] = []
    for file, use in code.uses:
        is_new_call = _CallKey(file, use.path, use.call) not in earlier_calls
        comparison = _UseComparison(file, use, before[use.path], after[use.path], is_new_call)
        broken += comparison.broken(old, new)
    return _first_lines(broken)


@dataclass(frozen=True)
class _UseComparison:
    """A use, and what it stands for in both versions."""

    file: str
    use: PathUse
    old: PathAnswer
    new: PathAnswer
    is_new_call: bool

    def broken(self, old: PythonTree, new: PythonTree) -> Iterator[CodeUse]:
        """Yield how the use breaks, if it worked."""
        earlier = self.old.meaning
        later = self.new.meaning
        path = self.use.path
        if self.use.override is not None:
            yield from self._broken_override(self.use.override)
            return
        if earlier is OUTSIDE and not self.is_new_call and old.may_inherit(self.old):
            yield from self._at_fault("argument", _fault_of_method(self.use, later))
        is_outside = earlier is OUTSIDE and not old.is_imported_from_elsewhere(path)
        if earlier is None or is_outside:
            return
        if later is None and not self._is_consequence:
            yield self._code_use("gone", "is gone", new.moved_to(path, earlier))
        elif self._is_left_to_base(new):
            text = "is not defined by its class any more, unless a base in another package has it"
            yield self._code_use("gone", text, is_certain=False)
        elif not self.is_new_call:
            yield from self._at_fault("argument", _call_break(self.use, earlier, later))
            yield from self._broken_value(earlier, later)
            yield from self._broken_kind(earlier, later)
        if new.is_deprecated(later) and not old.is_deprecated(earlier):
            yield self._code_use("changed", "is deprecated")
        elif self.new.deprecated_module and self.use.is_whole and not self.old.deprecated_module:
            yield self._code_use(
                "changed", f"is in `{self.new.deprecated_module}`, which is deprecated"
            )

    @property
    def _is_consequence(self) -> bool:
        """True if something on the way to the name is gone, which is a use by itself."""
        return not self.new.is_followed and not self.use.is_whole

    def _is_left_to_base(self, new: PythonTree) -> bool:
        """Return True for what a class defined itself, and has at most from elsewhere now.

        If it has another base than before, the definition may have moved there.
        """
        if self.new.meaning is not OUTSIDE or not self.new.is_followed:
            return False
        before = self.old.owner
        after = self.new.owner
        if before is None or after is None or before.bases != after.bases:
            return False
        return isinstance(self.old.meaning, PythonDefinition) and new.may_inherit(self.new)

    def _at_fault(self, effect: Effect, fault: str) -> Iterator[CodeUse]:
        if fault:
            yield self._code_use(effect, f": {fault}")

    def _broken_override(self, override: Override) -> Iterator[CodeUse]:
        earlier = self.old.meaning
        later = self.new.meaning
        if not isinstance(earlier, PythonDefinition) or earlier.kind != "function":
            return
        if later is None and self.new.is_followed and not override.is_called:
            text = "is gone, and this method stood in for it"
            yield self._code_use("gone", text, is_certain=False)
        elif isinstance(later, PythonDefinition):
            fault = override_fault(earlier, later, override)
            if fault:
                text = f": {fault}, and this method stands in for it"
                yield self._code_use("argument", text, is_certain=False)

    def _broken_value(self, earlier: Meaning, later: Meaning | None) -> Iterator[CodeUse]:
        """Yield a call of what was a value of unknown parameters, and has some now."""
        call = self.use.call
        if call is None or not isinstance(later, PythonDefinition) or later.kind == "value":
            return
        if (
            isinstance(earlier, PythonDefinition)
            and earlier.kind == "value"
            and not _is_property(earlier)
        ):
            fault = call_fault(later, call)
            if fault:
                yield self._code_use("argument", f": {fault}", is_certain=False)

    def _broken_kind(self, earlier: Meaning, later: Meaning | None) -> Iterator[CodeUse]:
        """Yield a method that became a property, or the other way round, and what is async now."""
        if not isinstance(earlier, PythonDefinition) or not isinstance(later, PythonDefinition):
            return
        is_called = self.use.call is not None
        if earlier.kind == "function" and _is_property(later) and is_called:
            is_certain = later.type is not None and "Callable" not in ast.dump(later.type)
            text = "is a property now, and is called"
            yield self._code_use("argument", text, is_certain=is_certain)
        elif _is_property(earlier) and later.kind == "function" and not is_called:
            text = "is a method now, and is not called"
            yield self._code_use("argument", text, is_certain=False)
        elif earlier.kind == later.kind == "function" and earlier.is_async != later.is_async:
            if is_called and later.is_async and not self.use.is_awaited:
                text = "is async now, and is not awaited"
                yield self._code_use("argument", text, is_certain=False)
            elif self.use.is_awaited and not later.is_async:
                text = "is not async any more, and is awaited"
                yield self._code_use("argument", text, is_certain=False)

    def _code_use(
        self, effect: Effect, text: str, replacement: str = "", *, is_certain: bool = True
    ) -> CodeUse:
        use = self.use
        separator = "" if text.startswith(":") else " "
        return CodeUse(
            file=self.file,
            line=use.line,
            name=self.old.name,
            effect=effect,
            text=f"`{self.old.name}`{separator}{text}",
            replacement=replacement,
            is_guarded=bool(use.caught & _ERRORS[effect]),
            is_certain=is_certain and use.is_certain and self.old.is_certain,
        )


def _is_property(definition: PythonDefinition) -> bool:
    names = {name.rpartition(".")[2] for name in definition.decorators}
    return definition.kind == "value" and bool(names & {"property", "cached_property"})


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
