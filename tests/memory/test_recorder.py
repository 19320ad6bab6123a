"""The record of a run: recorded before it is used, never paid twice, and enough to do without the source."""

import multiprocessing
import os
import shutil
import signal
import zlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import aclosing, closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from agent.domain.base import RepoId
from agent.domain.commits import Change, Landing
from agent.domain.errors import AppError, NotFound, RateLimited, StorageError, UpstreamError
from agent.domain.report import Report
from agent.domain.threads import Issue, Release, Threads
from agent.domain.window import Window
from agent.model_errors import ModelError
from agent.ports import CloneSource, CodeSource
from memory.landing_owners import Landings
from memory.protocols import Database
from memory.published_report_index import Reports
from memory.recorded_answers import JsonCodec, codec_for, encode_error
from memory.recorder import Call, CallRecorder
from memory.recording_proxies import recorded, recorded_source
from memory.sqlite.database import SqliteDatabase
from memory.store import open_database
from tests.databases import AnyDatabase
from tests.made_repos import Work
from tools.git.source import GitSource

REPO = RepoId("octo/engine")
DAY = Window.days(date(2026, 2, 4), date(2026, 2, 4), "UTC")
NOON = datetime(2026, 2, 4, 12, tzinfo=UTC)
TEXT = JsonCodec("text", TypeAdapter(str))
HELLO = Call("x.y", REPO, "hello")
HOSTILE = "zero \0, half \ud800, escaped \udcff, line \u2028, bidi \u202e, bell \x07"
Watched = Callable[[], Any]


def code(db: Database, run: str, source: Any, origin: str = "git https://git.example") -> Any:
    return recorded_source(source.open, CallRecorder(db, run), "code", REPO, origin, CodeSource)


async def nobody() -> Any:
    raise AssertionError("a replay asked a source")


def replayed(db: AnyDatabase, run: str = "r1") -> Any:
    recorder = CallRecorder(db, run, play_only=True)
    return recorded_source(nobody, recorder, "code", REPO, "", CodeSource)


async def read(
    source: CodeSource, shas: Sequence[str], seen: list[str] | None = None
) -> list[Change]:
    changes = []
    async for change in source.changes(shas):
        changes.append(change)
        if seen is not None:
            seen.append(change.commit.sha)
    return changes


def shas_of(changes: Iterable[Change]) -> list[str]:
    return [change.commit.sha for change in changes]


def count(db: Database, table: str) -> int:
    return len(db.select(table, ["*"], {}))


async def test_what_a_source_said_can_be_had_again_without_it(
    db: AnyDatabase, clone: Path, shas: list[str], watched: Watched
) -> None:
    async def answers_of(source: Any) -> list[object]:
        changes = await read(source, shas)
        paths = [file.path for file in changes[1].files]
        answers = [await source.landed(DAY), changes, await source.members(shas[0])]
        answers += [await source.blobs(changes[1], paths), await source.before(shas[0], paths)]
        return [*answers, await source.resolve(shas[2][:9])]

    first = await answers_of(code(db, "r1", watched()))
    shutil.rmtree(clone)
    assert await answers_of(replayed(db)) == first
    chosen = [shas[4], shas[0], shas[2], shas[0]]
    assert shas_of(await read(replayed(db), chosen)) == [shas[4], shas[0], shas[2]]


async def test_each_commit_is_recorded_before_anybody_sees_it_and_the_next_is_not_read_ahead(
    shas: list[str], watched: Watched, tmp_path: Path
) -> None:
    source = watched()
    seen = 0
    with (
        closing(open_database(tmp_path / "home")) as db,
        closing(open_database(tmp_path / "home")) as other,
    ):
        async for change in code(db, "r1", source).changes(shas):
            seen += 1
            assert source.given == shas[:seen]
            assert other.select("artefacts", ["hash"], {"evidence": change.commit.id})
    assert seen == 6


async def test_a_run_that_is_resumed_asks_only_for_what_it_has_not_heard(
    db: AnyDatabase, shas: list[str], watched: Watched
) -> None:
    killed = watched()
    resumed = watched()
    finished = watched()
    async with aclosing(code(db, "r1", killed).changes(shas)) as reading:
        async for change in reading:
            if change.commit.sha == shas[2]:
                break
    assert killed.closed == 1
    order = [shas[5], shas[1], shas[3], shas[0], shas[4], shas[2]]
    assert shas_of(await read(code(db, "r1", resumed), order)) == order
    assert resumed.asked == ["open", [shas[5], shas[3], shas[4]]]
    await read(code(db, "r1", finished), shas)
    assert finished.asked == []


