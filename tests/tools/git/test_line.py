"""Which earlier commits may be what a change undoes or repeats."""

from typing import TYPE_CHECKING

import pytest

from agent.domain.base import NotFound, RepoId
from tools.git.source import GitSource

if TYPE_CHECKING:
    from tests.tools.git.conftest import Work

FIRST = "".join(f"line {number}\n" for number in range(60))
ADDED = FIRST + "".join(f"more {number}\n" for number in range(12))


def source(work: "Work") -> GitSource:
    return GitSource(RepoId("ada/engine"), work.path)


async def test_the_commit_that_is_undone_is_named_and_one_of_other_size_is_not(work: "Work") -> None:
    work.write("a.py", FIRST)
    work.commit("begin")
    work.write("a.py", ADDED)
    done = work.commit("add")
    work.write("a.py", ADDED.replace("line 3\n", "line three\n"))
    work.commit("one line")
    work.write("a.py", FIRST.replace("line 3\n", "line three\n"))
    undone = work.commit("undo")
    assert await source(work).before(undone, ["a.py"]) == (done,)


async def test_a_small_change_is_compared_only_with_changes_of_the_same_files(work: "Work") -> None:
    work.write("a.py", "limit = 8\n")
    begun = work.commit("begin")
    work.write("a.py", "limit = 16\n")
    work.write("b.py", "other = 1\n")
    work.commit("with another file")
    work.write("a.py", "limit = 8\n")
    alone = work.commit("alone")
    work.write("a.py", "limit = 16\n")
    again = work.commit("again")
    assert await source(work).before(again, ["a.py"]) == (begun, alone)


async def test_commits_may_be_asked_for_in_any_order(work: "Work") -> None:
    shas = []
    for turn in range(6):
        work.write("a.py", f"limit = {turn % 2}\n")
        shas.append(work.commit(f"turn {turn}"))
    code = source(work)
    for place in (3, 5, 1, 4, 2):
        assert await code.before(shas[place], ["a.py"]) == tuple(shas[:place])
    assert await code.before(shas[0], ["a.py"]) == ()


async def test_copies_are_named_only_where_something_was_undone(work: "Work") -> None:
    work.write("a.py", FIRST)
    begun = work.commit("begin")
    work.write("b.py", FIRST)
    work.write("a.py", ADDED)
    work.commit("add")
    work.write("a.py", ADDED + ADDED.replace("line", "row"))
    once = work.commit("add rows")
    work.write("a.py", ADDED + ADDED.replace("line", "row") * 2)
    again = work.commit("add the same rows once more")
    assert await source(work).before(again, ["a.py"]) == ()
    work.write("a.py", ADDED + ADDED.replace("line", "row"))
    undone = work.commit("take them out")
    assert await source(work).before(undone, ["a.py"]) == (begun, once, again)


async def test_lines_of_the_same_number_that_say_something_else_undo_nothing(work: "Work") -> None:
    work.write("a.py", FIRST)
    work.commit("begin")
    work.write("a.py", FIRST.replace("line 1", "row 1"))
    work.commit("some rows")
    work.write("a.py", FIRST.replace("line 1", "row 1").replace("line 2", "row 2"))
    other = work.commit("as many others")
    assert await source(work).before(other, ["a.py"]) == ()


async def test_a_line_that_merges_interrupt_is_followed_by_first_parents(work: "Work") -> None:
    work.write("a.py", "limit = 0\n")
    first = work.commit("first")
    work.git("checkout", "--quiet", "-b", "side")
    work.write("a.py", "limit = 1\n")
    work.commit("on the side")
    work.git("checkout", "--quiet", "main")
    work.git("merge", "--quiet", "--no-ff", "-m", "merge", "side")
    merge = work.git("rev-parse", "HEAD")
    work.write("a.py", "limit = 0\n")
    last = work.commit("back")
    assert await source(work).before(last, ["a.py"]) == (first, merge)


async def test_an_unknown_commit_is_not_found(work: "Work") -> None:
    work.write("a.py", "limit = 0\n")
    work.commit("first")
    with pytest.raises(NotFound):
        await source(work).before("0" * 40, ["a.py"])
