"""Arguments that pybind gives to Python by name: `m.def("f", &f, py::arg("x") = 1)`."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from agent.domain.facts import FactKind
from agent.domain.patch import Side
from tools.diff.declaration_reader import language_of, read_declarations
from tools.diff.located_differences import Difference, FoundDeclaration, written
from tools.surface.signatures import Parameter, Signature, SignatureBreak, signature_breaks

if TYPE_CHECKING:
    from tools.diff.changed_file_declarations import Versions

_KINDS: dict[str, FactKind] = {
    "removed": "parameter-removed",
    "added": "parameter-added",
    "inserted": "parameter-added",
    "required": "parameter-required",
    "reordered": "parameter-reordered",
    "keyword-only": "parameter-keyword-only",
}
_MARK = "arg("
_SIDES = 2  # Texts of a file where both of its versions are at hand

Arguments = dict[str, FoundDeclaration]  # The arguments of one function, in their order


def binding_differences(files: Sequence["Versions"]) -> Iterator[Difference]:
    """Yield how the named arguments of bound functions differ.

    A function that is bound more than once, or that names its arguments on one side only, is not
    compared: which calls it takes is not in sight.
    """
    for versions in files:
        if len(versions.texts) < _SIDES or not _may_bind(versions):
            continue
        before = _bound_functions(versions, "old")
        after = _bound_functions(versions, "new")
        for name, old in before.items():
            new = after.get(name)
            if new is not None:
                yield from _function_differences(name, old, new)


def _may_bind(versions: "Versions") -> bool:
    patch = versions.patch
    changed = (*patch.lines("old").values(), *patch.lines("new").values())
    return any(_MARK in line for line in changed)


def _bound_functions(versions: "Versions", side: Side) -> dict[str, Arguments]:
    """Return the named arguments of the functions that one version of a file binds once."""
    language = language_of(versions.file.path)
    if language is None or language.name != "cpp":
        return {}
    text = versions.texts[0 if side == "old" else 1]
    functions: dict[str, Arguments] = defaultdict(dict)
    repeated: set[str] = set()
    for declaration in read_declarations(text, language):
        if declaration.kind != "argument":
            continue
        arguments = functions[declaration.owner]
        if declaration.name in arguments:
            repeated.add(declaration.owner)
        arguments[declaration.name] = FoundDeclaration(declaration, versions, side)
    return {name: functions[name] for name in functions if name not in repeated}


def _function_differences(name: str, old: Arguments, new: Arguments) -> Iterator[Difference]:
    explained: set[str] = set()
    for broken in signature_breaks(_signature(old), _signature(new)):
        explained |= {broken.parameter, broken.replacement}
        yield _break_difference(name, broken, old, new)
    for parameter, declared in new.items():
        if parameter not in old and parameter not in explained:
            yield Difference(
                "parameter-added", name, new=written(declared), detail=parameter, after=declared
            )
    for parameter, declared in new.items():
        before = old.get(parameter)
        if before is None or parameter in explained:
            continue
        old_default = before.parts.get("default")
        new_default = declared.parts.get("default")
        if old_default and new_default and old_default != new_default:
            yield Difference(
                "parameter-default-changed",
                name,
                old_default,
                new_default,
                parameter,
                before,
                declared,
            )


def _break_difference(
    name: str, broken: SignatureBreak, old: Arguments, new: Arguments
) -> Difference:
    before = old.get(broken.parameter)
    after = new.get(broken.parameter)
    return Difference(
        _KINDS[broken.kind],
        name,
        old=written(before) if before is not None else None,
        new=written(after) if after is not None else None,
        detail=broken.parameter,
        before=before,
        after=after,
        replacement=broken.replacement,
        is_certain=broken.is_certain,
    )


def _signature(arguments: Arguments) -> Signature:
    parameters: list[Parameter] = []
    for name, declared in arguments.items():
        has_default = "default" in declared.parts
        parameters.append(Parameter(name, "either", has_default=has_default))
    return Signature(tuple(parameters))
