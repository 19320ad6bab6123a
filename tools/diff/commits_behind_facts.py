"""The commits behind the facts between two versions: those that made each, and those that were undone."""

from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

from agent.domain.commits import Change, Commit
from agent.domain.facts import Fact, FactKind, FactLocation, Severity
from agent.domain.references import pull_number, without_pull_number
from agent.domain.revert_messages import read_lineage, read_title
from agent.domain.upgrade import Undone, UpgradeItem
from tools.diff.facts_by_declaration_kind import ROWS
from tools.diff.reverts_by_patch import patch_ids

_SHORTEST_HASH = 7
_OPPOSITE = {"+": "-", "-": "+"}
_RENAMED = {row.renamed: row for row in ROWS.values() if row.renamed}


class _Line(NamedTuple):
    """A changed line that shows a fact, with its sign, and the file that has it."""

    path: str
    text: str


class _Hit(NamedTuple):
    """A commit, by its index among those of the range, that has a line in a file."""

    commit: int
    path: str


@dataclass
class Trail:
    """The commits of a range, newest first, and which of them have the lines that show facts."""

    facts: Sequence[Fact]
    backwards: bool = (
        False  # Commits that only the older version has show lines with opposite signs
    )
    commits: list[Commit] = field(default_factory=list)
    patches: dict[str, tuple[str, str]] = field(default_factory=dict)
    """The ids of each commit's change and of its opposite."""
    _hits: dict[str, list[_Hit]] = field(default_factory=lambda: defaultdict(list))
    _new_paths: dict[str, str] = field(default_factory=dict)
    _removed_by: dict[str, str] = field(default_factory=dict)

    async def follow(self, changes: AsyncIterator[Change]) -> None:
        """Read the commits once, and note which of them have which lines."""
        fact_lines: set[str] = set()
        for fact in self.facts:
            fact_lines.update(self._signed(line.text) for line in _lines(fact))
        async for change in changes:
            self._read(change, fact_lines)

    def _read(self, change: Change, fact_lines: set[str]) -> None:
        index = len(self.commits)
        sha = change.commit.sha
        self.commits.append(change.commit)
        ids = patch_ids(change.files)
        if ids.lines:
            self.patches[sha] = (ids.forward, ids.reverse)
        for file in change.files:
            if file.previous_path:
                self._new_paths.setdefault(file.previous_path, file.path)
            if file.status in ("removed", "renamed"):
                self._removed_by.setdefault(file.previous_path or file.path, sha)
            for line in fact_lines.intersection((file.patch or "").split("\n")):
                self._hits[line].append(_Hit(index, file.path))

    def of(self, fact: Fact, sign: str) -> str | None:
        """Return the commit that has most of the lines of one side, of several the newest."""
        if fact.kind in ("file-removed", "file-renamed"):
            return self._removed_by.get(fact.old or "")
        counts: Counter[int] = Counter()
        for line in _lines(fact):
            if line.text[0] == sign:
                counts.update(self._commits_with(line, fact))
        if not counts:
            return None
        best = min(counts, key=lambda index: (-counts[index], index))
        return self.commits[best].sha

    def _commits_with(self, line: _Line, fact: Fact) -> set[int]:
        """Return the commits that have a line in its own file, else in any if it names the fact."""
        hits = self._hits.get(self._signed(line.text), ())
        in_file = {hit.commit for hit in hits if self._is_same_file(hit.path, line.path)}
        if in_file or not _names(fact, line.text):
            return in_file
        return {hit.commit for hit in hits}

    def _signed(self, line: str) -> str:
        return _OPPOSITE[line[0]] + line[1:] if self.backwards else line

    def _is_same_file(self, old_path: str, new_path: str) -> bool:
        """Return True if a file has another path at the end of the range."""
        path = old_path
        for _ in range(len(self._new_paths)):
            if path == new_path or path not in self._new_paths:
                break
            path = self._new_paths[path]
        return path == new_path


def _lines(fact: Fact) -> Iterator[_Line]:
    for location in fact.places:
        for text in location.lines:
            if text[:1] in _OPPOSITE and any(sign.isalnum() for sign in text):
                yield _Line(location.file, text)


def _names(fact: Fact, line: str) -> bool:
    names = (fact.name.rpartition(".")[2], fact.old, fact.new)
    return any(name and name in line for name in names)


