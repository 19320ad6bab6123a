"""Makes the page model of a report: brief, items by tier, issues and stories of each repository, the account."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from agent.domain.base import Language
from agent.domain.claims import Role
from agent.domain.ledger import Tier
from agent.domain.links import BARE, Act, Grade, Link, Relation, Standing, Story, StoryKind
from agent.domain.report import (
    Report,
    RepoSection,
    ThreadLine,
    checked_counts,
    footer_counts,
    kind_counts,
    model_counts,
)
from agent.web import Web
from gitzette.render.addresses import SHORT, mark_of, named, place_of
from gitzette.render.items import fit_sections, items_of
from gitzette.render.model import ISSUES_SHOWN, Issue, IssueNews, PageModel, RepoPart, Section, row_id, words_in
from gitzette.render.sentences import Sentences
from gitzette.render.templating import plain
from gitzette.render.view import View

MOST_WORDS = 1_200
"""Words of a page before the folds."""
_MOST_BRIEF, _MOST_FACTS = 7, 5
_FRAME = 90
"""Words of headings, counts and the first line of the account."""
_EVENTS = ("linked", "closed", "opened", "not planned", "important", "active")
"""In the order of a page: what commits of the window did comes first."""
_STILL_OPEN = (Standing.ADDRESSED, Standing.REOPENED, Standing.UNDONE)
_OTHERS = {Relation.REVERTS: "reverts", Relation.BECAUSE: "because", Relation.MENTIONS: "mentions"}


def page_model(report: Report, lang: Language, web: Web, most_words: int = MOST_WORDS) -> PageModel:
    """Compute what a page shows of a report in one language, with so many words before the folds."""
    view = View(report, lang, web)
    sentences = Sentences(view)
    items = items_of(view, sentences)
    brief = [sentences.sentence(claim) for claim in view.whole(Role.BRIEF)][:_MOST_BRIEF]
    analysed, sections = bool(brief), [Section(tier, tuple(one for one in items if one.tier == tier)) for tier in Tier]
    if not analysed:
        facts = (next((s for s in item.sentences if s.telling), None) for section in sections for item in section.items)
        brief = [one for one in facts if one][:_MOST_FACTS]
    repos = tuple(_repo(section, view, sentences) for section in report.sections)
    told = {one.text for one in brief}
    room = most_words - _FRAME - sum(one.words for one in brief) - sum(map(_words_of_repo, repos))
    act_on, worth_knowing = fit_sections(sections[:2], room, told)
    return PageModel(
        report=report,
        lang=lang,
        words=view.words,
        brief=tuple(one.apart() for one in brief),
        analysed=analysed,
        sections=(act_on, worth_knowing, fit_sections(sections[2:], 0, told)[0]),
        repos=repos,
        account=tuple(_account(view)),
        tiers={name: view.tier(row).value for name, row in view.rows.items()},
    )


def _repo(section: RepoSection, view: View, sentences: Sentences) -> RepoPart:
    repo, report = section.repo, view.report
    stories = tuple(story for story in report.stories if story.repo == repo and _goes_on(story))
    summary = tuple(sentences.sentence(claim) for claim in view.whole(Role.SUMMARY, repo))
    issues = _issues(section, view, sentences)
    return RepoPart(section, repo, f"r{mark_of(repo, 4)}", report.rows(repo), summary, issues, stories)


def _words_of_repo(part: RepoPart) -> int:
    """Count the words of a repository's part in sight."""
    issues = [issue for _, found in part.issues for issue in found[:ISSUES_SHOWN]]
    titles = sum(words_in(issue.thread.title) + 6 if issue.thread else 4 for issue in issues)
    return titles + sum(6 * len(issue.news) for issue in issues) + sum(one.words for one in part.summary) + 30


# ---------------------------------------------------------------- issues


