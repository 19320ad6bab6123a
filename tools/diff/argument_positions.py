"""The positions by which callers of a Python function pass its arguments."""

from collections.abc import Iterable, Sequence

from tools.diff.declaration_reader import Declaration

_BOUND = ("self", "cls")  # What a method is bound to, by its name that everybody gives it


def argument_position(
    declarations: Sequence[Declaration], owner: str, parameter: str
) -> int | None:
    """Return how many arguments callers pass before one by its position.

    None for what is passed by its name alone. Of several functions of that name, as of branches,
    the first one with the parameter counts.
    """
    functions = [
        declared
        for declared in declarations
        if declared.kind == "function" and declared.path == owner
    ]
    for function in functions:
        names = list(_parameters_of(function, declarations))
        if parameter in names:
            return _position_in(names, parameter)
    return None


def _parameters_of(function: Declaration, declarations: Iterable[Declaration]) -> Iterable[str]:
    for declared in declarations:
        is_inside = function.first <= declared.first and declared.last <= function.last
        if declared.kind == "parameter" and declared.owner == function.path and is_inside:
            yield declared.name


def _position_in(names: Sequence[str], parameter: str) -> int | None:
    before = names[: names.index(parameter)]
    if parameter.startswith("*") or any(name.startswith("*") for name in before):
        return None
    if before and before[0] in _BOUND:
        before = before[1:]
    return len([name for name in before if name != "/"])
