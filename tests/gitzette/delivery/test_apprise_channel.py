"""Delivery through Apprise: once, within the limits of each service, and without effect of foreign words."""

import json
import logging
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from agent.domain.errors import UpstreamError
from agent.domain.report import Report
from agent.settings.values import Delivery, Settings
from gitzette.cli import main
from gitzette.delivery.channels import channel_of
from gitzette.delivery.deliver import Deliverer
from tests.analysed_report import analysed_report
from tests.gitzette.delivery.chat_services import ChatServices, Trouble, serving, shown
from tests.gitzette.delivery.hostile_words import ATTACKS, hostile

pytest.importorskip("apprise", reason="NOT TESTED: delivery through Apprise (extra 'apprise')")

# Apprise imports a module that Python will drop, and does without it where it is gone.
pytestmark = pytest.mark.filterwarnings("ignore:'imghdr' is deprecated:DeprecationWarning")

DAY = "2026-02-04"
SERVICES = ("discord", "telegram", "teams", "mattermost", "matrix", "ntfy", "gotify")
MARKDOWN = ("discord", "mattermost", "teams")
HTML = ("telegram", "matrix")
WEB = "https://git.example"
SITE = "https://site.example"


@dataclass(frozen=True)
class Chats:
    """The services on loopback, and a channel to each of them."""

    services: ChatServices
    out: Path

    def deliver(self, report: Report, *names: str, lang: Any = "en") -> Deliverer:
        specs = []
        for name in names:
            spec = Delivery(kind="apprise", address_env=name.upper(), name=name, lang=lang)
            specs.append(spec)
        settings = Settings(out=self.out, web_url=WEB, site_url=SITE, deliver=tuple(specs))
        deliverer = Deliverer(settings=settings, environ=self.environ, sleep=lambda _: None)
        deliverer.deliver(report)
        return deliverer

    @property
    def environ(self) -> dict[str, str]:
        return {name.upper(): address for name, address in self.services.addresses.items()}

    def texts(self, name: str) -> list[str]:
        return [shown(name, message) for message in self.services.messages.get(name, [])]


@pytest.fixture
def chats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Chats]:
    with serving(tmp_path) as (services, variables):
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        (tmp_path / "gazette").mkdir()
        yield Chats(services, tmp_path / "gazette")


def test_two_runs_send_one_message_to_every_service(chats: Chats) -> None:
    report = analysed_report()
    first = chats.deliver(report, *SERVICES)
    assert first.failed == []
    assert first.sent == [f"delivered to {name}: 1 message" for name in SERVICES]
    again = chats.deliver(report, *SERVICES)
    assert again.sent == [f"delivered to {name}: nothing new" for name in SERVICES]
    assert {name: len(texts) for name, texts in chats.services.messages.items()} == dict.fromkeys(
        SERVICES, 1
    )


@pytest.mark.parametrize("name", SERVICES)
def test_a_message_begins_with_the_news_and_has_links_to_the_commits(
    name: str, chats: Chats
) -> None:
    assert chats.deliver(analysed_report(), name).failed == []
    (message,) = chats.services.messages[name]
    text = shown(name, message)
    lead = "Routing refuses more than 8 experts"
    commit = f"{WEB}/octo/router/commit/{'1a' * 20}"
    assert commit in text
    assert f"{SITE}/en/days/{DAY}.html" in text
    if name in ("ntfy", "gotify"):
        assert lead in message["title"]
    else:
        assert lead in text.splitlines()[0][:80]
    # The picture and the name of another project are not sent along.
    assert "apprise" not in json.dumps(message).lower()
    assert "caronc" not in json.dumps(message)


@pytest.mark.parametrize("name", SERVICES)
def test_a_long_report_fits_the_limits_of_each_service_in_numbered_parts(
    name: str, chats: Chats, calm: Report
) -> None:
    assert chats.deliver(calm, name, lang="zh").failed == []
    assert chats.services.refused == []
    if name == "discord":
        parts = len(chats.texts(name))
        assert parts > 1
        assert f"(2/{parts})" in chats.texts(name)[1]


def test_a_delivery_that_stops_between_two_parts_goes_on_with_the_next(
    chats: Chats, calm: Report
) -> None:
    chats.deliver(calm, "discord")
    discord_texts = chats.texts("discord")
    entry = json.loads((chats.out / "deliveries.json").read_text())["entries"][0]
    half = {"sent": [f"{entry['sent'][0]}-1-{len(discord_texts)}"], "why": "not finished"}
    kept = {"of": "gitzette", "entries": [entry | half]}
    (chats.out / "deliveries.json").write_text(json.dumps(kept))
    chats.services.messages.clear()
    assert chats.deliver(calm, "discord").failed == []
    assert chats.texts("discord") == discord_texts[1:]


