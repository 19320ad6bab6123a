"""Outlines of modules bind what the whole modules bind."""

import pytest

from tools.surface.python_module import read_module, read_outline

PLAIN = b'''"""A module.

def not_a_function(): in its docstring
"""
from typing import overload
from .other import *

__all__ = ["attend", "Engine"]
SIZES = {"small": 1}


@overload
def attend(q): ...
@overload
def attend(q, k): ...
async def attend(q, k=None):
    """Attend."""
    return q


# A comment without an indent
class Engine:
    class Inner:
        pass

    def run(self): return 1


if SIZES:
    def late(): ...
else:
    late = None
'''


def test_an_outline_binds_what_the_whole_module_binds() -> None:
    outline = read_outline("engine.core", PLAIN, is_package=False)
    whole = read_module("engine.core", PLAIN, is_package=False)
    assert outline is not None
    assert whole is not None
    assert outline.is_outline
    assert outline.binds_like(whole)
    lines = {name: definition.line for name, definition in outline.definitions.items()}
    assert lines == {name: definition.line for name, definition in whole.definitions.items()}
    assert whole.definitions["Engine"].members
    assert not outline.definitions["Engine"].members


def test_of_an_outline_those_definitions_are_whole_that_are_asked_for() -> None:
    outline = read_outline("engine.core", PLAIN, is_package=False, whole=["Engine"])
    whole = read_module("engine.core", PLAIN, is_package=False)
    assert outline is not None
    assert whole is not None
    assert outline.definitions["Engine"] == whole.definitions["Engine"]
    assert "attend" in outline.shortened
    assert "Engine" not in outline.shortened


def test_the_digest_of_a_definition_follows_its_source_and_not_its_place() -> None:
    before = read_outline("engine", b"def run():\n    return 1\n", is_package=False)
    moved = read_outline("engine", b"SIZE = 1\ndef run():\n    return 1\n", is_package=False)
    after = read_outline("engine", b"def run(fast):\n    return 1\n", is_package=False)
    assert before is not None
    assert moved is not None
    assert after is not None
    assert before.shortened == moved.shortened
    assert before.shortened != after.shortened


@pytest.mark.parametrize(
    "source",
    [
        b'def help():\n    return """\nimport os\n"""\n\n\nSIZE = 1\n',
        b"def help():\n    return '''\nclass Fake:\n    pass\n'''\n",
        b"def add():\n    return 1 + \\\n2\n\n\nSIZE = 1\n",
        b"def add():\n    return (\nsize\n)\n\n\nSIZE = 1\n",
        b"def __getattr__(name):\n    return load(name)\n",
        b"SIZE = 1\n",
        b"def first(): pass\rSIZE = 1\n",
    ],
    ids=["text", "other quotes", "continued", "bracket", "made up", "no bodies", "old line ends"],
)
def test_a_module_is_read_whole_where_it_is_unclear_what_a_body_is(source: bytes) -> None:
    outline = read_outline("engine", source, is_package=False)
    assert outline is not None
    assert not outline.is_outline
    assert outline == read_module("engine", source, is_package=False)


def test_an_outline_does_not_bind_like_another_module() -> None:
    before = read_outline("engine", b"def run():\n    return 1\n", is_package=False)
    after = read_outline("engine", b"def walk():\n    return 1\n", is_package=False)
    assert before is not None
    assert after is not None
    assert before.binds_like(before)
    assert not before.binds_like(after)


def test_what_cannot_be_parsed_is_known_by_its_names_at_most() -> None:
    source = b"def run(:\n    pass\n\n\ndef walk(): ...\n"
    assert read_module("engine", source, is_package=False) is None
    outline = read_outline("engine", source, is_package=False)
    assert outline is not None
    assert list(outline.definitions) == ["run", "walk"]
    assert read_outline("engine", b"import (\n", is_package=False) is None
