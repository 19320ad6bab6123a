from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.diff.lineage import Lineage, find_partner, read_lineage
from tools.diff.patch_id import PatchIds, patch_ids

SHA = "9ad17b634ccf633e1222402c1408435f7a8a8bd9"


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (f'Revert "Add x"\n\nThis reverts commit {SHA}.', Lineage("revert", sha=SHA, subject="Add x")),
        ('Revert "Add x (#12)" (#13)', Lineage("revert", number=12, subject="Add x")),
        ('Revert "Add x" (#12) (#13)', Lineage("revert", number=12, subject="Add x")),
        ('Revert "Add x" (#13)', Lineage("revert", subject="Add x")),
        ('Revert "Add x" (#13)\n\nReverts o/r#12\n', Lineage("revert", number=12, repo="o/r", subject="Add x")),
        ('[Bugfix] Revert "Add "quoted" x" (#13)', Lineage("revert", subject='Add "quoted" x')),
        ('bugfix: Revert "ci: add x (#12)" (#13)', Lineage("revert", number=12, subject="ci: add x")),
        ('Revert "A subject so lon… (#13)\n\n…g (#12)"', Lineage("revert", number=12, subject="A subject so long")),
        ("Revert [Misc] Add x (#12) (#13)", Lineage("revert", number=12, subject="[Misc] Add x")),
        ("Revert PR 4122 (#4171)", Lineage("revert", number=4122)),
        ("ci: revert #122", Lineage("revert", number=122)),
        (f"revert {SHA} and determine n", Lineage("revert", sha=SHA)),
        ("Rework x (#13)\n\nThis PR reverts https://github.com/o/r/pull/12", Lineage("revert", number=12, repo="o/r")),
        ("Rework x (#13)\n\nThis reverts the change of #12.", Lineage("revert", number=12)),
        ("Rework x (#13)\n\nIt hangs. This rolls back the changes made in #12.", Lineage("revert", number=12)),
        ("Rework x (#13)\n\nAlso revert #12 as it has no effect.", Lineage("revert", number=12)),
        (f"Rework x\n\nWe back out commit {SHA} for now.", Lineage("revert", sha=SHA)),
        ("[Core] Roll back #12 (#13)", Lineage("revert", number=12)),
        ("Undo #12: it hangs (#13)", Lineage("revert", number=12)),
        ('Revert "Revert "Add x""', Lineage("reland", subject="Add x")),
        ('Revert "Revert "Revert "Add x"""', Lineage("revert", subject="Add x")),
        ('Reapply "Add x" (#13)', Lineage("reland", subject="Add x")),
        ("Reapply [Attention] Refactor x (#13)", Lineage("reland", subject="[Attention] Refactor x")),
        ("[Bugfix] Reapply 50869 (#52223)", Lineage("reland", number=50869)),
        ('[AMD] Reland "Online x 2/N" (#13)', Lineage("reland", subject="Online x 2/N")),
        ("[Parser] Re-land: Fix anyOf (#12) (#13)", Lineage("reland", number=12, subject="Fix anyOf")),
        ("[Reland] Add x (#13)", Lineage("reland", subject="Add x")),
        ("Build with the stable API. (Retry) (#13)", Lineage("reland", subject="Build with the stable API.")),
        ("[V1] Prefix caching (take 2) (#13)", Lineage("reland", subject="Prefix caching")),
        ("Check all of the tests (reland) (#12) (#13)", Lineage("reland", number=12, subject="Check all of the tests")),
        ("fix(jit): flag only (#13)\n\nRe-applies #12 (reverted in #14)", Lineage("reland", number=12)),
        (
            "Add x, fixed (#13)\n\nThis is the fixed version of\nhttps://github.com/o/r/pull/12 that was\nreverted.",
            Lineage("reland", number=12, repo="o/r"),
        ),
        (f"Fix x\n\n(cherry picked from commit {SHA})", Lineage("cherry-pick", sha=SHA)),
        ("[Cherry-pick] Fix x (#13)", Lineage("cherry-pick", subject="Fix x")),
        ("Fix x (#13)\n\nBackport of #12.", Lineage("cherry-pick", number=12)),
    ],
)  # fmt: skip
def test_a_message_says_what_the_commit_is_to_an_earlier_one(message: str, expected: Lineage) -> None:
    assert read_lineage(message)[0] == expected


