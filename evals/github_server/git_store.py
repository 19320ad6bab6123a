"""A store of one repository, read with git: refs after one of its pushes, commits, files and diffs.

The server has its own git directory for each repository. It borrows the objects (alternates) and
has its own refs, so nothing is written into a world or a mirror.
"""

import os
import re
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from agent.domain.errors import InputError
from evals.github_server.http_responses import Json, Refusal, stamp
from evals.worlds.data_model import Repo

_ATTRIBUTES = Path(__file__).with_name("github.attributes")
_HEX = frozenset("0123456789abcdef")
_MIN_HASH = 4  # git's shortest abbreviation
_FULL_HASH = 40
# Answers must not depend on the owner of the files or on the configuration of the machine.
GIT = (
    "git",
    "-c",
    "safe.directory=*",
    "-c",
    "uploadpack.allowFilter=true",
    "-c",
    "uploadpack.allowAnySHA1InWant=true",
)
"""How every git process of the server begins."""
GIT_ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "LC_ALL": "C",
    "PATH": os.pathsep.join(os.get_exec_path()),
}
"""The environment of every git process of the server."""
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
# Lines of hunks begin with a space, a sign or a backslash: this word begins a new file.
_NEXT_FILE = re.compile(rb"^(?=diff --git )", re.MULTILINE)


class StoredObject(NamedTuple):
    """An object of git."""

    sha: str
    type: str
    content: bytes


class StoredFile(NamedTuple):
    """A file at a commit: the hash of its blob, and its bytes."""

    sha: str
    content: bytes


class StoredRef(NamedTuple):
    """A ref; `peeled` is the commit behind an annotated tag, or empty."""

    sha: str
    peeled: str = ""


class StoredCommit(NamedTuple):
    """A commit as its object describes it."""

    sha: str
    parents: tuple[str, ...]
    github_json: Json  # Its people, message and tree as the API shows them


