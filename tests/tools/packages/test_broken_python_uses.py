"""A line fails if it worked with the old version of a package and does not with the new one."""

from collections.abc import Mapping

import pytest

from agent.bumps.bump_report_model import CodeUse
from tests.made_repos import Work
from tools.packages.broken_python_uses import broken_uses, own_uses
from tools.packages.python_package_api import PythonTree
from tools.packages.repository_trees import TreeReader

OLD = """\
class Canvas:
    def line(self, start, end, width=1): ...
    def fill(self): ...

def blend(first, second, gamma=2.2, mode="over"): ...
def dither(image): ...
"""


async def broken(
    work: Work, new: str, own_code: Mapping[str, str] | str, before: Mapping[str, str] | None = None
) -> list[CodeUse]:
    exports = "from .canvas import Canvas, blend, dither\n"
    files = {"pyproject.toml": "", "paint/__init__.py": exports, "paint/canvas.py": OLD}
    old_sha = work.commit("Old", files)
    new_sha = work.commit("New", {"paint/canvas.py": new})
    trees = await TreeReader.at(work.path)
    own_files = {"app.py": own_code} if isinstance(own_code, str) else own_code
    old = await PythonTree.at(trees, old_sha)
    new_tree = await PythonTree.at(trees, new_sha)
    uses = await own_uses(own_files if before is None else before, own_files, {"paint"})
    return await broken_uses(uses, old, new_tree)


def use_rows(uses: list[CodeUse]) -> list[tuple[int, str]]:
    return [(use.line, use.text) for use in uses]


async def test_a_name_that_is_gone_fails_where_it_is_imported(work: Work) -> None:
    own_code = "import paint\nfrom paint import dither, blend\n\ndither(1)\ndither(2)\n"
    new = OLD.replace("def dither(image): ...\n", "")
    assert use_rows(await broken(work, new, own_code)) == [(2, "`paint.dither` is gone")]


async def test_a_name_reached_through_its_module_fails_where_it_is_used(work: Work) -> None:
    own_code = "import paint.canvas as c\n\nc.dither(1)\n"
    new = OLD.replace("def dither(image): ...\n", "")
    assert use_rows(await broken(work, new, own_code)) == [(3, "`paint.canvas.dither` is gone")]


async def test_a_name_that_moved_is_told_with_its_new_path(work: Work) -> None:
    work.commit("Begin", {"paint/__init__.py": "", "paint/filters.py": ""})
    own_code = "from paint.canvas import dither\nfrom paint.filters import x\n"
    await broken(work, OLD, own_code)
    work.write("paint/filters.py", "def dither(image): ...\n")
    (use,) = await broken(work, OLD.replace("def dither(image): ...\n", ""), own_code)
    assert (use.text, use.replacement) == ("`paint.canvas.dither` is gone", "paint.filters.dither")


@pytest.mark.parametrize(
    ("new", "call", "fault"),
    [
        ("first, second", "blend(1, 2, gamma=3)", "it does not take `gamma`"),
        ("first, second", "blend(1, 2, 3)", "it takes 2 arguments by position, 3 are given"),
        ("first, second, gamma", "blend(1, 2)", "it needs `gamma`"),
        (
            "first, second, *, gamma=1, mode=1",
            "blend(1, 2, 3)",
            "it takes 2 arguments by position, 3 are given",
        ),
        (
            "first, second, mode=1, gamma=1",
            "blend(1, 2, 3)",
            "argument 3 was `gamma` and is `mode` now",
        ),
        ("first, second, gamma=1", "blend(1, 2, **more)", ""),
        ("first, second, gamma=1", "blend(*both, gamma=1)", ""),
        ("first, second, gamma=1, **rest", "blend(1, 2, mode=1)", ""),
        ("a, b, gamma=1", "blend(1, 2)", ""),
        ("first, second, gamma=9, mode=9", "blend(1, 2)", ""),
    ],
)
async def test_a_call_fails_that_fitted_the_old_parameters_alone(
    work: Work, new: str, call: str, fault: str
) -> None:
    changed = OLD.replace('first, second, gamma=2.2, mode="over"', new)
    uses = await broken(work, changed, f"from paint import blend\n\n{call}\n")
    assert use_rows(uses) == ([(3, f"`paint.blend`: {fault}")] if fault else [])


async def test_a_call_that_never_fitted_is_not_ours_to_judge(work: Work) -> None:
    changed = OLD.replace('gamma=2.2, mode="over"', "gamma=2.2")
    assert (
        await broken(work, changed, "from paint import blend\n\nblend(1, 2, odd=3, mode=4)\n") == []
    )


