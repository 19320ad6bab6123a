"""Published statements of earlier reports, found by words and by days."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from agent.domain.base import LANGUAGES, Language, RepoId
from agent.domain.claims import MARK, Claim
from agent.domain.evidence_id import EvidenceId
from agent.domain.report import Report, RepoSection
from agent.domain.window import Window
from agent.report_languages import language_of
from memory.column_values import clean, moment_of, stamp
from memory.protocols import Database, Record, StatementHit, StatementScope
from memory.search_words import indexed_text, terms_of

_MAX_STATEMENT = 600  # Characters of a statement that are kept
_MAX_REPORT_LINES = 400
_MAX_WEIGHED = 1_000
"""A word that occurs everywhere is weighed in the newest statements only; searches stay short."""
_SCORE_HALVES_AFTER = timedelta(days=180)


class Statement(NamedTuple):
    """One thing that a report says of a repository."""

    repo: RepoId
    cites: Sequence[EvidenceId]  # What is cited and not named in the text
    texts: Mapping[Language, str]  # One text alone is that of every language


class Statements:
    """Searches the statements of published reports.

    With `before`, only reports whose windows had ended by that moment are searched.
    """

    def __init__(self, db: Database) -> None:
        self._db = db

    def search(
        self,
        words: str,
        *,
        repo: RepoId | None = None,
        limit: int = 10,
        before: datetime | None = None,
    ) -> Sequence[str]:
        """Return the statements that fit best, a line each; of equals the newest comes first."""
        scope = _scope(repo, before)
        terms = terms_of(words)
        hits = self._db.statements.search(terms, scope, _MAX_WEIGHED, every=True)
        if not hits:
            hits = self._db.statements.search(terms, scope, _MAX_WEIGHED, every=False)
        newest = max((hit.window_start for hit in hits), default="")

        def rank(hit: StatementHit) -> tuple[float, int]:
            score = hit.score / _aging(newest, hit.window_start)
            return (-score, -hit.id)

        lang = language_of(words)
        best = sorted(hits, key=rank)[:limit]
        return [_line(hit, lang) for hit in best]

    def report(
        self, day: str, *, repo: RepoId | None = None, before: datetime | None = None
    ) -> Sequence[str]:
        """Return the statements of a day's report, one a line, in its order."""
        scope = _scope(repo, before)
        hits = self._db.statements.of_day(day, scope, _MAX_REPORT_LINES + 1)
        lines = [_line(hit, LANGUAGES[0]) for hit in hits[:_MAX_REPORT_LINES]]
        if len(hits) > _MAX_REPORT_LINES:
            lines.append("there is more; search for it by words")
        return lines

    def put(self, report: Report) -> None:
        """Replace what a report says of its repositories; the caller holds the transaction."""
        window = report.window
        for section in report.sections:
            self._db.delete("statements", {"window_key": window.key, "repo": section.repo})
        records = [_record(statement, window) for statement in _statements(report)]
        self._db.insert("statements", records)


@dataclass(frozen=True)
class EarlierStatements:
    """The statements that a run may recall: of reports whose windows ended before its own begins.

    So a window that is run again is shown what it was shown the first time, not its own report.
    """

    statements: Statements
    before: datetime

    def search(self, words: str, *, repo: RepoId | None = None, limit: int = 10) -> Sequence[str]:
        """Return the statements that fit best, a line each."""
        return self.statements.search(words, repo=repo, limit=limit, before=self.before)

    def report(self, day: str, *, repo: RepoId | None = None) -> Sequence[str]:
        """Return the statements of an earlier day's report, one a line."""
        return self.statements.report(day, repo=repo, before=self.before)


def _scope(repo: RepoId | None, before: datetime | None) -> StatementScope:
    return StatementScope(repo, None if before is None else stamp(before))


def _record(statement: Statement, window: Window) -> Record:
    texts: dict[Language, str] = {}
    for lang in LANGUAGES:
        text = _bounded(statement.texts.get(lang, ""))
        if text:
            texts[lang] = text
    return {
        "repo": statement.repo,
        "window_key": window.key,
        "label": window.label,
        "window_start": stamp(window.start),
        "window_end": stamp(window.end),
        "cites": " ".join(statement.cites),
        "texts": json.dumps(texts, ensure_ascii=False),
        **indexed_text(" ".join(texts.values()))._asdict(),
    }


def _line(hit: StatementHit, lang: Language) -> str:
    """Return a statement on one line, with its day and what it cites.

    A text that is missing in this language is shown in another one.
    """
    texts: dict[Language, str] = json.loads(hit.texts)
    text = texts.get(lang) or next(iter(texts.values()), "")
    cites = f" [{hit.cites.replace(' ', ', ')}]" if hit.cites else ""
    return f"{hit.label} {hit.repo}: {text}{cites}"


def _statements(report: Report) -> Iterator[Statement]:
    """Yield everything that a report says, repository by repository."""
    for section in report.sections:
        for claim in report.claims:
            if claim.repo == section.repo:
                yield _of_claim(section.repo, claim)
        for text, cites in _listed(report, section):
            unnamed = [cite for cite in cites if cite not in text]
            yield Statement(section.repo, unnamed, {LANGUAGES[0]: text})


def _listed(report: Report, section: RepoSection) -> Iterator[tuple[str, tuple[EvidenceId, ...]]]:
    """Yield what the report lists of a repository, each with what it cites."""
    repo = section.repo
    for row in report.rows(repo):
        yield row.title, (EvidenceId.listed(repo, revision=row.sha),)
    for line in section.issues:
        yield f"{line.event}: {line.title}", (EvidenceId.listed(repo, number=line.number),)
    for release in section.releases:
        yield f"{release.tag} {release.name}", (EvidenceId.listed(repo, revision=release.tag),)
    for link in report.links:
        if link.issue.startswith(f"{repo}#"):
            grade = f"(grade {link.grade.value})"
            text = f"{link.change} {link.relation.value} {link.issue} {grade}"
            yield text, (link.change, link.issue)
    for story in report.stories:
        if story.repo == repo:
            yield f"{story.kind}: {' then '.join(story.steps)}", story.steps


def _of_claim(repo: RepoId, claim: Claim) -> Statement:
    """Return a claim with the names of what it cites in the place of its citation marks."""
    sources = claim.sources

    def source_of(mark: re.Match[str]) -> str:
        number = int(mark[1])
        return sources[number - 1] if number <= len(sources) else ""

    texts = {lang: MARK.sub(source_of, text) for lang, text in claim.text.items()}
    unnamed: list[EvidenceId] = []
    for source in sources:
        if not any(source in text for text in texts.values()):
            unnamed.append(source)
    return Statement(repo, unnamed, texts)


def _aging(newest: str, start: str) -> float:
    """Return the divisor of a statement's score, which grows with its distance from the newest."""
    return 1.0 + (moment_of(newest) - moment_of(start)) / _SCORE_HALVES_AFTER


def _bounded(text: str) -> str:
    """Return a statement as one short line."""
    line = clean(" ".join(text.split()))
    return line if len(line) <= _MAX_STATEMENT else f"{line[: _MAX_STATEMENT - 1]}…"
