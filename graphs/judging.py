"""The way of a model's sentences: code checks every literal, a judge reads on, and what was refused is said anew once.

The judge is a separate question that sees only sentences and evidence, twice, with controls among them.
"""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from langgraph.graph import StateGraph
from langgraph.runtime import Runtime

from agent.analysts.ruling import (
    PASSING,
    Batch,
    Ruling,
    Rulings,
    Verdicts,
    can_be_repaired,
    objection,
    refusal_text,
)
from agent.analysts.sentences import asked_languages, focus_of, repair_shape
from agent.analysts.subjects import Subject
from agent.analysts.tasks import Sentences
from agent.domain.base import EvidenceId
from agent.domain.claims import Claim, Judgement, Kind, Refused
from agent.domain.spending import Account, Judging, fallback
from agent.gate.check import refusals
from agent.ports import Step
from agent.prompting import ModelError, fenced
from tools.chat.messages import Handles

if TYPE_CHECKING:
    from graphs.run_context import RunContext


@dataclass(frozen=True)
class SentenceSteps:
    """The nodes that every draft goes through; the state has the sentences, `subjects` gives what they are about."""

    subjects: Callable[[Any, Any], Awaitable[Mapping[str, Subject]]]

    def add_to(self, graph: StateGraph[Any, Any, Any, Any], then: str) -> None:
        """Add check, judge and repair to a graph, and go on to another node."""
        graph.add_node("check", self.check)
        graph.add_node("judge", self.judge)
        graph.add_node("repair", self.repair)
        graph.add_edge("check", "judge")

        def go_on(state: Any) -> str:
            now = state["sentences"]
            return "repair" if not now.repaired and any(map(can_be_repaired, now.failed)) else then

        graph.add_conditional_edges("judge", go_on, ["repair", then])
        graph.add_edge("repair", "check")

    async def check(self, state: Any, runtime: Runtime[Any]) -> dict[str, Any]:
        """Hold every literal of every sentence to the cited evidence."""
        about, now = await self.subjects(state, runtime.context), state["sentences"]
        found = [(key, claim, about[key].objections(claim, refusals)) for key, claim in now.drafts]
        passed = tuple((key, claim) for key, claim, wrong in found if not wrong)
        failed = [
            Refused(task=key, claim=claim, reasons=wrong) for key, claim, wrong in found if wrong
        ]
        update = {"drafts": (), "passed": passed, "failed": (*now.failed, *failed)}
        return {"sentences": now.model_copy(update=update)}

    async def judge(self, state: Any, runtime: Runtime[Any]) -> dict[str, Any]:
        """Have the judge read what passed, a batch for each subject."""
        deps, now = runtime.context, state["sentences"]
        about = await self.subjects(state, deps)
        keys = list(dict.fromkeys(key for key, _ in now.passed))
        tell((about[key] for key in keys), runtime, "judging")
        rulings = await asyncio.gather(*(_judged(about[key], key, now, deps) for key in keys))
        failed, account = list(now.failed), spent(about.values(), deps)
        for key, (verdicts, lost) in zip(keys, rulings, strict=True):
            failed += [
                Refused(task=key, claim=claim, reasons=(no,)) for claim, no in verdicts.refused
            ]
            account += lost
        admitted = [claim for verdicts, _ in rulings for claim in verdicts.admitted]
        update = {"passed": (), "failed": tuple(failed), "published": (*now.published, *admitted)}
        return {"sentences": now.model_copy(update=update), "account": account}

    async def repair(self, state: Any, runtime: Runtime[Any]) -> dict[str, Any]:
        """Show each writer all that was refused, once; it may correct, shorten or give up."""
        deps, now = runtime.context, state["sentences"]
        about = await self.subjects(state, deps)
        wrong = [one for one in now.failed if can_be_repaired(one) and about[one.task].repairs]
        keys = list(dict.fromkeys(one.task for one in wrong))
        said = await asyncio.gather(*(_said_anew(about[key], key, wrong, deps) for key in keys))
        drafts = tuple(
            (key, claim) for key, (claims, _) in zip(keys, said, strict=True) for claim in claims
        )
        anew = {claim.id for _, claim in drafts}
        update = {
            "drafts": drafts,
            "failed": tuple(one for one in now.failed if one.claim.id not in anew),
            "mended": tuple(
                one.model_copy(update={"repaired": True})
                for one in now.failed
                if one.claim.id in anew
            ),
            "repaired": True,
        }
        account = sum((lost for _, lost in said), spent(about.values(), deps))
        return {"sentences": now.model_copy(update=update), "account": account}


async def _judged(
    subject: Subject, key: str, now: Sentences, deps: "RunContext"
) -> tuple[Verdicts, Account]:
    claims = [claim for other, claim in now.passed if other == key]
    evidence = subject.evidence(claims, focus_of(claims) if now.repaired else ())

    def narrow(quotes: Sequence[str]) -> str:
        lines = [
            line.lstrip("+- ")
            for quote in quotes
            for line in quote.splitlines()
            if line.strip("+- ")
        ]
        return subject.evidence(claims, [*focus_of(claims), *lines])

    controls = subject.controls(evidence, now.passed)
    batch = Batch(
        account=subject.account,
        evidence=evidence,
        claims=claims,
        controls=controls,
        narrowed=narrow,
    )
    return await judged_or_refused(batch, deps, subject.about)


