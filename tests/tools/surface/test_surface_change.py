"""What users of a package can import before and after a commit, and what breaks for them."""

from pathlib import Path

import pytest

from agent.domain.base import RepoId
from agent.domain.surface import PublicBreak, SurfaceChange
from tests.made_repos import Work
from tools.git.isolated_repository import View
from tools.git.source import GitSource

REPO = RepoId("acme/engine")
Files = dict[str, str]


async def change_of(path: Path, before: Files, after: Files) -> SurfaceChange:
    """Commit both trees, and return what the second commit does to the public surface."""
    work = Work(path)
    work.commit("begin", {file: text.encode() for file, text in before.items()})
    removed = dict.fromkeys(before.keys() - after.keys())
    sha = work.commit("change", removed | {file: text.encode() for file, text in after.items()})
    change = (await GitSource(REPO, path).surface_changes([sha]))[sha]
    assert change is not None
    return change


def break_rows(breaks: tuple[PublicBreak, ...]) -> list[tuple[str, str, str]]:
    return [(broken.kind, broken.path, broken.parameter) for broken in breaks if broken.is_certain]


async def test_a_name_that_a_package_gives_on_breaks_when_it_goes(tmp_path: Path) -> None:
    before = {
        "engine/__init__.py": "from .core import attend, norm\n",
        "engine/core.py": "def attend(q): ...\n\n\ndef norm(x): ...\n\n\ndef helper(): ...\n",
    }
    after = {
        "engine/__init__.py": "from .core import norm\n",
        "engine/core.py": "def norm(x): ...\n",
    }
    change = await change_of(tmp_path, before, after)
    assert break_rows(change.breaks) == [("gone", "engine.attend", "")]
    assert change.public_path("engine/core.py", "norm") == "engine.norm"
    assert change.public_path("engine/core.py", "helper") == ""


@pytest.mark.parametrize(
    "exports",
    [
        "from engine.parts.new import attend\n",
        "from .parts.new import focus as attend\n",
        "from .parts.new import *\n",
        "try:\n    from .native import attend\nexcept ImportError:\n    from .parts.new import attend\n",
        "def __getattr__(name):\n    return load(name)\n",
        "from .parts import new\nattend = new.attend\n",
    ],
)
async def test_a_name_that_is_defined_elsewhere_now_does_not_break(
    exports: str, tmp_path: Path
) -> None:
    before = {
        "engine/__init__.py": "from .core import attend\n",
        "engine/core.py": "def attend(q): ...\n",
    }
    after = {
        "engine/__init__.py": exports,
        "engine/parts/__init__.py": "",
        "engine/parts/new.py": "def attend(q): ...\n\n\ndef focus(q): ...\n",
    }
    change = await change_of(tmp_path, before, after)
    assert break_rows(change.breaks) == []


async def test_a_module_of_the_same_name_elsewhere_makes_nothing_public(tmp_path: Path) -> None:
    before = {
        "engine/__init__.py": "from .public.utils import *\n",
        "engine/public/__init__.py": "",
        "engine/public/utils.py": "def shown(): ...\n",
        "engine/inner/__init__.py": "",
        "engine/inner/utils.py": "def hidden(): ...\n",
    }
    after = before | {"engine/inner/utils.py": "", "engine/public/utils.py": "def other(): ...\n"}
    change = await change_of(tmp_path, before, after)
    assert break_rows(change.breaks) == [("gone", "engine.shown", "")]


async def test_a_star_import_follows_all(tmp_path: Path) -> None:
    before = {
        "engine/__init__.py": "from .core import *\n",
        "engine/core.py": '__all__ = ["shown"]\n\n\ndef shown(): ...\n\n\ndef unlisted(): ...\n',
    }
    after = before | {"engine/core.py": "__all__ = []\n"}
    change = await change_of(tmp_path, before, after)
    assert break_rows(change.breaks) == [("gone", "engine.shown", "")]