class GitStore:
    """The objects of a repository, and the refs that the server shows of it."""

    def __init__(self, repo: Repo, folder: Path) -> None:
        self.git_dir = folder
        self._repo = repo
        clone = repo.git_dir / ".git"
        self._source = clone if clone.is_dir() else repo.git_dir
        self._refs: dict[str, str] = {}  # Every ref with the commit it leads to
        self._reader: subprocess.Popen[bytes] | None = None
        self.history = lru_cache(16)(self._history)
        self.commit = lru_cache(20_000)(self._commit)
        self.diff = lru_cache(48)(self._diff)
        self._prepare()

    def _prepare(self) -> None:
        objects_path = self._run_in_source("rev-parse", "--git-path", "objects").strip()
        objects = Path(os.fsdecode(objects_path))
        for part in ("objects/info", "objects/pack", "refs/heads"):
            (self.git_dir / part).mkdir(parents=True)
        (self.git_dir / "objects/info/alternates").write_text(f"{objects.resolve()}\n")
        config = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
        (self.git_dir / "config").write_text(config)
        (self.git_dir / "HEAD").write_text(f"ref: refs/heads/{self._repo.default_branch}\n")
        shallow = self._source / "shallow"
        if shallow.is_file():
            (self.git_dir / "shallow").write_bytes(shallow.read_bytes())

    def close(self) -> None:
        """End the process that reads objects."""
        if self._reader is not None:
            self._reader.communicate()
            self._reader = None

    def show(self, push: int | None) -> None:
        """Move the default branch to a push; None leaves it as it is in the repository."""
        refs = self._source_refs()
        if push is not None:
            tip = self._repo.pushes[push].tip
            refs[f"refs/heads/{self._repo.default_branch}"] = StoredRef(tip)
            for name in self._future_tags(push):
                refs.pop(name, None)
        self._write_refs(refs)
        self._refs = {name: ref.peeled or ref.sha for name, ref in refs.items()}

    def _source_refs(self) -> dict[str, StoredRef]:
        form = "--format=%(refname)%00%(objectname)%00%(*objectname)"
        refs: dict[str, StoredRef] = {}
        for line in self._lines_of_source("for-each-ref", form):
            name, sha, peeled = line.split("\0")
            refs[name] = StoredRef(sha, peeled)
        return refs

    def _write_refs(self, refs: dict[str, StoredRef]) -> None:
        lines = ["# pack-refs with: peeled fully-peeled sorted "]
        for name in sorted(refs, key=os.fsencode):
            ref = refs[name]
            lines.append(f"{ref.sha} {name}")
            if ref.peeled:
                lines.append(f"^{ref.peeled}")
        new_file = self.git_dir / "packed-refs.new"
        new_file.write_bytes(os.fsencode("\n".join(lines) + "\n"))
        # A clone that is reading refs sees the old file or the new one, never half of it.
        new_file.replace(self.git_dir / "packed-refs")

    def _future_tags(self, push: int) -> list[str]:
        """List the tags of commits that this push does not have yet."""
        tip = self._repo.pushes[push].tip
        last = self._repo.pushes[-1].tip
        if tip == last:
            return []
        options = [f"--no-merged={tip}", f"--merged={last}", "--format=%(refname)", "refs/tags"]
        return self._lines_of_source("for-each-ref", *options)

    @property
    def tip(self) -> str | None:
        """The commit at the tip of the default branch; None for an empty repository."""
        return self._refs.get(f"refs/heads/{self._repo.default_branch}")

    def resolve(self, name: str) -> StoredCommit | None:
        """Find the commit behind a branch, a tag, or a full or short hash."""
        for ref in (f"refs/heads/{name}", f"refs/tags/{name}"):
            if ref in self._refs:
                return self.commit(self._refs[ref])
        if not _MIN_HASH <= len(name) <= _FULL_HASH or not set(name.lower()) <= _HEX:
            return None
        stored = self._object(f"{name.lower()}^{{commit}}")
        return self.commit(stored.sha) if stored else None

    def _commit(self, sha: str) -> StoredCommit | None:
        stored = self._object(sha)
        if stored is None or stored.type != "commit":
            return None
        return _parse_commit(stored.sha, stored.content)

    def _history(self, tip: str) -> dict[str, int]:
        """Return what a tip reaches with the committer dates, in the order of `git log`."""
        output = self._run("log", "--format=%H %ct", tip, "--")
        history: dict[str, int] = {}
        for line in output.decode().splitlines():
            sha, committed = line.split(" ")
            history[sha] = int(committed or 0)
        return history

    def between(self, base: str, tip: str) -> list[str]:
        """List the commits of `base..tip`, newest first; the two must have a common ancestor."""
        if _git(self.git_dir, "merge-base", base, tip).returncode:
            raise Refusal(404, f"No common ancestor between {base} and {tip}.")
        return self._run("rev-list", f"{base}..{tip}", "--").decode().split()

    def _diff(self, old: str | None, new: str) -> tuple[Json, ...]:
        """List the files of a commit against another one with their patches, as the API shows them."""
        return tuple(_parse_diff(self.diff_text(old, new, "-z", "--raw", "--full-index")))

    def diff_text(self, old: str | None, new: str, *options: str) -> bytes:
        """Return a diff as `application/vnd.github.diff` has it; without an old commit, of a root."""
        ends = ["--root", new] if old is None else [old, new]
        command = ("-c", "core.quotePath=false", "diff-tree", "--no-commit-id", *_DIFF, *_PREFIXES)
        return self._run(*command, *options, *ends, "--")

    def file(self, commit: str, path: str) -> StoredFile | None:
        """Return the file that a commit has at a path; None where it has none."""
        stored = self._object(f"{commit}:{path}")
        if stored is None or stored.type != "blob":
            return None
        return StoredFile(stored.sha, stored.content)

    def _object(self, name: str) -> StoredObject | None:
        """Return an object; None when it does not exist."""
        if "\n" in name or "\0" in name:
            return None  # The reader takes a line for each object.
        if self._reader is None or self._reader.poll() is not None:
            self._reader = self._start_reader()
        assert self._reader.stdin is not None
        assert self._reader.stdout is not None
        self._reader.stdin.write(f"{name}\n".encode("utf-8", "replace"))
        self._reader.stdin.flush()
        fields = self._reader.stdout.readline().split()
        if not fields:
            self.close()  # A name such as `HEAD:./x` ends the reader; the next request starts another.
        if len(fields) != 3 or not fields[2].isdigit():
            return None
        sha, kind, size = fields
        content = self._reader.stdout.read(int(size) + 1)[:-1]
        return StoredObject(sha.decode(), kind.decode(), content)

    def _start_reader(self) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [*GIT, f"--git-dir={self.git_dir}", "cat-file", "--batch"],
            env=GIT_ENVIRONMENT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def _run(self, *arguments: str) -> bytes:
        process = _git(self.git_dir, "-c", f"core.attributesFile={_ATTRIBUTES}", *arguments)
        if process.returncode:
            raise Refusal(500, "Server Error")
        return process.stdout

    def _run_in_source(self, *arguments: str) -> bytes:
        process = _git(self._source, *arguments)
        if process.returncode:
            reason = process.stderr.decode(errors="replace").strip()
            raise InputError(f"{self._source} cannot be served: {reason}")
        return process.stdout

    def _lines_of_source(self, *arguments: str) -> list[str]:
        output = self._run_in_source(*arguments)
        return output.decode("utf-8", "surrogateescape").splitlines()


