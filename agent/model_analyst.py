"""The analyst that asks a model: it chooses what to read and explains, on top of what the rules say from the facts."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from pydantic import BaseModel

from agent.account import Account, Fallback, Part
from agent.analyst import Assignment, Material, Read, ToolAnswer, ToolRequest
from agent.briefs import day_brief, facts_brief, hunks_brief, message_brief, names_brief
from agent.choosing import Chooser
from agent.claims import MARK, Claim, Judgement, Role
from agent.drafts import Shown, settle
from agent.evidence import EvidenceId
from agent.ids import RepoId
from agent.menu import shows_diff
from agent.model import AMPLE_ROOM, Job, Message, Model, ModelError, Models, OneModel
from agent.points import points_of
from agent.prompting import boundary, fenced, prompt
from agent.report import Depth
from agent.retelling import Telling, main_clause_of, only_seen, said_again, tellings
from agent.rules import RulesAnalyst
from agent.settings import Language
from agent.utterances import Statement, draft_of, is_in, read_statements, says_more, statements_in, wanted_languages

_EXPLAINED, _SUMMED_UP, _SUMMED = 3, 3, 10
"""Statements about one commit, about a day, and the commits that a day is summed up from."""
_AT_ONCE = 4
"""Questions to a small model that are under way for one repository: those behind them see how much time is left."""
_FIRST_JOBS: tuple[Job, ...] = ("reading", "writing")


class Objection(BaseModel):
    """What a judging model makes of a statement: the reason first, then the verdict."""

    reason: str = ""
    supported: bool = True


class ModelAnalyst:
    """Claims of the rules, and before them what the model explains; where the model fails, the rules stand alone."""

    def __init__(
        self, models: Models | Model, languages: Sequence[Language], seed: str, *, judging: bool = False
    ) -> None:
        """Ask these models, or one for everything; `judging` lets one take back what another wrote.

        `seed` makes the fence around untrusted text, the same when a run is taken up again.
        """
        self._models = models if isinstance(models, Models) else OneModel(models)
        self.name = f"model {self._models.name}"
        self._languages = tuple(languages)
        self._mark = boundary(seed)
        self._rules = RulesAnalyst()
        self._chooser = Chooser(self._models, self._mark)
        self._judging = judging
        self._fallbacks: dict[RepoId, list[Fallback]] = {}
        self._preparing: asyncio.Task[None] | None = None

    def prepare(self) -> None:
        """Find out what the servers can do while diffs are read; that is needed before the first question."""
        if self._preparing is None:
            self._preparing = asyncio.ensure_future(self._learn())

    async def _learn(self) -> None:
        for job in _FIRST_JOBS:
            with suppress(ModelError):
                # Whoever needs the answer meets the same error, and says so.
                await self._models.room(job)

    def account(self, repo: RepoId) -> Account:
        """Tell which parts the rules took over and what was spent, since this was asked last."""
        return Account(fallbacks=tuple(self._fallbacks.pop(repo, ())), spent=self._models.take(repo))

    async def objects(self, claim: Claim, material: Material) -> str | None:
        """Let the judging model withdraw what the writing one said; it never admits anything."""
        read = next((read for read in material.reads if read.evidence.id in claim.about), None)
        if not self._judging or read is None or claim.speech or claim.predicate != "says":
            return None
        values = {
            "text": fenced(" / ".join(claim.text.values()), self._mark),
            "evidence": fenced(_evidence(read), self._mark),
        }
        messages = [self._system(material.repo), Message("user", prompt("judge", values))]
        try:
            objection = await self._models.get("judging", material.repo).fill(messages, Objection)
        except ModelError as error:
            # The gate has let it pass; a judge who stays away takes nothing back.
            self._fell_back(material.repo, "judging", error, read.evidence.id)
            return None
        return None if objection.supported else objection.reason[:200] or "a judging model objects"

    def _fell_back(self, repo: RepoId, part: Part, error: ModelError, about: EvidenceId | None = None) -> None:
        told = Fallback(part=part, reason=" ".join(str(error).split())[:200], about=about)
        self._fallbacks.setdefault(repo, []).append(told)

    async def next_calls(self, assignment: Assignment, answers: Sequence[ToolAnswer]) -> Sequence[ToolRequest]:
        """Let the model choose from the table; handles become hashes again."""
        if not assignment.table:
            return ()
        try:
            return await self._chooser.next_calls(self._system(assignment.repo), assignment, answers)
        except ModelError as error:
            return await self._read_by_rules(assignment, answers, error)

    async def _read_by_rules(
        self, assignment: Assignment, answers: Sequence[ToolAnswer], error: ModelError
    ) -> Sequence[ToolRequest]:
        """Let the rules go on from what the model has read already."""
        self._fell_back(assignment.repo, "choosing", error)
        return await self._rules.next_calls(assignment, list(filter(shows_diff, answers)))

    async def write(self, material: Material) -> Sequence[Claim]:
        """Explain each commit that the model read in depth, sum up the day, and keep everything the rules say.

        A small model is shown what was written of a commit, not its diff, so it need not have asked for that.
        """
        read_closely = [read for read in material.reads if read.depth is Depth.DEEP]
        deep = [read for read in read_closely if read.asked]
        shown = _shown(material)
        room = await self._room(material)
        if room < AMPLE_ROOM:
            said = await self._retell(read_closely, shown, material) if room else []
        else:
            # Nothing here waits for anything else; the endpoint limits how many are under way.
            said = await asyncio.gather(
                self._sum_up(deep, shown, material), *(self._explain(read, shown, material, room) for read in deep)
            )
        return [*(claim for several in said for claim in several), *await self._rules.write(material)]

    async def _retell(self, deep: Sequence[Read], shown: Shown, material: Material) -> list[list[Claim]]:
        """Let a small model say line by line what others wrote, a commit a question, the heaviest commits first."""
        lanes = asyncio.Semaphore(_AT_ONCE)

        async def retold(telling: Telling) -> list[Claim]:
            async with lanes:
                values = {
                    "handle": telling.handle,
                    "lines": fenced(telling.brief, self._mark),
                    "languages": wanted_languages(self._languages),
                }
                about, number = telling.read.evidence.id, len(telling.lines)
                said = await self._ask("write_lines", values, material, "explaining", number, about=about, least=number)
                return telling.claims(said, shown, self._languages)

        return await asyncio.gather(*map(retold, tellings(deep, shown, material, self._languages)))

    async def _room(self, material: Material) -> int:
        try:
            return await self._models.room("writing")
        except ModelError as error:
            self._fell_back(material.repo, "explaining", error)
            return 0

    async def mend(self, claim: Claim, judgement: Judgement, material: Material) -> Claim | None:
        """Show the model what was wrong, once."""
        spoken = claim.about or claim.cites
        reads = [read for read in material.reads if read.evidence.id in spoken]
        if not reads or claim.speech or claim.predicate != "says":
            return None
        points = [point for read in reads for point in points_of(read, material)]
        small = await self._room(material) < AMPLE_ROOM
        told = [point for point in points if point.source in claim.cites]
        shown = only_seen(_shown(material), reads if small or claim.about else material.reads, told)
        values = {"languages": wanted_languages(self._languages)}
        if small:
            # Shown its own words, a small model writes them again, and told why they were refused, it writes of that.
            values |= {"line": fenced(main_clause_of(claim, reads[0], points), self._mark)}
        else:
            before = " / ".join(MARK.sub("", text) for text in claim.text.values())
            values |= {"text": fenced(before, self._mark), "reason": judgement.reason.rstrip(".")}
            values |= {"evidence": fenced("\n\n".join(map(_evidence, reads[:_SUMMED_UP])), self._mark)}
            values |= {"names": fenced("\n".join(map(names_brief, reads[:_SUMMED_UP])), self._mark)}
        name, least = ("mend_line", 1) if small else ("mend", 0)
        said = await self._ask(name, values, material, "repairing", 1, about=reads[0].evidence.id, least=least)
        drafts = [
            draft_of(
                said_again(claim, one, points) if small else one,
                claim.id,
                claim.role,
                claim.cites,
                material.repo,
                self._languages,
            )
            for one in list(said.values())[:1]
            if says_more(one, reads[0].evidence.change.commit.title)
        ]
        mended = settle(drafts[0], shown) if drafts and drafts[0].text else None
        return mended.model_copy(update={"about": claim.about}) if mended is not None else None

    async def _explain(self, read: Read, shown: Shown, material: Material, room: int) -> list[Claim]:
        handle = _handle(read, shown)
        values = {
            "handle": handle,
            "title": fenced(read.evidence.change.commit.title, self._mark),
            "message": fenced(message_brief(read), self._mark),
            "facts": fenced(facts_brief(read), self._mark),
            "hunks": fenced(hunks_brief(read, room // 4), self._mark),
            "languages": wanted_languages(self._languages),
        }
        said = await self._ask("write_commit", values, material, "explaining", _EXPLAINED, about=read.evidence.id)
        claim = f"{material.repo}@{read.evidence.change.commit.sha[:12]}.m"
        drafts = [
            draft_of(one, f"{claim}{place}", Role.EFFECT, (handle,), material.repo, self._languages)
            for place, one in enumerate(list(said.values())[:_EXPLAINED], start=1)
            if says_more(one, read.evidence.change.commit.title)
        ]
        # It saw this commit alone: whatever other one it names, a text has told it to, and the gate refuses that.
        seen = only_seen(shown, [read], ())
        return [settle(draft, seen) for draft in drafts if draft.text]

    async def _sum_up(self, deep: Sequence[Read], shown: Shown, material: Material) -> list[Claim]:
        if len(deep) < 2:
            return []
        rows = {_handle(read, shown): read for read in deep[:_SUMMED]}
        items = "\n".join(f"[{handle}] {day_brief(read)}" for handle, read in rows.items())
        values = {"items": fenced(items, self._mark), "languages": wanted_languages(self._languages)}
        said = await self._ask("write_day", values, material, "summing up", _SUMMED_UP, handles=tuple(rows))
        drafts = [
            draft_of(one, f"{material.repo}.day{place}", Role.SUMMARY, (), material.repo, self._languages)
            for place, one in enumerate(list(said.values())[:_SUMMED_UP], start=1)
        ]
        return [settle(draft, shown) for draft in drafts if draft.text]

    async def _ask(
        self,
        name: str,
        values: dict[str, str],
        material: Material,
        part: Part,
        most: int,
        *,
        about: EvidenceId | None = None,
        handles: tuple[str, ...] = (),
        least: int = 0,
    ) -> dict[int, Statement]:
        """Ask for statements, by their places; those that are in another language than asked for are none."""
        messages = [self._system(material.repo), Message("user", prompt(name, values, self._languages[0]))]
        try:
            shape = statements_in(self._languages, most, handles, least)
            said = read_statements(await self._models.get("writing", material.repo).fill(messages, shape))
        except ModelError as error:
            self._fell_back(material.repo, part, error, about)
            return {}
        kept = {place: one for place, one in said.items() if is_in(one, self._languages)}
        if said and not kept:
            self._fell_back(
                material.repo, part, ModelError("it wrote no whole sentence in the language that was asked for"), about
            )
        return kept

    def _system(self, repo: str) -> Message:
        return Message("system", prompt("system", {"repo": repo, "mark": self._mark}, self._languages[0]))


def _shown(material: Material) -> Shown:
    """Give every commit that was read its handle, heaviest first."""
    ids = [read.evidence.id for read in material.reads]
    return Shown(
        handles={f"c{number}": name for number, name in enumerate(ids, start=1)},
        known=frozenset(ids),
        repo=material.repo,
    )


def _evidence(read: Read) -> str:
    title = read.evidence.change.commit.title
    return f"{title}\n{message_brief(read)}\n{facts_brief(read)}\n{hunks_brief(read)}"


def _handle(read: Read, shown: Shown) -> str:
    return next(handle for handle, name in shown.handles.items() if name == read.evidence.id)
