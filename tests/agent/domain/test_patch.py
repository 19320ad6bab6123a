"""Commits: what they call themselves, and the names that their hunks touch."""

import pytest

from agent.domain.patch import changed_definitions, touched_names, written_names
from tests.made_commits import made_commit


@pytest.mark.parametrize(
    ("message", "parents", "title"),
    [
        ("\r\n \r\nSpeed up  \r\n", 1, "Speed up"),
        ("", 1, ""),
        ("Merge pull request #12 from me/fix\n\nFix the router\n\nMore.", 2, "Fix the router"),
        ("Merge pull request #12 from me/fix", 2, "Merge pull request #12 from me/fix"),
        ("Merge branch 'main' into fix\n\nText", 2, "Merge branch 'main' into fix"),
        (
            "Merge pull request #12 from me/fix\n\nNot a merge",
            1,
            "Merge pull request #12 from me/fix",
        ),
    ],
)
def test_a_commit_has_a_title_and_a_merge_that_of_what_it_merged(
    message: str, parents: int, title: str
) -> None:
    assert made_commit(message, parents=("b" * 40,) * parents).title == title


def test_heads_of_hunks_and_new_definitions_name_what_is_worked_on() -> None:
    patch = (
        "@@ -1,3 +1,3 @@ def can_admit(self, request):\n-    a\n+    b\n"
        "@@ -9,2 +9,3 @@ __global__ void reduce_row_max(float* x) {\n+  __syncthreads();\n"
        "@@ -20 +21,2 @@ class Router:\n+    def pick_worker(self):\n"
    )
    assert set(touched_names(patch)) == {"can_admit", "reduce_row_max", "Router", "pick_worker"}
    assert not list(touched_names(""))


def test_names_on_changed_lines_are_noted_and_plain_words_are_not() -> None:
    lines = (
        "-    timeout-minutes: 30",
        "+    timeout-minutes: 60",
        "     keep_this: 1",
        "+    call __syncthreads now",
    )
    patch = "\n".join(("@@ -1,2 +1,2 @@ jobs:", *lines))
    assert set(written_names(patch)) == {"timeout-minutes", "__syncthreads"}


def test_definitions_are_those_around_changed_lines_alone() -> None:
    patch = (
        "@@ -1,9 +1,9 @@ class Canvas:\n"
        "     def line(self):\n-        return 1\n+        return 2\n"
        "     def fill(self):\n         return 3\n"
        "@@ -20,6 +20,6 @@ func Plain() {\n"
        " func (c *Canvas) Blend(x int) {\n-\treturn x\n+\treturn y\n }\n func Other() {\n"
        "@@ -40,3 +40,3 @@ def dither(image):\n-    level = 1\n+    level = 2\n"
        "@@ -60,3 +60,4 @@\n def before():\n     pass\n \n+async def added():\n+    pass\n"
    )
    assert set(changed_definitions(patch)) == {"Canvas", "line", "Blend", "dither", "added"}
    assert not list(changed_definitions(""))
