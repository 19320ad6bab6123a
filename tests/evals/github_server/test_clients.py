"""Two clients that we did not write page through the server and see what git says."""

from collections.abc import Callable, Iterator

import gidgethub
import httpx2
import pytest
from gidgethub.httpx import GitHubAPI
from github import Auth, Github, GithubException, GithubRetry

from evals.github_server.app import GitHubServer
from evals.worlds.model import Repo

Git = Callable[..., str]
ROCKET = "/repos/acme/rocket"


@pytest.fixture
def pygithub(shared: GitHubServer) -> Iterator[Github]:
    client = Github(
        base_url=shared.url, auth=Auth.Token("t0ken"), per_page=30, retry=None, seconds_between_requests=None
    )
    yield client
    client.close()


def test_pygithub_lists_every_commit(pygithub: Github, git: Git) -> None:
    commits = pygithub.get_repo("acme/rocket").get_commits()
    assert commits.totalCount == int(git("rev-list", "--count", "main"))
    assert [commit.sha for commit in commits] == git("log", "--format=%H", "main").split()


def test_pygithub_reads_a_commit_of_691_files(pygithub: Github, git: Git, named: dict[str, str]) -> None:
    commit = pygithub.get_repo("acme/rocket").get_commit(named["many"])
    paths = git("show", "--format=", "--name-only", named["many"]).split()
    assert [file.filename for file in commit.files] == paths
    assert (commit.stats.additions, commit.stats.deletions) == (691, 0)


def test_pygithub_lists_issues_pulls_and_releases(pygithub: Github, rocket: Repo) -> None:
    repo = pygithub.get_repo("acme/rocket")
    living = [issue.number for issue in rocket.issues if not issue.deleted] + [pull.number for pull in rocket.pulls]
    assert sorted(issue.number for issue in repo.get_issues(state="all")) == sorted(living)
    assert [pull.number for pull in repo.get_pulls(state="all")] == [104, 103, 102, 101]
    assert [file.filename for file in repo.get_pull(101).get_files()] == ["feature.py"]
    assert [release.tag_name for release in repo.get_releases()] == ["v1.1rc1", "v1.0", "v0.9"]
    assert repo.get_latest_release().tag_name == "v1.0"
    assert [comment.body for comment in repo.get_issue(2).get_comments()] == ["Comment 0", "Comment 1", "Comment 2"]
    assert [event.event for event in repo.get_issue(3).get_timeline()] == ["labeled", "cross-referenced", "closed"]


def test_pygithub_compares_and_reads_files(pygithub: Github, git: Git, named: dict[str, str]) -> None:
    repo = pygithub.get_repo("acme/rocket")
    comparison = repo.compare(named["before"], "main")
    assert comparison.total_commits == int(git("rev-list", "--count", f"{named['before']}..main"))
    assert comparison.merge_base_commit.sha == named["before"]
    content = repo.get_contents("README.md")
    assert not isinstance(content, list)
    assert content.decoded_content == b"# Rocket 4\n"
    assert {branch.name for branch in repo.get_branches()} == {"main", "idea", "feature/x"}
    assert [tag.commit.sha for tag in repo.get_tags()] == [named["before"]]


def test_pygithub_follows_a_renamed_repository_and_understands_refusals(pygithub: Github) -> None:
    assert pygithub.get_repo("old/rocket").full_name == "acme/rocket"
    with pytest.raises(GithubException) as gone:
        pygithub.get_repo("acme/rocket").get_issue(5)
    assert gone.value.status == 410
    assert pygithub.get_rate_limit().rate.limit == 5000


def test_pygithubs_own_retries_get_over_a_limit_and_an_outage(server: GitHubServer) -> None:
    server.faults.add("bad_gateway")
    server.faults.add("forbidden_retry_after", retry_after=0)
    patient = GithubRetry(total=3, backoff_factor=0, secondary_rate_wait=0)
    client = Github(base_url=server.url, auth=Auth.Token("t0ken"), retry=patient, seconds_between_requests=None)
    assert client.get_repo("acme/rocket").name == "rocket"
    assert [hit.status for hit in server.requests] == [502, 403, 200]
    client.close()


async def test_gidgethub_pages_through_commits_issues_pulls_and_releases(
    shared: GitHubServer, git: Git, rocket: Repo
) -> None:
    async with httpx2.AsyncClient(trust_env=False) as http:
        client = GitHubAPI(http, "tests", oauth_token="t0ken", base_url=shared.url)
        shas = [commit["sha"] async for commit in client.getiter(f"{ROCKET}/commits")]
        assert shas == git("log", "--format=%H", "main").split()
        issues = [issue["number"] async for issue in client.getiter(f"{ROCKET}/issues?state=all&per_page=10")]
        assert len(issues) == len(rocket.issues) - 1 + len(rocket.pulls)
        pulls = [pull["number"] async for pull in client.getiter(f"{ROCKET}/pulls?state=all&per_page=1")]
        assert pulls == [104, 103, 102, 101]
        releases = [release["tag_name"] async for release in client.getiter(f"{ROCKET}/releases?per_page=1")]
        assert releases == ["v1.1rc1", "v1.0", "v0.9"]
        assert client.rate_limit is not None
        assert client.rate_limit.limit == 5000


async def test_gidgethub_reads_a_big_commit_a_comparison_and_graphql(
    shared: GitHubServer, named: dict[str, str]
) -> None:
    async with httpx2.AsyncClient(trust_env=False) as http:
        client = GitHubAPI(http, "tests", oauth_token="t0ken", base_url=shared.url)
        files = [
            file["filename"] async for file in client.getiter(f"{ROCKET}/commits/{named['many']}", iterable_key="files")
        ]
        assert len(set(files)) == 691
        comparison = await client.getitem(f"{ROCKET}/compare/{named['before']}...{named['merge']}")
        assert [commit["sha"] for commit in comparison["commits"]][-1] == named["merge"]
        answer = await client.graphql(
            'query($n:Int!){repository(owner:"acme",name:"rocket"){issue(number:$n){title}}}',
            n=2,
            endpoint=f"{shared.url}/graphql",
        )
        assert answer == {"repository": {"issue": {"title": "Issue 2"}}}


async def test_gidgethub_tells_refusals_apart(server: GitHubServer) -> None:
    async with httpx2.AsyncClient(trust_env=False) as http:
        client = GitHubAPI(http, "tests", oauth_token="t0ken", base_url=server.url)
        with pytest.raises(gidgethub.BadRequest):
            await client.getitem(f"{ROCKET}/issues/5")
        server.faults.add("primary_exhausted")
        with pytest.raises(gidgethub.RateLimitExceeded):
            await client.getitem(ROCKET)
        server.faults.add("bad_gateway")
        with pytest.raises(gidgethub.GitHubBroken):
            await client.getitem(ROCKET)
