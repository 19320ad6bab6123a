"""No report makes the audit hang: every pattern and the whole reading take time that grows with the length."""

import importlib
import pkgutil
import re
import time

import pytest

import agent.audit
from agent.audit.entries import find_commits, read_page
from agent.audit.prose import sentences_of
from agent.audit.repository_lookup_results import AuditedRepository, Library
from agent.audit.section_repositories import find_doubts, set_scopes
from agent.domain.base import RepoId
from tests.made_commits import made_commit

SIZE = 30_000
SECONDS = 0.2  # What grows with the square of the length needs more than a second for so much
HASH = "0123456789abcdef0123456789abcdef01234567"
MARKS = [*"[(`*|#-. \na0", "[a](", "a/", "+1/-1 ", "（。"]
MODULES = [
    importlib.import_module(f"agent.audit.{module.name}")
    for module in pkgutil.iter_modules(agent.audit.__path__)
]
PATTERNS = {
    value for module in MODULES for value in vars(module).values() if isinstance(value, re.Pattern)
}


def seconds(pattern: re.Pattern[str], text: str) -> float:
    """Search until it is done or took too long."""
    began = time.process_time()
    for _ in pattern.finditer(text):
        if time.process_time() - began > SECONDS:
            break
    return time.process_time() - began


def test_a_long_text_of_any_mark_is_searched_at_once() -> None:
    assert seconds(re.compile(r"\[[^\]]*\]"), "[" * SIZE) > SECONDS, (
        "a pattern that takes quadratic time is noticed"
    )
    for pattern in PATTERNS:
        assert not [
            mark for mark in MARKS if seconds(pattern, mark * (SIZE // len(mark))) > SECONDS
        ], pattern


@pytest.mark.parametrize(
    "piece",
    [
        *(f"(see {HASH} for details)\n", f"(see {HASH} for details) ", f"- {HASH} #12 by Ada\n"),
        *(
            "[",
            "[a](",
            "`a` +1/-1 ",
            "SHA: abcdef01 | ",
            "| a ",
            " ",
            "> ",
            "```\n",
            "https://a.b/c/d. ",
        ),
    ],
)
def test_a_long_report_is_read_in_seconds(piece: str) -> None:
    began = time.process_time()
    entries = read_page(piece * (SIZE // len(piece)) + "x", "report.md", [])
    library = Library([AuditedRepository(repo=RepoId("octo/engine"))])
    set_scopes(entries, library)
    find_doubts(entries, library)
    find_commits(entries, library)
    assert not any(sentence.commits for sentence in sentences_of(entries, library))
    assert time.process_time() - began < 6 * SECONDS


@pytest.mark.parametrize(
    "piece",
    [
        "The cache is full of `0123456789` pages now. ",
        "(`0123456789`), by Mira, 2026-02-04: a cache of pages that are cold. ",
        "`a` `0123456789` [x](https://github.com/octo/router/commit/0123456789) ",
    ],
)
def test_sentences_that_cite_one_commit_again_and_again_are_read_in_seconds(piece: str) -> None:
    began = time.process_time()
    entries = read_page(piece * (SIZE // len(piece)), "report.md", [])
    commit = made_commit(sha=HASH)
    repository = AuditedRepository(
        repo=commit.repo, commits_by_hash={HASH[:10]: [commit]}, line=(commit,)
    )
    library = Library([repository])
    find_commits(entries, library)
    sentences = list(sentences_of(entries, library))
    assert all(sentence.commits == (commit,) for sentence in sentences)
    assert time.process_time() - began < 6 * SECONDS
