"""Makes the page model of a report: brief, items by tier, issues and stories of each repository, the account."""

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate

from agent.domain import report as reports
from agent.domain.base import Language
from agent.domain.claims import Claim
from agent.domain.evidence_id import EvidenceId
from agent.domain.ledger import LedgerRow, Tier
from agent.domain.links import BARE, Grade, Link, Relation, Standing, Story
from agent.domain.report import Report, RepoSection, ThreadLine
from agent.editions.week import MOST_WORDS as WORDS_OF_WEEK
from agent.editions.week import Week
from agent.reports.page import (
    IssueNews,
    Item,
    PageExcerpt,
    PageIssue,
    PageModel,
    PageSentence,
    RepoPart,
    TierSection,
    words_in,
)
from agent.reports.titles import shown_title, with_shown_titles
from agent.settings.values import Layout
from agent.web import Web
from gitzette.render.templating import (
    ISSUES_SHOWN,
    SHORT,
    commit_path,
    filled,
    mark_of,
    named,
    place_of,
    plain,
)
from gitzette.render.view import ReportView, cut_title, is_breaking, is_private, is_telling, without

MOST_WORDS = 1_200  # Words of a page before the folds
_MOST_BRIEF, _MOST_FACTS = 7, 5
_FRAME, _META = (
    90,
    8,
)  # Words of headings, counts and the account, and of the author, time and size of an item
_FULL, _SHORT = (
    120,
    45,
)  # Words of an item in sight that is told in full, and of one that is told in short
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
    Relation.SAME_WORK: "same work",
}
_RECORDED = (Relation.REVERTS, Relation.MENTIONS)
_LISTED, _KNOWING = (
    6,
    12,
)  # Stories, pairs of changes and reverts, and lines worth knowing that a week tells
_LINE, _FRAME_OF_WEEK = 16, 100


def report_page(report: Report, lang: Language, web: Web, layout: Layout = "digest") -> str:
    """Write the whole report as Markdown."""
    return filled(f"{layout}.md", lang, web, page=page_model(report, lang, web))


def week_page(week: Week, lang: Language, web: Web, ending: str) -> str:
    """Write what stands of a week in a thousand words; the rest is in the daily reports, files with that `ending`."""
    rows = {row.id: row for row in week.report.ledger}
    pairs = [
        (shown_title(cut_title(rows[one.change])[0], lang), (one.change, one.undone_by))
        for one in week.came_and_went
    ]
    # A story has its first title for a name; those of what came and went are told already.
    named = [
        (next((step.title for step in one.timeline if step.title), ""), one)
        for one in week.report.stories
    ]
    fresh = [(title, one) for title, one in named if title and one.kind != "released"]
    told = [
        (title, one.steps[-3:])
        for title, one in fresh
        if not any({*pair} <= {*one.steps} for _, pair in pairs)
    ]
    taken = sum(
        words_in(title) + 2 * len(cites) for title, cites in (*pairs[:_LISTED], *told[:_LISTED])
    )
    page = page_model(
        week.report, lang, web, WORDS_OF_WEEK - taken - _KNOWING * _LINE - _FRAME_OF_WEEK
    )
    lists = {
        "pairs": pairs,
        "stories": told,
        "knowing": page.sections[1].items[:_KNOWING],
        "most": _LISTED,
    }
    return filled("week.md", lang, web, page=page, week=week, ending=ending, **lists)


def page_model(report: Report, lang: Language, web: Web, most_words: int = MOST_WORDS) -> PageModel:
    """Compute what a page shows of a report in one language, with so many words before the folds.

    Every claim of the report that has words in the language is on the page.
    """
    report = with_shown_titles(report, lang)
    view = ReportView(report, lang, web)
    items = _items_of(view)
    sections = [TierSection(tier, tuple(one for one in items if one.tier == tier)) for tier in Tier]
    written = view.whole("brief")
    brief = written[:_MOST_BRIEF] or _brief_of_facts(sections, view)
    repos = [_repo(section, view) for section in report.sections]
    placed = [*(claim for item in items for claim in item.claims), *_claims_of(written)]
    for part in repos:
        placed += _claims_of((*part.summary, *part.more))
    homeless = view.without(placed)
    repos = [_with_homeless(part, homeless) for part in repos]
    covered = {part.repo for part in repos}
    more = [*written[_MOST_BRIEF:], *(one for one in homeless if one.claim.repo not in covered)]
    told = {one.text for one in brief}
    words_left = most_words - _FRAME - sum(one.words for one in brief)
    words_left -= sum(map(_words_of_repo, repos))
    act_on, worth_knowing = _fit(sections[:2], words_left, told)
    return PageModel(
        report=report,
        lang=lang,
        words=view.words,
        brief=tuple(brief),
        more=tuple(more),
        analysed=bool(written),
        sections=(act_on, worth_knowing, _fit(sections[2:], 0, told)[0]),
        repos=tuple(repos),
        account=tuple(_account(view)),
    )


