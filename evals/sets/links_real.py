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
    """Report on the days of each repository whose mirror is at hand, one after the other, with the threads given."""
    scores: list[Score] = []
    for spec in bench.mirrors:
        cases = [case for case in CASES if case.repo == spec.name]
        if cases and spec.path is not None:
            scores += await _day_by_day(bench, cases, spec.path, known)
    return scores


async def _day_by_day(
    bench: Bench, cases: Sequence[Case], path: Path, known: Sequence[Mapping[str, Any]]
) -> list[Score]:
    name, scores = cases[0].repo, list[Score]()
    repo = repo_from_mirror(name, git_dir_of(path), known)
    with (
        GitHubServer([repo], tokens=(_TOKEN,), allowance=Allowance(token=1_000_000)) as server,
        tempfile.TemporaryDirectory(prefix="gitzette-links-") as folder,
    ):
        settings = Settings(
            repos=(RepoSpec.parse(f"{name}={path}"),),
            out=Path(folder) / "out",
            home=Path(folder) / "home",
            github_url=server.url,
            token=SecretStr(_TOKEN),
        )
        for case in cases:
            bench.say(f"links: {case.repo} {case.day}")
            day = date.fromisoformat(case.day)
            report, _ = await bench.system.report(settings, Window.days(day, day, "UTC"))
            scores += _judge(case, [link for link in report.links if link.relation is not Relation.MENTIONS])
    return scores


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
