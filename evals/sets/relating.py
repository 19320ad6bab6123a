"""Relating: what a model, and a judge after it, make of the candidates of real days.

Nothing is edited, explained or summed up: the rules place the commits, code finds candidates, the
model chooses, reads and names, the judge agrees, and code writes links and stories.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

from pydantic import JsonValue

from agent.domain.account import Account, Spent
from agent.domain.claims import Refused
from agent.domain.evidence_id import EvidenceId
from agent.domain.links import Related, Relation, Story
from agent.domain.report import Report
from agent.domain.window import Window
from agent.links.admitted_relation_links import asserts_relation
from agent.links.relating_trace import IdPair, RankedCandidate
from agent.settings.values import Budget
from evals.figures import ALL, NONE, SHOWN, Figure, Figures, Score, Target, measure, share
from evals.harness import Bench, CardSentence, RelatedWindow, evalset, serving, through
from evals.mirror_commits import days_of, first_parent_line, git_dir_of
from evals.mirror_threads import ThreadFile
from evals.model_server.honest import honest
from evals.model_server.server import ModelServer
from evals.sets.relation_gold import (
    FIRST_RELEASE,
    ISSUES,
    Assertion,
    FullNames,
    GoldRelation,
    NamedPair,
    RelationGold,
    Trap,
    asserted_links,
    asserted_steps,
    read_gold,
)

_DAYS = 1  # Where the command line gives none
_MAX_RANK = 5  # Of a candidate that counts as found
_BUDGET = Budget(
    model_calls=100_000,
    model_tokens=1_000_000_000,
    model_seconds=86_400,
    repo_model_calls=100_000,
    repo_model_tokens=1_000_000_000,
    repo_model_seconds=86_400,
    answer_seconds=3_600,
)
"""Enough for a model whose answers somebody writes."""
_STORY_TARGETS = {
    "reverts and re-lands": Target(0.9),
    "regressions": Target(0.85),
    "follow-ups": Target(0.75),
    "series": Target(0.85),
    "across repositories": Target(0.6),
    "releases": Target(0.9),
}


@evalset(
    "relating",
    "what a model makes of the candidates for relations on real days",
    needs_mirrors=True,
    by_name=True,
)
async def run(bench: Bench) -> Figures:
    """Relate the commits of each day, and score what is told by the gold that is given."""
    gold = read_gold(bench.gold) if bench.gold else None
    days: dict[date, RelatedWindow] = {}
    with ModelServer(honest, context=65_536) as scripted:
        # It chooses nothing, which is enough to see what the candidates are.
        model = bench.model or {"model": scripted.model, "model_url": scripted.url}
        for day in await _days(bench):
            days[day] = await _related(bench, day, model)
            bench.say(f"relating: {day}, {_progress(days[day])}")
    findings = Findings.of(days.values())
    bench.details["relating"] = _details(days, findings, gold)
    figures = _cost_figures(days.values()) | _card_figures(days.values())
    if gold is not None:
        figures |= gold_figures(gold, findings)
    return figures


async def _days(bench: Bench) -> list[date]:
    """Return the days of the command line, else the last full one of the first mirror."""
    if bench.span is not None:
        return days_of(bench)
    return days_of(bench, await first_parent_line(bench.mirrors[0]), _DAYS)


async def _related(bench: Bench, day: date, model: Mapping[str, str]) -> RelatedWindow:
    """Relate the commits of one day, with the threads as they were at its end."""
    window = Window.days(day, day, "UTC")
    home = bench.home or bench.folder / "relating"
    values: dict[str, object] = {"source": "git", "home": home, "analyst": "model"}
    values |= {"budget": _BUDGET, **model}
    with ExitStack() as stack:
        if bench.threads is not None:
            threads = ThreadFile(bench.threads)
            repos = []
            for spec in bench.mirrors:
                repos.append(threads.repository(spec.name, git_dir_of(spec), window.end))
            server = stack.enter_context(serving(repos))
            values |= {"source": "both", **through(server)}
        settings = stack.enter_context(bench.settings(bench.mirrors, **values))
        return await bench.system.relate(settings, window)


# ---------------------------------------------------------------- what was found


@dataclass
class Findings:
    """Everything that the days of a run show, with one name for each commit."""

    names: FullNames
    assertions: list[Assertion] = field(default_factory=list)
    landed: set[str] = field(default_factory=set)
    candidates: dict[NamedPair, RankedCandidate] = field(default_factory=dict)
    shortlisted: set[NamedPair] = field(default_factory=set)
    read: set[NamedPair] = field(default_factory=set)
    refused: dict[NamedPair, str] = field(default_factory=dict)
    dropped: dict[NamedPair, str] = field(default_factory=dict)

    @classmethod
    def of(cls, days: Iterable[RelatedWindow]) -> "Findings":
        """Gather what all days show."""
        windows = list(days)
        findings = cls(FullNames(_titles(windows)))
        for window in windows:
            findings.add(window)
        return findings

    def add(self, window: RelatedWindow) -> None:
        """Add what one day shows."""
        report = window.report
        self.landed.update(row.id for row in report.ledger)
        for trace in window.traces:
            for candidate in trace.candidates:
                self.candidates.setdefault(self._pair(candidate), candidate)
            self.shortlisted.update(map(self._pair, trace.shortlisted))
            self.read.update(map(self._pair, trace.read))
        for refused in relation_refusals(window.refused):
            commit, other = refused.claim.about
            self.refused[self.names.pair(commit, other)] = refused.reasons[0].reason
        for drop in report.drops:
            if drop.check == "relation" and drop.verdict == "out of scope" and drop.reason:
                commit, other = drop.about
                self.dropped[self.names.pair(commit, other)] = drop.reason
        for related in window.related:
            pair = self.names.pair(related.change, related.other)
            if pair not in self.dropped:
                self._assert(Assertion(pair, related.relation.value, by_model=True))
        for assertion in asserted_links(report, self.names):
            self._assert(assertion)
        for assertion in asserted_steps(report.stories, self.names):
            self._assert(assertion)

    def _pair(self, pair: IdPair) -> NamedPair:
        return self.names.pair(pair.commit, pair.other)

    def _assert(self, assertion: Assertion) -> None:
        """Add an assertion, unless the same one is known already."""
        if not self.is_told(assertion.pair, assertion.relation):
            self.assertions.append(assertion)

    def is_told(self, pair: NamedPair, relation: str) -> bool:
        """Return True if a relation is told of a pair."""
        return any((told.pair, told.relation) == (pair, relation) for told in self.assertions)

    def outcome(self, gold: GoldRelation) -> str:
        """Return what became of a relation: `told`, or where it was lost."""
        pair = self.names.pair(gold.commit, gold.other)
        if self.is_told(pair, gold.relation):
            return "told"
        for told in self.assertions:
            if told.pair == pair:
                return f"told as {told.relation!r}"
        if pair in self.dropped:
            return f"admitted, then dropped: {self.dropped[pair]}"
        if pair in self.refused:
            return f"refused: {self.refused[pair]}"
        if pair in self.read:
            return "read, and no relation was named"
        if pair in self.shortlisted:
            return "chosen, and not read"
        return self._unchosen(pair, gold)

    def _unchosen(self, pair: NamedPair, gold: GoldRelation) -> str:
        candidate = self.candidates.get(pair)
        if candidate is not None:
            return f"{candidate.kind} {candidate.rank}, not chosen"
        if pair.commit not in self.landed and gold.relation != FIRST_RELEASE:
            return "its commit did not land on these days"
        return "not among the candidates"

    def is_candidate(self, gold: GoldRelation) -> bool:
        """Return True if a pair is named, ranks high, or is told by code without being offered."""
        pair = self.names.pair(gold.commit, gold.other)
        candidate = self.candidates.get(pair)
        if candidate is None:
            return any(told.pair == pair for told in self.assertions)
        return candidate.kind == "named" or candidate.rank <= _MAX_RANK


def _titles(windows: Sequence[RelatedWindow]) -> dict[EvidenceId, str]:
    """Return the titles of all commits that a run came across."""
    titles: dict[EvidenceId, str] = {}
    for window in windows:
        for trace in window.traces:
            for candidate in trace.candidates:
                titles[candidate.other] = candidate.title
        for related in window.related:
            titles[related.other] = related.title
        for story in window.report.stories:
            for step in story.timeline:
                titles[step.cite] = step.title
        for row in window.report.ledger:
            titles[row.id] = row.title if row.pull is None else f"{row.title} (#{row.pull})"
    return titles


def relation_refusals(refused: Iterable[Refused]) -> Iterator[Refused]:
    """Yield the relations that code or the judge refused."""
    for refusal in refused:
        if len(refusal.claim.about) == 2:
            yield refusal


# ---------------------------------------------------------------- figures


def gold_figures(gold: RelationGold, findings: Findings) -> dict[str, Figure]:
    """Score what was told by what readers found."""
    recorded: list[Score] = []
    found_by_reading: list[Score] = []
    stories: defaultdict[str, list[Score]] = defaultdict(list)
    candidates: defaultdict[str, list[Score]] = defaultdict(list)
    for relation in gold.relations:
        outcome = findings.outcome(relation)
        score = _score(relation, outcome, good=outcome == "told")
        kind = relation.counted_as
        if kind != ISSUES:
            stories[kind].append(score)
        if relation.recorded:
            recorded.append(score)
            continue
        if relation.relation == FIRST_RELEASE:
            continue
        found_by_reading.append(score)
        is_candidate = findings.is_candidate(relation)
        candidates[kind].append(_score(relation, outcome, good=is_candidate))
    figures = {
        "recorded relations told": share(recorded, Target(0.98)),
        "said or inferred relations told exactly": share(found_by_reading, Target(0.80)),
        "relations of the model that are right": share(_precision(gold, findings), Target(0.97)),
        "traps told": share(_trap_scores(gold.traps, findings), NONE),
    }
    for kind in sorted(candidates):
        name = f"right among the first {_MAX_RANK} candidates: {kind}"
        figures[name] = share(candidates[kind], SHOWN)
    for kind in sorted(stories):
        figures[f"stories: {kind}"] = share(stories[kind], _STORY_TARGETS.get(kind, SHOWN))
    return figures


def _score(relation: GoldRelation, outcome: str, *, good: bool) -> Score:
    case = f"{relation.commit} {relation.relation} {relation.other}"
    return Score(f"{case}: {outcome}", float(good), case, relation.counted_as)


def _precision(gold: RelationGold, findings: Findings) -> Iterator[Score]:
    """Score each relation that a model named and a judge admitted."""
    right: set[Assertion] = set()
    for relation in (*gold.relations, *gold.allowed):
        pair = findings.names.pair(relation.commit, relation.other)
        right.add(Assertion(pair, relation.relation, by_model=True))
    for assertion in findings.assertions:
        if assertion.by_model:
            case = f"{assertion.pair.commit} {assertion.relation} {assertion.pair.other}"
            yield Score(f"{case} is not in the gold", float(assertion in right), case)


def _trap_scores(traps: Iterable[Trap], findings: Findings) -> Iterator[Score]:
    for trap in traps:
        pair = findings.names.pair(trap.commit, trap.other)
        told = ""
        for assertion in findings.assertions:
            is_pair = pair.other == assertion.pair.other
            is_pair &= not trap.commit or pair.commit == assertion.pair.commit
            if is_pair and trap.relation in (None, assertion.relation):
                told = f"{assertion.pair.commit} {assertion.relation} {assertion.pair.other}"
        case = f"{trap.commit or 'any commit'} {trap.relation or 'anything'} {trap.other}"
        yield Score(f"{case}: {told or 'not told'}", float(bool(told)), case)


def _cost_figures(days: Iterable[RelatedWindow]) -> dict[str, Figure]:
    spent = [_spent(window.report) for window in days]
    return {
        "requests of a day": measure([float(day.calls) for day in spent]),
        "prompt tokens of a day": measure([float(day.sent) for day in spent]),
    }


def _card_figures(days: Iterable[RelatedWindow]) -> dict[str, Figure]:
    """Score each relation that is asserted of a landed commit by whether its card says so."""
    scores: list[Score] = []
    for window in days:
        for change, relation, other in _asserted(window):
            case = f"{change} {relation.value} {other}"
            is_on_card = bool(_sentence_of(change, other, window.sentences))
            scores.append(Score(f"{case} has no sentence", float(is_on_card), case))
    return {"asserted relations on the card of their commit": share(scores, ALL)}


class _AssertedRelation(NamedTuple):
    change: EvidenceId
    relation: Relation
    other: EvidenceId


def _asserted(window: RelatedWindow) -> list[_AssertedRelation]:
    """Return what is said of the commits that landed: admitted relations, and recorded ones.

    An issue that could not be read has no sentence.
    """
    landed = {row.id for row in window.report.ledger}
    read_issues: set[EvidenceId] = set()
    for section in window.report.sections:
        read_issues.update(EvidenceId.thread(section.repo, line.number) for line in section.issues)
    asserted: dict[_AssertedRelation, None] = {}
    for related in window.related:
        asserted[_AssertedRelation(related.change, related.relation, related.other)] = None
    for link in window.report.links:
        is_sayable = link.change in landed and link.issue in read_issues
        if is_sayable and link.relation is not Relation.MENTIONS:
            asserted[_AssertedRelation(link.change, link.relation, link.issue)] = None
    return list(asserted)


def _sentence_of(change: EvidenceId, other: EvidenceId, sentences: Sequence[CardSentence]) -> str:
    """Return the sentence on a commit's card that relates it with another, or an empty string."""
    for sentence in sentences:
        claim = sentence.claim
        if sentence.commit == change and other in claim.sources and asserts_relation(claim):
            return sentence.text
    return ""


