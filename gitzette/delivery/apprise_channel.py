"""Sends reports through Apprise to chats and push services that Gitzette has no channel for.

Apprise knows the protocols. It does not escape what people wrote, and it says of a failure no
more than that there was one, so both are done here.
"""

import json
import logging
import re
from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

from markupsafe import Markup, escape

from agent.domain.errors import ConfigError, MissingPackages, UpstreamError
from agent.markdown import code, escaped, inline, visible
from gitzette.delivery.message_content import (
    Content,
    Line,
    MessagePart,
    grouped,
    line_or_ellipsis,
    numbered,
)
from gitzette.render.templating import verbatim

_PAUSE_SECONDS = 1.5  # Between two messages
_RETRYABLE_STATUSES = (408, 425, 429)
_SERVER_ERROR = 500
_STATUS = re.compile(r"\berror=(\d{3})\b")  # In what the services that we allow log of a refusal
# Options of an address that would change what is sent, send it twice, or hide that it failed.
_REFUSED_OPTIONS = {"emojis", "format", "optional", "overflow", "retry", "template", "wait"}

_EMOJI = re.compile(r"(\\.|(`+).+?\2)|:(?=[\w+-]+:)")  # Or what cannot hold one: code, escapes
_BLOCK_SIGN = re.compile(r"^[#+-]")  # It begins a heading or a list
_MENTION = re.compile(r"@(?=\w)")
_SEPARATED_MENTION = "@\u200b"  # A space without width: it looks the same, and mentions nobody
# What a chat makes a link of by itself: an address, a host, a mention, a hashtag, a command.
_LINKED_BY_CHATS = re.compile(r"\w\.[^\W\d_]{2,}|://|@\w|(?<!\w)[#/$]\w")


def _bytes_in(text: str) -> int:
    return len(text.encode("utf-8", errors="replace"))


class _Service(NamedTuple):
    """The form in which a service of Apprise reads a message."""

    write: Callable[[Content], list[str]]  # Returns the lines of a report
    title: Callable[[str], str] | None  # Returns the first line; None if a title is sent apart
    max_size: int  # Of a message
    size: Callable[[str], int] = len  # Counts characters or bytes
    body_format: str | None = None  # What Apprise reads and adapts; None for nothing


# ---------------------------------------------------------------- Markdown


def _markdown(words: str) -> str:
    """Return words without effect in Markdown; spaces around them are part of the sentence."""
    text = verbatim(words)
    safe = _EMOJI.sub(lambda match: match[1] or r"\:", inline(text))
    safe = _BLOCK_SIGN.sub(r"\\\g<0>", safe)
    return _with_spaces_of(text, safe)


def _markdown_without_code(words: str) -> str:
    """Return words for a service that does not know code: what stands in it would have effect."""
    return _BLOCK_SIGN.sub(r"\\\g<0>", escaped(verbatim(words)))


def _with_spaces_of(text: str, stripped: str) -> str:
    start = " " if text[:1].isspace() else ""
    end = " " if text[-1:].isspace() and text.strip() else ""
    return f"{start}{stripped}{end}"


def _target(url: str) -> str:
    return url.replace("(", "%28").replace(")", "%29").replace(" ", "%20")


def _target_without_preview(url: str) -> str:
    """Return an address of which Discord shows no picture of the page below the message."""
    return f"<{_target(url).replace('<', '%3C').replace('>', '%3E')}>"


def _markdown_lines(content: Content, **filters: Callable[..., str]) -> list[str]:
    prefixes = {"heading": "\n", "item": "- "}
    lines = []
    for line in content.lines("markdown", **filters):
        lines.append(f"{prefixes.get(line.kind, '')}{line.words.rstrip()}\n")
    return lines


def _discord_lines(content: Content) -> list[str]:
    return _markdown_lines(content, md=_markdown, md_code=code, target=_target_without_preview)


def _mattermost_lines(content: Content) -> list[str]:
    return _markdown_lines(content, md=_markdown, md_code=code, target=_target)


def _teams_lines(content: Content) -> list[str]:
    lines = _markdown_lines(
        content,
        md=_markdown_without_code,
        md_code=_markdown_without_code,
        target=_target,
    )
    return [f"{line}\n" for line in lines]  # A card reads a single line break as a space


def _markdown_title(title: str) -> str:
    return f"**{_markdown(title)}**\n"


def _teams_title(title: str) -> str:
    return f"**{_markdown_without_code(title)}**\n\n"


# ---------------------------------------------------------------- HTML


def _chat_code(words: str) -> str:
    return _MENTION.sub(_SEPARATED_MENTION, verbatim(words))


def _chat_text(words: str) -> Markup:
    """Return words as HTML in which a chat finds no link, mention, hashtag or command."""
    html = Markup()
    for piece in re.split(r"(\s+)", verbatim(words)):
        safe = escape(_chat_code(piece))
        html += Markup("<code>{}</code>").format(safe) if _LINKED_BY_CHATS.search(piece) else safe
    return html


def _chat_lines(content: Content) -> list[str]:
    prefixes = {"item": "• "}
    lines = []
    for line in content.lines("chat", chat_text=_chat_text, chat_code=_chat_code):
        lines.append(f"<p>{prefixes.get(line.kind, '')}{line.words.strip()}</p>")
    return lines


