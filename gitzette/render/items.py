"""Landed commits as items: a headline, a few sentences, one excerpt; what goes beyond is folded."""

from collections.abc import Container, Sequence
from dataclasses import replace

from agent.domain.claims import Anchor, Claim, Quote, Role
from agent.domain.ledger import LedgerRow
from gitzette.render.model import Excerpt, Item, Section, Sentence, row_id, words_in
from gitzette.render.sentences import Sentences, excerpt_of
from gitzette.render.view import View, cut_title, is_breaking, untold

_MOST_WORDS, _SHORT_WORDS = 120, 45
"""Words of an item in sight: of one that is told in full, and of one that is told in short."""
_META = 8
"""Words that stand beside the sentences: author, time, size."""


def items_of(view: View, sentences: Sentences) -> list[Item]:
    """Make the items, the weightiest first; what is out again stands behind what is in."""
    repos = {section.repo for section in view.report.sections}
    elsewhere = {row_id(row) for row in view.undid.values()}
    rows = [row for name, row in view.rows.items() if name not in elsewhere and row.repo in repos]
    rows.sort(key=lambda row: (row.noise is not None, row_id(row) in view.undid, -row.weight))
    return [_item(row, view, sentences) for row in rows]


def _item(row: LedgerRow, view: View, sentences: Sentences) -> Item:
    """Tell a commit whole: the analysis and what it leaves untold, else what code says and quotes."""
    earlier = view.undid.get(row_id(row))
    words, number = cut_title(earlier or row)
    headline = "" if earlier else view.headline(row)
    analysis, facts = view.analysis(row), view.facts(row)
    sight = [*analysis, *untold(facts, analysis)] if analysis else facts
    folded = [one for one in facts if one not in sight]
    bare = [] if earlier else [one for one in view.said(row) if not one.free and view.inside(one)]
    return Item(
        row=row,
        headline=headline or words or "—",
        title=words if headline else "",
        pull=sentences.citation(f"{row.repo}#{number}", own=row.repo) if number else None,
        tier=view.tier(row).value,
        breaking=earlier is None and any(is_breaking(one) for one in view.said(row) if one.role is Role.CHANGE),
        sentences=tuple(sentences.sentence(one) for one in sight if one.text or one.speech),
        more=tuple(sentences.sentence(one) for one in folded if one.text or one.speech),
        excerpt=_excerpt([*sight, *folded, *bare], view),
        inside=tuple(view.inside(one) or "" for one in bare),
        uses=view.uses(row),
        undid=earlier,
    )


def _excerpt(claims: Sequence[Claim], view: View) -> Excerpt | None:
    """Show the place that proves most: changed lines that an early sentence is anchored in or quotes."""
    for claim in claims:
        places: tuple[Quote | Anchor, ...] = claim.anchors if claim.free else (*claim.quotes, *claim.anchors)
        for one in places:
            if one.file and not claim.speech:
                return excerpt_of(one.file, one.text, claim.text.get(view.lang, ""))
    return None


def _fitted(item: Item, most: int, told: Container[str]) -> Item:
    """Keep as many sentences in sight as `most` words allow, none of which the page has `told` already."""
    shown: list[Sentence] = []
    left = most - words_in(f"{item.headline} {item.title}")
    brief = tuple(one for one in item.told if one.text in told)
    for sentence in (one for one in item.sentences if one not in brief):
        if sentence.words > left:
            break
        shown.append(sentence)
        left -= sentence.words
    rest = tuple(one for one in item.told if one not in shown and one not in brief)
    return replace(item, in_brief=brief, sentences=tuple(shown), more=rest)


def _words_of(item: Item) -> int:
    """Count the words that an item has in sight."""
    return words_in(f"{item.headline} {item.title}") + sum(one.words for one in item.sentences) + _META


def fit_sections(sections: Sequence[Section], room: int, told: Container[str]) -> list[Section]:
    """Fit the items of tiers into the room of a page: what finds none is folded, and nothing is lost.

    The first tier is told in full as long as the others of it can be told in short; the next ones in short.
    """
    fitting: list[Section] = []
    for section in sections:
        first, shown = not fitting, list[Item]()
        shorts = [_fitted(item, _SHORT_WORDS, told) for item in section.items]
        waiting = sum(map(_words_of, shorts))
        for short, item in zip(shorts, section.items, strict=True):
            waiting -= _words_of(short)
            full = _fitted(item, _MOST_WORDS, told) if first else short
            chosen = replace(full, full=True) if first and _words_of(full) + waiting <= room else short
            if _words_of(chosen) > room:
                break
            shown.append(chosen)
            room -= _words_of(chosen)
        fitting.append(Section(section.tier, tuple(shown), tuple(shorts[len(shown) :])))
    return fitting