@pytest.mark.parametrize(
    ("document", "text"),
    [
        ("README.md", "```python\nfrom engine.deep.ops import scale\n```\n"),
        ("docs/guide.rst", ".. code::\n\n    from engine.deep.ops import scale\n"),
        ("examples/run.py", "from engine.deep.ops import scale\n"),
        ("examples/many.py", "from engine.deep.ops import _a as b, scale  # both\n"),
        ("examples/plain.py", "import sys, engine.deep.ops as ops\n"),
    ],
)
async def test_what_documents_and_examples_import_is_public(
    document: str, text: str, tmp_path: Path
) -> None:
    before = {
        "engine/__init__.py": "",
        "engine/deep/__init__.py": "",
        "engine/deep/ops.py": "def scale(x, by): ...\n",
        document: text,
    }
    after = before | {"engine/deep/ops.py": "def scale(x): ...\n"}
    change = await change_of(tmp_path, before, after)
    assert break_rows(change.breaks) == [("parameter-removed", "engine.deep.ops.scale", "by")]


async def test_of_a_function_that_a_command_starts_only_the_name_is_public(tmp_path: Path) -> None:
    before = {
        "engine/__init__.py": "",
        "engine/deep/__init__.py": "",
        "engine/deep/ops.py": "def scale(x, by): ...\n",
        "pyproject.toml": '[project.scripts]\nscale = "engine.deep.ops:scale"\n',
    }
    change = await change_of(
        tmp_path / "a", before, before | {"engine/deep/ops.py": "def scale(x): ...\n"}
    )
    assert break_rows(change.breaks) == []
    change = await change_of(tmp_path / "b", before, before | {"engine/deep/ops.py": ""})
    assert break_rows(change.breaks) == [("gone", "engine.deep.ops.scale", "")]


@pytest.mark.parametrize(
    "document",
    ["CONTRIBUTING.md", ".claude/skills/ops.md", "AGENTS.md", "docs/contributing/ops.md"],
)
async def test_what_contributors_are_shown_to_import_is_not_public(
    document: str, tmp_path: Path
) -> None:
    before = {
        "engine/__init__.py": "",
        "engine/deep/__init__.py": "",
        "engine/deep/ops.py": "def scale(x, by): ...\n",
        document: "from engine.deep.ops import scale\n",
    }
    change = await change_of(tmp_path, before, before | {"engine/deep/ops.py": ""})
    assert change == SurfaceChange()


async def test_what_stands_outside_of_a_list_of_exports_is_not_certain_to_be_public(
    tmp_path: Path,
) -> None:
    before = {
        "engine/__init__.py": "from .ops import add, scale\n__all__ = ['scale']\n",
        "README.md": "import engine\n",
        "engine/ops.py": "def scale(x, by): ...\ndef add(x, by): ...\n",
    }
    after = before | {"engine/ops.py": "def scale(x): ...\ndef add(x): ...\n"}
    change = await change_of(tmp_path, before, after)
    certain = {broken.path: broken.is_certain for broken in change.breaks}
    assert certain == {"engine.scale": True, "engine.add": False}


async def test_an_attribute_that_methods_set_now_is_not_gone(tmp_path: Path) -> None:
    before = {"engine/__init__.py": "class Engine:\n    limit: int = 4\n    size: int = 2\n"}
    after = {"engine/__init__.py": "class Engine:\n    def run(self):\n        self.limit = 4\n"}
    change = await change_of(tmp_path, before, after)
    assert break_rows(change.breaks) == [("gone", "engine.Engine.size", "")]


@pytest.mark.parametrize(
    ("name", "document", "is_certain"),
    [
        ("EngineOutput", "", False),
        ("EngineConfig", "", True),
        ("EngineOutput", "from engine import EngineOutput\n", True),
    ],
)
async def test_a_field_of_a_record_breaks_where_users_are_known_to_make_the_record(
    name: str, document: str, is_certain: bool, tmp_path: Path
) -> None:
    record = f"from dataclasses import dataclass\n@dataclass\nclass {name}:\n    text: str\n"
    before = {"engine/__init__.py": record, "README.md": document}
    after = before | {"engine/__init__.py": f"{record}    rank: int\n"}
    change = await change_of(tmp_path, before, after)
    assert [(broken.kind, broken.is_certain) for broken in change.breaks] == [
        ("parameter-added", is_certain)
    ]


