"""What is delivered: one report in one language, and the messages that a channel makes of it."""

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from agent.report import Report
from agent.settings import Language
from agent.web import Web
from gitzette.delivery.letter import Block, highlights, letter
from gitzette.render.markdown import report_page


@dataclass(frozen=True)
class Edition:
    """A report as it is sent."""

    report: Report
    lang: Language
    web: Web
    full: bool
    """The whole report; else its highlights and what it covers."""

    @property
    def label(self) -> str:
        """The day or range."""
        return self.report.window.label

    @property
    def title(self) -> str:
        """What a reader sees first."""
        return f"Gitzette {self.label}"

    @cached_property
    def markdown(self) -> str:
        """The report as a page."""
        return report_page(self.report, self.lang, self.web)

    @cached_property
    def blocks(self) -> list[Block]:
        """The paragraphs without the title, which every channel shows in its own place."""
        blocks = letter(self.markdown)
        if blocks and blocks[0].kind == "heading" and blocks[0].level == 1:
            blocks = blocks[1:]
        return blocks if self.full else highlights(blocks)


@dataclass(frozen=True)
class Message:
    """One message of an edition, as it travels but for what belongs to the moment of sending."""

    part: int
    parts: int
    body: bytes


def fingerprint(messages: list[Message]) -> str:
    """Name what is said, so that the same is not said twice."""
    digest = hashlib.sha256()
    for message in messages:
        digest.update(len(message.body).to_bytes(8, "big") + message.body)
    return digest.hexdigest()[:32]


def numbered(title: str, part: int, parts: int) -> str:
    """Write a title with its number where there are several messages."""
    return f"{title} ({part}/{parts})" if parts > 1 else title


class Channel(Protocol):
    """A way to people."""

    pause: float
    """Seconds between two messages, so that the receiver's own limit is kept."""

    def messages(self, edition: Edition) -> list[Message]:
        """Write an edition as messages, each within the limits of the channel; the same edition gives the same."""
        ...

    def send(self, message: Message) -> None:
        """Hand one message over; an `UpstreamError` says whether it may get better."""
        ...
