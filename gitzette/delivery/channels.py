"""The channels: webhooks, Slack, Feishu and Lark, e-mail; docs/operations.md names their limits and the sources."""

import base64
import hashlib
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
from html import escape
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit

import httpx

from agent.domain.base import ConfigError, UpstreamError
from agent.markdown import visible
from agent.reports.stored import to_json
from gitzette.delivery.messages import Content, grouped, numbered
from gitzette.http_server import is_loopback
from gitzette.render.compose import markdown_page
from gitzette.render.templating import html_page, verbatim

_SECONDS, _READ = 20, 4_096
_LATER = (408, 425, 429)
_HOOK_BYTES, _HOOK_FRAME = 1_000_000, 1_000
"""Bytes of a message to a webhook, and of what stands around its text; many servers take no more than 1 MiB."""
_SECTION, _SECTIONS = 3_000, 50  # Characters of a section's text, and sections of a message to Slack
_SLACK_BYTES, _SLACK_FRAME = 11_000, 80
"""Bytes of all its sections beside the title, which Slack does not document, and of what stands around one."""
# What Slack would read as emphasis, code or an emoji; a word that has it is shown as code, where nothing is read.
_LIVE = re.compile(r"(?<!\w)[*_~]|[*_~](?!\w)|`|:[\w+'-]+:")
_FEISHU_BYTES, _LINE = 19_000, 4_500
"""Bytes of a message to Feishu before its signature, and characters of a line, of at most four bytes each."""
_BUSY = (11232, 99991400, 1000004)  # Codes by which Feishu says: too many requests, try again
_HTML, _MAIL_FRAME, _TAGS = 90_000, 2_500, 60  # Bytes of the HTML of one mail: Gmail cuts off what is behind 102 kB


def _parsed(address: str, scheme: str, told: str) -> SplitResult:
    """Parse an address with a scheme, or the same with an s behind it."""
    with suppress(ValueError):
        parts = urlsplit(address)
        if parts.scheme in (scheme, f"{scheme}s") and parts.hostname and parts.port != 0:
            return parts
    raise ConfigError(told)


