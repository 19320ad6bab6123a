"""What is bumped comes from the files at both ends, in every format that pins something."""

import json

import pytest

from agent.bumps.pin_files import read_pins, reader_of
from agent.bumps.pins import PinChanges, pin_changes

OLD = "1" * 40
NEW = "2" * 40


def changes(path: str, before: str, after: str) -> PinChanges:
    return pin_changes({path: read_pins(path, before, {})}, {path: read_pins(path, after, {})})


UV_LOCK = """
[[package]]
name = "mine"
version = "0.1"
source = { editable = "." }
dependencies = [{ name = "httpx" }]

[[package]]
name = "httpx"
version = "0.27.0"
source = { registry = "https://pypi.org/simple" }
dependencies = [{ name = "h11" }]

[[package]]
name = "h11"
version = "0.14.0"
source = { registry = "https://pypi.org/simple" }
"""
POETRY_LOCK = '[[package]]\nname = "HTTPX"\nversion = "0.27.0"\n'
PYLOCK = """
lock-version = "1.0"
created-by = "uv"

[[packages]]
name = "httpx"
version = "0.27.0"
wheels = [{ url = "https://example.org/httpx-0.27.0-py3-none-any.whl", hashes = { sha256 = "00" } }]
"""
CARGO_LOCK = """
[[package]]
name = "mine"
version = "0.1.0"
dependencies = ["serde"]

[[package]]
name = "serde"
version = "0.27.0"
source = "registry+https://github.com/rust-lang/crates.io-index"
"""
GO_MOD = "module example.com/mine\n\nrequire (\n\tgithub.com/a/b v0.27.0\n)\n"
CMAKE = """
set(_REPO "https://github.com/a/b.git")
FetchContent_Declare(
  b
  GIT_REPOSITORY "${_REPO}"
  GIT_TAG v0.27.0
)
"""


def npm_lock(version: str) -> str:
    packages = {
        "": {"dependencies": {"left-pad": "^1"}},
        "node_modules/left-pad": {"version": version},
        "node_modules/other/node_modules/left-pad": {"version": "9.0.0"},
    }
    return json.dumps({"lockfileVersion": 3, "packages": packages})


OLD_NPM_LOCK = json.dumps(
    {
        "lockfileVersion": 1,
        "dependencies": {
            "left-pad": {"version": "0.27.0", "dependencies": {"other": {"version": "1.0.0"}}}
        },
    }
)


PNPM_LOCK = """
lockfileVersion: '9.0'

importers:

  .:
    dependencies:
      '@octo/left-pad':
        specifier: ^0.27.0
        version: 0.27.0(react@18.2.0)
      mine:
        specifier: workspace:*
        version: link:packages/mine

packages:

  '@octo/left-pad@0.27.0':
    resolution: {integrity: sha512-00}
"""
OLD_PNPM_LOCK = """
lockfileVersion: 5.4
specifiers:
  left: ^0
dependencies:
  left: /left-pad/0.27.0_react@18.2.0
packages:
  /other/1.0.0:
    dependencies:
      deep: 0.27.0
"""
YARN_LOCK = """
# yarn lockfile v1


"@octo/left-pad@^0.27.0", "@octo/left-pad@~0.27":
  version "0.27.0"
  resolved "https://registry.yarnpkg.com/@octo/left-pad/-/left-pad.tgz#00"
  dependencies:
    other "^1.0.0"
"""
YARN_2_LOCK = """
__metadata:
  version: 8

"left@npm:left-pad@^0.27.0, left-pad@npm:~0.27":
  version: 0.27.0
  resolution: "left-pad@npm:0.27.0"

"mine@workspace:.":
  version: 0.0.0-use.local
  resolution: "mine@workspace:."
"""


