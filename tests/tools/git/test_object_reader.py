"""One git that stays: it answers in order, tells what is not there, and is gone when nobody needs it."""

import asyncio
import gc

import pytest

from tests.made_repos import Work
from tests.tools.git.test_process import alive
from tools.git.isolated_repository import View, view_of
from tools.git.opened_repository import open_repository


@pytest.fixture
async def view(work: Work) -> View:
    work.commit("first", {"a file.txt": "one\ntwo", "empty": ""})
    return view_of(await open_repository(work.path))


def names(work: Work, *paths: str) -> list[bytes]:
    return [f"{work.head()}:{path}".encode() for path in paths]


def number_of(view: View) -> int:
    assert view.objects._git is not None
    return view.objects._git.pid


async def test_many_questions_at_once_go_to_one_git_and_each_has_its_own_answer(
    work: Work, view: View
) -> None:
    work.commit("many", {f"f{number}": f"{number}\n" * 5_000 for number in range(30)})
    readings = [view.objects.contents(names(work, f"f{number}")) for number in range(30)]
    first = await view.objects.known([b"HEAD"])
    process = number_of(view)
    for number, (content,) in enumerate(await asyncio.gather(*readings)):
        assert content
        assert content.content == f"{number}\n".encode() * 5_000
    assert first == [None]
    assert number_of(view) == process


async def test_a_damaged_object_is_as_good_as_missing_and_the_rest_is_read(
    work: Work, view: View
) -> None:
    blob = work.git("rev-parse", "HEAD:a file.txt")
    file = work.path / ".git" / "objects" / blob[:2] / blob[2:]
    file.chmod(0o600)
    file.write_bytes(b"not an object")
    damaged, empty = await view.objects.contents(names(work, "a file.txt", "empty"))
    assert damaged is None
    assert empty


async def test_git_is_gone_with_the_view(work: Work) -> None:
    work.commit("first")
    view = view_of(await open_repository(work.path))
    await view.objects.known([work.head().encode()])
    process = str(number_of(view))
    assert alive(process)
    del view
    gc.collect()
    assert not alive(process)
