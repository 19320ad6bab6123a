"""A model behind a slow server with one slot, or behind one that does not report its context."""

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from agent.settings.values import Budget
from evals.model_server.server import ModelServer
from gitzette.cli import main
from gitzette.day_run import RunOutcome, run_day
from tests.gitzette.conftest import Command
from tests.scripted_analysis import (
    ANALYSES,
    DAY,
    LIMIT,
    NOW,
    Clone,
    Scripted,
    analysis,
    said,
    settings_of,
    two_commits,
)


class NotedProgress:
    """Keeps what a person would see."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def step(self, repo: str, what: str, done: int = 0, total: int = 0) -> None:
        del done, total
        self.lines.append(f"{repo}: {what}")


async def run_slowly(
    folder: Path,
    clones: list[Clone],
    script: Scripted,
    *,
    latency: float = 0.3,
    **budget: float,
) -> tuple[RunOutcome, list[str], ModelServer]:
    """Report on repositories with a server that works on one question at a time."""
    progress = NotedProgress()
    with ModelServer(script, context=32_768, latency=latency, slots=1) as server:
        specs = [clone.spec for clone in clones]
        limits = Budget.model_validate({"wait_seconds": 1, "retry_seconds": 0.01, **budget})
        settings = settings_of(folder, server, *specs, budget=limits)
        covered = await run_day(settings, {}, DAY, settings.repos, NOW, progress)
    return covered, progress.lines, server


def explained(covered: RunOutcome) -> int:
    return sum(claim.free and claim.role == "effect" for claim in covered.report.claims)


def many_commits(folder: Path, count: int, name: str = "octo/router") -> tuple[Clone, Scripted]:
    """Make a repository with one important commit that landed first and small ones after it."""
    clone = Clone(folder, name)
    files = {f"part_{number}__py": f"VALUE_{number} = 1\n" for number in range(count)}
    clone.commit("Begin", 0, router__py="MAX_ROUTES = 22\n", **files)
    clone.commit(f"{LIMIT}\n\nBREAKING CHANGE: the limit falls.", 1, router__py="MAX_ROUTES = 12\n")
    analyses = dict(ANALYSES)
    for number in range(count):
        title = f"Change value {number}"
        clone.commit(title, number + 2, **{f"part_{number}__py": f"VALUE_{number} = 2\n"})
        sentence = said(f"`VALUE_{number}` is `2`.", "", f"+VALUE_{number} = 2")
        analyses[title] = analysis(sentence)
    return clone, Scripted(analyses, tiers={LIMIT: 3})


async def test_three_repositories_share_one_slot_and_nothing_is_asked_too_early(
    tmp_path: Path,
) -> None:
    clone, script = many_commits(tmp_path / "a", 3, "octo/a")
    clones = [clone]
    for name in ("b", "c"):
        clone, script = many_commits(tmp_path / name, 3, f"octo/{name}")
        clones.append(clone)
    # Of twelve questions at once, the last two would come too late.
    covered, _, server = await run_slowly(
        tmp_path, clones, script, latency=0.15, answer_seconds=1.5
    )
    accounts = [section.account for section in covered.report.sections]
    assert [account.fallbacks for account in accounts] == [(), (), ()]
    assert explained(covered) == 12
    assert server.most_waiting <= 8
    questions = [json.dumps(request.body) for request in server.asked]
    assert len(questions) == len(set(questions)), "a question was asked again"


def test_what_does_not_fit_into_the_time_is_said_and_the_most_important_comes_first(
    tmp_path: Path, corner: Path, command: Command
) -> None:
    clone, script = many_commits(tmp_path / "router", 8)
    slow_run = run_slowly(tmp_path, [clone], script, answer_seconds=2.0, model_seconds=5.0)
    covered, lines, _ = asyncio.run(slow_run)
    assert 1 <= explained(covered) < 9
    reasons = {row.title: row.reason for row in covered.report.ledger}
    assert "not analysed" not in reasons[LIMIT]
    left_out = [reason for reason in reasons.values() if "not analysed: " in reason]
    assert len(left_out) >= 1
    (remark, *_) = [line for line in lines if line.startswith("model: ")]
    assert "9 commits are to be explained, which takes about" in remark
    assert "the limit model_seconds leaves" in remark
    assert "the most important come first" in remark
    page = covered.page.read_text()
    assert "Left as facts, because the model or the judge did not answer:" in page
    assert "there is no time for it: it takes about" in page
    (name,) = (file.stem for file in (corner / "runs").iterdir())
    assert command("run", "--replay", name).out == page


@contextmanager
def pointed_at(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("GITZETTE_MODEL", server.model)
    monkeypatch.setenv("GITZETTE_MODEL_URL", server.url)
    yield


Run = Callable[..., list[str]]


@pytest.fixture
def run_command(tmp_path: Path, corner: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Report on two repositories by the command, and return what it says on stderr."""
    del corner
    clones = [two_commits(tmp_path / name, f"octo/{name}") for name in ("a", "b")]
    repos = [option for clone in clones for option in ("--repo", f"{clone.name}={clone.folder}")]
    (Path.cwd() / "gitzette.toml").write_text('languages = ["en", "zh"]\nsource = "git"\n')

    def run(*options: str) -> list[str]:
        command = ["run", "--analyst", "model", "--date", "2026-02-04", *repos, *options]
        assert main([*command, "--out", str(tmp_path / "out")]) == 0
        return capsys.readouterr().err.splitlines()

    return run


ASSUMED = "does not report its context length: 8192 tokens are assumed; set model_context"


def test_an_unknown_context_is_said_in_the_run_the_footer_and_by_doctor(
    tmp_path: Path, run_command: Run, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ModelServer(Scripted(), context=None) as server, pointed_at(server, monkeypatch):
        lines = run_command()
        doctor = command("doctor").out
    assert len([line for line in lines if ASSUMED in line]) == 1
    assert "scripted: 8192 tokens of context assumed, because the server does not report" in doctor
    reports = tmp_path / "out" / "reports"
    data = json.loads((reports / "2026-02-04.json").read_text())
    assert data["footer"]["model"]["assumed_contexts"] == {"scripted": 8_192}
    english = (reports / "2026-02-04.md").read_text()
    chinese = (reports / "2026-02-04.zh.md").read_text()
    assert "does not report the context length of `scripted`: 8192 tokens were assumed" in english
    assert "没有报告 `scripted` 的上下文长度：按 8192 个 token 计算" in chinese


def test_a_context_that_the_server_or_the_settings_name_is_not_called_assumed(
    tmp_path: Path, run_command: Run, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ModelServer(Scripted(), context=None) as server, pointed_at(server, monkeypatch):
        monkeypatch.setenv("GITZETTE_MODEL_CONTEXT", "32768")
        lines = run_command()
        doctor = command("doctor").out
    assert not [line for line in lines if "assumed" in line]
    assert "scripted: 32768 tokens of context, tool calls" in doctor
    data = json.loads((tmp_path / "out" / "reports" / "2026-02-04.json").read_text())
    assert data["footer"]["model"]["assumed_contexts"] == {}
