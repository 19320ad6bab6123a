"""Whole files over the API: the bytes that git has, whatever they are and however they are asked for."""

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from agent.domain.base import RepoId
from agent.domain.commits import Change
from agent.ports import Study
from evals.github_server.app import GitHubServer
from evals.worlds.model import Repo
from tools.git.source import GitSource
from tools.github.client import GitHubClient
from tools.github.code import GitHubCode
from tools.github.queries import file_alias

if TYPE_CHECKING:
    from tests.tools.github.conftest import Kit

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


class Bench:
    """A repository that is written commit by commit, and read over the API and with git."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.git("init", "--quiet", "--initial-branch=main", ".")

    def git(self, *arguments: str) -> str:
        who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "core.autocrlf=false")
        env = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        done = subprocess.run(["git", *who, *arguments], cwd=self.folder, env=env, capture_output=True, check=True)
        return done.stdout.decode().strip()

    def commit(self, files: Mapping[str, bytes | None]) -> str:
        for path, content in files.items():
            if content is None:
                (self.folder / path).unlink()
            else:
                (self.folder / path).parent.mkdir(exist_ok=True)
                (self.folder / path).write_bytes(content)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message=Change")
        return self.git("rev-parse", "HEAD")

    @property
    def source(self) -> GitSource:
        return GitSource(REPO, self.folder)

    async def changes(self, *shas: str) -> list[Change]:
        return [change async for change in self.source.changes(shas)]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    (tmp_path / "odd").mkdir()
    return Bench(tmp_path / "odd")


@pytest.fixture
def server(bench: Bench, kit: "Kit") -> Iterator[GitHubServer]:
    bench.commit(
        {name: b"0\n" + content for name, content in (ODD | ELSEWHERE).items()} | {"gone.py": b"", "old.py": b"x"}
    )
    with GitHubServer(
        [Repo(1, "acme", "odd", "main", bench.folder)], tokens=(kit.token,), clock=kit.time.clock
    ) as server:
        yield server


def plans(changes: Sequence[Change]) -> list[Study]:
    return [Study(change=change, read=tuple(file.path for file in change.files)) for change in changes]


async def same(client: GitHubClient, bench: Bench, *shas: str) -> None:
    """Read all files of these commits over the API, and compare with what git has."""
    studies, api, git = plans(await bench.changes(*shas)), GitHubCode(client, REPO), bench.source
    await api.foresee(studies)
    for study in studies:
        assert await api.blobs(study.change, study.read) == await git.blobs(study.change, study.read)


def asked(server: GitHubServer) -> list[str]:
    """Tell how each file was asked for."""
    kinds = [
        "graphql" if "graphql" in hit.path else "contents" for hit in server.requests if "/commits" not in hit.path
    ]
    return kinds[1:]


async def test_files_of_every_kind_are_the_same_over_the_api_and_with_git(
    server: GitHubServer, bench: Bench, kit: "Kit"
) -> None:
    odd = bench.commit({**ODD, "empty.py": b"", "gone.py": None, "old.py": None, "new.py": b"x"})
    await same(kit.client(base=server.url), bench, odd)
    assert asked(server) == ["graphql"]


async def test_what_graphql_cannot_send_is_read_by_itself(server: GitHubServer, bench: Bench, kit: "Kit") -> None:
    await same(kit.client(base=server.url), bench, bench.commit({**ELSEWHERE}))
    assert asked(server) == ["graphql", *["contents"] * 6]


@pytest.mark.parametrize("kind", ["bad_gateway", "graphql_partial", "half_body"])
async def test_a_failure_of_graphql_changes_no_file(server: GitHubServer, bench: Bench, kit: "Kit", kind: str) -> None:
    sha = bench.commit({**ODD, **ELSEWHERE})
    server.faults.add(kind, "graphql", times=1000)
    await same(kit.client(base=server.url), bench, sha)
    assert "contents" in asked(server)


async def test_a_text_that_is_not_the_file_is_not_taken_for_it(bench: Bench, kit: "Kit") -> None:
    bench.commit({"a.py": b"limit = 1\n"})
    sha = bench.commit({"a.py": b"limit = 2\n"})
    blob = bench.git("rev-parse", "HEAD:a.py")

    kit.hub.on("/repos/acme/odd", kit.Reply(json={"full_name": REPO, "default_branch": "main"}))
    kit.hub.on("/repos/acme/odd/contents/a.py", kit.Reply(body=b"from contents\n"))
    (study,) = plans(await bench.changes(sha))
    names = (f"{study.change.commit.parents[0]}:a.py", f"{sha}:a.py")
    for text in ("limit = 3\n", "limit = 2", "\ufefflimit = 2\n", None):
        nodes = {file_alias(name): {"oid": blob, "text": text} for name in names}
        kit.hub.on("/graphql", kit.Reply(json={"data": {"repository": {"nameWithOwner": REPO, **nodes}}}))
        source = GitHubCode(kit.client(), REPO)
        await source.foresee([study])
        assert await source.blobs(study.change, study.read) == {"a.py": (b"from contents\n", b"from contents\n")}
