"""Judge: true sentences are kept and false ones refused, and no bad judge gets anything published.

A scripted writer says of each commit what the evidence states and, with the same names and values, what it does not.
With `--model-url` a real model judges the same sentences.
"""

from collections import Counter
from datetime import date
from random import Random

from pydantic import SecretStr

from agent.domain.window import Window
from evals.figures import Figures, Score, Target, share
from evals.harness import Bench, evalset
from evals.model_server.honest import (
    borne_out,
    given,
    honest,
    # GONE
    judged,
    prompt_of,
    written,
)
from evals.model_server.talk import Asked, Saying, Script
from evals.sets.liars import Scene
from evals.stage import Fetch, ScriptedModels, by_script, staged
from tools.chat.endpoint import ChatEndpoint

_DAYS = ("2026-02-03", "2026-02-02", "2026-02-01", "2026-01-30")


class Writer:
    """Says what is true and what only sounds so, as often, and gives up what is refused."""

    def __init__(self) -> None:
        self.true: set[str] = set()
        self.false: set[str] = set()

    def __call__(self, asked: Asked) -> Saying:
        """Answer by the kind of the question."""
        prompt = prompt_of(asked)
        if prompt.kind in ("day", "repair"):
            return given({"sentences": []}, asked)
        if prompt.kind != "write":
            return honest(asked)
        truths, scene = borne_out(prompt.evidence), Scene(prompt.evidence, Random(prompt.about))  # noqa: S311 -- no secret
        lies = [one.told for one in scene.lies("over-claimer of fixes") if one.sort == "meaning"][: len(truths)]
        self.true |= {one.en for one in truths}
        self.false |= {one.en for one in lies}
        return given(written([*truths, *lies]), asked)


def _true(asked: Asked) -> set[str]:
    return {form for one in borne_out(prompt_of(asked).evidence, None) for form in one.forms}


BAD: dict[str, Script] = {
    "says yes": lambda asked: judged(asked, lambda _: prompt_of(asked).evidence.splitlines()[1]),
    "invents quotes": lambda asked: judged(asked, lambda words: "nobody wrote this" if words in _true(asked) else ""),
    "says nothing": lambda asked: given({"rulings": []}, asked),
}
"""Judges that may get nothing published."""


@evalset("judge", "true sentences are kept, false ones refused, and bad judges publish nothing")
async def run(bench: Bench) -> Figures:
    """Let an honest judge, bad ones and, where it is given, a real one read the same sentences."""
    true, false, _ = await _read(bench, by_script(honest))
    scores: list[Score] = []
    for name, judge in BAD.items():
        published = (await _read(bench, by_script(judge)))[2]
        scores.append(Score(f"{name}: {published[:1] or 'nothing'} is published", float(not published), name))
    figures = {
        "true sentences kept": share(true, Target(0.85)),
        "false sentences refused": share(false),
        "bad judges that get nothing published": share(scores),
    }
    if bench.model:
        name, url = bench.model["model"], bench.model["model_url"]
        true, false, _ = await _read(bench, ChatEndpoint(name=name, url=url, key=SecretStr("none"), timeout=600).ask)
        figures[f"{name}: true sentences kept"] = share(true, Target(0.9))
        figures[f"{name}: false sentences refused"] = share(false, Target(0.95))
    return figures


async def _read(bench: Bench, judge: Fetch) -> tuple[list[Score], list[Score], list[str]]:
    """Score the true sentences and the false ones, and list what was published where a control could be taken."""
    writer, published, checked = Writer(), set[str](), list[str]()
    async with staged(bench.world("demo")) as stage:
        for day in map(date.fromisoformat, _DAYS[: bench.count(1, len(_DAYS))]):
            models = ScriptedModels("writer", by_script(writer), judge)
            report = await stage.report(models, Window.days(day, day, "UTC"))
            free = [claim for claim in report.claims if claim.free]
            published |= {claim.text.get("en", "") for claim in free}
            # A lone commit has no other from which a control could be taken.
            rows = Counter(row.repo for row in report.ledger)
            checked += [claim.id for claim in free if claim.repo and rows[claim.repo] > 1]
    true = [Score(text, float(text in published), text) for text in sorted(writer.true)]
    return true, [Score(text, float(text not in published), text) for text in sorted(writer.false)], checked
