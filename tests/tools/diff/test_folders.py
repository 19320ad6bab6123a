from agent.domain import FileChange
from tools.diff.folders import renamed_folders


def moved(old: str, new: str) -> FileChange:
    return FileChange(path=new, status="renamed", additions=0, deletions=0, previous_path=old)


def test_files_that_share_a_folder_change_are_one_renamed_folder() -> None:
    files = [
        moved(f"vllm/openai/translations/{name}", f"vllm/openai/speech/{name}") for name in ("a.py", "b.py", "s/c.py")
    ]
    assert renamed_folders(files) == [("vllm/openai/translations", "vllm/openai/speech", 3)]


def test_only_the_folder_that_moved_is_named_and_not_the_one_above_it() -> None:
    files = [
        moved("python/backend/a.py", "python/lang/backend/a.py"),
        moved("python/backend/b.py", "python/lang/backend/b.py"),
    ]
    assert renamed_folders(files) == [("python/backend", "python/lang/backend", 2)]


def test_a_single_renamed_file_is_no_folder() -> None:
    assert renamed_folders([moved("a/x.py", "b/x.py")]) == []


def test_a_file_that_changed_its_own_name_is_no_folder() -> None:
    assert renamed_folders([moved("a/x.py", "a/y.py"), moved("a/p.py", "a/q.py")]) == []


def test_a_folder_that_is_still_there_was_not_renamed() -> None:
    stays = FileChange(path="a/z.py", status="modified", additions=1, deletions=0)
    assert renamed_folders([moved("a/x.py", "b/x.py"), moved("a/y.py", "b/y.py"), stays]) == []


def test_a_folder_that_is_split_up_was_not_renamed() -> None:
    files = [moved(f"t/{n}.py", f"{folder}/{n}.py") for folder in ("p", "q") for n in (f"{folder}1", f"{folder}2")]
    assert renamed_folders(files) == []


def test_a_folder_that_is_emptied_into_another_was_not_renamed() -> None:
    files = [moved(f"{folder}/{n}.py", f"all/{n}.py") for folder in ("p", "q") for n in (f"{folder}1", f"{folder}2")]
    assert renamed_folders(files) == []


def test_files_that_move_up_or_to_the_root_are_told_truly() -> None:
    assert renamed_folders([moved("a/b/x.py", "a/x.py"), moved("a/b/y.py", "a/y.py")]) == []
    assert renamed_folders([moved("x.py", "src/x.py"), moved("y.py", "src/y.py")]) == []


def test_folders_that_moved_out_of_one_that_stays_are_told_each() -> None:
    names = ("base/a.py", "base/b.py", "base/c.py", "dsl/c.py", "dsl/d/e.py", "dsl/f.py", "few/x.py", "few/y.py")
    files = [moved(f"py/{name}", f"py/cutlass/{name}") for name in names]
    assert renamed_folders(files) == [("py/base", "py/cutlass/base", 3), ("py/dsl", "py/cutlass/dsl", 3)]
