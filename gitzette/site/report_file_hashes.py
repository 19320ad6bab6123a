"""Hashes of the files of reports, kept by size and time of change so that most are not read again."""

import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

FILE = "data/digests.json"  # From the root of the site
Digests = dict[str, tuple[int, int, str]]
"""Size, time of change in nanoseconds and digest of each report, by the name of its file."""


def digests_of(reports: Sequence[Path], site: Path) -> Digests:
    """Return the digests of these reports; those that are as the site last saw them are not read."""
    earlier_digests = _read_digests(site)
    digests: Digests = {}
    for report in reports:
        status = report.stat()
        size, changed, digest = earlier_digests.get(report.name, (0, 0, ""))
        if (size, changed) != (status.st_size, status.st_mtime_ns):
            digest = sha256(report.read_bytes()).hexdigest()
        digests[report.name] = (status.st_size, status.st_mtime_ns, digest)
    return digests


def _read_digests(site: Path) -> Digests:
    try:
        data = json.loads((site / FILE).read_bytes())
        digests: Digests = {}
        for name, (size, changed, digest) in data.items():
            digests[str(name)] = (int(size), int(changed), str(digest))
        return digests
    except (OSError, ValueError, RecursionError, AttributeError, TypeError):
        return {}  # Not there yet, or not ours: all reports are read


def dumped(digests: Digests) -> str:
    """Return the digests as they are kept."""
    return json.dumps(digests, indent=0) + "\n"
