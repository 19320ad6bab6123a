"""Delivery after a run: again where that helps, never twice, never lost, and told in a line without a secret."""

import json
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from agent.domain.report import Report
from agent.settings.values import Delivery, Settings
from gitzette.cli import main
from gitzette.delivery import channels
from gitzette.delivery.deliver import Deliverer

HOOK = Delivery(kind="webhook", address_env="HOOK", secret_env="SECRET")
DAY = "2026-02-04"


@pytest.fixture
def small_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channels, "HOOK_BYTES", 10_000)


@dataclass
class Days:
    """A clock that stands still, and remembers how long somebody waited."""

    waited: list[float] = field(default_factory=list)
    at: float = field(default_factory=time.time)

    def deliver(self, report: Report, out: Path, environ: dict[str, str], *specs: Delivery) -> Deliverer:
        settings = Settings(out=out, deliver=specs or (HOOK,), max_failed=1)
        one = Deliverer(settings=settings, environ=environ, now=lambda: self.at, sleep=self.waited.append)
        one.deliver(report)
        return one


def entry(out: Path) -> dict[str, Any]:
    return dict(json.loads((out / "deliveries.json").read_text())["entries"][0])


def test_a_report_reaches_every_channel_once_however_often_it_is_delivered(sinks: Any, calm: Report, out: Path) -> None:
    days = Days()
    for _ in range(3):
        days.at += 3_600
        told = days.deliver(calm, out, sinks.environ, *sinks.specs)
        assert told.failed == []
    assert told.sent == [f"delivered to {one}: nothing new" for one in ("email", "slack", "feishu", "webhook")]
    assert len(sinks.mail.accepted) == 1
    assert [{"blocks", "msg_type", "markdown"} & set(one) for one in sinks.web.accepted] == [
        {"blocks"},
        {"msg_type"},
        {"markdown"},
    ]
    kept = (out / "deliveries.json").read_text()
    assert "secret" not in kept
    assert "127.0.0.1" not in kept


def test_what_the_report_says_of_its_making_is_no_news_and_other_content_is(
    sinks: Any, calm: Report, out: Path
) -> None:
    specs = sinks.specs
    Days().deliver(calm, out, sinks.environ, *specs)
    account = calm.account.model_copy(update={"spent": calm.account.spent.model_copy(update={"calls": 7})})
    told = Days().deliver(calm.model_copy(update={"account": account}), out, sinks.environ, *specs)
    assert {one.rpartition(": ")[2] for one in told.sent} == {"nothing new"}
    count = len(sinks.mail.accepted)
    told = Days().deliver(calm.model_copy(update={"ledger": calm.ledger[1:]}), out, sinks.environ, *specs)
    assert all("message" in one for one in told.sent)
    assert len(sinks.mail.accepted) > count
    # What was sent before is not news either.
    told = Days().deliver(calm, out, sinks.environ, *specs)
    assert {one.rpartition(": ")[2] for one in told.sent} == {"nothing new"}


@pytest.mark.usefixtures("small_messages")
def test_what_can_get_better_is_tried_again_after_a_while(sinks: Any, calm: Report, out: Path) -> None:
    sinks.web.trouble = [(503, {}, "busy"), (429, {"Retry-After": "7"}, "slower"), (408, {}, "late")]
    days = Days()
    told = days.deliver(calm, out, sinks.environ)
    assert days.waited[:3] == [1.0, 7.0, 4.0]
    assert told.sent == [f"delivered to webhook: {len(sinks.web.accepted)} messages"]
    assert len(sinks.web.accepted) == sinks.web.accepted[0]["parts"] > 2


@pytest.mark.usefixtures("small_messages")
def test_a_delivery_that_was_cut_short_goes_on_where_it_was(sinks: Any, calm: Report, out: Path) -> None:
    Days().deliver(calm, out, sinks.environ)
    whole = len(sinks.web.accepted)
    known = entry(out)
    half = {"sent": [f"{known['sent'][0]}-{part}-{whole}" for part in (1, 2)], "why": "not finished"}
    (out / "deliveries.json").write_text(json.dumps({"of": "gitzette", "entries": [known | half]}))
    sinks.web.accepted.clear()
    assert Days().deliver(calm, out, sinks.environ).failed == []
    assert [one["part"] for one in sinks.web.accepted] == list(range(3, whole + 1))


def test_a_busy_bot_and_a_busy_mail_server_are_asked_again_and_a_refusal_is_told(
    sinks: Any, calm: Report, out: Path
) -> None:
    mail, _, feishu, _ = sinks.specs
    sinks.web.trouble = [(200, {}, '{"code":11232,"msg":"frequency limited"}')]
    sinks.mail.trouble = [(451, {}, "try later"), (550, {}, "never")]
    days = Days()
    told = days.deliver(calm, out, sinks.environ, mail, feishu)
    assert told.sent == ["delivered to feishu: 1 message"]
    assert "the mail server answers 550 never" in told.failed[0]
    assert days.waited == [1.0, 1.0]
    wrong = sinks.environ | {"SECRET": "another"}
    (failed,) = days.deliver(calm, out, wrong, mail, feishu.model_copy(update={"lang": "zh"})).failed
    assert '"code":19021' in failed


def test_a_wrong_address_is_told_by_the_name_of_its_variable(calm: Report, out: Path) -> None:
    for kind, address in (("slack", "http://[x"), ("email", "ftp://x"), ("email", "")):
        about = {"kind": kind, "address_env": "WHERE", "sender": "g@example.org", "to": ["t@example.org"]}
        spec = Delivery.model_validate(about)
        (told,) = Days().deliver(calm, out, {"WHERE": address}, spec).failed
        assert "WHERE" in told


def test_a_run_says_what_was_sent_and_doctor_what_was_not(
    engine: Any, corner: Path, sinks: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
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
    told = capsys.readouterr().err
    assert told.count("gitzette: delivered to slack: 1 message\n") == 1
    assert told.count("gitzette: delivered to slack: nothing new\n") == 2
    assert [one["text"] for one in sinks.web.accepted] == [f"MAX_ROUTES changes from 22 to 12 · Gitzette {DAY}"]
    main(["doctor"])
    assert "ok    delivery: nothing waits to be sent" in capsys.readouterr().out
