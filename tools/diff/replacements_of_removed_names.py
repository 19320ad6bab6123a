"""Replacements of removed names, where the same commit shows them."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from agent.domain.surface import SurfaceChange
from tools.diff.located_differences import Difference
from tools.diff.surface_breaks_by_difference import replacement_of_break

if TYPE_CHECKING:
    from tools.diff.changed_file_declarations import Versions
    from tools.diff.declaration_reader import Declaration

_MARKED = re.compile(r"`{1,2}([^`\n]{1,80})`{1,2}|'([^'\n]{1,80})'|\"([^\"\n]{1,80})\"")
"""What a message marks as code: names between backticks or quotation marks."""
_FLAG = re.compile(r"(?<![\w-])--[A-Za-z][\w-]*")
_VARIABLE = re.compile(r"(?<!\w)[A-Z][A-Z0-9]*_[A-Z0-9_]+(?!\w)")
_NAME = re.compile(r"-{0,2}[A-Za-z_][\w.-]*(?:\(\))?")


class Replacements:
    """The names that a commit offers in the place of those that it takes away."""

    def __init__(self, files: Sequence["Versions"], surface: SurfaceChange | None) -> None:
        self._surface = surface
        self._deprecations: list[Declaration] = []
        for versions in files:
            for declaration in (*versions.old, *versions.new):
                if declaration.kind == "deprecation" and "message" in declaration.parts:
                    self._deprecations.append(declaration)

    def of(self, difference: Difference) -> str | None:
        """Return what to use instead of what a difference takes away; None where nothing shows it."""
        if difference.replacement:
            return difference.replacement
        if difference.after is not None:
            return None
        replacement = replacement_of_break(difference, self._surface)
        return replacement or self._in_deprecation(difference)

    def _in_deprecation(self, difference: Difference) -> str | None:
        """Return the only other name in a message that speaks of what is gone."""
        removed = difference.oldest
        for deprecation in self._deprecations:
            message = deprecation.parts["message"]
            is_inside = removed.declaration.is_scope and deprecation.owner == removed.path
            is_about = deprecation.name == removed.name or _has_word(message, removed.name)
            if not is_inside and not is_about:
                continue
            others = [name for name in _names_in(message) if not _are_same(name, removed.name)]
            if len(others) == 1:
                return others[0]
        return None


def _has_word(text: str, name: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text) is not None


def _are_same(name: str, other: str) -> bool:
    plain = name.removesuffix("()").rpartition(".")[2].strip("-").replace("-", "_")
    return plain == other.strip("-").replace("-", "_")


def _names_in(message: str) -> list[str]:
    names = ["".join(groups).strip() for groups in _MARKED.findall(message)]
    names += _FLAG.findall(message)
    names += _VARIABLE.findall(message)
    return [name for name in dict.fromkeys(names) if _NAME.fullmatch(name)]
