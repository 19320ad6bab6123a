"""Who may ask the live page for what: hosts, origins, the token, how much; and what every answer forbids."""

import hmac
from hashlib import sha256
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gitzette.http_server import is_loopback
from gitzette.site.pages import POLICY

_LARGEST = 64 * 1_024
_COOKIE = "gitzette"
_HEADERS = {
    "Content-Security-Policy": f"{POLICY}; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Guard:
    """Stands in front of the whole application."""

    def __init__(self, app: ASGIApp, *, token: str | None) -> None:
        """Without a token only names of this machine are answered to, so that no other page can reach in."""
        self._app, self._token = app, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer what is refused, and put the same headers on everything."""

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                ours = [(name.lower().encode(), value.encode()) for name, value in _HEADERS.items()]
                message["headers"] = [*message.get("headers", ()), *ours]
            await send(message)

        refused = self._refused(Request(scope, receive)) if scope["type"] == "http" else None
        await (refused or self._app)(scope, receive, sending)

    def _refused(self, request: Request) -> Response | None:
        if request.method not in ("GET", "HEAD", "POST"):
            return PlainTextResponse("only GET and POST here", 405)
        # The path as the routes see it: an address is read otherwise where its path begins with two slashes.
        return self._strange(request, request.scope["path"]) or self._unknown(request, request.scope["path"])

    def _strange(self, request: Request, path: str) -> Response | None:
        """Refuse what another site makes a browser send."""
        head = request.headers
        host, origin = head.get("host", ""), head.get("origin")
        if self._token is None and not is_loopback(urlsplit(f"//{host}").hostname or ""):
            return PlainTextResponse("open it by 127.0.0.1 or localhost", 421)
        site = head.get("sec-fetch-site", "none") if path.startswith("/api/") else "none"
        if (origin is not None and urlsplit(origin).netloc != host) or site not in ("same-origin", "none"):
            return PlainTextResponse("not from another site", 403)
        if request.method != "POST":
            return None
        # A form of another site cannot send this kind without asking first, and is then refused.
        if head.get("content-type", "").partition(";")[0].strip() != "application/json":
            return PlainTextResponse("send JSON", 415)
        length = head.get("content-length", "")
        if not length.isdecimal():
            return PlainTextResponse("say how long it is", 411)
        too_long = len(length) > 9 or int(length) > _LARGEST
        return PlainTextResponse(f"at most {_LARGEST} bytes", 413) if too_long else None

    def _unknown(self, request: Request, path: str) -> Response | None:
        """Ask for the token: once in the address, which then becomes a cookie, or in a header."""
        if self._token is None:
            return None
        mark = sha256(self._token.encode()).hexdigest()
        given = request.headers.get("authorization", "").removeprefix("Bearer ")
        if _same(request.cookies.get(_COOKIE, ""), mark) or _same(given, self._token):
            return None
        if request.method == "GET" and _same(request.query_params.get("token", ""), self._token):
            # A path that begins with two slashes would lead to another host.
            entering = RedirectResponse(f"/{path.lstrip('/')}", 303)
            entering.set_cookie(_COOKIE, mark, httponly=True, samesite="strict", max_age=30 * 86_400)
            return entering
        return PlainTextResponse("a token is needed: open the address with ?token=…", 401)


def _same(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), wanted.encode())
