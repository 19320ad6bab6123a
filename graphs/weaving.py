"""Stories of one repository: looking back, weaving, and what may be cited for them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from pydantic import Field

from agent.analyst import Material, Read
from agent.claims import Claim
from agent.domain import Change, Frozen
from agent.errors import NotFound
from agent.evidence import CommitEvidence, EvidenceId
from agent.facts import FactKind
from agent.ids import commit_id
from agent.settings import Language
from agent.sources import CodeSource, Headline, LooksBack, Past
from agent.stories import Story
from agent.triage import Tier
from agent.weaving import retakes
from agent.weaving.claims import short_text, story_claims
from agent.weaving.headlines import Line, evidence_of, headline
from agent.weaving.lineage import is_revert, names
from agent.weaving.wanted import FAR, pattern, quoted_titles
from agent.weaving.weave import MENDED_WITHIN, Loom, is_fix, is_move, mended_commit, said_by, weave, with_memory
from graphs.desk import StoryMemory
from graphs.library import Library

_LINEAGE = ("undoes", "relands")
_LANGUAGES: tuple[Language, ...] = ("en", "zh")
_MOST_FIXES, _MOST_REVERTS = 60, 30
_MOST_LINES = 80


class Woven(Frozen):
    """The stories of a day, and the earlier commits that they name; it is handed on as a note."""

    stories: tuple[Story, ...] = ()
    heads: tuple[Headline, ...] = ()
    whole: tuple[str, ...] = ()
    """Commits whose lines prove a story: they are cited with their patches."""
    said: dict[EvidenceId, EvidenceId] = Field(default_factory=dict)
    """The pull requests that say for their commits what these follow."""


async def woven(material: Material, code: CodeSource, library: Library, stories_told: StoryMemory) -> Woven:
    """Find the stories to which a day's commits belong."""
    today = [read.evidence for read in material.reads]
    if not today:
        return Woven()
    bodies = {
        one.change.commit.sha: (pull.number, pull.body) for one in today if (pull := material.pulls.get(one.pull or 0))
    }
    past = await _past(material, code, stories_told, pattern(today, bodies))
    back = _Back(material, code, library)
    writers, heads = await back.writers()
    taken, more = await back.taken_up(past)
    undone, undone_heads = await back.undone()
    known = past.model_copy(update={"found": (*past.found, *heads, *more, *undone_heads)})
    loom = Loom(
        repo=material.repo,
        today=today,
        past=known,
        background=list(material.background.values()),
        writers=writers,
        undone=undone,
        retakes=taken,
        bodies=bodies,
    )
    stories = weave(loom)
    remembered = stories_told.known(material.window, sorted({cite for one in stories for cite in one.steps}))
    stories = [with_memory(story, remembered) for story in stories]
    named = {cite.partition("@")[2] for story in stories for cite in story.steps}
    mended = [sha for sha, found in writers.items() if sha in named and any(one in named for one in found)]
    proving = {*mended, *(one for sha in mended for one in writers[sha] if one in named)}
    proving |= {sha for one in taken for sha in one[:3]} | {sha for pair in undone.items() for sha in pair}
    titles = {head.sha: head for head in known.found if head.sha in named}
    return Woven(
        stories=tuple(stories),
        heads=tuple(titles[sha] for sha in sorted(titles)),
        whole=tuple(sorted(proving)),
        said={one.id: said for one in today if (said := said_by(one, bodies.get(one.change.commit.sha)))},
    )


async def _past(material: Material, code: CodeSource, stories_told: StoryMemory, wanted: str) -> Past:
    """Look back over the line; where the source cannot, take what earlier reports list."""
    newest = max((read.evidence for read in material.reads), key=lambda one: (one.at, one.id))
    if isinstance(code, LooksBack):
        sha = newest.change.commit.sha
        if (found := await code.headed(wanted, upto=sha, since=material.window.start - FAR)) is not None:
            return found
    return stories_told.past(material.repo, material.window)


