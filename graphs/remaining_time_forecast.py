"""A forecast of the time that a run's remaining requests to its models take, by the answers so far."""

from collections import Counter

from agent.domain.base import RepoId
from agent.model_capabilities import Job
from tools.chat.concurrency import work_of

_QUESTIONS_PER_COMMIT: dict[Job, int] = {"writing": 1, "judging": 2}
_QUESTIONS_PER_SUMMARY = _QUESTIONS_PER_COMMIT  # Of a repository's day, and of the brief
_USUAL_ANSWER = 400  # Tokens
_USUAL_SHARE = 0.6  # How much of the longest question a usual one has, where that is short
_USUAL_QUESTION = 5_000  # Tokens of a usual question where longer ones are possible
_MIN_REMARK = 120.0  # Seconds: a shorter run needs no announcement
_GUESS_SHARE = 0.25  # Of a forecast that rests on other questions only, what is taken for sure
_CHANGED = 1.5  # A forecast that is off by this factor is announced again


class Forecast:
    """Estimates the time of what is still to be asked.

    Until commits were explained, the time of a question is estimated from the work that it takes;
    after that it is the mean of those that were answered.
    """

    def __init__(self) -> None:
        self._commits: dict[RepoId, int] = {}  # That are still to be explained
        self._longest_question = 0
        self._work = 0.0
        self._seconds: dict[Job, float] = {}
        self._answers = Counter[Job]()
        self._announced: float | None = None

    def expect(self, repo: RepoId, commits: int, longest_question: int) -> None:
        """Note how many commits of a repository are still to be explained."""
        self._commits[repo] = commits
        self._longest_question = max(self._longest_question, longest_question)

    def answered(self, job: Job, sent: int, received: int, seconds: float) -> None:
        """Note an answer, and the time that the server worked on it."""
        self._work += work_of(sent, received)
        self._seconds[job] = self._seconds.get(job, 0.0) + seconds
        self._answers[job] += 1

    @property
    def commit_count(self) -> int:
        """The number of commits that are still to be explained."""
        return sum(self._commits.values())

    def commit_seconds(self) -> float:
        """Return the seconds that a server needs to write about one commit and to judge that."""
        seconds = 0.0
        for job, count in _QUESTIONS_PER_COMMIT.items():
            seconds += count * self._question_seconds(job)
        return seconds

    def surely_needed(self, at_once: int, other_tasks: int) -> float:
        """Return the seconds that one more task takes, beside others and beside the brief at the end.

        Until commits were explained the forecast is rough, and counts for a part only: nothing is
        left out because of a guess that may be wrong.
        """
        busy_repos = sum(count > 0 for count in self._commits.values())
        this_task = self.commit_seconds() * max(1.0, busy_repos / at_once)
        brief = self.commit_seconds()
        others = other_tasks * self.commit_seconds() / at_once
        if self._is_measured:
            return this_task + brief + others
        return others * _GUESS_SHARE

    @property
    def _is_measured(self) -> bool:
        return all(self._answers[job] for job in _QUESTIONS_PER_COMMIT)

    def seconds_left(self, at_once: int) -> float:
        """Return the seconds until everything is written, where a server answers several at once."""
        summaries = len(self._commits) + 1
        return (self.commit_count + summaries) * self.commit_seconds() / at_once

    def remark(self, at_once: int | None, available: float | None) -> str | None:
        """Return what a person should know about the time, once and again when it changes much.

        `available` are the seconds that the run may still take.
        """
        if at_once is None or not self.commit_count:
            return None
        needed = self.seconds_left(at_once)
        is_enough = available is None or needed <= available
        if (is_enough and needed < _MIN_REMARK) or not self._is_news(needed):
            return None
        self._announced = needed
        remark = (
            f"{self.commit_count} commits are to be explained, which takes about"
            f" {duration(needed)} at the pace of the answers so far"
        )
        if available is None or is_enough:
            return remark
        fitting = max(1, int(available / needed * self.commit_count))
        return (
            f"{remark}; the limit model_seconds leaves {duration(available)}, enough for about"
            f" {fitting}: the most important come first"
        )

    def _is_news(self, needed: float) -> bool:
        if self._announced is None:
            return True
        ratio = needed / self._announced
        # Less time because commits were explained is no news.
        return ratio > _CHANGED

    def _question_seconds(self, job: Job) -> float:
        """Return the seconds of a question: the mean of those answered, else by its work."""
        if self._answers[job]:
            return self._seconds[job] / self._answers[job]
        if not self._work:
            return 0.0
        pace = self._work / max(sum(self._seconds.values()), 1e-6)
        usual_question = min(_USUAL_QUESTION, int(self._longest_question * _USUAL_SHARE))
        return work_of(usual_question, _USUAL_ANSWER) / pace


def duration(seconds: float) -> str:
    """Return a time in words, as exact as an estimate may be."""
    minutes = round(seconds / 60)
    if minutes < 1:
        return f"{max(1, round(seconds))} s"
    if minutes < 120:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min"
