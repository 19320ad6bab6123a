"""A class has a name of its own, so that a reader who meets it knows which one it is."""

import ast
from collections import defaultdict

from tests.parsed_sources import ROOT, nodes_of, python_files

FOLDERS = ("agent", "tools", "graphs", "memory", "evals", "gitzette", "scripts")


def test_no_two_classes_of_the_product_have_the_same_name() -> None:
    modules_by_name: dict[str, list[str]] = defaultdict(list)
    for folder in FOLDERS:
        for path in python_files(folder):
            for node in nodes_of(path):
                if isinstance(node, ast.ClassDef):
                    modules_by_name[node.name].append(str(path.relative_to(ROOT)))
    shared = {name: modules for name, modules in modules_by_name.items() if len(modules) > 1}
    assert shared == {}
