"""Which earlier commits may be what a change undoes or repeats."""

import pytest

from agent.domain.base import NotFound, RepoId
from tests.made_repos import Work
from tools.git.source import GitSource

FIRST = "".join(f"line {number}\n" for number in range(60))
ADDED = FIRST + "".join(f"more {number}\n" for number in range(12))


async def test_what_is_undone_or_repeated_is_named_and_what_has_other_size_or_files_is_not(
    work: Work,
) -> None:
    code = GitSource(RepoId("ada/engine"), work.path)
    work.commit("begin", {"a.py": FIRST})
    first = work.commit("add", {"a.py": ADDED})
    work.commit("one line", {"a.py": ADDED.replace("line 3\n", "line three\n")})
    work.commit("another file", {"b.py": ADDED})
    undone = work.commit("undo", {"a.py": FIRST.replace("line 3\n", "line three\n")})
    again = work.commit("add again", {"a.py": ADDED.replace("line 3\n", "line three\n")})
    assert await code.before(first, ["a.py"]) == (), (
        "copies are named only where something was undone"
    )
    assert await code.before(undone, ["a.py"]) == (first,)
    assert await code.before(again, ["a.py"]) == (first, undone)
    with pytest.raises(NotFound):
        await code.before("0" * 40, ["a.py"])
