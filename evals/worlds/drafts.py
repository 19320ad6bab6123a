"""Pieces of work before they are committed: what changes, and what their author says about it."""

from collections.abc import Callable
from dataclasses import dataclass

from evals.worlds import edits
from evals.worlds.bugs.bug import Bug
from evals.worlds.bugs.catalogue import bug_named
from evals.worlds.dice import Dice
from evals.worlds.model import Edit
from evals.worlds.objects import Tree
from evals.worlds.projects import Project
from evals.worlds.source import Unit, render
from evals.worlds.touch import Touch, put


@dataclass(frozen=True)
class Draft:
    """A change that is ready to be committed."""

    touches: tuple[Touch, ...]
    edits: tuple[Edit, ...]
    kind: str
    """`feat`, `fix`, `perf`, `refactor`, `docs`, `test`, `ci`, `chore`, `build`."""
    area: str
    subject: str
    subject_zh: str
    bug: Bug | None = None


Maker = Callable[[Tree], Draft]
"""Makes a draft from the tree it will land on."""

_KINDS = {
    "add_function": "feat",
    "add_flag": "feat",
    "add_env": "feat",
    "add_parameter": "feat",
    "fix_bug": "fix",
    "reword_doc": "docs",
    "change_default": "perf",
    "change_constant": "perf",
    "change_flag_default": "perf",
}


def by_chance(project: Project, dice: Dice, avoid: tuple[str, ...] = ()) -> Maker:
    """Change one source file in some way, but none that the story needs untouched."""
    paths = [path for path in map(project.path, range(len(project.units))) if path not in avoid]

    def make(tree: Tree) -> Draft:
        path = dice.pick(paths)
        return _from(path, edits.any_edit(path, unit_at(tree, path), dice))

    return make


def edited(path: str, change: Callable[[str, Unit], edits.Done]) -> Maker:
    """Change one source file in the way given."""
    return lambda tree: _from(path, change(path, unit_at(tree, path)))


def fix(key: str, path: str) -> Maker:
    """Mend a bug."""
    bug = bug_named(key)

    def make(tree: Tree) -> Draft:
        done = edits.fix_bug(path, unit_at(tree, path), bug)
        return Draft(_touches(path, done.unit), (done.edit,), "fix", _area(path), done.subject, done.subject_zh, bug)

    return make


def bump(package: str, new: str, path: str = "requirements.txt") -> Maker:
    """Raise a pinned dependency, as a bot does."""

    def make(tree: Tree) -> Draft:
        text = text_at(tree, path)
        mark = f'{package} = "' if path.endswith(".toml") else f"{package}=="
        old = text.split(mark)[1].split("\n")[0].strip('"')
        after = text.replace(f"{mark}{old}", f"{mark}{new}")
        edit = Edit("bump_dependency", path, (("package", package), ("old", old), ("new", new)))
        subject, zh = f"bump {package} from {old} to {new}", f"将 {package} 从 {old} 升级到 {new}"
        return Draft((put(path, after),), (edit,), "build", "deps", subject, zh)

    return make


def version(project: Project, new: str) -> Maker:
    """Raise the project's own version."""

    def make(tree: Tree) -> Draft:
        text = text_at(tree, project.manifest)
        old = text.split('version = "')[1].split('"')[0]
        after = text.replace(f'version = "{old}"', f'version = "{new}"')
        edit = Edit("bump_version", project.manifest, (("old", old), ("new", new)))
        return Draft((put(project.manifest, after),), (edit,), "chore", "release", f"release v{new}", f"发布 v{new}")

    return make


def text(path: str, old: str, new: str, kind: str, subject: str, subject_zh: str) -> Maker:
    """Replace a passage of a text file; an empty `old` appends."""

    def make(tree: Tree) -> Draft:
        before = text_at(tree, path) if tree.get(path.encode()) else ""
        after = before.replace(old, new) if old else before + new
        assert after != before, f"{path}: nothing to replace"
        edit = Edit("edit_text" if before else "add_file", path, (("old", old), ("new", new)))
        return Draft((put(path, after),), (edit,), kind, _area(path), subject, subject_zh)

    return make


def raw(touches: tuple[Touch, ...], edit: str, kind: str, subject: str, subject_zh: str = "") -> Maker:
    """Do exactly this to the files."""
    first = touches[0].path.decode("utf-8", "surrogateescape") if touches else ""
    return lambda _: Draft(touches, (Edit(edit, first),), kind, _area(first), subject, subject_zh or subject)


def unit_at(tree: Tree, path: str) -> Unit:
    """Find the source file at a path."""
    leaf = tree.get(path.encode())
    source = leaf.source if leaf else None
    assert isinstance(source, Unit), f"no source at {path}"
    return source


def text_at(tree: Tree, path: str) -> str:
    """Find the text at a path."""
    leaf = tree.get(path.encode())
    source = leaf.source if leaf else None
    assert isinstance(source, str), f"no text at {path}"
    return source


def _from(path: str, done: edits.Done) -> Draft:
    kind = _KINDS.get(done.edit.kind, "refactor")
    return Draft(_touches(path, done.unit), (done.edit,), kind, _area(path), done.subject, done.subject_zh)


def _touches(path: str, unit: Unit) -> tuple[Touch, ...]:
    return (put(path, render(unit), source=unit),)


def _area(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0] or "misc"
