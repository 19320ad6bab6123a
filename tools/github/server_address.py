"""Addresses of a GitHub server: its APIs, hosts that belong to it, certificates to trust."""

import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, Self
from urllib.parse import quote

import httpx

from agent.domain.base import RepoId
from agent.domain.errors import ConfigError, UpstreamError
from tools.token_addresses import is_loopback

GITHUB = "https://api.github.com"
_MAX_SHOWN_CHARACTERS = 100


@dataclass(frozen=True)
class Address:
    """The base address of github.com, an Enterprise server (`https://host/api/v3`) or a loopback server."""

    base: str

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return a configured base address, or raise ConfigError."""
        try:
            url = httpx.URL(text.strip())
        except (httpx.InvalidURL, TypeError) as error:
            raise ConfigError(f"the GitHub address cannot be read: {error}") from error
        if url.scheme not in ("http", "https") or not url.host:
            raise ConfigError(
                "the GitHub address must start with https:// (or http://), for example " + GITHUB
            )
        if url.userinfo or url.query or url.fragment:
            raise ConfigError(
                "the GitHub address must have no user, password, query or fragment; use GITHUB_TOKEN"
            )
        return cls(str(url).rstrip("/"))

    @property
    def graphql(self) -> str:
        """The address of GraphQL, which stands beside `v3` on Enterprise servers."""
        root = self.base
        if root.endswith("/api/v3"):
            root = root.removesuffix("/v3")
        return f"{root}/graphql"

    @property
    def host(self) -> str:
        """The name under which usage is counted."""
        return httpx.URL(self.base).netloc.decode("ascii")

    @property
    def is_loopback(self) -> bool:
        """True for this machine: such a server is never behind a proxy."""
        return is_loopback(httpx.URL(self.base).host)

    def url(self, path: str, params: Mapping[str, str | int]) -> str:
        """Return the address of a path with its query; equal questions get equal addresses."""
        query = httpx.QueryParams({key: str(value) for key, value in params.items()})
        if not query:
            return f"{self.base}{path}"
        return f"{self.base}{path}?{query}"

    def join(self, current: str, target: str, what: str) -> str:
        """Resolve a Link or Location; raise UpstreamError if it leads to another origin."""
        try:
            url = httpx.URL(current).join(target)
            is_ours = _origin(url) == _origin(httpx.URL(self.base)) and not url.userinfo
        except (httpx.InvalidURL, ValueError) as error:
            message = f"{self.host} sent an unreadable {what}"
            raise UpstreamError(message, retryable=False) from error
        if not is_ours:
            origin = f"{url.scheme}://{url.host}"[:_MAX_SHOWN_CHARACTERS]
            message = f"{self.host} sent a {what} to another origin, {origin}; not followed"
            raise UpstreamError(message, retryable=False)
        return str(url)


def repo_path(repo: RepoId | str, *parts: str) -> str:
    """Return the path of something in a repository; a slash inside a part (a branch name) is escaped."""
    escaped = [quote(part, safe="") for part in parts]
    return "/".join([f"/repos/{repo}", *escaped])


class _Origin(NamedTuple):
    scheme: str
    host: str
    port: int


def _origin(url: httpx.URL) -> _Origin:
    default_port = 443 if url.scheme == "https" else 80
    return _Origin(url.scheme, url.host, url.port or default_port)


def trust(url: str) -> bool | ssl.SSLContext:
    """Return what httpx takes as `verify`: the usual certificates, and none for plain HTTP.

    Loading the usual ones takes longer than a whole day's listing from a loopback server.
    """
    if url.lower().startswith("https:"):
        return True
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
