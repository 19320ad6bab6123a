"""A repository's history as developers make it, written with `git fast-import`, and the record of what landed."""

import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from evals.worlds.model import Edit, LandedGold, Push

FILE, SCRIPT, LINK, SUBMODULE = 0o100644, 0o100755, 0o120000, 0o160000
_CONFIG = "[core]\n\tbare = true\n[uploadpack]\n\tallowFilter = true\n\tallowAnySHA1InWant = true\n[gc]\n\tauto = 0\n"
_SCRATCH = "refs/heads/fast-import"


class File(NamedTuple):
    """A file of a commit; the data of a link is its target, of a submodule the hash of its commit."""

    mode: int
    data: bytes


Tree = Mapping[bytes, File]
Changes = Mapping[bytes, File | None]  # What a commit does to paths; None takes one away
Moves = tuple[tuple[bytes, bytes], ...]  # Old and new path of each file that a commit moves


@dataclass(frozen=True)
class Note:
    """What goes with a commit besides its content."""

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


class WorldHistory:
    """One repository while it is being made: hashes are known at once, refs are written at the end."""

    def __init__(self, repo: str, branch: str, folder: Path) -> None:
        self.repo, self.branch = repo, branch
        self.records: dict[str, MadeCommit] = {}
        self.heads: dict[str, str] = {}
        self.refs: dict[
            str, str
        ] = {}  # Refs besides the default branch: tags and the heads of pull requests
        self.pushes: list[Push] = []
        self.landed: dict[
            str, LandedGold
        ] = {}  # Every row that ever landed, each first-parent line oldest first
        self._line: set[str] = set()
        self._marks: dict[str, int] = {}  # What `git fast-import` calls each commit
        self._folder = folder
        self._git = _start(folder, branch)

    def tree(self, branch: str | None = None) -> Tree:
        """Give the files at a branch's head; none before the first commit."""
        head = self.heads.get(branch or self.branch)
        return self.records[head].tree if head else {}

    def fork(self, branch: str, at: str | None = None) -> None:
        """Start a branch at a commit, or where the default branch stands."""
        self.heads[branch] = at or self.heads[self.branch]

    def commit(
        self, branch: str, changes: Changes, moves: Moves, note: Note, others: tuple[str, ...] = ()
    ) -> str:
        """Make a commit on a branch; the first one of a branch that is not there is a root."""
        before = self.tree(branch)
        after = {path: file for path, file in {**before, **changes}.items() if file}
        parents = (*((self.heads[branch],) if branch in self.heads else ()), *others)
        members = self._between(parents[0], others) if others else ()
        sha = self.heads[branch] = self._write(parents, changes, note)
        files = tuple(_files(before, after, changes, moves))
        gold = LandedGold(
            self.repo, sha, note.committed_at, tuple(members), -1, files, note.tags, note.edits
        )
        self.records[sha] = MadeCommit(after, parents, frozenset(changes), moves, gold)
        return sha

    def squash(self, branch: str, side: str, note: Note) -> str:
        """Land a branch as one commit on another one."""
        changes, moves, _ = self._brought(branch, side)
        return self.commit(branch, changes, moves, note)

    def merge(self, branch: str, sides: Sequence[str], note: Note) -> str:
        """Merge branches; what they touched replaces what was there, so they must not have drifted apart."""
        changes, moves, edits = dict[bytes, File | None](), Moves(), note.edits
        for side in sides:
            more, moved, done = self._brought(branch, side)
            changes, moves, edits = changes | dict(more), moves + moved, edits + done
        others = tuple(self.heads[side] for side in sides)
        return self.commit(branch, changes, moves, replace(note, edits=edits), others)

    def undo(self, target: str, note: Note) -> str:
        """Revert a commit of the default branch; nothing may have touched its files since."""
        done, now = self.records[target], self.tree()
        before = self.records[done.parents[0]].tree
        for path in done.paths:
            assert now.get(path) == done.tree.get(path), f"{path!r} was touched after {target}"
        changes = {path: before.get(path) for path in done.paths}
        return self.commit(self.branch, changes, tuple((new, old) for old, new in done.moves), note)

    def push(self, at: datetime) -> None:
        """Show the world the default branch as it stands, and record what landed or went away."""
        index, head = len(self.pushes), self.heads[self.branch]
        line = [head]
        while parents := self.records[line[-1]].parents:
            line.append(parents[0])
        for sha in reversed([sha for sha in line if sha not in self.landed]):
            self.landed[sha] = replace(self.records[sha].gold, push=index)
        for sha in self._line.difference(line):
            row = self.landed[sha]
            self.landed[sha] = replace(row, dropped_by=index, tags=(*row.tags, "dropped"))
        self._line = set(line)
        last = self.pushes[-1].tip if self.pushes else head
        forced = last not in self._line and last not in self._reached([head])
        self.pushes.append(Push(at.astimezone(UTC), head, forced))

    def finish(self) -> None:
        """Write the objects to disk, and the refs as they stand at the last push."""
        self._git.communicate()
        assert self._git.returncode == 0, f"git fast-import failed for {self.repo}"
        (self._folder / _SCRATCH).unlink(missing_ok=True)
        refs = self.refs | {f"refs/heads/{self.branch}": push.tip for push in self.pushes[-1:]}
        lines = [
            "# pack-refs with: peeled fully-peeled sorted ",
            *(f"{refs[name]} {name}" for name in sorted(refs)),
        ]
        (self._folder / "packed-refs").write_text(
            "\n".join(lines) + "\n", encoding="utf-8", newline="\n"
        )

    def _between(self, base: str, tips: Iterable[str]) -> list[str]:
        """List what is reachable from the tips and not from the base, in the order it was made."""
        wanted = self._reached(tips) - self._reached([base])
        return [sha for sha in self.records if sha in wanted]

    def _reached(self, tips: Iterable[str]) -> set[str]:
        found, queue = set[str](), list(tips)
        while queue:
            if (sha := queue.pop()) not in found:
                found.add(sha)
                queue += self.records[sha].parents
        return found

    def _brought(self, branch: str, side: str) -> tuple[Changes, Moves, tuple[Edit, ...]]:
        """Find what another branch touched since it left this one, as it stands at its head."""
        members = [
            self.records[sha] for sha in self._between(self.heads[branch], [self.heads[side]])
        ]
        plain = [member for member in members if len(member.parents) < 2]
        changes = {path: self.tree(side).get(path) for member in plain for path in member.paths}
        moves = tuple(pair for member in plain for pair in member.moves)
        return changes, moves, tuple(edit for member in plain for edit in member.gold.edits)

    def _write(self, parents: tuple[str, ...], changes: Changes, note: Note) -> str:
        """Give a commit to git; what it does not change is as in its first parent."""
        assert self._git.stdin is not None
        assert self._git.stdout is not None
        mark = len(self._marks) + 1
        lines = [f"reset {_SCRATCH}\ncommit {_SCRATCH}\nmark :{mark}".encode()]
        lines += [b"author " + note.author, b"committer " + note.committer]
        lines += [b"encoding " + note.encoding.encode()] if note.encoding else []
        lines.append(b"data %d\n%s" % (len(note.message), note.message))
        lines += [
            b"%s :%d" % (b"merge" if n else b"from", self._marks[sha])
            for n, sha in enumerate(parents)
        ]
        lines += [b"D " + _quoted(path) for path, file in changes.items() if file is None]
        for path, file in changes.items():
            if file and file.mode == SUBMODULE:
                lines.append(b"M %o %s %s" % (file.mode, file.data, _quoted(path)))
            elif file:
                lines.append(
                    b"M %o inline %s\ndata %d\n%s"
                    % (file.mode, _quoted(path), len(file.data), file.data)
                )
        self._git.stdin.write(b"\n".join(lines) + b"\n\nget-mark :%d\n" % mark)
        self._git.stdin.flush()
        sha = self._git.stdout.readline().decode().strip()
        self._marks[sha] = mark
        return sha


