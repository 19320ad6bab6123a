"""Delivery after a run: within every limit, again where that helps, never twice; words of others stay words."""

import json
import re
import time
from dataclasses import dataclass, field
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest

from agent.browser_urls import Web
from agent.domain.base import Language
from agent.domain.errors import UpstreamError
from agent.domain.ledger import Tier
from agent.domain.report import Failure, Report
from agent.settings.values import Delivery, Settings
from gitzette.cli import main
from gitzette.delivery import webhook_channel
from gitzette.delivery.deliver import Deliverer
from gitzette.delivery.message_content import Content
from gitzette.render.page_composition import report_page
from tests.analysed_report import analysed_report
from tests.gitzette.delivery.hostile_words import ATTACKS, hostile

HOOK = Delivery(kind="webhook", address_env="HOOK", secret_env="SECRET")
DAY = "2026-02-04"


@pytest.fixture
def small_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webhook_channel, "HOOK_BYTES", 10_000)


@dataclass
class Days:
    """A clock that stands still, and remembers how long somebody waited."""

    waited: list[float] = field(default_factory=list)
    at: float = field(default_factory=time.time)

    def deliver(
        self, report: Report, out: Path, environ: dict[str, str], *specs: Delivery
    ) -> Deliverer:
        settings = Settings(out=out, deliver=specs or (HOOK,), max_failed=1)
        deliverer = Deliverer(
            settings=settings, environ=environ, now=lambda: self.at, sleep=self.waited.append
        )
        deliverer.deliver(report)
        return deliverer


def entry(out: Path) -> dict[str, Any]:
    return dict(json.loads((out / "deliveries.json").read_text())["entries"][0])


def test_a_report_reaches_every_channel_once_however_often_it_is_delivered(
    sinks: Any, calm: Report, out: Path
) -> None:
    days = Days()
    deliveries = []
    for _ in range(3):
        days.at += 3_600
        deliveries.append(days.deliver(calm, out, sinks.environ, *sinks.specs))
    assert [delivery.failed for delivery in deliveries] == [[], [], []]
    assert deliveries[-1].sent == [
        f"delivered to {channel}: nothing new"
        for channel in ("email", "slack", "feishu", "webhook")
    ]
    assert len(sinks.mail.accepted) == 1
    assert [
        "blocks" in message or "msg_type" in message or "markdown" in message
        for message in sinks.web.accepted
    ] == [True] * 3
    kept = (out / "deliveries.json").read_text()
    assert "secret" not in kept
    assert "127.0.0.1" not in kept


def test_what_the_report_says_of_its_making_is_no_news_and_other_content_is(
    sinks: Any, calm: Report, out: Path
) -> None:
    specs = sinks.specs
    Days().deliver(calm, out, sinks.environ, *specs)
    account = calm.account.model_copy(
        update={"spent": calm.account.spent.model_copy(update={"calls": 7})}
    )
    delivery = Days().deliver(
        calm.model_copy(update={"account": account}), out, sinks.environ, *specs
    )
    assert {line.rpartition(": ")[2] for line in delivery.sent} == {"nothing new"}
    count = len(sinks.mail.accepted)
    delivery = Days().deliver(
        calm.model_copy(update={"ledger": calm.ledger[1:]}), out, sinks.environ, *specs
    )
    assert all("message" in line for line in delivery.sent)
    assert len(sinks.mail.accepted) > count
    # Why something is missing may be another reason in the next attempt.
    missing = Failure(repo=None, stage="brief", message="the model was slow")
    gaps = [missing, missing.model_copy(update={"message": "the model was away"})]
    Days().deliver(calm.model_copy(update={"failures": (gaps[0],)}), out, sinks.environ, *specs)
    delivery = Days().deliver(
        calm.model_copy(update={"failures": (gaps[1],)}), out, sinks.environ, *specs
    )
    assert {line.rpartition(": ")[2] for line in delivery.sent} == {"nothing new"}
    # What was sent before is not news either.
    delivery = Days().deliver(calm, out, sinks.environ, *specs)
    assert {line.rpartition(": ")[2] for line in delivery.sent} == {"nothing new"}


@pytest.mark.usefixtures("small_messages")
def test_what_can_get_better_is_tried_again_after_a_while(
    sinks: Any, calm: Report, out: Path
) -> None:
    sinks.web.trouble = [
        (503, {}, "busy"),
        (429, {"Retry-After": "7"}, "slower"),
        (408, {}, "late"),
    ]
    days = Days()
    delivery = days.deliver(calm, out, sinks.environ)
    assert days.waited[:3] == [1.0, 7.0, 4.0]
    assert delivery.sent == [f"delivered to webhook: {len(sinks.web.accepted)} messages"]
    assert len(sinks.web.accepted) == sinks.web.accepted[0]["parts"] > 2


