"""The composition of pages: the page model of a report, and the Markdown of a day and a week."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from agent.browser_urls import Web
from agent.domain import report as reports
from agent.domain.account import Account
from agent.domain.base import Language
from agent.domain.claims import Claim
from agent.domain.evidence_id import EvidenceId
from agent.domain.links import BARE, Story
from agent.domain.report import Report, RepoSection
from agent.editions.week import MOST_WORDS as MAX_WORDS_OF_WEEK
from agent.editions.week import Week
from agent.reports.page_model import (
    MAX_BRIEF_WORDS,
    Item,
    PageCard,
    PageModel,
    PageSection,
    PageSentence,
    RepoPart,
    SectionName,
    brief_length,
    words_in,
)
from agent.reports.shown_titles import shown_title, with_shown_titles
from agent.settings.values import Layout
from agent.stories.paragraph import story_title
from gitzette.render.cards import cards_of, section_of, without_brief
from gitzette.render.issue_lists import issue_lists
from gitzette.render.page_addresses import SHORT, mark_of
from gitzette.render.release_cards import release_cards, release_news
from gitzette.render.repo_names_in_brief import with_repo_names
from gitzette.render.report_view import ReportView, cut_title, is_breaking, is_private, is_telling
from gitzette.render.templating import filled, plain

_MAX_BRIEF = 7  # Sentences of a model's brief before its fold
_MAX_BRIEF_FACTS = 5  # Facts of a brief without a model
_MAX_WEEK_ENTRIES = 6  # Stories of a week, and pairs of changes and reverts
_MAX_WEEK_LINES = 12  # Commits worth knowing of a week
_WORDS_OF_LINE = 16
_WORDS_OF_FRAME = 190  # Headings, counts and lists of days of a week's page
_WORDS_OF_META = 8  # Author, time and size of a commit
_WORD = re.compile(r"\w+")


def report_page(report: Report, lang: Language, web: Web, layout: Layout = "digest") -> str:
    """Return the whole report as Markdown."""
    return filled(f"{layout}.md", lang, web, page=page_model(report, lang, web))


def page_model(report: Report, lang: Language, web: Web) -> PageModel:
    """Return what a page shows of a report in one language.

    Every claim of the report that has words in the language is on the page.
    """
    report = with_shown_titles(report, lang)
    view = ReportView(report, lang, web)
    cards = cards_of(view)
    written = view.sentences_with_role("brief")
    brief = written[:_MAX_BRIEF]
    if not written:
        brief = _brief_of_facts(cards, view)
        cards = [without_brief(card, brief) for card in cards]
    summaries = _summaries(written, cards, view)
    repos = [_repo_part(section, summaries, cards, view) for section in report.sections]
    placed = _claims_of((*written, *view.sentences_with_role("summary")))
    for card in cards:
        for item in card.items:
            placed += item.claims
    unplaced = view.unplaced(placed)
    brief = with_repo_names(brief, report.repos, lang)
    more_of_brief = with_repo_names(written[_MAX_BRIEF:], report.repos, lang)
    repos = [_with_unplaced(part, unplaced) for part in repos]
    covered = {part.repo for part in repos}
    elsewhere = [sentence for sentence in unplaced if sentence.claim.repo not in covered]
    act_on = _section("act on", cards)
    worth_knowing = _section("worth knowing", cards)
    short_rows = tuple(item for item in worth_knowing.items if item.asks_to_act)
    return PageModel(
        report=report,
        lang=lang,
        words=view.words,
        brief=tuple(brief),
        more=(*more_of_brief, *elsewhere),
        summed_up=tuple(with_repo_names(summaries.folded, report.repos, lang)),
        analysed=bool(written),
        sections=(
            act_on._replace(short_rows=short_rows),
            worth_knowing,
            _section("also landed", cards),
        ),
        repos=tuple(repos),
        releases=release_cards(view),
        release_news=release_news(view),
        foreign_languages=view.foreign_languages,
        left_out=tuple(_left_out(view)),
        account=(*_account(view), *_statuses(repos, view)),
    )


def _section(name: SectionName, cards: Iterable[PageCard]) -> PageSection:
    return PageSection(name, tuple(card for card in cards if section_of(card) == name))


def _brief_of_facts(cards: Iterable[PageCard], view: ReportView) -> list[PageSentence]:
    """Return the weightiest facts, one of each commit.

    What breaks comes first, what users do not reach last.
    """

    def distance(claim: Claim) -> tuple[bool, bool]:
        return not is_breaking(claim), is_private(claim)

    chosen: list[Claim] = []
    for card in cards:
        for item in card.items:
            facts = [sentence.claim for sentence in item.sentences if is_telling(sentence.claim)]
            if facts:
                chosen.append(min(facts, key=distance))
    chosen.sort(key=distance)
    return [view.sentence(claim, apart=True) for claim in chosen[:_MAX_BRIEF_FACTS]]


def _claims_of(sentences: Iterable[PageSentence]) -> list[Claim]:
    return [sentence.claim for sentence in sentences]


# ---------------------------------------------------------------- repositories


class _Summaries(NamedTuple):
    """The sentences that sum up the repositories, by where they stand."""

    in_sight: tuple[PageSentence, ...]
    folded: tuple[PageSentence, ...]  # About commits that the brief tells of, in other words


def _summaries(
    brief: Iterable[PageSentence], cards: Iterable[PageCard], view: ReportView
) -> _Summaries:
    """Return the sentences of summaries without those that the page has in the same words."""
    cited_in_brief: set[EvidenceId] = set()
    page_texts: list[str] = []
    for sentence in brief:
        cited_in_brief.update(sentence.claim.cites)
        page_texts.append(_bare_words(sentence.text))
    for card in cards:
        for item in card.items:
            page_texts.append(_bare_words(item.headline))
            page_texts += [_bare_words(sentence.text) for sentence in item.sentences]
    in_sight: list[PageSentence] = []
    folded: list[PageSentence] = []
    for sentence in view.sentences_with_role("summary"):
        words = _bare_words(sentence.text)
        if any(words in text for text in page_texts):
            continue
        cites = sentence.claim.cites
        is_about_commits = any(cite in view.rows for cite in cites)
        is_in_brief = is_about_commits and cited_in_brief.issuperset(cites)
        (folded if is_in_brief else in_sight).append(sentence)
    return _Summaries(tuple(in_sight), tuple(folded))


def _bare_words(text: str) -> str:
    """Return the words of a text between spaces, by which two sentences are compared."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "


