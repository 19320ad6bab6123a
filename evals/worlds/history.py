"""A repository's history as a developer makes it, and the record of what landed."""

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from evals.worlds.model import Edit, LandedGold, Push
from evals.worlds.repository import FILE, SUBMODULE, Leaf, Objects, Stamp, Tree, commit_body


@dataclass(frozen=True)
class Touch:
    """What a commit does to one path; without a mode the path goes away."""

    path: bytes
    mode: int | None
    data: bytes | None = None
    """The content; None keeps what was there, for moves and changes of mode."""
    was: bytes | None = None
    """Where a moved file came from."""


def put(path: str | bytes, data: str | bytes, *, mode: int = FILE) -> Touch:
    """Write a file; for a link the data is its target, for a submodule the hash of its commit."""
    return Touch(_bytes(path), mode, _bytes(data))


def drop(path: str | bytes) -> Touch:
    """Delete a file."""
    return Touch(_bytes(path), None)


def move(old: str | bytes, new: str | bytes, data: str | bytes | None = None) -> Touch:
    """Move a file, with or without an edit."""
    return Touch(_bytes(new), FILE, None if data is None else _bytes(data), was=_bytes(old))


def chmod(path: str | bytes, mode: int) -> Touch:
    """Change a file's mode and nothing else."""
    return Touch(_bytes(path), mode)


