"""The judge: a separate question that sees only sentences and their evidence, twice, with controls among them."""

import hashlib
from collections.abc import Mapping
from dataclasses import replace

from agent.account import Judging
from agent.analysts.ruling import PASSING, Batch, Verdicts, admitted, objection
from agent.analysts.schema import Ruling, Rulings
from agent.claims import Claim, Judgement, Verdict
from agent.prompting import fenced
from agent.settings import Language
from graphs.asking_models import ask, models_of
from graphs.desk import Deps


async def judged(batch: Batch, deps: Deps) -> Verdicts:
    """Ask twice, the second time in reverse order and only of what passed; one "no" is enough to refuse."""
    result = Verdicts()
    standing: list[tuple[Claim, Ruling | None]] = [(claim, None) for claim in batch.claims]
    for turn in (0, 1):
        if not standing:
            break
        control = batch.controls[turn : turn + 1] or batch.controls[:1]
        evidence = batch.evidence
        if turn and batch.narrowed:
            evidence = batch.narrowed([ruling.quote for _, ruling in standing if ruling is not None])
        asked = replace(batch, evidence=evidence, claims=[claim for claim, _ in standing], controls=control)
        rulings = await ruled(asked, deps, backwards=turn == 1)
        caught = all(rulings[f"x{place}"].verdict not in PASSING for place in range(len(control)))
        result.judging += Judging(controls=len(control), caught=len(control) if caught else 0)
        if not caught:
            void = Judgement(
                verdict=Verdict.UNDECIDED, check="control", reason="the judge admitted a sentence about another commit"
            )
            result.refused += [(claim, void) for claim, _ in standing]
            return result
        passed = [(claim, rulings[str(place)]) for place, (claim, _) in enumerate(standing)]
        result.refused += [(claim, no) for claim, ruling in passed if (no := objection(ruling, evidence))]
        gone = {claim.id for claim, _ in result.refused}
        standing = [
            (claim, ruling if before is None or ruling.verdict == "inferred" else before)
            for (claim, ruling), (_, before) in zip(passed, standing, strict=True)
            if claim.id not in gone
        ]
    name = models_of(deps).names["judging"]
    result.admitted = [admitted(claim, ruling, name) for claim, ruling in standing if ruling is not None]
    return result


async def ruled(batch: Batch, deps: Deps, *, backwards: bool) -> dict[str, Ruling]:
    """Put one question; a sentence without a ruling is unsupported."""
    texts = {str(place): claim.text for place, claim in enumerate(batch.claims)}
    languages = batch.claims[0].text
    texts |= {
        f"x{place}": {lang: words for lang, words in text.items() if lang in languages}
        for place, text in enumerate(batch.controls)
    }
    # The same batch is asked in the same order in every run, and what is asked twice in reverse, whatever went between.
    order = sorted(texts, key=lambda key: _shuffled(batch.evidence[:200], texts[key]))
    shown = {key: f"s{place}" for place, key in enumerate(order[::-1] if backwards else order, start=1)}
    lines = [f"[{name}] {' / '.join(texts[key].values())}" for key, name in shown.items()]
    values = {"evidence": fenced(batch.evidence, deps.mark), "sentences": fenced("\n".join(lines), deps.mark)}
    answer = await ask(deps, "judging", batch.account, "judge", values, Rulings)
    said = {one.id.strip("[] "): one for one in answer.rulings}
    return {key: said.get(name, Ruling(id=name)) for key, name in shown.items()}


def _shuffled(seed: str, text: Mapping[Language, str]) -> str:
    return hashlib.sha256(f"{seed} {' / '.join(text.values())}".encode()).hexdigest()
