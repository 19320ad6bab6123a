"""No commit is read twice: what one run was told of it, the next one knows, as long as nothing about it can change."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import Any, Protocol

import pytest
from sqlite_utils import Database

from agent.domain import Change
from agent.errors import UpstreamError
from agent.ids import RepoId
from agent.sources import CodeSource
from memory.call_recorder import CallRecorder
from memory.database import database_in_memory
from memory.recorder import recorded_source

REPO = RepoId("octo/engine")
GIT = "git https://git.example"


class Watching(Protocol):
    """The part of the watched source that these tests look at."""

    asked: list[object]
    leaves_out: set[str]
    breaks_after: int | None
    error: UpstreamError
    inner: CodeSource

    async def open(self) -> CodeSource: ...


Watched = Callable[[], Watching]


@pytest.fixture
def db() -> Iterator[Database]:
    with closing(database_in_memory()) as database:
        yield database


def code(db: Database, run: str, source: Any, origin: str = GIT, *, play_only: bool = False) -> Any:
    return recorded_source(source.open, CallRecorder(db, run, play_only=play_only), "code", REPO, origin, CodeSource)


async def read(source: CodeSource, shas: Sequence[str]) -> list[Change]:
    return [change async for change in source.changes(shas)]


async def test_a_second_run_reads_no_diff_and_no_file_again(db: Database, watched: Watched, shas: list[str]) -> None:
    first = code(db, "r1", watched())
    changes = await read(first, shas)
    paths = [file.path for file in changes[0].files]
    files = await first.blobs(changes[0], paths)
    source = watched()
    second = code(db, "r2", source)
    assert await read(second, shas[::-1]) == changes[::-1]
    assert await second.blobs(changes[0], paths) == files
    assert source.asked == []
    assert await read(code(db, "r2", source), shas) == changes
    assert source.asked == []


async def test_only_what_is_new_is_read_and_the_order_is_kept(db: Database, watched: Watched, shas: list[str]) -> None:
    await read(code(db, "r1", watched()), shas[::2])
    source = watched()
    assert [change.commit.sha for change in await read(code(db, "r2", source), shas)] == shas
    assert source.asked == ["open", shas[1::2]]


async def test_another_source_is_asked_itself(db: Database, watched: Watched, shas: list[str]) -> None:
    await read(code(db, "r1", watched()), shas)
    source = watched()
    await read(code(db, "r2", source, "api https://api.example"), shas)
    assert source.asked == ["open", shas]


async def test_what_landed_and_names_cut_short_are_asked_for_every_time(
    db: Database, watched: Watched, shas: list[str]
) -> None:
    for run in ("r1", "r2"):
        source = watched()
        await code(db, run, source).resolve(shas[0][:10])
        await code(db, run, source).before(shas[0], ["file0.txt"])
        assert source.asked == ["open", ("resolve", shas[0][:10]), "open", ("before", shas[0])]


async def test_a_commit_that_could_not_be_read_is_tried_again(db: Database, watched: Watched, shas: list[str]) -> None:
    broken = watched()
    broken.breaks_after = 2
    with pytest.raises(UpstreamError, match="the disk is gone"):
        await read(code(db, "r1", broken), shas)
    gone = watched()
    gone.leaves_out = {shas[3]}
    assert len(await read(code(db, "r2", gone), shas)) == 5
    whole = watched()
    assert len(await read(code(db, "r3", whole), shas)) == 6
    assert whole.asked == ["open", [shas[3]]]


async def test_what_a_partial_clone_lacked_is_asked_for_again(db: Database, watched: Watched, shas: list[str]) -> None:
    (change,) = [one async for one in watched().inner.changes(shas[:1])]
    lacking = change.model_copy(
        update={"files": tuple(file.model_copy(update={"unreadable": "not here"}) for file in change.files)}
    )

    class Partial:
        repo = REPO

        async def changes(self, wanted: Sequence[str]) -> object:
            del wanted
            yield lacking

        async def open(self) -> "Partial":
            return self

    await read(code(db, "r1", Partial()), shas[:1])
    source = watched()
    assert await read(code(db, "r2", source), shas[:1]) == [change]
    assert source.asked == ["open", shas[:1]]


async def test_what_was_taken_over_belongs_to_the_run_and_can_be_replayed(
    db: Database, watched: Watched, shas: list[str]
) -> None:
    changes = await read(code(db, "r1", watched()), shas)
    await read(code(db, "r2", watched()), shas)
    db.execute("delete from calls where run = 'r1'")
    db.execute("delete from holds where run = 'r1'")
    source = watched()
    replay = code(db, "r2", source, play_only=True)
    assert await read(replay, shas) == changes
    assert db.execute("select count(*) from holds where run = 'r2'").fetchone()[0] == len(shas)
