"""What is promised about the files of the project as a whole."""

import ast
import functools
import importlib
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tests.parsed_sources import ROOT, nodes_of, python_files

PACKAGES = ("agent", "tools", "memory", "graphs", "evals", "gitzette")
MOST_ENGLISH = 12
MOST_CHINESE = 6
_ENGLISH = re.compile("[a-z]{2,}")
_CHINESE = re.compile("[\u4e00-\u9fff]+")


@functools.cache
def modules() -> dict[str, Path]:
    modules_found = {}
    for package in PACKAGES:
        for file in python_files(package):
            name = ".".join(file.relative_to(ROOT).with_suffix("").parts)
            modules_found[name.removesuffix(".__init__")] = file
    return modules_found


def imports_of(module: str) -> Iterator[str]:
    """Yield the modules of ours that a module imports, wherever in it, also for types alone."""
    for node in nodes_of(modules()[module]):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                yield name if name in modules() else node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def check_below(module: str, above: tuple[str, ...], checked: set[str]) -> None:
    """Follow the imports of a module; fail where they lead back to one of those above it."""
    assert module not in above, f"a circle: {' > '.join((*above, module))}"
    if module in checked:
        return
    for imported in set(imports_of(module)) - {module}:
        if imported in modules():
            check_below(imported, (*above, module), checked)
    checked.add(module)


def test_no_imports_form_a_circle() -> None:
    checked: set[str] = set()
    for module in modules():
        check_below(module, (), checked)
    assert checked == set(modules())


def test_links_between_the_documents_lead_somewhere() -> None:
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")):
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


_FOREIGN_FILES = {"setup.py"}  # Files of the projects that Gitzette reads
_OUR_FOLDERS = (*PACKAGES, "scripts", "tests")


def test_files_of_ours_that_documents_name_exist() -> None:
    known = set(_FOREIGN_FILES)
    for folder in _OUR_FOLDERS:
        for file in python_files(folder):
            known |= {file.name, file.relative_to(ROOT).as_posix()}
    modules_named = re.compile(r"(?<![\w./<>*-])[\w/]+\.py\b")
    paths_named = re.compile(rf"`((?:{'|'.join(_OUR_FOLDERS)})/[\w./-]*)`")
    for page in (ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")):
        text = page.read_text("utf-8")
        unknown = set(modules_named.findall(text)) - known
        unknown |= {path for path in paths_named.findall(text) if not (ROOT / path).exists()}
        assert not unknown, page.name


# Gitzette is on no package index; an owner of its name there could have anything installed.
_INSTALLS_A_NAME = re.compile(
    r"""\b(?:pip3?|pipx|uv|uvx)\ (?!(?:run\ )?--(?:from|spec)\ \.)(?:(?:tool|pip)\ )?(?:install|add|run|)[^\n]*?
        ["'\s]gitzette(?=["'\s\[=<>]|$)""",
    re.VERBOSE | re.MULTILINE,
)


def test_nobody_is_told_to_install_a_name_that_is_not_published() -> None:
    assert _INSTALLS_A_NAME.search("pip install 'gitzette[server]'")
    assert _INSTALLS_A_NAME.search("run uv tool install gitzette to begin")
    assert not _INSTALLS_A_NAME.search("uv tool install '.[server]' in a checkout of gitzette/")
    assert not _INSTALLS_A_NAME.search("uvx --from . gitzette run --demo, in a clone")
    texts = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*"), *(ROOT / "scripts").iterdir()]
    for package in PACKAGES:
        texts += (ROOT / package).rglob("*")
    advice = {}
    for file in texts:
        if file.is_file() and file.suffix not in (".pyc", ".png"):
            match = _INSTALLS_A_NAME.search(file.read_text("utf-8", "replace"))
            if match:
                advice[file.relative_to(ROOT).as_posix()] = match[0]
    assert advice == {}


def test_every_graph_that_langgraph_json_names_can_be_built() -> None:
    named_graphs = json.loads((ROOT / "langgraph.json").read_text())["graphs"]
    assert set(named_graphs) == {"daily", "ask"}
    for graph in named_graphs.values():
        file, name = graph["path"].split(":")
        module = importlib.import_module(
            file.removeprefix("./").removesuffix(".py").replace("/", ".")
        )
        assert getattr(module, name)().get_graph().nodes


def test_only_what_a_person_starts_reads_the_environment() -> None:
    readers = {
        file.relative_to(ROOT).as_posix()
        for file in modules().values()
        if re.search(r"\bos\.(?:environ|getenv)\b", file.read_text("utf-8"))
    }
    assert readers == {"gitzette/cli.py", "gitzette/studio.py"}


def words_listed(node: ast.AST) -> list[str]:
    """Give the plain words that a literal lists: entries, keys, alternatives of a pattern, a text that is split."""
    match node:
        case ast.Tuple() | ast.List() | ast.Set():
            listed = texts_of(node.elts)
        case ast.Dict():
            # A table of functions is a dispatch: its keys are names of our own.
            pairs = zip(node.keys, node.values, strict=True)
            listed = texts_of(
                [
                    key
                    for key, value in pairs
                    if key and not isinstance(value, ast.Name | ast.Lambda)
                ]
            )
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(text)), attr="split")):
            listed = text.split()
        case ast.Constant(value=str(text)):
            listed = alternatives(text)
        case ast.JoinedStr():
            listed = alternatives("".join(texts_of(node.values)))
        case _:
            listed = []
    return [line for line in listed if _ENGLISH.fullmatch(line) or _CHINESE.fullmatch(line)]


