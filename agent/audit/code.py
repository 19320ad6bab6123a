"""Statements that a fenced block shows what a commit changed."""

import re
from collections.abc import Iterator

from agent.audit.page import Page
from agent.audit.statement import Statement, shortened
from agent.audit.vocabulary import ELLIPSIS

_COMMANDS = {"bash", "sh", "shell", "console", "text", "mermaid", "http", "output", "log"}
_COMMENT = re.compile(r"^(?:#|//|/\*|\*|--|;|<!--)")
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_WORDY = re.compile(r"\w.*\w.*\w", re.DOTALL)
_HEADER = re.compile(r"^(?:diff --git|index [0-9a-f]+\.\.|@@ |--- |\+\+\+ )")


def code(page: Page) -> Iterator[Statement]:
    """State that the lines of each block are lines of the change it stands below."""
    for place, block in enumerate(page.blocks):
        if block.kind != "fence" or not block.code.strip():
            continue
        subject = page.subjects[place]
        if subject is not None and subject.kind == "thread" and subject.told == "issue":
            continue
        language = block.info.split()[0].lower() if block.info else ""
        if subject is None and (language in _COMMANDS or not language):
            continue
        shown = telling_lines(block.code)
        if not shown or (language in _COMMANDS and language != "text"):
            continue
        repo = page.repo_of(subject, place) if subject else page.repos[place]
        words = shortened(block.code)
        yield Statement(block.line, "code", words, subject, repo, "shows", lines=tuple(shown))


def telling_lines(source: str) -> list[str]:
    """Keep the lines that are quoted code: no annotations, no gaps, no lone brackets."""
    kept: list[str] = []
    for line in source.splitlines():
        bare = line.strip()
        unsigned = re.sub(r"^[+-]\s*", "", bare)
        if not _WORDY.search(unsigned) or _HEADER.match(bare):
            continue
        if _COMMENT.match(unsigned) and (_CHINESE.search(bare) or re.fullmatch(r"\W*[\w./+-]+\.\w+\W*", unsigned)):
            continue
        # A comment of the report's own behind a line of code.
        if _CHINESE.search(bare) and (cut := re.split(r"\s(?:#|//)\s", bare)[0]) != bare:
            bare = cut.strip()
        if ELLIPSIS.fullmatch(unsigned):
            continue
        kept.append(bare)
    return kept
