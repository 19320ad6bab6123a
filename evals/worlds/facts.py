"""What a correct reader finds in the commits of a world, from what the generator did and nothing else."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from evals.worlds.model import Edit, LandedGold, World
from evals.worlds.written import read_data


@dataclass(frozen=True)
class GoldFact:
    """A fact that the commit shows; a value that is None is not part of the gold."""

    repo: str
    sha: str
    kind: str
    name: str
    file: str
    old: str | None = None
    new: str | None = None
    detail: str | None = None  # The parameter, where the name is a function's
    severity: str | None = None
    optional: bool = False  # It may be told, and need not be: nobody meant it, but it is so


_Rows = Iterator[GoldFact]
_PLACES = {
    "docs/": "only-docs",
    "README.md": "only-docs",
    ".github/": "only-ci",
    "tests/": "only-tests",
}


def gold_facts(world: World) -> list[GoldFact]:
    """List the facts of every commit that the generator describes."""
    by_sha = {row.sha: row for row in world.landed}
    certain = list(_first_read(fact for row in world.landed for fact in _of_commit(row, by_sha)))
    return certain + [
        fact for repo in world.repos for fact in _back_and_forth(world, repo.full_name)
    ]


def _first_read(facts: _Rows) -> _Rows:
    """Take a variable for new only where no file has read it before."""
    read: set[tuple[str, str]] = set()
    for fact in facts:
        known = fact.kind == "env-added" and (fact.repo, fact.name) in read
        read |= {(fact.repo, fact.name)} if fact.kind == "env-added" else set()
        yield replace(fact, optional=True) if known else fact


def described(world: World) -> list[LandedGold]:
    """List the commits of which the gold tells everything: what else is found in them is wrong."""
    known = {
        *_table("facts"),
        "revert",
        "reland",
        "reword_doc",
        "edit_text",
        "add_file",
        "add_setting",
        "change_setting",
    }
    return [
        row
        for row in world.landed
        if row.edits and all(e.kind in known or _is_fact(e) for e in row.edits)
    ]


def _of_commit(row: LandedGold, by_sha: dict[str, LandedGold]) -> _Rows:
    added = {path for path, status in row.files if status == "added"}
    if "cherry-pick" in row.tags:
        yield GoldFact(row.repo, row.sha, "cherry-pick", "", "")
    for edit in row.edits:
        if edit.kind in ("revert", "reland") and "commit" in dict(edit.params):
            target = by_sha.get(edit.param("commit"))
            # What lands again is the work, whose hash the revert of the revert does not name.
            yield _fact(row, edit, edit.kind, edit.param("commit") if edit.kind == "revert" else "")
            yield from _undone(row, _of_commit(target, by_sha)) if target else ()
        elif fact := _table("facts").get(edit.kind):
            # How grave it is depends on whether a package exports the name, which no edit says.
            yield _detailed(row, edit, fact["kind"], dict(edit.params).get(fact["name"], ""))
        elif _is_fact(edit):
            yield _detailed(row, edit, edit.kind, edit.param("name"))
        else:
            yield from _around(row, edit, edit.path in added)


def _around(row: LandedGold, edit: Edit, added: bool) -> _Rows:
    """Tell of settings, documents and strange files; what a commit only touches depends on all its files."""
    if added and edit.kind == "add_file" and not edit.path.startswith(tuple(_PLACES)):
        yield _fact(row, edit, "file-added", edit.path)
    if kind := _table("odd").get(edit.kind):
        yield _fact(row, edit, kind, edit.path)
    # No kind tells the keys of a project's own settings; the hunk does.
    if edit.kind in ("add_setting", "change_setting") and edit.path.startswith("configs/"):
        yield _fact(row, edit, "code-changed", "")
    if edit.kind == "reword_doc" and len(row.files) == 1:
        yield _fact(row, edit, "only-comments", "")
    places = {
        kind for path, _ in row.files for start, kind in _PLACES.items() if path.startswith(start)
    }
    if places and all(path.startswith(tuple(_PLACES)) for path, _ in row.files):
        yield _fact(row, edit, places.pop() if len(places) == 1 else "only-upkeep", "")


def _undone(row: LandedGold, facts: Iterator[GoldFact]) -> _Rows:
    for fact in facts:
        if kind := _table("undone").get(fact.kind):
            name = fact.old if fact.kind == "symbol-renamed" and fact.old else fact.name
            yield replace(
                fact, sha=row.sha, kind=kind, name=name, old=fact.new, new=fact.old, severity=None
            )


def _back_and_forth(world: World, repo: str) -> _Rows:
    """Tell where a commit does the opposite of an earlier one, or the same again after it was undone."""
    seen: set[tuple[str, ...]] = set()
    for row in world.landed:
        if (
            row.repo != repo
            or len(row.edits) != 1
            or row.edits[0].kind not in {*_table("facts"), "change_setting"}
        ):
            continue
        (edit,) = row.edits
        there, back = _directions(edit)
        for way, kind in ((back, "revert"), (there, "reland")):
            if way in seen:
                yield replace(_fact(row, edit, kind, ""), optional=True)
        seen.add(there)


def _directions(edit: Edit) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Spell what an edit does, and what would undo it."""
    params = dict(edit.params)
    verb, _, noun = edit.kind.partition("_")
    old, new = params.pop("old", ""), params.pop("new", "")
    for ignored in ("default", "value"):
        params.pop(ignored, None)
    if verb in ("add", "remove"):
        old, new = ("", "+") if verb == "add" else ("+", "")
        verb = "have"
    rest = (edit.path, verb, noun, *params.values())
    return (*rest, old, new), (*rest, new, old)


def _is_fact(edit: Edit) -> bool:
    """Tell an edit that is named as the fact itself is, with the fact's name among its details."""
    return "name" in dict(edit.params)


def _detailed(row: LandedGold, edit: Edit, kind: str, name: str) -> GoldFact:
    told = dict(edit.params)
    return replace(
        _fact(row, edit, kind, name),
        old=told.get("old"),
        new=told.get("new"),
        detail=told.get("parameter", told.get("detail")),
        severity=told.get("severity"),
    )


def _table(name: str) -> dict[str, Any]:
    """Read what the edits of commits mean."""
    table: dict[str, Any] = read_data("edits.toml")[name]
    return table


def _fact(row: LandedGold, edit: Edit, kind: str, name: str) -> GoldFact:
    return GoldFact(row.repo, row.sha, kind, name, edit.path)
