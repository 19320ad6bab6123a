"""Which earlier commits may be what a change undoes or repeats."""

import os
import shutil
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pytest

from agent.domain.base import RepoId
from agent.domain.errors import NotFound
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


LOGGING_GIT = """#!/bin/sh
echo "$*" >> {log}
exec {git} "$@"
"""


def noon(month: int, day: int) -> datetime:
    return datetime(2026, month, day, 12, tzinfo=UTC)


@pytest.fixture
def git_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a file that lists the commands of git."""
    log = tmp_path / "git.log"
    program = shutil.which("git")
    assert program is not None
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "git").write_text(LOGGING_GIT.format(log=log, git=program))
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return log


def commands_in(git_log: Path) -> list[str]:
    lines = git_log.read_text().splitlines()
    return [line.partition(" ")[0] for line in lines]


async def test_git_is_not_asked_who_wrote_a_file_that_nobody_touched_lately(
    work: Work, git_log: Path
) -> None:
    work.commit(files={"engine/a.py": "size = 1\nages = 2\n"}, at=noon(1, 1))
    work.commit(files={"engine/b.py": "size = 1\n"}, at=noon(2, 2))
    last = work.commit(files={"engine/a.py": "size = 2\n"}, at=noon(2, 3))
    code = GitSource(RepoId("acme/engine"), work.path)
    since = datetime(2026, 2, 1, tzinfo=UTC)
    assert await code.written_by(last, since=since) == {"": 2}
    assert "blame" not in commands_in(git_log)


async def test_lines_have_the_writers_that_git_blames_over_the_whole_line(work: Work) -> None:
    random = Random(5)
    work.commit(files={"engine/a.py": "", "engine/b.py": ""}, at=noon(1, 1))
    texts = {"engine/a.py": ["begin = 0"], "engine/b.py": ["begin = 0"]}
    for number in range(40):
        path = random.choice(list(texts))
        lines = texts[path]
        for _ in range(3):
            lines.insert(random.randrange(len(lines) + 1), f"name_{number} = {random.random()}")
        if len(lines) > 12:
            del lines[: random.randrange(5)]
            lines.append(lines.pop(random.randrange(len(lines))))
        at = noon(1, 2) + timedelta(hours=12 * number)
        work.commit(files={path: "\n".join(lines)}, at=at)
    last = work.commit(files=dict.fromkeys(texts, "end = 1\n"), at=noon(2, 1))
    code = GitSource(RepoId("acme/engine"), work.path)
    since = datetime(2026, 1, 10, tzinfo=UTC)
    blamed: Counter[str] = Counter()
    for path in texts:
        options = ("-s", "-l", "-M", "--root", "--first-parent", f"--since={since.isoformat()}")
        for line in work.git("blame", *options, f"{last}^", "--", path).splitlines():
            sha = line.split()[0]
            blamed["" if sha.startswith("^") else sha] += 1
    assert len(blamed) > 8
    assert blamed[""] > 0
    assert await code.written_by(last, since=since) == blamed


async def test_lines_of_a_renamed_file_belong_to_their_writer_under_the_old_name(
    work: Work,
) -> None:
    text = "".join(f"name_{number} = {number}\n" for number in range(30))
    work.commit(files={"other.py": "x = 1\n"}, at=noon(1, 1))
    writer = work.commit(files={"engine/a.py": text}, at=noon(2, 1))
    work.commit(files={"engine/a.py": None, "engine/b.py": text.encode()}, at=noon(2, 2))
    last = work.commit(files={"engine/b.py": ""}, at=noon(2, 3))
    code = GitSource(RepoId("acme/engine"), work.path)
    since = datetime(2026, 1, 15, tzinfo=UTC)
    assert await code.written_by(last, since=since) == {writer: 30}
