"""Trouble on the way: what is tried again, what waits for the next run, and that nothing is said twice."""

import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Protocol

import pytest

from agent.deliveries import Delivery
from agent.record import dump, load
from agent.report import Report
from agent.settings import Language, Settings
from agent.web import Web
from gitzette.cli import main
from gitzette.delivery.courier import Clock, Courier
from gitzette.delivery.edition import Edition
from gitzette.delivery.mail import Mail
from gitzette.shelf import Shelf

HOOK = Delivery(kind="webhook", address_env="ADDRESS", secret_env="SECRET", max_bytes=10_000)
SECRET = "a secret of both sides"
DAY = "2026-02-04"


class Receiver(Protocol):
    """The receiver of the fixture."""

    port: int
    accepted: list[Any]
    refused: list[str]
    trouble: list[tuple[int, dict[str, str], str]]

    def url(self, path: str) -> str: ...


class Engine(Protocol):
    """The clone of the fixture."""

    @property
    def repo(self) -> list[str]: ...

    def commit(self, subject: str, when: datetime, author: str = "Ada", **files: str) -> str: ...


@dataclass
class Days:
    """A clock that stands still, and remembers how long somebody waited."""

    waited: list[float] = field(default_factory=list)
    at: float = field(default_factory=time.time)

    @property
    def clock(self) -> Clock:
        return Clock(now=lambda: self.at, sleep=self.waited.append)


def courier(out: Path, receiver: Receiver, days: Days, spec: Delivery = HOOK, path: str = "hook") -> Courier:
    settings = Settings(out=out, deliver=(spec,))
    return Courier(settings, {"ADDRESS": receiver.url(path), "SECRET": SECRET}, days.clock)


def book(out: Path) -> dict[str, Any]:
    return dict(json.loads((out / "deliveries.json").read_text()))


def test_what_can_get_better_is_tried_again_after_a_while(receiver: Receiver, calm: Report, out: Path) -> None:
    receiver.trouble = [(503, {}, "busy"), (429, {"Retry-After": "7"}, "slower"), (408, {}, "late")]
    days = Days()
    assert courier(out, receiver, days).deliver(calm) == []
    assert days.waited[:3] == [1.0, 7.0, 4.0]
    assert len(receiver.accepted) == receiver.accepted[0]["parts"]


def test_the_same_report_is_not_delivered_twice(receiver: Receiver, calm: Report, out: Path) -> None:
    assert courier(out, receiver, Days()).deliver(calm) == []
    count = len(receiver.accepted)
    assert courier(out, receiver, Days()).deliver(calm) == []
    assert len(receiver.accepted) == count
    assert SECRET not in (out / "deliveries.json").read_text()
    assert "127.0.0.1" not in (out / "deliveries.json").read_text()


def test_a_report_with_other_content_is_delivered(receiver: Receiver, calm: Report, out: Path) -> None:
    courier(out, receiver, Days()).deliver(calm)
    count = len(receiver.accepted)
    changed = calm.model_copy(update={"ledger": calm.ledger[1:]})
    assert courier(out, receiver, Days()).deliver(changed) == []
    assert len(receiver.accepted) > count


def test_what_was_refused_waits_and_only_the_missing_parts_are_sent(
    receiver: Receiver, calm: Report, out: Path
) -> None:
    (out / "reports" / f"{calm.window.label}.json").write_text(dump(calm))
    waiting = courier(out, receiver, Days())
    receiver.trouble = [(404, {}, "no such hook"), (404, {}, "no such hook")]
    (told,) = waiting.deliver(calm)
    assert told == (
        "webhook: 2026-03-12 not delivered: the receiver answers HTTP 404 no such hook; the next run tries again"
    )
    (told,) = waiting.deliver(calm)
    assert book(out)["dead"][0]["tries"] == 2
    assert waiting.deliver(calm) == []
    parts = [one["part"] for one in receiver.accepted]
    assert parts == list(range(1, receiver.accepted[0]["parts"] + 1))
    assert book(out)["dead"] == []


