"""Whether a commit bears out that something was done to what a question is about: in one fact, or in one sentence."""

import re
from collections.abc import Iterator, Mapping

from agent.asking.acts import ACTS, ENTITLED
from agent.asking.deeds import acted, direction
from agent.asking.inquiry import Act, Inquiry
from agent.asking.lexicon import THINGS
from agent.asking.matching import Match
from agent.asking.names import is_about, plain, things_of
from agent.asking.saying import is_called, says_any, says_most, sentences
from agent.asking.stems import parts
from agent.asking.turns import turns_of
from agent.card import Card
from agent.evidence import CommitEvidence
from agent.facts import Fact

OPPOSITE: Mapping[Act, Act] = {
    Act.ADDED: Act.REMOVED,
    Act.REMOVED: Act.ADDED,
    Act.RAISED: Act.LOWERED,
    Act.LOWERED: Act.RAISED,
    Act.ENABLED: Act.DISABLED,
    Act.DISABLED: Act.ENABLED,
}
"""What would have had to happen instead."""
_MOVING = (Act.RAISED, Act.LOWERED, Act.BUMPED)
_TEST = re.compile(r"(?:^|[\W_])tests?(?:$|[\W_])|测试", re.IGNORECASE)
_PASSIVE = re.compile(r"\b(?:is|are|was|were|be|been|being|gets?|got|now|has|have)\s+(?:\w+ly\s+)?$", re.IGNORECASE)
_WHERE = re.compile(r"\s(?:in|on|when|from|at|by|during|while|if|to|due|because|after|before|so)\s", re.IGNORECASE)
_WHOLE = 0.9
_OBJECT = 90
"""Signs beside a verb within which its object stands."""


def bears_out(one: Match, act: Act, inquiry: Inquiry) -> bool:
    """Tell whether a fact shows the act on what is asked about, or a sentence says so and no fact the opposite."""
    if act is Act.REMOVED and _renames(one, inquiry):
        return False
    if any(_shows(fact, act, inquiry) and _has_value(f"{fact.old} {fact.new}", act, inquiry) for fact in one.facts):
        return True
    opposite = OPPOSITE.get(act)
    if opposite and inquiry.names and any(_shows(fact, opposite, inquiry) for fact in one.facts):
        return False
    if (act is Act.ADDED and _is_new(one, inquiry)) or (act is Act.RENAMED and _goes_by_renaming(one, inquiry)):
        return True
    lines = (line for line in _sentences(one.card) if _has_value(line, act, inquiry))
    return any(_says(line, act, inquiry, nearly=one.nearly) for line in lines)


def _is_new(one: Match, inquiry: Inquiry) -> bool:
    """Tell whether a title is the name of something new: it has the whole topic, and no verb of another act."""
    others = (verb for act, verb in ACTS.items() if act not in (Act.ADDED, Act.ENABLED))
    whole = bool(inquiry.terms) and not inquiry.names and one.entitled >= _WHOLE
    return whole and not any(verb.search(one.card.title) for verb in others)


def _has_value(text: str, act: Act, inquiry: Inquiry) -> bool:
    """Tell whether a text has one of the values that something is said to have gone to or from."""
    values = [value.lstrip("vV") for value in (*inquiry.versions, *inquiry.values)] if act in _MOVING else []
    return not values or any(re.search(rf"(?<![\w.]){re.escape(value)}(?!\w)", text) for value in values)


def has_direction(one: Match) -> bool:
    """Tell whether a commit shows something go up or down, or no change at all."""
    told = any(direction(fact) is not None for fact in one.facts) or ACTS[Act.RAISED].search(one.card.title)
    return bool(told or ACTS[Act.LOWERED].search(one.card.title)) or not list(turns_of(one.card.title))


def _renames(one: Match, inquiry: Inquiry) -> bool:
    """Tell whether a commit calls itself the renaming of what is asked about: what goes there comes back."""
    title = one.card.title
    return bool(ACTS[Act.RENAMED].search(title)) and not inquiry.names and says_most(title, inquiry)


def _goes_by_renaming(one: Match, inquiry: Inquiry) -> bool:
    """Tell whether what is named goes in a commit that calls itself a renaming, and says a word of its name."""
    gone = [fact for fact in one.facts if acted(fact, Act.REMOVED)] if ACTS[Act.RENAMED].search(one.card.title) else []
    words = set(parts(one.card.title))
    return any(words & set(parts(name)) for name in things_of(inquiry.names) for fact in gone if is_about(fact, name))


