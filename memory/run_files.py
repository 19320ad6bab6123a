"""What a run leaves for whoever wants to know why: one private JSON file each, below `runs` in the home folder."""

import json
import os
from collections.abc import Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from agent.errors import StorageError

_FOLDER = "runs"


class RunFiles:
    """The files `runs/RUN.json`: sentences that were refused, with the reasons."""

    def __init__(self, home: Path) -> None:
        self._folder = home / _FOLDER

    def path(self, run: str) -> Path:
        """Name the file of a run."""
        return self._folder / f"{run}.json"

    def write(self, run: str, content: Mapping[str, Any]) -> None:
        """Write the file of a run, whole or not at all."""
        file = self.path(run)
        part = file.with_suffix(".part")
        text = json.dumps({"run": run, **content}, ensure_ascii=False, indent=1) + "\n"
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor = os.open(part, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace") as out:
                out.write(text)
            part.replace(file)
        except OSError as error:
            raise StorageError(f"cannot write {file}: {error.strerror}; set GITZETTE_HOME") from error

    def forget(self, before: date) -> None:
        """Remove the files of runs that ended before a day."""
        for file in self._folder.glob("*.json"):
            if datetime.fromtimestamp(file.stat().st_mtime, UTC).date() < before:
                file.unlink(missing_ok=True)
