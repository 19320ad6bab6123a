"""Compares signatures: whether a call that fits one fits the other."""

import ast
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Self

ParameterKind = Literal["positional", "either", "keyword"]
"""How a caller passes an argument: by position only, by position or name, or by name only."""
BreakKind = Literal["removed", "added", "inserted", "required", "reordered", "keyword-only"]
"""How calls break. `inserted`: arguments passed by position go to the parameter before theirs."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter that a caller can pass."""

    name: str
    kind: ParameterKind
    has_default: bool


@dataclass(frozen=True, slots=True)
class Signature:
    """The parameters of a function without the one that a method is bound to."""

    parameters: tuple[Parameter, ...]
    takes_positions: bool = False  # `*args`
    takes_names: bool = False  # `**kwargs`
    is_partial: bool = False  # Further parameters may come from a base that was not read
    is_of_fields: bool = False  # Made of the fields of a record, which are passed by name

    @classmethod
    def of(cls, arguments: ast.arguments, *, is_bound: bool) -> Self:
        """Read the parameters of a definition."""
        by_position = [*arguments.posonlyargs, *arguments.args]
        first_default = len(by_position) - len(arguments.defaults)
        parameters: list[Parameter] = []
        for position, argument in enumerate(by_position):
            is_either = position >= len(arguments.posonlyargs)
            kind: ParameterKind = "either" if is_either else "positional"
            parameters.append(Parameter(argument.arg, kind, has_default=position >= first_default))
        if is_bound:
            parameters = parameters[1:]
        for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
            parameters.append(Parameter(argument.arg, "keyword", has_default=default is not None))
        return cls(
            tuple(parameters),
            takes_positions=arguments.vararg is not None,
            takes_names=arguments.kwarg is not None,
        )

    @property
    def by_position(self) -> list[Parameter]:
        """The parameters that can be passed by position, in their order."""
        return [parameter for parameter in self.parameters if parameter.kind != "keyword"]

    def named(self, name: str) -> Parameter | None:
        """Return the parameter that a caller can pass by this name."""
        for parameter in self.parameters:
            if parameter.name == name and parameter.kind != "positional":
                return parameter
        return None


@dataclass(frozen=True, slots=True)
class SignatureBreak:
    """A way in which calls that worked do not work any more."""

    kind: BreakKind
    parameter: str
    replacement: str = ""  # The parameter in its place, where it has another name now
    is_certain: bool = True
    """False where only calls break that pass an optional argument by its position."""


def signature_breaks(old: Signature, new: Signature) -> list[SignatureBreak]:
    """Return why calls that fit the old signature may not fit the new one."""
    breaks: list[SignatureBreak] = []
    old_names = {parameter.name for parameter in old.parameters}
    added = [parameter for parameter in new.parameters if parameter.name not in old_names]
    replaced: set[str] = set()
    for position, parameter in enumerate(old.parameters):
        later = _counterpart(parameter, new)
        if later is None:
            if _is_taken_otherwise(parameter, position, new):
                continue
            replacement = _replacement(parameter, old, new, added)
            if not parameter.has_default:
                replaced.add(replacement)  # Calls by position hand their argument to it
            breaks.append(SignatureBreak("removed", parameter.name, replacement))
        elif parameter.has_default and not later.has_default:
            breaks.append(SignatureBreak("required", parameter.name))
        elif parameter.kind != "keyword" and later.kind == "keyword" and not new.takes_positions:
            is_certain = not parameter.has_default
            breaks.append(SignatureBreak("keyword-only", parameter.name, is_certain=is_certain))
    breaks += _added_breaks(old, new, replaced)
    if breaks or old.is_of_fields:
        return breaks
    return _order_breaks(old, new)


def _added_breaks(
    old: Signature, new: Signature, replaced: Collection[str]
) -> Iterator[SignatureBreak]:
    """Yield the new parameters that callers must pass."""
    old_names = {parameter.name for parameter in old.parameters}
    for position, parameter in enumerate(new.parameters):
        if parameter.name in old_names or parameter.name in replaced or parameter.has_default:
            continue
        if not _is_passed_already(parameter, position, old):
            yield SignatureBreak("added", parameter.name)


