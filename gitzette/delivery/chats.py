"""Slack through an incoming webhook, Feishu and Lark through a custom bot; docs/operations.md names their limits."""

import base64
import hashlib
import hmac
import json
import re
from collections.abc import Callable
from html import escape
from typing import Any

from gitzette.delivery.messages import Content, grouped, numbered
from gitzette.delivery.webhook import Post, dumped
from gitzette.render.templating import verbatim

_SECTION, _SECTIONS = 3_000, 50
"""Characters of a section's text, and sections of a message to Slack."""
_WHOLE, _FRAME = 11_000, 80
"""Bytes of all its sections beside the title, which Slack does not document, and of what stands around one."""
_BODY, _LINE = 19_000, 4_500
"""Bytes of a message to Feishu before its signature, and characters of a line, of at most four bytes each."""
_BUSY = (11232, 99991400, 1000004)
"""Codes by which Feishu says: too many requests, try again."""
# What Slack would read as emphasis, code or an emoji; a word that has it is shown as code, where nothing is read.
_LIVE = re.compile(r"(?<!\w)[*_~]|[*_~](?!\w)|`|:[\w+'-]+:")


class Slack:
    """Posts sections of mrkdwn in which foreign words are only words."""

    pause = 1.0

    def __init__(self, post: Post) -> None:
        self._post = post

    def messages(self, content: Content) -> list[bytes]:
        """Fill sections with lines, and messages with sections."""
        before = {"heading": "\n", "item": "• "}
        written = content.lines("slack", mrkdwn=_mrkdwn, mrkdwn_code=_mrkdwn_code)
        lines = [f"{before.get(kind, '')}{words if len(words) < _SECTION else '…'}" for kind, words in written]
        sections = ["\n".join(group) for group in grouped(lines, lambda line: len(line) + 1, _SECTION)]
        groups = grouped(sections, lambda text: len(dumped(text)) + _FRAME, _WHOLE, _SECTIONS - 1)
        return [self._body(title, group) for title, group in numbered(content.title, groups)]

    def _body(self, title: str, sections: list[str]) -> bytes:
        texts = [{"type": "mrkdwn", "text": text, "verbatim": True} for text in (_mrkdwn(title, "*"), *sections)]
        head = {"text": escape(title, quote=False), "unfurl_links": False, "unfurl_media": False}
        return dumped(head | {"blocks": [{"type": "section", "text": text} for text in texts]})

    def send(self, message: bytes, _key: str) -> None:
        """Post one message; Slack answers with `ok` or with the name of what is wrong."""
        self._post.json(message, lambda said: None if said.strip() in ("ok", "") else False)


def _mrkdwn(words: str, sign: str = "") -> str:
    """Write words that do nothing, each between two of a sign: so no foreign sign can end the emphasis."""

    def written(word: re.Match[str]) -> str:
        if _LIVE.search(word[0]):
            return _mrkdwn_code(word[0])
        around = sign if re.search(r"\w", word[0]) else ""
        return f"{around}{escape(word[0], quote=False)}{around}"

    return re.sub(r"\S+", written, verbatim(words))


def _mrkdwn_code(words: str) -> str:
    return f"`{escape(verbatim(words), quote=False).replace('`', 'ˋ')}`"


class Feishu:
    """Posts rich text, whose words are data and never read as markup; signed where the bot asks for it."""

    pause = 0.6

    def __init__(self, post: Post, secret: str, clock: Callable[[], float]) -> None:
        self._post, self._secret, self._clock = post, secret, clock

    def messages(self, content: Content) -> list[bytes]:
        """Fill messages with lines."""
        signs = {"heading": '{"tag":"text","text":"▌"},', "item": '{"tag":"text","text":"• "},'}
        written = content.lines("feishu", unnamed=_unnamed)
        lines = [f"[{signs.get(kind, '')}{words.rstrip(',')}]" for kind, words in written if len(words) < _LINE]
        lang, title = {"en": "en_us", "zh": "zh_cn"}[content.page.lang], _unnamed(content.title)
        room = _BODY - len(self._body(lang, f"{title} (99/99)", []))
        groups = grouped(lines, lambda line: len(line.encode()) + 1, room)
        return [self._body(lang, told, list(map(json.loads, group))) for told, group in numbered(title, groups)]

    def _body(self, lang: str, title: str, lines: list[Any]) -> bytes:
        return dumped({"msg_type": "post", "content": {"post": {lang: {"title": title, "content": lines}}}})

    def send(self, message: bytes, _key: str) -> None:
        """Post one message; the answer is 200 also for failures, and says so in its code."""
        if self._secret:
            moment = str(int(self._clock()))
            # The moment and the secret are the key, and nothing is what is signed.
            signed = hmac.new(f"{moment}\n{self._secret}".encode(), b"", hashlib.sha256).digest()
            message = dumped({"timestamp": moment, "sign": base64.b64encode(signed).decode()} | json.loads(message))
        self._post.json(message, _feishu_fault)


def _feishu_fault(said: str) -> bool | None:
    """Read the code of an answer; older bots spell it with capitals."""
    try:
        data = json.loads(said)
    except ValueError:
        return False
    code = data.get("code", data.get("StatusCode")) if isinstance(data, dict) else None
    return None if code == 0 else code in _BUSY


def _unnamed(words: str) -> str:
    """Write words in which nobody is named, as plain texts of this service can."""
    return verbatim(words).replace("<at", "< at").replace("</at", "</ at")