@pytest.mark.parametrize(
    "own_code",
    [
        "from paint import Canvas\ncanvas = Canvas()\ncanvas.line(1, 2, width=3)\n",
        "from paint import Canvas\n\nCanvas().line(1, 2, width=3)\n",
        "from paint import Canvas\ndef draw(canvas: Canvas | None):\n    canvas.line(1, 2, width=3)\n",
    ],
)
async def test_methods_of_objects_whose_class_is_plain_are_checked(
    work: Work, own_code: str
) -> None:
    changed = OLD.replace(", width=1", "")
    assert use_rows(await broken(work, changed, own_code)) == [
        (3, "`paint.Canvas.line`: it does not take `width`")
    ]


async def test_an_object_that_may_be_something_else_is_left_alone(work: Work) -> None:
    own_code = (
        "from paint import Canvas\nc = Canvas()\nfor c in others():\n    c.line(1, 2, width=3)\n"
    )
    assert await broken(work, OLD.replace(", width=1", ""), own_code) == []


async def test_a_name_that_the_file_binds_itself_is_not_the_package(work: Work) -> None:
    own_code = "from paint import blend\n\ndef blend(*all, **more): ...\n\nblend(1, 2, gamma=3)\n"
    changed = OLD.replace('gamma=2.2, mode="over"', 'mode="over"')
    assert await broken(work, changed, own_code) == []


async def test_names_that_own_modules_give_on_are_followed(work: Work) -> None:
    own_code = {
        "app/__init__.py": "",
        "app/compat.py": 'from paint import blend\nlazy = load("paint.canvas", "blend")\n',
        "app/draw.py": "from .compat import blend\nfrom app.compat import lazy\n\n"
        "blend(1, 2, gamma=3)\nlazy(1, 2, gamma=3)\n",
    }
    changed = OLD.replace('gamma=2.2, mode="over"', 'mode="over"')
    uses = await broken(work, changed, own_code)
    assert [(use.file, use.line) for use in uses] == [("app/draw.py", 4), ("app/draw.py", 5)]


async def test_paths_in_strings_are_uses(work: Work) -> None:
    own_code = (
        'patch("paint.canvas.dither")\nimport_module("paint.nothing")\nprint("paint dither")\n'
    )
    uses = await broken(work, OLD.replace("def dither(image): ...\n", ""), own_code)
    assert use_rows(uses) == [(1, "`paint.canvas.dither` is gone")]


async def test_a_module_that_makes_its_names_up_is_not_judged(work: Work) -> None:
    new = "def __getattr__(name): ...\n"
    assert await broken(work, new, "from paint.canvas import dither\n") == []


async def test_a_member_that_a_base_outside_may_have_is_not_judged(work: Work) -> None:
    new = OLD.replace("class Canvas:", "class Canvas(elsewhere.Base):").replace(
        "    def fill(self): ...\n", ""
    )
    own_code = "from paint import Canvas\nCanvas().fill()\n"
    assert await broken(work, new, own_code) == []


async def test_a_shifted_call_that_came_with_the_bump_is_meant(work: Work) -> None:
    changed = OLD.replace('gamma=2.2, mode="over"', 'mode="over", gamma=2.2')
    own_code = "from paint import blend\n\nblend(1, 2, 'over')\n"
    before = {"app.py": "from paint import blend\n\nblend(1, 2)\n"}
    assert await broken(work, changed, own_code, before) == []


async def test_an_import_with_none_as_its_stand_in_is_followed(work: Work) -> None:
    own_code = (
        "blend = None\n"
        "try:\n    from paint import blend\nexcept ImportError:\n    blend = None\n\n"
        "blend(1, 2, gamma=3)\n"
    )
    changed = OLD.replace('gamma=2.2, mode="over"', 'mode="over"')
    assert use_rows(await broken(work, changed, own_code)) == [
        (7, "`paint.blend`: it does not take `gamma`")
    ]


@pytest.mark.parametrize(
    ("own_code", "is_guarded"),
    [
        ("try:\n    from paint import dither\nexcept ImportError:\n    pass\n", True),
        ("try:\n    from paint import dither\nexcept (KeyError, ImportError):\n    pass\n", True),
        ("try:\n    from paint import dither\nexcept:\n    pass\n", True),
        ("try:\n    from paint import dither\nexcept ValueError:\n    pass\n", False),
        (
            "import paint\ntry:\n    def f(): paint.dither(1)\nexcept ImportError:\n    pass\n",
            False,
        ),
    ],
)
async def test_a_line_is_prepared_if_its_error_is_caught_where_it_is_raised(
    work: Work, own_code: str, is_guarded: bool
) -> None:
    (use,) = await broken(work, OLD.replace("def dither(image): ...\n", ""), own_code)
    assert use.is_guarded is is_guarded


