"""A question about recent changes as a graph: understand it, look in memory, read what is missing, answer, check."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, TypeVar

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from agent.asking.answers import answer
from agent.asking.draft import Draft
from agent.asking.findings import Findings
from agent.asking.focus import Focus, in_context
from agent.asking.inquiry import Inquiry
from agent.asking.model_answer import Brief, ModelAnswerer, failure
from agent.asking.reply import Reply, reply_of
from agent.asking.sheaf import Sheaf
from agent.asking.understanding import Setting
from agent.claims import Claim
from agent.dossier import Dossier
from agent.evidence import Evidence, EvidenceId, ReleaseEvidence, ThreadEvidence
from agent.gate.check import first_refusal
from agent.model import ModelError
from agent.settings import RepoSpec
from agent.web import Web
from agent.window import Window
from graphs.answering import explain, grown, read_on
from graphs.asking_tools import QuestionTools
from graphs.searching import Searcher
from graphs.stocking import Stock
from tools.toolset import Recall

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class AskDeps:
    """What the nodes of a question may touch."""

    stock: Stock
    specs: tuple[RepoSpec, ...]
    now: datetime
    tz: str
    web: Web
    bound: Window | None = None
    """The time to look at where a question names none."""
    answerer: ModelAnswerer | None = None
    """The model that explains; None where the rules answer alone."""
    recall: Recall | None = None
    """What earlier reports said."""
    bench: "Bench" = field(default_factory=lambda: Bench())


@dataclass
class Bench:
    """What one step hands on to the next; it holds texts, so it is not part of the state that is kept."""

    inquiry: Inquiry | None = None
    found: Findings | None = None
    draft: Draft | None = None
    brief: Brief | None = None
    """What a model was shown, where one is asked."""
    dropped: int = 0
    """Sentences of the model that the gate refused."""
    reply: Reply | None = None


VERSION = 1
"""Of the state below; a thread that was written by another one is not gone on with."""
_TURNS = 200
_TURN = 300
_CITES = 200
_READING = 4
"""How often a model may ask for more to read, for one question."""


class Asking(TypedDict, total=False):
    """The state of a conversation: names only, so that a thread can be kept."""

    version: int
    question: str
    focus: dict[str, Any]
    """What the last answer was about."""
    sources: list[str]
    """What the last answer cites."""
    turns: list[str]
    """What was asked so far."""


def build(checkpointer: Any = None) -> CompiledStateGraph[Asking, AskDeps, Any, Any]:
    """Wire the answering of one question; with a checkpointer a thread goes on from its last turn."""
    graph = StateGraph(Asking, context_schema=AskDeps)
    steps = {
        "understand": take_apart,
        "gather": gather,
        "answer": compose,
        "investigate": investigate,
        "explain": say_more,
        "verify": verify,
    }
    for name, step in steps.items():
        graph.add_node(name, step)
    for before, after in zip((START, *steps), (*steps, END), strict=True):
        graph.add_edge(before, after)
    return graph.compile(checkpointer=checkpointer, name="ask")


async def take_apart(state: Asking, runtime: Runtime[AskDeps]) -> dict[str, Any]:
    """Find out what is asked, in the light of what was asked before."""
    deps = runtime.context
    repos = tuple(spec.name for spec in deps.specs)
    # Whoever says which days are meant says of them what "this week" is, too.
    now = min(deps.now, deps.bound.end - timedelta(seconds=1)) if deps.bound else deps.now
    setting = Setting(repos=repos, now=now, tz=deps.tz, people=deps.stock.cards.people(repos))
    focus = Focus.model_validate(state["focus"]) if state.get("focus") else None
    inquiry = in_context(state["question"], setting, focus)
    if inquiry.window is None and not (inquiry.versions or inquiry.shas or inquiry.numbers):
        inquiry = inquiry.model_copy(update={"window": deps.bound})
    deps.bench.inquiry = inquiry
    return {}


async def gather(state: Asking, runtime: Runtime[AskDeps]) -> dict[str, Any]:
    """Look in memory, read what is missing, and follow links and stories."""
    del state
    deps = runtime.context
    inquiry = _given(deps.bench.inquiry)
    deps.bench.found = await Searcher(deps.stock, deps.specs, deps.now, deps.tz).find(inquiry)
    return {}


async def compose(state: Asking, runtime: Runtime[AskDeps]) -> dict[str, Any]:
    """Choose what to answer, from what was found alone."""
    del state
    deps = runtime.context
    deps.bench.draft = answer(_given(deps.bench.found))
    return {}


async def investigate(state: Asking, runtime: Runtime[AskDeps]) -> dict[str, Any]:
    """Let a model, where there is one, read on from where the rules stopped."""
    deps = runtime.context
    if deps.answerer is None:
        return {}
    found, draft = _given(deps.bench.found), _given(deps.bench.draft)
    checked, dropped = _checked(draft, found)
    rules = reply_of(checked, found, dropped, deps.web).answer
    sheaf = Sheaf(found)
    account = deps.answerer.open_account()
    brief = Brief(question=state["question"], lang=found.inquiry.lang, rules=rules, sheaf=sheaf, account=account)
    tools = QuestionTools(deps.stock, deps.specs, deps.tz, deps.now, sheaf, deps.recall)
    try:
        await read_on(deps.answerer, brief, tools, _READING)
    except ModelError as error:
        noted = (*draft.notes, ("model failed", {"why": failure(error)}))
        deps.bench.draft = draft.model_copy(update={"notes": noted})
        return {}
    deps.bench.brief = brief
    deps.bench.found = grown(found, brief)
    return {}


async def say_more(state: Asking, runtime: Runtime[AskDeps]) -> dict[str, Any]:
    """Let the model answer from what it was shown; where it fails, the rules' answer stands and says so."""
    del state
    deps = runtime.context
    if deps.answerer is not None and deps.bench.brief is not None:
        told = await explain(deps.answerer, deps.bench.brief, _given(deps.bench.draft))
        deps.bench.draft, deps.bench.dropped = told.draft, told.dropped
    return {}