@pytest.mark.usefixtures("small_messages")
def test_a_delivery_that_was_cut_short_goes_on_where_it_was(
    sinks: Any, calm: Report, out: Path
) -> None:
    Days().deliver(calm, out, sinks.environ)
    part_count = len(sinks.web.accepted)
    state_before = entry(out)
    half = {
        "sent": [f"{state_before['sent'][0]}-{part}-{part_count}" for part in (1, 2)],
        "why": "not finished",
    }
    (out / "deliveries.json").write_text(
        json.dumps({"of": "gitzette", "entries": [state_before | half]})
    )
    sinks.web.accepted.clear()
    assert Days().deliver(calm, out, sinks.environ).failed == []
    assert [message["part"] for message in sinks.web.accepted] == list(range(3, part_count + 1))


def test_a_busy_bot_and_a_busy_mail_server_are_asked_again_and_a_refusal_is_told(
    sinks: Any, calm: Report, out: Path
) -> None:
    mail, _, feishu, _ = sinks.specs
    sinks.web.trouble = [(200, {}, '{"code":11232,"msg":"frequency limited"}')]
    sinks.mail.trouble = [(451, {}, "try later"), (550, {}, "never")]
    days = Days()
    delivery = days.deliver(calm, out, sinks.environ, mail, feishu)
    assert delivery.sent == ["delivered to feishu: 1 message"]
    assert "the mail server answers 550 never" in delivery.failed[0]
    assert days.waited == [1.0, 1.0]
    wrong = sinks.environ | {"SECRET": "another"}
    (failed,) = days.deliver(
        calm, out, wrong, mail, feishu.model_copy(update={"lang": "zh"})
    ).failed
    assert '"code":19021' in failed


def test_a_wrong_address_is_told_by_the_name_of_its_variable(calm: Report, out: Path) -> None:
    for kind, address in (("slack", "http://[x"), ("email", "ftp://x"), ("email", "")):
        about = {
            "kind": kind,
            "address_env": "WHERE",
            "sender": "g@example.org",
            "to": ["t@example.org"],
        }
        spec = Delivery.model_validate(about)
        (failure,) = Days().deliver(calm, out, {"WHERE": address}, spec).failed
        assert "WHERE" in failure


