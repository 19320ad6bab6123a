"""What comes back, goes back or is mended, by the lines of two changes."""

from datetime import UTC, datetime

from agent.weaving.retakes import comes_back, puts_back, written_anew

from agent.domain import Change, Commit, FileChange, Person
from agent.ids import RepoId

WHO = Person(name="Mira", email="mira@example.org")
AT = datetime(2026, 2, 3, tzinfo=UTC)


def change(*lines: str) -> Change:
    commit = Commit(
        repo=RepoId("octo/router"),
        sha="1" * 40,
        parents=("0" * 40,),
        author=WHO,
        authored_at=AT,
        committer=WHO,
        committed_at=AT,
        message="a title",
    )
    patch = "\n".join(("@@ -1 +1 @@", *lines))
    file = FileChange(path="src/a.py", status="modified", additions=1, deletions=1, patch=patch)
    return Change(commit=commit, files=(file,))


def test_all_lines_and_a_guard_are_the_whole_again_and_half_of_them_are_a_part() -> None:
    original = change(*(f"+value_{number} = limit({number})" for number in range(40)))
    again = change("+if guarded(x):", *(f"+value_{number} = limit({number})" for number in range(40)))
    assert comes_back(again, original)
    assert not comes_back(change(*(f"+value_{number} = limit({number})" for number in range(20))), original)


def test_a_value_that_goes_back_undoes_a_part_and_a_third_value_does_not() -> None:
    original = change('-  "ptxas": "12.9"', '+  "ptxas": "13.1"', '+  "other": "13.1"')
    assert puts_back(change('-  "ptxas": "13.1"', '+  "ptxas": "12.9"'), original)
    assert not puts_back(change('-  "ptxas": "13.1"', '+  "ptxas": "13.2"'), original)


def test_lines_that_were_moved_or_renamed_were_not_written_there() -> None:
    fix = change("-    return first_value(table, key)")
    assert written_anew(fix, change("+    return first_value(table, key)"))
    assert not written_anew(fix, change("-return first_value(table, key)", "+    return first_value(table, key)"))
    assert not written_anew(fix, change("-return first_value(table, name)", "+    return first_value(table, key)"))