@pytest.mark.parametrize(
    ("path", "before", "key"),
    [
        ("uv.lock", UV_LOCK, "pypi:httpx"),
        ("poetry.lock", POETRY_LOCK, "pypi:httpx"),
        ("pylock.toml", PYLOCK, "pypi:httpx"),
        ("requirements.txt", "httpx[http2]==0.27.0 ; python_version > '3'\n", "pypi:httpx"),
        ("requirements/cuda.txt", "HTTPX == 0.27.0  # pinned\n", "pypi:httpx"),
        ("pyproject.toml", '[project]\ndependencies = ["httpx==0.27.0"]\n', "pypi:httpx"),
        ("pyproject.toml", '[tool.flit.metadata]\nrequires = ["httpx ==0.27.0"]\n', "pypi:httpx"),
        ("web/package-lock.json", npm_lock("0.27.0"), "npm:left-pad"),
        ("package-lock.json", OLD_NPM_LOCK, "npm:left-pad"),
        ("pnpm-lock.yaml", PNPM_LOCK, "npm:@octo/left-pad"),
        ("pnpm-lock.yaml", OLD_PNPM_LOCK, "npm:left-pad"),
        ("yarn.lock", YARN_LOCK, "npm:@octo/left-pad"),
        ("yarn.lock", YARN_2_LOCK, "npm:left-pad"),
        ("Cargo.lock", CARGO_LOCK, "cargo:serde"),
        ("go.mod", GO_MOD, "go:github.com/a/b"),
        ("cmake/b.cmake", CMAKE, "git:b"),
        (".github/workflows/ci.yml", "      - uses: a/b@v0.27.0\n", "action:a/b"),
        ("Dockerfile", "FROM python:0.27.0 AS base\n", "container:python"),
    ],
)
def test_a_bump_is_read_from_the_file_that_pins_it(path: str, before: str, key: str) -> None:
    bumps = changes(path, before, before.replace("0.27.0", "0.28.1"))
    assert [bump.key for bump in bumps.bumps] == [key]
    bump = bumps.bumps[0]
    assert (bump.old.removeprefix("v"), bump.new.removeprefix("v")) == ("0.27.0", "0.28.1")
    assert bump.files == (path,)


def test_a_submodule_is_bumped_by_the_commit_of_its_path() -> None:
    text = (
        '[submodule "x"]\n\tpath = third/cutlass\n\turl = https://github.com/NVIDIA/cutlass.git\n'
    )
    before = read_pins(".gitmodules", text, {"third/cutlass": OLD})
    after = read_pins(".gitmodules", text, {"third/cutlass": NEW})
    (bump,) = pin_changes({".gitmodules": before}, {".gitmodules": after}).bumps
    assert (bump.name, bump.old, bump.new) == ("third/cutlass", OLD, NEW)
    assert bump.source == "https://github.com/NVIDIA/cutlass.git"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (
            "pnpm-lock.yaml",
            "lockfileVersion: 6.0\ndependencies:\n  b:\n    version: github.com/a/b/{}\n",
        ),
        (
            "pnpm-lock.yaml",
            "lockfileVersion: 9.0\nimporters:\n  .:\n    dependencies:\n      b:\n"
            "        version: https://codeload.github.com/a/b/tar.gz/{}\n",
        ),
        (
            "yarn.lock",
            '"b@git+https://github.com/a/b.git#v1":\n  version "1.0.0"\n'
            '  resolved "git+https://github.com/a/b.git#{}"\n',
        ),
        (
            "yarn.lock",
            '"b@https://github.com/a/b.git#commit={0}":\n  version: 1.0.0\n'
            '  resolution: "b@https://github.com/a/b.git#commit={0}"\n',
        ),
    ],
)
def test_a_package_of_npm_from_git_is_pinned_to_its_commit(path: str, text: str) -> None:
    (pin,) = read_pins(path, text.format(OLD), {}).pins
    assert (pin.name, pin.version, pin.source) == ("b", OLD, "https://github.com/a/b")


def test_what_only_other_packages_need_is_not_direct() -> None:
    after = UV_LOCK.replace("0.27.0", "0.28.1").replace("0.14.0", "0.16.0")
    bumps = changes("uv.lock", UV_LOCK, after)
    assert {bump.name: bump.is_direct for bump in bumps.bumps} == {"httpx": True, "h11": False}


