"""The repository of a package and the commits of its versions are proved, or it is said why not."""

import pytest

from agent.bumps.bump_report_model import SourceMapping
from agent.bumps.bump_settings import PackageEntry
from agent.bumps.pins import Bump, Ecosystem
from agent.domain.base import RepoId
from tests.made_repos import Work
from tools.packages.package_repositories import NotProved, SourceFinder
from tools.packages.registry import DeclaredSource, NotDeclared, RegistryDown
from tools.packages.repository_trees import TreeReader

PROJECT = '[project]\nname = "paint"\nversion = "{}"\n'
NO_REGISTRY = NotDeclared("npm has no repository for it")


def bumped(
    name: str = "paint",
    old: str = "1.0",
    new: str = "2.0",
    ecosystem: Ecosystem = "pypi",
    source: str = "",
) -> Bump:
    return Bump(ecosystem=ecosystem, name=name, old=old, new=new, source=source)


async def found(
    work: Work,
    bump: Bump,
    declared: DeclaredSource | NotDeclared = NO_REGISTRY,
    **entry: str,
) -> SourceMapping:
    entries = {bump.key: PackageEntry.model_validate(entry)} if entry else {}

    async def open_trees(repo: RepoId) -> TreeReader:
        assert repo == "ada/paint"
        return await TreeReader.at(work.path)

    async def look_up(_: Bump) -> DeclaredSource:
        if isinstance(declared, NotDeclared):
            raise declared
        return declared

    return await SourceFinder(entries, open_trees, look_up, "github.com").find(bump)


def release(work: Work, version: str, tag: str = "", path: str = "pyproject.toml") -> str:
    sha = work.commit(f"Release {version}", {path: PROJECT.format(version)})
    if tag:
        work.git("tag", tag)
    return sha


@pytest.mark.parametrize(
    "form", ["v{}", "{}", "paint@{}", "paint-v{}", "paint_{}", "py-{}", "release-{}"]
)
async def test_a_tag_counts_whose_manifest_names_package_and_version(work: Work, form: str) -> None:
    old = release(work, "1.0", form.format("1.0"))
    new = release(work, "2.0", form.format("2.0"))
    mapping = await found(work, bumped(), repo="ada/paint")
    assert (mapping.old.sha, mapping.new.sha) == (old, new)
    assert {mapping.old.proof, mapping.new.proof} == {"tag"}


async def test_the_tag_of_a_package_in_a_folder_goes_before_that_of_the_whole(work: Work) -> None:
    release(work, "1.0", "v1.0", "other/pyproject.toml")
    old = release(work, "1.0", "libs/paint/v1.0", "libs/paint/pyproject.toml")
    new = release(work, "2.0", "libs/paint/v2.0", "libs/paint/pyproject.toml")
    mapping = await found(work, bumped(), repo="ada/paint", path="libs/paint")
    assert (mapping.old.sha, mapping.new.sha, mapping.folder) == (old, new, "libs/paint")


async def test_a_forged_tag_is_not_believed(work: Work) -> None:
    release(work, "1.0", "v1.0")
    work.commit("Something else", {"other.py": ""})
    work.git("tag", "v2.0")
    with pytest.raises(NotProved, match=r"tag v2\.0: pyproject\.toml says 1\.0"):
        await found(work, bumped(), repo="ada/paint")


async def test_a_tag_of_another_package_is_not_believed(work: Work) -> None:
    work.commit("Other", {"pyproject.toml": PROJECT.format("1.0").replace("paint", "glue")})
    work.git("tag", "v1.0")
    with pytest.raises(NotProved, match=r"tag v1\.0: no manifest names paint"):
        await found(work, bumped(), repo="ada/paint")


async def test_without_a_tag_the_commit_that_changed_the_version_is_inferred(work: Work) -> None:
    old = release(work, "1.0")
    work.commit("Work on", {"a.py": "1\n"})
    new = release(work, "2.0")
    work.commit("Work on", {"a.py": "2\n"})
    mapping = await found(work, bumped(), repo="ada/paint")
    assert (mapping.old.sha, mapping.new.sha) == (old, new)
    assert mapping.new.proof == "inferred"


