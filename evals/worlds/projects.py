"""What a made-up project looks like on its first day."""

from dataclasses import dataclass

from evals.worlds.bugs.catalogue import BUGS
from evals.worlds.dice import Dice
from evals.worlds.source import SUFFIX, Flag, Language, Unit, render
from evals.worlds.touch import Touch, put
from evals.worlds.vocabulary import new_constant, new_env, new_function

_IMPORTS: dict[Language, tuple[str, ...]] = {
    "python": (
        "import logging",
        "from collections.abc import Iterable, Sequence",
        "import torch",
        "from . import ops",
        "from ._types import ModelConfig, Request, State",
    ),
    "cuda": ("#include <cuda_runtime.h>", '#include "forge/vec.cuh"', '#include "forge/math.cuh"'),
    "rust": (
        "use std::collections::VecDeque;",
        "use std::sync::atomic::Ordering;",
        "use std::time::{Duration, Instant};",
        "",
        "use serde_json::Value;",
        "",
        "use crate::types::{Job, Queue, RouterError, Worker};",
    ),
}


@dataclass(frozen=True)
class Project:
    """A project's name, its files of source and how people write its subjects."""

    name: str
    summary: str
    units: tuple[tuple[str, Language, str], ...]
    """Path without suffix, language, first line."""
    style: str
    """`tag` for "[Kernel] add x", `conventional` for "feat(kernel): add x", `plain` for "Add x"."""
    template: str
    """Which pull request template the project asks for."""
    manifest: str
    """The file that carries the version."""

    def path(self, index: int) -> str:
        """Give the path of one source file."""
        stem, language, _ = self.units[index]
        return stem + SUFFIX[language]


TENSORFORGE = Project(
    "tensorforge",
    "Attention, GEMM and communication kernels for LLM serving.",
    (
        ("tensorforge/prefill", "python", "Prefill attention over ragged batches."),
        ("tensorforge/decode", "python", "Decode attention over a paged cache."),
        ("tensorforge/sampling", "python", "Sampling without sorting the vocabulary."),
        ("tensorforge/comm", "python", "All-reduce fused with the layer norm that follows."),
        ("include/forge/attention/page", "cuda", "Addressing of the paged KV cache"),
        ("include/forge/attention/softmax", "cuda", "Online softmax"),
        ("include/forge/attention/mask", "cuda", "Masks for ragged attention"),
        ("include/forge/moe/routing", "cuda", "Expert selection"),
        ("include/forge/gemm/fp8", "cuda", "Block-scaled FP8 GEMM"),
    ),
    "conventional",
    "description",
    "pyproject.toml",
)
SWIFTSERVE = Project(
    "swiftserve",
    "A serving engine for large language models with a prefix-aware router.",
    (
        ("swiftserve/scheduler", "python", "Which requests run in the next step."),
        ("swiftserve/entrypoints", "python", "The OpenAI-compatible server."),
        ("swiftserve/kv_cache", "python", "Blocks of the KV cache and who owns them."),
        ("swiftserve/lora", "python", "Adapters that come and go."),
        ("swiftserve/detokenizer", "python", "From ids to text, one chunk at a time."),
        ("swiftserve/metrics", "python", "Counters for Prometheus."),
        ("swiftserve/spec_decode", "python", "Draft, verify, accept."),
        ("router/src/policy", "rust", "Where a request goes."),
        ("router/src/stream", "rust", "Forwarding of server-sent events."),
        ("router/src/queue", "rust", "Admission control."),
    ),
    "tag",
    "motivation",
    "pyproject.toml",
)
ROUTEKIT = Project(
    "routekit",
    "Load balancing primitives for model servers.",
    (
        ("src/balance", "rust", "Weighted choice of a backend."),
        ("src/health", "rust", "Who is alive."),
        ("src/window", "rust", "Sliding windows of latency."),
    ),
    "plain",
    "short",
    "Cargo.toml",
)
ODDMENTS = Project(
    "oddments",
    "Small tools, test data and everything that found no other home.",
    (("oddments/cli", "python", "One command for many chores."), ("oddments/report", "python", "Tables for humans.")),
    "plain",
    "short",
    "pyproject.toml",
)

