"""No report makes the audit hang: every pattern and the whole reading take time that grows with the length."""

import importlib
import pkgutil
import re
import time

import pytest

import agent.audit
from agent.audit.entries import find_commits, read_page
from agent.audit.lookup import Library
from agent.audit.prose import sentences_of

SIZE = 1_000_000
SECONDS = 2.0
HASH = "0123456789abcdef0123456789abcdef01234567"
MARKS = [*"[(`*|#-. \na0", "[a](", "a/", "+1/-1 ", "（。"]


def patterns() -> list[tuple[str, re.Pattern[str]]]:
    modules = [
        importlib.import_module(f"agent.audit.{module.name}") for module in pkgutil.iter_modules(agent.audit.__path__)
    ]
    return [
        (f"{module.__name__}.{name}", value)
        for module in modules
        for name, value in vars(module).items()
        if isinstance(value, re.Pattern)
    ]


@pytest.mark.parametrize(("name", "pattern"), patterns())
def test_a_megabyte_of_any_mark_is_searched_at_once(name: str, pattern: re.Pattern[str]) -> None:
    slow = {}
    for mark in MARKS:
        text = mark * (SIZE // len(mark))
        began = time.process_time()
        for count, _ in enumerate(pattern.finditer(text)):
            if count % 1_000 == 0 and time.process_time() - began > SECONDS:
                break
        if time.process_time() - began > SECONDS:
            slow[mark] = True
    assert not slow, name


@pytest.mark.parametrize(
    "text",
    [
        f"(see {HASH} for details)\n" * 15_000,
        f"(see {HASH} for details) " * 15_000,
        f"- {HASH} #12 by Ada\n" * 12_000,
        "[" * SIZE,
        "[a](" * (SIZE // 4),
        "`a` +1/-1 " * (SIZE // 10),
        "SHA: abcdef01 | " * (SIZE // 16),
        "| a " * (SIZE // 4) + "\n" + "|-" * (SIZE // 4),
        "# a\n" * (SIZE // 40),
        " " * SIZE + "x",
        "> " * (SIZE // 2),
        "```\n" * (SIZE // 8),
    ],
    ids=lambda text: text[:20],
)
def test_a_megabyte_of_a_report_is_read_in_seconds(text: str) -> None:
    began = time.process_time()
    entries, library = read_page(text, "report.md", []), Library({})
    find_commits(entries, library)
    sentences_of(entries)
    assert time.process_time() - began < 3 * SECONDS
