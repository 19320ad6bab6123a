"""How a model reads: it chooses from a closed list, calls tools, sees its own messages, and nothing is lost by it."""

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pydantic import SecretStr

from agent.domain.base import RepoId
from agent.settings.values import RepoSpec
from evals.github_server.app import GitHubServer
from evals.model_server.server import ModelServer
from evals.model_server.talk import ModelRequest, Saying
from evals.worlds.model import Push, Repo, WorldComment, WorldIssue
from gitzette.progress import QuietProgress
from gitzette.running import cover
from tests.made_repos import Work
from tests.scripted_analysis import (
    DAY,
    LIMIT,
    NOW,
    TIMEOUT,
    Answer,
    Clone,
    Scripted,
    analysis,
    calling,
    of,
    run,
    said,
    settings_of,
    two_commits,
)

AT = datetime(2026, 2, 3, 8, tzinfo=UTC)


def reading(server: ModelServer) -> list[ModelRequest]:
    """Give the questions with which the model might call tools of ours."""
    return [asked for asked in server.asked if "get_diff" in asked.tools]


async def test_a_model_chooses_from_the_list_and_what_it_passes_over_is_told_as_facts(
    tmp_path: Path,
) -> None:
    with ModelServer(Scripted(read=["c99", "all", "[c2]", "c2"]), context=32_768) as server:
        covered = await run(tmp_path, server, two_commits(tmp_path / "router"))
        (written,) = of(server, "Analysis")
        assert "at most 2" in of(server, "Choice")[0]
    assert LIMIT in written
    report = covered.report
    assert report.sections[0].account.fallbacks == ()
    told = {claim.about[0] for claim in report.claims if claim.predicate == "fact"}
    assert told == {f"octo/router@{row.sha}" for row in report.ledger}
    assert f"{TIMEOUT} [" in covered.page.read_text()


async def test_a_handle_below_the_cut_of_a_long_table_chooses_nothing(tmp_path: Path) -> None:
    clone = Clone(tmp_path / "router")
    clone.commit("Begin", 0, router__py="STEPS = 0\n")
    for number in range(1, 24):
        title = f"Step {number} {'which has a very long title ' * 12}"
        clone.commit(title, 9, router__py=f"STEPS = {number}\n")

    class Guessing(Scripted):
        """Chooses the first handle that it sees, and the first that it does not see."""

        def _answer(self, asked: ModelRequest) -> Answer:
            if asked.schema != "Choice":
                return super()._answer(asked)
            listed = re.findall(r"^\[(c\d+)\]", asked.user, re.MULTILINE)
            return {"read": [listed[0], f"c{len(listed) + 1}"]}

    with ModelServer(Guessing(analyses={}), context=4_096) as server:
        covered = await run(tmp_path, server, clone)
        (choice,) = of(server, "Choice")
        assert "lighter ones)" in choice
        assert len(of(server, "Analysis")) == 1
    assert covered.report.sections[0].account.fallbacks == ()


async def test_the_model_sees_its_own_earlier_messages_and_all_answers_of_tools(
    tmp_path: Path,
) -> None:
    turns = [
        calling("get_diff", sha="c1"),
        calling("get_file", path="nowhere.py"),
        Saying(text="c2 matters.\nc1 too."),
    ]
    with ModelServer(Scripted(turns=turns), context=32_768) as server:
        await run(tmp_path, server, two_commits(tmp_path / "router"))
        last = reading(server)[-1].body["messages"]
        assert len(reading(server)) == 3
        packets = of(server, "Analysis")
    assert [one["role"] for one in last] == [
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
        "tool",
    ]
    assert last[2]["tool_calls"][0]["function"]["name"] == "get_diff"
    assert "+WORKER_TIMEOUT = 45" in last[3]["content"]
    assert last[5]["content"].startswith("Error: ")
    (limit,) = (text for text in packets if LIMIT in text)
    assert "which are no evidence:\nc2 matters.\n\n" in limit


async def test_a_model_that_never_stops_calling_tools_is_asked_a_few_times_only(
    tmp_path: Path,
) -> None:
    with ModelServer(Scripted(turns=[calling("list_commits")] * 50), context=32_768) as server:
        covered = await run(tmp_path, server, two_commits(tmp_path / "router"))
        assert len(reading(server)) == 5
    assert any(claim.free for claim in covered.report.claims)


