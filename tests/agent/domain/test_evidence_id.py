"""Ids of evidence: one type reads and prints them, and nothing else is one."""

import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from agent.domain.base import RepoId
from agent.domain.evidence_id import EvidenceId, is_full_hash
from tests.patience import within

SHA = "0123456789abcdef0123456789abcdef01234567"
REPO = RepoId("octo-org/octo.repo")
SMALL = settings(max_examples=60, derandomize=True, deadline=None)

IDS = {
    f"{REPO}@{SHA}": EvidenceId.commit(REPO, SHA),
    f"{REPO}#12": EvidenceId.thread(REPO, 12),
    f"{REPO}@v0.6.3": EvidenceId.tag(REPO, "v0.6.3"),
    f"{REPO}@{SHA}:src/a b.py#L10-L20": EvidenceId.lines(REPO, SHA, "src/a b.py", 10, 20),
}
NO_IDS = (
    "",
    "12",
    "#12",
    SHA,
    "vllm",
    REPO,
    f"{REPO}@",
    f"{REPO}#0",
    f"{REPO}#012",
    f"{REPO}#１２",
    f"{REPO}#12 ",
    f"{REPO}@v1 final",
    f"{REPO}@v1\n",
    f"{REPO}@main:src/a.py#L1-L2",
    f"{REPO}@{SHA}:src/a.py",
    f"{REPO}@{SHA}:src/a.py#L9-L2",
    f"{REPO}@{SHA}:#L1-L2",
    f"-o/r@{SHA}",
)


@pytest.mark.parametrize("text", IDS)
def test_every_id_is_printed_as_it_is_read(text: str) -> None:
    evidence_id = EvidenceId.parse(text)
    assert evidence_id is not None
    assert str(evidence_id) == text == IDS[text]
    assert evidence_id.repo == REPO
    for name in ("kind", "revision", "sha", "number", "path", "first_line", "last_line"):
        assert getattr(evidence_id, name) == getattr(IDS[text], name)


def test_an_id_knows_what_it_names() -> None:
    commit, thread, tag, lines = IDS.values()
    assert [evidence_id.kind for evidence_id in (commit, thread, tag, lines)] == [
        "commit",
        "thread",
        "tag",
        "lines",
    ]
    assert commit.sha == lines.sha == SHA
    assert thread.number == 12
    assert thread.revision == tag.sha == ""
    assert tag.revision == "v0.6.3"
    assert (lines.path, lines.first_line, lines.last_line) == ("src/a b.py", 10, 20)


def test_a_hash_is_shortened_for_people() -> None:
    commit, thread, tag, lines = IDS.values()
    assert commit.shortened(7) == f"{REPO}@0123456"
    assert lines.shortened(7) == f"{REPO}@0123456:src/a b.py#L10-L20"
    assert [thread.shortened(), tag.shortened()] == [thread, tag]


def test_a_tag_may_have_a_slash_and_an_at_sign_as_in_git() -> None:
    tag = EvidenceId.tag(REPO, "@scope/package@1.0.0")
    assert EvidenceId(str(tag)).revision == "@scope/package@1.0.0"


@pytest.mark.parametrize("text", NO_IDS)
def test_what_has_no_form_of_an_id_is_refused(text: str) -> None:
    assert EvidenceId.parse(text) is None
    with pytest.raises(ValueError, match="is not the id of"):
        EvidenceId(text)


def test_parts_that_make_no_id_are_refused() -> None:
    with pytest.raises(ValueError, match="not a full commit hash"):
        EvidenceId.commit(REPO, SHA[:12])
    with pytest.raises(ValueError, match="not an issue number"):
        EvidenceId.thread(REPO, 0)
    with pytest.raises(ValueError, match="not a repository"):
        EvidenceId.thread(RepoId("no repository"), 1)
    with pytest.raises(ValueError, match="is not the id of"):
        EvidenceId.tag(REPO, "v1 final")
    assert is_full_hash(SHA)
    assert not is_full_hash(SHA[:39])


def test_a_hash_that_somebody_shortened_may_be_a_tag() -> None:
    assert EvidenceId.tag(REPO, "0123abc").may_abbreviate_hash
    assert not EvidenceId.tag(REPO, "v0.6.3").may_abbreviate_hash
    assert not EvidenceId.commit(REPO, SHA).may_abbreviate_hash


class Noted(BaseModel):
    """A value with ids."""

    commit: EvidenceId
    days: dict[EvidenceId, str] = {}
    cites: tuple[EvidenceId, ...] = ()


def test_json_holds_an_id_as_its_text() -> None:
    noted = Noted(commit=EvidenceId(f"{REPO}@{SHA}"), days={EvidenceId(f"{REPO}#12"): "Monday"})
    text = noted.model_dump_json()
    assert text == f'{{"commit":"{REPO}@{SHA}","days":{{"{REPO}#12":"Monday"}},"cites":[]}}'
    again = Noted.model_validate_json(text)
    assert again == noted
    assert again.commit.sha == SHA
    assert [thread.number for thread in again.days] == [12]
    assert Noted.model_json_schema()["properties"]["commit"]["type"] == "string"


def test_what_a_model_or_a_report_gives_instead_of_an_id_is_kept_as_malformed() -> None:
    noted = Noted.model_validate({"commit": f"{REPO}@{SHA}", "cites": ["the first one"]})
    (cite,) = Noted.model_validate_json(noted.model_dump_json()).cites
    assert (cite, cite.kind, cite.repo) == ("the first one", "malformed", "")
    with pytest.raises(ValueError, match="is not the id of"):
        EvidenceId(cite)


def test_an_id_survives_pickling() -> None:
    for evidence_id in IDS.values():
        again = pickle.loads(pickle.dumps(evidence_id))
        assert (again, again.kind, again.repo) == (evidence_id, evidence_id.kind, REPO)


@SMALL
@given(st.text(max_size=80))
def test_any_text_is_an_id_or_none(text: str) -> None:
    assert EvidenceId.parse(text) in (None, text)


HOSTILE = {
    "slashes": "a/" * 50_000,
    "lines": f"{REPO}@{SHA}:" + "#L1-L" * 50_000,
    "tag": f"{REPO}@" + "a" * 100_000,
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_text_costs_no_time(kind: str) -> None:
    with within(0.2):
        assert EvidenceId.parse(HOSTILE[kind]) is None
