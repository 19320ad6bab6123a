"""A commit's files when GitHub leaves patches out: they are asked for again, never told as unchanged."""

from typing import Any

from agent.domain.base import RepoId
from agent.domain.commits import Change
from tests.tools.github.conftest import Kit, Reply, Seen
from tools.github.code_source import GitHubCode

SHA = "a" * 40
PARENT = "b" * 40
REPO = RepoId("acme/lib")
PATCH = "@@ -0,0 +1 @@\n+x"
RAW = "application/vnd.github.diff"


def file(name: str, patch: str | None = PATCH, **more: Any) -> dict[str, Any]:
    entry = {
        "filename": name,
        "status": "added",
        "additions": 1,
        "deletions": 0,
        "changes": 1,
        "sha": "f" * 40,
    }
    return entry | ({"patch": patch} if patch is not None else {}) | more


async def read(
    kit: Kit, files: list[dict[str, Any]], *, budget: dict[int, int], raw: bytes | None = None
) -> Change:
    """Serve one commit whose pages of a given size hold only so many patches, and read it."""

    def serve(seen: Seen) -> Reply:
        if seen.headers["accept"] == RAW:
            return kit.Reply(body=raw) if raw is not None else kit.Reply(500)
        size = int(seen.query.get("per_page", 300))
        page = int(seen.query.get("page", 1))
        shown_files = []
        left = budget.get(size, 10_000)
        for entry in files[(page - 1) * size : page * size]:
            left -= "patch" in entry
            shown_files.append(
                entry if left >= 0 else {k: v for k, v in entry.items() if k != "patch"}
            )
        more = page * size < len(files)
        link = (
            {"Link": f'<BASE{seen.path}?per_page={size}&page={page + 1}>; rel="next"'}
            if more
            else {}
        )
        stats = {"additions": sum(f["additions"] for f in files), "deletions": 0}
        body = kit.commit(SHA, [PARENT], "2026-02-03T10:00:00Z", files=shown_files, stats=stats)
        return kit.Reply(json=body, headers=link)

    kit.hub.on(
        "/repos/acme/lib", kit.Reply(json={"full_name": "acme/lib", "default_branch": "main"})
    )
    kit.hub.on(f"/repos/acme/lib/commits/{SHA}", serve)
    (change,) = [change async for change in GitHubCode(kit.client(), REPO).changes([SHA])]
    return change


async def test_all_pages_of_files_are_read_in_order(kit: Kit) -> None:
    change = await read(kit, [file(f"f{n:03}") for n in range(691)], budget={})
    assert [f.path for f in change.files] == [f"f{n:03}" for n in range(691)]
    assert change.incomplete is None


async def test_patches_left_out_come_with_smaller_pages(kit: Kit) -> None:
    change = await read(
        kit, [file(f"f{n:03}") for n in range(200)], budget={300: 120, 100: 80, 30: 30}
    )
    assert all(f.patch == PATCH and f.unreadable is None for f in change.files)
    # Only the pages with files that lack a patch: the second of 100, then the last one (181..200) of 30.
    assert [seen.query for seen in kit.hub.seen[2:]] == [
        {"per_page": "100", "page": "2"},
        {"per_page": "30", "page": "7"},
    ]


async def test_patches_that_no_page_holds_come_from_the_raw_diff(kit: Kit) -> None:
    raw = "".join(
        f"diff --git a/f{n} b/f{n}\n--- /dev/null\n+++ b/f{n}\n{PATCH}{n}\n" for n in range(3)
    ).encode()
    change = await read(
        kit, [file(f"f{n}") for n in range(3)], budget={300: 0, 100: 0, 30: 0, 10: 0}, raw=raw
    )
    assert [f.patch for f in change.files] == [f"{PATCH}{n}" for n in range(3)]
    assert len(kit.hub.seen) == 3
    assert [(f.additions, f.deletions) for f in change.files] == [(1, 0)] * 3


async def test_a_patch_that_nobody_sends_makes_the_file_unreadable_not_unchanged(kit: Kit) -> None:
    change = await read(kit, [file("a"), file("b")], budget={300: 1, 100: 1, 30: 1, 10: 1})
    assert change.files[1].unreadable == "GitHub sends no patch for this file"
    assert change.unreadable == (change.files[1],)


async def test_a_binary_file_beside_files_without_patch_stays_binary(kit: Kit) -> None:
    binary = file("b.png", None, additions=0, changes=0, status="modified")
    raw = f"diff --git a/a b/a\n+++ b/a\n{PATCH}\ndiff --git a/b.png b/b.png\nBinary files differ\n".encode()
    change = await read(kit, [file("a"), binary], budget={300: 0, 100: 0, 30: 0, 10: 0}, raw=raw)
    assert change.files[1].patch is None
    assert change.files[1].unreadable is None


async def test_a_commit_beyond_the_cap_of_3000_files_says_so(kit: Kit) -> None:
    await read(kit, [], budget={})
    stats = {"additions": 4000, "deletions": 0}
    cut = kit.commit(
        SHA,
        [PARENT],
        "2026-02-03T10:00:00Z",
        files=[file(f"f{n:04}") for n in range(3000)],
        stats=stats,
    )
    kit.hub.on(f"/repos/acme/lib/commits/{SHA}", kit.Reply(json=cut))
    (change,) = [change async for change in GitHubCode(kit.client(), REPO).changes([SHA])]
    assert change.incomplete == "GitHub lists only the first 3,000 files of a commit"
