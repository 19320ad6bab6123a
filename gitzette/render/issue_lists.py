"""The lists of issues on a page: what happened to each, and which commits address it."""

from collections.abc import Iterator

from agent.domain.evidence_id import EvidenceId
from agent.domain.links import Grade, Link, Relation, Standing
from agent.domain.report import RepoSection, ThreadLine
from agent.reports.page_model import IssueList, IssueNews, PageIssue
from gitzette.render.page_addresses import element_id_of, named
from gitzette.render.report_view import ReportView

_EVENTS = ("linked", "closed", "opened", "not planned", "active")
"""In the order of a page: what commits of the window did comes first."""
_STILL_OPEN = ("addressed, still open", "reopened", "fixed, but the fix was reverted")
_RELATION_WORDS = {
    Relation.PARTLY: "partly",
    Relation.REVERTS: "reverts",
    Relation.BECAUSE: "because",
    Relation.MENTIONS: "mentions",
    Relation.CONTINUES: "continued",
    Relation.STEP: "step",
    Relation.NEEDS: "ported",
    Relation.INDEPENDENT: "same change",
    Relation.SAME_WORK: "same work",
}
_RECORDED_RELATIONS = (Relation.REVERTS, Relation.MENTIONS)
_UNGRADED_WORDS = ("mentions", "named")


def issue_lists(section: RepoSection, view: ReportView) -> tuple[IssueList, ...]:
    """Return the issues by what happened to them, each once.

    Those that a commit addresses come first.
    """
    issues_of: dict[str, list[PageIssue]] = {event: [] for event in _EVENTS}
    for name, thread in _threads(section, view).items():
        label, url = named(name, section.repo, view.web)
        news = tuple(_news(name, thread, view))
        issue = PageIssue(label, url, element_id_of(name), thread, news)
        issues_of[thread.event if thread else "linked"].append(issue)
    lists = []
    for event, issues in issues_of.items():
        if issues:
            issues.sort(key=lambda issue: not any(news.change for news in issue.news))
            lists.append(IssueList(event, tuple(issues)))
    return tuple(lists)


def _threads(section: RepoSection, view: ReportView) -> dict[EvidenceId, ThreadLine | None]:
    """Return the issues with news, and those of which only a link to a commit is known."""
    threads: dict[EvidenceId, ThreadLine | None] = {}
    for thread in section.issues:
        threads[thread.id(section.repo)] = thread
    for link in view.report.links:
        is_of_repo = link.change.is_commit and link.change.repo == section.repo
        if not is_of_repo or link.relation is Relation.MENTIONS:
            continue
        if _relation_words(link, None, view):
            threads.setdefault(link.issue, None)
    return threads


def _news(name: EvidenceId, thread: ThreadLine | None, view: ReportView) -> Iterator[IssueNews]:
    """Yield which commits of the window address an issue, and how it stands."""
    words = view.words["page"]
    links = [link for link in view.report.links if link.issue == name]
    standing = thread.standing if thread else None
    for link in links:
        relation = _relation_words(link, standing, view)
        if relation is None:
            continue
        change = view.citation(link.change, home=view.rows[link.change].repo)
        grade = "" if relation in _UNGRADED_WORDS else link.grade.value
        pull = view.pull(view.rows[link.change])
        yield IssueNews(words["fixed"][relation], change, pull, grade)
    is_reverted = any(link.relation is Relation.REVERTS for link in links)
    if standing in _STILL_OPEN and not is_reverted:
        yield IssueNews(words["standings"][standing])


def _relation_words(link: Link, standing: Standing | None, view: ReportView) -> str | None:
    """Return the key of the words for what a commit of the window does to an issue, if any."""
    if link.change not in view.rows:
        return None
    if link.relation is Relation.FIXES:
        if not link.may_read_fixed:
            return "likely"
        return "addressed" if standing in _STILL_OPEN else "fixes"
    if link.by_issue:
        return "named"
    words = _RELATION_WORDS.get(link.relation)
    is_likely = link.grade is Grade.C and link.relation not in _RECORDED_RELATIONS
    return f"likely {words}" if words and is_likely else words
