"""What differs between two versions: declarations of both trees compared, and the commits that made the difference."""

import re
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from agent.domain.base import InputError, RepoId
from agent.domain.commits import Change, Commit
from agent.domain.facts import Fact, FactKind, Severity
from agent.editions.upgrade import Item, Undone, Upgrade, Version
from agent.ports.sources import CloneSource, CodeSource
from tools.diff.differences import ROWS
from tools.diff.lineage import patch_ids, read_trailers
from tools.diff.sheet import gather, look_up
from tools.diff.versions import needs_blobs

Step = Callable[[str, int, int], None]
"""Is told what is being done, how much of it is done, and of how much."""
LARGEST_RANGE = 200_000_000
"""Bytes that are parsed of all files that differ."""
_TITLE = re.compile(r'^Revert "(.*)"')
"""What the button of GitHub writes: the title of the pull request, with its number where it was squashed."""
_NUMBER = re.compile(r" ?\(?#\d{1,9}\)?$")
_OPPOSITE = {"+": "-", "-": "+"}
_RENAMED = {row.renamed: row for row in ROWS.values() if row.renamed}


async def compare_versions(
    code: CodeSource, old: str, new: str, *, tz: str = "UTC", step: Step = lambda *_: None
) -> Upgrade:
    """Find what users of one version meet in the other, and by which commits; what was taken back is not told."""
    if not isinstance(code, CloneSource):
        raise InputError("versions are compared in a clone or a mirror; leave out --source api")
    first, last = await code.version(old, tz=tz), await code.version(new, tz=tz)
    if first.sha == last.sha:
        raise InputError(f"{old} and {new} are the same commit, {first.sha[:12]}")
    ahead, behind = await code.between(first.sha, last.sha), await code.between(last.sha, first.sha)
    if not ahead:
        raise InputError(f"{new} has no commit that {old} has not; give the older version first")
    step("comparing trees", 0, 1)
    facts, skipped = await _facts_between(code, await code.tree_change(first.sha, last.sha))
    trail, back = Trail(facts), Trail(facts, backwards=True)
    await trail.follow(_counted(code, ahead, "reading commits", step))
    await back.follow(_counted(code, behind, "reading commits of the older version", step))
    return Upgrade(
        repo=RepoId(code.repo),
        old=Version(name=old, sha=first.sha, at=first.committed_at),
        new=Version(name=new, sha=last.sha, at=last.committed_at),
        titles={commit.sha: commit.title for commit in (*ahead, *behind)},
        commits=len(ahead),
        items=tuple(_items(facts, trail, back)),
        undone=tuple(undone_pairs(trail.commits, trail.patches)),
        skipped=skipped,
    )


async def _facts_between(code: CodeSource, change: Change) -> tuple[list[Fact], tuple[str, ...]]:
    """Compare the declarations of both trees; what only moved through other hands on the way is not seen here."""
    blobs = await code.blobs(change, [file.path for file in change.files if needs_blobs(file)])
    gathered = gather(change, blobs, largest=LARGEST_RANGE)
    trees = await look_up(code, change.commit.parents[0], change.commit.sha, gathered.names)
    return list(dict.fromkeys((*gathered.declared(trees), *gathered.modules()))), gathered.skipped


async def _counted(code: CodeSource, commits: Sequence[Commit], what: str, step: Step) -> AsyncIterator[Change]:
    done = 0
    async for change in code.changes([commit.sha for commit in commits]):
        done += 1
        if done % 25 == 0 or done == len(commits):
            step(what, done, len(commits))
        yield change


