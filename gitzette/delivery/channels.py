"""What is sent of a report, by webhooks, Slack, Feishu and e-mail; docs/operations.md names the sources of limits."""

import base64
import hmac
import json
import re
import smtplib
import ssl
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from functools import cached_property
from hashlib import sha256
from html import escape
from typing import Any, TypeVar
from urllib.parse import SplitResult, unquote, urlsplit

import httpx

from agent.domain.base import ConfigError, UpstreamError
from agent.languages import writing_of
from agent.markdown import visible
from agent.reports.page import PageModel
from agent.reports.stored import to_json
from agent.settings.values import Delivery
from agent.web import Web
from gitzette.http_server import is_loopback
from gitzette.render.templating import day_path, filled, html_page, made_environment, verbatim

T = TypeVar("T")
_CODE = re.compile(r"`([^`]+)`")
_MOST_LEAD, _MOST_WORDS = (
    100,
    500,
)  # Characters of the lead in a title, and of words between two links of a line
_SECONDS, _READ, _LATER = 20, 4_096, (408, 425, 429)
HOOK_BYTES, _HOOK_FRAME = 1_000_000, 1_000
"""Bytes of a message to a webhook, and of what stands around its text; many servers take no more than 1 MiB."""
_SECTION, _SECTIONS = (
    3_000,
    50,
)  # Characters of a section's text, and sections of a message to Slack
_SLACK_BYTES, _SLACK_FRAME = 11_000, 80
"""Bytes of all its sections beside the title, which Slack does not document, and of what stands around one."""
# What Slack would read as emphasis, code or an emoji; a word that has it is shown as code, where nothing is read.
_LIVE = re.compile(r"(?<!\w)[*_~]|[*_~](?!\w)|`|:[\w+'-]+:")
_FEISHU_BYTES, _LINE = (
    18_900,
    4_500,
)  # Bytes of the lines of a message to Feishu, and characters of one line
_BUSY = (11232, 99991400, 1000004)  # Codes by which Feishu says: too many requests, try again
_HTML, _MAIL_FRAME, _TAGS = (
    90_000,
    2_500,
    60,
)  # Bytes of the HTML of one mail: Gmail cuts off what is behind 102 kB


@dataclass(frozen=True)
class Content:
    """A report as it is sent in one language: its brief and headlines, or to programs the `whole` of it."""

    page: PageModel
    web: Web
    site_url: str | None = None
    whole: bool = False

    @property
    def url(self) -> str:
        """Give the address of the report on the site; empty where there is no site."""
        return (
            f"{self.site_url}/{self.page.lang}/{day_path(self.page.report.window.label)}"
            if self.site_url
            else ""
        )

    @cached_property
    def title(self) -> str:
        """The news of the day, its scale and the day, for subjects and first lines."""
        lead = visible(_CODE.sub(r"\1", self.page.lead)).rstrip(".。")
        if len(lead) > _MOST_LEAD:
            lead = f"{lead[: _MOST_LEAD - 1].rstrip()}…"
        edition = f"Gitzette {self.page.report.window.label}"
        pieces = (lead, visible(self.page.scale), edition)
        return " · ".join(piece for piece in pieces if piece)

    @cached_property
    def fingerprint(self) -> str:
        """Name what is said: words, links and language; not what a report says of its own making."""
        page = replace(self.page, account=("",))
        said = filled("digest.md", page.lang, self.web, page=page) if self.whole else self.lines()
        return sha256(
            repr((self.page.lang, self.title, said)).encode("utf-8", "replace")
        ).hexdigest()[:32]

    def lines(self, channel: str = "text", **filters: Callable[..., str]) -> list[tuple[str, str]]:
        """List the kind and the words of each line, as a channel writes words: its filters make them harmless."""
        made, lines = made_environment(autoescape=channel == "html"), list[tuple[str, str]]()
        made.filters |= {"spans": _spans, "clean": verbatim} | filters
        values = {"page": self.page, "web": self.web, "site": self.site_url, "url": self.url}
        values |= {
            "c": made.get_template(f"message_{channel}.jinja").module,
            "add": lambda *line: lines.append(line),
        }
        made.get_template("message.jinja").render(values)
        return lines


