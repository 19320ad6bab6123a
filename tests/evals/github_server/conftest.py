"""A small hand-made repository with every oddity, served; and GitHub's own schemas to judge the answers by."""

import gzip
import json
import re
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

import httpx
import jsonschema_rs
import pytest

from evals.github_server.app import GitHubServer
from evals.worlds.model import Comment, Event, Issue, Pull, Push, Release, Repo, User

DATA = Path(__file__).with_name("data")
TOKEN = "t0ken"
DAY = datetime(2026, 2, 1, 12, tzinfo=UTC)
PEOPLE = (
    User("ada", "Ada Lovelace", "ada@example.org"),
    User("grace", "Grace Hopper", "grace@example.org"),
    User("renovate[bot]", "renovate", "bot@example.org", bot=True),
)


@pytest.fixture(scope="session")
def git(rocket: Repo) -> Callable[..., str]:
    """Ask git itself about the rocket."""

    def ask(*arguments: str) -> str:
        command = ["git", f"--git-dir={rocket.git_dir}", *arguments]
        return subprocess.run(command, capture_output=True, check=True).stdout.decode("utf-8", "replace")

    return ask


class Desk:
    """Writes a bare repository with one `git fast-import`."""

    def __init__(self, git_dir: Path) -> None:
        self.git_dir = git_dir
        self._stream: list[bytes] = []
        self._mark = 0
        self._minutes = 0

    def commit(
        self,
        message: str | bytes,
        files: dict[str, bytes | None] | None = None,
        *,
        branch: str = "main",
        parents: tuple[int, ...] | None = None,
        author: User | None = None,
        raw: bytes = b"",
        hours: int | None = None,
    ) -> int:
        self._mark += 1
        self._minutes += 10
        at = int(
            (DAY + timedelta(minutes=self._minutes) if hours is None else DAY + timedelta(hours=hours)).timestamp()
        )
        who = author or PEOPLE[0]
        name = f"{who.name} <{who.email}> {at} +0100".encode()
        text = message if isinstance(message, bytes) else message.encode()
        lines = [f"commit refs/heads/{branch}\nmark :{self._mark}\n".encode(), b"author " + name + b"\n"]
        lines += [b"committer " + name + b"\n", b"data %d\n" % len(text) + text + b"\n"]
        for index, parent in enumerate(parents or ()):
            lines.append(f"{'merge' if index else 'from'} :{parent}\n".encode())
        for path, content in (files or {}).items():
            if content is None:
                lines.append(f"D {path}\n".encode())
            else:
                lines.append(f"M 100644 inline {path}\n".encode() + b"data %d\n" % len(content) + content + b"\n")
        self._stream += [*lines, raw, b"\n"]
        return self._mark

    def tag(self, name: str, mark: int) -> None:
        text = b"release"
        who = b"Ada Lovelace <ada@example.org> 1770000000 +0000"
        head = f"tag {name}\nfrom :{mark}\ntagger ".encode() + who
        self._stream.append(head + b"\ndata %d\n" % len(text) + text + b"\n")

    def write(self) -> dict[int, str]:
        subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(self.git_dir)], check=True)
        marks = self.git_dir / "marks"
        command = ["git", f"--git-dir={self.git_dir}", "fast-import", "--quiet", f"--export-marks={marks}"]
        subprocess.run(command, input=b"".join(self._stream), check=True)
        rows = [line.split() for line in marks.read_text().splitlines()]
        marks.unlink()
        return {int(mark[1:]): sha for mark, sha in rows}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A place to write one more repository."""
    return Desk(tmp_path / "desk.git")


def python_file(functions: int, mark: str = "") -> bytes:
    return "".join(
        f"def f{i}(x):\n    y = x + {i}\n    z = y{mark}\n    return z\n\n\n" for i in range(functions)
    ).encode()


def _history(git_dir: Path) -> dict[str, str]:
    desk = Desk(git_dir)
    named = {"root": desk.commit("Begin", {"src/engine.py": python_file(30), "README.md": b"# Rocket\n"})}
    for number in range(120):
        who = PEOPLE[number % 3]
        desk.commit(
            f"Step {number}\n\nMore words.", {f"src/part{number % 7}.py": python_file(3, f" * {number}")}, author=who
        )
    named["edit"] = desk.commit("Two hunks", {"src/engine.py": python_file(30).replace(b"x + 2\n", b"x - 2\n")})
    named["rename"] = desk.commit(
        "Move", {"src/engine.py": None, "src/motor.py": python_file(30).replace(b"x + 2\n", b"x - 2\n")}
    )
    named["binary"] = desk.commit("Binary", {"logo.png": bytes(range(256)) * 4, "empty.txt": b""})
    named["latin"] = desk.commit("Gr\xfc\xdfe".encode("latin-1"), {"latin.txt": b"caf\xe9\n"})
    named["chinese"] = desk.commit("修复内存泄漏\n\n这是正文。", {"文档/说明.md": "你好\n".encode()})
    desk.commit(
        "Say where it is from",
        {".gitmodules": b'[submodule "lib"]\n\tpath = vendor/lib\n\turl = https://example.org/lib.git\n'},
    )
    named["submodule"] = desk.commit("Submodule", raw=b"M 160000 " + b"a" * 40 + b" vendor/lib\n")
    named["link"] = desk.commit("Link", raw=b"M 120000 inline latest\ndata 9\nREADME.md\n")
    named["many"] = desk.commit("Many files", {f"many/{i:04}.txt": f"{i}\n".encode() for i in range(691)})
    named["wide"] = desk.commit("Too much patch", {f"wide/{i:02}.txt": b"x" * 99 + b"\n" for i in range(2)})
    big = {f"big/{i:02}.txt": b"".join(b"%090d\n" % (i * 9000 + n) for n in range(3000)) for i in range(8)}
    named["budget"] = desk.commit("Eight big files", {**big, "huge.txt": b"h" * 79 + b"\n" + b"h\n" * 21_000})
    base = named["budget"]
    named["member1"] = desk.commit("On a branch", {"feature.py": b"a = 1\n"}, branch="feature/x", parents=(base,))
    named["member2"] = desk.commit("More on it", {"feature.py": b"a = 2\n"}, branch="feature/x")
    named["before"] = desk.commit("Meanwhile", {"README.md": b"# Rocket 2\n"}, parents=(base,))
    named["merge"] = desk.commit(
        "Merge feature", parents=(named["before"], named["member2"]), files={"feature.py": b"a = 2\n"}
    )
    named["open"] = desk.commit("Proposed", {"idea.py": b"idea = 1\n"}, branch="idea", parents=(named["before"],))
    named["empty"] = desk.commit("Nothing changed", parents=(named["merge"],))
    named["skewed"] = desk.commit("From the past", {"README.md": b"# Rocket 3\n"}, hours=-48)
    desk.tag("v1.0", named["before"])
    named["tip"] = desk.commit("Last", {"README.md": b"# Rocket 4\n"}, hours=40)
    marks = desk.write()
    return {name: marks[mark] for name, mark in named.items()}


def _issues(named: dict[str, str]) -> tuple[Issue, ...]:
    def at(hours: int) -> datetime:
        return DAY + timedelta(hours=hours)

    plain = [
        Issue(n, f"Issue {n}", f"Body {n}" if n % 5 else "", "ada" if n % 4 else None, at(n), at(n + 50 * (n % 2)))
        for n in range(1, 46)
    ]
    closed = Event(901, "closed", "grace", at(70), commit=named["edit"], state_reason="completed")
    by_pull = Event(902, "closed", "grace", at(71), source=("acme/rocket", 101), state_reason="completed")
    mention = Event(903, "cross-referenced", "ada", at(60), source=("acme/rocket", 101), will_close=True)
    labelled = Event(904, "labeled", "ada", at(59), label="bug")
    talk = tuple(Comment(5000 + i, "grace" if i else None, f"Comment {i}", at(61 + i)) for i in range(3))
    done: Any = {"state": "closed", "state_reason": "completed", "labels": ("bug",)}
    plain[1] = replace(plain[1], **done, closed_at=at(70), events=(closed,), comments=talk, reactions=4)
    plain[2] = replace(plain[2], **done, closed_at=at(71), events=(labelled, mention, by_pull))
    plain[3] = replace(plain[3], state="closed", state_reason="duplicate", closed_at=at(72), labels=("bug", "wontfix"))
    plain[4] = replace(plain[4], deleted=True)
    return tuple(plain)


def _pulls(named: dict[str, str]) -> tuple[Pull, ...]:
    def pull(number: int, head: str, **more: Any) -> Pull:
        at = DAY + timedelta(hours=number)
        plain = Pull(
            number, f"Pull {number}", "Fixes #3", "grace", at, at, "main", f"topic-{number}", head, "acme/rocket"
        )
        return replace(plain, **more)

    merged = {"state": "closed", "closed_at": DAY, "merged_at": DAY}
    return (
        pull(101, named["member2"], **merged, merge_commit=named["merge"], labels=("feature",), head_ref="feature/x",
             commits=(named["member1"], named["member2"]), closes=(("acme/rocket", 3), ("acme/engine", 1))),
        pull(102, named["open"], commits=(named["open"],), head_ref="idea", author=None),
        pull(103, "f" * 40, **merged, merge_commit=named["rename"], head_repo=None, commits=("f" * 40,)),
        pull(104, named["open"], state="closed", closed_at=DAY, head_repo="grace/rocket", closes=(("acme/rocket", 2),)),
    )  # fmt: skip


def _releases(named: dict[str, str]) -> tuple[Release, ...]:
    def release(number: int, tag: str, **more: Any) -> Release:
        at = DAY + timedelta(hours=number)
        return replace(Release(number, tag, f"Release {tag}", "Notes", "ada", named["before"], at, at), **more)

    return (
        release(1, "v0.9"),
        release(2, "v1.0"),
        release(3, "v1.1rc1", prerelease=True),
        release(4, "v2.0", draft=True, published_at=None),
    )


@pytest.fixture(scope="session")
def rocket_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("repos") / "rocket.git"


@pytest.fixture(scope="session")
def named(rocket_dir: Path) -> dict[str, str]:
    """The rocket's notable commits by name."""
    return _history(rocket_dir)


