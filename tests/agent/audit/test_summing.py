"""Summaries that say something else than the commits."""

from collections.abc import Callable

import pytest

from agent.audit.summing import opposite, unlike
from agent.evidence import CommitEvidence

Make = Callable[..., CommitEvidence]


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("PD 方面，NIXL connector 支持 hybrid model 的状态传输。", False),
        ("PD 方面，Mooncake connector 支持 hybrid model 的状态传输。", True),
        # Another matter: nothing else of the title is spoken of.
        ("Mooncake connector 的文档重排。", False),
        ("Mooncake backend 支持 hybrid model。", False),
    ],
)
def test_a_name_before_a_noun_is_the_one_of_the_title(commit: Make, sentence: str, wrong: bool) -> None:
    assert bool(unlike(sentence, [commit("add hybrid model PD to NIXL connector (#3)")])) is wrong


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("SM120 只拿到了前向", True),
        ("SM120 只拿到了反向", False),
        ("SM120 前向和反向都已合入", False),
        ("SM90 只支持前向", False),
        ("SM120 only got the forward pass.", True),
    ],
)
def test_who_gets_both_halves_has_not_one_only(commit: Make, sentence: str, wrong: bool) -> None:
    assert bool(unlike(sentence, [commit("[Bwd] Add SM120 backward pass support (#3)")])) is wrong


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("NVFP4 input quant kernel tuned for small batch sizes.", False),
        ("NVFP4 input quant kernel tuned for large batch sizes.", True),
        # Another matter.
        ("The scheduler likes large batch sizes.", False),
    ],
)
def test_a_summary_has_no_opposite_of_a_title_of_the_same_matter(commit: Make, sentence: str, wrong: bool) -> None:
    assert bool(opposite(sentence, [commit("[Perf] Tune NVFP4 input quant kernel for small batch size (#3)")])) is wrong


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("Engine was bumped to 4.4.0.", False),
        ("Engine was bumped to 4.4.1.", True),
        ("The engine 升级到 4.4.1。", True),
        ("Other was bumped to 4.4.1.", False),
    ],
)
def test_a_project_gets_the_version_that_a_title_gives_it(commit: Make, sentence: str, wrong: bool) -> None:
    assert bool(unlike(sentence, [commit("Bump version from 4.3.5 to 4.4.0", "+VERSION = 4.4.0")])) is wrong
