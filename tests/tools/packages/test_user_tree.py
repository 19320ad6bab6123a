"""Of the user's own code only texts are written out, under paths that stay in their folder."""

import pytest

from tools.packages.user_tree import OwnTree

USE = "import requests\n"


def written_of(texts: dict[str, str]) -> list[str]:
    """Return the paths of the texts that are written out for the word `requests`."""
    with OwnTree(texts, 0).written_out(["requests"]) as folder:
        files = [path for path in folder.rglob("*") if path.is_file()]
        return sorted(path.relative_to(folder).as_posix() for path in files)


def test_files_with_one_of_the_words_are_written_whatever_its_case() -> None:
    texts = {"a/b.py": USE, "c.py": "import json\n", "d.cfg": "[Requests]\n"}
    assert written_of(texts) == ["a/b.py", "d.cfg"]


@pytest.mark.parametrize(
    "path",
    [
        "../outside.py",
        "a/../../outside.py",
        "/etc/outside.py",
        ".git/hooks/post-checkout",
        "\ufffd.py",
        "报" * 100 + ".py",  # More bytes than a name may have, and fewer characters
        "/".join(["a"] * 41),
        "poetry.lock",
    ],
)
def test_other_paths_and_lock_files_are_left_out_and_cost_no_other_file(path: str) -> None:
    assert written_of({path: USE, "kept.py": USE}) == ["kept.py"]


def test_the_longest_name_that_file_systems_hold_is_written() -> None:
    name = "a" * 252 + ".py"
    assert written_of({name: USE}) == [name]
