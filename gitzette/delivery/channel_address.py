"""The address of a channel, which is a secret: no error names it."""

from contextlib import suppress
from urllib.parse import SplitResult, urlsplit

from agent.domain.errors import ConfigError


def parsed_address(address: str, scheme: str, fault: str) -> SplitResult:
    """Return the parts of an address with a scheme, or its secure variant; `fault` is the error."""
    with suppress(ValueError):
        parts = urlsplit(address)
        if parts.scheme in (scheme, f"{scheme}s") and parts.hostname and parts.port != 0:
            return parts
    raise ConfigError(fault)