async def test_what_nobody_is_shown_to_import_does_not_break(tmp_path: Path) -> None:
    before = {
        "engine/__init__.py": "",
        "engine/deep/__init__.py": "",
        "engine/deep/ops.py": "def scale(x, by): ...\n",
    }
    change = await change_of(tmp_path, before, before | {"engine/deep/ops.py": ""})
    assert change == SurfaceChange()


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("a, b", "a", [("parameter-removed", "b")]),
        ("a, b", "a, c", [("parameter-removed", "b")]),
        ("a, b", "a, **kwargs", []),
        ("a", "a, b", [("parameter-added", "b")]),
        ("a", "a, b=0", []),
        ("a", "a, *, b", [("parameter-added", "b")]),
        ("a, b=1", "a, b", [("parameter-required", "b")]),
        ("a, b", "b, a", [("parameter-reordered", "a")]),
        ("a, b", "a, *, b", [("parameter-keyword-only", "b")]),
        ("a, b=1", "a, c", [("parameter-removed", "b"), ("parameter-added", "c")]),
        ("a, *, b", "a, b=1", []),
        ("a: int, b: str = ''", "a: float, b: str = 'x'", []),
        ("a, /", "c, /", []),
    ],
)
async def test_a_function_breaks_when_old_calls_do_not_fit(
    old: str, new: str, expected: list[tuple[str, str]], tmp_path: Path
) -> None:
    before = {"engine/__init__.py": f"def run({old}): ...\n"}
    change = await change_of(tmp_path, before, {"engine/__init__.py": f"def run({new}): ...\n"})
    assert [(kind, parameter) for kind, _, parameter in break_rows(change.breaks)] == expected


async def test_overloads_and_branches_are_taken_together(tmp_path: Path) -> None:
    before = {"engine/__init__.py": "def run(a, b): ...\n"}
    after = {
        "engine/__init__.py": "if FAST:\n    def run(a): ...\nelse:\n    def run(a, b): ...\n",
    }
    change = await change_of(tmp_path, before, after)
    assert break_rows(change.breaks) == []


async def test_methods_and_fields_of_public_classes_break(tmp_path: Path) -> None:
    before = {
        "engine/__init__.py": (
            "from dataclasses import dataclass\n\n\n"
            "class Base:\n    def kept(self): ...\n\n\n"
            "class Model(Base):\n"
            "    def __init__(self, path, device): ...\n"
            "    def kept(self): ...\n"
            "    def lost(self): ...\n"
            "    def _inner(self): ...\n\n\n"
            "@dataclass\nclass Options:\n    depth: int = 1\n    width: int = 2\n"
        )
    }
    after = {
        "engine/__init__.py": (
            "from dataclasses import dataclass\n\n\n"
            "class Base:\n    def kept(self): ...\n\n\n"
            "class Model(Base):\n    def __init__(self, path): ...\n\n\n"
            "@dataclass\nclass Options:\n    width: int = 2\n    height: int = 3\n"
        )
    }
    change = await change_of(tmp_path, before, after)
    assert break_rows(change.breaks) == [
        ("parameter-removed", "engine.Model", "device"),
        ("gone", "engine.Model.lost", ""),
        ("parameter-removed", "engine.Options", "depth"),
    ]


async def test_a_member_that_a_foreign_base_may_have_is_not_certain_to_be_gone(
    tmp_path: Path,
) -> None:
    before = {
        "engine/__init__.py": "import torch\n\n\nclass M(torch.nn.Module):\n    def to(self): ...\n"
    }
    after = {"engine/__init__.py": "import torch\n\n\nclass M(torch.nn.Module):\n    pass\n"}
    change = await change_of(tmp_path, before, after)
    assert [(broken.path, broken.is_certain) for broken in change.breaks] == [
        ("engine.M.to", False)
    ]


