"""Defects planted on purpose in scorers and gates, each in a copy of the sources: the tests must notice every one."""

import asyncio
import shutil
import sys
from asyncio.subprocess import DEVNULL, PIPE, STDOUT
from dataclasses import dataclass
from importlib.util import find_spec
from os import defpath, pathsep
from pathlib import Path

from agent.domain.base import InputError
from evals.cases import Crash, attempt
from evals.figures import Score, Target, share
from evals.harness import Bench, EvalSet, Figures

_ROOT = Path(__file__).parents[1]
_COPIED = ("agent", "tools", "memory", "graphs", "evals", "gitzette", "tests", "pyproject.toml")
_PATIENCE = 300
_FAILED = 1
"""What pytest ends with when a test failed; anything else says nothing of the defect."""
_GATE, _SETS = "tests/agent/gate", "tests/evals/sets"


@dataclass(frozen=True)
class Defect:
    """One small edit that makes a scorer or a gate wrong, and the tests that should see it."""

    name: str
    file: str
    old: str
    new: str
    tests: str


DEFECTS: tuple[Defect, ...] = (
    Defect(
        "a share is met from below",
        "evals/figures.py",
        "value >= self.limit if",
        "value >= self.limit - 0.05 if",
        "tests/evals/test_figures.py",
    ),
    Defect(
        "what cannot be scored counts as right",
        "evals/figures.py",
        "values = [score.value or 0.0 for score in scores]",
        "values = [1.0 if score.value is None else score.value for score in scores]",
        "tests/evals/test_figures.py",
    ),
    Defect(
        "the smallest measurement stands for the median",
        "evals/figures.py",
        "ordered[len(ordered) // 2]",
        "ordered[0]",
        "tests/evals/test_figures.py",
    ),
    Defect(
        "one pass of k is enough",
        "evals/statistics.py",
        "math.comb(sum(trials), k) / math.comb(len(trials), k)",
        "min(1.0, sum(trials) / k)",
        "tests/evals/test_statistics.py",
    ),
    Defect(
        "pairs are turned round",
        "evals/statistics.py",
        "[one - other for one, other in",
        "[other - one for one, other in",
        "tests/evals/test_statistics.py",
    ),
    Defect(
        "an invariant holds when its target is met",
        "evals/gate.py",
        "if is_wrong(figure, score)]",
        "if figure.ok is False and is_wrong(figure, score)]",
        "tests/evals/test_gate.py",
    ),
    Defect(
        "figures that should be low may rise",
        "evals/gate.py",
        'old - figure.value if figure.sense == "at least" else figure.value - old',
        "old - figure.value",
        "tests/evals/test_gate.py",
    ),
    Defect(
        "a crash does not break the gate",
        "evals/gate.py",
        "found = list(_crashes(results))",
        "found: list[Breach] = []",
        "tests/evals/test_gate.py",
    ),
    Defect(
        "the check without the gate looks at no number",
        "evals/truth.py",
        '("number", _NUMBER), ',
        "",
        "tests/evals/test_adversaries.py::test_the_check_knows_every_kind_of_lie_without_the_gate",
    ),
    Defect(
        "a lie in a report is not counted",
        "evals/sets/adversaries.py",
        'if any(lie.sort == "literal" or not obliging for lie in lies_in(claim, writer.told)):',
        "if False:",
        "tests/evals/test_adversaries.py::test_a_lie_that_is_let_through_is_counted_and_shown",
    ),
    Defect(
        "a commit may stand in two rows",
        "evals/sets/daily_scores.py",
        "_yes(counts[repo, sha] == 1)",
        "_yes(counts[repo, sha] >= 1)",
        f"{_SETS}/test_daily.py",
    ),
    Defect(
        "any order of the items is a good order",
        "evals/sets/daily_scores.py",
        "return _gain(have) / _gain(ideal)",
        "return _gain(sorted(have, reverse=True)) / _gain(ideal)",
        f"{_SETS}/test_daily.py",
    ),
    Defect(
        "a commit found twice is found",
        "evals/sets/windows.py",
        "float(counts[sha] == 1)",
        "float(counts[sha] >= 1)",
        f"{_SETS}/test_scorers.py",
    ),
    Defect(
        "a story is right whatever it is about",
        "evals/sets/stories_scores.py",
        "float(one in right)",
        "float(any(one.kind == other.kind for other in right))",
        f"{_SETS}/test_scorers.py",
    ),
    Defect(
        "an answer may say what it must not",
        "evals/sets/questions.py",
        "one.lower() in text), None)",
        "one.lower() == text), None)",
        f"{_SETS}/test_scorers.py",
    ),
    Defect(
        "a fact matches without its new value",
        "evals/sets/fact_matching.py",
        " and _same(meant.new, fact.new, fact.kind)",
        "",
        f"{_SETS}/test_fact_matching.py",
    ),
    Defect(
        "what was never read may be cited",
        "agent/gate/citations.py",
        "(_nonexistent, _unread, _out_of_scope, _unseen)",
        "(_nonexistent, _unread, _out_of_scope)",
        f"{_GATE}/test_citations.py",
    ),
    Defect(
        "a quotation need not be verbatim",
        "agent/gate/quotes.py",
        "if reason := misquoted(quote, dossier.found[quote.cite]):",
        "if (reason := misquoted(quote, dossier.found[quote.cite])) and not quote.file:",
        f"{_GATE}/test_quotes.py",
    ),
    Defect(
        "an anchor need not be verbatim",
        "agent/gate/anchors.py",
        "        if anchor not in good and anchor.cite in claim.sources:",
        "        if anchor not in good and not good and anchor.cite in claim.sources:",
        f"{_GATE}/test_anchors.py",
    ),
    Defect(
        "what a judge refuses is published",
        "agent/analysts/ruling.py",
        "if ruling.verdict not in PASSING:",
        "if not ruling.verdict:",
        "tests/evals/test_adversaries.py::test_nothing_that_an_adversary_says_reaches_a_report",
    ),
)


