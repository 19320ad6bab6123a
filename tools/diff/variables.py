"""Which lines of code read an environment variable, whatever their language and however it is asked for."""

import re
from collections.abc import Iterable
from functools import lru_cache

from tools.diff.roles import Role, role

_ELSEWHERE = (Role.TEST, Role.DOCUMENT, Role.CI, Role.BENCHMARK, Role.EXAMPLE, Role.DATA, Role.ASSET)
"""Roles of files that read variables of others, or for themselves alone."""


def reads(name: str, path: str, lines: Iterable[str]) -> bool:
    """Tell whether one of these lines of a file reads or declares a variable; setting it is not reading it."""
    if role(path) in _ELSEWHERE:
        return False
    pattern = _pattern(name)
    return any(name in line and pattern.search(line) is not None for line in lines)


@lru_cache(maxsize=1000)
def _pattern(name: str) -> re.Pattern[str]:
    word = re.escape(name)
    return re.compile(
        rf"""^(?!.?\s*(?:\#|//|\*)).*?(?:(?i:env).*["']{word}["'](?!\]\s*=[^=])|["']{word}["'].*\benviron\b"""
        rf"""|\benvs\.{word}\b(?!\.set)|\b{word}\b.*=\s*(?:Env[A-Z]|env_)\w*\()"""
    )
