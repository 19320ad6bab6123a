"""The cards of a page: what is in sight of each commit, what is folded, and what stands together."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from agent.domain.claims import Claim
from agent.domain.evidence_id import EvidenceId
from agent.domain.ledger import LedgerRow
from agent.domain.placement import CommitGroup, Importance
from agent.links.admitted_relation_links import asserts_relation
from agent.reports.affected_text import card_text, first_release_text
from agent.reports.commit_order import in_report_order
from agent.reports.page_model import Item, PageCard, PageExcerpt, PageSentence, SectionName
from agent.reports.shown_titles import shown_title
from gitzette.render.excerpts import NAME_SEPARATORS, code_spans, excerpt_of
from gitzette.render.page_addresses import commit_path, element_id_of
from gitzette.render.report_view import (
    ReportView,
    cut_title,
    is_breaking,
    is_new_file,
    is_weak,
    without,
)

_MAX_FACTS = 3  # Facts in sight of a commit that no model explained; what breaks comes on top
_WORD = re.compile(r"\w+")
_TAGS = re.compile(r"(?:\s*\[[^\[\]]{1,40}\])*\s*(?:[A-Za-z-]{1,24}(?:\([^()]{1,40}\))?!?:\s)?")
"""What stands in front of the words of a title: `[Bugfix][Core]`, `feat(cli)!:`."""


def cards_of(view: ReportView) -> list[PageCard]:
    """Return the cards of a report in its order; a group stands where its first commit stands."""
    items = _items(view)
    group_of = _groups_by_commit(view, items)
    cards: list[PageCard] = []
    grouped: set[EvidenceId] = set()
    for name, item in items.items():
        if name in grouped:
            continue
        group = group_of.get(name)
        if group is None:
            cards.append(PageCard(item.headline, (item,)))
            continue
        members = tuple(items[commit] for commit in items if group_of.get(commit) is group)
        grouped.update(member.row.id for member in members)
        cards.append(_group_card(group, members, view))
    return cards


def section_of(card: PageCard) -> SectionName:
    """Return the section of a card: that of the commit which asks most of the reader."""
    names: tuple[SectionName, ...] = ("act on", "worth knowing", "also landed")
    sections = {item.section for item in card.items}
    return next(name for name in names if name in sections)


def _group_card(group: CommitGroup, members: tuple[Item, ...], view: ReportView) -> PageCard:
    label = group.label.get(view.lang) or next(iter(group.label.values()), "")
    return PageCard(label or members[0].headline, members)


def _groups_by_commit(
    view: ReportView, items: dict[EvidenceId, Item]
) -> dict[EvidenceId, CommitGroup]:
    """Return the group of each commit; the first group that names a commit keeps it."""
    groups: dict[EvidenceId, CommitGroup] = {}
    for group in view.report.groups:
        for commit in group.commits:
            if commit in items:
                groups.setdefault(commit, group)
    return groups


def _items(view: ReportView) -> dict[EvidenceId, Item]:
    """Return the items by commit, in the order of the report.

    A commit that was undone in the window is told with the one that undid it. Where no editor
    gave an order, such pairs stand behind what still holds.
    """
    covered = {section.repo for section in view.report.sections}
    undone = {row.id for row in view.undid.values()}
    rows = []
    for row in view.report.ledger:
        if row.id not in undone and row.repo in covered:
            rows.append(row)
    items = [_item(row, view) for row in in_report_order(rows)]
    is_placed = any(row.placement for row in rows)
    items.sort(key=lambda item: (-item.importance, item.undid is not None and not is_placed))
    return {item.row.id: item for item in items}


class _Choice(NamedTuple):
    """The claims of a commit, by where they stand on its card."""

    sight: list[Claim]
    folded: list[Claim]  # In the fold, before everything else that is said of the commit


def _item(row: LedgerRow, view: ReportView) -> Item:
    """Return all that is said of a commit.

    The sentences of a model are in sight, in its order, and what the commit has to do with issues
    and other changes; facts and quotations prove them in the fold. Without a model, the first
    facts or the author's own words are in sight.
    """
    undone = view.undid.get(row.id)
    claims = [*view.claims_of(row)]
    undone_claims: list[Claim] = []
    if undone is not None:
        claims = [*view.claims_of(undone), *claims]
        undone_claims = [claim for claim in view.claims_of(undone) if claim.free]
    title = cut_title(undone or row).words
    headline = None if undone else view.headline(row)
    importance = view.importance(row)
    choice = _chosen(row, headline, view, _MAX_FACTS if importance > Importance.MINOR else 1)
    printed = [*choice.sight, *choice.folded, *undone_claims]
    if headline is not None and not (importance is Importance.MINOR and choice.sight):
        printed.append(headline)  # The line of a minor commit has its sentence and no headline
    more = view.sentences(choice.folded)
    more += view.sentences(without(claims, printed), apart=undone is not None)
    sentences = tuple(view.sentences(choice.sight))
    excerpt = _excerpt([*choice.sight, *choice.folded, *_name_claims(row, view)], view)
    opens_excerpt = importance is Importance.MUST_KNOW or not sentences
    headline_text = view.text(headline) if headline else shown_title(title, view.lang)
    original_title = title if headline else ""
    return Item(
        row=row,
        element_id=element_id_of(row.id),
        path=commit_path(row.repo, row.sha),
        section=view.section(row),
        importance=importance,
        headline=headline_text,
        title=original_title,
        subtitle=_subtitle(original_title, headline_text, sentences),
        pull=view.pull(undone or row),
        is_breaking=undone is None and view.is_breaking(row),
        is_marked_breaking=view.is_marked_breaking(row),
        breaks=() if undone else view.breaks(row),
        sentences=sentences,
        undone_sentences=tuple(view.sentences(undone_claims, apart=True)),
        more=tuple(more),
        excerpt=excerpt,
        is_excerpt_open=excerpt is not None and opens_excerpt,
        quoted=tuple(_quoted(claims, view)),
        claims=tuple(claims),
        undid=undone,
        uses=view.uses(row),
        why=view.why(row),
        affected=_versions(row, view) if undone is None else "",
    )


def _versions(row: LedgerRow, view: ReportView) -> str:
    """Return which versions have the fault that a commit mends, else which release has the fix."""
    if row.affected is not None:
        return card_text(row.affected, view.lang)
    if row.first_release is not None:
        return first_release_text(row.first_release, view.lang)
    return ""


def _chosen(row: LedgerRow, headline: Claim | None, view: ReportView, max_facts: int) -> _Choice:
    """Return what is in sight of a commit; at most `max_facts` where no model explained it."""
    analysis = view.analysis(row)
    facts = view.facts(row)
    if not analysis:
        sight = _facts_in_sight(facts, max_facts)
        return _Choice(sight, without(facts, sight))
    texts = [view.text(claim) for claim in analysis]
    if headline is not None:
        texts.append(view.text(headline))
    written = " ".join(texts)
    sight = [*analysis]
    for fact in facts:
        is_relation = asserts_relation(fact) and not _is_told_in(fact, analysis)
        is_break = is_breaking(fact) and not _is_repeated(view.text(fact), written)
        if is_relation or is_break:
            sight.append(fact)
    return _Choice(sight, without(facts, sight))


def _is_told_in(relation: Claim, analysis: Sequence[Claim]) -> bool:
    """Return True if a model's sentence cites the other side of a relation as well."""
    other = relation.sources[-1]
    return any(other in claim.sources for claim in analysis)


