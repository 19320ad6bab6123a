"""Looking things up in history: hashes, tags, days, titles, and who wrote the lines that a commit takes out."""

import difflib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING

from agent.domain.base import InputError, NotFound, RepoId, UnknownVersion, UpstreamError
from agent.domain.commits import (
    Commit,
    FileChange,
    Headline,
    Release,
    is_version,
    is_version_or_candidate,
)
from agent.domain.patch import read_patch
from agent.domain.references import pull_number
from agent.domain.window import moment
from agent.ports import Past
from agent.triage.conventions import Area, area
from tools.git.changes import stream_files
from tools.git.log import PATCH_OPTIONS, FirstParentWalk, Opened, read_commits

if TYPE_CHECKING:
    from tools.git.view import View

_FORM = re.compile(r"[0-9a-f]{4,40}")
_AT_ONCE, _CANDIDATES, _MOST_TAGS = 500, 5, 60
_TAGS = ("for-each-ref", "--format=%(refname:strip=2)", "refs/tags")
_MOST = 4_000
_LONGEST_TITLE = 400
_MOST_FILES, _MOST_LINES, _MOST_EARLIER = 12, 450, 50
_BLAMED = re.compile(rb"^(\^?)([0-9a-f]{39,40})\s", re.ASCII)
_SUBSTANCE = re.compile(r"\w.*\w", re.ASCII)