def _counterpart(parameter: Parameter, new: Signature) -> Parameter | None:
    if parameter.kind == "positional":
        same_name = (other for other in new.parameters if other.name == parameter.name)
        return next(same_name, None)
    return new.named(parameter.name)


def _is_taken_otherwise(parameter: Parameter, position: int, new: Signature) -> bool:
    """Return True if the argument is still accepted under no name of its own."""
    if new.is_partial:
        return True
    if parameter.kind == "positional":
        return new.takes_positions or position < len(new.by_position)
    return new.takes_names


def _is_passed_already(parameter: Parameter, position: int, old: Signature) -> bool:
    """Return True if calls that fit the old signature may pass a new parameter."""
    if old.is_partial:
        return True
    if parameter.kind == "positional":
        return position < len(old.by_position)
    return old.takes_names


def _replacement(
    parameter: Parameter, old: Signature, new: Signature, added: Sequence[Parameter]
) -> str:
    """Return the new parameter that stands where a removed one stood.

    Between two parameters that stay, as many must come as go, of those with a default and of those
    without one: else nobody knows which is which.
    """
    if parameter.kind == "keyword":
        return ""
    new_names = {other.name for other in new.by_position}
    gap = _gap_around(parameter, old.by_position, new_names)
    old_names = {other.name for other in old.by_position}
    for candidate in added:
        if candidate.kind == "keyword" or candidate.has_default != parameter.has_default:
            continue
        new_gap = _gap_around(candidate, new.by_position, old_names)
        if not gap.is_like(new_gap):
            continue
        if gap.names.index(parameter.name) == new_gap.names.index(candidate.name):
            return candidate.name
    return ""


class _Gap(NamedTuple):
    """Parameters of one signature alone, between two that both signatures have."""

    before: str
    names: list[str]
    after: str

    def is_like(self, other: "_Gap") -> bool:
        """Return True for a gap in the same place with as many parameters."""
        is_same_place = (self.before, self.after) == (other.before, other.after)
        return is_same_place and len(self.names) == len(other.names)


def _gap_around(
    parameter: Parameter, parameters: Sequence[Parameter], other_names: Collection[str]
) -> _Gap:
    """Return the parameters around one, up to those that the other signature has as well."""
    before = ""
    names: list[str] = []
    is_passed = False
    for other in parameters:
        if other.name not in other_names:
            if other.has_default == parameter.has_default:
                names.append(other.name)
            is_passed |= other == parameter
        elif is_passed:
            return _Gap(before, names, other.name)
        else:
            before = other.name
            names = []
    return _Gap(before, names, "")


def _order_breaks(old: Signature, new: Signature) -> list[SignatureBreak]:
    """Return the first argument that a call by position would hand to another parameter."""
    new_positions = new.by_position
    for position, parameter in enumerate(old.by_position):
        if position >= len(new_positions):
            return []
        if new_positions[position].name == parameter.name:
            continue
        if new.named(parameter.name) is None:
            return []
        inserted = _inserted(old, new, position)
        if inserted is not None:
            # What begins with an underscore no caller passes.
            is_private = parameter.name.startswith("_")
            if is_private:
                return []
            is_certain = not parameter.has_default
            return [SignatureBreak("inserted", inserted.name, is_certain=is_certain)]
        is_certain = not parameter.has_default
        return [SignatureBreak("reordered", parameter.name, is_certain=is_certain)]
    return []


def _inserted(old: Signature, new: Signature, position: int) -> Parameter | None:
    """Return the new parameter at a position, if the old ones keep their order around it."""
    old_names = [parameter.name for parameter in old.by_position]
    new_names = [parameter.name for parameter in new.by_position]
    kept_names = [name for name in new_names if name in old_names]
    inserted = new.by_position[position]
    if inserted.name in old_names or kept_names != old_names:
        return None
    return inserted
