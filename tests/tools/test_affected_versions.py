"""Which versions have a fault, and which have its fix, in small repositories with release branches."""

from datetime import UTC, datetime

import pytest

from agent.domain.affected_versions import Affected
from agent.domain.base import RepoId
from agent.domain.versions import VersionSpan
from agent.reports.affected_text import affected_text, card_text
from tests.made_repos import Work
from tools.affected_versions import affected_versions
from tools.evidence_cache import EvidenceCache
from tools.git.source import GitSource

REPO = RepoId("o/engine")
LATER = datetime(2027, 1, 1, tzinfo=UTC)
ROUTER = "def route(size):\n    if size > limit():\n        return None\n    return size\n"
FAULTY = ROUTER.replace("size > limit()", "size >= limit() or size == 0")


async def affected(work: Work, sha: str, until: datetime = LATER) -> Affected | None:
    code = GitSource(REPO, work.path)
    library = EvidenceCache()
    (evidence,) = await library.study_all(code, [sha])
    return await affected_versions(code, evidence, library, until=until)


def released(work: Work) -> str:
    """Make three versions: the second brings a fault; return the hash of the commit that did."""
    work.commit("Add the router (#1)", {"engine/router.py": ROUTER})
    work.git("tag", "v1.0.0")
    fault = work.commit("Route by size (#2)", {"engine/router.py": FAULTY})
    work.git("tag", "v1.1.0rc1")
    work.git("tag", "v1.1.0")
    work.commit("Explain routes (#3)", {"README.md": "Routes\n"})
    work.git("tag", "v1.2.0")
    return fault


@pytest.mark.parametrize(
    "message",
    [
        "Fix empty routes (#9)\n\nThe fault was introduced in #2.",
        "[Bugfix] Empty routes (#9)\n\nIntroduced by https://github.com/o/engine/pull/2, by accident.",
        "fix: empty routes (#9)\n\nA bug introduced in PR [#2](https://github.com/o/engine/pull/2).",
        "[Bugfix] Fix empty routes broken by #2 (#9)",
        "[Bugfix] Fix regression from #2 (#9)",
        "fix empty routes (#9)\n\nCaused by https://github.com/o/engine/pull/2",
    ],
)
async def test_a_fix_names_the_pull_request_that_brought_the_fault(
    work: Work, message: str
) -> None:
    fault = released(work)
    fix = work.commit(message, {"engine/router.py": FAULTY.replace(" or size == 0", " or False")})
    result = await affected(work, fix)
    assert result is not None
    assert (result.introduced, result.title) == (f"o/engine@{fault}", "Route by size (#2)")
    assert result.proof == "named"
    assert result.contains_fault == ("v1.1.0rc1", "v1.1.0", "v1.2.0")
    assert result.contains_fix == ()
    assert affected_text(result, "en").startswith(
        "Affected: `v1.1.0` to `v1.2.0`; no release has the fix yet."
    )
    assert affected_text(result, "zh").startswith("受影响版本：`v1.1.0` 至 `v1.2.0`；")


@pytest.mark.parametrize("title", ["Fix empty routes", "engine/router.py: check for no size"])
async def test_a_hash_in_the_trailer_of_a_fix_is_the_commit_that_brought_the_fault(
    work: Work, title: str
) -> None:
    fault = released(work)
    message = f'{title}\n\nFixes: {fault[:12]} ("Route by size (#2)")\n'
    fix = work.commit(message, {"engine/router.py": ROUTER + "# checked\n"})
    result = await affected(work, fix)
    assert result is not None
    assert result.introduced == f"o/engine@{fault}"


