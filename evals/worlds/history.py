"""Write a repository's history with `git fast-import`, and record what landed on its default branch."""

import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from evals.worlds.data_model import Edit, LandedGold, Push

FILE = 0o100644
SCRIPT = 0o100755
LINK = 0o120000
SUBMODULE = 0o160000
_CONFIG = """\
[core]
\tbare = true
[uploadpack]
\tallowFilter = true
\tallowAnySHA1InWant = true
[gc]
\tauto = 0
"""
_SCRATCH = "refs/heads/fast-import"


class File(NamedTuple):
    """A file of a commit; the data of a link is its target, that of a submodule a commit hash."""

    mode: int
    data: bytes


Tree = Mapping[bytes, File]
Changes = Mapping[bytes, File | None]  # What a commit does to paths; None removes one
Moves = tuple[tuple[bytes, bytes], ...]  # Old and new path of each file that a commit moves


@dataclass(frozen=True)
class Note:
    """The metadata of a commit: everything but its content."""

    message: bytes
    author: bytes  # Name, address, seconds and zone, as a commit has them
    committer: bytes
    committed_at: datetime
    edits: tuple[Edit, ...] = ()
    tags: tuple[str, ...] = ()
    encoding: str | None = None


@dataclass(frozen=True)
class MadeCommit:
    """A commit as the generator made it."""

    tree: Tree
    parents: tuple[str, ...]
    paths: frozenset[bytes]
    moves: Moves
    gold: LandedGold


class _Contribution(NamedTuple):
    """The commits of a side branch, as the branch that merges it gets them."""

    changes: Changes
    moves: Moves
    edits: tuple[Edit, ...]


class WorldHistory:
    """One repository while it is made: hashes are known at once, refs are written at the end."""

    def __init__(self, repo: str, branch: str, folder: Path) -> None:
        self.repo = repo
        self.branch = branch
        self.records: dict[str, MadeCommit] = {}
        self.heads: dict[str, str] = {}
        # Refs besides the default branch: tags and the heads of pull requests.
        self.refs: dict[str, str] = {}
        self.pushes: list[Push] = []
        # Every row that ever landed, each first-parent line oldest first.
        self.landed: dict[str, LandedGold] = {}
        self._line: set[str] = set()
        self._marks: dict[str, int] = {}  # The marks of `git fast-import`, by hash
        self._folder = folder
        self._git = _start(folder, branch)

    def tree(self, branch: str | None = None) -> Tree:
        """Return the files at the tip of a branch; none before the first commit."""
        tip = self.heads.get(branch or self.branch)
        return self.records[tip].tree if tip else {}

    def fork(self, branch: str, at: str | None = None) -> None:
        """Start a branch at a commit, or at the tip of the default branch."""
        self.heads[branch] = at or self.heads[self.branch]

    def commit(
        self, branch: str, changes: Changes, moves: Moves, note: Note, others: tuple[str, ...] = ()
    ) -> str:
        """Make a commit on a branch and return its hash; the first one of a new branch is a root."""
        before = self.tree(branch)
        after = {path: file for path, file in {**before, **changes}.items() if file}
        parents = others
        if branch in self.heads:
            parents = (self.heads[branch], *others)
        members = self._between(parents[0], others) if others else []
        sha = self._write(parents, changes, note)
        self.heads[branch] = sha
        gold = LandedGold(
            repo=self.repo,
            sha=sha,
            committed_at=note.committed_at,
            members=tuple(members),
            push=-1,
            files=tuple(_files(before, after, changes, moves)),
            tags=note.tags,
            edits=note.edits,
        )
        self.records[sha] = MadeCommit(after, parents, frozenset(changes), moves, gold)
        return sha

    def squash(self, branch: str, side: str, note: Note) -> str:
        """Land a branch as one commit on another one."""
        contribution = self._contribution(branch, side)
        return self.commit(branch, contribution.changes, contribution.moves, note)

    def merge(self, branch: str, sides: Sequence[str], note: Note) -> str:
        """Merge branches; their files replace those of the branch, so they must not conflict."""
        changes: dict[bytes, File | None] = {}
        moves: Moves = ()
        edits = note.edits
        for side in sides:
            contribution = self._contribution(branch, side)
            changes.update(contribution.changes)
            moves += contribution.moves
            edits += contribution.edits
        others = tuple(self.heads[side] for side in sides)
        return self.commit(branch, changes, moves, replace(note, edits=edits), others)

    def undo(self, target: str, note: Note) -> str:
        """Revert a commit of the default branch; nothing may have touched its files since."""
        record = self.records[target]
        current = self.tree()
        before = self.records[record.parents[0]].tree
        for path in record.paths:
            untouched = current.get(path) == record.tree.get(path)
            assert untouched, f"{path!r} was touched after {target}"
        changes = {path: before.get(path) for path in record.paths}
        moves = tuple((new, old) for old, new in record.moves)
        return self.commit(self.branch, changes, moves, note)

    def push(self, at: datetime) -> None:
        """Publish the default branch as it is now, and record what landed or was dropped."""
        index = len(self.pushes)
        tip = self.heads[self.branch]
        line = self._first_parents(tip)
        for sha in reversed(line):
            if sha not in self.landed:
                self.landed[sha] = replace(self.records[sha].gold, push=index)
        for sha in self._line.difference(line):
            row = self.landed[sha]
            self.landed[sha] = replace(row, dropped_by=index, tags=(*row.tags, "dropped"))
        self._line = set(line)
        last_tip = self.pushes[-1].tip if self.pushes else tip
        forced = last_tip not in self._line and last_tip not in self._reachable([tip])
        self.pushes.append(Push(at.astimezone(UTC), tip, forced))

    def finish(self) -> None:
        """Write the objects to disk, and the refs as they are after the last push."""
        self._git.communicate()
        assert self._git.returncode == 0, f"git fast-import failed for {self.repo}"
        (self._folder / _SCRATCH).unlink(missing_ok=True)
        refs = dict(self.refs)
        if self.pushes:
            refs[f"refs/heads/{self.branch}"] = self.pushes[-1].tip
        lines = ["# pack-refs with: peeled fully-peeled sorted "]
        for name in sorted(refs):
            lines.append(f"{refs[name]} {name}")
        packed = self._folder / "packed-refs"
        packed.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")

    def _first_parents(self, tip: str) -> list[str]:
        """Return the first-parent line of a commit, newest first."""
        line = [tip]
        while parents := self.records[line[-1]].parents:
            line.append(parents[0])
        return line

    def _between(self, base: str, tips: Iterable[str]) -> list[str]:
        """List what the tips reach and the base does not, in the order in which it was made."""
        shas = self._reachable(tips) - self._reachable([base])
        return [sha for sha in self.records if sha in shas]

    def _reachable(self, tips: Iterable[str]) -> set[str]:
        shas: set[str] = set()
        queue = list(tips)
        while queue:
            sha = queue.pop()
            if sha not in shas:
                shas.add(sha)
                queue += self.records[sha].parents
        return shas

    def _contribution(self, branch: str, side: str) -> _Contribution:
        """Return the files that another branch touched since it left this one, as at its tip."""
        tree = self.tree(side)
        changes: dict[bytes, File | None] = {}
        moves: Moves = ()
        edits: tuple[Edit, ...] = ()
        for sha in self._between(self.heads[branch], [self.heads[side]]):
            member = self.records[sha]
            if len(member.parents) > 1:
                continue  # A merge brings nothing of its own.
            for path in member.paths:
                changes[path] = tree.get(path)
            moves += member.moves
            edits += member.gold.edits
        return _Contribution(changes, moves, edits)

    def _write(self, parents: tuple[str, ...], changes: Changes, note: Note) -> str:
        """Write a commit and return its hash; what it does not change is as in its first parent."""
        assert self._git.stdin is not None
        assert self._git.stdout is not None
        mark = len(self._marks) + 1
        lines = [f"reset {_SCRATCH}\ncommit {_SCRATCH}\nmark :{mark}".encode()]
        lines.append(b"author " + note.author)
        lines.append(b"committer " + note.committer)
        if note.encoding:
            lines.append(b"encoding " + note.encoding.encode())
        lines.append(b"data %d\n%s" % (len(note.message), note.message))
        for index, parent in enumerate(parents):
            command = b"merge" if index else b"from"
            lines.append(b"%s :%d" % (command, self._marks[parent]))
        lines.extend(_file_commands(changes))
        self._git.stdin.write(b"\n".join(lines) + b"\n\nget-mark :%d\n" % mark)
        self._git.stdin.flush()
        sha = self._git.stdout.readline().decode().strip()
        self._marks[sha] = mark
        return sha


