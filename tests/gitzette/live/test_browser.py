"""The live page in a real browser: ask, watch, follow a citation; hostile answers stay text, and fit on a phone."""

import json
import threading
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from agent.settings.values import Settings
from evals.model_server.honest import honest
from evals.model_server.requests_and_answers import ModelRequest, Saying
from evals.model_server.server import ModelServer
from tests.gitzette.live.conftest import listening

_PATIENCE = 60  # Seconds for something to be shown, on a busy machine
_TOGETHER = 10
_ALLOWED = {
    *(
        "div",
        "section",
        "article",
        "aside",
        "form",
        "label",
        "input",
        "button",
        "h2",
        "h3",
        "p",
        "span",
    ),
    *("code", "b", "a", "ul", "li", "pre", "blockquote"),
}


def _event(name: str, data: dict[str, Any]) -> str:
    return f"event: {name}\ndata: {json.dumps(data)}\n\n"


def _answer(strings: list[str]) -> str:
    """Say every string as every kind of paragraph and piece, as the name of what is read and cited, and as an error."""
    event_texts = [
        _event("reading", {"repo": bad, "what": bad, "done": 1, "total": 2}) for bad in strings
    ]
    pieces = [
        {"text": bad, "code": code, "url": url, "cite": cite}
        for number, bad in enumerate(strings)
        for code, url, cite in (
            (False, None, None),
            (True, None, None),
            (False, bad, None),
            (False, None, number),
        )
    ]
    kinds = ("text", "item", "constructor")
    blocks = [{"kind": kind, "level": 2, "pieces": pieces} for kind in kinds]
    event_texts.append(_event("blocks", {"blocks": blocks}))
    cites = [{"title": bad, "url": bad, "id": f"id-{number}"} for number, bad in enumerate(strings)]
    strings_by_id = {cited["id"]: strings for cited in cites}
    event_texts.append(
        _event(
            "done",
            {"abstained": True, "cites": cites, "quotes": strings_by_id, "words": strings_by_id},
        )
    )
    return "".join((*event_texts, *(_event("failed", {"message": bad}) for bad in strings)))


def _serve(page: Page, strings: list[str]) -> None:
    """Answer in the place of the server, which would clean much of it."""
    answers: dict[str, tuple[str, str]] = {
        "ask": ("text/event-stream", _answer(strings)),
        "evidence": ("application/json", json.dumps({"lines": strings})),
    }

    def reply(route: Route) -> None:
        kind, body = answers[route.request.url.rpartition("/")[2]]
        route.fulfill(content_type=kind, body=body)

    page.unroute_all()
    page.route("**/api/*", reply)


def _check(page: Page, strings: list[str]) -> None:
    asked_text = page.evaluate("document.getElementById('ask').textContent")
    assert all(bad in asked_text for bad in strings)
    lines = page.evaluate(
        "[...document.querySelectorAll('#evidence .line')].map(one => one.textContent)"
    )
    assert lines == [bad or " " for bad in strings]
    elements = page.evaluate("[...document.querySelectorAll('#ask *')].map(one => one.localName)")
    assert set(elements) <= _ALLOWED
    links = page.evaluate("[...document.querySelectorAll('#ask a[href]')].map(one => one.href)")
    assert all(link.startswith("https://evil.example/") for link in links)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), strings
    assert page.title() == "Ask about recent changes · Gitzette"


def test_a_hundred_hostile_strings_in_every_field_of_an_answer_stay_text(
    serving: Callable[..., str], opened: Any, hostile_strings: list[str]
) -> None:
    address = serving()
    # Half of a character cannot be sent.
    sent = [bad.encode("utf-8", "replace").decode() for bad in hostile_strings]
    page = opened(address, "/en/ask.html", 390)
    for group in range(0, len(sent), _TOGETHER):
        strings = sent[group : group + _TOGETHER]
        _serve(page, strings)
        page.goto(f"{address}/en/ask.html")
        page.get_by_label("Your question").fill("?".join(strings)[:4000])
        page.keyboard.press("Enter")
        expect(page.locator(".failed")).to_have_count(_TOGETHER)
        page.locator("button.cite").last.click()
        expect(page.locator("#evidence .line")).to_have_count(_TOGETHER)
        _check(page, strings)


