"""Rows for the editor: one a commit, with its words, files, facts, links and lines."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from agent.domain.commits import Change, Commit, FileChange
from agent.domain.evidence import CommitEvidence, PublishedEvidence
from agent.domain.evidence_id import EvidenceId
from agent.domain.facts import Fact, Severity
from agent.editor.informative_lines import MAX_LINES, informative_lines
from agent.fact_sentences import fact_sentence
from agent.packets.boilerplate_in_messages import lines_in_common, without_boilerplate
from agent.reports.shown_titles import shown_title
from agent.triage.collected_commits import Collected
from agent.triage.title_conventions import Area, area
from agent.writing.tasks import commit_handles

_MAX_TITLE = 200  # Characters, as of all texts in a row
_MAX_MESSAGE = 600
_MAX_FACT = 160
_MAX_FACTS = 4
_MAX_PATHS = 3  # Files that are named of each area
_MAX_LINKS = 3
_MAX_USES = 3
_MAX_TAG = 60
_MAX_TAGS = 12
_HASH = re.compile(r"\b[0-9a-f]{12,64}\b")
_TRAILER = re.compile(r"[A-Za-z-]{1,40}-by: ")  # Such as `Signed-off-by`, of git
_DETAIL_INDENT = "\n  "


class CommitRow(NamedTuple):
    """One landed commit as the editor is shown it."""

    handle: str
    commit: EvidenceId
    title: str
    details: tuple[str, ...]
    lines: tuple[str, ...]  # The most informative changed lines
    facts: tuple[Fact, ...] = ()  # Those that the details describe in words

    @property
    def sha(self) -> str:
        """The hash of the commit."""
        return self.commit.sha

    @property
    def heading(self) -> str:
        """The handle and the title."""
        return f"[{self.handle}] {self.title}"

    def text(self, max_lines: int = MAX_LINES) -> str:
        """Return the row with at most so many changed lines."""
        return _DETAIL_INDENT.join((self.heading, *self.details, *self.lines[:max_lines]))

    @property
    def evidence(self) -> PublishedEvidence:
        """The text against which the words of an editor about the commit are checked."""
        return PublishedEvidence(id=self.commit, text=self.text())


def release_line(tags: Sequence[str]) -> str:
    """Return the tags of the window as they stand above the rows; empty if there are none."""
    if not tags:
        return ""
    listed = ", ".join(tag[:_MAX_TAG] for tag in tags[:_MAX_TAGS])
    return f"releases of these days: {listed}\n"


def row_handles(collected: Collected) -> dict[str, str]:
    """Return the handles of all landed commits: those with a readable diff first, heaviest first."""
    weighed = [triaged.sha for triaged in collected.table]
    return commit_handles((*weighed, *collected.shas))


@dataclass(frozen=True)
class RowWriter:
    """Writes the rows of one repository's day."""

    collected: Collected
    recurring: frozenset[str]  # Lines that many messages have in common

    @classmethod
    def of(cls, collected: Collected, templates: Iterable[str]) -> "RowWriter":
        """Look through what people wrote of the day's changes for lines that recur."""
        texts: dict[str, list[str]] = {}
        for row in collected.landed:
            number = collected.threads.pull_of.get(row.commit.sha)
            # A squashed message repeats the text of its own pull request.
            change = f"#{number}" if number else row.commit.sha
            texts.setdefault(change, []).append(row.commit.message)
        for pull in collected.threads.pulls:
            texts.setdefault(f"#{pull.number}", []).append(pull.body)
        return cls(collected, lines_in_common(texts, templates))

    def row(
        self, handle: str, commit: Commit, evidence: CommitEvidence | None, release: str = ""
    ) -> CommitRow:
        """Return the row of a commit; without a readable diff it has only words.

        `release` is the tag of the window that is the first to have the commit, if any.
        """
        details = list(self._words(commit))
        lines: tuple[str, ...] = ()
        facts: list[Fact] = []
        if evidence is not None:
            details += _file_lines(evidence.change)
            details += _fact_lines(evidence.facts)
            lines = informative_lines(evidence)
            facts = _described_facts(evidence.facts)[:_MAX_FACTS]
        details += self._links(commit)
        if release:
            details.append(f"released in these days: {release[:_MAX_TAG]} is the first with it")
        details += self._circumstances(commit)
        title = shown_title(commit.title)[:_MAX_TITLE]
        return CommitRow(handle, commit.id, title, tuple(details), lines, tuple(facts))

    def _words(self, commit: Commit) -> Iterator[str]:
        lines = without_boilerplate(commit.body, self.recurring).splitlines()
        words = " ".join(line for line in lines if not _TRAILER.match(line))
        message = _without_hashes(" ".join(words.split()))
        if message:
            yield f"message: {message[:_MAX_MESSAGE]}"

    def _links(self, commit: Commit) -> Iterator[str]:
        titles = {issue.id: issue.title for issue in self.collected.threads.issues}
        links = [link for link in self.collected.links if link.change == commit.id]
        for link in links[:_MAX_LINKS]:
            title = " ".join(titles.get(link.issue, "").split())
            yield f"{link.relation.value} #{link.issue.number} {title[:_MAX_TITLE]}".rstrip()

    def _circumstances(self, commit: Commit) -> Iterator[str]:
        if any(row.commit.sha == commit.sha for row in self.collected.late):
            yield "landed before this window and is reported late"
        uses = [use.name for use in self.collected.own_uses if use.sha == commit.sha]
        if uses:
            names = ", ".join(list(dict.fromkeys(uses))[:_MAX_USES])
            yield f"the readers' own code uses what it changes: {names}"
        if unread := self.collected.unread.get(commit.sha):
            yield f"its diff was not read: {unread.reason[:_MAX_FACT]}"