def test_a_delivery_that_was_cut_short_goes_on_where_it_was(receiver: Receiver, calm: Report, out: Path) -> None:
    first = courier(out, receiver, Days())
    assert first.deliver(calm) == []
    whole = len(receiver.accepted)
    data = book(out)
    sent = data["sent"].pop()
    died = {key: sent[key] for key in ("channel", "label", "content")}
    data["dead"] = [{**died, "done": [1, 2, 3], "why": "not finished", "since": sent["at"]}]
    (out / "deliveries.json").write_text(json.dumps(data))
    receiver.accepted.clear()
    assert courier(out, receiver, Days()).deliver(calm) == []
    assert [one["part"] for one in receiver.accepted] == list(range(4, whole + 1))


def test_an_earlier_report_is_delivered_with_the_next_one(receiver: Receiver, calm: Report, out: Path) -> None:
    (out / "reports" / f"{calm.window.label}.json").write_text(dump(calm))
    receiver.trouble = [(500, {}, "")] * 4
    assert len(courier(out, receiver, Days()).deliver(calm)) == 1
    later = calm.model_copy(update={"window": calm.window.days(days_after(calm, 1), days_after(calm, 1), "UTC")})
    settings = Settings(out=out, deliver=(HOOK,), max_failed=1)
    environ = {"ADDRESS": receiver.url("hook"), "SECRET": SECRET}
    assert Courier(settings, environ, Days().clock).deliver(later) == []
    assert [one["date"] for one in receiver.accepted if one["part"] == 1] == ["2026-03-12", "2026-03-13"]


def test_what_waits_for_weeks_is_let_go_of(receiver: Receiver, calm: Report, out: Path) -> None:
    receiver.trouble = [(410, {}, "gone")]
    days = Days()
    courier(out, receiver, days).deliver(calm)
    days.at += 15 * 86_400
    later = calm.model_copy(update={"window": calm.window.days(days_after(calm, 1), days_after(calm, 1), "UTC")})
    (told,) = courier(out, receiver, days).deliver(later)
    assert told == "webhook: the report of 2026-03-12 was not delivered and is let go of"


def days_after(report: Report, count: int) -> Any:
    return datetime.fromtimestamp(report.window.start.timestamp() + count * 86_400, UTC).date()


def test_a_bot_that_is_busy_is_asked_again_and_one_that_refuses_is_not(
    receiver: Receiver, calm: Report, out: Path
) -> None:
    spec = Delivery(kind="feishu", address_env="ADDRESS", secret_env="SECRET")
    receiver.trouble = [(200, {}, '{"code":11232,"msg":"frequency limited"}')]
    days = Days()
    assert courier(out, receiver, days, spec, "feishu").deliver(calm) == []
    assert days.waited == [1.0]
    wrong = Courier(Settings(out=out, lang="zh", deliver=(spec,)),
                    {"ADDRESS": receiver.url("feishu"), "SECRET": "another"}, days.clock)  # fmt: skip
    (told,) = wrong.deliver(calm)
    assert "the bot answers 19021" in told


def test_a_mail_server_that_is_busy_is_asked_again(office: Receiver, calm: Report, out: Path) -> None:
    spec = Delivery(kind="email", address_env="SMTP", sender="g@example.org", to=("t@example.org",))
    office.trouble = [(451, {}, "try later"), (550, {}, "never")]
    settings = Settings(out=out, deliver=(spec,))
    (told,) = Courier(settings, {"SMTP": f"smtp://127.0.0.1:{office.port}"}, Days().clock).deliver(calm)
    assert "the mail server answers 550 never" in told
    assert Courier(settings, {"SMTP": f"smtp://127.0.0.1:{office.port}"}, Days().clock).deliver(calm) == []


def test_nobody_there_is_told_without_the_address(calm: Report, out: Path) -> None:
    settings = Settings(out=out, deliver=(Delivery(kind="slack", address_env="A"),))
    days = Days()
    (told,) = Courier(settings, {"A": "http://127.0.0.1:1/services/T0/B0/secret"}, days.clock).deliver(calm)
    assert told.startswith("slack: 2026-03-12 not delivered: the receiver cannot be reached (ConnectError)")
    assert "secret" not in told
    assert "secret" not in (out / "deliveries.json").read_text()
    assert days.waited == [1.0, 2.0, 4.0]


