"""How the stream of `git log` is cut into commits."""

import re
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.domain.base import RepoId
from tools.git.log import FirstParentWalk, Framing

# Pieces that look like the frame, so that a cut can fall anywhere inside and beside it.
PARTS = st.lists(
    st.sampled_from([b"", b"\0", b"\n", b"0", b"a1b2c3", b"diff --git a/x b/x\n", b"f" * 31]),
    max_size=6,
).map(b"".join)


def mark_of(framing: Framing) -> bytes:
    option = next(option for option in framing.options if option.startswith("--format="))
    return option.removeprefix("--format=").partition("%")[0].encode()


COMMITS = st.lists(st.tuples(PARTS, PARTS), max_size=4)
SIZES = st.lists(st.integers(1, 40), min_size=1, max_size=30)


def reader_of(stream: bytes, sizes: list[int]) -> Callable[[], Awaitable[bytes]]:
    """Return what reads a stream in pieces of these sizes, over and over."""
    at = 0

    async def read() -> bytes:
        nonlocal at
        piece = stream[at : at + sizes[at % len(sizes)]]
        at += len(piece)
        return piece

    return read


@given(COMMITS, SIZES)
async def test_commits_come_out_whole_wherever_the_stream_is_cut(
    commits: list[tuple[bytes, bytes]], sizes: list[int]
) -> None:
    framing = Framing()
    mark = mark_of(framing)
    stream = b"".join(mark + header + mark + body for header, body in commits)
    records = [record async for record in framing.records(reader_of(stream, sizes))]
    assert [(record.header, record.body) for record in records] == commits
    assert [record.last for record in records] == [False] * (len(commits) - 1) + [True] * bool(
        commits
    )


@given(COMMITS, SIZES)
async def test_headers_come_out_whole_wherever_the_stream_is_cut(
    commits: list[tuple[bytes, bytes]], sizes: list[int]
) -> None:
    framing = Framing()
    mark = mark_of(framing)
    stream = b"".join(mark + header + mark + body for header, body in commits)
    headers: list[bytes] = []
    async for some_headers in framing.headers(reader_of(stream, sizes)):
        headers += some_headers
    assert headers == [header for header, _ in commits]


async def test_a_header_of_megabytes_is_read_by_its_beginning() -> None:
    framing = Framing()
    mark = mark_of(framing)
    stream = mark + b"sha\0" + b"x" * 3_000_000 + mark + mark + b"next" + mark
    headers: list[bytes] = []
    async for some_headers in framing.headers(reader_of(stream, [100_001])):
        headers += some_headers
    assert headers == [b"sha\0" + b"x" * 999_996, b"next"]


TITLES = [
    "Fix the cache",
    "",
    "Fix",
    "the queue (#12)",
    "fix (#121)",
    "Merge pull request #12 from x",
]


@pytest.mark.parametrize(
    ("pattern", "titles"),
    [
        ("", TITLES),
        (r"\(#(12)\)|^Merge pull request #(12) ", [TITLES[3], TITLES[5]]),
        ("^fix", [TITLES[0], TITLES[2], TITLES[4]]),
        ("queue.*$", [TITLES[3]]),
        (r"fix\s+the", [TITLES[0]]),  # Not from one title to the next
    ],
)
def test_titles_are_searched_each_by_itself(pattern: str, titles: list[str]) -> None:
    walk = FirstParentWalk("0" * 40, 0)
    for number, title in enumerate(TITLES):
        fields = [f"{number:040x}", "", "A", "a@x", "1", "A", "a@x", "1", title]
        walk.add("\0".join(fields).encode())
    form = re.compile(pattern, re.IGNORECASE)
    moment = datetime.fromtimestamp(0, UTC)
    commits = walk.titled(RepoId("acme/engine"), form, f"{0:040x}", moment)
    assert [commit.title for commit in commits] == titles
