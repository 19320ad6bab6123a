"""Both sources against a GitHub on loopback that serves a made world: equal to git, cheap, and the same in a storm."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from agent.domain.base import RepoId
from agent.domain.commits import Change, Landing, Notice
from agent.domain.errors import NotFound, UpstreamError
from agent.domain.threads import Threads
from agent.domain.window import Window
from agent.ports import Study
from evals.github_server.app import GitHubServer
from evals.worlds.data_model import Repo, World
from tests.built_once import built_world
from tests.tools.github.conftest import Kit
from tools.git.source import GitSource
from tools.github.client import GitHubClient
from tools.github.code_source import GitHubCode
from tools.github.http_cache import TransientCache
from tools.github.http_requests import RequestPolicy
from tools.github.threads import GitHubThreads

WHOLE = Window.days(date(2026, 1, 1), date(2026, 2, 28), "UTC")
DAY = Window.days(date(2026, 2, 4), date(2026, 2, 4), "UTC")
Everything = tuple[Landing, list[Change], Threads]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return built_world(tmp_path_factory, "demo")


@pytest.fixture
def server(world: World, kit: Kit) -> Iterator[GitHubServer]:
    # The server measures its limits with the clock that the client's sleeping moves.
    with GitHubServer(world.repos, tokens=(kit.token,), clock=kit.time.clock) as server:
        yield server


def busiest(world: World) -> Repo:
    return max(world.repos, key=lambda repo: len(repo.issues))


async def read(client: GitHubClient, name: str, window: Window = DAY) -> Everything:
    code = GitHubCode(client, RepoId(name))
    threads = GitHubThreads(client, RepoId(name))
    landing = await code.landed(window)
    commits = [row.commit for row in landing.rows]
    shas = [commit.sha for commit in commits]
    changes = [change async for change in code.changes(shas)]
    return landing, changes, await threads.threads(window, commits)


async def test_every_commit_of_the_world_is_the_same_over_the_api_and_with_git(
    world: World, server: GitHubServer, kit: Kit
) -> None:
    client = kit.client(base=server.url)
    for repo in world.repos:
        api = GitHubCode(client, RepoId(repo.full_name))
        git = GitSource(RepoId(repo.full_name), repo.git_dir)
        landing = await api.landed(WHOLE)
        expected = await git.landed(WHOLE)
        shas = [row.commit.sha for row in expected.rows]
        assert [row.commit for row in landing.rows] == [row.commit for row in expected.rows]
        assert (landing.tip, landing.branch) == (expected.tip, expected.branch)
        assert [change async for change in api.changes(shas)] == [
            change async for change in git.changes(shas)
        ]
        for row in [row for row in expected.rows if row.commit.is_merge][:3]:
            assert await api.members(row.commit.sha) == await git.members(row.commit.sha)
        assert await api.resolve(shas[0][:12]) == expected.rows[0].commit


async def test_every_file_of_a_change_is_the_same_and_forty_versions_cost_one_request(
    world: World, server: GitHubServer, kit: Kit
) -> None:
    repo = busiest(world)
    name = RepoId(repo.full_name)
    client = kit.client(base=server.url)
    api = GitHubCode(client, name)
    git = GitSource(name, repo.git_dir)
    shas = [row.commit.sha for row in (await git.landed(WHOLE)).rows]
    changes = [change async for change in git.changes(shas)]
    plans: list[Study] = []
    for change in changes:
        paths = tuple(file.path for file in change.files)
        plans.append(Study(change=change, read=paths))
    await api.foresee(plans)
    for plan in plans:
        assert await api.blobs(plan.change, plan.read) == await git.blobs(plan.change, plan.read)
    files = sum(len(plan.read) for plan in plans)
    assert files > 40
    assert client.usage.sent <= 2 + 2 * files / 40


async def test_a_day_stays_within_its_budget_and_is_free_when_nothing_changed(
    world: World, server: GitHubServer, kit: Kit
) -> None:
    repo = busiest(world)
    cache = TransientCache()
    client = kit.client(base=server.url, cache=cache)
    first = await read(client, repo.full_name)
    assert len(first[0].rows) >= 10
    assert client.usage.sent <= 15 + len(first[1])
    assert (
        sum(
            "/issues" in hit.path or "/releases" in hit.path or "graphql" in hit.path
            for hit in server.requests
        )
        <= 8
    )
    server.forget()
    again = kit.client(base=server.url, cache=cache)
    assert await read(again, repo.full_name) == first
    assert again.usage.sent == again.usage.free
    assert all(hit.status == 304 and hit.free for hit in server.requests)


FAULTS = """
    bad_gateway unicorn html_labelled_json reset half_body slow forbidden_retry_after forbidden_secondary
    primary_exhausted graphql_rate_limited graphql_partial
