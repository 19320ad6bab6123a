"""Worlds that are written down: a folder with `world.toml`, and a file for each repository.

A commit is on the default branch unless it says `on`. It continues its branch, or starts at the
commit that `from` names; `squash`, `merge` and `undo` take their files from other branches or
commits. Commits are named by their `key`, and `<<key>>` in a message stands for a hash. A commit of
the default branch is pushed when it is made, unless `pushed` says otherwise. The fields of threads
are those of `evals.worlds.data_model`.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from evals.worlds.data_model import (
    Edit,
    LandedGold,
    Pull,
    Repo,
    TimelineEvent,
    World,
    WorldComment,
    WorldIssue,
    WorldRelease,
    WorldStory,
    commit_name,
)
from evals.worlds.history import (
    FILE,
    LINK,
    SCRIPT,
    SUBMODULE,
    Changes,
    File,
    Moves,
    Note,
    WorldHistory,
)
from evals.worlds.odd_files import ODD_FILES

DATA = Path(__file__).with_name("data")
Row = Mapping[str, Any]
People = Mapping[str, Mapping[str, str]]
"""Name and mail address of each person, by login."""
_KEY = re.compile(r"<<([\w -]{1,60})>>")
_BLANK = re.compile(r"\{([\w ]{1,30})\}")
_MODES = {"write": FILE, "link": LINK, "submodule": SUBMODULE, "script": SCRIPT}
"""The tables of a commit that hold whole files, with the mode of those files."""
_COMMENTS_PER_THREAD = 1_000  # Comment ids are unique as long as no thread has more


@dataclass(frozen=True)
class Made:
    """A written repository, what landed there, and the commit of each key."""

    repo: Repo
    landed: tuple[LandedGold, ...]
    keys: Mapping[str, str]


class _FileChanges(NamedTuple):
    """The changes of files in a commit."""

    changes: Changes
    moves: Moves


def read_world(source: Path, folder: Path) -> World:
    """Write the repositories of the world that is described in `source` below a folder.

    Its notes say which commit each key stands for, as `owner/name: key`. Its people are those of
    its `[[user]]` tables, or of `data/people.toml` where it has none.
    """
    about = _read_toml(source / "world.toml")
    users = _by_login(about["user"]) if "user" in about else people()
    notes: dict[str, str] = dict(about.get("notes", {}))
    repos: list[Repo] = []
    landed: list[LandedGold] = []
    for file_name in about["repos"]:
        made = make_repository(_read_toml(source / f"{file_name}.toml"), folder, users)
        full_name = made.repo.full_name
        for key, sha in made.keys.items():
            notes[f"{full_name}: {key}"] = commit_name(full_name, sha)
        repos.append(made.repo)
        landed.extend(made.landed)
    stories = tuple(_story(row, notes) for row in about.get("story", ()))
    return World(about["now"], tuple(repos), tuple(landed), notes, stories)


def _story(row: Row, notes: Mapping[str, str]) -> WorldStory:
    targets = sorted(notes.get(key, key) for key in row["targets"])
    missing = tuple(row.get("missing", ()))
    return WorldStory(row["kind"], notes[row["doer"]], tuple(targets), missing)


@cache
def people() -> People:
    """Return the people who work on the projects of the evaluations, by login."""
    return _by_login(read_data("people.toml")["user"])


def _by_login(rows: Sequence[Row]) -> People:
    return {row["login"]: row for row in rows}


def make_repository(spec: Row, folder: Path, users: People | None = None) -> Made:
    """Write a repository below a folder as its file describes it."""
    owner, _, name = spec["name"].partition("/")
    git_dir = folder / owner / f"{name}.git"
    history = WorldHistory(spec["name"], spec.get("branch", "main"), git_dir)
    builder = _Builder(history, people() if users is None else users)
    for row in spec.get("commit", ()):
        builder.commit(row)
    pulls = tuple(builder.pull(row) for row in spec.get("pull", ()))
    for pull in pulls:
        if pull.head_ref in builder.branches:
            history.refs[f"refs/pull/{pull.number}/head"] = pull.head_sha
    for ref, key in spec.get("refs", {}).items():
        history.refs[ref] = builder.keys[key]
    history.finish()
    issues = tuple(WorldIssue(**builder.thread(row)) for row in spec.get("issue", ()))
    releases = []
    for number, row in enumerate(spec.get("release", ()), start=1):
        releases.append(builder.release(row, number))
    repo = Repo(
        id=spec["id"],
        owner=owner,
        name=name,
        default_branch=history.branch,
        git_dir=git_dir,
        issues=issues,
        pulls=pulls,
        releases=tuple(releases),
        pushes=tuple(history.pushes),
        former_names=tuple(spec.get("former_names", ())),
    )
    return Made(repo, tuple(history.landed.values()), builder.keys)


@dataclass
class _Builder:
    """Makes a repository from the rows of its file."""

    history: WorldHistory
    people: People
    keys: dict[str, str] = field(default_factory=dict)
    branches: dict[str, list[str]] = field(default_factory=dict)
    """The commits of each side branch, in the order in which they were made."""

    def commit(self, row: Row) -> None:
        """Make one commit, and push it where it belongs on the default branch."""
        history = self.history
        branch = row.get("on", history.branch)
        self._fork(row, branch)
        note = self._note(row)
        sha = self._committed(row, branch, note)
        if "key" in row:
            self.keys[row["key"]] = sha
        if branch != history.branch:
            self.branches.setdefault(branch, []).append(sha)
        if row.get("forward"):
            history.fork(history.branch, sha)
        on_default_branch = branch == history.branch or row.get("forward")
        if on_default_branch and row.get("pushed", True):
            history.push(row.get("pushed", note.committed_at))

    def _fork(self, row: Row, branch: str) -> None:
        """Start the branch of a commit where that is needed; an empty `from` makes a root."""
        history = self.history
        origin = row.get("from")
        if origin:
            history.fork(branch, self.keys[origin])
        elif origin is None and history.heads and branch not in history.heads:
            history.fork(branch)

    def _committed(self, row: Row, branch: str, note: Note) -> str:
        """Make the commit in the way that its row asks for, and return its hash."""
        if "squash" in row:
            return self.history.squash(branch, row["squash"], note)
        if "merge" in row:
            return self.history.merge(branch, row["merge"], note)
        if "undo" in row:
            return self.history.undo(self.keys[row["undo"]], note)
        files = self._file_changes(row, branch)
        return self.history.commit(branch, files.changes, files.moves, note)

    def _note(self, row: Row) -> Note:
        committed_at: datetime = row.get("committed", row["at"])
        encoding = row.get("encoding")
        codec = row.get("bytes")
        author = self._signature(row["author"], row["at"])
        committer = self._signature(row.get("committer", row["author"]), committed_at)
        signature_codec = codec or encoding or "utf-8"
        edits = [self._edit(edit, codec or "utf-8") for edit in row.get("edits", ())]
        return Note(
            message=self._message(row),
            author=author.encode(signature_codec),
            committer=committer.encode(signature_codec),
            committed_at=committed_at.astimezone(UTC),
            edits=tuple(edits),
            tags=tuple(row.get("tags", ())),
            encoding=encoding,
        )

    def _signature(self, who: str | Mapping[str, str], at: datetime) -> str:
        """Return the signature of a login, or of a name and an address without an account."""
        person = self.people[who] if isinstance(who, str) else who
        return f"{person['name']} <{person['email']}> {int(at.timestamp())} {at:%z}"

    def _message(self, row: Row) -> bytes:
        text = self._filled(row["message"])
        codec = row.get("bytes")
        if codec:
            return text.encode(codec)  # What is written in odd bytes stays as it is.
        # git ends every other message with a newline.
        return text.rstrip("\n").encode(row.get("encoding") or "utf-8") + b"\n"

    def _filled(self, text: str) -> str:
        return _KEY.sub(lambda match: self.keys.get(match[1], match[0]), text)

    def _edit(self, row: Row, codec: str) -> Edit:
        params = []
        for key, text in row.items():
            if key not in ("kind", "path"):
                params.append((key, self._filled(text)))
        path = row["path"].encode(codec).decode("utf-8", "surrogateescape")
        return Edit(row["kind"], path, tuple(params))

    def _file_changes(self, row: Row, branch: str) -> _FileChanges:
        """List what a commit does to files.

        `bytes` is the encoding of its texts and paths where that is not UTF-8.
        """
        codec = row.get("bytes", "utf-8")
        tree = self.history.tree(branch)

        def encoded(text: str | bytes) -> bytes:
            return text.encode(codec) if isinstance(text, str) else text

        changes: dict[bytes, File | None] = {}
        for path in row.get("remove", ()):
            changes[encoded(path)] = None
        moves = []
        for old_path, new_path in row.get("move", {}).items():
            old = encoded(old_path)
            new = encoded(new_path)
            moves.append((old, new))
            changes[old] = None
            changes[new] = tree[old]
        if "made" in row:
            for path, text in ODD_FILES[row["made"]]().items():
                changes[encoded(path)] = File(FILE, encoded(text))
        for table, mode in _MODES.items():
            for path, text in row.get(table, {}).items():
                changes[encoded(path)] = File(mode, encoded(text))
        for path, swaps in row.get("swap", {}).items():
            file = changes.get(encoded(path)) or tree[encoded(path)]
            text = swapped(file.data.decode(codec), swaps)
            changes[encoded(path)] = File(FILE, encoded(text))
        for path in row.get("executable", ()):
            changes[encoded(path)] = tree[encoded(path)]._replace(mode=SCRIPT)
        return _FileChanges(changes, tuple(moves))

    def thread(self, row: Row) -> dict[str, Any]:
        """Return the fields that issues and pull requests have in common."""
        comments = []
        for index, comment in enumerate(row.get("comments", ())):
            comment_id = row["number"] * _COMMENTS_PER_THREAD + index
            author = comment.get("author")
            comments.append(
                WorldComment(comment_id, author, comment["body"], comment["created_at"])
            )
        events = self._events(row)
        moments = [row["created_at"]]
        moments += [comment.created_at for comment in comments]
        moments += [event.at for event in events]
        closed_at = row.get("closed_at", row.get("merged_at"))
        defaults = {
            "author": None,
            "state": "closed" if closed_at else "open",
            "closed_at": closed_at,
            "updated_at": max(moments),
        }
        lists = {
            "labels": tuple(row.get("labels", ())),
            "comments": tuple(comments),
            "events": events,
        }
        return {**defaults, **row, **lists}

    def pull(self, row: Row) -> Pull:
        """Make a pull request; its branch is the key of the commit that landed it."""
        branch = row["head_ref"]
        landed = self.keys[branch] if row.get("merged_at") else None
        commits = self.branches.get(branch) or [landed or ""]
        ends = {
            "base": self.history.branch,
            "merge_commit": landed,
            "head_sha": commits[-1],
            "commits": tuple(commits),
        }
        closes = tuple(self._reference(text) for text in row.get("closes", ()))
        return Pull(**ends | self.thread(row) | {"closes": closes})

    def release(self, row: Row, number: int) -> WorldRelease:
        """Make a release, which has the date of its commit."""
        sha = self.keys[row["commit"]]
        created_at = self.history.records[sha].gold.committed_at
        return WorldRelease(**{**row, "id": number, "commit": sha, "created_at": created_at})

    def _events(self, row: Row) -> tuple[TimelineEvent, ...]:
        """List what happened to a thread; the merge of a pull request comes from its own fields."""
        events = [self._event(event) for event in row.get("events", ())]
        if "merged_at" in row:
            events.append(TimelineEvent("merged", row["merged_at"], self.keys[row["head_ref"]]))
            events.append(TimelineEvent("closed", row["merged_at"]))
        return tuple(sorted(events, key=lambda event: event.at))

    def _event(self, row: Row) -> TimelineEvent:
        fields = dict(row)
        if "commit" in row:
            fields["commit"] = self.keys[row["commit"]]
        if "source" in row:
            fields["source"] = self._reference(row["source"])
        return TimelineEvent(**fields)

    def _reference(self, text: str) -> tuple[str, int]:
        name, _, number = text.partition("#")
        return name or self.history.repo, int(number)


def swapped(text: str, swaps: Sequence[Sequence[str]]) -> str:
    """Replace passages, each of which must occur exactly once."""
    for old, new in swaps:
        assert text.count(old) == 1, f"{old!r} is there {text.count(old)} times"
        text = text.replace(old, new)
    return text


def read_data(name: str) -> dict[str, Any]:
    """Read a file below `data`; callers must not change what it returns."""
    return _read_toml(DATA / name)


@cache
def _read_toml(file: Path) -> dict[str, Any]:
    return tomllib.loads(file.read_text("utf-8"))


def variant(node: Any, words: Mapping[str, str], which: str) -> Any:
    """Copy the data of a file with words in place of `{blanks}`.

    Rows that are `only` for another variant are left out.
    """
    if isinstance(node, str):
        return _BLANK.sub(lambda match: words.get(match[1], match[0]), node)
    if isinstance(node, list):
        items = []
        for item in node:
            if isinstance(item, dict) and item.get("only", which) != which:
                continue
            items.append(variant(item, words, which))
        return items
    if isinstance(node, dict):
        table = {}
        for key, value in node.items():
            if key != "only":
                table[variant(key, words, which)] = variant(value, words, which)
        return table
    return node