def items_of(facts: Iterable[Fact], trail: Trail, back: Trail) -> Iterator[UpgradeItem]:
    """Yield each fact with the commits that made it; `back` has those of the older version alone."""
    for fact in facts:
        added_by = trail.of(fact, "+")
        removed_by = trail.of(fact, "-")
        if fact.kind in _RENAMED and added_by != removed_by:
            # No commit renamed it: one name went, and another came.
            yield from items_of(_parts_of_rename(fact), trail, back)
            continue
        commits = tuple(dict.fromkeys(sha for sha in (added_by, removed_by) if sha))
        lacking = None
        if not commits:
            lacking = back.of(fact, "-") or back.of(fact, "+")
        if lacking is not None:
            yield UpgradeItem(fact=fact, commits=(lacking,), backwards=True)
        else:
            yield UpgradeItem(fact=fact, commits=commits)


def _parts_of_rename(fact: Fact) -> Iterator[Fact]:
    """Yield what a rename is where no commit made it: something went, something came."""
    row = _RENAMED[fact.kind]
    is_internal = fact.severity is Severity.INTERNAL
    if row.removed and fact.old:
        yield from _part_of_rename(fact, "-", row.removed, fact.old, fact.severity)
    if row.added and fact.new:
        severity = fact.severity if is_internal else Severity.ADDITIVE
        yield from _part_of_rename(fact, "+", row.added, fact.new, severity)


def _part_of_rename(
    fact: Fact, sign: str, kind: FactKind, name: str, severity: Severity
) -> Iterator[Fact]:
    """Yield one side of a rename, if lines show it."""
    places: list[FactLocation] = []
    for location in fact.places:
        lines = tuple(line for line in location.lines if line[:1] == sign)
        if lines:
            places.append(location.model_copy(update={"lines": lines}))
    if not places:
        return
    owner = fact.name.rpartition(".")[0]
    yield fact.model_copy(
        update={
            "kind": kind,
            "severity": severity,
            "name": f"{owner}.{name}" if owner else name,
            "old": None,
            "new": None,
            "places": tuple(places),
        }
    )


def undone_pairs(commits: Sequence[Commit], patches: Mapping[str, tuple[str, str]]) -> list[Undone]:
    """Pair commits with those that undid them, by their messages or by the opposite patch."""
    by_name: dict[str | int, str] = {}
    for commit in commits:
        by_name[without_pull_number(commit.title)] = commit.sha
        number = pull_number(commit.subject) or pull_number(commit.title)
        by_name[number or commit.sha] = commit.sha
    opposites: dict[str, str] = {}  # The opposite patches of the commits that are not undone so far
    pairs: dict[str, list[Undone]] = {}  # By the commit that undoes
    for commit in reversed(commits):
        forward, reverse = patches.get(commit.sha, ("", ""))
        for undone in _undone_by(commit, forward, opposites, by_name):
            del opposites[undone]
            # What a revert of a revert brings back was not undone in the end.
            if pairs.pop(undone, None) is None:
                pairs.setdefault(commit.sha, []).append(Undone(sha=undone, by=commit.sha))
        opposites[commit.sha] = reverse
    return list(chain.from_iterable(pairs.values()))


def _undone_by(
    commit: Commit,
    forward: str,
    opposites: Mapping[str, str],
    by_name: Mapping[str | int, str],
) -> list[str]:
    """Return the earlier commits that a commit undoes: as its message says, else as its patch shows."""
    said: dict[str, None] = {}
    for names in _names_of_undone(commit):
        sha = _first_named(names, opposites, by_name)
        if sha is not None:
            said[sha] = None
    if said:
        return list(said)
    for sha, opposite in reversed(list(opposites.items())):
        if opposite and opposite == forward:
            return [sha]
    return []


def _names_of_undone(commit: Commit) -> list[list[str | int]]:
    """Return the names of each commit that a commit undoes as a whole, by its message.

    They are its hash, its title and its number, the surest first.
    """
    lineage = [entry for entry in read_lineage(commit.message) if entry.kind == "revert"]
    whole = [entry for entry in lineage if not entry.part and not entry.repo]
    names: list[list[str | int]] = [[entry.sha, entry.number or ""] for entry in whole] or [[]]
    title = read_title(commit.title)
    # A revert of a revert undoes the revert, which it quotes.
    if title is not None and title.verbs[0] == "revert" and not title.part:
        names[0].insert(1, without_pull_number(title.quotation))
    return names


def _first_named(
    names: Iterable[str | int], shas: Iterable[str], by_name: Mapping[str | int, str]
) -> str | None:
    for name in names:
        for sha in shas:
            if _is_named(name, sha, by_name):
                return sha
    return None


def _is_named(name: str | int, sha: str, by_name: Mapping[str | int, str]) -> bool:
    if not name:
        return False
    return sha == by_name.get(name) or (isinstance(name, str) and _is_hash_of(name, sha))


def _is_hash_of(name: str, sha: str) -> bool:
    return len(name) >= _SHORTEST_HASH and sha.startswith(name)