@pytest.fixture(scope="session")
def rocket(rocket_dir: Path, named: dict[str, str]) -> Repo:
    return Repo(
        id=4711,
        owner="acme",
        name="rocket",
        default_branch="main",
        git_dir=rocket_dir,
        users=PEOPLE,
        issues=_issues(named),
        pulls=_pulls(named),
        releases=_releases(named),
        pushes=(
            Push(DAY, named["edit"]),
            Push(DAY + timedelta(days=1), named["merge"]),
            Push(DAY + timedelta(days=2), named["tip"]),
        ),
        former_names=("old/rocket",),
    )


@pytest.fixture(scope="session")
def repos(rocket: Repo, tmp_path_factory: pytest.TempPathFactory) -> tuple[Repo, ...]:
    """The rocket, a repository that it also closes issues of, and an empty one."""
    folder = tmp_path_factory.mktemp("more")
    desk = Desk(folder / "engine.git")
    desk.commit("Begin", {"a.txt": b"a\n"})
    desk.write()
    (folder / "engine.git/config").unlink()
    Desk(folder / "empty.git").write()
    issue = Issue(1, "Leaks", "Oil", "ada", DAY, DAY)
    engine = Repo(12, "acme", "engine", "main", folder / "engine.git", issues=(issue,))
    return rocket, engine, Repo(13, "acme", "empty", "main", folder / "empty.git")


