"""The look-up of commits, threads and releases in the published reports of an output folder."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from agent.domain.base import Language, RepoId
from agent.domain.claims import Claim
from agent.domain.errors import InputError
from agent.domain.evidence_id import EvidenceId
from agent.domain.ledger import LedgerRow
from agent.domain.links import Link, Story
from agent.domain.placement import CommitGroup
from agent.domain.references import Reference, parse_reference
from agent.domain.report import ReleaseLine, Report, ThreadLine
from agent.domain.window import zone
from gitzette.output_folder import PublishedReports
from gitzette.render.report_view import cut_title

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}(?:T\d{4,6})?(?:\.\.\S{10,17})?", re.ASCII)
_MAX_LISTED = 5  # Candidates that an error names
_SHORT = 10  # Digits of a hash in an error


class PublishedReport(NamedTuple):
    """A report with the label of its file."""

    label: str
    report: Report


@dataclass(frozen=True)
class PublishedCommit:
    """A commit in the report that has it."""

    label: str
    report: Report
    row: LedgerRow

    @property
    def id(self) -> EvidenceId:
        """The name under which the commit is cited."""
        return self.row.id

    @property
    def claims(self) -> list[Claim]:
        """The claims of the report about it, in order."""
        return [claim for claim in self.report.claims if claim.about[:1] == (self.id,)]

    @property
    def links(self) -> list[Link]:
        """The issues that it has to do with."""
        return [link for link in self.report.links if link.change == self.id]

    @property
    def stories(self) -> list[Story]:
        """The stories that it is a step of."""
        return [story for story in self.report.stories if self.id in story.steps]

    @property
    def group(self) -> CommitGroup | None:
        """The commits that it shares a card with."""
        for group in self.report.groups:
            if self.id in group.commits:
                return group
        return None

    def group_label(self, lang: Language) -> str:
        """Return what its group is called; empty where it has none."""
        if self.group is None:
            return ""
        return self.group.label.get(lang) or next(iter(self.group.label.values()), "")


class ThreadEvent(NamedTuple):
    """An event of a thread in a report."""

    label: str
    line: ThreadLine


class ThreadLink(NamedTuple):
    """A link between a commit and a thread in a report."""

    label: str
    link: Link
    title: str  # Of the commit; empty where the report does not have it


@dataclass(frozen=True)
class PublishedThread:
    """An issue or a pull request with all that reports say of it, newest first."""

    id: EvidenceId
    events: tuple[ThreadEvent, ...]
    links: tuple[ThreadLink, ...]
    commits: tuple[PublishedCommit, ...]  # That landed it, where it is a pull request

    @property
    def title(self) -> str:
        """The newest title that a report has; empty where it is only known by its number."""
        if self.events:
            return self.events[0].line.title
        return self.commits[0].row.title if self.commits else ""


@dataclass(frozen=True)
class PublishedRelease:
    """A release in the report of the day on which it was published."""

    label: str
    report: Report
    id: EvidenceId
    line: ReleaseLine

    @property
    def claims(self) -> list[Claim]:
        """The claims of the report about it."""
        return [claim for claim in self.report.claims if self.id in claim.sources]

    @property
    def stories(self) -> list[Story]:
        """The stories that it is a step of."""
        stories = []
        for story in self.report.stories:
            if any(step.cite == self.id for step in story.timeline):
                stories.append(story)
        return stories


class _ThreadNews:
    """Collects what reports say of the threads with one number, each in its own repository."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._events: dict[EvidenceId, list[ThreadEvent]] = {}
        self._links: dict[EvidenceId, list[ThreadLink]] = {}
        self._commits: dict[EvidenceId, list[PublishedCommit]] = {}

    def add(self, published: PublishedReport) -> None:
        """Add what a report says."""
        label, report = published
        for section in report.sections:
            for line in section.issues:
                if line.number == self._number:
                    events = self._events.setdefault(line.id(section.repo), [])
                    events.append(ThreadEvent(label, line))
        titles = {row.id: row.title for row in report.ledger}
        for link in report.links:
            if link.issue.number == self._number:
                entry = ThreadLink(label, link, titles.get(link.change, ""))
                self._links.setdefault(link.issue, []).append(entry)
        for row in report.ledger:
            if cut_title(row).number == self._number:
                thread = EvidenceId.listed(row.repo, number=self._number)
                commit = PublishedCommit(label, report, row)
                self._commits.setdefault(thread, []).append(commit)

    def threads(self) -> list[EvidenceId]:
        """Return the threads that reports name."""
        return list(dict.fromkeys((*self._events, *self._links, *self._commits)))

    def of(self, thread: EvidenceId) -> PublishedThread:
        """Return all that reports say of a thread."""
        return PublishedThread(
            id=thread,
            events=tuple(self._events.get(thread, ())),
            links=tuple(self._links.get(thread, ())),
            commits=tuple(self._commits.get(thread, ())),
        )


Artefact = PublishedReport | PublishedCommit | PublishedThread | PublishedRelease


