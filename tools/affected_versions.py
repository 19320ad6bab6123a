"""Affected versions: which tags have the fault that a commit mends, and which have the fix."""

import logging
import re
from collections.abc import Iterator, Sequence, Set
from datetime import UTC, datetime
from typing import NamedTuple

from agent.domain.affected_versions import Affected, IntroductionProof
from agent.domain.commits import Commit, Headline
from agent.domain.errors import AppError, NotFound
from agent.domain.evidence import CommitEvidence
from agent.domain.evidence_id import EvidenceId
from agent.domain.ledger import Purpose
from agent.domain.references import find_references
from agent.domain.versions import (
    in_version_order,
    is_version,
    is_version_or_candidate,
    version_spans,
)
from agent.links.fault_introduction_checks import mostly_adds, only_edited
from agent.ports import CloneSource, CodeSource
from agent.stories.timeline import headline
from agent.triage.title_conventions import read_heading
from tools.evidence_cache import EvidenceCache
from tools.history.earlier_commits_by_title import FAR, naming
from tools.history.undone_earlier_commits import writer_of_removed_lines

_LOG = logging.getLogger(__name__)
_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)
_MAX_MESSAGE = 100_000  # Characters of a message that are searched
_MAX_REFERENCE = 300  # Characters in which the reference behind "introduced by" must begin and end
_FIXES_TRAILER = re.compile(r"^Fixes: (?P<sha>[0-9a-f]{7,40})\b", re.MULTILINE)
"""The trailer by which the Linux kernel names the commit that brought a fault."""
_BEFORE_REFERENCE = r"(?:(?:the )?(?:PR|pull request|commit) )?[(\[`]?"
_INTRODUCED = re.compile(rf"\bintroduced (?:by|in) {_BEFORE_REFERENCE}", re.IGNORECASE)
"""How authors say which change brought something; a reference follows at once."""
_CAUSED = re.compile(
    rf"\b(?:(?:caused|broken) (?:by|in)|regression (?:from|in)) {_BEFORE_REFERENCE}", re.IGNORECASE
)
"""How authors say which change brought a fault; a reference follows at once."""
_NO_PRODUCT_CODE = (
    "only-comments",
    "only-formatting",
    "only-docs",
    "only-tests",
    "only-ci",
    "only-upkeep",
)
"""Facts of commits after which the project does what it did before."""
_REWORKING: Set[Purpose] = frozenset({"fix", "revert", "security", "refactor"})
"""Purposes of commits that write anew what was there before."""
_BARE_HASH = re.compile(r"(?P<sha>[0-9a-f]{7,40})\b")


class _Introduction(NamedTuple):
    """The landed commit that brought a fault, and how that is known."""

    commit: Commit
    proof: IntroductionProof


async def affected_versions(
    code: CodeSource,
    evidence: CommitEvidence,
    evidence_cache: EvidenceCache,
    *,
    until: datetime,
    follow_lines: bool = True,
) -> Affected | None:
    """Return the versions before a moment that have the fault which a commit mends, and the fix.

    None where nothing says which commit brought the fault, or where nothing was released. Who
    wrote the lines that go is asked only with `follow_lines`: it takes a blame of each file.
    """
    if not isinstance(code, CloneSource):
        return None
    try:
        return await _versions(code, evidence, evidence_cache, until, follow_lines=follow_lines)
    except AppError as error:
        # Affected versions are an addition: their absence must not end a report.
        _LOG.warning("%s: the affected versions were not found: %s", evidence.id, error)
        return None


async def first_releases(
    code: CodeSource, commits: Sequence[CommitEvidence], until: datetime
) -> dict[str, str]:
    """Return by hash the first final version that has each commit; empty where there is none yet.

    Nothing where the source cannot say it, or where the repository has no versions at all.
    """
    if not isinstance(code, CloneSource) or not commits:
        return {}
    try:
        tags = await code.tags_made(_BEGINNING, until)
        if not any(is_version(release.tag) for release in tags):
            return {}
        heads = [headline(evidence.change.commit, evidence.pull) for evidence in commits]
        releases = await code.first_tags(heads, until=until)
    except AppError as error:
        # Like affected versions, these are an addition to a report.
        _LOG.warning("the first releases with %d fixes were not found: %s", len(commits), error)
        return {}
    versions: dict[str, str] = {}
    for commit in heads:
        release = releases.get(commit.sha)
        versions[commit.sha] = release.tag if release is not None else ""
    return versions


