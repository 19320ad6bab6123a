"""The unchanged lines around a change that its own lines do not make sense without."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from agent.domain.patch import Side
from tools.diff.changed_runs import ChangedLine, Run, assigned_names, is_comment, is_sentence

if TYPE_CHECKING:
    from tools.diff.changed_file_declarations import Versions

_MAX_DISTANCE = 200  # Lines above a change in which the statement around it may begin
_MAX_COMMENT = 4  # Lines of a comment above a change
_MAX_BEHIND = 3  # Lines behind a change in which its result is used
_MAX_SHORT_CHANGE = 3  # Lines of code of a change behind which the use of its result is shown
_MAX_WIDTH = 200
_CLOSING = (")", "]", "}")
_OPENING = (":", "{", "(", "[")
_CONTINUED = re.compile(r"(?:\}\s*)?(?:else|elif|except|finally|catch)\b")
"""A branch that means nothing without the ones before it."""
_GUARD = re.compile(r"(?:\}\s*)?(?:if|elif|else|while|for|with|case|except|catch)\b.*[:{]$")
"""A line on which it depends whether the next ones run."""
_NO_OPENING = re.compile(
    r"#|//|/?\*|(?:public|protected|private)\b[\w\s]*:$|namespace\b|template\b|extern\b|\{$|.*;(?:\s*//.*)?$"
)
"""Comments, directives, parts of classes, whole statements, and what encloses definitions."""


class LinesAround(NamedTuple):
    """Unchanged lines above and below a change, each behind a blank as in a diff."""

    above: tuple[str, ...] = ()
    below: tuple[str, ...] = ()


class UnchangedLines:
    """The lines of a file that stay as they are, as far as they are at hand."""

    def __init__(self, versions: "Versions") -> None:
        self._versions = versions

    @property
    def old_file(self) -> str:
        """The path that a file had before, if it has another one now."""
        file = self._versions.file
        return file.previous_path or "" if file.status == "renamed" else ""

    def around(self, run: Run) -> LinesAround:
        """Return where the statement of a change begins, its comment, and what uses its result."""
        side: Side = "new" if any(line.side == "new" for line in run) else "old"
        own_lines = [line for line in run if line.side == side]
        code = [line for line in own_lines if line.is_code]
        if not code:
            return LinesAround()
        above = [*self._opening(code[0], side), *self._comment(own_lines[0], side)]
        below = self._below(own_lines) if side == "new" else []
        return LinesAround(tuple(map(_as_context, above)), tuple(map(_as_context, below)))

    def _opening(self, line: ChangedLine, side: Side) -> list[str]:
        """Return the line that opens what a line stands inside of: a call, a branch, a table.

        A definition is named by the fact.
        """
        opening: list[str] = []
        depth = _indentation(line.text[1:]) + _is_continued(line.bare)
        for number, text in self._upwards(line.number, side):
            if _indentation(text) >= depth:
                continue
            if number in self._changed(side) or number in self._headings[side]:
                break
            is_continued = _is_continued(text)
            if _NO_OPENING.match(text.strip()) and not is_continued:
                continue
            is_closing = text.strip().startswith(_CLOSING)
            if is_continued or not is_closing:
                opening = [text, *opening[-1:]]  # Of a chain of branches the first and the last
            if not is_continued and not is_closing:
                break
            # What a bracket ends stands beside the change, unless it goes on behind the bracket.
            goes_on = is_continued or text.rstrip().endswith(_OPENING)
            depth = _indentation(text) + goes_on
        return opening

    def _comment(self, line: ChangedLine, side: Side) -> list[str]:
        """Return the comment right above a line."""
        comment: list[str] = []
        for number, text in self._upwards(line.number, side):
            is_right_above = number == line.number - len(comment) - 1
            if not is_right_above or not is_comment(text) or number in self._changed(side):
                break
            comment.insert(0, text)
        is_explaining = any(map(is_sentence, comment))
        return comment if is_explaining and len(comment) <= _MAX_COMMENT else []

    def _below(self, lines: Sequence[ChangedLine]) -> list[str]:
        """Return what a change decides about: the statement behind its condition, or its use."""
        code = [line for line in lines if line.is_code]
        return self._guarded(code[-1]) or self._uses(lines, "new")

    def _guarded(self, line: ChangedLine) -> list[str]:
        """Return the statement that stood there before and now runs under a changed condition."""
        if not _GUARD.match(line.bare):
            return []
        number = line.number + 1
        text = self._texts["new"].get(number, "")
        is_inside = _indentation(text) > _indentation(line.text[1:])
        if not text.strip() or not is_inside or is_comment(text):
            return []
        is_kept = number not in self._changed("new") or text.strip() in self._removed_texts
        return [text] if is_kept else []

    def _uses(self, lines: Sequence[ChangedLine], side: Side) -> list[str]:
        """Return the next line that uses what a short change assigns, in the same branch."""
        code = [line.bare for line in lines if line.is_code]
        names = assigned_names("\n".join(code))
        if not names or len(code) > _MAX_SHORT_CHANGE:
            return []
        either = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(names)))})\b")
        texts = self._texts[side]
        last = lines[-1].number
        for number in range(last + 1, last + 1 + _MAX_BEHIND):
            text = texts.get(number, "")
            if number in self._changed(side) or _is_continued(text):
                break
            if either.search(text) and not is_comment(text):
                return [text]
        return []

    def _upwards(self, line: int, side: Side) -> Iterator[tuple[int, str]]:
        """Yield the lines above one that are at hand and not empty, the nearest first."""
        texts = self._texts[side]
        for number in range(line - 1, max(line - _MAX_DISTANCE, 0), -1):
            text = texts.get(number, "")
            if text.strip():
                yield number, text

    def _changed(self, side: Side) -> Mapping[int, str]:
        return self._versions.patch.lines(side)

    @cached_property
    def _removed_texts(self) -> set[str]:
        """The lines that the change takes out of the file, as they are without indentation."""
        return {line[1:].strip() for line in self._changed("old").values()}

    @cached_property
    def _texts(self) -> dict[Side, dict[int, str]]:
        """The lines of both versions by their numbers: of whole files, else of their hunks."""
        versions = self._versions
        if len(versions.texts) > 1:
            old, new = (text.decode("utf-8", "replace").split("\n") for text in versions.texts)
            return {"old": dict(enumerate(old, 1)), "new": dict(enumerate(new, 1))}
        texts: dict[Side, dict[int, str]] = {"old": {}, "new": {}}
        for hunk in versions.patch.hunks:
            texts["old"].update(enumerate(hunk.side("old"), hunk.old_start))
            texts["new"].update(enumerate(hunk.side("new"), hunk.new_start))
        return texts

    @cached_property
    def _headings(self) -> dict[Side, set[int]]:
        """The lines with the names of functions and classes."""
        versions = self._versions
        return {
            "old": {scope.line for scope in versions.old if scope.is_scope},
            "new": {scope.line for scope in versions.new if scope.is_scope},
        }


def _is_continued(text: str) -> bool:
    """Return True for the beginning of a branch that means nothing without those before it."""
    return _CONTINUED.match(text.strip()) is not None


def _indentation(text: str) -> int:
    return len(text) - len(text.lstrip())


def _as_context(text: str) -> str:
    return f" {text.rstrip()[:_MAX_WIDTH]}"
