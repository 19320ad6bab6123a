"""How many answers are waited for, one after the other, as the footer counts it."""

from agent.domain.account import (
    LOOKING,
    SUMMING_UP,
    WRITING_STORIES,
    Account,
    Chain,
    Spent,
    longest_chain,
    subject_of,
)
from tools.chat.budget import RunBudget

REPO = "octo/router"


def answer(budget: RunBudget, subject: str, before: int) -> None:
    budget.charge("writer", REPO, Spent(calls=1), "writing", subject, before)


def test_questions_that_were_put_at_the_same_time_count_once() -> None:
    budget = RunBudget()
    before_both = budget.answers_before(REPO, "a commit")
    answer(budget, "a commit", before_both)
    answer(budget, "a commit", before_both)
    answer(budget, "a commit", budget.answers_before(REPO, "a commit"))
    assert budget.take_chain(REPO, "editing") == Chain(editing=2)
    assert budget.take_chain(REPO, "editing") == Chain()


def test_a_question_about_a_commit_waits_for_what_was_asked_about_the_day() -> None:
    budget = RunBudget()
    answer(budget, REPO, budget.answers_before(REPO, REPO))
    answer(budget, "a commit", budget.answers_before(REPO, "a commit"))
    answer(budget, "another commit", budget.answers_before(REPO, "another commit"))
    assert budget.take_chain(REPO, "editing") == Chain(editing=2)


def test_stories_are_told_while_commits_are_explained() -> None:
    budget = RunBudget()
    answer(budget, WRITING_STORIES, 0)
    answer(budget, "a commit", 0)
    answer(budget, WRITING_STORIES, 1)
    assert budget.take_chain(REPO, "explaining") == Chain(explaining=1)
    answer(budget, WRITING_STORIES, budget.answers_before(REPO, WRITING_STORIES))
    assert budget.take_chain(REPO, "telling_stories") == Chain(telling_stories=3)
    whole = Chain(editing=4) + Chain(explaining=1) + Chain(telling_stories=3) + Chain(summing_up=2)
    assert longest_chain([whole]) == 4 + 3 + 2


def test_writers_look_into_commits_while_these_are_related() -> None:
    budget = RunBudget()
    answer(budget, REPO, 0)
    answer(budget, LOOKING, 0)
    answer(budget, "a commit", budget.answers_before(REPO, "a commit"))
    assert budget.take_chain(REPO, "looking") == Chain(looking=1)
    assert budget.take_chain(REPO, "relating") == Chain(relating=2)
    whole = Chain(editing=2) + Chain(looking=1) + Chain(relating=2) + Chain(explaining=3)
    assert longest_chain([whole]) == 2 + 2 + 3


def test_a_writer_that_looks_only_when_its_commit_is_explained_is_waited_for() -> None:
    budget = RunBudget()
    answer(budget, LOOKING, 0)
    assert budget.take_chain(REPO, "explaining") == Chain(explaining=1)
    assert budget.take_chain(REPO, "looking") == Chain()


def test_questions_of_a_look_are_one_subject_and_those_of_a_judge_are_not() -> None:
    assert subject_of(f"look {REPO}@1a2b, turn 2") == LOOKING
    assert subject_of(f"judge_look {REPO}@1a2b, turn 2") == f"{REPO}@1a2b"


def test_reports_of_earlier_versions_say_how_long_their_chains_were() -> None:
    stored = {"reading": 4, "explaining": 3, "telling_stories": 0, "summing_up": 2}
    assert longest_chain([Chain.model_validate(stored)]) == 9


def test_paragraphs_of_stories_are_no_summaries_of_the_day() -> None:
    assert subject_of(f"stories {REPO}") == WRITING_STORIES
    assert subject_of(f"judge_day {REPO}@1a2b, first reading") == WRITING_STORIES
    assert subject_of(f"judge_day {REPO}, first reading") == SUMMING_UP
    assert subject_of("judge_day brief, second reading") == SUMMING_UP


def test_steps_follow_each_other_and_summaries_follow_the_slowest_repository() -> None:
    steps = [
        Account(chains={REPO: Chain(editing=3)}),
        Account(chains={REPO: Chain(editing=4), "octo/engine": Chain(editing=2)}),
        Account(chains={"octo/engine": Chain(summing_up=3), "brief": Chain(summing_up=2)}),
    ]
    total = sum(steps, Account())
    assert total.chains[REPO] == Chain(editing=7)
    assert longest_chain(total.chains.values()) == 10
