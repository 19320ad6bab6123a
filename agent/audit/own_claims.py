"""How many claims a report of ours has, by its own count and by what stands on its page."""

from collections.abc import Iterator, Sequence

from agent.audit.own_layout import Layout, form_of, number_in
from agent.audit.own_sentences import CITING
from agent.audit.page import Page
from agent.audit.statement import Statement, shortened, structural

_SHORT = 7
_PARTS = 3
"""The level of the headings of a repository's parts."""


def claims(page: Page, layout: Layout, said: Sequence[Statement]) -> Iterator[Statement]:
    """Compare the footer's count of claims with the statements of all entries."""
    rules = layout.say.not_analysed
    known = _only_known_parts(page, layout)
    own = any(page.blocks[place].text.strip() == rules for place in layout.footer)
    for place in layout.footer:
        block = page.blocks[place]
        if not block.text.startswith(layout.say.checked.partition("{")[0]):
            continue
        found = form_of(layout.say.checked.replace("{citations}", "{}")).fullmatch(block.text.strip())
        if found is None:
            yield structural(block.line, "count", block.text, "malformed", "no count of claims that we would print")
        elif own and known:
            # A story repeats sentences of the commits that it tells of.
            citing = {_key(one) for one in said if one.predicate in (*CITING, "series")}
            excerpts = [one for one in said if one.predicate == "excerpt" and one.about]
            tells = [one for one in said if one.predicate == "tells"]
            told_of = {one.about.sha[:_SHORT] for one in tells if one.about}
            # Where nothing is told, an excerpt stands for itself; else it may show what is.
            beside = [one for one in excerpts if one.about and one.about.sha[:_SHORT] in told_of]
            params = {
                "claims": str(number_in(found["claims"])),
                "checked": str(number_in(found["p1"])),
                "passed": str(number_in(found["p2"])),
                "told": str(len(tells)),
                "shown": str(len(excerpts) - len(beside)),
                "citing": str(len(citing)),
                "cited": str(sum(len(others) for _, _, others in citing)),
                "spoken": str(sum(one.predicate == "speaks" for one in said)),
            }
            also = tuple(one.about for one in beside if one.about)
            lines = tuple("\n".join(one.lines) for one in beside)
            told = shortened(block.text)
            yield Statement(block.line, "count", told, None, None, "claims", params, also=also, lines=lines)


def _key(one: Statement) -> tuple[str, str, tuple[str, ...]]:
    """Name a sentence by what it says of which commit."""
    about = (one.also[0] if one.predicate == "fixes" else one.about) or one.also[0]
    others = (one.about,) if one.predicate == "fixes" and one.about else one.also
    return one.predicate, about.sha[:_SHORT], tuple(m.sha[:_SHORT] or str(m.number) for m in others)


def _only_known_parts(page: Page, layout: Layout) -> bool:
    """Tell whether every part of the report is one whose claims are counted here."""
    say = layout.say
    fixed = (say.all_commits, say.late_heading, say.statistics, say.releases, say.issues, say.outlook, say.stories)
    counted = (*say.tiers.values(), say.not_read)
    headings = [
        page.blocks[place].text.strip()
        for section in layout.sections
        for place in section.others
        if page.blocks[place].kind == "heading" and page.blocks[place].level == _PARTS
    ]
    return all(text in fixed or text.rpartition(" (")[0] in counted for text in headings)