def _file_lines(change: Change) -> Iterator[str]:
    """Yield the areas that a commit touches, with their counts and the files that changed most."""
    by_area: dict[Area, list[FileChange]] = {}
    for file in change.files:
        by_area.setdefault(area(file.path), []).append(file)
    for kind in Area:
        files = by_area.get(kind)
        if files:
            yield _area_line(kind, files)


def _area_line(kind: Area, files: Sequence[FileChange]) -> str:
    additions = sum(file.additions for file in files)
    deletions = sum(file.deletions for file in files)
    largest = sorted(files, key=lambda file: -(file.additions + file.deletions))[:_MAX_PATHS]
    names = ", ".join(_file_name(file) for file in largest)
    more = f" and {len(files) - len(largest)} more" if len(files) > len(largest) else ""
    return f"{kind.value} +{additions} -{deletions}: {names}{more}"


def _file_name(file: FileChange) -> str:
    if file.status in ("added", "removed", "renamed"):
        return f"{file.path} ({file.status})"
    return file.path


def _described_facts(facts: Sequence[Fact]) -> list[Fact]:
    """Return the facts that users can notice, without those that only name changed code."""
    described: list[Fact] = []
    for fact in facts:
        if fact.kind != "code-changed" and fact.severity is not Severity.INTERNAL:
            described.append(fact)
    return described


def _fact_lines(facts: Sequence[Fact]) -> Iterator[str]:
    described = _described_facts(facts)
    for fact in described[:_MAX_FACTS]:
        kind = "breaks" if fact.severity is Severity.BREAKING else "fact"
        yield f"{kind}: {_without_hashes(fact_sentence(fact, 'en'))[:_MAX_FACT]}"
    left = Counter(fact.kind for fact in described[_MAX_FACTS:])
    if left:
        counts = ", ".join(f"{count} {kind}" for kind, count in left.items())
        yield f"further facts: {counts[:_MAX_FACT]}"


def _without_hashes(text: str) -> str:
    """Return a text without hashes of commits: an editor knows commits by their handles alone."""
    return _HASH.sub("(hash)", text)