async def test_a_handler_of_imports_does_not_catch_a_wrong_call(work: Work) -> None:
    own_code = "try:\n    from paint import blend\n    blend(1, 2, gamma=3)\nexcept ImportError:\n    pass\n"
    changed = OLD.replace('gamma=2.2, mode="over"', 'mode="over"')
    (use,) = await broken(work, changed, own_code)
    assert not use.is_guarded


@pytest.mark.parametrize(
    ("options", "fails"),
    [
        ('options = {"gamma": 1}', True),
        ("options = dict(gamma=1)", True),
        ('options: dict = {"mode": 1}', False),
        ('options = {"gamma": 1}; options = other()', False),
        ("options = other()", False),
    ],
)
async def test_the_keys_of_a_written_out_dictionary_are_arguments(
    work: Work, options: str, fails: bool
) -> None:
    changed = OLD.replace('gamma=2.2, mode="over"', 'mode="over"')
    uses = await broken(
        work, changed, f"from paint import blend\n{options}\nblend(1, 2, **options)\n"
    )
    assert use_rows(uses) == ([(3, "`paint.blend`: it does not take `gamma`")] if fails else [])


async def test_objects_that_own_modules_make_are_followed(work: Work) -> None:
    own_code = {
        "app/__init__.py": "from paint import Canvas\n\ncanvas = Canvas()\n",
        "app/draw.py": "from app import canvas\n\ncanvas.fill()\n",
        "app/other.py": "from app import canvas\n\ncanvas = find()\ncanvas.fill()\n",
        "tests/test_draw.py": 'patch("app.canvas.fill")\n',
    }
    uses = await broken(work, OLD.replace("    def fill(self): ...\n", ""), own_code)
    assert [(use.file, use.line) for use in uses] == [("app/draw.py", 3), ("tests/test_draw.py", 1)]


SUBCLASS = """\
from paint import Canvas

class Easel(Canvas):
    def draw(self):
        self.fill()
        super().fill()
        self.line(1, 2, width=3)

    {}
"""


async def test_what_a_subclass_has_from_its_base_is_checked(work: Work) -> None:
    new = OLD.replace("    def fill(self): ...\n", "").replace(", width=1", "")
    own_code = {"easel.py": SUBCLASS.format("pass"), "app.py": "from easel import Easel\n"}
    assert use_rows(await broken(work, new, own_code)) == [
        (5, "`paint.Canvas.fill` is gone"),
        (7, "`paint.Canvas.line`: it does not take `width`"),
    ]


@pytest.mark.parametrize(
    "own_code",
    [
        "def fill(self): ...",
        "def begin(self): self.fill = print",
        "def __getattr__(self, name): ...",
    ],
)
async def test_what_a_subclass_has_itself_is_not_its_base(work: Work, own_code: str) -> None:
    new = OLD.replace("    def fill(self): ...\n", "")
    uses = await broken(
        work, new, SUBCLASS.format(own_code).replace("        super().fill()\n", "")
    )
    assert uses == []


OLD_FRAME = "class Canvas:\n    def __init__(self, size, colour=None): ...\n"
NEW_FRAME = "class Canvas:\n    def __init__(self, size): ...\n"


@pytest.mark.parametrize(
    "own_code",
    [
        "class Easel(Canvas):\n    def __init__(self):\n        super().__init__(1, colour=2)\n",
        "class Easel(Canvas): ...\n\nEasel(1, colour=2)\n",
        "class Easel(Canvas): ...\nclass Tall(Easel): ...\nTall(1, colour=2)\n",
    ],
)
async def test_the_constructor_of_a_subclass_is_that_of_its_base(work: Work, own_code: str) -> None:
    work.commit("Older", {"paint/frame.py": OLD_FRAME})
    own_code = f"from paint.frame import Canvas\n{own_code}"
    assert await broken(work, OLD, own_code) == []
    old_sha = work.git("rev-parse", "HEAD")
    new_sha = work.commit("Newer", {"paint/frame.py": NEW_FRAME})
    trees = await TreeReader.at(work.path)
    old = await PythonTree.at(trees, old_sha)
    new = await PythonTree.at(trees, new_sha)
    files = {"app.py": own_code}
    uses = await broken_uses(await own_uses(files, files, {"paint"}), old, new)
    assert use_rows(uses) == [(4, "`paint.frame.Canvas`: it does not take `colour`")]


async def test_a_subclass_with_fields_of_its_own_takes_other_arguments(work: Work) -> None:
    own_code = (
        "from paint import Canvas\n\n@dataclass\nclass Easel(Canvas):\n    legs: int\n\nEasel(3)\n"
    )
    new = OLD.replace("class Canvas:", "class Canvas:\n    def __init__(self): ...")
    assert await broken(work, new, own_code) == []


