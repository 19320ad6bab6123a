from datetime import UTC, datetime
from pathlib import Path

from evals.worlds.mirror import repo_from_mirror
from evals.worlds.model import World


def test_a_mirror_without_config_becomes_a_repository(demo: World, tmp_path: Path) -> None:
    source = demo.repos[0]
    mirror = tmp_path / "mirror"
    (mirror / "objects" / "info").mkdir(parents=True)
    (mirror / "refs").mkdir()
    (mirror / "objects" / "info" / "alternates").write_text(f"{source.git_dir}/objects\n")
    (mirror / "HEAD").write_text("ref: refs/heads/trunk\n")
    tip = source.pushes[-1].tip
    (mirror / "packed-refs").write_text(f"# pack-refs with: peeled fully-peeled sorted \n{tip} refs/heads/trunk\n")
    ours: dict[str, object] = {"repo": "a/b", "created_at": "2026-02-01T00:00:00Z"}
    merged = {"state": "closed", "merged": True, "merge_commit_sha": tip, "closes": [7], "labels": ["bug"]}
    threads = [
        ours | {"kind": "issue", "number": 7, "title": "It breaks", "author": "x"},
        ours | {"kind": "issue", "number": 6, "title": "Done", "state": "closed"},
        ours | {"kind": "pull", "number": 8, "title": "Mend it", "body": "Fixes #7"} | merged,
        ours | {"repo": "other/repo", "kind": "issue", "number": 1, "title": "Not ours"},
    ]
    repo = repo_from_mirror("a/b", mirror, threads)
    assert (repo.full_name, repo.default_branch, repo.pushes[-1].tip) == ("a/b", "trunk", tip)
    assert [(issue.number, issue.state, issue.state_reason) for issue in repo.issues] == [
        (7, "open", None),
        (6, "closed", "completed"),
    ]
    [pull] = repo.pulls
    assert (pull.merge_commit, pull.closes, pull.labels, pull.base) == (tip, (("a/b", 7),), ("bug",), "trunk")
    assert pull.merged_at == repo.pushes[-1].at
    assert repo.issues[0].created_at == datetime(2026, 2, 1, tzinfo=UTC)


def test_an_empty_mirror_has_no_pushes(full: World) -> None:
    repo = repo_from_mirror("a/blank", full.repo(full.notes["empty repository"]).git_dir, [])
    assert (repo.pushes, repo.default_branch) == ((), "main")
