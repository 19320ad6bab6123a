"""Bumps are read within a limit of time, and what was left out is named."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest

from agent.bumps.bump_report_model import BumpReport
from agent.bumps.bump_settings import BumpSettings, PackageEntry
from agent.bumps.pins import Bump
from agent.domain.base import RepoId
from agent.ports import CloneSource
from tests.made_repos import Work
from tools.git.source import GitSource
from tools.packages.bump_effects import BumpReader, OwnRange
from tools.packages.facts_between_versions import facts_between
from tools.packages.package_repositories import SourceFinder
from tools.packages.registry import DeclaredSource, NotDeclared
from tools.packages.repository_trees import TreeReader
from tools.packages.user_pins import read_pin_changes

PROJECT = '[project]\nname = "paint"\nversion = "{}"\n'
ENTRIES = {"paint": PackageEntry.model_validate("ada/paint")}


class Package:
    """A package whose repository answers after some seconds."""

    def __init__(self, folder: Path) -> None:
        self.work = Work(folder / "paint")
        self.trees_delay = 0.0
        self.code_delay = 0.0
        for version, names in (("1.0", "ab"), ("2.0", "b")):
            source = "".join(f"def {name}(): ...\n" for name in names)
            files = {"pyproject.toml": PROJECT.format(version), "paint/__init__.py": source}
            self.work.commit(version, files)
            self.work.git("tag", f"v{version}")

    async def trees(self, repo: RepoId) -> TreeReader:
        await asyncio.sleep(self.trees_delay)
        return await TreeReader.at(self.work.path)

    async def code(self, repo: RepoId) -> CloneSource:
        await asyncio.sleep(self.code_delay)
        return GitSource(repo, self.work.path)


@pytest.fixture
def package(tmp_path: Path) -> Package:
    return Package(tmp_path)


OWN = {"app.py": "from paint import a\n"}


async def report(
    work: Work,
    package: Package,
    folder: Path,
    own_files: Mapping[str, str] = OWN,
    versions: tuple[str, str] = ("1.0", "2.0"),
) -> BumpReport:
    before, after = versions
    base = work.commit("Begin", {"requirements.txt": f"paint=={before}\n", **own_files})
    tip = work.commit("Bump", {"requirements.txt": f"paint=={after}\n"})
    return await read_range(work, package, folder, base, tip)


async def read_range(work: Work, package: Package, folder: Path, base: str, tip: str) -> BumpReport:
    trees = await TreeReader.at(work.path)

    async def nothing(_: Bump) -> DeclaredSource:
        raise NotDeclared("no registry is asked")

    reader = BumpReader(
        compared=OwnRange(RepoId("bob/own"), trees, base, tip),
        finder=SourceFinder(ENTRIES, package.trees, nothing, "github.com"),
        open_trees=package.trees,
        open_code=package.code,
        settings=BumpSettings(packages=ENTRIES, max_seconds=1),
        cache=folder,
        say=lambda _: None,
    )
    return await reader.report(await read_pin_changes(trees, base, tip))


async def test_a_repository_that_takes_too_long_is_named_with_the_limit(
    work: Work, package: Package, tmp_path: Path
) -> None:
    package.trees_delay = 30
    (outcome,) = (await report(work, package, tmp_path)).outcomes
    assert outcome.reason == "the 1 seconds for all packages were over (max_seconds)"


async def test_lines_that_fail_are_told_though_there_was_no_time_for_the_rest(
    work: Work, package: Package, tmp_path: Path
) -> None:
    package.code_delay = 30
    (outcome,) = (await report(work, package, tmp_path)).outcomes
    assert [use.text for use in outcome.breaking_uses] == ["`paint.a` is gone"]
    assert outcome.reason == ""
    assert "were not compared, because the 1 seconds" in outcome.omissions[0]


async def test_facts_of_two_commits_are_found_once(package: Package, tmp_path: Path) -> None:
    code = GitSource(RepoId("ada/paint"), package.work.path)
    old = package.work.git("rev-parse", "v1.0")
    new = package.work.git("rev-parse", "v2.0")
    first = await facts_between(code, old, new, tmp_path / "facts", 500)
    missing_source = GitSource(RepoId("ada/paint"), tmp_path / "nowhere")
    assert await facts_between(missing_source, old, new, tmp_path / "facts", 500) == first
    assert "a" in [fact.name for fact in first.facts]


async def test_what_there_is_no_time_to_parse_is_named_and_not_kept(
    package: Package, tmp_path: Path
) -> None:
    code = GitSource(RepoId("ada/paint"), package.work.path)
    old = package.work.git("rev-parse", "v1.0")
    new = package.work.git("rev-parse", "v2.0")
    hurried = await facts_between(code, old, new, tmp_path / "facts", 0)
    assert any("paint/__init__.py" in skipped for skipped in hurried.skipped)
    calm = await facts_between(code, old, new, tmp_path / "facts", 500)
    assert calm.skipped == ()


async def test_a_range_counts_where_no_lock_file_says_the_version(work: Work) -> None:
    project = '[project]\nname = "own"\ndependencies = ["paint>={0},<{0}.9"]\n'
    base = work.commit("Begin", {"pyproject.toml": project.format("1.0")})
    tip = work.commit("Bump", {"pyproject.toml": project.format("2.0")})
    trees = await TreeReader.at(work.path)
    (bump,) = (await read_pin_changes(trees, base, tip)).bumps
    assert (bump.name, bump.old, bump.new) == ("paint", "1.0", "2.0")
    lock = {"uv.lock": '[[package]]\nname = "paint"\nversion = "2.0"\n'}
    base = work.commit("Lock", {"pyproject.toml": project.format("1.0"), **lock})
    tip = work.commit("Bump", {"pyproject.toml": project.format("2.0")})
    changes = await read_pin_changes(trees, base, tip)
    assert (changes.bumps, changes.unclear) == ((), ())


async def test_a_range_counts_if_it_forbids_the_version_of_a_lock_file(work: Work) -> None:
    project = '[project]\nname = "own"\ndependencies = ["paint~={}"]\n'
    lock = {"uv.lock": '[[package]]\nname = "paint"\nversion = "1.0.3"\n'}
    base = work.commit("Lock", {"pyproject.toml": project.format("1.0.1"), **lock})
    tip = work.commit("Bump", {"pyproject.toml": project.format("1.1.0")})
    (bump,) = (await read_pin_changes(await TreeReader.at(work.path), base, tip)).bumps
    assert (bump.name, bump.old, bump.new) == ("paint", "1.0.1", "1.1.0")


WARNING = 'def {}(self):\n    warnings.warn("`shade` is deprecated", DeprecationWarning)\n'


@pytest.mark.parametrize(("module", "count"), [("canvas", 0), ("__init__", 1)])
async def test_another_function_of_a_deprecated_name_is_not_meant(
    work: Work, package: Package, tmp_path: Path, module: str, count: int
) -> None:
    files = {"paint/canvas.py": "", "paint/__init__.py": "def shade(): ...\ndef a(): ...\n"}
    package.work.commit("Again", {**files, "pyproject.toml": PROJECT.format("3.0")})
    package.work.git("tag", "v3.0")
    path = f"paint/{module}.py"
    without_shade = files[path].replace("def shade(): ...\n", "")
    text = f"import warnings\n{without_shade}{WARNING.format('shade')}"
    package.work.commit("Warn", {path: text, "pyproject.toml": PROJECT.format("4.0")})
    package.work.git("tag", "v4.0")
    own_files = {"app.py": "from paint import shade\n"}
    (outcome,) = (
        await report(work, package, tmp_path, own_files=own_files, versions=("3.0", "4.0"))
    ).outcomes
    assert [use.line for use in outcome.uses if use.effect == "changed"] == [1] * count


async def test_a_package_of_npm_without_its_sources_could_not_be_read(
    work: Work, package: Package, tmp_path: Path
) -> None:
    lock = (
        '{{"lockfileVersion": 3, "packages": {{"": {{"dependencies": {{"paint": "*"}}}}, '
        '"node_modules/paint": {{"version": "{}"}}}}}}'
    )
    manifest = '{{"name": "paint", "version": "{}"}}'
    for version in ("5.0", "6.0"):
        package.work.commit(version, {"package.json": manifest.format(version)})
        package.work.git("tag", f"v{version}")
    base = work.commit("Begin", {"package-lock.json": lock.format("5.0"), **OWN})
    tip = work.commit("Bump", {"package-lock.json": lock.format("6.0")})
    (outcome,) = (await read_range(work, package, tmp_path, base, tip)).outcomes
    assert "the source of its entry point was not found" in outcome.reason
