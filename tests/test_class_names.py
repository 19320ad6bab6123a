"""A class has a name of its own, so that a reader who meets it knows which one it is."""

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parent.parent
FOLDERS = ("agent", "tools", "graphs", "memory", "evals", "gitzette", "scripts")


def test_no_two_classes_of_the_product_have_the_same_name() -> None:
    modules_by_name: dict[str, list[str]] = defaultdict(list)
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.ClassDef):
                    modules_by_name[node.name].append(str(path.relative_to(ROOT)))
    shared = {name: modules for name, modules in modules_by_name.items() if len(modules) > 1}
    assert shared == {}
