"""`gitzette serve` over real HTTP: pages, streamed answers, evidence, and everybody who is kept out."""

import asyncio
import json
import os
import re
import socket
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from agent.settings.values import RepoSpec, Settings
from evals.model_server.honest import honest
from evals.model_server.requests_and_answers import ModelRequest, Saying
from evals.model_server.server import ModelServer, Pace
from gitzette.cli import main
from gitzette.live.app import Live
from graphs.ask_conversations import open_conversations

QUESTION = "what changed in MAX_ROUTES on 2026-02-04?"
Serving = Callable[..., str]


def events(answer: httpx.Response) -> list[tuple[str, Any]]:
    events = re.findall(r"^event: (\w+)\ndata: (.*)$", answer.text, re.MULTILINE)
    return [(name, json.loads(data)) for name, data in events]


def shown(received: list[tuple[str, Any]]) -> list[dict[str, Any]]:
    return list([data["blocks"] for name, data in received if name == "blocks"][-1])


def words_of(blocks: list[dict[str, Any]]) -> str:
    return "\n".join("".join(piece["text"] for piece in block["pieces"]) for block in blocks)


def test_the_site_is_served_with_a_way_to_ask(serving: Serving) -> None:
    with httpx.Client(base_url=serving()) as browser:
        front = browser.get("/")
        assert front.status_code == 200
        assert "2026-02-04" in front.text
        assert 'href="en/ask.html"' in front.text
        policy = front.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        day = browser.get("/en/days/2026-02-04.html")
        assert 'href="../../en/ask.html"' in day.text
        assert "Lower the limit of routes" in day.text
        for lang, word in (("en", "Ask"), ("zh", "提问")):
            assert word in browser.get(f"/{lang}/ask.html").text
        for asset in ("ask.js", "ask.css", "style.css", "page.js"):
            assert browser.get(f"/assets/{asset}").status_code == 200


def test_an_answer_is_streamed_with_what_is_read_its_citations_and_their_evidence(
    serving: Serving,
) -> None:
    with httpx.Client(base_url=serving(), timeout=60) as browser:
        received = events(browser.post("/api/ask", json={"question": QUESTION, "thread": "t-1"}))
        assert {name for name, _ in received} >= {"blocks", "done"}
        pieces = [piece for block in shown(received) for piece in block["pieces"]]
        assert "22" in [piece["text"] for piece in pieces if piece["code"]]
        assert 0 in [piece["cite"] for piece in pieces]
        done = received[-1][1]
        assert {name for name, _ in received} <= {"reading", "blocks", "done"}
        (cite,) = done["cites"]
        assert cite["title"].endswith("Lower the limit of routes (#9)")
        assert "MAX_ROUTES" in done["words"][cite["id"]]
        evidence = browser.post("/api/evidence", json={"cite": cite["id"]}).json()
        assert [item for item in evidence["lines"] if "= " in item] == [
            "-MAX_ROUTES = 22",
            "+MAX_ROUTES = 12",
        ]
        more = events(browser.post("/api/ask", json={"question": "what changed?", "thread": "t"}))
        read = [data for name, data in more if name == "reading"]
        assert {item["repo"] for item in read} == {"acme/engine"}
        assert any(item["what"] == "reading diffs" for item in read)
        # The page says which days were read, and does not pass over the months between them.
        assert "Searched acme/engine, 2026-02-03 to 2026-02-04, " in words_of(shown(more))
        again = events(browser.post("/api/ask", json={"question": "author:grace", "thread": "t-1"}))
        assert "Grace" in json.dumps(shown(again))


async def test_the_page_shows_how_much_of_an_answer_is_written_but_no_word_before_it_is_judged(
    engine: Any, corner: Path
) -> None:
    sentence = "`MAX_ROUTES` is lowered by this commit, and nobody has judged that yet. " * 8

    def script(request: ModelRequest) -> Saying:
        answer = honest(request)
        if request.schema != "Answer":
            return answer
        return replace(answer, text=answer.text.replace('"en": "', f'"en": "{sentence}'))

    with ModelServer(script, context=32_768, pace=Pace(reads=1e6, writes=2_000)) as server:
        settings = Settings(
            repos=(RepoSpec.model_validate(engine.repo[1]),),
            home=corner,
            analyst="model",
            model=server.model,
            model_url=server.url,
        )
        live = Live(settings, dict(os.environ), corner)
        received = [event async for event in live.answer("t", QUESTION)]
    written = [event for event in received if '"what": "answering"' in event]
    counts = [json.loads(event.partition("data: ")[2])["done"] for event in written]
    assert counts == sorted(counts)
    assert len(set(counts)) > 3
    until_judged = received[: received.index(written[-1]) + 1]
    assert "nobody has judged" not in "".join(until_judged)


