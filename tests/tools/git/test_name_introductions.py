"""Which earlier commits brought the names that a commit changes, however long ago."""

from pathlib import Path

import pytest

from agent.domain.base import RepoId
from tests.made_repos import Work
from tests.tools.git.test_line_writers import noon
from tools.git.source import GitSource

REPO = RepoId("acme/engine")
SPILL = 'parser.add_argument("--max-spill", default=spill_limit)\n'
LATER = 'parser.add_argument("--max-spill", default=spill_limit, type=int)\n'


@pytest.fixture
def begun(work: Work) -> Work:
    """Return a repository with a first commit, whose names nobody brought."""
    work.commit("Begin", {"engine/core.py": "core_limit = 1\n"}, at=noon(2020, 1, 1))
    return work


async def births_in(path: Path, sha: str) -> list[tuple[str, tuple[str, ...]]]:
    """Return the commits that brought names which a commit changes, with these names."""
    answer = await GitSource(REPO, path).births([sha])
    return [(birth.commit.sha, birth.names) for birth in answer[sha]]


async def test_a_flag_that_is_taken_out_leads_to_the_commit_that_added_it_years_ago(
    begun: Work,
) -> None:
    added = begun.commit("Add --max-spill", {"engine/server.py": SPILL}, at=noon(2021, 1, 1))
    # Blame only knows who touched the line last.
    typed = begun.commit("Type it", {"engine/server.py": LATER}, at=noon(2024, 1, 1))
    out = begun.commit("Take it out", {"engine/server.py": "pass\n"}, at=noon(2026, 1, 1))
    assert await births_in(begun.path, out) == [
        (added, ("--max-spill", "add_argument", "spill_limit"))
    ]
    writers = await GitSource(REPO, begun.path).line_writers([out])
    assert [writer.commit.sha for writer in writers[out]] == [typed]


async def test_a_name_is_followed_through_renames_of_its_file_and_many_versions(
    begun: Work,
) -> None:
    lines = "".join(f"row_{number} = {number}\n" for number in range(20))
    begun.commit("Add rows", {"engine/rows.py": lines}, at=noon(2021, 1, 1))
    shas: list[str] = []
    for number in range(9):
        lines += f"more_{number} = 1\n"
        shas.append(begun.commit("More", {"engine/rows.py": lines}, at=noon(2021, 2, 1)))
    moved = {"engine/rows.py": None, "engine/table.py": lines.encode()}
    begun.commit("Move", moved, at=noon(2022, 1, 1))
    changed = {"engine/table.py": lines.replace("more_4 = 1\n", "more_4 = 2\n")}
    fix = begun.commit("Fix", changed, at=noon(2026, 1, 1))
    assert await births_in(begun.path, fix) == [(shas[4], ("more_4",))]


async def test_plain_words_tests_and_what_a_repository_began_with_have_no_birth(
    begun: Work,
) -> None:
    texts = {"engine/plain.py": "size = count\n", "tests/test_it.py": "spill_limit = 1\n"}
    begun.commit("Add", texts, at=noon(2021, 1, 1))
    changed = {
        "engine/plain.py": "size = 2\n",
        "tests/test_it.py": "spill_limit = 2\n",
        "engine/core.py": "core_limit = 2\n",
    }
    fix = begun.commit("Fix", changed, at=noon(2026, 1, 1))
    assert await births_in(begun.path, fix) == []


async def test_names_that_end_come_before_those_that_stay_and_rare_ones_before_common_ones(
    begun: Work,
) -> None:
    often = "often_used = 1\n" * 20
    text = f"{often}ends_here = 1\nstays_one = 1\nstays_two = 1\nstays_three = 1\n"
    added = begun.commit("Add", {"engine/names.py": text}, at=noon(2021, 1, 1))
    new_text = text.replace("ends_here = 1\n", "").replace("= 1\n", "= 2\n")
    fix = begun.commit("Fix", {"engine/names.py": new_text}, at=noon(2026, 1, 1))
    ((birth, names),) = await births_in(begun.path, fix)
    assert birth == added
    assert names == ("ends_here", "stays_three", "stays_one")


async def test_a_shallow_or_partial_clone_names_nobody_for_what_it_does_not_have(
    begun: Work, tmp_path: Path
) -> None:
    begun.commit("Add", {"engine/server.py": SPILL}, at=noon(2021, 1, 1))
    begun.commit("Note", {"README.md": "Note.\n"}, at=noon(2025, 12, 31))
    fix = begun.commit("Take out", {"engine/server.py": "pass\n"}, at=noon(2026, 1, 1))
    begun.git("config", "uploadpack.allowFilter", "true")
    for option in ("--depth=2", "--filter=blob:none"):
        clone = tmp_path / option.strip("-")
        begun.git("clone", "--quiet", "--bare", option, f"file://{begun.path}", str(clone))
        assert await births_in(clone, fix) == [], option
