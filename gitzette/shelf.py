"""The published reports of an output folder, for whoever reads them: which there are, and each as data."""

import re
from pathlib import Path

from agent.errors import InputError
from agent.record import load
from agent.report import Report

_MOMENT = r"\d{4}-\d{2}-\d{2}(?:T\d{4,6})?"
_LABEL = re.compile(rf"{_MOMENT}(?:\.\.{_MOMENT})?", re.ASCII)


class Shelf:
    """Reads `reports/*.json` below an output folder; nothing is kept, so what a run changes is seen at once."""

    def __init__(self, out: Path) -> None:
        self._reports = out / "reports"

    def labels(self) -> list[str]:
        """Name the reports, newest first; a single day comes before a range that begins with it."""
        found = (file.stem for file in self._reports.glob("*.json"))
        return sorted((label for label in found if _LABEL.fullmatch(label)), key=_order, reverse=True)

    def report(self, label: str) -> Report:
        """Read one report by its label, the newest for an empty one."""
        labels = self.labels()
        if not labels:
            raise InputError("there are no reports yet; make one with: gitzette run")
        chosen = label or labels[0]
        if chosen not in labels:
            raise InputError(f"there is no report {chosen[:60]!r}; the newest is {labels[0]}")
        file = self._reports / f"{chosen}.json"
        try:
            return load(file.read_bytes(), file.name)
        except OSError as error:
            raise InputError(f"{file.name} cannot be read: {error.strerror}") from error


def _order(label: str) -> tuple[str, bool, str]:
    return label.partition("..")[0], ".." not in label, label
