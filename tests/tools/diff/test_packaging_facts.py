"""What a package asks for, and for which extra, is told; what else its setup.py lists is not taken for that."""

from typing import TYPE_CHECKING

import pytest

from agent.facts import Fact, FactKind, Severity
from agent.templates import params_of_several, sentence

if TYPE_CHECKING:
    from tests.tools.diff.conftest import FactsOf

ROUTES = pytest.mark.parametrize("route", ["blobs", "hunks"])
ASKED = (FactKind.DEPENDENCY_ADDED, FactKind.DEPENDENCY_CHANGED, FactKind.DEPENDENCY_REMOVED)
SETUP = """from setuptools import find_packages, setup
{top}
setup(
    name="atlas",
    packages={packages},
    package_data={{"atlas": ["*.so"{data}]}},
    classifiers=["Programming Language :: Python :: 3"{classifier}],
    python_requires="{python}",
    install_requires=[
        "torch>=2.0",{plain}
    ],
    extras_require={{
        "test": ["pytest>=7"{test}],
        "docs": [
            "sphinx",{docs}
        ],
    }},
)
"""
BEFORE = {
    "top": "",
    "packages": 'find_packages(exclude=("tests",))',
    "data": "",
    "classifier": "",
    "python": ">=3.8",
    "plain": "",
    "test": "",
    "docs": "",
}


def asked(facts: list[Fact]) -> set[tuple[str, str | None, str | None]]:
    return {(fact.name, fact.new, fact.detail) for fact in facts if fact.kind in ASKED}


@ROUTES
@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"plain": '\n        "einops",'}, {("einops", None, "install_requires")}),
        ({"test": ', "mypy>=1"'}, {("mypy", ">=1", "extras_require.test")}),
        ({"docs": '\n            "furo",'}, {("furo", None, "extras_require.docs")}),
        ({"python": ">=3.10"}, {("python", ">=3.10", "project")}),
        ({"data": ', "include", "csrc==1"'}, set()),
        ({"classifier": ', "License==1"'}, set()),
        ({"top": 'print("nvcc>=12")\nassert nvcc, "torch>=2"\nPATH = join("csrc", "kernels==1")'}, set()),
    ],
)
async def test_only_requirements_of_a_setup_are_told_each_with_its_extra(
    changed: dict[str, str], expected: set[tuple[str, str | None, str | None]], route: str, facts_of: "FactsOf"
) -> None:
    before, after = SETUP.format(**BEFORE), SETUP.format(**BEFORE | changed)
    assert asked(await facts_of({"setup.py": before}, {"setup.py": after}, route)) == expected


async def test_a_hunk_from_the_middle_of_the_extras_tells_of_an_extra(facts_of: "FactsOf") -> None:
    many = "".join(f'            "tool{number}>=1",\n' for number in range(12))
    text = (
        'setup(\n    extras_require={{\n        "a": [\n{0}{1}        ],\n        "b": [\n{0}{1}        ],\n    }}\n)\n'
    )
    new = '            "furo>=2",\n'
    facts = await facts_of({"setup.py": text.format(many, "")}, {"setup.py": text.format(many, new)}, "hunks")
    assert asked(facts) == {("furo", ">=2", "extras_require")}


@ROUTES
async def test_the_packages_that_are_shipped_are_told(route: str, facts_of: "FactsOf") -> None:
    before = SETUP.format(**BEFORE)
    after = SETUP.format(**BEFORE | {"packages": 'find_packages(exclude=("tests", "bench"))'})
    toml = '[project]\nname = "atlas"\n\n[tool.setuptools]\npackages = ["atlas"{}]\n'
    facts = await facts_of(
        {"setup.py": before, "lib/pyproject.toml": toml.format("")},
        {"setup.py": after, "lib/pyproject.toml": toml.format(', "atlas.ops"')},
        route,
    )
    assert {(fact.kind, fact.old, fact.new) for fact in facts if fact.name == "packages"} == {
        (
            FactKind.CONFIG_CHANGED,
            'find_packages(exclude=("tests",))',
            'find_packages(exclude=("tests", "bench"))',
        ),
        (FactKind.CONFIG_CHANGED, "atlas", "atlas, atlas.ops"),
    }


@ROUTES
@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("pyproject.toml", '[project]\nname = "{}"\ndynamic = ["version"]\n'),
        ("setup.py", "import setuptools\n\nsetuptools.setup(\n    name='{}',\n    version=get_version(),\n)\n"),
    ],
)
async def test_a_package_that_is_installed_by_another_name_breaks_who_installs_it(
    path: str, text: str, route: str, facts_of: "FactsOf"
) -> None:
    facts = await facts_of({path: text.format("atlas4")}, {path: text.format("a4")}, route)
    assert [(fact.kind, fact.severity, fact.old, fact.new) for fact in facts] == [
        (FactKind.CONFIG_CHANGED, Severity.BREAKING, "atlas4", "a4")
    ]
    assert sentence("facts", params_of_several(facts), "en") == "The package `atlas4` is now installed as `a4`."
    assert sentence("advices", params_of_several(facts), "zh") == "请改为安装 `a4`，而不是 `atlas4`。"


@ROUTES
async def test_a_requirement_that_is_appended_is_one(route: str, facts_of: "FactsOf") -> None:
    old = 'requirements = ["torch"]\nflags = []\n'
    new = f'{old}requirements.append("einops")\nflags.append("fast")\nrequirements += ["numpy"]\n'
    facts = await facts_of({"setup.py": old}, {"setup.py": new}, route)
    assert {name for name, _, _ in asked(facts)} == {"einops", "numpy"}