def _spans(text: str) -> Iterator[tuple[bool, str]]:
    """Part a line in which backticks mean code; words that are too long are cut."""
    for at, piece in enumerate(_CODE.split(text)):
        if piece:
            yield at % 2 == 1, piece if len(piece) <= _MOST_WORDS else f"{piece[:_MOST_WORDS]}…"


def _grouped(
    values: Sequence[T], size: Callable[[T], int], limit: int, most: int | None = None
) -> list[list[T]]:
    """Put values into as few groups as possible, none larger than `limit` nor of more than `most` values."""
    groups, held = list[list[T]]([[]]), 0
    for value in values:
        if groups[-1] and (held + size(value) > limit or len(groups[-1]) == most):
            groups.append([])
            held = 0
        groups[-1].append(value)
        held += size(value)
    return groups


def _numbered(title: str, groups: list[list[T]]) -> Iterator[tuple[str, list[T]]]:
    for at, one in enumerate(groups, start=1):
        yield f"{title} ({at}/{len(groups)})" if len(groups) > 1 else title, one


def _parsed(address: str, scheme: str, told: str) -> SplitResult:
    with suppress(ValueError):
        parts = urlsplit(address)
        if parts.scheme in (scheme, f"{scheme}s") and parts.hostname and parts.port != 0:
            return parts
    raise ConfigError(told)


def _dumped(data: Any) -> bytes:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode(
        "utf-8", errors="replace"
    )


class _HttpChannel:
    """Posts to one address, which is a secret: no error names it."""

    pause = 0.0  # Seconds between two messages
    friendly: tuple[str, ...] | None = (
        None  # What an answer may say; anything where nothing is named
    )

    def __init__(self, address: str, secret: str, clock: Callable[[], float]) -> None:
        self._url = _parsed(address, "http", "it holds no http(s) address").geturl()
        self._secret, self._clock = secret, clock

    def send(self, message: bytes, key: str) -> None:
        body, more = self._signed(message, key)
        head = {"Content-Type": "application/json; charset=utf-8", "User-Agent": "gitzette"} | more
        try:
            with httpx.stream(
                "POST", self._url, content=body, headers=head, timeout=_SECONDS
            ) as response:
                said = next(response.iter_bytes(_READ), b"").decode("utf-8", errors="replace")
        except (httpx.RequestError, httpx.InvalidURL) as error:
            raise UpstreamError(
                f"the receiver cannot be reached ({type(error).__name__})", retryable=True
            ) from error
        later = response.status_code in _LATER or response.is_server_error
        if (again := self._fault(said) if response.is_success else later) is not None:
            asked = response.headers.get("retry-after", "")
            wait = float(asked) if asked.isdecimal() and len(asked) < 7 else None
            told = (
                f"the receiver answers HTTP {response.status_code} {visible(said)[:120]}".rstrip()
            )
            raise UpstreamError(told, retryable=again, retry_after=wait)

    def _signed(self, message: bytes, key: str) -> tuple[bytes, dict[str, str]]:
        return message, {"Idempotency-Key": key}

    def _fault(self, said: str) -> bool | None:
        """Read an answer: None if all is well, else whether to try again."""
        return None if self.friendly is None or said.strip() in self.friendly else False