def _start(folder: Path, branch: str) -> "subprocess.Popen[bytes]":
    """Make a bare repository, anew if there is one; it serves partial clones as GitHub does."""
    if folder.exists():
        shutil.rmtree(folder)
    for part in ("objects/pack", "refs/heads"):
        (folder / part).mkdir(parents=True)
    (folder / "config").write_text(_CONFIG, encoding="utf-8", newline="\n")
    (folder / "HEAD").write_text(f"ref: refs/heads/{branch}\n", encoding="utf-8", newline="\n")
    settings = ["-c", "fastimport.unpackLimit=0", "-c", "core.compression=1"]
    command = [
        "git",
        f"--git-dir={folder}",
        *settings,
        "fast-import",
        "--quiet",
        "--depth=0",
        "--date-format=raw",
    ]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def _quoted(path: bytes) -> bytes:
    escaped = path.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    return b'"' + escaped + b'"'


def _files(before: Tree, after: Tree, changes: Changes, moves: Moves) -> Iterable[tuple[str, str]]:
    origin = {
        new: old for old, new in moves if old in before and old not in after and new not in before
    }
    for path in sorted(changes.keys() - origin.values()):
        status = (
            "renamed"
            if path in origin and path in after
            else _status(before.get(path), after.get(path))
        )
        if status:
            yield path.decode("utf-8", "surrogateescape"), status


def _status(old: File | None, new: File | None) -> str | None:
    if old == new:
        return None
    if old is None:
        return "added"
    if new is None:
        return "removed"
    return "changed" if old.mode >> 12 != new.mode >> 12 else "modified"
