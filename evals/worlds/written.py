"""Worlds that are written down: `data/NAME/world.toml`, and a file for each repository with its commits and threads.

A commit stands on the default branch unless it says `on`. It continues its branch, or starts at the commit that
`from` names; `squash`, `merge` and `undo` take their files from other branches or commits. Commits are known by their
`key`, and `<<key>>` in a message stands for a hash. A commit of the default branch is pushed when it is made, unless
`pushed` says otherwise. The fields of threads are those of `evals.worlds.model`.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from evals.worlds.history import History, Note, Touch, chmod, drop, move, put
from evals.worlds.model import Comment, Edit, Event, Issue, LandedGold, Pull, Release, Repo, Story, User, World
from evals.worlds.odd_files import ODD_FILES
from evals.worlds.repository import LINK, SCRIPT, SUBMODULE, Stamp, write_repository

DATA = Path(__file__).with_name("data")
Row = Mapping[str, Any]
_KEY = re.compile(r"<<([\w -]{1,60})>>")
_BLANK = re.compile(r"\{([\w ]{1,30})\}")
_MODES = {"link": LINK, "submodule": SUBMODULE, "script": SCRIPT}


@dataclass(frozen=True)
class Made:
    """A repository that is written, what landed there, and the commit of each key."""

    repo: Repo
    landed: tuple[LandedGold, ...]
    keys: Mapping[str, str]


def read_world(name: str, folder: Path) -> World:
    """Write the repositories of a world to a folder."""
    about = read_data(f"{name}/world.toml")
    made = [make_repository(read_data(f"{name}/{one}.toml"), folder) for one in about["repos"]]
    notes = dict(about.get("notes", {})) | work_notes(made)
    stories = tuple(
        Story(
            one["kind"],
            notes[one["doer"]],
            tuple(sorted(notes.get(key, key) for key in one["targets"])),
            tuple(one.get("missing", ())),
        )
        for one in about.get("story", ())
    )
    landed = tuple(row for one in made for row in one.landed)
    return World(about["now"], tuple(one.repo for one in made), landed, notes, stories)


def work_notes(made: Iterable[Made]) -> dict[str, str]:
    """Name what each key stands for: `owner/name: key` is `owner/name@sha`."""
    rows = [(one.repo.full_name, key, sha) for one in made for key, sha in one.keys.items()]
    return {f"{name}: {key}": f"{name}@{sha}" for name, key, sha in sorted(rows)}


@cache
def people() -> Mapping[str, User]:
    """Read who works on the projects, by login."""
    rows = read_data("people.toml")["user"]
    return {row["login"]: User(**row) for row in rows}


def make_repository(spec: Row, folder: Path) -> Made:
    """Write a repository below a folder as its file describes it."""
    building = _Building(History(spec["name"], spec.get("branch", "main")))
    for row in spec.get("commit", ()):
        building.commit(row)
    history, keys = building.history, building.keys
    owner, _, name = spec["name"].partition("/")
    first_id = spec["id"] * 100_000
    issues = tuple(_issue(row, building) for row in spec.get("issue", ()))
    pulls = tuple(_pull(row, building) for row in spec.get("pull", ()))
    for pull in pulls:
        if pull.head_ref in building.branches:
            history.refs[f"refs/pull/{pull.number}/head"] = pull.head_sha
    history.refs |= {ref: keys[key] for ref, key in spec.get("refs", {}).items()}
    numbered = _numbered([*issues, *pulls], first_id)
    repo = Repo(
        spec["id"],
        owner,
        name,
        history.branch,
        folder / owner / f"{name}.git",
        tuple(people().values()),
        tuple(one for one in numbered if isinstance(one, Issue)),
        tuple(one for one in numbered if isinstance(one, Pull)),
        tuple(_release(row, building, first_id + place) for place, row in enumerate(spec.get("release", ()))),
        tuple(history.pushes),
        tuple(spec.get("former_names", ())),
    )
    write_repository(repo.git_dir, history.objects, history.all_refs(), history.branch)
    return Made(repo, history.landed(), keys)


@dataclass
class _Building:
    """A repository while its commits are made."""

    history: History
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
            sha = history.squash(row["squash"], note, branch)
        elif "merge" in row:
            sha = history.merge(branch, row["merge"], note)
        elif "undo" in row:
            sha = history.undo(self.keys[row["undo"]], note)
        else:
            sha = history.commit(branch, self._touches(row, branch), note)
        if "key" in row:
            self.keys[row["key"]] = sha
        if branch != history.branch:
            self.branches.setdefault(branch, []).append(sha)
        if row.get("forward"):
            history.fork(history.branch, sha)
        if (branch == history.branch or row.get("forward")) and row.get("pushed", True):
            history.push(row.get("pushed", note.committer.at))

    def _note(self, row: Row) -> Note:
        codec = row.get("bytes", "utf-8")
        author = _stamp(row["author"], row["at"], codec)
        committer = _stamp(row.get("committer", row["author"]), row.get("committed", row["at"]), codec)
        message = self._filled(row["message"])
        edits = tuple(self._edit(one, codec) for one in row.get("edits", ()))
        note = Note(message, author, committer, edits, tuple(row.get("tags", ())), row.get("encoding"))
        return replace(note, message=message.encode(codec)) if "bytes" in row else note

    def _filled(self, text: str) -> str:
        return _KEY.sub(lambda found: self.keys.get(found[1], found[0]), text)

    def _edit(self, row: Row, codec: str) -> Edit:
        params = tuple((key, self._filled(text)) for key, text in row.items() if key not in ("kind", "path"))
        return Edit(row["kind"], row["path"].encode(codec).decode("utf-8", "surrogateescape"), params)

    def _touches(self, row: Row, branch: str) -> list[Touch]:
        """List what a commit does to files; `bytes` is the encoding of its texts and paths where that is not UTF-8."""
        if "made" in row:
            return list(ODD_FILES[row["made"]]())
        codec, tree = row.get("bytes", "utf-8"), self.history.tree(branch)

        moved = {new: old for old, new in row.get("move", {}).items()}

        def text_of(path: str) -> str:
            leaf = tree.get(moved.get(path, path).encode(codec))
            assert leaf is not None, f"no file {path}"
            return self.history.objects.body(leaf.sha).decode(codec)

        touches = [drop(path.encode(codec)) for path in row.get("remove", ())]
        touches += [move(old, new) for old, new in row.get("move", {}).items()]
        touches += [put(path.encode(codec), text.encode(codec)) for path, text in row.get("write", {}).items()]
        touches += [put(path, swapped(text_of(path), swaps)) for path, swaps in row.get("swap", {}).items()]
        touches += [chmod(path, SCRIPT) for path in row.get("executable", ())]
        for kind, mode in _MODES.items():
            touches += [put(path, text, mode=mode) for path, text in row.get(kind, {}).items()]
        return touches


def _stamp(who: str | Mapping[str, str], at: datetime, codec: str) -> Stamp:
    """Sign with a person's account, or with a name and an address that have none."""
    name, email = (people()[who].name, people()[who].email) if isinstance(who, str) else (who["name"], who["email"])
    return Stamp(name.encode(codec).decode("utf-8", "surrogateescape"), email, at)


