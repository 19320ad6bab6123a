"""What can be said of a piece of Python that a hunk cut out, and that nothing makes the reader fail."""

from textwrap import dedent

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tools.diff.readers.python import read
from tools.diff.reading import Param, Reading, Source

SAMPLE = dedent(
    '''
    """Docs."""
    from .core import (a, b as c)
    __all__ = ["Engine", 'run']
    MODES = ["x", "y"]
    _MODELS = {"A": ("a", "A"), "B": None}
    class Engine(Base[int], metaclass=M):
        """Say."""
        size: int = 8
        KIND = EnvBool(False)
        @property
        def f(self, a, /, b: int = 3, *args, c, **kw) -> int:
            if a >= 3 and b not in (1, 2): raise ValueError(f"x {a!r:>{w}}" "b")
            assert 0 < top_k <= 22, "msg %s" % a
            os.environ["X"] = os.environ.get("Y", "1") + os.getenv("Z")
            return -1
    @app.post("/x", methods=["a"])
    async def run(*, x=lambda q: (q,)):
        parser.add_argument("--mode", choices=list(MODES), default="x")
        warnings.warn("old", DeprecationWarning)
        match x:
            case {"k": [1, *rest]}: pass
    type A[T] = dict[str, T]
    if __name__ == "__main__": run()
    '''
).encode()


def fragment(text: str, heading: str = "", first_line: int = 100, path: str = "pkg/core.py") -> Reading:
    return read(Source(path, text.encode(), first_line=first_line, whole=False, heading=heading))


def names(reading: Reading) -> list[str]:
    return [symbol.name for symbol in reading.symbols]


def test_lines_of_a_fragment_are_lines_of_the_file() -> None:
    found = fragment("        return x\n\n    def go(self, a):\n        raise E('no')\n", "class Engine(Base):")
    assert [(s.name, s.kind, s.start, s.end) for s in found.symbols] == [("Engine.go", "method", 102, 103)]
    assert [(s.name, s.scope, s.start) for s in found.sites] == [("E", "Engine.go", 103)]


def test_members_belong_to_the_class_in_the_heading_until_something_stands_at_the_margin() -> None:
    found = fragment("    size: int = 3\n    LEN = 4\n\ndef after():\n    y: int = 3\n\nZ = 1\n", "class Engine(Base):")
    assert names(found) == ["Engine.size", "Engine.LEN", "after", "Z"]


def test_what_stands_in_a_body_is_no_symbol() -> None:
    inside = "    limit: int = 3\n    def helper(x):\n        return x\n    raise ValueError('no')\n"
    found = fragment(inside, "def run(x):")
    assert names(found) == []
    assert [(site.name, site.scope) for site in found.sites] == [("ValueError", "run")]
    deeper = fragment("        limit: int = 3\n        def helper(x):\n            return x\n", "class Engine:")
    assert names(deeper) == []


def test_a_method_after_the_one_in_the_heading_is_a_method_of_a_class_that_is_not_known() -> None:
    found = fragment("        return 1\n\n    def other(self, x):\n        raise E('a')\n", "def run(self):")
    assert [(s.name, s.kind, s.params) for s in found.symbols] == [("other", "method", (Param("x"),))]
    assert found.sites[0].scope == "other"


def test_a_fragment_inside_a_signature_belongs_to_the_function_in_the_heading() -> None:
    tail = fragment("    b: int = 3,\n    c=None,\n) -> int:\n    return 1\n", "def run(")
    (run,) = tail.symbols
    assert (run.name, run.params, run.start) == ("run", (Param("b", "3", "int"), Param("c", "None")), 100)
    middle = fragment("    b: int = 3,\n    c=None,\n", "def run(")
    assert middle.symbols[0].params == run.params
    method = fragment("        b: int = 3,\n    ) -> int:\n        return 1\n", "def run(self, a,")
    assert method.symbols[0].params == (Param("a"), Param("b", "3", "int"))
    begun = fragment("def run(\n    a,\n    b: int = 3,\n")
    assert begun.symbols[0].params == (Param("a"), Param("b", "3", "int"))


def test_arguments_and_conditions_in_a_body_are_not_taken_for_the_signature() -> None:
    assert names(fragment("        q,\n        k=k,\n        v,\n", "def run(")) == []
    assert names(fragment("        a > 0\n        or b\n    ):\n        return 1\n", "def run(")) == []
    wrapped = fragment("    b: int = 3,\n) -> (\n    int | None\n):\n    return 1\n", "def run(")
    assert [(symbol.name, symbol.returns) for symbol in wrapped.symbols] == [("run", "(int | None)")]


def test_prose_of_a_docstring_that_is_not_seen_as_one_is_no_symbol() -> None:
    assert names(fragment("NOTE: this is the text of a docstring\nuse x = 3 if you can (or\n")) == []


