import os
import subprocess
import sys
from pathlib import Path

import pytest

from evals.worlds.model import World
from evals.worlds.worlds import build, plans, set_push

DEMO_TIPS = {
    "lumen-ai/tensorforge": "a0ceb146d561f464b713f8b22ba6bd6536312dae",
    "lumen-ai/swiftserve": "fb05fcdcbbb347c0a23ce8ef95d0fa123098e3e8",
    "lumen-ai/routekit": "f28025c9aab6e0218682944605530c084a7998b9",
}
TIPS = """
from pathlib import Path
from evals.worlds.worlds import build
import sys
for repo in build("full", 1, Path(sys.argv[1])).repos:
    print(repo.full_name, repo.pushes[-1].tip if repo.pushes else "", repo.issues, repo.pulls, repo.releases)
"""


def tips(world: World) -> dict[str, str]:
    return {repo.full_name: repo.pushes[-1].tip for repo in world.repos if repo.pushes}


def test_the_demo_world_has_the_same_hashes_as_ever(demo: World) -> None:
    assert tips(demo) == DEMO_TIPS


def test_another_seed_gives_another_world(tmp_path: Path, demo: World) -> None:
    other = tips(build("demo", 2, tmp_path))
    assert not set(other.values()) & set(tips(demo).values())


def test_every_seed_makes_a_world(tmp_path: Path) -> None:
    for seed in range(100, 112):
        plans()["demo"](seed, tmp_path)
    plans()["full"](100, tmp_path)


@pytest.mark.parametrize(
    "settings",
    [
        {"TZ": "Pacific/Auckland", "LC_ALL": "C", "PYTHONHASHSEED": "7", "PYTHONUTF8": "0"},
        {"TZ": "America/New_York", "PYTHONHASHSEED": "0", "GIT_AUTHOR_NAME": "Somebody", "GIT_DIR": "/nowhere"},
    ],
    ids=["auckland", "new-york"],
)
def test_the_machine_does_not_matter(tmp_path: Path, full: World, settings: dict[str, str]) -> None:
    command = [sys.executable, "-c", TIPS, str(tmp_path)]
    env = (
        {key: os.environ[key] for key in ("PATH", "HOME") if key in os.environ}
        | settings
        | {"PYTHONIOENCODING": "utf-8"}
    )
    told = subprocess.run(command, env=env, capture_output=True, text=True, check=True, encoding="utf-8").stdout
    here = "".join(
        f"{r.full_name} {r.pushes[-1].tip if r.pushes else ''} {r.issues} {r.pulls} {r.releases}\n" for r in full.repos
    )
    assert told == here


def test_building_again_into_the_same_folder_writes_nothing(tmp_path: Path) -> None:
    build("demo", 1, tmp_path)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("pack-*")}
    build("demo", 1, tmp_path)
    assert before
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("pack-*")} == before


def test_a_half_written_folder_is_built_anew(tmp_path: Path, demo: World) -> None:
    world = build("demo", 1, tmp_path)
    (tmp_path / "manifest.json").unlink()
    for pack in tmp_path.rglob("*.pack"):
        pack.write_bytes(pack.read_bytes()[:100])
    build("demo", 1, tmp_path)
    for repo in world.repos:
        subprocess.run(["git", f"--git-dir={repo.git_dir}", "fsck", "--no-dangling"], check=True, capture_output=True)
    assert tips(world) == tips(demo)


def test_a_folder_of_another_seed_is_replaced(tmp_path: Path) -> None:
    build("demo", 2, tmp_path)
    world = build("demo", 1, tmp_path)
    told = subprocess.run(
        ["git", f"--git-dir={world.repos[0].git_dir}", "rev-parse", "HEAD"], check=True, capture_output=True, text=True
    )
    assert told.stdout.strip() == world.repos[0].pushes[-1].tip


def test_a_branch_can_be_set_back_to_an_earlier_push_and_forth(tmp_path: Path) -> None:
    repo = build("demo", 1, tmp_path).repos[0]
    for index in (3, 0, -1):
        set_push(repo, index)
        told = subprocess.run(
            ["git", f"--git-dir={repo.git_dir}", "rev-parse", "main"], check=True, capture_output=True, text=True
        )
        assert told.stdout.strip() == repo.pushes[index].tip
    set_push(repo, 0)
    build("demo", 1, tmp_path)
    told = subprocess.run(
        ["git", f"--git-dir={repo.git_dir}", "rev-parse", "main"], check=True, capture_output=True, text=True
    )
    assert told.stdout.strip() == repo.pushes[-1].tip


def test_worlds_know_nothing_of_the_solver() -> None:
    solver = {"agent", "tools", "memory", "graphs", "gitzette"}
    code = (
        "import sys, evals.worlds.worlds, evals.worlds.mirror, evals.worlds.gold\n"
        f"print(sorted({{name.partition('.')[0] for name in sys.modules}} & {solver}))"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"
