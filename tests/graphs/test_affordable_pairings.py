"""A day's tokens are shared out over what waits to be read: less of each, then fewer."""

from dataclasses import replace
from datetime import UTC, datetime

from agent.domain.base import RepoId
from agent.domain.commits import Change, Commit, FileChange, Person
from agent.domain.evidence import CommitEvidence, Material, Read
from agent.domain.window import Window
from agent.links.relation_prompts import Pairing
from agent.triage.weights import weigh
from graphs.relating import affordable_pairings

REPO = RepoId("octo/router")
DAY = datetime(2026, 2, 4, 12, tzinfo=UTC)
ADA = Person(name="Ada", email="ada@example.org")
WINDOW = Window.days(DAY.date(), DAY.date(), "UTC")
MODEL_TOKENS = 60_000


def evidence(sha: str, lines: int) -> CommitEvidence:
    added = "".join(f"+ROUTE_{number} = take(the_{number}_th_route)\n" for number in range(lines))
    commit = Commit(
        repo=REPO,
        sha=sha * 40,
        parents=("0" * 40,),
        author=ADA,
        authored_at=DAY,
        committer=ADA,
        committed_at=DAY,
        message="Add routes",
    )
    patch = f"@@ -1,0 +1,{lines} @@\n{added}"
    file = FileChange(path="routes.py", status="added", additions=lines, deletions=0, patch=patch)
    return CommitEvidence(change=Change(commit=commit, files=(file,)))


def pairing(lines: int) -> Pairing:
    commit = evidence("a", lines)
    read = Read(evidence=commit, triage=weigh(commit.change, None), depth="deep")
    material = Material(repo=REPO, window=WINDOW, reads=[read])
    others = [evidence("b", lines)]
    return Pairing(read=read, material=material, others=others, token_budget=MODEL_TOKENS)


def shown(pairings: list[Pairing]) -> set[int]:
    """Return how many tokens of both sides each question may show."""
    return {each.token_budget for each in pairings}


def test_a_few_questions_of_a_short_day_show_much() -> None:
    assert shown(affordable_pairings([pairing(600)] * 5, 8)) == {14_000}


def test_where_many_wait_all_are_read_and_each_shows_less() -> None:
    waiting = [pairing(600)] * 15
    affordable = affordable_pairings(waiting, 15)
    assert len(affordable) == len(waiting)
    assert max(shown(affordable)) < 14_000


def test_where_the_shortest_questions_are_too_many_the_first_are_read() -> None:
    waiting = [pairing(600)] * 40
    of_short_day = affordable_pairings(waiting, 10)
    of_long_day = affordable_pairings(waiting, 70)
    assert 0 < len(of_short_day) < len(of_long_day) < len(waiting)
    assert shown(of_long_day) == {3_500}


def test_small_commits_leave_room_for_more_questions() -> None:
    assert len(affordable_pairings([pairing(3)] * 40, 10)) == 40


def test_a_model_with_little_room_is_never_shown_more() -> None:
    small = replace(pairing(600), token_budget=2_000)
    assert shown(affordable_pairings([small], 10)) == {2_000}
