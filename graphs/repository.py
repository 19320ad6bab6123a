"""One repository's part of the report: choose, read with tools, connect, write, check, judge, file."""

import itertools
from collections.abc import Mapping, Sequence
from functools import cache
from operator import add, or_
from typing import Annotated, Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from agent.account import Account
from agent.allotment import Allotment
from agent.analyst import Material, Read
from agent.claims import Claim, Judgement, Verdict
from agent.domain import Commit, Frozen
from agent.errors import NotFound
from agent.evidence import EvidenceId
from agent.gate.check import refusals
from agent.ids import RepoId, commit_id
from agent.ledger import ledger_row
from agent.linking.known import Known
from agent.links import Link
from agent.report import Depth, Drop, Failure, LedgerRow, RepoSection
from agent.rules import facts_told
from agent.settings import Language, RepoSpec
from agent.stories import Story
from agent.threads import Connected, issue_news, release_news
from agent.weaving.bumps import Taken, taken
from agent.weaving.released import released_fixes, released_stories
from agent.window import Window
from graphs import analysis
from graphs.analysis import Refused, Task
from graphs.collect import Collected
from graphs.desk import Deps
from graphs.failing import failing_alone, unless_failed
from graphs.leaving import leave
from graphs.material import dossier_of, material_of, readings_of
from graphs.reading import ReadingState, choose, handles_of, notes_about, notes_of, read, tools, wants_tools
from graphs.weaving import told_stories, with_stories, woven

LANGUAGES: tuple[Language, ...] = ("en", "zh")
_SUMMED = 20
"""Commits that a day is summed up from."""


class Chapter(Frozen):
    """What the report says of one repository."""

    section: RepoSection
    ledger: tuple[LedgerRow, ...]
    claims: tuple[Claim, ...] = ()
    links: tuple[Link, ...] = ()
    stories: tuple[Story, ...] = ()
    taken: tuple[Taken, ...] = ()
    """Dependencies that commits of the day moved."""
    drops: tuple[Drop, ...] = ()
    failures: tuple[Failure, ...] = ()


class RepositoryInput(TypedDict):
    """One repository after the first look, and how much of it may be read in depth."""

    window: Window
    spec: RepoSpec
    found: Collected
    allotment: Allotment
    alone: bool
    """Whether it is the only one of the report: then the brief sums it up."""


class RepositoryOutput(TypedDict, total=False):
    """What a repository hands to the report."""

    chapters: Annotated[dict[RepoId, Chapter], or_]
    failures: Annotated[list[Failure], add]
    refused: Annotated[list[Refused], add]


class RepositoryState(ReadingState, RepositoryOutput, total=False):
    """A repository on its way."""

    alone: bool
    notes: str
    facts: list[Claim]
    tasks: list[Task]
    analysis: Annotated[list[Claim], add]
    account: Annotated[Account, add]


@cache
def build(turns: int = 4) -> CompiledStateGraph[RepositoryState, Deps, RepositoryInput, RepositoryOutput]:
    """Wire the part of one repository; a failure ends it, and nothing else."""
    graph = StateGraph(
        RepositoryState, context_schema=Deps, input_schema=RepositoryInput, output_schema=RepositoryOutput
    )
    for node in (choose, read, tools, study, connect, write_facts, sum_up, file):
        graph.add_node(node.__name__, failing_alone(node))
    graph.add_node("explain", analysis.build())
    graph.add_node("summarise", analysis.build())
    graph.add_edge(START, "choose")
    graph.add_conditional_edges("choose", unless_failed("read"), ["read", END])
    graph.add_conditional_edges(
        "read",
        lambda state: "tools" if wants_tools(state, turns) else unless_failed("study")(state),
        ["tools", "study", END],
    )
    graph.add_conditional_edges("tools", unless_failed("read"), ["read", END])
    graph.add_conditional_edges("study", unless_failed("connect"), ["connect", END])
    graph.add_conditional_edges("connect", unless_failed("write_facts"), ["write_facts", END])
    graph.add_conditional_edges("write_facts", _if_tasks("explain", "file"), ["explain", "file", END])
    graph.add_edge("explain", "sum_up")
    graph.add_conditional_edges("sum_up", _if_tasks("summarise", "file"), ["summarise", "file", END])
    graph.add_edge("summarise", "file")
    graph.add_edge("file", END)
    return graph.compile(name="repository")


