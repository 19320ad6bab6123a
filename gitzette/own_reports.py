"""Reports of our own: written again from the JSON beside them and compared, so that any edit shows."""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from pathlib import Path
from typing import get_args

from agent.audit.lookup import RIGHT, Finding
from agent.domain.base import Language, StorageError
from agent.domain.report import Report
from agent.reports.stored import load
from agent.settings.values import Layout
from agent.web import Web
from gitzette.render.markdown import report_page

_LANGUAGE = re.compile(r"\.[a-z]{2}$")


def renderings(report: Report, web: Web) -> Iterator[str]:
    """Write a report in every layout and language in which it may have been published."""
    for layout in get_args(Layout):
        for lang in get_args(Language):
            yield report_page(report, lang, web, layout)


def compared(file: Path, text: str, web: Web) -> list[Finding] | None:
    """Compare a report with what its JSON gives; None where there is none beside it."""
    record = file.with_name(f"{_LANGUAGE.sub('', file.stem)}.json")
    if file.parent.name != "reports" or not record.is_file():
        return None
    try:
        report = load(record.read_bytes(), record.name)
    except (OSError, StorageError):
        return None
    return differences(text, report, web)


def differences(text: str, report: Report, web: Web) -> list[Finding]:
    """List where a text differs from the rendering that is most like it."""
    said = text.split("\n")
    pages = [page.split("\n") for page in renderings(report, web)]
    if said in pages:
        return [Finding(1, "own report", report.window.label, RIGHT, "the same as its JSON gives, line by line")]
    held = set(said)
    nearest = max(pages, key=lambda page: sum(line in held for line in page))
    return list(_edits(said, nearest))


def _edits(said: list[str], true: list[str]) -> Iterator[Finding]:
    for kind, start, end, first, last in SequenceMatcher(None, said, true, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        pairs = max(end - start, last - first)
        for place in range(pairs):
            line = said[start + place] if start + place < end else ""
            right = true[first + place] if first + place < last else ""
            told = f"its JSON gives: {right}" if right or first + place < last else "its JSON gives no such line"
            yield Finding(
                min(start + place, end) + 1, "own report", line or "(a line is missing)", "wrong:edited", told
            )