async def run(bench: Bench) -> Figures:
    """Plant one defect after the other; before that, the same tests must pass without any."""
    folder = bench.folder / "planted"
    _copy(folder)
    tests = sorted({one.tests for one in DEFECTS})
    clean = await attempt(_status(folder, tests))
    scores = []
    # Tests that fail anyway notice nothing.
    for place, defect in enumerate(DEFECTS, start=1) if clean == 0 else ():
        status = await attempt(_planted(folder, defect))
        scores.append(_score(defect, status))
        bench.say(f"planted: {place} of {len(DEFECTS)}: {scores[-1].reason}")
    return {
        "tests that pass without a defect": share(
            [Score(f"pytest ended with {clean}", float(clean == 0))], Target(1.0)
        ),
        "planted defects that the tests notice": share(scores, Target(1.0)),
    }


def _score(defect: Defect, status: int | Crash) -> Score:
    if isinstance(status, Crash):
        return Score(f"{defect.name}: {status}", 0.0, defect.name, "crashed")
    seen = status == _FAILED
    told = "noticed" if seen else f"not noticed, pytest ended with {status}"
    return Score(f"{defect.file}: {defect.name}: {told}", float(seen), defect.name, "noticed" if seen else "missed")


def _copy(folder: Path) -> None:
    if find_spec("pytest") is None:
        raise InputError("the tests cannot be run here: pytest is missing; ./scripts/check installs what they need")
    for name in _COPIED:
        source = _ROOT / name
        if not source.exists():
            raise InputError(f"{name} is not here: defects are planted in a checkout, not in an installation")
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder / name)


async def _planted(folder: Path, defect: Defect) -> int:
    """Make the edit, run the tests, and take the edit back."""
    file = folder / defect.file
    text = file.read_text("utf-8")
    if text.count(defect.old) != 1:
        raise InputError(f"{defect.file} has {defect.old!r} {text.count(defect.old)} times")
    file.write_text(text.replace(defect.old, defect.new), "utf-8")
    try:
        return await _status(folder, [defect.tests])
    finally:
        file.write_text(text, "utf-8")


async def _status(folder: Path, tests: list[str]) -> int:
    """Run tests of the copy and give the status in which they ended."""
    command = [sys.executable, "-P", "-B", "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
    git = shutil.which("git")
    # Nothing of this checkout may be found before the copy.
    environment = {
        "PATH": pathsep.join([str(Path(git or "git").parent), defpath]),
        "PYTHONPATH": str(folder),
        "HOME": str(folder),
    }
    process = await asyncio.create_subprocess_exec(
        *command, cwd=folder, env=environment, stdin=DEVNULL, stdout=PIPE, stderr=STDOUT
    )
    try:
        async with asyncio.timeout(_PATIENCE):
            await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return process.returncode or 0


PLANTED = EvalSet("planted", "defects planted in scorers and gates, and whether the tests notice", run, by_name=True)
