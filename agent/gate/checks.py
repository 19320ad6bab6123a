"""The rules by which words are judged, in their order."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from agent.claims import Judgement
from agent.gate.act import Act
from agent.gate.address import check_address
from agent.gate.bounds import check_bounds
from agent.gate.content import check_content, is_free
from agent.gate.contrasts import check_contrasts
from agent.gate.denials import check_negation, check_reported
from agent.gate.direction import Direction
from agent.gate.effects import check_blamed, check_effects, check_fixed, check_reverted
from agent.gate.ground import whole
from agent.gate.holding import stand_of
from agent.gate.named_facts import last_part
from agent.gate.names import check_expansions, check_names, check_projects
from agent.gate.opposites import check_denied, check_opposites, check_present, check_staying
from agent.gate.prose import Kind
from agent.gate.reading import Reading, undecided, unsupported
from agent.gate.relations import check_relations
from agent.gate.sequence import check_enclosed, check_sequence
from agent.gate.siblings import check_siblings
from agent.gate.stances import check_absolutes, check_causes, check_forecasts
from agent.gate.stand import Stand
from agent.gate.values import check_values
from agent.gate.wrongs import check_wrongs

Check = Callable[[Reading], Judgement | None]


_COUNTING = (Direction.ADD, Direction.REMOVE, Direction.RAISE, Direction.LOWER)


def check_directions(reading: Reading) -> Judgement | None:
    """Hold every verb that says which way something went against facts, lines and words."""
    doubtful: Judgement | None = None
    undone = any(act.direction is Direction.REVERT and not act.negated for act in reading.acts)
    for act in _with_objects(reading.acts):
        # Lines are counted by the check of numbers.
        lines = (("line",), ("lines",), ("行",)) if act.direction in _COUNTING else (("line",), ("lines",))
        counted = act.words in lines and not act.objects
        if act.negated or act.word in ("no", "不再") or counted:
            continue
        stand = Stand.SILENT if _is_consequence(act, reading) else stand_of(act, reading.ground)
        about = ", ".join(token.text for token in act.objects) or " ".join(act.words)
        shown = _is_shown(act, reading) and act.direction not in (Direction.REVERT, Direction.RELAND)
        if stand is Stand.OPPOSES and shown and not act.lent and not act.soft:
            return unsupported("direction", f"the evidence does not show that {about} was {act.direction.value}")
        # In "reverts the addition of x" the evidence speaks of the addition as undone.
        silent = stand is Stand.SILENT and (act.soft or (undone and not act.objects))
        if stand is not Stand.AGREES and not silent:
            doubtful = doubtful or undecided("direction", f"nothing shows that {about!r} was {act.direction.value}")
    return doubtful


def _is_consequence(act: Act, reading: Reading) -> bool:
    """Tell whether something is said to have grown or shrunk in consequence: the length of a diff proves nothing."""
    bare = not act.objects and act.old is None and act.new is None and all(map(is_free, act.words))
    return bare and act.direction in (Direction.RAISE, Direction.LOWER) and act.place != reading.acts[0].place


def _is_shown(act: Act, reading: Reading) -> bool:
    """Tell whether an act names what it is about, by a name or by values that stand for nothing else."""
    values = [token.text for token in (act.old, act.new) if token is not None]
    named = any(token.named or token.camel for token in reading.tokens if token not in (act.old, act.new))
    # What stands in quotation marks is a manner of speaking as often as a name.
    objects = any(token.kind is not Kind.QUOTED for token in act.objects)
    return objects or (len(values) == 2 and (named or all(len(value) > 2 for value in values)))


_TURNED = re.compile(
    r"\b(?:formerly|previously|replac\w*|instead|rather|was|old|former|from|earlier|supersed\w*|reviv\w*)\b|"
    r"原|取代|替换|替代|代替|旧|从|由|之前|此前|曾",
    re.IGNORECASE,
)


def check_renames(reading: Reading) -> Judgement | None:
    """Read a rename in its order: who tells the new name first says so, or has it the wrong way round."""
    text = reading.sentence.text
    for fact in reading.ground.facts:
        if not fact.kind.value.endswith("renamed") or not fact.old or not fact.new:
            continue
        old, new = whole(last_part(fact.old)).search(text), whole(last_part(fact.new)).search(text)
        if old and new and new.start() < old.start() and not _TURNED.search(text):
            return undecided("direction", f"{fact.old} became {fact.new}, not the other way round")
    return None


def _with_objects(acts: Iterable[Act]) -> Iterator[Act]:
    """Give an act without an object that of the one before: added; both are deprecated."""
    before: Act | None = None
    for act in acts:
        bare = not act.objects and not act.words and act.old is None and act.new is None
        if bare and before is not None:
            yield replace(act, objects=before.objects or before.near, words=before.words, lent=True)
        else:
            yield act
            before = act


CHECKS: tuple[Check, ...] = (
    check_address,
    check_names,
    check_expansions,
    check_projects,
    check_reverted,
    check_blamed,
    check_fixed,
    check_effects,
    check_negation,
    check_reported,
    check_directions,
    check_renames,
    check_contrasts,
    check_bounds,
    check_opposites,
    check_staying,
    check_present,
    check_wrongs,
    check_sequence,
    check_enclosed,
    check_siblings,
    check_denied,
    check_absolutes,
    check_causes,
    check_forecasts,
    check_relations,
    check_values,
    check_content,
)
