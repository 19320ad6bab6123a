"""A whole run with a model, in English and Chinese: published, killed, resumed, replayed, and with models that fail."""

import json
import shutil
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from agent.domain.errors import EXIT_DONE
from evals.model_server.requests_and_answers import ModelRequest
from evals.model_server.server import ModelServer, Mood
from gitzette.cli import main
from tests.scripted_analysis import (
    LIMIT,
    LIMIT_SAID,
    TIMEOUT_SAID,
    Scripted,
    Stop,
    calling,
    run,
    two_commits,
)

BRIEF = {
    "en": "`MAX_ROUTES` and `WORKER_TIMEOUT` change.",
    "zh": "`MAX_ROUTES` 和 `WORKER_TIMEOUT` 有变化。",
    "rests_on": ["c1.1", "c2.1"],
}
BOTH: dict[str, Any] = {"languages": ("en", "zh")}


def pages(folder: Path) -> dict[str, bytes]:
    return {
        file.name: file.read_bytes() for file in sorted((folder / "out" / "reports").glob("2026*"))
    }


def questions(server: ModelServer) -> Counter[str]:
    """Count what was asked, without the questions by which a server is tried."""
    tried = ("look_up", "Colour")
    return Counter(
        json.dumps(request.body)
        for request in server.asked
        if request.schema not in tried and tried[0] not in request.tools
    )


def test_the_command_publishes_analysis_in_both_languages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clone = two_commits(tmp_path / "router")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GITZETTE_HOME", str(tmp_path / "home"))
    (tmp_path / "gitzette.toml").write_text('languages = ["en", "zh"]\nsource = "git"\n')
    with ModelServer(Scripted(summary=[BRIEF]), context=32_768) as server:
        monkeypatch.setenv("GITZETTE_MODEL", server.model)
        monkeypatch.setenv("GITZETTE_MODEL_URL", server.url)
        command = [
            "run",
            "--analyst",
            "model",
            "--repo",
            f"{clone.name}={clone.folder}",
            "--date",
            "2026-02-04",
        ]
        assert main([*command, "--out", str(tmp_path / "out")]) == EXIT_DONE
    claims = json.loads(pages(tmp_path)["2026-02-04.json"])["claims"]
    analysed = [claim for claim in claims if claim["judged_by"]]
    assert [(claim["role"], claim["kind"], claim["judged_by"]) for claim in analysed] == [
        (role, "stated", "scripted")
        for role in ("headline", "effect", "headline", "effect", "brief")
    ]
    assert all(claim["anchors"] and claim["verdict"] == "supported" for claim in analysed)
    assert {claim["kind"] for claim in claims if not claim["judged_by"]} <= {"fact", "quotation"}
    for name, lang in (("2026-02-04.md", "en"), ("2026-02-04.zh.md", "zh")):
        page = pages(tmp_path)[name].decode()
        headline = {"en": "Workers get more time", "zh": "工作进程的时间更长"}[lang]
        colon = {"en": ": ", "zh": "："}[lang]
        title, _, body = page.partition("\n")
        assert title == f"# router{colon}{headline}"
        for words in (headline, LIMIT_SAID[lang], TIMEOUT_SAID[lang], BRIEF[lang]):
            assert body.count(str(words)) == 1, words
    capsys.readouterr()
    shutil.rmtree(clone.folder)
    (name,) = (file.stem for file in (tmp_path / "home" / "runs").iterdir())
    assert main(["run", "--replay", name]) == EXIT_DONE
    assert capsys.readouterr().out.encode() == pages(tmp_path)["2026-02-04.md"]
    assert main(["run", "--replay", name, "--json"]) == EXIT_DONE
    assert capsys.readouterr().out.encode() == pages(tmp_path)["2026-02-04.json"]


@pytest.mark.parametrize(
    "step", ["looking further", pytest.param("judging", marks=pytest.mark.heavy)]
)
async def test_a_run_that_died_among_models_gives_the_same_report_and_asks_nothing_twice(
    tmp_path: Path, step: str
) -> None:
    clone = two_commits(tmp_path / "router")
    script = Scripted(summary=[BRIEF], turns=[calling("get_diff")])
    with ModelServer(script, context=32_768) as server:
        await run(tmp_path / "calm", server, clone, **BOTH)
        question_count = questions(server)
    with ModelServer(script, context=32_768) as server:
        with pytest.raises(Stop):
            await run(tmp_path, server, clone, die_at=step, **BOTH)
        with closing(sqlite3.connect(tmp_path / "home" / "memory.db")) as db, db:
            db.execute(
                "update runs set status = 'running', finished = null where status = 'failed'"
            )
            (name,) = db.execute("select id from runs").fetchone()
            (answered,) = db.execute(
                "select count(*) from calls where name = 'model.ask'"
            ).fetchone()
        # Questions about the two commits may be on their way when the run dies: nobody hears the answers to those.
        unheard = questions(server).total() - answered
        assert 0 <= unheard <= 2
        await run(tmp_path, server, clone, again=name, **BOTH)
        # A batch of one sentence is the same question in both readings of the judge.
        assert len(questions(server)) == len(question_count)
        assert questions(server).total() == question_count.total() + unheard
    assert pages(tmp_path) == pages(tmp_path / "calm")


async def test_without_a_judge_or_a_writer_facts_are_told_and_why_is_said(tmp_path: Path) -> None:
    clone = two_commits(tmp_path / "router")

    def judge(request: ModelRequest) -> Mood | None:
        return Mood("failing") if request.schema == "Rulings" else None

    def writer(request: ModelRequest) -> Mood | None:
        return Mood("prose") if request.schema == "Analysis" and LIMIT in request.user else None

    with ModelServer(Scripted(), judge, context=32_768) as server:
        page = (await run(tmp_path / "unjudged", server, clone)).page.read_text()
    assert "Workers get more time" not in page
    assert "`WORKER_TIMEOUT` changes from `30` to `45`." in page
    assert "Done without the model, because it failed: judging 2 (" in page
    assert "Sentences of analysis: 0" in page
    with ModelServer(Scripted(), writer, context=32_768) as server:
        covered = await run(tmp_path / "unwritten", server, clone)
    page = covered.page.read_text()
    assert "Workers get more time" in page
    assert "`MAX_ROUTES` changes from `22` to `12`." in page
    (row,) = (row for row in covered.report.ledger if row.title == LIMIT)
    assert (
        "not analysed: scripted gave an answer that is not in the shape that was asked for"
        in row.reason
    )
