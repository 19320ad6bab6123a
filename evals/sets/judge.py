"""Judge: true sentences are kept and false ones refused, and no bad judge gets anything published.

A scripted writer says of each commit what the evidence states and, with the same names and values, what it does not.
With `--model-url` a real model judges the same sentences.
"""

from collections import Counter
from datetime import date
from random import Random

from pydantic import SecretStr

from agent.domain.report import Report
from agent.domain.window import Window
from evals.figures import Figures, Score, Target, share
from evals.harness import TOKEN, Bench, EvalSet, serving
from evals.model_server.honest import borne_out, given, honest, judged, prompt_of, written
from evals.model_server.talk import Asked, Saying, Script
from evals.sets.lies import Scene, claimed_fixes
from evals.stage import Fetch, ScriptedModels, Stage, by_script
from tools.chat.endpoint import ChatEndpoint
from tools.github.client import GitHubClient

_DAYS = ("2026-02-03", "2026-02-02", "2026-02-01", "2026-01-30")


class Writer:
    """Says what is true and what only sounds so, and gives up what is refused."""

    def __init__(self) -> None:
        self.true: set[str] = set()
        self.false: set[str] = set()

    def __call__(self, asked: Asked) -> Saying:
        """Write of each commit as many false sentences as true ones."""
        prompt = prompt_of(asked)
        if prompt.kind in ("day", "repair"):
            return given({"sentences": []}, asked)
        if prompt.kind != "write":
            return honest(asked)
        truths = borne_out(prompt.evidence)
        scene = Scene(prompt.evidence, truths, Random(prompt.about))  # noqa: S311 -- no secret
        lies = [one.told for one in claimed_fixes(scene) if one.sort == "meaning"][: len(truths)]
        self.true |= {one.en for one in truths}
        self.false |= {one.en for one in lies}
        return given(written([*truths, *lies]), asked)


def _says_yes(asked: Asked) -> Saying:
    """Admit everything, the controls too."""
    return judged(asked, lambda _: prompt_of(asked).evidence.splitlines()[1])


def _invents_quotes(asked: Asked) -> Saying:
    """Admit what is true, by words that nobody wrote."""
    return judged(asked, lambda words: f"as it says, {words} for sure" if words in str(_true_of(asked)) else "")


def _says_nothing(asked: Asked) -> Saying:
    """Give no ruling."""
    return given({"rulings": []}, asked)


class _Wavers:
    """Admits at the first reading and refuses at the second."""

    def __init__(self) -> None:
        self._seen: set[str] = set()

    def __call__(self, asked: Asked) -> Saying:
        """Refuse whatever was asked of before."""
        about = prompt_of(asked).about
        again = about in self._seen
        self._seen.add(about)
        return judged(asked, lambda _: "") if again else honest(asked)


def _true_of(asked: Asked) -> list[str]:
    return [form for one in borne_out(prompt_of(asked).evidence) for form in one.forms]


async def run(bench: Bench) -> Figures:
    """Let an honest judge, bad ones and, where it is given, a real one read the same sentences."""
    bad: dict[str, Script] = {
        "says yes": _says_yes,
        "invents quotes": _invents_quotes,
        "says nothing": _says_nothing,
        "wavers": _Wavers(),
    }
    scores: list[Score] = []
    true, false, _ = await _judged(bench, by_script(honest))
    for name, judge in bad.items():
        _, _, report = await _judged(bench, by_script(judge))
        rows = Counter(row.repo for row in report.ledger)
        # A lone commit has no other from which a control could be taken.
        free = [claim.id for claim in report.claims if claim.free and claim.repo and rows[claim.repo] > 1]
        scores.append(Score(f"{name}: {free[:1] or 'nothing'} is published", float(not free), name))
    figures = {
        "true sentences kept": share(true, Target(0.85)),
        "false sentences refused": share(false),
        "bad judges that get nothing published": share(scores),
    }
    if bench.model:
        name, url = bench.model["model"], bench.model["model_url"]
        endpoint = ChatEndpoint(name=name, url=url, key=SecretStr("none"), timeout=600)
        true, false, _ = await _judged(bench, endpoint.ask)
        figures[f"{name}: true sentences kept"] = share(true, Target(0.9))
        figures[f"{name}: false sentences refused"] = share(false, Target(0.95))
    return figures


async def _judged(bench: Bench, judge: Fetch) -> tuple[list[Score], list[Score], Report]:
    world, writer = bench.world("demo"), Writer()
    published: set[str] = set()
    with serving(world.repos, world.now) as server:
        async with GitHubClient(base_url=server.url, token=TOKEN) as client:
            stage = Stage(world, client)
            for day in map(date.fromisoformat, _DAYS[: bench.count(1, len(_DAYS))]):
                models = ScriptedModels("writer", by_script(writer), judge)
                report = await stage.report(models, Window.days(day, day, "UTC"))
                published |= {claim.text.get("en", "") for claim in report.claims if claim.free}
    true = [Score(text, float(text in published), text) for text in sorted(writer.true)]
    return true, [Score(text, float(text not in published), text) for text in sorted(writer.false)], report


JUDGE = EvalSet("judge", "true sentences are kept, false ones refused, and bad judges publish nothing", run)
