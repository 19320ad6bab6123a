"""What the channels are sent on the busiest day: all of it, within the limits that the receivers hold them to."""

import re
import time
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path
from typing import Any, Protocol

import pytest
from agent.pages import report_page

from agent.deliveries import Delivery
from agent.report import Report
from agent.settings import Language, Settings
from agent.web import Web
from gitzette.delivery.courier import Clock, Courier

SECRET = "a secret of both sides"
LANGUAGES: tuple[Language, ...] = ("en", "zh")
WEB = "https://git.example"


class Receiver(Protocol):
    """The receiver of the fixture."""

    port: int
    accepted: list[Any]
    refused: list[str]

    def url(self, path: str) -> str: ...


def links(text: str) -> list[str]:
    return sorted(re.findall(rf"{WEB}/[\w./-]+/(?:commit/[0-9a-f]{{40}}|(?:pull|issues)/\d+)", text))


def deliver(report: Report, out: Path, spec: Delivery, environ: dict[str, str]) -> list[str]:
    settings = Settings(out=out, web_url=WEB, deliver=(spec,))
    return Courier(settings, environ, Clock(now=time.time, sleep=lambda _: None)).deliver(report)


def slack_links(message: dict[str, Any]) -> str:
    return "\n".join(block["text"]["text"].replace("|", " ") for block in message["blocks"])


def feishu_links(message: dict[str, Any]) -> str:
    (post,) = message["content"]["post"].values()
    return " ".join(piece.get("href", "") for line in post["content"] for piece in line)


def hook_links(message: dict[str, Any]) -> str:
    return str(message["markdown"])


KINDS: list[tuple[str, str, Callable[[dict[str, Any]], str]]] = [
    ("slack", "slack", slack_links),
    ("feishu", "feishu", feishu_links),
    ("webhook", "hook", hook_links),
]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(("kind", "path", "linked"), KINDS)
def test_every_message_of_the_busy_day_is_accepted_with_every_link_whole(
    kind: Any, path: str, linked: Callable[[Any], str], lang: Language, receiver: Receiver, busy: Report, out: Path
) -> None:
    secret = None if kind == "slack" else "SECRET"
    spec = Delivery(kind=kind, address_env="ADDRESS", secret_env=secret, lang=lang, content="full")
    assert deliver(busy, out, spec, {"ADDRESS": receiver.url(path), "SECRET": SECRET}) == []
    assert receiver.refused == []
    page = report_page(busy, lang, Web(WEB))
    assert links(" ".join(map(linked, receiver.accepted))) == links(page)
    assert len(links(page)) > 400
    if kind == "slack":
        parts = len(receiver.accepted)
        titles = [f"Gitzette 2026-03-12 ({part}/{parts})" for part in range(1, parts + 1)]
        assert [one["text"] for one in receiver.accepted] == titles
    if kind == "webhook":
        (message,) = receiver.accepted
        assert len(message["report"]["ledger"]) == 222


@pytest.mark.parametrize("lang", LANGUAGES)
def test_letters_of_the_busy_day_are_accepted_as_html_and_as_text(
    lang: Language, office: Receiver, busy: Report, out: Path
) -> None:
    spec = Delivery(kind="email", address_env="SMTP", lang=lang, sender="g@example.org", to=("team@example.org",))
    assert deliver(busy, out, spec, {"SMTP": f"smtp://127.0.0.1:{office.port}"}) == []
    assert office.refused == []
    assert len(office.accepted) > 1
    texts = {"plain": "", "html": ""}
    for number, mail in enumerate(office.accepted, start=1):
        assert isinstance(mail, EmailMessage)
        assert mail["Subject"] == f"Gitzette 2026-03-12 ({number}/{len(office.accepted)})"
        assert mail["Date"]
        for kind in texts:
            body = mail.get_body((kind,))
            assert body is not None
            texts[kind] += body.get_content()
    page = report_page(busy, lang, Web(WEB))
    assert links(texts["html"]) == links(texts["plain"]) == links(page)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_chats_get_the_highlights_in_one_message(lang: Language, receiver: Receiver, busy: Report, out: Path) -> None:
    assert deliver(busy, out, Delivery(kind="slack", address_env="A", lang=lang), {"A": receiver.url("slack")}) == []
    (message,) = receiver.accepted
    assert message["text"] == "Gitzette 2026-03-12"
    shown = slack_links(message)
    assert "222" in shown
    assert "lumen-ai/tensorforge" in shown
    leading = max(busy.ledger, key=lambda row: row.weight or 0.0)
    assert leading.title.partition(" (#")[0] in shown


def test_a_webhook_that_takes_less_gets_more_parts(receiver: Receiver, calm: Report, out: Path) -> None:
    spec = Delivery(kind="webhook", address_env="A", secret_env="S", max_bytes=10_000)
    assert deliver(calm, out, spec, {"A": receiver.url("hook"), "S": SECRET}) == []
    assert len(receiver.accepted) > 1
    page = report_page(calm, "en", Web(WEB))
    assert "\n\n".join(one["markdown"] for one in receiver.accepted).split() == page.split()