class _Back:
    """Looks at the lines of earlier commits, where that costs little."""

    def __init__(self, material: Material, code: CodeSource, library: Library) -> None:
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
            if writer and (head := await self._head(writer)) and await self._holds(retakes.puts_back, sha, writer):
                found[sha] = writer
                heads.append(head)
        return found, heads

    async def _holds(self, test: Callable[[Change, Change], bool], one: str, other: str) -> bool:
        """Tell what the whole patches of two commits say to a question."""
        whole = await self._library.whole(self._code, [one, other])
        return one in whole and other in whole and test(whole[one], whole[other])

    async def taken_up(self, past: Past) -> tuple[list[retakes.Retake], list[Headline]]:
        """Find what brings back a part of something that was undone shortly before."""
        today = [read.evidence.change for read in self._material.reads if read.triage.tier is not Tier.NOISE]
        first = min((one.commit.committed_at for one in today), default=None)
        recent = [head for head in past.found if first and is_revert(head.title) and head.at >= first - retakes.SOON]
        if not recent or not isinstance(self._code, LooksBack):
            return [], []
        undoings = await self._library.whole(self._code, [head.sha for head in recent[:_MOST_REVERTS]])
        pairs = [pair for pair in retakes.candidates(today, undoings) if not is_revert(pair[0].commit.title)]
        heads = await self._quoted(pairs, past) if pairs else []
        line = Line([*past.found, *heads, *(headline(one.commit) for one in today)])
        found = []
        for change, undoing in pairs:
            if again := await self._brought_back(change, undoing, line):
                found.append(again)
        return found, heads

    async def _quoted(self, pairs: Sequence[tuple[Change, Change]], past: Past) -> list[Headline]:
        """Look for what the reverts of some pairs took back."""
        titles = [undoing.commit.title for _, undoing in pairs]
        wanted = quoted_titles(titles)
        newest = max(pairs, key=lambda pair: pair[0].commit.committed_at)[0].commit.sha
        if not wanted or not isinstance(self._code, LooksBack) or past.since is None:
            return []
        found = await self._code.headed(wanted, upto=newest, since=past.since)
        return list(found.found) if found else []

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
        read.triage.tier is not Tier.NOISE
        and 0 < change.deletions <= 2 * _MOST_LINES
        and is_fix(change.commit)
        and len(change.commit.parents) == 1
    )


def _may_undo(read: Read) -> bool:
    change = read.evidence.change
    named = any(fact.kind in (FactKind.REVERT, FactKind.RELAND) for fact in read.evidence.facts)
    return (
        not named
        and is_revert(change.commit.title)
        and 0 < change.deletions <= 2 * _MOST_LINES
        and len(change.commit.parents) == 1
    )


async def with_past(material: Material, found: Woven, code: CodeSource, library: Library) -> Material:
    """Add what stories rest on to what may be cited."""
    whole = await library.whole(code, found.whole)
    own = {read.evidence.change.commit.sha for read in material.reads}
    heads = {commit_id(material.repo, head.sha): evidence_of(material.repo, head) for head in found.heads}
    background = heads | dict(material.background)
    for sha, change in whole.items():
        name = commit_id(material.repo, sha)
        if sha not in own:
            before = background.get(name) or CommitEvidence(change=change, landed=True)
            background[name] = before.model_copy(update={"change": change, "pull": before.pull})
    reads = [_whole_read(read, whole) for read in material.reads]
    mine = {read.evidence.id for read in reads}
    return replace(
        material, reads=reads, background={name: one for name, one in background.items() if name not in mine}
    )


def _whole_read(read: Read, whole: Mapping[str, Change]) -> Read:
    change = whole.get(read.evidence.change.commit.sha)
    if change is None:
        return read
    return replace(read, evidence=read.evidence.model_copy(update={"change": change}))


def with_stories(claims: Sequence[Claim], material: Material, found: Woven) -> list[Claim]:
    """Put what stories say in front of what else is said of their commits; nothing twice."""
    today = {read.evidence.id: read.evidence for read in material.reads}
    said = {(claim.about[:1], claim.predicate) for claim in claims if claim.predicate in _LINEAGE}
    told: dict[EvidenceId, list[Claim]] = {}
    for story in found.stories:
        for claim in story_claims(story, today, found.said):
            if (claim.about[:1], claim.predicate) not in said:
                told.setdefault(claim.about[0], []).append(claim)
    numbered = {
        name: [one.model_copy(update={"id": f"{_short(name)}.s{place}"}) for place, one in enumerate(some, start=1)]
        for name, some in told.items()
    }
    ordered: list[Claim] = []
    for claim in claims:
        if claim.about:
            ordered += numbered.pop(claim.about[0], [])
        ordered.append(claim)
    for name in today:
        ordered += numbered.pop(name, [])
    return ordered


def told_stories(found: Woven, claims: Sequence[Claim]) -> tuple[Story, ...]:
    """Give the stories of which something passed the gate, with what is said of their news."""
    said = [claim for claim in claims if claim.text]
    stories = []
    for story in found.stories:
        own = [claim for claim in said if claim.about[:1] and _is_of(claim, story)]
        if own:
            text = {lang: " ".join(short_text(claim, lang) for claim in own) for lang in _LANGUAGES}
            stories.append(story.model_copy(update={"text": text}))
    return tuple(stories)


def _is_of(claim: Claim, story: Story) -> bool:
    """Tell whether a claim tells a step of a story: it is about the news, and cites nothing outside it."""
    commits = {cite for cite in claim.sources if "@" in cite}
    return claim.about[0] in story.news and len(commits) > 1 and commits <= set(story.steps)


def _short(name: EvidenceId) -> str:
    repo, _, sha = name.partition("@")
    return f"{repo}@{sha[:12]}"