def test_a_compiled_file_says_who_wants_a_pin() -> None:
    text = "a==1\n    # via b\nb==1\n    # via -r requirements.in\nc==1\n"
    bumps = changes("requirements.txt", text, text.replace("==1", "==2"))
    assert {bump.name: bump.is_direct for bump in bumps.bumps} == {"a": False, "b": True, "c": True}


def test_a_git_address_pins_a_commit_of_its_repository() -> None:
    line = f"b @ git+https://github.com/a/b.git@{OLD}#egg=b\n"
    (bump,) = changes("requirements.txt", line, line.replace(OLD, NEW)).bumps
    assert (bump.source, bump.old, bump.new) == ("https://github.com/a/b.git", OLD, NEW)


def test_builds_of_one_release_for_several_machines_are_one_bump() -> None:
    text = "torch==2.1.0+cpu ; a\ntorch==2.1.0 ; b\n".replace("; a", "").replace("; b", "")
    (bump,) = changes("requirements.txt", text, text.replace("2.1.0", "2.2.0")).bumps
    assert (bump.old, bump.new) == ("2.1.0", "2.2.0")


def test_several_versions_that_do_not_pair_are_said_to_be_unclear() -> None:
    package = '[[package]]\nname = "a"\nversion = "{}"\nsource = "registry+x"\n'
    before = package.format("1.0.0") + package.format("2.0.0")
    bumps = changes("Cargo.lock", before, package.format("3.0.0"))
    assert bumps.bumps == ()
    assert "several versions" in bumps.unclear[0].reason


def test_a_version_that_others_had_already_is_bumped_to() -> None:
    step = "      - uses: a/b@v{}\n"
    bumps = changes(".github/workflows/ci.yml", step.format(3) + step.format(5), step.format(5))
    assert [(bump.old, bump.new) for bump in bumps.bumps] == [("v3", "v5")]


def test_versions_of_two_release_lines_are_two_bumps() -> None:
    package = '[[package]]\nname = "a"\nversion = "{}"\nsource = "registry+x"\n'
    before = package.format("1.0.0") + package.format("2.0.0")
    after = package.format("1.0.1") + package.format("2.3.0")
    pairs = {(bump.old, bump.new) for bump in changes("Cargo.lock", before, after).bumps}
    assert pairs == {("1.0.0", "1.0.1"), ("2.0.0", "2.3.0")}


def test_a_range_is_no_version() -> None:
    text = '[project]\ndependencies = ["httpx>=0.27"]\n'
    assert changes("pyproject.toml", text, text.replace("0.27", "0.28")).bumps == ()


def test_a_replaced_go_module_counts_as_what_it_is_replaced_by() -> None:
    text = GO_MOD + "replace github.com/a/b => github.com/c/b v1.0.0\n"
    (bump,) = changes("go.mod", text, text.replace("v1.0.0", "v1.1.0")).bumps
    assert bump.name == "github.com/c/b"


@pytest.mark.parametrize(
    ("path", "text", "problem"),
    [
        ("uv.lock", "[[package", "it is not valid TOML"),
        ("package-lock.json", "{", "it is not valid JSON"),
        ("package-lock.json", '{"packages": []}', "it lists no packages"),
        ("package-lock.json", "[" * 200_000, "it is nested too deeply"),
        ("pylock.toml", "a = 1", "it is not a lock file as PEP 751 defines it"),
        ("Cargo.lock", "x = " + "[" * 100_000, "it is not valid TOML"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(path: str, text: str, problem: str) -> None:
    assert read_pins(path, text, {}).problem.startswith(problem)


@pytest.mark.parametrize("path", ["src/lock.py", "node_modules/a/package-lock.json", "notes.txt"])
def test_other_files_pin_nothing(path: str) -> None:
    assert reader_of(path) is None
