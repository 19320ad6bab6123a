"""The guard of requests, as ASGI middleware: it checks host, origin, token and sizes."""

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

_MAX_BODY_BYTES = 64 * 1_024
_MAX_PATH_BYTES = 2_048
_HEADERS = {
    "Content-Security-Policy": f"{POLICY}; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Guard:
    """Checks every request before the application sees it.

    Without a token only requests that name this machine as their host are answered.
    """

    def __init__(self, app: ASGIApp, *, token: str | None) -> None:
        self._app = app
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request that is refused, or hand it on; add the headers to either answer."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        refusal = None
        if scope["type"] == "http":
            refusal = self._refusal(Request(scope, receive))
        application = refusal or self._app
        await application(scope, receive, send_with_headers)

    def _refusal(self, request: Request) -> Response | None:
        """Return the answer to a request that must not be served, else None."""
        return (
            _path_refusal(request)
            or self._host_refusal(request)
            or _origin_refusal(request)
            or self._token_refusal(request)
            or _body_refusal(request)
        )

    def _host_refusal(self, request: Request) -> Response | None:
        try:
            address = urlsplit(f"//{request.headers.get('host', '')}")
            hostname = address.hostname
            _ = address.port  # Raises an error where it is not a number
        except ValueError:
            return PlainTextResponse("the Host header is not a host", 400)
        if self._token is None and not is_loopback(hostname or ""):
            return PlainTextResponse("open it by 127.0.0.1 or localhost", 421)
        return None

    def _token_refusal(self, request: Request) -> Response | None:
        if self._token is None:
            return None
        given = _given_token(request.headers.get("authorization", ""))
        if hmac.compare_digest(given, self._token.encode()):
            return None
        challenge = {"WWW-Authenticate": 'Basic realm="Gitzette"'}
        return PlainTextResponse(
            "a token is needed: give it as the password, with any name", 401, challenge
        )


def _path_refusal(request: Request) -> Response | None:
    path = request.scope.get("raw_path") or request.scope["path"].encode()
    if len(path) > _MAX_PATH_BYTES:
        return PlainTextResponse(f"a path may have {_MAX_PATH_BYTES} bytes", 414)
    return None


def _origin_refusal(request: Request) -> Response | None:
    """Refuse what a page of another site sends."""
    other_site = PlainTextResponse("not from another site", 403)
    origin = request.headers.get("origin")
    if origin is not None:
        try:
            origin_host = urlsplit(origin).netloc
        except ValueError:
            return other_site
        if origin_host != request.headers.get("host", ""):
            return other_site
    if not request.scope["path"].startswith("/api/"):
        return None
    if request.headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
        return other_site
    return None


def _body_refusal(request: Request) -> Response | None:
    if request.method != "POST":
        return None
    # A form of another site cannot send this type without asking first, and is then refused.
    content_type = request.headers.get("content-type", "").partition(";")[0].strip()
    if content_type != "application/json":
        return PlainTextResponse("send JSON", 415)
    length = request.headers.get("content-length", "")
    if length.isdecimal() and len(length) < 10 and int(length) <= _MAX_BODY_BYTES:
        return None
    return PlainTextResponse(
        f"a Content-Length of at most {_MAX_BODY_BYTES} bytes is required", 413
    )


def _given_token(authorization: str) -> bytes:
    """Return the token of a request, sent as a password by browsers or as a bearer token."""
    scheme, _, credentials = authorization.partition(" ")
    if scheme == "Basic":
        with suppress(ValueError):
            return b64decode(credentials, validate=True).partition(b":")[2]
    if scheme == "Bearer":
        return credentials.encode("utf-8", "replace")
    return b""