# ---------------------------------------------------------------- details


def _details(
    days: Mapping[date, RelatedWindow], findings: Findings, gold: RelationGold | None
) -> dict[str, JsonValue]:
    """Return everything that a person needs to see where a relation was lost."""
    details: dict[str, JsonValue] = {
        "days": [_day(day, window) for day, window in days.items()],
    }
    if gold is not None:
        outcomes: list[JsonValue] = []
        for relation in gold.relations:
            outcome = findings.outcome(relation)
            outcomes.append({**relation.model_dump(mode="json"), "outcome": outcome})
        details["gold"] = outcomes
    return details


def _day(day: date, window: RelatedWindow) -> dict[str, JsonValue]:
    report = window.report
    candidates: list[RankedCandidate] = []
    shortlisted: list[IdPair] = []
    read: list[IdPair] = []
    for trace in window.traces:
        candidates += trace.candidates
        shortlisted += trace.shortlisted
        read += trace.read
    return {
        "day": str(day),
        "repositories": [_repository(report, repo) for repo in report.repos],
        "candidates": _plain(candidates),
        "shortlisted": _plain(shortlisted),
        "read": _plain(read),
        "relations": [_relation(related, window.sentences) for related in window.related],
        "links": [link.model_dump(mode="json") for link in report.links],
        "refused": [_refusal(refused) for refused in relation_refusals(window.refused)],
        "dropped": [drop.model_dump(mode="json") for drop in report.drops if drop.free],
        "stories": [_story(story) for story in report.stories],
        "failures": [failure.model_dump(mode="json") for failure in report.failures],
    }


