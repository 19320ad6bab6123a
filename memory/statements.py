"""What published reports said: statements found by words and days, stories by what they are made of."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from pydantic import ValidationError

from agent.domain.base import RepoId
from agent.domain.claims import MARK, Claim
from agent.domain.commits import Headline
from agent.domain.evidence_id import EvidenceId
from agent.domain.links import Story
from agent.domain.report import Report, RepoSection
from agent.domain.window import Window
from agent.ports import Past
from agent.stories.timeline import Remembered
from memory.database import Database, Row, Value, clean, moment_of, stamp
from memory.text_index import Scope, TextIndex, has_han, terms

_MAX_STATEMENT = 600  # Characters of a statement that are kept
_MAX_REPORT_LINES = 400
_MAX_WEIGHED = 1_000
"""A word that occurs everywhere is weighed in the newest statements only, which keeps searches short."""
_SCORE_HALVES_AFTER = timedelta(days=180)
_MAX_PAST_COMMITS = 2_000
_RECENT = timedelta(days=60)


class Statement(NamedTuple):
    """One thing that a report says of a repository."""

    repo: RepoId
    cites: Sequence[EvidenceId]  # What is cited and not named in the text
    en: str  # English, or the same text in every language
    zh: str = ""


class _Stored(NamedTuple):
    """A row of the table of statements."""

    id: int
    repo: str
    label: str
    cites: str
    en: str
    zh: str
    window_start: str

    def line(self, *, in_chinese: bool) -> str:
        """Return the statement on one line, with its day and what it cites."""
        text = (self.zh or self.en) if in_chinese else (self.en or self.zh)
        cites = f" [{self.cites.replace(' ', ', ')}]" if self.cites else ""
        return f"{self.label} {self.repo}: {text}{cites}"


class Statements:
    """Searches the statements of published reports.

    With `before`, only reports whose windows had ended by that moment are searched.
    """

    def __init__(self, db: Database) -> None:
        self._db = db
        self._words = TextIndex(db, "statements", {"words": 2.0})

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
        query = terms(words)
        scores = self._words.ranked(query, scope, _MAX_WEIGHED, every=True, newest=True)
        if not scores:
            scores = self._words.ranked(query, scope, _MAX_WEIGHED, newest=True)
        statements = self._select(scope.narrowed("e.id = any(?)", list(scores)))
        newest = max((statement.window_start for statement in statements), default="")

        def rank(statement: _Stored) -> tuple[float, int]:
            score = scores[statement.id] / _aging(newest, statement.window_start)
            return (-score, -statement.id)

        in_chinese = has_han(words)
        best = sorted(statements, key=rank)[:limit]
        return [statement.line(in_chinese=in_chinese) for statement in best]

    def report(
        self, day: str, *, repo: RepoId | None = None, before: datetime | None = None
    ) -> Sequence[str]:
        """Return what the report of a day said, one statement a line, in the report's order."""
        scope = _scope(repo, before).narrowed("e.label = ?", day)
        statements = self._select(scope, limit=_MAX_REPORT_LINES + 1)
        lines = [one.line(in_chinese=False) for one in statements[:_MAX_REPORT_LINES]]
        if len(statements) > _MAX_REPORT_LINES:
            lines.append("there is more; search for it by words")
        return lines

    def put(self, report: Report) -> None:
        """Replace what a report says of its repositories; the caller holds the transaction."""
        window = report.window
        for repo in {section.repo for section in report.sections}:
            deleted = self._db.rows(
                "delete from statements where window_key = ? and repo = ? returning id",
                [window.key, repo],
            )
            self._words.delete([row[0] for row in deleted])
        for statement in _statements(report):
            self._put_statement(statement, window)

    def _put_statement(self, statement: Statement, window: Window) -> None:
        en = _bounded(statement.en)
        zh = _bounded(statement.zh)
        values: dict[str, Value] = {
            "repo": statement.repo,
            "window_key": window.key,
            "label": window.label,
            "window_start": stamp(window.start),
            "window_end": stamp(window.end),
            "cites": " ".join(statement.cites),
            "en": en,
            "zh": zh,
        }
        marks = ", ".join("?" * len(values))
        sql = f"insert into statements ({', '.join(values)}) values ({marks}) returning id"  # noqa: S608 -- our names
        [(number,)] = self._db.rows(sql, list(values.values()))
        self._words.put(number, {"words": f"{en} {zh}"})

    def _select(self, scope: Scope, limit: int | None = None) -> list[_Stored]:
        columns = ", ".join(f"e.{name}" for name in _Stored._fields)
        sql = f"select {columns} from statements e where {scope.condition} order by e.id"  # noqa: S608 -- constants
        rows: list[Row]
        if limit is None:
            rows = self._db.rows(sql, scope.values)
        else:
            rows = self._db.rows(f"{sql} limit ?", [*scope.values, limit])
        return [_Stored(*row) for row in rows]


