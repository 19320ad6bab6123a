"""Questions in anybody's words are understood for what they ask."""

from datetime import UTC, datetime

import pytest

from agent.asking.inquiry import Act, Aim, Inquiry
from agent.asking.understanding import Setting, understand
from agent.ids import RepoId

SETTING = Setting(
    repos=(RepoId("lumen-ai/tensorforge"), RepoId("lumen-ai/swiftserve")),
    now=datetime(2026, 4, 2, tzinfo=UTC),
    tz="UTC",
    people=("Bo Chen", "张磊"),
)


def asked(text: str) -> Inquiry:
    return understand(text, SETTING)


@pytest.mark.parametrize(
    ("text", "aim"),
    [
        ("who removed max_num_seqs?", Aim.WHO),
        ("谁删的 max_num_seqs", Aim.WHO),
        ("who fixed the mask when there is a prefix?", Aim.WHO),
        ("the mask is wrong when there is a prefix, how did they fix it", Aim.CHANGES),
        ("什么时候能用 --queue 的？", Aim.WHEN),
        ("issue 32 (hangs with few blocks), fixed? by what", Aim.STATUS),
        ("when did MAX_QUEUE change and from what to what?", Aim.WHEN),
        ("MAX_QUEUE 什么时候从多少改到多少", Aim.WHEN),
        ("is the crash in the router still open?", Aim.STATUS),
        ("路由崩溃那个 issue 关了吗", Aim.STATUS),
        ("how often was select_decode renamed?", Aim.COUNT),
        ("select_decode 改名几次了", Aim.COUNT),
        ("fast_path was reverted; is it back?", Aim.FATE),
        ("fast_path 撤销之后又合回来了吗", Aim.FATE),
        ("num_stages 都取过哪些值", Aim.FATE),
        ("torch 升到哪个版本了", Aim.WHEN),
        ("what version of torch is used now", Aim.WHEN),
        ("谁的代码质量最高", Aim.BEYOND),
        ("should we upgrade?", Aim.BEYOND),
    ],
)
def test_the_kind_of_answer_is_chosen_by_the_question_words(text: str, aim: Aim) -> None:
    assert asked(text).aim is aim


@pytest.mark.parametrize(
    ("text", "turn"),
    [
        ("who set HEARTBEAT_SECONDS from 10.0 to 5.0?", ("10.0", "5.0")),
        ("谁把 HEARTBEAT_SECONDS 从 10.0 又降回 5.0 的", ("10.0", "5.0")),
        ("kSmemLimit from 227 * 1024 to 99 * 1024?", ("227 * 1024", "99 * 1024")),
    ],
)
def test_old_and_new_values_are_values_and_no_versions(text: str, turn: tuple[str, str]) -> None:
    inquiry = asked(text)
    assert inquiry.turn == turn
    assert inquiry.versions == ()


def test_two_versions_of_a_repository_stay_versions() -> None:
    assert asked("what broke in prefill.py from v0.5.0 to v0.6.0rc1?").versions == ("v0.5.0", "v0.6.0rc1")


@pytest.mark.parametrize("text", ["how many commits, not counting Initial commit?", "多少个提交？不算 Initial commit"])
def test_what_is_not_to_be_counted_is_no_topic(text: str) -> None:
    inquiry = asked(text)
    assert inquiry.without == ("Initial commit",)
    assert inquiry.terms == ()


def test_words_that_own_something_are_noted_and_question_words_are_not() -> None:
    assert asked("what's new in vllm's scheduler").owners == ("vllm",)


@pytest.mark.parametrize("text", ["what did 张磊 do last week?", "Bo 上周做了什么", "what did Bo Chen change?"])
def test_people_are_found_by_any_of_their_names(text: str) -> None:
    assert len(asked(text).people) == (
        0 if text.startswith("Bo 上") else 1
    )  # Two letters are too few for a first name.


@pytest.mark.parametrize("text", ["tensorforge 里多少了", "改回多少了"])
def test_how_much_is_no_removal(text: str) -> None:
    assert Act.REMOVED not in asked(text).acts


@pytest.mark.parametrize("question", ["what has gone into the queue so far?", "can the queue pull from the cache yet?"])
def test_what_goes_into_something_is_not_removed(question: str) -> None:
    assert Act.REMOVED not in understand(question, SETTING).acts


def test_who_is_named_in_full_is_not_somebody_else_with_the_same_first_name() -> None:
    setting = Setting(repos=SETTING.repos, now=SETTING.now, tz="UTC", people=("Lucas Hänke de Cansino", "Lucas Wilk"))
    inquiry = understand("list everything Lucas Wilk reverted", setting)
    assert inquiry.people == ("Lucas Wilk",)
    assert inquiry.terms == ()