class _Webhook(_HttpChannel):
    """Posts Markdown in parts; the report as data comes along where one message can hold both."""

    def messages(self, content: Content) -> list[bytes]:
        room = HOOK_BYTES - _HOOK_FRAME - len(_dumped(content.title))
        lines = filled("digest.md", content.page.lang, content.web, page=content.page).splitlines(
            keepends=True
        )
        texts = ["".join(group) for group in _grouped(lines, lambda text: len(_dumped(text)), room)]
        head = {
            "format": 1,
            "event": "report",
            "title": content.title,
            "date": content.page.report.window.label,
        }
        head |= {
            "lang": content.page.lang,
            "url": content.url or None,
            "parts": len(texts),
            "report": None,
        }
        parts = [
            head | {"part": part, "markdown": text} for part, text in enumerate(texts, start=1)
        ]
        whole = _dumped(parts[0] | {"report": to_json(content.page.report)})
        return (
            [whole] if len(parts) == 1 and len(whole) <= HOOK_BYTES else list(map(_dumped, parts))
        )

    def _signed(self, message: bytes, key: str) -> tuple[bytes, dict[str, str]]:
        headers = {"Idempotency-Key": key, "X-Gitzette-Event": "report"}
        if self._secret:
            signed = hmac.new(self._secret.encode(), message, sha256).hexdigest()
            headers["X-Gitzette-Signature"] = f"sha256={signed}"
        return message, headers


class _Slack(_HttpChannel):
    """Posts sections of mrkdwn through an incoming webhook; foreign words are only words."""

    pause, friendly = 1.0, ("ok", "")

    def messages(self, content: Content) -> list[bytes]:
        before, made = {"heading": "\n", "item": "• "}, list[bytes]()
        written = content.lines("slack", mrkdwn=_mrkdwn, mrkdwn_code=_mrkdwn_code)
        lines = [
            f"{before.get(kind, '')}{words if len(words) < _SECTION else '…'}"
            for kind, words in written
        ]
        sections = [
            "\n".join(group) for group in _grouped(lines, lambda line: len(line) + 1, _SECTION)
        ]
        groups = _grouped(
            sections, lambda text: len(_dumped(text)) + _SLACK_FRAME, _SLACK_BYTES, _SECTIONS - 1
        )
        for title, group in _numbered(content.title, groups):
            texts = [
                {"type": "mrkdwn", "text": text, "verbatim": True}
                for text in (_mrkdwn(title, "*"), *group)
            ]
            head = {
                "text": escape(title, quote=False),
                "unfurl_links": False,
                "unfurl_media": False,
            }
            made.append(
                _dumped(head | {"blocks": [{"type": "section", "text": text} for text in texts]})
            )
        return made


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


class _Feishu(_HttpChannel):
    """Posts rich text through a custom bot; its words are data and never read as markup."""

    pause = 0.6

    def messages(self, content: Content) -> list[bytes]:
        signs = {"heading": '{"tag":"text","text":"▌"},', "item": '{"tag":"text","text":"• "},'}
        written = content.lines("feishu", unnamed=_unnamed)
        lines = [
            f"[{signs.get(kind, '')}{words.rstrip(',')}]"
            for kind, words in written
            if len(words) < _LINE
        ]
        lang = writing_of(content.page.lang).locale
        title = _unnamed(content.title)
        groups = _grouped(
            lines, lambda line: len(line.encode()) + 1, _FEISHU_BYTES - len(_dumped(title))
        )
        posts = [
            {"title": told, "content": list(map(json.loads, group))}
            for told, group in _numbered(title, groups)
        ]
        return [_dumped({"msg_type": "post", "content": {"post": {lang: post}}}) for post in posts]

    def _signed(self, message: bytes, key: str) -> tuple[bytes, dict[str, str]]:
        if self._secret:
            moment = str(int(self._clock()))
            # The moment and the secret are the key, and nothing is what is signed.
            signed = hmac.new(f"{moment}\n{self._secret}".encode(), b"", sha256).digest()
            message = _dumped(
                {"timestamp": moment, "sign": base64.b64encode(signed).decode()}
                | json.loads(message)
            )
        return super()._signed(message, key)

    def _fault(self, said: str) -> bool | None:
        """Read the code of an answer, which is 200 also for failures; older bots spell the code with capitals."""
        try:
            data = json.loads(said)
        except ValueError:
            return False
        code = data.get("code", data.get("StatusCode")) if isinstance(data, dict) else None
        return None if code == 0 else code in _BUSY


def _unnamed(words: str) -> str:
    """Name nobody, as plain texts of this service can."""
    return verbatim(words).replace("<at", "< at").replace("</at", "</ at")