async def test_a_revert_tells_which_versions_have_what_it_takes_back(work: Work) -> None:
    fault = released(work)
    message = f'Revert "Route by size (#2)" (#9)\n\nThis reverts commit {fault}.'
    fix = work.commit(message, {"engine/router.py": ROUTER})
    work.git("tag", "v1.3.0")
    result = await affected(work, fix)
    assert result is not None
    assert result.proof == "reverted"
    assert result.fault_spans == (VersionSpan(first="v1.1.0", last="v1.2.0"),)
    assert result.first_fixed == ("v1.3.0",)
    assert affected_text(result, "en") == (
        f"`v1.1.0` to `v1.2.0` have `{fault[:9]}` Route by size (#2), which is taken back here; "
        "it is out again in `v1.3.0`."
    )
    assert card_text(result, "zh").endswith("此处将其撤回；自 `v1.3.0` 起不再包含。")


async def test_what_takes_back_an_unreleased_check_calls_nothing_a_fault(work: Work) -> None:
    released(work)
    check = work.commit("Fix empty routes (#4)", {"engine/router.py": ROUTER})
    message = f'Revert "Fix empty routes (#4)" (#5)\n\nThis reverts commit {check}.'
    revert = work.commit(message, {"engine/router.py": FAULTY})
    result = await affected(work, revert)
    assert result is not None
    text = f"`{check[:9]}` Fix empty routes (#4), which is taken back here, was never released."
    assert card_text(result, "en") == text
    work.git("tag", "v1.3.0rc1", check)
    result = await affected(work, revert)
    assert result is not None
    assert "fault" not in card_text(result, "en")
    assert "`v1.3.0rc1` had it." in card_text(result, "en")


async def test_the_writer_of_the_lines_that_a_fix_removes_likely_brought_the_fault(
    work: Work,
) -> None:
    fault = released(work)
    mended = FAULTY.replace("size == 0", "size < 0")
    fix = work.commit("Fix empty routes (#9)", {"engine/router.py": mended})
    result = await affected(work, fix)
    assert result is not None
    assert (result.introduced, result.proof) == (f"o/engine@{fault}", "lines")
    assert affected_text(result, "en").startswith("Most lines that this removes are in ")
    assert affected_text(result, "zh").startswith("此处删除的代码行大多见于 ")


async def test_lines_that_were_edited_while_they_moved_say_nothing_of_their_age(work: Work) -> None:
    names = "".join(f"LIMIT_{number} = {number}\n" for number in range(9))
    faulty = "def route(size):\n    return internals.limit(size) >= size\n"
    work.commit("Add the router (#1)", {"engine/all.py": names + faulty})
    work.git("tag", "v1.0.0")
    moved = "def route(size):\n    return limit(size) >= size\n"
    work.commit(
        "Move routes to a file (#2)", {"engine/all.py": "", "engine/routes.py": names + moved}
    )
    fix = work.commit(
        "Fix full routes (#3)", {"engine/routes.py": names + moved.replace(">=", ">")}
    )
    assert await affected(work, fix) is None


async def test_a_fault_may_be_older_than_a_line_that_was_only_edited(work: Work) -> None:
    work.commit("Add the router (#1)", {"engine/router.py": "report(route(config.size), 1)\n"})
    work.git("tag", "v1.0.0")
    work.commit("Report more (#2)", {"engine/router.py": "report(route(size), 1)\n"})
    work.git("tag", "v1.1.0")
    fix = work.commit("Fix the report (#3)", {"engine/router.py": "report(route(size), 2)\n"})
    assert await affected(work, fix) is None


async def test_tests_say_nothing_of_the_age_of_a_fault(work: Work) -> None:
    tests = "assert route(1) is RETRY\n"
    work.commit("Add the router (#1)", {"engine/router.py": "if hit:\n    return RETRY\n"})
    work.git("tag", "v1.0.0")
    edited = {
        "engine/router.py": "if hit:\n    time(hit)\n    return MISS if old else RETRY\n",
        "tests/test_router.py": tests,
    }
    work.commit("Measure routes (#2)", edited)
    work.git("tag", "v1.1.0")
    mended = {path: text.replace("RETRY", "PENDING") for path, text in edited.items()}
    assert await affected(work, work.commit("Fix the router (#3)", mended)) is None


