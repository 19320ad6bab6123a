"""The channel to Slack, by an incoming webhook. docs/operations.md names the sources of the limits."""

import re
from html import escape

from gitzette.delivery.http_channel import HttpChannel, json_bytes
from gitzette.delivery.message_content import (
    Content,
    MessagePart,
    grouped,
    line_or_ellipsis,
    numbered,
)
from gitzette.render.templating import verbatim

_SECTION = 3_000  # Characters of a section
_SECTIONS = 50  # Of a message
_BYTES = 11_000
"""Of all sections of a message beside the title; Slack does not document this limit."""
_FRAME_BYTES = 80  # Around a section
# What Slack would read as emphasis, code or an emoji. A word that has it is shown as code, in
# which nothing is interpreted.
_MARKUP = re.compile(r"(?<!\w)[*_~]|[*_~](?!\w)|`|:[\w+'-]+:")


class SlackChannel(HttpChannel):
    """Posts sections of mrkdwn through an incoming webhook; foreign words have no effect."""

    pause = 1.0
    accepted_answers = ("ok", "")

    def messages(self, content: Content) -> list[bytes]:
        """Return a report as messages, each within the limits of the receiver."""
        prefixes = {"heading": "\n", "item": "• "}
        lines = []
        for line in content.lines("slack", mrkdwn=_mrkdwn, mrkdwn_code=_mrkdwn_code):
            written = f"{prefixes.get(line.kind, '')}{line.words}"
            lines.append(line_or_ellipsis(written, _SECTION))
        sections = []
        for group in grouped(lines, lambda line: len(line) + 1, _SECTION):
            sections.append("\n".join(group))
        groups = grouped(
            sections,
            lambda section: len(json_bytes(section)) + _FRAME_BYTES,
            _BYTES,
            _SECTIONS - 1,
        )
        return [self._message(part) for part in numbered(content.title, groups)]

    def _message(self, part: MessagePart[str]) -> bytes:
        blocks = []
        for text in (_mrkdwn(part.title, "*"), *part.values):
            mrkdwn = {"type": "mrkdwn", "text": text, "verbatim": True}
            blocks.append({"type": "section", "text": mrkdwn})
        return json_bytes(
            {
                "text": escape(part.title, quote=False),
                "unfurl_links": False,
                "unfurl_media": False,
                "blocks": blocks,
            }
        )


def _mrkdwn(words: str, sign: str = "") -> str:
    """Return words in which Slack finds no markup, each emphasised by a sign of its own.

    Emphasis around several words could be ended by a sign in one of them.
    """

    def written(match: re.Match[str]) -> str:
        word = match[0]
        if _MARKUP.search(word):
            return _mrkdwn_code(word)
        around = sign if re.search(r"\w", word) else ""
        return f"{around}{escape(word, quote=False)}{around}"

    return re.sub(r"\S+", written, verbatim(words))


def _mrkdwn_code(words: str) -> str:
    return f"`{escape(verbatim(words), quote=False).replace('`', 'ˋ')}`"
