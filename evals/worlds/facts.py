"""What a correct reader finds in the commits of a world, from what the generator did and nothing else."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from evals.worlds.model import Edit, LandedGold, World


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
    detail: str | None = None
    """The parameter, where the name is a function's."""
    severity: str | None = None


_Rows = Iterator[GoldFact]
_INVERSE = {
    "symbol-added": "symbol-removed",
    "symbol-removed": "symbol-added",
    "parameter-added": "parameter-removed",
    "flag-added": "flag-removed",
    "env-added": "env-removed",
    "constant-changed": "constant-changed",
    "symbol-renamed": "symbol-renamed",
}
_STRANGE = {
    "pure rename": "file-renamed",
    "rename with edit": "file-renamed",
    "generated": "generated",
    "generated change": "generated",
    "huge": "vendored",
}
"""Commits of strange files of which a fact is certain."""
_PLACES = {"docs/": "only-docs", "README.md": "only-docs", ".github/": "only-ci", "tests/": "only-tests"}


def gold_facts(world: World) -> list[GoldFact]:
    """List the facts of every commit that the generator describes."""
    by_sha = {row.sha: row for row in world.landed}
    return [fact for row in world.landed for fact in _of_commit(row, by_sha)]


def described(world: World) -> list[LandedGold]:
    """List the commits of which the gold tells everything: what else is found in them is wrong."""
    known = {*_PLAIN, "revert", "reland", "reword_doc", "edit_text", "add_file", "add_setting", "change_setting"}
    return [row for row in world.landed if row.edits and all(e.kind in known or _is_fact(e) for e in row.edits)]


def _of_commit(row: LandedGold, by_sha: dict[str, LandedGold]) -> _Rows:
    added = {path for path, status in row.files if status == "added"}
    for edit in row.edits:
        if edit.kind in ("revert", "reland") and "commit" in dict(edit.params):
            target = by_sha.get(edit.param("commit"))
            yield _fact(row, edit, edit.kind, edit.param("commit"))
            yield from _undone(row, _of_commit(target, by_sha)) if target else ()
        elif edit.kind in _PLAIN:
            yield _PLAIN[edit.kind](row, edit)
        elif _is_fact(edit):
            params = dict(edit.params)
            fact = _fact(row, edit, edit.kind, params.pop("name", ""))
            yield replace(fact, **params)
        else:
            yield from _around(row, edit, edit.path in added)


def _around(row: LandedGold, edit: Edit, added: bool) -> _Rows:
    """Tell of settings, documents and strange files; what a commit only touches depends on all its files."""
    if added and edit.kind in ("add_file", "add_setting"):
        yield _fact(row, edit, "file-added", edit.path)
    if edit.kind in _STRANGE:
        yield _fact(row, edit, _STRANGE[edit.kind], edit.path)
    if edit.kind in ("add_setting", "change_setting") and edit.path.startswith("configs/"):
        kind = "config-key-added" if edit.kind == "add_setting" else "config-key-changed"
        params = dict(edit.params)
        # The keys of a new file come with the file.
        if not added:
            yield replace(_fact(row, edit, kind, params["key"]), old=params.get("old"), new=params["new"])
    if edit.kind == "reword_doc" and len(row.files) == 1:
        yield _fact(row, edit, "only-comments", "")
    places = {kind for path, _ in row.files for start, kind in _PLACES.items() if path.startswith(start)}
    if len(places) == 1 and all(path.startswith(tuple(_PLACES)) for path, _ in row.files):
        yield _fact(row, edit, places.pop(), "")


def _undone(row: LandedGold, facts: Iterator[GoldFact]) -> _Rows:
    for fact in facts:
        if fact.kind in _INVERSE:
            name = fact.old if fact.kind == "symbol-renamed" and fact.old else fact.name
            kind = _INVERSE[fact.kind]
            yield replace(fact, sha=row.sha, kind=kind, name=name, old=fact.new, new=fact.old, severity=None)
        elif fact.kind in ("revert", "reland"):
            continue


def _is_fact(edit: Edit) -> bool:
    """Tell an edit that is named as the fact itself is."""
    return (
        "-" in edit.kind
        or edit.kind in ("registered", "unregistered", "deprecated", "vendored", "generated")
        or (edit.kind in ("revert", "reland") and "commit" not in dict(edit.params))
    )


def _fact(row: LandedGold, edit: Edit, kind: str, name: str) -> GoldFact:
    return GoldFact(row.repo, row.sha, kind, name, edit.path)


def _named(kind: str, key: str) -> Callable[[LandedGold, Edit], GoldFact]:
    return lambda row, edit: _fact(row, edit, kind, edit.param(key))


def _valued(kind: str, key: str) -> Callable[[LandedGold, Edit], GoldFact]:
    return lambda row, edit: replace(
        _fact(row, edit, kind, edit.param(key) if key else ""), old=edit.param("old"), new=edit.param("new")
    )


def _parameter(kind: str) -> Callable[[LandedGold, Edit], GoldFact]:
    def tell(row: LandedGold, edit: Edit) -> GoldFact:
        params = dict(edit.params)
        fact = _fact(row, edit, kind, params["function"])
        if kind == "parameter-added":
            return replace(fact, detail=params["parameter"], severity="additive" if params["default"] else "breaking")
        return replace(fact, detail=params["parameter"], old=params["old"], new=params["new"])

    return tell


def _renamed(row: LandedGold, edit: Edit) -> GoldFact:
    old, new = edit.param("old"), edit.param("new")
    return replace(_fact(row, edit, "symbol-renamed", new), old=old, new=new)


_PLAIN: dict[str, Callable[[LandedGold, Edit], GoldFact]] = {
    "add_function": _named("symbol-added", "function"),
    "remove_function": _named("symbol-removed", "function"),
    "rename_function": _renamed,
    "add_parameter": _parameter("parameter-added"),
    "change_default": _parameter("parameter-default-changed"),
    "add_constant": _named("symbol-added", "constant"),
    "change_constant": _valued("constant-changed", "constant"),
    "add_flag": _named("flag-added", "flag"),
    "remove_flag": _named("flag-removed", "flag"),
    "change_flag_default": _valued("flag-default-changed", "flag"),
    "add_env": _named("env-added", "variable"),
    "bump_dependency": _valued("dependency-changed", "package"),
    "bump_version": _valued("version-changed", ""),
    "bump_image": _valued("image-changed", ""),
}
"""Edits that are one fact each."""
