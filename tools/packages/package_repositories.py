"""Finds the repository of a package and the commits of its versions, with a proof or a reason."""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple
from urllib.parse import urlsplit

from agent.bumps.bump_report_model import SourceMapping, VersionCommit
from agent.bumps.bump_settings import PackageEntry
from agent.bumps.manifest_name_and_version import (
    Manifest,
    is_manifest,
    read_manifest,
    version_in,
    workspace_version,
)
from agent.bumps.non_python_pin_readers import go_commit
from agent.bumps.pins import Bump
from agent.bumps.version_tags import existing_tags, is_same_name, is_same_version, tag_candidates
from agent.domain.base import RepoId
from agent.domain.errors import UsageError
from agent.domain.references import repo_id
from tools.packages.registry import DeclaredSource, NotDeclared, RegistryDown
from tools.packages.repository_trees import TreeReader

_MAX_MANIFESTS = 400  # Manifests of one tree that are looked through
_MAX_VERSION_CHANGES = 200  # Commits of a manifest in which a version is looked for
_VERSION_FILE_NAMES = ("version.txt", "VERSION", "VERSION.txt")
_PLACEHOLDER = re.compile(r"0\.0\.0(?:[-+.].{0,100})?")
"""The version in the manifests of projects whose releases are numbered when they are published."""
_FULL_SHA = re.compile(r"[0-9a-f]{40}")
_SHORT_SHA = re.compile(r"[0-9a-f]{7,40}")


class NotProved(Exception):
    """The source of a package could not be proved; the message says why."""


class PackageRepository(NamedTuple):
    """A repository that may be the source of a package."""

    repo: RepoId
    origin: str
    entry: PackageEntry
    declared: DeclaredSource | None = None

    @property
    def installed(self) -> tuple[str, ...]:
        """The names that the package installs, if its registry shows them."""
        return self.declared.imports if self.declared is not None else ()


OpenRepository = Callable[[RepoId], Awaitable[TreeReader]]
LookUp = Callable[[Bump], Awaitable[DeclaredSource]]
"""Asks a registry; raises NotDeclared with the reason where it proves no repository."""


class SourceFinder:
    """Maps bumps to commits of their repositories."""

    def __init__(
        self,
        entries: Mapping[str, PackageEntry],
        open_repository: OpenRepository,
        look_up: LookUp,
        host: str,
    ) -> None:
        """Map by configured `entries` first; `host` is the server whose repositories are read."""
        self._entries = entries
        self._open = open_repository
        self._look_up = look_up
        self._host = host

    async def find(self, bump: Bump) -> SourceMapping:
        """Return the mapping of a bump; raise NotProved with the reason if there is none."""
        candidate = await self._repository(bump)
        trees = await self._open(candidate.repo)
        finder = _VersionFinder(bump, candidate, trees)
        old = await finder.commit_of(bump.old)
        new = await finder.commit_of(bump.new)
        if old.sha == new.sha:
            raise NotProved(f"{bump.old} and {bump.new} are the same commit of {candidate.repo}")
        manifest = finder.manifest
        return SourceMapping(
            repo=candidate.repo,
            origin=candidate.origin,
            old=old,
            new=new,
            folder=candidate.entry.path or (manifest.folder if manifest else ""),
            imports=candidate.entry.imports or candidate.installed,
        )

    async def _repository(self, bump: Bump) -> PackageRepository:
        entry = self._entries.get(bump.key) or self._entries.get(bump.name)
        if entry is not None and entry.repo:
            return PackageRepository(entry.repo, "configured", entry)
        entry = entry or PackageEntry()
        address = bump.source
        if bump.ecosystem == "go":
            address = f"https://{'/'.join(bump.name.split('/')[:3])}"
        if address:
            return PackageRepository(self._hosted(address, bump), "part of the pin", entry)
        try:
            declared = await self._look_up(bump)
        except RegistryDown as error:
            step = f"run this again later, or {_name_repository(bump)}"
            raise NotProved(f"{error}; {step}") from error
        except NotDeclared as error:
            raise NotProved(f"{error}; {_name_repository(bump)}") from error
        return PackageRepository(self._hosted(declared.url, bump), declared.origin, entry, declared)

    def _hosted(self, address: str, bump: Bump) -> RepoId:
        """Return the repository of an address on the server that is read."""
        scp_form = re.fullmatch(r"[\w.-]+@([\w.-]+):(.+)", address)
        host = scp_form[1] if scp_form else urlsplit(address).hostname or ""
        path = scp_form[2] if scp_form else urlsplit(address).path
        if host.lower().removeprefix("www.") != self._host:
            raise NotProved(
                f"its repository is on {host or 'an unreadable address'}, "
                f"and only {self._host} is read; if it is mirrored there,"
                f" {_name_repository(bump)}"
            )
        owner_and_name = "/".join(path.strip("/").removesuffix(".git").split("/")[:2])
        try:
            return repo_id(owner_and_name)
        except UsageError as error:
            raise NotProved("its address names no repository") from error