def _repo_part(
    section: RepoSection, summaries: _Summaries, cards: Iterable[PageCard], view: ReportView
) -> RepoPart:
    repo = section.repo
    stories = []
    for story in view.report.stories:
        if story.repo == repo and _goes_on(story):
            stories.append(story)
    cited = _cited_on_cards(cards)
    summary = [sentence for sentence in summaries.in_sight if sentence.claim.repo == repo]
    return RepoPart(
        section=section,
        repo=repo,
        element_id=f"r{mark_of(repo, 4)}",
        rows=view.report.rows(repo),
        summary=tuple(summary),
        more=(),
        issues=issue_lists(section, view),
        stories=tuple(stories),
        follow_ups=tuple(story for story in stories if not _is_told(story, cited)),
    )


def _cited_on_cards(cards: Iterable[PageCard]) -> set[EvidenceId]:
    """Return the commits of the cards and everything that is cited on them."""
    cited: set[EvidenceId] = set()
    for card in cards:
        for item in card.items:
            cited.add(item.row.id)
            if item.undid is not None:
                cited.add(item.undid.id)
            for claim in item.claims:
                cited.update(claim.sources)
    return cited


def _is_told(story: Story, cited: Collection[EvidenceId]) -> bool:
    """Return True if the cards name every step of a story but its releases."""
    return all(step.cite in cited for step in story.timeline if step.act != "released")


def _with_unplaced(part: RepoPart, unplaced: Iterable[PageSentence]) -> RepoPart:
    """Return a repository with what is said of it and of none of its commits."""
    added = [sentence for sentence in unplaced if sentence.claim.repo == part.repo]
    return part._replace(more=(*part.more, *added))


def _goes_on(story: Story) -> bool:
    """Return True if a story is listed by itself.

    That a fix was released is told among the issues, and what a commit names or changes with it.
    """
    steps = [step for step in story.timeline if step.act != "released"]
    has_past = any(step.cite not in story.news for step in steps)
    return story.kind not in ("released", *BARE) and has_past and len(steps) > 1


# ---------------------------------------------------------------- the account


def _accounts_of(report: Report) -> list[Account]:
    """Return the account of the report, then those of its repositories."""
    accounts = [report.account]
    accounts += [section.account for section in report.sections]
    return accounts


def _left_out(view: ReportView) -> Iterator[str]:
    """Yield what no model explained although it was to, or was not read at all, by reason."""
    report = view.report
    words = view.words["page"]
    limits: dict[str, str] = words["limits"]
    reasons: dict[EvidenceId, str] = {}
    for account in _accounts_of(report):
        for fallback in account.fallbacks:
            if fallback.part != "explaining" or fallback.about is None:
                continue
            if fallback.limit:
                reasons[fallback.about] = limits[fallback.limit]
            else:
                plain_reason = fallback.reason.replace("`", "")
                reasons[fallback.about] = f"`{plain_reason}`"
    counts = Counter[str]()
    for row in report.ledger:
        # What is only listed was over the budget of diffs.
        reason = limits["diffs"] if row.depth == "list" else reasons.get(row.id, "")
        if reason and not view.analysis(row):
            counts[reason] += 1
    for reason, count in counts.items():
        commits = words["one_commit"] if count == 1 else words["commits"].format(count)
        yield words["left_out"].format(commits=commits, reason=reason)


