"""Worlds that are written down: `data/NAME/world.toml`, and a file for each repository with its commits and threads.

A commit stands on the default branch unless it says `on`. It continues its branch, or starts at the commit that
`from` names; `squash`, `merge` and `undo` take their files from other branches or commits. Commits are known by their
`key`, and `<<key>>` in a message stands for a hash. A commit of the default branch is pushed when it is made, unless
`pushed` says otherwise. The fields of threads are those of `evals.worlds.model`.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

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
from evals.worlds.model import (
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
from evals.worlds.odd_files import ODD_FILES

DATA = Path(__file__).with_name("data")
Row = Mapping[str, Any]
_KEY = re.compile(r"<<([\w -]{1,60})>>")
_BLANK = re.compile(r"\{([\w ]{1,30})\}")
_MODES = {"write": FILE, "link": LINK, "submodule": SUBMODULE, "script": SCRIPT}
"""The tables of a commit that hold whole files, and what kind of file they make."""


@dataclass(frozen=True)
class Made:
    """A repository that is written, what landed there, and the commit of each key."""

    repo: Repo
    landed: tuple[LandedGold, ...]
    keys: Mapping[str, str]


def read_world(name: str, folder: Path) -> World:
    """Write the repositories of a world to a folder; its notes say what each key stands for, as `owner/name: key`."""
    about = read_data(f"{name}/world.toml")
    made = [make_repository(read_data(f"{name}/{one}.toml"), folder) for one in about["repos"]]
    notes: dict[str, str] = dict(about.get("notes", {}))
    for one in made:
        notes |= {
            f"{one.repo.full_name}: {key}": commit_name(one.repo.full_name, sha)
            for key, sha in one.keys.items()
        }
    stories = [_story(row, notes) for row in about.get("story", ())]
    landed = tuple(row for one in made for row in one.landed)
    return World(about["now"], tuple(one.repo for one in made), landed, notes, tuple(stories))


def _story(row: Row, notes: Mapping[str, str]) -> WorldStory:
    targets = sorted(notes.get(key, key) for key in row["targets"])
    return WorldStory(
        row["kind"], notes[row["doer"]], tuple(targets), tuple(row.get("missing", ()))
    )


@cache
def people() -> Mapping[str, Mapping[str, str]]:
    """Read who works on the projects, by login."""
    return {row["login"]: row for row in read_data("people.toml")["user"]}


def make_repository(spec: Row, folder: Path) -> Made:
    """Write a repository below a folder as its file describes it."""
    owner, _, name = spec["name"].partition("/")
    git_dir = folder / owner / f"{name}.git"
    building = _Building(WorldHistory(spec["name"], spec.get("branch", "main"), git_dir))
    for row in spec.get("commit", ()):
        building.commit(row)
    history, keys = building.history, building.keys
    pulls = tuple(building.pull(row) for row in spec.get("pull", ()))
    history.refs |= {
        f"refs/pull/{one.number}/head": one.head_sha
        for one in pulls
        if one.head_ref in building.branches
    }
    history.refs |= {ref: keys[key] for ref, key in spec.get("refs", {}).items()}
    history.finish()
    issues = tuple(WorldIssue(**building.thread(row)) for row in spec.get("issue", ()))
    releases = tuple(
        building.release(row, place) for place, row in enumerate(spec.get("release", ()), 1)
    )
    repo = Repo(
        spec["id"],
        owner,
        name,
        history.branch,
        git_dir,
        issues,
        pulls,
        releases,
        tuple(history.pushes),
    )
    repo = replace(repo, former_names=tuple(spec.get("former_names", ())))
    return Made(repo, tuple(history.landed.values()), keys)


@dataclass
class _Building:
    """A repository while it is made of its rows."""

    history: WorldHistory
    keys: dict[str, str] = field(default_factory=dict)
    branches: dict[str, list[str]] = field(default_factory=dict)
    """The commits of each side branch, in the order in which they were made."""

    def commit(self, row: Row) -> None:
        """Make one commit, and push it where it belongs on the default branch."""
        history, branch = self.history, row.get("on", self.history.branch)
        if row.get("from"):
            history.fork(branch, self.keys[row["from"]])
        elif branch not in history.heads and row.get("from") != "" and history.heads:
            history.fork(branch)
        note = self._note(row)
        if "squash" in row:
            sha = history.squash(branch, row["squash"], note)
        elif "merge" in row:
            sha = history.merge(branch, row["merge"], note)
        elif "undo" in row:
            sha = history.undo(self.keys[row["undo"]], note)
        else:
            sha = history.commit(branch, *self._changes(row, branch), note)
        if "key" in row:
            self.keys[row["key"]] = sha
        if branch != history.branch:
            self.branches.setdefault(branch, []).append(sha)
        if row.get("forward"):
            history.fork(history.branch, sha)
        if (branch == history.branch or row.get("forward")) and row.get("pushed", True):
            history.push(row.get("pushed", note.committed_at))

    def _note(self, row: Row) -> Note:
        at: datetime = row.get("committed", row["at"])
        encoding, codec = row.get("encoding"), row.get("bytes")
        signed = [(row["author"], row["at"]), (row.get("committer", row["author"]), at)]
        author, committer = (
            _signature(who, when).encode(codec or encoding or "utf-8") for who, when in signed
        )
        text = self._filled(row["message"])
        # What is written in odd bytes stays as it is; git ends every other message with a newline.
        message = (
            text.encode(codec) if codec else text.rstrip("\n").encode(encoding or "utf-8") + b"\n"
        )
        edits = tuple(self._edit(one, codec or "utf-8") for one in row.get("edits", ()))
        return Note(
            message,
            author,
            committer,
            at.astimezone(UTC),
            edits,
            tuple(row.get("tags", ())),
            encoding,
        )

    def _filled(self, text: str) -> str:
        return _KEY.sub(lambda found: self.keys.get(found[1], found[0]), text)

    def _edit(self, row: Row, codec: str) -> Edit:
        params = tuple(
            (key, self._filled(text)) for key, text in row.items() if key not in ("kind", "path")
        )
        return Edit(
            row["kind"], row["path"].encode(codec).decode("utf-8", "surrogateescape"), params
        )

    def _changes(self, row: Row, branch: str) -> tuple[Changes, Moves]:
        """List what a commit does to files; `bytes` is the encoding of its texts and paths where that is not UTF-8."""
        codec, tree = row.get("bytes", "utf-8"), self.history.tree(branch)

        def coded(text: str | bytes) -> bytes:
            return text.encode(codec) if isinstance(text, str) else text

        changes: dict[bytes, File | None] = {coded(path): None for path in row.get("remove", ())}
        moves = tuple((coded(old), coded(new)) for old, new in row.get("move", {}).items())
        for old, new in moves:
            changes |= {old: None, new: tree[old]}
        files = [(FILE, ODD_FILES[row["made"]]())] if "made" in row else []
        files += [(mode, row.get(table, {})) for table, mode in _MODES.items()]
        for mode, texts in files:
            changes |= {coded(path): File(mode, coded(text)) for path, text in texts.items()}
        for path, swaps in row.get("swap", {}).items():
            there = changes.get(coded(path)) or tree[coded(path)]
            changes[coded(path)] = File(FILE, coded(swapped(there.data.decode(codec), swaps)))
        changes |= {
            coded(path): tree[coded(path)]._replace(mode=SCRIPT)
            for path in row.get("executable", ())
        }
        return changes, moves

    def thread(self, row: Row) -> dict[str, Any]:
        """Give the fields that issues and pull requests have alike."""
        comments = tuple(
            WorldComment(
                row["number"] * 1_000 + place, one.get("author"), one["body"], one["created_at"]
            )
            for place, one in enumerate(row.get("comments", ()))
        )
        events = self._events(row)
        moments = [
            row["created_at"],
            *(one.created_at for one in comments),
            *(one.at for one in events),
        ]
        closed = row.get("closed_at", row.get("merged_at"))
        state = {
            "state": "closed" if closed else "open",
            "closed_at": closed,
            "updated_at": max(moments),
        }
        lists = {"labels": tuple(row.get("labels", ())), "comments": comments, "events": events}
        return {"author": None, **state, **row, **lists}

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
        closes = tuple(self._reference(one) for one in row.get("closes", ()))
        return Pull(**ends | self.thread(row) | {"closes": closes})

    def release(self, row: Row, number: int) -> WorldRelease:
        """Make a release, which has the date of its commit."""
        sha = self.keys[row["commit"]]
        made = self.history.records[sha].gold.committed_at
        return WorldRelease(**{**row, "id": number, "commit": sha, "created_at": made})

    def _events(self, row: Row) -> tuple[TimelineEvent, ...]:
        """List what happened to a thread; that a pull request was merged is in its own fields."""
        events = [self._event(one) for one in row.get("events", ())]
        if "merged_at" in row:
            events.append(TimelineEvent("merged", row["merged_at"], self.keys[row["head_ref"]]))
            events.append(TimelineEvent("closed", row["merged_at"]))
        return tuple(sorted(events, key=lambda one: one.at))

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


def _signature(who: str | Mapping[str, str], at: datetime) -> str:
    """Sign with a person's account, or with a name and an address that have none."""
    person = people()[who] if isinstance(who, str) else who
    return f"{person['name']} <{person['email']}> {int(at.timestamp())} {at:%z}"


def swapped(text: str, swaps: Sequence[Sequence[str]]) -> str:
    """Replace passages, each of which must be there once."""
    for old, new in swaps:
        assert text.count(old) == 1, f"{old!r} is there {text.count(old)} times"
        text = text.replace(old, new)
    return text


@cache
def read_data(name: str) -> dict[str, Any]:
    """Read a file below `data`; nobody changes what it gives."""
    return tomllib.loads((DATA / name).read_text("utf-8"))


def variant(node: Any, words: Mapping[str, str], which: str) -> Any:
    """Copy what a file says, with words in place of `{blanks}`, without rows that are `only` for another variant."""
    if isinstance(node, str):
        return _BLANK.sub(lambda found: words.get(found[1], found[0]), node)
    if isinstance(node, list):
        rows = [one for one in node if not isinstance(one, dict) or one.get("only", which) == which]
        return [variant(one, words, which) for one in rows]
    if isinstance(node, dict):
        return {
            variant(key, words, which): variant(value, words, which)
            for key, value in node.items()
            if key != "only"
        }
    return node
