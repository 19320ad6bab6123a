"""The rules by which words are judged, in their order."""

from collections.abc import Callable

from agent.claims import Judgement
from agent.gate.content import check_content
from agent.gate.effects import check_effects, check_fixed, check_reverted
from agent.gate.holding import Stand, stand_of
from agent.gate.names import check_expansions, check_names, check_projects
from agent.gate.reading import Reading, undecided, unsupported
from agent.gate.stances import check_absolutes, check_causes, check_forecasts, check_negation

Check = Callable[[Reading], Judgement | None]


def check_directions(reading: Reading) -> Judgement | None:
    """Every verb that says which way something went agrees with facts, lines or words."""
    doubtful: Judgement | None = None
    for act in reading.acts:
        if act.negated:
            continue
        stand = stand_of(act, reading.ground)
        about = ", ".join(token.text for token in act.objects) or " ".join(act.words)
        if stand is Stand.OPPOSES:
            return unsupported("direction", f"the evidence does not show that {about} was {act.direction.value}")
        if stand is Stand.SILENT:
            doubtful = doubtful or undecided("direction", f"nothing shows that {about!r} was {act.direction.value}")
    return doubtful


CHECKS: tuple[Check, ...] = (
    check_names,
    check_expansions,
    check_projects,
    check_reverted,
    check_fixed,
    check_effects,
    check_negation,
    check_directions,
    check_absolutes,
    check_causes,
    check_forecasts,
    check_content,
)
