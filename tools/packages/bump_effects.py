"""What the bumps of a range do to your own code: read one after the other, within a limit of time."""

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from agent.bumps.bump_report_model import (
    BumpReport,
    CodeUse,
    Explanations,
    PackageOutcome,
    SourceMapping,
    UsedName,
)
from agent.bumps.bump_settings import BumpSettings
from agent.bumps.pins import Bump, PinChanges
from agent.domain.base import RepoId
from agent.domain.commits import Commit
from agent.domain.errors import AppError
from agent.domain.facts import Fact, Severity
from agent.domain.upgrade import Upgrade, UpgradeItem, Version
from agent.fact_sentences import fact_sentence
from agent.ports import CloneSource
from agent.user_code_uses import concerns, used_name
from tools.packages.action_changes import action_changes
from tools.packages.broken_includes import broken_includes, names_from_headers, public_headers
from tools.packages.broken_python_uses import FileUse, broken_uses, own_uses
from tools.packages.facts_between_versions import VersionFacts, facts_between
from tools.packages.non_python_uses import LANGUAGES, other_uses
from tools.packages.package_repositories import NotProved, SourceFinder
from tools.packages.python_package_api import PythonTree
from tools.packages.repository_trees import TreeReader
from tools.packages.user_tree import OwnTree
from tools.surface.python_module import PythonDefinition
from tools.user_code import UserCode

_MAX_BREAKING_LISTED = 40
_RESOLVED_KINDS = ("symbol-", "parameter-", "file-", "field-", "signature-", "base-")
"""What is decided by resolving the names that own code uses, instead of by looking for words."""
_READ_VARIABLE = re.compile(
    r"(?:environ\.get|environ\[[^]]{1,100}\](?!\s*=[^=])|[gG]et[eE]nv|LookupEnv|env::var|process\.env)"
)
"""What reads a variable of the environment, as Python, Go, Rust, C and JavaScript write it."""
_KEPT_KINDS = ("parameter-default-changed",)

OpenCode = Callable[[RepoId], Awaitable[CloneSource]]
Say = Callable[[str], None]
Explain = Callable[[SourceMapping, Sequence[UsedName]], Awaitable[Explanations]]
"""Explains the commits between two versions that change what own code uses."""


@dataclass
class OwnRange:
    """The repository of the user, and the two commits that are compared."""

    repo: RepoId
    trees: TreeReader
    base: str
    tip: str
    folders: Sequence[str] = ()  # Parts of the repository in which uses are looked for


@dataclass
class _SortedBumps:
    read: list[Bump] = field(default_factory=list)
    folded: list[Bump] = field(default_factory=list)
    containers: list[Bump] = field(default_factory=list)


