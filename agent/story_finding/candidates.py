"""Which earlier commits a commit names, and which it may therefore mend or continue."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from agent.evidence import EvidenceId
from agent.ids import RepoId, commit_id, thread_id
from agent.links import Place, Reference
from agent.sources import Headline
from agent.story_finding.found import Pair
from agent.story_finding.headlines import Line

MOST = 5
"""Of how many earlier commits a commit may be thought to go on with."""
OF_COMMITS = (Place.TITLE, Place.MESSAGE, Place.PULL)
"""Where a day's commits and their pull requests speak."""
_MOST_OF_THEM = 0.8


def named_targets(repo: RepoId, references: Iterable[Reference]) -> list[Reference]:
    """Keep what the day's commits and their pull requests name of their own repository."""
    return [one for one in references if one.place in OF_COMMITS and one.target.startswith((f"{repo}#", f"{repo}@"))]


def named_pairs(repo: RepoId, today: Sequence[Headline], references: Iterable[Reference], line: Line) -> Iterator[Pair]:
    """Pair commits with the landed commits that they or their pull requests name by number or hash."""
    heads = {commit_id(repo, head.sha): head for head in today}
    seen: set[tuple[str, str]] = set()
    # What the commit itself says comes first, and its pull request need not be cited for it.
    for one in sorted(named_targets(repo, references), key=lambda one: one.place is Place.PULL):
        doer = heads.get(one.source)
        earlier = landed(one.target, doer, line) if doer else None
        if doer and earlier and (doer.sha, earlier.sha) not in seen:
            seen.add((doer.sha, earlier.sha))
            said_in = thread_id(repo, doer.pull) if one.place is Place.PULL and doer.pull else ""
            yield Pair(doer=doer, earlier=earlier, said_in=said_in)


def landed(target: EvidenceId, doer: Headline, line: Line) -> Headline | None:
    """Find the commit by which a pull request landed before another one, or the commit of a hash."""
    repo, at, rest = target.partition("@")
    found = line.sha(rest) if at else line.pull(int(repo.rpartition("#")[2]), doer)
    return found if found and found.sha != doer.sha and found.at <= doer.at else None


def main_writer(writers: Mapping[str, int]) -> str | None:
    """Name the recent commit that wrote at least four in five of the lines which another one takes out."""
    total = sum(writers.values())
    sha, lines = max(writers.items(), key=lambda pair: (pair[1], pair[0]), default=("", 0))
    return sha if sha and lines >= _MOST_OF_THEM * total else None


def pairs(repo: RepoId, found: Iterable[Pair]) -> dict[str, list[EvidenceId]]:
    """Give, for each commit by its hash, the earlier commits it may mend or continue; whose lines go come first."""
    earlier: dict[str, list[EvidenceId]] = {}
    for one in sorted(found, key=lambda one: not one.by_lines):
        known = earlier.setdefault(one.doer.sha, [])
        name = commit_id(repo, one.earlier.sha)
        if name not in known and len(known) < MOST:
            known.append(name)
    return earlier
