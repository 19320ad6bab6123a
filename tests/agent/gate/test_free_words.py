"""Free prose of independent writers: what was verified counts as covered, and what is merely not shown is undecided."""

from collections.abc import Callable

import pytest

from agent.claims import Claim, Judgement, Verdict
from agent.domain import FileChange
from agent.dossier import Dossier
from agent.evidence import CommitEvidence, ThreadEvidence
from agent.facts import Fact, FactKind, Severity
from agent.gate.judge import judge
from agent.settings import Language

MESSAGE = """Raise the retry budget of the uploader

Uploads gave up too early on slow links. No functional change for readers.

Co-authored-by: 林晓 <lin@example.org>"""
PATCH = """@@ -3,7 +3,9 @@ class Uploader:
-MAX_RETRIES = 3
+MAX_RETRIES = 12
+CHUNK_BYTES = 4096
+if not token:
+    raise ValueError("anonymous uploads are deprecated and no longer maintained")
 LINK_TIMEOUT_MS = 700
 PORT = 8080"""
FACTS = (
    Fact(kind=FactKind.CONSTANT_CHANGED, severity=Severity.BEHAVIOUR, name="MAX_RETRIES", old="3", new="12"),
    Fact(kind=FactKind.FIELD_RENAMED, severity=Severity.BREAKING, name="Uploader.send", old="push_chunk", new="send"),
)
Judge = Callable[[str], Judgement]


@pytest.fixture
def told(
    make_commit: Callable[..., CommitEvidence], make_claim: Callable[..., Claim], make_dossier: Callable[..., Dossier]
) -> Judge:
    """Judge a sentence about a commit that raises a limit."""
    file = FileChange(path="net/uploader.cuh", status="modified", additions=4, deletions=1, patch=PATCH)
    commit = make_commit(message=MESSAGE, files=[file], facts=FACTS, author=("Åsa Öberg", "a@b.se"))

    def run(text: str) -> Judgement:
        lang: Language = "zh" if any("一" <= sign <= "鿿" for sign in text) else "en"
        return judge(make_claim(commit, text={lang: text}), make_dossier(commit), lang)

    return run


@pytest.mark.parametrize(
    "text",
    [
        "Åsa Öberg raises `MAX_RETRIES` from 3 to 12.",
        "林晓把 `MAX_RETRIES` 从 3 调到 12。",
        "`MAX_RETRIES` goes up to 12; only `net/uploader.cuh` is touched.",
        "只动了 `net/uploader.cuh`：`MAX_RETRIES` 由 3 升到 12。",
        "Four lines are added to the header.",
        "新增 4 行。",
        "Anonymous uploads are now told to be deprecated.",
        "The retry budget was raised, since uploads gave up too early on slow links.",
    ],
)
def test_what_was_verified_needs_no_second_proof(told: Judge, text: str) -> None:
    judgement = told(text)
    assert judgement.verdict is Verdict.SUPPORTED, judgement


@pytest.mark.parametrize(
    ("text", "check"),
    [
        ("Somebody Else raises `MAX_RETRIES` from 3 to 12.", "words"),
        ("`MAX_RETRIES` now defaults to 700.", "value"),
        ("The port of the uploader is 4096 now.", "value"),
        ("`MAX_RETRIES` 从 3 调到 12，所有链路都受益。", "absolute"),
        ("`send` goes by the name `push_chunk`.", "direction"),
        ("The message says it is a functional change for readers.", "negation"),
        ("`MAX_RETRIES` is raised to 12, which makes uploads early.", "cause"),
        ("The 3D uploader retries.", "literal"),
        ("Fixes the uploader.", "fixed"),
    ],
)
def test_what_is_merely_not_shown_is_undecided(told: Judge, text: str, check: str) -> None:
    judgement = told(text)
    assert (judgement.verdict, judgement.check) == (Verdict.UNDECIDED, check), judgement


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("`MAX_RETRIES` 从 12 降到 3。", Verdict.UNSUPPORTED),
        ("Rather than 12, `MAX_RETRIES` is set to 3.", Verdict.UNSUPPORTED),
        ("`NetUploaderQueue` is touched.", Verdict.UNDECIDED),
        ("`BillingQueue` is touched.", Verdict.UNSUPPORTED),
        ("`LINK_TIMEOUT_MS` is 700 seconds.", Verdict.UNDECIDED),
        ("`LINK_TIMEOUT_MS` is 700 ms.", Verdict.SUPPORTED),
    ],
)
def test_what_the_evidence_contradicts_is_wrong(told: Judge, text: str, verdict: Verdict) -> None:
    judgement = told(text)
    assert judgement.verdict is verdict, judgement


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("Opened by octocat.", "en"),
        ("由 octocat 提出。", "zh"),
        ("The issue is still open.", "en"),
        ("该问题仍未关闭。", "zh"),
    ],
)
def test_words_of_metadata_that_was_looked_up_are_covered(
    make_issue: Callable[..., ThreadEvidence],
    make_claim: Callable[..., Claim],
    make_dossier: Callable[..., Dossier],
    text: str,
    lang: Language,
) -> None:
    issue = make_issue(author="octocat", state="open")
    judgement = judge(make_claim(issue, text={lang: text}), make_dossier(issue), lang)
    assert judgement.verdict is Verdict.SUPPORTED, judgement


@pytest.mark.parametrize(
    ("text", "stands"),
    [
        ("The revert introduces a regression in a unit test.", False),
        ("This commit introduces a regression in a unit test.", False),
        ("该回退引入了单元测试的回归。", False),
        ("The change is undone because it introduces a regression in a unit test.", True),
    ],
)
def test_what_the_undone_change_broke_is_not_laid_to_the_revert(
    make_commit: Callable[..., CommitEvidence],
    make_claim: Callable[..., Claim],
    make_dossier: Callable[..., Dossier],
    text: str,
    stands: bool,
) -> None:
    fact = Fact(kind=FactKind.REVERT, severity=Severity.BEHAVIOUR, name="#7", old="b" * 40)
    message = (
        "Revert the change of the cache (#8)\n\nThe change is undone because it introduces a regression in a unit test."
    )
    commit = make_commit(message=message, facts=[fact])
    lang: Language = "zh" if any("一" <= sign <= "鿿" for sign in text) else "en"
    assert judge(make_claim(commit, text={lang: text}), make_dossier(commit), lang).passed is stands
