"""The record: a report as JSON, read back whole, merged without loss, refused when it is not ours."""

import json
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from agent.domain.errors import StorageError
from agent.domain.ledger import LedgerRow, Tier
from agent.domain.placement import Importance, Placement
from agent.domain.report import Report
from agent.domain.window import Window
from agent.reports.report_json import FORMAT, dump, load, to_json
from agent.reports.rerun.merge import merge
from tests.analysed_report import CACHE, ROUTER, analysed_report

Rows = Callable[..., LedgerRow]
Reports = Callable[..., Report]
A = "octo/a"
B = "octo/b"
C = "octo/c"
NOON = datetime(2026, 2, 4, 12, tzinfo=UTC)


def failure(repo: str, stage: str = "code", message: str = "HTTP 502") -> dict[str, str]:
    return {"repo": repo, "stage": stage, "message": message}


@pytest.fixture
def full(make_row: Rows, make_report: Reports) -> Report:
    rows = [
        make_row("1" * 40, "feat: 增加中文 🚀 | `x`", repo=A, pull=12),
        make_row("2" * 40, "", repo=A, members=None, late=True),
        make_row("3" * 40, "x" * 10_000, repo=B, read=False),
        make_row("4" * 40, "\u202e\0 odd \\ \" ' \u2028", repo=B, unreadable=2, members=3),
    ]
    thread = {
        "number": 7,
        "title": "崩溃",
        "author": None,
        "event": "not planned",
        "labels": ["bug"],
    }
    thread |= {"at": "2026-02-04T08:00:00Z"}
    release = {
        "tag": "v1.0",
        "name": "",
        "published_at": "2026-02-04T09:00:00Z",
        "prerelease": True,
    }
    about = {
        A: {"issues": [thread], "releases": [release]},
        C: {"tip": None, "coverage": "partial"},
    }
    return make_report(rows, repos=[A, B, C], about=about, failures=[failure(B, "diffs")])


def test_a_report_comes_back_as_it_was(full: Report) -> None:
    assert load(dump(full), "x.json") == full
    assert load(dump(full).encode(), "x.json") == full
    assert dump(load(dump(full), "x.json")) == dump(full)


def test_machines_find_what_the_contract_promises(full: Report) -> None:
    data = json.loads(dump(full))
    assert data["date"] == "2026-02-04"
    window = {key: data["window"][key] for key in ("start", "end", "tz")}
    assert window == {"start": "2026-02-04T00:00:00Z", "end": "2026-02-05T00:00:00Z", "tz": "UTC"}
    assert data["repos"] == [A, B, C]
    ledger = [
        (row["repo"], row["sha"][0], row["depth"], bool(row["reason"])) for row in data["ledger"]
    ]
    assert ledger == [
        (A, "1", "skim", True),
        (A, "2", "skim", True),
        (B, "3", "failed", True),
        (B, "4", "skim", True),
    ]
    assert (data["claims"], data["links"], data["stories"]) == ([], [], [])
    assert data["failures"] == [failure(B, "diffs") | {"unknown": False}]
    footer = data["footer"]
    assert (footer["landed"], footer["late"], footer["skim"], footer["failed"]) == (4, 1, 3, 1)
    assert (footer["unreadable_files"], footer["threads"]) == (
        2,
        {A: "read", B: "read", C: "partial"},
    )
    assert data == to_json(full)


def test_a_row_of_the_ledger_has_the_place_that_it_was_given(make_row: Rows, full: Report) -> None:
    placed = Placement(importance=Importance.NOISE, order=4, decided_by="model")
    row = make_row("1" * 40, repo=A).model_copy(update={"tier": Tier.HIGH, "placement": placed})
    unplaced = make_row("2" * 40, repo=A).model_copy(update={"tier": Tier.MID})
    report = full.model_copy(update={"ledger": (row, unplaced)})
    first, second = json.loads(dump(report))["ledger"]
    places = [[row[key] for key in ("tier", "order", "edited_by")] for row in (first, second)]
    assert places == [[0, 4, "model"], [2, None, "rules"]]
    assert (first["rules_tier"], second["rules_tier"]) == ("act on", "worth knowing")
    assert load(dump(report), "x.json") == report


def test_reports_whose_rows_have_the_word_of_the_rules_are_still_read(
    make_row: Rows, full: Report
) -> None:
    row = make_row("1" * 40, repo=A).model_copy(update={"tier": Tier.HIGH})
    report = full.model_copy(update={"ledger": (row,)})
    data = to_json(report) | {"format": 2}
    data["ledger"] = [row.model_dump(mode="json")]
    assert load(json.dumps(data), "x.json") == report


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "3", "{}", '{"format": "1"}', "[" * 100_000, b"\xff\xfe\x00", b"\x80 not text"],
)
def test_what_is_no_report_is_refused_in_one_line(text: str | bytes) -> None:
    with pytest.raises(StorageError) as refused:
        load(text, "2026-02-04.json")
    assert (
        str(refused.value)
        == "2026-02-04.json is not a report of ours; move it away to write this one"
    )


