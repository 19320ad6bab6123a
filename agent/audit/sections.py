"""Which repository each section of a report is about, as the hashes in it resolve."""

from collections import Counter
from collections.abc import Sequence

from agent.audit.entries import Entry
from agent.audit.findings import Doubt, Library, Reference
from agent.domain.base import RepoId

_MIN_VOTES = 2  # One hash alone may be the error that is looked for
_MIN_SHARE = 2 / 3
Votes = Counter[RepoId]


def set_scopes(entries: Sequence[Entry], library: Library) -> None:
    """Set the repository of the entries that no heading places in one.

    The nearest item or heading whose hashes agree on a repository decides, and at last the whole
    report. If they agree nowhere, a heading that mentions one of their repositories does.
    """
    unplaced = [entry for entry in entries if not entry.scope]
    votes_in: dict[Entry | None, Votes] = {None: Votes()}
    for entry in unplaced:
        votes = _votes(entry, library)
        for section in (entry, *entry.above, None):
            votes_in.setdefault(section, Votes()).update(votes)
    agreed = {section: _agreed(votes) for section, votes in votes_in.items()}
    mentioned = {
        section: _mentioned(section, votes) for section, votes in votes_in.items() if section
    }
    for entry in unplaced:
        sections = _sections_from(entry)
        deciding = [index for index, section in enumerate(sections) if agreed.get(section)]
        if deciding or agreed[None]:
            end = deciding[0] + 1 if deciding else len(sections)
            entry.scope = agreed[sections[end - 1]] if deciding else agreed[None]
            # What its headings mention it may refer to as well.
            for section in sections[:end]:
                entry.mentioned |= section.mentioned
        else:
            scopes = (mentioned.get(section) for section in sections)
            entry.scope = next((scope for scope in scopes if scope), frozenset())


def _sections_from(entry: Entry) -> tuple[Entry, ...]:
    """Return the items and headings that may say what a block is about, the nearest first."""
    if entry.block.kind in ("heading", "item"):
        return (entry, *entry.above)
    return entry.above


def _votes(entry: Entry, library: Library) -> Votes:
    """Return the repositories that the hashes of a block are found in, each in one only."""
    votes = Votes()
    for reference in entry.references:
        if reference.kind != "commit" or reference.repo:
            continue
        homes = library.homes(reference)
        if len(homes) == 1:
            votes.update(homes)
    return votes


def _agreed(votes: Votes) -> frozenset[RepoId]:
    """Return the repository that most hashes of a section are found in, if they are enough."""
    if not votes:
        return frozenset()
    [(repo, count)] = votes.most_common(1)
    if count < _MIN_VOTES or count < _MIN_SHARE * votes.total():
        return frozenset()
    return frozenset({repo})


def _mentioned(heading: Entry, votes: Votes) -> frozenset[RepoId]:
    """Return the one repository that a heading mentions, if more hashes are there than elsewhere."""
    repos = heading.mentioned & votes.keys()
    if heading.block.kind != "heading" or len(repos) != 1:
        return frozenset()
    (repo,) = repos
    return frozenset(repos) if votes[repo] > votes.total() - votes[repo] else frozenset()


def find_doubts(entries: Sequence[Entry], library: Library) -> list[Doubt]:
    """Return the repositories of which the report has hashes, and none that is there.

    Then it is likelier that somebody gave another repository than that every hash is invented. A
    single hash that the text itself places in a repository is not enough for that.
    """
    resolved: set[RepoId] = set()
    missing: dict[frozenset[RepoId], list[Reference]] = {}
    placed: set[frozenset[RepoId]] = set()
    for entry in entries:
        for reference in entry.references:
            if reference.kind != "commit":
                continue
            homes = library.homes(reference)
            resolved |= homes
            if homes or not reference.is_surely_hash:
                continue
            stated = frozenset({reference.repo}) if reference.repo else entry.scope
            repos = stated or frozenset(library)
            if _can_answer(repos, reference, library):
                missing.setdefault(repos, []).append(reference)
                if stated:
                    placed.add(repos)
    doubts = []
    for repos, references in missing.items():
        is_enough = len({reference.value for reference in references}) > 1 or repos not in placed
        if is_enough and not repos & resolved:
            doubts.append(Doubt(repos, tuple(references)))
    return doubts


def _can_answer(repos: frozenset[RepoId], reference: Reference, library: Library) -> bool:
    """Return True if every one of the repositories was asked for a hash and answered."""
    for repo in repos:
        if repo not in library or reference.value in library[repo].unanswered:
            return False
    return bool(repos)


def nothing_resolved(entries: Sequence[Entry], library: Library) -> list[str]:
    """Return one sentence if the report has hashes, and none of them was found anywhere."""
    hashes: set[str] = set()
    repos: set[str] = set()
    for entry in entries:
        for reference in entry.references:
            if reference.kind != "commit" or not reference.is_surely_hash:
                continue
            if library.homes(reference):
                return []
            hashes.add(reference.value)
            repos.update({reference.repo} if reference.repo else entry.scope)
    if not hashes:
        return []
    names = " and ".join(sorted(repos - library.keys())) or "its repository"
    return [f"none of the {len(hashes)} hashes could be looked up: give {names} with --repo"]