@dataclass
class BumpReader:
    """Reads what each bump does to own code."""

    compared: OwnRange
    finder: SourceFinder
    open_trees: Callable[[RepoId], Awaitable[TreeReader]]
    open_code: OpenCode
    settings: BumpSettings
    cache: Path
    say: Say
    explain: Explain | None = None  # Has a model explain commits, where one is configured
    model: str = ""
    _deadline: float = field(init=False)
    _used: dict[str, Sequence[UsedName]] = field(default_factory=dict)  # By package

    def __post_init__(self) -> None:
        self._deadline = time.monotonic() + self.settings.max_seconds

    async def report(self, changes: PinChanges) -> BumpReport:
        """Read the direct bumps and those of packages that own code imports; fold the others."""
        tip_tree = await OwnTree.at(self.compared.trees, self.compared.tip, self.compared.folders)
        omissions = list(_left_out(tip_tree))
        try:
            async with asyncio.timeout(self._deadline - time.monotonic()):
                imported = await tip_tree.imported_packages()
        except TimeoutError:
            imported = set()
            omissions.append(f"imports of own code are not known, because {self._time_is_over()}")
        sorted_bumps = self._sorted(changes.bumps, imported)
        base_tree = OwnTree({}, 0)
        if sorted_bumps.read:
            base_tree = await OwnTree.at(
                self.compared.trees, self.compared.base, self.compared.folders
            )
        outcomes: list[PackageOutcome] = []
        for number, bump in enumerate(sorted_bumps.read, start=1):
            if number > self.settings.max_packages:
                limit = f"only {self.settings.max_packages} packages are read (max_packages)"
                outcomes.append(PackageOutcome(bump=bump, reason=limit))
                continue
            self.say(f"reading {bump.name} ({number} of {len(sorted_bumps.read)})")
            outcomes.append(await self._outcome(bump, base_tree, tip_tree))
        if self.explain is not None:
            outcomes = [await self._with_explanations(outcome) for outcome in outcomes]
        return BumpReport(
            repo=self.compared.repo,
            base=self.compared.base,
            tip=self.compared.tip,
            changes=changes,
            outcomes=tuple(outcomes),
            folded=tuple(sorted_bumps.folded),
            containers=tuple(sorted_bumps.containers),
            omissions=tuple(omissions),
            model=self.model if self.explain is not None else "",
        )

    def _sorted(self, bumps: Sequence[Bump], imported: set[str]) -> "_SortedBumps":
        """Sort bumps by what is done with them."""
        result = _SortedBumps()
        for bump in bumps:
            if bump.ecosystem == "container":
                result.containers.append(bump)
            elif bump.is_direct or self._import_names(bump) & imported:
                result.read.append(bump)
            else:
                result.folded.append(bump)
        return result

    def _import_names(self, bump: Bump) -> set[str]:
        """Return under which names a package may be imported, before its source was read."""
        entry = self.settings.packages.get(bump.key) or self.settings.packages.get(bump.name)
        if entry is not None and entry.imports:
            return {name.partition(".")[0] for name in entry.imports}
        return {bump.name.replace("-", "_")} if bump.ecosystem == "pypi" else set()

    async def _outcome(self, bump: Bump, base: OwnTree, tip: OwnTree) -> PackageOutcome:
        seconds_left = self._deadline - time.monotonic()
        if seconds_left <= 0:
            return PackageOutcome(bump=bump, reason=self._time_is_over())
        mapping: SourceMapping | None = None
        try:
            async with asyncio.timeout(seconds_left):
                mapping = await self.finder.find(bump)
                if bump.ecosystem == "action":
                    return await self._compared_action(bump, mapping, tip)
                comparison = await self._compared(bump, mapping, base, tip)
        except NotProved as error:
            return PackageOutcome(bump=bump, reason=str(error))
        except TimeoutError:
            return PackageOutcome(bump=bump, mapping=mapping, reason=self._time_is_over())
        except AppError as error:
            return PackageOutcome(bump=bump, mapping=mapping, reason=str(error))
        if self.explain is not None:
            self._used[bump.key] = (*comparison.used, *await _used_names(comparison))
        return await self._with_facts(comparison, tip)

    def _time_is_over(self) -> str:
        return f"the {self.settings.max_seconds} seconds for all packages were over (max_seconds)"

    async def _compared_action(
        self, bump: Bump, mapping: SourceMapping, tip: OwnTree
    ) -> PackageOutcome:
        trees = await self.open_trees(mapping.repo)
        changes = await action_changes(trees, mapping, bump.name, tip.texts)
        return PackageOutcome(
            bump=bump,
            mapping=mapping,
            reason=changes.problem,
            uses=changes.uses,
            changed_names=changes.changed_names,
            breaking_changes=changes.sentences,
            files_searched=len(tip.texts),
            files_importing=changes.files,
        )

    async def _compared(
        self, bump: Bump, mapping: SourceMapping, base: OwnTree, tip: OwnTree
    ) -> "_PackageComparison":
        trees = await self.open_trees(mapping.repo)
        if bump.ecosystem in LANGUAGES:
            return await self._compared_elsewhere(trees, bump, mapping, tip)
        old = await PythonTree.at(trees, mapping.old.sha)
        new = await PythonTree.at(trees, mapping.new.sha)
        imports = mapping.imports or await self._imports(trees, mapping, old)
        mapping = mapping.model_copy(update={"imports": tuple(sorted(imports))})
        uses = await own_uses(base.python_files, tip.python_files, imports)
        broken = await broken_uses(uses, old, new)
        broken += await broken_includes(trees, mapping, tip.texts)
        headers = len(public_headers(await trees.listing(mapping.old.sha), mapping.folder))
        outcome = PackageOutcome(
            bump=bump,
            mapping=mapping,
            uses=tuple(broken),
            files_searched=len(tip.texts),
            files_importing=_file_count(uses.uses),
            reason=_unreadable(imports, broken, headers),
        )
        names: tuple[UsedName, ...] = ()
        if headers and self.explain is not None:
            names = await names_from_headers(trees, mapping, tip.texts)
        return _PackageComparison(outcome, uses.uses, new, names)

    async def _compared_elsewhere(
        self, trees: TreeReader, bump: Bump, mapping: SourceMapping, tip: OwnTree
    ) -> "_PackageComparison":
        """Compare a package of npm, Cargo or Go."""
        uses = await other_uses(trees, bump, mapping, tip.texts)
        outcome = PackageOutcome(
            bump=bump,
            mapping=mapping.model_copy(update={"imports": (uses.name,)}),
            uses=uses.broken,
            files_searched=len(tip.texts),
            files_importing=uses.files_importing,
            reason=uses.problem,
        )
        return _PackageComparison(outcome, (), None, uses.used)

    async def _with_facts(self, comparison: "_PackageComparison", tip: OwnTree) -> PackageOutcome:
        """Add what changed besides: settings, defaults, and what breaks for others.

        Lines that fail are known by then, and are shown even if there is no time for this.
        """
        outcome = comparison.outcome
        mapping = outcome.mapping
        assert mapping is not None
        seconds = self._deadline - time.monotonic()
        try:
            async with asyncio.timeout(seconds):
                code = await self.open_code(mapping.repo)
                facts = await facts_between(
                    code, mapping.old.sha, mapping.new.sha, self.cache / "facts", seconds
                )
                changed = await self._changed_uses(code, comparison, facts, tip)
        except (TimeoutError, AppError) as error:
            reason = self._time_is_over() if isinstance(error, TimeoutError) else str(error)
            omission = f"changed settings and defaults were not compared, because {reason}"
            reason = outcome.reason or ("" if outcome.uses else omission)
            return outcome.model_copy(update={"omissions": (omission,), "reason": reason})
        concerning = {used_name(fact) for fact in facts.facts if concerns(fact)}
        lines = {(use.file, use.line) for use in outcome.uses}
        others = [use for use in changed if (use.file, use.line) not in lines]
        update = {
            "uses": (*outcome.uses, *others),
            "changed_names": len(concerning),
            "breaking_changes": tuple(_breaking_sentences(facts.facts)),
            "omissions": facts.skipped,
        }
        return outcome.model_copy(update=update)

    async def _with_explanations(self, outcome: PackageOutcome) -> PackageOutcome:
        """Add what a model says of commits that change the code behind used names.

        Facts are whole without it, so whatever fails here is told and nothing else is lost.
        """
        used = self._used.get(outcome.bump.key)
        if self.explain is None or outcome.mapping is None or not used:
            return outcome
        self.say(f"explaining changes of {outcome.bump.name}")
        try:
            explanations = await self.explain(outcome.mapping, used)
        except AppError as error:
            explanations = Explanations(failure=str(error))
        update = {
            "explanations": explanations.items,
            "omissions": (*outcome.omissions, *explanations.omissions),
            "model_failure": explanations.failure,
        }
        return outcome.model_copy(update=update)

    async def _imports(
        self, trees: TreeReader, mapping: SourceMapping, old: PythonTree
    ) -> set[str]:
        """Return the names importable from the package's folder, without its neighbours'."""
        listing = await trees.listing(mapping.old.sha)
        neighbours: set[str] = set()
        for path in listing:
            folder, _, name = path.rpartition("/")
            is_inside = folder.startswith(f"{mapping.folder}/" if mapping.folder else "")
            is_project = name in ("pyproject.toml", "setup.py")
            if is_project and is_inside and folder != mapping.folder:
                neighbours.add(folder)
        return old.top_level_names(mapping.folder, sorted(neighbours))

    async def _changed_uses(
        self, code: CloneSource, comparison: "_PackageComparison", facts: VersionFacts, tip: OwnTree
    ) -> list[CodeUse]:
        """Return lines that still work and name what was changed: defaults, settings, flags."""
        mapping = comparison.outcome.mapping
        assert mapping is not None
        kept = [fact for fact in facts.facts if _is_looked_for(fact)]
        if not kept:
            return []
        ends = [await code.version(mapping.old.sha), await code.version(mapping.new.sha)]
        old, new = (_version(commit) for commit in ends)
        upgrade = Upgrade(
            repo=mapping.repo,
            old=old,
            new=new,
            titles={},
            commits=0,
            items=tuple(UpgradeItem(fact=fact) for fact in kept),
        )
        words = {*mapping.imports, mapping.repo.rpartition("/")[2]}
        with tip.written_out(words) as folder:
            marked = await asyncio.to_thread(UserCode([folder]).marked, upgrade)
        uses: list[CodeUse] = []
        for item in marked.items:
            for use in item.uses:
                if not await _is_deprecated(item.fact, use.file, use.line, comparison):
                    continue
                if item.fact.kind == "env-removed" and _READ_VARIABLE.search(use.text):
                    continue  # Own code asks for the variable by itself
                uses.append(
                    CodeUse(
                        file=use.file,
                        line=use.line,
                        name=use.name,
                        effect="changed",
                        text=fact_sentence(item.fact, "en").removesuffix("."),
                    )
                )
        return uses