def check_markdown(text: str, *, has_code: bool) -> None:
    """Read the text as a chat does; only our own links and emphasis may have an effect."""
    parser = MarkdownIt("commonmark", {"html": True}).enable("strikethrough")
    kinds = {"text", "softbreak", "strong_open", "strong_close", "link_open", "link_close"}
    if has_code:
        kinds.add("code_inline")
    for block in parser.parse(text):
        assert block.type.partition("_")[0] in ("paragraph", "bullet", "list", "inline"), block
        for piece in block.children or ():
            assert piece.type in kinds, piece
            if piece.type == "link_open":
                assert str(piece.attrs["href"]).startswith((f"{WEB}/", f"{SITE}/"))
            if piece.type == "text" and has_code:
                assert not re.search(r"@\w|https?://", piece.content), piece.content
    outside_code = re.sub(r"(`+).+?\1|\\.|\(<?https?://[^)]*\)", "", text)
    assert not has_code or not re.search(r":[a-z]+:", outside_code)


def check_html(text: str) -> None:
    tags = re.findall(r"<(/?\w+)([^>]*)>", text)
    assert {name.strip("/") for name, _ in tags} <= {"b", "a", "code", "p", "br"}
    for name, attributes in tags:
        assert name == "a" or not attributes.strip(" /")
        for address in re.findall(r'href="([^"]*)"', attributes):
            assert address.startswith((f"{WEB}/", f"{SITE}/"))
    assert not re.search(r"@\w", text)
    # A chat makes links of addresses by itself, but not of those in code.
    words = re.sub(r"<code>.*?</code>|<a .*?</a>|<[^>]*>", "", text)
    assert "evil.example" not in words


@pytest.mark.parametrize("name", SERVICES)
def test_hostile_words_stay_words_in_every_service(
    name: str, chats: Chats, calm: Report, hostile_strings: list[str]
) -> None:
    report = hostile(calm, [*ATTACKS, *hostile_strings])
    assert chats.deliver(report, name).failed == []
    assert chats.services.refused == []
    texts = chats.texts(name)
    assert any("alert" in text for text in texts)
    for text in texts:
        if name in MARKDOWN:
            check_markdown(text, has_code=name != "teams")
        elif name in HTML:
            check_html(text)
    if name == "ntfy":
        # Without this, ntfy shows plain text.
        assert not any(message.get("markdown") for message in chats.services.messages[name])


def test_what_can_get_better_is_tried_again_and_a_refusal_is_not(chats: Chats) -> None:
    chats.services.trouble = [Trouble(503), Trouble(429)]
    assert chats.deliver(analysed_report(), "gotify").failed == []
    chats.services.trouble = [Trouble(404, "who?")]
    (failed,) = chats.deliver(analysed_report(), "ntfy").failed
    assert failed == (
        f"ntfy: {DAY} not delivered: ntfy answers HTTP 404; is the address still right?; "
        "run it again to send it"
    )
    assert chats.services.trouble == []


@pytest.mark.parametrize(
    ("kind", "address", "name"),
    [
        ("webhook", "http://127.0.0.1:9/s3cret", "127.0.0.1:9"),
        ("slack", "http://127.0.0.1:9/s3cret", "127.0.0.1:9"),
        ("apprise", "ntfy://127.0.0.1:9/s3cret", "ntfy"),
    ],
)
def test_a_receiver_that_cannot_be_reached_is_named_with_the_next_step(
    kind: Any, address: str, name: str
) -> None:
    spec = Delivery(kind=kind, address_env="CHAT")
    channel = channel_of(spec, {"CHAT": address}, time.time)
    message = json.dumps({"title": "News", "body": "A flag was removed."}).encode()
    with pytest.raises(UpstreamError) as raised:
        channel.send(message, "key")
    assert str(raised.value).startswith(f"{name} cannot be reached")
    assert str(raised.value).endswith("; check the channel's address and the network")
    assert "s3cret" not in str(raised.value)


def test_no_secret_is_printed_logged_or_stored_when_a_service_fails(
    chats: Chats, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    chats.services.trouble = [Trouble(401)] * 60
    deliverer = chats.deliver(analysed_report(), *SERVICES)
    assert len(deliverer.failed) == len(SERVICES)
    printed = capfd.readouterr()
    written = [printed.out, printed.err, caplog.text, (chats.out / "deliveries.json").read_text()]
    for text in (*written, *deliverer.failed):
        assert "s3cret" not in text
    assert (printed.out, printed.err) == ("", "")


@pytest.mark.parametrize(
    ("address", "fault"),
    [
        ("discord://", "it holds no address such as discord://WEBHOOK_ID/WEBHOOK_TOKEN"),
        ("no address", "it holds no address such as"),
        ("http://[x", "it holds no address"),
        ("json://127.0.0.1/s3cret", "nobody has checked how JSON reads foreign words"),
        ("ntfy://127.0.0.1/s3cret?format=markdown", "leave the option format out"),
        ("ntfy://127.0.0.1/s3cret?optional=yes", "leave the option optional out"),
    ],
)
def test_an_address_that_cannot_be_used_is_told_by_the_name_of_its_variable(
    address: str,
    fault: str,
    chats: Chats,
    corner: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    del chats, corner
    Path("gitzette.toml").write_text('[[deliver]]\nkind = "apprise"\naddress_env = "CHAT"\n')
    monkeypatch.setenv("CHAT", address)
    main(["doctor"])
    printed = capsys.readouterr()
    assert f"CARE  delivery: apprise: CHAT: {fault}" in printed.out
    assert "s3cret" not in printed.out + printed.err
