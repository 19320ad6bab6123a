"""Names: every form people write is read, and nothing else is."""

import contextlib
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.domain.base import RepoId
from agent.domain.errors import UsageError
from agent.domain.evidence_id import EvidenceId
from agent.domain.references import (
    Reference,
    find_references,
    grouped_pull_numbers,
    mentioned_ids,
    mentions_thread,
    parse_reference,
    pull_number,
    pull_numbers,
    repo_id,
    report_hashes,
    report_numbers,
    thread_numbers,
    without_pull_number,
    without_pull_numbers,
)
from tests.patience import within

SHA = "0123456789abcdef0123456789abcdef01234567"
OCTO = RepoId("octo-org/octo.repo")
SMALL = settings(max_examples=60, derandomize=True, deadline=None)
REPOS = """
octo-org/octo.repo octo-org/octo.repo/ octo-org/octo.repo.git https://github.com/octo-org/octo.repo
HTTPS://GitHub.com/octo-org/octo.repo/ https://github.com/octo-org/octo.repo?tab=readme-ov-file#install
github.com/octo-org/octo.repo git@github.com:octo-org/octo.repo.git ssh://git@github.com:22/octo-org/octo.repo.git
https://api.github.com/repos/octo-org/octo.repo https://git.corp.example:8443/api/v3/repos/octo-org/octo.repo
http://127.0.0.1:3000/octo-org/octo.repo https://x-access-token:secret@github.com/octo-org/octo.repo.git
"""
NO_REPOS = """
vllm o/.. o/. o/.git ../x -o/r o/r/issues/1 o/r=path o//r /o/r https://github.com/o https://github.com/o/r/tree/main
file:///srv/o/r ｏ/r o/r１ https://me:hunter2@github.com/o/r/tree/main
"""
COMMITS = f"""
https://github.com/octo-org/octo.repo/commit/{SHA} https://github.com/octo-org/octo.repo/commit/{SHA.upper()}
https://github.com/octo-org/octo.repo/commit/{SHA}.patch https://github.com/octo-org/octo.repo/commit/{SHA}?d=s#diff-1
https://github.com/octo-org/octo.repo/pull/12/commits/{SHA} octo-org/octo.repo@{SHA} octo-org/octo.repo/commit/{SHA}
https://git.corp.example/api/v3/repos/octo-org/octo.repo/commits/{SHA}/pulls (octo-org/octo.repo@{SHA}).
"""
THREADS = """
https://github.com/octo-org/octo.repo/issues/12/ https://github.com/octo-org/octo.repo/issues/12#issuecomment-1
https://github.com/octo-org/octo.repo/pull/12/files https://github.com/octo-org/octo.repo/pull/12.patch
https://github.com/octo-org/octo.repo/discussions/12?sort=new https://api.github.com/repos/octo-org/octo.repo/pulls/12
http://localhost:8080/octo-org/octo.repo/pull/12 github.com/octo-org/octo.repo/pull/12 octo-org/octo.repo#12
<https://github.com/octo-org/octo.repo/issues/12> (https://github.com/octo-org/octo.repo/issues/12).
“octo-org/octo.repo#12”，
"""
NOTHING = f"""
and/or 3/4 1.2.3 v2.0 2026/02/04 2026-02-04 #0 #012 #１２ #12345678901 12 r#12 feedback abcdef {SHA}0 o/r@abc o/r@1.2.3
user@example.com user@1234567 o/..#12 o/.git#12 https://github.com/o/../issues/3 https://github.com/o/r/compare/abcd...ef01
https://github.com/orgs/octo-org/discussions/12 https://github.com/o/r/blob/main/x.py#L12 https://evil.example/x/y/o/r/issues/3
"""


@pytest.mark.parametrize("text", REPOS.split())
def test_a_repository_is_read_from_any_address_people_copy(text: str) -> None:
    assert repo_id(text) == OCTO


@pytest.mark.parametrize(
    "text", [*NO_REPOS.split(), "", "and or", "o/r\nx", "a" * 40 + "/r", "o/" + "r" * 101]
)
def test_what_is_no_repository_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(UsageError, match="is not a repository; write owner/name") as refused:
        repo_id(text)
    assert "\n" not in str(refused.value)
    assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize("text", COMMITS.split())
def test_a_commit_is_read_from_every_form(text: str) -> None:
    assert parse_reference(text) == Reference("commit", OCTO, sha=SHA)


@pytest.mark.parametrize("text", THREADS.split())
def test_a_thread_is_read_from_every_form(text: str) -> None:
    assert parse_reference(text) == Reference("thread", OCTO, number=12)


def test_bare_hashes_and_numbers_belong_to_the_repository_at_hand() -> None:
    for text in (SHA, f"@{SHA}", f"`{SHA}`", f"**{SHA}**", f"（{SHA}）。"):
        assert parse_reference(text, OCTO) == Reference("commit", OCTO, sha=SHA)
    for text in (
        "#12",
        "GH-12",
        "gh-12",
        "!12",
        "(#12)",
        "[#12],",
        "#12?",
        "'#12'",
        "（#12）",
        "#12。",
    ):
        assert parse_reference(text, OCTO) == Reference("thread", OCTO, number=12)
        assert parse_reference(text) == Reference("thread", None, number=12)


