"""Which commits of a range made what differs between its ends, and which of them took another one back."""

import re
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from agent.domain.commits import Change, Commit
from agent.domain.facts import Fact, Severity
from agent.domain.references import without_pull_number
from agent.domain.upgrade import Undone, UpgradeItem
from tools.diff.kinds import ROWS
from tools.diff.reverts import patch_ids, read_trailers

_TITLE = re.compile(r'^Revert "(.*)"')
"""What the button of GitHub writes: the title of the pull request, with its number where it was squashed."""
_OPPOSITE = {"+": "-", "-": "+"}
_RENAMED = {row.renamed: row for row in ROWS.values() if row.renamed}


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
        if fact.kind in ("file-removed", "file-renamed"):
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
        for _ in range(len(self._became)):
            if then == now or then not in self._became:
                break
            then = self._became[then]
        return then == now


def _lines(fact: Fact) -> Iterator[tuple[str, str]]:
    for place in fact.places:
        for line in place.lines:
            if line[:1] in _OPPOSITE and any(sign.isalnum() for sign in line):
                yield place.file, line


def _names(fact: Fact, line: str) -> bool:
    return any(name and name in line for name in (fact.name.rpartition(".")[2], fact.old, fact.new))


def items_of(facts: Iterable[Fact], trail: Trail, back: Trail) -> Iterator[UpgradeItem]:
    """Give each fact with the commits that made it; `back` are those that only the older version has."""
    for fact in facts:
        came, went = trail.of(fact, "+"), trail.of(fact, "-")
        if fact.kind in _RENAMED and came != went:
            # No commit made the one of the other: one name went, and another came.
            yield from items_of(_apart(fact), trail, back)
            continue
        commits = tuple(dict.fromkeys(sha for sha in (came, went) if sha))
        if not commits and (lacking := back.of(fact, "-") or back.of(fact, "+")):
            yield UpgradeItem(fact=fact, commits=(lacking,), backwards=True)
        else:
            yield UpgradeItem(fact=fact, commits=commits)


def _apart(fact: Fact) -> Iterator[Fact]:
    """Tell a rename as what it is without a commit that renames: something went, something came."""
    row, owner = _RENAMED[fact.kind], fact.name.rpartition(".")[0]
    internal = fact.severity is Severity.INTERNAL
    for sign, kind, name in (("-", row.removed, fact.old), ("+", row.added, fact.new)):
        places = [
            place.model_copy(update={"lines": _of_side(place.lines, sign)}) for place in fact.places
        ]
        shown = tuple(place for place in places if place.lines)
        if kind and name and shown:
            severity = Severity.ADDITIVE if sign == "+" and not internal else fact.severity
            told = f"{owner}.{name}" if owner else name
            yield fact.model_copy(
                update={
                    "kind": kind,
                    "severity": severity,
                    "name": told,
                    "old": None,
                    "new": None,
                    "places": shown,
                }
            )


def _of_side(lines: Sequence[str], sign: str) -> tuple[str, ...]:
    return tuple(line for line in lines if line[:1] == sign)


def undone_pairs(commits: Sequence[Commit], patches: Mapping[str, tuple[str, str]]) -> list[Undone]:
    """Pair commits with those that took them back, by the trailer of git, GitHub's title, or the opposite patch."""
    titles = {without_pull_number(commit.subject): commit.sha for commit in commits}
    standing: dict[str, str] = {}
    pairs: dict[str, Undone] = {}
    for commit in reversed(commits):
        forward, reverse = patches.get(commit.sha, ("", ""))
        said = [
            one.sha for one in read_trailers(commit.message) if one.kind == "revert" and one.sha
        ]
        named = [sha for prefix in said for sha in standing if sha.startswith(prefix)]
        titled = _TITLE.match(commit.subject)
        called = titles.get(without_pull_number(titled[1]), "") if titled else ""
        mirrored = [sha for sha, opposite in standing.items() if opposite and opposite == forward]
        for sha in [one for one in (*named, called, *reversed(mirrored)) if one in standing][:1]:
            del standing[sha]
            # What a revert of a revert brings back was not taken back in the end.
            if pairs.pop(sha, None) is None:
                pairs[commit.sha] = Undone(sha=sha, by=commit.sha)
        standing[commit.sha] = reverse
    return list(pairs.values())
