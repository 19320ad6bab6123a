"""Author, date, title, state, version, pull request and repository are what the sources say."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from agent.claims import Verdict
from agent.facts import Fact, FactKind, Severity
from agent.gate.metadata import metadata

Make = Callable[..., Any]


@pytest.fixture
def wrong(fault: Make) -> Make:
    """Check a statement by its values."""

    def run(predicate: str, *evidence: Any, dossier: dict[str, Any] | None = None, **params: str) -> str:
        found = fault(metadata, *evidence, predicate=predicate, params=params, dossier=dossier)
        assert found is None or found.verdict is Verdict.METADATA
        return found.reason if found else ""

    return run


@pytest.fixture
def said(fault: Make) -> Make:
    """Check metadata in free words."""

    def run(text: str, *evidence: Any, lang: str = "en", **about: Any) -> str:
        found = fault(metadata, *evidence, text={lang: text}, lang=lang, **about)
        assert found is None or found.verdict is Verdict.METADATA
        return found.reason if found else ""

    return run


def test_a_title_is_exact_with_or_without_the_number_behind_it(
    wrong: Make, make_commit: Make, make_issue: Make
) -> None:
    commit = make_commit()
    for title in ("Lower the limit of topK (#41)", "Lower the limit of topK", "Lower  the limit…"):
        assert wrong("titled", commit, title=title) == ""
    assert wrong("titled", commit, title="Raise the limit of topK") == "the title is “Lower the limit of topK (#41)”"
    assert wrong("titled", make_issue(), title="Overflow for large topK") == ""
    assert wrong("titled", commit, title="…") != ""


def test_the_title_of_a_merge_is_that_of_its_pull_request(wrong: Make, make_commit: Make) -> None:
    merge = make_commit(message="Merge pull request #7 from a/b\n\nTeach the router", parents=("b" * 40, "c" * 40))
    assert wrong("titled", merge, title="Teach the router") == ""
    assert wrong("pull", merge, number="7") == ""


def test_authors_are_compared_by_name_and_login(
    wrong: Make, make_commit: Make, make_issue: Make, make_pull: Make
) -> None:
    commit = make_commit(author=("Mira König", "7+mirak@users.noreply.github.com"), pull=41)
    for author in ("Mira König", "mira  KÖNIG", "@mirak", "Mira Ko\u0308nig"):
        assert wrong("authored", commit, author=author) == ""
    assert wrong("authored", commit, author="Jane Doe") == "it is by Mira König, not by Jane Doe"
    assert wrong("authored", make_issue(), author="jdoe") == ""
    pull = make_pull()
    assert wrong("authored", commit, pull, author="mira-k") == "", "the account that opened the pull request"


def test_a_co_author_counts_beside_the_author_and_not_alone(wrong: Make, make_commit: Make) -> None:
    commit = make_commit(message="x\n\nCo-authored-by: Jane Doe <jane@example.com>")
    assert wrong("authored", commit, author="Mira König and Jane Doe") == ""
    assert "only took part" in wrong("authored", commit, author="Jane Doe")


@pytest.mark.parametrize(
    "at", ["2026", "2026-02", "2026-02-04", "2026-02-04 23:30", "2026-02-04T23:30:00Z", "2026年2月4日"]
)
def test_a_date_holds_at_the_precision_it_states(wrong: Make, make_commit: Make, at: str) -> None:
    commit = make_commit(at=datetime(2026, 2, 4, 23, 30, tzinfo=UTC))
    assert wrong("dated", commit, at=at, tz="UTC") == ""


def test_a_date_holds_in_the_zone_it_states(wrong: Make, make_commit: Make) -> None:
    commit = make_commit(at=datetime(2026, 2, 4, 23, 30, tzinfo=UTC))
    assert wrong("dated", commit, at="2026-02-05", tz="Asia/Shanghai") == ""
    assert "it is of 2026-02-05 (Asia/Shanghai)" in wrong("dated", commit, at="2026-02-04", tz="Asia/Shanghai")
    assert wrong("dated", commit, at="2026-02-05 07:30 +08:00", tz="UTC") == ""
    assert wrong("dated", commit, at="2026-02-03") != ""
    assert "not a date" in wrong("dated", commit, at="yesterday")


def test_the_author_date_of_a_commit_is_not_when_it_landed(wrong: Make, make_commit: Make) -> None:
    commit = make_commit(authored_at=datetime(2026, 2, 1, tzinfo=UTC))
    assert wrong("dated", commit, at="2026-02-01") != ""
    assert wrong("dated", commit, at="2026-02-01", event="authored") == ""


def test_the_state_of_a_thread_is_its_own(wrong: Make, make_issue: Make, make_pull: Make) -> None:
    assert wrong("state", make_issue(), state="closed") == ""
    assert (
        wrong("state", make_issue(state="open", closed_at=None, state_reason=None), state="closed")
        == "it is open, not closed"
    )
    assert wrong("state", make_pull(), state="merged") == ""
    assert wrong("state", make_pull(), state="closed") == "it is merged, not closed"
    assert wrong("state", make_pull(merged_at=None), state="merged") == "it is closed, not merged"
    assert wrong("state", make_issue(state_reason="not_planned"), state="not planned") == ""


def test_versions_pull_requests_and_repositories_are_compared(
    wrong: Make, make_commit: Make, make_release: Make
) -> None:
    bump = Fact(kind=FactKind.VERSION_CHANGED, severity=Severity.BEHAVIOUR, name="version", old="0.6.2", new="0.6.3")
    assert wrong("released", make_release(), version="0.6.3") == ""
    assert wrong("released", make_release(), version="0.6.4") == "the version is v0.6.3, not 0.6.4"
    assert wrong("released", make_commit(facts=[bump]), version="v0.6.3") == ""
    assert wrong("pull", make_commit(), number="41") == ""
    assert wrong("pull", make_commit(), number="#42").endswith("came by pull request 41, not by 42")
    assert wrong("belongs", make_commit(), repo="octo/router") == ""
    assert wrong("belongs", make_commit(), repo="octo/kernels") == "it belongs to octo/router, not to octo/kernels"


# ---------------------------------------------------------------- in words


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("en", "Contributed by Mira König, it lowers the limit."),
        ("en", "The change by Mira König landed on 2026-02-04."),
        ("en", "It landed on February 4, 2026 and is driven by Larger Values of the buffer."),
        ("en", "Sped up by CUDA graphs, by default and by hand."),
        ("zh", "该改动由 Mira König 提交，于2026年2月4日合入。"),
        ("zh", "作者：Mira König。2月4日提交。"),
    ],
)
def test_right_metadata_in_words_passes(said: Make, make_commit: Make, lang: str, text: str) -> None:
    message = "Lower it\n\nLarger Values of the buffer are gone."
    assert said(text, make_commit(message=message), lang=lang) == ""


@pytest.mark.parametrize(
    ("lang", "text", "told"),
    [
        ("en", "Contributed by Jane Doe, it lowers the limit.", "by Mira König"),
        ("en", "The change by Jane Doe lowers the limit.", "by Mira König"),
        ("en", "It landed on 2026-02-05.", "2026-02-04"),
        ("en", "It landed on Feb 3, 2026.", "2026-02-04"),
        ("zh", "该改动由 Jane Doe 提交。", "by Mira König"),
        ("zh", "作者是张三。", "by Mira König"),
        ("zh", "于2026年2月3日合入。", "2026-02-04"),
        ("zh", "2月5日合入。", "2026-02-04"),
    ],
)
def test_wrong_metadata_in_words_fails(said: Make, make_commit: Make, lang: str, text: str, told: str) -> None:
    assert told in said(text, make_commit(), lang=lang)


def test_a_date_that_the_evidence_writes_may_be_told(said: Make, make_commit: Make) -> None:
    commit = make_commit(message="Remove what was deprecated on 2025-11-01")
    assert said("Removes what was deprecated on 2025-11-01.", commit) == ""
    assert said("Removes what was deprecated on 2025-11-02.", commit) != ""


@pytest.mark.parametrize(
    ("text", "state", "passes"),
    [
        ("The issue [@1] is still open.", "open", True),
        ("The issue [@1] is still open.", "closed", False),
        ("The issue [@1] was closed.", "closed", True),
        ("The issue [@1] was closed.", "open", False),
        ("问题 [@1] 已关闭。", "open", False),
        ("问题 [@1] 仍未关闭。", "open", True),
        ("The issue [@1] was opened on 2026-02-03.", "open", True),
        ("The issue [@1] was opened on 2026-02-04.", "open", False),
        ("问题 [@1] 于 2 月 3 日提出。", "open", True),
        ("问题 [@1] 于 2 月 4 日提出。", "open", False),
    ],
)
def test_states_and_dates_of_threads_in_words(
    said: Make, make_issue: Make, text: str, state: str, passes: bool
) -> None:
    closed = make_issue().thread.closed_at if state == "closed" else None
    issue = make_issue(state=state, closed_at=closed, state_reason=None)
    assert (said(text, issue) == "") is passes


def test_merged_and_closed_are_told_apart_in_words(said: Make, make_pull: Make) -> None:
    assert said("The pull request [@1] was merged.", make_pull()) == ""
    assert said("The pull request [@1] was closed without merging.", make_pull()) != ""
    assert said("该请求已合并。", make_pull(merged_at=None), lang="zh") != ""
    assert said("It has not been merged yet.", make_pull(state="open", merged_at=None)) == ""


def test_names_with_a_comma_or_a_note_and_dates_with_other_hyphens_are_read(said: Make, make_commit: Make) -> None:
    assert (
        said("作者: Meng, Hengyu，2026‑02‑04", make_commit(author=("Meng, Hengyu", "m@example.com")), lang="zh") == ""
    )
    assert (
        said("作者: Zhang Yi (SII)，2026‑02‑04", make_commit(author=("Zhang Yi (SII)", "z@example.com")), lang="zh")
        == ""
    )
    assert said("作者: Zhang Yi，2026‑02‑05", make_commit(author=("Zhang Yi", "z@example.com")), lang="zh") != ""
