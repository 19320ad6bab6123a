"""Where a GitHub is: the addresses of its interfaces, which others belong to it, and whose certificates to believe."""

import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Self
from urllib.parse import quote

import httpx

from agent.domain.base import ConfigError, RepoId, UpstreamError

GITHUB = "https://api.github.com"


@dataclass(frozen=True)
class Address:
    """A GitHub by its base address: github.com, an Enterprise server (`https://host/api/v3`) or a loopback server."""

    base: str

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a configured base address."""
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
        """Where GraphQL is asked: beside `v3` on Enterprise servers."""
        return (
            self.base.removesuffix("/v3") if self.base.endswith("/api/v3") else self.base
        ) + "/graphql"

    @property
    def host(self) -> str:
        """The name under which usage is counted."""
        return httpx.URL(self.base).netloc.decode("ascii")

    @property
    def is_loopback(self) -> bool:
        """True for this machine: such a server is never behind a proxy."""
        host = httpx.URL(self.base).host
        try:
            return ip_address(host).is_loopback
        except ValueError:
            return host == "localhost"

    def url(self, path: str, params: Mapping[str, str | int]) -> str:
        """Write the address of a path with its query; equal questions get equal addresses."""
        query = httpx.QueryParams({key: str(value) for key, value in params.items()})
        return f"{self.base}{path}" + (f"?{query}" if query else "")

    def join(self, current: str, target: str, what: str) -> str:
        """Resolve a Link or Location; one that leads to another origin is refused, whatever it promises."""
        try:
            url = httpx.URL(current).join(target)
            same = _origin(url) == _origin(httpx.URL(self.base)) and not url.userinfo
        except (httpx.InvalidURL, ValueError) as error:
            raise UpstreamError(
                f"{self.host} sent an unreadable {what}", retryable=False
            ) from error
        if not same:
            shown = f"{url.scheme}://{url.host}"[:100]
            raise UpstreamError(
                f"{self.host} sent a {what} to another origin, {shown}; not followed",
                retryable=False,
            )
        return str(url)


def repo_path(repo: RepoId | str, *parts: str) -> str:
    """Write the path of something in a repository; a slash inside a part (a branch name) is escaped."""
    return f"/repos/{repo}" + "".join("/" + quote(part, safe="") for part in parts)


def _origin(url: httpx.URL) -> tuple[str, str, int]:
    return url.scheme, url.host, url.port or (443 if url.scheme == "https" else 80)


def trust(url: str) -> bool | ssl.SSLContext:
    """Say whose: the usual ones, and nobody's where TLS is never spoken.

    Loading the usual ones takes longer than a whole day's listing from a loopback server.
    """
    return True if url.lower().startswith("https:") else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
