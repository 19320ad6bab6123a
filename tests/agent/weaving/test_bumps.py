"""Which repository a dependency comes from, and which commit set its version."""

from datetime import UTC, datetime

import pytest
from agent.weaving.bumps import sets_version, taken, upstream_of

from agent.domain import Change, Commit, Person
from agent.evidence import CommitEvidence
from agent.facts import Fact, FactKind, FactSheet, Severity
from agent.ids import RepoId

REPOS = [RepoId("flashinfer-ai/flashinfer"), RepoId("NVIDIA/cutlass"), RepoId("vllm-project/vllm")]
OWN = RepoId("sgl-project/sglang")


@pytest.mark.parametrize(
    ("package", "repo"),
    [
        ("flashinfer-python", REPOS[0]),
        ("FLASHINFER_VERSION", REPOS[0]),
        ("3rdparty/cutlass", REPOS[1]),
        ("nvidia-cutlass-dsl", REPOS[1]),
        ("repo-cutlass", REPOS[1]),
        ("CUTLASS_REVISION", REPOS[1]),
        ("numpy", None),
        ("flashinfer-bench-extras", None),
        ("vllm-flash-attn", None),
    ],
)
def test_a_package_is_of_the_repository_that_its_name_names(package: str, repo: RepoId | None) -> None:
    assert upstream_of(package, REPOS, OWN) == repo


def test_no_repository_takes_in_itself() -> None:
    assert upstream_of("vllm", REPOS, REPOS[2]) is None


@pytest.mark.parametrize(
    ("title", "version", "sets"),
    [
        ("bump version to 0.6.3 (#2497)", "0.6.3", True),
        ("release: bump version to 0.6.2 (#2411)", "0.6.2", True),
        ("v4.4.2 update. (#3105)", "4.4.2", True),
        ("chore: release v0.5.0 (#12)", "0.5.0", True),
        ("bump version to 0.6.3.post1", "0.6.3", False),
        ("bump version to 0.6.31", "0.6.3", False),
        ("fix a crash with torch 0.6.3", "0.6.3", False),
        ('Revert "bump version to 0.6.3"', "0.6.3", False),
    ],
)
def test_only_the_projects_own_version_counts(title: str, version: str, sets: bool) -> None:
    assert sets_version(title, version) is sets


@pytest.mark.parametrize(
    ("old", "new", "versions"),
    [
        ("==0.6.2", "==0.6.3", ["0.6.3"]),
        ('==0.6.3; python_version < "3.12"', "==0.6.3", []),
        ("==0.6.2", '==0.6.3; python_version < "3.12"', ["0.6.3"]),
        ("any", 'any; python_version < "3.12"', []),
    ],
)
def test_a_marker_is_no_version(old: str, new: str, versions: list[str]) -> None:
    day, ada = datetime(2026, 3, 5, tzinfo=UTC), Person(name="Ada", email="ada@mail.example")
    people = {"author": ada, "authored_at": day, "committer": ada, "committed_at": day}
    commit = Commit.model_validate({"repo": OWN, "sha": "a" * 40, "parents": ("b" * 40,), "message": "Pin", **people})
    fact = Fact(kind=FactKind.DEPENDENCY_CHANGED, severity=Severity.BEHAVIOUR, name="flashinfer", old=old, new=new)
    sheet = FactSheet(facts=(fact,), route="hunks")
    evidence = CommitEvidence(change=Change(commit=commit, files=()), sheet=sheet, landed=True)
    assert [one.version for one in taken(evidence)] == versions