@pytest.fixture(scope="session")
def shared(repos: tuple[Repo, ...]) -> Iterator[GitHubServer]:
    """A server for tests that only read."""
    with GitHubServer(repos, tokens=(TOKEN,), issues_depth=20) as server:
        yield server


@pytest.fixture
def server(repos: tuple[Repo, ...]) -> Iterator[GitHubServer]:
    """A server of the test's own."""
    with GitHubServer(repos, tokens=(TOKEN,)) as server:
        yield server


Connect = Callable[..., httpx.Client]


@pytest.fixture
def connect() -> Iterator[Connect]:
    """Open a client to a server: with the token unless told otherwise, without any proxy."""
    opened: list[httpx.Client] = []

    def to(server: GitHubServer, *, token: str | None = TOKEN, base: str | None = None) -> httpx.Client:
        # Nothing is encrypted on loopback, so nobody needs to load certificates for it.
        headers = {"User-Agent": "tests"} | ({"Authorization": f"Bearer {token}"} if token else {})
        opened.append(
            httpx.Client(base_url=base or server.url, headers=headers, trust_env=False, timeout=20, verify=False)
        )
        return opened[-1]

    yield to
    for client in opened:
        client.close()


@pytest.fixture
def api(shared: GitHubServer, connect: Connect) -> httpx.Client:
    """A client of the shared server."""
    return connect(shared)


