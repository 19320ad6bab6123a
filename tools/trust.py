"""Whose certificates to believe."""

import ssl


def trust(url: str) -> bool | ssl.SSLContext:
    """Say whose: the usual ones, and nobody's where TLS is never spoken.

    Loading the usual ones takes longer than a whole day's listing from a loopback server.
    """
    return True if url.lower().startswith("https:") else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