def _start(folder: Path, branch: str) -> "subprocess.Popen[bytes]":
    """Make a bare repository, replacing one that exists; it serves partial clones as GitHub does."""
    if folder.exists():
        shutil.rmtree(folder)
    for part in ("objects/pack", "refs/heads"):
        (folder / part).mkdir(parents=True)
    (folder / "config").write_text(_CONFIG, encoding="utf-8", newline="\n")
    (folder / "HEAD").write_text(f"ref: refs/heads/{branch}\n", encoding="utf-8", newline="\n")
    git = ["git", f"--git-dir={folder}"]
    settings = ["-c", "fastimport.unpackLimit=0", "-c", "core.compression=1"]
    options = ["--quiet", "--depth=0", "--date-format=raw"]
    command = [*git, *settings, "fast-import", *options]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def _file_commands(changes: Changes) -> Iterator[bytes]:
    """Yield the commands of `git fast-import` that change files; removals come first."""
    for path, file in changes.items():
        if file is None:
            yield b"D " + _quoted(path)
    for path, file in changes.items():
        if file is None:
            continue
        if file.mode == SUBMODULE:
            yield b"M %o %s %s" % (file.mode, file.data, _quoted(path))
        else:
            header = b"M %o inline %s" % (file.mode, _quoted(path))
            yield b"%s\ndata %d\n%s" % (header, len(file.data), file.data)


def _quoted(path: bytes) -> bytes:
    escaped = path.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    return b'"' + escaped + b'"'


def _files(before: Tree, after: Tree, changes: Changes, moves: Moves) -> Iterator[tuple[str, str]]:
    """Yield the path and the status of each changed file, in GitHub's words."""
    origins: dict[bytes, bytes] = {}
    for old, new in moves:
        if old in before and old not in after and new not in before:
            origins[new] = old
    for path in sorted(changes.keys() - origins.values()):
        if path in origins and path in after:
            status: str | None = "renamed"
        else:
            status = _status(before.get(path), after.get(path))
        if status:
            yield path.decode("utf-8", "surrogateescape"), status


def _status(old: File | None, new: File | None) -> str | None:
    if old == new:
        return None
    if old is None:
        return "added"
    if new is None:
        return "removed"
    same_type = old.mode >> 12 == new.mode >> 12
    return "modified" if same_type else "changed"