def texts_of(nodes: list[ast.expr]) -> list[str]:
    return [
        node.value
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]


def alternatives(pattern: str) -> list[str]:
    """Give the words between the bars of a pattern, and the characters of its Chinese classes."""
    classes = "".join(re.findall(r"\[([^\[\]]*)\]", pattern)) if "-" not in pattern else ""
    bare = re.sub(r"\\[a-zA-Z]|\?[:!=<]*|[()\[\]*+^$]", "", pattern)
    return [*(bare.split("|") if "|" in bare else []), *filter(_CHINESE.fullmatch, classes)]


def word_lists(nodes: Iterable[ast.AST]) -> list[list[str]]:
    long_lists = []
    for node in nodes:
        words = words_listed(node)
        chinese = sum(_CHINESE.fullmatch(word) is not None for word in words)
        if chinese > MOST_CHINESE or len(words) - chinese > MOST_ENGLISH:
            long_lists.append(words)
    return long_lists


@pytest.mark.parametrize("package", ["agent/gate", "graphs"])
def test_no_list_of_words_stands_in_for_understanding(package: str) -> None:
    lists_by_file = {}
    for file in python_files(package):
        lists = word_lists(nodes_of(file))
        if lists:
            lists_by_file[file.name] = lists
    assert lists_by_file == {}


VERBS = (
    "add",
    "drop",
    "fix",
    "remove",
    "rename",
    "move",
    "raise",
    "lower",
    "allow",
    "deny",
    "keep",
    "lose",
    "make",
)


@pytest.mark.parametrize(
    "source",
    [
        f"VERBS = {VERBS}",
        f"VERBS = {dict.fromkeys(VERBS, 1)}",
        f"VERBS = {' '.join(VERBS)!r}.split()",
        f"VERBS = re.compile(rf'{{START}}(?:{'|'.join(VERBS)})')",
        "NEGATIONS = re.compile('[不没无未非别勿]')",
    ],
)
def test_a_list_of_words_is_found_in_whatever_form(source: str) -> None:
    assert word_lists(ast.walk(ast.parse(source)))


def test_no_test_folder_shadows_a_package() -> None:
    assert not [file for file in (ROOT / "tests").rglob("__init__.py") if "cases" not in file.parts]


_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def nested_comprehensions(nodes: Iterable[ast.AST]) -> list[int]:
    """Return the lines of comprehensions with a second `for`, or inside of another one."""
    comprehensions = [node for node in nodes if isinstance(node, _COMPREHENSIONS)]
    inner: set[ast.AST] = set()
    for comprehension in comprehensions:
        inner.update(node for node in ast.walk(comprehension) if node is not comprehension)
    lines = []
    for comprehension in comprehensions:
        if comprehension in inner or len(comprehension.generators) > 1:
            lines.append(comprehension.lineno)
    return sorted(lines)


@pytest.mark.parametrize(
    "source",
    [
        "words = [word for line in lines for word in line]",
        "rows = [[cell for cell in row] for row in table]",
        "total = sum(len({*(x for x in row)}) for row in table)",
        "by_key = {key: [value for value in values] for key, values in items}",
    ],
)
def test_a_nested_comprehension_is_found(source: str) -> None:
    assert nested_comprehensions(ast.walk(ast.parse(source))) == [1]


def test_comprehensions_in_a_row_are_not_nested() -> None:
    tree = ast.parse("a = [x for x in b]\nc = {y for y in a if y}\n")
    assert nested_comprehensions(ast.walk(tree)) == []


def test_comprehensions_do_not_nest() -> None:
    """A loop reads better."""
    nested = {}
    for file in modules().values():
        lines = nested_comprehensions(nodes_of(file))
        if lines:
            nested[file.relative_to(ROOT).as_posix()] = lines
    assert nested == {}
