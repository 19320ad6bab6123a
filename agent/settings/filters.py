"""What a user does not want to hear of: commits outside the chosen paths, or by ignored authors, are folded."""

import re
from collections.abc import Iterable

from agent.domain.commits import Change, Notice, NoticeKind, Person
from agent.domain.ledger import Noise, Triage
from agent.settings.globs import any_covers, names
from agent.settings.values import RepoSpec

IGNORED = "author ignored"
"""The mark of a commit that is folded because of its author."""
_NOREPLY = re.compile(r"(?:\d+\+)?([^@+]+)@users\.noreply\.", re.ASCII)


def fold(one: Triage, change: Change, spec: RepoSpec) -> Triage:
    """Mark a commit as noise where the configuration says so, whatever is in it."""
    if _ignored(change.commit.author, spec.ignore_authors):
        return one.model_copy(update={"noise": Noise.BOT, "reasons": (IGNORED, *one.reasons)})
    if left_out(change, spec):
        return one.model_copy(update={"noise": Noise.LEFT_OUT})
    return one


def left_out(change: Change, spec: RepoSpec) -> bool:
    """Tell whether a commit touches nothing that is wanted; where files may be missing it is given the benefit."""
    if change.incomplete or not (spec.include or spec.exclude):
        return False
    paths = [path for file in change.files for path in (file.path, file.previous_path) if path]
    if not paths:
        return bool(spec.include)
    return not any(_wanted(path, spec) for path in paths)


def filter_notices(table: Iterable[Triage]) -> tuple[Notice, ...]:
    """Say in the report how many commits the configuration folded."""
    table = tuple(table)
    counts = {
        NoticeKind.PATHS_LEFT_OUT: sum(one.noise is Noise.LEFT_OUT for one in table),
        NoticeKind.AUTHORS_IGNORED: sum(IGNORED in one.reasons for one in table),
    }
    return tuple(Notice(kind=kind, about=(str(count),)) for kind, count in counts.items() if count)


def _wanted(path: str, spec: RepoSpec) -> bool:
    return (not spec.include or any_covers(spec.include, path)) and not any_covers(spec.exclude, path)


def _ignored(author: Person, patterns: Iterable[str]) -> bool:
    """Know an author by name, by address, or by the login that GitHub's addresses hold."""
    login = _NOREPLY.match(author.email)
    known = [author.name, author.email, *([login[1]] if login else [])]
    return any(names(pattern, one) for pattern in patterns for one in known)
