"""The channel to Feishu, by a custom bot. docs/operations.md names the sources of the limits."""

import base64
import hmac
import json
from hashlib import sha256

from agent.report_languages import writing_of
from gitzette.delivery.http_channel import HttpChannel, SignedRequest, json_bytes
from gitzette.delivery.message_content import Content, grouped, line_or_ellipsis, numbered
from gitzette.render.templating import verbatim

_BYTES = 18_900  # Of the lines of a message
_LINE = 4_500  # Characters of a line
_LEFT_OUT = '{"tag":"text","text":"…"}'
_BUSY = (11232, 99991400, 1000004)  # Codes that ask to try again later


class FeishuChannel(HttpChannel):
    """Posts rich text through a custom bot; its words are data and never read as markup."""

    pause = 0.6

    def messages(self, content: Content) -> list[bytes]:
        """Return a report as messages, each within the limits of the receiver."""
        prefixes = {"heading": '{"tag":"text","text":"▌"},', "item": '{"tag":"text","text":"• "},'}
        lines = []
        for line in content.lines("feishu", unnamed=_without_mentions):
            written = f"{prefixes.get(line.kind, '')}{line.words.rstrip(',')}"
            lines.append(f"[{line_or_ellipsis(written, _LINE, left_out=_LEFT_OUT)}]")
        locale = writing_of(content.page.lang).locale
        title = _without_mentions(content.title)
        max_bytes = _BYTES - len(json_bytes(title))
        groups = grouped(lines, lambda line: len(line.encode()) + 1, max_bytes)
        messages = []
        for part in numbered(title, groups):
            post = {"title": part.title, "content": [json.loads(line) for line in part.values]}
            message = {"msg_type": "post", "content": {"post": {locale: post}}}
            messages.append(json_bytes(message))
        return messages

    def _signed(self, message: bytes, key: str) -> SignedRequest:
        if self._secret:
            timestamp = str(int(self._clock()))
            # Feishu signs an empty message with the timestamp and the secret as the key.
            digest = hmac.new(f"{timestamp}\n{self._secret}".encode(), b"", sha256).digest()
            signature = {"timestamp": timestamp, "sign": base64.b64encode(digest).decode()}
            message = json_bytes(signature | json.loads(message))
        return super()._signed(message, key)

    def _fault(self, answer: str) -> bool | None:
        """Read the code in an answer, since its HTTP status is 200 for failures as well."""
        try:
            data = json.loads(answer)
        except ValueError:
            return False
        if not isinstance(data, dict):
            return False
        code = data.get("code", data.get("StatusCode"))  # Older bots use the second name
        if code == 0:
            return None
        return code in _BUSY


def _without_mentions(words: str) -> str:
    """Return words that mention nobody, which in Feishu plain text can do."""
    return verbatim(words).replace("<at", "< at").replace("</at", "</ at")
