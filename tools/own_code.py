"""Reading the user's own files, on this machine and for this machine only: nothing of them is sent or kept."""

import os
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from agent.domain.base import InputError, RepoId
from agent.domain.facts import Fact
from agent.domain.ledger import OwnUse
from agent.domain.upgrade import Upgrade
from agent.editions.own_code import MAX_PLACES, concerns, find_uses, project_names, used_name
from tools.git.process import LOCAL, git_program

_LARGEST, _MOST = 1_000_000, 50_000
_READ = (
    *(
        ".py",
        ".pyi",
        ".c",
        ".cc",
        ".cpp",
        ".cxx",
        ".cu",
        ".cuh",
        ".h",
        ".hh",
        ".hpp",
        ".rs",
        ".go",
        ".ts",
        ".js",
    ),
    *(
        ".sh",
        ".bash",
        ".zsh",
        ".yaml",
        ".yml",
        ".toml",
        ".json",
        ".env",
        ".cfg",
        ".ini",
        ".service",
        ".tf",
        ".j2",
    ),
    *(".mk", ".cmake", ".bat", ".ps1", ".dockerfile"),
)
_CALLED = ("dockerfile", "containerfile", "makefile", "procfile", ".env")
_LIST = (
    "-c",
    "core.fsmonitor=false",
    "ls-files",
    "-z",
    "--cached",
    "--others",
    "--exclude-standard",
)


class OwnCode:
    """The trees in which a user's own code lies; each is listed once."""

    def __init__(self, roots: Sequence[Path]) -> None:
        for root in roots:
            if not root.is_dir():
                raise InputError(f"--uses {root} is not a folder; give the folder of your own code")
        self._roots = [root.resolve() for root in roots]
        self._files: list[tuple[str, Path]] | None = None

    def found(self, repo: RepoId, facts: Mapping[str, Sequence[Fact]]) -> tuple[OwnUse, ...]:
        """Return where the user's code uses what each commit changes, each thing in a few places."""
        concerning: dict[Fact, list[OwnUse]] = {}
        for commit_facts in facts.values():
            for fact in commit_facts:
                if concerns(fact):
                    concerning[fact] = []
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
        uses: dict[OwnUse, None] = {}
        for sha, commit_facts in facts.items():
            for fact in commit_facts:
                for own_use in concerning.get(fact, ())[:MAX_PLACES]:
                    uses[own_use.model_copy(update={"sha": sha})] = None
        return tuple(uses)

    def marked(self, upgrade: Upgrade) -> Upgrade:
        """Mark in a guide what the user's code uses; what only it reaches is told as well."""
        by_commit: dict[str, list[Fact]] = {}
        for one in upgrade.items:
            by_commit.setdefault(next(iter(one.commits), ""), []).append(one.fact)
        uses: dict[tuple[str, str], list[OwnUse]] = {}
        for use in self.found(upgrade.repo, by_commit):
            uses.setdefault((use.sha, use.name), []).append(use)
        items = []
        for one in upgrade.items:
            own = (
                uses.get((next(iter(one.commits), ""), used_name(one.fact)), ())
                if concerns(one.fact)
                else ()
            )
            items.append(one.model_copy(update={"uses": tuple(own)}) if own else one)
        update = {"items": tuple(items), "own_files": len(self._listed_files())}
        return upgrade.model_copy(update=update)

    def _naming(self, project: re.Pattern[str]) -> Iterator[tuple[str, str]]:
        for name, path in self._listed_files():
            try:
                text = (
                    path.read_text("utf-8", errors="replace")
                    if path.stat().st_size <= _LARGEST
                    else "\0"
                )
            except OSError:
                continue
            if "\0" not in text and project.search(text):
                yield name, text

    def _listed_files(self) -> list[tuple[str, Path]]:
        """List the files of all roots, once."""
        if self._files is None:
            files: list[tuple[str, Path]] = []
            for root in self._roots:
                files += self._listed(root)
            self._files = files[:_MOST]
        return self._files

    def _listed(self, root: Path) -> list[tuple[str, Path]]:
        """List what git would keep of a tree, or all that is not hidden where there is no git."""
        told = subprocess.run(
            [git_program(), *_LIST], env=LOCAL, cwd=root, capture_output=True, check=False
        )
        listed = sorted(os.fsdecode(name) for name in told.stdout.split(b"\0") if name)
        before = f"{root.name}/" if len(self._roots) > 1 else ""
        names = dict.fromkeys(listed if told.returncode == 0 else _walked(root))
        return [
            (before + name, root / name)
            for name in names
            if _is_read(name) and _is_inside(root / name, root)
        ]


def _walked(root: Path) -> Iterator[str]:
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and name != "node_modules"
        )
        yield from (str((Path(folder) / name).relative_to(root)) for name in sorted(files))


def _is_read(name: str) -> bool:
    last = Path(name.lower())
    return last.suffix in _READ or last.name.startswith(_CALLED)


def _is_inside(path: Path, home: Path) -> bool:
    """Leave out links: they may lead out of the tree, and what they lead to inside of it is read anyway."""
    return not path.is_symlink() and path.is_file() and path.resolve().is_relative_to(home)