async def _versions(
    code: CloneSource,
    evidence: CommitEvidence,
    evidence_cache: EvidenceCache,
    until: datetime,
    *,
    follow_lines: bool,
) -> Affected | None:
    introduction = await _introduction(code, evidence, evidence_cache, follow_lines=follow_lines)
    if introduction is None:
        return None
    tags = [release.tag for release in await code.tags_made(_BEGINNING, until)]
    finals = [tag for tag in tags if is_version(tag)]
    if not any(map(is_version_or_candidate, tags)):
        return None
    fix = headline(evidence.change.commit, evidence.pull)
    fault = headline(introduction.commit)
    releases = await code.releases_with([fault, fix], until=until)
    with_fix = {release.tag for release in releases.get(fix.sha, ())}
    with_fault = {release.tag for release in releases.get(fault.sha, ())} - with_fix
    return Affected(
        introduced=introduction.commit.id,
        title=fault.title,
        proof=introduction.proof,
        contains_fault=tuple(in_version_order(with_fault)),
        contains_fix=tuple(in_version_order(with_fix)),
        fault_spans=tuple(version_spans(with_fault, finals)),
        first_fixed=tuple(span.first for span in version_spans(with_fix, finals)),
    )


async def _introduction(
    code: CloneSource,
    evidence: CommitEvidence,
    evidence_cache: EvidenceCache,
    *,
    follow_lines: bool,
) -> _Introduction | None:
    """Return the commit that brought what a commit mends, if it is known."""
    commit = evidence.change.commit
    reverted = await _commits_meant(code, commit, list(_reverted(evidence)))
    if len(reverted) > 1:
        return None
    is_fix = _is_fix(commit)
    named_commits: list[Commit] = []
    blamed_commits: list[Commit] = []
    if is_fix:
        blamed = [*_fixed_by_trailer(commit), *_behind(_CAUSED, commit)]
        blamed_commits = await _commits_meant(code, commit, blamed)
        named = [*blamed, *_behind(_INTRODUCED, commit)]
        named_commits = await _commits_meant(code, commit, named)
    if reverted:
        # Only the author's words make a fault of what is taken back.
        proof: IntroductionProof = "named" if reverted == named_commits else "reverted"
        return _Introduction(reverted[0], proof)
    if not is_fix:
        return None
    if any(fact.kind in _NO_PRODUCT_CODE for fact in evidence.facts):
        return None  # No version does anything wrong that the commit mends
    if blamed_commits:
        return _Introduction(blamed_commits[0], "named") if len(blamed_commits) == 1 else None
    sharing_commits = await _sharing_a_file(code, evidence, named_commits, evidence_cache)
    if sharing_commits:
        return _Introduction(sharing_commits[0], "named") if len(sharing_commits) == 1 else None
    if not follow_lines or len(commit.parents) != 1:
        return None
    writer = await writer_of_removed_lines(headline(commit, evidence.pull), code, evidence_cache)
    if writer is None or not await _may_have_brought(writer, commit, code, evidence_cache):
        return None
    return _Introduction(await code.resolve(writer.sha), "lines")


async def _may_have_brought(
    writer: Headline, commit: Commit, code: CodeSource, evidence_cache: EvidenceCache
) -> bool:
    """Return False where the fault may be older than the writer of the lines that go.

    A fix or a revert changes what was there, and its lines may be a way around the same fault. A
    refactoring takes faults along.
    """
    if not _REWORKING.isdisjoint(read_heading(writer.title).purposes):
        return False
    changes = await evidence_cache.whole(code, [commit.sha, writer.sha])
    if len(changes) < 2 or mostly_adds(changes[commit.sha]):
        return False
    return not only_edited(changes[commit.sha], changes[writer.sha])