def test_a_signature_whose_name_is_not_in_sight_gives_no_symbol() -> None:
    assert names(fragment("    b: int = 3,\n) -> int:\n    return 1\n\ndef go(): ...\n")) == ["go"]


def test_arguments_of_a_call_that_began_before_are_no_symbols() -> None:
    found = fragment("    default=3,\n    choices=x,\n)\np.add_argument('--b', default=4)\n", "def setup(p):")
    assert names(found) == []
    assert [(site.name, site.value, site.start) for site in found.sites] == [("--b", "4", 103)]
    assert names(fragment("    size=3,\n    LEN=4,\n", "class Engine:")) == []


def test_a_call_that_ends_after_the_fragment_is_read_as_far_as_it_goes() -> None:
    found = fragment("    p.add_argument(\n        '--b',\n        default=4,\n", "def setup(p):")
    assert [(site.name, site.value) for site in found.sites] == [("--b", "4")]
    (table,) = fragment("TABLE = [\n    1,\n").symbols
    assert (table.name, table.value) == ("TABLE", None)


def test_entries_of_a_registry_that_began_before_are_found_by_the_name_of_the_file() -> None:
    text = '    "A": ("a", "A"),\n    "B": ("b", "B"),\n'
    found = fragment(text, "def x():", path="models/registry.py")
    assert [(s.kind, s.name, s.value, s.start) for s in found.sites] == [
        ("registration", "A", '("a", "A")', 100),
        ("registration", "B", '("b", "B")', 101),
    ]
    assert names(found) == []
    assert fragment(text, "def x():").sites == ()
    closed = fragment(text + "}\nX = 1\n", path="models/registry.py")
    assert [site.name for site in closed.sites] == ["A", "B"]
    assert names(closed) == ["X"]


def test_variables_of_a_registry_that_began_before_are_found() -> None:
    found = fragment('    "APP_X": lambda: os.getenv("APP_X", "1"),\n    "APP_Y": lambda: compute(),\n', path="envs.py")
    assert [(site.kind, site.name, site.value) for site in found.sites] == [
        ("env", "APP_X", '"1"'),
        ("env", "APP_Y", None),
    ]


def test_a_fragment_that_begins_in_a_docstring_is_code_only_after_it() -> None:
    found = fragment('    Use x if (y.\n    """\n    raise ValueError("no")\n\ndef go(): ...\n', "def run():")
    assert names(found) == ["go"]
    assert [(site.name, site.start) for site in found.sites] == [("ValueError", 102)]


def test_a_fragment_that_ends_in_a_docstring_is_read_up_to_it() -> None:
    found = fragment('def go(a):\n    """Say (what.\n\n    raise nothing\n')
    assert [(symbol.name, symbol.params) for symbol in found.symbols] == [("go", (Param("a"),))]
    assert found.sites == ()


def test_what_is_too_large_is_a_problem_in_words() -> None:
    for text in (b"x = 1\n" * 400_000, b"x = '" + b"a" * 30_000 + b"'", b"f(" * 210_000, b"x\0y"):
        found = read(Source("a.py", text))
        assert found.symbols == ()
        assert len(found.problems) == 1
        assert found.problems[0].startswith("a.py")


def test_deep_nesting_is_read_without_recursion() -> None:
    deep = b"x = " + b"[\n" * 9_000 + b"]" * 9_000 + b"\nY = 1\n"
    assert "Y" in names(read(Source("a.py", deep)))
    sums = b"raise E(" + b"'a' + \\\n" * 5_000 + b"'b')\n"
    assert read(Source("a.py", sums)).problems == ()


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.binary(max_size=400), st.booleans(), st.text(max_size=40))
def test_no_bytes_make_the_reader_fail(text: bytes, whole: bool, heading: str) -> None:
    read(Source("a/__init__.py", text, whole=whole, heading=heading))


@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_no_mutation_of_code_makes_the_reader_fail(data: st.DataObject) -> None:
    text = bytearray(SAMPLE)
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 60)))
        text[start:end] = data.draw(
            st.sampled_from([b"", b"(", b")", b'"""', b"{", b"}:", b"\n    ", b"def ", b"\xff", b"@"])
        )
    cut = data.draw(st.integers(0, len(text)))
    heading = data.draw(st.sampled_from(["", "class Engine(Base):", "def run(", "def f(self, a,", "MODES = ["]))
    for source in (Source("a.py", bytes(text)), Source("a.py", bytes(text[cut:]), 7, whole=False, heading=heading)):
        found = read(source)
        last = source.first_line + source.text.count(b"\n")
        places = [(s.start, s.end) for s in found.symbols] + [(s.start, s.end) for s in found.sites]
        assert all(source.first_line <= start <= end <= last for start, end in places)
        assert all(s.start <= s.head <= s.end for s in found.symbols)
