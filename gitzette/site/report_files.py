"""The published reports: which there are, and what is in them."""

import re
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from agent.domain.base import StorageError
from agent.domain.report import Report
from agent.reports.stored import load

_MOMENT = r"\d{4}-\d{2}-\d{2}(?:T\d{4,6})?"
_LABEL = re.compile(rf"{_MOMENT}(?:\.\.{_MOMENT})?|\d{{4}}-W\d{{2}}", re.ASCII)


@dataclass(frozen=True)
class ReportFile:
    """One published report that has not been read yet."""

    label: str
    path: Path
    hash: str

    def read(self) -> Report:
        """Read it; one that speaks of another window than its name says is not ours."""
        report = load(self.path.read_bytes(), self.path.name)
        if report.window.label != self.label:
            raise StorageError(f"{self.path.name} speaks of {report.window.label}; move it away")
        return report


def report_files(out: Path) -> list[ReportFile]:
    """List the reports of an output folder, oldest first."""
    try:
        files = [file for file in (out / "reports").glob("*.json") if _LABEL.fullmatch(file.stem)]
        found = [ReportFile(file.stem, file, sha256(file.read_bytes()).hexdigest()) for file in files]
    except OSError as error:
        raise StorageError(f"cannot read {out / 'reports'}: {error.strerror or error}") from error
    return sorted(found, key=lambda one: one.label)
