"""Follow-up questions: what they leave open is what was spoken of before, in both languages."""

from datetime import UTC, date, datetime

import pytest

from agent.asking.focus import Focus, in_context
from agent.asking.inquiry import Act, Aim, Inquiry
from agent.asking.understanding import Setting, understand
from agent.errors import InputError
from agent.ids import RepoId
from agent.window import Window

FLASH, SGL = RepoId("flashinfer-ai/flashinfer"), RepoId("sgl-project/sglang")
FIRST, SECOND = "e284274e2eb67538bb9c884f2ed9c0143772d3ac", "87a45d131dc6518493718e20086cc665ed46da4f"
AT = Setting(
    repos=(FLASH, SGL), now=datetime(2026, 2, 10, 12, tzinfo=UTC), tz="UTC", people=("Ada Lovelace", "Grace Hopper")
)
LAST_WEEK = Window.days(date(2026, 2, 2), date(2026, 2, 8), "UTC")


def after(question: str, *shown: str, authors: tuple[str, ...] = ("Ada Lovelace",)) -> Focus:
    """Give the focus that a question and what its answer showed leave behind."""
    asked = understand(question, AT)
    values = {name: getattr(asked, name) for name in Focus.model_fields if name in Inquiry.model_fields}
    return Focus.model_validate(values | {"shown": shown, "authors": authors})


LIMIT = after("what changed in tile_size in flashinfer last week?", f"{FLASH}@{FIRST}", f"{FLASH}@{SECOND}")
ISSUE = after("is #2453 fixed in flashinfer?", f"{FLASH}#2453", f"{FLASH}@{FIRST}")
EVERYTHING = after("what happened in flashinfer last week?", f"{FLASH}@{FIRST}", f"{FLASH}@{SECOND}")


def read(question: str, focus: Focus) -> Inquiry:
    """Read a question as the next one of the conversation."""
    return in_context(question, AT, focus)


@pytest.mark.parametrize(
    "question",
    [
        "what does that commit do?",
        "What does it do?",
        "explain that",
        "why?",
        "那个提交做了什么？",
        "为什么？",
        "解释一下它",
    ],
)
def test_that_commit_is_the_first_one_shown(question: str) -> None:
    inquiry = read(question, LIMIT)
    assert (inquiry.aim, inquiry.shas, inquiry.repos) == (Aim.EXPLAIN, (FIRST,), (FLASH,))


@pytest.mark.parametrize("question", ["who wrote the commit?", "who wrote it?", "那个提交是谁写的？", "它是谁写的？"])
def test_whoever_wrote_it_is_the_author_of_the_commit_shown(question: str) -> None:
    inquiry = read(question, LIMIT)
    assert (inquiry.aim, inquiry.shas) == (Aim.WHO, (FIRST,))


@pytest.mark.parametrize("question", ["who changed it?", "它是谁改的？", "谁改的？"])
def test_who_changed_it_is_asked_of_the_name_in_its_time(question: str) -> None:
    inquiry = read(question, LIMIT)
    assert (inquiry.aim, inquiry.names, inquiry.window) == (Aim.WHO, ("tile_size",), LAST_WEEK)


@pytest.mark.parametrize("question", ["the second one?", "what does the second commit do?", "第二个提交做了什么？"])
def test_one_of_those_shown_is_meant_by_its_place(question: str) -> None:
    assert read(question, LIMIT).shas == (SECOND,)


@pytest.mark.parametrize("question", ["what does the third one do?", "第三个提交做了什么？"])
def test_a_place_that_nothing_has_is_told(question: str) -> None:
    with pytest.raises(InputError, match="shows 2; there is no number 3"):
        read(question, LIMIT)


@pytest.mark.parametrize(
    "question", ["is that issue fixed?", "is it fixed?", "那个议题修复了吗？", "它修复了吗？", "这个问题解决了吗？"]
)
def test_it_is_the_issue_that_was_asked_about(question: str) -> None:
    inquiry = read(question, ISSUE)
    assert (inquiry.aim, inquiry.numbers) == (Aim.STATUS, (2453,))


def test_that_commit_after_an_issue_is_its_fix() -> None:
    assert read("what does that commit do?", ISSUE).shas == (FIRST,)
    assert read("那个提交改了什么？", ISSUE).shas == (FIRST,)


@pytest.mark.parametrize(
    "question",
    ["what else did she change?", "她还改了什么？", "what else did that author change?", "what else did they change?"],
)
def test_she_is_the_author_of_what_was_shown(question: str) -> None:
    assert read(question, LIMIT).people == ("Ada Lovelace",)


@pytest.mark.parametrize(
    "question", ["and in sglang?", "what about sglang?", "sglang 呢？", "那 sglang 里呢？", "sgl-project/sglang?"]
)
def test_another_repository_gets_the_same_question(question: str) -> None:
    inquiry = read(question, LIMIT)
    assert (inquiry.repos, inquiry.names, inquiry.window) == ((SGL,), ("tile_size",), LAST_WEEK)


