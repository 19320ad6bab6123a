"""The lines that a commit touches, for the question which earlier commits wrote them."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from agent.domain.base import Frozen
from agent.domain.commits import Change, FileChange, Headline
from agent.domain.patch import Hunk, read_hunks
from agent.triage.title_conventions import Area, area

_NEARBY = 3  # Lines above and below a change that count as next to it
_MAX_LINES = 200  # Changed lines of a file that are followed, and as many next to them
_MAX_FILES = 8  # Files of a commit whose lines are followed
_PRODUCT_WEIGHT = 1.0
_OTHER_WEIGHT = 0.25  # Of lines of tests, documentation and CI
_NEARBY_WEIGHT = 0.5  # Of a line next to a change, compared with one that is changed


class LineWriter(Frozen):
    """An earlier commit that wrote lines which a commit changes, or lines next to them."""

    commit: Headline
    changed: int  # How many of the changed or removed lines it wrote
    nearby: int  # How many of the lines around them, or around what is only added


class TouchedFile(NamedTuple):
    """The lines of a file that a commit touches, by their numbers before the commit."""

    path: str
    changed: tuple[int, ...]
    nearby: tuple[int, ...]

    @property
    def weights(self) -> dict[int, float]:
        """How much each line says about what the commit belongs to."""
        is_product = area(self.path) in (Area.PRODUCT, Area.BENCH)
        weight = _PRODUCT_WEIGHT if is_product else _OTHER_WEIGHT
        weights = dict.fromkeys(self.nearby, _NEARBY_WEIGHT * weight)
        weights.update(dict.fromkeys(self.changed, weight))
        return weights


def touched_files(change: Change) -> list[TouchedFile]:
    """Return the lines that a change touches in files that were there before, the most first.

    Blank lines, lone brackets and lines whose white space alone changes are left out.
    """
    files: list[TouchedFile] = []
    for file in change.files:
        touched = _touched_file(file)
        if touched.changed or touched.nearby:
            files.append(touched)
    files.sort(key=lambda touched: (-sum(touched.weights.values()), touched.path))
    return files[:_MAX_FILES]


def _touched_file(file: FileChange) -> TouchedFile:
    changed: dict[int, None] = {}
    nearby: dict[int, None] = {}
    if file.patch and file.status != "added":
        for hunk in read_hunks(file.patch):
            for block in _blocks(hunk):
                changed.update(dict.fromkeys(block.changed))
                nearby.update(dict.fromkeys(block.nearby))
    changed_numbers = list(changed)[:_MAX_LINES]
    nearby_numbers = [number for number in nearby if number not in changed][:_MAX_LINES]
    path = file.previous_path or file.path
    return TouchedFile(path, tuple(changed_numbers), tuple(nearby_numbers))


class _CodeBlock(NamedTuple):
    changed: list[int]
    nearby: list[int]


class _OldLine(NamedTuple):
    number: int
    text: str


def _blocks(hunk: Hunk) -> Iterator[_CodeBlock]:
    """Yield each stretch of changed lines in a hunk with the lines around it."""
    above: list[_OldLine] = []
    removed: list[_OldLine] = []
    added: list[str] = []
    below: list[_OldLine] = []
    number = hunk.old_start
    for line in hunk.lines:
        sign = line[:1] or " "
        text = line[1:]
        if sign == "\\":
            continue
        if sign in "+-" and below:
            yield _block(above, removed, added, below)
            above = below
            removed = []
            added = []
            below = []
        if sign == "+":
            added.append(text)
            continue
        old_line = _OldLine(number, text)
        number += 1
        if sign == "-":
            removed.append(old_line)
        elif removed or added:
            below.append(old_line)
        else:
            above.append(old_line)
    if removed or added:
        yield _block(above, removed, added, below)


def _block(
    above: Sequence[_OldLine],
    removed: Sequence[_OldLine],
    added: Sequence[str],
    below: Sequence[_OldLine],
) -> _CodeBlock:
    added_texts = {_without_space(text) for text in added}
    removed_texts = {_without_space(line.text) for line in removed}
    changed: list[int] = []
    for line in removed:
        if _says_something(line.text) and _without_space(line.text) not in added_texts:
            changed.append(line.number)
    has_new_text = any(_says_something(text) for text in added_texts - removed_texts)
    if not changed and not has_new_text:
        return _CodeBlock([], [])
    depth = min(map(_depth, _with_words([*(line.text for line in removed), *added])), default=0)
    nearby = [*_enclosing(reversed(above), depth), *_following(below, depth)]
    return _CodeBlock(changed, [line.number for line in nearby if _says_something(line.text)])


def _enclosing(above: Iterable[_OldLine], depth: int) -> Iterator[_OldLine]:
    """Yield the lines above a change from the nearest on, up to the one that opens its block."""
    for count, line in enumerate(above, start=1):
        yield line
        if count == _NEARBY or (line.text.strip() and _depth(line.text) < depth):
            return


def _following(below: Iterable[_OldLine], depth: int) -> Iterator[_OldLine]:
    """Yield the lines below a change that are in its block."""
    for count, line in enumerate(below, start=1):
        if line.text.strip() and _depth(line.text) < depth:
            return
        yield line
        if count == _NEARBY:
            return


def _with_words(texts: Iterable[str]) -> list[str]:
    return [text for text in texts if _says_something(text)]


def _says_something(text: str) -> bool:
    """Return True unless a line is blank or has only brackets and signs."""
    return sum(sign.isalnum() for sign in text) > 1


def _depth(text: str) -> int:
    return len(text) - len(text.lstrip())


def _without_space(text: str) -> str:
    return "".join(text.split())
