"""Everything that a report states, in the order of its lines."""

from collections.abc import Iterator

from agent.audit.attributes import attributes
from agent.audit.code import code, fragments
from agent.audit.contents import contents
from agent.audit.fixes import fixes
from agent.audit.own import own
from agent.audit.page import Page
from agent.audit.paths import identifiers, paths
from agent.audit.references import references
from agent.audit.statement import Statement
from agent.audit.stats import stats
from agent.audit.structure import structure
from agent.audit.windows import windows

FAMILIES = (
    references,
    attributes,
    stats,
    paths,
    identifiers,
    code,
    fragments,
    fixes,
    contents,
    windows,
    structure,
    own,
)


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
    for family in FAMILIES:
        yield from family(page)
