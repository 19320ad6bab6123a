"""The repository, among several, that has the revision (a commit, tag or day) that a user names."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field

from agent.domain.base import RepoId
from agent.domain.errors import AppError, InputError, NotFound, UnknownVersion
from agent.ports import CodeSource, Repositories, RepositorySources
from agent.settings.values import RepoSpec
from gitzette.terminal_output import say

_MAX_CONCURRENT = 4  # Repositories searched at once: each may have to fetch its mirror first
Resolve = Callable[[CodeSource], Awaitable[object]]  # Raises where a repository lacks what is named


async def open_repository_with(
    names: Sequence[str], resolve: Resolve, specs: Sequence[RepoSpec], repositories: Repositories
) -> RepositorySources:
    """Open the only repository in which `resolve` succeeds.

    Raise an `InputError` with `names`, the words of the user, if it succeeds in none or in several.
    A repository that cannot be read is reported on stderr, and the others are searched.
    """
    if len(specs) == 1:
        return await repositories.open(specs[0])
    search = _Search(resolve, repositories)
    await asyncio.gather(*map(search.look_into, specs))
    for repo, error in search.unreadable.items():
        say(f"{repo}: {error}")
    if len(search.matches) == 1:
        return next(iter(search.matches.values()))
    quoted_names = _listed(repr(name) for name in names)
    if search.matches:
        candidates = sorted(search.matches)
        both = "both" if len(candidates) == 2 else "all"
        raise InputError(
            f"{_listed(candidates)} {both} have {quoted_names}; choose one with --repo"
        )
    if len(search.misses) == 1:
        raise next(iter(search.misses.values()))
    if not search.misses:
        raise InputError(f"there is no repository left in which to look for {quoted_names}")
    raise InputError(f"none of {_listed(sorted(search.misses))} has {quoted_names}")


@dataclass
class _Search:
    """A search through several repositories, with its results so far."""

    resolve: Resolve
    repositories: Repositories
    matches: dict[RepoId, RepositorySources] = field(default_factory=dict)
    misses: dict[RepoId, AppError] = field(default_factory=dict)
    unreadable: dict[RepoId, AppError] = field(default_factory=dict)
    limit: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_MAX_CONCURRENT))

    async def look_into(self, spec: RepoSpec) -> None:
        """Search one repository."""
        async with self.limit:
            try:
                sources = await self.repositories.open(spec)
                await self.resolve(sources.code)
            except (NotFound, UnknownVersion) as error:
                self.misses[spec.name] = error
            except AppError as error:
                self.unreadable[spec.name] = error
            else:
                self.matches[spec.name] = sources


def _listed(names: Iterable[str]) -> str:
    """Return the names as a list in English."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
