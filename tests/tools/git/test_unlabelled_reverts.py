"""Which earlier commits are undone by a commit that does not say so."""

from datetime import date, timedelta

from agent.domain.base import RepoId
from agent.domain.window import Window
from agent.links.footprints import footprint_of
from agent.ports import NoThreads, RepositorySources
from agent.stories.timeline import headline
from memory.store import database_in_memory
from memory.stories import Stories
from tests.made_repos import Work
from tests.tools.git.test_line_writers import noon
from tools.git.source import GitSource
from tools.history.similar_commits import similar_commits

REPO = RepoId("acme/engine")
CORE = "core_limit = 1\n"
SPILL = "def spill_rows(rows):\n    kept_rows = rows[:spill_limit]\n    return kept_rows\n"
MORE = "def more_rows(rows):\n    return rows * row_factor\n"


async def undone_by(work: Work, sha: str) -> dict[str, int]:
    """Return the commits of which a commit takes lines back, with their numbers, in order."""
    source = GitSource(REPO, work.path)
    (change,) = [change async for change in source.changes([sha])]
    query = footprint_of(change, headline(change.commit))
    since = change.commit.committed_at - timedelta(days=60)
    similar = await source.similar([query], upto=sha, since=since, limit=6)
    return {found.commit.sha: found.undone for found in similar[sha] if found.undone}


def begin(work: Work) -> None:
    work.commit("Begin", {"engine.py": CORE})


async def test_who_brought_most_of_the_removed_lines_is_first_whatever_the_title_says(
    work: Work,
) -> None:
    begin(work)
    spill = work.commit("Let rows spill", {"engine.py": CORE + SPILL})
    work.commit("Bring more rows", {"other.py": MORE})
    quiet = work.commit("Keep the heap small", {"engine.py": CORE})
    assert await undone_by(work, quiet) == {spill: 3}


async def test_a_part_that_is_taken_back_and_lines_that_come_back_count(work: Work) -> None:
    begin(work)
    spill = work.commit("Let rows spill", {"engine.py": CORE + SPILL, "other.py": MORE})
    part = work.commit("Keep the heap small", {"other.py": "pass\n"})
    assert await undone_by(work, part) == {spill: 2}
    again = work.commit("Bring more rows", {"other.py": MORE})
    assert await undone_by(work, again) == {part: 2}


async def test_titles_with_the_same_stem_tie_a_small_part_of_both(work: Work) -> None:
    begin(work)
    wide = "".join(f"spill_row_{number} = {number}\n" for number in range(9))
    text = f"{wide}spill_by_default = True\n"
    enable = work.commit("Enable spilling of rows by default", {"engine.py": text})
    other = "".join(f"other_{number} = {number}\n" for number in range(9))
    work.commit("Bring others", {"other.py": other})
    changed = {"engine.py": f"{wide}spill_by_default = False\n", "other.py": "pass\n"}
    disable = work.commit("Disable spilling of rows by default", changed)
    assert (await undone_by(work, disable))[enable] == 1


async def test_moves_common_lines_and_later_commits_undo_nothing(work: Work) -> None:
    begin(work)
    work.commit("Add rows", {"engine.py": CORE + SPILL})
    moved = work.commit("Move them", {"engine.py": CORE, "rows.py": SPILL})
    assert await undone_by(work, moved) == {}
    for number in range(6):
        work.commit(f"Part {number}", {f"part{number}.py": "import engine_rows\n"})
    common = work.commit("Shorten", {"part0.py": "pass\n"})
    assert await undone_by(work, common) == {}


async def test_what_landed_after_a_past_day_makes_none_of_its_lines_common(work: Work) -> None:
    work.commit("Begin", {"engine.py": CORE}, at=noon(2026, 1, 1))
    spill = work.commit("Let rows spill", {"engine.py": CORE + SPILL}, at=noon(2026, 1, 2))
    quiet = work.commit("Keep the heap small", {"engine.py": CORE}, at=noon(2026, 1, 9))
    for number in range(8):
        files = {f"copy{number}.py": SPILL}
        work.commit(f"Copy {number}", files, at=noon(2026, 2, 1 + number))
    source = GitSource(REPO, work.path)
    (change,) = [change async for change in source.changes([quiet])]
    query = footprint_of(change, headline(change.commit))
    sources = RepositorySources(code=source, threads=NoThreads(REPO, "git-only"), diffs=None)
    day = Window.days(date(2026, 1, 9), date(2026, 1, 9), "UTC")
    stories = Stories(database_in_memory())
    similar = await similar_commits([query], {REPO: sources}, day, stories)
    undone = {found.commit.sha: found.undone for found in similar[REPO][quiet] if found.undone}
    assert undone == {spill: 3}
