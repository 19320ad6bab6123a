"""Manifests, containers, pipelines, scripts and settings."""

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
_DOCKERFILE = """\
ARG CUDA_VERSION=12.~minor~.1
FROM nvidia/cuda:${CUDA_VERSION}-devel-ubuntu22.04 AS base

ARG ~NOUN~_VERSION=0.~minor~.~patch~
ENV ATLAS_HOME=/opt/atlas \\
    ATLAS_~NOUN~_WORKERS=~small~

RUN apt-get update && apt-get install -y git ninja-build
RUN pip install torch==2.~minor~.0 atlas-~noun~==${~NOUN~_VERSION}

FROM python:3.1~minor~-slim
COPY --from=base /opt/atlas /opt/atlas
EXPOSE 8000
CMD ["atlas", "serve"]
"""
_PIPELINE = """\
name: test
on: [push]
jobs:
  unit:
    runs-on: ubuntu-24.04
    container: ghcr.io/atlas/ci:2026010~minor~
    timeout-minutes: ~small~
    steps:
      - uses: actions/checkout@v~n~
      - name: install
        run: pip install -e .[test]
      - name: test
        run: pytest -q
"""
_YAML = """\
# Defaults of the ~noun~ service.
server:
  host: 0.0.0.0
  port: 8000
  limits:
    max_~noun~s: ~small~
    queue: ~big~
cache:
  policy: lru
  size_gb: ~n~
log_level: info
"""
_JSON = """\
{
  "name": "~noun~",
  "block_m": ~small~,
  "block_n": 128,
  "stages": {
    "prefill": 3,
    "decode": 2
  },
  "policy": "lru"
}
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
_SHELL = """\
#!/usr/bin/env bash
# Starts the ~noun~ service.
set -euo pipefail

PORT="${ATLAS_PORT:-8000}"
WORKERS="${ATLAS_~NOUN~_WORKERS:-~small~}"

log() {
  echo "[$(date +%H:%M:%S)] $*" >&2
}

log "starting ${WORKERS} workers on ${PORT}"
exec atlas serve --port "${PORT}" --workers "${WORKERS}"
"""


def cases() -> list[Case]:
    """List the changes."""
    return [*_python(), *_containers(), *_files(), *_others(), *_scripts()]


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


def _containers() -> list[Case]:
    path, steps = "docker/~noun~_~v~_{}/Dockerfile", ".github/workflows/~noun~_~v~_{}.yml"
    return [
        change(
            "image changed",
            path.format("image"),
            _DOCKERFILE,
            (("python:3.1~minor~-slim", "python:3.1~minor~-bookworm"),),
            Said("image-changed", "python", "3.1~minor~-slim", "3.1~minor~-bookworm"),
        ),
        change(
            "build argument changed",
            path.format("arg"),
            _DOCKERFILE,
            (("_VERSION=0.~minor~.~patch~\n", "_VERSION=0.~minor~.~patch~1\n"),),
            Said("dependency-changed", "~NOUN~_VERSION", "0.~minor~.~patch~", "0.~minor~.~patch~1"),
        ),
        change(
            "image variable changed",
            path.format("env"),
            _DOCKERFILE,
            (("_WORKERS=~small~", "_WORKERS=~big~"),),
            Said("env-default-changed", "ATLAS_~NOUN~_WORKERS", "~small~", "~big~"),
        ),
        change(
            "pinned in the image",
            path.format("pip"),
            _DOCKERFILE,
            (("torch==2.~minor~.0", "torch==2.~minor~.1"),),
            Said("dependency-changed", "torch", "==2.~minor~.0", "==2.~minor~.1"),
        ),
        change(
            "pipeline image",
            steps.format("image"),
            _PIPELINE,
            (("ci:2026010~minor~", "ci:2026020~minor~"),),
            Said("image-changed", "ghcr.io/atlas/ci", "2026010~minor~", "2026020~minor~"),
            Said("only-ci", ""),
        ),
        change(
            "pipeline action",
            steps.format("action"),
            _PIPELINE,
            (("checkout@v~n~", "checkout@v~n~0"),),
            Said("dependency-changed", "actions/checkout", "v~n~", "v~n~0"),
            Said("only-ci", ""),
        ),
        change(
            "pipeline timeout",
            steps.format("timeout"),
            _PIPELINE,
            (("minutes: ~small~", "minutes: ~big~"),),
            Said("only-ci", ""),
        ),
    ]


def _files() -> list[Case]:
    yaml, data, toml = "configs/~noun~_~v~_{}.yaml", "configs/~noun~_~v~_{}.json", "configs/~noun~_~v~_{}.toml"
    table = 'policy = "lru"\n\n[limits]\nqueue = ~big~\nworkers = ~small~\n'
    queue = "queue", "~big~", "~small~"
    return [
        change("yaml changed", yaml.format("a"), _YAML, (("    queue: ~big~", "    queue: ~small~"),), _set(*queue)),
        change(
            "yaml added", yaml.format("b"), _YAML, (("cache:\n", "cache:\n  evict: fifo\n"),), _key("added", "evict")
        ),
        change("yaml removed", yaml.format("c"), _YAML, (("  policy: lru\n", ""),), _key("removed", "policy")),
        change("json changed", data.format("a"), _JSON, (("128,", "256,"),), _set("block_n", "128", "256")),
        change(
            "json added",
            data.format("b"),
            _JSON,
            (('"prefill": 3,', '"prefill": 3,\n    "verify": 1,'),),
            _key("added", "verify"),
        ),
        change("json removed", data.format("c"), _JSON, (('  "block_n": 128,\n', ""),), _key("removed", "block_n")),
        change("toml changed", toml.format("a"), table, (("queue = ~big~", "queue = ~small~"),), _set(*queue)),
        change(
            "toml added", toml.format("b"), table, (("[limits]\n", "[limits]\ndepth = 4\n"),), _key("added", "depth")
        ),
        change("toml removed", toml.format("c"), table, (("workers = ~small~\n", ""),), _key("removed", "workers")),
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


def _scripts() -> list[Case]:
    path, port = "bin/~noun~_~v~_{}.sh", 'PORT="${ATLAS_PORT:-8000}"\n'
    return [
        change(
            "shell variable added",
            path.format("a"),
            _SHELL,
            ((port, port + 'TRACE="${ATLAS_TRACE_~NOUN~:-}"\n'),),
            Said("env-added", "ATLAS_TRACE_~NOUN~"),
        ),
        change(
            "shell default changed",
            path.format("b"),
            _SHELL,
            (("_WORKERS:-~small~}", "_WORKERS:-~big~}"),),
            Said("env-default-changed", "ATLAS_~NOUN~_WORKERS", "~small~", "~big~"),
        ),
        change(
            "shell variable renamed",
            path.format("c"),
            _SHELL,
            (("${ATLAS_PORT:-8000}", "${ATLAS_HTTP_PORT:-8000}"),),
            Said("env-renamed", "ATLAS_HTTP_PORT", "ATLAS_PORT", "ATLAS_HTTP_PORT"),
        ),
        change(
            "shell comment changed",
            path.format("d"),
            _SHELL,
            (("# Starts the ~noun~ service.", "# Starts the service in front."),),
            Said("only-comments", ""),
        ),
    ]


def _set(key: str, old: str, new: str) -> Said:
    return Said("config-key-changed", key, old, new)


def _key(what: str, key: str) -> Said:
    return Said(f"config-key-{what}", key)
