"""Which calls that fitted the old signature of a function do not fit the new one."""

import ast

import pytest

from tools.surface.signatures import Signature, signature_breaks


def signature(parameters: str, *, is_bound: bool = False) -> Signature:
    (function,) = ast.parse(f"def run({parameters}): ...").body
    assert isinstance(function, ast.FunctionDef)
    return Signature.of(function.args, is_bound=is_bound)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("a, b", "a, b", []),
        ("a", "a, b=0", []),
        ("a, *, b=0", "a, **options", []),
        # What takes positions takes an argument that only its place named.
        ("a, /", "*values", []),
        ("a, /", "", [("removed", "a", True)]),
        ("a, b, /", "a, c, /", []),
        ("a, b, /", "c, /", [("removed", "b", True)]),
        # An argument with a default may be left out, one without may not.
        ("a, b=1", "a, b", [("required", "b", True)]),
        ("a", "a, /", [("removed", "a", True)]),
        ("a=1, /", "a, /", [("required", "a", True)]),
        # Of optional arguments, only calls by position break.
        ("a, b", "a, *, b", [("keyword-only", "b", True)]),
        ("a, b=1", "a, *, b=1", [("keyword-only", "b", False)]),
        ("a, b", "a, *values, b", []),
        ("a, b", "b, a", [("reordered", "a", True)]),
        ("a=1, b=2", "b=2, a=1", [("reordered", "a", False)]),
        ("a, b=1", "a, c=0, b=1", [("inserted", "c", False)]),
        ("a, b", "a, c=0, b=1", [("inserted", "c", True)]),
        # What begins with an underscore no caller passes.
        ("a, _b=1", "a, c=0, _b=1", []),
        ("a, **options", "a, *, b", []),
        ("a", "a, *, b", [("added", "b", True)]),
    ],
)
def test_calls_break_by_what_they_pass(
    old: str, new: str, expected: list[tuple[str, str, bool]]
) -> None:
    breaks = signature_breaks(signature(old), signature(new))
    assert [(one.kind, one.parameter, one.is_certain) for one in breaks] == expected


@pytest.mark.parametrize(
    ("old", "new", "replacement"),
    [
        ("a, b", "a, c", "c"),
        ("a, b, z", "a, c, z", "c"),
        ("a, b, c", "a, d, e", "d"),
        # Nobody knows which of two took its place, or whether one of another sort did.
        ("a, b, z", "a, c, d, z", ""),
        ("a, b", "a, c=1", ""),
        ("a, *, b", "a, *, c", ""),
    ],
)
def test_a_parameter_in_the_place_of_another_one_replaces_it(
    old: str, new: str, replacement: str
) -> None:
    first = signature_breaks(signature(old), signature(new))[0]
    assert (first.kind, first.parameter, first.replacement) == ("removed", "b", replacement)


def test_a_method_is_called_without_what_it_is_bound_to() -> None:
    assert signature_breaks(signature("a"), signature("self, a", is_bound=True)) == []
