"""The user's own code, which is read on this machine: nothing of it is sent or kept."""

import asyncio
import os
import re
import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, zip_longest
from pathlib import Path

from agent.domain.base import RepoId
from agent.domain.errors import InputError
from agent.domain.facts import Fact
from agent.domain.ledger import OwnUse
from agent.domain.upgrade import Upgrade, UpgradeItem
from agent.user_code_uses import MAX_PLACES, concerns, find_uses, project_names, used_name
from tools.git.process import run_local

LIST_SECONDS = 60.0  # In which git must list a tree; else the tree is walked
_MAX_PLACES_IN_GUIDE = 12
_MAX_FILE_BYTES = 1_000_000
_MAX_FILES = 50_000
_NATIVE = (".c", ".cc", ".cpp", ".cxx", ".cu", ".cuh", ".h", ".hh", ".hpp")
_OTHER_CODE = (".py", ".pyi", ".rs", ".go", ".ts", ".js")
_SCRIPTS = (".sh", ".bash", ".zsh", ".bat", ".ps1", ".mk", ".cmake", ".dockerfile")
_SETTINGS = (".yaml", ".yml", ".toml", ".json", ".env", ".cfg", ".ini", ".service", ".tf", ".j2")
_ENDINGS = frozenset((*_NATIVE, *_OTHER_CODE, *_SCRIPTS, *_SETTINGS))
_FILE_NAMES = ("dockerfile", "containerfile", "makefile", "procfile", ".env")
_LIST_FILES = (
    "-c",
    "core.fsmonitor=false",
    "ls-files",
    "-z",
    "--cached",
    "--others",
    "--exclude-standard",
)


class UserCode:
    """The trees in which a user's own code lies; each is listed once."""

    def __init__(self, roots: Sequence[Path]) -> None:
        for root in roots:
            if not root.is_dir():
                raise InputError(f"--uses {root} is not a folder; give the folder of your own code")
        self._roots = [root.resolve() for root in roots]
        self._files: list[tuple[str, Path]] | None = None
        self._listing = threading.Lock()

    async def found(self, repo: RepoId, facts: Mapping[str, Sequence[Fact]]) -> tuple[OwnUse, ...]:
        """Return the places of the user's code that use what each commit changes, a few for each."""
        return await asyncio.to_thread(self._uses_of, repo, facts)

    def _uses_of(self, repo: RepoId, facts: Mapping[str, Sequence[Fact]]) -> tuple[OwnUse, ...]:
        found = self._uses_by_fact(repo, chain.from_iterable(facts.values()))
        uses: dict[OwnUse, None] = {}
        for sha, commit_facts in facts.items():
            for fact in commit_facts:
                for own_use in _by_turns(found.get(fact, ()))[:MAX_PLACES]:
                    uses[own_use.model_copy(update={"sha": sha})] = None
        return tuple(uses)

    def _uses_by_fact(self, repo: RepoId, facts: Iterable[Fact]) -> dict[Fact, list[OwnUse]]:
        """Return all places of the user's code that each fact concerns; they name no commit."""
        concerning: dict[Fact, list[OwnUse]] = {fact: [] for fact in facts if concerns(fact)}
        sought = list(concerning)
        project = project_names(repo, sought)
        for file, text in self._naming(project):
            for use in find_uses(sought, file, text, project):
                own_use = OwnUse(
                    repo=repo,
                    sha="",
                    name=used_name(use.fact),
                    file=file,
                    line=use.line,
                    text=use.text,
                )
                concerning[use.fact].append(own_use)
        return concerning

    def marked(self, upgrade: Upgrade) -> Upgrade:
        """Return a guide with the places where the user's code uses what changed."""
        found = self._uses_by_fact(upgrade.repo, (item.fact for item in upgrade.items))
        items = []
        for item in upgrade.items:
            sha = _first_commit(item)
            uses: dict[OwnUse, None] = {}
            for use in _by_turns(found.get(item.fact, ()))[:_MAX_PLACES_IN_GUIDE]:
                uses[use.model_copy(update={"sha": sha})] = None
            items.append(item.model_copy(update={"uses": tuple(uses)}) if uses else item)
        update = {"items": tuple(items), "own_files": len(self._listed_files())}
        return upgrade.model_copy(update=update)

    def _naming(self, project: re.Pattern[str]) -> Iterator[tuple[str, str]]:
        """Yield the names and texts of the files that name a project."""
        for name, path in self._listed_files():
            try:
                if path.stat().st_size > _MAX_FILE_BYTES:
                    continue
                text = path.read_text("utf-8", errors="replace")
            except OSError:
                continue
            if "\0" not in text and project.search(text):
                yield name, text

    def _listed_files(self) -> list[tuple[str, Path]]:
        """Return the files of all roots, which are listed once."""
        with self._listing:
            if self._files is None:
                files: list[tuple[str, Path]] = []
                for root in self._roots:
                    files += self._listed(root)
                self._files = files[:_MAX_FILES]
            return self._files

    def _listed(self, root: Path) -> list[tuple[str, Path]]:
        """Return the files of a tree that may be read, by their names for the user."""
        names = _kept_by_git(root)
        if names is None:
            names = _walked(root)
        prefix = f"{root.name}/" if len(self._roots) > 1 else ""
        files: list[tuple[str, Path]] = []
        for name in dict.fromkeys(names):
            if _is_read(name) and _is_inside(root / name, root):
                files.append((prefix + name, root / name))
        return files


def _by_turns(uses: Sequence[OwnUse]) -> list[OwnUse]:
    """Return the first line of each file, then the second of each, and so on."""
    by_file: dict[str, list[OwnUse]] = defaultdict(list)
    for use in uses:
        by_file[use.file].append(use)
    turns = zip_longest(*by_file.values())
    return [use for use in chain.from_iterable(turns) if use is not None]


def _first_commit(item: UpgradeItem) -> str:
    return item.commits[0] if item.commits else ""


def _kept_by_git(root: Path) -> Iterable[str] | None:
    """Return the files that git would keep; None if this is no checkout, or git does not answer."""
    try:
        git = run_local(_LIST_FILES, root, seconds=LIST_SECONDS)
    except TimeoutError:
        return None
    if git.code != 0:
        return None
    return sorted(os.fsdecode(name) for name in git.out.split(b"\0") if name)


def _walked(root: Path) -> Iterator[str]:
    """Yield the files of a tree that are not hidden."""
    for folder, folders, files in os.walk(root):
        # In place, so that the walk leaves out what is removed.
        folders[:] = sorted(filter(_is_entered, folders))
        for name in sorted(files):
            yield str((Path(folder) / name).relative_to(root))


def _is_entered(folder: str) -> bool:
    return not folder.startswith(".") and folder != "node_modules"


def _is_read(name: str) -> bool:
    last = Path(name.lower())
    return last.suffix in _ENDINGS or last.name.startswith(_FILE_NAMES)


def _is_inside(path: Path, root: Path) -> bool:
    """Return True for a file of a tree; a link may lead out of it, or to a file that is read anyway."""
    return not path.is_symlink() and path.is_file() and path.resolve().is_relative_to(root)