@pytest.mark.parametrize("question", ["and this week?", "那本周呢？", "这周呢", "how about this week?"])
def test_another_time_gets_the_same_question(question: str) -> None:
    inquiry = read(question, LIMIT)
    assert inquiry.window is not None
    assert inquiry.window.start == datetime(2026, 2, 9, tzinfo=UTC)
    assert (inquiry.repos, inquiry.names, inquiry.acts) == ((FLASH,), ("tile_size",), (Act.CHANGED,))


@pytest.mark.parametrize(
    ("question", "day"), [("and the day before?", 1), ("前一天呢？", 1), ("and the week before?", 26)]
)
def test_the_day_before_is_counted_from_the_time_that_was_spoken_of(question: str, day: int) -> None:
    window = read(question, LIMIT).window
    assert window is not None
    assert (window.start.day, window.end) == (day, LAST_WEEK.start)


@pytest.mark.parametrize("question", ["since when?", "when?", "从什么时候开始的？", "什么时候的事？"])
def test_since_when_is_asked_of_all_times(question: str) -> None:
    inquiry = read(question, LIMIT)
    assert (inquiry.aim, inquiry.names, inquiry.window) == (Aim.WHEN, ("tile_size",), None)


@pytest.mark.parametrize(
    "question", ["and block_size?", "what about block_size?", "那 block_size 呢？", "block_size 呢"]
)
def test_the_same_is_asked_of_another_name(question: str) -> None:
    focus = after("who changed tile_size in flashinfer last week?", f"{FLASH}@{FIRST}")
    inquiry = read(question, focus)
    assert (inquiry.aim, inquiry.names, inquiry.window, inquiry.repos) == (
        Aim.WHO, ("block_size",), LAST_WEEK, (FLASH,),
    )  # fmt: skip


@pytest.mark.parametrize("question", ["and #2460?", "what about #2460?", "那 #2460 呢？"])
def test_the_same_is_asked_of_another_issue(question: str) -> None:
    inquiry = read(question, ISSUE)
    assert (inquiry.aim, inquiry.numbers) == (Aim.STATUS, (2460,))


@pytest.mark.parametrize("question", ["how many of them?", "how many?", "有多少个？"])
def test_how_many_counts_what_was_spoken_of(question: str) -> None:
    inquiry = read(question, LIMIT)
    assert (inquiry.aim, inquiry.names, inquiry.window) == (Aim.COUNT, ("tile_size",), LAST_WEEK)


def test_they_are_all_that_was_shown_where_there_was_no_topic() -> None:
    assert read("who wrote them?", EVERYTHING).shas == (FIRST, SECOND)


def test_a_new_topic_keeps_the_repository_and_not_the_time() -> None:
    inquiry = read("who changed the scheduler?", LIMIT)
    assert (inquiry.repos, inquiry.names, inquiry.window) == ((FLASH,), (), None)
    assert [term.said for term in inquiry.terms] == ["scheduler"]


@pytest.mark.parametrize("question", ["what changed yesterday?", "昨天有什么变化？"])
def test_a_whole_question_about_everything_does_not_go_on_with_the_topic(question: str) -> None:
    assert read(question, LIMIT).names == ()


@pytest.mark.parametrize("question", ["which repositories bumped CUTLASS?", "哪些仓库升级了 CUTLASS？"])
def test_a_question_about_all_repositories_is_asked_of_all(question: str) -> None:
    assert read(question, LIMIT).repos == ()


@pytest.mark.parametrize(
    "question",
    [
        "is it true that block_size was removed?",
        "which commits that change the scheduler landed?",
        "who wrote the commit about routing?",
        "其他人改了 block_size 吗？",
    ],
)
def test_words_that_only_look_like_pointers_point_at_nothing(question: str) -> None:
    inquiry = read(question, LIMIT)
    assert inquiry.shas == ()
    assert inquiry.people == ()
    assert "tile_size" not in inquiry.names


def test_this_month_is_a_time_and_no_pointer() -> None:
    inquiry = read("这个月有什么变化？", LIMIT)
    assert (inquiry.shas, inquiry.names) == ((), ())
    assert inquiry.window is not None
    assert inquiry.window.start.day == 1


def test_a_repository_that_is_no_longer_at_hand_is_not_gone_back_to() -> None:
    setting = Setting(repos=(SGL,), now=AT.now, tz="UTC")
    assert in_context("and yesterday?", setting, LIMIT).repos == ()


def test_the_first_question_is_read_as_it_stands() -> None:
    assert in_context("what changed in tile_size?", AT, None) == understand("what changed in tile_size?", AT)


def test_a_focus_survives_being_written_down() -> None:
    assert Focus.model_validate(LIMIT.model_dump(mode="json")) == LIMIT
