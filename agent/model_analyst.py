"""The analyst that asks a model: it chooses what to read and explains, on top of what the rules say from the facts."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from pydantic import BaseModel, Field

from agent.account import Account, Fallback, Part
from agent.analyst import Assignment, Material, Read, ToolAnswer, ToolRequest
from agent.briefs import facts_brief, hunks_brief, message_brief
from agent.claims import Claim, Judgement, Role
from agent.drafts import Draft, Shown, settle
from agent.evidence import EvidenceId
from agent.ids import RepoId
from agent.menu import Menu, shows_diff
from agent.model import Job, Message, Model, ModelError, Models, OneModel
from agent.prompting import boundary, fenced, prompt
from agent.report import Depth
from agent.rules import RulesAnalyst
from agent.settings import Language
from agent.tongue import speaks
from agent.triage import Tier

_NAMES: dict[Language, str] = {"en": "English", "zh": "Chinese"}
_FIRST_JOBS: tuple[Job, ...] = ("reading", "writing")
_AT_ONCE = 12
"""Calls of tools that one turn may make; a model that storms is cut, not obeyed."""


class Statement(BaseModel):
    """One sentence as a model writes it, in the languages that were asked for."""

    en: str = ""
    zh: str = ""
    cites: list[str] = Field(default_factory=list, description="handles such as c1")


class Statements(BaseModel):
    """What a model has to say; an empty list is an answer too."""

    statements: list[Statement] = Field(default_factory=list, max_length=4)


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
            "evidence": fenced(f"{facts_brief(read)}\n{message_brief(read)}\n{hunks_brief(read)}", self._mark),
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
        menu = Menu(assignment)
        user = prompt("investigate", menu.values(answers, self._mark))
        try:
            messages = [self._system(assignment.repo), Message("user", user)]
            wanted = await self._models.get("reading", assignment.repo).call_tools(messages, assignment.tools)
        except ModelError as error:
            return await self._read_by_rules(assignment, answers, error)
        asked = {(one.request.tool, repr(sorted(one.request.arguments.items()))) for one in answers}
        resolved = [menu.resolve(request) for request in wanted]
        # A model that asks the same again would never end, and one that asks for everything at once is cut.
        fresh = {(one.tool, repr(sorted(one.arguments.items()))): one for one in resolved}
        chosen = [one for key, one in fresh.items() if key not in asked][:_AT_ONCE]
        if not chosen and assignment.allotment.deep and not any(map(shows_diff, answers)):
            return await self._read_by_rules(assignment, answers, ModelError("it chose nothing that can be read"))
        return chosen

    async def _read_by_rules(
        self, assignment: Assignment, answers: Sequence[ToolAnswer], error: ModelError
    ) -> Sequence[ToolRequest]:
        """Let the rules go on from what the model has read already."""
        self._fell_back(assignment.repo, "choosing", error)
        return await self._rules.next_calls(assignment, list(filter(shows_diff, answers)))

    async def write(self, material: Material) -> Sequence[Claim]:
        """Explain each commit that the model read in depth, sum up the day, and keep everything the rules say."""
        deep = [read for read in material.reads if read.depth is Depth.DEEP and read.asked]
        shown = _shown(material)
        room = await self._room(material)
        # Nothing here waits for anything else; the endpoint limits how many are under way.
        said = await asyncio.gather(
            self._sum_up(deep, shown, material), *(self._explain(read, shown, material, room) for read in deep)
        )
        return [*(claim for several in said for claim in several), *await self._rules.write(material)]

    async def _room(self, material: Material) -> int:
        try:
            return await self._models.room("writing") // 4
        except ModelError as error:
            self._fell_back(material.repo, "explaining", error)
            return 0

    async def mend(self, claim: Claim, judgement: Judgement, material: Material) -> Claim | None:
        """Show the model what was wrong, once."""
        read = next((read for read in material.reads if read.evidence.id in claim.about), None)
        if read is None or claim.speech or claim.predicate != "says":
            return None
        shown = _shown(material)
        handle = _handle(read, shown)
        values = {
            "handle": handle,
            "text": fenced(" / ".join(claim.text.values()), self._mark),
            "reason": judgement.reason,
            "evidence": fenced(f"{facts_brief(read)}\n{message_brief(read)}\n{hunks_brief(read)}", self._mark),
            "languages": self._asked(),
        }
        answer = await self._ask("mend", values, material, "repairing", read.evidence.id)
        drafts = [self._draft(one, claim.id, claim.role, handle, material) for one in answer.statements[:1]]
        return settle(drafts[0], shown) if drafts and drafts[0].text else None

    async def _explain(self, read: Read, shown: Shown, material: Material, room: int) -> list[Claim]:
        if not room:
            return []
        handle = _handle(read, shown)
        values = {
            "handle": handle,
            "title": fenced(read.evidence.change.commit.title, self._mark),
            "facts": fenced(facts_brief(read), self._mark),
            "message": fenced(message_brief(read), self._mark),
            "hunks": fenced(hunks_brief(read, room), self._mark),
            "languages": self._asked(),
        }
        answer = await self._ask("write_commit", values, material, "explaining", read.evidence.id)
        name = f"{material.repo}@{read.evidence.change.commit.sha[:12]}.m"
        drafts = [
            self._draft(one, f"{name}{place}", Role.EFFECT, handle, material)
            for place, one in enumerate(answer.statements[:2], start=1)
        ]
        return [settle(draft, shown) for draft in drafts if draft.text]

    async def _sum_up(self, deep: Sequence[Read], shown: Shown, material: Material) -> list[Claim]:
        top = [read for read in deep if read.triage.tier in (Tier.HIGH, Tier.MID)]
        if len(top) < 2:
            return []
        items = "\n".join(f"[{_handle(r, shown)}] {r.evidence.change.commit.title}\n{facts_brief(r)}" for r in top[:10])
        answer = await self._ask(
            "write_day", {"items": fenced(items, self._mark), "languages": self._asked()}, material, "summing up"
        )
        drafts = [
            self._draft(one, f"{material.repo}.day{place}", Role.SUMMARY, None, material)
            for place, one in enumerate(answer.statements[:3], start=1)
        ]
        return [settle(draft, shown) for draft in drafts if draft.text]

    async def _ask(
        self, name: str, values: dict[str, str], material: Material, part: Part, about: EvidenceId | None = None
    ) -> Statements:
        messages = [self._system(material.repo), Message("user", prompt(name, values))]
        try:
            answer = await self._models.get("writing", material.repo).fill(messages, Statements)
        except ModelError as error:
            self._fell_back(material.repo, part, error, about)
            return Statements()
        kept = [one for one in answer.statements if self._in_tongue(one)]
        if answer.statements and not kept:
            self._fell_back(material.repo, part, ModelError("it wrote in another language than asked"), about)
        return Statements(statements=kept)

    def _in_tongue(self, one: Statement) -> bool:
        """Tell whether every language that was asked for is there and is the language it should be."""
        words: dict[Language, str] = {"en": one.en, "zh": one.zh}
        return all(words[lang].strip() and speaks(words[lang], lang) for lang in self._languages)

    def _draft(self, one: Statement, name: str, role: Role, handle: str | None, material: Material) -> Draft:
        words: dict[Language, str] = {"en": one.en.strip(), "zh": one.zh.strip()}
        cites = tuple(cite.strip("[] ") for cite in one.cites)
        return Draft(
            id=name,
            role=role,
            repo=material.repo,
            text={lang: words[lang] for lang in self._languages if words[lang]},
            cites=tuple(dict.fromkeys((*cites, *((handle,) if handle else ())))),
            about=(handle,) if handle else (),
        )

    def _system(self, repo: str) -> Message:
        return Message("system", prompt("system", {"repo": repo, "mark": self._mark}))

    def _asked(self) -> str:
        return " and ".join(f"{_NAMES[lang]} (field {lang})" for lang in self._languages)


def _shown(material: Material) -> Shown:
    """Give every commit that was read its handle, heaviest first."""
    ids = [read.evidence.id for read in material.reads]
    return Shown(
        handles={f"c{number}": name for number, name in enumerate(ids, start=1)},
        known=frozenset(ids),
        repo=material.repo,
    )


def _handle(read: Read, shown: Shown) -> str:
    return next(handle for handle, name in shown.handles.items() if name == read.evidence.id)
