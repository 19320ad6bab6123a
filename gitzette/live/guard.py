"""Who may ask the live page for what: hosts, origins, the token, how often, how much; and what every answer forbids."""

import hmac
import time
from collections import deque
from collections.abc import Callable
from hashlib import sha256
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gitzette.http_server import is_loopback
from gitzette.site.pages import POLICY

COOKIE = "gitzette"
LARGEST = 64 * 1_024
_HEADERS = {
    "Content-Security-Policy": f"{POLICY}; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Pace:
    """So many requests a minute from one address, counted over the last minute."""

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._clock = clock
        self._seen: dict[str, deque[float]] = {}

    def wait(self, who: str) -> int:
        """Count a request; give for how many seconds it comes too early."""
        now = self._clock()
        seen = self._seen.setdefault(who, deque())
        while seen and seen[0] <= now - 60:
            seen.popleft()
        if len(seen) >= self._most:
            return max(1, int(seen[0] + 60 - now) + 1)
        seen.append(now)
        if len(self._seen) > 10_000:
            self._seen = {one: times for one, times in self._seen.items() if times and times[-1] > now - 60}
        return 0


class Guard:
    """Stands in front of the whole application."""

    def __init__(self, app: ASGIApp, *, token: str | None, asks: Pace, others: Pace) -> None:
        """Without a token only names of this machine are answered to, so that no other page can reach in."""
        self._app = app
        self._token = token
        self._asks = asks
        self._others = others

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer what is refused, and put the same headers on everything."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [
                    *message.get("headers", ()),
                    *((name.lower().encode(), value.encode()) for name, value in _HEADERS.items()),
                ]
            await send(message)

        refused = self._refused(Request(scope, receive))
        await (refused or self._app)(scope, receive, sending)

    def _refused(self, request: Request) -> Response | None:
        if request.method not in ("GET", "HEAD", "POST"):
            return PlainTextResponse("only GET and POST here", 405)
        pace = self._asks if request.method == "POST" and _path(request) == "/api/ask" else self._others
        if wait := pace.wait(request.client.host if request.client else ""):
            return PlainTextResponse("too many requests; wait a little", 429, {"Retry-After": str(wait)})
        return self._strange(request) or self._unknown(request)

    def _strange(self, request: Request) -> Response | None:
        """Refuse what another site makes a browser send."""
        host = request.headers.get("host", "")
        if self._token is None and not is_loopback(urlsplit(f"//{host}").hostname or ""):
            return PlainTextResponse("open it by 127.0.0.1 or localhost", 421)
        origin = request.headers.get("origin")
        api = _path(request).startswith("/api/")
        if origin is not None and urlsplit(origin).netloc != host:
            return PlainTextResponse("not from another site", 403)
        if api and request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return PlainTextResponse("not from another site", 403)
        if request.method == "POST":
            # A form of another site cannot send this kind without asking first, and is then refused.
            if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
                return PlainTextResponse("send JSON", 415)
            length = request.headers.get("content-length", "")
            if not length.isdecimal():
                return PlainTextResponse("say how long it is", 411)
            if len(length) > 9 or int(length) > LARGEST:
                return PlainTextResponse(f"at most {LARGEST} bytes", 413)
        return None

    def _unknown(self, request: Request) -> Response | None:
        """Ask for the token: once in the address, which then becomes a cookie, or in a header."""
        if self._token is None:
            return None
        mark = sha256(self._token.encode()).hexdigest()
        if _same(request.cookies.get(COOKIE, ""), mark):
            return None
        if _same(request.headers.get("authorization", "").removeprefix("Bearer "), self._token):
            return None
        if request.method == "GET" and _same(request.query_params.get("token", ""), self._token):
            # A path that begins with two slashes would lead to another host.
            entering = RedirectResponse(f"/{_path(request).lstrip('/')}", 303)
            entering.set_cookie(COOKIE, mark, httponly=True, samesite="strict", max_age=30 * 86_400)
            return entering
        return PlainTextResponse("a token is needed: open the address with ?token=…", 401)


def _path(request: Request) -> str:
    # As the routes see it: the address of a request is read otherwise where its path begins with two slashes.
    return str(request.scope["path"])


def _same(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), wanted.encode())