async def test_another_run_takes_over_what_cannot_change_and_can_be_replayed_by_itself(
    db: AnyDatabase, shas: list[str], watched: Watched
) -> None:
    first = code(db, "r1", watched())
    source = watched()
    changes = await read(first, shas[::2])
    paths = [file.path for file in changes[0].files]
    files = await first.blobs(changes[0], paths)
    second = code(db, "r2", source)
    assert shas_of(await read(second, shas)) == shas
    assert await second.blobs(changes[0], paths) == files
    assert source.asked == ["open", shas[1::2]]
    assert count(db, "artefacts") == 7
    db.execute("delete from calls where run = 'r1'")
    db.execute("delete from holds where run = 'r1'")
    assert shas_of(await read(replayed(db, "r2"), shas)) == shas
    assert count(db, "holds") == 7


async def test_another_run_does_not_look_again_through_history_before_a_commit(
    db: AnyDatabase, tmp_path: Path
) -> None:
    work = Work(tmp_path / "work")
    work.commit("Start", {"engine/core.py": "limit = 1\n"})
    first = work.commit("Add a cache", {"engine/cache.py": "max_size = 1\nages = 2\n"})
    last = work.commit("Mend the cache", {"engine/cache.py": "max_size = 9\nages = 9\n"})

    async def look_back(run: str, open_source: Callable[[], Any]) -> list[object]:
        recorder = CallRecorder(db, run)
        source = recorded_source(open_source, recorder, "code", REPO, "git", CloneSource)
        return [
            dict(await source.written_by(last, since=DAY.start - timedelta(days=60))),
            await source.headed("cache", upto=last, since=DAY.start - timedelta(days=400)),
            list((await source.line_writers([last]))[last]),
            list((await source.births([last]))[last]),
            list(await source.lines_with(last, ["limit", "size"])),
            list(await source.before(last, ["engine/cache.py"])),
        ]

    async def clone() -> GitSource:
        return GitSource(REPO, work.path)

    answers = await look_back("r1", clone)
    assert answers[0] == {first: 2}
    assert answers[3]
    assert await look_back("r2", nobody) == answers


async def test_another_run_lists_a_window_and_its_tags_again_once_the_branch_or_a_tag_moved(
    db: AnyDatabase, tmp_path: Path
) -> None:
    work = Work(tmp_path / "work")
    first = work.commit("Start", {"engine/core.py": "limit = 1\n"})
    asked: list[str] = []

    class CountedSource(GitSource):
        async def landed(self, window: Window, *, known_tip: str | None = None) -> Landing:
            asked.append("landed")
            return await super().landed(window, known_tip=known_tip)

        async def tagged(self, names: Sequence[str]) -> Release | None:
            asked.append("tagged")
            return await super().tagged(names)

    async def clone() -> GitSource:
        return CountedSource(REPO, work.path)

    async def look(run: str) -> tuple[list[str], Release | None]:
        source = recorded_source(clone, CallRecorder(db, run), "code", REPO, "git", CloneSource)
        landing = await source.landed(DAY)
        return [row.commit.sha for row in landing.rows], await source.tagged(["v2"])

    assert await look("r1") == ([first], None)
    assert await look("r2") == ([first], None)
    assert asked == ["landed", "tagged"]
    second = work.commit("Go on", {"engine/core.py": "limit = 2\n"})
    assert (await look("r3"))[0] == [second, first]
    work.git("tag", "v2")
    tagged = (await look("r4"))[1]
    assert tagged is not None
    assert tagged.tag == "v2"


async def test_another_run_looks_again_where_the_clone_was_shallow(
    db: AnyDatabase, tmp_path: Path
) -> None:
    work = Work(tmp_path / "work")
    work.commit("Start", {"engine/core.py": "limit = 1\n"})
    first = work.commit("Add a cache", {"engine/cache.py": "size = 1\nages = 2\n"})
    work.commit("Go on", {"engine/core.py": "limit = 2\n"})
    last = work.commit("Mend the cache", {"engine/cache.py": "size = 9\nages = 9\n"})
    shallow = tmp_path / "shallow"
    work.git("clone", "--quiet", "--depth=2", f"file://{work.path}", str(shallow))

    async def writers(run: str, path: Path) -> dict[str, int]:
        async def clone() -> GitSource:
            return GitSource(REPO, path)

        source = recorded_source(clone, CallRecorder(db, run), "code", REPO, "git", CloneSource)
        return dict(await source.written_by(last, since=DAY.start - timedelta(days=60)))

    assert first not in await writers("r1", shallow)
    assert await writers("r2", work.path) == {first: 2}


async def test_a_stream_that_breaks_breaks_at_the_same_place_again(
    db: AnyDatabase, shas: list[str], watched: Watched
) -> None:
    source = watched()
    better = watched()
    source.breaks_after = 2
    for reader in (code(db, "r1", source), replayed(db)):
        seen: list[str] = []
        with pytest.raises(UpstreamError, match="the disk is gone"):
            await read(reader, shas, seen)
        assert seen == shas[:2]
    assert len(await read(code(db, "r1", better), shas)) == 6
    assert better.given == shas[2:]