class Revisions(Opened):
    """Finds commits by hash, tag, day and title, tags by commit, and who wrote lines."""

    _branch: str | None
    _walk: FirstParentWalk | None

    async def _present(self, view: "View", shas: Sequence[str]) -> list[str]:
        raise NotImplementedError

    async def _complete(self, shas: Sequence[str]) -> None:
        raise NotImplementedError

    async def resolve(self, prefix: str) -> Commit:
        """Find one commit by its full or abbreviated hash; NotFound when there is none or several."""
        prefix = prefix.lower()
        if not _FORM.fullmatch(prefix):
            raise NotFound(f"{prefix!r} is not a commit hash; give 4 to 40 hexadecimal digits")
        found = (await self._meant([prefix]))[prefix]
        if len(found) > 1:
            named = ", ".join(sha[:12] for sha in found[:_CANDIDATES])
            raise NotFound(
                f"{self.repo}@{prefix} is ambiguous: {named}{', …' if len(found) > _CANDIDATES else ''}"
            )
        return await self._commit(found[0] if found else prefix)

    async def named(self, prefixes: Sequence[str]) -> Mapping[str, tuple[Commit, ...]]:
        """Find the commits that full or abbreviated hashes mean; of several, those on the default branch if any is."""
        view, tip = await self._view(), await (await self._open()).tip(self._branch)
        found = await self._meant([prefix.lower() for prefix in prefixes])
        line = (
            frozenset((await view.read(["rev-list", tip.sha])).decode("ascii").split())
            if tip.sha
            else frozenset()
        )
        chosen = {one: [sha for sha in shas if sha in line] or shas for one, shas in found.items()}
        wanted = list(dict.fromkeys(sha for shas in chosen.values() for sha in shas))
        asked = ["--no-walk=unsorted", "--stdin"]
        read = (
            await read_commits(view, self.repo, asked, stdin="\n".join(wanted).encode())
            if wanted
            else []
        )
        commits = {commit.sha: commit for commit in read}
        return {
            prefix: tuple(commits[sha] for sha in chosen[prefix.lower()]) for prefix in prefixes
        }

    async def version(self, name: str, *, tz: str = "UTC") -> Commit:
        """Find the commit that a tag, a hash or a day means."""
        return await self._commit(await self._find_version(name, tz))

    async def between(self, old: str, new: str) -> tuple[Commit, ...]:
        """List the commits that one version has and the other has not, newest first, on the newer one's own line."""
        return tuple(
            await read_commits(await self._view(), self.repo, ["--first-parent", new, f"^{old}"])
        )

    async def tags_with(self, sha: str) -> tuple[str, ...] | None:
        """Name the tags whose history has this commit, the oldest first; None where there are no tags at all."""
        repository = await self._open()
        if not await repository.ask(["for-each-ref", "--count=1", "refs/tags"]):
            return None
        told = await repository.ask([*_TAGS, f"--contains={sha}", "--sort=creatordate"])
        # What is built every night is no release that anybody waits for.
        return tuple(name for name in told.split("\n") if name and "nightly" not in name.lower())[
            :_MOST_TAGS
        ]

    async def tagged(self, names: Sequence[str]) -> Release | None:
        """Find the first of these tags that there is, as a release of its day."""
        made = {release.tag: release for release, _ in await self._releases()}
        return next((made[name] for name in names if name in made), None)

    async def tags_made(self, start: datetime, end: datetime) -> tuple[Release, ...]:
        """List the tags that were made between two moments, as releases; those of every night are none."""
        made = [release for release, _ in await self._releases()]
        return tuple(
            one
            for one in made
            if start <= one.published_at < end and "nightly" not in one.tag.lower()
        )

    async def first_tags(
        self, heads: Sequence[Headline], *, until: datetime, candidates: bool = False
    ) -> Mapping[str, Release]:
        """Return by hash the first release before a moment that has a landed commit or a copy of it.

        With `candidates`, tags of release candidates count as well. It takes one walk over the tags.
        """
        since = min((head.at for head in heads), default=until)
        every = await self._releases()
        # Where a project has versions, its other tags are of something else: a chart, a night.
        is_release = is_version_or_candidate if candidates else is_version
        versions = [(release, sha) for release, sha in every if is_release(release.tag)]
        tags = []
        for release, sha in versions or every:
            if since <= release.published_at < until:
                tags.append((release, sha))
        if not tags:
            return {}
        asked = [
            "log",
            "-z",
            "--topo-order",
            "--format=%H %P%n%s",
            f"--since=@{int(since.timestamp())} +0000",
            "--stdin",
        ]
        told = await (await self._view()).run(
            asked, stdin="\n".join(sha for _, sha in tags).encode("ascii")
        )
        first, pulls = _handed_down(tags, told.out.split(b"\0") if told.code == 0 else ())
        # A release branch has copies of commits, under their titles and other hashes.
        found = {head.sha: [first.get(head.sha), pulls.get(head.pull or 0)] for head in heads}
        return {sha: _earliest_of(filter(None, some)) for sha, some in found.items() if any(some)}

    async def headed(self, pattern: str, *, upto: str, since: datetime) -> Past:
        """List the landed commits up to this one, and not before that moment, whose title fits a pattern."""
        form, view, walk = re.compile(pattern, re.IGNORECASE), await self._view(), self._walk
        if walk is None or not walk.has(upto, since):
            walk = await FirstParentWalk.down(view, upto, since)
        found = tuple(
            Headline(
                sha=commit.sha,
                at=commit.committed_at,
                author=commit.author.name,
                title=commit.title[:_LONGEST_TITLE],
                pull=pull_number(commit.subject) or pull_number(commit.title),
            )
            for commit in islice(walk.titled(self.repo, form, upto, since), _MOST)
        )
        whole = not view.shallow and len(found) < _MOST
        return Past(found=found, since=since if whole else None)

    async def fetch_writers(self, since: Mapping[str, datetime]) -> None:
        """Fetch at once what a partial clone lacks of these commits and of those that may have written their lines."""
        view, needed = await self._view(), list[str]()
        if (await self._open()).promisor is None:
            return
        await self._complete(list(since))
        for sha, start in since.items():
            told = await view.run(
                ["diff-tree", "-r", "-z", "--name-only", "--no-renames", f"{sha}^", sha]
            )
            paths = told.out.decode("utf-8", "surrogateescape").split("\0")[:-1]
            if told.code == 0 and 0 < len(paths) <= _MOST_FILES:
                limit = f"--since=@{int(start.timestamp())} +0000"
                asked = [
                    "rev-list",
                    "--first-parent",
                    f"-{_MOST_EARLIER}",
                    limit,
                    f"{sha}^",
                    "--",
                    *paths,
                ]
                needed += (await view.run(asked)).out.decode("ascii").split()
        with suppress(UpstreamError):
            await self._complete(list(dict.fromkeys(needed)))

    async def written_by(
        self, sha: str, *, since: datetime, moved: bool = False
    ) -> Mapping[str, int]:
        """Count the lines of code that a commit takes out by who had written them; older writers have an empty name.

        Lines that were moved within a file are those of who wrote them first; with `moved` also between files.
        """
        view = await self._view()
        command = ["diff-tree", "-r", "-z", *PATCH_OPTIONS, "-U0", "--no-renames", f"{sha}^", sha]
        try:
            lines = dict(_taken(await stream_files(view, command)))
        except UpstreamError:
            return {}
        if not lines or len(lines) > _MOST_FILES or sum(map(len, lines.values())) > _MOST_LINES:
            return {}
        counts: Counter[str] = Counter()
        limit = f"--since=@{int(since.timestamp())} +0000"
        options = ["-s", "-l", "-M", *(["-C"] if moved else []), "--root", "--first-parent"]
        for path, numbers in lines.items():
            ranges = [part for number in numbers for part in ("-L", f"{number},{number}")]
            blamed = await view.run(["blame", *options, limit, *ranges, f"{sha}^", "--", path])
            if blamed.code != 0:
                return {}
            for line in blamed.out.split(b"\n"):
                if found := _BLAMED.match(line):
                    counts["" if found[1] else found[2].decode("ascii")] += 1
        return counts

    async def _commit(self, sha: str) -> Commit:
        view = await self._view()
        if not await self._present(view, [sha]):
            raise NotFound(f"{self.repo} has no commit {sha}")
        (commit,) = await read_commits(view, self.repo, ["--no-walk", sha])
        return commit

    async def _meant(self, prefixes: Sequence[str]) -> dict[str, list[str]]:
        """Find every commit that each abbreviation may mean; none for one that is missing or no hash."""
        view, wanted = (
            await self._view(),
            [prefix for prefix in dict.fromkeys(prefixes) if _FORM.fullmatch(prefix)],
        )
        found: dict[str, list[str]] = {prefix: [] for prefix in prefixes}
        asked = [f"{prefix}^{{commit}}".encode("ascii") for prefix in wanted]
        for prefix, one in zip(wanted, await view.objects.known(asked), strict=True):
            if one is not None:
                found[prefix] = [one.sha.decode("ascii")]
        # Git calls an abbreviation that fits several commits missing, too.
        unclear = [prefix for prefix in wanted if not found[prefix] and len(prefix) < 40]
        for start in range(0, len(unclear), _AT_ONCE):
            some = unclear[start : start + _AT_ONCE]
            fitting = (
                await view.read(["rev-parse", *(f"--disambiguate={prefix}" for prefix in some)])
            ).split()
            commits = [
                one for one in await view.objects.known(fitting) if one and one.kind == b"commit"
            ]
            for prefix in some:
                found[prefix] = [
                    sha for one in commits if (sha := one.sha.decode("ascii")).startswith(prefix)
                ]
        return found

    async def _find_version(self, name: str, tz: str) -> str:
        """Find the commit that a name means; a day means how the branch stood when it began."""
        repository = await self._open()
        for tag in (name, f"v{name}"):
            ref = f"refs/tags/{tag}^{{commit}}"
            if sha := (
                await repository.ask(["rev-parse", "--quiet", "--verify", "--end-of-options", ref])
            ).strip():
                return sha
        if re.fullmatch(r"\d{4}-\d{2}-\d{2}(?:T[\d:]{4,8}(?:Z|[+-][\d:]{4,5})?)?", name):
            return await self._at_day(name, tz)
        found = (await self._meant([name.lower()]))[name.lower()]
        if len(found) == 1:
            return found[0]
        if found:
            raise InputError(
                f"{name} fits several commits: {', '.join(sha[:12] for sha in found[:5])}"
            )
        tags = (await repository.ask([*_TAGS, "--sort=-creatordate"])).split("\n")
        near = difflib.get_close_matches(name, tags, n=3) or [tag for tag in tags if tag][:3]
        hint = f"tags like it are {', '.join(near)}" if near else "the repository has no tags"
        raise UnknownVersion(
            f"{name[:60]!r} is no tag, hash or day of {repository.path.name}; {hint}"
        )

    async def _at_day(self, day: str, tz: str) -> str:
        tip = await (await self._open()).tip(self._branch)
        before = int(moment(day, tz).timestamp()) - 1
        asked = ["rev-list", "--first-parent", "-1", f"--before={before}", tip.sha or "HEAD"]
        sha = (await (await self._view()).read(asked)).decode("ascii").strip() if tip.sha else ""
        if not sha:
            raise UnknownVersion(f"nothing had landed on {tip.branch} before {day}")
        return sha

    async def _releases(self) -> list[tuple[Release, str]]:
        form = "--format=%(refname:strip=2) %(creatordate:unix) %(objectname) %(*objectname)"
        return list(
            _parsed(await (await self._open()).ask(["for-each-ref", form, "refs/tags"]), self.repo)
        )


