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


def test_links_between_the_documents_lead_somewhere() -> None:
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")):
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_no_test_folder_shadows_a_package() -> None:
    assert not list((ROOT / "tests").rglob("__init__.py"))