@dataclass
class Trail:
    """Which commits of a range, newest first, have the lines that show a fact."""

    facts: Sequence[Fact]
    backwards: bool = False
    commits: list[Commit] = field(default_factory=list)
    patches: dict[str, tuple[str, str]] = field(default_factory=dict)
    """The names of each commit's change and of its opposite."""
    _hits: dict[str, list[tuple[int, str]]] = field(default_factory=lambda: defaultdict(list))
    _became: dict[str, str] = field(default_factory=dict)
    _gone: dict[str, str] = field(default_factory=dict)

    async def follow(self, changes: AsyncIterator[Change]) -> None:
        """Read the commits once, and note who has which of the lines."""
        wanted = {self._signed(line) for fact in self.facts for _, line in _lines(fact)}
        async for change in changes:
            place = len(self.commits)
            self.commits.append(change.commit)
            names = patch_ids(change.files)
            if names.lines:
                self.patches[change.commit.sha] = (names.forward, names.reverse)
            for file in change.files:
                if file.previous_path:
                    self._became.setdefault(file.previous_path, file.path)
                if file.status in ("removed", "renamed"):
                    self._gone.setdefault(file.previous_path or file.path, change.commit.sha)
                for line in wanted.intersection((file.patch or "").split("\n")):
                    self._hits[line].append((place, file.path))

    def of(self, fact: Fact, sign: str) -> str | None:
        """Name the commit that has most of the lines of one side, of several the newest."""
        if fact.kind in (FactKind.FILE_REMOVED, FactKind.FILE_RENAMED):
            return self._gone.get(fact.old or "")
        counts: dict[int, int] = defaultdict(int)
        for path, line in _lines(fact):
            if line[0] == sign:
                hits = self._hits.get(self._signed(line), ())
                own = {place for place, where in hits if self._is_same(where, path)}
                for place in own or {place for place, _ in hits if _names(fact, line)}:
                    counts[place] += 1
        best = min(counts, key=lambda place: (-counts[place], place), default=None)
        return None if best is None else self.commits[best].sha

    def _signed(self, line: str) -> str:
        return _OPPOSITE[line[0]] + line[1:] if self.backwards else line

    def _is_same(self, then: str, now: str) -> bool:
        """Follow a file through its renames."""
        for _ in range(len(self._became)):
            if then == now or then not in self._became:
                break
            then = self._became[then]
        return then == now


def _lines(fact: Fact) -> Iterator[tuple[str, str]]:
    """Give the changed lines that say something, each with its path."""
    for place in fact.places:
        for line in place.lines:
            if line[:1] in _OPPOSITE and any(sign.isalnum() for sign in line):
                yield place.file, line


def _names(fact: Fact, line: str) -> bool:
    return any(name and name in line for name in (fact.name.rpartition(".")[2], fact.old, fact.new))


def _items(facts: Iterable[Fact], trail: Trail, back: Trail) -> Iterator[Item]:
    for fact in facts:
        came, went = trail.of(fact, "+"), trail.of(fact, "-")
        if fact.kind in _RENAMED and came != went:
            # No commit made the one of the other: one name went, and another came.
            yield from _items(_apart(fact), trail, back)
            continue
        commits = tuple(dict.fromkeys(sha for sha in (came, went) if sha))
        if not commits and (lacking := back.of(fact, "-") or back.of(fact, "+")):
            yield Item(fact=fact, commits=(lacking,), backwards=True)
        else:
            yield Item(fact=fact, commits=commits)


def _apart(fact: Fact) -> Iterator[Fact]:
    """Tell a rename as what it is without a commit that renames: something went, something came."""
    row, owner = _RENAMED[fact.kind], fact.name.rpartition(".")[0]
    internal = fact.severity is Severity.INTERNAL
    for sign, kind, name in (("-", row.removed, fact.old), ("+", row.added, fact.new)):
        places = [place.model_copy(update={"lines": _of_side(place.lines, sign)}) for place in fact.places]
        shown = tuple(place for place in places if place.lines)
        if kind and name and shown:
            severity = Severity.ADDITIVE if sign == "+" and not internal else fact.severity
            told = f"{owner}.{name}" if owner else name
            yield fact.model_copy(
                update={"kind": kind, "severity": severity, "name": told, "old": None, "new": None, "places": shown}
            )


def _of_side(lines: Sequence[str], sign: str) -> tuple[str, ...]:
    return tuple(line for line in lines if line[:1] == sign)


def undone_pairs(commits: Sequence[Commit], patches: Mapping[str, tuple[str, str]]) -> list[Undone]:
    """Pair commits with those that took them back, by the trailer of git, GitHub's title, or the opposite patch."""
    titles = {_NUMBER.sub("", commit.subject): commit.sha for commit in commits}
    standing: dict[str, str] = {}
    pairs: dict[str, Undone] = {}
    for commit in reversed(commits):
        forward, reverse = patches.get(commit.sha, ("", ""))
        said = [one.sha for one in read_trailers(commit.message) if one.kind == "revert" and one.sha]
        named = [sha for prefix in said for sha in standing if sha.startswith(prefix)]
        titled = _TITLE.match(commit.subject)
        called = titles.get(_NUMBER.sub("", titled[1]), "") if titled else ""
        mirrored = [sha for sha, opposite in standing.items() if opposite and opposite == forward]
        for sha in [one for one in (*named, called, *reversed(mirrored)) if one in standing][:1]:
            del standing[sha]
            # What a revert of a revert brings back was not taken back in the end.
            if pairs.pop(sha, None) is None:
                pairs[commit.sha] = Undone(sha=sha, by=commit.sha)
        standing[commit.sha] = reverse
    return list(pairs.values())