def _scope(repo: RepoId | None, before: datetime | None) -> Scope:
    scope = Scope()
    if repo is not None:
        scope = scope.narrowed("e.repo = ?", repo)
    if before is not None:
        scope = scope.narrowed("e.window_end <= ?", stamp(before))
    return scope


@dataclass(frozen=True)
class EarlierStatements:
    """What a run may recall: the statements of reports whose windows ended before its own begins.

    So a window that is run again is shown what it was shown the first time, not its own report.
    """

    statements: Statements
    before: datetime

    def search(self, words: str, *, repo: RepoId | None = None, limit: int = 10) -> Sequence[str]:
        """Return the statements that fit best, a line each."""
        return self.statements.search(words, repo=repo, limit=limit, before=self.before)

    def report(self, day: str, *, repo: RepoId | None = None) -> Sequence[str]:
        """Return what the report of an earlier day said, one statement a line."""
        return self.statements.report(day, repo=repo, before=self.before)


def _statements(report: Report) -> Iterator[Statement]:
    """Yield everything that a report says, repository by repository."""
    for section in report.sections:
        for claim in report.claims:
            if claim.repo == section.repo:
                yield _of_claim(section.repo, claim)
        for text, cites in _listed(report, section):
            unnamed = [cite for cite in cites if cite not in text]
            yield Statement(section.repo, unnamed, text)


def _listed(report: Report, section: RepoSection) -> Iterator[tuple[str, tuple[EvidenceId, ...]]]:
    """Yield what the report lists of a repository, each with what it cites."""
    repo = section.repo
    for row in report.rows(repo):
        yield row.title, (row.id,)
    for line in section.issues:
        yield f"{line.event}: {line.title}", (line.id(repo),)
    for release in section.releases:
        yield f"{release.tag} {release.name}", (release.id(repo),)
    for link in report.links:
        if link.issue.repo == repo:
            grade = f"(grade {link.grade.value})"
            text = f"{link.change} {link.relation.value} {link.issue} {grade}"
            yield text, (link.change, link.issue)
    for story in report.stories:
        if story.repo == repo:
            yield f"{story.kind}: {' then '.join(story.steps)}", story.steps


def _of_claim(repo: RepoId, claim: Claim) -> Statement:
    """Replace the citation marks of a claim by the names of what is cited."""
    sources = claim.sources
    texts = {
        lang: MARK.sub(lambda m: sources[int(m[1]) - 1] if int(m[1]) <= len(sources) else "", text)
        for lang, text in claim.text.items()
    }
    cites = [source for source in sources if not any(source in text for text in texts.values())]
    return Statement(repo, cites, texts.get("en", ""), texts.get("zh", ""))


def _aging(newest: str, start: str) -> float:
    """Return the divisor of a statement's score, which grows with its distance from the newest."""
    return 1.0 + (moment_of(newest) - moment_of(start)) / _SCORE_HALVES_AFTER


