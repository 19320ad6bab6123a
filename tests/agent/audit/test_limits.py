"""Figures and abilities of which a change says something else."""

from collections.abc import Callable

import pytest

from agent.audit.limits import overstated
from agent.evidence import CommitEvidence

Make = Callable[..., CommitEvidence]


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("避免 GOT 与 `.text` 相距超过 4GB 时 ADRP 寻址出错。", False),
        ("避免 GOT 与 `.text` 相距超过 2GB 时 ADRP 寻址出错。", True),
        ("避免 GOT 与 `.text` 相距超过 4096 MB 时 ADRP 寻址出错。", False),
        ("显存占用 2GB。", False),
        ("`ADRP/GOT.text`（新增 2GB）：绕过寻址。", False),
        ("ADRP lookup fails where GOT and text are 2 GB apart.", True),
        ("ADRP lookup fails where GOT and text are about 3.9 GB apart.", False),
    ],
)
def test_a_limit_is_the_one_that_the_change_gives_for_the_same_thing(commit: Make, sentence: str, wrong: bool) -> None:
    change = commit("Fix a crash (#3)", "+# ADRP lookup fails when GOT and .text are more than 4GB apart")
    assert bool(overstated(sentence, [change])) is wrong


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("混合 mamba 模型已经支持不同的 TP size。", True),
        ("混合 mamba 模型尚不支持不同的 TP size。", False),
        ("混合 hybrid 模型已经支持 FP8 权重。", False),
        ("Hybrid mamba models now support different TP sizes.", True),
    ],
)
def test_what_a_line_says_is_not_supported_is_not(commit: Make, sentence: str, wrong: bool) -> None:
    change = commit(
        "Add hybrid models (#3)", '+raise ValueError("does NOT support different TP sizes for mamba models yet")'
    )
    assert bool(overstated(sentence, [change])) is wrong


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("The fast path is taken for `rows <= 32`.", False),
        ("The fast path is taken for `rows<=32`.", False),
        ("The fast path is taken for `rows <= 64`.", True),
        ("The fast path is taken for `columns <= 64`.", False),
    ],
)
def test_a_bound_in_code_has_the_number_of_the_diff(commit: Make, sentence: str, wrong: bool) -> None:
    change = commit("Add a fast path (#3)", "+if small and rows <= 32:", "+    run()")
    assert bool(overstated(sentence, [change])) is wrong
