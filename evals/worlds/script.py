"""A repository's story as a list of things that happen, performed in the order of time."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

from evals.worlds import people
from evals.worlds.bugs.catalogue import bug_named
from evals.worlds.dice import Dice
from evals.worlds.history import History
from evals.worlds.model import LandedGold, Repo, User
from evals.worlds.objects import Objects
from evals.worlds.projects import Project, first_files
from evals.worlds.pulls import Work
from evals.worlds.team import Team
from evals.worlds.threads import Desk


@dataclass(frozen=True)
class Ask:
    """An issue somebody opens."""

    key: str
    at: datetime
    author: User | None
    title: str
    body: str
    labels: tuple[str, ...] = ()
    reactions: int = 0
    deleted: bool = False


@dataclass(frozen=True)
class Step:
    """Something else that happens at a moment."""

    at: datetime
    do: Callable[[Team], object]
    key: str | None = None
    """The thread it opens, if it opens one, and when."""
    opened_at: datetime | None = None
    pushes: bool = False
    """Whether it moves the default branch."""


@dataclass(frozen=True)
class Made:
    """A repository that is ready to be written."""

    repo: Repo
    landed: tuple[LandedGold, ...]
    objects: Objects
    refs: dict[str, str]
    work: dict[str, str]
    """What each piece of work became, by its key."""


def at(day: str, clock: str = "12:00", *, hours: float = 0) -> datetime:
    """Name a moment in UTC, shown on a clock that is some hours ahead."""
    moment = datetime.fromisoformat(f"{day}T{clock}").replace(tzinfo=UTC)
    return moment.astimezone(timezone(timedelta(hours=hours))) if hours else moment


def report(
    key: str,
    bug: str,
    when: datetime,
    author: User,
    *,
    chinese: bool = False,
    labels: tuple[str, ...] = ("bug",),
    reactions: int = 0,
) -> Ask:
    """Let a user report a bug."""
    story = bug_named(bug)
    title, body = story.report_zh if chinese else story.report
    return Ask(key, when, author, title, body, labels, reactions)


def start(
    owner: str, project: Project, seed: int, began: datetime, *, first_number: int, repo_id: int, branch: str = "main"
) -> Team:
    """Found a repository with its first commit."""
    repo = f"{owner}/{project.name}"
    dice = Dice("world", seed, repo)
    team = Team(
        project, History(repo, branch), Desk(repo, first_number, repo_id * 100_000), dice, Dice("words", seed, repo)
    )
    by = people.MAINTAINERS[0]
    touches = first_files(project, dice)
    team.history.commit(branch, touches, team.note("Initial commit", by, began, tags=("root",)))
    return team


def perform(
    team: Team, asks: Sequence[Ask], works: Sequence[Work], steps: Sequence[Step] = (), *, merge: bool = False
) -> None:
    """Let everything happen, and push whenever the default branch has moved."""
    for ask in asks:
        team.desk.expect(ask.key, ask.at)
    for work in works:
        team.desk.expect(work.key, work.opened_at)
    for step in steps:
        if step.key:
            team.desk.expect(step.key, step.opened_at or step.at)
    for ask in asks:
        team.report(
            ask.key, ask.at, ask.author, ask.title, ask.body, *ask.labels, reactions=ask.reactions, deleted=ask.deleted
        )
    if not team.history.pushes:
        team.history.push(team.history.records[team.history.heads[team.history.branch]].committed_at)
    todo = [(work.landed_at, work.key, work) for work in works] + [
        (step.at, f"~{i:04}", step) for i, step in enumerate(steps)
    ]
    for when, _, thing in sorted(todo, key=lambda row: row[:2]):
        if isinstance(thing, Work):
            team.land(thing, merge=merge)
        else:
            thing.do(team)
        if isinstance(thing, Work) or thing.pushes:
            team.history.push(when)


def finish(team: Team, folder: Path, *, repo_id: int, former_names: tuple[str, ...] = ()) -> Made:
    """Close the books of a repository."""
    issues, pulls, releases = team.desk.finish()
    owner, _, name = team.repo.partition("/")
    history = team.history
    repo = Repo(
        repo_id,
        owner,
        name,
        history.branch,
        folder / owner / f"{name}.git",
        people.EVERYBODY,
        issues,
        pulls,
        releases,
        tuple(history.pushes),
        former_names,
    )
    return Made(repo, history.landed(), history.objects, history.all_refs(), dict(team.landed))


def work_notes(made: Sequence[Made]) -> dict[str, str]:
    """Name what each piece of work became: `owner/name: key` stands for `owner/name@sha`."""
    rows = [(one.repo.full_name, key, sha) for one in made for key, sha in one.work.items()]
    return {f"{name}: {key}": f"{name}@{sha}" for name, key, sha in sorted(rows)}