@pytest.mark.parametrize("address", ["", "ftp://x", "not an address", "http://", "smtp://x:y"])
def test_a_wrong_address_is_told_by_the_name_of_its_variable(address: str, calm: Report, out: Path) -> None:
    for kind in ("slack", "email"):
        spec = Delivery(kind=kind, address_env="WHERE", sender="g@example.org", to=("t@example.org",))
        (told,) = Courier(Settings(out=out, deliver=(spec,)), {"WHERE": address}, Days().clock).deliver(calm)
        assert "WHERE" in told


# ---------------------------------------------------------------- as a user meets it


def test_a_run_publishes_first_and_says_what_could_not_be_sent(
    engine: Engine,
    corner: Path,
    receiver: Receiver,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    del corner
    Path("gitzette.toml").write_text('[[deliver]]\nkind = "slack"\naddress_env = "SLACK_WEBHOOK"\n')
    assert main(["run", "--date", DAY, *engine.repo]) == 3
    captured = capsys.readouterr()
    assert f"slack: {DAY} not delivered: the variable SLACK_WEBHOOK is not set" in captured.err
    assert Path(captured.out.strip()).exists()
    monkeypatch.setenv("SLACK_WEBHOOK", receiver.url("slack"))
    assert main(["run", "--date", DAY, *engine.repo]) == 0
    assert main(["run", "--date", DAY, *engine.repo]) == 0
    assert [one["text"] for one in receiver.accepted] == [f"Gitzette {DAY}"]


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ('kind = "slack"', "address_env"),
        ('kind = "pigeon"\naddress_env = "A"', "webhook"),
        ('kind = "slack"\naddress_env = "https://hooks.slack.com/services/T/B/x"', "name of a variable"),
        ('kind = "slack"\naddress_env = "GITZETTE_X"', "name of a variable"),
        ('kind = "slack"\naddress = "A"', "did you mean address_env?"),
        ('kind = "email"\naddress_env = "A"', "needs a sender and to"),
        ('kind = "email"\naddress_env = "A"\nsender = "a@b.c\\nBcc: x@y.z"\nto = ["a@b.c"]', "e-mail address"),
    ],
)
def test_a_wrong_table_is_told_before_anything_is_read(
    table: str, told: str, engine: Engine, corner: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    del corner
    Path("gitzette.toml").write_text(f"[[deliver]]\n{table}\n")
    assert main(["run", "--date", DAY, *engine.repo]) == 2
    assert told in capsys.readouterr().err


# ---------------------------------------------------------------- hostile words

ATTACKS = (
    "<!channel> <@U012AB3CD> <!here|x>",
    '@everyone @here <at user_id="all">all</at>',
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[click](javascript:alert(1))",
    "![x](http://evil.example/p.png)",
    "*bold* _it_ ~gone~ `code` ```fence",
    ":tada: :fire:",
    "</pre></code></td><iframe src=//evil.example>",
    "a|b <http://evil.example|bank>",
    "&lt;script&gt; &#60;b&#62;",
    "\u202egnp.exe \u200b\ufeff\x1b[31mred",
    '" onmouseover="alert(1)',
    "{{7*7}} ${7*7} <%= 7 %>",
    "javascript:alert(1) data:text/html,<script>",
    "<svg/onload=alert(1)><math><style>@import'//evil.example'",
    "fixes #1, closes acme/engine#2",
    "]]><!--\x00--><body onload=alert(1)>",
    "<a href='javascript:alert(1)'>x</a>",
    "\\`<b>\\`*_~",
)
HOSTILE = [f"{before}{attack}{after}" for before, after in
           (("", ""), ("x ", " y"), ("中文", "中文"), ("`", "`"), ("**", "**")) for attack in ATTACKS]  # fmt: skip


class Tags(HTMLParser):
    """Lists the elements of a page with their attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.attributes: set[str] = set()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.addresses += [value or "" for name, value in attrs if name in ("href", "src")]


def hostile(report: Report) -> Report:
    """Put a hostile string wherever words of others stand."""
    rows = [
        row.model_copy(update={"title": text, "subject": text, "author": text, "places": (text,), "tier": None})
        for row, text in zip(report.ledger, HOSTILE, strict=False)
    ]
    claims = [
        claim.model_copy(
            update={
                "text": {"en": text, "zh": text},
                "quotes": tuple(quote.model_copy(update={"text": text}) for quote in claim.quotes),
            }
        )
        for claim, text in zip(report.claims, HOSTILE * 9, strict=False)
    ]
    return report.model_copy(update={"ledger": (*rows, *report.ledger[len(rows) :]), "claims": tuple(claims)})


def test_a_hundred_hostile_strings_stay_words_in_every_channel(
    receiver: Receiver, office: Receiver, busy: Report, out: Path
) -> None:
    assert len(HOSTILE) == 100
    specs = (
        Delivery(kind="slack", address_env="SLACK", content="full"),
        Delivery(kind="feishu", address_env="FEISHU", secret_env="SECRET", content="full"),
        Delivery(kind="email", address_env="SMTP", sender="g@example.org", to=("t@example.org",)),
    )
    environ = {"SLACK": receiver.url("slack"), "FEISHU": receiver.url("feishu"), "SECRET": SECRET}
    environ["SMTP"] = f"smtp://127.0.0.1:{office.port}"
    settings = Settings(out=out, web_url="https://git.example", deliver=specs)
    assert Courier(settings, environ, Days().clock).deliver(hostile(busy)) == []
    assert receiver.refused == office.refused == []
    for message in receiver.accepted:
        for block in message.get("blocks", ()):
            # Outside code nothing is left that Slack would read as emphasis, a mention or an emoji.
            words = re.sub(r"```.*?```|`[^`\n]*`|<[^>]*>", "", block["text"]["text"], flags=re.DOTALL)
            assert not re.search(r":[a-z]+:|<|~|(?<!\w)_|_(?!\w)", words), words
        post = message.get("content", {}).get("post", {})
        for piece in (one for line in post.get("en_us", {}).get("content", ()) for one in line):
            assert piece.get("href", "https://git.example/").startswith("https://git.example/")
    for mail in office.accepted:
        check_letter(mail)


def check_letter(mail: EmailMessage) -> None:
    """A letter has plain elements only, no attribute that does anything, and links to one place."""
    body = mail.get_body(("html",))
    assert body is not None
    tags = Tags()
    tags.feed(body.get_content())
    assert tags.found <= {
        *("html", "head", "meta", "title", "body", "h1", "h2", "h3", "h4", "p", "ul", "li"),
        *("a", "b", "span", "code", "pre", "div", "blockquote"),
    }
    assert tags.attributes <= {"lang", "charset", "href"}
    assert all(address.startswith("https://git.example/") for address in tags.addresses)


@pytest.mark.parametrize("lang", [pytest.param("en", marks=pytest.mark.heavy), "zh"])
def test_a_hundred_hostile_strings_in_every_field_stay_words_in_letters(
    lang: Language, hostile_strings: list[str], hostile_report: Callable[..., str]
) -> None:
    mail = Mail("smtp://127.0.0.1:25", "g@example.org", ("t@example.org",))
    shown = 0
    for bad in hostile_strings:
        report = load(hostile_report(date(2026, 3, 12), bad, names=False).encode(), "made up")
        for message in mail.messages(Edition(report, lang, Web("https://git.example"), full=True)):
            read = message_from_bytes(message.body, policy=SMTP)
            assert [name for name in read if name in ("Bcc", "Cc", "Reply-To")] == []
            check_letter(read)
            shown += read.as_string().count("alert")
    assert shown > 1_000


def test_a_report_can_be_read_back_for_a_later_delivery(busy: Report, out: Path) -> None:
    (out / "reports" / "2026-03-12.json").write_text(dump(busy))
    assert Shelf(out).report("2026-03-12") == load(dump(busy), "x")
