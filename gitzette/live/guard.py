"""Who may ask the live page for what: hosts, origins, the token, how much; and what every answer forbids."""

import hmac
from base64 import b64decode
from contextlib import suppress
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gitzette.http_server import is_loopback
from gitzette.site.pages import POLICY

_LARGEST = 64 * 1_024
_HEADERS = {
    "Content-Security-Policy": f"{POLICY}; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Guard:
    """Stands in front of the application; without a token it answers only to names of this machine."""

    def __init__(self, app: ASGIApp, *, token: str | None) -> None:
        self._app, self._token = app, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer what is refused, and put the same headers on everything."""

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        refused = self._refused(Request(scope, receive)) if scope["type"] == "http" else None
        await (refused or self._app)(scope, receive, sending)

    def _refused(self, request: Request) -> Response | None:
        head = request.headers
        host, origin = head.get("host", ""), head.get("origin")
        if self._token is None and not is_loopback(urlsplit(f"//{host}").hostname or ""):
            return PlainTextResponse("open it by 127.0.0.1 or localhost", 421)
        site = (
            head.get("sec-fetch-site", "none")
            if request.scope["path"].startswith("/api/")
            else "none"
        )
        if (origin is not None and urlsplit(origin).netloc != host) or site not in (
            "same-origin",
            "none",
        ):
            return PlainTextResponse("not from another site", 403)
        if self._token and not hmac.compare_digest(
            _given(head.get("authorization", "")), self._token.encode()
        ):
            asked = {"WWW-Authenticate": 'Basic realm="Gitzette"'}
            return PlainTextResponse(
                "a token is needed: give it as the password, with any name", 401, asked
            )
        if request.method != "POST":
            return None
        # A form of another site cannot send this kind without asking first, and is then refused.
        if head.get("content-type", "").partition(";")[0].strip() != "application/json":
            return PlainTextResponse("send JSON", 415)
        length = head.get("content-length", "")
        short = length.isdecimal() and len(length) < 10 and int(length) <= _LARGEST
        return (
            None
            if short
            else PlainTextResponse(f"at most {_LARGEST} bytes, and say how long it is", 413)
        )


def _given(authorization: str) -> bytes:
    """Read the token from the header that browsers and programs send: a password, or a bearer token."""
    kind, _, sent = authorization.partition(" ")
    if kind == "Basic":
        with suppress(ValueError):
            return b64decode(sent, validate=True).partition(b":")[2]
    return sent.encode("utf-8", "replace") if kind == "Bearer" else b""
