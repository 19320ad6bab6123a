"""The channels that reports are sent by: webhooks, Slack, Feishu, e-mail and those of Apprise.

docs/operations.md names the sources of the limits.
"""

import base64
import hmac
import json
import re
import smtplib
import ssl
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from hashlib import sha256
from html import escape
from typing import Any, NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit

import httpx

from agent.domain.base import ConfigError, MissingPackages, UpstreamError
from agent.languages import writing_of
from agent.markdown import visible
from agent.reports.report_json import to_json
from agent.settings.values import Delivery
from gitzette.delivery.apprise_channel import AppriseChannel
from gitzette.delivery.message_content import Content, Line, MessagePart, grouped, numbered
from gitzette.http_server import is_loopback
from gitzette.render.templating import filled, html_page, verbatim

_TIMEOUT_SECONDS = 20
_MAX_ANSWER_BYTES = 4_096  # That are read of a receiver's answer
_MAX_QUOTED_ANSWER = 120  # Characters of it in an error
_MAX_RETRY_DIGITS = 6  # Of a Retry-After header in seconds
_RETRYABLE_STATUSES = (408, 425, 429)

HOOK_BYTES = 1_000_000
"""Of a message to a webhook; many servers accept no more than 1 MiB."""
_HOOK_FRAME_BYTES = 1_000  # Around the text of such a message

_SLACK_SECTION = 3_000  # Characters of a section
_SLACK_SECTIONS = 50  # Of a message
_SLACK_BYTES = 11_000
"""Of all sections of a message beside the title; Slack does not document this limit."""
_SLACK_FRAME_BYTES = 80  # Around a section
# What Slack would read as emphasis, code or an emoji. A word that has it is shown as code, in
# which nothing is interpreted.
_SLACK_MARKUP = re.compile(r"(?<!\w)[*_~]|[*_~](?!\w)|`|:[\w+'-]+:")

_FEISHU_BYTES = 18_900  # Of the lines of a message
_FEISHU_LINE = 4_500  # Characters of a line
_FEISHU_BUSY = (11232, 99991400, 1000004)  # Codes that ask to try again later

_MAIL_BYTES = 90_000  # Of the HTML of a mail; Gmail cuts it off after 102 kB
_MAIL_FRAME_BYTES = 2_500  # Around the lines of a mail
_MAIL_LINE_FRAME_BYTES = 60  # The tags around a line


def _parsed_address(address: str, scheme: str, fault: str) -> SplitResult:
    """Return the parts of an address with a scheme, or its secure variant; `fault` is the error."""
    with suppress(ValueError):
        parts = urlsplit(address)
        if parts.scheme in (scheme, f"{scheme}s") and parts.hostname and parts.port != 0:
            return parts
    raise ConfigError(fault)


def _json_bytes(data: Any) -> bytes:
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", errors="replace")


class _SignedRequest(NamedTuple):
    """A message as it is posted."""

    body: bytes
    headers: dict[str, str]


class _HttpChannel:
    """Posts to one address, which is a secret: no error names it."""

    pause = 0.0  # Seconds between two messages
    accepted_answers: tuple[str, ...] | None = None  # None if any answer means success

    def __init__(self, address: str, secret: str, clock: Callable[[], float]) -> None:
        self._url = _parsed_address(address, "http", "it holds no http(s) address").geturl()
        self._secret = secret
        self._clock = clock

    def send(self, message: bytes, key: str) -> None:
        request = self._signed(message, key)
        headers = {
            "Content-Type": "application/json; charset=utf-8",
            "User-Agent": "gitzette",
        }
        headers |= request.headers
        try:
            with httpx.stream(
                "POST",
                self._url,
                content=request.body,
                headers=headers,
                timeout=_TIMEOUT_SECONDS,
            ) as response:
                first_bytes = next(response.iter_bytes(_MAX_ANSWER_BYTES), b"")
        except (httpx.RequestError, httpx.InvalidURL) as error:
            # The rest of the address may be a secret.
            host = urlsplit(self._url).netloc.rpartition("@")[2]
            raise UpstreamError(
                f"{host} cannot be reached ({type(error).__name__}); "
                "check the channel's address and the network",
                retryable=True,
            ) from error
        answer = first_bytes.decode("utf-8", errors="replace")
        if response.is_success:
            is_retryable = self._fault(answer)
        else:
            is_retryable = response.is_server_error or response.status_code in _RETRYABLE_STATUSES
        if is_retryable is None:
            return
        quoted = visible(answer)[:_MAX_QUOTED_ANSWER]
        raise UpstreamError(
            f"the receiver answers HTTP {response.status_code} {quoted}".rstrip(),
            retryable=is_retryable,
            retry_after=_retry_after(response),
        )

    def _signed(self, message: bytes, key: str) -> _SignedRequest:
        return _SignedRequest(message, {"Idempotency-Key": key})

    def _fault(self, answer: str) -> bool | None:
        """Return None if an answer means success, else whether to try again."""
        if self.accepted_answers is None or answer.strip() in self.accepted_answers:
            return None
        return False


