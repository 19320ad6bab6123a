"""Has a judge read the sentences of somebody's report: two passes over each batch, with a control in each."""

import asyncio
from collections.abc import Sequence

from agent.analysts.ruling import PASSING, Batch
from agent.analysts.schema import Ruling
from agent.audit.findings import Finding
from agent.audit.judging import ProseBatch, batches, evidence_text, verdict
from agent.audit.lookup import Library
from agent.audit.prose import Sentence, unchecked
from agent.claims import Claim, Role
from agent.model import ModelError
from agent.settings import Language
from graphs.asking_models import models_of, packet_room
from graphs.audit_lookup import with_facts
from graphs.desk import Deps
from graphs.judging import ruled

_AT_ONCE = 4
_LANG: Language = "en"  # Whatever it is: a report has one.


async def judge_sentences(sentences: Sequence[Sentence], library: Library, deps: Deps) -> list[Finding]:
    """Give every sentence a verdict; those that cannot be judged stay not checked."""
    work = list(batches(sentences, library))
    room, gate = await packet_room(deps), asyncio.Semaphore(_AT_ONCE)

    async def one(batch: ProseBatch) -> list[Finding]:
        async with gate:
            with_facts(library, batch.commits)
            try:
                return await _judged(batch, evidence_text(batch, library, room), deps)
            except ModelError as error:
                return unchecked(batch.sentences, f"the judge did not answer: {str(error)[:200]}")

    found = [finding for some in await asyncio.gather(*map(one, work)) for finding in some]
    judged = {sentence for batch in work for sentence in batch.sentences}
    left = [sentence for sentence in sentences if sentence not in judged]
    return [*found, *unchecked(left, "it cites too many commits, or their diffs could not be read")]


async def _judged(batch: ProseBatch, evidence: str, deps: Deps) -> list[Finding]:
    rows = list(enumerate(batch.sentences))
    claims = [Claim(id=str(row), repo=None, role=Role.CHANGE, text={_LANG: one.text}) for row, one in rows]
    account, rulings = batch.commits[0].partition("@")[0], list[dict[str, Ruling]]()
    for turn in (0, 1):
        controls = [{_LANG: text} for text in batch.controls[turn : turn + 1] or batch.controls[:1]]
        asked = Batch(account=account, evidence=evidence, claims=claims, controls=controls)
        rulings.append(await ruled(asked, deps, backwards=turn == 1))
        if any(rulings[turn][f"x{place}"].verdict in PASSING for place in range(len(controls))):
            return unchecked(batch.sentences, "the judge admitted a sentence about another commit")
    name = models_of(deps).names["judging"]
    return [verdict(one, [said[str(row)] for said in rulings], evidence, name) for row, one in rows]