async def test_a_commit_that_was_left_out_stays_so_in_this_run_and_one_that_nobody_asked_for_is_not_taken(
    db: AnyDatabase, shas: list[str], watched: Watched
) -> None:
    source = watched()
    full = watched()
    source.leaves_out, source.adds = {shas[1], shas[2]}, [shas[5], shas[0]]
    answers_of = [shas[0], shas[3], shas[4]]
    assert shas_of(await read(code(db, "r1", source), shas[:5])) == answers_of
    assert shas_of(await read(replayed(db), shas[:5])) == answers_of
    assert shas_of(await read(code(db, "r2", full), shas[:5])) == shas[:5]
    assert full.asked == ["open", shas[1:3]]


async def test_what_a_run_did_not_record_is_named_and_remembered(
    db: AnyDatabase, shas: list[str]
) -> None:
    recorder = CallRecorder(db, "20260204T1", play_only=True)
    source = recorded_source(nobody, recorder, "code", REPO, "", CodeSource)
    for call in (source.landed(DAY), source.resolve("abcd"), read(source, shas)):
        with pytest.raises(
            StorageError,
            match=r"run 20260204T1 did not record code\.\w+ of octo/engine; it cannot be",
        ):
            await call
    assert "code.landed" in str(recorder.gap)


@pytest.mark.parametrize(
    ("error", "asks_again"),
    [
        (NotFound("octo/engine has no commit abcd"), False),
        (UpstreamError("HTTP 502", retryable=True, retry_after=2.5), True),
        (RateLimited("wait", retry_after=60), True),
        (ModelError("nothing", retryable=True), True),
    ],
)
async def test_an_error_is_told_again_and_only_one_that_may_get_better_is_asked_again(
    db: AnyDatabase, error: AppError, asks_again: bool
) -> None:
    ask_count = 0

    async def live() -> str:
        nonlocal ask_count
        ask_count += 1
        raise error

    for play_only in (False, False, True):
        with pytest.raises(type(error)) as answers_of:
            await CallRecorder(db, "r1", play_only=play_only).fetch(HELLO, TEXT, live)
        assert (str(answers_of.value), vars(answers_of.value)) == (str(error), vars(error))
    assert ask_count == (2 if asks_again else 1)


@pytest.mark.parametrize(("retried", "expected"), [(True, 2), (False, 1)])
async def test_any_error_of_a_call_that_says_so_is_asked_again_and_a_replay_raises_it(
    db: AnyDatabase, *, retried: bool, expected: int
) -> None:
    call = Call("model.ask", "writer", "hello", retried=retried)
    ask_count = 0

    async def live() -> str:
        nonlocal ask_count
        ask_count += 1
        raise NotFound("there is no such model")

    for play_only in (False, False, True):
        with pytest.raises(NotFound):
            await CallRecorder(db, "r1", play_only=play_only).fetch(call, TEXT, live)
    assert ask_count == expected


def test_the_moments_of_answers_leave_out_outages_and_what_a_resumed_run_writes_again(
    db: AnyDatabase,
) -> None:
    recorder = CallRecorder(db, "r1")
    names = ("code.landed", "note.packets", "publisher.earlier", "threads.issue")
    calls = [Call(name, REPO) for name in names]
    answer = TEXT.encode("so it is")
    away = encode_error(UpstreamError("it is away", retryable=True))
    recorder.record([(call, answer) for call in calls[:3]] + [(calls[3], away)])
    assert list(recorder.answered()) == [calls[0].key]


def test_hostile_text_of_threads_comes_back_as_it_was_and_each_thread_is_stored_once(
    db: AnyDatabase,
) -> None:
    times = {"created_at": NOON, "updated_at": NOON, "closed_at": None}
    about = {
        "repo": REPO,
        "number": 1,
        "title": "Crash",
        "body": HOSTILE,
        "author": None,
        "labels": (),
        **times,
    }
    issue = Issue.model_validate(
        {**about, "state": "open", "state_reason": None, "comments": 0, "reactions": 0}
    )
    threads = Threads(coverage="read", issues=(issue,))
    codec = codec_for("threads", Threads)
    for run, answers_of in (
        ("r1", threads),
        ("r2", threads.model_copy(update={"coverage": "partial"})),
    ):
        CallRecorder(db, run).record([(HELLO, codec.encode(answers_of))])
        assert CallRecorder(db, run, play_only=True).play(HELLO, codec) == answers_of
    assert len(db.select("artefacts", ["hash"], {"evidence": issue.id})) == 1