class _PackageComparison(NamedTuple):
    """The result of comparing the code of a package, and the versions that were compared."""

    outcome: PackageOutcome
    own_uses: Sequence[FileUse]
    new: PythonTree | None  # None for a package that is not Python's
    used: tuple[UsedName, ...] = ()  # Of headers, and of a package that is not Python's


async def _used_names(comparison: _PackageComparison) -> tuple[UsedName, ...]:
    """Return the names of a Python package that own code uses and the new version defines."""
    if comparison.new is None:
        return ()
    paths = {file_use.use.path for file_use in comparison.own_uses}
    places = await comparison.new.definitions(paths)
    names: list[UsedName] = []
    for file, use in comparison.own_uses:
        place = places.get(use.path)
        if place is not None:
            names.append(
                UsedName(
                    name=place.name,
                    file=file,
                    line=use.line,
                    defined_in=place.file,
                    is_class=place.is_class,
                )
            )
    return tuple(names)


async def _is_deprecated(fact: Fact, file: str, line: int, comparison: _PackageComparison) -> bool:
    """Return False for a line of Python that uses another thing of the name that is deprecated.

    Such a fact has the bare name of a function, which in another class or module is another one.
    """
    if fact.kind != "deprecated" or not file.endswith(".py") or comparison.new is None:
        return True
    paths: list[str] = []
    for own_file, use in comparison.own_uses:
        if (own_file, use.line) == (file, line):
            paths.append(use.path)
    for meaning in (await comparison.new.meanings(paths)).values():
        if isinstance(meaning, PythonDefinition) and meaning.module == fact.module:
            names = meaning.name.split(".")
            if fact.name.split(".") == names[-len(fact.name.split(".")) :]:
                return True
    return False


