"""Everything that a report states, in the order of its lines."""

from collections.abc import Iterator
from dataclasses import replace

from agent.audit.attributes import attributes
from agent.audit.census import census
from agent.audit.code import code, fragments
from agent.audit.contents import contents
from agent.audit.extremes import extremes
from agent.audit.fixes import closings, fixes
from agent.audit.listings import listings
from agent.audit.novelties import novelties
from agent.audit.own import own
from agent.audit.own_layout import read_layout
from agent.audit.page import Page
from agent.audit.paths import identifiers, paths
from agent.audit.references import references
from agent.audit.shares import shares
from agent.audit.signers import signers
from agent.audit.statement import Statement
from agent.audit.stats import stats
from agent.audit.structure import anchors, structure
from agent.audit.summaries import summaries
from agent.audit.tallies import tallies
from agent.audit.tellings import tellings
from agent.audit.undoings import undoings
from agent.audit.windows import windows
from agent.audit.wordings import wordings

_OF_ANYBODY = (
    references, attributes, listings, signers, stats, paths, identifiers, code, fragments, fixes, closings, undoings,
    wordings, contents, tallies, census, extremes, novelties, shares, windows, structure, tellings, summaries,
)  # fmt: skip
_OF_OURS = (references, anchors, own)
_LOOSE = (paths, identifiers, fragments)
"""What is looked at in a sentence of a report of ours that our rules would not write."""


def statements(page: Page) -> list[Statement]:
    """Collect what all families find; the same thing said in the same place is one statement."""
    found: dict[tuple[object, ...], Statement] = {}
    for statement in _all(page):
        said = (
            statement.line,
            statement.kind,
            statement.words,
            statement.predicate,
            statement.found,
            statement.evidence,
        )
        key = (*said, statement.about, *sorted(statement.params.items()))
        found.setdefault(key, statement)
    return sorted(found.values(), key=lambda one: one.line)


def _all(page: Page) -> Iterator[Statement]:
    if read_layout(page) is None:
        for family in _OF_ANYBODY:
            yield from family(page)
        return
    found = [statement for family in _OF_OURS for statement in family(page) if not _quoted(statement)]
    yield from found
    sentences = {statement.line for statement in found if statement.predicate == "tells"}
    for family in _LOOSE:
        yield from (replace(one, loose=True) for one in family(page) if one.line in sentences)


def _quoted(statement: Statement) -> bool:
    """Tell a hash or a number in words that a report of ours quotes from one that it links."""
    mention = statement.about
    return statement.predicate == "exists" and mention is not None and not mention.words.startswith("http")
