"""Landed commits as items: a headline, a few sentences, one excerpt; what goes beyond is folded."""

from collections.abc import Container, Sequence
from dataclasses import replace

from agent.domain.claims import Anchor, Claim, Quote, Role
from agent.domain.ledger import LedgerRow
from agent.telling.sentences import names_alone
from gitzette.render.names import cut_title, moment, place_of, row_id
from gitzette.render.page import Item, Section
from gitzette.render.pieces import Excerpt, Sentence, words_in
from gitzette.render.sentences import Sentences, excerpt_of, literals_of
from gitzette.render.view import View, is_breaking, untold

_MOST_WORDS, _SHORT_WORDS = 120, 45
"""Words of an item in sight: of one that is told in full, and of one that is told in short."""
_META = 8
"""Words that stand beside the sentences: author, time, size."""


class Items:
    """Makes the items of one report in one language."""

    def __init__(self, view: View, sentences: Sentences) -> None:
        self._view = view
        self._sentences = sentences

    def item(self, row: LedgerRow) -> Item:
        """Tell a commit whole; `fitted` cuts it to its length."""
        view, window, name = self._view, self._view.report.window, row_id(row)
        earlier = view.undid.get(name)
        words, number = cut_title(earlier or row)
        headline = "" if earlier else view.headline(row)
        (sight, folded), bare = self._claims(row), [] if earlier else view.bare(row)
        return Item(
            row=row,
            id=name,
            place=place_of(name),
            short=view.short[name],
            url=view.web.commit(row.repo, row.sha),
            headline=headline or words or "—",
            title=words if headline else "",
            pull=self._sentences.citation(f"{row.repo}#{number}", own=row.repo) if number else None,
            tier=view.tier(row).value,
            breaking=earlier is None and any(is_breaking(one) for one in view.said(row) if one.role is Role.CHANGE),
            when=moment(row.landed_at, window, late=row.late),
            sentences=tuple(self._sentences.sentence(one) for one in sight if one.text or one.speech),
            more=tuple(self._sentences.sentence(one) for one in folded if one.text or one.speech),
            excerpt=self._excerpt([*sight, *folded, *bare]),
            inside=tuple(names_alone(one.predicate, one.text[view.lang], view.lang) or "" for one in bare),
            uses=view.uses(row),
            undid=earlier,
            undid_short=view.short[row_id(earlier)] if earlier else "",
            undid_url=view.web.commit(earlier.repo, earlier.sha) if earlier else "",
            undid_when=moment(earlier.landed_at, window, late=earlier.late) if earlier else "",
        )

    def _claims(self, row: LedgerRow) -> tuple[list[Claim], list[Claim]]:
        """Choose what is in sight: the analysis and what it leaves untold, else what code says and quotes."""
        analysis, facts = self._view.analysis(row), self._view.facts(row)
        if not analysis:
            return facts, []
        apart = untold(facts, analysis)
        return [*analysis, *apart], [one for one in facts if one not in apart]

    def _excerpt(self, claims: Sequence[Claim]) -> Excerpt | None:
        """Show the place that proves most: changed lines that an early sentence is anchored in or quotes."""
        for claim in claims:
            literals = literals_of(claim.text.get(self._view.lang, ""))
            places: tuple[Quote | Anchor, ...] = claim.anchors if claim.free else (*claim.quotes, *claim.anchors)
            for one in places:
                if one.file and not claim.speech:
                    return excerpt_of(one.file, one.text, literals)
        return None


def fitted(item: Item, most: int, told: Container[str] = ()) -> Item:
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


def words_of(item: Item) -> int:
    """Count the words that an item has in sight."""
    return words_in(f"{item.headline} {item.title}") + sum(one.words for one in item.sentences) + _META


def fit_sections(sections: Sequence[Section], room: int, told: set[str]) -> list[Section]:
    """Fit the items of tiers into the room of a page: what finds none is folded, and nothing is lost.

    The first tier is told in full as long as the others of it can be told in short; the next ones in short.
    """
    fitting = []
    for at, section in enumerate(sections):
        shown: list[Item] = []
        items = [(fitted(item, _SHORT_WORDS, told), item) for item in section]
        waiting = sum(words_of(short) for short, _ in items) if at == 0 else 0
        for short, item in items:
            waiting -= words_of(short) if at == 0 else 0
            full = fitted(item, _MOST_WORDS, told) if at == 0 else short
            whole = at == 0 and words_of(full) + waiting <= room
            chosen = replace(full, full=True) if whole else short
            if words_of(chosen) > room:
                break
            shown.append(chosen)
            room -= words_of(chosen)
        rest = tuple(short for short, _ in items[len(shown) :])
        fitting.append(Section(section.tier, tuple(shown), rest))
    return fitting
