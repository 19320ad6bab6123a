"""What an evaluation leaves behind: a line per score, a summary, a file for test runners, and the runs before it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from agent.domain.base import InputError
from evals.figures import Exhibit, Figure, Score, is_wrong

Figures = Mapping[str, Figure]
Results = Mapping[str, Figures]


@dataclass(frozen=True)
class Line:
    """One score with the name of its case, which is the same in every run."""

    set: str
    metric: str
    case: str
    score: Score
    wrong: bool

    @property
    def key(self) -> str:
        """The name under which two runs are compared."""
        return f"{self.set}/{self.metric}/{self.case}"

    def as_json(self) -> dict[str, Any]:
        """Give the line as plain data; the reason stands before the value."""
        shown = {"shown": asdict(self.score.shown)} if self.score.shown else {}
        return {
            "set": self.set,
            "metric": self.metric,
            "case": self.case,
            "reason": self.score.reason,
            "verdict": self.score.verdict or ("wrong" if self.wrong else "right"),
            "value": self.score.value,
            "wrong": self.wrong,
            **shown,
        }


def lines_of(results: Results) -> Iterator[Line]:
    """List every score of every set; a case without a name is named by its place."""
    for name, figures in results.items():
        for metric, figure in figures.items():
            for place, score in enumerate(figure.scores):
                yield Line(name, metric, score.case or f"{place:05}", score, is_wrong(figure, score))


def summary_of(results: Results, about: Mapping[str, Any]) -> dict[str, Any]:
    """Sum up a run: what it was, and its figures."""
    sets = {name: {metric: one.as_json() for metric, one in figures.items()} for name, figures in results.items()}
    return {"about": dict(about), "sets": sets}


def write_results(folder: Path, results: Results, about: Mapping[str, Any]) -> None:
    """Write everything about a run into a folder, and add it to the history there."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = (json.dumps(line.as_json(), ensure_ascii=False) for line in lines_of(results))
    _write(folder / "results.jsonl", "".join(f"{line}\n" for line in lines))
    summary = json.dumps(summary_of(results, about), ensure_ascii=False, indent=1) + "\n"
    _write(folder / "summary.json", summary)
    _write(folder / "junit.xml", junit(results))
    (folder / "history").mkdir(exist_ok=True)
    _write(folder / "history" / f"{about['run']}.json", summary)


def read_history(folder: Path) -> list[dict[str, Any]]:
    """Read the summaries of all runs that a folder has seen, oldest first."""
    return [read_json(file) for file in sorted((folder / "history").glob("*.json"))]


def read_lines(file: Path) -> list[dict[str, Any]]:
    """Read the scores of an earlier run."""
    try:
        return [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]
    except (OSError, ValueError) as error:
        raise InputError(f"{file} is no results.jsonl: {error}") from error


def read_json(file: Path) -> dict[str, Any]:
    """Read a file of ours."""
    try:
        found: dict[str, Any] = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{file} cannot be read: {error}") from error
    return found


def junit(results: Results) -> str:
    """Write the figures as test cases: one that misses its target fails, one without cases is skipped."""
    suites = []
    for name, figures in results.items():
        cases = [_testcase(name, metric, figure) for metric, figure in figures.items()]
        failed = sum(figure.ok is False for figure in figures.values())
        skipped = sum(figure.ok is None for figure in figures.values()) or int(not figures)
        head = f'<testsuite name={quoteattr(name)} tests="{len(cases)}" failures="{failed}" skipped="{skipped}">'
        suites.append("\n".join([head, *cases, "</testsuite>"]))
    return "\n".join(['<?xml version="1.0" encoding="utf-8"?>', "<testsuites>", *suites, "</testsuites>", ""])


def _testcase(name: str, metric: str, figure: Figure) -> str:
    head = f"<testcase classname={quoteattr(name)} name={quoteattr(metric)}"
    if figure.ok is True:
        return f"{head}/>"
    if figure.ok is None:
        return f"{head}><skipped/></testcase>"
    told = f"{figure.value} where {figure.sense} {figure.target} is wanted"
    return f"{head}><failure message={quoteattr(told)}>{escape(_printable(figure.worst))}</failure></testcase>"


def _printable(reasons: Sequence[str]) -> str:
    """Leave out what XML cannot hold."""
    return "".join(c for c in "\n".join(reasons) if c in "\n\t" or (c.isprintable() and c.isascii()) or ord(c) > 159)


# ---------------------------------------------------------------- keeping what is done


def keep_set(file: Path, figures: Figures, key: str) -> None:
    """Keep a finished set, so that an evaluation that is taken up again need not run it."""
    data = {name: asdict(figure) for name, figure in figures.items()}
    file.parent.mkdir(parents=True, exist_ok=True)
    _write(file, json.dumps({"key": key, "figures": data}, ensure_ascii=False))


def kept_set(file: Path, key: str) -> dict[str, Figure] | None:
    """Find a finished set of the same evaluation; None where there is none."""
    if not file.is_file():
        return None
    data = read_json(file)
    return {name: _figure(one) for name, one in data["figures"].items()} if data["key"] == key else None


def _figure(data: dict[str, Any]) -> Figure:
    scores = tuple(_score(one) for one in data.pop("scores"))
    return replace(Figure(**data), scores=scores, worst=tuple(data["worst"]))


def _score(data: dict[str, Any]) -> Score:
    shown = data.pop("shown")
    exhibit = Exhibit(shown["claim"], shown["evidence"], tuple(shown["marked"])) if shown else None
    return Score(**data, shown=exhibit)


def _write(file: Path, text: str) -> None:
    fresh = file.with_name(f".{file.name}.new")
    fresh.write_text(text, encoding="utf-8", errors="backslashreplace")
    fresh.replace(file)
