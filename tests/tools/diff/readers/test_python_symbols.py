"""Which names a Python file declares, and how."""

from textwrap import dedent

import pytest

from tools.diff.readers.python import read
from tools.diff.reading import Param, Reading, Source, Symbol


def reading(text: str, path: str = "pkg/core.py") -> Reading:
    return read(Source(path, dedent(text).encode()))


def symbols(text: str, path: str = "pkg/core.py") -> dict[str, Symbol]:
    return {symbol.name: symbol for symbol in reading(text, path).symbols}


def test_functions_and_methods_are_named_with_their_class_and_nested_functions_are_left_out() -> None:
    found = symbols(
        """
        def run(x):
            def helper(): ...
            return helper

        async def wait(): ...

        class Cache:
            class Entry:
                def touch(self): ...
            def match_prefix(self, key):
                class Local: ...
        """
    )
    assert {name: symbol.kind for name, symbol in found.items()} == {
        "run": "function",
        "wait": "function",
        "Cache": "class",
        "Cache.Entry": "class",
        "Cache.Entry.touch": "method",
        "Cache.match_prefix": "method",
    }


def test_definitions_under_a_condition_are_declared_and_the_main_guard_is_not() -> None:
    found = symbols(
        """
        if TYPE_CHECKING:
            def checked(): ...
        else:
            def unchecked(): ...
        try:
            import fast
            def speed(): ...
        except ImportError:
            def slow(): ...
        class Ops:
            if cuda:
                def launch(self, grid): ...
        if __name__ == "__main__":
            parser = make()
            def main(): ...
        """
    )
    assert list(found) == ["checked", "unchecked", "speed", "slow", "Ops", "Ops.launch"]
    assert found["Ops.launch"].params == (Param("grid"),)


def test_a_signature_keeps_names_defaults_annotations_and_kinds_without_the_receiver() -> None:
    found = symbols(
        """
        class Engine:
            def run(self, a, /, b: int = 3, *args: str, c, d: str = "x", **extra) -> dict[str,
                    int]:
                return {}
            @staticmethod
            def load(self, path): ...
            @classmethod
            def make(cls, *, size=(1,
                                   2)): ...
        """
    )
    assert found["Engine.run"].params == (
        Param("a", positional_only=True),
        Param("b", "3", "int"),
        Param("args", None, "str", "*"),
        Param("c", keyword_only=True),
        Param("d", '"x"', "str", keyword_only=True),
        Param("extra", star="**"),
    )
    assert found["Engine.run"].returns == "dict[str, int]"
    assert found["Engine.load"].params == (Param("self"), Param("path"))
    assert found["Engine.make"].params == (Param("size", "(1, 2)", keyword_only=True),)
    assert found["Engine.make"].decorators == ("classmethod",)


def test_lines_count_from_the_decorator_over_the_head_to_the_end_of_the_body() -> None:
    found = symbols(
        """\
        import os

        @cache
        def big(
            a,
            b,
        ) -> int:  # why
            # more
            return 1

        class Small(Base): pass
        """
    )
    big, small = found["big"], found["Small"]
    assert (big.start, big.head, big.end) == (3, 7, 9)
    assert (small.start, small.head, small.end) == (11, 11, 11)


def test_bases_are_kept_with_their_keywords() -> None:
    assert symbols("class A(Base[int], abc.B, metaclass=M): ...")["A"].bases == ("Base[int]", "abc.B", "metaclass=M")


@pytest.mark.parametrize("base", ["Enum", "IntEnum", "enum.StrEnum", "Flag", "IntFlag", "str, Enum"])
def test_members_of_an_enum_have_their_values(base: str) -> None:
    found = symbols(f"class Act({base}):\n    Relu = 0\n    SwiGlu = auto()\n    _ignore_ = []\n    def f(self): ...\n")
    assert found["Act"].kind == "enum"
    assert (found["Act.Relu"].kind, found["Act.Relu"].value) == ("member", "0")
    assert found["Act.SwiGlu"].value == "auto()"
    assert found["Act._ignore_"].kind == "variable"


@pytest.mark.parametrize(
    "head",
    [
        "@dataclass\nclass R:",
        "@dataclasses.dataclass(frozen=True)\nclass R:",
        "class R(BaseModel):",
        "class R(typing.NamedTuple):",
        "class R(TypedDict, total=False):",
        "class R(msgspec.Struct, kw_only=True):",
        "@attrs.define\nclass R:",
        "@attr.s(auto_attribs=True)\nclass R:",
    ],
)
def test_fields_of_records_have_annotation_and_default(head: str) -> None:
    found = symbols(head + "\n    size: int = 8\n    name: Optional[str]\n    KIND = 'x'\n    tag = 2\n")
    assert found["R"].kind == "struct"
    assert (found["R.size"].kind, found["R.size"].annotation, found["R.size"].value) == ("field", "int", "8")
    assert (found["R.name"].annotation, found["R.name"].value) == ("Optional[str]", None)
    assert (found["R.KIND"].kind, found["R.KIND"].value, found["R.tag"].kind) == ("constant", "'x'", "variable")


def test_annotated_attributes_of_a_plain_class_are_fields_and_instance_attributes_are_not_symbols() -> None:
    found = symbols("class A:\n    x: int = 1\n    def __init__(self):\n        self.y = 2\n")
    assert (found["A"].kind, found["A.x"].kind) == ("class", "field")
    assert "A.y" not in found
    assert found["A.__init__"].public


