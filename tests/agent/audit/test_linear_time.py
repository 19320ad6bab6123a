"""No report makes the audit hang: every pattern and the whole reading take time that grows with the length."""

import importlib
import pkgutil
import re
import time
from itertools import islice

import pytest

import agent.audit
from agent.audit.entries import find_commits, read_page
from agent.audit.findings import Library
from agent.audit.prose import sentences_of

SIZE = 500_000
SECONDS = 2.0
HASH = "0123456789abcdef0123456789abcdef01234567"
MARKS = [*"[(`*|#-. \na0", "[a](", "a/", "+1/-1 ", "（。"]
MODULES = [importlib.import_module(f"agent.audit.{one.name}") for one in pkgutil.iter_modules(agent.audit.__path__)]
PATTERNS = {
    f"{module.__name__}.{name}": value
    for module in MODULES
    for name, value in vars(module).items()
    if isinstance(value, re.Pattern)
}


@pytest.mark.parametrize("name", PATTERNS)
def test_half_a_megabyte_of_any_mark_is_searched_at_once(name: str) -> None:
    for mark in MARKS:
        began = time.process_time()
        for _ in islice(PATTERNS[name].finditer(mark * (SIZE // len(mark))), 100_000):
            assert time.process_time() - began < SECONDS, mark
        assert time.process_time() - began < SECONDS, mark


@pytest.mark.parametrize(
    "piece",
    [
        *(f"(see {HASH} for details)\n", f"(see {HASH} for details) ", f"- {HASH} #12 by Ada\n"),
        *("[", "[a](", "`a` +1/-1 ", "SHA: abcdef01 | ", "| a ", " ", "> ", "```\n", "https://a.b/c/d. "),
    ],
)
def test_half_a_megabyte_of_a_report_is_read_in_seconds(piece: str) -> None:
    began = time.process_time()
    entries = read_page(piece * (SIZE // len(piece)) + "x", "report.md", [])
    find_commits(entries, Library({}))
    assert list(sentences_of(entries)) == []
    assert time.process_time() - began < 3 * SECONDS