def _chat_title(title: str) -> str:
    return f"<p><b>{escape(_chat_code(title))}</b></p>"


# ---------------------------------------------------------------- plain text


def _plain_lines(content: Content) -> list[str]:
    return [_plain_line(line) for line in content.lines()]


def _plain_line(line: Line) -> str:
    prefixes = {"heading": "\n", "item": "• "}
    return f"{prefixes.get(line.kind, '')}{line.words}\n"


_DISCORD = _Service(_discord_lines, _markdown_title, max_size=1_950)
_MATTERMOST = _Service(_mattermost_lines, _markdown_title, max_size=3_900)
_TEAMS = _Service(_teams_lines, _teams_title, max_size=20_000, size=_bytes_in)
_TELEGRAM = _Service(_chat_lines, _chat_title, max_size=4_000, body_format="html")
_MATRIX = _Service(_chat_lines, _chat_title, max_size=20_000, size=_bytes_in, body_format="html")
_NTFY = _Service(_plain_lines, None, max_size=3_900, size=_bytes_in)
_GOTIFY = _Service(_plain_lines, None, max_size=20_000)

_SERVICES = {
    "discord": _DISCORD,
    "gotify": _GOTIFY,
    "matrix": _MATRIX,
    "mmost": _MATTERMOST,
    "ntfy": _NTFY,
    "tgram": _TELEGRAM,
    "workflows": _TEAMS,
}
"""The services that tests have sent hostile words to, by the scheme of their addresses."""


class AppriseChannel:
    """Sends messages to one address of Apprise, which is a secret: no error names it."""

    pause = _PAUSE_SECONDS
    sends_whole_report = False

    def __init__(self, address: str) -> None:
        self._apprise = _library()
        _check_options(address)
        asset = self._apprise.AppriseAsset(
            app_id="Gitzette",
            app_desc="Gitzette",
            app_url="",
            image_url_mask="",  # By default, every message shows a picture of Apprise's
            image_url_logo="",
            async_mode=False,
        )
        self._sender = self._apprise.Apprise.instantiate(address, asset=asset)
        if self._sender is None:
            raise ConfigError(
                "it holds no address such as discord://WEBHOOK_ID/WEBHOOK_TOKEN; "
                "docs/operations.md has one for each service"
            )
        names = self._sender.schemas() & _SERVICES.keys()
        if not names:
            raise ConfigError(
                f"nobody has checked how {self._sender.service_name} reads foreign words; "
                f"use one of {', '.join(_SERVICES)}, or the kind webhook"
            )
        self._service = _SERVICES[names.pop()]
        # The pause between messages is that of the delivery, which tests can skip.
        self._sender.request_rate_per_sec = 0

    def messages(self, content: Content) -> list[bytes]:
        """Return the messages of a report, each with as many lines as the service accepts."""
        service = self._service
        title_size = service.size(self._written_title(f"{content.title} (99/99)"))
        max_size = service.max_size - title_size
        lines = []
        for line in service.write(content):
            lines.append(line_or_ellipsis(line, max_size, service.size, left_out="…\n"))
        parts = numbered(content.title, grouped(lines, service.size, max_size))
        return [self._message(part) for part in parts]

    def _message(self, part: MessagePart[str]) -> bytes:
        body = "".join(part.values).rstrip()
        if self._service.title is None:
            message = {"title": visible(part.title), "body": body}
        else:
            message = {"title": "", "body": self._written_title(part.title) + body}
        return json.dumps(message).encode()

    def _written_title(self, title: str) -> str:
        if self._service.title is None:
            return ""  # It is not a part of the body
        return self._service.title(title)

    def send(self, message: bytes, key: str) -> None:
        """Send a message; raise an error that says whether to try again."""
        del key  # No service can be asked whether it has a message already
        service = self._apprise.Apprise(asset=self._sender.asset)
        service.add(self._sender)
        result = service.notify(body_format=self._service.body_format, **json.loads(message))
        if result:
            return
        name = self._sender.service_name
        statuses = [match[1] for match in map(_STATUS.search, _log_lines(result)) if match]
        if not statuses:
            raise UpstreamError(
                f"{name} cannot be reached or does not take the message; "
                "check the channel's address and the network",
                retryable=True,
            )
        status = int(statuses[-1])
        is_retryable = status >= _SERVER_ERROR or status in _RETRYABLE_STATUSES
        advice = "" if is_retryable else "; is the address still right?"
        raise UpstreamError(f"{name} answers HTTP {status}{advice}", retryable=is_retryable)


def _log_lines(result: Any) -> list[str]:
    return [str(entry.message) for entry in result.logs()]


def _library() -> Any:
    """Return the package, kept from writing to the terminal: it logs addresses."""
    try:
        apprise = import_module("apprise")
    except ModuleNotFoundError as error:
        raise MissingPackages("the kind apprise", extra="apprise") from error
    log = logging.getLogger("apprise")
    log.propagate = False
    if not log.handlers:
        log.addHandler(logging.NullHandler())
    return apprise


def _check_options(address: str) -> None:
    try:
        query = urlsplit(address).query
    except ValueError as error:
        raise ConfigError("it holds no address") from error
    for name, _ in parse_qsl(query, keep_blank_values=True):
        if name.lower() in _REFUSED_OPTIONS:
            raise ConfigError(f"leave the option {name} out: Gitzette sees to it")