def _git(git_dir: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    command = [*GIT, f"--git-dir={git_dir}", *arguments]
    return subprocess.run(command, env=GIT_ENVIRONMENT, capture_output=True, check=False)


def _parse_commit(sha: str, content: bytes) -> StoredCommit:
    """Parse a commit object; nothing in it is trusted to be well-formed."""
    header, _, message = content.partition(b"\n\n")
    fields: dict[bytes, bytes] = {}
    parents: list[str] = []
    for line in header.split(b"\n"):
        key, separator, value = line.partition(b" ")
        if not key or not separator:
            continue
        if key == b"parent":
            parents.append(value.decode())
        fields.setdefault(key, value)
    encoding = fields.get(b"encoding", b"utf-8").decode("ascii", "replace")
    github_json = {
        "author": _signature(fields.get(b"author", b""), encoding),
        "committer": _signature(fields.get(b"committer", b""), encoding),
        # git itself takes a NUL for the end of a message.
        "message": _text(message.partition(b"\0")[0], encoding).rstrip("\n"),
        "tree": {"sha": fields[b"tree"].decode()},
    }
    return StoredCommit(sha, tuple(parents), github_json)


def _text(raw: bytes, encoding: str) -> str:
    try:
        return raw.decode(encoding, "replace")
    except LookupError:
        return raw.decode("utf-8", "replace")


def _signature(raw: bytes, encoding: str) -> Json:
    person, _, moment = raw.rpartition(b">")
    name, _, email = person.rpartition(b"<")
    seconds = (moment.split() or [b"0"])[0]
    try:
        at = datetime.fromtimestamp(int(seconds), UTC)
    except (ValueError, OverflowError, OSError):
        at = datetime.fromtimestamp(0, UTC)
    return {
        "name": _text(name, encoding).strip(),
        "email": _text(email, encoding).strip(),
        "date": stamp(at),
    }


def _parse_diff(output: bytes) -> Iterator[Json]:
    """Parse what `git diff-tree` printed: an entry for each file, then the patches in that order."""
    entries: list[re.Match[bytes]] = []
    position = 0
    while entry := _ENTRY.match(output, position):
        entries.append(entry)
        position = entry.end()
    # One more NUL separates the entries from the patches.
    patches = iter(_NEXT_FILE.split(output[position + 1 :])[1:])
    for entry in entries:
        hunks = _hunks(next(patches, b""))
        if entry["status"] == b"T" and entry["old"] != entry["new"]:
            # A file that became a link, or the like, is printed as a removal and an addition.
            added = _hunks(next(patches, b""))
            hunks = b"\n".join(filter(None, (hunks, added)))
        yield _file_json(entry, hunks)


def _file_json(entry: re.Match[bytes], hunks: bytes) -> Json:
    additions = hunks.count(b"\n+")
    deletions = hunks.count(b"\n-")
    sha = entry["was"] if entry["status"] == b"D" else entry["sha"]
    github_json: Json = {
        "sha": sha.decode(),
        "filename": entry["path"].decode("utf-8", "replace"),
        "status": _STATUS.get(entry["status"], "changed"),
        "additions": additions,
        "deletions": deletions,
        "changes": additions + deletions,
    }
    if hunks:
        github_json["patch"] = hunks.decode("utf-8", "replace")
    if entry["previous"]:
        github_json["previous_filename"] = entry["previous"].decode("utf-8", "replace")
    return github_json


def _hunks(patch: bytes) -> bytes:
    start = patch.find(b"\n@@ ")
    if start < 0:
        return b""
    return patch[start + 1 :].removesuffix(b"\n")