@pytest.mark.parametrize(("context", "without"), [(11_999, ()), (32_768, ("tools",))])
async def test_a_small_model_or_one_without_tools_chooses_and_is_offered_none(
    tmp_path: Path, context: int, without: tuple[str, ...]
) -> None:
    with ModelServer(Scripted(), context=context, without=without) as server:
        covered = await run(tmp_path, server, two_commits(tmp_path / "router"))
        assert reading(server) == []
        assert len(of(server, "Choice")) == 1
    assert any(claim.free for claim in covered.report.claims)
    assert covered.report.sections[0].account.fallbacks == ()


async def test_a_thread_that_was_looked_up_is_evidence_with_its_comments(tmp_path: Path) -> None:
    clone = Clone(tmp_path / "router")
    clone.commit("Begin", 0, router__py="MAX_ROUTES = 22\n")
    sha = clone.commit(f"{LIMIT}\n\nSee #12.", 9, router__py="MAX_ROUTES = 12\n")
    comment = WorldComment(1, "kim", "The router hangs with `--slow-start` too.", AT)
    issue = WorldIssue(12, "Router hangs", "It hangs.", "jo", AT, AT, comments=(comment,))
    push = Push(datetime(2026, 2, 4, 9, tzinfo=UTC), sha)
    repo = Repo(1, "octo", "router", "main", clone.folder / ".git", issues=(issue,), pushes=(push,))
    report = said("Also `--slow-start` hangs, #12 says.", "", comment.body, cites=["#12"])
    script = Scripted({LIMIT: analysis(report)}, turns=[calling("get_issue", number=12)])
    with (
        ModelServer(script, context=32_768) as server,
        GitHubServer([repo], tokens=("t",), now=NOW) as github,
    ):
        settings = settings_of(
            tmp_path, server, RepoSpec(name=RepoId("octo/router")), source="both"
        )
        near = {"github_url": github.url, "git_url": github.git_url, "token": SecretStr("t")}
        settings = settings.model_copy(update=near)
        covered = await cover(settings, {}, DAY, settings.repos, NOW, QuietProgress())
        (packet,) = of(server, "Analysis")
    assert re.search(
        r"\[#12\] issue .*, open: Router hangs\nIt hangs.\nkim: The router hangs with `--slow-start`",
        packet,
    )
    (claim,) = (claim for claim in covered.report.claims if claim.free)
    assert claim.cites == (f"octo/router@{sha}", "octo/router#12")
    assert claim.anchors[0].cite == "octo/router#12"


async def test_a_day_that_is_run_again_recalls_what_it_did_before_and_asks_nothing_new(
    tmp_path: Path,
) -> None:
    turns = [
        calling("search_history", words="MAX_ROUTES"),
        calling("previous_reports", day="2026-02-04"),
        Saying(text="Nothing more to look up."),
    ]
    clone = two_commits(tmp_path / "router")
    with ModelServer(Scripted(turns=turns), context=32_768) as server:
        first = await run(tmp_path, server, clone)
        recalled = [one["content"] for one in reading(server)[-1].body["messages"][3::2]]
        asked = len(server.asked)
        again = await run(tmp_path, server, clone)
        assert len(server.asked) == asked
    assert recalled == [
        "nothing earlier says that",
        "page 1 of 1\nno report of 2026-02-04 is remembered\n",
    ]
    assert again.report == first.report


async def test_a_tool_whose_source_is_down_ends_the_repository_and_not_the_run(
    tmp_path: Path,
) -> None:
    clone = two_commits(tmp_path / "router")
    push = Push(datetime(2026, 2, 4, 10, tzinfo=UTC), Work(clone.folder).git("rev-parse", "HEAD"))
    repo = Repo(1, "octo", "router", "main", clone.folder / ".git", pushes=(push,))
    script = Scripted(turns=[calling("get_issue", number=99)])
    with (
        ModelServer(script, context=32_768) as server,
        GitHubServer([repo], tokens=("t",), now=NOW) as github,
    ):
        github.faults.add("bad_gateway", "/issues/99", times=50)
        settings = settings_of(
            tmp_path, server, RepoSpec(name=RepoId("octo/router")), source="both"
        )
        near = {"github_url": github.url, "git_url": github.git_url, "token": SecretStr("t")}
        settings = settings.model_copy(update=near)
        covered = await cover(settings, {}, DAY, settings.repos, NOW, QuietProgress())
    (failure,) = covered.report.failures
    assert (failure.repo, failure.stage) == ("octo/router", "code")
    assert "HTTP 502" in failure.message
