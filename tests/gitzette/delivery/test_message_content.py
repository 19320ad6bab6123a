"""No line of a message is longer than its receiver takes, with everything that stands before it."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from agent.browser_urls import Web
from gitzette.delivery.feishu_channel import FeishuChannel
from gitzette.delivery.message_content import Content, Line, line_or_ellipsis
from gitzette.delivery.slack_channel import SlackChannel
from gitzette.delivery.webhook_channel import WebhookChannel
from gitzette.render.page_composition import page_model
from tests.analysed_report import analysed_report

WEB = Web("https://git.example")
SLACK_SECTION = 3_000


@dataclass(frozen=True)
class OneLine(Content):
    """A report with one line."""

    line: Line = field(kw_only=True)

    def lines(self, channel: str = "text", **filters: Callable[..., str]) -> list[Line]:
        del channel, filters
        return [self.line]


def content_of(kind: str, words: str) -> Content:
    page = page_model(analysed_report(), "en", WEB)
    return OneLine(page, WEB, line=Line(kind, words))


@pytest.mark.parametrize(("kind", "prefix"), [("item", "• "), ("heading", "\n"), ("text", "")])
def test_a_line_of_slack_is_left_out_where_it_is_too_long_with_its_prefix(
    kind: str, prefix: str
) -> None:
    channel = SlackChannel("https://hooks.example/x", "", time.time)
    longest = "x" * (SLACK_SECTION - len(prefix))
    for words, sent in ((longest, f"{prefix}{longest}"), (f"{longest}x", "…")):
        (message,) = channel.messages(content_of(kind, words))
        _, section = json.loads(message)["blocks"]
        assert section["text"]["text"] == sent


def test_a_line_of_feishu_that_is_too_long_is_not_left_out_in_silence() -> None:
    channel = FeishuChannel("https://hooks.example/x", "", time.time)
    (message,) = channel.messages(
        content_of("item", json.dumps({"tag": "text", "text": "x" * 4_500}))
    )
    (post,) = json.loads(message)["content"]["post"].values()
    assert post["content"] == [[{"tag": "text", "text": "…"}]]


def test_a_line_is_measured_as_its_receiver_does() -> None:
    assert line_or_ellipsis("日本", 2) == "日本"
    assert line_or_ellipsis("日本", 5, lambda line: len(line.encode())) == "…"


def test_only_webhooks_are_sent_the_whole_report() -> None:
    assert WebhookChannel.sends_whole_report
    assert not SlackChannel.sends_whole_report