async def _sharing_a_file(
    code: CloneSource,
    evidence: CommitEvidence,
    others: Sequence[Commit],
    evidence_cache: EvidenceCache,
) -> list[Commit]:
    """Return the other commits that change a file which this one changes, too."""
    sharing: list[Commit] = []
    for other in others:
        if await _shares_file(code, evidence, other, evidence_cache):
            sharing.append(other)
    return sharing


def _is_fix(commit: Commit) -> bool:
    """Return True if a commit mends something, by its title or by the trailer that says what."""
    if "fix" in read_heading(commit.title).purposes:
        return True
    return _FIXES_TRAILER.search(commit.message[:_MAX_MESSAGE]) is not None


def _reverted(evidence: CommitEvidence) -> Iterator[EvidenceId]:
    """Yield what a commit takes back, by what its facts say."""
    repo = evidence.repo
    for fact in evidence.facts:
        if fact.kind != "revert":
            continue
        if fact.old:
            yield EvidenceId.listed(repo, revision=fact.old)
            continue
        name = f"{repo}{fact.name}" if fact.name.startswith("#") else fact.name
        target = EvidenceId.parse(name)
        if target is not None and target.repo == repo:
            yield target


def _fixed_by_trailer(commit: Commit) -> Iterator[EvidenceId]:
    """Yield the commits that the trailers of a message say it fixes."""
    for trailer in _FIXES_TRAILER.finditer(commit.message[:_MAX_MESSAGE]):
        yield EvidenceId.listed(commit.repo, revision=trailer["sha"])


def _behind(words: re.Pattern[str], commit: Commit) -> Iterator[EvidenceId]:
    """Yield the commits and pull requests that a message names directly behind some words."""
    message = commit.message[:_MAX_MESSAGE]
    for phrase in words.finditer(message):
        behind = message[phrase.end() : phrase.end() + _MAX_REFERENCE]
        if bare_hash := _BARE_HASH.match(behind):
            yield EvidenceId.listed(commit.repo, revision=bare_hash["sha"])
            continue
        # A bracket before the reference is part of a link, as Markdown writes it.
        opened = message[phrase.end() - 1 : phrase.end() + _MAX_REFERENCE]
        for text in (behind, opened):
            reference = next(find_references(text, commit.repo), None)
            if reference is not None and reference.start == 0:
                if reference.target.repo == commit.repo:
                    yield reference.target
                break


async def _commits_meant(
    code: CloneSource, commit: Commit, targets: Sequence[EvidenceId]
) -> list[Commit]:
    """Return the earlier landed commits of these hashes and numbers of pull requests, each once."""
    commits: dict[str, Commit] = {}
    numbers = {target.number for target in targets if target.number}
    for earlier in await _landed_pulls(code, commit, numbers):
        commits[earlier.sha] = await code.resolve(earlier.sha)
    for target in targets:
        if target.number:
            continue
        try:
            earlier_commit = await code.resolve(target.revision)
        except NotFound:
            continue
        commits[earlier_commit.sha] = earlier_commit
    commits.pop(commit.sha, None)
    return list(commits.values())


async def _landed_pulls(code: CloneSource, commit: Commit, numbers: set[int]) -> list[Headline]:
    if not numbers:
        return []
    since = commit.committed_at - FAR
    past = await code.headed(naming(numbers), upto=commit.sha, since=since)
    if past is None:
        return []
    return [commit for commit in past.found if commit.pull in numbers]


async def _shares_file(
    code: CodeSource, evidence: CommitEvidence, earlier: Commit, evidence_cache: EvidenceCache
) -> bool:
    """Return True if two commits change the same file.

    An author also names the commit that introduced something which is no fault: an argument, a test.
    """
    changes = await evidence_cache.whole(code, [earlier.sha])
    if earlier.sha not in changes:
        return False
    paths: set[str] = set()
    for file in changes[earlier.sha].files:
        paths.update(path for path in (file.path, file.previous_path) if path)
    return not paths.isdisjoint(evidence.paths)