async def test_what_an_edit_brought_into_a_line_is_as_old_as_the_edit(work: Work) -> None:
    work.commit("Add the router (#1)", {"engine/router.py": "use(isinstance(layer, Fused))\n"})
    work.git("tag", "v1.0.0")
    fault = work.commit(
        "Turn layers round (#2)", {"engine/router.py": "use(isinstance(layer, Runner))\n"}
    )
    mended = "use(isinstance(layer, (Runner, Experts)))\n"
    fix = work.commit("Fix layers (#3)", {"engine/router.py": mended})
    result = await affected(work, fix)
    assert result is not None
    assert result.introduced.sha == fault


@pytest.mark.parametrize(
    "title",
    ["[Bugfix] Route by size (#2)", 'Revert "Route all" (#2)', "[Refactor] Routes (#2)"],
)
async def test_a_fault_may_be_older_than_the_fix_whose_lines_go(work: Work, title: str) -> None:
    work.commit("Add the router (#1)", {"engine/router.py": ROUTER})
    work.git("tag", "v1.0.0")
    work.commit(title, {"engine/router.py": FAULTY})
    mended = FAULTY.replace("size == 0", "size < 0")
    fix = work.commit("Fix empty routes (#9)", {"engine/router.py": mended})
    assert await affected(work, fix) is None


async def test_a_fix_that_mostly_adds_says_nothing_of_who_wrote_the_line_that_goes(
    work: Work,
) -> None:
    places = "".join(f"def step_{number}():\n    pass\n" + "\n" * 9 for number in range(4))
    work.commit("Add steps (#1)", {"engine/steps.py": places})
    work.git("tag", "v1.0.0")
    pinned = places + "PINNED = True\n"
    work.commit("Pin memory (#2)", {"engine/steps.py": pinned})
    work.git("tag", "v1.1.0")
    mended = pinned.replace("    pass\n", "    pass\n    wait()\n").replace("= True", "= FAST")
    fix = work.commit("Fix steps without a device (#3)", {"engine/steps.py": mended})
    assert await affected(work, fix) is None


async def test_a_comment_that_goes_says_nothing_of_who_brought_the_fault(work: Work) -> None:
    limits = "LIMITS = [\n    # Names of limits: a.\n    'a',\n]\n"
    work.commit("Add the router (#1)", {"engine/router.py": ROUTER})
    work.git("tag", "v1.0.0")
    work.commit("Name limits (#2)", {"engine/limits.py": limits})
    work.git("tag", "v1.1.0")
    mended = limits.replace("limits: a.", "limits: a, b.").replace("'a',", "'a',\n    'b',")
    fix = work.commit("Fix limits of others (#3)", {"engine/limits.py": mended})
    assert await affected(work, fix) is None


async def test_a_copy_of_the_fix_on_a_release_branch_counts_under_its_other_hash(
    work: Work,
) -> None:
    fault = released(work)
    fix = work.commit(
        "Fix empty routes (#9)\n\nThe fault was introduced in #2.",
        {"engine/router.py": ROUTER},
    )
    work.git("checkout", "--quiet", "-b", "release-1.2", "v1.2.0")
    work.commit("Prepare 1.2.1", {"notes.txt": "1.2.1\n"})
    work.git("cherry-pick", fix)
    work.git("tag", "v1.2.1")
    work.git("checkout", "--quiet", "-b", "release-1.1", "v1.1.0")
    # Here the fix is picked under another title, and git's own line tells what it is.
    work.commit(f"Repair routes\n\n(cherry picked from commit {fix})", {"engine/router.py": ROUTER})
    work.git("tag", "v1.1.1")
    work.git("checkout", "--quiet", "main")
    work.git("tag", "v1.3.0rc1")
    result = await affected(work, fix)
    assert result is not None
    assert result.introduced.sha == fault
    assert result.contains_fault == ("v1.1.0rc1", "v1.1.0", "v1.2.0")
    assert result.contains_fix == ("v1.1.1", "v1.2.1", "v1.3.0rc1")
    assert result.fault_spans == (
        VersionSpan(first="v1.1.0", last="v1.1.0"),
        VersionSpan(first="v1.2.0", last="v1.2.0"),
    )
    assert result.first_fixed == ("v1.1.1", "v1.2.1")
    text = affected_text(result, "en")
    assert text.startswith("Affected: `v1.1.0`, `v1.2.0`; fixed in `v1.1.1`, `v1.2.1`.")