@pytest.mark.parametrize("width", [390, 1280])
def test_a_question_is_answered_with_its_evidence_beside_it(
    serving: Callable[..., str], opened: Any, grave: Callable[[Page], list[str]], width: int
) -> None:
    page = opened(serving(), "/", width, color_scheme="dark" if width > 1_000 else "light")
    page.get_by_role("link", name="Ask", exact=True).click()
    page.get_by_label("Your question").fill("what changed in MAX_ROUTES on 2026-02-04?")
    page.keyboard.press("Enter")
    cite = page.locator("button.cite").first
    expect(cite).to_be_visible(timeout=60_000)
    expect(page.locator("#turns")).to_contain_text("from 22 to 12")
    cite.click()
    expect(page.locator("#evidence")).to_contain_text("+MAX_ROUTES = 12", timeout=30_000)
    expect(page.locator("#evidence .line.marked")).to_have_text(
        ["-MAX_ROUTES = 22", "+MAX_ROUTES = 12"]
    )
    page.get_by_label("Your question").fill("who wrote it?")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.locator(".turn").nth(1)).to_contain_text("Grace", timeout=60_000)
    assert grave(page) == []
    page.get_by_role("link", name="中文").first.click()
    expect(page.get_by_role("button", name="提问", exact=True)).to_be_visible()


def test_evidence_is_shown_before_the_model_says_a_word_and_each_sentence_once_it_is_judged(
    reported: Settings, opened: Any
) -> None:
    may_speak = threading.Event()
    may_finish = threading.Event()

    def script(request: ModelRequest) -> Saying:
        if request.schema == "Searches":
            assert may_speak.wait(_PATIENCE)
        if request.schema == "Answer":
            assert may_finish.wait(_PATIENCE)
        return honest(request)

    with ModelServer(script, context=32_768) as server:
        model = {"analyst": "model", "model": server.model, "model_url": server.url}
        with listening(reported.model_copy(update=model), None) as address:
            page = opened(address, "/en/ask.html")
            turn = page.locator(".turn").first
            page.get_by_label("Your question").fill("what changed in MAX_ROUTES on 2026-02-04?")
            page.keyboard.press("Enter")
            # The model has been asked and is silent.
            expect(turn).to_contain_text("Lower the limit of routes", timeout=_PATIENCE * 1_000)
            expect(page.get_by_role("button", name="Stop")).to_be_visible()
            may_speak.set()
            expect(page.get_by_role("button", name="Stop")).to_be_visible()
            expect(turn).not_to_contain_text("Searched acme/engine")
            may_finish.set()
            expect(page.locator("button.cite").first).to_be_visible(timeout=_PATIENCE * 1_000)
            expect(turn).to_contain_text("Searched acme/engine", timeout=_PATIENCE * 1_000)
            expect(page.get_by_role("button", name="Stop")).to_be_hidden()


def _held_back(page: Page, held: list[Route]) -> Route:
    """Wait for a request that was held back, and return it."""
    for _ in range(500):
        if held:
            break
        page.wait_for_timeout(20)
    return held.pop()


def test_what_is_typed_while_an_answer_comes_is_kept_and_a_question_that_failed_comes_back(
    serving: Callable[..., str], browser: Any
) -> None:
    address = serving()
    held: list[Route] = []
    page = browser.new_page()
    page.route("**/api/ask", lambda route: held.append(route))
    page.goto(f"{address}/en/ask.html")
    question = page.get_by_label("Your question")
    question.fill("what changed in MAX_ROUTES on 2026-02-04?")
    page.keyboard.press("Enter")
    expect(question).to_have_value("")
    question.fill("who wrote it?")
    _held_back(page, held).continue_()
    expect(page.locator("button.cite").first).to_be_visible(timeout=60_000)
    expect(page.locator("#stop")).to_be_hidden(timeout=60_000)
    expect(question).to_have_value("who wrote it?")
    page.keyboard.press("Enter")
    expect(question).to_have_value("")
    _held_back(page, held).abort()
    expect(question).to_have_value("who wrote it?")
    page.close()


def test_a_question_can_be_stopped(serving: Callable[..., str], opened: Any) -> None:
    page = opened(serving(), "/en/ask.html")
    held: list[Route] = []
    page.route("**/api/ask", lambda route: held.append(route))
    page.get_by_label("Your question").fill("what changed in the last 300 days?")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Stop").click()
    expect(page.locator(".turn")).to_contain_text("Stopped")
    expect(page.get_by_role("button", name="Stop")).to_be_hidden()
    for route in held:
        route.abort()
