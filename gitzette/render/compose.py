"""Makes the page model of a report."""

from collections.abc import Sequence

from agent.domain.base import Language
from agent.domain.claims import Claim, Role
from agent.domain.ledger import LedgerRow, Tier
from agent.domain.report import Report, RepoSection
from agent.web import Web
from gitzette.render.account import account
from gitzette.render.issues import Issues
from gitzette.render.items import Items, fit_sections
from gitzette.render.names import mark_of, row_id
from gitzette.render.page import Item, PageModel, RepoPart, Section
from gitzette.render.pieces import Sentence, words_in
from gitzette.render.sentences import Sentences
from gitzette.render.stories import goes_on, story_part
from gitzette.render.view import View

MOST_WORDS = 1_200
"""Words of a page before the folds."""
_MOST_BRIEF, _MOST_FACTS = 7, 5
_FRAME = 90
"""Words of headings, counts and the first line of the account."""


def page_model(report: Report, lang: Language, web: Web, most_words: int = MOST_WORDS) -> PageModel:
    """Compute what a page shows of a report in one language, with so many words before the folds."""
    view = View(report, lang, web)
    sentences = Sentences(view)
    items = _items(view, sentences)
    brief = [sentences.sentence(claim) for claim in view.whole(Role.BRIEF)][:_MOST_BRIEF]
    analysed, brief = bool(brief), brief or _weightiest(items)
    repos = tuple(_repo(section, view, sentences) for section in report.sections)
    told = {one.text for one in brief}
    room = most_words - _FRAME - sum(one.words for one in brief) - sum(map(_words_of_repo, repos))
    high, mid, low = (Section(tier.value, tuple(one for one in items if one.tier == tier.value)) for tier in Tier)
    act_on, worth_knowing = fit_sections([high, mid], room, told)
    also_landed = fit_sections([low], 0, told)[0]
    return PageModel(
        report=report,
        lang=lang,
        words=view.words,
        brief=tuple(one.apart() for one in brief),
        analysed=analysed,
        act_on=act_on,
        worth_knowing=worth_knowing,
        also_landed=also_landed,
        repos=repos,
        account=tuple(account(view, _claims_shown(report, lang))),
        short=view.short,
        tiers={name: view.tier(row).value for name, row in view.rows.items()},
    )


def _items(view: View, sentences: Sentences) -> list[Item]:
    """Make the items, the weightiest first; what is out again stands behind what is in."""
    made = Items(view, sentences)
    sections = {section.repo for section in view.report.sections}
    rows = [row for name, row in view.rows.items() if name not in view.told_elsewhere and row.repo in sections]
    return [made.item(row) for row in sorted(rows, key=lambda row: _order(row, view))]


def _order(row: LedgerRow, view: View) -> tuple[bool, bool, float]:
    return row.noise is not None, row_id(row) in view.undid, -row.weight


def _weightiest(items: Sequence[Item]) -> list[Sentence]:
    """Choose the first fact of the weightiest commits that have one."""
    ranked = sorted(items, key=lambda item: list(Tier).index(Tier(item.tier)))
    facts = (next((one for one in item.sentences if one.telling), None) for item in ranked)
    return [one for one in facts if one][:_MOST_FACTS]


def _claims_shown(report: Report, lang: Language) -> list[Claim]:
    """List the claims of a page: analysis only in its own language."""
    return [claim for claim in report.claims if not claim.free or claim.text.get(lang)]


def _repo(section: RepoSection, view: View, sentences: Sentences) -> RepoPart:
    found = [story for story in view.report.stories if story.repo == section.repo]
    return RepoPart(
        section=section,
        repo=section.repo,
        place=f"r{mark_of(section.repo, 4)}",
        rows=view.report.rows(section.repo),
        summary=tuple(sentences.sentence(claim) for claim in view.whole(Role.SUMMARY, section.repo)),
        issues=Issues(view, sentences).groups(section),
        stories=tuple(story_part(story, view.web, view.report.window.tz) for story in found if goes_on(story)),
    )


def _words_of_repo(part: RepoPart) -> int:
    """Count the words of a repository's part in sight."""
    issues = [issue for group in part.issues for issue in group.shown]
    titles = sum(words_in(issue.thread.title) + 6 if issue.thread else 4 for issue in issues)
    return titles + sum(6 * len(issue.news) for issue in issues) + sum(one.words for one in part.summary) + 30