def _handed_down(
    tags: Sequence[tuple[Release, str]], commits: Iterable[bytes]
) -> tuple[dict[str, Release], dict[int, Release]]:
    """Hand releases down from children to parents, the earliest of several; children come before their parents."""
    first: dict[str, Release] = {}
    pulls: dict[int, Release] = {}
    for release, sha in tags:
        first[sha] = _earliest_of((release, first.get(sha, release)))
    for commit in commits:
        names, _, title = commit.partition(b"\n")
        sha, *parents = names.decode("ascii").split() or [""]
        if sha in first:
            first |= {
                parent: _earliest_of((first[sha], first.get(parent, first[sha])))
                for parent in parents
            }
            if number := pull_number(title.decode("utf-8", "replace")):
                pulls[number] = _earliest_of((first[sha], pulls.get(number, first[sha])))
    return first, pulls


def _earliest_of(releases: Iterable[Release]) -> Release:
    return min(releases, key=lambda one: (one.published_at, one.tag))


def _parsed(told: str, repo: RepoId) -> Iterator[tuple[Release, str]]:
    for line in told.split("\n"):
        name, at, *shas = line.split() or ["", ""]
        if at.isdigit() and shas:
            made = datetime.fromtimestamp(int(at), UTC)
            yield (
                Release(
                    repo=repo, tag=name, name=name, body="", published_at=made, prerelease=False
                ),
                shas[-1],
            )


def _taken(files: Iterable[FileChange]) -> Iterator[tuple[str, list[int]]]:
    """Yield the numbers of the lines of code that go from each file, without blank lines and lone brackets."""
    for file in files:
        gone = (
            read_patch(file.patch).lines("old")
            if area(file.path) in (Area.PRODUCT, Area.BENCH)
            else {}
        )
        if numbers := [number for number, line in gone.items() if _SUBSTANCE.search(line, 1)]:
            yield file.path, numbers
