"""Where product code lies, in real repositories."""

from typing import TYPE_CHECKING

from tools.git.product import changed_paths, product_paths
from tools.git.repository import open_repository
from tools.git.view import view_of

if TYPE_CHECKING:
    from tests.tools.git.conftest import Work


async def test_product_code_is_named_by_whole_folders_where_all_of_a_folder_is_wanted(work: "Work") -> None:
    for path in ("setup.py", "src/a/one.py", "src/a/deep/two.py", "src/b/three.py", "src/b/test_three.py"):
        work.write(path, "x = 1\n")
    for path in ("docs/index.md", "tests/test_one.py", "media/logo.PNG", "src/c[1]*.py"):
        work.write(path, "x = 1\n")
    tip = work.commit("begin")
    view = view_of(await open_repository(work.path))
    assert await product_paths(view, tip) == [b"setup.py", b"src/a", b"src/b/three.py", b"src/c[1]*.py"]
    assert await product_paths(view, tip, lambda path: b"deep" in path) == [b"src/a/deep"]
    assert await product_paths(view, tip, lambda path: b"nowhere" in path) == []


async def test_files_that_moved_changed_or_came_are_told_and_those_that_went_are_not(work: "Work") -> None:
    for path in ("same.py", "gone.py", "moved.py", "changed.py"):
        work.write(path, f"{path} = 1\n")
    old = work.commit("begin")
    work.git("rm", "--quiet", "gone.py")
    work.git("mv", "moved.py", "here.py")
    work.write("changed.py", "x = 2\n")
    work.write("new.py", "x = 3\n")
    new = work.commit("go on")
    view = view_of(await open_repository(work.path))
    assert await changed_paths(view, old, new) == {b"here.py", b"changed.py", b"new.py"}
