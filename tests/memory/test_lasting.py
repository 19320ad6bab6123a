"""No commit is read twice: what one run was told of it, the next one knows, as long as nothing about it can change."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import Any, Protocol, TypeVar

import pytest
from pydantic import BaseModel
from sqlite_utils import Database

from agent.analyst import ToolRequest, ToolSpec
from agent.domain import Change
from agent.errors import UpstreamError
from agent.ids import RepoId
from agent.model import JOBS, Answered, Endpoint, Job, Message, Model, ModelError
from agent.sources import CodeSource
from agent.spending import Cap, Price, Purse, Spent
from memory.call_recorder import CallRecorder
from memory.database import database_in_memory
from memory.recorder import recorded_source
from memory.taped_model import TapedModels

REPO = RepoId("octo/engine")
GIT = "git https://git.example"
M = TypeVar("M", bound=BaseModel)


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


class Answer(BaseModel):
    text: str


class Oracle:
    """A model that counts how often it is asked."""

    name = "oracle-1"

    def __init__(self) -> None:
        self.asked = 0
        self.broken = False

    async def room(self) -> int:
        return 10_000

    async def choose(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Answered[tuple[ToolRequest, ...]]:
        self.asked += 1
        wanted = (ToolRequest(tools[0].name, {"sha": messages[0].text, "page": 1}),)
        return Answered(value=wanted, spent=Spent(calls=1, sent=30, received=4))

    async def answer(self, messages: Sequence[Message], shape: type[M]) -> Answered[M]:
        self.asked += 1
        if self.broken:
            raise ModelError("oracle-1 did not answer in time", retryable=True)
        told = shape.model_validate({"text": f"{messages[0].text}, {self.asked}"})
        return Answered(value=told, spent=Spent(calls=1, sent=20, received=8))


def models(
    db: Database, run: str, oracle: Oracle, *, play_only: bool = False, purse: Purse | None = None
) -> TapedModels:
    prices = {"oracle-1": Price(input=1_000_000, output=1_000_000)}
    jobs: dict[Job, Endpoint] = dict.fromkeys(JOBS, oracle)
    return TapedModels(
        CallRecorder(db, run, play_only=play_only), jobs, "model https://m.example", purse=purse, prices=prices
    )


def writer(asked_models: TapedModels) -> Model:
    return asked_models.get("writing", "octo/engine")


async def test_a_model_is_never_asked_the_same_thing_twice_and_a_report_made_again_costs_the_same(db: Database) -> None:
    tools = [ToolSpec("get_diff", "Show a diff.", {"type": "object"})]
    asked = [Message("user", "why \ud800 中")]
    oracle = Oracle()
    first = models(db, "r1", oracle)
    told = [await writer(first).fill(asked, Answer), await writer(first).call_tools(asked, tools)]
    spent = first.take("octo/engine")
    assert spent == Spent(calls=2, sent=50, received=12, cost=62, currency="USD")
    for run in ("r1", "r2"):
        again = models(db, run, oracle)
        assert [await writer(again).fill(asked, Answer), await writer(again).call_tools(asked, tools)] == told
        assert again.take("octo/engine") == spent
    assert oracle.asked == 2
    assert await writer(models(db, "r2", oracle)).fill([Message("user", "else")], Answer) != told[0]
    assert oracle.asked == 3


async def test_a_model_that_failed_is_asked_again_and_its_failure_is_replayed_as_one(db: Database) -> None:
    oracle = Oracle()
    oracle.broken = True
    asked = [Message("user", "why")]
    with pytest.raises(ModelError, match="in time"):
        await writer(models(db, "r1", oracle)).fill(asked, Answer)
    with pytest.raises(ModelError, match="in time"):
        await writer(models(db, "r1", oracle, play_only=True)).fill(asked, Answer)
    assert oracle.asked == 1
    oracle.broken = False
    assert (await writer(models(db, "r2", oracle)).fill(asked, Answer)).text == "why, 2"


async def insist(asked_models: TapedModels) -> None:
    for number in range(4):
        await writer(asked_models).fill([Message("user", f"{id(asked_models)} {number}")], Answer)


@pytest.mark.parametrize(
    ("cap", "why"),
    [
        (Cap(calls=2), "2 calls"),
        (Cap(tokens=70), "70 tokens"),
        (Cap(cost=50), "a cost of 50"),
        (Cap(seconds=0), "0 seconds"),
    ],
)
async def test_a_run_that_used_up_its_budget_asks_no_more_and_says_which_limit_it_was(
    db: Database, cap: Cap, why: str
) -> None:
    oracle = Oracle()
    for purse in (Purse(run=cap), Purse(each=cap)):
        oracle.asked = 0
        asked_models = models(db, f"r{id(purse)}", oracle, purse=purse)
        with pytest.raises(ModelError, match=f"has used its {why}"):
            await insist(asked_models)
        assert oracle.asked <= 3


def test_nothing_is_begun_that_would_not_be_done_in_the_time_that_is_left() -> None:
    now = [0.0]
    purse = Purse(each=Cap(seconds=100), clock=lambda: now[0])
    assert purse.refuse("octo/router", 10) is None
    now[0] = 40.0
    purse.pay("octo/router", Spent(sent=10, received=10), 40.0)
    assert purse.refuse("octo/router", 10) is None
    now[0] = 80.0
    assert purse.refuse("octo/router", 10) == "an answer takes about 40 seconds, and 20 are left"
    assert purse.refuse("octo/gateway", 10) is None


async def test_a_model_that_fails_three_times_in_a_row_is_left_alone(db: Database) -> None:
    oracle = Oracle()
    oracle.broken = True
    asked_models = models(db, "r1", oracle)
    for number in range(6):
        with pytest.raises(ModelError):
            await writer(asked_models).fill([Message("user", str(number))], Answer)
    assert oracle.asked == 3