def _brief_of_facts(sections: Iterable[TierSection], view: ReportView) -> list[PageSentence]:
    """Return the weightiest facts, one of each commit, those that users reach first."""
    chosen = []
    for item in (item for section in sections for item in section.items):
        facts = [one.claim for one in item.sentences if is_telling(one.claim)]
        if facts:
            chosen.append(min(facts, key=is_private))
    chosen.sort(key=is_private)
    return [view.sentence(claim, apart=True) for claim in chosen[:_MOST_FACTS]]


def _claims_of(sentences: Iterable[PageSentence]) -> list[Claim]:
    return [sentence.claim for sentence in sentences]


def _with_homeless(part: RepoPart, homeless: Iterable[PageSentence]) -> RepoPart:
    """Add to a repository what is said of it and of none of its commits."""
    added = [sentence for sentence in homeless if sentence.claim.repo == part.repo]
    return part._replace(more=(*part.more, *added))


def _repo(section: RepoSection, view: ReportView) -> RepoPart:
    repo, report = section.repo, view.report
    stories = tuple(story for story in report.stories if story.repo == repo and _goes_on(story))
    in_brief = {cite for one in view.whole("brief") for cite in one.claim.cites}
    summary: list[PageSentence] = []
    more: list[PageSentence] = []
    for sentence in view.whole("summary", repo):
        if in_brief.issuperset(sentence.claim.cites):
            more.append(sentence)  # What the brief tells of is not summed up again in sight
        else:
            summary.append(sentence)
    return RepoPart(
        section=section,
        repo=repo,
        place=f"r{mark_of(repo, 4)}",
        rows=report.rows(repo),
        summary=tuple(summary),
        more=tuple(more),
        issues=_issues(section, view),
        stories=stories,
    )


def _words_of_repo(part: RepoPart) -> int:
    issues = [issue for _, found in part.issues for issue in found[:ISSUES_SHOWN]]
    titles = sum(words_in(issue.thread.title) + 6 if issue.thread else 4 for issue in issues)
    return (
        titles
        + sum(6 * len(issue.news) for issue in issues)
        + sum(one.words for one in part.summary)
        + 30
    )


def _goes_on(story: Story) -> bool:
    """Tell whether a story has its own place.

    That a fix was released stands among the issues already, and what a commit names or changes stands with it.
    """
    steps = [step for step in story.timeline if step.act != "released"]
    older = any(step.cite not in story.news for step in steps)
    return story.kind not in ("released", *BARE) and older and len(steps) > 1


def _items_of(view: ReportView) -> list[Item]:
    """Make the items, the weightiest first; what is out again stands behind what is in."""
    repos = {section.repo for section in view.report.sections}
    elsewhere = {row.id for row in view.undid.values()}
    rows = [row for name, row in view.rows.items() if name not in elsewhere and row.repo in repos]
    rows.sort(key=lambda row: (row.noise is not None, row.id in view.undid, -row.weight))
    return [_item(row, view) for row in rows]


def _item(row: LedgerRow, view: ReportView) -> Item:
    """Tell a commit whole: the analysis and what it leaves untold, else what code says and quotes."""
    earlier = view.undid.get(row.id)
    words, number = cut_title(earlier or row)
    published = [*(view.said(earlier) if earlier else ()), *view.said(row)]
    headline = None if earlier else view.headline(row)
    analysis, facts = view.analysis(row), view.facts(row)
    # Beside analysis only what breaks stays in sight.
    sight = [*analysis, *(one for one in facts if not analysis or is_breaking(one))]
    folded = [one for one in facts if analysis and not is_breaking(one)]
    rest = without(published, [*sight, *folded, *([headline] if headline else [])])
    bare = [] if earlier else [one for one in view.said(row) if not one.free and view.inside(one)]
    return Item(
        row=row,
        place=place_of(row.id),
        path=commit_path(row.repo, row.sha),
        headline=view.text(headline) if headline else shown_title(words, view.lang),
        title=words if headline else "",
        pull=view.citation(EvidenceId.listed(row.repo, number=number), own=row.repo)
        if number
        else None,
        tier=view.tier(row).value,
        breaking=earlier is None
        and any(is_breaking(one) for one in view.said(row) if one.role == "change"),
        sentences=tuple(view.sentences(sight)),
        # What is said of the commit that was undone names it.
        more=(*view.sentences(folded), *view.sentences(rest, apart=earlier is not None)),
        excerpt=_excerpt([*sight, *folded, *bare], view),
        quoted=tuple(_quoted(published, view)),
        claims=tuple(published),
        uses=view.uses(row),
        undid=earlier,
    )


def _quoted(claims: Iterable[Claim], view: ReportView) -> Iterator[PageExcerpt]:
    """Yield the lines of claims that say nothing but what they show."""
    for claim in claims:
        for quote in claim.quotes if not (view.text(claim) or claim.speech) else ():
            yield view.excerpt(quote.file or "", quote.text, claim)


