"""Feishu and Lark, through a custom bot: rich text, whose words are data and never read as markup."""

import base64
import hashlib
import hmac
import json
from collections.abc import Callable, Iterator
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agent.errors import UpstreamError
from agent.settings import Language
from gitzette.delivery.edition import Edition, Message, numbered
from gitzette.delivery.letter import Block, Piece
from gitzette.delivery.post import Answer, Post

BODY = 20 * 1_024
"""Bytes of a whole request; docs/front-door.md names the source."""
_ROOM = 19_000
"""What a message may have before its signature is added."""
_LOCALE: dict[Language, str] = {"en": "en_us", "zh": "zh_cn"}
_BUSY = (11232, 99991400, 1000004)
"""Codes that mean: too many requests, try again."""
Line = list[dict[str, str]]


class Feishu:
    """Posts to the address of a custom bot, signed where the bot asks for it."""

    # A bot may send 5 messages a second and 100 a minute.
    pause = 0.6

    def __init__(self, post: Post, secret: str | None, clock: Callable[[], float]) -> None:
        self._post = post
        self._secret = secret
        self._clock = clock

    def messages(self, edition: Edition) -> list[Message]:
        """Write lines, and as many to a message as fit."""
        locale = _LOCALE[edition.lang]
        empty = len(_body(locale, numbered(edition.title, 999, 999), []))
        groups: list[list[Line]] = [[]]
        held = 0
        for block in edition.blocks:
            lines = [line for whole in _lines(block) for line in _fitting(whole, _ROOM - empty)]
            for line in lines:
                size = len(_dumped(line)) + 1
                if groups[-1] and held + size > _ROOM - empty:
                    groups.append([])
                    held = 0
                groups[-1].append(line)
                held += size
        return [
            Message(part, len(groups), _body(locale, numbered(edition.title, part, len(groups)), group))
            for part, group in enumerate(groups, start=1)
        ]

    def send(self, message: Message) -> None:
        """Post one message; the answer is 200 also for failures, and says so in its code."""
        body = message.body
        if self._secret is not None:
            moment = str(int(self._clock()))
            body = _dumped({"timestamp": moment, "sign": signature(moment, self._secret)} | json.loads(body))
        self._post.json(body, accepted=_accepted)


def signature(moment: str, secret: str) -> str:
    """Sign as the bot wants it: the moment and the secret are the key, and nothing is what is signed."""
    return base64.b64encode(hmac.new(f"{moment}\n{secret}".encode(), b"", hashlib.sha256).digest()).decode()


class _Said(BaseModel):
    """What a bot answers; older ones spell it with capitals."""

    model_config = ConfigDict(extra="ignore")

    code: int | None = None
    old_code: int | None = Field(default=None, validation_alias="StatusCode")
    msg: str = ""


def _accepted(answer: Answer) -> None:
    try:
        said = _Said.model_validate_json(answer.text)
    except ValidationError as error:
        raise UpstreamError(f"the bot answers {answer.told}", retryable=False) from error
    code = said.code if said.code is not None else said.old_code
    if code != 0:
        raise UpstreamError(f"the bot answers {code}: {answer.told}", retryable=code in _BUSY)


def _body(locale: str, title: str, lines: list[Line]) -> bytes:
    return _dumped({"msg_type": "post", "content": {"post": {locale: {"title": title, "content": lines}}}})


def _dumped(data: Any) -> bytes:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()


def _lines(block: Block) -> Iterator[Line]:
    """Write a paragraph as lines; code as one line each."""
    if block.kind == "code":
        yield from ([_text(f"    {line}")] for line in block.text.split("\n"))
        return
    before = {"heading": "▌", "item": f"{'    ' * max(0, block.level - 1)}• ", "quote": "│ "}.get(block.kind, "")
    if block.kind == "heading":
        yield [_text(" ")]
    yield [*([_text(before)] if before else []), *map(_piece, block.pieces)]


def _piece(piece: Piece) -> dict[str, str]:
    if piece.url is not None:
        return {"tag": "a", "text": _plain(piece.text), "href": piece.url}
    return _text(f"「{piece.text}」" if piece.code and " " in piece.text else piece.text)


def _text(text: str) -> dict[str, str]:
    return {"tag": "text", "text": _plain(text)}


def _plain(text: str) -> str:
    # Plain texts of this service name people like this; here nobody is named.
    return text.replace("<at", "< at").replace("</at", "</ at")


def _fitting(line: Line, room: int) -> Iterator[Line]:
    """Cut a line that fits into no message, between its pieces and then between characters."""
    held: Line = []
    size = 2
    for piece in (small for whole in line for small in _small(whole, room // 2)):
        weight = len(_dumped(piece)) + 1
        if held and size + weight > room:
            yield held
            held, size = [], 2
        held.append(piece)
        size += weight
    yield held


def _small(piece: dict[str, str], room: int) -> Iterator[dict[str, str]]:
    if len(_dumped(piece)) <= room:
        yield piece
        return
    # Every character has at most six bytes in JSON, so this many fit whatever they are.
    step = max(1, (room - len(_dumped(piece | {"text": ""}))) // 6)
    text = piece["text"]
    yield from (piece | {"text": text[at : at + step]} for at in range(0, len(text), step))