@ROUTES
@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('; os_name != "nt"', "", ('== 1.2.0; os_name != "nt"', "== 1.2.0")),
        ("", '; python_version < "3.12"', ("== 1.2.0", '== 1.2.0; python_version < "3.12"')),
        ('; python_version < "3.12"', '; python_version < "3.13"', None),
    ],
)
async def test_a_package_under_another_marker_is_still_asked_for(
    old: str, new: str, told: tuple[str, str] | None, route: str, facts_of: "FactsOf"
) -> None:
    before, after = (f"numpy\nfast_core == 1.2.0 {marker}\n" for marker in (old, new))
    (fact,) = await facts_of({"requirements.txt": before}, {"requirements.txt": after}, route)
    assert (fact.kind, fact.name) == (FactKind.DEPENDENCY_CHANGED, "fast-core")
    assert told is None or (fact.old, fact.new) == told


async def test_a_package_that_stays_under_one_of_two_markers_went_under_the_other(facts_of: "FactsOf") -> None:
    lines = 'numpy\nfast == 1.0; os_name == "nt"\n'
    before = f'{lines}fast == 2.0; os_name != "nt"\n'
    (fact,) = await facts_of({"requirements.txt": before}, {"requirements.txt": lines})
    assert (fact.kind, fact.old) == (FactKind.DEPENDENCY_REMOVED, "== 2.0")


@ROUTES
async def test_packages_of_a_system_are_told_by_what_installs_them(route: str, facts_of: "FactsOf") -> None:
    before = "FROM ubi:9\nRUN microdnf install -y gcc && \\\n    true\n"
    (fact,) = await facts_of(
        {"Dockerfile": before}, {"Dockerfile": before.replace("gcc", "gcc clang llvm-devel")}, route
    )
    assert (fact.name, fact.detail) == ("clang, llvm-devel", "microdnf")


@ROUTES
async def test_what_a_script_puts_onto_a_machine_no_package_asks_for(route: str, facts_of: "FactsOf") -> None:
    old = "set -e\nACME_VERSION=1.2\npip install 'acme>=1.2'\n"
    new = old.replace("1.2", "1.3") + "pip install 'other>=2.0'\n"
    facts = await facts_of({"docker/install.sh": old}, {"docker/install.sh": new}, route)
    assert {(fact.name, fact.severity) for fact in facts} == {
        ("ACME_VERSION", Severity.BEHAVIOUR),
        ("acme", Severity.INTERNAL),
        ("other", Severity.INTERNAL),
    }


@ROUTES
async def test_what_a_setup_gathers_in_a_loop_is_no_list_of_packages(route: str, facts_of: "FactsOf") -> None:
    old = "def latest(links):\n    return links\n"
    new = "def latest(links):\n    packages = [\n        link.strip() for link in links\n    ]\n    return packages\n"
    assert await facts_of({"setup.py": old}, {"setup.py": new}, route) == []


@ROUTES
async def test_a_package_without_a_version_was_asked_for_at_any(route: str, facts_of: "FactsOf") -> None:
    path = "requirements/common.txt"
    (fact,) = await facts_of({path: "acme # for all\n"}, {path: "acme >= 6.30.0 # for all\n"}, route)
    assert (fact.kind, fact.old, fact.new) == (FactKind.DEPENDENCY_CHANGED, "any", ">= 6.30.0")


@ROUTES
@pytest.mark.parametrize(
    ("new", "severity"),
    [
        ("['lib_gen', 'lib_gen.op']", Severity.BREAKING),
        ("['lib', 'lib.op', 'more']", Severity.BEHAVIOUR),
        ("['more'] + find_packages('lib')", Severity.BEHAVIOUR),
    ],
)
async def test_a_package_at_the_top_that_is_shipped_no_longer_is_missed(
    new: str, severity: Severity, route: str, facts_of: "FactsOf"
) -> None:
    text = "setup(\n    name='lib',\n    packages={},\n)\n"
    before, after = text.format("['lib', 'lib.op']"), text.format(new)
    facts = await facts_of({"setup.py": before}, {"setup.py": after}, route)
    assert [(fact.kind, fact.severity) for fact in facts] == [(FactKind.CONFIG_CHANGED, severity)]


@ROUTES
async def test_what_only_the_tests_of_a_crate_ask_for_is_internal(route: str, facts_of: "FactsOf") -> None:
    old = '[dependencies]\nserde = "1.0"\n\n[dev-dependencies]\ntower = "0.5"\n'
    new = old.replace("1.0", "1.1").replace("0.5", "0.6")
    facts = await facts_of({"Cargo.toml": old}, {"Cargo.toml": new}, route)
    assert {(fact.name, fact.severity) for fact in facts} == {
        ("serde", Severity.BEHAVIOUR),
        ("tower", Severity.INTERNAL),
    }


@ROUTES
async def test_a_machine_that_code_is_made_for_is_told_once(route: str, facts_of: "FactsOf") -> None:
    text = 'flags = [\n    "-O3",\n    "-gencode=arch=compute_80,code=sm_80",\n{}]\nsetup(name="lib")\n'
    new = text.format('    "-gencode=arch=compute_90a,code=sm_90a",\n')
    facts = await facts_of({"setup.py": text.format("")}, {"setup.py": new}, route)
    assert [fact.kind for fact in facts] == [FactKind.CONFIG_ADDED]
