"""Sentences are taken apart the way a reader would: names, values, verbs with their objects."""

import pytest

from agent.gate import acts_en, acts_zh
from agent.gate.direction import Direction
from agent.gate.prose import Kind, Sentence, sentences
from agent.gate.prose_zh import cut, segmented
from agent.gate.stems import stem


def test_a_text_is_cut_after_full_stops_but_never_inside_code() -> None:
    text = "Adds `a. b` to the router. Drops e.g. v1.2 of it.[@1] 移除了旧接口。[@2] 完成。"
    cuts = sentences(text)
    assert [sentence.marks for sentence in cuts] == [(), (1,), (2,), ()]
    assert cuts[0].text == "Adds `a. b` to the router."


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("`x`", Kind.CODE),
        ("--queue-depth", Kind.FLAG),
        ("src/router/limits.py", Kind.PATH),
        ("limits.py", Kind.PATH),
        ("max_batch", Kind.NAME),
        ("torch.profiler", Kind.NAME),
        ("VLLM_USE_V1", Kind.NAME),
        ("v0.6.3", Kind.VERSION),
        ("0.6.3", Kind.VERSION),
        ("64", Kind.NUMBER),
        ("“the old planner”", Kind.QUOTED),
        ("Python", Kind.WORD),
        ("CUDA", Kind.WORD),
    ],
)
def test_each_piece_is_known_for_what_it_is(text: str, kind: Kind) -> None:
    (token,) = Sentence(f"Uses {text} here").tokens[1:-1]
    assert token.kind is kind


@pytest.mark.parametrize(
    ("text", "direction", "objects", "old", "new"),
    [
        ("Adds `a` and `b` to `C`.", Direction.ADD, ["a", "b"], None, None),
        ("The `a` flag has been removed.", Direction.REMOVE, ["a"], None, None),
        ("Removal of the `a` flag.", Direction.REMOVE, ["a"], None, None),
        ("`a` is renamed to `b`.", Direction.RENAME, ["a"], "a", "b"),
        ("In `f` the parameter `a` was renamed to `b`.", Direction.RENAME, ["a"], "a", "b"),
        ("The limit of `a` is raised from 8 to 16.", Direction.RAISE, [], "8", "16"),
        ("Replaces `a` with `b`.", Direction.REPLACE, ["a"], "a", "b"),
        ("`b` is used instead of `a`.", Direction.CHANGE, [], "a", "b"),
        ("Rolled back the cache.", Direction.REVERT, [], None, None),
    ],
)
def test_english_verbs_find_their_objects(
    text: str, direction: Direction, objects: list[str], old: str | None, new: str | None
) -> None:
    act = acts_en.acts(Sentence(text).tokens)[0]
    assert act.direction is direction
    assert [token.text for token in act.objects] == objects
    assert (act.old and act.old.text, act.new and act.new.text) == (old, new)


def test_what_was_done_before_is_no_act_of_the_change() -> None:
    text = "It now raises `ValueError` instead of silently setting `a` to False."
    assert not [act for act in acts_en.acts(Sentence(text).tokens) if act.objects]


@pytest.mark.parametrize(
    ("text", "direction", "objects", "old", "new"),
    [
        ("新增 `a` 参数。", Direction.ADD, ["a"], None, None),
        ("`a` 被移除。", Direction.REMOVE, ["a"], None, None),
        ("移除了 `C` 的 `a` 字段。", Direction.REMOVE, ["a"], None, None),
        ("将 `a` 重命名为 `b`。", Direction.RENAME, ["a"], "a", "b"),
        ("将 `a` 从 8 提高到 16。", Direction.RAISE, ["a"], "8", "16"),
        ("用 `b` 替换 `a`。", Direction.REPLACE, ["a"], "a", "b"),
        ("`a` 被替换为 `b`。", Direction.REPLACE, ["a"], "a", "b"),
        ("`a` 被 `b` 取代。", Direction.REPLACE, ["a"], "a", "b"),
    ],
)
def test_chinese_verbs_find_their_objects(
    text: str, direction: Direction, objects: list[str], old: str | None, new: str | None
) -> None:
    act = acts_zh.acts(cut(Sentence(text).tokens))[0]
    assert act.direction is direction
    assert [token.text for token in act.objects] == objects
    assert (act.old and act.old.text, act.new and act.new.text) == (old, new)


def test_a_negated_verb_is_read_as_negated() -> None:
    assert acts_en.acts(Sentence("It does not remove `a`.").tokens)[0].negated
    assert acts_zh.acts(cut(Sentence("并未移除 `a`。").tokens))[0].negated


def test_adjectives_and_raised_errors_are_no_changes() -> None:
    assert acts_en.acts(Sentence("Works with fixed sizes.").tokens) == ()
    assert acts_en.acts(Sentence("Raises a ValueError.").tokens) == ()


def test_chinese_is_cut_into_words_with_verbs_kept_whole() -> None:
    assert segmented("移除了前缀缓存") == ("移除", "了", "前缀缓存")


def test_relatives_share_a_stem() -> None:
    assert len({stem(word) for word in ("schedule", "scheduled", "scheduler", "scheduling")}) == 1
