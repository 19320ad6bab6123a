"""The way of an answer's sentences: held to the evidence by code, read by the judge, said anew once."""

from typing import Any, Literal

from langgraph.runtime import Runtime

from agent.analysts.ruling import Batch
from agent.analysts.schema import NAMES, repair_shape
from agent.analysts.sentences import focus_of
from agent.analysts.tasks import Refused, can_be_repaired, refusal_text
from agent.asking.packet import answer_claim, control_sentences, counts_cites, packet_text
from agent.claims import Claim, Judgement, Verdict
from agent.desks import Step
from agent.dossier import Dossier
from agent.evidence import EvidenceId
from agent.gate.check import refusals
from agent.model import ModelError
from agent.prompting import fenced
from graphs.ask_context import AskContext
from graphs.ask_state import AskState, account_of
from graphs.asking_models import ask, packet_room
from graphs.judging import judged


async def check(state: AskState, runtime: Runtime[AskContext]) -> dict[str, Any]:
    """Hold every literal of every sentence to the cited evidence."""
    found, query = runtime.context.found, state["query"]
    repos = frozenset(one.repo for one in state["searched"])
    dossier = Dossier(found=found, window=query.window, repos=repos, seen=frozenset(found))
    wrong = {
        claim.id: tuple(no for no in refusals(claim, dossier, query.lang) if not counts_cites(no, claim))
        for claim in state["drafts"]
    }
    passed = [claim for claim in state["drafts"] if not wrong[claim.id]]
    failed = [Refused(task="", claim=one, reasons=wrong[one.id]) for one in state["drafts"] if wrong[one.id]]
    return {"passed": passed, "failed": [*state["failed"], *failed], "drafts": []}


async def judge(state: AskState, runtime: Runtime[AskContext]) -> dict[str, Any]:
    """Have the judge read what passed, beside the evidence that it cites, and stream what it admits."""
    context, query, claims = runtime.context, state["query"], state["passed"]
    if not claims:
        return {}
    runtime.stream_writer(Step(state["searched"][0].repo, "judging"))
    evidence, others = await _ground(state, context, claims)
    controls = control_sentences(others, context.found, evidence, query.lang)
    batch = Batch(account=account_of(state), evidence=evidence, claims=claims, controls=controls)
    try:
        verdicts = await judged(batch, context.deps)
    except ModelError as error:
        silent = Judgement(verdict=Verdict.UNDECIDED, check="no judge", reason=str(error)[:200])
        refused = [Refused(task="", claim=claim, reasons=(silent,)) for claim in claims]
        return {"passed": [], "failed": [*state["failed"], *refused]}
    for claim in verdicts.admitted:
        runtime.stream_writer({"claim": claim, "lang": query.lang, "abstains": state["nearest"] is not None})
    failed = [Refused(task="", claim=claim, reasons=(no,)) for claim, no in verdicts.refused]
    return {
        "passed": [],
        "published": [*state["published"], *verdicts.admitted],
        "failed": [*state["failed"], *failed],
    }


async def _ground(state: AskState, context: AskContext, claims: list[Claim]) -> tuple[str, list[EvidenceId]]:
    """Show what some sentences cite, with the hunks that they speak of, and name the rest."""
    cites = {cite for claim in claims for cite in claim.cites}
    mine = {handle: name for handle, name in state["handles"].items() if name in cites}
    text = packet_text(mine, context.found, await packet_room(context.deps), focus_of(claims), state["notes"])
    return text, [name for name in state["handles"].values() if name not in cites]


def repair_once(state: AskState) -> Literal["repair", "reply"]:
    """Go on to a repair where another wording can mend something and none was tried."""
    return "repair" if not state["repaired"] and any(map(can_be_repaired, state["failed"])) else "reply"


async def repair(state: AskState, runtime: Runtime[AskContext]) -> dict[str, Any]:
    """Show the writer all that was refused, once; it may correct, shorten or give up."""
    context, query = runtime.context, state["query"]
    wrong = {str(n): one for n, one in enumerate(filter(can_be_repaired, state["failed"]), start=1)}
    known = [one.claim for one in wrong.values()]
    text, _ = await _ground(state, context, known)
    mark = context.deps.mark
    values = {
        "evidence": fenced(text, mark),
        "refused": fenced("\n".join(refusal_text(number, one) for number, one in wrong.items()), mark),
        "languages": NAMES[query.lang],
    }
    try:
        said = await ask(context.deps, "writing", account_of(state), "repair", values, repair_shape((query.lang,)))
    except ModelError:
        return {"repaired": True}
    drafts = []
    for one in getattr(said, "sentences", ()):
        old = wrong.pop(one.id.strip("[]. "), None)
        again = answer_claim(old.claim.id, one, state["handles"], context.found, query.lang) if old else None
        drafts += [again] if again else []
    kept = {claim.id for claim in drafts}
    return {"repaired": True, "drafts": drafts, "failed": [one for one in state["failed"] if one.claim.id not in kept]}
