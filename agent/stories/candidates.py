"""Which earlier commits a commit names or changes the lines of: what it may mend or continue."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from agent.domain.base import EvidenceId, RepoId, commit_id, thread_id
from agent.domain.commits import Headline
from agent.domain.links import Place, Reference
from agent.links.headlines import Line
from agent.stories.found import Pair

MOST, _MOST_OF_THEM = 5, 0.8
OF_COMMITS = (Place.TITLE, Place.MESSAGE, Place.PULL)
"""Where a day's commits and their pull requests speak."""


def own_references(repo: RepoId, references: Iterable[Reference]) -> list[Reference]:
    """Keep what the day's commits and their pull requests name of their own repository, the commits' words first."""
    own = [one for one in references if one.place in OF_COMMITS and one.target.startswith((f"{repo}#", f"{repo}@"))]
    return sorted(own, key=lambda one: one.place is Place.PULL)


def named_pairs(repo: RepoId, today: Sequence[Headline], references: Iterable[Reference], line: Line) -> Iterator[Pair]:
    """Pair commits with the landed commits that they or their pull requests name by number or hash."""
    heads: dict[EvidenceId, Headline] = {commit_id(repo, head.sha): head for head in today}
    seen: set[tuple[str, str]] = set()
    for one in references:
        doer = heads.get(one.source)
        sha, number = one.target.partition("@")[2], one.target.partition("#")[2]
        earlier = line.earlier(doer, sha=sha, number=int(number or 0)) if doer else None
        if doer and earlier and (doer.sha, earlier.sha) not in seen:
            seen.add((doer.sha, earlier.sha))
            said_in = thread_id(repo, doer.pull) if one.place is Place.PULL and doer.pull else ""
            yield Pair(doer=doer, earlier=earlier, said_in=said_in)


def main_writer(writers: Mapping[str, int]) -> str | None:
    """Name the recent commit that wrote at least four in five of the lines which another one takes out."""
    sha, lines = max(writers.items(), key=lambda pair: (pair[1], pair[0]), default=("", 0))
    return sha if sha and lines >= _MOST_OF_THEM * sum(writers.values()) else None


def pairs(repo: RepoId, found: Iterable[Pair]) -> dict[str, list[EvidenceId]]:
    """Give, for each commit by its hash, the earlier commits it may mend or continue; whose lines go come first."""
    earlier: dict[str, dict[EvidenceId, None]] = {}
    for one in sorted(found, key=lambda one: not one.by_lines):
        earlier.setdefault(one.doer.sha, {})[commit_id(repo, one.earlier.sha)] = None
    return {sha: list(names)[:MOST] for sha, names in earlier.items()}
