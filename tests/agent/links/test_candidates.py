"""What code finds for a commit: earlier commits, issues; and what a model is shown to choose from."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from agent.domain.base import RepoId
from agent.domain.commits import Change, Commit, FileChange, Headline, Landing, Person
from agent.domain.evidence import CommitEvidence, Material, Read
from agent.domain.evidence_id import EvidenceId
from agent.domain.ledger import Depth, Noise
from agent.domain.links import Grade, Link, Relation
from agent.domain.threads import Issue, Threads
from agent.domain.window import Window
from agent.links.candidates import (
    MAX_ISSUES,
    CommitCandidates,
    HistoryFindings,
    commit_candidates,
    may_be_related,
)
from agent.links.changed_names import Birth
from agent.links.footprints import Footprint, footprint_of, title_words
from agent.links.issue_index import IssueIndex, SimilarIssue
from agent.links.searchable_issues import digest
from agent.links.shortlist_prompt import ReadingChoice, Shortlist, ShortlistQuestion
from agent.links.similar_commit_index import EarlierCommits, SimilarCommit
from agent.links.touched_lines import LineWriter
from agent.stories.timeline import CommitPair, headline, step, story
from agent.triage.collected_commits import Collected
from agent.triage.weights import weigh

REPO = RepoId("lumen-ai/swiftserve")
DAY = datetime(2026, 3, 5, 12, tzinfo=UTC)
MIRA = Person(name="Mira König", email="mira@mail.example")


def commit(message: str, sha: str = "a" * 40) -> Commit:
    return Commit(
        repo=REPO,
        sha=sha,
        parents=("0" * 40,),
        author=MIRA,
        authored_at=DAY,
        committer=MIRA,
        committed_at=DAY,
        message=message,
    )


def issue(number: int, **more: Any) -> Issue:
    values: dict[str, Any] = {
        "title": "Server hangs",
        "body": "",
        "state": "open",
        "state_reason": None,
        "author": "an",
        "labels": (),
        "comments": 0,
        "reactions": 0,
        "closed_at": None,
        "created_at": DAY - timedelta(days=3),
        "updated_at": DAY,
    }
    return Issue(repo=REPO, number=number, **(values | more))


OTHERS = tuple(
    issue(100 + i, title=f"Crash number {i} in kernel {i}x with batch {i}y") for i in range(40)
)
BUG = issue(
    12,
    title="[Bug] LoRA adapter cache evicts the newest adapter",
    body="### Your current environment\n\ntorch 2.9\n\n### The bug\n\n`evict_adapter` in `lora_cache.py`"
    " says\nValueError: adapter pool is exhausted for this request",
)
PATCH = (
    "@@ -1,3 +1,3 @@ def evict_adapter(cache):\n-    cache.popitem()\n+    cache.popitem(last=False)\n"
    '+    raise ValueError("adapter pool is exhausted for this request")'
)
FILE = FileChange(
    path="swiftserve/lora_cache.py", status="modified", additions=2, deletions=1, patch=PATCH
)
FIX = Change(commit=commit("fix: LoRA adapter cache evicts the oldest adapter"), files=(FILE,))


def nearest(*issues: Issue, limit: int = MAX_ISSUES) -> list[SimilarIssue]:
    index = IssueIndex([digest(one) for one in issues])
    return index.ranked(CommitEvidence(change=FIX), limit)


def candidates(
    *issues: Issue,
    links: tuple[Link, ...] = (),
    depth: Depth = "skim",
    past: HistoryFindings | None = None,
    change: Change = FIX,
    noise: Noise | None = None,
) -> list[CommitCandidates]:
    triage = weigh(change, None).model_copy(update={"noise": noise})
    read = Read(evidence=CommitEvidence(change=change), triage=triage, depth=depth)
    window = Window(start=DAY - timedelta(hours=12), end=DAY + timedelta(hours=12), tz="UTC")
    collected = Collected(
        landing=Landing(repo=REPO, branch="main", tip="a" * 40, rows=(), late=()),
        rows=(),
        late=(),
        threads=Threads(issues=issues, coverage="read"),
    )
    material = Material(repo=REPO, window=window, reads=[read], links=links)
    return commit_candidates(collected, material, (), past or HistoryFindings())


# ---------------------------------------------------------------- issues


def test_the_nearest_issues_share_rare_words_and_were_open_when_the_change_landed() -> None:
    assert nearest(*OTHERS, BUG)[0].issue.id == BUG.id
    assert len(nearest(*OTHERS, BUG)) <= MAX_ISSUES
    late = BUG.model_copy(update={"created_at": DAY + timedelta(hours=1)})
    over = BUG.model_copy(update={"state": "closed", "closed_at": DAY - timedelta(days=1)})
    near = [*nearest(*OTHERS, late), *nearest(*OTHERS, over)]
    assert BUG.id not in [similar.issue.id for similar in near]


def test_a_commit_with_a_recorded_fix_or_in_a_fold_is_not_compared_with_issues() -> None:
    fixed = Link(
        issue=EvidenceId.thread(REPO, 5),
        change=FIX.commit.id,
        relation=Relation.FIXES,
        grade=Grade.A,
    )
    assert candidates(*OTHERS, BUG)[0].found[0].id == BUG.id
    assert candidates(*OTHERS, BUG, links=(fixed,)) == []
    assert candidates(*OTHERS, BUG, depth="group") == []


ENVIRONMENT = "\n".join(f"evict adapter pool {number} version : 1.{number}" for number in range(30))


def test_a_dump_of_the_environment_and_a_checklist_say_nothing_of_what_is_reported() -> None:
    body = (
        f"### Your current environment\n\n```text\n{ENVIRONMENT}\n```\n\n### The bug\n\nIt stops.\n\n"
        "- [x] I searched for adapter issues\n\n_No response_\n"
    )
    kept = digest(issue(3, title="The server stops", body=body))
    assert kept.terms == ("the", "server", "stops", "it")


def test_a_traceback_that_ends_in_a_changed_function_leads_and_only_its_last_frames_count() -> None:
    def traceback(*frames: str) -> str:
        lines = ["Traceback (most recent call last):"]
        for frame in frames:
            file, function = frame.split(":")
            lines.append(f'  File "/opt/venv/{file}", line 7, in {function}')
        return "```\n" + "\n".join(lines) + "\n```"

    ends = traceback("a/x.py:run", "a/y.py:go", "swiftserve/lora_cache.py:evict_adapter")
    passes = traceback("swiftserve/lora_cache.py:evict_adapter", "b/x.py:f", "b/y.py:g", "b/z.py:h")
    found = nearest(
        *OTHERS,
        issue(1, title="The cache stops", body=passes),
        issue(2, title="The cache stops", body=ends),
    )
    assert [similar.issue.number for similar in found[:2]] == [2, 1]
    assert found[0].frame == "swiftserve/lora_cache.py:evict_adapter"
    assert not found[1].frame


# ---------------------------------------------------------------- earlier commits


def landed(
    title: str, days_ago: float, *patch: str, path: str = "", author: str = "Bo", status: Any = None
) -> Footprint:
    at = DAY - timedelta(days=days_ago)
    sha = title.encode().hex().ljust(40, "0")[:40]
    headline = Headline(sha=sha, at=at, author=author, title=title)
    file = FileChange(
        path=path or f"src/{title[:3]}.py",
        status=status or "modified",
        additions=1,
        deletions=1,
        patch="\n".join(patch),
    )
    return footprint_of(Change(commit=commit(title, sha), files=(file,)), headline)


NOISE = [landed(f"Tidy module number {i}", i % 50, f"+value_{i} = {i}") for i in range(60)]


def titles(query: Footprint, *footprints: Footprint, limit: int = 5) -> list[str]:
    index = EarlierCommits([*NOISE, *footprints])
    return [similar.commit.title for similar in index.ranked(query, limit)]


def test_the_earlier_commit_that_brought_a_name_comes_before_those_that_use_it() -> None:
    birth = landed("Let routes spill", 20, "+def spill_routes():", "+    return SPILL_LIMIT")
    use = landed("Call it from the server", 20, "-    x", "+    spill_routes(y)", "-spill_routes()")
    query = landed("Bound the loop", 0, "-    return SPILL_LIMIT", "-spill_routes", path="other.py")
    assert titles(query, use, birth)[0] == "Let routes spill"


def test_a_renamed_file_and_the_same_author_count_and_age_counts_against() -> None:
    near = landed("First half", 2, "+a_name", path="kernels/fused.cu", author="An")
    far = landed("Other half", 55, "+a_name", path="kernels/fused.cu", author="Bo")
    query = landed("Speed it up", 0, "+b_name", path="kernels/fused.cu", author="An")
    assert titles(query, far, near)[:2] == ["First half", "Other half"]
    later = landed("After it", -1, "+b_name", path="kernels/fused.cu")
    assert "After it" not in titles(query, later)


def test_between_two_repositories_identifiers_count_and_not_the_words_of_titles() -> None:
    words = landed("Loop of routes", 3, "+unrelated = 1")
    names = landed(
        "Adopt a newer kernel", 3, "+    spill_routes(SPILL_LIMIT, first, second, third)"
    )
    query = landed("Bound loop of routes", 0, "-spill_routes(near, farther, wider, deeper, lower)")
    assert titles(query, words, names)[0] == "Loop of routes"
    index = EarlierCommits([*NOISE, words, names], RepoId("octo/router"))
    abroad = [similar.commit.title for similar in index.ranked(query, 2)]
    assert abroad == ["Adopt a newer kernel", "Loop of routes"]


def test_a_commit_that_names_the_other_repository_comes_before_one_that_shares_as_much() -> None:
    birth = landed("Bring the kernel", 58, "+spill_routes(SPILL_LIMIT)")
    plain = landed("Adopt a newer kernel", 3, "+spill_routes(SPILL_LIMIT, plain_engine)")
    naming = landed("Adopt another kernel", 3, "+spill_routes(SPILL_LIMIT, swiftserve_engine)")
    query = landed("Bound the loop", 0, "-spill_routes(SPILL_LIMIT)", path="other.py")
    index = EarlierCommits([*NOISE, birth, plain, naming], RepoId("octo/router"))
    assert index.ranked(query, 1)[0].commit.title == "Adopt another kernel"


def test_footprints_are_the_same_whatever_the_order_of_their_words() -> None:
    assert title_words("Fix the router (#12)") == ("fix", "router", "the")


EARLIER = Headline(
    sha="b" * 40, at=DAY - timedelta(days=2), author="Bo", title="Add the LoRA adapter cache"
)
SIMILAR = {
    REPO: {FIX.commit.sha: [SimilarCommit(commit=EARLIER, score=0.5, shared=("evict_adapter",))]}
}


def offered(past: HistoryFindings, depth: Depth = "skim") -> list[EvidenceId]:
    """Return what is offered for the fix."""
    return [found.id for commit in candidates(past=past, depth=depth) for found in commit.found]


def test_an_earlier_commit_to_which_a_story_ties_a_commit_already_is_not_offered_again() -> None:
    assert offered(HistoryFindings(similar=SIMILAR)) == [EvidenceId.commit(REPO, EARLIER.sha)]
    first = step(REPO, EARLIER, "landed")
    last = step(REPO, headline(FIX.commit), "undone", after=(first.cite,))
    revert = story("revert", REPO, [first, last])
    assert offered(HistoryFindings(similar=SIMILAR, stories=(revert,))) == []
    parts = [
        step(REPO, EARLIER, "part", part=1),
        step(REPO, headline(FIX.commit), "part", part=2),
    ]
    series = story("series", REPO, parts)
    assert offered(HistoryFindings(similar=SIMILAR, stories=(series,))) == []
    elsewhere = story(
        "revert", REPO, [first, step(REPO, headline(commit("x", "c" * 40)), "undone")]
    )
    assert offered(HistoryFindings(similar=SIMILAR, stories=(elsewhere,))) != []


def test_a_story_hides_no_earlier_commit_whose_lines_a_commit_takes_out() -> None:
    parts = [
        step(REPO, EARLIER, "part", part=1),
        step(REPO, headline(FIX.commit), "part", part=2),
    ]
    by_lines = CommitPair(doer=headline(FIX.commit), earlier=EARLIER, by_lines=True)
    past = HistoryFindings(pairs=(by_lines,), stories=(story("series", REPO, parts),))
    assert offered(past) == [EvidenceId.commit(REPO, EARLIER.sha)]


def test_a_commit_that_is_only_grouped_is_offered_nothing_that_no_text_names() -> None:
    by_lines = CommitPair(doer=headline(FIX.commit), earlier=EARLIER, by_lines=True)
    tracker = {FIX.commit.sha: (digest(BUG),)}
    past = HistoryFindings(pairs=(by_lines,), similar=SIMILAR, trackers=tracker)
    assert set(offered(past)) == {EvidenceId.commit(REPO, EARLIER.sha), BUG.id}
    assert offered(past, depth="group") == []
    pair = CommitPair(doer=headline(FIX.commit), earlier=EARLIER)
    (grouped,) = candidates(past=HistoryFindings(pairs=(pair,)), depth="group")
    assert grouped.named == (EvidenceId.commit(REPO, EARLIER.sha),)


def writer(sha: str, *, changed: int = 1, title: str = "Evict adapters") -> LineWriter:
    commit = EARLIER.model_copy(update={"sha": sha, "title": title})
    return LineWriter(commit=commit, changed=changed, nearby=2)


def test_who_wrote_the_touched_lines_comes_in_turn_with_what_is_similar() -> None:
    writers = {FIX.commit.sha: [writer("c" * 40), writer(EARLIER.sha), writer("d" * 40)]}
    past = HistoryFindings(similar=SIMILAR, writers=writers)
    (commit,) = candidates(past=past)
    assert [candidate.id.sha[0] for candidate in commit.found] == ["c", "b", "d"]
    assert commit.found[1].shared == ("evict_adapter",)
    first = step(REPO, EARLIER, "landed")
    last = step(REPO, headline(FIX.commit), "undone", after=(first.cite,))
    tied = story("revert", REPO, [first, last])
    past = HistoryFindings(writers=writers, stories=(tied,))
    assert [name.sha[0] for name in offered(past)] == ["c", "d"]


def test_who_brought_a_name_that_changes_is_offered_however_old_and_says_which_name() -> None:
    brought = EARLIER.model_copy(update={"sha": "9" * 40, "at": DAY - timedelta(days=400)})
    birth = Birth(commit=brought, names=("popitem_last", "--last"))
    past = HistoryFindings(
        similar=SIMILAR,
        writers={FIX.commit.sha: [writer("c" * 40), writer("d" * 40)]},
        births={FIX.commit.sha: [birth]},
    )
    (commit,) = candidates(past=past)
    assert [candidate.id.sha[0] for candidate in commit.found] == ["c", "b", "9", "d"]
    lines = ShortlistQuestion(commits=[commit]).text().splitlines()
    (line,) = [line for line in lines if "landed 2025-01-29" in line]
    assert line.endswith("brought names that are changed · shares popitem_last, --last")
    # A single name may be that of a library: it comes behind.
    single = {FIX.commit.sha: [Birth(commit=brought, names=("popitem_last",))]}
    (commit,) = candidates(past=replace(past, births=single))
    assert [candidate.id.sha[0] for candidate in commit.found] == ["c", "b", "d", "9"]
    # Who wrote the changed line as well is one candidate, with the name.
    both = {FIX.commit.sha: [birth.model_copy(update={"commit": EARLIER})]}
    writers = {FIX.commit.sha: [writer(EARLIER.sha)]}
    (commit,) = candidates(past=HistoryFindings(writers=writers, births=both))
    (candidate,) = commit.found
    assert (candidate.changed_lines, candidate.shared) == (1, birth.names)


def test_a_commit_of_which_most_lines_are_taken_back_comes_first_and_says_how_many() -> None:
    undone = SimilarCommit(commit=EARLIER, score=0.1, undone=12)
    past = HistoryFindings(
        pairs=[
            CommitPair(doer=headline(FIX.commit), earlier=writer("d" * 40).commit, by_lines=True)
        ],
        similar={REPO: {FIX.commit.sha: [undone]}},
        writers={FIX.commit.sha: [writer("c" * 40), writer(EARLIER.sha)]},
    )
    (commit,) = candidates(past=past)
    assert [candidate.id.sha[0] for candidate in commit.found] == ["b", "d", "c"]
    text = ShortlistQuestion(commits=[commit]).text()
    assert "Add the LoRA adapter cache · 12 lines of it are taken back" in text
    (folded,) = candidates(past=past, depth="group", noise="ci")
    assert [candidate.id.sha[0] for candidate in folded.found] == ["b", "c"]
    # Who wrote nearly all of what goes is read even where a model cannot choose.
    by_lines = CommitPair(doer=headline(FIX.commit), earlier=EARLIER, by_lines=True)
    (commit,) = candidates(past=replace(past, pairs=[by_lines]))
    (candidate, _) = commit.found
    assert (candidate.origin, candidate.taken_back) == ("changed lines", 12)


def test_lines_next_to_a_change_say_nothing_of_another_device() -> None:
    writers = {
        FIX.commit.sha: [
            writer("c" * 40, title="Evict on H100"),
            writer("d" * 40, title="Evict on H100", changed=0),
            writer("e" * 40, changed=0),
        ]
    }
    change = FIX.model_copy(update={"commit": commit("fix: eviction on MI300X")})
    (found,) = candidates(past=HistoryFindings(writers=writers), change=change)
    inferable = [candidate.id.sha[0] for candidate in found.found if candidate.may_be_inferred]
    assert inferable == ["c", "e"]


def test_a_name_in_the_same_file_connects_commits_of_one_repository_alone() -> None:
    shared = SimilarCommit(
        commit=EARLIER, score=0.5, shared=("adapters.py", "evict_adapter"), shares_code=True
    )
    inferable = []
    for repo in (REPO, RepoId("lumen-ai/routekit")):
        past = HistoryFindings(similar={repo: {FIX.commit.sha: (shared,)}})
        (found,) = candidates(past=past)
        inferable += [candidate.may_be_inferred for candidate in found.found]
    assert inferable == [True, False]


def test_a_folded_commit_of_tests_or_ci_is_offered_a_few_earlier_commits_and_no_issues() -> None:
    writers = {FIX.commit.sha: [writer(sign * 40) for sign in "cde"]}
    past = HistoryFindings(similar=SIMILAR, writers=writers)
    (commit,) = candidates(BUG, past=past, depth="group", noise="tests")
    assert [candidate.id.sha[0] for candidate in commit.found] == ["c", "b", "d"]
    for noise in ("bot", "docs", "formatting", "left out"):
        assert candidates(BUG, past=past, depth="group", noise=noise) == []


def test_an_issue_that_a_commit_is_recorded_to_fix_is_not_offered_as_the_tracker_of_its_series() -> (
    None
):
    closed = BUG.model_copy(update={"state": "closed", "closed_at": DAY})
    fixed = Link(issue=BUG.id, change=FIX.commit.id, relation=Relation.FIXES, grade=Grade.A)
    past = HistoryFindings(trackers={FIX.commit.sha: (digest(closed),)})
    assert candidates(closed, links=(fixed,), past=past) == []


# ---------------------------------------------------------------- what may be inferred


def test_what_nobody_names_needs_a_rare_name_or_the_same_title_and_no_other_device() -> None:
    assert may_be_related("Fix hang of the router", "Router hangs", has_rare_name=True)
    assert not may_be_related("Fix hang of the router", "Router hangs", has_rare_name=False)
    same = ("Lower the limit of routes (#12)", "Lower the limit of routes")
    assert may_be_related(*same, has_rare_name=False)
    assert not may_be_related("Fix NaN on H100", "NaN on MI300X", has_rare_name=True)
    assert not may_be_related("Fix Qwen3-VL loading", "Qwen2-VL does not load", has_rare_name=True)
    assert may_be_related("Fix NaN on H100", "NaN in attention", has_rare_name=True)


# ---------------------------------------------------------------- the shortlist


def test_the_shortlist_has_a_line_for_each_commit_and_candidate_and_takes_no_other_pair() -> None:
    question = ShortlistQuestion(commits=candidates(*OTHERS[:2], BUG), max_candidates=2)
    (commit_line,) = [line for line in question.text().splitlines() if line.startswith("[c1]")]
    assert commit_line.startswith(
        "[c1] fix: LoRA adapter cache evicts the oldest adapter · by Mira"
    )
    assert commit_line.endswith("<- k1")
    assert "[k1] issue #12 · opened 2026-03-02 · [Bug] LoRA adapter cache" in question.text()
    answer = Shortlist(
        pairs=[
            ReadingChoice(commit="[c1]", others=["k1", "k1", "k9"]),
            ReadingChoice(commit="c7", others=["k1"]),
        ]
    )
    chosen = question.chosen(answer)
    assert list(chosen) == [FIX.commit.id]
    assert [candidate.id for candidate in chosen[FIX.commit.id]] == [BUG.id]