def _name_repository(bump: Bump) -> str:
    """Return the next step where nobody says where the source of a package is."""
    return f"name its repository in [bump.packages]: {bump.key!r} = 'owner/name'"


class _VersionFinder:
    """Finds the commits of versions of one package in its repository."""

    def __init__(self, bump: Bump, candidate: PackageRepository, trees: TreeReader) -> None:
        self._bump = bump
        self._candidate = candidate
        self._trees = trees
        self._faults: list[str] = []  # Of tags that have the name of a version, and are not it
        self.manifest: Manifest | None = None

    async def commit_of(self, version: str) -> VersionCommit:
        """Return the commit of a version; raise NotProved with the reason if it is not proved."""
        is_git = self._bump.ecosystem in ("git", "action") or bool(self._bump.source)
        if is_git or _FULL_SHA.fullmatch(version):
            return await self._pinned(version)
        abbreviated = go_commit(version) if self._bump.ecosystem == "go" else ""
        if abbreviated:
            return await self._pinned(abbreviated, version)
        embedded = await self._embedded(version)
        if embedded is not None:
            return embedded
        return await self._tagged(version) or await self._inferred(version)

    async def _pinned(self, revision: str, version: str = "") -> VersionCommit:
        """Return the commit of a pin that names one, or a tag or branch by its own choice."""
        repo = self._candidate.repo
        if _SHORT_SHA.fullmatch(revision):
            sha = await self._trees.commit(revision)
            if not sha:
                raise NotProved(f"{repo} has no commit {revision[:12]}, or does not show it")
            return VersionCommit(version=version or revision, sha=sha)
        tags = await self._trees.tags()
        if revision in tags:
            note = "a tag can be moved; this is where it is today"
            return VersionCommit(
                version=revision, sha=tags[revision], tag=revision, proof="tag", note=note
            )
        raise NotProved(
            f"{revision!r} is no commit and no tag of {repo}; a branch has no version, so pin a"
            " tag or a commit"
        )

    async def _embedded(self, version: str) -> VersionCommit | None:
        """Return the commit that the registry says a version was built from."""
        declared = self._candidate.declared
        sha = declared.commits.get(version, "") if declared else ""
        if not _FULL_SHA.fullmatch(sha):
            return None
        if not await self._trees.commit(sha):
            return None
        manifest = await self._checked_manifest(sha, version)
        if isinstance(manifest, str):
            return None
        self.manifest = manifest
        return VersionCommit(version=version, sha=sha, note="named by the registry")

    async def _tagged(self, version: str) -> VersionCommit | None:
        """Return the commit of a tag whose manifest names the package and the version.

        None without one; raise NotProved where several such tags are at different commits.
        """
        entry = self._candidate.entry
        candidates = tag_candidates(
            self._bump.ecosystem, self._bump.name, version, entry.path, entry.tag
        )
        tags = await self._trees.tags()
        present = existing_tags(candidates, tags)
        proved: dict[str, VersionCommit] = {}
        faults: list[str] = []
        for tag in present:
            sha = tags[tag]
            manifest = await self._checked_manifest(sha, version)
            if isinstance(manifest, str):
                faults.append(f"tag {tag}: {manifest}")
                continue
            self.manifest = manifest
            note = "the manifest does not write its version down" if manifest.is_dynamic else ""
            proved.setdefault(
                sha, VersionCommit(version=version, sha=sha, tag=tag, proof="tag", note=note)
            )
        if len(proved) > 1:
            names = ", ".join(commit.tag for commit in proved.values())
            raise NotProved(f"several tags fit {version}, at different commits: {names}")
        self._faults = faults
        return next(iter(proved.values())) if proved else None

    async def _checked_manifest(self, sha: str, version: str) -> Manifest | str:
        """Return the manifest that names package and version, or what is wrong with the tree."""
        manifests = await self._manifests(sha)
        if not manifests:
            return f"no manifest names {self._bump.name}"
        faults: list[str] = []
        for manifest in manifests:
            written = await self._written_version(sha, manifest)
            if _PLACEHOLDER.fullmatch(written):
                written = ""
            if written and not is_same_version(written, version):
                faults.append(f"{manifest.path} says {written}")
                continue
            return manifest.model_copy(update={"version": written, "is_dynamic": not written})
        return faults[0]

    async def _manifests(self, sha: str) -> list[Manifest]:
        """Return the manifests of a tree that name the package, those nearest to the root first."""
        ecosystem = self._bump.ecosystem
        listing = await self._trees.listing(sha)
        folder = self._candidate.entry.path
        paths = [path for path in listing if is_manifest(ecosystem, path)]
        if folder:
            paths = [path for path in paths if str(PurePosixPath(path).parent) == folder]
        paths.sort(key=lambda path: (path.count("/"), path))
        texts = await self._trees.texts(sha, paths[:_MAX_MANIFESTS])
        manifests: list[Manifest] = []
        for path in paths:
            manifest = read_manifest(ecosystem, path, texts.get(path, ""))
            if manifest is not None and is_same_name(ecosystem, manifest.name, self._bump.name):
                manifests.append(manifest)
        return manifests

    async def _written_version(self, sha: str, manifest: Manifest) -> str:
        """Return the version that a manifest or the file it refers to has; empty if none does."""
        if manifest.version:
            return manifest.version
        if manifest.version_files == ("/Cargo.toml",):
            texts = await self._trees.texts(sha, ["Cargo.toml"])
            return workspace_version(texts.get("Cargo.toml", ""))
        if self._bump.ecosystem != "pypi":
            return ""
        prefix = f"{manifest.folder}/" if manifest.folder else ""
        paths = [prefix + name for name in (*manifest.version_files, *_VERSION_FILE_NAMES)]
        texts = await self._trees.texts(sha, paths)
        for path in paths:
            written = version_in(texts.get(path, ""))
            if written:
                return written
        return ""

    async def _inferred(self, version: str) -> VersionCommit:
        """Return the commit that changed the manifest to a version."""
        repo = self._candidate.repo
        tip = await self._trees.tip()
        manifests = await self._manifests(tip) if tip else []
        searches = [(manifest, False) for manifest in manifests]
        searches += [(manifest, True) for manifest in manifests]
        for manifest, with_branches in searches:
            commit = await self._commit_that_wrote(tip, manifest, version, with_branches)
            if commit:
                why = self._faults[0] if self._faults else "there is no tag"
                branch_note = " on a branch that was merged" if with_branches else ""
                note = f"{why}; this commit changed the version{branch_note}"
                self.manifest = manifest
                return VersionCommit(version=version, sha=commit, proof="inferred", note=note)
        why = self._faults[0] if self._faults else f"{repo} has no tag for {version}"
        step = f"if its tags have another form, write it as `tag` of {self._bump.key!r}"
        if not manifests:
            raise NotProved(
                f"{why}, and no manifest of its default branch names the package; {step}"
            )
        raise NotProved(f"{why}, and no commit of its default branch wrote that version; {step}")

    async def _commit_that_wrote(
        self, tip: str, manifest: Manifest, version: str, with_branches: bool
    ) -> str:
        """Return the oldest landed commit at which the manifest has the version."""
        for path in await self._version_paths(tip, manifest):
            commits = await self._trees.file_history(
                tip, path, _MAX_VERSION_CHANGES, with_branches=with_branches
            )
            oldest = ""
            for sha in commits:
                written = await self._written_version(
                    sha,
                    manifest.model_copy(update={"version": await self._version_at(sha, manifest)}),
                )
                if written and is_same_version(written, version):
                    oldest = sha
                elif oldest:
                    break
            if oldest:
                return oldest
        return ""

    async def _version_paths(self, tip: str, manifest: Manifest) -> Sequence[str]:
        if manifest.version:
            return [manifest.path]
        prefix = f"{manifest.folder}/" if manifest.folder else ""
        listing = await self._trees.listing(tip)
        names = (*manifest.version_files, *_VERSION_FILE_NAMES)
        return [prefix + name for name in names if prefix + name in listing]

    async def _version_at(self, sha: str, manifest: Manifest) -> str:
        texts = await self._trees.texts(sha, [manifest.path])
        earlier = read_manifest(self._bump.ecosystem, manifest.path, texts.get(manifest.path, ""))
        return earlier.version if earlier else ""
