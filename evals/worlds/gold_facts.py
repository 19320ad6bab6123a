"""The gold facts of a world: what a correct reader finds, from what the generator did and nothing else."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from evals.worlds.data_model import Edit, LandedGold, World
from evals.worlds.worlds_from_toml import read_data


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
    optional: bool = False  # It may be reported but need not be: true, but not intended


class EditDirections(NamedTuple):
    """The direction of an edit and its opposite, each as a key that can be compared."""

    forward: tuple[str, ...]
    backward: tuple[str, ...]


_QUIET_FACTS = {
    "docs/": "only-docs",
    "README.md": "only-docs",
    ".github/": "only-ci",
    "tests/": "only-tests",
}
"""The fact about a commit that touches nothing but such paths, by the start of the path."""
_QUIET_PATHS = tuple(_QUIET_FACTS)
_PLAIN_EDITS = frozenset(
    {
        "revert",
        "reland",
        "reword_doc",
        "edit_text",
        "add_file",
        "add_setting",
        "change_setting",
    }
)
"""Edits that the gold describes completely without a row of the table of facts."""


def gold_facts(world: World) -> list[GoldFact]:
    """List the facts of every commit that the generator describes."""
    commits = {row.sha: row for row in world.landed}
    certain: list[GoldFact] = []
    for row in world.landed:
        certain.extend(_facts_of_commit(row, commits))
    facts = list(_with_known_variables_optional(certain))
    for repo in world.repos:
        facts.extend(_reversals(world, repo.full_name))
    return facts


def _with_known_variables_optional(facts: Iterable[GoldFact]) -> Iterator[GoldFact]:
    """Make the addition of an environment variable optional where a file has read it before."""
    variables: set[tuple[str, str]] = set()
    for fact in facts:
        if fact.kind != "env-added":
            yield fact
            continue
        variable = (fact.repo, fact.name)
        if variable in variables:
            yield replace(fact, optional=True)
        else:
            yield fact
        variables.add(variable)


def described(world: World) -> list[LandedGold]:
    """List the commits that the gold describes completely: any other fact found there is wrong."""
    complete = _PLAIN_EDITS | set(_table("facts"))
    rows = []
    for row in world.landed:
        if row.edits and all(edit.kind in complete or _is_fact(edit) for edit in row.edits):
            rows.append(row)
    return rows


def _facts_of_commit(row: LandedGold, commits: dict[str, LandedGold]) -> Iterator[GoldFact]:
    if "cherry-pick" in row.tags:
        yield GoldFact(row.repo, row.sha, "cherry-pick", "", "")
    for edit in row.edits:
        yield from _facts_of_edit(row, edit, commits)


def _facts_of_edit(
    row: LandedGold, edit: Edit, commits: dict[str, LandedGold]
) -> Iterator[GoldFact]:
    params = dict(edit.params)
    if "internal" in params:
        return  # Users do not reach it, and it is no fact for them
    if edit.kind in ("revert", "reland") and "commit" in params:
        yield from _lineage_facts(row, edit, commits)
        return
    fact = _table("facts").get(edit.kind)
    if fact:
        # The severity depends on whether a package exports the name, which no edit says.
        yield _detailed(row, edit, fact["kind"], params.get(fact["name"], ""))
    elif _is_fact(edit):
        yield _detailed(row, edit, edit.kind, edit.param("name"))
    else:
        yield from _file_facts(row, edit)


def _lineage_facts(
    row: LandedGold, edit: Edit, commits: dict[str, LandedGold]
) -> Iterator[GoldFact]:
    """Yield that a commit reverts or relands another one, and the facts that it undoes by that."""
    target_sha = edit.param("commit")
    # What lands again is the original work, whose hash the revert of the revert does not name.
    yield _fact(row, edit, edit.kind, target_sha if edit.kind == "revert" else "")
    target = commits.get(target_sha)
    if target is not None:
        yield from _undone(row, _facts_of_commit(target, commits))


def _file_facts(row: LandedGold, edit: Edit) -> Iterator[GoldFact]:
    """Yield the facts about settings, documents and unusual files."""
    added = (edit.path, "added") in row.files
    if added and edit.kind == "add_file" and not edit.path.startswith(_QUIET_PATHS):
        yield _fact(row, edit, "file-added", edit.path)
    odd_kind = _table("odd").get(edit.kind)
    if odd_kind:
        yield _fact(row, edit, odd_kind, edit.path)
    # No kind of fact covers the keys of a project's own settings; the hunk shows them.
    if edit.kind in ("add_setting", "change_setting") and edit.path.startswith("configs/"):
        yield _fact(row, edit, "code-changed", "")
    if edit.kind == "reword_doc" and len(row.files) == 1:
        yield _fact(row, edit, "only-comments", "")
    only_kind = _only_kind(row)
    if only_kind:
        yield _fact(row, edit, only_kind, "")


def _only_kind(row: LandedGold) -> str:
    """Return the kind of a commit that touches quiet paths alone, or an empty string."""
    kinds: set[str] = set()
    for path, _ in row.files:
        if not path.startswith(_QUIET_PATHS):
            return ""
        kinds.update(kind for start, kind in _QUIET_FACTS.items() if path.startswith(start))
    if not kinds:
        return ""
    return kinds.pop() if len(kinds) == 1 else "only-upkeep"


def _undone(row: LandedGold, facts: Iterable[GoldFact]) -> Iterator[GoldFact]:
    """Yield the opposite of each fact that has one, as facts of the commit that undoes them."""
    for fact in facts:
        kind = _table("undone").get(fact.kind)
        if not kind:
            continue
        name = fact.name
        if fact.kind == "symbol-renamed" and fact.old:
            name = fact.old
        yield replace(
            fact, sha=row.sha, kind=kind, name=name, old=fact.new, new=fact.old, severity=None
        )


def _reversals(world: World, repo: str) -> Iterator[GoldFact]:
    """Yield where a commit does the opposite of an earlier one, or the same again."""
    reversible = {*_table("facts"), "change_setting"}
    seen: set[tuple[str, ...]] = set()
    for row in world.landed:
        if row.repo != repo or len(row.edits) != 1:
            continue
        edit = row.edits[0]
        if edit.kind not in reversible:
            continue
        directions = _directions(edit)
        if directions.backward in seen:
            yield replace(_fact(row, edit, "revert", ""), optional=True)
        if directions.forward in seen:
            yield replace(_fact(row, edit, "reland", ""), optional=True)
        seen.add(directions.forward)


def _directions(edit: Edit) -> EditDirections:
    params = dict(edit.params)
    verb, _, noun = edit.kind.partition("_")
    old = params.pop("old", "")
    new = params.pop("new", "")
    for ignored in ("default", "value"):
        params.pop(ignored, None)
    if verb in ("add", "remove"):
        old = "+" if verb == "remove" else ""
        new = "+" if verb == "add" else ""
        verb = "have"
    subject = (edit.path, verb, noun, *params.values())
    return EditDirections((*subject, old, new), (*subject, new, old))


def _is_fact(edit: Edit) -> bool:
    """Return True if an edit is named as the fact itself is, with the fact's name as a parameter."""
    return "name" in dict(edit.params)


def _detailed(row: LandedGold, edit: Edit, kind: str, name: str) -> GoldFact:
    params = dict(edit.params)
    return replace(
        _fact(row, edit, kind, name),
        old=params.get("old"),
        new=params.get("new"),
        detail=params.get("parameter", params.get("detail")),
        severity=params.get("severity"),
    )


def _table(name: str) -> dict[str, Any]:
    """Return a table of `data/edits.toml`, which says what the edits of commits mean."""
    table: dict[str, Any] = read_data("edits.toml")[name]
    return table


def _fact(row: LandedGold, edit: Edit, kind: str, name: str) -> GoldFact:
    return GoldFact(row.repo, row.sha, kind, name, edit.path)
