"""The lines that are shown have what is asked, by themselves or around them."""

from datetime import UTC, datetime

import pytest

from agent.asking.inquiry import Inquiry
from agent.asking.quoting import changed_lines
from agent.asking.understanding import Setting, understand
from agent.domain import Change, Commit, FileChange, Person
from agent.evidence import CommitEvidence
from agent.ids import RepoId

_REPO = RepoId("acme/engine")
_NOW = datetime(2026, 3, 1, tzinfo=UTC)
_HOOKS = """@@ -1,9 +1,9 @@
   - repo: https://github.com/PyCQA/isort
-    rev: 5.13.2
+    rev: 7.0.0
     hooks:
       - id: isort
         args: []
   - repo: https://github.com/psf/black
-    rev: 24.10.0
+    rev: 26.1.0
     hooks:
"""
_STEPS = "".join(
    f"@@ -{n}0,3 +{n}0,3 @@\n step {n}\n-    timeout: {n}\n+    timeout: {n}0\n     end: {n}\n" for n in range(2, 9)
)
_LONG = "@@ -1,40 +1,2 @@\n" + "".join(f"-step {n}\n" for n in range(40)) + "+# The content was moved to test_areas\n"


def _asked(question: str) -> Inquiry:
    return understand(question, Setting(repos=(_REPO,), now=_NOW, tz="UTC"))


def _read(path: str, patch: str) -> CommitEvidence:
    somebody = Person(name="Ada", email="ada@example.org")
    commit = Commit(
        repo=_REPO,
        sha="a" * 40,
        parents=(),
        author=somebody,
        authored_at=_NOW,
        committer=somebody,
        committed_at=_NOW,
        message="update config",
    )
    file = FileChange(path=path, status="modified", additions=2, deletions=2, patch=patch)
    return CommitEvidence(change=Change(commit=commit, files=(file,)), landed=True)


@pytest.mark.parametrize("question", ["which version of black is it on?", "black 从什么版本改成什么版本了"])
def test_lines_are_known_by_what_stands_beside_them(question: str) -> None:
    shown = changed_lines(_read(".pre-commit-config.yaml", _HOOKS + _STEPS), _asked(question))

    assert [quote.text for claim in shown for quote in claim.quotes] == ["-    rev: 24.10.0\n+    rev: 26.1.0"]


def test_of_a_long_removal_what_came_instead_is_shown() -> None:
    shown = changed_lines(_read("ci/pipeline.yaml", _LONG), _asked("where was the content of ci/pipeline.yaml moved?"))

    assert [quote.text for claim in shown for quote in claim.quotes] == ["+# The content was moved to test_areas"]


def test_what_is_told_already_is_not_shown_again() -> None:
    told = "The version of black changes from 24.10.0 to 26.1.0."

    assert changed_lines(_read("a.yaml", _HOOKS), _asked("which version of black is it on?"), told) == []


def test_lines_that_were_only_set_in_are_not_shown() -> None:
    moved = "".join(f"-    step_{n}()\n+        step_{n}()\n" for n in range(20))
    patch = f"@@ -1,2 +1,3 @@\n run = 1\n+lock = Lock()\n other = 2\n@@ -9,20 +9,20 @@\n with lock:\n{moved}"
    shown = changed_lines(_read("export.py", patch), _asked("how was the garbled export mended?"))

    assert [quote.text for claim in shown for quote in claim.quotes] == ["+lock = Lock()"]
