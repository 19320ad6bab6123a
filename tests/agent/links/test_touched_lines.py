"""The lines of a commit whose writers are sought: those that say something, and those around them."""

import pytest

from agent.domain.commits import FileChange, FileStatus
from agent.links.touched_lines import touched_files
from tests.made_commits import made_change


def changed(
    patch: str, path: str = "router/serve.py", status: FileStatus = "modified"
) -> FileChange:
    return FileChange(path=path, status=status, additions=1, deletions=1, patch=patch)


def lines_of(*patch: str) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return the changed lines of one file and the lines next to them."""
    files = touched_files(made_change(changed("\n".join(patch))))
    return [(file.changed, file.nearby) for file in files]


@pytest.mark.parametrize(
    ("removed", "is_followed"), [("    12,", True), ("    1,", False), ("})", False), ("", False)]
)
def test_a_line_with_a_single_letter_or_digit_says_nothing(removed: str, is_followed: bool) -> None:
    expected = [((5,), ())] if is_followed else []
    assert lines_of("@@ -5,1 +5,0 @@", f"-{removed}") == expected


def test_lines_next_to_a_change_are_followed_in_its_block_alone() -> None:
    assert lines_of(
        "@@ -1,7 +1,8 @@",
        " import os",
        " def serve():",
        "     first = 1",
        "+    second = 2",
        "     third = 3",
        "     fourth = 4",
        " def close():",
    ) == [((), (3, 2, 4, 5))]


def test_no_more_than_three_lines_on_either_side_are_followed() -> None:
    context = [f" value_{number} = {number}" for number in range(10)]
    (lines,) = lines_of("@@ -1,10 +1,11 @@", *context[:5], "+value = 1", *context[5:])
    assert lines == ((), (5, 4, 3, 6, 7, 8))


def test_a_line_whose_white_space_alone_changes_is_not_followed() -> None:
    assert lines_of("@@ -1,2 +1,2 @@", " import os", "-x = first", "+    x = first") == []
    assert lines_of("@@ -1,1 +1,1 @@", "-x = first", "+x = second") == [((1,), ())]


def test_a_new_file_has_no_earlier_lines_and_a_renamed_one_has_those_of_its_old_path() -> None:
    patch = "@@ -1,1 +1,1 @@\n-limit = 22\n+limit = 8"
    renamed = changed(patch, status="renamed").model_copy(update={"previous_path": "serve.py"})
    assert touched_files(made_change(changed(patch, status="added"))) == []
    assert [file.path for file in touched_files(made_change(renamed))] == ["serve.py"]


def test_the_files_with_the_most_lines_of_the_product_come_first_and_there_are_at_most_eight() -> (
    None
):
    line = "@@ -1,1 +1,1 @@\n-limit = 22\n+limit = 8"
    lines = "@@ -1,3 +1,0 @@\n-limit = 22\n-timeout = 3\n-retries = 3"
    files = [changed(lines, "tests/test_serve.py"), changed(line, "router/b.py")]
    files += [changed(line, f"router/c{number}.py") for number in range(9)]
    paths = [file.path for file in touched_files(made_change(*files))]
    assert paths == ["router/b.py", *(f"router/c{number}.py" for number in range(7))]
    assert [file.path for file in touched_files(made_change(*files[:2]))] == [
        "router/b.py",
        "tests/test_serve.py",
    ]
