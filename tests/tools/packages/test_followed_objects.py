"""Objects are followed through scopes, attributes, annotations and own modules."""

from collections.abc import Mapping

import pytest

from agent.bumps.bump_report_model import CodeUse
from tests.made_repos import Work
from tools.packages.broken_python_uses import broken_uses, own_uses
from tools.packages.python_package_api import PythonTree
from tools.packages.repository_trees import TreeReader

OLD = """\
from typing import Generic, TypeVar

T = TypeVar("T")

class Rows(list[T]):
    def first(self): ...

class Cell:
    def old(self): ...

class Table:
    name: str
    corner: Cell
    def __init__(self, size: int) -> None:
        self.cells: Rows[Cell] = Rows()
        self.last = Cell()
    def cell(self) -> Cell: ...
    @property
    def head(self) -> "Cell": ...
    async def load(self) -> Cell | None: ...
    def __enter__(self) -> "Self": ...
    def copy(self) -> "Self": ...
    def old(self): ...
    def rows(self) -> dict[str, list[Cell]]: ...

def make() -> Table: ...
"""
NEW = OLD.replace("    def old(self): ...\n", "    pass\n")


async def broken(
    work: Work, own_code: Mapping[str, str] | str, old_source: str = OLD, new_source: str = NEW
) -> list[CodeUse]:
    files = {"pyproject.toml": "", "sheet/__init__.py": old_source}
    old_sha = work.commit("Old", files)
    new_sha = work.commit("New", {"sheet/__init__.py": new_source})
    trees = await TreeReader.at(work.path)
    own_files = {"app.py": own_code} if isinstance(own_code, str) else own_code
    old = await PythonTree.at(trees, old_sha)
    new = await PythonTree.at(trees, new_sha)
    return await broken_uses(await own_uses(own_files, own_files, {"sheet"}), old, new)


async def names(work: Work, own_code: Mapping[str, str] | str) -> set[str]:
    return {use.name for use in await broken(work, own_code)}


@pytest.mark.parametrize(
    "expression",
    ["rows[0].old()", "(a or b).old()", "q.w.e.old()", "f(**options[0]); x().old()", "(-x).old()"],
)
async def test_what_is_not_known_is_no_object_of_a_package(work: Work, expression: str) -> None:
    own_code = (
        f"from sheet import Table\n\napp['db'] = Table(1)\nrows[1], x.y.z = 1, 2\n{expression}\n"
    )
    assert await broken(work, own_code) == []


@pytest.mark.parametrize(
    "body",
    [
        "y = Table(1)\nx = y\nx.old()",
        "if (x := Table(1)): x.old()",
        "x = Table(1) if some() else Table(2)\nx.old()",
        "x = Table(1) or Table(2)\nx.old()",
        "with Table(1) as x:\n    x.old()",
        "for x in [Table(1), Table(2)]:\n    x.old()",
        "[x.old() for x in (Table(1), Table(2))]",
        "def f():\n    return Table(1)\nf().old()",
        "def f():\n    x = Table(1)\n    x.old()\ndef g(x):\n    x = other()\n    x.run()",
        "def f(Table):\n    Table.old()\nTable(1).old()",
        "class A:\n    def __init__(self): self.s = Table(1)\n    def go(self): self.s.old()\n"
        "class B:\n    def __init__(self): self.s = 3\n    def go(self): self.s.new()",
        "class A:\n    Table = 1\n    def go(self): return Table(1).old()",
        "a, b = Table(1), 2\na.old()",
        "Table(1).copy().old()",
    ],
)
async def test_an_object_is_followed_to_the_line_that_fails(work: Work, body: str) -> None:
    assert await names(work, f"from sheet import Table\n\n{body}\n") == {"sheet.Table.old"}