def _plain(pairs: Iterable[IdPair]) -> list[JsonValue]:
    return [pair.model_dump(mode="json") for pair in pairs]


def _repository(report: Report, repo: str) -> dict[str, JsonValue]:
    """Return what a repository's day cost, by what it was spent on."""
    account = Account()
    for section in report.sections:
        if section.repo == repo:
            account += section.account
    requests: dict[str, JsonValue] = {}
    for job, spent in account.by_job.items():
        requests[job] = _requests(spent)
    fallbacks: list[JsonValue] = [fallback.reason for fallback in account.fallbacks]
    commits = sum(row.repo == repo for row in report.ledger)
    return {
        "repo": repo,
        "commits": commits,
        "requests": requests,
        "judging": account.judging.model_dump(mode="json"),
        "fallbacks": fallbacks,
    }


def _requests(spent: Spent) -> dict[str, JsonValue]:
    return {
        "requests": spent.calls,
        "prompt_tokens": spent.sent,
        "answer_tokens": spent.received,
    }


def _relation(related: Related, sentences: Sequence[CardSentence]) -> dict[str, JsonValue]:
    return {
        "commit": related.change,
        "other": related.other,
        "relation": related.relation.value,
        "grade": related.grade.value,
        "title": related.title,
        "anchors": [text for _, text in related.anchors],
        "sentence": _sentence_of(related.change, related.other, sentences),
    }