async def _said_anew(
    subject: Subject, key: str, wrong: Sequence[Refused], deps: "RunContext"
) -> tuple[list[Claim], Account]:
    mine = {
        str(number): one
        for number, one in enumerate((one for one in wrong if one.task == key), start=1)
    }
    claims = [one.claim for one in mine.values()]
    values = {
        "evidence": fenced(subject.evidence(claims, focus_of(claims)), deps.mark),
        "refused": fenced(
            "\n".join(refusal_text(number, one) for number, one in mine.items()), deps.mark
        ),
        "languages": asked_languages(subject.languages),
    }
    try:
        refused_texts = {
            number: " / ".join(one.claim.text.values()) for number, one in mine.items()
        }
        answer = await deps.ask(
            "writing",
            subject.account,
            "repair",
            values,
            repair_shape(subject.languages),
            about=key,
            handles=Handles("id", refused_texts),
        )
    except ModelError as error:
        return [], fallback("repairing", error, subject.about)
    pairs = [
        (mine.pop(said.id.strip("[]. "), None), said) for said in getattr(answer, "sentences", ())
    ]
    return [
        claim for old, said in pairs if old and (claim := subject.again(old.claim, said))
    ], Account()


def spent(subjects: Iterable[Subject], deps: "RunContext") -> Account:
    """Take what the models were paid since this was asked last, for the accounts of some subjects."""
    accounts = dict.fromkeys(one.account for one in subjects)
    return sum((Account(spent=deps.asked.take(name)) for name in accounts), Account())


def tell(subjects: Iterable[Subject], runtime: Runtime[Any], what: str) -> None:
    """Stream what is being done for the repositories."""
    for repo in dict.fromkeys(one.repo for one in subjects if one.repo):
        runtime.stream_writer(Step(repo, what))


# ---------------------------------------------------------------- the judge


async def judged_or_refused(
    batch: Batch, deps: "RunContext", about: EvidenceId | None
) -> tuple[Verdicts, Account]:
    """Judge a batch; nothing is published whose judge does not answer."""
    try:
        verdicts = await judged(batch, deps)
        return verdicts, Account(judging=verdicts.judging)
    except ModelError as error:
        silent = Judgement(verdict="undecided", check="no judge", reason=str(error)[:200])
        return Verdicts(refused=[(claim, silent) for claim in batch.claims]), fallback(
            "judging", error, about
        )


async def judged(batch: Batch, deps: "RunContext") -> Verdicts:
    """Ask twice, the second time in reverse order and only of what passed; one "no" is enough to refuse."""
    result = Verdicts()
    standing: list[tuple[Claim, Ruling | None]] = [(claim, None) for claim in batch.claims]
    for turn in (0, 1):
        if not standing:
            break
        control, evidence = batch.controls[turn : turn + 1] or batch.controls[:1], batch.evidence
        if turn and batch.narrowed:
            evidence = batch.narrowed(
                [ruling.quote for _, ruling in standing if ruling is not None]
            )
        asked = replace(
            batch, evidence=evidence, claims=[claim for claim, _ in standing], controls=control
        )
        rulings = await ruled(asked, deps, backwards=turn == 1)
        caught = all(rulings[f"x{place}"].verdict not in PASSING for place in range(len(control)))
        result.judging += Judging(controls=len(control), caught=len(control) if caught else 0)
        if not caught:
            reason = "the judge admitted a sentence about another commit"
            void = Judgement(verdict="undecided", check="control", reason=reason)
            result.refused += [(claim, void) for claim, _ in standing]
            return result
        passed = [(claim, rulings[str(place)]) for place, (claim, _) in enumerate(standing)]
        result.refused += [
            (claim, no) for claim, ruling in passed if (no := objection(ruling, evidence))
        ]
        gone = {claim.id for claim, _ in result.refused}
        standing = [
            (claim, ruling if before is None or ruling.verdict == "inferred" else before)
            for (claim, ruling), (_, before) in zip(passed, standing, strict=True)
            if claim.id not in gone
        ]
    proved = {
        "judged_by": deps.asked.names["judging"],
        "judgement": Judgement(verdict="supported", check="judge"),
    }
    for claim, ruling in standing:
        # It is published as what the judge calls it; advice stays advice, and what rests on inference is inferred.
        kind = (
            claim.kind if claim.kind is not Kind.STATED or ruling is None else Kind(ruling.verdict)
        )
        result.admitted.append(claim.model_copy(update=proved | {"kind": kind}))
    return result


async def ruled(batch: Batch, deps: "RunContext", *, backwards: bool) -> dict[str, Ruling]:
    """Put one question; a sentence without a ruling is unsupported."""
    texts = {str(place): claim.text for place, claim in enumerate(batch.claims)}
    for place, text in enumerate(batch.controls):
        texts[f"x{place}"] = {
            lang: words for lang, words in text.items() if lang in batch.claims[0].text
        }
    # The same batch is asked in the same order in every run, and what is asked twice in reverse, whatever went between.
    seeded = {
        key: f"{batch.evidence[:200]} {' / '.join(text.values())}".encode()
        for key, text in texts.items()
    }
    order = sorted(texts, key=lambda key: hashlib.sha256(seeded[key]).hexdigest())
    shown = {
        key: f"s{place}" for place, key in enumerate(order[::-1] if backwards else order, start=1)
    }
    sentences = {name: " / ".join(texts[key].values()) for key, name in shown.items()}
    lines = [f"[{name}] {sentence}" for name, sentence in sentences.items()]
    values = {
        "evidence": fenced(batch.evidence, deps.mark),
        "sentences": fenced("\n".join(lines), deps.mark),
    }
    subject = next(iter(batch.claims[0].about), batch.account)
    answer = await deps.ask(
        "judging",
        batch.account,
        "judge",
        values,
        Rulings,
        about=f"{subject}, {'second' if backwards else 'first'} reading",
        handles=Handles("id", sentences),
    )
    said = {one.id.strip("[] "): one for one in answer.rulings}
    return {key: said.get(name, Ruling(id=name)) for key, name in shown.items()}
