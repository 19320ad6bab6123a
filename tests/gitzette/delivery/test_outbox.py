"""What was delivered is remembered for each report on each channel, the newest ones only."""

from pathlib import Path

import pytest

from agent.domain.errors import StorageError
from gitzette.delivery import outbox as outbox_module
from gitzette.delivery.outbox import DeliveryState, Outbox

DAYS = ("2026-02-03", "2026-02-04", "2026-02-05")


def state(channel: str, label: str, *sent: str, why: str = "") -> DeliveryState:
    return DeliveryState(channel=channel, label=label, sent=sent, why=why)


def test_a_report_has_one_state_on_each_channel_the_last_that_was_stored(tmp_path: Path) -> None:
    outbox = Outbox(tmp_path)
    assert outbox.read().entry("mail", DAYS[0]) == state("mail", DAYS[0])
    outbox.put(state("mail", DAYS[0], why="not finished"))
    outbox.put(state("slack", DAYS[0], "a"))
    outbox.put(state("mail", DAYS[1], "b"))
    outbox.put(state("mail", DAYS[0], "c"))
    entries = outbox.read()
    assert len(entries.entries) == 3
    assert entries.entry("mail", DAYS[0]).sent == ("c",)
    assert entries.entry("slack", DAYS[0]).sent == ("a",)
    assert entries.entry("mail", DAYS[1]).sent == ("b",)


def test_what_is_not_delivered_is_listed_oldest_first(tmp_path: Path) -> None:
    outbox = Outbox(tmp_path)
    for day, why in zip(DAYS, ("busy", "", "away"), strict=True):
        outbox.put(state("mail", day, why=why))
    outbox.put(state("slack", DAYS[0], why="busy"))
    waiting = [(one.channel, one.label) for one in outbox.read().waiting()]
    assert waiting == [("mail", DAYS[0]), ("slack", DAYS[0]), ("mail", DAYS[2])]


def test_the_oldest_states_are_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox_module, "_MAX_ENTRIES", 2)
    outbox = Outbox(tmp_path)
    for day in DAYS:
        outbox.put(state("mail", day, "a"))
    assert [one.label for one in outbox.read().entries] == list(DAYS[1:])


def test_a_file_that_cannot_be_read_is_an_error_and_stays(tmp_path: Path) -> None:
    file = tmp_path / "deliveries.json"
    file.write_text("{")
    with pytest.raises(StorageError, match="move it away to deliver again"):
        Outbox(tmp_path).put(state("mail", DAYS[0]))
    assert file.read_text() == "{"