def _bytes(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text


@dataclass(frozen=True)
class Record:
    """A commit as the generator made it."""

    sha: str
    order: int
    tree: Tree
    parents: tuple[str, ...]
    committed_at: datetime
    files: tuple[tuple[str, str], ...]
    paths: frozenset[bytes]
    moves: tuple[tuple[bytes, bytes], ...]
    edits: tuple[Edit, ...]
    tags: tuple[str, ...]


@dataclass(frozen=True)
class Note:
    """What goes with a commit besides its content."""

    message: str | bytes
    author: Stamp
    committer: Stamp
    edits: tuple[Edit, ...] = ()
    tags: tuple[str, ...] = ()
    encoding: str | None = None

    @property
    def raw(self) -> bytes:
        """The message as bytes, ending in a newline as git leaves it."""
        if isinstance(self.message, bytes):
            return self.message
        return self.message.rstrip("\n").encode(self.encoding or "utf-8") + b"\n"


@dataclass
class History:
    """One repository while it is being made."""

    repo: str
    branch: str = "main"
    objects: Objects = field(default_factory=Objects)
    records: dict[str, Record] = field(default_factory=dict)
    heads: dict[str, str] = field(default_factory=dict)
    refs: dict[str, str] = field(default_factory=dict)
    """Refs besides the branches: tags and the heads of pull requests."""
    pushes: list[Push] = field(default_factory=list)
    _landed: dict[str, LandedGold] = field(default_factory=dict)
    _line: set[str] = field(default_factory=set)
    """The first-parent line at the last push."""

    def tree(self, branch: str | None = None) -> Tree:
        """Give the tree at a branch's head; an empty one before the first commit."""
        head = self.heads.get(branch or self.branch)
        return self.records[head].tree if head else Tree()

    def fork(self, branch: str, at: str | None = None) -> None:
        """Start a branch at a commit, or where the default branch stands."""
        self.heads[branch] = at or self.heads[self.branch]

    def commit(self, branch: str, touches: Sequence[Touch], note: Note) -> str:
        """Make a commit on a branch; the first one on a branch that is not there is a root."""
        head, before = self.heads.get(branch), self.tree(branch)
        after = self._apply(before, touches)
        paths = frozenset(t.path for t in touches) | frozenset(t.was for t in touches if t.was)
        moves = tuple((t.was, t.path) for t in touches if t.was)
        sha = self._keep((head,) if head else (), before, after, paths, moves, note)
        self.heads[branch] = sha
        return sha

    def squash(self, side: str, note: Note, onto: str | None = None) -> str:
        """Land a branch as one commit on the default branch, or on the one named."""
        target = onto or self.branch
        head, before = self.heads[target], self.tree(target)
        members = [self.records[sha] for sha in self.between(head, (self.heads[side],))]
        after, paths, moves = _replay(before, members, self.tree(side))
        sha = self._keep((head,), before, after, paths, moves, note)
        self.heads[target] = sha
        return sha

    def merge(self, branch: str, sides: Sequence[str], note: Note) -> str:
        """Merge branches; what they touched replaces what was there, so they must not have drifted apart."""
        head, before = self.heads[branch], self.tree(branch)
        after, paths, moves = before, frozenset[bytes](), tuple[tuple[bytes, bytes], ...]()
        edits: list[Edit] = []
        for side in sides:
            members = [self.records[sha] for sha in self.between(head, (self.heads[side],))]
            after, more, moved = _replay(after, members, self.tree(side))
            paths, moves = paths | more, moves + moved
            edits += [edit for member in members if len(member.parents) < 2 for edit in member.edits]
        note = replace(note, edits=note.edits + tuple(edits))
        sha = self._keep((head, *(self.heads[side] for side in sides)), before, after, paths, moves, note)
        self.heads[branch] = sha
        return sha

    def undo(self, target: str, note: Note) -> str:
        """Revert a commit of the default branch; nothing may have touched its files since."""
        done = self.records[target]
        base = self.records[done.parents[0]].tree
        after = before = self.tree()
        for path in sorted(done.paths):
            assert before.get(path) == done.tree.get(path), f"{path!r} was touched after {target}"
            after = after.put(path, base.get(path))
        moves = tuple((new, old) for old, new in done.moves)
        sha = self._keep((self.heads[self.branch],), before, after, done.paths, moves, note)
        self.heads[self.branch] = sha
        return sha

    def between(self, base: str, tips: Iterable[str]) -> list[str]:
        """List what is reachable from the tips and not from the base, in the order it was made."""
        found: dict[str, bool] = {}
        queue: list[tuple[int, str]] = []

        def reach(sha: str, wanted: bool) -> None:
            if sha not in found:
                heapq.heappush(queue, (-self.records[sha].order, sha))
            found[sha] = found.get(sha, True) and wanted

        for tip in tips:
            reach(tip, True)
        reach(base, False)
        # A parent was always made before its child, so the youngest first gives each commit its final answer.
        while any(found[sha] for _, sha in queue):
            _, sha = heapq.heappop(queue)
            for parent in self.records[sha].parents:
                reach(parent, found[sha])
        return sorted((sha for sha in found if found[sha]), key=lambda sha: self.records[sha].order)

    def push(self, at: datetime) -> None:
        """Show the world the default branch as it stands, and record what landed or went away."""
        index, head = len(self.pushes), self.heads[self.branch]
        line = self.first_parents()
        for sha in reversed([sha for sha in line if sha not in self._landed]):
            self._landed[sha] = self._gold(sha, index)
        for sha in self._line.difference(line):
            row = self._landed[sha]
            self._landed[sha] = replace(row, dropped_by=index, tags=(*row.tags, "dropped"))
        self._line = set(line)
        forced = bool(self.pushes and self.between(head, (self.pushes[-1].tip,)))
        self.pushes.append(Push(at.astimezone(UTC), head, forced))

    def first_parents(self) -> list[str]:
        """List the default branch's first-parent line, newest first."""
        line: list[str] = []
        sha: str | None = self.heads.get(self.branch)
        while sha:
            line.append(sha)
            parents = self.records[sha].parents
            sha = parents[0] if parents else None
        return line

    def landed(self) -> tuple[LandedGold, ...]:
        """Give every row that ever landed, each first-parent line oldest first."""
        return tuple(self._landed.values())

    def all_refs(self) -> dict[str, str]:
        """Give the refs as they stand at the last push."""
        return self.refs | {f"refs/heads/{self.branch}": push.tip for push in self.pushes[-1:]}

    def _gold(self, sha: str, push: int) -> LandedGold:
        record = self.records[sha]
        members = self.between(record.parents[0], record.parents[1:]) if len(record.parents) > 1 else []
        at = record.committed_at
        return LandedGold(self.repo, sha, at, tuple(members), push, record.files, record.tags, record.edits)

    def _apply(self, tree: Tree, touches: Sequence[Touch]) -> Tree:
        for touch in touches:
            old = tree.get(touch.was or touch.path)
            if touch.was:
                tree = tree.put(touch.was, None)
            tree = tree.put(touch.path, self._leaf(touch, old))
        return tree

    def _leaf(self, touch: Touch, old: Leaf | None) -> Leaf | None:
        if touch.mode is None:
            return None
        if touch.data is None:
            assert old is not None, f"nothing to keep for {touch.path!r}"
            return replace(old, mode=old.mode if touch.was else touch.mode)
        if touch.mode == SUBMODULE:
            return Leaf(SUBMODULE, touch.data.decode())
        return Leaf(touch.mode, self.objects.add("blob", touch.data))

    def _keep(
        self,
        parents: tuple[str, ...],
        before: Tree,
        after: Tree,
        paths: frozenset[bytes],
        moves: tuple[tuple[bytes, bytes], ...],
        note: Note,
    ) -> str:
        tree = after.write(self.objects)
        body = commit_body(tree, parents, note.author, note.committer, note.raw, note.encoding)
        sha = self.objects.add("commit", body)
        at = note.committer.at.astimezone(UTC)
        files = _files(before, after, paths, moves)
        self.records[sha] = Record(
            sha, len(self.records), after, parents, at, files, paths, moves, note.edits, note.tags
        )
        return sha


def _replay(
    tree: Tree, members: Sequence[Record], side: Tree
) -> tuple[Tree, frozenset[bytes], tuple[tuple[bytes, bytes], ...]]:
    """Bring what the members touched over to a tree, as it stands at the side's head."""
    plain = [member for member in members if len(member.parents) < 2]
    paths = frozenset(path for member in plain for path in member.paths)
    for path in sorted(paths):
        tree = tree.put(path, side.get(path))
    return tree, paths, tuple(pair for member in plain for pair in member.moves)


def _files(
    before: Tree, after: Tree, paths: frozenset[bytes], moves: Sequence[tuple[bytes, bytes]]
) -> tuple[tuple[str, str], ...]:
    origin = {new: old for old, new in moves if before.get(old) and not after.get(old) and not before.get(new)}
    gone = set(origin.values())
    rows = []
    for path in sorted(paths - gone):
        status = "renamed" if path in origin and after.get(path) else _status(before.get(path), after.get(path))
        if status:
            rows.append((path.decode("utf-8", "surrogateescape"), status))
    return tuple(rows)


def _status(old: Leaf | None, new: Leaf | None) -> str | None:
    if old == new:
        return None
    if old is None:
        return "added"
    if new is None:
        return "removed"
    return "changed" if old.mode >> 12 != new.mode >> 12 else "modified"