@pytest.mark.parametrize(
    ("expression", "name"),
    [
        ("make().old()", "sheet.Table.old"),
        ("make().cell().old()", "sheet.Cell.old"),
        ("make().head.old()", "sheet.Cell.old"),
        ("make().corner.old()", "sheet.Cell.old"),
        ("make().last.old()", "sheet.Cell.old"),
        ("make().cells[0].old()", "sheet.Cell.old"),
        ("[c.old() for c in make().cells]", "sheet.Cell.old"),
        ("(await make().load()).old()", "sheet.Cell.old"),
        ("with make() as t: t.old()", "sheet.Table.old"),
        ("with make() as t: t.copy().cell().old()", "sheet.Cell.old"),
        ("[c.old() for c in make().rows()['a']]", "sheet.Cell.old"),
        ("def f(x):\n    if isinstance(x, Cell): x.old()", "sheet.Cell.old"),
        ("def f(x):\n    if not isinstance(x, Cell): return\n    x.old()", "sheet.Cell.old"),
        ("def f(xs: list[Cell]):\n    for x in xs: x.old()", "sheet.Cell.old"),
        ("def f(xs: dict[str, Cell]):\n    for k, x in xs.items(): x.old()", "sheet.Cell.old"),
        ("def f(x: 'Cell | str'): x.old()", "sheet.Cell.old"),
        ("def f() -> Cell: ...\nf().old()", "sheet.Cell.old"),
        ("async def f() -> Cell: ...\nasync def g(): (await f()).old()", "sheet.Cell.old"),
        ("class A:\n    s: Cell\n    def go(self): self.s.old()", "sheet.Cell.old"),
        (
            "class A:\n    def __init__(self, s: Cell): self.s = s\n    def go(self): self.s.old()",
            "sheet.Cell.old",
        ),
        (
            "class A:\n    @property\n    def s(self) -> Cell: ...\ndef f(a: A): a.s.old()",
            "sheet.Cell.old",
        ),
    ],
)
async def test_an_annotation_leads_to_a_line_that_may_fail(
    work: Work, expression: str, name: str
) -> None:
    (use,) = await broken(work, f"from sheet import Cell, make\n\n{expression}\n")
    assert (use.name, use.is_certain, use.is_breaking, use.may_break) == (name, False, False, True)


async def test_a_test_for_the_attribute_says_that_the_line_is_prepared(work: Work) -> None:
    own_code = "from sheet import Cell\nx = Cell()\nif hasattr(x, 'old'): x.old()\n"
    assert await broken(work, own_code) == []


async def test_what_type_checkers_alone_import_does_not_fail(work: Work) -> None:
    own_code = "if TYPE_CHECKING:\n    from sheet import gone, make\n"
    (use,) = await broken(work, own_code, OLD + "gone = 1\n")
    assert (use.line, use.is_breaking) == (2, False)


@pytest.mark.parametrize(
    "files",
    [
        {
            "own/__init__.py": "",
            "own/base.py": "from sheet import *\n",
            "app.py": "from own import base\nbase.Table(1).old()\n",
        },
        {
            "own/__init__.py": "",
            "own/base.py": "import sheet\n",
            "app.py": "import own.base\nown.base.sheet.Table(1).old()\n",
        },
        {
            "base.py": "from sheet import Table\n",
            "middle.py": "from base import Table as T\n",
            "app.py": "from middle import T\nT(1).old()\n",
        },
        {
            "base.py": "from sheet import Table\n",
            "middle.py": "from base import *\n",
            "app.py": "from middle import *\nTable(1).old()\n",
        },
        {
            "scripts/base.py": "from sheet import Table\nt = Table(1)\n",
            "scripts/app.py": "from base import t\nt.old()\n",
        },
        {
            "scripts/base.py": "from sheet import Table\nt = Table(1)\n",
            "scripts/app.py": "from .base import t\nt.old()\n",
        },
        {
            "base.py": "from sheet import Table\nclass A:\n    def __init__(self): self.t = Table(1)\n",
            "app.py": "from base import A\nA().t.old()\n",
        },
        {
            "tests/conftest.py": "import pytest\nfrom sheet import Table\n"
            "@pytest.fixture\ndef t():\n    yield Table(1)\n",
            "tests/test_app.py": "def test_it(t):\n    t.old()\n",
        },
    ],
)
async def test_names_are_followed_through_own_files(work: Work, files: Mapping[str, str]) -> None:
    assert await names(work, files) == {"sheet.Table.old"}


