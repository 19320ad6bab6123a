"""Breaking changes for those who import a package."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from agent.domain.surface import BreakKind, PublicBreak
from tools.surface.import_path_resolution import Meaning, Package
from tools.surface.python_module import PythonDefinition
from tools.surface.records_made_by_users import is_exchanged, is_filled_in
from tools.surface.signatures import SignatureBreak, signature_breaks

_KINDS: dict[str, BreakKind] = {
    "removed": "parameter-removed",
    "added": "parameter-added",
    "inserted": "parameter-added",
    "required": "parameter-required",
    "reordered": "parameter-reordered",
    "keyword-only": "parameter-keyword-only",
}

_NEEDED_BY_SYNTAX = frozenset(
    {"__call__", "__await__", "__getitem__", "__setitem__", "__delitem__", "__len__", "__next__"}
    | {"__aiter__", "__anext__", "__enter__", "__exit__", "__aenter__", "__aexit__"}
)
"""Special methods without which an expression or a statement fails. `object` has none of them."""


def surface_breaks(
    before: Mapping[str, Meaning],
    old: Package,
    after: Mapping[str, Meaning],
    new: Package,
    documented: Collection[tuple[str, str]] = (),
    implied: Collection[str] = (),
) -> list[PublicBreak]:
    """Return what was public before and is gone, or takes other arguments.

    `documented` are the definitions, with their modules, that documents import by their names, and
    `implied` the later paths that are not certain to be public.
    """
    if before is after:
        return []
    comparison = _SurfaceComparison(old, after, new, documented, implied)
    breaks: list[PublicBreak] = []
    for path, meaning in before.items():
        breaks += comparison.breaks_of(path, meaning)
    return list(dict.fromkeys(breaks))


class _SurfaceComparison:
    """Compares what paths stand for before and after."""

    def __init__(
        self,
        old: Package,
        after: Mapping[str, Meaning],
        new: Package,
        documented: Collection[tuple[str, str]],
        implied: Collection[str],
    ) -> None:
        self._old = old
        self._after = after
        self._new = new
        self._documented = documented
        self._implied = implied

    def breaks_of(self, path: str, before: Meaning) -> Iterator[PublicBreak]:
        """Yield how a public path breaks."""
        if not isinstance(before, PythonDefinition) or _is_own_object(before):
            return
        after = self._after.get(path) or self._new.importable(path)
        if after is None:
            yield PublicBreak(
                kind="gone",
                path=path,
                file=self._old.paths[before.module],
                name=before.name,
                replacement=self._moved_to(before, path),
            )
        elif isinstance(after, PythonDefinition) and not self._is_unchanged(before, after):
            whole_before = self._old.whole_definition(before)
            whole_after = self._new.whole_definition(after)
            is_known = self._old.is_whole(before) and self._new.is_whole(after)
            if is_known and whole_after != whole_before:
                yield from self._definition_breaks(path, whole_before, whole_after)

    def _is_unchanged(self, before: PythonDefinition, after: PythonDefinition) -> bool:
        """Return True if the source of a definition is the same as before."""
        if after is before:
            return True
        digest = self._old.digest(before)
        if digest is None or digest != self._new.digest(after):
            return False
        # Decorators stand before it, and other branches may define the same name.
        return replace(after, module=before.module, line=before.line) == before

    def _moved_to(self, before: PythonDefinition, path: str) -> str:
        """Return the only other path in the package to a definition of the same name and kind."""
        name = path.rpartition(".")[2]
        package = path.partition(".")[0]
        places: dict[tuple[str, str], str] = {}
        for other, after in self._after.items():
            if other.rpartition(".")[2] != name or not isinstance(after, PythonDefinition):
                continue
            if after.kind != before.kind or other.partition(".")[0] != package:
                continue
            definition = (after.module, after.name)
            places[definition] = min(places.get(definition, other), other, key=self._distance)
        return next(iter(places.values())) if len(places) == 1 else ""

    def _distance(self, path: str) -> tuple[bool, int]:
        """Order paths to the same definition: what is certain to be public, and short ones first."""
        return path in self._implied, len(path)

    def _definition_breaks(
        self, path: str, before: PythonDefinition, after: PythonDefinition
    ) -> Iterator[PublicBreak]:
        if before.kind != after.kind or before.kind == "value":
            return
        for broken in _call_breaks(before, after):
            yield self._call_break(path, before, after, broken)
        if before.kind == "class":
            yield from self._member_breaks(path, before, after)

    def _call_break(
        self, path: str, before: PythonDefinition, after: PythonDefinition, broken: SignatureBreak
    ) -> PublicBreak:
        # A decorator that came or went may pass other arguments on.
        is_called_directly = set(before.decorators) == set(after.decorators)
        return PublicBreak(
            kind=_KINDS[broken.kind],
            path=path,
            file=self._old.paths[before.module],
            name=before.name,
            parameter=broken.parameter,
            replacement=broken.replacement,
            is_certain=broken.is_certain and is_called_directly and self._is_made_by_users(before),
        )

    def _is_made_by_users(self, definition: PythonDefinition) -> bool:
        """Return False for a record that the project may make for its users instead."""
        if not any(signature.is_of_fields for signature in definition.signatures):
            return True
        if (definition.module, definition.name) in self._documented:
            return True
        return is_exchanged(definition.bases) or is_filled_in(definition.name.rpartition(".")[2])

    def _member_breaks(
        self, path: str, before: PythonDefinition, after: PythonDefinition
    ) -> Iterator[PublicBreak]:
        arguments = _names_of_arguments(before)
        for name, member in before.members.items():
            if _is_private_member(name):
                continue
            member_path = f"{path}.{name}"
            later = after.members.get(name)
            if later is not None:
                if not name.startswith("_") or name == "__call__":
                    yield from self._definition_breaks(member_path, member, later)
                continue  # Of other special methods callers name no arguments
            if name in arguments:
                continue  # That the constructor does not take it any more says it all
            if member.kind == "value" and name in after.attributes:
                continue  # Its methods set it now
            inherited = self._new.inherited(after, name)
            if inherited or (after.is_open and member.kind == "value"):
                continue
            yield PublicBreak(
                kind="gone",
                path=member_path,
                file=self._old.paths[before.module],
                name=member.name,
                # `__getattr__` makes values up, and now and then functions.
                is_certain=inherited is False and not after.is_open,
            )


def _is_own_object(definition: PythonDefinition) -> bool:
    """Return True for a module's own object, such as its logger; constants have capital letters."""
    return definition.kind == "value" and definition.name.islower()


def _is_private_member(name: str) -> bool:
    """Return True for a name with an underscore, unless Python's syntax uses it: `engine(tokens)`."""
    return name.startswith("_") and name not in _NEEDED_BY_SYNTAX


def _names_of_arguments(definition: PythonDefinition) -> set[str]:
    names: set[str] = set()
    for signature in definition.signatures:
        names.update(parameter.name for parameter in signature.parameters)
    return names


def _call_breaks(before: PythonDefinition, after: PythonDefinition) -> list[SignatureBreak]:
    """Return why calls fail that a name took before; any of its new signatures may take them."""
    if not after.signatures:
        return []
    breaks: list[SignatureBreak] = []
    for old in before.signatures:
        attempts = [signature_breaks(old, new) for new in after.signatures]
        if all(attempts):
            attempts.sort(key=len)
            breaks += attempts[0]
    return breaks