def test_a_run_says_what_was_sent_and_doctor_what_was_not(
    engine: Any,
    corner: Path,
    sinks: Any,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    del corner
    Path("gitzette.toml").write_text('[[deliver]]\nkind = "slack"\naddress_env = "SLACK"\n')
    assert main(["run", "--date", DAY, *engine.repo]) == 3
    captured = capsys.readouterr()
    missing = f"slack: {DAY} not delivered: the variable SLACK is not set"
    assert missing in captured.err
    assert Path(captured.out.strip()).exists()
    main(["doctor"])
    assert f"CARE  delivery: {missing}" in capsys.readouterr().out
    monkeypatch.setenv("SLACK", sinks.environ["SLACK"])
    for _ in range(3):
        assert main(["run", "--date", DAY, *engine.repo]) == 0
    printed = capsys.readouterr().err
    assert printed.count("gitzette: delivered to slack: 1 message\n") == 1
    assert printed.count("gitzette: delivered to slack: nothing new\n") == 2
    assert [message["text"] for message in sinks.web.accepted] == [
        "MAX_ROUTES changes from 22 to 12 · engine · 1 commit"
    ]
    main(["doctor"])
    assert "ok    delivery: nothing waits to be sent" in capsys.readouterr().out


WEB = "https://git.example"
SITE = "https://site.example"
COMMITS = {"en": "commits", "zh": "个提交"}
ELEMENTS = {"html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "a", "b", "code"}
LANGUAGES: tuple[Language, ...] = ("en", "zh")


def links(text: str) -> set[str]:
    return set(re.findall(rf"{WEB}/[\w./-]+/(?:commit/[0-9a-f]{{40}}|(?:pull|issues)/\d+)", text))


def body(mail: EmailMessage, kind: str) -> str:
    mail_body = mail.get_body((kind,))
    assert mail_body is not None
    return str(mail_body.get_content())


def deliver(report: Report, out: Path, sinks: Any, lang: Language) -> None:
    specs = [spec.model_copy(update={"lang": lang}) for spec in sinks.specs]
    settings = Settings(out=out, web_url=WEB, site_url=SITE, deliver=tuple(specs))
    deliverer = Deliverer(settings=settings, environ=sinks.environ, sleep=lambda _: None)
    deliverer.deliver(report)
    assert deliverer.failed == []


@pytest.mark.parametrize("lang", ["zh", pytest.param("en", marks=pytest.mark.heavy)])
def test_the_busy_day_fits_every_channel_and_the_whole_report_has_every_link(
    lang: Language, sinks: Any, busy: Report, out: Path
) -> None:
    rows = [row.model_copy(update={"tier": Tier.HIGH, "noise": None}) for row in busy.ledger]
    # Every commit breaks something, so that all of them are to be acted on.
    breaking = {"severity": "breaking", "name": "limit"}
    claims = [claim.model_copy(update={"params": breaking}) for claim in busy.claims]
    busy = busy.model_copy(update={"ledger": tuple(rows), "claims": tuple(claims)})
    deliver(busy, out, sinks, lang)
    assert sinks.web.refused == sinks.mail.refused == []
    slack = [message["text"] for message in sinks.web.accepted if "blocks" in message]
    assert len(slack) > 2
    assert slack[1].endswith(f" 250 {COMMITS[lang]} (2/{len(slack)})")
    assert sum("msg_type" in message for message in sinks.web.accepted) > 2
    page = links(report_page(busy, lang, Web(WEB)))
    assert len(page) > 200
    hooks = [message for message in sinks.web.accepted if "markdown" in message]
    assert links("".join(hook["markdown"] for hook in hooks)) == page
    (mail,) = sinks.mail.accepted
    for kind in ("plain", "html"):
        assert links(body(mail, kind)) >= {
            Web(WEB).commit(row.repo, row.sha) for row in busy.ledger
        }


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_lead_comes_first_then_the_brief_and_the_headlines_with_their_links(
    lang: Language, sinks: Any, out: Path
) -> None:
    lead, brief = {
        "en": (
            "Routing refuses more than 8 experts",
            "The router refuses more than 8 experts, and the cache",
        ),
        "zh": (
            "路由不再接受超过 8 个专家",
            "路由器不再接受超过 8 个专家，缓存改为整段淘汰序列。",
        ),
    }[lang]
    deliver(analysed_report(), out, sinks, lang)
    (mail,) = sinks.mail.accepted
    scale = {"en": "1 breaking · 6 commits", "zh": "不兼容 1 · 6 个提交"}[lang]
    colon = {"en": ": ", "zh": "："}[lang]
    title = f"router{colon}{lead} · {scale}"
    day = f"{SITE}/{lang}/days/2026-02-04.html"
    commit = f"{WEB}/octo/router/commit/{'1a' * 20}"
    assert mail["Subject"] == title
    text = body(mail, "plain")
    assert (
        text.index(title)
        < text.index("2026-02-04 · ")
        < text.index(day)
        < text.index(brief)
        < text.index(f"{lead} <{day}#c{'1a' * 6}")
    )
    slack = next(message for message in sinks.web.accepted if "blocks" in message)
    assert slack["text"] == title
    assert f"|{lead}> · octo/router <{commit}|`1a1a1a1`>" in slack["blocks"][1]["text"]["text"]
    post = next(message for message in sinks.web.accepted if "msg_type" in message)["content"][
        "post"
    ]
    (feishu,) = post.values()
    assert feishu["title"] == title
    assert {"tag": "a", "text": "1a1a1a1", "href": commit} in [
        piece for line in feishu["content"] for piece in line
    ]
    assert (
        next(message for message in sinks.web.accepted if "markdown" in message)["title"] == title
    )


def test_mail_fits_a_phone(sinks: Any, busy: Report, out: Path, browser: Any) -> None:
    deliver(busy, out, sinks, "en")
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.set_content(body(sinks.mail.accepted[0], "html"))
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.evaluate("document.querySelector('h2').getBoundingClientRect().top") <= 844
    page.close()


def check_mail(mail: EmailMessage) -> None:
    """A mail has plain elements only, no attribute that does anything, and links to two places."""
    assert [name for name in mail if name in ("Bcc", "Cc", "Reply-To")] == []
    # Words of others are escaped, so that every bracket is of an element of ours.
    tags = re.findall(r"<[/!]?(\w+)([^>]*)>", body(mail, "html"))
    assert {name for name, _ in tags} <= {*ELEMENTS, "doctype"}
    attributes = [
        attribute for _, rest in tags for attribute in re.findall(r'([\w-]+)="([^"]*)"', rest)
    ]
    assert {name for name, _ in attributes} <= {
        "lang",
        "charset",
        "name",
        "content",
        "class",
        "href",
    }
    assert all(
        value.startswith((f"{WEB}/", f"{SITE}/")) for name, value in attributes if name == "href"
    )


def check_chat(message: dict[str, Any]) -> None:
    for block in message.get("blocks", ()):
        # Outside code nothing is left that Slack would read as emphasis, a mention or an emoji.
        words = re.sub(r"`[^`\n]*`|<[^>]*\|", "", block["text"]["text"])
        assert not re.search(r":[a-z]+:|<|~|(?<!\w)_|_(?!\w)", words), words
    for post in message.get("content", {}).get("post", {}).values():
        for piece in (piece for line in post["content"] for piece in line):
            assert piece.get("href", f"{WEB}/").startswith((f"{WEB}/", f"{SITE}/"))


def test_hostile_strings_stay_words_in_every_channel(
    sinks: Any, busy: Report, out: Path, hostile_strings: list[str]
) -> None:
    deliver(hostile(busy, [*ATTACKS, *hostile_strings]), out, sinks, "en")
    assert sinks.web.refused == sinks.mail.refused == []
    for message in sinks.web.accepted:
        check_chat(message)
    for mail in sinks.mail.accepted:
        check_mail(mail)
    assert "alert" in body(sinks.mail.accepted[0], "html")


@dataclass
class FailingChannel:
    """A channel that answers with these errors, one for each attempt."""

    sends_whole_report = False

    errors: list[UpstreamError]
    pause: float = 0.0
    attempts: int = 0

    def messages(self, _: Content) -> list[bytes]:
        return [b"news"]

    def send(self, _: bytes, key: str) -> None:
        assert key.endswith("-1-1")
        self.attempts += 1
        if self.errors:
            raise self.errors.pop(0)


def busy_error(retry_after: float | None = None) -> UpstreamError:
    return UpstreamError("busy", retryable=True, retry_after=retry_after)


@pytest.mark.parametrize(
    ("errors", "attempts", "waited", "is_sent"),
    [
        ([busy_error() for _ in range(3)], 4, [1.0, 2.0, 4.0], True),
        ([busy_error() for _ in range(9)], 4, [1.0, 2.0, 4.0], False),
        ([busy_error(60)], 2, [60.0], True),
        # Nobody waits longer than a minute; the next run sends it.
        ([busy_error(61)], 1, [], False),
        ([UpstreamError("never", retryable=False)], 1, [], False),
    ],
)
def test_a_message_is_tried_four_times_at_most_and_only_where_that_helps_soon(
    errors: list[UpstreamError],
    attempts: int,
    waited: list[float],
    calm: Report,
    out: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    is_sent: bool,
) -> None:
    channel = FailingChannel(list(errors))
    monkeypatch.setattr("gitzette.delivery.deliver.channel_of", lambda *_: channel)
    days = Days()
    delivery = days.deliver(calm, out, {})
    assert (channel.attempts, days.waited) == (attempts, waited)
    assert delivery.sent == (["delivered to webhook: 1 message"] if is_sent else [])
    assert bool(entry(out)["why"]) is not is_sent


@pytest.mark.parametrize(("max_failed", "attempts"), [(1 / 8, 1), (0.1, 0)])
def test_a_report_of_which_too_much_is_missing_is_not_delivered(
    max_failed: float, attempts: int, calm: Report, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    channel = FailingChannel([])
    monkeypatch.setattr("gitzette.delivery.deliver.channel_of", lambda *_: channel)
    report = calm.model_copy(update={"sections": calm.sections[1:]})
    delivery = Deliverer(
        settings=Settings(out=out, deliver=(HOOK,), max_failed=max_failed), environ={}
    )
    delivery.deliver(report)
    assert (channel.attempts, len(delivery.failed)) == (attempts, 1 - attempts)


def test_a_report_of_a_day_that_is_not_over_is_not_delivered(
    calm: Report, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    channel = FailingChannel([])
    monkeypatch.setattr("gitzette.delivery.deliver.channel_of", lambda *_: channel)
    window = calm.window.model_copy(update={"cutoff": calm.window.end - timedelta(hours=1)})
    delivery = Days().deliver(calm.model_copy(update={"window": window}), out, {})
    assert (channel.attempts, delivery.sent, delivery.failed) == (0, [], [])