async def test_a_name_says_under_which_path_it_is_now(tmp_path: Path) -> None:
    before = {
        "engine/__init__.py": "from .core import attend\nfrom . import ops\n",
        "engine/core.py": "def attend(q): ...\n",
        "engine/ops.py": "",
    }
    after = {
        "engine/__init__.py": "from . import ops\n",
        "engine/ops.py": "def attend(q): ...\n",
    }
    change = await change_of(tmp_path, before, after)
    (broken,) = change.breaks
    assert (broken.path, broken.replacement) == ("engine.attend", "engine.ops.attend")


async def test_a_package_that_moves_to_another_folder_keeps_its_name(tmp_path: Path) -> None:
    before = {
        "kernels/python/engine_kernels/__init__.py": "def run(): ...\n",
        "python/engine/__init__.py": "",
    }
    after = {
        "python/engine/__init__.py": "",
        "python/engine/aot/python/engine_kernels/__init__.py": "def run(): ...\n",
    }
    change = await change_of(tmp_path, before, after)
    assert break_rows(change.breaks) == []


async def test_a_window_reads_each_commit_as_if_it_were_read_alone(tmp_path: Path) -> None:
    work = Work(tmp_path)
    versions: list[Files] = [
        {
            "engine/__init__.py": "from .core import *\nfrom .extra import *\n",
            "engine/core.py": "def attend(q, k):\n    return q\n",
            "engine/extra.py": "class Base:\n    def run(self): ...\n",
        },
        {"engine/core.py": "def attend(q):\n    return q\n"},
        {"engine/core.py": "def attend(q):\n    return 2 * q\n"},
        {
            "engine/core.py": "from .extra import Base\n\n\nclass Core(Base):\n    def stop(self): ...\n"
        },
        {"engine/core.py": "from .extra import Base\n\n\nclass Core(Base): ...\n"},
        {"engine/extra.py": "class Base: ...\n"},
    ]
    shas = []
    for number, version in enumerate(versions):
        shas.append(
            work.commit(f"{number}", {file: text.encode() for file, text in version.items()})
        )
    together = await GitSource(REPO, tmp_path).surface_changes(shas[1:])
    for sha in shas[1:]:
        alone = await GitSource(REPO, tmp_path).surface_changes([sha])
        assert together[sha] == alone[sha]
    rows = [break_rows(change.breaks) for change in together.values() if change]
    assert rows == [
        [("parameter-removed", "engine.attend", "k")],
        [],
        [("gone", "engine.attend", "")],
        [("gone", "engine.Core.stop", "")],
        [("gone", "engine.Base.run", "")],
    ]


async def test_the_tree_of_a_window_is_listed_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = Work(tmp_path)
    begin = {
        "engine/__init__.py": b"from .core import attend\n",
        "engine/core.py": b"def attend(q, k): ...\n",
    }
    work.commit("begin", begin)
    shas = [
        work.commit("notes", {"notes.md": b"Notes\n"}),
        work.commit("drop k", {"engine/core.py": b"def attend(q): ...\n"}),
        work.commit("no notes", {"notes.md": None}),
        work.commit("move", {"engine/core.py": None, "engine/main.py": b"def attend(q): ...\n"}),
    ]
    alone: dict[str, SurfaceChange | None] = {}
    for sha in shas:
        alone |= await GitSource(REPO, tmp_path).surface_changes([sha])
    listings: list[str] = []
    list_tree = GitSource._listing

    async def counted(source: GitSource, view: View, sha: str) -> dict[str, str]:
        listings.append(sha)
        return await list_tree(source, view, sha)

    monkeypatch.setattr(GitSource, "_listing", counted)
    assert await GitSource(REPO, tmp_path).surface_changes(shas) == alone
    assert len(listings) == 1


