"""The record of a run: recorded before it is used, never paid twice, and enough to do without the source."""

import shutil
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import aclosing, closing
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter
from sqlite_utils import Database

from agent.domain import Change, Comment, Commit, Coverage, FileChange, Issue, Person, PullRequest, Release, Threads
from agent.errors import AppError, InputError, NotFound, RateLimited, StorageError, UpstreamError
from agent.ids import RepoId
from agent.ledger import Owner
from agent.report import Report
from agent.sources import CodeSource, FindsTags, Foresees, LooksBack, Study, ThreadSource
from agent.window import Window
from memory.archive import Archive
from memory.call_recorder import Call, CallRecorder
from memory.database import open_database
from memory.issues import OpenIssues
from memory.landings import Landings
from memory.recorder import recorded, recorded_source
from memory.shapes import Plain

REPO = RepoId("octo/engine")
DAY = Window.days(date(2026, 2, 4), date(2026, 2, 4), "UTC")
NOON = datetime(2026, 2, 4, 12, tzinfo=UTC)
TEXT = Plain("text", TypeAdapter(str))
HOSTILE = "zero \0, half \ud800, escaped \udcff, line \u2028, bidi \u202e, bell \x07"


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with closing(open_database(tmp_path / "home")) as database:
        yield database


def code(recorder: CallRecorder, source: Any) -> Any:
    return recorded_source(source.open, recorder, "code", REPO, "git https://git.example", CodeSource, Foresees)


async def nobody() -> Any:
    raise AssertionError("a replay asked a source")


def without_source(recorder: CallRecorder) -> Any:
    return recorded_source(nobody, recorder, "code", REPO, "", CodeSource, Foresees)


def replayed(db: Database, run: str = "r1") -> Any:
    return without_source(CallRecorder(db, run, play_only=True))


def threads(recorder: CallRecorder, opened: Callable[[], Any] = nobody, origin: str = "api https://api.example") -> Any:
    return recorded_source(opened, recorder, "threads", REPO, origin, ThreadSource)


async def read(source: CodeSource, shas: list[str], seen: list[str] | None = None) -> list[Change]:
    changes = []
    async for change in source.changes(shas):
        changes.append(change)
        if seen is not None:
            seen.append(change.commit.sha)
    return changes


async def test_what_a_source_said_can_be_had_again_without_it(
    db: Database, clone: Path, shas: list[str], watched: Callable[[], Any]
) -> None:
    first = code(CallRecorder(db, "r1"), watched())
    landing, changes = await first.landed(DAY), await read(first, shas)
    paths = [file.path for file in changes[1].files]
    told = [
        await first.members(shas[0]),
        await first.blobs(changes[1], paths),
        await first.before(shas[0], paths),
        await first.resolve(shas[2][:9]),
    ]
    shutil.rmtree(clone)
    again = replayed(db)
    assert await again.landed(DAY) == landing
    assert await read(again, shas) == changes
    assert told == [
        await again.members(shas[0]),
        await again.blobs(changes[1], paths),
        await again.before(shas[0], paths),
        await again.resolve(shas[2][:9]),
    ]
    assert await again.blobs(changes[1], ["file4.txt"]) == {"file4.txt": (None, b"a\0b")}


async def test_a_commit_that_was_just_read_is_not_taken_from_the_record_again(
    db: Database, shas: list[str], watched: Callable[[], Any]
) -> None:
    source = code(CallRecorder(db, "r1"), watched())
    changes = await read(source, shas)
    db.execute("delete from artefacts")
    assert await read(source, [shas[1], shas[0]]) == [changes[1], changes[0]]
    with pytest.raises(StorageError):
        await read(replayed(db), shas[:1])


async def test_each_commit_is_recorded_before_anybody_sees_it_and_the_next_is_not_read_ahead(
    db: Database, shas: list[str], watched: Callable[[], Any], tmp_path: Path
) -> None:
    source = watched()
    with closing(open_database(tmp_path / "home")) as other:
        seen = 0
        async for change in code(CallRecorder(db, "r1"), source).changes(shas):
            seen += 1
            assert source.given == shas[:seen]
            assert other.table("artefacts").count_where("evidence = ?", [change.commit.id])
    assert seen == 6