def test_what_the_memory_said_is_on_record_too_and_a_replay_changes_nothing(
    db: AnyDatabase,
) -> None:
    yesterday = Window.days(date(2026, 2, 3), date(2026, 2, 3), "UTC")
    Landings(db).put(REPO, yesterday, tip="a" * 40, owned={"b" * 40: False, "c" * 40: True})

    def answers_of(recorder: CallRecorder) -> list[object]:
        owned = recorded(Landings(db), recorder, "landings")
        return [owned.known_tip(REPO, DAY), owned.elsewhere(REPO, DAY, (sha * 40 for sha in "bc"))]

    first = answers_of(CallRecorder(db, "r1"))
    Landings(db).put(REPO, DAY, tip="d" * 40, owned={"e" * 40: False})
    db.execute("delete from landed")
    replay = CallRecorder(db, "r1", play_only=True)
    assert answers_of(CallRecorder(db, "r1")) == answers_of(replay) == first
    recorded(Reports(db), replay, "archive").remember(
        Report(window=DAY, repos=(REPO,), sections=(), ledger=())
    )
    replay.record([(HELLO, TEXT.encode("new"))])
    assert (count(db, "published"), count(db, "calls")) == (0, 2)


@pytest.mark.parametrize("damage", [b"not compressed", zlib.compress(b'"hacked"')])
def test_a_damaged_artefact_is_told_and_not_believed(db: AnyDatabase, damage: bytes) -> None:
    CallRecorder(db, "r1").record([(HELLO, TEXT.encode("hello " * 1_000))])
    assert db.rows("select size > 6000, length(body) < 200 from artefacts") == [(1, 1)]
    with pytest.raises(
        StorageError, match=r"a recorded text .* another version of Gitzette wrote it"
    ):
        CallRecorder(db, "r1").play(HELLO, JsonCodec("text", TypeAdapter(list[int])))
    [(name,)] = db.select("artefacts", ["hash"], {})
    db.upsert("artefacts", [{"hash": name, "body": damage}], ("hash",))
    recorder = CallRecorder(db, "r1", play_only=True)
    with pytest.raises(StorageError, match="the memory is damaged: artefact"):
        recorder.play(HELLO, TEXT)
    assert recorder.gap is not None


@pytest.mark.parametrize(
    "written",
    [
        {"parts": {}, "rest": {"coverage": "a word of another version"}},
        {"parts": {"issues": "no list"}, "rest": {"coverage": "read"}},
        {"rest": {"coverage": "read"}},
        {},
    ],
)
def test_threads_and_errors_in_the_shape_of_another_version_are_a_gap_in_the_record(
    db: AnyDatabase, written: dict[str, Any]
) -> None:
    other_version = TypeAdapter(dict[str, Any])
    for kind in ("threads", "error"):
        CallRecorder(db, kind).record([(HELLO, JsonCodec(kind, other_version).encode(written))])
        recorder = CallRecorder(db, kind, play_only=True)
        with pytest.raises(StorageError, match=f"a recorded {kind} .* another version of Gitzette"):
            recorder.play(HELLO, codec_for("threads", Threads))
        assert "another version of Gitzette" in str(recorder.gap)


def _record_on_and_on(
    home: Path, run: str, ready: "multiprocessing.synchronize.Event", limit: int
) -> None:
    with closing(open_database(home)) as db:
        for number in range(limit):
            text = f"{number} " + (os.urandom(2_000).hex() if run == "killed" else "x" * 2_000)
            CallRecorder(db, run).record([(Call("x.y", REPO, text), TEXT.encode(text))])
            if number == 5:
                ready.set()


def test_runs_killed_at_any_moment_or_at_work_together_leave_a_store_that_can_be_read(
    tmp_path: Path,
) -> None:
    context = multiprocessing.get_context("fork")
    ready = context.Event()
    for _ in range(3):
        ready.clear()
        run = context.Process(target=_record_on_and_on, args=(tmp_path, "killed", ready, 1_000_000))
        run.start()
        assert ready.wait(30)
        os.kill(run.pid or 0, signal.SIGKILL)
        run.join(30)
    with closing(open_database(tmp_path)) as db:
        assert isinstance(db, SqliteDatabase)
        assert db.rows("pragma integrity_check") == [("ok",)]
        before = count(db, "calls")
        assert before >= 18
        assert count(db, "holds") == count(db, "artefacts") == before
    runs = [
        context.Process(target=_record_on_and_on, args=(tmp_path, run_id, ready, 60))
        for run_id in ("r1", "r2")
    ]
    for run in runs:
        run.start()
    for run in runs:
        run.join(60)
    assert [run.exitcode for run in runs] == [0, 0]
    with closing(open_database(tmp_path)) as db:
        assert (count(db, "artefacts"), count(db, "calls")) == (before + 60, before + 120)
