"""How many answers are waited for, one after the other, as the footer counts it."""

from agent.domain.spending import (
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
    assert budget.take_chain(REPO) == Chain(reading=2)
    assert budget.take_chain(REPO) == Chain()


def test_a_question_about_a_commit_waits_for_what_was_asked_about_the_day() -> None:
    budget = RunBudget()
    answer(budget, REPO, budget.answers_before(REPO, REPO))
    answer(budget, "a commit", budget.answers_before(REPO, "a commit"))
    answer(budget, "another commit", budget.answers_before(REPO, "another commit"))
    assert budget.take_chain(REPO) == Chain(reading=2)


def test_stories_are_told_while_commits_are_explained() -> None:
    budget = RunBudget()
    answer(budget, WRITING_STORIES, 0)
    answer(budget, "a commit", 0)
    answer(budget, WRITING_STORIES, 1)
    assert budget.take_chain(REPO, explaining=True) == Chain(explaining=1)
    answer(budget, WRITING_STORIES, budget.answers_before(REPO, WRITING_STORIES))
    assert budget.take_story_chain(REPO) == Chain(telling_stories=3)
    whole = Chain(reading=4) + Chain(explaining=1) + Chain(telling_stories=3) + Chain(summing_up=2)
    assert longest_chain([whole]) == 4 + 3 + 2


def test_paragraphs_of_stories_are_no_summaries_of_the_day() -> None:
    assert subject_of(f"stories {REPO}") == WRITING_STORIES
    assert subject_of(f"judge_day {REPO}@1a2b, first reading") == WRITING_STORIES
    assert subject_of(f"judge_day {REPO}, first reading") == SUMMING_UP
    assert subject_of("judge_day brief, second reading") == SUMMING_UP


def test_steps_follow_each_other_and_summaries_follow_the_slowest_repository() -> None:
    steps = [
        Account(chains={REPO: Chain(reading=3)}),
        Account(chains={REPO: Chain(reading=4), "octo/engine": Chain(reading=2)}),
        Account(chains={"octo/engine": Chain(summing_up=3), "brief": Chain(summing_up=2)}),
    ]
    total = sum(steps, Account())
    assert total.chains[REPO] == Chain(reading=7)
    assert longest_chain(total.chains.values()) == 10
