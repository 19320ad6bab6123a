"""Who wrote the lines that commits touch, however long ago."""

from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pytest

from agent.domain.base import RepoId
from tests.made_repos import Work
from tools.git.source import GitSource

REPO = RepoId("acme/engine")
ROUTER = "def routes(count):\n    first = count + 1\n    second = count + 2\n    return first\n"
OTHERS = "def others(count):\n    third = count + 3\n    fourth = count + 4\n    return third\n"


def noon(year: int, month: int, day: int) -> datetime:
    return datetime(year, month, day, 12, tzinfo=UTC)


@pytest.fixture
def begun(work: Work) -> Work:
    """Return a repository with a first commit, whose lines nobody wrote."""
    work.commit("Begin", {"engine/core.py": "LIMIT = 1\nAGES = 2\n"}, at=noon(2020, 1, 1))
    return work


async def writers_of(path: Path, sha: str) -> list[tuple[str, int, int]]:
    """Return the writers of what a commit touches, with how many changed and nearby lines."""
    answer = await GitSource(REPO, path).line_writers([sha])
    return [(writer.commit.sha, writer.changed, writer.nearby) for writer in answer[sha]]


async def test_a_changed_line_has_its_writer_after_years_and_the_first_import_none(
    begun: Work,
) -> None:
    writer = begun.commit("Add", {"engine/routes.py": ROUTER}, at=noon(2021, 1, 1))
    begun.commit("Note", {"README.md": "Routes.\n"}, at=noon(2023, 1, 1))
    changed = ROUTER.replace("count + 2", "count - 2")
    both = {"engine/routes.py": changed, "engine/core.py": "LIMIT = 3\nAGES = 2\n"}
    fix = begun.commit("Fix", both, at=noon(2026, 1, 1))
    assert await writers_of(begun.path, fix) == [(writer, 1, 3)]


async def test_where_lines_are_only_added_those_of_the_same_block_around_them_count(
    begun: Work,
) -> None:
    writer = begun.commit("Add", {"engine/routes.py": ROUTER}, at=noon(2021, 1, 1))
    text = f"{ROUTER}\n\n{OTHERS}"
    begun.commit("Add others", {"engine/routes.py": text}, at=noon(2022, 1, 1))
    added = text.replace("    return first\n", "    check(first)\n    return first\n")
    fix = begun.commit("Fix", {"engine/routes.py": added}, at=noon(2026, 1, 1))
    assert await writers_of(begun.path, fix) == [(writer, 0, 4)]
    last = added.replace("    return first\n", "    return first\n    check(second)\n")
    last_fix = begun.commit("Check", {"engine/routes.py": last}, at=noon(2026, 1, 2))
    assert await writers_of(begun.path, last_fix) == [(writer, 0, 2), (fix, 0, 1)]


async def test_lines_of_a_renamed_file_and_reindented_ones_belong_to_those_who_wrote_them(
    begun: Work,
) -> None:
    writer = begun.commit("Add", {"engine/routes.py": ROUTER}, at=noon(2021, 1, 1))
    moved = {"engine/routes.py": None, "engine/router.py": ROUTER.encode()}
    begun.commit("Move", moved, at=noon(2022, 1, 1))
    indented = "class Routes:\n" + "".join(f"    {line}\n" for line in ROUTER.splitlines())
    reindent = begun.commit("Indent", {"engine/router.py": indented}, at=noon(2023, 1, 1))
    assert await writers_of(begun.path, reindent) == []
    changed = indented.replace("count + 2", "count - 2").replace("return first", "return second")
    fix = begun.commit("Fix", {"engine/router.py": changed}, at=noon(2026, 1, 1))
    assert await writers_of(begun.path, fix) == [(writer, 2, 2)]


