"""The folder that a site is written to: files whole or not at all, and only those that changed."""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from agent.domain.base import StorageError

MANIFEST = "manifest.json"
HEAD = {"format": 2, "generator": "gitzette"}


def mark(*parts: str) -> str:
    """Give a key of what a file is made from."""
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:20]


@dataclass
class SiteFolder:
    """Writes pages under a folder; the key of a page says what it was made from, and an equal key spares the work."""

    folder: Path
    made: dict[str, str] = field(default_factory=dict)
    """The keys of the files that stand there already."""
    keys: dict[str, str] = field(default_factory=dict)
    """The keys of the files that belong to the site now."""
    written: int = 0

    @classmethod
    def open(cls, folder: Path) -> tuple["SiteFolder", dict[str, Any]]:
        """Open a folder that is empty or ours, with the manifest that it has."""
        try:
            manifest = _manifest(folder / MANIFEST)
            if manifest is None and folder.is_dir() and any(folder.iterdir()):
                raise StorageError(f"{folder} holds other files and is left alone; choose another folder with --to")
            folder.mkdir(parents=True, exist_ok=True)
            if manifest is None:
                # A build that is cut short must not lock itself out.
                (folder / MANIFEST).write_text(json.dumps(HEAD | {"files": {}}))
        except OSError as error:
            raise StorageError(f"cannot write to {folder}: {error.strerror or error}") from error
        known = manifest or {}
        return cls(folder, made=dict(known.get("files", {}))), known

    def current(self, key: str, *files: str) -> bool:
        """Tell whether files were all made from the same things before."""
        return all(self.made.get(file) == key and (self.folder / file).exists() for file in files)

    def page(self, file: str, key: str, render: Callable[[], str]) -> None:
        """Write a file unless it is current."""
        self.keys[file] = key
        if not self.current(key, file):
            self.put(file, render())

    def put(self, file: str, text: str) -> None:
        """Write a file so that a visitor sees the old one or the new one."""
        target = self.folder / file
        data = text.encode("utf-8", errors="replace")
        try:
            if target.exists() and target.read_bytes() == data:
                return
            target.parent.mkdir(parents=True, exist_ok=True)
            # No waiting for the disk: what a crash spoils is made again from the reports.
            fresh = target.with_name(f".{target.name}.{os.getpid()}.new")
            fresh.write_bytes(data)
            fresh.replace(target)
        except OSError as error:
            raise StorageError(f"cannot write {target}: {error.strerror or error}") from error
        self.written += 1

    def sweep(self) -> None:
        """Remove the pages that no longer belong to the site, and only files that we wrote."""
        for file in self.made.keys() - self.keys.keys():
            target = (self.folder / file).resolve()
            if target.is_relative_to(self.folder.resolve()):
                target.unlink(missing_ok=True)


def _manifest(file: Path) -> dict[str, Any] | None:
    """Read the manifest; what is not ours counts as no manifest."""
    try:
        data = json.loads(file.read_bytes())
        ours = HEAD.items() <= data.items() and isinstance(data["files"], dict)
    except (FileNotFoundError, ValueError, RecursionError, AttributeError, KeyError, TypeError):
        return None
    return dict(data) if ours else None