def _excerpt(claims: Sequence[Claim], view: ReportView) -> PageExcerpt | None:
    """Show the place that proves most: lines that an early sentence rests on, with what changed around them."""
    places = (
        (one, claim)
        for claim in claims
        if not claim.speech
        for one in (*claim.anchors, *claim.quotes)
    )
    found = [view.excerpt(one.file, one.text, claim) for one, claim in places if one.file]
    whole = [one for one in found if one.file == found[0].file and found[0].code <= one.code]
    return max(
        whole, key=lambda one: (len(one.lines), any(line.side for line in one.lines)), default=None
    )


def _fit(sections: Sequence[TierSection], room: int, told: Container[str]) -> list[TierSection]:
    """Fit the items of tiers into the room of a page: what finds none is folded, and nothing is lost.

    The first tier that has any is told in full where there is room for all of it, else in short like the next.
    """
    fitting: list[TierSection] = []
    for section in sections:
        items = tuple(_fitted(item, _FULL, told, full=True) for item in section.items)
        if any(one.shown for one in fitting) or sum(map(_words_of, items)) > room:
            items = tuple(_fitted(item, _SHORT, told) for item in section.items)
        taken = [words for words in accumulate(map(_words_of, items)) if words <= room]
        fitting.append(TierSection(section.tier, items[: len(taken)], items[len(taken) :]))
        room -= taken[-1] if taken else 0
    return fitting


def _fitted(item: Item, most: int, told: Container[str], *, full: bool = False) -> Item:
    """Keep in sight the first sentence and as many as `most` words allow, none that the page has `told` already."""
    brief = tuple(one for one in item.told if one.text in told)
    fresh = [one for one in item.sentences if one not in brief] if brief else item.sentences
    left, kept = most - words_in(f"{item.headline} {item.title}"), 0
    while kept < len(fresh) and (not kept or fresh[kept].words <= left):
        left -= fresh[kept].words
        kept += 1
    if kept == len(item.sentences) and not full:
        return item
    more = (*fresh[kept:], *(one for one in item.more if one not in brief))
    return replace(item, in_brief=brief, sentences=tuple(fresh[:kept]), more=more, full=full)


def _words_of(item: Item) -> int:
    return (
        words_in(f"{item.headline} {item.title}") + sum(one.words for one in item.sentences) + _META
    )


def _issues(
    section: RepoSection, view: ReportView
) -> tuple[tuple[str, tuple[PageIssue, ...]], ...]:
    """List the issues by what happened to them; those that a commit addresses come first, each is listed once."""
    known: dict[str, ThreadLine | None] = {one.id(section.repo): one for one in section.issues}
    for link in view.report.links:
        own = (
            link.change.is_commit
            and link.change.repo == section.repo
            and link.relation is not Relation.MENTIONS
        )
        if own and link.issue not in known and _relation(link, None, view):
            known[link.issue] = None
    grouped: dict[str, list[PageIssue]] = {event: [] for event in _EVENTS}
    for name, thread in known.items():
        news = tuple(_news(name, thread, view))
        issue = PageIssue(*named(name, section.repo, view.web), place_of(name), thread, news)
        grouped[thread.event if thread else "linked"].append(issue)
    for issues in grouped.values():
        issues.sort(key=lambda issue: not any(news.change for news in issue.news))
    return tuple((event, tuple(issues)) for event, issues in grouped.items() if issues)


def _news(name: str, thread: ThreadLine | None, view: ReportView) -> Iterator[IssueNews]:
    """Tell which commits of the window address an issue, and how it stands."""
    say, own = view.words["page"], [one for one in view.report.links if one.issue == name]
    standing = thread.standing if thread else None
    for link in own:
        if found := _relation(link, standing, view):
            change = view.citation(link.change, own=view.rows[link.change].repo)
            yield IssueNews(
                say["fixed"][found],
                change,
                "" if found in ("mentions", "named") else link.grade.value,
            )
    if standing in _STILL_OPEN and not any(one.relation is Relation.REVERTS for one in own):
        yield IssueNews(say["standings"][standing])


def _relation(link: Link, standing: Standing | None, view: ReportView) -> str | None:
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
    is_likely = link.grade is Grade.C and link.relation not in _RECORDED
    return f"likely {words}" if words and is_likely else words


def _account(view: ReportView) -> Iterator[str]:
    """Account for a page: what was read and checked, its kinds of text, who wrote and judged it, a line each."""
    report = view.report
    claims = [claim for claim in report.claims if not claim.free or claim.text.get(view.lang)]
    accounts = [report.account, *(section.account for section in report.sections)]
    failed = {one.about for account in accounts for one in account.fallbacks}
    left = [row.sha[:SHORT] for row in report.ledger if row.id in failed and not view.analysis(row)]
    counts = {
        "counts": reports.model_counts(report),
        "kinds": reports.kind_counts(claims),
        "claims": len(claims),
    }
    counts |= {
        "footer": reports.footer_counts(report),
        "links": reports.checked_counts(report)["links"],
    }
    cited = sum(len(claim.sources) for claim in claims)
    text = plain().account(
        report, view.words["page"], view.words["signs"], citations=cited, left=left, **counts
    )
    return (line.strip() for line in text.split("\n") if line.strip())
