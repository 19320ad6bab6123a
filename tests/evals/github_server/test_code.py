"""What the server says about code is what git says."""

import base64
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from evals.github_server.app import GitHubServer
from evals.worlds.model import Repo

Git = Callable[..., str]
ROCKET = "/repos/acme/rocket"


def pages(api: httpx.Client, path: str) -> list[Any]:
    """Follow `Link: rel="next"` to the end."""
    items: list[Any] = []
    response = api.get(path)
    while True:
        assert response.status_code == 200
        items += response.json()
        if "next" not in response.links:
            return items
        response = api.get(response.links["next"]["url"])


def test_the_commits_are_those_of_git_log_in_its_order(api: httpx.Client, git: Git) -> None:
    listed = pages(api, f"{ROCKET}/commits?per_page=50")
    assert [commit["sha"] for commit in listed] == git("log", "--format=%H", "main").split()


def test_a_commit_says_who_when_and_what_as_git_does(api: httpx.Client, git: Git) -> None:
    for commit in pages(api, f"{ROCKET}/commits?per_page=100"):
        shown = commit["commit"]
        said = git("show", "-s", "--format=%an%x00%ae%x00%at%x00%cn%x00%ct%x00%P%x00%T%x00%B", commit["sha"]).split(
            "\0"
        )
        assert [shown["author"]["name"], shown["author"]["email"]] == said[:2]
        assert [_seconds(shown["author"]["date"]), shown["committer"]["name"]] == [int(said[2]), said[3]]
        assert _seconds(shown["committer"]["date"]) == int(said[4])
        assert [parent["sha"] for parent in commit["parents"]] == said[5].split()
        assert shown["tree"]["sha"] == said[6]
        assert shown["message"] == said[7].rstrip("\n")
        assert commit["author"]["login"] in ("ada", "grace", "renovate[bot]")


def _seconds(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp())


def test_since_and_until_are_inclusive_and_look_at_every_commit_however_skewed(
    api: httpx.Client, git: Git, named: dict[str, str]
) -> None:
    at = int(git("show", "-s", "--format=%ct", named["edit"]))
    stamp = datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    [exact] = pages(api, f"{ROCKET}/commits?since={stamp}&until={stamp}")
    assert exact["sha"] == named["edit"]
    rows = [line.split() for line in git("log", "--format=%H %ct", "main").splitlines()]
    since = [commit["sha"] for commit in pages(api, f"{ROCKET}/commits?since={stamp}&per_page=100")]
    assert since == [sha for sha, seconds in rows if int(seconds) >= at]
    assert named["tip"] in since
    assert named["skewed"] not in since


def test_commits_can_be_asked_by_branch_path_author_and_pinned_tip(
    api: httpx.Client, git: Git, named: dict[str, str]
) -> None:
    branch = pages(api, f"{ROCKET}/commits?sha=feature%2Fx&per_page=100")
    assert [commit["sha"] for commit in branch] == git("log", "--format=%H", "feature/x").split()
    path = pages(api, f"{ROCKET}/commits?path=src/part3.py")
    assert [commit["sha"] for commit in path] == git("log", "--format=%H", "main", "--", "src/part3.py").split()
    pinned = pages(api, f"{ROCKET}/commits?sha={named['edit']}&per_page=100")
    assert pinned[0]["sha"] == named["edit"]
    for author in ("grace", "grace@example.org"):
        found = pages(api, f"{ROCKET}/commits?author={author}&per_page=100")
        assert [c["sha"] for c in found] == git("log", "--format=%H", "--author=grace@example", "main").split()


def test_the_files_of_every_commit_are_those_of_git(api: httpx.Client, git: Git) -> None:
    letters = {"A": "added", "M": "modified", "D": "removed", "R": "renamed"}
    for sha in git("log", "--format=%H", "--all").split():
        files = _files(api, sha)
        raw = git("show", "-m", "--first-parent", "--format=", "--raw", "-M", "--no-abbrev", sha).splitlines()
        rows = [re.split(r"[ \t]", line, maxsplit=5) for line in raw]
        assert [file["status"] for file in files] == [letters[row[4][0]] for row in rows]
        assert [file["sha"] for file in files] == [row[3] for row in rows]
        numbers = git("show", "-m", "--first-parent", "--format=", "--numstat", "-M", "-z", sha)
        counts = re.findall(r"(?:^|\0)(\d+|-)\t(\d+|-)\t", numbers)
        assert [(f["additions"], f["deletions"]) for f in files] == [(_count(a), _count(d)) for a, d in counts]


def _count(text: str) -> int:
    return 0 if text == "-" else int(text)


def _files(api: httpx.Client, sha: str) -> list[Any]:
    files: list[Any] = []
    response = api.get(f"{ROCKET}/commits/{sha}")
    while True:
        files += response.json()["files"]
        if "next" not in response.links:
            return files
        response = api.get(response.links["next"]["url"])


