"""The public surface of Python packages at commits."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from agent.domain.surface import SurfaceChange
from tools.diff.file_roles import HEADERS, is_for_users, is_product
from tools.git.blobs_of_commits import entries_of
from tools.git.missing_blobs import close_gaps
from tools.git.tree_reading_and_search import Trees, cover
from tools.surface.names_in_sphinx_documents import described_names
from tools.surface.public_paths import Documented, documented_imports, entry_points, project_name
from tools.surface.surface_change import Surface, SurfaceReader

if TYPE_CHECKING:
    from tools.git.diff_parser import RawEntry
    from tools.git.isolated_repository import View

_MAX_SURFACES_KEPT = 3  # Of one repository: a commit and its parent, and the next commit
_MAX_FILES = 60_000  # Files of a tree beyond which no surface is read
_MAX_IMPORTED_LINES = 20  # Lines in the brackets of an import
_MAX_DESCRIPTIONS = 1_000  # Documents of Sphinx that are read
_MAX_MODULE_BYTES = 2_000_000
_DOCUMENT_ENDINGS = (".md", ".mdx", ".rst", ".txt", ".ipynb", ".py", ".cu", ".cpp", ".cc", ".c")
_IMPORTS = "^[[:space:]>]*(from|import)[[:space:]]([^#]*[[:space:],])?({packages})([.,[:space:]]|$)"
_INCLUDES = '^[[:space:]>]*#[[:space:]]*include[[:space:]]*[<"]'
_NO_SURFACE = SurfaceChange()


class _ListedTree(NamedTuple):
    """The blob of each file of a commit."""

    sha: str
    files: dict[str, str]


class Surfaces(Trees):
    """Finds what a commit does to the paths that users import."""

    _network: Mapping[str, str]

    def __init__(self) -> None:
        """Begin without having read a surface."""
        self._surface_reader = SurfaceReader()
        self._surfaces: dict[str, Surface] = {}
        self._files: dict[str, dict[str, str]] = {}
        self._latest_tree: _ListedTree | None = None
        self._documented: Documented | None = None

    async def _present(self, view: "View", shas: Sequence[str]) -> list[str]:
        raise NotImplementedError

    async def surface_changes(self, shas: Sequence[str]) -> dict[str, SurfaceChange | None]:
        """Return for each commit the public names in its files and what breaks.

        None stands for a commit of which nobody can say it. Commits that follow each other are
        read fastest in their order, the oldest first.
        """
        view = await self._view()
        present = await self._present(view, shas)
        # A module that is not here would look like one that is gone, or that stayed as it was.
        gaps = await close_gaps(await self._open(), view, present, self._network)
        present = [sha for sha in present if sha not in gaps.shas]
        entries_by_sha = await entries_of(view, present)
        parents = await _first_parents(view, present)
        changes: dict[str, SurfaceChange | None] = dict.fromkeys(shas)
        for sha in present:
            if sha not in entries_by_sha or sha not in parents or sha in view.shallow:
                continue
            entries = entries_by_sha[sha]
            changes[sha] = await self._surface_change(view, parents[sha], sha, entries)
            self._follow_tree(parents[sha], sha, entries)
        return changes

    def _follow_tree(self, parent: str, sha: str, entries: Sequence["RawEntry"]) -> None:
        """Derive the files of a commit from those before it, so that no tree is listed twice."""
        files = self._files.get(sha)
        if files is None and self._latest_tree is not None and self._latest_tree.sha == parent:
            files = _with_entries(self._latest_tree.files, entries)
        if files is not None:
            self._latest_tree = _ListedTree(sha, files)

    async def surface_between(self, old: str, new: str) -> SurfaceChange | None:
        """Return what is public in one version, and what of it breaks in another."""
        view = await self._view()
        old_files = await self._files_of(view, old)
        new_files = await self._files_of(view, new)
        if old_files is None or new_files is None:
            return None
        # What came into the documents between two versions is shown to users as well.
        documented = await self._documented_at(view, old, old_files)
        self._documented = documented | await self._documented_at(view, new, new_files)
        self._surfaces.clear()
        self._files.clear()
        before = await self._surface(view, old, old_files)
        after = await self._surface(view, new, new_files)
        if before is None or after is None:
            return None
        changed: set[str] = set()
        for file in old_files | new_files:
            if old_files.get(file) != new_files.get(file):
                changed.add(file)
        return await self._change_between(before, after, changed)

    async def _surface_change(
        self, view: "View", parent: str, sha: str, entries: Sequence["RawEntry"]
    ) -> SurfaceChange | None:
        changed = _changed_files(entries)
        if not any(file.endswith((".py", *HEADERS)) and is_product(file) for file in changed):
            return _NO_SURFACE
        before = await self._surface(view, parent)
        if before is None:
            return None
        files = _with_entries(self._files[parent], entries)
        after = await self._surface(view, sha, files)
        return None if after is None else await self._change_between(before, after, changed)

    async def _change_between(
        self, before: Surface, after: Surface, changed: Collection[str]
    ) -> SurfaceChange:
        change = await self._surface_reader.change(before, after, changed, self._contents)
        headers = (self._documented or Documented()).headers
        included = [file for file in changed if _is_included(file, headers)]
        return change.model_copy(update={"documented_headers": tuple(sorted(included))})

    async def _surface(
        self, view: "View", sha: str, files: dict[str, str] | None = None
    ) -> Surface | None:
        if sha not in self._surfaces:
            files = files or await self._files_of(view, sha)
            if files is None:
                return None
            if len(files) > _MAX_FILES:
                return None
            if self._documented is None:
                self._documented = await self._documented_at(view, sha, files)
            while len(self._surfaces) >= _MAX_SURFACES_KEPT:
                oldest = next(iter(self._surfaces))
                del self._surfaces[oldest], self._files[oldest]
            self._surfaces[sha] = await self._surface_reader.read(
                files, self._documented, self._contents
            )
            self._files[sha] = files
        return self._surfaces[sha]

    async def _files_of(self, view: "View", sha: str) -> dict[str, str] | None:
        """Return the blob of each file of a tree; None where the tree is not here."""
        if not await self._has_tree(sha):
            return None
        latest = self._latest_tree
        if latest is not None and latest.sha == sha:
            return latest.files
        return await self._listing(view, sha)

    async def _listing(self, view: "View", sha: str) -> dict[str, str]:
        """Return the blob of each file of a tree."""
        listing = await view.read(["ls-tree", "-r", "-z", sha])
        files: dict[str, str] = {}
        for record in listing.split(b"\0"):
            meta, separator, path = record.partition(b"\t")
            if not separator:
                continue
            _, kind, name = meta.split()
            if kind == b"blob":
                files[path.decode("utf-8", "replace")] = name.decode("ascii")
        return files

    async def _documented_at(self, view: "View", sha: str, files: Mapping[str, str]) -> Documented:
        """Return what documents, examples and entry points import; it hardly changes in a window."""
        output = await _import_lines(view, sha, files)
        documented = documented_imports(output.splitlines())
        documented = await self._with_described(documented, files)
        projects = {file: blob for file, blob in files.items() if _is_project(file)}
        functions: set[tuple[str, str]] = set()
        names: set[str] = set()
        contents = await self._contents(list(projects.values()))
        for file, blob in projects.items():
            content = contents.get(blob, b"")
            names.add(project_name(file, content))
            functions |= entry_points(content)
        return documented._replace(commands=frozenset(functions), projects=frozenset(names))

    async def _with_described(self, documented: Documented, files: Mapping[str, str]) -> Documented:
        """Return what documents import together with what those of Sphinx describe."""
        blobs = [
            blob for file, blob in files.items() if file.endswith(".rst") and is_for_users(file)
        ]
        contents = await self._contents(blobs[:_MAX_DESCRIPTIONS])
        for content in contents.values():
            described = described_names(content.decode("utf-8", "replace"))
            documented |= Documented(
                modules=described.modules,
                names=described.names,
                whole_modules=described.whole_modules,
                described=described.names,
                described_modules=described.whole_modules,
            )
        return documented

    async def _contents(self, blobs: Sequence[str]) -> dict[str, bytes]:
        """Return blobs by their hashes, without those that are missing or very large."""
        names = [blob.encode("ascii") for blob in dict.fromkeys(blobs)]
        objects = (await self._view()).objects
        contents: dict[str, bytes] = {}
        for name, git_object in zip(names, await objects.contents(names), strict=True):
            if git_object is not None and git_object.size <= _MAX_MODULE_BYTES:
                contents[name.decode("ascii")] = git_object.content
        return contents


async def _import_lines(view: "View", sha: str, files: Mapping[str, str]) -> str:
    """Return the lines of documents and examples that import a package or include a header."""
    documents = {file.encode() for file in files if _is_document(file)}
    folders = cover(map(str.encode, files), documents)
    if not folders:
        return ""
    command: list[str | bytes] = ["grep", "--threads=1", "-h", "-I", "-E"]
    command += [f"--after-context={_MAX_IMPORTED_LINES}", "-e", _INCLUDES]
    packages = _package_names(files)
    if packages:
        command += ["-e", _IMPORTS.format(packages="|".join(packages))]
    command += [sha, "--", *folders]
    finished = await view.run(command)
    return finished.out.decode("utf-8", "replace")


def _package_names(files: Iterable[str]) -> list[str]:
    """Return the names of the folders that are Python packages."""
    names: set[str] = set()
    for file in files:
        if file.endswith("/__init__.py"):
            names.add(file.split("/")[-2])
    return sorted(name for name in names if name.isidentifier())


def _is_project(file: str) -> bool:
    return file.rpartition("/")[2] in ("pyproject.toml", "setup.py")


def _is_document(file: str) -> bool:
    """Return True for documents and examples, which show users what to import."""
    return file.endswith(_DOCUMENT_ENDINGS) and is_for_users(file)


def _is_included(file: str, headers: Collection[str]) -> bool:
    """Return True for a header that is included by the end of its path."""
    if not file.endswith(HEADERS):
        return False
    parts = file.split("/")
    return any("/".join(parts[start:]) in headers for start in range(len(parts)))


async def _first_parents(view: "View", shas: Sequence[str]) -> dict[str, str]:
    """Return the first parent of each commit that has one."""
    stdin = "".join(f"{sha}\n" for sha in shas).encode("ascii")
    command = ["rev-list", "--no-walk=unsorted", "--parents", "--stdin"]
    output = await view.read(command, stdin=stdin)
    parents: dict[str, str] = {}
    for line in output.decode("ascii").splitlines():
        sha, *others = line.split()
        if others:
            parents[sha] = others[0]
    return parents


def _changed_files(entries: Sequence["RawEntry"]) -> set[str]:
    # Renamed files are listed under both names.
    return {entry.path.decode("utf-8", "replace") for entry in entries}


def _with_entries(files: Mapping[str, str], entries: Sequence["RawEntry"]) -> dict[str, str]:
    """Return the files of a tree after a commit."""
    later = dict(files)
    for entry in entries:
        path = entry.path.decode("utf-8", "replace")
        if entry.status == "D":
            later.pop(path, None)
            continue
        if entry.blobs:
            later[path] = entry.blobs[-1].decode("ascii")
    return later
