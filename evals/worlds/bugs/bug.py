"""A flaw in a function, what a user sees of it, and the line that mends it."""

from dataclasses import dataclass

from evals.worlds.source import Function, Language


@dataclass(frozen=True)
class Bug:
    """A flaw and its story, in both languages; `wrong` stands in the function until `right` replaces it."""

    key: str
    language: Language
    function: Function
    wrong: str
    right: tuple[str, ...]
    fix: tuple[str, str]
    """The subject of the fix: English, Chinese."""
    report: tuple[str, str]
    """An English user's issue: title and body."""
    report_zh: tuple[str, str]
    """A Chinese user's issue about the same."""
