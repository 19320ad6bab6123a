"""Reading a repository with git itself: histories, objects and diffs, remembered as long as they cannot change."""

import subprocess
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from pathlib import Path
from typing import Any, TypeVar

from evals.github_server import diffs
from evals.github_server.diffs import FileDiff
from evals.github_server.objects import CommitObject, History, TreeEntry, parse_commit, parse_tree
from evals.github_server.view import View, git_environment
from evals.github_server.wire import Refusal, not_found

ATTRIBUTES = Path(__file__).with_name("github.attributes")
HEX = frozenset("0123456789abcdef")

Value = TypeVar("Value")


class Shelf:
    """A small cache that forgets what was not used for longest."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept: OrderedDict[Hashable, Any] = OrderedDict()
        self._lock = threading.Lock()

    def peek(self, key: Hashable) -> Any:
        """Take what is on the shelf, or None."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def put(self, key: Hashable, value: Any) -> None:
        """Lay something on the shelf."""
        with self._lock:
            self._kept[key] = value
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Take the value from the shelf, or make it; two threads may make the same one, which does no harm."""
        kept: Value | None = self.peek(key)
        if kept is None:
            kept = make()
            self.put(key, kept)
        return kept


class GitStore:
    """The objects behind one view."""

    def __init__(self, view: View) -> None:
        self.view = view
        self._lock = threading.Lock()
        self._reader: subprocess.Popen[bytes] | None = None
        self._histories, self._commits, self._diffs, self._answers = Shelf(16), Shelf(20_000), Shelf(48), Shelf(256)

    def close(self) -> None:
        """End the process that reads objects."""
        with self._lock:
            if self._reader is not None:
                self._reader.communicate()
                self._reader = None

    # ------------------------------------------------------------ running git

    def run(self, *arguments: str, missing: Refusal | None = None) -> bytes:
        """Run git in the view; a failure is the refusal given, or a server error."""
        if any("\0" in argument for argument in arguments):
            # No name in git has one, and no process can be given one.
            raise missing or not_found()
        command = ["git", f"--git-dir={self.view.git_dir}", "-c", f"core.attributesFile={ATTRIBUTES}", *arguments]
        done = subprocess.run(command, env=git_environment(), capture_output=True, check=False)
        if done.returncode:
            raise missing or Refusal(500, "Server Error")
        return done.stdout

    def objects(self, names: list[str]) -> list[tuple[str, str, bytes] | None]:
        """Read objects as (sha, type, content); None for what is not there."""
        found: list[tuple[str, str, bytes] | None] = []
        with self._lock:
            reader = self._start()
            # A line break in a name would be two requests; no object has such a name.
            for part in [names[start : start + 200] for start in range(0, len(names), 200)]:
                lines = "".join(f"{name if name.isprintable() else 'unprintable'}\n" for name in part)
                assert reader.stdin is not None
                reader.stdin.write(lines.encode("utf-8", "replace"))
                reader.stdin.flush()
                found += [self._next(reader) for _ in part]
        return found

    def _start(self) -> subprocess.Popen[bytes]:
        if self._reader is None or self._reader.poll() is not None:
            command = ["git", f"--git-dir={self.view.git_dir}", "cat-file", "--batch"]
            pipe = subprocess.PIPE
            self._reader = subprocess.Popen(
                command, env=git_environment(), stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL
            )
        return self._reader

    @staticmethod
    def _next(reader: subprocess.Popen[bytes]) -> tuple[str, str, bytes] | None:
        assert reader.stdout is not None
        head = reader.stdout.readline().split()
        if len(head) != 3 or not head[2].isdigit():
            return None
        content = reader.stdout.read(int(head[2]))
        reader.stdout.read(1)
        return head[0].decode(), head[1].decode(), content

    # ------------------------------------------------------------ names

    def resolve(self, name: str) -> str | None:
        """Find the commit behind a branch, a tag, or a full or short hash."""
        for ref in (f"refs/heads/{name}", f"refs/tags/{name}", name):
            if ref.startswith("refs/") and ref in self.view.refs:
                return self.view.peeled.get(ref, self.view.refs[ref])
        if name == "HEAD":
            return self.view.tip
        if not 4 <= len(name) <= 40 or not set(name.lower()) <= HEX:
            return None
        [found] = self.objects([f"{name.lower()}^{{commit}}"])
        return found[0] if found else None

    # ------------------------------------------------------------ commits

    def commits(self, shas: Iterable[str]) -> list[CommitObject]:
        """Read commits; one that is not there is left out."""
        wanted = list(shas)
        known: dict[str, CommitObject] = {}
        unknown = [sha for sha in wanted if not self._peek(sha, known)]
        for sha, found in zip(unknown, self.objects(unknown), strict=True):
            if found is not None and found[1] == "commit":
                known[sha] = parse_commit(found[0], found[2])
                self._commits.put(sha, known[sha])
        return [known[sha] for sha in wanted if sha in known]

    def _peek(self, sha: str, known: dict[str, CommitObject]) -> bool:
        kept = self._commits.peek(sha)
        if kept is not None:
            known[sha] = kept
        return kept is not None

    def commit(self, sha: str) -> CommitObject | None:
        """Read one commit."""
        return next(iter(self.commits([sha])), None)

    def history(self, tip: str, path: str | None = None) -> History:
        """List what a tip reaches, optionally only what touched a path."""
        return self._histories.get((tip, path), lambda: self._history(tip, path))

    def _history(self, tip: str, path: str | None) -> History:
        tail = [] if path is None else ["--", f":(literal){path}"]
        output = self.run("log", "--format=%H %ct", tip, *(tail or ["--"]), missing=Refusal(404, "Not Found"))
        rows = [line.split(b" ") for line in output.splitlines()]
        shas = tuple(row[0].decode() for row in rows)
        return History(shas, tuple(int(row[1] or 0) for row in rows), frozenset(shas))

    def between(self, base: str, head: str) -> tuple[str, ...]:
        """List the commits of `base..head`, newest first."""
        output = self._answers.get(("between", base, head), lambda: self.run("rev-list", f"{base}..{head}", "--"))
        return tuple(output.decode().split())

    def merge_base(self, one: str, other: str) -> str | None:
        """Find where two lines of history meet."""
        try:
            output = self._answers.get(("base", one, other), lambda: self.run("merge-base", one, other))
        except Refusal:
            return None
        return output.decode().split()[0]

    # ------------------------------------------------------------ contents

    def diff(self, old: str | None, new: str) -> tuple[FileDiff, ...]:
        """Compare two commits; without the old one the new one is the first of its line."""
        return self._diffs.get((old, new), lambda: diffs.parse(self._diff_tree(diffs.OPTIONS, old, new)))

    def diff_text(self, old: str | None, new: str) -> bytes:
        """Give a diff as text, the way `application/vnd.github.diff` does."""
        return self._diff_tree(tuple(o for o in diffs.OPTIONS if o not in ("-z", "--raw", "--full-index")), old, new)

    def _diff_tree(self, options: tuple[str, ...], old: str | None, new: str) -> bytes:
        ends = ["--root", new] if old is None else [old, new]
        return self.run("-c", "core.quotePath=false", "diff-tree", "--no-commit-id", *options, *ends, "--")

    def patch_text(self, sha: str) -> bytes:
        """Give a commit as a mail, the way `application/vnd.github.patch` does."""
        return self.run("format-patch", "-1", "--stdout", "-M", "--no-signature", sha)

    def tree(self, sha: str, *, recursive: bool = False) -> list[TreeEntry]:
        """List a tree."""
        flags = ["-r", "-t"] if recursive else []
        command = ["ls-tree", "-z", "-l", *flags, sha]
        return self._answers.get(("tree", sha, recursive), lambda: parse_tree(self.run(*command)))
