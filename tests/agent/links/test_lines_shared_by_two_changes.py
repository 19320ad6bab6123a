"""Of two large commits, a model that relates them sees the lines in which they meet."""

from datetime import UTC, datetime

from agent.domain.base import RepoId
from agent.domain.commits import Change, FileChange
from agent.domain.evidence import CommitEvidence, Material, Read
from agent.domain.window import Window
from agent.links.lines_shared_by_two_changes import shared_lines
from agent.links.relation_prompts import Pairing
from agent.triage.weights import weigh
from tests.made_commits import made_commit

REPO = RepoId("octo/router")
DAY = datetime(2026, 2, 4, 12, tzinfo=UTC)
WINDOW = Window.days(DAY.date(), DAY.date(), "UTC")
GUARDED = "    return self.table.route_of(request.path)"


def large_change(name: str, patch: str) -> CommitEvidence:
    """Make a commit with one hunk that counts, behind twenty larger files."""
    files = []
    for number in range(20):
        body = "".join(
            f"+    {name}_{number}_{line} = read_the_route(line)\n" for line in range(80)
        )
        path = f"router/{name}_{number:02}.py"
        larger = f"@@ -1,0 +1,80 @@\n{body}"
        files.append(
            FileChange(path=path, status="modified", additions=80, deletions=0, patch=larger)
        )
    additions = patch.count("\n+")
    deletions = patch.count("\n-")
    files.append(
        FileChange(
            path="router/serve.py",
            status="modified",
            additions=additions,
            deletions=deletions,
            patch=patch,
        )
    )
    sha = {"fix": "a", "feature": "b"}[name] * 40
    commit = made_commit(name, sha=sha, repo=REPO)
    return CommitEvidence(change=Change(commit=commit, files=tuple(files)))


def text_of_both(fix: CommitEvidence, earlier: CommitEvidence) -> str:
    read = Read(evidence=fix, triage=weigh(fix.change, None), depth="deep")
    material = Material(repo=REPO, window=WINDOW, reads=[read])
    pairing = Pairing(read=read, material=material, others=[earlier], token_budget=4_000)
    return pairing.text((), 4_000)


def test_a_guard_is_shown_with_the_line_that_the_earlier_commit_brought() -> None:
    fix = large_change(
        "fix",
        f"@@ -7,2 +7,4 @@\n def serve(self, request):\n+    if not self:\n+        return\n {GUARDED}",
    )
    earlier = large_change("feature", f"@@ -7,1 +7,2 @@\n def serve(self, request):\n+{GUARDED}")
    text = text_of_both(fix, earlier)
    assert text.count(GUARDED.strip()) == 2


def test_a_line_that_is_taken_out_comes_before_lines_that_stay() -> None:
    fix = large_change("fix", f"@@ -7,2 +7,1 @@\n-{GUARDED}\n     answer = self.answer(request)")
    earlier = large_change(
        "feature", f"@@ -7,0 +7,2 @@\n+    answer = self.answer(request)\n+{GUARDED}"
    )
    assert shared_lines(fix.change, earlier.change) == [
        GUARDED.strip(),
        "answer = self.answer(request)",
    ]


def test_short_and_foreign_lines_tie_nothing() -> None:
    fix = large_change("fix", "@@ -7,2 +7,1 @@\n-    return\n+    pass  # as the caller expects")
    earlier = large_change("feature", "@@ -7,0 +7,1 @@\n+    return")
    assert shared_lines(fix.change, earlier.change) == []
