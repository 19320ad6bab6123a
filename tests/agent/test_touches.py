"""The functions that a diff works in are known by the heads of its hunks."""

from datetime import UTC, datetime

from agent.analysts.touches import touched_names, written_names
from agent.domain.base import RepoId
from agent.domain.commits import Change, Commit, FileChange, Person

ADA = Person(name="Ada", email="ada@example.com")
AT = datetime(2026, 3, 1, tzinfo=UTC)


def change(patch: str | None) -> Change:
    commit = Commit(
        repo=RepoId("a/b"),
        sha="0" * 40,
        parents=(),
        author=ADA,
        authored_at=AT,
        committer=ADA,
        committed_at=AT,
        message="x",
    )
    return Change(
        commit=commit, files=(FileChange(path="a.py", status="modified", additions=1, deletions=1, patch=patch),)
    )


def test_heads_of_hunks_and_new_definitions_name_what_is_worked_on() -> None:
    patch = (
        "@@ -1,3 +1,3 @@ def can_admit(self, request):\n-    a\n+    b\n"
        "@@ -9,2 +9,3 @@ __global__ void reduce_row_max(float* x) {\n+  __syncthreads();\n"
        "@@ -20 +21,2 @@ class Router:\n+    def pick_worker(self):\n"
    )
    assert set(touched_names(change(patch))) == {"can_admit", "reduce_row_max", "Router", "pick_worker"}


def test_a_binary_file_works_in_nothing() -> None:
    assert touched_names(change(None)) == ()


def test_names_on_changed_lines_are_noted_and_plain_words_are_not() -> None:
    lines = ("-    timeout-minutes: 30", "+    timeout-minutes: 60", "     keep_this: 1", "+    call __syncthreads now")
    patch = "\n".join(("@@ -1,2 +1,2 @@ jobs:", *lines))
    assert written_names(change(patch)) == ("timeout-minutes", "__syncthreads")