async def verify(state: Asking, runtime: Runtime[AskDeps]) -> dict[str, Any]:
    """Hold every claim to its evidence; what fails is not said, and is counted."""
    deps = runtime.context
    found, draft = _given(deps.bench.found), _given(deps.bench.draft)
    checked, dropped = _checked(draft, found)
    reply = reply_of(checked, found, dropped + deps.bench.dropped, deps.web)
    deps.bench.reply = reply
    for piece in _pieces(reply.answer):
        runtime.stream_writer(piece)
    return {
        "version": VERSION,
        "focus": Focus.of(found, draft).model_dump(mode="json"),
        "sources": list(reply.cites[:_CITES]),
        "turns": [*state.get("turns", []), state["question"][:_TURN]][-_TURNS:],
    }


def _pieces(answer: str) -> Iterator[str]:
    """Give an answer line by line, for somebody who reads while it comes."""
    yield from answer.splitlines(keepends=True)


def _checked(draft: Draft, found: Findings) -> tuple[Draft, int]:
    """Keep the claims that pass, and count the others."""
    dossier = _dossier(found)
    items, dropped = [], 0
    for item in draft.items:
        kept = [claim for claim in (_judged(one, dossier, found) for one in item.claims) if _passed(claim)]
        dropped += len(item.claims) - len(kept)
        items.append(item.model_copy(update={"claims": tuple(kept)}))
    return draft.model_copy(update={"items": tuple(items)}), dropped


def _judged(claim: Claim, dossier: Dossier, found: Findings) -> Claim:
    return claim.model_copy(update={"judgement": first_refusal(claim, dossier, found.inquiry.lang)})


def _passed(claim: Claim) -> bool:
    return claim.judgement is not None and claim.judgement.passed


def _dossier(found: Findings) -> Dossier:
    """Lay out what was read: an answer speaks of any time, so no day bounds it."""
    evidence: dict[EvidenceId, Evidence] = dict(found.evidence)
    evidence |= {
        name: ThreadEvidence(thread=thread, comments=found.comments.get(name, ()))
        for name, thread in found.threads.items()
    }
    releases = (ReleaseEvidence(release=one) for several in found.releases.values() for one in several)
    evidence |= {one.id: one for one in releases}
    return Dossier(found=evidence, seen=frozenset(evidence), links=found.links, reverted=found.undone)


def _given(value: T | None) -> T:
    if value is None:
        raise RuntimeError("a step of the graph came before the one it needs")
    return value