@pytest.mark.parametrize(
    ("old", "new", "own_code", "text"),
    [
        (
            "class A:\n    def run(self, x): ...\n",
            "class A:\n    def run(self, x, y): ...\n",
            "class B(A):\n    def run(self, x): ...\n",
            "`sheet.A.run`: it takes `y` now, and this method stands in for it",
        ),
        (
            "class A:\n    def run(self, x): ...\n",
            "class A: ...\n",
            "class B(A):\n    def run(self, x): ...\n",
            "`sheet.A.run` is gone, and this method stood in for it",
        ),
        (
            "class A:\n    def run(self): ...\n",
            "class A:\n    @property\n    def run(self) -> int: ...\n",
            "A().run()\n",
            "`sheet.A.run` is a property now, and is called",
        ),
        (
            "class A:\n    @property\n    def run(self): ...\n",
            "class A:\n    def run(self): ...\n",
            "print(A().run)\n",
            "`sheet.A.run` is a method now, and is not called",
        ),
        (
            "class A:\n    def run(self): ...\n",
            "class A:\n    async def run(self): ...\n",
            "A().run()\n",
            "`sheet.A.run` is async now, and is not awaited",
        ),
        (
            "A = elsewhere.A\n",
            "class A:\n    def __init__(self, x): ...\n",
            "A()\n",
            "`sheet.A`: it needs `x`",
        ),
    ],
)
async def test_other_ways_in_which_methods_change(
    work: Work, old: str, new: str, own_code: str, text: str
) -> None:
    (use,) = await broken(work, f"from sheet import A\n{own_code}", old, new)
    assert use.text == text


async def test_an_awaited_call_fits_a_function_that_is_async_now(work: Work) -> None:
    old = "class A:\n    def run(self): ...\n"
    new = "class A:\n    async def run(self): ...\n"
    assert await broken(work, "from sheet import A\nawait A().run()\n", old, new) == []


async def test_a_stub_says_what_a_built_module_has(work: Work) -> None:
    work.commit("Stub", {"sheet/_native.pyi": "def fast(x: int) -> int: ...\n"})
    old_sha = work.commit("Old", {"sheet/__init__.py": "from ._native import fast\n"})
    new_sha = work.commit("New", {"sheet/_native.pyi": "def fast(y: int, *, z: int) -> int: ...\n"})
    trees = await TreeReader.at(work.path)
    old, new = await PythonTree.at(trees, old_sha), await PythonTree.at(trees, new_sha)
    files = {"app.py": "from sheet import fast\nfast(x=1)\n"}
    (use,) = await broken_uses(await own_uses(files, files, {"sheet"}), old, new)
    assert use.text == "`sheet.fast`: it does not take `x`"


@pytest.mark.parametrize(
    "new",
    [
        "from typing_extensions import deprecated\n@deprecated('no')\nclass A: ...\n",
        "import warnings\nclass A:\n    def __init__(self): warnings.warn('no', DeprecationWarning)\n",
        "import warnings\nclass Late(FutureWarning): ...\nclass A:\n"
        "    def __init__(self): warnings.warn(Late('no'))\n",
    ],
)
async def test_classes_and_categories_of_warnings_are_known(work: Work, new: str) -> None:
    uses = await broken(work, "from sheet import A\n", "class A: ...\n", new)
    assert [(use.effect, use.text) for use in uses] == [("changed", "`sheet.A` is deprecated")]