async def test_source_that_cannot_be_parsed_breaks_nothing(tmp_path: Path) -> None:
    before = {
        "engine/__init__.py": "from .core import attend\n",
        "engine/core.py": "def attend(q): ...\n",
    }
    change = await change_of(tmp_path, before, before | {"engine/core.py": "def attend(q:\n"})
    assert break_rows(change.breaks) == []


async def test_circles_of_imports_end(tmp_path: Path) -> None:
    before = {
        "engine/__init__.py": "from .a import *\nfrom .b import x\n",
        "engine/a.py": "from .b import *\n",
        "engine/b.py": "from .a import *\nfrom .a import x\n",
    }
    change = await change_of(tmp_path, before, before | {"engine/b.py": "from .a import *\n"})
    assert break_rows(change.breaks) == []


async def test_the_first_commit_has_no_surface_before_it(tmp_path: Path) -> None:
    work = Work(tmp_path)
    sha = work.commit("begin", {"engine/__init__.py": b"def run(): ...\n"})
    changes = await GitSource(REPO, tmp_path).surface_changes([sha, "0" * 40])
    assert changes == {sha: None, "0" * 40: None}


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("README.md", "from engine import scale\n"),
        ("pyproject.toml", '[project]\nname = "Engine"\n'),
        ("setup.py", 'setup(name="engine")\n'),
    ],
)
async def test_a_package_beside_the_one_that_is_installed_is_not_certain_to_be_public(
    file: str, text: str, tmp_path: Path
) -> None:
    before = {
        "engine/__init__.py": "def scale(x, by): ...\n",
        "shared_dsl/__init__.py": "def trace(x, by): ...\n",
        file: text,
    }
    after = before | {
        "engine/__init__.py": "def scale(x): ...\n",
        "shared_dsl/__init__.py": "def trace(x): ...\n",
    }
    change = await change_of(tmp_path, before, after)
    certain = {broken.path: broken.is_certain for broken in change.breaks}
    assert certain == {"engine.scale": True, "shared_dsl.trace": False}


async def test_of_a_module_the_names_that_a_package_picks_are_certain_to_be_public(
    tmp_path: Path,
) -> None:
    before = {
        "engine/__init__.py": "from . import ops\nfrom .ops import scale\n",
        "engine/ops.py": "def scale(x, by): ...\ndef add(x, by): ...\n",
    }
    after = before | {"engine/ops.py": "def scale(x): ...\ndef add(x): ...\n"}
    change = await change_of(tmp_path, before, after)
    certain = {broken.path: broken.is_certain for broken in change.breaks}
    assert certain == {"engine.scale": True, "engine.ops.scale": True, "engine.ops.add": False}


async def test_the_function_behind_overloads_says_which_calls_are_valid(tmp_path: Path) -> None:
    head = "from typing import overload\n\n\n"
    stubs = "@overload\ndef dice(src: int, {0}: int): ...\n@overload\ndef dice(src: str, {0}: str): ...\n"
    code = head + stubs + "def dice(src, dicer):\n    return src\n"
    before = {"engine/__init__.py": code.format("coord")}
    change = await change_of(tmp_path, before, {"engine/__init__.py": code.format("dicer")})
    assert break_rows(change.breaks) == []


async def test_names_in_the_brackets_of_an_import_are_documented_and_no_others(
    tmp_path: Path,
) -> None:
    code = "def build(name, {0}=None): ...\n\n\ndef tune(name, {0}=None): ...\n"
    before = {
        "engine/__init__.py": "",
        "engine/inner/__init__.py": "",
        "engine/inner/core.py": code.format("tile"),
        "examples/build.py": "from engine.inner.core import (\n    build,\n)\n\ntune = build\n",
    }
    change = await change_of(
        tmp_path, before, before | {"engine/inner/core.py": code.format("pad")}
    )
    certain = {broken.name: broken.is_certain for broken in change.breaks}
    assert certain == {"build": True, "tune": False}