@pytest.mark.parametrize(
    "message",
    [
        "Fix revert button",
        "Do not revert to the old scheduler (#13)",
        "Revert 10 changes that nobody wants",
        "revert: remove the hard pin (#13)",
        "[ci] Revert model executor test back to L4 (#13)",
        "[AMD] Revert `Backend.X` fallback (#13)",
        "fix: remove redundant zero_init reverted by #1459 (#1463)",
        "Reapply the mask after padding (#13)",
        "Undo the hack for torch (#13)",
        "Rollback the test to direct io (#13)",
        "Fix x (#13)\n\nThe pin was rolled back in #12, by chance.",
        "Fix x (#13)\n\nSo the kernel can roll back requests, see #12.",
        "Add the cherry-pick bot (#13)",
        "Wait longer before each (retry) of a request (#13)",
        "Landing page",
        "Add x\n\nThis PR reverts the change.",
        "Add x (#13)\n\n* first\n\n* Revert \"first\"\n\nThis reverts commit 1234567890123456789012345678901234567890.",
        "",
    ],
)  # fmt: skip
def test_an_ordinary_word_is_no_marker(message: str) -> None:
    assert read_lineage(message) == []


def test_several_targets_are_all_named() -> None:
    assert [one.number for one in read_lineage("Revert #38730 and #38791  (#40032)")] == [38730, 38791]


def test_a_reland_that_git_made_names_the_revert_second() -> None:
    first, second = read_lineage(f'Reapply "Add x"\n\nThis reverts commit {SHA}.')
    assert (first.kind, first.subject, second.kind, second.sha) == ("reland", "Add x", "revert", SHA)


@given(st.text(max_size=300))
def test_any_message_is_read(message: str) -> None:
    read_lineage(message)


@given(
    st.lists(
        st.sampled_from(["Revert ", '"', "Reland", " (#1)", "#2", "…", "\n", "* ", "[x] ", "fix: ", " and "]),
        max_size=30,
    )
)
def test_any_mixture_of_markers_is_read(pieces: list[str]) -> None:
    for one in read_lineage("".join(pieces)):
        assert one.sha or one.number is not None or one.subject or one.kind


def test_a_hostile_message_is_read_in_no_time() -> None:
    for piece in ("[a]", "a: ", 'Revert "', "(#1)", "reverts ", "#", " ", "re-land of PR "):
        read_lineage(piece * 200_000)
        read_lineage("Add x\n\n" + piece * 200_000)


async def test_the_patch_tells_a_revert_a_reland_and_a_second_revert_without_any_word(
    history: Callable[[], Any],
) -> None:
    repo = history()
    old = "".join(f"line {number}\n" for number in range(30))
    new = old.replace("line 7\n", "seven\n")
    shas = [repo.commit({"a.py": text}) for text in (old, new, old, new, old)]
    earlier: dict[str, PatchIds] = {}
    found = []
    for change in await repo.changes(*shas):
        names = patch_ids(change.files)
        found.append(find_partner(names, earlier))
        earlier[change.commit.sha] = names

    assert found[:2] == [None, None]
    assert found[2] == Lineage("revert", sha=shas[1], likeness=1.0)
    assert found[3] == Lineage("reland", sha=shas[1], likeness=1.0)
    assert found[4] == Lineage("revert", sha=shas[3], likeness=1.0)


async def test_a_reland_that_was_fixed_on_the_way_is_still_found(history: Callable[[], Any]) -> None:
    repo = history()
    lines = [f"value_{number} = compute({number})" for number in range(80)]
    base = repo.commit({"a.py": "start\n"})
    made = repo.commit({"a.py": "\n".join(["start", *lines])})
    undone = repo.commit({"a.py": "start\n"})
    fixed = repo.commit({"a.py": "\n".join(["start", *lines[:-4], "fixed = True"])})
    names = [patch_ids(change.files) for change in await repo.changes(base, made, undone, fixed)]
    found = find_partner(names[3], dict(zip((base, made, undone), names[:3], strict=True)))

    assert found is not None
    assert (found.kind, found.sha) == ("reland", made)
    assert 0.8 < (found.likeness or 0) < 1.0


async def test_a_copy_on_another_branch_is_a_pick_and_an_unlike_change_is_nothing(history: Callable[[], Any]) -> None:
    repo = history()
    base = repo.commit({"a.py": "one\ntwo\n", "b.py": "x\n"})
    made = repo.commit({"a.py": "one\n2\n"})
    repo.git("checkout", "--quiet", "-b", "release", base)
    other = repo.commit({"b.py": "y\n"})
    picked = repo.does("cherry-pick", made)
    one, unlike, copy = (patch_ids(change.files) for change in await repo.changes(made, other, picked))

    assert find_partner(copy, {made: one, other: unlike}) == Lineage("cherry-pick", sha=made, likeness=1.0)
    assert find_partner(unlike, {made: one}) is None


def test_a_change_without_lines_has_no_partner() -> None:
    nothing = patch_ids([])
    assert find_partner(nothing, {"a": nothing}) is None
