"""The home folder, for what outlives a run, and the memory in it."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path

from agent.settings.values import Settings
from memory.store import Memory, open_memory


def home_of(settings: Settings, environ: Mapping[str, str]) -> Path:
    """Return the folder for what outlives a run: mirrors and memory."""
    if settings.home is not None:
        return settings.home.expanduser()
    data_home = environ.get("XDG_DATA_HOME")
    if data_home:
        return Path(data_home) / "gitzette"
    return Path.home() / ".local" / "share" / "gitzette"


def memory_of(settings: Settings, environ: Mapping[str, str]) -> AbstractContextManager[Memory]:
    """Open the memory that the settings name."""
    today = datetime.now(UTC).date()
    return open_memory(home_of(settings, environ), today, settings.database_address)
