"""What texts name by number, address or hash, and which keywords GitHub obeys."""

import pytest

from agent.domain.base import RepoId
from agent.domain.evidence_id import EvidenceId
from agent.links.references_in_texts import references_in

REPO = RepoId("octo/engine")
SHA = "a" * 40
OLD = "b" * 40


def named(text: str) -> list[tuple[str, bool]]:
    mentions = references_in(text, REPO, EvidenceId.commit(REPO, SHA), "pull request")
    return [(mention.target.removeprefix(REPO), mention.closing) for mention in mentions]


@pytest.mark.parametrize(
    ("text", "mentions"),
    [
        ("Fixes #10, #11 and resolves: GH-12", [("#10", True), ("#11", False), ("#12", True)]),
        ("CLOSED https://github.com/Octo/Engine/issues/10#issuecomment-3", [("#10", True)]),
        ("**Fixes** [#10](https://github.com/octo/engine/issues/10)", [("#10", True)]),
        (
            "see other/forge#3 and https://github.com/other/forge/pull/4/files",
            [("other/forge#3", False), ("other/forge#4", False)],
        ),
        (
            f"came in with {OLD}, mended by commit abcdef1",
            [(f"@{OLD}", False), ("@abcdef1", False)],
        ),
        ("[#77](https://gitlab.example/a/b/-/issues/77) &#39; a#1 x/y/z#2 #0 v1.#5.2", []),
        ("broken since `4c4013b`; `1234567`, `defaced` and `fn()` are none", [("@4c4013b", False)]),
        ("- [ ] #10\n- [x] closes #11", [("#10", False), ("#11", True)]),
        ("修复 #10。关闭#11", [("#10", False), ("#11", False)]),
    ],
)
def test_every_form_is_read_and_each_issue_needs_its_own_keyword(
    text: str, mentions: list[tuple[str, bool]]
) -> None:
    assert named(text) == mentions


@pytest.mark.parametrize(
    "text",
    [
        "`fixes #10`",
        "```\nfixes #10\n```",
        "> fixes #10\nstill quoted #11",
        "<!-- fixes #10 -->",
        "~~fixes #10~~",
        "<pre>fixes #10</pre>",
        "Example:\n\n    fixes #10\n",
        "<!-- never closed\nfixes #10",
    ],
)
def test_code_quotations_and_comments_name_nothing(text: str) -> None:
    assert named(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "#1 " * 30_000,
        "[" * 60_000,
        "<a href=" * 8_000,
        "`" * 60_000,
        "> a\n" * 15_000,
        "https://github." * 4_000,
    ],
)
def test_hostile_texts_are_cheap_and_bounded(text: str) -> None:
    assert len(named(text)) <= 60


def test_the_sentence_around_a_reference_is_kept_as_it_stands() -> None:
    text = "Speed it up. The crash that #10 brought\nis gone. Thanks!\n\n## Related\n\n- needs #11\nSigned-off-by: A"
    sentences = [
        mention.sentence
        for mention in references_in(text, REPO, EvidenceId.commit(REPO, SHA), "message")
    ]
    assert sentences == ["The crash that #10 brought is gone.", "- needs #11"]