def test_a_patch_has_the_hunks_of_git_with_the_function_in_the_heading(
    api: httpx.Client, named: dict[str, str]
) -> None:
    [file] = api.get(f"{ROCKET}/commits/{named['edit']}").json()["files"]
    assert file["patch"] == (
        "@@ -11,7 +11,7 @@ def f1(x):\n \n \n def f2(x):\n-    y = x + 2\n+    y = x - 2\n     z = y\n     return z\n "
    )


def test_renames_binaries_links_and_submodules_look_as_on_github(api: httpx.Client, named: dict[str, str]) -> None:
    [moved] = _files(api, named["rename"])
    assert (moved["previous_filename"], moved["filename"]) == ("src/engine.py", "src/motor.py")
    assert "patch" not in moved
    empty, picture = _files(api, named["binary"])
    assert [picture["changes"], empty["changes"], "patch" in picture, "patch" in empty] == [0, 0, False, False]
    [module] = _files(api, named["submodule"])
    assert module["patch"] == f"@@ -0,0 +1 @@\n+Subproject commit {'a' * 40}"
    [latin] = _files(api, named["latin"])
    assert latin["patch"] == "@@ -0,0 +1 @@\n+caf\ufffd"
    assert api.get(f"{ROCKET}/commits/{named['latin']}").json()["commit"]["message"] == "Gr\ufffd\ufffde"
    assert [file["filename"] for file in _files(api, named["chinese"])] == ["文档/说明.md"]


def test_a_commit_shows_300_files_to_a_page_and_its_statistics_on_each(
    api: httpx.Client, named: dict[str, str]
) -> None:
    sizes, names, response = [], [], api.get(f"{ROCKET}/commits/{named['many']}")
    while True:
        body = response.json()
        sizes.append((len(body["files"]), body["stats"]["additions"]))
        names += [file["filename"] for file in body["files"]]
        if "next" not in response.links:
            break
        response = api.get(response.links["next"]["url"])
    assert sizes == [(300, 691), (300, 691), (91, 691)]
    assert names == sorted(names)
    small = api.get(f"{ROCKET}/commits/{named['many']}?per_page=500")
    assert len(small.json()["files"]) == 100


def test_no_more_than_3000_files_of_a_commit_can_be_had(desk: Any, connect: Callable[..., httpx.Client]) -> None:
    desk.commit("Vast", {f"{i:05}.txt": b"x\n" for i in range(3050)})
    desk.write()
    with GitHubServer([Repo(1, "a", "vast", "main", desk.git_dir)]) as server:
        api = connect(server)
        pages = [api.get(f"/repos/a/vast/commits/main?page={page}") for page in (1, 10, 11)]
        assert [len(page.json()["files"]) for page in pages] == [300, 300, 0]
        assert pages[0].json()["stats"]["additions"] == 3050
        assert "page=10" in pages[0].links["last"]["url"]


def test_patches_stop_at_the_budget_of_an_answer_and_come_back_on_smaller_pages(
    api: httpx.Client, named: dict[str, str]
) -> None:
    files = api.get(f"{ROCKET}/commits/{named['budget']}").json()["files"]
    assert ["patch" in file for file in files] == [True] * 3 + [False] * 6
    assert [file["additions"] for file in files] == [3000] * 8 + [21_001]
    page = api.get(f"{ROCKET}/commits/{named['budget']}?per_page=3&page=2").json()["files"]
    assert ["patch" in file for file in page] == [True] * 3
    alone = api.get(f"{ROCKET}/commits/{named['budget']}?per_page=1&page=9").json()["files"]
    assert (alone[0]["filename"], "patch" in alone[0]) == ("huge.txt", False)
    compared = api.get(f"{ROCKET}/compare/{named['wide']}...{named['budget']}").json()["files"]
    assert [file["changes"] for file in compared] == [3000] * 3 + [0] * 6


def test_a_commit_can_be_had_as_diff_patch_and_sha(api: httpx.Client, git: Git, named: dict[str, str]) -> None:
    url = f"{ROCKET}/commits/{named['budget']}"
    diff = api.get(url, headers={"Accept": "application/vnd.github.diff"})
    assert diff.headers["content-type"].startswith("application/vnd.github.diff")
    assert diff.text.count("\ndiff --git ") + 1 == 9
    assert diff.text.count("\n+") == 8 * 3000 + 21_001 + 9
    patch = api.get(f"{ROCKET}/commits/{named['edit']}", headers={"Accept": "application/vnd.github.v3.patch"})
    assert patch.text.startswith(f"From {named['edit']} ")
    sha = api.get(f"{ROCKET}/commits/main", headers={"Accept": "application/vnd.github.sha"})
    assert sha.text == git("rev-parse", "main").strip()


def test_a_commit_is_found_by_branch_tag_and_short_hash(api: httpx.Client, git: Git, named: dict[str, str]) -> None:
    assert api.get(f"{ROCKET}/commits/feature%2Fx").json()["sha"] == named["member2"]
    assert api.get(f"{ROCKET}/commits/feature/x").json()["sha"] == named["member2"]
    assert api.get(f"{ROCKET}/commits/v1.0").json()["sha"] == named["before"]
    assert api.get(f"{ROCKET}/commits/{named['edit'][:9]}").json()["sha"] == named["edit"]
    for unknown in ("nowhere", "0" * 40, "v1.0^", "main:README.md", "HEAD~1"):
        assert api.get(f"{ROCKET}/commits/{unknown}").status_code == 422


