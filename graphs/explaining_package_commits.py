"""Has a model explain commits of a package: written, checked and judged as in a report."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from agent.domain.commits import Commit, Landed, Landing
from agent.domain.ledger import Tier, Triage
from agent.domain.threads import Threads
from agent.domain.window import Window
from agent.ports import CloneSource
from agent.settings.values import RepoSpec
from agent.stories.timeline import StoriesFound
from agent.triage.collected_commits import Collected
from agent.writing.claims_by_rules import fact_claims
from agent.writing.tasks import commit_tasks
from graphs.material_rebuilding import material_of
from graphs.run_context import RunContext
from graphs.state import AnalysisInput, AnalysisOutput, CloseReading, MaterialInput
from graphs.writing import analyse, build_analysis

_TAGGED_WITHIN = timedelta(days=7)  # Of its last commit, a version is released


async def explained(
    spec: RepoSpec, shas: Sequence[str], version: str, context: RunContext
) -> AnalysisOutput:
    """Return what a model says of commits and its judge admits, and what the models failed at.

    `version` is the commit of the version that brings them.
    """
    code = (await context.repositories.open(spec)).code
    assert isinstance(code, CloneSource), "packages are read from clones"
    studied = await context.evidence_cache.study_all(code, shas)
    commits = [evidence.change.commit for evidence in studied]
    released = await code.version(version)
    repository = _material_input(spec, commits, released.committed_at + _TAGGED_WITHIN)
    material = await material_of(repository, context)
    deep = [commit.sha for commit in commits]
    tasks = commit_tasks(deep, {}, material, fact_claims(material))
    await context.require_models().expect(spec.name, len(tasks))
    questions = AnalysisInput(tasks=tasks, repository=repository, looked_up={})
    return await analyse(build_analysis(), questions, context)


def _material_input(spec: RepoSpec, commits: Sequence[Commit], until: datetime) -> MaterialInput:
    """Return commits as if they were a day's: all of them are news to somebody who upgrades."""
    moments = [commit.committed_at for commit in commits]
    end = max(until, *(moment + timedelta(seconds=1) for moment in moments))
    window = Window(start=min(moments), end=end, tz="UTC")
    rows = tuple(Landed(commit=commit) for commit in commits)
    weights: list[Triage] = []
    for commit in commits:
        weights.append(Triage(sha=commit.sha, score=0, reasons=(), purpose=None, tier=Tier.MID))
    first_look = Collected(
        landing=Landing(repo=spec.name, branch="", tip=None, rows=rows),
        rows=rows,
        late=(),
        threads=Threads(coverage="not read"),
        table=tuple(weights),
    )
    deep = tuple(commit.sha for commit in commits)
    return MaterialInput(
        window=window,
        spec=spec,
        first_look=first_look,
        reading=CloseReading(deep=deep, ranking=tuple(weights)),
        stories=StoriesFound(),
        related=[],
    )
