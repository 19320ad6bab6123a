"""Manifests: versions, and what is asked for from elsewhere."""

from evals.worlds.factbook.case import Case, Said, change

_PYPROJECT = """\
[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "atlas-~noun~"
version = "0.~minor~.~patch~"
requires-python = ">=3.10"
dependencies = [
    "numpy>=1.26",
    "torch==2.~minor~.0",
    "fastapi",
    "pydantic>=2.~minor~,<3",
]

[project.optional-dependencies]
test = ["pytest>=8"]
"""
_REQUIREMENTS = """\
# Runtime
numpy>=1.26
torch==2.~minor~.0
transformers==4.5~minor~.~patch~
pyzmq>=25
uvloop
"""
_PACKAGE = """\
{
  "name": "@atlas/~noun~",
  "version": "1.~minor~.~patch~",
  "scripts": {
    "build": "tsc -p ."
  },
  "dependencies": {
    "express": "^4.1~minor~.0",
    "zod": "^3.2~patch~.0"
  },
  "devDependencies": {
    "typescript": "^5.~minor~.2"
  }
}
"""
_CARGO = """\
[package]
name = "atlas-~noun~"
version = "0.~minor~.~patch~"
edition = "2021"

[dependencies]
anyhow = "1.0.9~n~"
tokio = { version = "1.4~minor~.0", features = ["full"] }
serde = "1.0"
"""
_GOMOD = """\
module example.org/atlas/~noun~

go 1.2~n~

require (
	github.com/spf13/cobra v1.~minor~.0
	golang.org/x/sync v0.~patch~.0
)
"""
_CMAKE = """\
cmake_minimum_required(VERSION 3.2~n~)
project(atlas_~noun~ VERSION 0.~minor~.~patch~ LANGUAGES CXX CUDA)

include(FetchContent)
FetchContent_Declare(
  cutlass
  GIT_REPOSITORY https://github.com/NVIDIA/cutlass.git
  GIT_TAG v4.~minor~.0
)
option(ATLAS_BUILD_TESTS "Build the tests" OFF)
add_library(atlas_~noun~ SHARED src/main.cu)
"""


def cases() -> list[Case]:
    """List the changes."""
    return [*_python(), *_others()]


def _python() -> list[Case]:
    path, torch = "libs/~noun~_~v~_{}/pyproject.toml", '    "torch==2.~minor~.0",\n'
    wants, pinned = "libs/~noun~_~v~_{}/requirements.txt", "transformers==4.5~minor~.~patch~"
    return [
        change(
            "pyproject version",
            path.format("version"),
            _PYPROJECT,
            (('version = "0.~minor~.~patch~"', 'version = "0.~minor~.~patch~1"'),),
            Said("version-changed", "", "0.~minor~.~patch~", "0.~minor~.~patch~1"),
        ),
        change(
            "pyproject dependency changed",
            path.format("bump"),
            _PYPROJECT,
            ((torch, '    "torch==2.~minor~.1",\n'),),
            Said("dependency-changed", "torch", "==2.~minor~.0", "==2.~minor~.1"),
        ),
        change(
            "pyproject dependency added",
            path.format("more"),
            _PYPROJECT,
            ((torch, torch + '    "xgrammar==0.1.~n~",\n'),),
            Said("dependency-added", "xgrammar"),
        ),
        change(
            "pyproject dependency removed",
            path.format("less"),
            _PYPROJECT,
            (('    "fastapi",\n', ""),),
            Said("dependency-removed", "fastapi"),
        ),
        change(
            "requirements bump",
            wants.format("bump"),
            _REQUIREMENTS,
            ((pinned, pinned + "1"),),
            Said("dependency-changed", "transformers", "==4.5~minor~.~patch~", "==4.5~minor~.~patch~1"),
        ),
        change(
            "requirements loosened",
            wants.format("loose"),
            _REQUIREMENTS,
            (("torch==2.~minor~.0", "torch>=2.~minor~.0"),),
            Said("dependency-changed", "torch", "==2.~minor~.0", ">=2.~minor~.0"),
        ),
        change(
            "requirements removed",
            wants.format("less"),
            _REQUIREMENTS,
            (("pyzmq>=25\n", ""),),
            Said("dependency-removed", "pyzmq"),
        ),
        change(
            "version file",
            "libs/~noun~_~v~/version.txt",
            "0.~minor~.~patch~\n",
            (("0.~minor~.~patch~", "0.~minor~.~patch~.post1"),),
            Said("version-changed", "", "0.~minor~.~patch~", "0.~minor~.~patch~.post1"),
        ),
        change(
            "version module",
            "atlas/~noun~_~v~/version.py",
            '"""The version."""\n\n__version__ = "0.~minor~.~patch~"\n',
            (('= "0.~minor~.~patch~"', '= "0.~minor~.~patch~rc1"'),),
            Said("version-changed", "", "0.~minor~.~patch~", "0.~minor~.~patch~rc1"),
        ),
    ]


def _others() -> list[Case]:
    package, cargo, path = "web/~noun~_~v~_{}/package.json", "crates/~noun~_~v~_{}/Cargo.toml", "cpp/~noun~_~v~_{}/{}"
    return [
        change(
            "package version",
            package.format("a"),
            _PACKAGE,
            (('"version": "1.~minor~.~patch~"', '"version": "2.0.0"'),),
            Said("version-changed", "", "1.~minor~.~patch~", "2.0.0"),
        ),
        change(
            "package dependency changed",
            package.format("b"),
            _PACKAGE,
            (('"^3.2~patch~.0"', '"^4.0.0"'),),
            Said("dependency-changed", "zod", "^3.2~patch~.0", "^4.0.0"),
        ),
        change(
            "package dependency added",
            package.format("c"),
            _PACKAGE,
            (('    "zod"', '    "ws": "^8.18.0",\n    "zod"'),),
            Said("dependency-added", "ws"),
        ),
        change(
            "crate version",
            cargo.format("a"),
            _CARGO,
            (('version = "0.~minor~.~patch~"', 'version = "0.~minor~.~patch~1"'),),
            Said("version-changed", "", "0.~minor~.~patch~", "0.~minor~.~patch~1"),
        ),
        change(
            "crate dependency changed",
            cargo.format("b"),
            _CARGO,
            (('"1.4~minor~.0"', '"1.5~minor~.0"'),),
            Said("dependency-changed", "tokio", "1.4~minor~.0", "1.5~minor~.0"),
        ),
        change(
            "crate dependency removed",
            cargo.format("c"),
            _CARGO,
            (('serde = "1.0"\n', ""),),
            Said("dependency-removed", "serde"),
        ),
        change(
            "go module changed",
            "go/~noun~_~v~/go.mod",
            _GOMOD,
            (("cobra v1.~minor~.0", "cobra v1.~minor~.1"),),
            Said("dependency-changed", "github.com/spf13/cobra", "v1.~minor~.0", "v1.~minor~.1"),
        ),
        change(
            "cmake version",
            path.format("a", "CMakeLists.txt"),
            _CMAKE,
            (("VERSION 0.~minor~.~patch~", "VERSION 0.~minor~.~patch~1"),),
            Said("version-changed", "", "0.~minor~.~patch~", "0.~minor~.~patch~1"),
        ),
        change(
            "cmake dependency",
            path.format("b", "CMakeLists.txt"),
            _CMAKE,
            (("GIT_TAG v4.~minor~.0", "GIT_TAG v4.~minor~.2"),),
            Said("dependency-changed", "cutlass", "v4.~minor~.0", "v4.~minor~.2"),
        ),
    ]
