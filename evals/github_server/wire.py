"""What passes over the wire: a request as it came, the answer to it, and the refusal that ends a request early."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime
from typing import Any
from urllib.parse import parse_qsl

Json = dict[str, Any]

DOCUMENTATION = "https://docs.github.com/rest"
MEDIA = "application/vnd.github."


@dataclass(frozen=True)
class Request:
    """A request with its headers in lower case and its body whole."""

    method: str
    path: str
    raw_query: str
    headers: Mapping[str, str]
    body: bytes = b""

    @property
    def query(self) -> dict[str, str]:
        """The query parameters; of one given twice the last counts."""
        return dict(parse_qsl(self.raw_query, keep_blank_values=True))

    def media(self) -> str:
        """Tell which custom representation is asked for: `json`, `diff`, `patch`, `sha`, `raw`, `object` or `html`."""
        for part in self.headers.get("accept", "").split(","):
            name = part.split(";")[0].strip().lower()
            if name.startswith(MEDIA):
                kind = name.removeprefix(MEDIA).removeprefix("v3.").split("+")[0]
                return kind if kind in ("diff", "patch", "sha", "raw", "object") else "json"
        return "json"


@dataclass
class Answer:
    """A status, a body and the headers that are special to it."""

    status: int
    body: bytes = b""
    media: str = "application/json; charset=utf-8"
    headers: dict[str, str] = field(default_factory=dict)
    data: Any = None
    """What the body says, while it can still be changed for another version of the API."""
    changed: datetime | None = None
    """When the thing described last changed, for conditional requests by date."""

    @classmethod
    def json(
        cls, data: Any, *, status: int = 200, headers: Mapping[str, str] | None = None, changed: datetime | None = None
    ) -> "Answer":
        """Answer with a JSON value."""
        return cls(status, encode(data), headers=dict(headers or {}), data=data, changed=changed)

    @classmethod
    def text(cls, body: bytes, kind: str) -> "Answer":
        """Answer in one of the custom media types."""
        return cls(200, body, media=f"{MEDIA}{kind}; charset=utf-8")


class Refusal(Exception):
    """The request cannot be served; the status, message and errors are what GitHub would say."""

    def __init__(
        self, status: int, message: str, *, errors: list[Json] | None = None, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.errors = errors
        self.headers = dict(headers or {})

    def answer(self) -> Answer:
        """Write the refusal as GitHub's error body."""
        body: Json = {"message": self.message, "documentation_url": DOCUMENTATION, "status": str(self.status)}
        if self.errors is not None:
            body["errors"] = self.errors
        return Answer.json(body, status=self.status, headers=self.headers)


def not_found() -> Refusal:
    """Refuse what does not exist or may not be seen; GitHub does not tell which."""
    return Refusal(404, "Not Found")


def invalid(resource: str, name: str, code: str = "invalid") -> Refusal:
    """Refuse a parameter that makes no sense."""
    return Refusal(422, "Validation Failed", errors=[{"resource": resource, "field": name, "code": code}])


def encode(data: Any) -> bytes:
    """Write JSON as UTF-8; a lone surrogate in hostile text becomes a question mark instead of an exception."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def stamp(moment: datetime) -> str:
    """Write a time as the API does."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def maybe_stamp(moment: datetime | None) -> str | None:
    """Write a time that may be absent."""
    return None if moment is None else stamp(moment)


def parse_time(text: str, resource: str, name: str) -> datetime:
    """Read a time from a query; without a zone it is UTC."""
    try:
        # A plus sign in a query that was not escaped arrives as a space.
        moment = datetime.fromisoformat(text.strip().replace(" ", "+"))
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise invalid(resource, name) from error


def etag_of(answer: Answer) -> str:
    """Name the representation by its content."""
    return f'W/"{hashlib.sha256(answer.media.encode() + answer.body).hexdigest()}"'


def unchanged(request: Request, etag: str, changed: datetime | None) -> bool:
    """Tell whether the client already has this representation (weak comparison, as RFC 9110 asks for GET)."""
    if (wanted := request.headers.get("if-none-match")) is not None:
        known = {part.strip().removeprefix("W/") for part in wanted.split(",")}
        return wanted.strip() == "*" or etag.removeprefix("W/") in known
    since = request.headers.get("if-modified-since")
    if since is None or changed is None:
        return False
    try:
        return changed.replace(microsecond=0) <= parsedate_to_datetime(since)
    except (ValueError, TypeError):
        return False


def http_date(moment: datetime) -> str:
    """Write a time as HTTP headers have it."""
    return format_datetime(moment.astimezone(UTC), usegmt=True)