async def test_special_methods_that_syntax_needs_break(tmp_path: Path) -> None:
    methods = "    def __enter__(self): ...\n    def __repr__(self): ...\n    def __post_init__(self): ...\n"
    tile = "class Tile:\n    def __call__(self, q{}): ...\n    def __getitem__(self, {}): ...\n{}"
    before = {"engine/__init__.py": tile.format(", scale=1", "i", methods)}
    after = {"engine/__init__.py": tile.format("", "index", "")}
    change = await change_of(tmp_path, before, after)
    # Nobody names the argument of `tile[0]`, and `object` has a `__repr__`.
    assert break_rows(change.breaks) == [
        ("parameter-removed", "engine.Tile.__call__", "scale"),
        ("gone", "engine.Tile.__enter__", ""),
    ]


@pytest.mark.parametrize(
    "package",
    [
        "try:\n    from .core import attend\nexcept ImportError:\n    attend = None\n",
        "attend = None\ntry:\n    from .core import attend\nexcept ImportError:\n    pass\n",
    ],
)
async def test_none_in_the_place_of_an_import_that_fails_hides_nothing(
    package: str, tmp_path: Path
) -> None:
    before = {"engine/__init__.py": package, "engine/core.py": "def attend(q, scale=1): ...\n"}
    after = before | {"engine/core.py": "def attend(q): ...\n"}
    change = await change_of(tmp_path, before, after)
    assert break_rows(change.breaks) == [("parameter-removed", "engine.attend", "scale")]


async def test_a_name_is_looked_for_where_documents_show_it(tmp_path: Path) -> None:
    before = {
        "engine/__init__.py": "from .ops import attend\n",
        "engine/ops.py": "def attend(q): ...\n",
        "engine/ui/__init__.py": "from ..attention_kernels import attend, show\n",
        "engine/attention_kernels.py": "from .ops import attend\ndef show(): ...\n",
        "README.md": "```python\nfrom engine.ops import attend\nfrom engine.ui import show\n```\n",
    }
    change = await change_of(tmp_path, before, before | {"engine/__init__.py": ""})
    (broken,) = change.breaks
    assert (broken.path, broken.replacement) == ("engine.attend", "engine.ops.attend")


async def test_a_method_may_be_gone_where_attributes_are_made_up(tmp_path: Path) -> None:
    methods = "    def rows(self): ...\n    @property\n    def size(self): ...\n"
    before = {"engine/__init__.py": f"class Tile:\n{methods}"}
    after = {"engine/__init__.py": "class Tile:\n    def __getattr__(self, name): ...\n"}
    change = await change_of(tmp_path, before, after)
    breaks = [(broken.path, broken.is_certain) for broken in change.breaks]
    assert breaks == [("engine.Tile.rows", False)]


@pytest.mark.parametrize(
    ("listing", "is_certain"),
    [
        ('__all__ = ["attend"]\n', False),
        ('__all__ = ["attend", *names()]\n', False),
        ('_MORE = ["scale"] if HAS_TILES else []\n__all__ = ["attend", *_MORE]\n', True),
        ('_MORE = ["scale"]\n__all__ = ["attend"] + _MORE\n', True),
        ('_MORE = ["scale"]\n__all__ = [*_MORE, "attend"]\n', True),
        ('from . import ops\n__all__ = ["attend"] + ops.__all__\n', True),
        ("__all__ = [name for name in dir()]\n", True),
    ],
)
async def test_what_an_all_does_not_spell_out_is_not_certain_to_be_public(
    listing: str, is_certain: bool, tmp_path: Path
) -> None:
    ops = '__all__ = ["scale"]\ndef attend(q): ...\ndef scale(x{}): ...\n'
    before = {
        "engine/__init__.py": f"from .ops import attend, scale\n{listing}",
        "engine/ops.py": ops.format(", by"),
    }
    change = await change_of(tmp_path, before, before | {"engine/ops.py": ops.format("")})
    breaks = {broken.path: broken.is_certain for broken in change.breaks}
    assert breaks["engine.scale"] is is_certain
