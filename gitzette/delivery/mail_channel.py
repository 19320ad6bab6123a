"""The channel by e-mail, over SMTP. docs/operations.md names the sources of the limits."""

import smtplib
import ssl
from collections.abc import Sequence
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from typing import NamedTuple
from urllib.parse import unquote

from agent.domain.errors import UpstreamError
from agent.markdown import visible
from gitzette.delivery.channel_address import parsed_address
from gitzette.delivery.message_content import Content, Line, MessagePart, grouped, numbered
from gitzette.http_server import is_loopback
from gitzette.render.templating import html_page

_TIMEOUT_SECONDS = 20
_MAX_QUOTED_ANSWER = 120  # Characters of a server's answer in an error
_BYTES = 90_000  # Of the HTML of a mail; Gmail cuts it off after 102 kB
_FRAME_BYTES = 2_500  # Around the lines of a mail
_LINE_FRAME_BYTES = 60  # The tags around a line


class _MailLine(NamedTuple):
    """A line of a mail, as plain text and as HTML."""

    text: str
    html: Line


class MailChannel:
    """Sends mails with HTML and plain text; a long report takes several of them."""

    pause = 0.0
    sends_whole_report = False

    def __init__(self, address: str, sender: str, to: Sequence[str]) -> None:
        self._server = parsed_address(
            address,
            "smtp",
            "it holds no address such as smtps://user:password@mail.example.org:465",
        )
        self._sender = sender
        self._to = tuple(to)

    def messages(self, content: Content) -> list[bytes]:
        """Return a report as messages, each within the limits of the receiver."""
        prefixes = {"heading": "\n", "item": "- "}
        lines = []
        for line, html_line in zip(content.lines(), content.lines("html"), strict=True):
            text = f"{prefixes.get(line.kind, '')}{line.words}"
            lines.append(_MailLine(text, html_line))
        groups = grouped(
            lines,
            lambda line: len(line.html.words.encode()) + _LINE_FRAME_BYTES,
            _BYTES - _FRAME_BYTES,
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
        """Send one mail; its id is made of the key."""
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
