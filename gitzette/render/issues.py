"""The issues of a repository: opened, closed, by which commit addressed and how sure that is, important ones."""

from collections.abc import Iterator
from dataclasses import replace

from agent.domain.links import Grade, Link, Relation, Standing
from agent.domain.report import RepoSection, ThreadLine
from gitzette.render.names import named, place_of
from gitzette.render.page import Issue, IssueGroup, IssueNews
from gitzette.render.sentences import Sentences
from gitzette.render.view import View

_RELEASED = (Standing.FIXED, Standing.ADDRESSED)
_STILL_OPEN = (Standing.ADDRESSED, Standing.REOPENED, Standing.UNDONE)
EVENTS = ("linked", "closed", "opened", "not planned", "released", "important", "active")
"""In the order of a page: what commits of the window did comes first."""
_SHOWN = 5
_OTHERS = {Relation.REVERTS: "reverts", Relation.BECAUSE: "because", Relation.MENTIONS: "mentions"}


class Issues:
    """Tells the issues of one report in one language."""

    def __init__(self, view: View, sentences: Sentences) -> None:
        self._view = view
        self._sentences = sentences
        self._say = view.words["page"]

    def groups(self, section: RepoSection) -> tuple[IssueGroup, ...]:
        """List the issues by what happened to them; those that a commit addresses come first, each is listed once."""
        known = {f"{section.repo}#{one.number}": one for one in section.issues}
        found = [(one.event, self._issue(name, section, one)) for name, one in known.items()]
        links = (one for one in self._view.report.links if one.relation is not Relation.MENTIONS)
        named_only = dict.fromkeys(one.issue for one in links if self._is_of(one, section))
        found += [("linked", self._issue(name, section, None)) for name in named_only if name not in known]
        grouped = {event: [issue for own, issue in found if own == event] for event in EVENTS}
        for issues in grouped.values():
            issues.sort(key=lambda issue: not any(news.change for news in issue.news))
        return tuple(
            IssueGroup(event, tuple(issues[:_SHOWN]), tuple(issues[_SHOWN:]))
            for event, issues in grouped.items()
            if issues
        )

    def _is_of(self, link: Link, section: RepoSection) -> bool:
        return link.change.startswith(f"{section.repo}@") and self._relation(link, None) is not None

    def _issue(self, name: str, section: RepoSection, thread: ThreadLine | None) -> Issue:
        shown, url = named(name, section.repo, self._view.web)
        news = tuple(self._news(name, thread))
        return Issue(id=name, name=shown, url=url, place=place_of(name), thread=thread, news=news)

    def _news(self, name: str, thread: ThreadLine | None) -> Iterator[IssueNews]:
        own = [one for one in self._view.report.links if one.issue == name]
        for link in own:
            if found := self._relation(link, thread.standing if thread else None):
                change = self._sentences.citation(link.change, own=self._view.rows[link.change].repo)
                grade = "" if link.relation is Relation.MENTIONS else link.grade.value
                yield IssueNews(self._say["fixed"][found], replace(change, grade=grade), grade)
        if thread is None:
            return
        undone = any(one.relation is Relation.REVERTS for one in own)
        if thread.standing in _STILL_OPEN and not undone:
            yield IssueNews(self._say["standings"][thread.standing.value])
        if thread.release is not None and thread.standing in _RELEASED:
            told = self._say["first_in"].format(f"`{thread.release}`") if thread.release else self._say["unreleased"]
            yield IssueNews(told)
        if thread.event == "important":
            yield IssueNews(self._say["waiting"].format(comments=thread.comments))

    def _relation(self, link: Link, standing: Standing | None) -> str | None:
        """Choose the word for what a commit of the window does to an issue; None where nothing is to be said."""
        if link.change not in self._view.rows:
            return None
        if link.relation is Relation.FIXES:
            if not link.may_read_fixed:
                return "likely"
            return "addressed" if standing in _STILL_OPEN else "fixes"
        if link.relation is Relation.PARTLY:
            return "likely partly" if link.grade is Grade.C else "partly"
        return "named" if link.by_issue else _OTHERS.get(link.relation)