class Oracle:
    """GitHub's own description of its REST API."""

    def __init__(self) -> None:
        self._versions: dict[str, Any] = _json_schema(json.loads(gzip.decompress((DATA / "rest.json.gz").read_bytes())))
        self._validators: dict[tuple[str, str, str], Any] = {}

    @cached_property
    def _paths(self) -> list[tuple[re.Pattern[str], str]]:
        names = sorted(self._versions["2022-11-28"]["paths"], key=lambda path: (path.count("{"), -len(path)))
        wide = ("ref", "path", "basehead", "branch", "tag", "tree_sha")
        found = []
        for name in names:
            pattern = re.sub(r"\{(\w+)\}", lambda m: ".+" if m[1] in wide else "[^/]+", name)
            found.append((re.compile(pattern), name))
        return sorted(found, key=lambda pair: (".+" in pair[0].pattern, -pair[1].count("/")))

    def faults(self, path: str, status: int, body: Any, version: str = "2022-11-28") -> list[str]:
        """Say everything in an answer that GitHub's description does not allow."""
        path = re.sub(r"^/repositories/\d+", "/repos/o/r", path)
        name = next((name for pattern, name in self._paths if pattern.fullmatch(path)), None)
        if name is None:
            return [f"no operation for {path}"]
        validator = self._validator(version, name, str(status))
        if isinstance(validator, str):
            return [validator]
        return [f"{'/'.join(map(str, e.instance_path))}: {e.message}" for e in validator.iter_errors(body)]

    def _validator(self, version: str, name: str, status: str) -> Any:
        key = (version, name, status)
        if key not in self._validators:
            self._validators[key] = self._build(*key)
        return self._validators[key]

    def _build(self, version: str, name: str, status: str) -> Any:
        described = self._versions[version]
        response = described["paths"][name]["get"]["responses"].get(status)
        if response is None:
            return f"{name} does not describe {status}"
        if "$ref" in response:
            response = described["components"]["responses"][response["$ref"].rsplit("/", 1)[1]]
        content = response.get("content", {})
        schema = (content.get("application/json") or content.get("application/vnd.github.object", {})).get("schema", {})
        root = {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "components": described["components"],
            "allOf": [schema],
        }
        return jsonschema_rs.validator_for(root, validate_formats=True)


def _json_schema(value: Any) -> Any:
    """Turn OpenAPI's way of saying "or null" into JSON Schema's."""
    if isinstance(value, list):
        return [_json_schema(item) for item in value]
    if not isinstance(value, dict):
        return value
    result = {key: _json_schema(item) for key, item in value.items()}
    if result.pop("nullable", None) is True:
        if isinstance(result.get("type"), str):
            result["type"] = [result["type"], "null"]
            if "enum" in result and None not in result["enum"]:
                result["enum"] = [*result["enum"], None]
        else:
            result = {"anyOf": [result, {"type": "null"}]}
    return result


Judge = Callable[[httpx.Response], list[str]]


@pytest.fixture(scope="session")
def judge() -> Judge:
    """Say everything in an answer that GitHub's own description does not allow."""
    oracle = Oracle()

    def faults(response: httpx.Response) -> list[str]:
        path = response.request.url.path.removeprefix("/api/v3")
        version = response.request.headers.get("x-github-api-version", "2022-11-28")
        return oracle.faults(path, response.status_code, response.json(), version)

    return faults
