"""A whole world, served: every answer about it is what GitHub describes and what the world knows."""

from collections.abc import Callable, Iterator

import httpx
import pytest

from evals.github_server.app import GitHubServer
from evals.worlds.model import World
from evals.worlds.worlds import build

Judge = Callable[[httpx.Response], list[str]]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return build("demo", 7, tmp_path_factory.mktemp("world"))


@pytest.fixture
def served(world: World) -> Iterator[GitHubServer]:
    with GitHubServer(world.repos, now=world.now) as server:
        yield server


def paths(world: World) -> Iterator[str]:
    for repo in world.repos:
        here = f"/repos/{repo.full_name}"
        yield from (here, f"{here}/commits?per_page=100", f"{here}/issues?state=all&per_page=100", f"{here}/releases")
        for thread in [issue for issue in repo.issues if not issue.deleted] + list(repo.pulls):
            yield from (f"{here}/issues/{thread.number}", f"{here}/issues/{thread.number}/timeline?per_page=100")
        for pull in repo.pulls:
            yield from (f"{here}/pulls/{pull.number}", f"{here}/pulls/{pull.number}/files")
    for row in world.landed:
        yield f"/repos/{row.repo}/commits/{row.sha}"


def test_every_answer_about_a_world_is_what_github_describes(
    world: World, served: GitHubServer, connect: Callable[..., httpx.Client], judge: Judge
) -> None:
    api, asked = connect(served), 0
    for path in paths(world):
        response = api.get(path)
        assert response.status_code == 200, path
        assert [fault for fault in judge(response) if not fault.startswith("head/")] == [], path
        asked += 1
    assert asked > 200


def test_the_files_of_every_landed_commit_are_those_the_world_made(
    world: World, served: GitHubServer, connect: Callable[..., httpx.Client]
) -> None:
    api = connect(served)
    for row in world.landed:
        response = api.get(f"/repos/{row.repo}/commits/{row.sha}")
        files = response.json()["files"]
        while "next" in response.links:
            response = api.get(response.links["next"]["url"])
            files += response.json()["files"]
        assert sorted((file["filename"], file["status"]) for file in files) == sorted(row.files), row
