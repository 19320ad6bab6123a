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


async def test_the_commit_that_is_undone_is_named_and_one_of_other_size_or_files_is_not(work: "Work") -> None:
    work.write("a.py", FIRST)
    work.commit("begin")
    work.write("a.py", ADDED)
    done = work.commit("add")
    work.write("a.py", ADDED.replace("line 3\n", "line three\n"))
    work.commit("one line")
    work.write("b.py", ADDED)
    work.commit("another file")
    work.write("a.py", FIRST.replace("line 3\n", "line three\n"))
    undone = work.commit("undo")
    assert await source(work).before(undone, ["a.py"]) == (done,)


async def test_copies_are_named_only_where_something_was_undone(work: "Work") -> None:
    work.write("a.py", FIRST)
    work.commit("begin")
    work.write("a.py", ADDED)
    first = work.commit("add")
    work.write("a.py", FIRST)
    undone = work.commit("undo")
    work.write("a.py", ADDED)
    again = work.commit("add again")
    code = source(work)
    assert await code.before(first, ["a.py"]) == ()
    assert await code.before(again, ["a.py"]) == (first, undone)
    assert await code.before(undone, ["a.py"]) == (first,)
    with pytest.raises(NotFound):
        await code.before("0" * 40, ["a.py"])
