"""Containers, pipelines, scripts and settings."""

from evals.worlds.factbook.case import Case, Said, change

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
    return [*_containers(), *_files(), *_scripts()]


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
