"""Twins are false sentences about the same commit, made only where code is sure that they are false."""

from agent.analysts.twins import moved_sentences, reversed_facts
from agent.domain.base import RepoId
from agent.domain.claims import Claim
from agent.domain.commits import Change, FileChange
from agent.domain.evidence import CommitEvidence
from agent.domain.facts import Fact, Severity
from agent.domain.surroundings import CodePassage, NameUses, Surroundings, Use
from tests.made_commits import made_commit


def fact(**values: object) -> Fact:
    return Fact.model_validate({"severity": Severity.BEHAVIOUR, "name": "--limit"} | values)


def test_old_and_new_values_are_exchanged() -> None:
    changed = fact(kind="flag-default-changed", old="22", new="12")
    (twin,) = reversed_facts([changed], ["en"])
    assert twin["en"].index("12") < twin["en"].index("22")


def test_added_becomes_removed_for_what_is_read_from_declarations() -> None:
    (twin,) = reversed_facts([fact(kind="flag-added")], ["en", "zh"])
    assert "removed" in twin["en"]
    assert "移除" in twin["zh"]
    # A function that seems to be new may have been moved.
    assert list(reversed_facts([fact(kind="symbol-added", name="grow")], ["en"])) == []


def test_what_users_cannot_notice_has_no_twin() -> None:
    internal = fact(kind="flag-added", severity=Severity.INTERNAL)
    assert list(reversed_facts([internal], ["en"])) == []


FILE = FileChange(
    path="engine/decode.py",
    status="modified",
    additions=1,
    deletions=0,
    patch='@@ -1,2 +1,3 @@\n def add():\n+    flag("--fast")\n     flag("--slow")\n',
)
EVIDENCE = CommitEvidence(change=Change(commit=made_commit("Add a flag"), files=(FILE,)))
SURROUNDINGS = Surroundings(
    passages=(
        CodePassage(
            file="engine/decode.py",
            first=1,
            lines=(" def add():", '+    flag("--fast")', '     flag("--slow")'),
        ),
    ),
    uses=(NameUses(name="add", uses=(Use(file="engine/prefill.py", line=3, text="add()"),)),),
)


def about(text: str, role: str = "effect") -> Claim:
    values = {"id": "1", "repo": RepoId("octo/router"), "role": role, "text": {"en": text}}
    return Claim.model_validate(values)


def test_a_changed_flag_or_file_is_exchanged_for_one_that_the_commit_leaves_alone() -> None:
    claims = [about("`--fast` is new."), about("Changes `engine/decode.py`.")]
    twins = list(moved_sentences(claims, EVIDENCE, SURROUNDINGS))
    assert twins == [{"en": "`--slow` is new."}, {"en": "Changes `engine/prefill.py`."}]


def test_sentences_that_could_stay_true_are_not_used() -> None:
    claims = [
        about("`--fast` stands beside `--slow`."),  # Two flags: either may be meant
        about("Try `--fast`.", role="advice"),
        about("`--slow` is unchanged."),  # Not on a changed line
    ]
    assert list(moved_sentences(claims, EVIDENCE, SURROUNDINGS)) == []
