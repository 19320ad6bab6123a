"""Checks of versions: tags that links name exist, and headings date them as git does."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import zip_longest
from typing import NamedTuple
from urllib.parse import unquote

from agent.audit.entries import AuditEntry
from agent.audit.findings import RIGHT, UNVERIFIABLE, Finding, finding
from agent.audit.markdown import MarkdownSpan, links_of, plain
from agent.audit.repository_lookup_results import Library
from agent.domain.base import RepoId
from agent.domain.stated_dates import Stated, find_dates

_OWNED = r"https?://[\w.-]{1,100}/(?P<repo>[\w-]{1,39}/[\w.-]{1,100})"
_REVISION = r"[^\s?#:]{1,150}"
_LINK = re.compile(
    rf"{_OWNED}/(?:compare/(?P<old>{_REVISION}?)\.\.\.?(?P<new>{_REVISION})"
    rf"|releases/tag/(?P<tag>{_REVISION}))(?:[?#]\S{{0,500}})?",
    re.ASCII,
)
_NUMBERS = re.compile(r"(?<![\d.])\d{1,6}(?:\.\d{1,9}){1,4}")
_SUFFIX = re.compile(r"[-._+]?(?:[A-Za-z]{1,12}[-.]?\d{0,9}[-.]?){0,3}")
_DEFINITION = re.compile(r"\[([^\[\]\n]{1,100})\]:\s?\Z")
_VERSION_OF_HEADING = re.compile(r"\[?v?(\d{1,6}(?:\.\d{1,9}){1,4}[\w.+-]{0,40})(?![\w/])")
_MIN_DATES = 5  # That are those of their tags, before another one is wrong
_SHARE_OF_DATES = 0.8
_ROUNDING = timedelta(days=1)


class _Version(NamedTuple):
    """The name of a tag as people write versions: a prefix, numbers, and a candidate's mark."""

    prefix: str
    numbers: tuple[int, ...]
    rest: str


class _VersionLink(NamedTuple):
    """A link to a version, or to what changed between two."""

    line: int
    label: str
    repo: RepoId
    revisions: tuple[str, ...]


def check_versions(entries: Sequence[AuditEntry], library: Library) -> Iterator[Finding]:
    """Check the versions that links name, and the dates of versions in headings."""
    for entry in entries:
        for link in _version_links(entry, library):
            tags = library[link.repo].tags
            for revision in link.revisions:
                yield from _tag_finding(revision, link, tags)
            yield from _label_of_version(link)
    yield from _dates_of_versions(entries, library)


def has_versions(entries: Sequence[AuditEntry]) -> bool:
    """Return True if a report speaks of versions, so that the tags must be read."""
    for entry in entries:
        if entry.block.kind == "heading" and _VERSION_OF_HEADING.search(entry.block.text[:200]):
            return True
        if "/compare/" in entry.block.text or "/releases/tag/" in entry.block.text:
            return True
    return False


def _version_links(entry: AuditEntry, library: Library) -> Iterator[_VersionLink]:
    """Yield the links of a block to versions of repositories that were read."""
    text = entry.block.text
    if entry.block.kind == "fence" or ("/compare/" not in text and "/releases/" not in text):
        return
    repo_by_name = {repo.casefold(): repo for repo in library}
    for span in links_of(text):
        match = _LINK.fullmatch(span.url)
        repo = repo_by_name.get(match["repo"].casefold()) if match else None
        if match is None or repo is None or not library[repo].is_complete:
            continue
        revisions = []
        for name in ("old", "new", "tag"):
            if match[name]:
                revisions.append(unquote(match[name]))
        line = entry.block.line_at(span.start)
        yield _VersionLink(line, _label_of(span, text), repo, tuple(revisions))


def _label_of(span: MarkdownSpan, text: str) -> str:
    """Return what a link is called; an address may stand behind the name that it defines."""
    if span.text != span.url:
        return span.text
    definition = _DEFINITION.search(text[max(0, span.start - 120) : span.start])
    return definition[1] if definition else ""


def _tag_finding(
    revision: str, link: _VersionLink, tags: Mapping[str, datetime]
) -> Iterator[Finding]:
    """Check that a tag exists; what is no version may be a branch or a hash.

    Only a version between others of the same form is surely missing: a newer one may not have been
    fetched, and an older one may be from before there were tags.
    """
    claim = f"{link.repo} {revision}"
    if revision in tags:
        evidence = f"tagged on {tags[revision]:%Y-%m-%d}"
        yield Finding(link.line, "version", claim, RIGHT, evidence)
        return
    version = _version_of(revision)
    if version is None:
        return
    evidence = f"{link.repo} has no tag {revision}"
    if _is_among(version, tags):
        yield finding(link.line, "version", claim, evidence, wrong="nonexistent")
    else:
        yield Finding(link.line, "version", claim, UNVERIFIABLE, evidence)


def _version_of(revision: str) -> _Version | None:
    match = _NUMBERS.search(revision)
    if match is None or not _SUFFIX.fullmatch(revision, match.end()):
        return None
    numbers = tuple(int(number) for number in match[0].split("."))
    return _Version(revision[: match.start()], numbers, revision[match.end() :])


