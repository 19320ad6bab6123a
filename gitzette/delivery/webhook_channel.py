"""The channel to a webhook of the user's: Markdown, and the report as data."""

import hmac
from hashlib import sha256

from agent.reports.report_json import to_json
from gitzette.delivery.http_channel import HttpChannel, SignedRequest, json_bytes
from gitzette.delivery.message_content import Content, grouped
from gitzette.render.templating import filled

HOOK_BYTES = 1_000_000
"""Of a message to a webhook; many servers accept no more than 1 MiB."""
_HOOK_FRAME_BYTES = 1_000  # Around the text of such a message


class WebhookChannel(HttpChannel):
    """Posts Markdown in parts; a single part also has the report as data, if both fit."""

    sends_whole_report = True

    def messages(self, content: Content) -> list[bytes]:
        """Return a report as messages, each within the limits of the receiver."""
        text = filled("digest.md", content.page.lang, content.web, page=content.page)
        max_bytes = HOOK_BYTES - _HOOK_FRAME_BYTES - len(json_bytes(content.title))
        groups = grouped(
            text.splitlines(keepends=True), lambda line: len(json_bytes(line)), max_bytes
        )
        common = {
            "format": 1,
            "event": "report",
            "title": content.title,
            "date": content.page.report.window.label,
            "lang": content.page.lang,
            "url": content.url or None,
            "parts": len(groups),
            "report": None,
        }
        parts = []
        for number, lines in enumerate(groups, start=1):
            parts.append(common | {"part": number, "markdown": "".join(lines)})
        with_data = json_bytes(parts[0] | {"report": to_json(content.page.report)})
        if len(parts) == 1 and len(with_data) <= HOOK_BYTES:
            return [with_data]
        return [json_bytes(part) for part in parts]

    def _signed(self, message: bytes, key: str) -> SignedRequest:
        headers = {"Idempotency-Key": key, "X-Gitzette-Event": "report"}
        if self._secret:
            signature = hmac.new(self._secret.encode(), message, sha256).hexdigest()
            headers["X-Gitzette-Signature"] = f"sha256={signature}"
        return SignedRequest(message, headers)