@pytest.mark.parametrize(
    ("key", "value", "why"),
    [
        (
            "window",
            {"start": "2026-02-05T00:00:00Z", "end": "2026-02-04T00:00:00Z", "tz": "UTC"},
            "is not a report",
        ),
        ("ledger", [{"sha": "x"}], "is not a report"),
        ("failures", [failure(A, "lunch")], "is not a report"),
        ("format", FORMAT + 1, "was written by a newer Gitzette; update Gitzette"),
    ],
)
def test_a_report_that_is_damaged_or_newer_is_refused(
    full: Report, key: str, value: object, why: str
) -> None:
    with pytest.raises(StorageError, match=rf"^x.json {why}"):
        load(json.dumps(to_json(full) | {key: value}), "x.json")


def test_a_repository_that_is_run_again_is_replaced_in_its_place(
    make_row: Rows, make_report: Reports
) -> None:
    old = make_row("1" * 40, repo=A)
    other = make_row("2" * 40, repo=B)
    new = make_row("3" * 40, repo=A)
    merged = merge(make_report([old, other]), make_report([new], about={A: {"tip": "b" * 40}}))
    assert merged.ledger == (new, other)
    assert [(section.repo, section.tip) for section in merged.sections] == [
        (A, "b" * 40),
        (B, "a" * 40),
    ]


def test_a_repository_that_fails_keeps_what_was_told_and_says_that_it_failed(
    make_row: Rows, make_report: Reports
) -> None:
    a = make_row("1" * 40, repo=A)
    b = make_row("2" * 40, repo=B, read=False)
    earlier = make_report([a, b], failures=[failure(B, "diffs")])
    again = make_report([a], repos=[A, B], unread=[B], failures=[failure(B)])
    merged = merge(earlier, again)
    assert merged.ledger == (a, b)
    assert [(f.repo, f.stage) for f in merged.failures] == [(B, "diffs"), (B, "code")]
    assert merge(merged, again) == merged


def test_a_mistyped_repository_leaves_no_trace(make_row: Rows, make_report: Reports) -> None:
    mistyped = failure(B) | {"unknown": True}
    failed = make_report([], repos=[A, B], unread=[A, B], failures=[failure(A), mistyped])
    merged = merge(failed, make_report([make_row("1" * 40, repo=A)]))
    assert (merged.repos, merged.failures) == ((A,), ())


def test_what_was_read_in_part_stays_labelled_until_it_is_read_whole(
    make_row: Rows, make_report: Reports
) -> None:
    a = make_row("1" * 40, repo=A)
    b = make_row("2" * 40, repo=B)
    full_window: Window = make_report().window
    partial = make_report([a, b], window=full_window.cut_at(NOON))
    assert merge(partial, make_report([a])).window.cutoff == NOON
    assert merge(partial, make_report([a, b])).window.cutoff is None
    assert (
        merge(make_report([a, b]), make_report([a], window=full_window.cut_at(NOON))).window.cutoff
        == NOON
    )


def test_the_footer_counts_each_kind_of_text_and_the_controls() -> None:
    footer = to_json(analysed_report())["footer"]
    kinds = {"fact": 5, "quotation": 1, "stated": 8, "inferred": 3, "advice": 1, "headlines": 4}
    assert footer["kinds"] == kinds
    controls = footer["model"]["controls"]
    assert (controls["hidden"], controls["refused"]) == (8, 8)
    assert controls["twins"] == {"hidden": 0, "refused": 0}
    assert footer["model"]["judges"] == ["strict-judge"]


def test_the_brief_is_that_of_the_newer_run() -> None:
    earlier = analysed_report()
    (old, *_) = (claim for claim in earlier.claims if claim.role == "brief")
    brief = old.model_copy(
        update={"id": "b9", "text": {"en": "The cache is quiet.", "zh": "缓存没有变化。"}}
    )
    cache = {
        "repos": (CACHE,),
        "sections": tuple(section for section in earlier.sections if section.repo == CACHE),
        "ledger": earlier.rows(CACHE),
        "claims": (brief,),
        "drops": (),
    }
    merged = merge(earlier, earlier.model_copy(update=cache))
    assert [claim.id for claim in merged.claims if claim.role == "brief"] == ["b9"]
    assert {"l1", "s1"} <= {claim.id for claim in merged.claims if claim.repo == ROUTER}
    unread = earlier.model_copy(update={"sections": (), "ledger": (), "claims": (), "drops": ()})
    assert {any_claim.id for any_claim in merge(earlier, unread).claims} == {
        any_claim.id for any_claim in earlier.claims
    }
