"""Every number stands in the evidence or was counted by code."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.claims import Claim, Judgement, Role, Verdict
from agent.domain import Change, Commit, FileChange, Person
from agent.dossier import Computation, Dossier
from agent.evidence import CommitEvidence
from agent.facts import Fact, FactKind, Severity
from agent.gate.atoms import atoms
from agent.gate.numbers import numbers
from agent.ids import RepoId
from agent.settings import Language

Make = Callable[..., Any]


@pytest.fixture
def wrong(fault: Make) -> Make:
    """Check the numbers of some words."""

    def run(text: str, *evidence: Any, **about: Any) -> str:
        found = fault(numbers, *evidence, text=text, **about)
        assert found is None or found.verdict in (Verdict.NUMBER, Verdict.UNDECIDED)
        return found.reason if found else ""

    return run


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Raises int8 and sm_100 on H100 for Qwen2.5-7B, [@1].", []),
        ("Runs on 8xH100 with CUDA 12.9 and v0.6.3", ["8", "12.9", "v0.6.3"]),
        ("1. Lowers it\n2) Raises it\n（3）改", []),
        ("Limits `topK <= 8` for `int8` and `a[0x1F]`", ["8"]),
        ("On 2026-02-03, 2月3日 and Feb 3, 2026", []),
        ("The 2nd and 第二 one, 一个, 统一, 一般", []),
        ("两个参数，十二处，三百行", ["两", "十二", "三百"]),
        ("twenty-one cases in two-stage mode", ["twenty-one"]),
        ("10-20 ms, 1,024 tokens, 128x64 tiles", ["10", "20", "1,024", "128", "64"]),
        ("从1.2.3升级到1.3.0rc1", ["1.2.3", "1.3.0rc1"]),
    ],
)
def test_digits_of_names_dates_and_lists_are_no_numbers(text: str, found: list[str]) -> None:
    assert [atom.text for atom in atoms(text)] == found


@pytest.mark.parametrize(
    "text",
    [
        "Lowers the limit from 22 to 8.",
        "将上限从 22 降到 8。",
        "The limit is eight now.",
        "p50 drops from 12 ms to 7.4 ms.",
        "p50 从 0.012 秒降到 7.4 毫秒。",
        "p50 drops to 7400 µs, that is about 7 ms.",
        "The timeout grows from 30 s to 45 seconds.",
        "It changes 1 file, +4 −3.",
        "It changes one file and adds 4 lines.",
        "修改 1 个文件，新增 4 行，删除 3 行。",
        "Rejects `topK > 8`.",
    ],
)
def test_numbers_of_the_evidence_pass(wrong: Make, make_commit: Make, text: str) -> None:
    assert wrong(text, make_commit()) == ""


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Lowers the limit from 22 to 9.", "9 stands nowhere"),
        ("将上限从 22 降到七个。", "七 stands nowhere"),
        ("p50 drops from 12 s to 7.4 ms.", "12 stands nowhere"),
        ("p50 drops to 7.5 ms.", "7.5 stands nowhere"),
        ("p50 drops by 12%.", "12 stands nowhere"),
        ("It changes 3 files.", "the evidence has 1 files, not 3"),
        ("It changes two files.", "the evidence has 1 files, not two"),
        ("修改了三个文件。", "the evidence has 1 files, not 三"),
        ("It adds 3 lines.", "the evidence has 4 lines, not 3"),
        ("删除 4 行。", "the evidence has 3 lines, not 4"),
        ("It changes +4 −2.", "the commit changes +4 −3, not -2"),
        ("It changes +5/-3.", "the commit changes +4 −3, not +5"),
        ("Rejects `topK > 9`.", "9 stands nowhere"),
        ("Comes with 0.6.3.", "0.6.3 stands nowhere"),
        ("Lowers it as in 41.", "41 stands nowhere"),
        ("Lowers the limit from 8 to 8.", "8 to 8 is no change"),
        ("将 `topK` 的上限由 8 变 8。", "8 to 8 is no change"),
    ],
)
def test_other_numbers_fail_and_the_reason_says_what_is_there(
    wrong: Make, make_commit: Make, text: str, told: str
) -> None:
    assert told in wrong(text, make_commit())


def test_versions_are_compared_whole_or_by_their_first_numbers(wrong: Make, make_commit: Make) -> None:
    commit = make_commit(message="Bump CUDA to 12.9.1 and torch to v2.8.0rc1")
    for text in ("Moves to 12.9.1.", "Moves to CUDA 12.9.", "Moves to CUDA 12.", "Moves to v2.8.0rc1."):
        assert wrong(text, commit) == ""
    for text in ("Moves to 12.9.2.", "Moves to CUDA 12.8.", "Moves to CUDA 13.", "Moves to v2.8.1."):
        assert wrong(text, commit) != ""


def test_a_version_may_stand_right_behind_a_name(wrong: Make, make_commit: Make) -> None:
    commit = make_commit(message="Fix a regression for the 4.4-ctk13.1 release")
    assert wrong("CUDA 13.1 and later are compiled otherwise.", commit) == ""
    assert wrong("CUDA 3.1 and later are compiled otherwise.", commit) != ""


def test_percentages_sizes_and_factors_are_read_with_their_units(wrong: Make, make_commit: Make) -> None:
    commit = make_commit(
        message="1.53x faster, 39.7% less memory", patch="@@ -1 +1 @@\n+share = 0.9\n+size = 32768\n+x = 4 KiB"
    )
    for text in (
        "Is 1.5x faster.",
        "快 1.53 倍。",
        "Needs 40% less.",
        "Uses 90% of it.",
        "Takes 32K.",
        "Takes 4096 bytes.",
    ):
        assert wrong(text, commit) == ""
    for text in (
        "Is 1.6x faster.",
        "Needs 39% less.",
        "Uses 91% of it.",
        "Takes 33K.",
        "Takes 4 MB.",
        "Takes 4097 bytes.",
    ):
        assert wrong(text, commit) != ""


def test_computations_of_the_cited_evidence_may_be_told(wrong: Make, make_commit: Make, make_issue: Make) -> None:
    issue = make_issue()
    open_for = Computation("days open", 61, (issue.id,))
    landed = Computation("commits landed", 57)
    dossier = {"computed": (open_for, landed)}
    assert wrong("It was open for 61 days.", issue, dossier=dossier) == ""
    assert wrong("It was open for 62 days.", issue, dossier=dossier) != ""
    assert wrong("57 commits landed.", make_commit(), dossier=dossier) == ""
    assert wrong("58 commits landed.", make_commit(), dossier=dossier) != ""
    assert wrong("It was open for 61 days.", make_commit(), dossier=dossier) != "", "it concerns another artefact"


def test_what_the_words_list_or_the_facts_count_may_be_counted(wrong: Make, make_commit: Make) -> None:
    flags = [
        Fact(kind=FactKind.FLAG_ADDED, severity=Severity.ADDITIVE, name=name)
        for name in ("--alpha", "--beta", "--gamma")
    ]
    commit = make_commit(message="Flags", patch="@@ -0,0 +1 @@\n+x", facts=flags)
    assert wrong("Adds two flags, `--alpha` and `--beta`.", commit) == ""
    assert wrong("新增三个参数。", commit) == ""
    assert wrong("Adds four flags.", commit) != ""


def test_files_are_counted_by_status_and_kind_too(wrong: Make, make_commit: Make) -> None:
    files = [
        FileChange(path=path, status=status, additions=2, deletions=0)
        for path, status in (("a.py", "modified"), ("tests/test_a.py", "added"), ("tests/test_b.py", "added"))
    ]
    commit = make_commit(files=files)
    for text in (
        "Changes 3 files.",
        "Adds two files.",
        "Changes 2 test files.",
        "Adds 6 lines in 3 files.",
        "新增两个文件",
    ):
        assert wrong(text, commit) == ""
    for text in ("Changes 4 files.", "Changes 5 test files.", "Adds 7 lines.", "新增四个文件"):
        assert wrong(text, commit) != ""


def test_a_count_that_the_evidence_states_itself_may_be_told(wrong: Make, make_commit: Make) -> None:
    commit = make_commit(message="Split into 14 files; 3 commits follow")
    assert wrong("Splits it into 14 files.", commit) == ""
    assert wrong("Splits it into 15 files.", commit) != ""


# ---------------------------------------------------------------- the predicate


def test_counts_are_compared_with_the_diff(fault: Make, make_commit: Make) -> None:
    def told(**params: str) -> str:
        found: Judgement | None = fault(numbers, make_commit(), predicate="counts", params=params)
        return found.reason if found else ""

    assert told(files="1", additions="4", deletions="3") == ""
    assert told(additions="+4") == ""
    assert (
        told(files="2", additions="20", deletions="3") == "the commit changes +4 −3 in 1 files, not +20 −3 in 2 files"
    )
    assert told(commits="1") == ""
    assert told(commits="many") == "there are 1 commits, not many"


def test_figures_of_the_window_need_a_computation(fault: Make) -> None:
    computed = (Computation("commits landed", 57), Computation("files changed", 120))
    about: dict[str, Any] = {"predicate": "counts", "dossier": {"computed": computed}}
    assert fault(numbers, params={"commits": "57", "files": "120"}, **about) is None
    assert fault(numbers, params={"commits": "58"}, **about).reason == "there are 57 commits, not 58"
    assert fault(numbers, params={"additions": "5"}, **about).reason == "nothing here counts additions"


def test_a_merge_counts_its_members(fault: Make, make_commit: Make) -> None:
    merge = make_commit()
    about = {"predicate": "counts", "dossier": {"computed": (Computation("members", 4, (merge.id,)),)}}
    assert fault(numbers, merge, params={"commits": "4"}, **about) is None
    assert fault(numbers, merge, params={"commits": "3"}, **about) is not None


def test_what_could_not_be_read_cannot_be_counted(fault: Make, make_commit: Make) -> None:
    lost = FileChange(path="a", status="modified", additions=0, deletions=0, unreadable="the blob is not here")
    found = fault(numbers, make_commit(files=[lost]), predicate="counts", params={"additions": "0"})
    assert (found.verdict, found.reason) == (Verdict.UNDECIDED, "the blob is not here")


# ---------------------------------------------------------------- properties


def _judged(message: str, text: str, lang: Language) -> Judgement | None:
    person, at = Person(name="A", email="a@example.com"), datetime(2026, 2, 4, tzinfo=UTC)
    commit = Commit(
        repo=RepoId("a/b"),
        sha="a" * 40,
        parents=(),
        author=person,
        authored_at=at,
        committer=person,
        committed_at=at,
        message=message,
    )
    evidence = CommitEvidence(change=Change(commit=commit, files=()))
    claim = Claim(id="k", repo=RepoId("a/b"), role=Role.CHANGE, cites=(evidence.id,), text={lang: text})
    return numbers(claim, Dossier(found={evidence.id: evidence}), lang)


_FRAMES = st.sampled_from(
    [
        ("en", "The limit becomes {} now."),
        ("zh", "上限改为 {}，不再更改。"),
        ("zh", "上限改为{}。"),
        ("en", "Sets `limit = {}`."),
    ]
)
_NUMBERS = st.lists(st.integers(0, 100_000), min_size=1, max_size=5)


@given(_NUMBERS, _FRAMES, st.data())
def test_a_number_of_the_evidence_passes_and_its_neighbour_only_if_it_is_there(
    there: list[int], frame: tuple[Language, str], data: st.DataObject
) -> None:
    message = "Tune: " + "; ".join(f"value {number}" for number in there)
    one = data.draw(st.sampled_from(there))
    lang, words = frame
    assert _judged(message, words.format(one), lang) is None
    for other in (one + 1, one - 1):
        if other >= 0:
            assert (_judged(message, words.format(other), lang) is None) is (other in there)


@given(st.text(max_size=80))
def test_any_text_can_be_read_for_numbers(text: str) -> None:
    for atom in atoms(text):
        assert atom.text in text or re.search(r"\d", atom.text)


@pytest.mark.parametrize(
    "text",
    [
        "在 CPU 与 CUDA {}条路径上运行。",
        "在 `a.py` 中为 `layers` 与 `dits` {}个目录新增所有者。",
        "拆分为 **限流** 与 **权限** {}类。",
        "覆盖{}种场景：限流、权限。",
    ],
)
def test_a_list_beside_a_number_is_counted(wrong: Make, make_commit: Make, text: str) -> None:
    commit = make_commit(message="x", patch="@@ -0,0 +1 @@\n+x")
    assert wrong(text.format("两"), commit) == ""
    assert wrong(text.format("三"), commit) != ""


def test_a_value_must_be_that_of_the_name_in_front_of_it(wrong: Make, make_commit: Make) -> None:
    lines = [f"+unrelated_{letter * 3}()" for letter in "abcdefgh"]
    patch = "\n".join(["@@ -1,2 +1,12 @@", "-head_dim = 64", "+head_dim = 128", *lines, "+retries = 96"])
    commit = make_commit(message="Widen the heads", patch=patch)
    assert wrong("Sets `head_dim = 128`.", commit) == ""
    assert wrong("把 `head_dim` 改为 128。", commit) == ""
    assert wrong("Sets `head_dim = 96`.", commit) == "head_dim is 64 or 128 in the evidence, not 96"


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Waits 471 seconds.", Verdict.NUMBER),
        ("It is 62% smaller.", Verdict.NUMBER),
        ("Touches 9 files.", Verdict.NUMBER),
        ("Six workers share it.", Verdict.UNDECIDED),
        ("覆盖 7 种后端。", Verdict.UNDECIDED),
        ("Lasts 4 times as long.", Verdict.UNDECIDED),
        ("The script is 100755 now.", Verdict.UNDECIDED),
    ],
)
def test_counts_that_nobody_registered_are_undecided_and_other_missing_numbers_wrong(
    fault: Make, make_commit: Make, text: str, verdict: Verdict
) -> None:
    found = fault(numbers, make_commit(message="Share the cache among workers"), text=text)
    assert found is not None
    assert found.verdict is verdict


@pytest.mark.parametrize("text", ["Builds for SM 90 too.", "Runs with K = 7168."])
def test_a_number_may_stand_inside_a_name(fault: Make, make_commit: Make, text: str) -> None:
    assert fault(numbers, make_commit(message="Build sm_90 kernels for M16_K7168"), text=text) is None
    assert fault(numbers, make_commit(message="Build sm_80 kernels for M16_K2048"), text=text) is not None
