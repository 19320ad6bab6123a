"""Commits that landed on a branch in a window, late ones, and members of merges."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from agent.domain.base import RepoId
from agent.domain.commits import Commit, Landed, Landing, Notice, NoticeKind, megabytes
from agent.domain.future_dated_commits import FutureCommit, future_commits, future_notices
from agent.domain.window import Window
from tools.git.log import LATEST, FirstParentWalk, has_absurd_date, read_commits

if TYPE_CHECKING:
    from tools.git.isolated_repository import View
    from tools.git.opened_repository import Tip

_MARGIN = 86_400
"""Seconds around a window in which commits are read, before the ends are cut by shown dates."""
_COUNTED_BEFORE = 31 * 86_400  # Seconds before a window in which its commits are counted too
_SHA = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True)
class _SinceTip:
    """The commits between an earlier tip and this one."""

    commits: tuple[Commit, ...] = ()  # The whole line, newest first
    is_known: bool = True  # False where there was no earlier tip, or it cannot be found any more
    notices: tuple[Notice, ...] = ()
    failures: tuple[str, ...] = ()

    @property
    def shas(self) -> frozenset[str] | None:
        """The commits above the earlier tip; None where that is not known."""
        return frozenset(commit.sha for commit in self.commits) if self.is_known else None


async def read_landing(
    view: "View",
    repo: RepoId,
    tip: "Tip",
    walk: FirstParentWalk | None,
    window: Window,
    known_tip: str | None,
    now: datetime,
) -> Landing:
    """Return the rows of a window, newest first, and what else is first seen in it."""
    if tip.sha is None or walk is None:
        return Landing(repo=repo, branch=tip.branch, tip=None, rows=())
    futures = future_commits(walk.dated(), now)
    nearby = await _commits_around(view, repo, walk, window, futures)
    rows = tuple(commit for commit in nearby if commit.committed_at in window)
    since_tip = await _since_tip(view, repo, tip.sha, known_tip)
    late = _late_commits(window, nearby, since_tip, futures)
    counts = await _count_members(view, rows, late)
    return Landing(
        repo=repo,
        branch=tip.branch,
        tip=tip.sha,
        rows=tuple(Landed(commit=commit, members=counts[commit.sha]) for commit in rows),
        late=tuple(Landed(commit=commit, members=counts[commit.sha]) for commit in late),
        notices=(
            *since_tip.notices,
            *await _shallow_notices(view, tip.sha, window, counts.values()),
            *_absurd_date_notices([*rows, *late, *nearby]),
            *future_notices(futures, window, since_tip.shas),
            *_message_notices([*rows, *late]),
        ),
        failures=(
            *walk.unreadable,
            *await _count_failures(view, tip.sha, walk, window, len(rows)),
            *since_tip.failures,
        ),
    )


async def _commits_around(
    view: "View",
    repo: RepoId,
    walk: FirstParentWalk,
    window: Window,
    futures: Sequence[FutureCommit],
) -> list[Commit]:
    """Return the commits dated near a window, and those dated in the future that landed in it."""
    start = int(window.start.timestamp()) - _MARGIN
    end = int(window.end.timestamp()) + _MARGIN
    shas = walk.between(start, end)
    shas += [future.sha for future in futures if future.landed_in(window)]
    if not shas:
        return []
    stdin = "\n".join(dict.fromkeys(shas)).encode("ascii")
    return await read_commits(view, repo, ["--no-walk=unsorted", "--stdin"], stdin=stdin)


def _late_commits(
    window: Window,
    nearby: Sequence[Commit],
    since_tip: _SinceTip,
    futures: Sequence[FutureCommit],
) -> list[Commit]:
    """Return the commits that this report sees first although their dates are before its window."""
    misdated = {future.sha for future in futures if future.belongs_to(window, since_tip.shas)}
    late: dict[str, Commit] = {}
    for commit in since_tip.commits:
        if commit.committed_at < window.start or commit.sha in misdated:
            late[commit.sha] = commit
    # What is not above the earlier tip is below it: the order of the line is kept.
    for commit in nearby:
        if commit.sha in misdated:
            late.setdefault(commit.sha, commit)
    return list(late.values())


async def _since_tip(view: "View", repo: RepoId, tip: str, known_tip: str | None) -> _SinceTip:
    """Return the first-parent line above the tip that was known before."""
    if known_tip is None:
        return _SinceTip(is_known=False)
    if known_tip == tip:
        return _SinceTip()
    if not _SHA.fullmatch(known_tip):
        return _SinceTip(is_known=False, notices=(_tip_notice("tip-gone", known_tip),))
    base = known_tip
    notices: tuple[Notice, ...] = ()
    is_ancestor = await view.run(["merge-base", "--is-ancestor", known_tip, tip])
    if is_ancestor.code != 0:
        fork = await view.run(["merge-base", known_tip, tip])
        base = fork.out.decode("ascii").strip()
        notices = (_tip_notice(_kind_of_fork(view, fork.code, base), known_tip),)
    if not base:
        return _SinceTip(is_known=False, notices=notices)
    line = ["--first-parent", tip, f"^{base}"]
    commits = await read_commits(view, repo, line)
    failures = _mismatch(len(commits), await _count(view, line), f"above {base[:12]}")
    return _SinceTip(tuple(commits), notices=notices, failures=failures)


def _kind_of_fork(view: "View", merge_base_code: int, base: str) -> NoticeKind:
    if merge_base_code > 1:
        return "tip-gone"
    return "tip-apart" if view.shallow and not base else "rewritten"


def _tip_notice(kind: NoticeKind, known_tip: str) -> Notice:
    return Notice(kind=kind, about=(known_tip[:12],))


# ---------------------------------------------------------------- counting


async def _count_failures(
    view: "View", tip: str, walk: FirstParentWalk, window: Window, rows: int
) -> tuple[str, ...]:
    """Return how the rows of a window differ from what `git rev-list` counts in it.

    Git counts down to a month before the window: to walk to the first commit takes as long as
    listing all of them did.
    """
    start = int(window.start.timestamp())
    last = int((window.cutoff or window.end).timestamp()) - 1
    selection = ["--first-parent"]
    if start > 0:
        selection.append(f"--since-as-filter=@{start} +0000")
    if last < LATEST:
        selection.append(f"--until=@{last} +0000")
    selection.append(tip)
    bottom = walk.below(start - _COUNTED_BEFORE)
    if bottom:
        selection.append(f"^{bottom}")
    counted = await _count(view, selection)
    return _mismatch(rows, counted, f"of {window.label}")


async def _count(view: "View", selection: Sequence[str]) -> int:
    return int(await view.read(["rev-list", "--count", *selection]))


def _mismatch(listed: int, counted: int, which: str) -> tuple[str, ...]:
    if listed == counted:
        return ()
    return (f"git log lists {listed} and git rev-list counts {counted} commits {which}",)


async def _count_members(
    view: "View", rows: Sequence[Commit], late: Sequence[Commit]
) -> dict[str, int | None]:
    """Return how many commits each merge brought in, from one pass over the graph below the rows."""
    counts: dict[str, int | None] = {commit.sha: 0 for commit in (*rows, *late)}
    merges = {commit.sha for commit in (*rows, *late) if commit.is_merge}
    if not merges:
        return counts
    parts = [part for part in (rows, late) if part]
    # Git leaves out what was there before the oldest row; the rest belongs to the first row that
    # reaches it.
    oldest = await _oldest(view, [part[-1] for part in parts])
    newest = [part[0].sha for part in parts]
    selection = list(newest)
    if oldest.parents and oldest.sha not in view.shallow:
        selection.append(f"^{oldest.parents[0]}")
    parents = await _graph(view, selection)
    seen: set[str] = set()
    lines = [_line(parents, start) for start in newest]
    for sha in max(lines, key=len):
        reached = _reach(sha, parents, seen)
        if sha in merges:
            counts[sha] = None if sha in view.shallow else reached - 1
    return counts


async def _oldest(view: "View", commits: Sequence[Commit]) -> Commit:
    first, *others = commits
    if not others:
        return first
    is_ancestor = await view.run(["merge-base", "--is-ancestor", others[0].sha, first.sha])
    return others[0] if is_ancestor.code == 0 else first


async def _graph(view: "View", selection: Sequence[str]) -> dict[str, list[str]]:
    """Return the parents of each commit of a selection."""
    stdin = "\n".join(selection).encode("ascii")
    listed = await view.read(["rev-list", "--parents", "--stdin"], stdin=stdin)
    graph: dict[str, list[str]] = {}
    for line in listed.decode("ascii").splitlines():
        sha, *parents = line.split()
        graph[sha] = parents
    return graph


def _line(parents: dict[str, list[str]], start: str) -> list[str]:
    """Return the first-parent line below a commit, oldest first."""
    line: list[str] = []
    sha: str | None = start
    while sha is not None and sha in parents:
        line.append(sha)
        sha = next(iter(parents[sha]), None)
    return line[::-1]


def _reach(start: str, parents: dict[str, list[str]], seen: set[str]) -> int:
    """Return how many commits can be reached that were not seen before, and add them to those."""
    waiting = [start]
    count = 0
    while waiting:
        sha = waiting.pop()
        if sha in parents and sha not in seen:
            seen.add(sha)
            count += 1
            waiting.extend(parents[sha])
    return count


# ---------------------------------------------------------------- notices


async def _shallow_notices(
    view: "View", tip: str, window: Window, counts: Iterable[int | None]
) -> tuple[Notice, ...]:
    if not view.shallow:
        return ()
    command = ["rev-list", "--first-parent", "--max-parents=0", "--timestamp", tip]
    output = (await view.read(command)).split()
    if len(output) == 2:
        landed_at, root = output
        is_cut = root.decode() in view.shallow
        if is_cut and int(landed_at) >= window.start.timestamp():
            return (Notice(kind="shallow"),)
    if any(count != 0 for count in counts):
        return (Notice(kind="shallow-merges"),)
    return ()


def _absurd_date_notices(commits: Iterable[Commit]) -> tuple[Notice, ...]:
    absurd = dict.fromkeys(commit.sha[:12] for commit in commits if has_absurd_date(commit))
    if not absurd:
        return ()
    return (Notice(kind="far-future", about=(", ".join(absurd),)),)


def _message_notices(commits: Iterable[Commit]) -> tuple[Notice, ...]:
    notices: list[Notice] = []
    for commit in commits:
        if commit.message_omitted:
            size = megabytes(commit.message_omitted)
            notices.append(Notice(kind="message-cut", about=(commit.sha[:12], size)))
    return tuple(notices)
