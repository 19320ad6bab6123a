"""How the stream of `git log` is cut into commits."""

from hypothesis import given
from hypothesis import strategies as st

from tools.git.log import Framing

# Pieces that look like the frame, so that a cut can fall anywhere inside and beside it.
PARTS = st.lists(
    st.sampled_from([b"", b"\0", b"\n", b"0", b"a1b2c3", b"diff --git a/x b/x\n", b"f" * 31]),
    max_size=6,
).map(b"".join)


def mark_of(framing: Framing) -> bytes:
    option = next(option for option in framing.options if option.startswith("--format="))
    return option.removeprefix("--format=").partition("%")[0].encode()


@given(
    st.lists(st.tuples(PARTS, PARTS), max_size=4),
    st.lists(st.integers(1, 40), min_size=1, max_size=30),
)
async def test_commits_come_out_whole_wherever_the_stream_is_cut(
    commits: list[tuple[bytes, bytes]], sizes: list[int]
) -> None:
    framing = Framing()
    mark = mark_of(framing)
    stream = b"".join(mark + header + mark + body for header, body in commits)
    at = 0

    async def read() -> bytes:
        nonlocal at
        size = sizes[at % len(sizes)]
        piece = stream[at : at + size]
        at = at + size
        return piece

    records = [record async for record in framing.records(read)]
    assert [(record.header, record.body) for record in records] == commits
    assert [record.last for record in records] == [False] * (len(commits) - 1) + [True] * bool(
        commits
    )
