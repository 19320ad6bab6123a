"""Values that share what is alike are the same values, and their copies are their own."""

from agent.domain.base import Frozen
from agent.domain.commits import FileChange, Person, compact


class Pair(Frozen):
    """Two files."""

    files: tuple[FileChange, ...]
    name: str = ""


def test_a_compact_value_is_equal_and_shares_what_is_alike() -> None:
    files = [FileChange(path=path, status="modified", additions=1, deletions=2, patch=None) for path in "ab"]
    plain, pair = Pair(files=tuple(files)), compact(Pair(files=tuple(file.model_copy() for file in files)))
    assert pair == plain
    assert pair.model_dump(exclude_unset=True) == plain.model_dump(exclude_unset=True)
    assert pair.files[0].model_fields_set is pair.files[1].model_fields_set


def test_a_copy_of_a_compact_value_changes_no_other() -> None:
    first, second = compact(Pair(files=())), compact(Pair(files=()))
    named = first.model_copy(update={"name": "x"})
    assert named.model_fields_set == {"files", "name"}
    assert first.model_fields_set == second.model_fields_set == {"files"}


class Signed(Frozen):
    """What somebody did to a file."""

    by: Person
    path: str


def test_people_and_paths_that_come_again_are_kept_once() -> None:
    first, second = (
        compact(Signed(by=Person(name="Mira", email="mira@example.com"), path="/".join(("src", "limits.py"))))
        for _ in range(2)
    )
    assert first == second
    assert first.by is second.by
    assert first.path is second.path