async def test_any_choice_of_recorded_commits_in_any_order_needs_no_source(
    db: Database, shas: list[str], watched: Callable[[], Any]
) -> None:
    by_sha = {change.commit.sha: change for change in await read(code(CallRecorder(db, "r1"), watched()), shas)}
    chosen = [shas[4], shas[0], shas[2], shas[0]]
    assert await read(replayed(db), chosen) == [by_sha[shas[4]], by_sha[shas[0]], by_sha[shas[2]]]


async def test_a_run_that_is_taken_up_again_asks_only_for_what_it_has_not_heard(
    db: Database, shas: list[str], watched: Callable[[], Any]
) -> None:
    killed = watched()
    async with aclosing(code(CallRecorder(db, "r1"), killed).changes(shas)) as reading:
        async for change in reading:
            if change.commit.sha == shas[2]:
                break
    assert killed.closed == 1
    resumed = watched()
    order = [shas[5], shas[1], shas[3], shas[0], shas[4], shas[2]]
    assert [change.commit.sha for change in await read(code(CallRecorder(db, "r1"), resumed), order)] == order
    assert resumed.asked == ["open", [shas[5], shas[3], shas[4]]]
    finished = watched()
    await read(code(CallRecorder(db, "r1"), finished), shas)
    assert finished.asked == []


async def test_another_run_takes_over_what_cannot_change_and_stores_nothing_twice(
    db: Database, shas: list[str], watched: Callable[[], Any]
) -> None:
    await read(code(CallRecorder(db, "r1"), watched()), shas)
    stored, second = db.table("artefacts").count, watched()
    await read(code(CallRecorder(db, "r2"), second), shas)
    assert second.asked == []
    assert db.table("artefacts").count == stored == 6
    assert db.table("calls").count == 12


async def test_a_stream_that_breaks_breaks_at_the_same_place_again(
    db: Database, shas: list[str], watched: Callable[[], Any]
) -> None:
    source = watched()
    source.breaks_after = 2
    for reader in (code(CallRecorder(db, "r1"), source), replayed(db)):
        seen: list[str] = []
        with pytest.raises(UpstreamError, match="the disk is gone"):
            await read(reader, shas, seen)
        assert seen == shas[:2]
    better = watched()
    assert len(await read(code(CallRecorder(db, "r1"), better), shas)) == 6
    assert better.given == shas[2:]


async def test_a_commit_that_was_left_out_stays_left_out(
    db: Database, shas: list[str], watched: Callable[[], Any]
) -> None:
    source = watched()
    source.leaves_out = {shas[1], shas[2], shas[5]}
    told = [change.commit.sha for change in await read(code(CallRecorder(db, "r1"), source), shas)]
    assert told == [shas[0], shas[3], shas[4]]
    assert [change.commit.sha for change in await read(replayed(db), shas)] == told


async def test_a_commit_that_nobody_asked_for_is_not_taken_for_another(
    db: Database, shas: list[str], watched: Callable[[], Any]
) -> None:
    source = watched()
    source.adds = [shas[5], shas[0]]
    told = [change.commit.sha for change in await read(code(CallRecorder(db, "r1"), source), shas[:3])]
    assert told == shas[:3]
    assert [change.commit.sha for change in await read(replayed(db), shas[:3])] == told


async def test_what_a_run_did_not_record_is_named_and_remembered(db: Database, shas: list[str]) -> None:
    recorder = CallRecorder(db, "20260204T1", play_only=True)
    source = without_source(recorder)
    for call in (source.landed(DAY), source.resolve("abcd"), read(source, shas)):
        with pytest.raises(StorageError, match=r"run 20260204T1 did not record code\.\w+ of octo/engine; it cannot be"):
            await call
    assert "code.landed" in str(recorder.gap)


@pytest.mark.parametrize(
    ("error", "asks_again"),
    [
        (NotFound("octo/engine has no commit abcd"), False),
        (InputError("that is no repository"), False),
        (UpstreamError("HTTP 404", retryable=False), False),
        (UpstreamError("HTTP 502", retryable=True, retry_after=2.5), True),
        (RateLimited("wait", retry_after=60), True),
    ],
)
async def test_an_error_is_told_again_and_only_one_that_may_get_better_is_asked_again(
    db: Database, error: AppError, asks_again: bool
) -> None:
    asked = 0

    async def live() -> str:
        nonlocal asked
        asked += 1
        raise error

    for play_only in (False, False, True):
        with pytest.raises(type(error)) as told:
            await CallRecorder(db, "r1", play_only=play_only).fetch(Call("x.y", REPO), TEXT, live)
        assert str(told.value) == str(error)
        assert vars(told.value) == vars(error)
    assert asked == (2 if asks_again else 1)


