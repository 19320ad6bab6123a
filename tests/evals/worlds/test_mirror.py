from pathlib import Path

from evals.worlds.data_model import World
from evals.worlds.worlds import repo_from_mirror


def test_a_mirror_without_config_becomes_a_repository(demo: World, tmp_path: Path) -> None:
    source = demo.repos[0]
    mirror = tmp_path / "mirror"
    (mirror / "objects" / "info").mkdir(parents=True)
    (mirror / "refs").mkdir()
    (mirror / "objects" / "info" / "alternates").write_text(f"{source.git_dir}/objects\n")
    (mirror / "HEAD").write_text("ref: refs/heads/trunk\n")
    tip = source.pushes[-1].tip
    (mirror / "packed-refs").write_text(
        f"# pack-refs with: peeled fully-peeled sorted \n{tip} refs/heads/trunk\n"
    )
    repo = repo_from_mirror("a/b", mirror)
    assert (repo.full_name, repo.default_branch, repo.pushes[-1].tip) == ("a/b", "trunk", tip)


def test_an_empty_mirror_has_no_pushes(full: World) -> None:
    repo = repo_from_mirror("a/blank", full.repo(full.notes["empty repository"]).git_dir)
    assert (repo.pushes, repo.default_branch) == ((), "main")
