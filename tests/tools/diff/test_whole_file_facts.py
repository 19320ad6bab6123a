"""Where the facts about whole files stand."""

from collections.abc import Sequence

import pytest

from agent.domain.commits import FileChange
from agent.domain.facts import Fact
from tools.diff.whole_file_facts import file_facts


def facts_of(*files: FileChange) -> list[Fact]:
    return list(file_facts(files, (), None, ()))


def renamed(patch: str) -> FileChange:
    return FileChange(
        path="engine/new.py",
        previous_path="engine/old.py",
        status="renamed",
        additions=1,
        deletions=1,
        patch=patch,
    )


@pytest.mark.parametrize(
    ("changed", "line"),
    [
        (["-limit = 1", "+limit = 2"], 42),
        (["-limit = 1", "-bound = 1", "-depth = 1"], 41),
        (["+limit = 2"], 42),
    ],
)
def test_a_renamed_file_has_the_number_of_its_changed_line_in_the_new_file(
    changed: Sequence[str], line: int
) -> None:
    removed = sum(text.startswith("-") for text in changed)
    added = len(changed) - removed
    header = f"@@ -40,{removed + 1} +41,{added + 1} @@"
    (fact,) = facts_of(renamed("\n".join([header, " begin = 0", *changed])))
    (location,) = fact.places
    assert (location.line, location.lines) == (line, tuple(changed))
