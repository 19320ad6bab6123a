"""Real threads served beside their mirrors, day by day in one memory, against a gold that readers made."""

import json
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from agent.domain.links import Grade, Link, Relation, Story
from agent.domain.report import Report
from agent.domain.window import Window
from agent.settings.values import Budget, RepoSpec, Settings
from evals.figures import Score, Target, share
from evals.github_server.app import GitHubServer
from evals.github_server.responses import Allowance
from evals.harness import Bench, Figures
from evals.sets.oracle import git_dir_of
from evals.worlds.mirror import repo_from_mirror

Rows = list[dict[str, Any]]
Found = dict[tuple[str, str], Link]
_TOKEN = "links"  # noqa: S105 -- the loopback server's only token
_ASSERTED = (Relation.FIXES, Relation.PARTLY, Relation.BECAUSE)
_KINDS = {
    "revert": ("revert",),
    "reland": ("revert", "reland"),
    "series": ("series",),
    "follow-up": ("follow-up",),
    "regression": ("follow-up", "regression"),
    "cross-repository": ("bump", "adoption", "cross-repository"),
    "release": ("release",),
}
"""The kinds of stories that tell what readers call so."""


async def real_figures(bench: Bench) -> Figures:
    """Report on the days of the span with the threads given, and score the links and stories of all reports."""
    if bench.threads is None or bench.gold is None:
        return {}
    threads, gold = _rows(bench.threads), _rows(bench.gold)
    reports = await _reports(bench, threads)
    links = [link for report in reports for link in report.links]
    issues = {f"{one['repo']}#{one['number']}" for one in threads if one["kind"] == "issue"}
    stories = [story for report in reports for story in report.stories]
    told = _rows(bench.gold.with_name("stories.json"))
    apart = _rows(bench.gold.with_name("not_stories.json"))
    return {**link_figures(links, gold, issues), **story_figures(stories, told, apart, threads)}