async def test_a_source_is_told_beforehand_only_what_the_record_lacks_it_for(
    db: Database, watched: Callable[[], Any], shas: list[str]
) -> None:
    source = watched()
    watching = code(CallRecorder(db, "r1"), source)
    changes = await read(watching, shas[:3])
    studies = [Study(change=one, read=(one.files[0].path,), telling=(one.files[0].path,)) for one in changes]
    await watching.blobs(changes[0], studies[0].read)
    await watching.before(shas[0], studies[0].telling)
    await watching.blobs(changes[1], studies[1].read)
    source.asked.clear()
    await watching.foresee(studies)
    told = [("foresee", shas[1], (), ("file4.txt",)), ("foresee", shas[2], ("file3.txt",), ("file3.txt",))]
    assert source.asked == ["open", told]
    source.asked.clear()
    await watching.foresee(studies[:1])
    assert source.asked == []
    await replayed(db).foresee(studies)


async def test_a_warning_that_goes_wrong_is_no_answer_and_not_on_record(
    db: Database, watched: Callable[[], Any], shas: list[str]
) -> None:
    source = watched()
    recorder = CallRecorder(db, "r1")
    (change,) = await read(code(recorder, source), shas[:1])
    answered = recorder.answered()
    source.breaks_after = 0
    await code(recorder, source).foresee([Study(change=change, read=("file5.txt",))])
    assert recorder.answered() == answered
    assert await code(recorder, source).blobs(change, ["file5.txt"]) == {"file5.txt": (None, b"end\n")}


async def test_text_that_utf8_has_no_place_for_comes_back_as_it_was(db: Database) -> None:
    person = Person(name=HOSTILE, email=HOSTILE)
    commit = Commit(
        repo=REPO, sha="a" * 40, parents=(), author=person, authored_at=NOON, committer=person, committed_at=NOON,
        message=HOSTILE,
    )  # fmt: skip
    file = FileChange(path=HOSTILE, status="modified", additions=1, deletions=0, patch=f"@@ -0,0 +1 @@\n+{HOSTILE}")
    told = Change(commit=commit, files=(file,))
    shape: Plain[Change | None] = Plain("change", TypeAdapter(Change | None))

    async def live() -> Change | None:
        return told

    call = Call("code.changes", REPO, HOSTILE)
    await CallRecorder(db, "r1").fetch(call, shape, live)
    assert CallRecorder(db, "r1").play(call, shape) == told


class Spoken:
    """A source of threads with one of everything."""

    repo = REPO

    def __init__(self, title: str = "Crash") -> None:
        about = {"repo": REPO, "body": HOSTILE, "author": None, "labels": (), "created_at": NOON, "updated_at": NOON}
        self.one = Issue.model_validate(
            about
            | {"number": 1, "title": title, "state": "open", "state_reason": None, "closed_at": None}
            | {"comments": 0, "reactions": 0}
        )
        self.pull = PullRequest.model_validate(
            about
            | {"number": 2, "title": "Fix", "state": "closed", "merged_at": NOON, "merge_commit": "a" * 40}
            | {"base": "main", "closes": ("octo/engine#1",)}
        )
        self.release = Release(repo=REPO, tag="v1", name="1", body="", published_at=NOON, prerelease=False)

    async def open(self) -> "Spoken":
        return self

    async def threads(self, *_: Any, **__: Any) -> Threads:
        return Threads(
            coverage=Coverage.READ, issues=(self.one,), pulls=(self.pull,), releases=(self.release,),
            pull_of={"a" * 40: 2},
        )  # fmt: skip

    async def issue(self, number: int) -> Issue | PullRequest:
        return self.one if number == 1 else self.pull

    async def comments(self, number: int) -> tuple[Comment, ...]:
        return (Comment(author=None, body=f"{number} {HOSTILE}", created_at=NOON),)


