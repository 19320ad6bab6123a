"""Short pieces of a diff: something that went and what came for it, and no data."""

from datetime import UTC, datetime

from agent.analysts.excerpts import short_change, widened
from agent.domain.base import RepoId
from agent.domain.commits import Change, Commit, FileChange, Person

SOMEBODY = Person(name="Mira", email="mira@example.com")
AT = datetime(2026, 2, 4, tzinfo=UTC)


def change(**patches: str) -> Change:
    commit = Commit(
        repo=RepoId("octo/router"),
        sha="a" * 40,
        parents=(),
        author=SOMEBODY,
        authored_at=AT,
        committer=SOMEBODY,
        committed_at=AT,
        message="Mend",
    )
    files = [
        FileChange(
            path=name.replace("_", "/", 1).replace("_", "."), status="modified", additions=1, deletions=1, patch=p
        )
        for name, p in patches.items()
    ]
    return Change(commit=commit, files=tuple(files))


def test_an_exchange_is_preferred_and_its_lines_are_verbatim() -> None:
    patch = "@@ -1,4 +1,5 @@\n+import os\n x\n-  if a > b:\n+  if a >= b:\n y\n+  more = 1\n+  than = 2"
    assert short_change(change(src_a_py=patch)) == ("src/a.py", ("-  if a > b:", "+  if a >= b:"))


def test_comments_imports_and_blank_lines_say_nothing() -> None:
    patch = "@@ -1,3 +1,4 @@\n-# old words\n+\n+  limit = 8\n+\n x"
    assert short_change(change(src_a_py=patch)) == ("src/a.py", ("-# old words", "+", "+  limit = 8"))
    assert short_change(change(src_a_py="@@ -1 +1 @@\n-import a\n+import b")) is None


def test_tests_data_and_endless_stretches_are_not_shown() -> None:
    telling = "@@ -1 +1 @@\n-a = 1\n+a = 2"
    assert short_change(change(tests_a_py=telling, src_a_json=telling)) is None
    assert short_change(change(src_a_py="@@ -1 +1 @@\n" + "\n".join(f"+a{n} = 1" for n in range(40)))) is None
    assert short_change(Change(commit=change().commit, files=())) is None


def test_of_a_stretch_that_is_too_long_what_its_author_says_of_it_is_shown() -> None:
    code = "\n".join(f"+  step({n})" for n in range(20))
    said = "+  # The head stays uninitialised where the checkpoint\n+  # omits it, and gives NaN."
    patch = f"@@ -1,1 +1,24 @@\n+  # one\n+  begin()\n{said}\n{code}\n x"
    assert short_change(change(src_a_py=patch)) == ("src/a.py", tuple(said.split("\n")))
    assert short_change(change(src_a_py=f"@@ -1,1 +1,24 @@\n+#include <a.h>\n+#include <b.h>\n{code}\n x")) is None


def test_of_lines_that_were_only_moved_further_in_what_is_new_among_them_is_shown() -> None:
    steps = [f"step({n})" for n in range(15)]
    said = ["# Said before, in two lines,", "# and said again."]
    gone = [f"-    {text}" for text in (*said, *steps)]
    come = [f"+        {text}" for text in (*said, *steps)]
    fresh = ["+    except OutOfMemoryError:", "+        give_up()"]
    patch = "\n".join(["@@ -1,17 +1,20 @@", *gone, "+    try:", *come, *fresh, " x"])
    assert short_change(change(src_a_py=patch)) == ("src/a.py", tuple(fresh))
    moved = "\n".join(["@@ -1,17 +1,18 @@", *gone, "+    try:", *come, " x"])
    assert short_change(change(src_a_py=moved)) is None
    short = "@@ -1,3 +1,3 @@\n-    go()\n-    stay()\n x\n+        go()\n+        stay()"
    assert short_change(change(src_a_py=short)) is None


def test_lines_that_nobody_reads_are_not_shown() -> None:
    picture = 'LOGO = "' + "iVBOR" * 100 + '"'
    patch = f"@@ -1,3 +1,3 @@\n-{picture}\n+{picture}=\n x\n@@ -9,2 +9,2 @@\n-  limit = 8\n+  limit = 9"
    assert short_change(change(src_a_py=patch)) == ("src/a.py", ("-  limit = 8", "+  limit = 9"))


def test_lines_are_shown_with_what_changed_right_around_them_if_that_is_little() -> None:
    patch = "@@ -1,4 +1,4 @@\n class A:\n-    x = 1\n-    y = 1\n+    x = 2\n+    y = 2\n     z = 3"
    assert widened(("-    y = 1",), patch) == ("-    x = 1", "-    y = 1", "+    x = 2", "+    y = 2")
    long = "\n".join(f"+    {name} = 0" for name in "abcdefghij")
    assert widened(("+    h = 0",), long) == ("+    h = 0", "+    i = 0", "+    j = 0")
    assert widened(("+    a = 0",), long) == tuple(f"+    {name} = 0" for name in "abcdef")
    assert widened(("+    nowhere",), patch) == ("+    nowhere",)
