"""Readers of the pins of setuptools: the requirements in setup.cfg and setup.py of older projects."""

import ast
import configparser
from collections.abc import Iterator

from agent.bumps.pins import PinFile
from agent.bumps.python_pin_readers import UnreadableFile, requirements_of

_KEYS = ("install_requires", "setup_requires", "tests_require")
_EXTRAS = "options.extras_require"


def read_setup_cfg(text: str) -> PinFile:
    """Read the requirements in `setup.cfg`."""
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except configparser.Error as error:
        raise UnreadableFile("it is not a configuration as setuptools reads it") from error
    lines: list[str] = []
    for key in _KEYS:
        lines += parser.get("options", key, fallback="").splitlines()
    if parser.has_section(_EXTRAS):
        for _, value in parser.items(_EXTRAS):
            lines += value.splitlines()
    return requirements_of(lines)


def read_setup_py(text: str) -> PinFile:
    """Read the requirements that `setup.py` writes out; nothing of it is run."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise UnreadableFile("it is not valid Python") from error
    lines: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg in (*_KEYS, "extras_require"):
            lines += _texts(node.value)
    return requirements_of(lines)


def _texts(node: ast.expr) -> Iterator[str]:
    """Yield the strings of a list, or of the lists of a dictionary."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.List | ast.Tuple):
        for element in node.elts:
            yield from _texts(element)
    elif isinstance(node, ast.Dict):
        for value in node.values:
            yield from _texts(value)