# ---------------------------------------------------------------- facts


def _shows(fact: Fact, act: Act, inquiry: Inquiry) -> bool:
    """Tell whether a fact shows the act; that a field came or went does not show it of the flag of the same name."""
    flags = [name for name in inquiry.names if name.startswith("--")]
    of_flag = fact.kind.value.startswith("flag-") or fact.name.startswith("--")
    if not inquiry.names and not inquiry.versions and _in_tests(fact) and not _TEST.search(inquiry.text):
        return False  # What goes from the tests of something is not gone itself.
    if not inquiry.names and act in (Act.ADDED, Act.REMOVED) and not _is_object(fact, inquiry):
        return False
    return acted(fact, act) and (not flags or of_flag or act not in (Act.ADDED, Act.REMOVED))


def _is_object(fact: Fact, inquiry: Inquiry) -> bool:
    """Tell whether what came or went is what is asked about, and not a member of it; errors and warnings are none."""
    kind = fact.kind.value
    if kind.startswith(("error-", "check-", "warning-")):
        return False
    if kind.startswith(("field-", "parameter-", "enum-member-")):
        return is_called(" ".join(one for one in (fact.old, fact.new, fact.detail) if one), inquiry)
    own = re.split(r"[.:]+", fact.name)[-1]
    return is_called(f"{fact.name} {fact.detail or ''}", inquiry) and says_any(own, inquiry)


def _in_tests(fact: Fact) -> bool:
    return bool(fact.places) and all(_TEST.search(place.file) for place in fact.places)


# ---------------------------------------------------------------- sentences


def _sentences(card: Card) -> Iterator[str]:
    yield card.title
    yield from (line for line in sentences(card.message) if line != card.title)


def lines_of(card: Card, evidence: CommitEvidence | None) -> Iterator[str]:
    """Give everything that a commit says at once: its sentences, its facts, its changed lines."""
    yield from _sentences(card)
    yield from (" ".join(one for one in (fact.name, fact.detail, fact.old, fact.new) if one) for fact in card.facts)
    for file in evidence.change.files if evidence else ():
        yield from (line for line in (file.patch or "").split("\n") if line.startswith(("+", "-")))


def speaks_of_it(line: str, card: Card, inquiry: Inquiry) -> bool:
    """Tell whether a line has what is asked about, or belongs to a commit that is about nothing else by its title."""
    if names := [plain(name) for name in things_of(inquiry.names)]:
        return any(name in plain(text) for name in names for text in (line, card.title))
    return says_most(line, inquiry) or says_most(card.title, inquiry)


def _says(line: str, act: Act, inquiry: Inquiry, *, nearly: bool) -> bool:
    """Tell whether a sentence has the verb of an act, and what is asked about for its object.

    Who mends something names the cause where others name the symptom: what fits best need not have most words of it.
    """
    if not (objects := _objects(ENTITLED[act], line)):
        return False
    # A sentence calls a part of something by its own name alone.
    names = [plain(name).rpartition(".")[2] for name in things_of(inquiry.names)]
    if names:
        return any(name in plain(one) for one in objects for name in names)
    if act in (Act.REMOVED, Act.DISABLED) and not any(_heads(one, inquiry) for one in objects):
        return False
    # The beginning of a title may say of what it speaks: "[AMD] update …".
    most = (nearly and act is Act.FIXED) or says_most(line, inquiry)
    return bool(inquiry.names) or (most and says_any(" ".join(objects), inquiry))


def _heads(phrase: str, inquiry: Inquiry) -> bool:
    """Tell whether a verb's object itself is what is asked about, and not only where or when it was done."""
    head = _WHERE.split(phrase, maxsplit=1)[0] or phrase
    return says_any(head, inquiry) or any(THINGS[thing].search(head) for thing in inquiry.things)


def _objects(verb: re.Pattern[str], line: str) -> list[str]:
    """Give what stands behind each verb of a sentence, or before one in the passive; Chinese may have it in front."""
    found = list(verb.finditer(line))
    if not line.isascii():
        return [line] if found else []
    behind = [line[one.end() : one.end() + _OBJECT] for one in found]
    before = [line[: one.start()][-_OBJECT:] for one in found if _PASSIVE.search(line[: one.start()])]
    return [*behind, *before]