def _is_among(version: _Version, tags: Mapping[str, datetime]) -> bool:
    """Return True if there are older and newer tags with as many numbers behind the same prefix."""
    has_older = False
    has_newer = False
    for tag in tags:
        other = _version_of(tag)
        if other is None or other.prefix != version.prefix or other.rest:
            continue
        if len(other.numbers) == len(version.numbers):
            has_older |= other.numbers < version.numbers
            has_newer |= other.numbers > version.numbers
    return has_older and has_newer


def _label_of_version(link: _VersionLink) -> Iterator[Finding]:
    """Compare the version that a link is called with the versions that it leads to."""
    called = _version_of(plain(link.label).strip(" `*[]"))
    versions = [_version_of(revision) for revision in link.revisions]
    if called is None or None in versions:
        return
    is_right = any(version and _is_same(version, called) for version in versions)
    leads_to = "...".join(link.revisions)
    evidence = f"the label says {plain(link.label)} and the link leads to {leads_to}"
    yield finding(
        link.line, "label", plain(link.label), evidence, wrong="" if is_right else "label"
    )


def _is_same(version: _Version, other: _Version) -> bool:
    """Return True if two versions are the same, whatever stands before them: `1.0` is `1.0.0`."""
    pairs = zip_longest(version.numbers, other.numbers, fillvalue=0)
    return version.rest == other.rest and all(number == same for number, same in pairs)


class _DatedVersion(NamedTuple):
    """A heading with a version and its date, and when git has it and the versions around it."""

    line: int
    tag: str
    written_date: str
    stated: datetime  # The first moment of that day
    tagged_at: datetime
    previous_at: datetime | None
    next_at: datetime | None

    @property
    def verdict(self) -> str:
        """Compare the days; a version may be dated before or after it was tagged.

        But not before the version that went before it, nor after the one that came next.
        """
        if -_ROUNDING <= self.tagged_at - self.stated <= 2 * _ROUNDING:
            return RIGHT
        is_early = self.previous_at and self.stated < self.previous_at - 2 * _ROUNDING
        is_late = self.next_at and self.stated > self.next_at + _ROUNDING
        return "wrong:metadata" if is_early or is_late else UNVERIFIABLE


def _dates_of_versions(entries: Sequence[AuditEntry], library: Library) -> Iterator[Finding]:
    """Compare the dates of versions with those of their tags.

    A project may date its versions by something else. So a date is wrong only if those of most other
    versions are the dates of their tags.
    """
    dated: list[_DatedVersion] = []
    for entry in entries:
        dated.extend(_dated_version(entry, library))
    right = [version for version in dated if version.verdict == RIGHT]
    if len(right) < _MIN_DATES or len(right) < _SHARE_OF_DATES * len(dated):
        return
    for version in dated:
        claim = f"{version.tag}, {version.written_date}"
        evidence = f"{version.tag} was tagged on {version.tagged_at:%Y-%m-%d}"
        yield Finding(version.line, "date", claim, version.verdict, evidence, version.written_date)


def _dated_version(entry: AuditEntry, library: Library) -> Iterator[_DatedVersion]:
    """Yield the version that a heading begins with, if it has one date, and one tag is its."""
    if entry.block.kind != "heading":
        return
    title = plain(entry.block.text[:400])
    version = _VERSION_OF_HEADING.match(title)
    if version is None:
        return
    dates = find_dates(title[version.end() :])
    stated = _first_moment(dates[0]) if len(dates) == 1 else None
    repos = [repo for repo in entry.scope or library if repo in library]
    if stated is None or len(repos) != 1:
        return
    tags = library[repos[0]].tags
    names = [name for name in (f"v{version[1]}", version[1]) if name in tags]
    if len(names) == 1:
        moments = (tags[names[0]], *_moments_around(names[0], tags))
        yield _DatedVersion(entry.block.line, names[0], dates[0].text, stated, *moments)


def _first_moment(date: Stated) -> datetime | None:
    """Return the beginning of a stated day; None if no such day is stated."""
    if not date.year or not date.month or not date.day:
        return None
    try:
        return datetime(date.year, date.month, date.day, tzinfo=UTC)
    except ValueError:
        return None


def _moments_around(
    name: str, tags: Mapping[str, datetime]
) -> tuple[datetime | None, datetime | None]:
    """Return when the versions before and after a tag were tagged, in the order of their numbers.

    None stands for a version that there is not, or that was not tagged in that order.
    """
    version = _version_of(name)
    lower: dict[tuple[int, ...], datetime] = {}
    higher: dict[tuple[int, ...], datetime] = {}
    for tag, moment in tags.items():
        other = _version_of(tag)
        if version is None or other is None or other.prefix != version.prefix or other.rest:
            continue
        if other.numbers < version.numbers and moment < tags[name]:
            lower[other.numbers] = moment
        elif other.numbers > version.numbers and moment > tags[name]:
            higher[other.numbers] = moment
    previous_at = lower[max(lower)] if lower else None
    next_at = higher[min(higher)] if higher else None
    return previous_at, next_at
