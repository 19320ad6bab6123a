"""Scorers that are used by one set each: a wrong answer is told from a right one, and named."""

from agent.asking.query import Reply
from agent.domain.base import RepoId, commit_id, thread_id
from agent.domain.links import Grade, Link, Relation
from evals.sets.links_real import link_figures
from evals.sets.questions import Question, Tally, grade, wrong_with
from evals.sets.stories_scores import Event, compared
from evals.sets.windows import _compare


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


SHA = "a" * 40


def link(number: int, relation: Relation, grade: Grade) -> Link:
    issue, change = thread_id(RepoId("o/n"), number), commit_id(RepoId("o/n"), SHA)
    return Link(issue=issue, change=change, relation=relation, grade=grade)


def gold(number: int, relation: str, kind: str) -> dict[str, str]:
    return {"repo": "o/n", "sha": SHA, "issue": f"o/n#{number}", "relation": relation, "kind": kind}


def test_links_that_are_missing_wrong_or_traps_are_all_counted() -> None:
    links = [
        link(1, Relation.FIXES, Grade.A),
        link(3, Relation.MENTIONS, Grade.B),
        link(4, Relation.FIXES, Grade.B),
        link(5, Relation.FIXES, Grade.C),
    ]
    wanted = [
        gold(1, "fixes", "recorded"),
        gold(2, "fixes", "recorded"),
        gold(3, "partly fixes", "said"),
        gold(4, "fixes", "said"),
        gold(5, "none", "trap"),
    ]
    figures = link_figures(links, wanted, {f"o/n#{number}" for number in range(1, 6)})
    assert {name.removeprefix("real: "): figure.value for name, figure in figures.items() if figure.n} == {
        "recorded links found": 0.5,
        "recorded links that are true": 1.0,
        "said links told rightly": 0.5,
        "said links at least referred to": 1.0,
        "said and inferred links that are true": 0.5,
        "traps told as fixed": 1.0,
    }
