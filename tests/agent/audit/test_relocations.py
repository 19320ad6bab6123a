"""Names that a sentence moves the other way than the change."""

from collections.abc import Callable

import pytest

from agent.audit.relocations import moved_back
from agent.evidence import CommitEvidence

Make = Callable[..., CommitEvidence]


@pytest.mark.parametrize(
    ("told", "wrong"),
    [
        ("`run_all` moves from `decode.py` to `mla.py`.", False),
        ("`run_all` moves from `mla.py` to `decode.py`.", True),
        ("`run_all` 从 `decode.py` 移到 `mla.py`。", False),
        ("`run_all` 从 `mla.py` 移到 `decode.py`。", True),
        ("`other` moves from `mla.py` to `decode.py`.", False),
    ],
)
def test_what_moves_leaves_the_file_that_loses_it(commit: Make, told: str, wrong: bool) -> None:
    gone = commit("Move it (#3)", "-def run_all():", "-    pass", path="engine/decode.py")
    come = commit("Move it (#3)", "+def run_all():", "+    pass", path="engine/mla.py")
    files = (*gone.change.files, *come.change.files)
    both = gone.model_copy(update={"change": gone.change.model_copy(update={"files": files})})
    assert bool(moved_back(told, [both])) is wrong
