"""One repository read with git: its refs after one of its pushes, its commits, files and diffs.

The server has a git directory of its own for each repository. It borrows the objects (alternates) and has its own
refs, so nothing is written into a world or a mirror.
"""

import os
import re
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from agent.domain.base import InputError
from evals.github_server.responses import Json, Refusal, stamp
from evals.worlds.model import Repo

_ATTRIBUTES = Path(__file__).with_name("github.attributes")
_HEX = frozenset("0123456789abcdef")
# Answers must not depend on who owns the files or on the machine's own configuration.
_SETTINGS = (
    "safe.directory=*",
    "uploadpack.allowFilter=true",
    "uploadpack.allowAnySHA1InWant=true",
)
GIT = ("git", *(part for setting in _SETTINGS for part in ("-c", setting)))
GIT_ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_TERMINAL_PROMPT": "0",
}
GIT_ENVIRONMENT |= {"GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
GIT_ENVIRONMENT |= {"PATH": os.pathsep.join(os.get_exec_path())}
"""How and in which environment every git process of the server runs."""
# The options of `git diff-tree` that give GitHub's order, status and hunks.
_DIFF = ("-r", "-M", "-p", "--inter-hunk-context=1", "--no-color", "--no-ext-diff", "--no-textconv")
_PREFIXES = ("--src-prefix=a/", "--dst-prefix=b/")
_STATUS = {
    b"A": "added",
    b"D": "removed",
    b"M": "modified",
    b"T": "changed",
    b"R": "renamed",
    b"C": "copied",
}
_ENTRY = re.compile(
    rb":(?P<old>\d+)\d{4} (?P<new>\d+)\d{4} (?P<was>\w+) (?P<sha>\w+) (?P<status>[A-Z])\d*\0"
    rb"(?:(?<=[RC]\d{3}\0)(?P<previous>[^\0]+)\0)?(?P<path>[^\0]+)\0"
)
# Lines of hunks begin with a space, a sign or a backslash, so the word at the start of a line is always a new file.
_PART = re.compile(rb"^(?=diff --git )", re.MULTILINE)


class StoredCommit(NamedTuple):
    """A commit as its object says."""

    sha: str
    parents: tuple[str, ...]
    shown: Json  # Its people, message and tree as the API shows them


class GitStore:
    """The objects of a repository, and the refs that the server shows of it."""

    def __init__(self, repo: Repo, folder: Path) -> None:
        self.git_dir = folder
        self._repo = repo
        self._source = repo.git_dir / ".git" if (repo.git_dir / ".git").is_dir() else repo.git_dir
        self._refs: dict[str, str] = {}  # Every ref with the commit it leads to
        self._reader: subprocess.Popen[bytes] | None = None
        self.history = lru_cache(16)(self._history)
        self.commit = lru_cache(20_000)(self._commit)
        self.diff = lru_cache(48)(self._diff)
        self._prepare()

    def _prepare(self) -> None:
        objects = Path(os.fsdecode(self._ask_source("rev-parse", "--git-path", "objects").strip()))
        for part in ("objects/info", "objects/pack", "refs/heads"):
            (self.git_dir / part).mkdir(parents=True)
        (self.git_dir / "objects/info/alternates").write_text(f"{objects.resolve()}\n")
        (self.git_dir / "config").write_text(
            "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
        )
        (self.git_dir / "HEAD").write_text(f"ref: refs/heads/{self._repo.default_branch}\n")
        if (self._source / "shallow").is_file():
            (self.git_dir / "shallow").write_bytes((self._source / "shallow").read_bytes())

    def close(self) -> None:
        """End the process that reads objects."""
        if self._reader is not None:
            self._reader.communicate()
            self._reader = None

    def show(self, push: int | None) -> None:
        """Move the default branch to a push of the repository; None takes the branch as it is in the repository."""
        listing = self._ask_source(
            "for-each-ref", "--format=%(refname)%00%(objectname)%00%(*objectname)"
        )
        rows = [
            line.split("\0") for line in listing.decode("utf-8", "surrogateescape").splitlines()
        ]
        refs = {name: (sha, below) for name, sha, below in rows}
        if push is not None:
            refs[f"refs/heads/{self._repo.default_branch}"] = (self._repo.pushes[push].tip, "")
            for name in self._future_tags(push):
                refs.pop(name, None)
        lines = ["# pack-refs with: peeled fully-peeled sorted "]
        for name in sorted(refs, key=os.fsencode):
            sha, below = refs[name]
            lines += [f"{sha} {name}", *([f"^{below}"] if below else [])]
        fresh = self.git_dir / "packed-refs.new"
        fresh.write_bytes(os.fsencode("\n".join(lines) + "\n"))
        # A clone that is reading refs right now sees the old file or the new one, never half of it.
        fresh.replace(self.git_dir / "packed-refs")
        self._refs = {name: below or sha for name, (sha, below) in refs.items()}

    def _future_tags(self, push: int) -> list[str]:
        """Find the tags that stand on commits which this push does not have yet."""
        tip, last = self._repo.pushes[push].tip, self._repo.pushes[-1].tip
        if tip == last:
            return []
        options = [f"--no-merged={tip}", f"--merged={last}", "--format=%(refname)", "refs/tags"]
        return (
            self._ask_source("for-each-ref", *options)
            .decode("utf-8", "surrogateescape")
            .splitlines()
        )

    @property
    def tip(self) -> str | None:
        """The commit at the head of the default branch; None for an empty repository."""
        return self._refs.get(f"refs/heads/{self._repo.default_branch}")

    def resolve(self, name: str) -> StoredCommit | None:
        """Find the commit behind a branch, a tag, or a full or short hash."""
        for ref in (f"refs/heads/{name}", f"refs/tags/{name}"):
            if ref in self._refs:
                return self.commit(self._refs[ref])
        if not 4 <= len(name) <= 40 or not set(name.lower()) <= _HEX:
            return None
        found = self._object(f"{name.lower()}^{{commit}}")
        return self.commit(found[0]) if found else None

    def _commit(self, sha: str) -> StoredCommit | None:
        found = self._object(sha)
        return (
            _parse_commit(found[0], found[2])
            if found is not None and found[1] == "commit"
            else None
        )

    def _history(self, tip: str) -> dict[str, int]:
        """List what a tip reaches with its committer dates, in the order of `git log`."""
        output = self._run("log", "--format=%H %ct", tip, "--")
        return {
            row[0].decode(): int(row[1] or 0)
            for row in (line.split(b" ") for line in output.splitlines())
        }

    def between(self, base: str, head: str) -> list[str]:
        """List the commits of `base..head`, newest first; the two lines of history must meet somewhere."""
        if _git(self.git_dir, "merge-base", base, head).returncode:
            raise Refusal(404, f"No common ancestor between {base} and {head}.")
        return self._run("rev-list", f"{base}..{head}", "--").decode().split()

    def _diff(self, old: str | None, new: str) -> tuple[Json, ...]:
        """List the files of a commit against another one, each with its whole patch, as the API shows them."""
        return tuple(_parse_diff(self.diff_text(old, new, "-z", "--raw", "--full-index")))

    def diff_text(self, old: str | None, new: str, *options: str) -> bytes:
        """Give a diff as text, the way `application/vnd.github.diff` does; without the old commit, of a root."""
        ends = ["--root", new] if old is None else [old, new]
        command = ("-c", "core.quotePath=false", "diff-tree", "--no-commit-id", *_DIFF, *_PREFIXES)
        return self._run(*command, *options, *ends, "--")

    def file(self, commit: str, path: str) -> tuple[str, bytes] | None:
        """Read what a commit has at a path as (hash, content); None where it has no file."""
        found = self._object(f"{commit}:{path}")
        return (found[0], found[2]) if found is not None and found[1] == "blob" else None

    def _object(self, name: str) -> tuple[str, str, bytes] | None:
        """Read an object as (hash, type, content); None when it is not there."""
        if "\n" in name or "\0" in name:
            return None  # The reader takes a line for each object.
        if self._reader is None or self._reader.poll() is not None:
            command, pipe = (
                [*GIT, f"--git-dir={self.git_dir}", "cat-file", "--batch"],
                subprocess.PIPE,
            )
            self._reader = subprocess.Popen(
                command, env=GIT_ENVIRONMENT, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL
            )
        assert self._reader.stdin is not None
        assert self._reader.stdout is not None
        self._reader.stdin.write(f"{name}\n".encode("utf-8", "replace"))
        self._reader.stdin.flush()
        head = self._reader.stdout.readline().split()
        if not head:
            self.close()  # A name such as `HEAD:./x` ends the reader; the next request starts another.
        if len(head) != 3 or not head[2].isdigit():
            return None
        content = self._reader.stdout.read(int(head[2]) + 1)[:-1]
        return head[0].decode(), head[1].decode(), content

    def _run(self, *arguments: str) -> bytes:
        done = _git(self.git_dir, "-c", f"core.attributesFile={_ATTRIBUTES}", *arguments)
        if done.returncode:
            raise Refusal(500, "Server Error")
        return done.stdout

    def _ask_source(self, *arguments: str) -> bytes:
        done = _git(self._source, *arguments)
        if done.returncode:
            raise InputError(
                f"{self._source} cannot be served: {done.stderr.decode(errors='replace').strip()}"
            )
        return done.stdout


def _git(git_dir: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    command = [*GIT, f"--git-dir={git_dir}", *arguments]
    return subprocess.run(command, env=GIT_ENVIRONMENT, capture_output=True, check=False)


def _parse_commit(sha: str, content: bytes) -> StoredCommit:
    """Read a commit object; nothing in it is trusted to be well-formed."""
    head, _, message = content.partition(b"\n\n")
    rows = [line.split(b" ", 1) for line in head.split(b"\n") if b" " in line[1:]]
    fields = {key: value for key, value in reversed(rows) if key}
    encoding = fields.get(b"encoding", b"utf-8").decode("ascii", "replace")
    shown = {
        "author": _signature(fields.get(b"author", b""), encoding),
        "committer": _signature(fields.get(b"committer", b""), encoding),
        # git itself takes a NUL for the end of a message.
        "message": _text(message.partition(b"\0")[0], encoding).rstrip("\n"),
        "tree": {"sha": fields[b"tree"].decode()},
    }
    return StoredCommit(
        sha, tuple(value.decode() for key, value in rows if key == b"parent"), shown
    )


def _text(raw: bytes, encoding: str) -> str:
    try:
        return raw.decode(encoding, "replace")
    except LookupError:
        return raw.decode("utf-8", "replace")


def _signature(raw: bytes, encoding: str) -> Json:
    who, _, when = raw.rpartition(b">")
    name, _, email = who.rpartition(b"<")
    try:
        at = datetime.fromtimestamp(int((when.split() or [b"0"])[0]), UTC)
    except (ValueError, OverflowError, OSError):
        at = datetime.fromtimestamp(0, UTC)
    return {
        "name": _text(name, encoding).strip(),
        "email": _text(email, encoding).strip(),
        "date": stamp(at),
    }


def _parse_diff(output: bytes) -> Iterator[Json]:
    """Read what `git diff-tree` printed: an entry for each file, then the patches in the same order."""
    entries, place = [], 0
    while found := _ENTRY.match(output, place):
        entries.append(found)
        place = found.end()
    # One more NUL stands between the entries and the patches.
    parts = iter(_PART.split(output[place + 1 :])[1:])
    for entry in entries:
        # A file that became a link, or the like, is printed as a removal and an addition.
        count = 2 if entry["status"] == b"T" and entry["old"] != entry["new"] else 1
        hunks = b"\n".join(filter(None, (_hunks(next(parts, b"")) for _ in range(count))))
        additions, deletions = hunks.count(b"\n+"), hunks.count(b"\n-")
        yield {
            "sha": (entry["was"] if entry["status"] == b"D" else entry["sha"]).decode(),
            "filename": entry["path"].decode("utf-8", "replace"),
            "status": _STATUS.get(entry["status"], "changed"),
            "additions": additions,
            "deletions": deletions,
            "changes": additions + deletions,
            **({"patch": hunks.decode("utf-8", "replace")} if hunks else {}),
            **(
                {"previous_filename": entry["previous"].decode("utf-8", "replace")}
                if entry["previous"]
                else {}
            ),
        }


def _hunks(part: bytes) -> bytes:
    start = part.find(b"\n@@ ")
    return part[start + 1 :].removesuffix(b"\n") if start >= 0 else b""
