"""When two versions of a Python file are the same code."""

import pytest

from tools.diff.readers.python import read
from tools.diff.reading import Source


def code(text: str, *, whole: bool = True) -> str:
    return read(Source("a.py", text.encode(), whole=whole, digest=True)).code


BASE = 'def f(a, b):\n    x = [1, 2, "three"]\n    if a:\n        return g(x, b)\n    return None\n'


@pytest.mark.parametrize(
    "same",
    [
        BASE.replace("    ", "  "),
        BASE.replace("    ", "\t"),
        BASE.replace('"three"', "'three'"),
        BASE.replace("(a, b)", "(\n    a,\n    b,\n)"),
        BASE.replace('[1, 2, "three"]', '[\n        1,  # one\n        2,\n\n        "three",\n    ]'),
        BASE.replace('x = [1, 2, "three"]', 'x = (\n        [1, 2, "three"]\n    )'),
        BASE.replace("    if a", "\n    # why\n    if a"),
        BASE.replace("    x =", '    """Say what."""\n    x ='),
        BASE.replace("g(x, b)", "g(x,b)"),
        BASE.replace("x = [", "x = \\\n        ["),
        BASE.replace("\n", "\r\n"),
        '"""Module."""\n\n\n' + BASE,
    ],
)
def test_layout_quotes_comments_and_docstrings_do_not_change_the_digest(same: str) -> None:
    assert same != BASE
    assert code(same) == code(BASE)


@pytest.mark.parametrize(
    "other",
    [
        BASE.replace("    return None", "        return None"),
        BASE.replace("        return g", "    return g"),
        BASE.replace('"three"', '"th ree"'),
        BASE.replace('"three"', 'b"three"'),
        BASE.replace("[1, 2", "[1, 3"),
        BASE.replace("g(x, b)", "(x, b)"),
        BASE.replace("a, b)", "a, b, c)", 1),
        BASE.replace("return g(x, b)", "yield g(x, b)"),
        BASE + "f\n",
    ],
)
def test_any_other_change_does(other: str) -> None:
    assert other != BASE
    assert code(other) != code(BASE)


def test_a_comma_that_makes_a_tuple_is_code() -> None:
    assert code("x = (1,)\n") != code("x = (1)\n")
    assert code("x = y[1,]\n") != code("x = y[1]\n")


def test_words_in_a_string_that_look_like_a_comment_are_code() -> None:
    assert code('x = "a # b"\n') != code('x = "a # c"\n')
    assert code('x = f"{d["#a"]}"\n') != code('x = f"{d["#b"]}"\n')


def test_a_fragment_that_is_indented_differently_is_other_code() -> None:
    assert code("        a()\n        return x\n", whole=False) != code("        a()\n    return x\n", whole=False)


def test_a_comment_in_a_fragment_is_no_code() -> None:
    assert code("        a()\n        return x\n", whole=False) == code(
        "        a()\n        # b\n        return x\n", whole=False
    )