_FLAWS: dict[str, tuple[str, ...]] = {
    "swiftserve/scheduler": ("scheduler-hang",),
    "swiftserve/entrypoints": ("stop-token",),
    "swiftserve/lora": ("lora-leak",),
    "swiftserve/detokenizer": ("tokenizer-race",),
    "swiftserve/metrics": ("metrics-double",),
    "tensorforge/sampling": ("logprob-nan",),
    "include/forge/attention/page": ("paged-overflow",),
    "include/forge/attention/softmax": ("smem-race",),
    "include/forge/attention/mask": ("mask-tail",),
    "include/forge/moe/routing": ("topk-limit",),
    "router/src/policy": ("retry-storm",),
    "router/src/stream": ("sse-split",),
    "router/src/queue": ("queue-underflow",),
    "src/balance": ("retry-storm",),
}


def first_files(project: Project, dice: Dice) -> list[Touch]:
    """Write the files of the first commit."""
    touches = []
    for index, (stem, language, title) in enumerate(project.units):
        unit = _unit(stem, language, title, dice)
        touches.append(put(project.path(index), render(unit), source=unit))
    return [*touches, *_surroundings(project)]


def _unit(stem: str, language: Language, title: str, dice: Dice) -> Unit:
    flaws = [bug.function for bug in BUGS[language] if bug.key in _FLAWS.get(stem, ())]
    names = frozenset(function.name for function in flaws)
    for _ in range(dice.between(2, 4)):
        flaws.append(new_function(language, dice, names))
        names |= {flaws[-1].name}
    flags: tuple[Flag, ...] = ()
    if stem.endswith("entrypoints"):
        flags = (Flag("host", "str", '"127.0.0.1"', "address to listen on"), Flag("port", "int", "8000", "port"))
    envs = (new_env(dice),) if language == "python" and dice.chance(0.4) else ()
    return Unit(language, title, _IMPORTS[language], (new_constant(language, dice),), envs, flags, tuple(flaws))


def _surroundings(project: Project) -> list[Touch]:
    readme = (
        f"# {project.name}\n\n{project.summary}"
        f"\n\n## Install\n\n```\npip install "
        f"{project.name}\n```\n\n## "
        f"Changes\n\nSee the releases.\n"
    )
    files = {
        "README.md": readme,
        "LICENSE": "Apache License\nVersion 2.0, January 2004\n",
        ".gitignore": "build/\n*.so\n__pycache__/\ntarget/\n",
        "requirements.txt": "numpy==2.1.0\ntorch==2.9.1\nninja==1.11.1\nfastapi==0.115.0\n",
        ".github/workflows/ci.yml": _CI,
        "docker/Dockerfile": "FROM nvcr.example/cuda:12.8.1-devel\nRUN "
        "pip install torch==2.9.1\nCOPY . /src\nRUN pip "
        "install /src\n",
        "docs/index.md": f"# {project.name}\n\n{project.summary}\n",
        "tests/test_smoke.py": f"import {project.name}\n\n\ndef test_import():\n    assert {project.name}.__name__ == "
        f'"{project.name}"\n',
    }
    if project.name == "swiftserve":
        files["requirements.txt"] += "tensorforge==0.4.2\n"
    if project.manifest == "Cargo.toml":
        del files["requirements.txt"], files["tests/test_smoke.py"]
        files["Cargo.toml"] = (
            f"[package]\nname = "
            f'"{project.name}"\nversion = "0.4.2"\nedition = '
            f'"2021"\n\n[dependencies]'
            f'\ntokio = "1.42.0"\nserde = "1.0.215"\n'
        )
    else:
        files["pyproject.toml"] = (
            f"[project]\nname = "
            f'"{project.name}"\nversion '
            f'= "0.4.2"\nrequires-python = '
            f'">=3.10"\ndependencies = ["torch>=2.9"]\n'
        )
    return [put(path, text) for path, text in sorted(files.items())]


_CI = """\
name: ci
on: [push, pull_request]
jobs:
  test:
    runs-on: ubuntu-24.04
    timeout-minutes: 40
    steps:
      - uses: actions/checkout@v4
      - run: pip install -e .
      - run: pytest -q
"""
