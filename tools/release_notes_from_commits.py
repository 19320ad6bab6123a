"""Release notes from the commits and trees since the release before."""

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime

from agent.domain.base import LANGUAGES, Language, RepoId
from agent.domain.commits import Commit, Headline
from agent.domain.errors import AppError, InputError, UpstreamError
from agent.domain.evidence_id import EvidenceId
from agent.domain.references import without_pull_numbers
from agent.domain.release_notes import Advisory, ReleasedCommit, ReleaseEntry, ReleaseNotes
from agent.domain.report import ReleaseLine
from agent.domain.upgrade import Part, Undone, Upgrade
from agent.domain.versions import is_version
from agent.editions.upgrade_guide import UpgradeEntry, entries
from agent.ports import CloneSource, CodeSource, Pick, ReleaseRange
from agent.stories.timeline import headline
from agent.triage.title_conventions import advisories_in
from tools.diff.commits_behind_facts import undone_pairs
from tools.diff.version_comparison import compare_versions

_LOG = logging.getLogger(__name__)
_ANY_TIME = datetime(9999, 1, 1, tzinfo=UTC)
_MAX_BREAKS = 60
_MAX_OTHERS = 15
_LISTED_PARTS: Mapping[Part, int] = {
    "breaks": _MAX_BREAKS,
    "deprecated": _MAX_OTHERS,
    "changed": _MAX_OTHERS,
    "new": _MAX_OTHERS,
    "dependencies": _MAX_OTHERS,
}
"""The parts of an upgrade guide that are listed of a release, and how many entries of each."""


async def with_notes(code: CodeSource, releases: Iterable[ReleaseLine]) -> tuple[ReleaseLine, ...]:
    """Return releases with what is new in them, as far as a clone shows it."""
    if not isinstance(code, CloneSource):
        return tuple(releases)
    lines = []
    for release in releases:
        notes = None
        if is_version(release.tag):
            notes = await _notes_or_none(code, release.tag)
        lines.append(release.model_copy(update={"notes": notes}))
    return tuple(lines)


async def _notes_or_none(code: CloneSource, tag: str) -> ReleaseNotes | None:
    try:
        return await code.release_notes(tag)
    except AppError as error:
        # Without its notes a release is still listed, and the rest of the report stands.
        _LOG.warning("%s %s: what is new was not found: %s", code.repo, tag, error)
        return None


async def release_notes(code: CloneSource, tag: str) -> ReleaseNotes | None:
    """Return what is new in a release; None where there is no earlier one to compare with."""
    release_range = await code.release_range(tag)
    if release_range is None:
        return None
    old = await code.version(release_range.previous)
    new = await code.version(tag)
    commits = await code.between(old.sha, new.sha)
    guide: Upgrade | None = None
    try:
        guide = await compare_versions(code, release_range.previous, tag)
    except InputError:
        return None  # Both name the same commit, or the release has nothing of its own
    except UpstreamError as error:
        _LOG.warning("%s %s: files could not be compared: %s", code.repo, tag, error)
    undone = _undone(guide.undone if guide else undone_pairs(commits, {}))
    listed, more = _listed_entries(guide) if guide else ([], {})
    everything = await code.between(old.sha, new.sha, members=True)
    advisories = await _advisories(code, commits, everything, undone, release_range.previous)
    cited: set[str] = set()
    for entry in listed:
        cited.update(commit.sha for commit in entry.commits)
    for advisory in advisories:
        cited.update(commit.sha for commit in advisory.commits)
    titles = {commit.sha: commit.title for commit in everything}
    if guide is not None:
        titles |= guide.titles
    return ReleaseNotes(
        previous=release_range.previous,
        commits=len(commits),
        is_compared=guide is not None,
        entries=tuple(listed),
        more=more,
        picks=tuple(_picks(RepoId(code.repo), release_range, undone)),
        advisories=tuple(advisories),
        titles={sha: titles[sha] for sha in sorted(cited)},
    )


def brought_by(
    line: Sequence[Commit], everything: Sequence[Commit]
) -> Iterator[tuple[Commit, list[Commit]]]:
    """Yield the commits of a line, the oldest first, each with all that it brought.

    A commit brought itself, and a merge what the line did not have before it.
    """
    unplaced = {commit.sha: commit for commit in everything}
    for landed in reversed(line):
        brought: list[Commit] = []
        reached = [landed.sha]
        while reached:
            commit = unplaced.pop(reached.pop(), None)
            if commit is not None:
                brought.append(commit)
                reached.extend(commit.parents)
        yield landed, brought


def _undone(pairs: Iterable[Undone]) -> set[str]:
    """Return the commits that were taken back before the release, and those that did so."""
    undone: set[str] = set()
    for pair in pairs:
        undone |= {pair.sha, pair.by}
    return undone


def _listed_entries(guide: Upgrade) -> tuple[list[ReleaseEntry], dict[Part, int]]:
    """Return the first entries of each part, and how many others there are."""
    listed: list[ReleaseEntry] = []
    more: dict[Part, int] = {}
    for part, limit in _LISTED_PARTS.items():
        by_language = {lang: list(entries(guide, part, lang)) for lang in LANGUAGES}
        sentences = by_language[LANGUAGES[0]]
        for index, sentence in enumerate(sentences[:limit]):
            text = {lang: by_language[lang][index].text for lang in LANGUAGES}
            listed.append(_entry(guide.repo, part, sentence, text))
        if len(sentences) > limit:
            more[part] = len(sentences) - limit
    return listed, more


def _entry(
    repo: RepoId, part: Part, sentence: UpgradeEntry, text: Mapping[Language, str]
) -> ReleaseEntry:
    commits = tuple(EvidenceId.commit(repo, sha) for sha in sentence.commits)
    return ReleaseEntry(part=part, text=text, commits=commits, backwards=sentence.backwards)


def _picks(repo: RepoId, release_range: ReleaseRange, undone: set[str]) -> Iterator[ReleasedCommit]:
    for pick in reversed(release_range.picks):
        if pick.sha in undone:
            continue
        picked = [original for original in pick.originals if not _has_title(pick, original)]
        yield ReleasedCommit(
            id=EvidenceId.commit(repo, pick.sha),
            title=pick.title,
            originals=tuple(original.title for original in picked),
        )


def _has_title(pick: Pick, original: Headline) -> bool:
    return without_pull_numbers(original.title).strip() in pick.title


async def _advisories(
    code: CloneSource,
    line: Sequence[Commit],
    everything: Sequence[Commit],
    undone: set[str],
    previous: str,
) -> list[Advisory]:
    """Return the advisories that commits name, without what the previous release has copies of.

    The members of a merge count, unless it was undone.
    """
    naming: list[Commit] = []
    for landed, brought in brought_by(line, everything):
        if landed.sha not in undone:
            naming += [commit for commit in brought if advisories_in(commit.message)]
    heads = [headline(commit) for commit in naming]
    releases = await code.releases_with(heads, until=_ANY_TIME) if heads else {}
    commits_by_advisory: dict[str, list[EvidenceId]] = {}
    for commit in naming:
        if any(release.tag == previous for release in releases.get(commit.sha, ())):
            continue
        for advisory in advisories_in(commit.message):
            commits_by_advisory.setdefault(advisory, []).append(commit.id)
    advisories: list[Advisory] = []
    for advisory, cites in commits_by_advisory.items():
        advisories.append(Advisory(id=advisory, commits=tuple(dict.fromkeys(cites))))
    return advisories
