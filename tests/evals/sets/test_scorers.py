"""Scorers that are used by one set each: a wrong answer is told from a right one, and named."""

from pathlib import Path

from agent.asking.reply import Reply
from agent.ids import CommitId, ThreadId
from agent.links import Grade, Link, Relation
from evals.sets.links import Tally as LinkTally
from evals.sets.links import _score_explicit, calibration_error
from evals.sets.links_gold import Pair
from evals.sets.questions import Question, Tally, grade, wrong_with
from evals.sets.stories_scores import Event, compared
from evals.sets.windows import _compare
from evals.worlds.model import Repo

REPO = Repo(1, "o", "n", "main", Path("none"))


def test_a_commit_in_two_days_or_in_none_or_on_the_wrong_day_is_counted() -> None:
    scores = _compare(["a", "b", "c"], ["a", "b", "b", "x"], "day")
    assert [(score.reason, score.value) for score in scores] == [
        ("day: a found 1 times", 1.0),
        ("day: b found 2 times", 0.0),
        ("day: c found 0 times", 0.0),
        ("day: x does not belong there", 0.0),
    ]


def test_a_story_is_right_only_with_its_kind_its_doer_its_targets_and_its_gaps() -> None:
    gold = Event("series", "o/n@b", frozenset({"o/n@a"}), (2,))
    wrong = [
        Event("revert", "o/n@b", frozenset({"o/n@a"}), (2,)),
        Event("series", "o/n@c", frozenset({"o/n@a"}), (2,)),
        Event("series", "o/n@b", frozenset({"o/n@x"}), (2,)),
        Event("series", "o/n@b", frozenset({"o/n@a"}), ()),
    ]
    precision, recall = compared([gold, *wrong], [gold])
    assert [score.value for score in precision] == [1.0, 0.0, 0.0, 0.0, 0.0]
    assert [score.value for score in recall] == [1.0]
    assert [score.value for score in compared([], [gold])[1]] == [0.0]


def question(**values: object) -> Question:
    given = {
        "id": "q1",
        "split": "dev",
        "lang": "en",
        "kind": "single",
        "topic": "who",
        "text": "Who?",
        "repos": (),
        "abstain": False,
        "cites": (("o/n@a", "o/n#1"),),
        "says": (("Mira", "mira-k"),),
        "not_says": ("Chidi",),
        "nearest": (),
    }
    return Question(**(given | values))  # type: ignore[arg-type]


def reply(answer: str, *cites: str, abstained: bool = False) -> Reply:
    return Reply(outcome="abstained" if abstained else "answered", lang="en", answer=answer, cites=cites)


def test_an_answer_is_right_when_it_cites_says_and_leaves_out_what_it_should() -> None:
    assert wrong_with(question(), reply("It was mira.", "o/n#1")) == ""
    assert "does not cite" in wrong_with(question(), reply("It was Mira.", "o/n@b"))
    assert "does not say 'Mira'" in wrong_with(question(), reply("Somebody.", "o/n@a"))
    assert "says 'Chidi'" in wrong_with(question(), reply("Mira, or Chidi.", "o/n@a"))
    assert wrong_with(question(), reply("Mira.", "o/n@a", abstained=True)) == "abstained"


def test_abstaining_is_right_where_nothing_answers_and_wrong_elsewhere() -> None:
    tally = Tally()
    grade(question(abstain=True), reply("Nothing.", abstained=True), tally)
    grade(question(abstain=True), reply("Mira.", "o/n@a"), tally)
    grade(question(), reply("Nothing.", abstained=True), tally)
    assert [score.value for score in tally.abstained] == [1.0, 0.0]
    assert [score.value for score in tally.over] == [1.0]
    assert [score.value for score in tally.correct] == [0.0]
    grade(question(), reply("Chidi.", "o/n@a"), tally)
    grade(question(), reply("Mira.", "o/n@a"), tally)
    assert [score.value for score in tally.risk] == [0.0, -2.0, 1.0]


def link(issue: str, change: str, grade: Grade) -> Link:
    return Link(issue=ThreadId(issue), change=CommitId(change), relation=Relation.FIXES, grade=grade)


def test_a_link_that_is_missing_and_one_too_many_are_both_counted() -> None:
    gold = {Pair(ThreadId("o/n#1"), CommitId("o/n@a")), Pair(ThreadId("o/n#2"), CommitId("o/n@b"))}
    tally = LinkTally()
    links = (
        link("o/n#1", "o/n@a", Grade.A),
        link("o/n#2", "o/n@b", Grade.C),
        link("o/n#3", "o/n@c", Grade.A),
        link("o/n#4", "o/n@d", Grade.C),
    )
    _score_explicit(REPO, links, gold, gold, tally)
    assert sorted(score.value or 0.0 for score in tally.explicit) == [0.0, 0.0, 1.0]
    assert sorted(score.value or 0.0 for score in tally.traps) == [0.0, 1.0]


def test_guesses_are_well_calibrated_when_they_are_right_as_often_as_they_say() -> None:
    assert calibration_error([(1.0, True)] * 4) == 0.0
    assert calibration_error([(0.9, False)] * 4) == 0.9
    assert calibration_error([]) == 0.0
