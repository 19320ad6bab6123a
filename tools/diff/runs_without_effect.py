"""Runs of changed lines after which code does what it did before, though their words differ."""

import re
from collections.abc import Sequence, Set
from typing import TYPE_CHECKING

from tools.diff.changed_runs import ChangedLine, Run

if TYPE_CHECKING:
    from tools.diff.changed_file_declarations import Versions

_OWNER = re.compile(r"\b(?:\w+(?:\(\))?\.)+(?=\w)")
"""What a member is read of: `self.options.` or `get_options().`."""
_EMPTY_MEMBER = re.compile(r"self\.\w+(?::[^=]+)? = (?:\[\]|\{\}|(?:list|dict|set)\(\))")
_CONDITION = re.compile(r"(?:if|elif)\b.*:|else:")
_CHECKER = re.compile(
    r"tool\.(?:ruff|black|isort|flake8|pylint|mypy|pyright|ty|pytest|coverage|codespell|typos|yapf)\b"
)
_TABLE = re.compile(r"\[+([\w.\"-]+)\]+")
_CLASS_ATTRIBUTE = re.compile(r"(\w+)(?::[^=]+)? = (.*)")


def has_no_effect(run: Run, versions: "Versions") -> bool:
    """Return True for lines of a manifest that only set up what tools check in the code."""
    if not versions.file.path.endswith("pyproject.toml"):
        return False
    return all(_is_for_checker(line, versions) for line in run)


def without_owners(text: str) -> str:
    """Return code in which members stand without what they are read of: `size` for `self.size`."""
    return _OWNER.sub("", text).strip()


def only_prepares(run: Run) -> bool:
    """Return True for new lines that give a member of an object an empty list or table to begin with."""
    code = [line for line in run if line.is_code]
    if any(line.side == "old" for line in code):
        return False
    members = [line for line in code if _EMPTY_MEMBER.fullmatch(line.bare)]
    conditions = [line for line in code if _CONDITION.fullmatch(line.bare)]
    return bool(members) and len(members) + len(conditions) == len(code)


def is_still_set(run: Run, versions: "Versions") -> bool:
    """Return True for lines of a Python class that go and set what the class sets a second time.

    Users find the same value as before.
    """
    code = [line for line in run if line.is_code]
    if any(line.side == "new" for line in code) or not versions.file.path.endswith(".py"):
        return False
    if not versions.texts or not code:
        return False
    old_lines = versions.texts[0].decode("utf-8", "replace").split("\n")
    gone = set(versions.patch.lines("old"))
    return all(_is_set_again(line, old_lines, gone) for line in code)


def _is_for_checker(line: ChangedLine, versions: "Versions") -> bool:
    """Return True for a line of a manifest that sets up a tool of the project's developers."""
    texts = versions.texts[:1] if line.side == "old" else versions.texts[1:]
    table = ""
    for text in texts:
        for above in text.decode("utf-8", "replace").split("\n")[: line.number]:
            heading = _TABLE.match(above)
            table = heading[1] if heading else table
    return _CHECKER.match(table) is not None


def _is_set_again(line: ChangedLine, old_lines: Sequence[str], gone: Set[int]) -> bool:
    """Return True if the class of an attribute keeps an assignment that its users got or get."""
    attribute = _CLASS_ATTRIBUTE.fullmatch(line.bare)
    if attribute is None:
        return False
    indentation = _indentation(line.text[1:])
    for number in _lines_of_class(line.number, indentation, old_lines):
        text = old_lines[number - 1]
        other = _CLASS_ATTRIBUTE.fullmatch(text.strip())
        if other is None or number in gone or _indentation(text) != indentation:
            continue
        is_last = number > line.number  # Then its value is what the class had before, too
        if other[1] == attribute[1] and (is_last or other[2] == attribute[2]):
            return True
    return False


def _lines_of_class(line: int, indentation: int, lines: Sequence[str]) -> range:
    """Return the lines of the class body in which a line stands; none where it is in no class."""
    first = line
    while first > 0 and _is_inside(lines[first - 1], indentation):
        first -= 1
    if first == 0 or not lines[first - 1].lstrip().startswith("class "):
        return range(0)
    last = line
    while last < len(lines) and _is_inside(lines[last], indentation):
        last += 1
    return range(first + 1, last + 1)


def _is_inside(text: str, indentation: int) -> bool:
    return not text.strip() or _indentation(text) >= indentation


def _indentation(text: str) -> int:
    return len(text) - len(text.lstrip())