async def test_a_version_that_only_a_merged_branch_had_is_inferred(work: Work) -> None:
    release(work, "1.0")
    main = work.git("branch", "--show-current")
    work.git("checkout", "-q", "-b", "next")
    preview = release(work, "2.0a1")
    release(work, "2.0")
    work.git("checkout", "-q", main)
    work.commit("Work on", {"a.py": "1\n"})
    work.git("merge", "-q", "--no-ff", "-m", "Merge next", "next")
    mapping = await found(work, bumped(old="1.0", new="2.0a1"), repo="ada/paint")
    assert mapping.new.sha == preview
    assert "on a branch that was merged" in mapping.new.note


async def test_tags_that_contradict_each_other_are_refused(work: Work) -> None:
    release(work, "1.0", "v1.0")
    work.commit("Fix after all", {"a.py": "1\n"})
    work.git("tag", "1.0")
    with pytest.raises(
        NotProved, match=r"several tags fit 1\.0, at different commits: v1\.0, 1\.0"
    ):
        await found(work, bumped(), repo="ada/paint")


async def test_a_version_that_the_manifest_does_not_write_is_said(work: Work) -> None:
    work.commit("One", {"pyproject.toml": '[project]\nname = "paint"\ndynamic = ["version"]\n'})
    work.git("tag", "v1.0")
    work.commit("Two", {"a.py": ""})
    work.git("tag", "v2.0")
    mapping = await found(work, bumped(), repo="ada/paint")
    assert mapping.new.note == "the manifest does not write its version down"


async def test_a_version_in_a_file_of_its_own_is_held_to(work: Work) -> None:
    manifest = '[project]\nname = "paint"\n[tool.hatch.version]\npath = "paint/__about__.py"\n'
    files = {"pyproject.toml": manifest, "paint/__about__.py": '__version__ = "1.0"\n'}
    work.commit("One", files)
    work.git("tag", "v1.0")
    work.commit("Two", {"a.py": ""})
    work.git("tag", "v2.0")
    with pytest.raises(NotProved, match=r"tag v2\.0: pyproject\.toml says 1\.0"):
        await found(work, bumped(), repo="ada/paint")


@pytest.mark.parametrize(
    ("ecosystem", "name", "path", "manifest"),
    [
        (
            "npm",
            "@ada/paint",
            "packages/paint/package.json",
            '{{"name": "@ada/paint", "version": "{}"}}',
        ),
        ("cargo", "paint", "Cargo.toml", '[package]\nname = "paint"\nversion = "{}"\n'),
        (
            "pypi",
            "paint",
            "setup.py",
            'from setuptools import setup\nsetup(name="paint", version="{}")\n',
        ),
        ("pypi", "paint", "setup.cfg", "[metadata]\nname = paint\nversion = {}\n"),
    ],
)
async def test_manifests_of_other_languages_name_package_and_version(
    work: Work, ecosystem: Ecosystem, name: str, path: str, manifest: str
) -> None:
    for version in ("1.0.0", "2.0.0"):
        work.commit(version, {path: manifest.format(version)})
        work.git("tag", f"v{version}")
    bump = bumped(name, "1.0.0", "2.0.0", ecosystem)
    mapping = await found(work, bump, repo="ada/paint")
    assert (mapping.old.tag, mapping.new.tag) == ("v1.0.0", "v2.0.0")


async def test_a_go_path_is_its_own_repository(work: Work) -> None:
    for version in ("v2.0.0", "v2.1.0"):
        work.commit(version, {"go.mod": "module github.com/ada/paint/v2\n", "a.go": version})
        work.git("tag", version)
    bump = bumped("github.com/ada/paint/v2", "v2.0.0", "v2.1.0", "go")
    mapping = await found(work, bump)
    assert (mapping.origin, mapping.new.tag) == ("part of the pin", "v2.1.0")