def test_what_a_pull_request_turned_off_was_not_fixed() -> None:
    assert asked("which PR turned sequence sharding off by default?").acts == (Act.DISABLED,)


def test_what_somebody_met_does_not_say_what_kind_of_question_it_is() -> None:
    question = "Our node returns errors to the client, it is the worst. Which commit changed the retries?"
    assert understand(question, SETTING).aim is not Aim.BEYOND


@pytest.mark.parametrize(
    ("question", "series"),
    [
        ("which parts of the [x/N] quant series landed?", True),
        ("量化重构系列合入了几个", True),
        ("who wrote [3/N]?", False),
    ],
)
def test_a_series_is_told_from_one_part_of_it(question: str, series: bool) -> None:
    assert understand(question, SETTING).series is series


def test_a_word_of_every_question_is_nobody_s_first_name() -> None:
    setting = Setting(repos=SETTING.repos, now=SETTING.now, tz="UTC", people=("Will Eaton", "Kiki Yang"))
    assert understand("what will I be running with --backend pplx?", setting).people == ()
    assert understand("what did Kiki change?", setting).people == ("Kiki Yang",)


def test_whether_a_change_is_still_on_main_asks_what_became_of_it() -> None:
    assert understand("Is the speedup from #33641 still on main?", SETTING).aim is Aim.FATE


@pytest.mark.parametrize(
    "question",
    [
        "what default of the router should I look out for when upgrading?",
        "anything about tiling that we should know before moving to main?",
        "--probe is gone, what should I use instead?",
    ],
)
def test_what_to_watch_in_an_upgrade_can_be_told(question: str) -> None:
    assert asked(question).aim is not Aim.BEYOND


@pytest.mark.parametrize(
    "question",
    ["is the router a good design?", "should we upgrade the router?", "which of the two should I use for tiling?"],
)
def test_what_to_do_is_for_somebody_else_to_say(question: str) -> None:
    assert asked(question).aim is Aim.BEYOND


@pytest.mark.parametrize(
    "question",
    [
        "The router sat on a port above ours. After the upgrade it is totally different. What changed?",
        "路由用的是旧驱动。升级到月底的镜像前要注意什么？",
    ],
)
def test_trouble_with_one_thing_after_an_upgrade_asks_what_changed_about_it(question: str) -> None:
    inquiry = asked(question)
    assert inquiry.aim is Aim.CHANGES
    assert Act.BUMPED not in inquiry.acts


@pytest.mark.parametrize(
    "question",
    [
        "What should I check before upgrading?",
        "Is it safe to upgrade?",
        "anything we need to know before we upgrade?",
        "what do I have to do when upgrading?",
        "升级前需要注意什么？",
    ],
)
def test_whoever_is_about_to_upgrade_asks_for_everything_that_breaks(question: str) -> None:
    inquiry = asked(question)
    assert inquiry.aim is Aim.BROKE
    assert not any(not term.weak for term in inquiry.terms)


def test_what_to_check_of_one_thing_before_an_upgrade_is_what_changed_about_it() -> None:
    inquiry = asked("what should I check about quantisation before upgrading?")
    assert inquiry.aim is Aim.CHANGES
    assert [term.said for term in inquiry.terms if not term.weak] == ["quantisation"]


@pytest.mark.parametrize("question", ["what broke in the scheduler last week?", "what breaking changes came in March?"])
def test_what_broke_is_asked_for_by_that_word(question: str) -> None:
    assert asked(question).aim is Aim.BROKE


def test_whether_what_was_backed_out_has_a_replacement_asks_what_became_of_it() -> None:
    inquiry = asked("the tiling fix got backed out, right? Is there a replacement by now?")
    assert inquiry.aim is Aim.FATE
    assert Act.REVERTED in inquiry.acts


def test_what_somebody_adds_behind_a_question_weighs_little() -> None:
    terms = asked("who taught the router to shed load? We run four nodes on H200 with gradio.").terms
    assert {term.said for term in terms if not term.weak} == {"router", "shed", "load"}


@pytest.mark.parametrize(
    "question", ["The router panics on gradio. Who mended that?", "is it mended? the router panics on gradio."]
)
def test_what_a_question_leaves_to_the_other_sentences_is_its_topic(question: str) -> None:
    assert {"router", "gradio"} <= {term.said for term in asked(question).terms if not term.weak}


@pytest.mark.parametrize("aside", ["（大小写不论）", " (case-insensitive)", "，不区分大小写"])
def test_how_names_are_compared_is_no_topic(aside: str) -> None:
    plain = understand("how many commits have Qwen3.5 in their title?", SETTING)
    told = understand(f"how many commits have Qwen3.5{aside} in their title?", SETTING)
    assert told.terms == plain.terms
