"""Real cases: threads of real repositories served beside their mirrors, and what is known to have fixed what."""

import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from agent.links import Grade, Link, Relation
from agent.settings import RepoSpec, Settings
from agent.window import Window
from evals.figures import Score
from evals.github_server.app import GitHubServer
from evals.github_server.limits import Allowance
from evals.harness import Bench
from evals.sets.oracle import git_dir_of
from evals.worlds.mirror import repo_from_mirror

_TOKEN = "links"  # noqa: S105 -- the loopback server's only token


@dataclass(frozen=True)
class Case:
    """A day of a repository, and the links between named issues and commits that its report must have."""

    repo: str
    day: str
    links: Mapping[tuple[int, str], Grade]
    """By the issue's number and the beginning of the commit's hash."""


CASES = (
    Case("flashinfer-ai/flashinfer", "2026-01-31", {(2453, "a52eff1"): Grade.B}),
    Case("sgl-project/sglang", "2026-02-03", {(18081, "f032c4f"): Grade.C}),
    Case("sgl-project/sglang", "2026-02-04", {(18081, "669a9bd"): Grade.C}),
    Case("sgl-project/sglang", "2026-02-05", {(18081, "e616d35"): Grade.C}),
    Case("NVIDIA/cutlass", "2026-02-27", {}),
    Case("NVIDIA/cutlass", "2026-02-28", {}),
    Case("NVIDIA/cutlass", "2026-03-17", {}),
    Case("vllm-project/vllm", "2026-02-28", {}),
)
"""Issues that are not named here were fixed by nothing on that day."""


def read_threads(path: Path) -> list[dict[str, Any]]:
    """Read threads as `repo_from_mirror` takes them."""
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return found


async def score_cases(bench: Bench, known: Sequence[Mapping[str, Any]]) -> list[Score]:
    """Report on the day of each case whose mirror is at hand, with the threads that are given."""
    paths = {spec.name: spec.path for spec in bench.mirrors}
    scores: list[Score] = []
    for case in CASES:
        path = next((path for name, path in paths.items() if name == case.repo), None)
        if path is not None:
            bench.say(f"links: {case.repo} {case.day}")
            scores += _judge(case, await _links(bench, case, path, known))
    return scores


async def _links(bench: Bench, case: Case, path: Path, known: Sequence[Mapping[str, Any]]) -> tuple[Link, ...]:
    repo = repo_from_mirror(case.repo, git_dir_of(path), known)
    day = date.fromisoformat(case.day)
    with (
        GitHubServer([repo], tokens=(_TOKEN,), allowance=Allowance(token=1_000_000)) as server,
        tempfile.TemporaryDirectory(prefix="gitzette-links-") as folder,
    ):
        settings = Settings(
            repos=(RepoSpec.parse(f"{case.repo}={path}"),),
            out=Path(folder) / "out",
            home=Path(folder) / "home",
            github_url=server.url,
            token=SecretStr(_TOKEN),
        )
        report, _ = await bench.system.report(settings, Window.days(day, day, "UTC"))
    return tuple(link for link in report.links if link.relation is not Relation.MENTIONS)


def _judge(case: Case, links: Sequence[Link]) -> list[Score]:
    """Score each link that must be there, and each that must not."""
    found = {(int(one.issue.rpartition("#")[2]), one.change.rpartition("@")[2][:7]): one.grade for one in links}
    where = f"{case.repo} {case.day}"
    scores = [
        Score(f"{where}: #{issue} ← {sha} has grade {found.get((issue, sha))}", float(found.get((issue, sha)) is grade))
        for (issue, sha), grade in case.links.items()
    ]
    wrong = [Score(f"{where}: #{issue} ← {sha} is wrong", 0.0) for issue, sha in found.keys() - case.links.keys()]
    return scores + wrong or [Score(f"{where}: nothing is linked", 1.0)]
