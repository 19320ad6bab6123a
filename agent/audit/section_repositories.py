"""Which repository each section of a report is about, as the hashes in it resolve."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from agent.audit.entries import AuditEntry
from agent.audit.repository_lookup_results import Doubt, Library, ReportReference
from agent.domain.base import RepoId

_MIN_VOTES = 2  # One hash alone may be the error that is looked for
_MIN_SHARE = 2 / 3
_MIN_LINKS = 3  # To commits that are here, before a name is taken for another one of a repository
Section = (
    AuditEntry | None
)  # A heading or a list item with all that stands below it; None: the report


@dataclass
class Votes:
    """The repositories of the hashes of a section: each is in one of them, or in none."""

    repos: Counter[RepoId] = field(default_factory=Counter)
    missing: int = 0

    def add(self, other: "Votes") -> None:
        """Count the hashes of a part of the section."""
        self.repos.update(other.repos)
        self.missing += other.missing

    @property
    def agreed_repo(self) -> RepoId | None:
        """Return the repository that most of the hashes are in, if they are enough."""
        for repo, count in self.repos.most_common(1):
            if self._is_enough(count):
                return repo
        return None

    @property
    def is_elsewhere(self) -> bool:
        """Return True if so many hashes are missing that the section is about something else."""
        return self._is_enough(self.missing)

    def _is_enough(self, count: int) -> bool:
        total = self.repos.total() + self.missing
        return count >= _MIN_VOTES and count >= _MIN_SHARE * total


def set_scopes(entries: Sequence[AuditEntry], library: Library) -> None:
    """Set the repository of the entries that no title places in one.

    The nearest item or heading whose hashes agree on a repository decides, and at last the whole
    report. Where they do not agree, it is the one repository that titles name, or the one that a
    heading mentions.
    """
    unplaced = [entry for entry in entries if not entry.is_placed]
    votes_in = _count_votes(unplaced, library)
    only_title = _only_title(entries)
    for entry in unplaced:
        sections = _sections_of(entry)
        deciding = _deciding_section(sections, votes_in)
        if deciding is not None and votes_in[sections[deciding]].agreed_repo is None:
            entry.is_elsewhere = True
            entry.elsewhere_section = _widest_elsewhere(sections[deciding:], votes_in)
        elif deciding is not None:
            repo = votes_in[sections[deciding]].agreed_repo
            entry.scope = frozenset({repo} if repo else ())
            # What the headings of the section mention, it may refer to as well.
            for section in sections[: deciding + 1]:
                entry.mentioned |= section.mentioned if section else frozenset()
        else:
            entry.scope = only_title or _mentioned_scope(sections, votes_in)


def find_other_names(entries: Sequence[AuditEntry], library: Library) -> dict[RepoId, RepoId]:
    """Return the names under which a report links repositories that are given by another one.

    Renamed repositories and forks have the same commits. Most links to a repository lead to its
    other name; a single one is the error that is looked for.
    """
    counts_by_home: dict[RepoId, Counter[RepoId]] = {}
    for entry in entries:
        for reference in entry.references:
            homes = library.homes(reference) if reference.kind == "commit" else ()
            if reference.repo and len(homes) == 1:
                (home,) = homes
                counts_by_home.setdefault(home, Counter())[reference.repo] += 1
    other_names = {}
    for home, counts in counts_by_home.items():
        [(name, count)] = counts.most_common(1)
        if name not in library and count >= _MIN_LINKS and 2 * count > counts.total():
            other_names[name] = home
    return other_names


def _count_votes(unplaced: Sequence[AuditEntry], library: Library) -> dict[Section, Votes]:
    votes_in: dict[Section, Votes] = {None: Votes()}
    for entry in unplaced:
        votes = _votes(entry, library)
        for section in (entry, *entry.above, None):
            votes_in.setdefault(section, Votes()).add(votes)
    return votes_in


def _votes(entry: AuditEntry, library: Library) -> Votes:
    votes = Votes()
    for reference in entry.references:
        if reference.kind != "commit" or reference.repo:
            continue
        homes = library.homes(reference)
        if len(homes) == 1:
            votes.repos.update(homes)
        elif not homes and _is_missing(reference, frozenset(library), library):
            votes.missing += 1
    return votes


def _is_missing(reference: ReportReference, repos: frozenset[RepoId], library: Library) -> bool:
    """Return True for what is surely a hash, and is in none of these repositories."""
    if not repos or not reference.is_surely_hash:
        return False
    for repo in repos:
        if repo not in library:
            return False
        repository = library[repo]
        if reference.value in repository.unanswered or repository.commits_by_hash.get(
            reference.value
        ):
            return False
    return True


def _sections_of(entry: AuditEntry) -> tuple[Section, ...]:
    """Return what may say which repository a block is about, the nearest first."""
    if entry.block.kind in ("heading", "item"):
        return (entry, *entry.above, None)
    return (*entry.above, None)


def _deciding_section(sections: Sequence[Section], votes_in: Mapping[Section, Votes]) -> int | None:
    """Return the index of the nearest section whose hashes agree on where they are."""
    for index, section in enumerate(sections):
        votes = votes_in[section]
        is_whole_section = section is None or section.block.kind == "heading"
        if votes.agreed_repo or (is_whole_section and votes.is_elsewhere):
            return index
    return None


def _widest_elsewhere(sections: Sequence[Section], votes_in: Mapping[Section, Votes]) -> Section:
    """Return the widest of nested sections that are all about something else: it is said once."""
    widest = sections[0]
    for section in sections:
        if not votes_in[section].is_elsewhere:
            break
        widest = section
    return widest


def _only_title(entries: Sequence[AuditEntry]) -> frozenset[RepoId]:
    """Return the repository of the titles, if they name one only."""
    titles = {entry.scope for entry in entries if entry.is_placed and entry.block.kind == "heading"}
    return next(iter(titles)) if len(titles) == 1 else frozenset()


def _mentioned_scope(
    sections: Sequence[Section], votes_in: Mapping[Section, Votes]
) -> frozenset[RepoId]:
    """Return the one repository that the nearest heading mentions and most of its hashes are in."""
    for section in sections:
        if section is None or section.block.kind != "heading":
            continue
        votes = votes_in[section]
        repos = section.mentioned & votes.repos.keys()
        if len(repos) != 1:
            continue
        (repo,) = repos
        others = votes.repos.total() - votes.repos[repo] + votes.missing
        if votes.repos[repo] > others:
            return frozenset(repos)
    return frozenset()


@dataclass
class _HashGroup:
    """The hashes that ought to be in the same repositories."""

    repos: frozenset[RepoId]
    section: Section = None
    hashes: dict[str, None] = field(default_factory=dict)
    missing: list[ReportReference] = field(default_factory=list)

    @property
    def missing_hashes(self) -> set[str]:
        return {reference.value for reference in self.missing}


def find_doubts(entries: Sequence[AuditEntry], library: Library) -> list[Doubt]:
    """Return where hashes are missing because the repository is probably not the right one.

    Under a title that names a repository, that is if none of several hashes is in it; elsewhere,
    if the hashes do not agree on a repository.
    """
    groups: dict[tuple[object, ...], _HashGroup] = {}
    resolved: set[RepoId] = set()
    for entry in entries:
        for reference in entry.references:
            if reference.kind != "commit":
                continue
            resolved |= library.homes(reference)
            stated = frozenset({reference.repo}) if reference.repo else entry.scope
            repos = stated or frozenset(library)
            section = entry.elsewhere_section if not stated else None
            group = groups.setdefault((bool(stated), repos, section), _HashGroup(repos, section))
            is_missing = _is_missing(reference, repos, library) and not library.homes(reference)
            if is_missing:
                group.missing.append(reference)
            if is_missing or library.homes(reference):
                group.hashes[reference.value] = None
    doubts = []
    for (is_stated, *_), group in groups.items():
        if not group.missing:
            continue
        if is_stated and (len(group.missing_hashes) < _MIN_VOTES or group.repos & resolved):
            continue
        # A single hash in a report that links to commits of the repository is no sign of another.
        if not is_stated and len(group.hashes) == 1 and group.repos & resolved:
            continue
        doubts.append(_doubt(group, is_stated=bool(is_stated)))
    return doubts


def _doubt(group: _HashGroup, *, is_stated: bool) -> Doubt:
    """Return what is said once, where every single hash would be called wrong."""
    repos = " or ".join(sorted(group.repos))
    total = len(group.hashes)
    missing = len(group.missing_hashes)
    title = group.section.block.text.partition("\n")[0][:80] if group.section else ""
    where = f" under “{title}”" if title else ""
    if total == 1:
        (value,) = group.hashes
        text = f"the only hash{where}, {value}, is not in {repos}; is it the right repository?"
    elif missing == total:
        text = f"none of the {total} hashes{where} is in {repos}; is it the right repository?"
    else:
        text = (
            f"{missing} of the {total} hashes{where} are not in {repos}; "
            "is the report about another repository, too?"
        )
    doubtful = group.repos if is_stated else frozenset()
    return Doubt(text=text, references=tuple(group.missing), doubtful=doubtful, repos=group.repos)


def nothing_resolved(entries: Sequence[AuditEntry], library: Library) -> list[str]:
    """Return one sentence if the report has hashes, and none of them was found anywhere."""
    hashes: set[str] = set()
    repos: set[str] = set()
    for entry in entries:
        for reference in entry.references:
            if reference.kind != "commit":
                continue
            if library.homes(reference):
                return []
            if not reference.is_surely_hash:
                continue
            hashes.add(reference.value)
            repos.update({reference.repo} if reference.repo else entry.scope)
    if not hashes:
        return []
    names = " and ".join(sorted(repos - library.keys())) or "its repository"
    return [f"none of the {len(hashes)} hashes could be looked up: give {names} with --repo"]
