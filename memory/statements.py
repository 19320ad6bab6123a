"""What published reports said: statements found by words and days, stories by what they are made of."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from pydantic import ValidationError

from agent.domain.base import EvidenceId, RepoId, commit_id, thread_id
from agent.domain.claims import MARK, Claim
from agent.domain.commits import Headline
from agent.domain.links import Story
from agent.domain.report import Report
from agent.domain.window import Window
from agent.ports import Past
from agent.stories.timeline import Remembered
from memory.database import Database, Value, clean, moment_of, stamp
from memory.text_index import Scope, TextIndex, has_han, terms

_LONGEST = 600
_MOST_LINES = 400
_NEWEST = 1_000
"""Of a word that is everywhere only so many of the newest statements are weighed; it keeps a search short."""
_HALF_AFTER_DAYS = 180
_MOST_PAST = 2_000
_RECENT = timedelta(days=60)
_Statement = tuple[RepoId, list[EvidenceId], str, str]
"""The repository, what is cited beside the text, and the text: in English, or the same everywhere, and in Chinese."""
_COLUMNS = "select repo, label, cites, en, zh, window_start, id from statements"


class Statements:
    """Searches the statements of published reports."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._words = TextIndex(db, "statements", {"words": 2.0})

    def search(self, words: str, *, repo: RepoId | None = None, limit: int = 10) -> Sequence[str]:
        """Give the statements that fit best, each on one line with its day and what it cites; newer ones first."""
        scope = Scope("e.repo = ?", [repo]) if repo else Scope()
        asked = terms(words)
        for every in (True, False):
            fits = self._words.ranked(asked, scope, _NEWEST, every=every, newest=True)
            if fits:
                rows = self._db.rows(f"{_COLUMNS} where id = any(?)", [list(fits)])
                [(newest,)] = self._db.rows("select max(window_start) from statements")
                best = sorted(
                    rows, key=lambda row: (-fits[row[6]] / _aging(newest, row[5]), -row[6])
                )
                return [_line(*row[:5], han=has_han(words)) for row in best[:limit]]
        return []

    def report(self, day: str, *, repo: RepoId | None = None) -> Sequence[str]:
        """Give what the report of a day said, one statement a line, in the report's order."""
        where, values = (" and repo = ?", [day, repo]) if repo else ("", [day])
        rows = self._db.rows(
            f"{_COLUMNS} where label = ?{where} order by id limit ?", [*values, _MOST_LINES + 1]
        )
        lines = [_line(*row[:5], han=False) for row in rows[:_MOST_LINES]]
        return (
            [*lines, "there is more; search for it by words"] if len(rows) > _MOST_LINES else lines
        )

    def put(self, report: Report) -> None:
        """Store what a report says of its repositories over what it said before; the caller holds the transaction."""
        window = report.window
        for repo in {section.repo for section in report.sections}:
            gone = self._db.rows(
                "delete from statements where window_key = ? and repo = ? returning id",
                [window.key, repo],
            )
            self._words.delete([row[0] for row in gone])
        for repo, cites, en, zh in _statements(report):
            [(number,)] = self._db.rows(
                "insert into statements (repo, window_key, label, window_start, cites, en, zh)"
                " values (?, ?, ?, ?, ?, ?, ?) returning id",
                [
                    repo,
                    window.key,
                    window.label,
                    stamp(window.start),
                    " ".join(cites),
                    _bounded(en),
                    _bounded(zh),
                ],
            )
            self._words.put(number, {"words": f"{_bounded(en)} {_bounded(zh)}"})


def _statements(report: Report) -> Iterator[_Statement]:
    """List everything that a report says, repository by repository."""
    for section in report.sections:
        repo = section.repo
        yield from (_of_claim(repo, claim) for claim in report.claims if claim.repo == repo)
        said: list[tuple[str, tuple[EvidenceId, ...]]]
        said = [(row.title, (commit_id(repo, row.sha),)) for row in report.rows(repo)]
        said += [
            (f"{line.event}: {line.title}", (thread_id(repo, line.number),))
            for line in section.issues
        ]
        said += [(f"{one.tag} {one.name}", (f"{repo}@{one.tag}",)) for one in section.releases]
        for link in report.links:
            if link.issue.startswith(f"{repo}#"):
                words = (
                    f"{link.change} {link.relation.value} {link.issue} (grade {link.grade.value})"
                )
                said.append((words, (link.change, link.issue)))
        for story in report.stories:
            if story.repo == repo:
                said.append((f"{story.kind}: {' then '.join(story.steps)}", story.steps))
        for text, cites in said:
            yield repo, [cite for cite in cites if cite not in text], text, ""


def _of_claim(repo: RepoId, claim: Claim) -> _Statement:
    """Put the names of what is cited in the place of the marks."""
    sources = claim.sources
    texts = {
        lang: MARK.sub(lambda m: sources[int(m[1]) - 1] if int(m[1]) <= len(sources) else "", text)
        for lang, text in claim.text.items()
    }
    cites = [source for source in sources if not any(source in text for text in texts.values())]
    return repo, cites, texts.get("en", ""), texts.get("zh", "")


def _aging(newest: str, start: str) -> float:
    """Return the divisor of a statement's score; it grows with the statement's age relative to the newest one."""
    return 1.0 + (moment_of(newest) - moment_of(start)) / timedelta(days=_HALF_AFTER_DAYS)


def _bounded(text: str) -> str:
    """Keep a statement one short line."""
    line = clean(" ".join(text.split()))
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def _line(repo: str, label: str, cites: str, en: str, zh: str, *, han: bool) -> str:
    text = (zh or en) if han else (en or zh)
    return f"{label} {repo}: {text}" + (f" [{cites.replace(' ', ', ')}]" if cites else "")


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
        """Give what earlier reports list of a repository, for sources that cannot look back themselves."""
        rows = self._db.rows(
            "select distinct at, body from report_items where kind = 'commit' and repo = ? and at < ?"
            " order by at desc, body limit ?",
            [repo, stamp(window.start), _MOST_PAST],
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
        seen: set[tuple[str, EvidenceId]] = set()
        for label, body in self._db.rows(
            f"{sql} order by window_start desc, repo, place", list(given.values())
        ):
            for story in _readable([body]):
                if not _keys(story) & seen:
                    told.append(ToldStory(label, story))
                    seen |= _keys(story)
        return told


def _keys(story: Story) -> set[tuple[str, EvidenceId]]:
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