def _left_out(tree: OwnTree) -> Iterator[str]:
    """Yield what of own code is not read."""
    if tree.left_out:
        yield f"{tree.left_out} files of own code are binary or too large"
    if tree.large_python_files:
        yield f"{tree.large_python_files} Python files of own code are too large to be parsed"


def _version(commit: Commit) -> Version:
    return Version(name=commit.sha[:12], sha=commit.sha, at=commit.committed_at)


def _is_looked_for(fact: Fact) -> bool:
    if not concerns(fact) or fact.severity is Severity.INTERNAL:
        return False
    return fact.kind in _KEPT_KINDS or not fact.kind.startswith(_RESOLVED_KINDS)


def _file_count(uses: Sequence[FileUse]) -> int:
    return len({use.file for use in uses})


def _breaking_sentences(facts: Sequence[Fact]) -> list[str]:
    sentences: list[str] = []
    for fact in facts:
        if fact.severity is Severity.BREAKING:
            sentences.append(fact_sentence(fact, "en"))
    return sentences[:_MAX_BREAKING_LISTED]


def _unreadable(imports: Collection[str], broken: Sequence[CodeUse], headers: int) -> str:
    """Return why uses could not be looked up; empty where they could."""
    if imports or broken or headers:
        return ""
    return f"it has no Python package and no public header: {_LOOKED_UP}"


_LOOKED_UP = (
    "uses are looked up in Python, JavaScript, TypeScript, Rust and Go, in includes of C and C++,"
    " and in inputs of actions"
)