def _retry_after(response: httpx.Response) -> float | None:
    """Return the seconds of a Retry-After header; dates and very long waits are ignored."""
    header = response.headers.get("retry-after", "")
    if header.isdecimal() and len(header) <= _MAX_RETRY_DIGITS:
        return float(header)
    return None


class _Webhook(_HttpChannel):
    """Posts Markdown in parts; a single part also has the report as data, if both fit."""

    def messages(self, content: Content) -> list[bytes]:
        text = filled("digest.md", content.page.lang, content.web, page=content.page)
        max_bytes = HOOK_BYTES - _HOOK_FRAME_BYTES - len(_json_bytes(content.title))
        groups = grouped(
            text.splitlines(keepends=True), lambda line: len(_json_bytes(line)), max_bytes
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
        with_data = _json_bytes(parts[0] | {"report": to_json(content.page.report)})
        if len(parts) == 1 and len(with_data) <= HOOK_BYTES:
            return [with_data]
        return [_json_bytes(part) for part in parts]

    def _signed(self, message: bytes, key: str) -> _SignedRequest:
        headers = {"Idempotency-Key": key, "X-Gitzette-Event": "report"}
        if self._secret:
            signature = hmac.new(self._secret.encode(), message, sha256).hexdigest()
            headers["X-Gitzette-Signature"] = f"sha256={signature}"
        return _SignedRequest(message, headers)


class _Slack(_HttpChannel):
    """Posts sections of mrkdwn through an incoming webhook; foreign words have no effect."""

    pause = 1.0
    accepted_answers = ("ok", "")

    def messages(self, content: Content) -> list[bytes]:
        prefixes = {"heading": "\n", "item": "• "}
        lines = []
        for line in content.lines("slack", mrkdwn=_mrkdwn, mrkdwn_code=_mrkdwn_code):
            words = line.words if len(line.words) < _SLACK_SECTION else "…"
            lines.append(f"{prefixes.get(line.kind, '')}{words}")
        sections = []
        for group in grouped(lines, lambda line: len(line) + 1, _SLACK_SECTION):
            sections.append("\n".join(group))
        groups = grouped(
            sections,
            lambda section: len(_json_bytes(section)) + _SLACK_FRAME_BYTES,
            _SLACK_BYTES,
            _SLACK_SECTIONS - 1,
        )
        return [self._message(part) for part in numbered(content.title, groups)]

    def _message(self, part: MessagePart[str]) -> bytes:
        blocks = []
        for text in (_mrkdwn(part.title, "*"), *part.values):
            mrkdwn = {"type": "mrkdwn", "text": text, "verbatim": True}
            blocks.append({"type": "section", "text": mrkdwn})
        return _json_bytes(
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
        if _SLACK_MARKUP.search(word):
            return _mrkdwn_code(word)
        around = sign if re.search(r"\w", word) else ""
        return f"{around}{escape(word, quote=False)}{around}"

    return re.sub(r"\S+", written, verbatim(words))


def _mrkdwn_code(words: str) -> str:
    return f"`{escape(verbatim(words), quote=False).replace('`', 'ˋ')}`"


class _Feishu(_HttpChannel):
    """Posts rich text through a custom bot; its words are data and never read as markup."""

    pause = 0.6

    def messages(self, content: Content) -> list[bytes]:
        prefixes = {"heading": '{"tag":"text","text":"▌"},', "item": '{"tag":"text","text":"• "},'}
        lines = []
        for line in content.lines("feishu", unnamed=_without_mentions):
            if len(line.words) < _FEISHU_LINE:
                lines.append(f"[{prefixes.get(line.kind, '')}{line.words.rstrip(',')}]")
        locale = writing_of(content.page.lang).locale
        title = _without_mentions(content.title)
        max_bytes = _FEISHU_BYTES - len(_json_bytes(title))
        groups = grouped(lines, lambda line: len(line.encode()) + 1, max_bytes)
        messages = []
        for part in numbered(title, groups):
            post = {"title": part.title, "content": [json.loads(line) for line in part.values]}
            message = {"msg_type": "post", "content": {"post": {locale: post}}}
            messages.append(_json_bytes(message))
        return messages

    def _signed(self, message: bytes, key: str) -> _SignedRequest:
        if self._secret:
            timestamp = str(int(self._clock()))
            # Feishu signs an empty message with the timestamp and the secret as the key.
            digest = hmac.new(f"{timestamp}\n{self._secret}".encode(), b"", sha256).digest()
            signature = {"timestamp": timestamp, "sign": base64.b64encode(digest).decode()}
            message = _json_bytes(signature | json.loads(message))
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
        return code in _FEISHU_BUSY


def _without_mentions(words: str) -> str:
    """Return words that mention nobody, which in Feishu plain text can do."""
    return verbatim(words).replace("<at", "< at").replace("</at", "</ at")


class _MailLine(NamedTuple):
    """A line of a mail, as plain text and as HTML."""

    text: str
    html: Line


class _Mail:
    """Sends mails with HTML and plain text; a long report takes several of them."""

    pause = 0.0

    def __init__(self, address: str, sender: str, to: Sequence[str]) -> None:
        self._server = _parsed_address(
            address,
            "smtp",
            "it holds no address such as smtps://user:password@mail.example.org:465",
        )
        self._sender = sender
        self._to = tuple(to)

    def messages(self, content: Content) -> list[bytes]:
        prefixes = {"heading": "\n", "item": "- "}
        lines = []
        for line, html_line in zip(content.lines(), content.lines("html"), strict=True):
            text = f"{prefixes.get(line.kind, '')}{line.words}"
            lines.append(_MailLine(text, html_line))
        groups = grouped(
            lines,
            lambda line: len(line.html.words.encode()) + _MAIL_LINE_FRAME_BYTES,
            _MAIL_BYTES - _MAIL_FRAME_BYTES,
        )
        parts = numbered(content.title, groups)
        return [bytes(self._mail(part, content.page.lang)) for part in parts]

    def _mail(self, part: MessagePart[_MailLine], lang: str) -> EmailMessage:
        mail = EmailMessage(policy=SMTP)
        mail["Subject"] = visible(part.title)
        mail["From"] = self._sender
        mail["To"] = ", ".join(self._to)
        mail["Auto-Submitted"] = "auto-generated"
        text = "\n".join(line.text for line in part.values)
        mail.set_content(f"{part.title}\n\n{text}\n")
        html_lines = [line.html for line in part.values]
        html = html_page("mail.html", lang=lang, title=part.title, lines=html_lines)
        mail.add_alternative(html, subtype="html")
        return mail

    def send(self, message: bytes, key: str) -> None:
        domain = self._sender.rpartition("@")[2]
        date = format_datetime(datetime.now(UTC))
        headers = f"Date: {date}\r\nMessage-ID: <gitzette.{key}@{domain}>\r\n"
        try:
            with self._logged_in() as server:
                server.sendmail(self._sender, self._to, headers.encode() + message)
        except smtplib.SMTPResponseException as error:
            answer = ""
            if isinstance(error.smtp_error, bytes):
                answer = error.smtp_error.decode("utf-8", "replace")
            quoted = visible(answer)[:_MAX_QUOTED_ANSWER]
            raise UpstreamError(
                f"the mail server answers {error.smtp_code} {quoted}",
                retryable=400 <= error.smtp_code < 500,
            ) from error
        except (smtplib.SMTPException, OSError) as error:
            raise UpstreamError(
                f"the mail server does not take it ({type(error).__name__})",
                retryable=not isinstance(error, ssl.SSLError),
            ) from error

    def _logged_in(self) -> smtplib.SMTP:
        server = self._connected()
        if self._server.username:
            password = unquote(self._server.password or "")
            server.login(unquote(self._server.username), password)
        return server

    def _connected(self) -> smtplib.SMTP:
        host = self._server.hostname or ""
        port = self._server.port
        tls = ssl.create_default_context()
        if self._server.scheme == "smtps":
            return smtplib.SMTP_SSL(host, port or 465, timeout=_TIMEOUT_SECONDS, context=tls)
        server = smtplib.SMTP(host, port or 587, timeout=_TIMEOUT_SECONDS)
        # A server without encryption is refused: no password is sent in the clear.
        if not is_loopback(host):
            server.starttls(context=tls)
        return server


_HTTP_CHANNELS: dict[str, type[_Slack | _Feishu | _Webhook]] = {
    "slack": _Slack,
    "feishu": _Feishu,
    "webhook": _Webhook,
}
Channel = _Mail | _Slack | _Feishu | _Webhook | AppriseChannel


def channel_of(spec: Delivery, environ: Mapping[str, str], clock: Callable[[], float]) -> Channel:
    """Return a channel; an error names the variable that is wrong, never its value."""
    address = _variable(spec.address_env, environ)
    secret = _variable(spec.secret_env, environ)
    try:
        if spec.kind == "email":
            return _Mail(address, spec.sender, spec.to)
        if spec.kind == "apprise":
            return AppriseChannel(address)
        return _HTTP_CHANNELS[spec.kind](address, secret, clock)
    except MissingPackages:
        raise
    except ConfigError as error:
        raise ConfigError(f"{spec.address_env}: {error}") from error


def _variable(name: str | None, environ: Mapping[str, str]) -> str:
    if not name:
        return ""
    value = environ.get(name, "").strip()
    if not value:
        raise ConfigError(f"the variable {name} is not set")
    return value
