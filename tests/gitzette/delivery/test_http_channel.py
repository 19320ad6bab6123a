"""What a receiver answers decides whether a message counts as sent, and when to try again."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from agent.domain.errors import UpstreamError
from gitzette.delivery.http_channel import HttpChannel
from gitzette.delivery.slack_channel import SlackChannel


def answer_to(
    channel: type[HttpChannel], response: httpx.Response, monkeypatch: pytest.MonkeyPatch
) -> UpstreamError | None:
    """Return the error with which a channel takes an answer; None where the message is sent."""

    @contextmanager
    def stream(*_: Any, **__: Any) -> Iterator[httpx.Response]:
        yield response

    monkeypatch.setattr(httpx, "stream", stream)
    try:
        channel("https://hooks.example/secret", "", lambda: 0.0).send(b"{}", "key")
    except UpstreamError as error:
        return error
    return None


@pytest.mark.parametrize(
    ("status", "is_retryable"),
    [(200, None), (204, None), (400, False), (404, False), (408, True), (429, True), (503, True)],
)
def test_what_a_server_may_take_later_is_tried_again(
    status: int, is_retryable: bool | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = answer_to(HttpChannel, httpx.Response(status, content=b"well"), monkeypatch)
    assert (error.retryable if error else None) is is_retryable


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7.0),
        ("999999", 999_999.0),
        ("1000000", None),
        ("-7", None),
        ("Wed, 21 Oct 2026 07:28:00 GMT", None),
        ("", None),
    ],
)
def test_a_wait_in_seconds_is_kept_and_a_date_or_an_endless_one_is_not(
    header: str, seconds: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    response = httpx.Response(429, headers={"Retry-After": header})
    error = answer_to(HttpChannel, response, monkeypatch)
    assert error is not None
    assert error.retry_after == seconds


@pytest.mark.parametrize(("answer", "is_sent"), [("ok", True), ("", True), ("no_service", False)])
def test_slack_says_in_words_that_it_took_a_message(
    answer: str, monkeypatch: pytest.MonkeyPatch, *, is_sent: bool
) -> None:
    error = answer_to(SlackChannel, httpx.Response(200, content=answer.encode()), monkeypatch)
    assert (error is None) is is_sent
    assert error is None or ("secret" not in str(error) and not error.retryable)
