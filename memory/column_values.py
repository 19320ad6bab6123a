"""The form of values in the columns of the memory."""

from datetime import UTC, datetime

_MOMENT = "%Y-%m-%dT%H:%M:%SZ"


def stamp(moment: datetime | None) -> str:
    """Return a moment as text whose order is that of time, or an empty string for None."""
    if moment is None:
        return ""
    return moment.astimezone(UTC).strftime(_MOMENT)


def moment_of(text: str) -> datetime:
    """Return the moment that `stamp` wrote."""
    return datetime.fromisoformat(text)


def clean(text: str) -> str:
    """Replace what a database cannot hold: undecodable bytes of file names, and zero bytes."""
    return text.encode("utf-8", errors="replace").decode("utf-8").replace("\0", "?")
