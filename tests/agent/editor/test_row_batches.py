"""A long day is shown to the editor with fewer lines a row before it takes more questions."""

import pytest

from agent.domain.base import RepoId
from agent.domain.evidence_id import EvidenceId
from agent.editor.row_batches import row_batches, rows_in
from agent.editor.rows import CommitRow
from agent.token_estimates import tokens_of


def rows(count: int, lines: int = 14) -> list[CommitRow]:
    made: list[CommitRow] = []
    for number in range(1, count + 1):
        commit = EvidenceId.commit(RepoId("octo/router"), f"{number:040x}")
        changed = tuple(f"router/serve.py: +limit_{line} = {number}" for line in range(lines))
        made.append(CommitRow(f"c{number}", commit, f"Lower limit {number}", (), changed))
    return made


def sizes(made: list[CommitRow], max_tokens: int, max_rows: int) -> list[tuple[int, int]]:
    """Return how many rows each batch has, and how many lines each row."""
    return [(len(batch.rows), batch.max_lines) for batch in row_batches(made, max_tokens, max_rows)]


def tokens(made: list[CommitRow], max_lines: int) -> int:
    return tokens_of("\n".join(row.text(max_lines) for row in made))


@pytest.mark.parametrize(
    ("count", "max_rows", "expected"),
    [(6, 6, [6]), (7, 6, [4, 3]), (6, 0, [1] * 6), (0, 6, [])],
)
def test_rows_are_divided_evenly_over_as_few_answers_as_place_them(
    count: int, max_rows: int, expected: list[int]
) -> None:
    assert sizes(rows(count), 100_000, max_rows) == [(size, 14) for size in expected]


@pytest.mark.parametrize(("shown", "fewer"), [(14, 6), (6, 4), (4, 2), (2, 1)])
def test_a_question_that_is_just_too_long_shows_fewer_lines_of_each_row(
    shown: int, fewer: int
) -> None:
    made = rows(6)
    assert sizes(made, tokens(made, shown), 6) == [(6, shown)]
    assert sizes(made, tokens(made, shown) - 1, 6) == [(6, fewer)]


def test_rows_that_fit_with_no_line_fill_one_question_after_the_other() -> None:
    made = rows(6)
    bare = tokens(made[:1], 0) + 2
    assert sizes(made, bare * 2, 6) == [(2, 0)] * 3
    # A row by itself is always shown, and no answer places more rows than it can.
    assert sizes(made, 1, 6) == [(1, 0)] * 6
    long = [row._replace(details=("message: " + "word " * 400,)) for row in made[:1]]
    limit = tokens(long, 0) + 2
    assert sizes([*long, *made], limit, 3) == [(1, 0), (3, 0), (3, 0)]


def test_rows_keep_their_notes_and_where_not_even_bare_rows_fit_the_first_titles_are_shown() -> (
    None
):
    made = rows(3)
    notes = {"c2": "group 1"}
    text = rows_in(made, 100_000, notes)
    assert text.count("\n  router/serve.py") == 3 * 14
    assert "[c2] Lower limit 2 (group 1)\n  router" in text
    assert "[c1] Lower limit 1\n  router" in text
    long = [row._replace(details=("message: " + "word " * 400,)) for row in made]
    assert rows_in(long, 40, notes).startswith("[c1] Lower limit 1\n[c2] Lower limit 2 (group 1)")