def _facts_in_sight(facts: Sequence[Claim], max_facts: int) -> list[Claim]:
    """Return the first facts and all that break something or state a relation, else a quotation."""
    strong: list[Claim] = []
    weak: list[Claim] = []
    for fact in facts:
        if fact.text and not fact.speech and not is_weak(fact):
            strong.append(fact)
        elif (fact.speech or fact.text) and not is_new_file(fact):
            weak.append(fact)
    sight = strong[:max_facts] or weak[:1]
    for fact in facts:
        if fact not in sight and (is_breaking(fact) or asserts_relation(fact)):
            sight.append(fact)
    return sight


def _is_repeated(fact: str, written: str) -> bool:
    """Return True if a text has everything that a fact sets as code; of `a.b`, `b` is enough."""
    names = code_spans(fact)
    written_names = set(code_spans(written))
    for span in code_spans(written):
        written_names.update(NAME_SEPARATORS.split(span))
    for name in names:
        last_part = NAME_SEPARATORS.split(name)[-1]
        if name not in written and last_part not in written_names:
            return False
    return bool(names)


def _subtitle(title: str, headline: str, sentences: Iterable[PageSentence]) -> str:
    """Return the original title if it has a word that is not on the card already."""
    texts = [headline]
    texts += [sentence.text for sentence in sentences]
    card = " ".join(texts).casefold()
    words = _WORD.findall(_TAGS.sub("", title, count=1).casefold())
    return title if any(word not in card for word in words) else ""


def _name_claims(row: LedgerRow, view: ReportView) -> list[Claim]:
    """Return the claims that name changed functions and no more: their lines are the news."""
    if row.id in view.undid:
        return []
    claims = [claim for claim in view.claims_of(row) if not claim.free]
    return [claim for claim in claims if view.only_names(claim)]


def _quoted(claims: Iterable[Claim], view: ReportView) -> Iterator[PageExcerpt]:
    """Yield the lines of claims that say nothing but what they show."""
    for claim in claims:
        if view.text(claim) or claim.speech:
            continue
        for quote in claim.quotes:
            yield excerpt_of(quote.file or "", quote.text, view.text(claim))


def _excerpt(claims: Iterable[Claim], view: ReportView) -> PageExcerpt | None:
    """Return the lines that the first claim rests on, with what changed around them.

    Those of other commits would look like lines of this one.
    """
    excerpts: list[PageExcerpt] = []
    for claim in claims:
        if claim.speech:
            continue
        for passage in (*claim.anchors, *claim.quotes):
            if passage.file and passage.cite in claim.about:
                excerpts.append(excerpt_of(passage.file, passage.text, view.text(claim)))
    if not excerpts:
        return None
    wider = [excerpt for excerpt in excerpts if excerpts[0].is_part_of(excerpt)]
    return max(wider, key=_size)


def _size(excerpt: PageExcerpt) -> tuple[int, bool]:
    return len(excerpt.lines), any(line.side for line in excerpt.lines)


def without_brief(card: PageCard, brief: Iterable[PageSentence]) -> PageCard:
    """Return a card without the facts that the brief tells, as long as it still says something.

    What a commit has to do with an issue or another change stays: it is looked for on the card.
    """
    texts = {sentence.text for sentence in brief}
    return replace(card, items=tuple(_without_texts(item, texts) for item in card.items))


def _without_texts(item: Item, texts: set[str]) -> Item:
    repeated: list[PageSentence] = []
    sentences: list[PageSentence] = []
    for sentence in item.sentences:
        is_repeated = sentence.text in texts and not asserts_relation(sentence.claim)
        (repeated if is_repeated else sentences).append(sentence)
    if not repeated or not (sentences or item.excerpt):
        return item
    return replace(
        item,
        in_brief=tuple(repeated),
        sentences=tuple(sentences),
        is_excerpt_open=item.is_excerpt_open or not sentences,
    )