def test_a_comparison_has_the_commits_oldest_first_and_the_files_since_the_branches_parted(
    api: httpx.Client, git: Git, named: dict[str, str]
) -> None:
    body = api.get(f"{ROCKET}/compare/main...feature%2Fx").json()
    assert (body["status"], body["ahead_by"], body["total_commits"]) == ("behind", 0, 0)
    body = api.get(f"{ROCKET}/compare/{named['before']}...feature/x").json()
    assert (body["status"], body["ahead_by"], body["behind_by"]) == ("diverged", 2, 1)
    assert [commit["sha"] for commit in body["commits"]] == [named["member1"], named["member2"]]
    assert body["merge_base_commit"]["sha"] == named["budget"]
    assert [file["filename"] for file in body["files"]] == ["feature.py"]
    whole = git("rev-list", "--reverse", f"{named['root']}..main").split()
    listed: list[str] = []
    response = api.get(f"{ROCKET}/compare/{named['root']}...main?per_page=60")
    assert len(response.json()["files"]) == 300
    while True:
        listed += [commit["sha"] for commit in response.json()["commits"]]
        if "next" not in response.links:
            break
        response = api.get(response.links["next"]["url"])
        assert "files" not in response.json()
    assert listed == whole


def test_files_and_directories_can_be_read(api: httpx.Client, git: Git) -> None:
    names = [entry["name"] for entry in api.get(f"{ROCKET}/contents").json()]
    assert names == git("ls-tree", "-z", "--name-only", "main").split("\0")[:-1]
    file = api.get(f"{ROCKET}/contents/src/motor.py").json()
    assert base64.b64decode(file["content"]).decode() == git("show", "main:src/motor.py")
    raw = api.get(f"{ROCKET}/contents/README.md?ref=v1.0", headers={"Accept": "application/vnd.github.raw+json"})
    assert raw.text == "# Rocket 2\n"
    blob = api.get(f"{ROCKET}/git/blobs/{file['sha']}").json()
    assert base64.b64decode(blob["content"]).decode() == git("show", "main:src/motor.py")
    tree = api.get(f"{ROCKET}/git/trees/main?recursive=1").json()["tree"]
    assert len(tree) == len(git("ls-tree", "-r", "-t", "main").splitlines())
    for missing in ("nothing.py", "src/none/x", "README.md/x"):
        assert api.get(f"{ROCKET}/contents/{missing}").status_code == 404


def test_the_default_branch_stands_where_the_chosen_push_left_it(
    server: GitHubServer, connect: Callable[..., httpx.Client], named: dict[str, str]
) -> None:
    api = connect(server)
    assert api.get(f"{ROCKET}/commits/main").json()["sha"] == named["tip"]
    server.set_push("acme/rocket", 0)
    assert api.get(f"{ROCKET}/commits").json()[0]["sha"] == named["edit"]
    assert [tag["name"] for tag in api.get(f"{ROCKET}/tags").json()] == []
    server.set_push("acme/rocket", 1)
    assert api.get(f"{ROCKET}/branches/main").json()["commit"]["sha"] == named["merge"]
    assert [tag["name"] for tag in api.get(f"{ROCKET}/tags").json()] == ["v1.0"]


def test_a_server_told_the_time_shows_what_was_pushed_and_opened_by_then(
    rocket: Repo, connect: Callable[..., httpx.Client], named: dict[str, str]
) -> None:
    with GitHubServer((rocket,), now=rocket.pushes[1].at) as server:
        api = connect(server)
        assert api.get(f"{ROCKET}/commits").json()[0]["sha"] == named["merge"]
        numbers = [issue["number"] for issue in api.get(f"{ROCKET}/issues?state=all&per_page=100").json()]
        assert max(numbers) == 24


@pytest.mark.parametrize("path", ["/repos/acme/rocket/", "/repos/acme", "/nothing", "/repos/acme/rocket/commits/", "/"])
def test_a_path_that_leads_nowhere_is_not_found(path: str, api: httpx.Client) -> None:
    assert api.get(path).status_code == 404


@pytest.mark.parametrize(
    "path",
    [
        "/commits?path=%00", "/commits?path=--output=x", "/commits?sha=--all", "/commits/--help", "/commits/%0Amain",
        "/contents/%00", "/contents/..%2f..%2fetc", "/git/trees/%00", "/git/blobs/main", "/compare/%00...main",
        "/branches/%ff", "/commits?per_page=-1&page=99999999999999", "/issues?since=0001-01-01T00:00:00%2B23:59",
        "/commits?since=9999-12-31T23:59:59-23:59", "/releases/tags/%00", "/commits?author=%00",
    ],
)  # fmt: skip
def test_a_hostile_request_is_answered_or_refused_but_breaks_nothing(path: str, api: httpx.Client) -> None:
    assert api.get(ROCKET + path).status_code in (200, 404, 422)