class PublishedLookup:
    """Finds what a person names in the reports of a folder; `repo` narrows it to a repository."""

    def __init__(self, out: Path, tz: str, repo: RepoId | None = None) -> None:
        self._out = out
        self._reports = PublishedReports(out)
        self._tz = tz
        self._repo = repo

    def find(self, what: str) -> Artefact:
        """Return the report, commit, thread or release that a text names.

        A text is a day, a hash, a number or a tag, with or without a repository; the newest
        report if it is empty.
        """
        what = what.strip()
        label = self._label(what)
        if label is not None:
            return PublishedReport(label or self._newest(), self._reports.report(label))
        reference = parse_reference(what, self._repo)
        if reference is not None and reference.kind == "thread":
            return self._thread(reference)
        if reference is not None:
            commits = list(self._commits(reference))
            if commits:
                return self._only_commit(what, commits)
        releases = list(self._releases(what))
        if releases:
            return self._only_release(what, releases)
        raise self._not_found(what, is_commit=reference is not None)

    def _label(self, what: str) -> str | None:
        """Return the label of the report that a text names; None if it names something else."""
        if not what or _DAY.fullmatch(what):
            return what
        today = datetime.now(UTC).astimezone(zone(self._tz)).date()
        days = {"today": today, "yesterday": today - timedelta(days=1)}
        return str(days[what]) if what in days else None

    def _newest(self) -> str:
        labels = self._reports.labels()
        return labels[0] if labels else ""

    def _matching(self, *needles: str) -> Iterator[PublishedReport]:
        """Yield the reports whose files have one of some texts, newest first.

        A report is parsed only if its file has one: an archive of years has hundreds.
        """
        encoded = [needle.encode() for needle in needles]
        labels = self._reports.labels()
        if not labels:
            raise InputError(
                f"{self._out} has no reports yet; make one with `gitzette run`,"
                " or name their folder with --out"
            )
        for label in labels:
            data = (self._out / "reports" / f"{label}.json").read_bytes()
            if any(needle in data for needle in encoded):
                yield PublishedReport(label, self._reports.report(label))

    def _is_wanted(self, repo: RepoId, requested: RepoId | None) -> bool:
        requested = requested or self._repo
        return requested is None or repo.lower() == requested.lower()

    def _commits(self, reference: Reference) -> Iterator[PublishedCommit]:
        for label, report in self._matching(f'"sha": "{reference.sha}'):
            for row in report.ledger:
                is_same = row.sha.startswith(reference.sha)
                if is_same and self._is_wanted(row.repo, reference.repo):
                    yield PublishedCommit(label, report, row)

    def _only_commit(self, what: str, commits: Sequence[PublishedCommit]) -> PublishedCommit:
        """Return the commit of the newest report, unless the hash is that of several commits."""
        ids = dict.fromkeys(commit.id for commit in commits)
        if len(ids) > 1:
            names = [name.shortened(_SHORT) for name in ids]
            raise InputError(f"{what} is {_listed(names)}; write more digits, or owner/name@HASH")
        return commits[0]

    def _thread(self, reference: Reference) -> PublishedThread:
        number = reference.number
        news = _ThreadNews(number)
        needles = (f'"number": {number},', f'#{number}"', f"(#{number})", f'"pull": {number},')
        for published in self._matching(*needles):
            news.add(published)
        threads = []
        for thread in news.threads():
            if self._is_wanted(thread.repo, reference.repo):
                threads.append(thread)
        if not threads:
            raise InputError(
                f"no published report names #{number}{self._where()};"
                " `gitzette ask` searches all that was read"
            )
        if len(threads) > 1:
            raise InputError(f"#{number} is {_listed(threads)}; write owner/name#{number}")
        return news.of(threads[0])

    def _releases(self, what: str) -> Iterator[PublishedRelease]:
        release_id = EvidenceId.parse(what)
        tag = what
        repo = None
        if release_id is not None and release_id.kind == "tag":
            tag = release_id.revision
            repo = release_id.repo
        for label, report in self._matching(f'"tag": "{tag}"', f'"tag": "v{tag}"'):
            for section in report.sections:
                for line in section.releases:
                    is_same = line.tag in (tag, f"v{tag}")
                    if is_same and self._is_wanted(section.repo, repo):
                        yield PublishedRelease(label, report, line.id(section.repo), line)

    def _only_release(self, what: str, releases: Sequence[PublishedRelease]) -> PublishedRelease:
        ids = list(dict.fromkeys(release.id for release in releases))
        if len(ids) > 1:
            raise InputError(f"{what} is {_listed(ids)}; write owner/name@TAG")
        return releases[0]

    def _not_found(self, what: str, *, is_commit: bool) -> InputError:
        kind = "commit or release" if is_commit else "report, commit, thread or release"
        advice = "write a day, a hash, #NUMBER or a tag"
        if is_commit:
            advice = f"`gitzette facts {what}` reads a commit that no report has"
        return InputError(
            f"no published report has a {kind} {what[:60]!r}{self._where()}; {advice}"
        )

    def _where(self) -> str:
        return f" of {self._repo}" if self._repo else ""


def _listed(names: Sequence[str]) -> str:
    """Return the names of several things that one text means."""
    listed_names = ", ".join(names[:_MAX_LISTED])
    more = f" and {len(names) - _MAX_LISTED} more" if len(names) > _MAX_LISTED else ""
    return f"in several places: {listed_names}{more}"