def dumped(data: Any) -> bytes:
    """Write JSON as it travels."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", errors="replace")


class Post:
    """Posts to one address, which is a secret: no error names it."""

    def __init__(self, address: str) -> None:
        self._url = _parsed(address, "http", "it holds no http(s) address").geturl()

    def json(self, body: bytes, fault: Callable[[str], bool | None], headers: Mapping[str, str] | None = None) -> None:
        """Post a body; `fault` reads a friendly answer: None if all is well, else whether to try again."""
        head = {"Content-Type": "application/json; charset=utf-8", "User-Agent": "gitzette"} | dict(headers or {})
        try:
            with httpx.stream("POST", self._url, content=body, headers=head, timeout=_SECONDS) as response:
                said = next(response.iter_bytes(_READ), b"").decode("utf-8", errors="replace")
        except (httpx.RequestError, httpx.InvalidURL) as error:
            raise UpstreamError(f"the receiver cannot be reached ({type(error).__name__})", retryable=True) from error
        again = fault(said) if response.is_success else response.status_code in _LATER or response.is_server_error
        if again is not None:
            asked = response.headers.get("retry-after", "")
            wait = float(asked) if asked.isdecimal() and len(asked) < 7 else None
            told = f"the receiver answers HTTP {response.status_code} {visible(said)[:120]}".rstrip()
            raise UpstreamError(told, retryable=again, retry_after=wait)


class Webhook:
    """Posts Markdown in parts; the report as data comes along where one message can hold both."""

    pause = 0.0

    def __init__(self, post: Post, secret: str, most: int | None) -> None:
        self._post, self._secret, self._most = post, secret, most or _HOOK_BYTES

    def messages(self, content: Content) -> list[bytes]:
        """Write one message with everything where that fits, else the page in parts."""
        room = self._most - _HOOK_FRAME - len(dumped(content.title))
        # A line that is longer than a message is cut between characters, of which each has at most six bytes.
        lines = markdown_page(content.page, content.web, "digest").splitlines(keepends=True)
        pieces = [line[at : at + room // 6] for line in lines for at in range(0, len(line), room // 6)]
        texts = ["".join(group) for group in grouped(pieces, lambda text: len(dumped(text)), room)]
        head = {"format": 1, "event": "report", "title": content.title, "date": content.page.report.window.label}
        head |= {"lang": content.page.lang, "url": content.url or None, "parts": len(texts), "report": None}
        parts = [head | {"part": part, "markdown": text} for part, text in enumerate(texts, start=1)]
        whole = dumped(parts[0] | {"report": to_json(content.page.report)})
        return [whole] if len(parts) == 1 and len(whole) <= self._most else [dumped(part) for part in parts]

    def send(self, message: bytes, key: str) -> None:
        """Post one message, signed where a secret is given; any status from 200 to 299 means that it was taken."""
        headers = {"Idempotency-Key": key, "X-Gitzette-Event": "report"}
        if self._secret:
            signed = hmac.new(self._secret.encode(), message, hashlib.sha256).hexdigest()
            headers["X-Gitzette-Signature"] = f"sha256={signed}"
        self._post.json(message, lambda _: None, headers)


class Slack:
    """Posts sections of mrkdwn through an incoming webhook; foreign words are only words."""

    pause = 1.0

    def __init__(self, post: Post) -> None:
        self._post = post

    def messages(self, content: Content) -> list[bytes]:
        """Fill sections with lines, and messages with sections."""
        before = {"heading": "\n", "item": "• "}
        written = content.lines("slack", mrkdwn=_mrkdwn, mrkdwn_code=_mrkdwn_code)
        lines = [f"{before.get(kind, '')}{words if len(words) < _SECTION else '…'}" for kind, words in written]
        sections = ["\n".join(group) for group in grouped(lines, lambda line: len(line) + 1, _SECTION)]
        groups = grouped(sections, lambda text: len(dumped(text)) + _SLACK_FRAME, _SLACK_BYTES, _SECTIONS - 1)
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
    """Posts rich text through a custom bot; its words are data and never read as markup."""

    pause = 0.6

    def __init__(self, post: Post, secret: str, clock: Callable[[], float]) -> None:
        self._post, self._secret, self._clock = post, secret, clock

    def messages(self, content: Content) -> list[bytes]:
        """Fill messages with lines."""
        signs = {"heading": '{"tag":"text","text":"▌"},', "item": '{"tag":"text","text":"• "},'}
        written = content.lines("feishu", unnamed=_unnamed)
        lines = [f"[{signs.get(kind, '')}{words.rstrip(',')}]" for kind, words in written if len(words) < _LINE]
        lang, title = {"en": "en_us", "zh": "zh_cn"}[content.page.lang], _unnamed(content.title)
        room = _FEISHU_BYTES - len(self._body(lang, f"{title} (99/99)", []))
        groups = grouped(lines, lambda line: len(line.encode()) + 1, room)
        return [self._body(lang, told, list(map(json.loads, group))) for told, group in numbered(title, groups)]

    def _body(self, lang: str, title: str, lines: list[Any]) -> bytes:
        return dumped({"msg_type": "post", "content": {"post": {lang: {"title": title, "content": lines}}}})

    def send(self, message: bytes, _key: str) -> None:
        """Post one message, signed where the bot asks for it."""
        if self._secret:
            moment = str(int(self._clock()))
            # The moment and the secret are the key, and nothing is what is signed.
            signed = hmac.new(f"{moment}\n{self._secret}".encode(), b"", hashlib.sha256).digest()
            message = dumped({"timestamp": moment, "sign": base64.b64encode(signed).decode()} | json.loads(message))
        self._post.json(message, _feishu_fault)


def _feishu_fault(said: str) -> bool | None:
    """Read the code of an answer, which is 200 also for failures; older bots spell the code with capitals."""
    try:
        data = json.loads(said)
    except ValueError:
        return False
    code = data.get("code", data.get("StatusCode")) if isinstance(data, dict) else None
    return None if code == 0 else code in _BUSY


def _unnamed(words: str) -> str:
    """Write words in which nobody is named, as plain texts of this service can."""
    return verbatim(words).replace("<at", "< at").replace("</at", "</ at")


class Mail:
    """Hands mails to a server: HTML that fits a phone and plain text, in as many mails as mail programs show whole."""

    pause = 0.0

    def __init__(self, address: str, sender: str, to: Sequence[str], most: int | None) -> None:
        """Take `smtp://user:password@host:587` or `smtps://…:465`; the address may hold a secret and is not told."""
        told = "it holds no address such as smtps://user:password@mail.example.org:465"
        self._server = _parsed(address, "smtp", told)
        self._sender, self._to, self._most = sender, tuple(to), most or _HTML

    def messages(self, content: Content) -> list[bytes]:
        """Write mails whose HTML is within the limit; they are cut between lines."""
        lines = list(zip(content.lines(), content.lines("html"), strict=True))
        groups = grouped(lines, lambda pair: len(pair[1][1].encode()) + _TAGS, self._most - _MAIL_FRAME)
        return [self._mail(content, title, group) for title, group in numbered(content.title, groups)]

    def _mail(self, content: Content, title: str, lines: list[tuple[tuple[str, str], tuple[str, str]]]) -> bytes:
        mail = EmailMessage(policy=SMTP)
        mail["Subject"] = visible(title)
        mail["From"] = self._sender
        mail["To"] = ", ".join(self._to)
        mail["Auto-Submitted"] = "auto-generated"
        mail["Content-Language"] = content.page.lang
        before = {"heading": "\n", "item": "- ", "code": "    "}
        texts = (f"{before.get(kind, '')}{text}" for (kind, text), _ in lines)
        mail.set_content("\n\n".join((title, "\n".join(texts))) + "\n")
        html = html_page("mail.html", lang=content.page.lang, title=title, lines=[html for _, html in lines])
        mail.add_alternative(html, subtype="html")
        return bytes(mail)

    def send(self, message: bytes, key: str) -> None:
        """Hand one mail over, encrypted where the server can; a password never travels in the open."""
        name = f"<gitzette.{key}@{self._sender.rpartition('@')[2]}>"
        mail = f"Date: {format_datetime(datetime.now(UTC))}\r\nMessage-ID: {name}\r\n".encode() + message
        try:
            with self._connection() as server:
                self._introduce(server)
                server.sendmail(self._sender, self._to, mail)
        except smtplib.SMTPResponseException as error:
            said = error.smtp_error.decode("utf-8", "replace") if isinstance(error.smtp_error, bytes) else ""
            told = f"the mail server answers {error.smtp_code} {visible(said)[:120]}"
            raise UpstreamError(told, retryable=400 <= error.smtp_code < 500) from error
        except (smtplib.SMTPException, OSError) as error:
            told = f"the mail server does not take it ({type(error).__name__})"
            raise UpstreamError(told, retryable=not isinstance(error, ssl.SSLError)) from error

    def _connection(self) -> smtplib.SMTP:
        host, port = self._server.hostname or "", self._server.port
        if self._server.scheme == "smtps":
            return smtplib.SMTP_SSL(host, port or 465, timeout=_SECONDS, context=ssl.create_default_context())
        return smtplib.SMTP(host, port or 587, timeout=_SECONDS)

    def _introduce(self, server: smtplib.SMTP) -> None:
        server.ehlo()
        if self._server.scheme == "smtp" and server.has_extn("starttls"):
            server.starttls(context=ssl.create_default_context())
        elif self._server.scheme == "smtp" and self._server.username and not is_loopback(self._server.hostname or ""):
            raise UpstreamError("the mail server offers no encryption, so no password is sent", retryable=False)
        if self._server.username:
            server.login(unquote(self._server.username), unquote(self._server.password or ""))
