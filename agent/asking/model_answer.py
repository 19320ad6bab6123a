"""How a model answers a question: it reads on where the rules stopped, and says what shown evidence says."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from pydantic import BaseModel, Field, create_model

from agent.analyst import ToolAnswer, ToolRequest, ToolSpec
from agent.analysts.ruling import admitted, objection
from agent.analysts.schema import Rulings
from agent.asking.sheaf import Sheaf
from agent.claims import Anchor, Claim, Judgement, Kind, Quote, Role
from agent.commands import commands, leads_away
from agent.drafts import Draft, settle
from agent.ids import RepoId
from agent.model import AMPLE_ROOM, Message, Model, ModelError, Models, OneModel
from agent.prompting import boundary, fenced, prompt
from agent.settings import Language
from agent.tongue import speaks

_NAMES: dict[Language, str] = {"en": "English", "zh": "中文"}
_STATEMENTS = 5
_EVIDENCE, _LITTLE, _RULES, _ANSWERS = 14_000, 3_500, 2_500, 6_000
"""Characters of evidence, of evidence where there is little room, of the rules' answer, and of what tools showed."""
_AT_ONCE = 8
"""Calls of tools that one turn may make; a model that storms is cut, not obeyed."""


def handles_field(handles: Sequence[str], description: str, least: int = 1) -> Any:
    """Describe a list of handles: a server that keeps to schemas cannot let a model name others, nor too few.

    What other servers let through is read all the same, and judged later.
    """
    if not handles:
        return Field(default_factory=list, description=description)
    names = {"type": "string", "enum": list(handles)}
    closed: dict[str, Any] = {"minItems": least, "maxItems": len(handles), "items": names}
    return Field(default_factory=list, description=description, json_schema_extra=closed)


class Said(BaseModel):
    """One sentence of an answer as a model writes it."""

    text: str = Field(default="", description="one sentence, or empty where the quote says it")
    cites: list[str] = Field(default_factory=list, description="handles such as c1")
    quote: str = Field(default="", description="words of the first cited evidence, verbatim, or empty")


class Answering(BaseModel):
    """What a model makes of a question."""

    decision: Literal["confirm", "answer", "abstain"]
    shows: list[str] = Field(default_factory=list, description="handles of the evidence that answers the question")
    statements: list[Said] = Field(default_factory=list)


@cache
def answering_of(handles: tuple[str, ...]) -> type[Answering]:
    """Make the shape of an answer that can cite these handles and nothing else."""
    cites = handles_field(handles, "handles of the evidence that says so")
    said = create_model("Said", __base__=Said, cites=(list[str], cites))
    shows = handles_field(handles, "handles of the evidence that answers the question", least=0)
    several: Any = Field(default_factory=list, json_schema_extra={"maxItems": _STATEMENTS})
    return create_model("Answering", __base__=Answering, shows=(list[str], shows), statements=(list[said], several))


@dataclass(frozen=True)
class Brief:
    """A question as it is put to a model."""

    question: str
    lang: Language
    rules: str
    """What the rules would answer."""
    sheaf: Sheaf
    account: str = "question"
    """On which what it costs is put."""


