"""What a day costs: tokens by job, and how many answers have to be waited for one after the other."""

import json
from collections import Counter
from pathlib import Path

from evals.model_server.honest import probed
from evals.model_server.requests_and_answers import ModelRequest
from evals.model_server.server import ModelServer
from tests.scripted_analysis import (
    LIMIT,
    LIMIT_SAID,
    TIMEOUT,
    TIMEOUT_SAID,
    Clone,
    Scripted,
    analysis,
    calling,
    run,
    said,
    two_commits,
)

WRONG = said("`MAX_ROUTES` goes from `12` to `22`.", "", "+MAX_ROUTES = 12")
TRUE = said("`MAX_ROUTES` is lower.", "", "+MAX_ROUTES = 12")
BRIEF = {
    "en": "`MAX_ROUTES` falls, and `WORKER_TIMEOUT` rises.",
    "rests_on": ["c1.0", "c2.0"],
}
MAX_CHAIN = 14


def busy_day() -> Scripted:
    """Script a day on which a commit is looked into, refused, repaired and summed up."""
    return Scripted(
        {LIMIT: analysis(TRUE, WRONG), TIMEOUT: analysis(TIMEOUT_SAID)},
        {LIMIT: {"sentences": [LIMIT_SAID | {"id": "1"}]}},
        turns=[calling("find_usages", name="MAX_ROUTES")],
        summary=[BRIEF],
    )


async def test_the_footer_says_what_tokens_were_spent_on_and_leaves_none_out(
    tmp_path: Path,
) -> None:
    with ModelServer(busy_day(), context=32_768) as server:
        covered = await run(tmp_path, server, two_commits(tmp_path / "router"))
    report = covered.report
    account = sum((section.account for section in report.sections), report.account)
    assert set(account.by_job) == {
        *("editing", "looking", "writing", "repairing", "judging", "summing up")
    }
    assert all(spent.calls and spent.sent for spent in account.by_job.values())
    for name in ("calls", "sent", "received"):
        by_job = [getattr(spent, name) for spent in account.by_job.values()]
        assert sum(by_job) == getattr(account.spent, name)
    assert account.by_job["looking"].calls == 4
    page = covered.page.read_text()
    assert "Tokens by job: " in page
    assert (
        f"repairing {account.by_job['repairing'].sent + account.by_job['repairing'].received}"
        in page
    )


async def test_no_more_than_fourteen_answers_are_waited_for_one_after_the_other(
    tmp_path: Path,
) -> None:
    with ModelServer(busy_day(), context=32_768) as server:
        covered = await run(tmp_path, server, two_commits(tmp_path / "router"))
        requests = [request for request in server.asked if probed(request) is None]
    assert covered.report.account.fallbacks == ()
    assert any(claim.role == "brief" for claim in covered.report.claims)
    assert 10 < longest_chain(requests) <= MAX_CHAIN


def longest_chain(requests: list[ModelRequest]) -> int:
    """Count the questions about the commit that took most, and all that are about the whole day.

    Questions about several commits are asked at the same time, those about one follow each other.
    """
    about_day = 0
    about_commits = Counter[str]()
    for request in requests:
        titles = [title for title in (LIMIT, TIMEOUT) if title in request.messages[1]]
        if len(titles) == 1:
            about_commits[titles[0]] += 1
        else:
            about_day += 1
    return about_day + max(about_commits.values())


async def test_two_repositories_with_a_repaired_commit_wait_for_fourteen_answers_at_most(
    tmp_path: Path,
) -> None:
    with ModelServer(busy_day(), context=32_768) as server:
        router = two_commits(tmp_path / "router")
        engine = Clone(tmp_path / "engine", "octo/engine")
        engine.commit("Begin", 0, engine__py="PISTONS = 4\n")
        engine.commit("Add pistons", 11, engine__py="PISTONS = 6\n")
        covered = await run(tmp_path, server, router, engine)
    roles = Counter(claim.role for claim in covered.report.claims)
    assert roles["brief"]
    assert roles["summary"]
    assert covered.report.account.fallbacks == ()
    footer = json.loads(covered.page.with_suffix(".json").read_text())["footer"]
    assert 8 < footer["model"]["longest_chain"] <= MAX_CHAIN
