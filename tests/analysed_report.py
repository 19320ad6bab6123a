"""A report with analysis in both languages, about commits that nobody made."""

from datetime import UTC, datetime
from pathlib import Path

from agent.domain.base import RepoId
from agent.domain.report import Report
from agent.reports.report_json import load

_FILE = Path(__file__).with_suffix(".json")
ROUTER = RepoId("octo/router")
CACHE = RepoId("octo/cache")
LIMIT = "1a" * 20
HANG = "2b" * 20
SMALL = "4d" * 20
AT = datetime(2026, 2, 4, 9, 30, tzinfo=UTC)


def analysed_report() -> Report:
    """Read the day: two repositories, a commit of each tier, and one that the model could not explain."""
    return load(_FILE.read_bytes(), _FILE.name)
