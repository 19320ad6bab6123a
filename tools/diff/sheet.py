"""The facts of one commit: what its files declare before and after, compared, judged by reach, proved and ranked."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from agent.conventions import Purpose, read_heading
from agent.domain import Change
from agent.facts import Fact, FactKind, FactSheet, Place, Severity
from agent.own_code import concerns
from tools.diff.code_changes import changed_functions, telling_hunks
from tools.diff.compare import compare
from tools.diff.differences import Difference
from tools.diff.files import file_facts, only_facts
from tools.diff.layout import layout_facts
from tools.diff.lineage import Lineage, lineage_fact
from tools.diff.patch import read_patch
from tools.diff.proof import place_of
from tools.diff.ranking import ranked
from tools.diff.reach import Names, Trees, is_still_there, names_to_look_up, severity
from tools.diff.roles import is_product, module_of
from tools.diff.versions import LARGEST_COMMIT, Blobs, Versions, needs_blobs, read_versions

_MOST_BLOBS = 200
_MOST_TOUCHED = 1_000
_INSIDE = (FactKind.ERROR_CHANGED,)
_SET = (FactKind.FLAG_ADDED, FactKind.ENV_ADDED, FactKind.CONFIG_ADDED, FactKind.FIELD_ADDED)
_DOCUMENTS = (".md", ".rst", ".mdx", ".txt")
_HIDDEN = {Purpose.REFACTOR, Purpose.TESTS, Purpose.CI}


def read_facts(change: Change, blobs: Blobs | None = None, partner: Lineage | None = None) -> FactSheet:
    """Find what a commit changes for others, each fact with the changed lines that show it.

    `partner` is the earlier commit that the patch undoes, brings back or copies, where somebody looked for one.
    """
    return gather(change, blobs, partner).sheet()


def paths_to_read(change: Change) -> list[str]:
    """Name the files of which whole versions tell more than the patch."""
    return [file.path for file in change.files if needs_blobs(file)][:_MOST_BLOBS]


@dataclass(frozen=True)
class Gathered:
    """The differences of a commit, before the trees around it say whom they concern."""

    change: Change
    files: tuple[Versions, ...]
    differences: tuple[Difference, ...]
    lineage: Fact | None
    route: str
    skipped: tuple[str, ...]

    @property
    def names(self) -> Names:
        """The names to look up in the trees before and after."""
        return names_to_look_up(self.differences)

    def sheet(self, trees: Trees | None = None) -> FactSheet:
        """Judge, prove and rank what differs."""
        trees = trees or Trees()
        facts = [self.lineage] if self.lineage else []
        declared = list(self.declared(trees))
        facts += declared
        facts += file_facts(self.change.files, self.files)
        facts += self._whole(facts)
        touched = (fact.model_copy(update={"places": ()}) for fact in (*declared, *self.modules()) if concerns(fact))
        return FactSheet(
            facts=tuple(ranked(facts)),
            route=self.route,
            skipped=self.skipped,
            touched=tuple(islice(touched, _MOST_TOUCHED)) if self.route == "blobs" else (),
        )

    def declared(self, trees: Trees) -> Iterator[Fact]:
        """Judge and prove what differs in declarations, all of it and unranked."""
        for one in self.differences:
            place = place_of(one)
            if place is None or is_still_there(one, trees):
                continue
            yield Fact(
                kind=one.kind,
                severity=severity(one, trees),
                name=one.name,
                old=one.old,
                new=one.new,
                detail=one.detail,
                module=_module(one),
                places=(place, *_documented(one, self.change)),
            )

    def modules(self) -> Iterator[Fact]:
        """Tell the Python modules that are not there any more, whatever they declared."""
        kept = {module_of(file.path) for file in self.change.files if file.status != "removed"}
        for file in self.change.files:
            old = file.previous_path if file.status == "renamed" else file.path if file.status == "removed" else None
            if old and old.endswith(".py") and is_product(old) and (module := module_of(old)) not in kept:
                kind = FactKind.FILE_REMOVED if file.status == "removed" else FactKind.FILE_RENAMED
                yield Fact(kind=kind, severity=Severity.INTERNAL, name=module, old=old, new=file.path, module=module)

    def _whole(self, facts: Sequence[Fact]) -> list[Fact]:
        """Tell what the commit is as a whole, or show where it changes what functions do."""
        if laid_out := list(layout_facts(self.files)):
            return laid_out
        told = [fact for fact in facts if fact.severity is not Severity.INTERNAL]
        places = [place for fact in facts for place in fact.places if fact.kind not in _INSIDE]
        inside = changed_functions(self.files, places)[: 2 if told else 3]
        if _HIDDEN & set(read_heading(self.change.commit.title).declared):
            # Its author says that users see nothing of it.
            inside = [fact.model_copy(update={"severity": Severity.INTERNAL}) for fact in inside]
        shown = told or inside
        return [*only_facts(self.change.files), *inside, *([] if shown else telling_hunks(self.change.files))]


def gather(
    change: Change, blobs: Blobs | None = None, partner: Lineage | None = None, *, largest: int = LARGEST_COMMIT
) -> Gathered:
    """Read both versions of every file, `largest` bytes of them, and find what differs."""
    skipped: list[str] = []
    files = tuple(read_versions(change.files, blobs or {}, skipped, largest))
    differences = tuple(compare(files))
    lineage = lineage_fact(change.commit.message, partner)
    return Gathered(change, files, differences, lineage, "hunks" if blobs is None else "blobs", tuple(skipped))


def _module(one: Difference) -> str:
    """Name the module of the older declaration, by the older name of its file."""
    found = one.before or one.found
    file = found.versions.file
    return module_of(file.previous_path or file.path) if found.side == "old" else found.module


def _documented(one: Difference, change: Change) -> Iterator[Place]:
    """Show what the commit's own documents say of something new that users set."""
    if one.kind not in _SET or len(one.found.one.name) < 4:
        return
    for file in change.files:
        if file.path.endswith(_DOCUMENTS) and file.patch and one.found.one.name in file.patch:
            lines = read_patch(file.patch).lines("new").items()
            if said := next(((number, line) for number, line in lines if one.found.one.name in line), None):
                yield Place(file=file.path, line=said[0], lines=(said[1],))
                return