async def test_a_method_that_became_an_attribute_of_the_object_is_there(work: Work) -> None:
    new = OLD.replace("def fill(self): ...", "def __init__(self): self.fill = print")
    assert await broken(work, new, "from paint import Canvas\nCanvas().fill()\n") == []


@pytest.mark.parametrize(("base", "count"), [("Generic[T]", 1), ("Unknown[T]", 0)])
async def test_a_base_that_is_there_for_types_has_no_members(
    work: Work, base: str, count: int
) -> None:
    prologue = f"from typing import Generic\nfrom elsewhere import Unknown\n\nclass Canvas({base}):"
    new = OLD.replace("class Canvas:", prologue).replace("    def fill(self): ...\n", "")
    assert len(await broken(work, new, "from paint import Canvas\nCanvas().fill()\n")) == count


async def test_a_method_of_a_base_outside_is_held_to_the_new_parameters(work: Work) -> None:
    base = "import elsewhere\n\nclass Client(elsewhere.Session): ...\n"
    work.commit("Older", {"paint/__init__.py": "", "paint/client.py": base})
    old_sha = work.git("rev-parse", "HEAD")
    changed = base.replace("...", "\n    def delete(self, url): ...")
    new_sha = work.commit("Newer", {"paint/client.py": changed})
    trees = await TreeReader.at(work.path)
    old = await PythonTree.at(trees, old_sha)
    new = await PythonTree.at(trees, new_sha)
    own_code = (
        "from paint.client import Client\nc = Client()\nc.delete('/')\nc.delete('/', json=1)\n"
    )
    uses = await broken_uses(
        await own_uses({"app.py": own_code}, {"app.py": own_code}, {"paint"}), old, new
    )
    assert use_rows(uses) == [(4, "`paint.client.Client.delete`: it does not take `json`")]
    mended = await broken_uses(await own_uses({}, {"app.py": own_code}, {"paint"}), old, new)
    assert mended == []


async def test_a_name_that_the_package_itself_only_imported_was_there(work: Work) -> None:
    work.commit("Begin", {"paint/__init__.py": ""})
    own_code = (
        "from paint.canvas import dither, Unknown\nfrom paint.canvas import Error\nError.late\n"
    )
    before = f"from elsewhere import Error\n{OLD}"
    old_sha = work.commit("Import", {"paint/canvas.py": before})
    new_sha = work.commit("Import no more", {"paint/canvas.py": OLD})
    trees = await TreeReader.at(work.path)
    old = await PythonTree.at(trees, old_sha)
    new = await PythonTree.at(trees, new_sha)
    uses = await broken_uses(
        await own_uses({"app.py": own_code}, {"app.py": own_code}, {"paint"}), old, new
    )
    assert use_rows(uses) == [(2, "`paint.canvas.Error` is gone")]


DEPRECATED = """\
import warnings

from typing_extensions import deprecated

class Canvas:
    def line(self, start, end, width=1):
        warnings.warn("use draw()", category=DeprecationWarning, stacklevel=2)
    def fill(self): ...
    def draw(self): ...

@deprecated("mix images")
def blend(first, second, gamma=2.2, mode="over"): ...

def dither(image):
    if image is None:
        warnings.warn("pass an image", DeprecationWarning)
"""


async def test_a_name_that_the_new_version_calls_deprecated_is_changed(work: Work) -> None:
    own_code = (
        "from paint.canvas import Canvas, blend, dither\n"
        "def picture(canvas: Canvas) -> None:\n"
        "    canvas.line(1, 2)\n"
        "    canvas.fill()\n"
        "    dither(blend(1, 2))\n"
    )
    uses = await broken(work, DEPRECATED, own_code)
    assert {use.effect for use in uses} == {"changed"}
    assert use_rows(uses) == [
        (1, "`paint.canvas.blend` is deprecated"),
        (3, "`paint.canvas.Canvas.line` is deprecated"),
        (5, "`paint.canvas.blend` is deprecated"),
    ]
    assert not any(use.is_breaking for use in uses)


@pytest.mark.parametrize("annotation", ['"Canvas"', "t.Optional[Canvas]", 't.Optional["Canvas"]'])
async def test_a_parameter_has_the_class_of_its_annotation_in_its_function(
    work: Work, annotation: str
) -> None:
    own_code = (
        "import typing as t\n"
        "from paint.canvas import Canvas\n"
        f"def picture(canvas: {annotation}) -> None:\n"
        "    canvas.fill()\n"
        "def other(canvas):\n"
        "    canvas.fill()\n"
        "def third(canvas: Canvas) -> None:\n"
        "    canvas = canvas.copy()\n"
        "    canvas.fill()\n"
    )
    new = OLD.replace("    def fill(self): ...\n", "")
    uses = await broken(work, new, own_code)
    assert use_rows(uses) == [(4, "`paint.canvas.Canvas.fill` is gone")]
