"""What is said to be taken up of another repository stands in both diffs, or in the words of one of the two."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from agent.claims import Verdict
from agent.domain import FileChange
from agent.evidence import CommitEvidence
from agent.gate.statements import statements

Make = Callable[..., Any]
EARLY, LATE = datetime(2026, 2, 1, tzinfo=UTC), datetime(2026, 2, 4, tzinfo=UTC)


def of(make: Make, repo: str, sha: str, at: datetime, message: str, path: str, *lines: str) -> CommitEvidence:
    """Make a commit that changes one file."""
    patch = "\n".join(("@@ -1 +1 @@", *lines))
    file = FileChange(path=path, status="modified", additions=1, deletions=0, patch=patch)
    one: CommitEvidence = make(sha * 40, message, repo=repo, at=at, files=[file])
    return one


@pytest.fixture
def wrong(fault: Make) -> Make:
    """Check a statement by its values."""

    def run(predicate: str, *evidence: Any, **params: str) -> str:
        found = fault(statements, *evidence, predicate=predicate, params=params, dossier=None)
        assert found is None or found.verdict is Verdict.UNSUPPORTED
        return found.reason if found else ""

    return run


def test_a_name_must_be_used_by_the_one_and_brought_by_the_other_before(wrong: Make, make_commit: Make) -> None:
    brings = of(make_commit, "acme/kernels", "a", EARLY, "bring it", "kernels/moe.py", "+def fused_route(x):")
    uses = of(make_commit, "acme/server", "b", LATE, "use", "server/a.py", "+from kernels.moe import fused_route")
    moves = of(
        make_commit,
        "acme/server",
        "c",
        LATE,
        "use",
        "server/a.py",
        "-fused_route",
        "+from kernels.moe import fused_route",
    )
    assert wrong("adopts", uses, brings, package="kernels", names="fused_route") == ""
    assert wrong("adopts", uses, brings, package="kernels", names="other_route")
    assert wrong("adopts", uses, brings, package="otherkernels", names="fused_route")
    assert wrong("adopts", moves, brings, package="kernels", names="fused_route")
    later = of(make_commit, "acme/kernels", "d", LATE.replace(day=9), "bring", "kernels/moe.py", "+def fused_route(x):")
    assert wrong("adopts", uses, later, package="kernels", names="fused_route")


def test_what_a_change_rests_on_must_be_said_by_it_or_by_the_other(wrong: Make, make_commit: Make) -> None:
    brings = of(
        make_commit, "acme/kernels", "a", EARLY, "bring it (#12)\n\nServer integration: acme/server#7", "kernels/a.py"
    )
    says = of(make_commit, "acme/server", "b", LATE, "use it (#7)\n\nRequires acme/kernels#12", "server/a.py")
    silent = of(make_commit, "acme/server", "c", LATE, "use it (#8)\n\nSee acme/kernels#12", "server/a.py")
    assert wrong("rests on", says, brings) == ""
    assert wrong("rests on", silent, brings)
    assert wrong("made for", says, brings) == ""
    assert wrong("made for", silent, brings)
