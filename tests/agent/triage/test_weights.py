"""What is told first, what is folded, and that a tier means the same everywhere."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agent.domain.base import RepoId
from agent.domain.commits import Change, Commit, FileChange, Person
from agent.domain.facts import Fact, FactKind, FactLocation, FactSheet, Severity
from agent.domain.ledger import Noise, Purpose, Tier, Triage
from agent.triage.title_conventions import Area, area, read_heading
from agent.triage.weights import POINTS, URGENT, rank, weigh

DOCS = Path(__file__).parents[3] / "docs" / "facts.md"
SOURCE = ("engine/scheduler/core.py",)


def change(
    title: str,
    paths: Sequence[str] = SOURCE,
    *,
    author: str = "Mira",
    lines: int = 20,
    sha: str = "a",
) -> Change:
    at = datetime(2026, 2, 4, tzinfo=UTC)
    person = Person(name=author, email="somebody@example.com")
    commit = Commit(
        repo=RepoId("octo/engine"),
        sha=sha * 40,
        parents=("0" * 40,),
        author=person,
        authored_at=at,
        committer=person,
        committed_at=at,
        message=title,
    )
    files = [
        FileChange(path=path, status="modified", additions=lines, deletions=1) for path in paths
    ]
    return Change(commit=commit, files=tuple(files))


def fact(
    kind: FactKind, severity: Severity, file: str = SOURCE[0], detail: str | None = None
) -> Fact:
    location = FactLocation(file=file, line=1, lines=("-old", "+new"))
    return Fact(kind=kind, severity=severity, name="thing", detail=detail, places=(location,))


def sheet(*facts: Fact) -> FactSheet:
    return FactSheet(facts=facts, route="hunks")


def tier(triage: Triage) -> Tier:
    return rank([triage])[0].tier


FIX = "fix"
FEATURE = "feature"
CI = "ci"


@pytest.mark.parametrize(
    ("line", "purposes", "breaking"),
    [
        ("[Bugfix] Fix ubatch wrapper num_tokens calculate (#33694)", (FIX,), False),
        ("fix(mask)!: align the causal mask", (FIX,), True),
        ('Revert "[Perf] fuse q, k norm" (#17332)', ("revert",), False),
        ("chore/feat: benchmark; add routed counterpart", ("chore", FEATURE), False),
        ("v4.4.1 (#3079)", ("release",), False),
        ("Upgrade h11 for CVE-2025-43859", ("security",), False),
        ("[Deprecation] Remove `_get_data_parser`", ("deprecation",), False),
        ("[CI/Build][Bugfix] Pin the runner", (CI, "chore", FIX), False),
        ("[XPU][2/N] add unquantized moe for xpu (#33659)", (), False),
        ("[Breaking] Rename the flag", (), True),
        ("[BC Breaking] fix(language): promote division", (FIX,), True),
        ("[bc-breaking] Rename the flag", (), True),
        ("non-breaking: rename a local", (), False),
        # The first word counts like the tag of the same name.
        ("Fix line breaking in logs", (FIX,), False),
        ("[Kernel] Fix an out-of-bounds write (#7)", (FIX,), False),
        ("perf of the decoder", ("performance",), False),
        ("Revert broken patterns", ("revert",), False),
        # Other plain words declare nothing, whatever they mean.
        ("Fixes for line breaking", (), False),
        ("Fix-up of the logs", (), False),
        ("Test the scheduler under load", (), False),
        ("Build the index lazily", (), False),
        ("Support rollback of speculative tokens", (), False),
        *((line, (), False) for line in ("", "   ", "[]", "[[[[", "!:", "a" * 5000, "[x" * 3000)),
    ],
)
def test_a_first_line_declares_by_its_syntax(
    line: str, purposes: tuple[Purpose, ...], breaking: bool
) -> None:
    heading = read_heading(line)
    assert (heading.purposes, heading.breaking) == (purposes, breaking)


@pytest.mark.parametrize(
    ("title", "facts", "expected"),
    [
        ("[Misc] Tidy the arguments", [fact("flag-removed", Severity.BREAKING)], Tier.HIGH),
        ('Revert "[Perf] fuse q, k norm" (#7)', [], Tier.HIGH),
        ("feat!: another wire format", [], Tier.HIGH),
        ("chore(release): v0.5.0", [fact("version-changed", Severity.BEHAVIOUR)], Tier.HIGH),
        # Doing much without anything urgent does not reach the top.
        (
            "[Perf][Feature] Add everything",
            [
                fact("flag-added", Severity.ADDITIVE),
                fact("flag-default-changed", Severity.BEHAVIOUR),
                fact("dependency-changed", Severity.BEHAVIOUR),
            ],
            Tier.MID,
        ),
        ("Inkling", [fact("file-added", Severity.ADDITIVE, detail="model")], Tier.MID),
        ("Inkling", [fact("registered", Severity.ADDITIVE, detail="_MODELS")], Tier.MID),
        ("Inkling", [fact("code-changed", Severity.BEHAVIOUR)], Tier.LOW),
        # What breaks is urgent in a refactoring too, and a guess is not.
        ("[Refactor] Split the loader", [fact("symbol-removed", Severity.BREAKING)], Tier.MID),
        ("[Refactor] Split the loader", [fact("symbol-removed", Severity.BEHAVIOUR)], Tier.LOW),
        ("Start the day", [], Tier.LOW),
    ],
)
def test_a_commit_is_of_the_tier_of_its_diff_and_its_tags(
    title: str, facts: list[Fact], expected: Tier
) -> None:
    assert tier(weigh(change(title, lines=900), sheet(*facts))) is expected


@pytest.mark.parametrize(
    ("title", "paths", "noise"),
    [
        (
            "Migrate performance tests to CI registry",
            ["test/srt/run.py", "test/registered/a.py"],
            "tests",
        ),
        ("feature: add a nightly eval", [".github/workflows/n.yml", "scripts/ci/run.sh"], "ci"),
        ("Revert broken patterns in paths-filter", [".github/workflows/ci.yml"], "ci"),
        ("fix: link in the guide", ["docs/guide.md", "README.md"], "docs"),
        ("[CI][Bugfix] import error", [*SOURCE, "tests/test_a.py"], "ci"),
        ("[CI] import error", SOURCE, "ci"),
        ("[Misc] Rename a local", SOURCE, "chore"),
        # What broke in the checks and is mended in the product is met by users.
        ("[CI bug] a division of block sizes", SOURCE, None),
        ("[Deprecation] the v0 engine", ["docs/v0.md"], None),
        ("[Misc][Deprecation] Delay the metadata", SOURCE, None),
    ],
)
def test_work_that_no_user_meets_is_folded(
    title: str, paths: Sequence[str], noise: Noise | None
) -> None:
    assert weigh(change(title, paths), None).noise == noise


@pytest.mark.parametrize(
    ("kind", "noise"), [("only-tests", "tests"), ("only-comments", "comments")]
)
def test_facts_fold_whatever_the_title_says(kind: FactKind, noise: Noise) -> None:
    assert (
        weigh(change("[Bugfix] Fix a crash"), sheet(fact(kind, Severity.INTERNAL))).noise is noise
    )
    assert weigh(change("fix(core): hand the mask on", ()), sheet()).noise == "empty"


def test_a_chore_or_a_bot_that_reworks_much_of_the_product_is_not_folded() -> None:
    small = change("chore: tidy", lines=49)
    large = change("chore: tidy", lines=50)
    assert [weigh(one, None).noise for one in (small, large)] == ["chore", None]
    by_bot = [change("Bump it", author="renovate[bot]", lines=lines) for lines in (49, 50)]
    assert [weigh(one, None).noise for one in by_bot] == ["bot", None]


def test_a_commit_whose_files_could_not_be_listed_is_not_called_empty() -> None:
    empty = change("Go on", ())
    incomplete = empty.model_copy(update={"incomplete": "too many files"})
    assert [weigh(one, sheet()).noise for one in (empty, incomplete)] == ["empty", None]


def test_tests_count_for_a_change_of_the_product_alone() -> None:
    tests = ("tests/test_core.py",)
    product = weigh(change("Go on"), None).score
    assert weigh(change("Go on", (*SOURCE, *tests)), None).score == round(product + 0.2, 3)
    assert weigh(change("Go on", tests), None).score == 0


def test_no_more_than_a_quarter_is_on_top_of_a_busy_day_and_a_quiet_one_has_room() -> None:
    reverts = [weigh(change(f'Revert "thing {n}"', sha=f"{n % 16:x}"), None) for n in range(40)]
    assert sum(triage.tier is Tier.HIGH for triage in rank(reverts)) == 10
    assert sum(triage.tier is Tier.HIGH for triage in rank(reverts[:3])) == 3


@pytest.mark.parametrize(
    ("path", "where"),
    [
        ("vllm/core/sched.py", Area.PRODUCT),
        ("docker/Dockerfile", Area.PRODUCT),
        ("tests/test_a.py", Area.TESTS),
        ("python/pkg/test_a.py", Area.TESTS),
        ("pkg/testing/tiles.py", Area.PRODUCT),
        ("pkg/testing/test_tiles.py", Area.TESTS),
        ("tests/testing/tiles.py", Area.TESTS),
        ("python/testing/tiles.py", Area.TESTS),
        ("docs/a/conf.py", Area.DOCS),
        ("README.md", Area.DOCS),
        ("scripts/ci/amd/start.sh", Area.CI),
        ("benchmarks/a.py", Area.BENCH),
        ("-rf", Area.PRODUCT),
        ("", Area.PRODUCT),
    ],
)
def test_a_path_tells_whom_a_file_is_for(path: str, where: Area) -> None:
    assert area(path) is where


def test_advisories_versions_and_new_errors_count_without_a_model() -> None:
    advisory = weigh(change("Tidy the parser\n\nSee CVE-2026-1234."), None)
    assert "security" in advisory.reasons
    constant = fact("constant-changed", Severity.BEHAVIOUR).model_copy(
        update={"name": "engine.__version__"}
    )
    assert "new version" in weigh(change("Tidy up"), sheet(constant)).reasons
    error = sheet(fact("error-added", Severity.BEHAVIOUR))
    assert "new errors" in weigh(change("Tidy up"), error).reasons


def test_a_number_in_the_trailer_of_a_person_is_no_advisory_of_the_change() -> None:
    message = "Tidy the parser\n\nCo-authored-by: Mend CVE-2026-1234 <crew@mail.example>"
    assert "security" not in weigh(change(message), None).reasons
    named = weigh(change(f"{message}\nFixes: CVE-2026-1235"), None)
    assert "security" in named.reasons


def test_every_reason_is_in_the_documented_table_with_its_points() -> None:
    rows = [
        line.split("|") for line in DOCS.read_text("utf-8").splitlines() if line.startswith("| `")
    ]
    documented = {row[1].strip().strip("`"): float(row[2]) for row in rows}
    assert {name: documented[name] for name in POINTS} == POINTS
    assert set(documented) - set(POINTS) == {"closes issues"}
    assert set(POINTS) >= URGENT
