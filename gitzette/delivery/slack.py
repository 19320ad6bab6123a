"""Slack, through an incoming webhook: sections of mrkdwn in which foreign words are only words."""

import json
import re
from collections.abc import Iterator
from itertools import zip_longest

from agent.errors import UpstreamError
from gitzette.delivery.edition import Edition, Message, numbered
from gitzette.delivery.letter import Block, Piece
from gitzette.delivery.parts import packed
from gitzette.delivery.post import Answer, Post

SECTION = 3_000
"""Characters of a section's text; docs/front-door.md names the source of each limit."""
SECTIONS = 50
HEADER = 150
WHOLE = 12_000
"""Bytes of all blocks: Slack documents no sum, and refuses more than about 13 200 as `msg_blocks_too_long`."""
_OVERHEAD = 1_000
_SECTION_FRAME = 80
_EXCERPT = 1_000
# What mrkdwn would read as emphasis, code or an emoji; a word that has it is shown as code, where nothing is read.
_LIVE = re.compile(r"(?<!\w)[*_~]|[*_~](?!\w)|`|:[\w+'-]+:")


class Slack:
    """Posts to the address that Slack gives for one channel."""

    pause = 1.0

    def __init__(self, post: Post) -> None:
        self._post = post

    def messages(self, edition: Edition) -> list[Message]:
        """Write sections, and as many to a message as fit."""
        sections = packed([list(_atoms(block)) for block in edition.blocks], SECTION, len)
        groups: list[list[str]] = [[]]
        for section in sections:
            held = sum(map(_weight, groups[-1]))
            if groups[-1] and (held + _weight(section) > WHOLE - _OVERHEAD or len(groups[-1]) >= SECTIONS - 1):
                groups.append([])
            groups[-1].append(section)
        return [
            Message(part, len(groups), _body(numbered(edition.title, part, len(groups)), group))
            for part, group in enumerate(groups, start=1)
        ]

    def send(self, message: Message) -> None:
        """Post one message; Slack answers with `ok` or with the name of what is wrong."""
        self._post.json(message.body, accepted=_accepted)


def _accepted(answer: Answer) -> None:
    if answer.text.strip() not in ("ok", ""):
        raise UpstreamError(f"Slack answers {answer.told}", retryable=False)


def _body(title: str, sections: list[str]) -> bytes:
    header = {"type": "header", "text": {"type": "plain_text", "text": title[:HEADER], "emoji": False}}
    texts = [{"type": "section", "text": {"type": "mrkdwn", "text": section, "verbatim": True}} for section in sections]
    data = {"text": title, "blocks": [header, *texts], "unfurl_links": False, "unfurl_media": False}
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()


def _weight(section: str) -> int:
    return len(json.dumps(section, ensure_ascii=False).encode()) + _SECTION_FRAME


def _atoms(block: Block) -> Iterator[str]:
    """Write a paragraph in pieces that are not cut."""
    if block.kind == "code":
        if len(block.text) <= _EXCERPT:
            yield f"```{_escaped(block.text).replace('`', 'ˋ')}```"
        else:
            yield from (f"{_code(line or ' ')}\n" for line in block.text.split("\n"))
        return
    yield {"heading": "\n", "item": f"{'    ' * max(0, block.level - 1)}• ", "quote": "&gt; "}.get(block.kind, "")
    for piece, following in zip_longest(block.pieces, block.pieces[1:]):
        yield from _piece(piece, heading=block.kind == "heading")
        # Emphasis ends only in front of a space, and Chinese is written without.
        if piece.bold and following is not None and not following.text[:1].isspace():
            yield " "


def _piece(piece: Piece, *, heading: bool) -> Iterator[str]:
    if piece.url is not None:
        label = _code(piece.text) if piece.code else _escaped(piece.text)
        # A bar or an angle bracket would end the address or the label.
        yield f"<{_escaped(piece.url).replace('|', '%7C')}|{label.replace('|', '¦')}>"
    elif piece.code:
        yield _code(piece.text)
    else:
        for word in re.findall(r"\s*\S+\s?|\s+", piece.text):
            yield _word(word, bold=piece.bold or heading)


def _word(word: str, *, bold: bool) -> str:
    text = word.strip()
    if not text:
        return word
    left, right = word[: len(word) - len(word.lstrip())], word[len(word.rstrip()) :]
    if _LIVE.search(text):
        return f"{left}{_code(text)}{right}"
    # Between signs alone there is nothing to emphasize, and beside a link the stars would be seen.
    return f"{left}*{_escaped(text)}*{right}" if bold and re.search(r"\w", text) else f"{left}{_escaped(text)}{right}"


def _code(text: str) -> str:
    return f"`{_escaped(text).replace('`', 'ˋ')}`"


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