async def test_a_submodule_is_mapped_by_its_commits(work: Work) -> None:
    old = work.commit("One", {"a.py": "1\n"})
    new = work.commit("Two", {"a.py": "2\n"})
    bump = bumped("third/paint", old, new, "git", "git@github.com:ada/paint.git")
    mapping = await found(work, bump)
    assert (mapping.old.sha, mapping.new.sha, mapping.new.proof) == (old, new, "commit")


async def test_a_branch_is_no_version(work: Work) -> None:
    work.commit("One", {"action.yml": ""})
    work.git("tag", "v1")
    bump = bumped("ada/paint", "v1", "main", "action", "https://github.com/ada/paint")
    with pytest.raises(NotProved, match="'main' is no commit and no tag"):
        await found(work, bump)


@pytest.mark.parametrize(
    "address",
    ["https://gitlab.com/ada/paint", "https://github.com.evil.example/ada/paint", "file:///etc"],
)
async def test_a_repository_on_another_server_is_not_read(work: Work, address: str) -> None:
    declared = DeclaredSource(url=address, origin="declared on PyPI")
    with pytest.raises(NotProved, match=r"only github\.com is read"):
        await found(work, bumped(), declared)


async def test_a_package_that_nobody_maps_says_what_to_add(work: Work) -> None:
    step = "name its repository in [bump.packages]: 'pypi:paint' = 'owner/name'"
    with pytest.raises(NotProved) as told:
        await found(work, bumped())
    assert str(told.value) == f"{NO_REGISTRY}; {step}"
    with pytest.raises(NotProved) as told:
        await found(work, bumped(), RegistryDown("PyPI could not be reached"))
    assert str(told.value) == f"PyPI could not be reached; run this again later, or {step}"


async def test_the_commit_that_npm_records_goes_before_tags(work: Work) -> None:
    manifest = '{{"name": "paint", "version": "{}"}}'
    old = work.commit("One", {"package.json": manifest.format("1.0.0")})
    new = work.commit("Two", {"package.json": manifest.format("2.0.0")})
    commits = {"1.0.0": old, "2.0.0": new}
    declared = DeclaredSource(
        url="https://github.com/ada/paint.git", origin="declared on npm", commits=commits
    )
    mapping = await found(work, bumped("paint", "1.0.0", "2.0.0", "npm"), declared)
    assert (mapping.old.sha, mapping.new.sha) == (old, new)
    assert mapping.new.note == "named by the registry"


@pytest.mark.parametrize("version", ["0.0.0", "0.0.0-development", "0.0.0-semantically-released"])
async def test_a_version_that_is_only_written_on_release_is_not_held_against_a_tag(
    work: Work, version: str
) -> None:
    manifest = f'{{"name": "paint", "version": "{version}"}}'
    shas = []
    for tag in ("v1.0.0", "v2.0.0"):
        shas.append(work.commit(tag, {"package.json": manifest}))
        work.git("tag", tag)
    mapping = await found(work, bumped("paint", "1.0.0", "2.0.0", "npm"), repo="ada/paint")
    assert [mapping.old.sha, mapping.new.sha] == shas
    assert mapping.new.note == "the manifest does not write its version down"


async def test_a_requirement_may_leave_zeros_out(work: Work) -> None:
    old = release(work, "3.9.0", "3.9.0")
    new = release(work, "4.0.0", "4.0.0")
    mapping = await found(work, bumped(old="3.9", new="4"), repo="ada/paint")
    assert (mapping.old.sha, mapping.new.sha) == (old, new)


async def test_a_version_may_be_a_commit_and_the_next_one_a_release(work: Work) -> None:
    old = release(work, "1.0")
    new = release(work, "2.0", "v2.0")
    mapping = await found(work, bumped(old=old), repo="ada/paint")
    assert (mapping.old.sha, mapping.new.sha) == (old, new)