"""


async def test_a_fault_changes_nothing_but_the_time_it_takes(
    world: World, server: GitHubServer, kit: Kit
) -> None:
    name = min(world.repos, key=lambda repo: len(repo.issues)).full_name
    calm = await read(kit.client(base=server.url), name)
    for kind in FAULTS.split():
        path = "graphql" if kind.startswith("graphql") else "commits|issues|graphql"
        server.faults.add(kind, path, times=2, seconds=0.5)
        client = kit.client(
            base=server.url, policy=RequestPolicy(request_seconds=0.3 if kind == "slow" else 5)
        )
        assert await read(client, name) == calm, kind
        assert [fired for fired, _ in server.faults.fired][-2:] == [kind, kind]


async def test_a_storm_changes_nothing_but_the_time_it_takes(
    world: World, server: GitHubServer, kit: Kit
) -> None:
    name = busiest(world).full_name
    calm = await read(kit.client(base=server.url), name)
    server.faults.storm(7, 0.4, seconds=0.01)
    client = kit.client(base=server.url, policy=RequestPolicy(attempts=8, run_seconds=1e6))
    assert await read(client, name) == calm
    assert len(server.faults.fired) > 5


async def test_an_outage_of_graphql_is_told_and_an_outage_of_all_is_an_error(
    world: World, server: GitHubServer, kit: Kit
) -> None:
    name = busiest(world).full_name
    server.faults.add("bad_gateway", "graphql", times=1000)
    _, changes, threads = await read(kit.client(base=server.url), name)
    assert changes
    assert threads.coverage == "partial"
    assert threads.missing
    assert "could not be read" in threads.missing[0]
    server.faults.add("unicorn", "", times=1000)
    with pytest.raises(UpstreamError, match="504"):
        await read(kit.client(base=server.url), name)


async def test_history_that_grows_between_pages_does_not_shift_them(
    world: World, server: GitHubServer, kit: Kit
) -> None:
    repo = busiest(world)
    server.set_push(repo.full_name, 20)
    calm = await GitHubCode(kit.client(base=server.url), RepoId(repo.full_name)).landed(WHOLE)
    server.faults.add("grow", "/commits\\?", repo=repo.full_name, push=-1)
    grown = await GitHubCode(kit.client(base=server.url), RepoId(repo.full_name)).landed(WHOLE)
    assert grown == calm
    assert [kind for kind, _ in server.faults.fired] == ["grow"]


async def test_what_was_pushed_late_is_found_once_and_a_rewrite_is_noticed(
    world: World, server: GitHubServer, kit: Kit
) -> None:
    repo = busiest(world)
    name = RepoId(repo.full_name)
    client = kit.client(base=server.url)
    server.set_push(name, 10)
    seen = await GitHubCode(client, name).landed(WHOLE)
    server.set_push(name, -1)
    tomorrow = Window(
        start=datetime(2026, 2, 27, tzinfo=UTC), end=datetime(2026, 2, 28, tzinfo=UTC), tz="UTC"
    )
    api = await GitHubCode(client, name).landed(tomorrow, known_tip=seen.tip)
    git = await GitSource(name, repo.git_dir).landed(tomorrow, known_tip=seen.tip)
    assert [row.commit for row in api.late] == [row.commit for row in git.late] != []
    assert api.notices == ()
    server.set_push(name, 10)
    back = await GitHubCode(client, name).landed(tomorrow, known_tip=git.tip)
    assert back.notices[0].kind == "rewritten"


async def test_a_renamed_repository_a_deleted_issue_and_a_wrong_token(
    world: World, kit: Kit
) -> None:
    repo = busiest(world)
    missing_issue = repo.issues[0]
    issues = (replace(missing_issue, deleted=True), *repo.issues[1:])
    moved = replace(repo, former_names=("old-owner/old-name",), issues=issues)
    with GitHubServer([moved], tokens=(kit.token,), clock=kit.time.clock) as server:
        client = kit.client(base=server.url)
        landing, changes, threads = await read(client, "old-owner/old-name")
        assert landing.notices == (
            Notice(kind="renamed", about=("old-owner/old-name", repo.full_name)),
        )
        assert {change.commit.repo for change in changes} == {"old-owner/old-name"}
        assert threads.pull_of
        assert missing_issue.number not in {issue.number for issue in threads.issues}
        source = GitHubThreads(client, RepoId(repo.full_name))
        with pytest.raises(NotFound, match="410"):
            await source.issue(missing_issue.number)
        with pytest.raises(UpstreamError, match="check GITHUB_TOKEN"):
            await read(kit.client(base=server.url, token="wrong"), repo.full_name)
