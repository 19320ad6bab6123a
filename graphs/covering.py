"""One repository's part of the report: what is read closely, what is said of it, and what the gate lets through."""

import asyncio
import itertools
from collections.abc import Awaitable, Coroutine, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Annotated, Any, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from agent.account import Account
from agent.allotment import Allotment
from agent.analyst import Accountable, Analyst, Assignment, Material, Read
from agent.claims import Claim, Judgement, Verdict
from agent.domain import Commit, Frozen, Issue
from agent.dossier import Dossier
from agent.errors import NotFound
from agent.evidence import CommitEvidence, Evidence, EvidenceId, ThreadEvidence
from agent.facts import FactKind
from agent.gate.check import first_refusal
from agent.ids import RepoId, commit_id
from agent.ledger import ledger_row
from agent.linking.digest import as_issue
from agent.linking.known import Known
from agent.linking.undoing import carried_links, partners
from agent.links import Link
from agent.report import Depth, Drop, Failure, LedgerRow, RepoSection
from agent.settings import Language, RepoSpec
from agent.sources import CodeSource
from agent.stories import Story
from agent.threads import Connected, issue_news, release_news, with_pulls
from agent.triage import Tier, Triage, rank
from agent.weaving.bumps import Taken, taken
from agent.weaving.released import released_fixes, released_stories
from agent.weaving.woven import Woven
from agent.window import Window
from graphs.desk import Deps, Foreseen
from graphs.investigation import investigate, tool_specs
from graphs.leaving import leave
from graphs.scouting import Scales, Scouted
from graphs.weaving import told_stories, with_past, with_stories, woven
from tools.toolset import Toolset

LANGUAGES: tuple[Language, ...] = ("en", "zh")
_LESS = 0.001


class Chapter(Frozen):
    """What the report says of one repository; it is handed on as a note."""

    section: RepoSection
    ledger: tuple[LedgerRow, ...]
    claims: tuple[Claim, ...] = ()
    links: tuple[Link, ...] = ()
    stories: tuple[Story, ...] = ()
    taken: tuple[Taken, ...] = ()
    """Dependencies that commits of the day moved."""
    drops: tuple[Drop, ...] = ()
    failures: tuple[Failure, ...] = ()


class Readings(Frozen):
    """Which commits were read in depth, and which commits of earlier days beside them."""

    deep: tuple[str, ...]
    unasked: tuple[str, ...] = ()
    """Those of them that the analyst did not ask for."""
    background: tuple[str, ...] = ()
    account: Account = Account()


class Written(Frozen):
    """What the analyst said, and what of it the gate refused."""

    claims: tuple[Claim, ...]
    drops: tuple[Drop, ...] = ()
    account: Account = Account()


class Covering(TypedDict):
    """The state of one repository's part."""

    window: Window
    spec: RepoSpec
    done: Annotated[list[str], lambda old, new: old + new]


@cache
def build() -> CompiledStateGraph[Covering, Deps, Any, Any]:
    """Wire the part of one repository, once for all: it holds nothing of any of them."""
    graph = StateGraph(Covering, context_schema=Deps)
    steps = {"investigate": read_closely, "weave": weave, "write": write, "verify": verify, "file": file_chapter}
    for name, step in steps.items():
        graph.add_node(name, step)
    for before, after in zip((START, *steps), (*steps, END), strict=True):
        graph.add_edge(before, after)
    return graph.compile(name="covering")


