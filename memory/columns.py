"""How moments and texts are written in the columns of tables."""

from datetime import UTC, datetime

_STAMP = "%Y-%m-%dT%H:%M:%SZ"


def stamp(moment: datetime | None) -> str:
    """Write a moment so that the order of texts is that of time; nothing for none."""
    return moment.astimezone(UTC).strftime(_STAMP) if moment else ""


def moment_of(text: str) -> datetime:
    """Read a moment that was written so."""
    return datetime.strptime(text, _STAMP).replace(tzinfo=UTC)


def clean(text: str) -> str:
    """Keep what every file can hold: names of files may carry bytes that are no text."""
    return text.encode("utf-8", errors="replace").decode("utf-8")
