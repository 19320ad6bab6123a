from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from agent.domain import FileChange
from tools.diff.patch_id import likeness, patch_id, patch_ids, reverse_patch_id

TEXT = "".join(f"line {number}\n" for number in range(40))


async def test_a_commit_its_pick_and_its_reland_have_one_name_and_its_revert_the_opposite(
    history: Callable[[], Any],
) -> None:
    repo = history()
    repo.commit({"a.py": TEXT, "b.py": TEXT})
    repo.git("branch", "release")
    shifted = repo.commit({"a.py": "above\n" * 5 + TEXT})
    made = repo.commit(
        {"a.py": "above\n" * 5 + TEXT.replace("line 20\n", "new\nlines\n"), "c.py": "x = 1\n", "b.py": None}
    )
    reverted = repo.does("revert", "--no-edit", made)
    relanded = repo.does("revert", "--no-edit", reverted)
    repo.git("checkout", "--quiet", "release")
    picked = repo.does("cherry-pick", made)
    one, back, again, copy, other = await repo.changes(made, reverted, relanded, picked, shifted)

    assert patch_id(one.files) == patch_id(again.files) == patch_id(copy.files)
    assert patch_id(back.files) == reverse_patch_id(one.files)
    assert patch_id(one.files) == reverse_patch_id(back.files)
    assert patch_id(other.files) not in (patch_id(one.files), reverse_patch_id(one.files))
    # Where git sees the same change, so do we.
    assert repo.named_by_git(made) == repo.named_by_git(relanded) == repo.named_by_git(picked)


async def test_a_pick_between_other_neighbours_keeps_our_name_though_not_gits(history: Callable[[], Any]) -> None:
    repo = history()
    repo.commit({"a.py": TEXT})
    repo.git("branch", "release")
    made = repo.commit({"a.py": TEXT.replace("line 20\n", "new\n")})
    repo.git("checkout", "--quiet", "release")
    repo.commit({"a.py": TEXT.replace("line 22\n", "neighbour\n")})
    near = TEXT.replace("line 22\n", "neighbour\n").replace("line 20\n", "new\n")
    copied = repo.commit({"a.py": near})
    one, copy = await repo.changes(made, copied)

    assert patch_id(one.files) == patch_id(copy.files)
    assert repo.named_by_git(made) != repo.named_by_git(copied)


async def test_a_rename_with_edits_is_mirrored_too(history: Callable[[], Any]) -> None:
    repo = history()
    repo.commit({"old/a.py": TEXT})
    made = repo.commit({"old/a.py": None, "new/a.py": TEXT.replace("line 3\n", "three\n")})
    reverted = repo.does("revert", "--no-edit", made)
    one, back = await repo.changes(made, reverted)
    ids, opposite = patch_ids(one.files), patch_ids(back.files)

    assert one.files[0].status == "renamed"
    assert (ids.forward, ids.reverse) == (opposite.reverse, opposite.forward)
    assert (ids.sketch, ids.mirrored) == (opposite.mirrored, opposite.sketch)


def changed(patch: str, path: str = "a.py") -> FileChange:
    return FileChange(path=path, status="modified", additions=0, deletions=0, patch=patch)


def test_only_white_space_line_numbers_and_order_do_not_count() -> None:
    one = patch_id([changed("@@ -1 +1 @@\n-a b\n+c\n+d")])
    assert one == patch_id([changed("@@ -9,9 +9,9 @@ def f\n context\n-  a  b\n+\td\n+ c\n+")])
    assert one != patch_id([changed("@@ -1 +1 @@\n-a b\n+c\n+d", "b.py")])
    assert one != patch_id([changed("@@ -1 +1 @@\n-a b\n+c\n+e")])


def test_a_line_that_only_moved_is_no_change() -> None:
    ids = patch_ids([changed("@@ -1,3 +1,3 @@\n-a\n b\n c\n+a")])
    assert ids.lines == 0


def test_an_edited_copy_is_alike_and_another_change_is_not() -> None:
    lines = [f"+value_{number} = compute({number})" for number in range(200)]
    one = patch_ids([changed("\n".join(lines))])
    edited = patch_ids([changed("\n".join([*lines[:190], "+something else"]))])
    other = patch_ids([changed("\n".join(line.replace("value", "other") for line in lines))])
    assert likeness(one.sketch, edited.sketch) > 0.8
    assert likeness(one.sketch, other.sketch) == 0.0
    assert likeness(one.sketch, edited.mirrored) == 0.0


def test_what_tools_write_does_not_outweigh_the_change() -> None:
    lock = changed("\n".join(f"+{number}" for number in range(500)), "uv.lock")
    source = "\n".join(f"+x{number}" for number in range(30))
    assert patch_ids([lock, changed(source)]).sketch == patch_ids([changed(source)]).sketch


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("+- @\\"), st.text(max_size=12)), max_size=30))
def test_any_patch_has_a_name_whose_opposite_is_that_of_the_reversed_patch(lines: list[tuple[str, str]]) -> None:
    swap = {"+": "-", "-": "+"}
    clean = [(sign, text.replace("\n", " ")) for sign, text in lines]
    one = patch_ids([changed("\n".join(sign + text for sign, text in clean))])
    back = patch_ids([changed("\n".join(swap.get(sign, sign) + text for sign, text in clean))])
    assert (one.forward, one.reverse, one.sketch) == (back.reverse, back.forward, back.mirrored)
