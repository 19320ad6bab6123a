"""What a question names, filters by and bounds in time is read by its form alone, in any order."""

from datetime import UTC, datetime, timedelta
from itertools import permutations

import pytest

from agent.domain.base import RepoId
from agent.domain.errors import UsageError
from agent.domain.evidence import Card
from agent.domain.facts import Fact, Severity
from agent.domain.window import Window
from agent.questions_and_replies import query_of

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
WEEK = Window(
    start=datetime(2026, 2, 2, tzinfo=UTC), end=datetime(2026, 2, 9, tzinfo=UTC), tz="UTC"
)


@pytest.mark.parametrize(
    ("text", "kind", "named"),
    [
        ("what is a1b2c3d4 about", "commit", "a1b2c3d4"),
        ("#2462 做了什么", "thread", "2462"),
        ("see https://github.com/a/b/pull/17, please", "thread", "17"),
        ("what is in v0.6.3?", "tag", "v0.6.3"),
        ("is --max-routes gone", "name", "--max-routes"),
        ("MAX_ROUTES 是多少", "name", "MAX_ROUTES"),
        ("who wrote src/router/policy.rs?", "name", "src/router/policy.rs"),
        ("BatchDecodeWithPagedKVCache", "name", "BatchDecodeWithPagedKVCache"),
        ("the `limit` of it", "name", "limit"),
        ('the "prefix cache" of it', "name", "prefix cache"),
    ],
)
def test_what_is_named_outright_is_known_by_its_form(text: str, kind: str, named: str) -> None:
    (result,) = query_of(text, None, "UTC", NOW).named
    assert (result.kind, result.text) == (kind, named)


def test_plain_words_and_dates_name_nothing() -> None:
    for text in (
        "what changed in the scheduler this week?",
        "2026-02-03 有什么变化",
        "why is it slow, again?",
    ):
        assert query_of(text, None, "UTC", NOW).named == ()


def test_qualifiers_are_the_same_in_any_order_and_among_other_words() -> None:
    parts = ("is:revert", "author:Ada", 'path:"src/a b"', "please", "show", "me")
    result = {query_of(" ".join(order), None, "UTC", NOW).filters for order in permutations(parts)}
    (filters,) = result
    assert filters == (("is", "revert"), ("author", "ada"), ("path", "src/a b"))
    with pytest.raises(UsageError, match="is:lucky is not known; there are is:revert"):
        query_of("is:lucky", None, "UTC", NOW)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("on 2026-02-03?", "2026-02-03", "2026-02-04"),
        ("between 2026-02-03 and 2026-02-05", "2026-02-03", "2026-02-06"),
        ("until:2026-02-06 since:2026-01-01", "2026-02-02", "2026-02-06"),
        ("on 2026-01-03", "2026-02-02", "2026-02-09"),
        ("model-2026-02-03 and docs/2026-02-03.md", "2026-02-02", "2026-02-09"),
        ("what broke in 2026-02-03..05?", "2026-02-03", "2026-02-06"),
        ("what broke in 2026-02-03..02-05?", "2026-02-03", "2026-02-06"),
        ("2026-02-03..2026-02-05 有哪些改动", "2026-02-03", "2026-02-06"),
        ("2026-02-30..31, which no calendar has", "2026-02-02", "2026-02-09"),
        ("in the week of 2026-02-04", "2026-02-02", "2026-02-09"),
        ("what landed in 2026-02?", "2026-02-02", "2026-02-09"),
        ("this week, whose days are not these", "2026-02-02", "2026-02-09"),
    ],
)
def test_dates_narrow_the_bound_and_never_widen_it(text: str, first: str, last: str) -> None:
    window = query_of(text, WEEK, "UTC", NOW).window
    assert window is not None
    assert (f"{window.start:%Y-%m-%d}", f"{window.end:%Y-%m-%d}") == (first, last)


def test_without_a_bound_dates_are_the_window_and_now_is_its_end() -> None:
    assert query_of("what changed?", None, "UTC", NOW).window is None
    window = query_of(f"on {NOW:%Y-%m-%d}", None, "UTC", NOW).window
    assert window is not None
    assert window.cutoff == NOW


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("what broke yesterday?", "2026-02-28", "2026-02-28"),
        ("昨天有什么变化", "2026-02-28", "2026-02-28"),
        ("what changed this week?", "2026-02-23", "2026-03-01"),
        ("这周改了什么", "2026-02-23", "2026-03-01"),
        ("last week", "2026-02-16", "2026-02-22"),
        ("上个月", "2026-02-01", "2026-02-28"),
        ("in 2026-W06", "2026-02-02", "2026-02-08"),
        ("in 2026-01", "2026-01-01", "2026-01-31"),
        ("yesterday, I mean 2026-02-03", "2026-02-03", "2026-02-03"),
    ],
)
def test_days_of_the_calendar_are_understood_in_both_languages(
    text: str, first: str, last: str
) -> None:
    window = query_of(text, None, "UTC", NOW).window
    assert window is not None
    last_moment = min(window.end, NOW) - timedelta(seconds=1)
    assert (f"{window.start:%Y-%m-%d}", f"{last_moment:%Y-%m-%d}") == (first, last)


def test_what_is_quoted_bounds_nothing() -> None:
    assert query_of("who wrote `this week`?", None, "UTC", NOW).window is None


def test_a_repository_is_known_without_its_owner_and_names_nothing_in_it() -> None:
    repos = [RepoId("vllm-project/vllm"), RepoId("sgl-project/sglang")]
    query = query_of("what does vLLM say in vllm#33533?", None, "UTC", NOW, repos=repos)
    assert [(name.kind, name.text, name.repo) for name in query.named] == [
        ("thread", "33533", "vllm-project/vllm")
    ]
    assert query.repos == ("vllm-project/vllm",)
    query = query_of("sgl-project/sglang 和 vllm", None, "UTC", NOW, repos=repos)
    assert (query.named, set(query.repos)) == ((), set(repos))
    assert query_of("other#12", None, "UTC", NOW, repos=repos).named == ()


def test_commits_fit_by_kind_author_and_path() -> None:
    fact = Fact(kind="flag-removed", severity=Severity.BREAKING, name="--x")
    values = {
        "repo": "a/b",
        "sha": "0" * 40,
        "at": NOW,
        "author": "Ada, Bo Chen",
        "title": 'Revert "x"',
    }
    card = Card.model_validate(
        values | {"message": 'Revert "x"', "paths": ("src/router.py",), "facts": (fact,)}
    )
    for text in (
        "is:revert",
        "is:breaking author:bo",
        "path:router",
        "is:commit",
        "path:src/ author:ADA",
    ):
        assert query_of(text, None, "UTC", NOW).fits(card), text
    for text in ("is:reland", "author:eve", "path:tests"):
        assert not query_of(text, None, "UTC", NOW).fits(card), text
