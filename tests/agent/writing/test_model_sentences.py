"""How the sentences of a model become claims: with citations, anchors and files."""

import pytest

from agent.domain.commits import Change, FileChange
from agent.domain.evidence import CommitEvidence
from agent.evidence_headings import file_heading
from agent.writing.model_sentences import Sentence, anchored, sentence_claim
from tests.agent.writing.test_targets import file, read
from tests.made_commits import made_commit


def test_a_heading_that_code_wrote_is_no_line_of_its_file() -> None:
    evidence = read([file("src/router.py", "-def grow(): ...\n+def grow(limit): ...")]).evidence
    (change,) = evidence.change.files
    assert isinstance(change, FileChange)
    by_id = {evidence.id: evidence}

    heading = anchored(file_heading(change), [evidence.id], by_id)
    assert (heading.text, heading.file) == ("--- src/router.py (modified, +1 -1)", None)

    line = anchored("+def grow(limit): ...", [evidence.id], by_id)
    assert line.file == "src/router.py"


def test_a_removed_line_that_looks_like_a_heading_is_a_line_of_its_file() -> None:
    removed = "--- schema.sql (modified, +0 -1)"
    evidence = read([file("schema.sql", removed)]).evidence
    assert anchored(removed, [evidence.id], {evidence.id: evidence}).file == "schema.sql"


class EnglishSentence(Sentence):
    en: str = "The limit is lower."


@pytest.mark.parametrize(
    ("anchor", "advice", "is_attributed"),
    [
        ("Lower the limit", False, True),
        ("+def grow(limit): ...", False, False),
        ("", False, False),
        # Advice that rests on prose is refused, and not told as what its author says.
        ("Lower the limit", True, False),
    ],
)
def test_what_rests_on_the_words_of_an_author_alone_is_told_as_his(
    anchor: str, *, advice: bool, is_attributed: bool
) -> None:
    commit = made_commit("Lower the limit of routes")
    changed = file("src/router.py", "-def grow(): ...\n+def grow(limit): ...")
    evidence = CommitEvidence(change=Change(commit=commit, files=(changed,)))
    sentence = EnglishSentence(cites=["c"], anchor=anchor, advice=advice)
    claim = sentence_claim("k1", sentence, {"c": evidence}, ["en"])
    assert claim is not None
    assert claim.attributed is is_attributed


def test_a_sentence_that_cites_two_repositories_belongs_to_none() -> None:
    by_handle: dict[str, CommitEvidence] = {}
    for handle, repo in (("c1", "octo/router"), ("c2", "octo/router"), ("d", "octo/engine")):
        commit = made_commit(repo=repo, sha=str(len(by_handle)) * 40)
        by_handle[handle] = CommitEvidence(change=Change(commit=commit, files=()))
    repos = []
    for cites in (["c1", "c2"], ["c1", "d"]):
        claim = sentence_claim("k1", EnglishSentence(cites=cites), by_handle, ["en"])
        assert claim is not None
        repos.append(claim.repo)
    assert repos == ["octo/router", None]