def _issues(section: RepoSection, view: View, sentences: Sentences) -> tuple[tuple[str, tuple[Issue, ...]], ...]:
    """List the issues by what happened to them; those that a commit addresses come first, each is listed once."""
    known: dict[str, ThreadLine | None] = {f"{section.repo}#{one.number}": one for one in section.issues}
    for link in view.report.links:
        own = link.change.startswith(f"{section.repo}@") and link.relation is not Relation.MENTIONS
        if own and link.issue not in known and _relation(link, None, view):
            known[link.issue] = None
    grouped: dict[str, list[Issue]] = {event: [] for event in _EVENTS}
    for name, thread in known.items():
        news = tuple(_news(name, thread, view, sentences))
        issue = Issue(*named(name, section.repo, view.web), place_of(name), thread, news)
        grouped[thread.event if thread else "linked"].append(issue)
    for issues in grouped.values():
        issues.sort(key=lambda issue: not any(news.change for news in issue.news))
    return tuple((event, tuple(issues)) for event, issues in grouped.items() if issues)


def _news(name: str, thread: ThreadLine | None, view: View, sentences: Sentences) -> Iterator[IssueNews]:
    """Tell which commits of the window address an issue, and how it stands."""
    say, own = view.words["page"], [one for one in view.report.links if one.issue == name]
    for link in own:
        if found := _relation(link, thread.standing if thread else None, view):
            change = sentences.citation(link.change, own=view.rows[link.change].repo)
            grade = "" if link.relation is Relation.MENTIONS else link.grade.value
            yield IssueNews(say["fixed"][found], replace(change, grade=grade), grade)
    if thread is None:
        return
    if thread.standing in _STILL_OPEN and not any(one.relation is Relation.REVERTS for one in own):
        yield IssueNews(say["standings"][thread.standing.value])
    if thread.event == "important":
        yield IssueNews(say["waiting"].format(comments=thread.comments))


def _relation(link: Link, standing: Standing | None, view: View) -> str | None:
    """Choose the word for what a commit of the window does to an issue; None where nothing is to be said."""
    if link.change not in view.rows:
        return None
    if link.relation is Relation.FIXES:
        return "likely" if not link.may_read_fixed else "addressed" if standing in _STILL_OPEN else "fixes"
    if link.relation is Relation.PARTLY:
        return "likely partly" if link.grade is Grade.C else "partly"
    return "named" if link.by_issue else _OTHERS.get(link.relation)


# ---------------------------------------------------------------- stories


def _goes_on(story: Story) -> bool:
    """Tell whether a story has its own place.

    That a fix was released stands among the issues already, and what a commit names or changes stands with it.
    """
    steps = [step for step in story.timeline if step.act is not Act.RELEASED]
    older = any(step.cite not in story.news for step in steps)
    return story.kind not in (StoryKind.RELEASED, *BARE) and older and len(steps) > 1


# ---------------------------------------------------------------- the account


def _account(view: View) -> Iterator[str]:
    """Account for a page: what was read and checked, its kinds of text, who wrote and judged it, a line each."""
    report, say = view.report, view.words["page"]
    claims = [claim for claim in report.claims if not claim.free or claim.text.get(view.lang)]
    accounts = [report.account, *(section.account for section in report.sections)]
    failed = {one.about for account in accounts for one in account.fallbacks}
    coverage: dict[str, list[str]] = {}
    for section in report.sections:
        notices = "".join(f" ({plain().notice(say, notice)})" for notice in section.coverage_notices)
        coverage.setdefault(f"{say['coverage'][section.coverage.value]}{notices}", []).append(section.repo)
    verdicts = [Counter(drop.verdict.value for drop in report.drops if drop.free is free) for free in (True, False)]
    refused, dropped = (dict(sorted(counts.items())) for counts in verdicts)
    text = plain().account(
        w=say,
        signs=view.words["signs"],
        analysed=report.analyst.startswith("model") or any(claim.free for claim in claims),
        model=f"`{report.analyst.removeprefix('model ')}`" if report.analyst.startswith("model") else "—",
        counts=model_counts(report),
        kinds=kind_counts(claims),
        claims=claims,
        footer=footer_counts(report),
        refused=refused,
        dropped=dropped,
        links=checked_counts(report)["links"],
        coverage=coverage,
        left=[row.sha[:SHORT] for row in report.ledger if row_id(row) in failed and not view.analysis(row)],
    )
    return (line.strip() for line in text.split("\n") if line.strip())
