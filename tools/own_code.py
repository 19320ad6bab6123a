"""Reading the user's own files, on this machine and for this machine only: nothing of them is sent or kept."""

import asyncio
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from agent.errors import InputError
from agent.facts import Fact
from agent.ids import RepoId
from agent.own_code import MOST_PLACES, OwnUse, find_uses, may_use, names_project, projects_of, words_of
from tools.git.process import LOCAL, run

_LARGEST, _MOST = 1_000_000, 50_000
_READ = frozenset(
    ".py .pyi .c .cc .cpp .cxx .cu .cuh .h .hh .hpp .rs .go .ts .js .sh .bash .zsh .yaml .yml .toml .json .env .cfg .ini "
    ".service .tf .j2 .mk .cmake .bat .ps1 .dockerfile".split()
)
_CALLED = ("dockerfile", "containerfile", "makefile", "procfile", ".env")
_LIST = ("-c", "core.fsmonitor=false", "ls-files", "-z", "--cached", "--others", "--exclude-standard")


class OwnCode:
    """The trees in which a user's own code lies; each is listed once."""

    def __init__(self, roots: Sequence[Path]) -> None:
        for root in roots:
            if not root.is_dir():
                raise InputError(f"--uses {root} is not a folder; give the folder of your own code")
        self._roots = roots
        self._files: list[tuple[str, Path]] | None = None

    async def candidates(self, repo: RepoId, facts: Mapping[str, Sequence[Fact]]) -> list[str]:
        """Name the commits that may concern the user's code, by words alone."""
        projects = projects_of(repo, (fact for some in facts.values() for fact in some))
        words: set[str] = set()
        for _, text in await self._naming(projects):
            words |= words_of(text)
        return [sha for sha, some in facts.items() if any(may_use(fact, words) for fact in some)]

    async def uses(self, repo: RepoId, facts: Mapping[str, Sequence[Fact]]) -> dict[tuple[str, Fact], list[OwnUse]]:
        """Find where the user's code uses what the commits change, by commit and fact."""
        owners = [(sha, fact) for sha, some in facts.items() for fact in some]
        found: dict[tuple[str, Fact], list[OwnUse]] = {}
        for name, text in await self._naming(projects_of(repo, (fact for _, fact in owners))):
            lines: dict[Fact, list[int]] = {}
            for fact, line in find_uses(list(dict.fromkeys(fact for _, fact in owners)), name, text):
                lines.setdefault(fact, []).append(line)
            for sha, fact in owners:
                places = found.setdefault((sha, fact), []) if fact in lines else []
                for line in lines.get(fact, [])[: MOST_PLACES - len(places)]:
                    places.append(OwnUse(repo=repo, sha=sha, name=fact.name, file=name, line=line))
        return found

    async def _naming(self, projects: frozenset[str]) -> list[tuple[str, str]]:
        """Read the files that name a project."""
        if self._files is None:
            self._files = [pair for root in self._roots for pair in await self._listed(root)][:_MOST]
        return await asyncio.to_thread(lambda: list(_read(self._files or [], projects)))

    async def _listed(self, root: Path) -> list[tuple[str, Path]]:
        """List what git would keep of a tree, or all that is not hidden where there is no git."""
        told = await run([*_LIST], env=LOCAL, cwd=root)
        names = sorted(os.fsdecode(name) for name in told.out.split(b"\0") if name) if told.code == 0 else _walked(root)
        before = f"{root.resolve().name}/" if len(self._roots) > 1 else ""
        return [(before + name, root / name) for name in dict.fromkeys(names) if _is_read(name)]


def _walked(root: Path) -> Iterator[str]:
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name != "node_modules")
        yield from (os.path.relpath(os.path.join(folder, name), root) for name in sorted(files))


def _is_read(name: str) -> bool:
    last = name.rpartition("/")[2].lower()
    return os.path.splitext(last)[1] in _READ or last.startswith(_CALLED)


def _read(files: Sequence[tuple[str, Path]], projects: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Read plain files of bounded size; a link could lead out of the tree, and what it leads to inside is read anyway."""
    for name, path in files:
        try:
            inside = not any(part.is_symlink() for part in (path, *path.parents[: name.count("/")]))
            if not inside or not path.is_file() or path.stat().st_size > _LARGEST:
                continue
            text = path.read_text("utf-8", errors="replace")
        except OSError:
            continue
        if "\0" not in text and names_project(text, projects):
            yield name, text
