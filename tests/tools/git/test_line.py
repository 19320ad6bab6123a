"""Which earlier commits may be what a change undoes or repeats."""

from datetime import UTC, datetime

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


async def test_lines_of_many_writers_are_nobodys_when_one_is_looked_for(work: Work) -> None:
    work.commit(files={"engine/a.py": "", "engine/b.py": "", "engine/c.py": ""})
    first = work.commit(files={"engine/a.py": "size = 1\nages = 2\nname = 3\n"})
    second = work.commit(files={"engine/b.py": "size = 1\nages = 2\n"})
    third = work.commit(files={"engine/c.py": "size = 1\n"})
    last = work.commit(files={"engine/a.py": "", "engine/b.py": "", "engine/c.py": ""})
    code = GitSource(RepoId("acme/engine"), work.path)
    since = datetime(2020, 1, 1, tzinfo=UTC)
    everybody = {first: 3, second: 2, third: 1}
    assert await code.written_by(last, since=since) == everybody
    assert await code.written_by(last, since=since, share=0.5) == everybody
    assert await code.written_by(last, since=since, share=0.8) == {"": 6}
