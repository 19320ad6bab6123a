"""What the configuration folds: patterns of paths, ignored authors, and how the report says so."""

import pytest
from pydantic import ValidationError

from agent.domain.base import RepoId
from agent.domain.commits import Change, FileChange, Person
from agent.domain.ledger import Noise, Tier, Triage
from agent.settings.values import RepoSpec
from agent.triage.collected_commits import filter_notices, fold
from agent.triage.weights import rank
from tests.made_commits import made_commit
from tests.patience import within

REPO = RepoId("octo/router")
MIRA = Person(name="Mira", email="mira@example.com")


def change(
    *paths: str, author: Person = MIRA, previous: str | None = None, incomplete: str | None = None
) -> Change:
    commit = made_commit("Drop a flag", repo=REPO, author=author)
    files = tuple(
        FileChange(path=path, status="modified", additions=1, deletions=1, previous_path=previous)
        for path in paths
    )
    return Change(commit=commit, files=files, incomplete=incomplete)


def folded(change: Change, **spec: list[str]) -> Noise | None:
    heavy = Triage(
        sha=change.commit.sha, score=9.0, reasons=("breaks what users set",), purpose=None
    )
    return fold(heavy, change, RepoSpec.model_validate({"name": "octo/router"} | spec)).noise


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*.md", "docs/deep/page.md"),
        ("docs/", "python/docs/a.txt"),
        ("src/**/test_*.py", "src/test_a.py"),
        ("**/kernels/**", "csrc/kernels/a.cu"),
    ],
)
def test_a_pattern_covers_what_gitignore_would(pattern: str, path: str) -> None:
    assert RepoSpec(name=REPO, include=(pattern,)).wants(path)


def test_a_hostile_path_costs_no_more_than_another() -> None:
    with pytest.raises(ValidationError, match="too many stars"):
        RepoSpec(name=REPO, include=("*a*a*b",))
    spec = RepoSpec(name=REPO, include=("**/*a*b", "a/**/a/**/b", "*x*y", "a/**/a/**/*a*b"))
    with within(1):
        assert not any(
            map(spec.wants, ("/".join(["a" * 250] * 16), "a/" * 2_000 + "x" * 90, "a" * 9_999))
        )


def test_a_commit_that_touches_nothing_wanted_is_folded_however_heavy() -> None:
    assert folded(change("docs/a.md", "ci/x.yml"), include=["src/**"]) == "left out"
    assert folded(change("docs/a.md", "src/a.py"), include=["src/**"]) is None
    assert folded(change("docs/a.md"), exclude=["docs/"]) == "left out"
    assert folded(change("docs/a.md", "a.py"), exclude=["docs/"]) is None
    assert folded(change("src/gen/a.py"), include=["src/**"], exclude=["src/gen/**"]) == "left out"
    # A file that was moved away counts, and a list of files that may be cut is given the benefit.
    assert folded(change("attic/a.py", previous="src/a.py"), include=["src/**"]) is None
    assert (
        folded(change("docs/a.md", incomplete="only 3000 files are listed"), include=["src/**"])
        is None
    )


@pytest.mark.parametrize(
    "pattern", ["Rollup Robot", "rollup robot", "rollup@*", "rollup-robot", "Rollup*"]
)
def test_an_author_is_known_by_name_address_or_login(pattern: str) -> None:
    robot = Person(name="Rollup Robot", email="77+rollup-robot@users.noreply.github.com")
    other = Person(name="Rollup Robot", email="rollup@example.com")
    assert "bot" in (
        folded(change("a.py", author=robot), ignore_authors=[pattern]),
        folded(change("a.py", author=other), ignore_authors=[pattern]),
    )
    assert folded(change("a.py"), ignore_authors=[pattern]) is None


def test_folded_commits_are_noise_in_the_ranking_and_counted_in_the_report() -> None:
    spec = RepoSpec(name=REPO, include=("src/**",), ignore_authors=("mira",))
    robot = Person(name="X", email="x@example.com")
    heavy = Triage(sha="a" * 40, score=9.0, reasons=(), purpose=None)
    table = rank(
        [
            fold(heavy, change("docs/a.md", author=robot), spec),
            fold(heavy, change("src/a.py"), spec),
            heavy,
        ]
    )
    assert [triage.tier for triage in table] == [Tier.HIGH, Tier.LOW, Tier.LOW]
    assert {(notice.kind, notice.about) for notice in filter_notices(table)} == {
        ("paths-left-out", ("1",)),
        ("authors-ignored", ("1",)),
    }
    assert filter_notices([heavy]) == ()
