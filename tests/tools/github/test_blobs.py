"""Whole files over the API: the bytes that git has, whatever they are and however they are asked for."""

from collections.abc import Iterator

import pytest

from agent.domain.base import RepoId
from agent.ports import Study
from evals.github_server.app import GitHubServer
from evals.worlds.data_model import Repo
from tests.made_repos import Work
from tests.tools.github.conftest import Kit
from tools.git.source import GitSource
from tools.github.client import GitHubClient
from tools.github.code_source import GitHubCode
from tools.github.graphql_queries import file_alias

REPO = RepoId("acme/odd")
ODD = {
    "plain.py": b"limit = 1\n",
    'with "quotes" and spaces.py': b"limit = 1\n",
    "back\\slash.py": b"limit = 1\n",
    "文档/说明 🚀.py": "限制 = 1\n".encode(),
    "windows.py": b"limit = 1\r\n",
    "mark.py": b"\xef\xbb\xbflimit = 1\n",
    "control.py": b"\x01\x1b[31m \x7f",
    "unended.py": b"limit = 1",
}
ELSEWHERE = {
    "binary.py": b"limit\0 = 1\n",
    "latin.py": b"caf\xe9 = 1\n",
    "long.py": b"limit = 1\n" * 60_000,
}
"""What GraphQL cannot send as it is."""


@pytest.fixture
def server(work: Work, kit: Kit) -> Iterator[GitHubServer]:
    before = {name: b"0\n" + content for name, content in (ODD | ELSEWHERE).items()}
    work.commit(files=before | {"gone.py": b"", "old.py": b"x"})
    repo = Repo(1, "acme", "odd", "main", work.path)
    with GitHubServer([repo], tokens=(kit.token,), clock=kit.time.clock) as server:
        yield server


async def plan(git: GitSource, sha: str) -> Study:
    change = await anext(git.changes([sha]))
    return Study(change=change, read=tuple(file.path for file in change.files))


async def same(client: GitHubClient, work: Work, sha: str) -> None:
    """Read all files of a commit over the API, and compare with what git has."""
    api = GitHubCode(client, REPO)
    git = GitSource(REPO, work.path)
    study = await plan(git, sha)
    await api.foresee([study])
    assert await api.blobs(study.change, study.read) == await git.blobs(study.change, study.read)


def asked(server: GitHubServer) -> list[str]:
    """Tell how each file was asked for."""
    kinds = [
        "graphql" if "graphql" in hit.path else "contents"
        for hit in server.requests
        if "/commits" not in hit.path
    ]
    return kinds[1:]


async def test_files_of_every_kind_are_the_same_over_the_api_and_with_git(
    server: GitHubServer, work: Work, kit: Kit
) -> None:
    odd = work.commit(
        files={**ODD, "empty.py": b"", "gone.py": None, "old.py": None, "new.py": b"x"}
    )
    await same(kit.client(base=server.url), work, odd)
    assert asked(server) == ["graphql"]


async def test_what_graphql_cannot_send_is_read_by_itself(
    server: GitHubServer, work: Work, kit: Kit
) -> None:
    await same(kit.client(base=server.url), work, work.commit(files={**ELSEWHERE}))
    assert asked(server) == ["graphql", *["contents"] * 6]


@pytest.mark.parametrize("kind", ["bad_gateway", "graphql_partial"])
async def test_a_failure_of_graphql_changes_no_file(
    server: GitHubServer, work: Work, kit: Kit, kind: str
) -> None:
    sha = work.commit(files={**ODD, **ELSEWHERE})
    server.faults.add(kind, "graphql", times=1000)
    await same(kit.client(base=server.url), work, sha)
    assert "contents" in asked(server)


async def test_a_text_that_is_not_the_file_is_not_taken_for_it(work: Work, kit: Kit) -> None:
    work.commit(files={"a.py": b"limit = 1\n"})
    sha = work.commit(files={"a.py": b"limit = 2\n"})
    blob = work.git("rev-parse", "HEAD:a.py")

    kit.hub.on("/repos/acme/odd", kit.Reply(json={"full_name": REPO, "default_branch": "main"}))
    kit.hub.on("/repos/acme/odd/contents/a.py", kit.Reply(body=b"from contents\n"))
    study = await plan(GitSource(REPO, work.path), sha)
    names = (f"{study.change.commit.parents[0]}:a.py", f"{sha}:a.py")
    for text in ("limit = 3\n", "limit = 2", "\ufefflimit = 2\n", None):
        nodes = {file_alias(name): {"oid": blob, "text": text} for name in names}
        kit.hub.on(
            "/graphql", kit.Reply(json={"data": {"repository": {"nameWithOwner": REPO, **nodes}}})
        )
        source = GitHubCode(kit.client(), REPO)
        await source.foresee([study])
        assert await source.blobs(study.change, study.read) == {
            "a.py": (b"from contents\n", b"from contents\n")
        }