def _bounded(text: str) -> str:
    """Return a statement as one short line."""
    line = clean(" ".join(text.split()))
    return line if len(line) <= _MAX_STATEMENT else f"{line[: _MAX_STATEMENT - 1]}…"


@dataclass(frozen=True)
class ToldStory:
    """A story as a report told it."""

    label: str
    story: Story


class Stories:
    """Remembers stories, and in which report each commit stands."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def known(self, window: Window, cites: Sequence[EvidenceId]) -> Remembered:
        """Tell in which earlier reports these stand, and which stories of those reports they belong to."""
        asked: list[Value] = [stamp(window.start), list(cites)]
        days = self._db.rows(
            "select l.repo || '@' || l.sha, max(p.label) from landed l join published p using (window_key)"
            " where l.window_end <= ? and l.repo || '@' || l.sha = any(?) group by 1",
            asked,
        )
        stories = self._db.rows(
            "select distinct s.window_end, s.place, s.window_key, s.repo, s.body from report_items s"
            " join story_steps t using (window_key, repo, place)"
            " where s.kind = 'story' and s.window_end <= ? and t.cite = any(?) order by s.window_end, s.place",
            asked,
        )
        return Remembered(days=dict(days), stories=_readable(row[4] for row in stories))

    def past(self, repo: RepoId, window: Window) -> Past:
        """Return the commits that earlier reports list, for sources that cannot look back.

        The report of this window lists commits from before it too, those that landed late; it
        does not count, so that the same window run again finds the same past.
        """
        start = stamp(window.start)
        rows = self._db.rows(
            "select distinct at, body from report_items"
            " where kind = 'commit' and repo = ? and at < ? and window_end <= ?"
            " order by at desc, body limit ?",
            [repo, start, start, _MAX_PAST_COMMITS],
        )
        return Past(found=tuple(Headline.model_validate_json(row[1]) for row in rows))

    def recent(self, repo: RepoId, window: Window) -> tuple[Story, ...]:
        """Give the stories that the reports of the sixty days before told of a repository, oldest first."""
        rows = self._db.rows(
            "select body from report_items where kind = 'story' and repo = ? and window_end <= ? and window_end > ?"
            " order by window_end, place",
            [repo, stamp(window.start), stamp(window.start - _RECENT)],
        )
        return _readable(row[0] for row in rows)

    def listed(self, *, repo: RepoId | None = None, since: str | None = None) -> list[ToldStory]:
        """List every story in its latest form, newest news first."""
        wanted = {"kind = ?": "story", "repo = ?": repo, "window_end > ?": since}
        given = {condition: value for condition, value in wanted.items() if value is not None}
        sql = f"select label, body from report_items where {' and '.join(given)}"  # noqa: S608 -- words of ours
        told: list[ToldStory] = []
        seen: set[tuple[str, str]] = set()
        for label, body in self._db.rows(
            f"{sql} order by window_start desc, repo, place", list(given.values())
        ):
            for story in _readable([body]):
                if not _keys(story) & seen:
                    told.append(ToldStory(label, story))
                    seen |= _keys(story)
        return told


def _keys(story: Story) -> set[tuple[str, str]]:
    """Name what makes two tellings one story: the same sort, and its steps."""
    sort = "lineage" if story.kind in ("revert", "reland") else story.kind
    # Releases are steps of many stories, and a release has many fixes.
    commits = [step.cite for step in story.timeline if step.act != "released"]
    if sort in ("lineage", "series"):
        return {(sort, cite) for cite in commits}
    return {(sort, f"{commits[:1]} {story.steps[-1] if sort == 'released' else commits[-1:]}")}


def _readable(texts: Iterable[str]) -> tuple[Story, ...]:
    """Read stories back; one that an older or newer version wrote otherwise is left out."""
    found = []
    for text in texts:
        with suppress(ValidationError):
            found.append(Story.model_validate_json(text))
    return tuple(found)