def swapped(text: str, swaps: Sequence[Sequence[str]]) -> str:
    """Replace passages, each of which must be there once."""
    for old, new in swaps:
        assert text.count(old) == 1, f"{old!r} is there {text.count(old)} times"
        text = text.replace(old, new)
    return text


def _issue(row: Row, building: _Building) -> Issue:
    return Issue(**_thread(row, building))


def _pull(row: Row, building: _Building) -> Pull:
    history, branch = building.history, row["head_ref"]
    landed = building.keys[branch] if row.get("merged_at") else None
    commits = building.branches.get(branch) or [landed or ""]
    fields = {"base": history.branch, "head_repo": None, "merge_commit": landed, **_thread(row, building)}
    closes = tuple(_reference(one, history.repo) for one in row.get("closes", ()))
    return Pull(**fields | {"head_sha": commits[-1], "commits": tuple(commits), "closes": closes})


def _thread(row: Row, building: _Building) -> dict[str, Any]:
    comments = tuple(Comment(0, one.get("author"), one["body"], one["created_at"]) for one in row.get("comments", ()))
    events = _events(row, building)
    moments = [row["created_at"], *(one.created_at for one in comments), *(one.at for one in events)]
    closed = row.get("closed_at", row.get("merged_at"))
    state = {"author": None, "state": "closed" if closed else "open", "closed_at": closed, "updated_at": max(moments)}
    lists = {"labels": tuple(row.get("labels", ())), "comments": comments, "events": events}
    return {name: value for name, value in {**state, **row, **lists}.items() if name != "merged_by"}


def _events(row: Row, building: _Building) -> tuple[Event, ...]:
    """List what happened to a thread; that a pull request was merged is in its own fields."""
    events = [_event(one, building) for one in row.get("events", ())]
    if "merged_at" in row:
        by, at = row["merged_by"], row["merged_at"]
        events += [Event(0, "merged", by, at, building.keys[row["head_ref"]]), Event(0, "closed", by, at)]
    return tuple(sorted(events, key=lambda one: one.at))


def _event(row: Row, building: _Building) -> Event:
    fields: dict[str, Any] = {"actor": None, **row}
    if "commit" in row:
        fields["commit"] = building.keys[row["commit"]]
    if "source" in row:
        fields["source"] = _reference(row["source"], building.history.repo)
    return Event(0, **fields)


def _reference(text: str, repo: str) -> tuple[str, int]:
    name, _, number = text.partition("#")
    return name or repo, int(number)


def _release(row: Row, building: _Building, number: int) -> Release:
    sha = building.keys[row["commit"]]
    made = building.history.records[sha].committed_at
    return Release(**{"published_at": None, **row, "id": number, "commit": sha, "created_at": made})


def _numbered(threads: Sequence[Issue | Pull], first: int) -> list[Issue | Pull]:
    """Give comments and events their ids, in the order of time over all threads."""
    said = sorted((c.created_at, t.number, place) for t in threads for place, c in enumerate(t.comments))
    happened = sorted((e.at, t.number, place) for t in threads for place, e in enumerate(t.events))
    comment_ids, event_ids = (
        {(number, place): first + rank for rank, (_, number, place) in enumerate(rows)} for rows in (said, happened)
    )
    return [
        replace(
            thread,
            comments=tuple(replace(one, id=comment_ids[thread.number, i]) for i, one in enumerate(thread.comments)),
            events=tuple(replace(one, id=event_ids[thread.number, i]) for i, one in enumerate(thread.events)),
        )
        for thread in threads
    ]


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
            variant(key, words, which): variant(value, words, which) for key, value in node.items() if key != "only"
        }
    return node