async def test_a_module_that_warns_when_it_is_imported_is_deprecated(work: Work) -> None:
    warning = "import warnings\nwarnings.warn('no', DeprecationWarning, stacklevel=2)\n"
    work.commit("Part", {"sheet/part/__init__.py": "", "sheet/part/cells.py": "a = 1\n"})
    old_sha = work.commit("Old", {"sheet/__init__.py": ""})
    new_sha = work.commit("New", {"sheet/part/__init__.py": warning})
    trees = await TreeReader.at(work.path)
    old, new = await PythonTree.at(trees, old_sha), await PythonTree.at(trees, new_sha)
    files = {"app.py": "from sheet.part.cells import a\nprint(a)\n"}
    (use,) = await broken_uses(await own_uses(files, files, {"sheet"}), old, new)
    assert (use.line, use.effect) == (1, "changed")
    assert use.text == "`sheet.part.cells.a` is in `sheet.part`, which is deprecated"


@pytest.mark.parametrize(
    ("body", "gone"),
    [
        ("    if name in _NAMES: return 1\n    raise AttributeError(name)\n", {"c"}),
        ("    try: return _NAMES[name]\n    except KeyError: raise AttributeError(name)\n", {"c"}),
        ("    return _NAMES[name]\n", set()),
        ("    return getattr(_NAMES, name)\n    raise AttributeError(name)\n", set()),
    ],
)
async def test_what_a_module_makes_up_is_known_if_it_is_written_out(
    work: Work, body: str, gone: set[str]
) -> None:
    new = f"_NAMES = {{'a': 1, 'b': 2}}\ndef __getattr__(name):\n{body}"
    uses = await broken(work, "from sheet import a, b, c\n", "a = b = c = 1\n", new)
    assert {use.name.rpartition(".")[2] for use in uses} == gone


async def test_what_a_class_leaves_to_its_base_elsewhere_may_be_gone(work: Work) -> None:
    old = "from elsewhere import Base\nclass A(Base):\n    def run(self): ...\n"
    new = "from elsewhere import Base\nclass A(Base): ...\n"
    (use,) = await broken(work, "from sheet import A\nA().run()\n", old, new)
    assert (use.line, use.is_breaking, use.may_break) == (2, False, True)
    assert "unless a base in another package has it" in use.text


async def test_what_follows_something_gone_is_not_told_again(work: Work) -> None:
    own_code = "from sheet import make\n\nmake().cell().old()\n"
    new = NEW.replace("def make() -> Table: ...", "")
    uses = await broken(work, own_code, OLD, new)
    assert [(use.line, use.name) for use in uses] == [(1, "sheet.make")]


@pytest.mark.parametrize(
    ("call", "count"),
    [
        ('monkeypatch.setattr(Cell, "old", 1)', 1),
        ('mocker.patch.object(Cell, "old")', 1),
        ('getattr(Cell(), "old")', 1),
        ('getattr(Cell(), "old", None)', 0),
        ('setattr(Cell, "old", 1)', 0),
        ('monkeypatch.setattr(Cell, "old", 1, raising=False)', 0),
    ],
)
async def test_attributes_that_are_named_in_strings_are_uses(
    work: Work, call: str, count: int
) -> None:
    assert len(await broken(work, f"from sheet import Cell\n\n{call}\n")) == count


@pytest.mark.parametrize(
    "files",
    [
        {
            "a.py": "from b import *\nfrom b import x\n",
            "b.py": "from a import *\nfrom a import x\n",
        },
        {"a.py": "class A(B): ...\nclass B(A):\n    def f(self): return self.f().g\nB().f().g()\n"},
        {"a.py": "def f(): return g()\ndef g(): return f()\nx = f()\nx = x.y\nx.z()\n"},
        {"a.py": "import sheet\nx = sheet\nx = x.a\nfor x in x: x.old()\n"},
        {"a.py": f"import sheet\nsheet{'.a' * 3000}\n"},
        {"a.py": f"import sheet\nx = {'(' * 150}sheet{')' * 150}\n"},
    ],
)
async def test_code_in_circles_is_read_to_its_end(work: Work, files: Mapping[str, str]) -> None:
    uses = await broken(work, {**files, "app.py": "import a\nfrom a import x\nx.old()\n"})
    assert uses == []


