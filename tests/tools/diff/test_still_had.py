"""What users still have from another table or list has not gone, and what they must write now breaks."""

from typing import TYPE_CHECKING

import pytest

from agent.facts import FactKind, Severity

if TYPE_CHECKING:
    from tests.tools.diff.conftest import FactsOf

ROUTES = pytest.mark.parametrize("route", ["blobs", "hunks"])


@ROUTES
async def test_a_package_that_moved_to_the_list_of_requirements_is_still_asked_for(
    route: str, facts_of: "FactsOf"
) -> None:
    project = '[project]\nname = "atlas"\ndependencies = [\n  "nvidia_ml-py>=1",\n  "gone",\n]\n'
    after = {
        "pyproject.toml": '[project]\nname = "atlas"\ndynamic = ["dependencies"]\n',
        "requirements.txt": "nvidia-ml-py>=1\n",
    }
    facts = await facts_of({"pyproject.toml": project}, after, route)
    assert [fact.name for fact in facts if fact.kind is FactKind.DEPENDENCY_REMOVED] == ["gone"]


@ROUTES
async def test_what_moved_to_another_table_can_still_be_chosen(route: str, facts_of: "FactsOf") -> None:
    def tables(texts: str, pictures: str) -> dict[str, str]:
        alpha, eye = '    "Alpha": ("alpha", "Alpha"),\n', '    "Eye": ("eye", "Eye"),\n'
        read, seen = f"_TEXT_MODELS = {{\n{alpha}{texts}}}\n", f"_SEEING_MODELS = {{\n{eye}{pictures}}}\n"
        return {"pkg/models/registry.py": f"{read}\n{seen}"}

    before = tables('    "Beta": ("beta", "Beta"),\n', "")
    after = tables("", '    "Beta": ("beta_mm", "Beta"),\n')
    facts = await facts_of(before, after, route)
    assert [(fact.kind, fact.name) for fact in facts] == [(FactKind.REGISTERED, "Beta")]


@ROUTES
async def test_a_new_method_that_heirs_must_write_breaks_them(route: str, facts_of: "FactsOf") -> None:
    old = "class Processor(ABC):\n    @abstractmethod\n    def run(self):\n        ...\n"
    new = f"{old}\n    @abstractmethod\n    def limits(self):\n        ...\n"
    (fact,) = await facts_of({"pkg/a.py": old}, {"pkg/a.py": new}, route)
    assert (fact.kind, fact.severity) == (FactKind.SYMBOL_ADDED, Severity.BREAKING)


@ROUTES
async def test_a_method_that_heirs_must_write_now_breaks_them(route: str, facts_of: "FactsOf") -> None:
    old = "class Processor(ABC):\n    def __init__(self):\n        self.size = 1\n"
    new = old.replace("    def", "    @abstractmethod\n    def")
    (fact,) = await facts_of({"pkg/a.py": old}, {"pkg/a.py": new}, route)
    assert (fact.kind, fact.severity, fact.new) == (FactKind.SIGNATURE_CHANGED, Severity.BREAKING, "abstractmethod")


@ROUTES
async def test_a_property_instead_of_an_attribute_is_not_new(route: str, facts_of: "FactsOf") -> None:
    old = "class Manager:\n    def __init__(self, config):\n        self.token = config.token\n        self.size = 1\n"
    new = (
        "class Manager:\n    def __init__(self, config):\n        self.config = config\n        self.size = 1\n\n"
        "    @property\n    def token(self):\n        return self.config.token\n"
    )
    assert await facts_of({"pkg/a.py": old}, {"pkg/a.py": new}, route) == []


@ROUTES
async def test_a_mark_that_nothing_looks_at_asks_nothing_of_heirs(route: str, facts_of: "FactsOf") -> None:
    old = "class Processor:\n    def run(self):\n        raise NotImplementedError\n"
    new = old.replace("    def", "    @abstractmethod\n    def")
    assert await facts_of({"pkg/a.py": old}, {"pkg/a.py": new}, route) == []


@ROUTES
async def test_what_another_table_of_its_sort_has_too_can_still_be_chosen(route: str, facts_of: "FactsOf") -> None:
    beta = '    "Beta": ("beta", "Beta"),\n'
    text = '_TEXT_MODELS = {{\n    "Alpha": ("alpha", "Alpha"),\n{}}}\n_SEEING_MODELS = {{\n{}}}\n'
    before, after = ({"pkg/models/registry.py": text.format(first, beta)} for first in (beta, ""))
    assert await facts_of(before, after, route) == []


async def test_a_type_variable_is_the_business_of_its_file(facts_of: "FactsOf") -> None:
    (fact,) = await facts_of({"pkg/a.py": 'T = TypeVar("T")\nX = 1\n'}, {"pkg/a.py": "X = 1\n"})
    assert fact.severity is Severity.INTERNAL


@ROUTES
async def test_a_class_that_a_table_finds_by_its_name_now_is_still_registered(route: str, facts_of: "FactsOf") -> None:
    text = "from elsewhere import AutoProcessor\n\n\nclass AtlasProcessor:\n    size = 1\n"
    table = '_MODULES = {\n    "Other": "pkg.other",\n    "AtlasProcessor": "pkg.atlas",\n}\n'
    before = {
        "pkg/atlas.py": f'{text}\n\nAutoProcessor.register("AtlasProcessor", AtlasProcessor)\n',
        "pkg/lazy.py": "",
    }
    for lazy, gone in ((table, []), ("X = 1\n", ["AtlasProcessor"])):
        facts = await facts_of(before, {"pkg/atlas.py": text, "pkg/lazy.py": lazy}, route)
        assert [fact.name for fact in facts if fact.kind is FactKind.UNREGISTERED] == gone
