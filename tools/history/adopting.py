"""What repositories of a report take up of one another without moving a version: by name, or because one says so."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from pydantic import Field

from agent.domain import Change, Commit, Frozen
from agent.evidence import CommitEvidence
from agent.ids import RepoId, thread_id
from agent.sources import CodeSource, LooksBack, TracesWords
from agent.weaving.adoptions import NEW_FOR, SAID_FOR, Borrower, adopts_as_said, adopts_names, is_made_for
from agent.weaving.headlines import headline
from agent.weaving.lineage import is_revert
from agent.weaving.references import Ref, made_for, naming, rests_on
from agent.weaving.uses import home_of
from agent.weaving.wanted import FAR
from agent.window import Window
from tools.evidence_cache import EvidenceCache

_MOST_REFS, _MOST_BONDS = 40, 6


class Adoption(Frozen):
    """A commit and the one of another repository that it takes up."""

    doer: Commit
    source: Commit
    predicate: str
    params: dict[str, str] = Field(default_factory=dict)
    said: str = ""
    """The pull request that says so, where it is not the commit itself."""
    pulls: tuple[int | None, int | None] = (None, None)
    """By which pull requests the two landed, as far as it is known."""
    whole: bool = False
    """Whether their patches prove it; else their messages do."""


class Adoptions(Frozen):
    """What was taken up on a day; it is handed on as a note."""

    found: tuple[Adoption, ...] = ()


async def proof(
    one: Adoption, sources: Mapping[RepoId, CodeSource], library: EvidenceCache
) -> tuple[CommitEvidence, CommitEvidence] | None:
    """Give the two commits of an adoption as closely as they must be known to prove it."""
    both = []
    for commit, pull in zip((one.doer, one.source), one.pulls, strict=True):
        read = await library.whole(sources[commit.repo], [commit.sha]) if one.whole else {}
        change = read.get(commit.sha) if one.whole else _unread(commit)
        if change is None:
            return None
        both.append(CommitEvidence(change=change, landed=True, pull=pull))
    return both[0], both[1]


class Adopting:
    """Looks for what commits of a window take up of other repositories."""

    def __init__(
        self, sources: Mapping[RepoId, CodeSource], tips: Mapping[RepoId, str], window: Window, library: EvidenceCache
    ) -> None:
        self._sources = sources
        self._tips = tips
        self._window = window
        self._library = library
        self._naming: dict[RepoId, tuple[Commit, ...]] = {}

    async def found(self, repo: RepoId, some: Sequence[Borrower]) -> list[Adoption]:
        """List what commits of one repository take up, each pair once; what is undone takes up nothing."""
        able = [one for one in some if not is_revert(one.commit.title)]
        every = [
            *await self._by_name(repo, able),
            *await self._by_saying(repo, able),
            *await self._by_purpose(repo, able),
        ]
        pairs: dict[tuple[str, str], Adoption] = {}
        for one in every:
            pairs.setdefault((one.doer.id, one.source.id), one)
        return _few(pairs.values())

    async def _by_name(self, repo: RepoId, some: Sequence[Borrower]) -> list[Adoption]:
        """Find names that were new upstream when they were used here for the first time."""
        wanted: dict[tuple[RepoId, str], dict[str, list[Borrower]]] = defaultdict(lambda: defaultdict(list))
        for one in some:
            for use in one.uses:
                if home := home_of(use.package, self._tips, repo):
                    wanted[home, use.package][use.name].append(one)
        found: dict[tuple[str, str, RepoId, str], list[str]] = defaultdict(list)
        for (home, package), names in wanted.items():
            code = self._sources[home]
            if isinstance(code, TracesWords):
                since = self._window.start - NEW_FOR
                brought = await code.first_with(sorted(names), folder=package, upto=self._tips[home], since=since)
                for name, sha in brought.items():
                    for one in names[name]:
                        found[one.commit.sha, sha, home, package].append(name)
        borrowers = {one.commit.sha: one for one in some}
        adopted = [
            await self._named(repo, borrowers[doer], home, sha, package, names)
            for (doer, sha, home, package), names in found.items()
        ]
        return [one for one in adopted if one is not None]

    async def _named(
        self, repo: RepoId, one: Borrower, home: RepoId, sha: str, package: str, names: Sequence[str]
    ) -> Adoption | None:
        code = self._sources[repo]
        doer, source = await self._whole(repo, one.commit.sha, one.pull), await self._whole(home, sha)
        if doer is None or source is None or not isinstance(code, TracesWords) or not one.commit.parents:
            return None
        new = [name for name in names if adopts_names(doer, source, package, (name,))]
        used = await code.standing(one.commit.parents[0], new, beside=package) if new else frozenset()
        first = sorted(set(new) - used)
        params = {"package": package, "names": " ".join(first)}
        if not first:
            return None
        commits = {"doer": doer.change.commit, "source": source.change.commit}
        return Adoption(**commits, predicate="adopts", params=params, pulls=(one.pull, None), whole=True)

    async def _by_saying(self, repo: RepoId, some: Sequence[Borrower]) -> list[Adoption]:
        """Find what a commit or its pull request says it rests on."""
        homes = {name.lower(): name for name in self._tips if name != repo}
        found = []
        for one in some:
            for text, said in ((one.commit.message, ""), (one.body, thread_id(repo, one.pull) if one.pull else "")):
                refs = [ref for ref in rests_on(text) if ref.repo in homes][:_MOST_REFS]
                for ref in refs:
                    source = await self._landed(homes[ref.repo], ref)
                    doer = CommitEvidence(change=_unread(one.commit), landed=True, pull=one.pull)
                    if source and adopts_as_said(text, doer, source):
                        commits = {"doer": one.commit, "source": source.change.commit}
                        predicate = "adopts as said" if said else "rests on"
                        pulls = (one.pull, source.pull)
                        found.append(Adoption(**commits, predicate=predicate, said=said, pulls=pulls))
        return found

    async def _by_purpose(self, repo: RepoId, some: Sequence[Borrower]) -> list[Adoption]:
        """Find what other repositories say they made for a pull request that landed now."""
        pulls = {number: one for one in some if (number := one.pull or headline(one.commit).pull)}
        found = []
        for home, code in self._sources.items():
            if home == repo or home not in self._tips or not pulls or not isinstance(code, TracesWords):
                continue
            for commit in await self._naming_others(home, code):
                source = CommitEvidence(change=_unread(commit), landed=True)
                for ref in made_for(commit.message):
                    one = pulls.get(ref.number) if ref.repo == repo.lower() else None
                    if one is None:
                        continue
                    doer = CommitEvidence(change=_unread(one.commit), landed=True, pull=ref.number)
                    if is_made_for(doer, source):
                        both = (ref.number, None)
                        found.append(Adoption(doer=one.commit, source=commit, predicate="made for", pulls=both))
        return found

    async def _naming_others(self, home: RepoId, code: TracesWords) -> tuple[Commit, ...]:
        """List the newer commits of a repository that name pull requests of another one; once for all of these."""
        if home not in self._naming:
            pattern, since = naming(name for name in self._tips if name != home), self._window.start - SAID_FOR
            # What landed after the window was made for nothing in it.
            found = code.referring(pattern, upto=self._tips[home], since=since, until=self._window.end)
            self._naming[home] = await found
        return self._naming[home]

    async def _landed(self, home: RepoId, ref: Ref) -> CommitEvidence | None:
        """Find the commit by which a pull request of another repository landed."""
        code = self._sources[home]
        if not isinstance(code, LooksBack):
            return None
        pattern = rf"\(#{ref.number}\)|^Merge pull request #{ref.number} "
        past = await code.headed(pattern, upto=self._tips[home], since=self._window.start - FAR)
        heads = [head for head in past.found if head.pull == ref.number] if past else []
        if not heads:
            return None
        commit = await code.resolve(heads[0].sha)
        return CommitEvidence(change=_unread(commit), landed=True, pull=heads[0].pull)

    async def _whole(self, repo: RepoId, sha: str, pull: int | None = None) -> CommitEvidence | None:
        change = (await self._library.whole(self._sources[repo], [sha])).get(sha)
        return CommitEvidence(change=change, landed=True, pull=pull) if change else None


def _unread(commit: Commit) -> Change:
    return Change(commit=commit, files=(), incomplete="only its message was read")


def _few(adoptions: Iterable[Adoption]) -> list[Adoption]:
    """Keep a handful for each commit."""
    kept: dict[str, list[Adoption]] = defaultdict(list)
    for one in adoptions:
        if len(kept[one.doer.id]) < _MOST_BONDS:
            kept[one.doer.id].append(one)
    return [one for some in kept.values() for one in some]