@pytest.mark.parametrize("text", [*NOTHING.split(), "", "# 12", "#12\nfoo"])
def test_what_names_nothing_is_no_reference(text: str) -> None:
    assert parse_reference(text, OCTO) is None


@SMALL
@given(
    owner=st.text(string.ascii_letters + string.digits, min_size=1, max_size=39),
    name=st.text(string.ascii_letters + string.digits + "._-", min_size=1, max_size=40),
    number=st.integers(1, 10**10 - 1),
)
def test_every_id_that_is_written_is_read_back(owner: str, name: str, number: int) -> None:
    try:
        repo = repo_id(f"{owner}/{name}")
    except UsageError:
        assert name in (".", "..", ".git")
        return
    if repo.endswith(name):
        assert parse_reference(EvidenceId.thread(repo, number)) == Reference(
            "thread", repo, number=number
        )
        assert parse_reference(EvidenceId.commit(repo, SHA)) == Reference("commit", repo, sha=SHA)


@SMALL
@given(st.text(max_size=80))
def test_no_text_whatever_breaks_the_reading(text: str) -> None:
    parse_reference(text)
    with contextlib.suppress(UsageError):
        repo_id(text)


HOSTILE = {
    "slashes": "a/" * 50_000,
    "dots": "https://" + "a." * 50_000,
    "git": "o/" + "r.git" * 20_000 + "#",
    "at": "git@" + "a.aa:" * 20_000,
    "paths": "https://a.aa/" + "o/r/pull/x/" * 9_000,
    "brackets": "(" * 50_000 + "#x" + ")." * 25_000,
    "users": "https://" + "u" * 50_000 + "@" * 50_000,
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_text_costs_no_time(kind: str) -> None:
    with within(0.2):
        assert parse_reference(HOSTILE[kind]) is None
        with pytest.raises(UsageError):
            repo_id(HOSTILE[kind])


def test_references_within_a_text_are_listed() -> None:
    text = f"Fixes #12, see octo/other#3, https://github.com/a/b/pull/7 and {'ab' * 20}; not &#39; or a#b"
    own_references = (f"{OCTO}#12", "octo/other#3", "a/b#7", f"{OCTO}@{'ab' * 20}")
    assert mentioned_ids(OCTO, text) == own_references


@pytest.mark.parametrize(
    ("title", "number", "bare"),
    [
        ("Lower the limit (#41)", 41, "Lower the limit"),
        ("Merge pull request #41 from octo/limit", 41, "Merge pull request #41 from octo/limit"),
        ('Revert "Lower the limit (#41)" (#42)', 42, 'Revert "Lower the limit (#41)"'),
        ("Lower the limit, see #41", None, "Lower the limit, see #41"),
        ("Lower the limit (octo/other#41)", None, "Lower the limit (octo/other#41)"),
    ],
)
def test_a_title_names_the_pull_request_that_it_came_by(
    title: str, number: int | None, bare: str
) -> None:
    assert pull_number(title) == number
    assert without_pull_number(title) == bare


def test_numbers_in_titles_and_texts_are_read_as_github_writes_them() -> None:
    title = 'Reland "Lower the limit (#41)" (#42, #43) (#44)'
    assert pull_numbers(title) == [41, 44]
    assert grouped_pull_numbers(title) == [[41], [42, 43], [44]]
    assert without_pull_numbers(title) == 'Reland "Lower the limit" (#42, #43)'
    assert thread_numbers("Fixes #12 and (#13), not octo/other#14, &#39; or #0") == [12, 13]


@pytest.mark.parametrize("text", ["see #12.", "GH-12", "https://github.com/o/r/pull/12/files"])
def test_a_thread_is_mentioned_by_its_number_in_prose_or_in_an_address(text: str) -> None:
    assert mentions_thread(text, 12)
    assert not mentions_thread(text, 1)


def test_references_in_prose_lead_to_ids_with_their_position() -> None:
    text = f"Fixes #12 after [this](https://github.com/a/b/issues/7) and commit {SHA[:9]}."
    references = list(find_references(text, OCTO))
    assert [reference.target for reference in references] == [
        f"{OCTO}#12",
        "a/b#7",
        f"{OCTO}@{SHA[:9]}",
    ]
    assert text[references[0].start : references[0].end] == "#12"
    assert references[2].target.may_abbreviate_hash


def test_references_in_a_report_keep_the_repository_that_is_written_before_them() -> None:
    text = f"- `{SHA[:8]}` and octo/other@{SHA[:7]}, see octo/other#3 and #12"
    hashes = [sha.reference for sha in report_hashes(text)]
    numbers = [number.reference for number in report_numbers(text)]
    other = RepoId("octo/other")
    assert hashes == [
        Reference("commit", None, sha=SHA[:8]),
        Reference("commit", other, sha=SHA[:7]),
    ]
    assert numbers == [
        Reference("thread", other, number=3),
        Reference("thread", None, number=12),
    ]