class ModelAnswerer:
    """Asks a model; what it fails at is a ModelError, and the rules' answer stands."""

    def __init__(self, models: Models | Model, seed: str) -> None:
        """`seed` makes the fence around untrusted text."""
        self.models = models if isinstance(models, Models) else OneModel(models)
        self.name = self.models.name
        self._mark = boundary(seed)
        self._numbers = itertools.count(1)

    def open_account(self) -> str:
        """Name the account of the next question: each may spend as much as the last."""
        return f"question {next(self._numbers)}"

    async def next_calls(
        self, brief: Brief, answers: Sequence[ToolAnswer], tools: Sequence[ToolSpec]
    ) -> Sequence[ToolRequest]:
        """Let the model say what else it must see; nothing ends the reading, and so does asking for the same again."""
        if await self.models.room("reading") < AMPLE_ROOM:
            # A small model loses its way in a loop; it answers from what the rules found.
            return ()
        values = await self._values(brief) | {"answers": self._told(answers)}
        messages = [self._system("en"), Message("user", prompt("ask_read", values))]
        wanted = await self.models.get("reading", brief.account).call_tools(messages, tools)
        asked = {_key(one.request) for one in answers}
        fresh = {_key(one): one for one in wanted if _key(one) not in asked}
        return list(fresh.values())[:_AT_ONCE]

    async def write(self, brief: Brief) -> Answering:
        """Let the model answer from what was shown."""
        values = await self._values(brief) | {"language": _NAMES[brief.lang]}
        messages = [self._system(brief.lang), Message("user", prompt("ask_answer", values, brief.lang))]
        return await self.models.get("writing", brief.account).fill(messages, _shape(brief))

    async def mend(self, said: Said, judgement: Judgement, brief: Brief) -> Said | None:
        """Show the model why a sentence was refused, once."""
        values = await self._values(brief) | {
            "text": fenced(said.text, self._mark),
            "reason": judgement.reason,
            "language": _NAMES[brief.lang],
        }
        values.pop("rules")
        messages = [self._system(brief.lang), Message("user", prompt("ask_mend", values, brief.lang))]
        answer = await self.models.get("writing", brief.account).fill(messages, _shape(brief))
        return answer.statements[0] if answer.statements else None

    async def judged(self, claim: Claim, evidence: str, brief: Brief) -> Claim | None:
        """Let the judge read a sentence beside its evidence; None where it is refused."""
        values = {
            "evidence": fenced(evidence, self._mark),
            "sentences": fenced(f"[s1] {claim.text[brief.lang]}", self._mark),
        }
        messages = [self._system("en"), Message("user", prompt("judge", values))]
        judge = self.models.get("judging", brief.account)
        rulings = (await judge.fill(messages, Rulings)).rulings
        if not rulings or objection(rulings[0], evidence):
            return None
        return admitted(claim, rulings[0], judge.name)

    async def _values(self, brief: Brief) -> dict[str, str]:
        whole = await self.models.room("writing")
        room = min(_EVIDENCE, whole * 2 // 3) if whole >= AMPLE_ROOM else _LITTLE
        return {
            "question": fenced(brief.question, self._mark),
            "rules": fenced(brief.rules[:_RULES], self._mark),
            "evidence": fenced(brief.sheaf.text(room), self._mark),
        }

    def _system(self, lang: Language) -> Message:
        return Message("system", prompt("ask_system", {"mark": self._mark}, lang))

    def _told(self, answers: Sequence[ToolAnswer]) -> str:
        read = [f"{one.request.tool} {_key(one.request)[1]}:\n{one.text}" for one in answers]
        # The newest matter most; what does not fit was shown before.
        kept: list[str] = []
        room = _ANSWERS
        for one in reversed(read):
            if len(one) > room:
                break
            kept.insert(0, one)
            room -= len(one)
        return fenced("\n".join(kept), self._mark) if kept else "(nothing yet)"


def _shape(brief: Brief) -> type[Answering]:
    return answering_of(tuple(brief.sheaf.shown.handles))


def claim_of(said: Said, name: str, brief: Brief) -> Claim | None:
    """Turn a sentence into a claim for the gate; one in another language, or without evidence, is none."""
    if not said.text.strip() or not speaks(said.text, brief.lang):
        return None
    shown = brief.sheaf.shown
    cites = tuple(cite.strip("[] ") for cite in said.cites)
    first = shown.find(cites[0]) if cites else None
    draft = Draft(
        id=name,
        role=Role.CHANGE,
        repo=_repo(first),
        text={brief.lang: " ".join(said.text.split())},
        cites=cites,
        about=cites[:1],
    )
    # The words that a sentence rests on; the gate refuses one that has none.
    anchors = (Anchor(cite=first, text=said.quote.strip()),) if first and said.quote.strip() else ()
    return settle(draft, shown).model_copy(update={"anchors": anchors})


def speech_of(said: Said, name: str, brief: Brief) -> Claim | None:
    """Turn the quotation of a sentence into attributed speech; the gate holds it to the letter.

    Whoever can write what is read here could otherwise have it said to the reader: an order, or a way elsewhere.
    """
    first = brief.sheaf.shown.find(said.cites[0]) if said.cites else None
    if not said.quote.strip() or first is None or commands(said.quote) or leads_away(said.quote):
        return None
    quote = Quote(cite=first, text=said.quote.strip())
    return Claim(
        id=name,
        repo=_repo(first),
        role=Role.CHANGE,
        about=(first,),
        cites=(first,),
        quotes=(quote,),
        speech=True,
        kind=Kind.QUOTATION,
    )


def failure(error: ModelError) -> str:
    """Give the reason of a failure as it is shown to whoever asked."""
    return " ".join(str(error).split())[:200]


def _repo(name: str | None) -> RepoId | None:
    return RepoId(name.replace("#", "@").partition("@")[0]) if name else None


def _key(request: ToolRequest) -> tuple[str, str]:
    return request.tool, ", ".join(f"{key}={value}" for key, value in sorted(request.arguments.items()))
