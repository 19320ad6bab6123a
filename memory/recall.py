"""What earlier reports said, found again by words."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from sqlite_utils import Database

from agent.asking.query import Hit
from agent.claims import MARK, Claim
from agent.domain import Release
from agent.evidence import EvidenceId
from agent.ids import RepoId, commit_id, thread_id
from agent.report import Report
from agent.window import Window, midnight
from memory.columns import stamp
from memory.database import reading
from memory.learned import Learned
from memory.search import SearchIndex
from memory.words import has_han, indexed, queries

_LONGEST = 600
_MOST_LINES = 400
_NEWEST = 1_000
"""Of a word that is everywhere only so many of the newest statements are weighed; it keeps a search short."""
_HALF_AFTER_DAYS = 180
_SEARCH = """
select s.repo, s.label, s.cites, s.en, s.zh from (
    select w.rowid as id, bm25(statement_words, 2.0, 1.0) as fit
    from statement_words w join statements t on t.id = w.rowid
    where statement_words match ? and (? is null or t.repo = ?)
    order by w.rowid desc limit ?
) f join statements s using (id)
order by f.fit / (1.0 + (julianday((select max(start) from statements)) - julianday(s.start)) / ?), s.id desc
limit ?
"""


@dataclass(frozen=True)
class Statement:
    """One thing that a report said, in its languages, and what it cites."""

    repo: RepoId
    kind: str
    en: str
    zh: str
    cites: tuple[EvidenceId, ...]


class Recall:
    """Searches the statements of published reports."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def search(self, words: str, *, repo: RepoId | None = None, limit: int = 10) -> Sequence[str]:
        """Give the statements that fit best, each on one line with its day and what it cites; newer ones first."""
        for query in queries(words):
            with reading():
                rows = self._db.execute(_SEARCH, [query, repo, repo, _NEWEST, _HALF_AFTER_DAYS, limit]).fetchall()
            if rows:
                return [_line(*row, han=has_han(words)) for row in rows]
        return []

    def report(self, day: str, *, repo: RepoId | None = None) -> Sequence[str]:
        """Give what the report of a day said, one statement a line, in the report's order."""
        with reading():
            rows = self._db.execute(
                "select repo, label, cites, en, zh from statements where label = ? and (? is null or repo = ?)"
                " order by id limit ?",
                [day, repo, repo, _MOST_LINES + 1],
            ).fetchall()
        lines = [_line(*row, han=False) for row in rows[:_MOST_LINES]]
        return [*lines, "there is more; search for it by words"] if len(rows) > _MOST_LINES else lines

    def put(self, report: Report) -> None:
        """Store what a report says of the repositories it covers; the caller holds the transaction."""
        window, start = report.window.key, stamp(report.window.start)
        execute = self._db.conn.execute
        said = list(_statements(report))
        for repo in {section.repo for section in report.sections}:
            execute(
                "delete from statement_words where rowid in (select id from statements where window = ? and repo = ?)",
                (window, repo),
            )
            execute("delete from statements where window = ? and repo = ?", (window, repo))
        for one in said:
            row = (one.repo, window, report.window.label, start, one.kind, " ".join(one.cites), one.en, one.zh)
            number = execute(
                "insert into statements (repo, window, label, start, kind, cites, en, zh)"
                " values (?, ?, ?, ?, ?, ?, ?, ?)",
                row,
            ).lastrowid
            text = indexed(f"{one.en} {one.zh}")
            execute(
                "insert into statement_words (rowid, words, parts) values (?, ?, ?)", (number, text.words, text.parts)
            )


@dataclass(frozen=True)
class WindowRecall:
    """What a model searches for a question: the index, and reports of days within the window."""

    index: SearchIndex
    known: Learned
    report_of: Callable[..., Sequence[str]]
    """Gives what the report of a day said."""
    window: Window

    def search(self, words: str, *, repo: RepoId | None = None, limit: int = 20) -> list[str]:
        """Give the pieces of evidence that fit best, each on one line."""
        hits = self.index.search(words, (), [repo] if repo else [], self.window, limit)
        return [self._line(hit) for hit in hits]

    def report(self, day: str, *, repo: RepoId | None = None) -> Sequence[str]:
        """Give what the report of a day said, if the window has the day."""
        within = midnight(date.fromisoformat(day), self.window.tz) in self.window
        return self.report_of(day, repo=repo) if within else ()

    def _line(self, hit: Hit) -> str:
        one = self.known.get(hit.id)
        title = one.name if isinstance(one, Release) else one.title if one else ""
        short = hit.id[: hit.id.find("@") + 13] if hit.kind == "commit" else hit.id
        return f"{hit.opened[:10]} {hit.kind} {short}: {title}"


def _statements(report: Report) -> Iterator[Statement]:
    """List everything that a report says, repository by repository."""
    for section in report.sections:
        repo = section.repo
        yield from (_claim(repo, claim) for claim in report.claims if claim.repo == repo)
        for row in report.rows(repo):
            yield _same(repo, "title", row.title, [commit_id(repo, row.sha)])
        for line in section.issues:
            yield _same(repo, "issue", f"{line.event}: {line.title}", [thread_id(repo, line.number)])
        for release in section.releases:
            yield _same(repo, "release", f"{release.tag} {release.name}", [f"{repo}@{release.tag}"])
        for link in report.links:
            if link.issue.startswith(f"{repo}#"):
                words = f"{link.change} {link.relation.value} {link.issue} (grade {link.grade.value})"
                yield _same(repo, "link", words, [link.change, link.issue])
        for story in report.stories:
            if story.repo == repo:
                yield _same(repo, "story", f"{story.kind.value}: {' then '.join(story.steps)}", story.steps)


def _claim(repo: RepoId, claim: Claim) -> Statement:
    """Put the names of what is cited in the place of the marks."""

    def named(text: str) -> str:
        sources = claim.sources
        return MARK.sub(lambda m: sources[int(m[1]) - 1] if int(m[1]) <= len(sources) else "", text)

    texts = {lang: named(text) for lang, text in claim.text.items()}
    cites = [source for source in claim.sources if not any(source in text for text in texts.values())]
    en = texts.get("en", "")
    return Statement(repo, "claim", _bounded(en), _bounded(texts.get("zh", "")), tuple(cites))


def _same(repo: RepoId, kind: str, text: str, cites: Iterable[EvidenceId]) -> Statement:
    """Make a statement that is the same in every language."""
    return Statement(repo, kind, _bounded(text), "", tuple(cite for cite in cites if cite not in text))


def _bounded(text: str) -> str:
    """Keep a statement one short line, of characters that every file can hold."""
    line = " ".join(text.split()).encode("utf-8", errors="replace").decode("utf-8")
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def _line(repo: str, label: str, cites: str, en: str, zh: str, *, han: bool) -> str:
    text = (zh or en) if han else (en or zh)
    return f"{label} {repo}: {text}" + (f" [{cites.replace(' ', ', ')}]" if cites else "")
