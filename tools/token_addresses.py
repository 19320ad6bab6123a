"""Which addresses the token of GitHub may be sent to: nobody on the way may read it."""

from ipaddress import ip_address
from urllib.parse import urlsplit

from agent.domain.errors import ConfigError


def is_loopback(host: str) -> bool:
    """Return True for a name or an address of this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def check_encrypted(url: str, setting: str) -> None:
    """Raise ConfigError for an address to which a token would go in clear text over a network."""
    address = urlsplit(url)
    if address.scheme == "https" or is_loopback(address.hostname or ""):
        return
    raise ConfigError(
        f"{setting}: {address.scheme}://{address.hostname} is not encrypted, and the token could be"
        " read on the way; write https://, or leave GITHUB_TOKEN out"
    )
