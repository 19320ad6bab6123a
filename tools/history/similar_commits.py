"""Earlier commits of all configured repositories that a day's commits may belong to."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from agent.domain.base import RepoId
from agent.domain.errors import AppError
from agent.domain.evidence import Material, ThreadEvidence
from agent.domain.evidence_id import EvidenceId
from agent.domain.links import Story
from agent.domain.threads import Issue
from agent.domain.window import Window
from agent.links.candidates import MAX_EARLIER, is_folded, is_searched
from agent.links.changed_names import Birth
from agent.links.footprints import Footprint, footprint_of, title_footprint
from agent.links.references_in_texts import references_in
from agent.links.searchable_issues import Digest, digest
from agent.links.similar_commit_index import LOOK_BACK, EarlierCommits, SimilarCommit
from agent.links.touched_lines import LineWriter
from agent.ports import CloneSource, CodeSource, RepositorySources, StoryMemory
from agent.stories.timeline import headline

if TYPE_CHECKING:
    from tools.evidence_cache import EvidenceCache

_MAX_FOLLOWED = 100  # Commits of a day whose lines are followed to those who wrote them
_MAX_TRACKERS = 3  # Issues that the first part of a series names

SimilarBySha = Mapping[str, Sequence[SimilarCommit]]


async def footprints_of(
    material: Material, code: CodeSource, evidence_cache: "EvidenceCache"
) -> list[Footprint]:
    """Return the footprints of the day's commits for which earlier commits are searched."""
    reads = [read.evidence for read in material.reads if is_searched(read)]
    changes = await evidence_cache.whole(code, [evidence.change.commit.sha for evidence in reads])
    footprints: list[Footprint] = []
    for evidence in reads:
        change = changes.get(evidence.change.commit.sha, evidence.change)
        footprints.append(footprint_of(change, headline(change.commit, evidence.pull)))
    return footprints


async def similar_commits(
    queries: Sequence[Footprint],
    repositories: Mapping[RepoId, RepositorySources],
    window: Window,
    memory: StoryMemory,
) -> dict[RepoId, SimilarBySha]:
    """Return the commits of each repository that share the most with each of a day's commits.

    A repository that cannot be read offers none.
    """
    similar: dict[RepoId, SimilarBySha] = {}
    for repo, sources in repositories.items():
        try:
            similar[repo] = await _similar(queries, sources.code, window, memory)
        except AppError:
            continue
    return similar


async def _similar(
    queries: Sequence[Footprint], code: CodeSource, window: Window, memory: StoryMemory
) -> SimilarBySha:
    if not isinstance(code, CloneSource):
        past = memory.past(code.repo, window)
        footprints = [title_footprint(commit) for commit in past.found]
        index = EarlierCommits(footprints, code.repo)
        return {query.commit.sha: index.ranked(query, MAX_EARLIER) for query in queries}
    landing = await code.landed(window)
    if not landing.tip or not queries:
        return {}
    # Of a day long ago, the tip is far above: what landed since would fill the list.
    upto = landing.rows[0].commit.sha if landing.rows else landing.tip
    since = window.start - LOOK_BACK
    return await code.similar(queries, upto=upto, since=since, limit=MAX_EARLIER)


class LineOrigins(NamedTuple):
    """Who wrote the lines that the day's commits touch, and who brought names on them.

    Both are by the hashes of the day's commits.
    """

    writers: Mapping[str, Sequence[LineWriter]]
    births: Mapping[str, Sequence[Birth]]


async def line_origins_of(material: Material, code: CodeSource) -> LineOrigins:
    """Return the earlier commits to which the lines of the day's commits go back."""
    if not isinstance(code, CloneSource):
        return LineOrigins({}, {})
    searched = [read for read in material.reads if is_searched(read)]
    searched.sort(key=is_folded)
    shas = [read.evidence.change.commit.sha for read in searched]
    shas = shas[:_MAX_FOLLOWED]
    try:
        writers = await code.line_writers(shas)
        births = await code.births(shas)
    except AppError:
        return LineOrigins({}, {})  # Without them, fewer earlier commits are compared
    return LineOrigins(writers, births)


async def trackers_of(
    stories: Sequence[Story], sources: RepositorySources
) -> dict[str, tuple[Digest, ...]]:
    """Return the issues that the first part of a series names, by the hashes of later parts."""
    trackers: dict[str, tuple[Digest, ...]] = {}
    for story in stories:
        if story.kind != "series":
            continue
        issues = await _named_issues(story.steps[0], sources)
        for part in story.steps[1:]:
            trackers[part.sha] = issues
    return trackers


async def _named_issues(first: EvidenceId, sources: RepositorySources) -> tuple[Digest, ...]:
    """Return the issues that a commit or its pull request names."""
    try:
        commit = await sources.code.resolve(first.sha)
        texts = [commit.message]
        pull = headline(commit).pull
        if pull is not None:
            for discussion in await sources.threads.discussions([pull]):
                texts.append(discussion.thread.body)
        numbers = _named_numbers(texts, first, pull)
        discussions = await sources.threads.discussions(numbers) if numbers else ()
    except AppError:
        return ()  # Without the text of the first part its tracker is unknown
    return tuple(_issues(discussions))


def _named_numbers(texts: Sequence[str], source: EvidenceId, pull: int | None) -> list[int]:
    numbers: dict[int, None] = {}
    for text in texts:
        for mention in references_in(text, source.repo, source, "message"):
            number = mention.target.number
            if number is not None and number != pull and mention.target.repo == source.repo:
                numbers[number] = None
    return list(numbers)[:_MAX_TRACKERS]


def _issues(discussions: Sequence[ThreadEvidence]) -> list[Digest]:
    issues: list[Digest] = []
    for discussion in discussions:
        if isinstance(discussion.thread, Issue):
            issues.append(digest(discussion.thread))
    return issues
