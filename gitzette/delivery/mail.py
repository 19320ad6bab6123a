"""E-mail: the report as HTML and as text, in as many letters as mail programs show whole."""

import smtplib
import ssl
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from hashlib import sha256
from urllib.parse import SplitResult, unquote, urlsplit

from agent.errors import ConfigError, UpstreamError
from agent.markdown import visible
from gitzette.delivery.edition import Edition, Message, numbered
from gitzette.delivery.letter import Block, Piece
from gitzette.listening import is_loopback
from gitzette.render.html import environment, html_page

HTML = 90_000
"""Bytes of the HTML of one letter: Gmail cuts off what is behind 102 kB; docs/front-door.md names the source."""
_FRAME = 2_000
_SECONDS = 30


class Mail:
    """Hands letters to a mail server."""

    pause = 0.0

    def __init__(self, address: str, sender: str, to: Sequence[str], most: int = HTML) -> None:
        """Take `smtp://user:password@host:587` or `smtps://…:465`; the address may hold a secret and is not told."""
        self._server = _server(address)
        self._sender = sender
        self._to = tuple(to)
        self._most = most

    def messages(self, edition: Edition) -> list[Message]:
        """Write letters whose HTML is within the limit."""
        groups: list[list[Block]] = [[]]
        held = 0
        for block in (small for whole in edition.blocks for small in _small(whole, self._most - _FRAME)):
            size = _weight(block)
            if groups[-1] and held + size > self._most - _FRAME:
                groups.append([])
                held = 0
            groups[-1].append(block)
            held += size
        return [
            Message(part, len(groups), bytes(self._letter(edition, group, part, len(groups))))
            for part, group in enumerate(groups, start=1)
        ]

    def _letter(self, edition: Edition, blocks: Sequence[Block], part: int, parts: int) -> EmailMessage:
        title = numbered(edition.title, part, parts)
        mail = EmailMessage(policy=SMTP)
        mail["Subject"] = visible(title)
        mail["From"] = self._sender
        mail["To"] = ", ".join(self._to)
        text = "\n\n".join((title, *map(_as_text, blocks))) + "\n"
        name = sha256(text.encode("utf-8", errors="replace")).hexdigest()[:16]
        domain = self._sender.rpartition("@")[2].strip("> ")
        mail["Message-ID"] = f"<gitzette.{edition.label.replace('..', '-')}.{part}.{name}@{domain}>"
        mail["Auto-Submitted"] = "auto-generated"
        mail["Content-Language"] = edition.lang
        mail.set_content(text)
        page = html_page("mail.html", title=title, blocks=blocks, lang=edition.lang)
        mail.add_alternative(page, subtype="html")
        return mail

    def send(self, message: Message) -> None:
        """Hand one letter over, encrypted where the server can; a password never travels in the open."""
        date = format_datetime(datetime.now(UTC))
        letter = f"Date: {date}\r\n".encode() + message.body
        try:
            with self._connection() as server:
                self._introduce(server, len(letter))
                server.sendmail(self._bare_sender, self._to, letter)
        except smtplib.SMTPRecipientsRefused as error:
            codes = {code for code, _ in error.recipients.values()}
            raise UpstreamError("the mail server refuses the recipients", retryable=max(codes) < 500) from error
        except smtplib.SMTPResponseException as error:
            said = visible(_decoded(error.smtp_error))[:120]
            told = f"the mail server answers {error.smtp_code} {said}"
            raise UpstreamError(told, retryable=400 <= error.smtp_code < 500) from error
        except (smtplib.SMTPException, OSError) as error:
            told = f"the mail server cannot be reached ({type(error).__name__})"
            raise UpstreamError(told, retryable=not isinstance(error, ssl.SSLError)) from error

    @property
    def _bare_sender(self) -> str:
        return self._sender.rpartition("<")[2].strip("> ")

    def _connection(self) -> smtplib.SMTP:
        host, port = self._server.hostname or "", self._server.port
        if self._server.scheme == "smtps":
            return smtplib.SMTP_SSL(host, port or 465, timeout=_SECONDS, context=ssl.create_default_context())
        return smtplib.SMTP(host, port or 587, timeout=_SECONDS)

    def _introduce(self, server: smtplib.SMTP, size: int) -> None:
        server.ehlo()
        if self._server.scheme == "smtp" and server.has_extn("starttls"):
            server.starttls(context=ssl.create_default_context())
            server.ehlo()
        elif self._server.scheme == "smtp" and self._server.username and not is_loopback(self._server.hostname or ""):
            raise UpstreamError("the mail server offers no encryption, so no password is sent", retryable=False)
        most = server.esmtp_features.get("size", "")
        if most.isdecimal() and 0 < int(most) < size:
            raise UpstreamError(
                f"the letter has {size} bytes and the mail server takes {most}; set max_bytes", retryable=False
            )
        if self._server.username:
            server.login(unquote(self._server.username), unquote(self._server.password or ""))


def _server(address: str) -> SplitResult:
    try:
        server = urlsplit(address.strip())
        server.port  # noqa: B018 -- it is read here, where a wrong one can be told
    except ValueError as error:
        raise ConfigError("it holds no address such as smtps://user:password@mail.example.org:465") from error
    if server.scheme not in ("smtp", "smtps") or not server.hostname:
        raise ConfigError("it holds no address such as smtps://user:password@mail.example.org:465")
    return server


def _decoded(said: bytes | str) -> str:
    return said.decode("utf-8", errors="replace") if isinstance(said, bytes) else said


# ---------------------------------------------------------------- writing


def _weight(block: Block) -> int:
    module = environment().get_template("mail.html").make_module({"title": "", "blocks": (), "lang": ""})
    return len(str(module.element(block)).encode())


def _small(block: Block, room: int) -> Iterator[Block]:
    """Halve a paragraph until it fits into a letter."""
    if _weight(block) <= room:
        yield block
        return
    for pieces in _halves(block.pieces):
        yield from _small(Block(block.kind, pieces, block.level), room)


def _halves(pieces: tuple[Piece, ...]) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    if len(pieces) > 1:
        middle = len(pieces) // 2
        return pieces[:middle], pieces[middle:]
    (one,) = pieces
    middle = len(one.text) // 2
    first, second = (Piece(text, one.url, one.bold, one.code) for text in (one.text[:middle], one.text[middle:]))
    return (first,), (second,)


def _as_text(block: Block) -> str:
    words = "".join(f"{piece.text} <{piece.url}>" if piece.url else piece.text for piece in block.pieces)
    if block.kind == "heading":
        return f"{words}\n{'=' if block.level <= 2 else '-'}{'=' * 20 if block.level <= 2 else '-' * 20}"
    if block.kind == "code":
        return "\n".join(f"    {line}" for line in block.text.split("\n"))
    return {"item": f"- {words}", "quote": f"> {words}"}.get(block.kind, words)
