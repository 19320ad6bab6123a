"""Where product code lies, in real repositories."""

from typing import TYPE_CHECKING

from tools.git.files import product_paths
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