async def test_threads_are_kept_one_by_one_and_put_together_again(db: Database) -> None:
    source = Spoken()
    for run in ("r1", "r2"):
        live = threads(CallRecorder(db, run), source.open)
        told = [await live.threads(DAY, [], known_open=[3, 1]), await live.issue(1), await live.issue(2)]
        comments = await live.comments(1)
    kept = {row["evidence"]: row["origin"] for row in db.table("artefacts").rows if row["evidence"]}
    assert kept == dict.fromkeys(("octo/engine#1", "octo/engine#2", "octo/engine@v1"), "api https://api.example")
    again = threads(CallRecorder(db, "r2", play_only=True), origin="")
    assert [await again.threads(DAY, [], known_open={1, 3}), await again.issue(1), await again.issue(2)] == told
    assert await again.comments(1) == comments
    changed = threads(CallRecorder(db, "r3"), Spoken("Crash on start").open)
    before = db.table("artefacts").count
    await changed.threads(DAY, [], known_open=[1, 3])
    # The issue and the list of contents are new; the pull request and the release are there.
    assert db.table("artefacts").count == before + 2
    assert db.table("artefacts").count_where("evidence = 'octo/engine#1' and kind = 'issue'") == 2


def test_what_the_memory_said_is_on_record_too_and_a_replay_changes_nothing(db: Database) -> None:
    landings, issues = Landings(db), OpenIssues(db)
    yesterday = Window.days(date(2026, 2, 3), date(2026, 2, 3), "UTC")
    landings.remember(REPO, yesterday, tip="a" * 40, rows=["b" * 40], late=["c" * 40])
    issues.remember(REPO, Threads(coverage=Coverage.READ, issues=(Spoken().one,)))

    def told(recorder: CallRecorder) -> list[object]:
        owned, opened = recorded(landings, recorder, "landings"), recorded(issues, recorder, "issues")
        found = owned.elsewhere(REPO, DAY, ["b" * 40, "c" * 40])
        return [owned.known_tip(REPO, DAY), found, opened.known_open(REPO), opened.cut_short(REPO)]

    first = told(CallRecorder(db, "r1"))
    owners = {"b" * 40: Owner(yesterday.key, late=False), "c" * 40: Owner(yesterday.key, late=True)}
    assert first == ["a" * 40, owners, frozenset({1}), None]
    landings.remember(REPO, DAY, tip="d" * 40, rows=["e" * 40], late=[])
    db.execute("delete from open_issues")
    assert told(CallRecorder(db, "r1")) == first
    replay = CallRecorder(db, "r1", play_only=True)
    assert told(replay) == first
    before = list(db.conn.iterdump())
    recorded(Archive(db), replay, "archive").remember(Report(window=DAY, repos=(REPO,), sections=(), ledger=()))
    recorded(issues, replay, "issues").remember(REPO, Threads(coverage=Coverage.READ, issues=(Spoken().one,)))
    replay.record([(Call("x.y", REPO), TEXT.pack("new"))])
    assert list(db.conn.iterdump()) == before


async def test_a_proxy_has_exactly_the_methods_of_its_interfaces(db: Database) -> None:
    source = recorded_source(nobody, CallRecorder(db, "r1"), "code", REPO, "", CodeSource, LooksBack)
    assert source.repo == REPO
    assert isinstance(source, LooksBack)
    assert not isinstance(source, Foresees | FindsTags)


class Counting:
    """Counts its calls."""

    def __init__(self) -> None:
        self.calls = 0

    def longest(self, words: Iterable[str], *, below: Collection[int] = ()) -> tuple[str, int] | None:
        """Answer with plain data."""
        self.calls += 1
        return max(((word, len(word)) for word in words if len(word) not in below), default=None)


def test_any_object_is_recorded_by_the_annotations_of_its_methods(db: Database) -> None:
    counting = Counting()
    for play_only in (False, True):
        proxy = recorded(counting, CallRecorder(db, "r1", play_only=play_only), "counting")
        assert proxy.longest(word for word in ("a", "\ud800b")) == ("\ud800b", 2)
        assert proxy.longest(["a", "\ud800b"], below=()) == ("\ud800b", 2)
        assert proxy.longest(["a"], below=[1, 3]) is None
        assert proxy.longest(["a"], below={3, 1}) is None
    assert counting.calls == 2
    assert recorded(counting, None, "counting") is counting