def _refusal(refused: Refused) -> dict[str, JsonValue]:
    commit, other = refused.claim.about
    reasons: list[JsonValue] = []
    for judgement in refused.reasons:
        reasons.append({"verdict": judgement.verdict, "reason": judgement.reason})
    return {
        "commit": commit,
        "other": other,
        "sentence": refused.claim.text.get("en", ""),
        "reasons": reasons,
    }


def _story(story: Story) -> dict[str, JsonValue]:
    steps: list[JsonValue] = []
    for step in story.timeline:
        steps.append(
            {
                "cite": step.cite,
                "at": f"{step.at:%Y-%m-%d}",
                "act": step.act,
                "title": step.title,
                "after": list(step.after),
                "is_news": step.cite in story.news,
            }
        )
    text = story.paragraph.get("en") or story.text.get("en", "")
    return {"kind": story.kind, "repo": story.repo, "steps": steps, "text": text}


def _spent(report: Report) -> Spent:
    account = sum((section.account for section in report.sections), report.account)
    return account.spent


def _progress(window: RelatedWindow) -> str:
    """Return what a day came to, in a line for a terminal."""
    read = sum(len(trace.read) for trace in window.traces)
    requests = _spent(window.report).calls
    return f"{requests} requests, {read} pairs read, {len(window.related)} relations admitted"
