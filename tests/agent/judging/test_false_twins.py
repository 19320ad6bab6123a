"""Twins are false sentences about the same commit, made only where code is sure that they are false."""

from agent.domain.base import RepoId
from agent.domain.claims import Claim
from agent.domain.code_around_changes import CodePassage, NameUses, Surroundings, Use
from agent.domain.commits import Change, FileChange
from agent.domain.evidence import CommitEvidence
from agent.domain.facts import Fact, Severity
from agent.judging.false_twins import moved_sentences, reversed_facts
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


def commit_of(path: str, *patch: str) -> CommitEvidence:
    file = FileChange(
        path=path,
        status="modified",
        additions=1,
        deletions=1,
        patch="\n".join(("@@ -1,2 +1,2 @@", *patch)),
    )
    return CommitEvidence(change=Change(commit=made_commit("Tune"), files=(file,)))


def passage(path: str, *lines: str, scopes: tuple[str, ...] = ()) -> CodePassage:
    return CodePassage(file=path, first=1, lines=lines, scopes=scopes)


def moved(text: str, evidence: CommitEvidence, surroundings: Surroundings) -> list[str]:
    return [twin["en"] for twin in moved_sentences([about(text)], evidence, surroundings)]


def test_a_changed_architecture_is_exchanged_for_one_beside_it() -> None:
    lines = (
        " if arch == 'sm_90':",
        "-    tile = 64",
        "+    tile = 128  # sm_90",
        " if arch == 'sm_100':",
    )
    evidence = commit_of("csrc/launch.py", *lines)
    around = Surroundings(passages=(passage("csrc/launch.py", *lines),))
    assert moved("On sm_90 the tile is larger.", evidence, around) == [
        "On sm_100 the tile is larger."
    ]
    both = commit_of("csrc/launch.py", *lines, "+# sm_100 too")
    assert moved("On sm_90 the tile is larger.", both, around) == []


def test_a_changed_row_of_a_table_is_exchanged_for_another_row() -> None:
    lines = (" BACKENDS = {", '+    "fa3": Fa3,', '     "triton": Triton,', " }")
    evidence = commit_of("engine/registry.py", *lines)
    around = Surroundings(passages=(passage("engine/registry.py", *lines),))
    assert moved("The backend `fa3` is new.", evidence, around) == ["The backend `triton` is new."]
    assert moved("`BACKENDS` grows.", evidence, around) == []


SIBLINGS = NameUses(
    name="AttentionBackend",
    uses=(
        Use(file="backends/triton.py", line=3, text="class TritonBackend(AttentionBackend):"),
        Use(file="other/mlx.py", line=4, text='@register("mlx")'),
    ),
    are_siblings=True,
)


def test_a_changed_class_or_file_is_exchanged_for_another_implementation() -> None:
    lines = (" def run(self):", "+    self.sync()")
    evidence = commit_of("backends/flashinfer.py", *lines)
    scopes = ("class FlashInferBackend(AttentionBackend):",)
    shown = passage("backends/flashinfer.py", *lines, scopes=scopes)
    around = Surroundings(passages=(shown,), uses=(SIBLINGS,))
    assert moved("`FlashInferBackend` waits.", evidence, around) == ["`TritonBackend` waits."]
    assert moved("The backend `flashinfer` waits.", evidence, around) == [
        "The backend `triton` waits."
    ]
    # A commit that also changes the sibling may do the same there.
    wider = commit_of(
        "backends/flashinfer.py", *lines, "+    # as in TritonBackend and triton, mlx"
    )
    assert moved("`FlashInferBackend` waits.", wider, around) == []
