"""Every citation carries something of its claim."""

from collections.abc import Callable

import pytest

from agent.claims import Claim, Verdict
from agent.domain import FileChange
from agent.dossier import Dossier
from agent.evidence import CommitEvidence
from agent.gate.judge import judge

TEXT = "`PrefixCache` is added to the scheduler."


@pytest.fixture
def cache(make_commit: Callable[..., CommitEvidence]) -> CommitEvidence:
    """Give a commit that the words speak of."""
    return make_commit(message="Add PrefixCache to the scheduler", files=[_file("scheduler.py", "PrefixCache")])


def _file(path: str, name: str) -> FileChange:
    return FileChange(path=path, status="modified", additions=1, deletions=0, patch=f"@@ -1,1 +1,2 @@\n+{name}()\n end")


def test_a_commit_that_shares_nothing_with_the_words_is_refused(
    cache: CommitEvidence,
    make_commit: Callable[..., CommitEvidence],
    make_claim: Callable[..., Claim],
    make_dossier: Callable[..., Dossier],
) -> None:
    other = make_commit(sha="b" * 40, message="Fix a typo", files=[_file("README.md", "Hello")])
    claim = make_claim(cache, other, text={"en": TEXT})
    judgement = judge(claim, make_dossier(cache, other), "en")
    assert (judgement.verdict, judgement.check, judgement.about) == (Verdict.UNSUPPORTED, "cite", other.id)
    assert judge(make_claim(cache, text={"en": TEXT}), make_dossier(cache), "en").passed


def test_a_commit_that_shares_a_word_and_adds_nothing_is_undecided(
    cache: CommitEvidence,
    make_commit: Callable[..., CommitEvidence],
    make_claim: Callable[..., Claim],
    make_dossier: Callable[..., Dossier],
) -> None:
    other = make_commit(sha="b" * 40, message="Fix a typo in the scheduler", files=[_file("README.md", "Hello")])
    judgement = judge(make_claim(cache, other, text={"en": TEXT}), make_dossier(cache, other), "en")
    assert (judgement.verdict, judgement.check) == (Verdict.UNDECIDED, "cite")


def test_commits_of_a_series_are_marked_and_a_commit_with_a_part_of_the_words_may_be_cited(
    cache: CommitEvidence,
    make_commit: Callable[..., CommitEvidence],
    make_claim: Callable[..., Claim],
    make_dossier: Callable[..., Dossier],
) -> None:
    again = make_commit(
        sha="b" * 40, message="Add PrefixCache to the scheduler, part two", files=[_file("scheduler.py", "PrefixCache")]
    )
    marked = "`PrefixCache` is added to the scheduler [@1] [@2]."
    assert judge(make_claim(cache, again, text={"en": marked}), make_dossier(cache, again), "en").passed
    assert judge(make_claim(cache, again, text={"en": TEXT}), make_dossier(cache, again), "en").check == "cite"
    router = make_commit(sha="c" * 40, message="Add RouterCache", files=[_file("router.py", "RouterCache")])
    both = "`PrefixCache` and `RouterCache` are added."
    assert judge(make_claim(cache, router, text={"en": both}), make_dossier(cache, router), "en").check != "cite"


def test_a_fact_is_shown_by_every_commit_that_is_cited_for_it(
    cache: CommitEvidence,
    make_commit: Callable[..., CommitEvidence],
    make_claim: Callable[..., Claim],
    make_dossier: Callable[..., Dossier],
) -> None:
    other = make_commit(sha="b" * 40, message="Fix a typo", files=[_file("README.md", "Hello")])
    claim = make_claim(cache, other, predicate="touches", params={"path": "scheduler.py"})
    assert judge(claim, make_dossier(cache, other), "en").verdict is Verdict.UNSUPPORTED
