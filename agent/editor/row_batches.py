"""Batches of a day's rows for the editor: fewer lines a row first, never fewer commits."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from agent.editor.informative_lines import MAX_LINES
from agent.editor.rows import CommitRow
from agent.token_estimates import fitting, tokens_of

_LINES_TRIED = (MAX_LINES, 6, 4, 2, 1)  # Changed lines a row, the most important first
_MIN_LINES = 0  # Where even a few lines need more than one question
_ROW_FRAME = 2  # Tokens between two rows


class RowBatch(NamedTuple):
    """The rows of one question, and how many changed lines each shows."""

    rows: Sequence[CommitRow]
    max_lines: int

    @property
    def text(self) -> str:
        """The rows as they are shown."""
        return "\n".join(row.text(self.max_lines) for row in self.rows)


def rows_in(rows: Sequence[CommitRow], max_tokens: int, notes: Mapping[str, str]) -> str:
    """Return rows with as many changed lines as fit, each with a note on its handle, if it has one.

    Where not even the bare rows fit, the first ones are shown by their titles.
    """
    for max_lines in (*_LINES_TRIED, _MIN_LINES):
        text = "\n".join(_noted(row.text(max_lines), notes.get(row.handle, "")) for row in rows)
        if tokens_of(text) <= max_tokens:
            return text
    headings = [_noted(row.heading, notes.get(row.handle, "")) for row in rows]
    return "\n".join(fitting(headings, max_tokens))


def _noted(text: str, note: str) -> str:
    heading, newline, rest = text.partition("\n")
    return f"{heading} ({note}){newline}{rest}" if note else text


def row_batches(rows: Sequence[CommitRow], max_tokens: int, max_rows: int) -> list[RowBatch]:
    """Divide rows over as few questions as the answer allows, with as many lines as fit.

    `max_rows` is how many commits one answer can place.
    """
    count = max(1, -(-len(rows) // max(1, max_rows)))
    size = max(1, -(-len(rows) // count))
    for max_lines in _LINES_TRIED:
        batches = []
        for start in range(0, len(rows), size):
            batches.append(RowBatch(rows[start : start + size], max_lines))
        if all(tokens_of(batch.text) <= max_tokens for batch in batches):
            return batches
    return list(_filled(rows, max_tokens, size))


def _filled(rows: Sequence[CommitRow], max_tokens: int, size: int) -> Iterator[RowBatch]:
    """Yield batches that are filled one after the other; a row by itself is always shown."""
    batch: list[CommitRow] = []
    tokens = 0
    for row in rows:
        row_tokens = tokens_of(row.text(_MIN_LINES)) + _ROW_FRAME
        if batch and (tokens + row_tokens > max_tokens or len(batch) >= size):
            yield RowBatch(batch, _MIN_LINES)
            batch = []
            tokens = 0
        batch.append(row)
        tokens += row_tokens
    if batch:
        yield RowBatch(batch, _MIN_LINES)
