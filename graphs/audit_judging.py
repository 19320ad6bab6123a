"""The sentences of an audited report before the judge, in batches."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from agent.audit import prose
from agent.audit.findings import Finding
from agent.audit.repository_lookup_results import Library
from agent.domain.claims import Claim
from agent.domain.evidence import CommitEvidence
from agent.judging.rulings import Batch, Case, Control
from agent.model_errors import ModelError
from graphs.audit_state import NO_TIME, AuditDeps
from graphs.judging import judged_in_batches, read_twice
from graphs.run_context import RunContext
from tools.diff.commit_facts import read_facts

_MAX_CONCURRENT = 4  # Batches at the judge
_TOO_MANY_COMMITS = "it cites too many commits, or their diffs could not be read"
_CONTROL_ADMITTED = "the judge admitted a sentence about another commit"


class Judged(NamedTuple):
    """The verdicts of a judge on the sentences of a report."""

    findings: list[Finding]
    unread: Counter[str]  # How many sentences it did not read, by the reason

    def incomplete(self, judge: str, total: int) -> list[str]:
        """Return one sentence about what the judge did not read, if there is such."""
        if not self.unread:
            return []
        [(reason, _)] = self.unread.most_common(1)
        return [f"{judge} did not read {self.unread.total()} of {total} sentences: {reason}"]


async def judge_sentences(
    sentences: Sequence[prose.ReportSentence],
    library: Library,
    context: RunContext,
    deps: AuditDeps,
) -> Judged:
    """Return a verdict on every sentence; those that cannot be judged stay not checked."""
    batches = list(prose.batches(sentences, library))
    in_batches: set[prose.ReportSentence] = set()
    for batch in batches:
        in_batches.update(batch.sentences)
    left_out = [sentence for sentence in sentences if sentence not in in_batches]
    findings = prose.unchecked(left_out, _TOO_MANY_COMMITS)
    unread = Counter({_TOO_MANY_COMMITS: len(left_out)}) if left_out else Counter[str]()
    slots = asyncio.Semaphore(_MAX_CONCURRENT)
    done = 0

    async def judge_batch(batch: prose.ProseBatch) -> None:
        nonlocal done
        try:
            async with asyncio.timeout_at(deps.deadline), slots:
                parts = await _judged_parts(batch, library, context)
        except TimeoutError:
            parts = [_JudgedPart(batch.sentences, reason=NO_TIME)]
        for part in parts:
            if part.reason:
                unread[part.reason] += len(part.sentences)
                findings.extend(prose.unchecked(part.sentences, part.reason))
            else:
                findings.extend(part.verdicts)
        done += len(batch.sentences)
        step = f"{done} of {len(in_batches)} sentences judged"
        deps.progress.step(batch.evidence[0].repo, step)

    if batches:
        step = f"judging {len(in_batches)} sentences"
        deps.progress.step(batches[0].evidence[0].repo, step)
    await asyncio.gather(*map(judge_batch, batches))
    return Judged(findings, unread)


class _JudgedPart(NamedTuple):
    """Sentences that were judged in one question, or the reason why they were not."""

    sentences: Sequence[prose.ReportSentence]
    verdicts: Sequence[Finding] = ()
    reason: str = ""


async def _judged_parts(
    batch: prose.ProseBatch, library: Library, context: RunContext
) -> list[_JudgedPart]:
    """Judge the sentences of a batch, in several questions where they do not fit into one."""
    commits: list[CommitEvidence] = []
    for commit in batch.evidence:
        sheet = read_facts(commit.change, None)
        commits.append(commit.model_copy(update={"sheet": sheet}))
    sentence_by_id = {str(index): sentence for index, sentence in enumerate(batch.sentences)}

    def sentences_of(claims: Sequence[Claim]) -> list[prose.ReportSentence]:
        return [sentence_by_id[claim.id] for claim in claims]

    def show(claims: Sequence[Claim], budget: int) -> str:
        part = batch._replace(evidence=commits, sentences=sentences_of(claims))
        return prose.evidence_text(part, library, budget)

    async def judge_part(question: Batch) -> list[Finding]:
        return await _verdicts(question, sentences_of(question.claims), context)

    claims = []
    for claim_id, sentence in sentence_by_id.items():
        text = {"en": sentence.unsettled}
        claims.append(Claim(id=claim_id, repo=None, role="change", text=text))
    case = Case(
        account=batch.evidence[0].repo,
        claims=claims,
        show=show,
        controls=lambda _: [Control({"en": text}) for text in batch.controls],
    )
    parts = []
    for part_claims, outcome in await judged_in_batches(case, context, judge_part):
        sentences = sentences_of(part_claims)
        if isinstance(outcome, ModelError):
            reason = f"the judge did not answer: {str(outcome)[:200]}"
            parts.append(_JudgedPart(sentences, reason=reason))
        elif not outcome:
            parts.append(_JudgedPart(sentences, reason=_CONTROL_ADMITTED))
        else:
            parts.append(_JudgedPart(sentences, outcome))
    return parts


async def _verdicts(
    batch: Batch, sentences: Sequence[prose.ReportSentence], context: RunContext
) -> list[Finding]:
    """Ask the judge twice about a batch; return nothing if it admits a sentence it must refuse."""
    first, second = await read_twice(batch, context)
    if first.admitted_controls or second.admitted_controls:
        return []
    judge_name = context.require_models().names["judging"]
    findings = []
    for claim, sentence in zip(batch.claims, sentences, strict=True):
        rulings = (first.rulings[claim.id], second.rulings[claim.id])
        findings.append(prose.verdict(sentence, rulings, batch.evidence, judge_name))
    return findings
