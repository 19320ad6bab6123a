"""Whether a name stands in the evidence beside the rest of its sentence, and not just anywhere in a large diff."""

from collections.abc import Iterator, Sequence

from agent.claims import Judgement
from agent.facts import Fact
from agent.gate.closeness import has_any, share_of
from agent.gate.content import stems_of
from agent.gate.ground import Ground, occurs
from agent.gate.named_facts import last_part, owners_of
from agent.gate.prose import Kind, Token, clauses
from agent.gate.reading import Reading, undecided
from agent.gate.settled import settled
from agent.gate.stems import vocabulary

# A name that nobody speaks of and no fact has must stand closer to the rest.
_MORE_THAN_HALF, _MOST, _FEW = 0.6, 0.9, 3


def check_relations(reading: Reading) -> Judgement | None:
    """Look for each name beside the words that the same clause has for it."""
    proved = settled(reading)
    for clause in clauses(reading.tokens):
        names = [token for token in clause if token.kind in (Kind.CODE, Kind.NAME, Kind.FLAG) and not token.path]
        for token in names:
            others = [one for one in clause if one is not token]
            if token not in proved and not _fits(token, others, reading):
                return undecided("relation", f"{token.text!r} stands in the evidence, but not beside the rest")
            if len(names) > 1 and not _is_owner(token, names, reading):
                return undecided("relation", f"{token.text!r} is not what the other name belongs to")
    return None


def _fits(token: Token, others: Sequence[Token], reading: Reading) -> bool:
    name, ground = last_part(token.text), reading.ground
    told = occurs(name, ground.spoken) or any(name in _fact_text(fact) for fact in ground.facts)
    told = told or _is_rare(name, ground)
    sets = (stems_of(others), stems_of([one for one in reading.tokens if one is not token]))
    # Words that are nowhere are another check's.
    for wanted in ([one for one in some if has_any(ground.words, [one])] for some in sets):
        least = _MORE_THAN_HALF if told or len(wanted) < _FEW else _MOST
        if not wanted or _together(name, wanted, ground, least):
            return True
    return False


def _is_rare(name: str, ground: Ground) -> bool:
    """Tell whether a name stands on changed lines of one place alone: then that place is meant."""
    places = [hunk for hunk in ground.hunks if occurs(name, hunk.text)]
    return len(places) == 1 and any(occurs(name, line) for line in (*places[0].added, *places[0].removed))


def _is_owner(token: Token, names: Sequence[Token], reading: Reading) -> bool:
    """Refuse as the owner of a parameter a name that the facts about it do not have."""
    for other in names:
        owners = owners_of(reading.ground.facts, last_part(other.text)) if other is not token else frozenset()
        if not owners or last_part(token.text) in owners or token.text in owners:
            continue
        facts = [_core(fact) for fact in reading.ground.facts if occurs(last_part(other.text), _core(fact))]
        if not any(occurs(last_part(token.text), fact) for fact in facts):
            return occurs(last_part(token.text), reading.ground.spoken)
    return True


def _together(name: str, wanted: Sequence[frozenset[str]], ground: Ground, least: float) -> bool:
    for hunk in ground.hunks:
        if occurs(name, hunk.text) and share_of(hunk.words, wanted) >= least:
            return True
    places = (place for place in _places(ground) if occurs(name, place))
    return any(share_of(vocabulary(place), wanted) >= least for place in places)


def _core(fact: Fact) -> str:
    return " ".join(filter(None, (fact.name, fact.old, fact.new, fact.detail)))


def _fact_text(fact: Fact) -> str:
    shown = (line for place in fact.places[:2] for line in (place.file, *place.lines))
    return " ".join(filter(None, (fact.kind, fact.name, fact.old, fact.new, fact.detail, *shown)))


def _places(ground: Ground) -> Iterator[str]:
    """List what belongs together beside the stretches of the diff: a fact, some lines of talk."""
    yield from (_fact_text(fact) for fact in ground.facts)
    for number in range(len(ground.said)):
        yield " ".join(ground.said[max(0, number - 1) : number + 2])