async def test_a_fault_that_no_version_has_was_never_released(work: Work) -> None:
    released(work)
    cache = work.commit("Cache routes (#4)", {"engine/cache.py": "CACHE = {}\nLIMIT = 1\n"})
    fix = work.commit("Fix the cache (#5)", {"engine/cache.py": "CACHE = []\nLIMIT = 2\n"})
    result = await affected(work, fix)
    assert result is not None
    assert (result.introduced.sha, result.contains_fault) == (cache, ())
    assert affected_text(result, "en").startswith(
        "Most lines that this removes were never released"
    )
    work.git("tag", "v1.3.0rc1", cache)
    result = await affected(work, fix)
    assert result is not None
    assert (result.contains_fault, result.fault_spans) == (("v1.3.0rc1",), ())
    assert "`v1.3.0rc1`" in affected_text(result, "en")


async def test_versions_of_later_days_are_not_in_a_report_of_an_earlier_one(work: Work) -> None:
    released(work)
    fix = work.commit("Fix empty routes (#9)", {"engine/router.py": ROUTER})
    until = datetime.fromtimestamp(work.seconds + 1, UTC)
    env = {"GIT_COMMITTER_DATE": f"@{work.seconds + 86_400} +0000"}
    work.git("tag", "-a", "-m", "out", "v1.3.0", env=env)
    result = await affected(work, fix, until)
    assert result is not None
    assert result.contains_fix == ()


@pytest.mark.parametrize(
    "message",
    [
        "Use the routes introduced in #2 (#9)",
        "Fix a test\n\nUses the option introduced in #3.",
        "Document routes (#9)",
    ],
)
async def test_nothing_is_said_where_nobody_knows_what_brought_the_fault(
    work: Work, message: str
) -> None:
    released(work)
    sha = work.commit(message, {"engine/router.py": FAULTY + "\n\ndef more():\n    return 1\n"})
    assert await affected(work, sha) is None


@pytest.mark.parametrize(("words", "is_known"), [("Caused by", True), ("Introduced by", False)])
async def test_a_cause_may_lie_in_another_file_than_its_fix(
    work: Work, words: str, is_known: bool
) -> None:
    fault = released(work)
    fix = work.commit(
        f"Fix the caller (#9)\n\n{words} #2.", {"engine/call.py": "def call(): ...\n"}
    )
    result = await affected(work, fix)
    assert (result is not None) == is_known
    if result is not None:
        assert result.introduced == f"o/engine@{fault}"


async def test_no_version_is_affected_by_what_a_docstring_said(work: Work) -> None:
    work.commit("Add the router (#1)", {"engine/router.py": ROUTER})
    documented = ROUTER.replace("(size):\n", '(size):\n    """Returns where a size is routd."""\n')
    work.commit("Explain the router (#2)", {"engine/router.py": documented})
    work.git("tag", "v1.0.0")
    mended = documented.replace("routd", "routed")
    fix = work.commit("Fix docstring (#9)", {"engine/router.py": mended})
    assert await affected(work, fix) is None


async def test_a_repository_without_versions_has_no_affected_ones(work: Work) -> None:
    work.commit("Add the router (#1)", {"engine/router.py": ROUTER})
    work.commit("Route by size (#2)", {"engine/router.py": FAULTY})
    fix = work.commit("Fix empty routes (#9)", {"engine/router.py": ROUTER})
    work.git("tag", "nightly-1")
    assert await affected(work, fix) is None