@pytest.mark.parametrize(
    "test",
    [
        "sheet.__version__ >= '2'",
        "Version(sheet.VERSION) > Version('2')",
        "version('sheet').startswith('2')",
        "IS_NEW",
        "OWN_IS_NEW",
    ],
)
async def test_a_line_for_some_versions_only_is_not_said_to_fail(work: Work, test: str) -> None:
    files = {
        "compat.py": "import sheet\nOWN_IS_NEW = sheet.__version__ > '2'\n",
        "app.py": "import sheet\nfrom compat import OWN_IS_NEW\nfrom importlib.metadata import version\n"
        "NOW = sheet.__version__\nIS_NEW = NOW > '2'\n"
        f"if {test}:\n    pass\nelse:\n    sheet.Table(1).old()\nsheet.Cell().old()\n",
    }
    uses = await broken(
        work, files, f"__version__ = VERSION = '1'\n{OLD}", f"__version__ = VERSION = '2'\n{NEW}"
    )
    assert [(use.line, use.is_breaking) for use in uses] == [(9, False), (10, True)]


async def test_what_follows_the_way_out_for_new_versions_is_for_old_ones(work: Work) -> None:
    own_code = "import sheet\ndef f():\n    if sheet.__version__ > '1':\n        return\n    sheet.Cell().old()\n"
    (use,) = await broken(work, own_code, f"__version__ = '1'\n{OLD}", f"__version__ = '2'\n{NEW}")
    assert (use.line, use.is_breaking) == (5, False)


async def test_a_base_may_be_named_by_its_module(work: Work) -> None:
    work.commit("Base", {"sheet/base.py": "class Base:\n    def run(self): ...\n"})
    old_sha = work.commit(
        "Old", {"sheet/__init__.py": "from . import base\nclass A(base.Base): ...\n"}
    )
    new_sha = work.commit("New", {"sheet/base.py": "class Base: ...\n"})
    trees = await TreeReader.at(work.path)
    old, new = await PythonTree.at(trees, old_sha), await PythonTree.at(trees, new_sha)
    files = {"app.py": "from sheet import A\nA().run()\n"}
    (use,) = await broken_uses(await own_uses(files, files, {"sheet"}), old, new)
    assert use.text == "`sheet.A.run` is gone"


@pytest.mark.parametrize(
    "new",
    ["__getattr__, __dir__ = lazy.attach(__name__)\n", "from elsewhere import __getattr__\n"],
)
async def test_a_lazy_loader_may_have_any_name(work: Work, new: str) -> None:
    assert await broken(work, "from sheet import a\n", "a = 1\n", new) == []


async def test_a_package_in_a_namespace_is_imported_by_both_names(work: Work) -> None:
    files = {"src/zope/sheet/__init__.py": "from zope.sheet.cells import a\n"}
    old_sha = work.commit("Old", {**files, "src/zope/sheet/cells.py": "a = b = 1\n"})
    new_sha = work.commit("New", {"src/zope/sheet/cells.py": "a = 1\n"})
    trees = await TreeReader.at(work.path)
    old, new = await PythonTree.at(trees, old_sha), await PythonTree.at(trees, new_sha)
    assert old.top_level_names("") == {"zope.sheet"}
    own_files = {
        "zope/own.py": "from zope.sheet import cells\nx = cells\n",
        "app.py": "from zope.sheet.cells import a, b\nfrom zope.own import x\nx.b\n",
    }
    uses = await broken_uses(await own_uses(own_files, own_files, {"zope.sheet"}), old, new)
    assert use_rows(uses) == [(1, "`zope.sheet.cells.b` is gone")]


def use_rows(uses: list[CodeUse]) -> list[tuple[int, str]]:
    return [(use.line, use.text) for use in uses]