def _account(view: ReportView) -> Iterator[str]:
    """Yield the account of a page: what was read and checked, who wrote and judged it."""
    report = view.report
    claims = [claim for claim in report.claims if not claim.free or view.text(claim)]
    failed: set[EvidenceId | None] = set()
    for account in _accounts_of(report):
        failed.update(fallback.about for fallback in account.fallbacks)
    unexplained = []
    for row in report.ledger:
        if row.id in failed and not view.analysis(row):
            unexplained.append(row.sha[:SHORT])
    text = plain().account(
        report,
        view.words["page"],
        view.words["signs"],
        claims=len(claims),
        citations=sum(len(claim.sources) for claim in claims),
        counts=reports.model_counts(report),
        kinds=reports.kind_counts(claims),
        footer=reports.footer_counts(report),
        links=reports.checked_counts(report)["links"],
        left=unexplained,
    )
    for line in text.split("\n"):
        if line.strip():
            yield line.strip()
    length = brief_length(report)
    if length.long:
        template: str = view.words["page"]["brief_length"]
        yield template.format(**length._asdict(), words=MAX_BRIEF_WORDS)


def _statuses(repos: Iterable[RepoPart], view: ReportView) -> Iterator[str]:
    """Yield how much landed in each repository."""
    for part in repos:
        status = plain().status(view.words, part).strip()
        yield f"{part.repo}{view.words['signs']['colon']}{status}"


# ---------------------------------------------------------------- weeks


class ListEntry(NamedTuple):
    """A line of a list on the weekly page."""

    title: str
    cites: tuple[EvidenceId, ...]


class WeekModel(NamedTuple):
    """The page of a week in at most a thousand words; the daily reports have the rest."""

    page: PageModel
    week: Week
    act_on: PageSection
    told: list[Item]  # Those to act on that there are words for
    knowing: list[Item]  # The first that are worth knowing
    knowing_count: int
    reverts: list[ListEntry]
    stories: list[ListEntry]
    entries_shown: int


def week_page(week: Week, lang: Language, web: Web, ending: str) -> str:
    """Return a week as Markdown; `ending` completes the file names of the daily reports."""
    model = week_model(week, lang, web)
    return filled("week.md", lang, web, ending=ending, **model._asdict())


def week_model(week: Week, lang: Language, web: Web) -> WeekModel:
    """Return what a page of a week shows in one language."""
    reverts = _revert_entries(week, lang)
    stories = _story_entries(week)
    page = page_model(week.report, lang, web)
    act_on, worth_knowing, _ = page.sections
    act_on = act_on._replace(short_rows=())  # A week has no cards that short rows could lead to
    # What came and went is listed by itself.
    undone = {pair.undone_by for pair in week.came_and_went}
    knowing = [item for item in worth_knowing.items if item.row.id not in undone]
    listed = reverts[:_MAX_WEEK_ENTRIES] + stories[:_MAX_WEEK_ENTRIES]
    words_left = MAX_WORDS_OF_WEEK - _WORDS_OF_FRAME - _MAX_WEEK_LINES * _WORDS_OF_LINE
    words_left -= sum(words_in(entry.title) + 2 * len(entry.cites) for entry in listed)
    words_left -= sum(sentence.words for sentence in page.brief)
    return WeekModel(
        page=page,
        week=week,
        act_on=act_on,
        told=_fitting(act_on.items, words_left),
        knowing=knowing[:_MAX_WEEK_LINES],
        knowing_count=len(knowing),
        reverts=reverts,
        stories=stories,
        entries_shown=_MAX_WEEK_ENTRIES,
    )


def _fitting(items: Iterable[Item], words_left: int) -> list[Item]:
    """Return the first items that a page has words left for."""
    fitting: list[Item] = []
    for item in items:
        words_left -= words_in(item.headline) + _WORDS_OF_META
        words_left -= sum(sentence.words for sentence in item.sentences or item.in_brief)
        if words_left < 0:
            break
        fitting.append(item)
    return fitting


def _revert_entries(week: Week, lang: Language) -> list[ListEntry]:
    rows = {row.id: row for row in week.report.ledger}
    entries = []
    for pair in week.came_and_went:
        title = shown_title(cut_title(rows[pair.change]).words, lang)
        entries.append(ListEntry(title, (pair.change, pair.undone_by)))
    return entries


def _story_entries(week: Week) -> list[ListEntry]:
    """Return the stories, without the releases and reverts that the page shows elsewhere."""
    reverts = [{pair.change, pair.undone_by} for pair in week.came_and_went]
    entries = []
    for story in week.report.stories:
        title = story_title(story)
        if story.kind == "released":
            continue
        if any(revert <= set(story.steps) for revert in reverts):
            continue
        entries.append(ListEntry(title, story.steps[-3:]))
    return entries
