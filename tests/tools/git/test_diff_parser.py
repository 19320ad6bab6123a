"""How a commit's patch is taken apart while git prints it."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.domain.base import RepoId
from agent.domain.commits import FileChange
from agent.domain.window import Window
from tests.made_repos import Work
from tools.git.diff_parser import MalformedDiff, PatchBody, PatchLimits
from tools.git.source import GitSource

OLD = b"1" * 40
NEW = b"2" * 40
NONE = b"0" * 40
BODY = (
    b"\n:100644 100644 " + OLD + b" " + NEW + b" M\0a.py\0"
    b":000000 100644 " + NONE + b" " + NEW + b" A\0diff --git x\0"
    b":100644 000000 " + OLD + b" " + NONE + b" D\0gone\0\0"
    b"diff --git a/a.py b/a.py\nindex 1..2\n--- a/a.py\n+++ b/a.py\n"
    b"@@ -1,2 +1,2 @@ def f():\n-++ old\n+-- new\n same\n"
    b"diff --git a/diff --git x b/diff --git x\nnew file\n--- /dev/null\n+++ b/diff --git x\n"
    b"@@ -0,0 +1,2 @@\n+one\n+diff --git a/y b/y\n"
    b"diff --git a/gone b/gone\ndeleted file\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-bye\n"
)
LARGE = PatchLimits(per_file=10_000, per_commit=10_000)


def read_in_pieces(sizes: list[int], limits: PatchLimits = LARGE) -> tuple[FileChange, ...]:
    body = PatchBody(limits)
    at = 0
    while at < len(BODY):
        size = sizes[at % len(sizes)]
        body.feed(BODY[at : at + size])
        at += size
    return body.files()


@given(st.lists(st.integers(1, 60), min_size=1, max_size=30))
def test_files_come_out_the_same_wherever_the_stream_is_cut(sizes: list[int]) -> None:
    files = read_in_pieces(sizes)
    assert [(file.path, file.status, file.additions, file.deletions) for file in files] == [
        ("a.py", "modified", 1, 1),
        ("diff --git x", "added", 2, 0),
        ("gone", "removed", 0, 1),
    ]
    assert [file.patch for file in files] == [
        "@@ -1,2 +1,2 @@ def f():\n-++ old\n+-- new\n same",
        "@@ -0,0 +1,2 @@\n+one\n+diff --git a/y b/y",
        "@@ -1 +0,0 @@\n-bye",
    ]


@given(st.lists(st.integers(1, 60), min_size=1, max_size=30))
def test_what_is_beyond_a_limit_is_counted_and_left_out(sizes: list[int]) -> None:
    for limits in (PatchLimits(45, 10_000), PatchLimits(10_000, 50)):
        files = read_in_pieces(sizes, limits)
        assert [(file.additions, file.deletions) for file in files] == [(1, 1), (2, 0), (0, 1)]
        omitted = [file for file in files if file.omitted]
        assert omitted
        assert all(file.patch is None for file in omitted)
        assert all(file.patch for file in files if not file.omitted)


@pytest.mark.parametrize("end", [BODY.index(b"gone") + 2, len(BODY) - 120])
def test_a_stream_that_breaks_off_is_malformed(end: int) -> None:
    body = PatchBody(LARGE)
    body.feed(BODY[:end])
    with pytest.raises(MalformedDiff):
        body.files()


async def test_a_very_long_message_is_cut_and_a_notice_says_so(work: Work) -> None:
    work.commit("Long\n\n" + "many words of a message\n" * 100_000, {"a": "1\n"})
    source = GitSource(RepoId("acme/engine"), work.path)
    sha = work.head()
    change = await anext(source.changes([sha]))
    assert change.commit.title == "Long"
    assert len(change.commit.message) + change.commit.message_omitted > 2_400_000
    assert len(change.commit.message) <= 1_000_000
    landing = await source.landed(Window.days(date(2026, 2, 4), date(2026, 2, 4), "UTC"))
    assert [row.commit.message for row in landing.rows] == [change.commit.message]
    (notice,) = landing.notices
    assert (notice.kind, notice.about) == ("message-cut", (sha[:12], "1.4 MB"))
