"""Looking back from a day's commits to the lines of earlier ones: who wrote them, who undid them, what comes back."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from agent.analyst import Material, Read
from agent.domain import Change
from agent.errors import NotFound
from agent.evidence import CommitEvidence
from agent.sources import CodeSource, Headline, LooksBack, Past
from agent.weaving import retakes
from agent.weaving.headlines import Line, headline
from agent.weaving.lineage import is_revert, kinships, names, said_target, sets_back
from agent.weaving.undoings import undoings
from agent.weaving.wanted import quoted_titles
from agent.weaving.weave import MENDED_WITHIN, is_fix, is_move, mended_commit
from tools.evidence_cache import EvidenceCache

_MOST_FIXES, _MOST_REVERTS, _MOST_BETWEEN = 60, 30, 12
_MOST_LINES, _MOST_UNDONE = 80, 800


class Lookback:
    """Looks at the lines of earlier commits, where that costs little."""

    def __init__(self, material: Material, code: CodeSource, library: EvidenceCache) -> None:
        self._material = material
        self._code = code
        self._library = library

    async def writers(self) -> tuple[dict[str, Mapping[str, int]], list[Headline]]:
        """Find for each fix who wrote the lines that it takes out."""
        found: dict[str, Mapping[str, int]] = {}
        heads: list[Headline] = []
        if not isinstance(self._code, LooksBack):
            return found, heads
        for one in [read.evidence for read in self._material.reads if _may_mend(read)][:_MOST_FIXES]:
            sha = one.change.commit.sha
            written = await self._code.written_by(sha, since=one.at - MENDED_WITHIN)
            writer = mended_commit(written)
            if writer and (head := await self._head(writer)):
                if is_move(head.title) and not await self._holds(retakes.written_anew, sha, writer):
                    continue
                found[sha] = written
                heads.append(head)
        return found, heads

    async def undone(self) -> tuple[dict[str, str], list[Headline]]:
        """Find what a commit takes a part of back that calls itself a revert and names nothing."""
        found: dict[str, str] = {}
        heads: list[Headline] = []
        if not isinstance(self._code, LooksBack):
            return found, heads
        for one in [read.evidence for read in self._material.reads if _may_undo(read)][:_MOST_REVERTS]:
            sha = one.change.commit.sha
            writer = mended_commit(await self._code.written_by(sha, since=one.at - MENDED_WITHIN))
            if writer and (head := await self._head(writer)) and await self._holds(_sets_back, sha, writer):
                found[sha] = writer
                heads.append(head)
        return found, heads

    async def wholly(self, undone: Mapping[str, str]) -> frozenset[str]:
        """Tell which commits undo all of another one."""
        return frozenset([sha for sha, other in undone.items() if await self._holds(retakes.undoes_all, sha, other)])

    async def parts_said(self, past: Past) -> dict[str, str]:
        """Find what a message says it undoes a part of, where lines of that go."""
        found: dict[str, str] = {}
        line = self._line(past)
        for one, doer in self._said(part=True):
            for said in undoings(one.change.commit.message):
                target = said_target(said, one.repo, doer, line) if said.part and not said.again else None
                if target and await self._holds(_takes_out, doer.sha, target.sha):
                    found.setdefault(doer.sha, target.sha)
        return found

    async def said_again(self, past: Past) -> tuple[list[retakes.Retake], list[Headline]]:
        """Find what a message says comes back: a part of something that was undone, or all that a revert undid."""
        line = self._line(past)
        pairs = [*await self._restored(line), *self._unreverted(line)]
        if not pairs:
            return [], []
        messages = {undoing.sha: await self._message(undoing) for _, undoing in pairs}
        heads = await self._originals([undoing.title for _, undoing in pairs], past, messages.values())
        line = Line([*line.heads, *heads])
        found = []
        for doer, undoing in pairs:
            originals = self._undone_by(undoing, messages[undoing.sha], line)
            backs = [await self._returns(doer.sha, original.sha, undoing.sha) for original in originals]
            found += [again for again in backs if again][:1]
        return found, heads

    def _undone_by(self, undoing: Headline, message: str, line: Line) -> list[Headline]:
        """Name what a revert undid: by its title, else by what its message says."""
        titled = [head for head in line.heads if head.at <= undoing.at and names(undoing.title, head)]
        said = [said_target(one, self._material.repo, undoing, line) for one in undoings(message) if not one.again]
        return titled[-1:] or [head for head in said if head]

    async def _message(self, head: Headline) -> str:
        try:
            return (await self._code.resolve(head.sha)).message
        except NotFound:
            return ""

    async def _restored(self, line: Line) -> list[tuple[Headline, Headline]]:
        """Pair commits that say they bring something back with what had undone that."""
        found = []
        reverts = [head for head in line.heads if is_revert(head.title)]
        for one, doer in self._said(part=True):
            for said in undoings(one.change.commit.message):
                target = said_target(said, one.repo, doer, line) if said.again else None
                if target and said.undoer:
                    found.append((doer, target))
                elif target:
                    between = [head for head in reverts if target.at <= head.at < doer.at][-_MOST_BETWEEN:]
                    undoing = [
                        head for head in between if target in self._undone_by(head, await self._message(head), line)
                    ]
                    found += [(doer, head) for head in undoing[-1:]]
        return found

    def _unreverted(self, line: Line) -> list[tuple[Headline, Headline]]:
        """Pair commits that undo a revert with that revert."""
        today = [read.evidence for read in self._material.reads]
        kin = kinships(today, line)
        return [(one.doer, one.target) for one in kin if not one.again and is_revert(one.target.title)]

    async def _originals(self, titles: Sequence[str], past: Past, messages: Iterable[str] = ()) -> list[Headline]:
        """Look for what reverts of these titles, and with these messages, took back."""
        numbers = [f"#{said.of.number}" for message in messages for said in undoings(message) if said.of.number]
        wanted = quoted_titles([*titles, *numbers])
        if not wanted or not isinstance(self._code, LooksBack) or past.since is None:
            return []
        newest = max((read.evidence for read in self._material.reads), key=lambda one: (one.at, one.id))
        found = await self._code.headed(wanted, upto=newest.change.commit.sha, since=past.since)
        return list(found.found) if found else []

    async def _returns(self, doer: str, original: str, undoing: str) -> retakes.Retake | None:
        """Tell whether lines come back that were undone, and whether nearly all do."""
        whole = await self._library.whole(self._code, [doer, original, undoing])
        if len(whole) < len({doer, original, undoing}):
            return None
        came, _ = retakes.shared_lines(whole[doer], whole[original])
        if not came & retakes.mended_lines(whole[undoing], whole[original]):
            return None
        return retakes.Retake(doer, original, undoing, retakes.comes_back(whole[doer], whole[original]))

    def _said(self, *, part: bool) -> list[tuple[CommitEvidence, Headline]]:
        every = [read.evidence for read in self._material.reads]
        saying = [one for one in every if any(said.part is part for said in undoings(one.change.commit.message))]
        return [(one, headline(one.change.commit, one.pull)) for one in saying[:_MOST_REVERTS]]

    def _line(self, past: Past) -> Line:
        background = [headline(one.change.commit, one.pull) for one in self._material.background.values()]
        today = [headline(read.evidence.change.commit, read.evidence.pull) for read in self._material.reads]
        return Line([*past.found, *background, *today])

    async def _holds(self, test: Callable[[Change, Change], bool], one: str, other: str) -> bool:
        """Tell what the whole patches of two commits say to a question."""
        whole = await self._library.whole(self._code, [one, other])
        return one in whole and other in whole and test(whole[one], whole[other])

    async def taken_up(self, past: Past) -> tuple[list[retakes.Retake], list[Headline]]:
        """Find what brings back a part of something that was undone shortly before."""
        today = [read.evidence.change for read in self._material.reads if read.triage.noise is None]
        first = min((one.commit.committed_at for one in today), default=None)
        recent = [head for head in past.found if first and is_revert(head.title) and head.at >= first - retakes.SOON]
        if not recent or not isinstance(self._code, LooksBack):
            return [], []
        undoings = await self._library.whole(self._code, [head.sha for head in recent[:_MOST_REVERTS]])
        pairs = [pair for pair in retakes.candidates(today, undoings) if not is_revert(pair[0].commit.title)]
        heads = await self._originals([undoing.commit.title for _, undoing in pairs], past) if pairs else []
        line = Line([*past.found, *heads, *(headline(one.commit) for one in today)])
        found = []
        for change, undoing in pairs:
            if again := await self._brought_back(change, undoing, line):
                found.append(again)
        return found, heads

    async def _brought_back(self, change: Change, undoing: Change, line: Line) -> retakes.Retake | None:
        """Name the commit that a change brings back, in part or as a whole."""
        title, at = undoing.commit.title, undoing.commit.committed_at
        fitting = [head for head in line.heads if head.at < at and not is_revert(head.title) and names(title, head)]
        if not fitting or fitting[-1].sha == change.commit.sha:
            return None
        shas = [change.commit.sha, fitting[-1].sha]
        whole = await self._library.whole(self._code, shas)
        if any(sha not in whole for sha in shas):
            return None
        both = whole[shas[0]], whole[shas[1]]
        if not retakes.takes_up(*both, undoing):
            return None
        return retakes.Retake(shas[0], shas[1], undoing.commit.sha, retakes.comes_back(*both))

    async def _head(self, sha: str) -> Headline | None:
        try:
            commit = await self._code.resolve(sha)
        except NotFound:
            return None
        # Who mends what was there from the beginning follows up on nothing.
        return headline(commit) if commit.parents else None


def _may_mend(read: Read) -> bool:
    change = read.evidence.change
    return (
        read.triage.noise is None
        and 0 < change.deletions <= 2 * _MOST_LINES
        and is_fix(change.commit)
        and len(change.commit.parents) == 1
    )


def _may_undo(read: Read) -> bool:
    change = read.evidence.change
    return (
        sets_back(change.commit.title)
        and 0 < change.deletions <= (_MOST_UNDONE if is_revert(change.commit.title) else 2 * _MOST_LINES)
        and len(change.commit.parents) == 1
    )


def _sets_back(one: Change, other: Change) -> bool:
    return retakes.puts_back(one, other) or retakes.undoes_all(one, other)


def _takes_out(one: Change, other: Change) -> bool:
    return bool(retakes.mended_lines(one, other))