async def read_closely(state: Covering, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Let the analyst read what it finds worth reading; then look at the whole files around those changes."""
    deps, repo = runtime.context, state["spec"].name
    scouted = deps.notes.read("scouted", repo, Scouted)
    allotment = deps.notes.read("allotment", repo, Allotment)
    desk = await deps.desks.open(state["spec"])
    titles = {row.commit.sha: row.commit.title for row in scouted.landed}
    order = [one.sha for one in scouted.table]
    commits = sorted(
        (row.commit for row in scouted.landed if row.commit.sha in order), key=lambda c: order.index(c.sha)
    )
    notes = {one.sha: f"{one.tier.value} {one.score:.1f} {titles[one.sha]}" for one in scouted.table}
    toolset = Toolset(desk.code, desk.threads, commits, notes, deps.recall)
    assignment = Assignment(
        repo=repo,
        window=state["window"],
        table=scouted.table,
        titles=titles,
        allotment=allotment,
        tools=tool_specs(toolset),
    )
    landed = [row.commit for row in scouted.rows]
    investigation = investigate(deps.analyst, assignment, toolset, deps.turns)
    if isinstance(deps.analyst, Accountable):
        # Nobody may talk a model out of a commit: what it passes over is read all the same, only not explained by it.
        # So that is read while the model thinks, and its stories are found.
        await _beside(investigation, _foresee(state, deps, desk.code, allotment.deep))
        # A page is enough to want it: code reads the whole, and shows the lines that matter most when it is written.
        chosen, passed_over = toolset.shown, set(allotment.deep) - set(toolset.shown)
    else:
        await investigation
        chosen, passed_over = toolset.whole, set()
    wanted = [*chosen, *(sha for sha in allotment.deep if sha in passed_over)]
    done, total = itertools.count(1), len(wanted)
    studied = await deps.library.study_all(
        desk.code,
        wanted,
        lambda: deps.progress.step(repo, "reading in depth", next(done), total),
        landed,
    )
    readings = _readings(studied, scouted)
    unasked = tuple(sha for sha in readings.deep if sha in passed_over)
    readings = readings.model_copy(update={"unasked": unasked, "account": _account(deps, repo)})
    deps.notes.keep("readings", repo, readings)
    return {"done": ["investigate"]}


def _readings(studied: Sequence[CommitEvidence], scouted: Scouted) -> Readings:
    landed = {row.commit.sha for row in scouted.landed}
    background = sorted({old for evidence in studied for old in _undone(evidence)} - landed)
    return Readings(deep=tuple(one.change.commit.sha for one in studied), background=tuple(background))


async def _foresee(state: Covering, deps: Deps, code: CodeSource, shas: Sequence[str]) -> None:
    """Read these commits and find their stories, before it is sure that no others are read."""
    repo = state["spec"].name
    scouted = deps.notes.read("scouted", repo, Scouted)
    studied = await deps.library.study_all(code, shas, landed=[row.commit for row in scouted.rows])
    readings = _readings(studied, scouted)
    material = await _gather(state, deps, readings)
    found = await woven(material, code, deps.library, deps.stories)
    deps.foreseen[repo] = Foreseen(deep=frozenset(readings.deep), material=material, woven=found)


async def _beside(work: Awaitable[object], aside: Coroutine[Any, Any, object]) -> None:
    """Wait for both; what is done aside ends with the work, and its failure is told when that has ended."""
    other = asyncio.create_task(aside)
    try:
        await work
        await other
    finally:
        other.cancel()
        await asyncio.gather(other, return_exceptions=True)


def _undone(evidence: CommitEvidence) -> list[str]:
    """Name the commits that this one undoes or brings back."""
    kinds = (FactKind.REVERT, FactKind.RELAND)
    return [fact.old for fact in evidence.facts if fact.kind in kinds and fact.old and len(fact.old) == 40]


async def weave(state: Covering, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Find the stories to which the day's commits belong, over earlier days."""
    deps, repo = runtime.context, state["spec"].name
    deps.progress.step(repo, "looking back")
    code = (await deps.desks.open(state["spec"])).code
    readings = deps.notes.read("readings", repo, Readings)
    foreseen = deps.foreseen.pop(repo, None)
    if foreseen and foreseen.deep == set(readings.deep):
        deps.gathered[repo] = _asked(foreseen.material, readings)
        found = foreseen.woven
    else:
        found = await woven(await _read(state, deps), code, deps.library, deps.stories)
    deps.notes.keep("woven", repo, found)
    return {"done": ["weave"]}


def _asked(material: Material, readings: Readings) -> Material:
    """Note which commits the analyst asked for."""
    unasked = set(readings.unasked)
    return replace(
        material,
        reads=[replace(one, asked=one.evidence.change.commit.sha not in unasked) for one in material.reads],
    )


async def write(state: Covering, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Say what the commits mean."""
    deps, repo = runtime.context, state["spec"].name
    deps.progress.step(repo, "writing")
    material = await _material(state, deps)
    claims = with_stories(await deps.analyst.write(material), material, deps.notes.read("woven", repo, Woven))
    deps.notes.keep("drafts", repo, Written(claims=tuple(claims), account=_account(deps, repo)))
    return {"done": ["write"]}


async def verify(state: Covering, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Hold every claim to its evidence, in each language; one that fails may be said anew once."""
    deps, repo = runtime.context, state["spec"].name
    deps.progress.step(repo, "checking")
    scouted = deps.notes.read("scouted", repo, Scouted)
    material = await _material(state, deps)
    dossier = _dossier(material, scouted)
    drafts = deps.notes.read("drafts", repo, Written).claims
    # No claim waits for another: whoever is asked to say one anew can be asked for all of them at once.
    settled = await asyncio.gather(*(_settled(claim, dossier, material, deps.analyst) for claim in drafts))
    kept = tuple(one for one in settled if isinstance(one, Claim))
    drops = tuple(one for one in settled if isinstance(one, Drop))
    written = Written(claims=kept, drops=drops, account=_account(deps, repo))
    deps.notes.keep("verified", repo, written)
    return {"done": ["verify"]}


async def _settled(claim: Claim, dossier: Dossier, material: Material, analyst: Analyst) -> Claim | Drop:
    """Judge one claim, have it said anew once where it fails, and keep it or say why not."""
    passed, judgement = _judged(claim, dossier)
    if not judgement.passed and (again := await analyst.mend(claim, judgement, material)):
        passed, judgement = _judged(again, dossier)
    if not judgement.passed:
        return Drop(
            repo=material.repo, verdict=judgement.verdict, check=judgement.check, about=claim.about, free=claim.free
        )
    if await _withdrawn(analyst, passed, material):
        return _drop(claim, Verdict.UNSUPPORTED, "judge")
    return passed


def _drop(claim: Claim, verdict: Verdict, check: str) -> Drop:
    return Drop(repo=claim.repo, verdict=verdict, check=check, about=claim.about, free=claim.free)


async def _withdrawn(analyst: Analyst, claim: Claim, material: Material) -> bool:
    """Ask an analyst that may judge: it can take a claim back, and never bring one in."""
    return isinstance(analyst, Accountable) and await analyst.objects(claim, material) is not None


def _account(deps: Deps, repo: RepoId) -> Account:
    """Take what the last step cost, so that it is kept with the step's note."""
    return deps.analyst.account(repo) if isinstance(deps.analyst, Accountable) else Account()


def _judged(claim: Claim, dossier: Dossier) -> tuple[Claim, Judgement]:
    """Judge a claim in every language it is written in; the first failure stands for all."""
    judgements = [first_refusal(claim, dossier, lang) for lang in LANGUAGES if lang in claim.text or not claim.text]
    worst = next((one for one in judgements if not one.passed), judgements[0])
    return claim.model_copy(update={"judgement": worst}), worst


async def file_chapter(state: Covering, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Put the repository's part together: every landed commit with its row, and what may be said."""
    deps, repo, window = runtime.context, state["spec"].name, state["window"]
    scouted = deps.notes.read("scouted", repo, Scouted)
    written = deps.notes.read("verified", repo, Written)
    readings = deps.notes.read("readings", repo, Readings)
    account = readings.account + deps.notes.read("drafts", repo, Written).account + written.account
    material = await _material(state, deps)
    known = deps.issues.known(repo, window)
    deps.issues.remember(repo, scouted.threads, relisted=not deps.issues.known_open(repo, window))
    section = RepoSection(
        repo=repo,
        branch=scouted.landing.branch,
        tip=scouted.landing.tip,
        known_tip=deps.landings.known_tip(repo, window) or "",
        first_tip=scouted.landing.tip,
        coverage=scouted.threads.coverage,
        coverage_notices=scouted.threads.notices,
        issues=issue_news(
            scouted.threads, window, Connected(links=material.links, known=known, reverted=material.reverted)
        ),
        releases=release_news(scouted.threads.releases, window),
        notices=scouted.landing.notices,
        account=account,
    )
    chapter = Chapter(
        section=section,
        ledger=_unexplained(_ledger(scouted, {read.evidence.id: read for read in material.reads}), account),
        claims=written.claims,
        links=tuple(material.links),
        stories=(
            *told_stories(deps.notes.read("woven", repo, Woven), written.claims),
            *await _released(state, deps, section, material, known),
        ),
        taken=tuple(one for read in material.reads for one in taken(read.evidence)),
        drops=written.drops,
        failures=scouted.failures,
    )
    if deps.questions is not None:
        await leave(deps.questions, (await deps.desks.open(state["spec"])).code, scouted, material)
    deps.notes.keep("chapter", repo, chapter)
    return {"done": ["file"]}


async def _released(state: Covering, deps: Deps, section: RepoSection, material: Material, known: Known) -> list[Story]:
    """Tell which fixes came out with a release of the window; a fix of an earlier day is looked up."""
    repo = state["spec"].name
    code = (await deps.desks.open(state["spec"])).code
    today = {read.evidence.id: read.evidence.change.commit for read in material.reads}
    fixed_by: dict[int, Commit] = {}
    for number, change in released_fixes(section.issues, (*known.links, *material.links), repo).items():
        try:
            fixed_by[number] = today.get(change) or await code.resolve(change.rpartition("@")[2])
        except NotFound:
            continue
    releases = deps.notes.read("scouted", repo, Scouted).threads.releases
    return released_stories(repo, section.issues, fixed_by, (*material.issues, *known.issues), releases)


def _unexplained(rows: tuple[LedgerRow, ...], account: Account) -> tuple[LedgerRow, ...]:
    """Say in the ledger which commits no model explained, and why."""
    why = {one.about: one.reason for one in account.fallbacks if one.part == "explaining"}
    noted = ((row, why.get(commit_id(row.repo, row.sha))) for row in rows)
    return tuple(
        row.model_copy(update={"reason": f"{row.reason}; explained by rules: {reason}"}) if reason else row
        for row, reason in noted
    )


def _ledger(scouted: Scouted, reads: Mapping[EvidenceId, Read]) -> tuple[LedgerRow, ...]:
    late = {row.commit.sha for row in scouted.late}
    rows = []
    for landed in scouted.landed:
        sha = landed.commit.sha
        read = reads.get(landed.commit.id)
        budget = scouted.unread.get(sha, "").startswith("subject only")
        unread = (Depth.LIST if budget else Depth.FAILED, scouted.unread.get(sha, ""))
        rows.append(ledger_row(landed, read or unread, late=sha in late, pull=scouted.threads.pull_of.get(sha)))
    return tuple(rows)


async def _material(state: Covering, deps: Deps) -> Material:
    """Gather what was read, with the earlier commits that stories name."""
    code = (await deps.desks.open(state["spec"])).code
    found = deps.notes.read("woven", state["spec"].name, Woven)
    return await with_past(await _read(state, deps), found, code, deps.library)


async def _read(state: Covering, deps: Deps) -> Material:
    """Gather what was read: from this process, or again from the record."""
    repo, gathered = state["spec"].name, deps.gathered
    if repo not in gathered:
        readings = deps.notes.read("readings", repo, Readings)
        gathered[repo] = _asked(await _gather(state, deps, readings), readings)
    return gathered[repo]


async def _gather(state: Covering, deps: Deps, readings: Readings) -> Material:
    repo = state["spec"].name
    scouted = deps.notes.read("scouted", repo, Scouted)
    code = (await deps.desks.open(state["spec"])).code
    table, landed = [one.sha for one in scouted.table], [row.commit for row in scouted.rows]
    skimmed = {one.change.commit.sha: one async for one in deps.library.skim(code, table)}
    studied = await deps.library.study_all(code, readings.deep, landed=landed)
    deep = {one.change.commit.sha: one for one in studied}
    pulls = scouted.threads.pull_of
    # Studying some has put right what the patches alone say of others.
    read = {sha: deps.library.get(one.id) or one for sha, one in (skimmed | deep).items()}
    known = {sha: one.model_copy(update={"pull": pulls.get(sha)}) for sha, one in read.items()}
    undone = _reverted(list(known.values()))
    reads = []
    for one in _weighed_again(known, undone, Scales(scouted, state["spec"]), deps):
        depth = Depth.DEEP if one.sha in deep else Depth.GROUP if one.tier is Tier.NOISE else Depth.SKIM
        reads.append(Read(evidence=known[one.sha], triage=one, depth=depth))
    background = {one.id: one async for one in deps.library.skim(code, readings.background)}
    earlier = deps.issues.known(repo, state["window"])
    links = with_pulls(carried_links(scouted.links, earlier.links, partners(known.values())), pulls)
    return Material(
        repo=repo,
        window=state["window"],
        reads=reads,
        links=links,
        issues=(*scouted.threads.issues, *_known_issues(scouted, earlier, links)),
        pulls={pull.number: pull for pull in scouted.threads.pulls},
        reverted=undone,
        background=background,
    )


def _known_issues(scouted: Scouted, earlier: Known, links: Sequence[Link]) -> list[Issue]:
    """Give the issues of earlier days that something today addresses."""
    fresh, wanted = {issue.id for issue in scouted.threads.issues}, {link.issue for link in links}
    return [as_issue(one) for one in earlier.issues if one.id in wanted and one.id not in fresh]


def _weighed_again(
    known: Mapping[str, CommitEvidence], undone: Mapping[EvidenceId, EvidenceId], scales: Scales, deps: Deps
) -> tuple[Triage, ...]:
    """Rank the commits by what is known after reading: whole files show more than a patch does.

    What landed and was undone in the same window leaves nothing to act on.
    """
    gone = {*undone, *undone.values()}
    weighed = []
    for evidence in known.values():
        one = scales.weigh(evidence)
        settled = min(one.score, deps.tiers.high - _LESS) if evidence.id in gone else one.score
        weighed.append(one.model_copy(update={"score": settled}))
    return rank(weighed, deps.tiers)


def _reverted(commits: Sequence[CommitEvidence]) -> dict[EvidenceId, EvidenceId]:
    """Tell which commit of the window undid which, by the patch or by what the message names."""
    by_pull = {f"#{one.pull}": one.id for one in commits if one.pull}
    mine = {one.id for one in commits}
    pairs: dict[EvidenceId, EvidenceId] = {}
    for one in commits:
        for fact in one.facts:
            if fact.kind is FactKind.REVERT:
                named = (f"{one.repo}@{fact.old}", by_pull.get("#" + fact.name.rpartition("#")[2], ""))
                pairs |= {old: one.id for old in named if old in mine and old != one.id}
    return pairs


def _dossier(material: Material, scouted: Scouted) -> Dossier:
    found: dict[EvidenceId, Evidence] = {read.evidence.id: read.evidence for read in material.reads}
    found |= material.background
    wanted = {link.issue for link in material.links}
    found |= {issue.id: ThreadEvidence(thread=issue) for issue in material.issues if issue.id in wanted}
    found |= {pull.id: ThreadEvidence(thread=pull) for pull in material.pulls.values()}
    late = frozenset(commit_id(row.commit.repo, row.commit.sha) for row in scouted.late)
    return Dossier(
        found=found,
        window=material.window,
        seen=frozenset(found),
        links=tuple(material.links),
        reverted=material.reverted,
        late=late,
    )