def test_constants_and_variables_of_a_module_have_values_unless_they_are_large() -> None:
    found = symbols(
        """
        MAX_LEN: int = 1 << 20   # tokens
        TABLE = [
            1,  # one
            2,
        ]
        HUGE = "{}"
        logger = logging.getLogger(__name__)
        a = B_C = 4
        left, RIGHT = 1, 2
        """.format("x" * 400)
    )
    assert (found["MAX_LEN"].kind, found["MAX_LEN"].value, found["MAX_LEN"].annotation) == (
        "constant",
        "1 << 20",
        "int",
    )
    assert found["TABLE"].value == "[1, 2]"
    assert found["HUGE"].value is None
    assert found["HUGE"].shape
    assert (found["logger"].kind, found["logger"].value) == ("variable", "logging.getLogger(__name__)")
    assert (found["a"].value, found["B_C"].value, found["B_C"].kind) == ("4", "4", "constant")
    assert (found["left"].kind, found["RIGHT"].kind, found["RIGHT"].value) == ("variable", "constant", None)


def test_type_aliases_are_types() -> None:
    found = symbols("type Key = str | int\nPair: TypeAlias = tuple\nMode = Literal['a', 'b']\nT = TypeVar('T')\n")
    assert {symbol.kind for symbol in found.values()} == {"type"}
    assert found["Key"].value == "str | int"
    assert found["Mode"].value == "Literal['a', 'b']"


def test_a_property_is_one_symbol_whatever_its_setter_and_the_last_overload_wins() -> None:
    found = symbols(
        """
        class A:
            @property
            def size(self) -> int: ...
            @size.setter
            def size(self, value): ...
        @overload
        def f(x: int) -> int: ...
        @overload
        def f(x: str) -> str: ...
        def f(x, y=None): return x
        """
    )
    assert found["A.size"].decorators == ("property",)
    assert found["A.size"].params == ()
    assert found["f"].params == (Param("x"), Param("y", "None"))


def test_what_is_public_goes_by_underscores_and_dunders() -> None:
    found = symbols(
        "class _A:\n    def run(self): ...\nclass B:\n    def _hide(self): ...\n    def __call__(self): ...\n"
    )
    assert [name for name, symbol in found.items() if symbol.public] == ["B", "B.__call__"]


def test_the_list_of_exports_decides_where_there_is_one() -> None:
    text = """
    __all__ = ["run", "_odd"]
    __all__ += ["Cache"] + ("late",)
    __all__.extend(["more"])
    def run(): ...
    def _odd(): ...
    def left_out(): ...
    class Cache:
        def get(self): ...
        def _get(self): ...
    """
    assert reading(text).exports == frozenset({"run", "_odd", "Cache", "late", "more"})
    assert [name for name, s in symbols(text).items() if s.public] == ["run", "_odd", "Cache", "Cache.get"]
    assert reading("x = 1").exports is None


def test_a_package_gives_on_what_it_imports_from_its_modules() -> None:
    text = "from .core import Cache as Cache, run\nfrom . import jit as jit\nfrom .a.b import (\n    x as _x,\n)\n"
    text += "import os\nfrom torch import nn\n"
    found = symbols(text, "pkg/__init__.py")
    assert {name: symbol.value for name, symbol in found.items()} == {
        "Cache": ".core.Cache",
        "run": ".core.run",
        "jit": ".jit",
        "_x": ".a.b.x",
    }
    assert [name for name, symbol in found.items() if symbol.public] == ["Cache", "run", "jit"]
    listed = symbols(text + "__all__ = ['run', 'nn']\n", "pkg/__init__.py")
    assert {name: symbol.value for name, symbol in listed.items()} == {"run": ".core.run", "nn": "torch.nn"}


def test_a_module_gives_on_an_import_only_if_it_says_so() -> None:
    text = "from .a import used\nfrom .b import X as X\nfrom pkg.c import (  # noqa: F401\n    old,\n)\n"
    text += "from torch import nn  # noqa: F401\nfrom .d import y  # noqa: F401\n"
    text += "if os.environ.get('PATCH'):\n    from . import patched  # noqa: F401\n"
    assert list(symbols(text, "src/pkg/core.py")) == ["X", "old", "y"]
    assert list(symbols(text + "__all__ = ['used']", "src/pkg/core.py")) == ["used"]


def test_a_renamed_function_or_class_keeps_its_shape() -> None:
    body = "    total = 0\n    for item in items:\n        total += item.size\n    return {name}.cache[total]\n"
    old, new = (
        symbols("def first(items):\n" + body.format(name="first")),
        symbols("def second(items):\n" + body.format(name="second")),
    )
    assert old["first"].shape == new["second"].shape != ""
    inner = "    def a(self):\n        return self.x + self.y + self.z + {name}.w + self.q\n"
    old, new = symbols("class A(B):\n" + inner.format(name="A")), symbols("class Z(B):\n" + inner.format(name="Z"))
    assert old["A"].shape == new["Z"].shape != ""


def test_a_moved_function_keeps_its_shape_and_another_body_has_another() -> None:
    body = "total = 0\n{0}for item in items:\n{0}    total += item.size\n{0}return total, len(items)\n"
    plain = symbols("def f(items):\n    " + body.format("    "))
    method = symbols("class A:\n    def f(self, items):\n        " + body.format("        "))
    other = symbols("def f(items):\n    " + body.format("    ").replace("size", "count"))
    assert plain["f"].shape == method["A.f"].shape != other["f"].shape


def test_a_tiny_body_has_no_shape() -> None:
    found = symbols('def a(): pass\ndef b():\n    """Long text, all of it a docstring, no code."""\n    ...\nX = 1\n')
    assert [symbol.shape for symbol in found.values()] == ["", "", ""]
