"""The house as a whole: what is promised about its files holds."""

import ast
import importlib
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("agent", "tools", "memory", "graphs", "evals", "gitzette")


def sources() -> list[Path]:
    return [file for package in PACKAGES for file in (ROOT / package).rglob("*.py")]


def test_every_graph_that_langgraph_json_names_can_be_built() -> None:
    named = json.loads((ROOT / "langgraph.json").read_text())["graphs"]
    assert set(named) == {"daily", "ask"}
    for graph in named.values():
        file, name = graph["path"].split(":")
        module = importlib.import_module(file.removeprefix("./").removesuffix(".py").replace("/", "."))
        assert getattr(module, name)().get_graph().nodes


def test_only_what_a_person_starts_reads_the_environment() -> None:
    readers = {
        file.relative_to(ROOT).as_posix()
        for file in sources()
        # Parsing them all takes seconds, and few have the word.
        if re.search(r"environ|getenv", text := file.read_text("utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Attribute) and node.attr in ("environ", "getenv") and ast.unparse(node.value) == "os"
    }
    assert readers == {"gitzette/cli.py", "gitzette/studio.py"}


@pytest.mark.parametrize("package", PACKAGES)
def test_every_module_opens_with_a_sentence(package: str) -> None:
    for file in (ROOT / package).rglob("*.py"):
        assert re.match(r'(?:"""|r""")[^"\n]', file.read_text("utf-8")), file


MOST_LINES = {"agent/gate": 1_300, "agent/audit": 1_300, "graphs": 2_300, "memory": 2_800}
MOST_ENGLISH, MOST_CHINESE = 12, 6
_ENGLISH, _CHINESE = re.compile("[a-z]{2,}"), re.compile("[\u4e00-\u9fff]+")


@pytest.mark.parametrize("folder", MOST_LINES)
def test_a_package_keeps_to_its_budget_of_lines(folder: str) -> None:
    files = (ROOT / folder).rglob("*.py")
    lines = {file.name: len(file.read_text("utf-8").splitlines()) for file in files}
    assert lines
    assert sum(lines.values()) <= MOST_LINES[folder], lines


def words_listed(node: ast.AST) -> list[str]:
    """Give the plain words that a literal lists: entries, keys, alternatives of a pattern, a text that is split."""
    match node:
        case ast.Tuple() | ast.List() | ast.Set():
            listed = texts_of(node.elts)
        case ast.Dict():
            # A table of functions is a dispatch: its keys are names of our own.
            pairs = zip(node.keys, node.values, strict=True)
            listed = texts_of([key for key, value in pairs if key and not isinstance(value, ast.Name | ast.Lambda)])
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(text)), attr="split")):
            listed = text.split()
        case ast.Constant(value=str(text)):
            listed = alternatives(text)
        case ast.JoinedStr():
            listed = alternatives("".join(texts_of(node.values)))
        case _:
            listed = []
    return [one for one in listed if _ENGLISH.fullmatch(one) or _CHINESE.fullmatch(one)]


def texts_of(nodes: list[ast.expr]) -> list[str]:
    return [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]


def alternatives(pattern: str) -> list[str]:
    """Give the words between the bars of a pattern, and the characters of its Chinese classes."""
    classes = "".join(re.findall(r"\[([^\[\]]*)\]", pattern)) if "-" not in pattern else ""
    bare = re.sub(r"\\[a-zA-Z]|\?[:!=<]*|[()\[\]*+^$]", "", pattern)
    return [*(bare.split("|") if "|" in bare else []), *filter(_CHINESE.fullmatch, classes)]


def has_too_many(words: list[str]) -> bool:
    chinese = sum(_CHINESE.fullmatch(word) is not None for word in words)
    return chinese > MOST_CHINESE or len(words) - chinese > MOST_ENGLISH


def word_lists(source: str) -> list[list[str]]:
    return [words for node in ast.walk(ast.parse(source)) if has_too_many(words := words_listed(node))]


@pytest.mark.parametrize("package", ["agent/gate", "graphs"])
def test_no_list_of_words_stands_in_for_understanding(package: str) -> None:
    found = {
        file.name: lists for file in (ROOT / package).rglob("*.py") if (lists := word_lists(file.read_text("utf-8")))
    }
    assert not found


VERBS = ("add", "drop", "fix", "remove", "rename", "move", "raise", "lower", "allow", "deny", "keep", "lose", "make")
NEGATIONS = ("不", "没有", "并非", "从未", "无法", "不再", "未")


@pytest.mark.parametrize(
    "source",
    [
        f"VERBS = {VERBS}",
        f"VERBS = frozenset({set(VERBS)})",
        f"VERBS = {dict.fromkeys(VERBS, 1)}",
        f"VERBS = {' '.join(VERBS)!r}.split()",
        f"VERBS = re.compile({'|'.join(VERBS)!r})",
        f"VERBS = re.compile(r'\\b(?:{'|'.join(VERBS)})(?:ed)?\\b')",
        f"VERBS = re.compile(rf'{{START}}(?:{'|'.join(VERBS)})')",
        f"NEGATIONS = {NEGATIONS}",
        f"NEGATIONS = re.compile({'|'.join(NEGATIONS)!r})",
        "NEGATIONS = re.compile('[不没无未非别勿]')",
    ],
)
def test_a_list_of_words_is_found_in_whatever_form(source: str) -> None:
    assert word_lists(source)


def test_short_lists_and_names_are_no_lists_of_words() -> None:
    fields = ", ".join(repr(f"{name}_count") for name in VERBS)
    closing = r"CLOSING = re.compile(r'\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\b')"
    table = f"CHECKS = {{{', '.join(f'{verb!r}: _{verb}' for verb in VERBS)}}}"
    assert not word_lists(f"{table}\nVERBS = {VERBS[:12]}\nNEGATIONS = {NEGATIONS[:6]}\nFIELDS = ({fields})\n{closing}")


def test_links_between_the_documents_lead_somewhere() -> None:
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")):
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_no_test_folder_shadows_a_package() -> None:
    found = (ROOT / "tests").rglob("__init__.py")
    assert not [file for file in found if "cases" not in file.parts]
