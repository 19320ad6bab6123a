"""E-mail: HTML that fits a phone and plain text, in as many mails as mail programs show whole."""

import smtplib
import ssl
from collections.abc import Sequence
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from urllib.parse import unquote

from agent.domain.base import UpstreamError
from agent.markdown import visible
from gitzette.delivery.messages import Content, grouped, numbered
from gitzette.delivery.webhook import parsed
from gitzette.http_server import is_loopback
from gitzette.render.templating import html_page

_HTML = 90_000
"""Bytes of the HTML of one mail: Gmail cuts off what is behind 102 kB; docs/operations.md names the source."""
_FRAME, _TAGS = 2_500, 60
_SECONDS = 30
_SHAPE = "it holds no address such as smtps://user:password@mail.example.org:465"
_BEFORE = {"item": "- ", "code": "    "}


class Mail:
    """Hands mails to a server."""

    pause = 0.0

    def __init__(self, address: str, sender: str, to: Sequence[str], most: int | None) -> None:
        """Take `smtp://user:password@host:587` or `smtps://…:465`; the address may hold a secret and is not told."""
        self._server = parsed(address, "smtp", _SHAPE)
        self._sender, self._to, self._most = sender, tuple(to), most or _HTML

    def messages(self, content: Content) -> list[bytes]:
        """Write mails whose HTML is within the limit; they are cut between lines."""
        lines = list(zip(content.lines(), content.lines("html"), strict=True))
        groups = grouped(lines, lambda pair: len(pair[1][1].encode()) + _TAGS, self._most - _FRAME)
        return [self._mail(content, title, group) for title, group in numbered(content.title, groups)]

    def _mail(self, content: Content, title: str, lines: list[tuple[tuple[str, str], tuple[str, str]]]) -> bytes:
        mail = EmailMessage(policy=SMTP)
        mail["Subject"] = visible(title)
        mail["From"] = self._sender
        mail["To"] = ", ".join(self._to)
        mail["Auto-Submitted"] = "auto-generated"
        mail["Content-Language"] = content.page.lang
        texts = (f"{chr(10) if kind == 'heading' else ''}{_BEFORE.get(kind, '')}{text}" for (kind, text), _ in lines)
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
                self._introduce(server, len(mail))
                server.sendmail(self._sender, self._to, mail)
        except smtplib.SMTPRecipientsRefused as error:
            passing = all(code < 500 for code, _ in error.recipients.values())
            raise UpstreamError("the mail server refuses the recipients", retryable=passing) from error
        except smtplib.SMTPResponseException as error:
            said = error.smtp_error.decode("utf-8", "replace") if isinstance(error.smtp_error, bytes) else ""
            told = f"the mail server answers {error.smtp_code} {visible(said)[:120]}"
            raise UpstreamError(told, retryable=400 <= error.smtp_code < 500) from error
        except (smtplib.SMTPException, OSError) as error:
            told = f"the mail server cannot be reached ({type(error).__name__})"
            raise UpstreamError(told, retryable=not isinstance(error, ssl.SSLError)) from error

    def _connection(self) -> smtplib.SMTP:
        host = self._server.hostname or ""
        if self._server.scheme == "smtps":
            return smtplib.SMTP_SSL(
                host, self._server.port or 465, timeout=_SECONDS, context=ssl.create_default_context()
            )
        return smtplib.SMTP(host, self._server.port or 587, timeout=_SECONDS)

    def _introduce(self, server: smtplib.SMTP, size: int) -> None:
        server.ehlo()
        if self._server.scheme == "smtp" and server.has_extn("starttls"):
            server.starttls(context=ssl.create_default_context())
            server.ehlo()
        elif self._server.scheme == "smtp" and self._server.username and not is_loopback(self._server.hostname or ""):
            raise UpstreamError("the mail server offers no encryption, so no password is sent", retryable=False)
        most = server.esmtp_features.get("size", "")
        if most.isdecimal() and 0 < int(most) < size:
            raise UpstreamError(f"the mail has {size} bytes, its server takes {most}; set max_bytes", retryable=False)
        if self._server.username:
            server.login(unquote(self._server.username), unquote(self._server.password or ""))
