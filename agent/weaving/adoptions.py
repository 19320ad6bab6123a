"""What a commit may take up of another repository: the names it uses, and what it says it rests on."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from agent.domain import Commit, Frozen, Landed, Threads
from agent.evidence import CommitEvidence
from agent.weaving.headlines import pull_named
from agent.weaving.references import made_for, rests_on
from agent.weaving.uses import Use, brings, uses

NEW_FOR = timedelta(days=240)
"""So long a name is new after somebody brought it."""
SAID_FOR = timedelta(days=120)
"""So old may a message be that names the pull request for which its commit was made."""


class Borrower(Frozen):
    """A commit with what may lead to another repository; it is handed on within a run."""

    commit: Commit
    pull: int | None = None
    uses: tuple[Use, ...] = ()
    body: str = ""
    """What its pull request says; empty where none was read."""


def adopts_names(doer: CommitEvidence, source: CommitEvidence, package: str, names: tuple[str, ...]) -> bool:
    """Tell whether a commit uses names of a package that an earlier one brought."""
    used = set(uses(doer.change))
    wanted = [Use(package, name) for name in names]
    return (
        _in_order(doer.at, source.at)
        and bool(wanted)
        and all(use in used and not _goes(doer, use.name) and brings(source.change, use) for use in wanted)
    )


def adopts_as_said(text: str, doer: CommitEvidence, source: CommitEvidence) -> bool:
    """Tell whether a text, of a commit or its pull request, says that it rests on an earlier commit's pull request."""
    number = _pull(source)
    return _in_order(doer.at, source.at) and any(
        (ref.repo, ref.number) == (source.repo.lower(), number) for ref in rests_on(text)
    )


def is_made_for(doer: CommitEvidence, source: CommitEvidence) -> bool:
    """Tell whether an earlier commit of another repository says that it was made for a commit's pull request."""
    number = _pull(doer)
    return _in_order(doer.at, source.at) and any(
        (ref.repo, ref.number) == (doer.repo.lower(), number) for ref in made_for(source.change.commit.message)
    )


def _goes(doer: CommitEvidence, name: str) -> bool:
    """Tell whether a commit takes out a line with a name: then it was used before, elsewhere or otherwise."""
    patches = (file.patch or "" for file in doer.change.files)
    return any(line.startswith("-") and name in line for patch in patches for line in patch.split("\n"))


def _in_order(later: datetime, earlier: datetime) -> bool:
    return earlier <= later


def _pull(one: CommitEvidence) -> int | None:
    commit = one.change.commit
    return one.pull or pull_named(commit.subject) or pull_named(commit.title)


def borrowers(landed: Sequence[Landed], threads: Threads, used: Mapping[str, tuple[Use, ...]]) -> list[Borrower]:
    """Name what each landed commit begins to use and what its pull request says."""
    bodies = {pull.number: pull.body for pull in threads.pulls}
    commits = [(row.commit, threads.pull_of.get(row.commit.sha)) for row in landed]
    return [
        Borrower(commit=commit, pull=pull, uses=used.get(commit.sha, ()), body=bodies.get(pull or 0, ""))
        for commit, pull in commits
    ]
