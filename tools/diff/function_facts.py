"""The fact of functions that change alike: their lines, and where else they stand."""

from collections.abc import Sequence
from itertools import chain

from agent.domain.facts import Fact, FactLocation, Severity
from tools.diff.changed_code_fact import MAX_LINES, MAX_LINES_OF_WHOLE, code_fact
from tools.diff.changed_lines_by_function import ChangedFunction
from tools.diff.changed_runs import Weight
from tools.diff.file_roles import is_beside_product
from tools.diff.function_ranking import RankedFunction
from tools.diff.lines_around_changes import UnchangedLines
from tools.diff.new_definitions import NewDefinitions

_MAX_PLACES = 8  # Places of functions that change alike


def fact_of_functions(group: Sequence[RankedFunction], definitions: NewDefinitions) -> Fact:
    """Return the fact of functions that change alike, with the places of all.

    Behind them stand the definitions that they use and that are new.
    """
    facts = [_fact_of_function(entry) for entry in group]
    names = list(dict.fromkeys(fact.name for fact in facts))
    fact = facts[0].model_copy(update={"name": ", ".join(names), "count": len(names)})
    if len(facts) > 1:
        fact = _with_places(fact, group, [other.places[0] for other in facts[1:]])
    function, change = group[0]
    shown_lines = list(chain.from_iterable(change.shown_runs))
    places = (*fact.places, *definitions.used_by(function.file, shown_lines))
    return fact.model_copy(update={"places": places})


def _fact_of_function(entry: RankedFunction) -> Fact:
    function, change = entry
    unchanged = UnchangedLines(change.versions)
    max_lines = MAX_LINES_OF_WHOLE if change.is_whole else MAX_LINES
    name = _shown_name(function)
    fact = code_fact(function.file, name, change.shown_runs, unchanged, max_lines)
    if change.weight is Weight.FOLLOWS:
        return fact.model_copy(update={"severity": Severity.INTERNAL})
    return fact


def _with_places(fact: Fact, group: Sequence[RankedFunction], others: list[FactLocation]) -> Fact:
    """Return the fact of the first function with the places of the others."""
    change = group[0].change
    if all(entry.change.texts == change.texts for entry in group):
        # The same lines are shown once.
        elsewhere = [FactLocation(file=place.file, line=place.line, lines=()) for place in others]
        places = [*fact.places, *elsewhere]
        return fact.model_copy(update={"places": tuple(places[:_MAX_PLACES])})
    places = [fact.places[0], *others, *fact.places[1:]]
    update: dict[str, object] = {"old": None, "new": None, "places": tuple(places[:_MAX_PLACES])}
    difference = change.word_difference
    if difference is not None and difference.is_exchange_of_names:
        # Their lines differ in other words, and only these are exchanged in all of them.
        update |= {"old": difference.removed[0], "new": difference.added[0]}
    return fact.model_copy(update=update)


def _shown_name(function: ChangedFunction) -> str:
    """Return the name of a function; of other lines that of their file, as users call it."""
    if function.name or is_beside_product(function.file):
        return function.name or function.file
    return function.file.rpartition("/")[2]
