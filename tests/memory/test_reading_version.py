"""What one version of the code read is not an answer for another version."""

from datetime import date
from pathlib import Path

from pydantic import TypeAdapter

from agent.domain.base import RepoId
from memory.reading_version import reading_version, version_of
from memory.recorded_answers import JsonCodec
from memory.recorder import Call
from memory.store import open_memory

REPO = RepoId("acme/engine")
NUMBER = JsonCodec("number", TypeAdapter(int))


def test_another_version_of_the_rules_has_another_name(tmp_path: Path) -> None:
    folder = tmp_path / "tools" / "surface"
    folder.mkdir(parents=True)
    (folder / "rules.py").write_text("LIMIT = 1\n")
    first = version_of(tmp_path)
    assert version_of(tmp_path) == first
    (folder / "rules.py").write_text("LIMIT = 2\n")
    second = version_of(tmp_path)
    (folder / "rules.py").rename(folder / "others.py")
    assert len({first, second, version_of(tmp_path), reading_version()}) == 4


def test_a_run_takes_over_answers_of_its_own_version_alone(tmp_path: Path) -> None:
    with open_memory(tmp_path, date(2026, 2, 3)) as memory:
        earlier = Call("code.count", REPO, lasting="version 1")
        memory.recorder("first").record([(earlier, NUMBER.encode(7))])
        later = memory.recorder("second")
        assert later.missing({"": Call("code.count", REPO, lasting="version 2")})
        same = Call("code.count", REPO, lasting="version 1")
        assert not later.missing({"": same})
        assert later.play(same, NUMBER) == 7