class _Mail:
    """Hands mails to a server: HTML that fits a phone and plain text, in as many mails as mail programs show whole."""

    pause = 0.0

    def __init__(self, address: str, sender: str, to: Sequence[str]) -> None:
        self._server = _parsed(
            address,
            "smtp",
            "it holds no address such as smtps://user:password@mail.example.org:465",
        )
        self._sender, self._to = sender, tuple(to)

    def messages(self, content: Content) -> list[bytes]:
        before, made = {"heading": "\n", "item": "- "}, list[bytes]()
        pairs = list(zip(content.lines(), content.lines("html"), strict=True))
        groups = _grouped(pairs, lambda pair: len(pair[1][1].encode()) + _TAGS, _HTML - _MAIL_FRAME)
        for title, group in _numbered(content.title, groups):
            mail = EmailMessage(policy=SMTP)
            head = {"Subject": visible(title), "From": self._sender, "To": ", ".join(self._to)}
            for name, value in (head | {"Auto-Submitted": "auto-generated"}).items():
                mail[name] = value
            texts = "\n".join(f"{before.get(kind, '')}{text}" for (kind, text), _ in group)
            mail.set_content(f"{title}\n\n{texts}\n")
            html = html_page(
                "mail.html", lang=content.page.lang, title=title, lines=[html for _, html in group]
            )
            mail.add_alternative(html, subtype="html")
            made.append(bytes(mail))
        return made

    def send(self, message: bytes, key: str) -> None:
        name = f"<gitzette.{key}@{self._sender.rpartition('@')[2]}>"
        mail = (
            f"Date: {format_datetime(datetime.now(UTC))}\r\nMessage-ID: {name}\r\n".encode()
            + message
        )
        try:
            with self._introduced() as server:
                server.sendmail(self._sender, self._to, mail)
        except smtplib.SMTPResponseException as error:
            said = (
                error.smtp_error.decode("utf-8", "replace")
                if isinstance(error.smtp_error, bytes)
                else ""
            )
            told = f"the mail server answers {error.smtp_code} {visible(said)[:120]}"
            raise UpstreamError(told, retryable=400 <= error.smtp_code < 500) from error
        except (smtplib.SMTPException, OSError) as error:
            told = f"the mail server does not take it ({type(error).__name__})"
            raise UpstreamError(told, retryable=not isinstance(error, ssl.SSLError)) from error

    def _introduced(self) -> smtplib.SMTP:
        host, port, user = self._server.hostname or "", self._server.port, self._server.username
        secure = ssl.create_default_context()
        if self._server.scheme == "smtps":
            server: smtplib.SMTP = smtplib.SMTP_SSL(
                host, port or 465, timeout=_SECONDS, context=secure
            )
        else:
            server = smtplib.SMTP(host, port or 587, timeout=_SECONDS)
            # A server that offers no encryption is refused: no password travels in the open.
            if not is_loopback(host):
                server.starttls(context=secure)
        if user:
            server.login(unquote(user), unquote(self._server.password or ""))
        return server


_KINDS: dict[str, type[_Slack | _Feishu | _Webhook]] = {
    "slack": _Slack,
    "feishu": _Feishu,
    "webhook": _Webhook,
}
Channel = _Mail | _Slack | _Feishu | _Webhook


def channel_of(spec: Delivery, environ: Mapping[str, str], clock: Callable[[], float]) -> Channel:
    """Open a channel; an error names the variable that is wrong, never its value."""
    address, secret = (
        environ.get(name or "", "").strip() for name in (spec.address_env, spec.secret_env)
    )
    for name, value in ((spec.address_env, address), (spec.secret_env, secret)):
        if name and not value:
            raise ConfigError(f"the variable {name} is not set")
    try:
        mail = spec.kind == "email"
        return (
            _Mail(address, spec.sender, spec.to)
            if mail
            else _KINDS[spec.kind](address, secret, clock)
        )
    except ConfigError as error:
        raise ConfigError(f"{spec.address_env}: {error}") from error
