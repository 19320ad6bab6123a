"""Literal twins: true sentences about commits pass the gate, and each twin with one changed literal is refused."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from agent.domain.base import Language, RepoId
from agent.domain.claims import Anchor, Claim, Judgement, Kind, Role
from agent.domain.dossier import Dossier
from agent.domain.evidence import CommitEvidence
from agent.gate.check import refusals
from agent.gate.evidence_text import text_of
from evals.figures import Exhibit, Score, Target, share
from evals.harness import Bench, EvalSet, Figures
from tools.diff.sheet import study
from tools.git.source import GitSource

_ALL = Target(1.0)
_COMMITS, _FEW = 400, 60
_SENTENCES: dict[Language, str] = {"en": "This commit is about {0}.", "zh": "这个提交与{0}有关。"}
_LETTERS = "qzxjkvwy"
_FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]{3,}(?![\w-])")
_VERSION = re.compile(r"(?<![\w.])v?\d+\.\d+\.\d+(?![\w.])")
_NUMBER = re.compile(r"(?<![\w.,%-])[1-9]\d{1,5}(?![\w.,%-])")
_SNAKE = re.compile(r"(?<![\w.:-])[a-z]{2,}_[a-z_]{2,}(?![\w.:-])")
_CAMEL = re.compile(r"(?<![\w.:-])[A-Z][a-z]+[A-Z][a-z]{2,}(?![\w.:-])")
_MIXED = re.compile(r"(?<![\w.:-])[A-Za-z]{1,6}\d{1,4}(?![\w.:-])")


class Case(NamedTuple):
    """A literal of a commit, as it is written in a sentence."""

    kind: str
    literal: str
    written: str


async def run(bench: Bench) -> Figures:
    """Check every sentence and its twin, in both languages."""
    passed: list[Score] = []
    refused: dict[str, list[Score]] = {}
    for evidence in await _commits(bench):
        dossier = Dossier(found={evidence.id: evidence})
        for case in _cases(evidence):
            for lang in _SENTENCES:
                passed.append(_true(case, evidence, dossier, lang))
                if (twin := _changed(case.literal, evidence)) is not None:
                    told = case._replace(literal=twin, written=case.written.replace(case.literal, twin))
                    refused.setdefault(case.kind, []).append(_false(told, evidence, dossier, lang))
    every = [score for each in refused.values() for score in each]
    return {
        "true sentences that pass": share(passed, _ALL),
        "twins that are refused": share(every, _ALL),
        **{f"twins that are refused: {kind}": share(each, _ALL) for kind, each in sorted(refused.items())},
    }


async def _commits(bench: Bench) -> list[CommitEvidence]:
    """Read landed commits of the world with their facts."""
    world, most = bench.world("full"), _FEW if bench.small else _COMMITS
    found: list[CommitEvidence] = []
    for repo in world.repos:
        source = GitSource(RepoId(repo.full_name), repo.git_dir)
        shas = [row.sha for row in world.landed if row.repo == repo.full_name]
        async for change in source.changes(shas[: most // len(world.repos)]):
            found.append(CommitEvidence(change=change, sheet=await study(source, change)))
    return [one for one in found if one.change.commit.title.strip()]


def _cases(evidence: CommitEvidence) -> Iterator[Case]:
    """Take literals of each kind out of a commit, at most one of each."""
    change = evidence.change
    yield Case("hash", change.commit.sha[:10], change.commit.sha[:10])
    if change.files:
        yield Case("path", change.files[0].path, f"`{change.files[0].path}`")
        if re.fullmatch(r"[\w./-]+/[\w.-]+\.\w+", change.files[0].path):
            yield Case("path", change.files[0].path, change.files[0].path)
    for fact in evidence.facts[:1]:
        if re.fullmatch(r"[\w.:-]{3,60}", fact.name):
            yield Case("code span", fact.name, f"`{fact.name}`")
    added = [line[1:].strip() for file in change.files for line in (file.patch or "").split("\n") if line[:1] == "+"]
    if line := next((line for line in added if 8 < len(line) < 80 and line.isprintable() and not _marked(line)), ""):
        yield Case("code span", line, f"`{line}`")
    text = "\n".join((*added, change.commit.message))
    forms = {"flag": _FLAG, "version": _VERSION, "digit": _NUMBER, "identifier": _SNAKE}
    for kind, form in (*forms.items(), ("identifier", _CAMEL), ("identifier", _MIXED)):
        if match := form.search(text):
            yield Case(kind, match[0], match[0])


def _marked(line: str) -> bool:
    """Tell whether a line holds what no sentence may hold, even in code."""
    return "`" in line or "://" in line or "www." in line or re.search(r"[A-Za-z0-9]", line) is None


def _changed(literal: str, evidence: CommitEvidence) -> str | None:
    """Change one letter or digit so that what comes out stands nowhere in the evidence."""
    known = "\n".join((text_of(evidence).folded, evidence.id.lower(), *evidence.paths)).lower()
    for place in range(len(literal) - 1, -1, -1):
        sign = literal[place]
        others = "9753186420" if sign.isdigit() else _LETTERS if sign.isalpha() and sign.isascii() else ""
        for other in others:
            twin = literal[:place] + other + literal[place + 1 :]
            word = next(word for word in re.finditer(r"[A-Za-z0-9]+", twin) if word.start() <= place < word.end())
            digits = re.search(r"\d+$", twin[: place + 1])
            if other != sign and word[0].lower() not in known and (digits is None or digits[0] not in known):
                return twin
    return None


def _claim(case: Case, evidence: CommitEvidence, lang: Language) -> Claim:
    return Claim(
        id="twin",
        repo=evidence.repo,
        role=Role.CHANGE,
        kind=Kind.STATED,
        cites=(evidence.id,),
        anchors=(Anchor(cite=evidence.id, text=evidence.change.commit.title),),
        text={lang: _SENTENCES[lang].format(case.written)},
    )


def _judged(case: Case, evidence: CommitEvidence, dossier: Dossier, lang: Language) -> list[Judgement]:
    return refusals(_claim(case, evidence, lang), dossier, lang)


def _true(case: Case, evidence: CommitEvidence, dossier: Dossier, lang: Language) -> Score:
    found = _judged(case, evidence, dossier, lang)
    told = f"{evidence.id}: {case.kind} {case.literal} ({lang})"
    reasons = "; ".join(one.reason for one in found)
    return Score(told, float(not found), told, shown=Exhibit(case.written, reasons) if found else None)


def _false(case: Case, evidence: CommitEvidence, dossier: Dossier, lang: Language) -> Score:
    # The anchor may fail too; what counts is that the literal itself is refused.
    found = [one for one in _judged(case, evidence, dossier, lang) if one.literal and one.check != "anchor"]
    told = f"{evidence.id}: {case.kind} {case.literal} ({lang})"
    return Score(told, float(bool(found)), told)


LITERAL_TWINS = EvalSet("literal-twins", "sentences with one changed literal are refused, true ones pass", run)
