"""What landed: the first-parent line of a branch, cut at a window, with what arrived late and what merges brought."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agent.domain.base import RepoId
from agent.domain.commits import Commit, Landed, Landing, Notice, NoticeKind
from agent.domain.window import Window
from tools.git.log import Walk, has_absurd_date, read_commits

if TYPE_CHECKING:
    from tools.git.repository import Tip
    from tools.git.view import View

# The walk only makes a rough selection: the ends are cut by the dates as they are shown.
_MARGIN = 86_400


@dataclass(frozen=True)
class Lateness:
    """What lies between an earlier tip and this one, and what the reader must know about it."""

    commits: tuple[Commit, ...] = ()
    notices: tuple[Notice, ...] = ()


async def read_landing(
    view: "View", repo: RepoId, tip: "Tip", walk: Walk | None, window: Window, known_tip: str | None
) -> Landing:
    """Find the rows of a window, newest first, and the late ones since the tip that was known before."""
    if tip.sha is None or walk is None:
        return Landing(repo=repo, branch=tip.branch, tip=None, rows=())
    line = await _around(view, repo, walk, window)
    rows = tuple(commit for commit in line if commit.committed_at in window)
    lateness = await _late(view, repo, tip.sha, window, known_tip)
    counts = await _count_members(view, rows, lateness.commits)
    return Landing(
        repo=repo,
        branch=tip.branch,
        tip=tip.sha,
        rows=tuple(Landed(commit=commit, members=counts[commit.sha]) for commit in rows),
        late=tuple(
            Landed(commit=commit, members=counts[commit.sha]) for commit in lateness.commits
        ),
        notices=(
            *lateness.notices,
            *await _shallow_notices(view, tip.sha, window, counts.values()),
            *_date_notices([*rows, *lateness.commits, *line]),
        ),
    )


async def _around(view: "View", repo: RepoId, walk: Walk, window: Window) -> list[Commit]:
    shas = walk.between(
        int(window.start.timestamp()) - _MARGIN, int(window.end.timestamp()) + _MARGIN
    )
    if not shas:
        return []
    return await read_commits(
        view, repo, ["--no-walk=unsorted", "--stdin"], stdin="\n".join(shas).encode("ascii")
    )


async def _late(
    view: "View", repo: RepoId, tip: str, window: Window, known_tip: str | None
) -> Lateness:
    """Find the commits since the known tip that are dated before the window."""
    if known_tip is None or known_tip == tip:
        return Lateness()
    if not re.fullmatch(r"[0-9a-f]{40}", known_tip):
        return Lateness(notices=(_notice("tip-gone", known_tip),))
    base, notices = known_tip, tuple[Notice, ...]()
    if (await view.run(["merge-base", "--is-ancestor", known_tip, tip])).code != 0:
        found = await view.run(["merge-base", known_tip, tip])
        base = found.out.decode("ascii").strip()
        apart: NoticeKind = "tip-apart" if view.shallow and not base else "rewritten"
        notices = (_notice(apart if found.code <= 1 else "tip-gone", known_tip),)
    if not base:
        return Lateness(notices=notices)
    commits = await read_commits(view, repo, ["--first-parent", tip, f"^{base}"])
    return Lateness(tuple(c for c in commits if c.committed_at < window.start), notices)


def _notice(kind: NoticeKind, known_tip: str) -> Notice:
    return Notice(kind=kind, about=(known_tip[:12],))


async def _count_members(
    view: "View", rows: Sequence[Commit], late: Sequence[Commit]
) -> dict[str, int | None]:
    """Count what each merge brought in, in one pass over the graph below the rows."""
    counts: dict[str, int | None] = {row.sha: 0 for row in (*rows, *late)}
    merges = {row.sha for row in (*rows, *late) if row.is_merge}
    if not merges:
        return counts
    # Git leaves out all that was there before the oldest row; the rest belongs to the first row that reaches it.
    oldest = await _oldest(view, [part[-1] for part in (rows, late) if part])
    known = [f"^{oldest.parents[0]}"] if oldest.parents and oldest.sha not in view.shallow else []
    newest = [part[0].sha for part in (rows, late) if part]
    parents = await _graph(view, [*newest, *known])
    seen = set[str]()
    for sha in max((_line(parents, start) for start in newest), key=len):
        brought = _reach(sha, parents, seen)
        if sha in merges:
            counts[sha] = None if sha in view.shallow else brought - 1
    return counts


async def _oldest(view: "View", commits: Sequence[Commit]) -> Commit:
    first, *others = commits
    if (
        others
        and (await view.run(["merge-base", "--is-ancestor", others[0].sha, first.sha])).code == 0
    ):
        return others[0]
    return first


async def _graph(view: "View", selection: Sequence[str]) -> dict[str, list[str]]:
    told = await view.read(
        ["rev-list", "--parents", "--stdin"], stdin="\n".join(selection).encode()
    )
    lines = (line.split() for line in told.decode("ascii").splitlines())
    return {sha: parents for sha, *parents in lines}


def _line(parents: dict[str, list[str]], start: str) -> list[str]:
    line: list[str] = []
    at: str | None = start
    while at is not None and at in parents:
        line.append(at)
        at = next(iter(parents[at]), None)
    return line[::-1]


def _reach(start: str, parents: dict[str, list[str]], seen: set[str]) -> int:
    """Count the commits that can be reached and were not seen before, and remember them."""
    open_, found = [start], 0
    while open_:
        sha = open_.pop()
        if sha in parents and sha not in seen:
            seen.add(sha)
            found += 1
            open_.extend(parents[sha])
    return found


async def _shallow_notices(
    view: "View", tip: str, window: Window, counts: Iterable[int | None]
) -> tuple[Notice, ...]:
    if not view.shallow:
        return ()
    root = (
        await view.read(["rev-list", "--first-parent", "--max-parents=0", "--timestamp", tip])
    ).split()
    ends_inside = (
        len(root) == 2
        and root[1].decode() in view.shallow
        and int(root[0]) >= window.start.timestamp()
    )
    if ends_inside:
        return (Notice(kind="shallow"),)
    if any(count != 0 for count in counts):
        return (Notice(kind="shallow-merges"),)
    return ()


def _date_notices(commits: Iterable[Commit]) -> tuple[Notice, ...]:
    absurd = dict.fromkeys(commit.sha[:12] for commit in commits if has_absurd_date(commit))
    if not absurd:
        return ()
    return (Notice(kind="far-future", about=(", ".join(absurd),)),)
