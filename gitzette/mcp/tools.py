"""What a program may ask Gitzette for beyond the toolset: answers, audits, reports, stories, facts."""

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Literal

from agent.domain.base import InputError, Language, UsageError, repo_id
from agent.domain.report import Report
from agent.markdown import visible
from agent.settings.values import RepoSpec, Settings
from agent.web import Web
from gitzette.arguments import bound_of, specs_of
from gitzette.asking import asking_context, checked
from gitzette.auditing import check
from gitzette.fleet.editions import bring_reports
from gitzette.lookups import facts_text, known_stories, read_commit, story_text
from gitzette.progress import QuietProgress
from gitzette.published import PublishedReports
from gitzette.render.markdown import report_page
from gitzette.replies import ReplyPage
from gitzette.wiring import memory_of
from graphs.ask import answered

LONGEST = 8_000
"""How many characters a page has at most, what is said about the next one not counted."""
LARGEST = 1_000_000
"""How many characters a report that is to be audited may have."""
_LISTED = 20
_FOUND = 20
_CITES = 50
Lang = Literal["", "en", "zh"]


class ReportTools:
    """The tools, each a method whose docstring is its manual; every answer is text of at most one page."""

    def __init__(
        self, settings: Settings, environ: Mapping[str, str], one_at_a_time: asyncio.Lock, edition: str = ""
    ) -> None:
        self._settings, self._environ = settings, environ
        self._one, self._edition = one_at_a_time, edition

    def _published(self) -> PublishedReports:
        if self._settings.database:
            with memory_of(self._settings, self._environ) as memory:
                bring_reports(memory.fleet, self._settings, self._edition)
        return PublishedReports(self._settings.out)

    async def ask(self, question: str, repo: str = "", since: str = "", until: str = "", page: int = 1) -> str:
        """Answer a question about recent changes, in English or Chinese; every statement cites the commit it is from.

        `repo` narrows to one repository; `since` and `until` (days such as 2026-02-04) bound what is looked at.
        Qualifiers such as is:revert, author:NAME and path:FOLDER filter. Where nothing answers, the answer says so
        and gives the nearest evidence. The last line lists what is cited.
        """
        settings, now = self._settings, datetime.now(UTC)
        question = checked(question)
        bound = bound_of(since or None, until or None, settings.tz, now)
        specs = (named_spec(self._settings, repo),) if repo else specs_of(settings)
        async with self._one, asking_context(settings, self._environ, specs, now, QuietProgress()) as context:
            reply = await answered(question, context.for_question(bound=bound))
        reply = ReplyPage(Web(settings.web), settings.tz).written(reply)
        cites = ", ".join(reply.cites[:_CITES]) or "nothing"
        more = f" and {len(reply.cites) - _CITES} more" if len(reply.cites) > _CITES else ""
        return page_of(f"{reply.answer.rstrip()}\n\nCites: {cites}{more}\n", page)

    async def audit(self, text: str, page: int = 1) -> str:
        """Check the text of anybody's report (Markdown) against the commits, issues and numbers it speaks of.

        Gives what is wrong with its line and what would be right, then what could not be checked.
        """
        if not text.strip():
            raise UsageError("there is no text; give the whole report as Markdown")
        if len(text) > LARGEST:
            raise UsageError(f"the text has {len(text)} characters; give at most {LARGEST}")
        async with self._one:
            audited = await check(text, "report.md", self._settings, self._environ, QuietProgress())
        return page_of(audited.text("report"), page)

    async def list_reports(self, page: int = 1) -> str:
        """List the published reports, newest first: the day or range by which get_report takes each, and what is in it.

        There are 20 on a page.
        """
        published = self._published()
        labels = published.labels()
        pages = max(1, -(-len(labels) // _LISTED))
        if not 1 <= page <= pages:
            raise UsageError(f"there is no page {page}; pages go from 1 to {pages}")
        shown = labels[(page - 1) * _LISTED : page * _LISTED]
        lines = [_listed(published.report(label)) for label in shown] or ["no reports yet; make one: gitzette run"]
        more = [f"({len(labels)} in all; call again with page={page + 1})"] if page < pages else []
        return "\n".join([*lines, *more]) + "\n"

    async def get_report(self, date: str = "", lang: Lang = "", page: int = 1) -> str:
        """Read a published report as Markdown, by pages; `date` as list_reports gives it, the newest if left out."""
        report = self._published().report(date)
        settings = self._settings
        chosen: Language = lang or settings.lang
        return page_of(report_page(report, chosen, Web(settings.web), settings.layout), page)

    async def stories(self, repo: str = "", since: str = "", lang: Lang = "", page: int = 1) -> str:
        """Tell how things went on over days: reverts, re-lands, series, follow-ups, each with its timeline.

        `repo` (owner/name) and `since` (a day) narrow the list; newest news come first.
        """
        told = known_stories(self._settings, self._environ, repo, since)
        chosen: Language = lang or self._settings.lang
        return page_of("\n".join(story_text(one, chosen) for one in told) or "no stories are remembered\n", page)

    async def facts(self, sha: str, repo: str = "", page: int = 1) -> str:
        """Tell what one commit changes for users, each fact with the lines of the diff that show it.

        `sha` is a full or abbreviated hash, or the commit's address; `repo` (owner/name) may be left out where
        there is only one.
        """
        async with self._one:
            change, sheet = await read_commit(self._settings, self._environ, named_spec(self._settings, repo), sha)
        return page_of(facts_text(change, sheet), page)

    async def search(self, words: str, repo: str = "", limit: int = 10) -> str:
        """Find statements of published reports by words or identifiers, in English or Chinese; newer ones first.

        Each line has its day and what it cites; `limit` goes up to 20.
        """
        if not words.strip():
            raise UsageError("there are no words to search for; give some, as in: scheduler timeout")
        if not 1 <= limit <= _FOUND:
            raise UsageError(f"limit goes from 1 to {_FOUND}, not {limit}")
        name = repo_id(repo) if repo else None
        with memory_of(self._settings, self._environ) as memory:
            memory.reports.rebuild(self._settings.out / "reports")
            found = memory.statements.search(words[:500], repo=name, limit=limit)
        return page_of("\n".join(found) + "\n" if found else "nothing was reported in these words\n", 1)


def _listed(report: Report) -> str:
    repos = ", ".join(report.repos)
    failed = f", {len(report.failures)} parts missing" if report.failures else ""
    return f"{report.window.label} ({report.window.tz}): {len(report.ledger)} commits of {repos}{failed}"


def page_of(text: str, page: int) -> str:
    """Give one page of a text, and say how to get the next one."""
    pages = _cut(text)
    if not 1 <= page <= len(pages):
        raise UsageError(f"there is no page {page}; pages go from 1 to {len(pages)}")
    if len(pages) == 1:
        return pages[0]
    more = f"call again with page={page + 1} for the next one" if page < len(pages) else "this was the last one"
    return f"{pages[page - 1].rstrip()}\n\n(page {page} of {len(pages)}; {more})\n"


def _cut(text: str) -> list[str]:
    """Cut between lines; a line that is longer than a page is cut where the page ends."""
    pages, page = [], ""
    for line in text.splitlines(keepends=True):
        for piece in (line[at : at + LONGEST] for at in range(0, len(line), LONGEST)):
            if page and len(page) + len(piece) > LONGEST:
                pages.append(page)
                page = ""
            page += piece
    return [*pages, page] if page or not pages else pages


def named_spec(settings: Settings, repo: str) -> RepoSpec:
    """Find a repository of the configuration: a program cannot make us read others."""
    specs = specs_of(settings)
    names = ", ".join(spec.name for spec in specs)
    if not repo:
        if len(specs) != 1:
            raise UsageError(f"name the repository; known are {names}")
        return specs[0]
    name = repo_id(repo).lower()
    for spec in specs:
        if spec.name.lower() == name:
            return spec
    raise InputError(f"{visible(repo)[:80]} is not configured; known are {names}")
