"""What is told first, what is folded, and that a tier means the same everywhere."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agent.areas import Area, area
from agent.conventions import Purpose
from agent.domain import Change, Commit, FileChange, Person
from agent.facts import Fact, FactKind, FactSheet, Place, Severity
from agent.ids import RepoId
from agent.triage import Noise, Tier, Triage, rank, weigh
from agent.weights import POINTS, URGENT

DOCS = Path(__file__).parents[2] / "docs" / "triage.md"
SOURCE = ("engine/scheduler/core.py",)


def change(
    title: str, paths: Sequence[str] = SOURCE, *, author: str = "Mira", lines: int = 20, sha: str = "a"
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
    files = [FileChange(path=path, status="modified", additions=lines, deletions=1) for path in paths]
    return Change(commit=commit, files=tuple(files))


def fact(kind: FactKind, severity: Severity, file: str = SOURCE[0], detail: str | None = None) -> Fact:
    place = Place(file=file, line=1, lines=("-old", "+new"))
    return Fact(kind=kind, severity=severity, name="thing", detail=detail, places=(place,))


def sheet(*facts: Fact) -> FactSheet:
    return FactSheet(facts=facts, route="hunks")


def tier(one: Triage) -> Tier:
    return rank([one])[0].tier


def test_a_flag_that_is_gone_is_high_whatever_the_author_calls_it() -> None:
    gone = fact(FactKind.FLAG_REMOVED, Severity.BREAKING)
    weighed = weigh(change("[Misc] Tidy the arguments"), sheet(gone))
    assert tier(weighed) is Tier.HIGH
    assert weighed.noise is None
    assert weighed.reasons[0] == "breaks what users set"


def test_a_revert_of_what_users_had_is_high_without_any_fact() -> None:
    assert tier(weigh(change('Revert "[Perf] fuse q, k norm" (#7)'), None)) is Tier.HIGH


def test_a_revert_of_workflows_stays_folded() -> None:
    weighed = weigh(change("Revert broken patterns in paths-filter", [".github/workflows/ci.yml"]), None)
    assert weighed.noise is Noise.CI


def test_a_marked_breaking_change_and_a_label_are_high() -> None:
    assert tier(weigh(change("feat!: another wire format"), None)) is Tier.HIGH
    assert tier(weigh(change("Another wire format"), None, labels=["breaking-change"])) is Tier.HIGH
    assert tier(weigh(change("Another wire format"), None, labels=["non-breaking"])) is not Tier.HIGH


def test_a_release_is_high() -> None:
    version = fact(FactKind.VERSION_CHANGED, Severity.BEHAVIOUR, "pyproject.toml")
    assert tier(weigh(change("chore(release): release v0.5.0", ["pyproject.toml"]), sheet(version))) is Tier.HIGH


def test_doing_much_without_anything_urgent_does_not_reach_the_top() -> None:
    much = [
        fact(FactKind.FLAG_ADDED, Severity.ADDITIVE),
        fact(FactKind.FLAG_DEFAULT, Severity.BEHAVIOUR),
        fact(FactKind.DEPENDENCY_CHANGED, Severity.BEHAVIOUR),
    ]
    weighed = weigh(change("[Perf][Feature] Add everything", lines=5000), sheet(*much))
    assert tier(weighed) is Tier.MID


def test_what_closes_an_issue_is_a_fix_even_if_it_does_not_say_so() -> None:
    assert "fix" in weigh(change("Wait for the whole block"), None, fixes=["It is slow"]).reasons


@pytest.mark.parametrize(
    ("title", "paths", "noise"),
    [
        ("Migrate performance tests to CI registry", ["test/srt/run.py", "test/registered/a.py"], Noise.TESTS),
        ("feature: add a nightly eval", [".github/workflows/n.yml", "scripts/ci/run.sh"], Noise.CI),
        ("fix: link in the guide", ["docs/guide.md", "README.md"], Noise.DOCS),
        ("[CI][Bugfix] import error", [*SOURCE, "tests/test_a.py"], Noise.CI),
        ("[CI] import error", SOURCE, Noise.CI),
        ("[Auto Sync] Update tokenizer_manager.py", SOURCE, Noise.CHORE),
        ("Update CODEOWNERS", [".github/CODEOWNERS"], Noise.CI),
    ],
)
def test_work_that_no_user_meets_is_folded(title: str, paths: Sequence[str], noise: Noise) -> None:
    weighed = weigh(change(title, paths), None)
    assert weighed.noise is noise
    assert weighed.noise


def test_what_broke_in_the_checks_and_is_mended_in_the_product_is_met_by_users() -> None:
    weighed = weigh(change("[CI bug] Fix a division of block sizes", SOURCE), None)
    assert weighed.noise is None
    assert not weighed.noise


def test_facts_that_say_only_tests_fold_whatever_the_title_says() -> None:
    weighed = weigh(change("[Bugfix] Fix a crash"), sheet(fact(FactKind.ONLY_TESTS, Severity.INTERNAL)))
    assert weighed.noise is Noise.TESTS


def test_documents_that_announce_a_deprecation_are_not_folded() -> None:
    weighed = weigh(change("[Doc] Deprecate the v0 engine", ["docs/v0.md"]), None)
    assert weighed.noise is None
    assert tier(weighed) is Tier.MID


@pytest.mark.parametrize("title", ["fix: bandwidth in the MLA benchmark", "feat: add fast_topk to the benchmark"])
def test_benchmarks_and_scripts_are_low(title: str) -> None:
    assert tier(weigh(change(title, ["benchmarks/mla.py", "scripts/run.sh"]), None)) is Tier.LOW


def test_a_chore_that_says_more_is_not_folded() -> None:
    assert weigh(change("[Misc] Delay deprecation of the metadata"), None).noise is None
    assert weigh(change("[Misc] Rework the planner", lines=400), None).noise is None
    assert weigh(change("[Misc] Rename a local"), None).noise is Noise.CHORE


def test_a_bot_is_folded_unless_its_diff_tells_users_something() -> None:
    bump = fact(FactKind.DEPENDENCY_CHANGED, Severity.BEHAVIOUR, "requirements.txt")
    assert weigh(change("Update tags", ["docker/tags.txt"], author="FlashInfer Bot"), None).noise is Noise.BOT
    told = weigh(change("Bump torch", ["requirements.txt"], author="dependabot[bot]"), sheet(bump))
    assert (told.noise, tier(told)) == (None, Tier.LOW)


def test_labels_for_chores_fold_nothing_and_others_count() -> None:
    weighed = weigh(change("Wait for the whole block"), None, labels=["documentation", "ci/build", "bug"])
    assert weighed.noise is None
    assert weighed.purpose is Purpose.FIX


def test_no_more_than_a_quarter_is_on_top_of_a_busy_day_and_a_quiet_one_has_room() -> None:
    reverts = [weigh(change(f'Revert "thing {n}"', sha=f"{n % 16:x}"), None) for n in range(40)]
    assert sum(one.tier is Tier.HIGH for one in rank(reverts)) == 10
    assert sum(one.tier is Tier.HIGH for one in rank(reverts[:3])) == 3


def test_the_same_commit_weighs_the_same_in_a_busy_and_in_a_quiet_repository() -> None:
    deadlock = weigh(change("[Bugfix] Fix a deadlock", sha="f"), None)
    crowd = [weigh(change("[Kernel] Tune", sha=f"{n:x}"), None) for n in range(15)]
    assert next(one for one in rank([deadlock, *crowd]) if one.sha == "f" * 40).tier is rank([deadlock])[0].tier


def test_a_commit_without_files_can_be_weighed() -> None:
    assert tier(weigh(change("Start the day", []), None)) is Tier.LOW


@pytest.mark.parametrize(
    ("path", "where"),
    [
        ("vllm/core/sched.py", Area.PRODUCT),
        ("docker/Dockerfile", Area.PRODUCT),
        ("tests/test_a.py", Area.TESTS),
        ("python/pkg/test_a.py", Area.TESTS),
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


def test_every_reason_is_in_the_documented_table_with_its_points() -> None:
    rows = [line.split("|") for line in DOCS.read_text("utf-8").splitlines() if line.startswith("| `")]
    documented = {row[1].strip().strip("`"): float(row[2]) for row in rows}
    assert {name: documented[name] for name in POINTS} == POINTS
    assert set(documented) - set(POINTS) == {"closes issues"}
    assert set(POINTS) >= URGENT


def test_a_commit_that_changes_no_file_is_folded_as_such() -> None:
    weighed = weigh(change("fix(core): hand the mask on", ()), sheet())
    assert (weighed.noise, tier(weighed)) == (Noise.EMPTY, Tier.LOW)


def test_a_commit_on_comments_of_code_is_not_filed_under_documents() -> None:
    only = Fact(kind=FactKind.ONLY_COMMENTS, severity=Severity.INTERNAL, name="1 files")
    assert weigh(change("Fix lint on main"), sheet(only)).noise is Noise.COMMENTS


def test_a_few_lines_by_which_a_page_looks_otherwise_are_low() -> None:
    looks = weigh(change("fix: increase spacing on wide screens", ["tools/ui/src/Greeting.svelte"], lines=4), None)
    code = weigh(change("fix: increase spacing on wide screens", ["tools/ui/src/greeting.ts"], lines=4), None)
    assert (tier(looks), tier(code)) == (Tier.LOW, Tier.MID)


def test_a_fix_that_closes_an_issue_weighs_more_and_its_words_do_not() -> None:
    plain = weigh(change("[Bugfix] Compute page offsets in 64 bits"), None)
    worded = weigh(change("[Bugfix] Fix a crash in the offsets of pages"), None)
    closing = weigh(change("[Bugfix] Compute page offsets in 64 bits"), None, fixes=["Slow start"])
    assert plain.score == worded.score < closing.score
    assert tier(closing) is Tier.MID


def test_what_breaks_is_urgent_in_a_refactoring_too_and_a_guess_is_not() -> None:
    gone = fact(FactKind.SYMBOL_REMOVED, Severity.BREAKING)
    unproved = fact(FactKind.SYMBOL_REMOVED, Severity.BEHAVIOUR)
    assert "breaks exported names" in weigh(change("[Refactor] Split the loader"), sheet(gone)).reasons
    assert tier(weigh(change("[Refactor] Split the loader", lines=900), sheet(unproved))) is Tier.LOW


def test_new_models_and_entries_are_worth_knowing_and_lines_of_bodies_weigh_nothing() -> None:
    model = fact(FactKind.FILE_ADDED, Severity.ADDITIVE, detail="model")
    entry = fact(FactKind.REGISTERED, Severity.ADDITIVE, detail="_MODELS")
    inside = fact(FactKind.CODE_CHANGED, Severity.BEHAVIOUR)
    assert tier(weigh(change("Inkling"), sheet(model))) is tier(weigh(change("Inkling"), sheet(entry))) is Tier.MID
    assert weigh(change("Inkling"), sheet(inside)).reasons == ()