async def test_a_file_that_was_deleted_and_came_back_begins_when_it_came_back(begun: Work) -> None:
    begun.commit("Add", {"engine/routes.py": ROUTER}, at=noon(2021, 1, 1))
    begun.commit("Take out", {"engine/routes.py": None}, at=noon(2022, 1, 1))
    back = begun.commit("Bring back", {"engine/routes.py": ROUTER}, at=noon(2023, 1, 1))
    changed = {"engine/routes.py": ROUTER.replace("count + 2", "count - 2")}
    fix = begun.commit("Fix", changed, at=noon(2026, 1, 1))
    assert await writers_of(begun.path, fix) == [(back, 1, 3)]


async def test_commits_that_the_repository_lists_as_formatting_wrote_nothing(begun: Work) -> None:
    writer = begun.commit("Add", {"engine/routes.py": ROUTER}, at=noon(2021, 1, 1))
    formatted = ROUTER.replace("count + 2", "(count + 2)")
    formatting = begun.commit("Format", {"engine/routes.py": formatted}, at=noon(2022, 1, 1))
    listed = f"# formatting\n{formatting}\n{'0' * 40}\n"
    begun.commit("List it", {".git-blame-ignore-revs": listed}, at=noon(2022, 1, 2))
    changed = {"engine/routes.py": ROUTER.replace("count + 2", "count - 2")}
    fix = begun.commit("Fix", changed, at=noon(2026, 1, 1))
    assert await writers_of(begun.path, fix) == [(writer, 1, 3)]


async def test_the_writers_of_most_product_lines_come_first_and_lines_of_tests_count_less(
    begun: Work,
) -> None:
    first = begun.commit("Add", {"engine/routes.py": "size = 1\n"}, at=noon(2021, 1, 1))
    tests = "".join(f"check({number})\n" for number in range(3))
    second = begun.commit("Test", {"tests/test_routes.py": tests}, at=noon(2022, 1, 1))
    changed = {"engine/routes.py": "size = 2\n", "tests/test_routes.py": "check(9)\n"}
    fix = begun.commit("Fix", changed, at=noon(2026, 1, 1))
    assert await writers_of(begun.path, fix) == [(first, 1, 0), (second, 3, 0)]


async def test_a_shallow_or_partial_clone_names_nobody_for_what_it_does_not_have(
    begun: Work, tmp_path: Path
) -> None:
    begun.commit("Add", {"engine/routes.py": ROUTER}, at=noon(2021, 1, 1))
    begun.commit("Note", {"README.md": "Routes.\n"}, at=noon(2025, 12, 31))
    changed = {"engine/routes.py": ROUTER.replace("count + 2", "count - 2")}
    fix = begun.commit("Fix", changed, at=noon(2026, 1, 1))
    begun.git("config", "uploadpack.allowFilter", "true")
    for option in ("--depth=2", "--filter=blob:none"):
        clone = tmp_path / option.strip("-")
        begun.git("clone", "--quiet", "--bare", option, f"file://{begun.path}", str(clone))
        assert await writers_of(clone, fix) == [], option


async def test_lines_have_the_writers_that_git_blames_over_the_whole_history(begun: Work) -> None:
    random = Random(7)
    paths = ("engine/a.py", "engine/b.py")
    texts = {path: [f"begin_{path[-4]} = 0"] for path in paths}
    begun.commit("Add", {path: "\n".join(lines) for path, lines in texts.items()})
    shas = []
    for number in range(30):
        path = random.choice(paths)
        lines = texts[path]
        for _ in range(3):
            lines.insert(random.randrange(len(lines) + 1), f"name_{number} = {random.random()}")
        if len(lines) > 12:
            del lines[: random.randrange(4)]
        shas.append(begun.commit(f"Change {number}", {path: "\n".join(lines)}))
    answer = await GitSource(REPO, begun.path).line_writers(shas)
    followed = 0
    for sha in shas:
        path = begun.git("diff", "--name-only", f"{sha}^", sha)
        blame = begun.git("blame", "-s", "-l", "-w", "-M", "--root", f"{sha}^", "--", path)
        wrote = [line.split()[0] for line in blame.splitlines()]
        for writer in answer[sha]:
            assert 0 < writer.changed + writer.nearby <= wrote.count(writer.commit.sha)
            followed += 1
    assert followed > 30