async def test_a_client_that_stops_listening_leaves_nothing_in_the_thread_and_no_file_open(
    engine: Any, corner: Path
) -> None:
    settings = Settings(repos=(RepoSpec.model_validate(engine.repo[1]),), home=corner)
    live = Live(settings, dict(os.environ), corner)
    begun = asyncio.Event()
    before = set(threading.enumerate())

    async def listen() -> None:
        async for _ in live.answer("gone", "what changed between 2026-02-01 and 2026-02-04?"):
            begun.set()

    listener = asyncio.create_task(listen())
    await begun.wait()
    while not listener.done():
        listener.cancel()
        await asyncio.sleep(0)
    async with open_conversations(corner) as conversations:
        assert (await conversations.standing("gone")).turns == ()
    received = [
        event
        async for event in live.answer("next", "what changed between 2026-02-01 and 2026-02-04?")
    ]
    assert received[-1].startswith("event: done")
    files = [
        item for item in set(threading.enumerate()) - before if "connection_worker" in item.name
    ]
    for item in files:
        item.join(10)
    assert not [file for file in files if file.is_alive()]


def test_a_folder_that_is_not_ours_is_told_and_left_alone(serving: Serving) -> None:
    folder = Path("gazette/site")
    folder.mkdir()
    (folder / "index.html").write_text("mine")
    with httpx.Client(base_url=serving()) as browser:
        answer = browser.get("/")
        assert answer.status_code == 500
        assert "\n" not in answer.text
        assert "site" in answer.text
    assert (folder / "index.html").read_text() == "mine"


def test_others_are_kept_out(serving: Serving) -> None:
    request = {"question": QUESTION, "thread": "t"}
    with httpx.Client(base_url=serving()) as browser:
        assert browser.get("/", headers={"Host": "evil.example"}).status_code == 421
        for header in (
            {"Origin": "https://evil.example"},
            {"Origin": "null"},
            {"Sec-Fetch-Site": "cross-site"},
        ):
            assert browser.post("/api/ask", json=request, headers=header).status_code == 403
        plain = {"Content-Type": "text/plain"}
        assert (
            browser.post("/api/ask", content=json.dumps(request), headers=plain).status_code == 415
        )
        assert (
            browser.post("/api/ask", json=request | {"question": "x" * 70_000}).status_code == 413
        )
        for wrong in (request | {"question": "x" * 5_000}, request | {"thread": "../up"}, ["x"]):
            assert browser.post("/api/ask", json=wrong).status_code == 422
        assert (
            browser.post("/api/evidence", json={"cite": "evil/repo@" + "0" * 40}).status_code == 404
        )
        assert browser.post("/api/evidence", json={"cite": "--upload-pack=x"}).status_code == 422
        assert browser.request("DELETE", "/").status_code == 405
        for path in (
            "/..%2f..%2fgitzette.toml",
            "/%2e%2e/reports/2026-02-04.json",
            "//etc/passwd",
            "/x%00.html",
        ):
            assert browser.get(path).status_code == 404


def test_anything_but_loopback_needs_a_long_token(
    serving: Serving,
    engine: Any,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LIVE", "short")
    assert main(["serve", "--host", "0.0.0.0", *engine.repo]) == 2
    assert "--token-env" in capsys.readouterr().err
    assert main(["serve", "--host", "0.0.0.0", "--token-env", "LIVE", *engine.repo]) == 2
    assert "at least 16" in capsys.readouterr().err
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert main(["serve", "--port", str(taken.getsockname()[1]), *engine.repo]) == 2
    assert "choose another --port" in capsys.readouterr().err
    token = "a-long-random-word"
    address = serving(token)
    with httpx.Client(base_url=address) as browser:
        assert browser.get("/").status_code == 401
        assert browser.get("/", auth=("reader", "wrong")).status_code == 401
        assert browser.get("/", headers={"Authorization": "Basic ?"}).status_code == 401
        assert browser.get("/", headers={"Authorization": f"Bearer {token}"}).status_code == 200
        assert browser.get("/", auth=("reader", token)).status_code == 200