def _rows(path: Path) -> Rows:
    return list(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else []


async def _reports(bench: Bench, threads: Rows) -> list[Report]:
    specs = [spec for spec in bench.mirrors if spec.path is not None]
    hosted = [repo_from_mirror(spec.name, git_dir_of(spec.path), threads) for spec in specs if spec.path]
    first, end = map(date.fromisoformat, bench.span or ())
    reports = []
    with (
        GitHubServer(hosted, tokens=(_TOKEN,), allowance=Allowance(token=1_000_000)) as server,
        tempfile.TemporaryDirectory(prefix="gitzette-links-") as folder,
    ):
        settings = _settings(bench, specs, Path(folder), server.url)
        for number in range((end - first).days):
            day = first + timedelta(days=number)
            bench.say(f"links: {day}")
            report, _ = await bench.system.report(settings, Window.days(day, day, "UTC"), {"OPENAI_API_KEY": "links"})
            reports.append(report)
    return reports


def _settings(bench: Bench, specs: Sequence[RepoSpec], folder: Path, url: str) -> Settings:
    patient = Budget(answer_seconds=3_600, model_seconds=86_400, repo_model_seconds=86_400)
    return Settings(
        repos=tuple(specs),
        out=folder / "out",
        home=folder / "home",
        github_url=url,
        token=SecretStr(_TOKEN),
        analyst=bench.analyst,
        budget=patient,
        **bench.model,
    )


# ---------------------------------------------------------------- links


def link_figures(links: Sequence[Link], gold: Rows, issues: set[str]) -> Figures:
    """Score links by their pairs; of issues that were not served nobody knows what is right."""
    wanted = {(row["issue"], f"{row['repo']}@{row['sha']}"): row for row in gold}
    found: Found = {(link.issue, link.change): link for link in links}
    recorded = [pair for pair, row in wanted.items() if row["kind"] == "recorded"]
    read = {kind: [pair for pair, row in wanted.items() if row["kind"] == kind] for kind in ("said", "inferred")}
    traps = [pair for pair, row in wanted.items() if row["kind"] == "trap"]
    served = {pair: link for pair, link in found.items() if pair[0] in issues and link.relation in _ASSERTED}
    sure = {pair: link for pair, link in served.items() if link.grade is Grade.A}
    return {
        "real: recorded links found": share([_found(one, found, wanted, fix=True) for one in recorded], Target(0.98)),
        "real: recorded links that are true": share(_true(sure, wanted, exact=False), Target(1.0)),
        "real: said links told rightly": share([_found(one, found, wanted) for one in read["said"]], Target(0.80)),
        "real: said links at least referred to": share(
            [Score(_pair(one), float(one in found)) for one in read["said"]], Target(0.95)
        ),
        "real: inferred links told rightly": share(
            [_found(one, found, wanted) for one in read["inferred"]], Target(0.50)
        ),
        "real: said and inferred links that are true": share(
            _true({pair: link for pair, link in served.items() if pair not in sure}, wanted, exact=True), Target(0.95)
        ),
        "real: traps told as fixed": share(
            [Score(_pair(one), float(one in served)) for one in traps], Target(0.0, "at most")
        ),
    }


def _pair(pair: tuple[str, str]) -> str:
    return f"{pair[0]} ← {pair[1][-40:][:9]}"


def _found(pair: tuple[str, str], found: Found, wanted: Mapping[Any, Any], *, fix: bool = False) -> Score:
    have, want = found.get(pair), wanted[pair]["relation"]
    told = have.relation.value if have else "nothing"
    good = have is not None and (have.relation in _ASSERTED if fix else told == want)
    return Score(f"{_pair(pair)}: {told}, not {want}", float(good))


def _true(links: Found, wanted: Mapping[Any, Any], *, exact: bool) -> list[Score]:
    scores = []
    for pair, link in links.items():
        want = wanted[pair]["relation"] if pair in wanted else "nothing"
        good = want == link.relation.value if exact else want in ("fixes", "partly fixes", "reverts because of")
        scores.append(Score(f"{_pair(pair)}: {link.relation.value} ({link.grade}), gold says {want}", float(good)))
    return scores


# ---------------------------------------------------------------- stories


def story_figures(stories: Sequence[Story], gold: Rows, apart: Rows, threads: Rows) -> Figures:
    """Score each story that readers found: told at all, with one of its other steps; and what is told of strangers."""
    landed = {f"{one['repo']}#{one['number']}": one.get("merge_commit_sha") for one in threads}
    figures: dict[str, Any] = {}
    for kind in dict.fromkeys(row["kind"] for row in gold):
        rows = [row for row in gold if row["kind"] == kind]
        limit = {"revert": 0.95, "reland": 0.95, "series": 0.90, "cross-repository": 0.50}.get(kind, 0.70)
        told = [(_story(row), _told(row, stories, landed)) for row in rows]
        figures[f"real: {kind} told"] = share([Score(name, float(one > 0)) for name, one in told], Target(limit))
        figures[f"real: {kind} told in full"] = share([Score(name, float(one == 1)) for name, one in told], Target(0))
    pairs = [{_commit(row["a"], landed), _commit(row["b"], landed)} for row in apart]
    false = [
        Score(f"{one.kind}: {', '.join(one.steps)}", float(any(pair <= {*one.steps} for pair in pairs)))
        for one in stories
    ]
    kinds = Counter(story.kind.value for story in stories)
    return figures | {f"real: told falsely, of {dict(kinds)}": share(false, Target(0.02, "at most"))}


def _story(row: Mapping[str, Any]) -> str:
    return f"{row['kind']} {row['repo']} {', '.join(sha[:9] for sha in row['news'])} ({row.get('said')})"


def _commit(name: str, landed: Mapping[str, str | None]) -> str:
    """Name a pull request by the commit that it became."""
    return f"{name.partition('#')[0]}@{landed[name]}" if landed.get(name) else name


def _told(row: Mapping[str, Any], stories: Iterable[Story], landed: Mapping[str, str | None]) -> float:
    """Give the share of a story's other steps that stories of its kind with its news tell."""
    news = {f"{row['repo']}@{sha}" for sha in row["news"]}
    others = {_commit(step, landed) for step in row["steps"]} - news
    mine = [story for story in stories if story.kind.value in _KINDS[row["kind"]] and news & {*story.steps}]
    steps = {step for story in mine for step in story.steps}
    if not others:
        return float(bool(mine))
    return len(others & steps) / len(others)