def _if_tasks(then: str, otherwise: str) -> Any:
    """Go on to the models where there is something to write about."""

    def route(state: RepositoryState) -> str:
        return unless_failed(then if state.get("tasks") else otherwise)(state)

    return route


async def study(state: RepositoryState, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Read the whole diffs and the files around them, of what was chosen and of what is worth it."""
    deps, repo, found = runtime.context, state["spec"].name, state["found"]
    code = (await deps.desks.open(state["spec"])).code
    # Commits that the model passes over are read all the same, so that their facts are told.
    wanted = list(dict.fromkeys((*state["chosen"], *state["allotment"].deep)))
    done, total = itertools.count(1), len(wanted)

    def step() -> None:
        deps.progress.step(repo, "reading in depth", next(done), total)

    studied = await deps.library.study_all(code, wanted, step, [row.commit for row in found.rows])
    return {"readings": readings_of(studied, found), "notes": notes_of(state.get("messages") or [])}


async def connect(state: RepositoryState, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Find the stories to which the day's commits belong, over earlier days."""
    deps = runtime.context
    deps.progress.step(state["spec"].name, "looking back")
    code = (await deps.desks.open(state["spec"])).code
    return {"woven": await woven(await material_of(state, deps), code, deps.library, deps.stories)}


async def write_facts(state: RepositoryState, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Let code say what the facts say, and name what a model shall explain."""
    deps = runtime.context
    deps.progress.step(state["spec"].name, "writing")
    material = await material_of(state, deps)
    facts = with_stories(facts_told(material), material, state["woven"])
    return {"facts": facts, "tasks": _commit_tasks(state, material, facts) if deps.models else []}


def _commit_tasks(state: RepositoryState, material: Material, facts: Sequence[Claim]) -> list[Task]:
    deep = {one.evidence.change.commit.sha: one for one in material.reads if one.depth is Depth.DEEP}
    wanted = [deep[sha].evidence for sha in state["chosen"] if sha in deep]
    plain = [claim for claim in facts if claim.predicate == "fact" and claim.text]
    handles = {sha: handle for handle, sha in handles_of(state["found"]).items()}
    return [
        Task(
            kind="commit",
            repo=material.repo,
            about=one.id,
            notes=notes_about(state["notes"], handles[one.change.commit.sha]),
            controls=tuple(claim.text for claim in plain if claim.about[0] != one.id)[-4:],
        )
        for one in wanted
    ]


async def sum_up(state: RepositoryState, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Name the published sentences that the day is summed up from."""
    told = summary_rests(state.get("analysis") or [])
    titles: dict[EvidenceId, str] = {row.commit.id: row.commit.title for row in state["found"].landed}
    about = {claim.about[0] for claim in told.values()}
    others = tuple(claim.text for claim in state["facts"] if claim.predicate == "fact" and claim.about[0] not in about)
    task = Task(kind="day", repo=state["spec"].name, rests=told, titles=titles_of(told, titles), controls=others[-4:])
    return {"tasks": [task] if len(about) > 1 and not state["alone"] else []}


def summary_rests(claims: Sequence[Claim]) -> dict[str, Claim]:
    """Give published sentences handles such as c1.2, by their commits, headlines first."""
    about = list(dict.fromkeys(claim.about[0] for claim in claims if claim.about))[:_SUMMED]
    rests: dict[str, Claim] = {}
    for number, name in enumerate(about, start=1):
        mine = sorted((one for one in claims if one.about[:1] == (name,)), key=lambda one: one.id)
        rests |= {f"c{number}.{place}": one for place, one in enumerate(mine)}
    return rests


def titles_of(rests: Mapping[str, Claim], titles: Mapping[EvidenceId, str]) -> dict[EvidenceId, str]:
    """Give the titles of the commits that sentences are about."""
    return {name: titles.get(name, "") for name in dict.fromkeys(claim.about[0] for claim in rests.values())}


async def file(state: RepositoryState, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Put the repository's part together: every landed commit with its row, and what may be said."""
    deps, repo, window, found = runtime.context, state["spec"].name, state["window"], state["found"]
    material = await material_of(state, deps)
    claims, drops = _checked(state, material)
    known = deps.issues.known(repo, window)
    deps.issues.remember(repo, found.threads, relisted=not deps.issues.known_open(repo, window))
    account = state.get("account") or Account()
    section = RepoSection(
        repo=repo,
        branch=found.landing.branch,
        tip=found.landing.tip,
        known_tip=deps.landings.known_tip(repo, window) or "",
        first_tip=found.landing.tip,
        coverage=found.threads.coverage,
        coverage_notices=found.threads.notices,
        issues=issue_news(
            found.threads, window, Connected(links=material.links, known=known, reverted=material.reverted)
        ),
        releases=release_news(found.threads.releases, window),
        notices=found.landing.notices,
        account=account,
    )
    chapter = Chapter(
        section=section,
        ledger=_unexplained(_ledger(found, {one.evidence.id: one for one in material.reads}), account),
        claims=claims,
        links=tuple(material.links),
        stories=(
            *told_stories(state["woven"], claims),
            *await _released(state, deps, section, material, known),
        ),
        taken=tuple(one for read in material.reads for one in taken(read.evidence)),
        drops=drops,
        failures=found.failures,
    )
    if deps.questions is not None:
        await leave(deps.questions, (await deps.desks.open(state["spec"])).code, found, material)
    return {"chapters": {repo: chapter}}


def _checked(state: RepositoryState, material: Material) -> tuple[tuple[Claim, ...], tuple[Drop, ...]]:
    """Join analysis and facts; a fact whose citation or quotation does not stand is left out and counted."""
    dossier = dossier_of(material, state["found"])
    claims = list(state.get("analysis") or [])
    drops = [_drop(one.claim, one.reasons[0]) for one in state.get("refused") or [] if not one.repaired]
    for claim in state["facts"]:
        wrong = [no for lang in LANGUAGES for no in refusals(claim, dossier, lang)]
        if wrong and claim.quotes and claim.text and wrong[0].verdict is Verdict.QUOTE:
            claim, wrong = claim.model_copy(update={"quotes": ()}), []
        if wrong:
            drops.append(_drop(claim, wrong[0]))
        else:
            claims.append(claim.model_copy(update={"judgement": Judgement(verdict=Verdict.SUPPORTED, check="code")}))
    return tuple(claims), tuple(drops)


def _drop(claim: Claim, why: Judgement) -> Drop:
    return Drop(repo=claim.repo, verdict=why.verdict, check=why.check, about=claim.about, free=claim.free)


async def _released(
    state: RepositoryState, deps: Deps, section: RepoSection, material: Material, known: Known
) -> list[Story]:
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
    releases = state["found"].threads.releases
    return released_stories(repo, section.issues, fixed_by, (*material.issues, *known.issues), releases)


def _unexplained(rows: tuple[LedgerRow, ...], account: Account) -> tuple[LedgerRow, ...]:
    """Say in the ledger which commits no model explained, and why."""
    why = {one.about: one.reason for one in account.fallbacks if one.part == "explaining"}
    noted = ((row, why.get(commit_id(row.repo, row.sha))) for row in rows)
    return tuple(
        row.model_copy(update={"reason": f"{row.reason}; not analysed: {reason}"}) if reason else row
        for row, reason in noted
    )


def _ledger(found: Collected, reads: Mapping[EvidenceId, Read]) -> tuple[LedgerRow, ...]:
    late = {row.commit.sha for row in found.late}
    rows = []
    for landed in found.landed:
        sha = landed.commit.sha
        budget = found.unread.get(sha, "").startswith("subject only")
        unread = (Depth.LIST if budget else Depth.FAILED, found.unread.get(sha, ""))
        one = reads.get(landed.commit.id)
        rows.append(ledger_row(landed, one or unread, late=sha in late, pull=found.threads.pull_of.get(sha)))
    return tuple(rows)
