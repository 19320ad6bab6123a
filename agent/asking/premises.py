"""Whether what a question takes for granted is so; where it is not, the truth with its proof is the answer."""

import re
from collections.abc import Sequence

from agent.asking import lexicon
from agent.asking.acts import ACTS, takes_for_granted
from agent.asking.bearing import OPPOSITE, bears_out, has_direction, lines_of, speaks_of_it
from agent.asking.deeds import OFF, ON, acted, of_thing, switched
from agent.asking.draft import Draft
from agent.asking.findings import Findings
from agent.asking.inquiry import Act, Aim, Inquiry, Thing
from agent.asking.matching import Match, text_of
from agent.asking.names import is_about, is_person, plain, things_of
from agent.asking.ordinary import is_ordinary
from agent.asking.saying import says_most
from agent.asking.silence import WORDS
from agent.asking.telling import commit_item, shown_facts
from agent.asking.turns import Turn, turn_between, turns_of
from agent.facts import Fact

_DEFINITE = (
    *(Act.ADDED, Act.REMOVED, Act.RENAMED, Act.RAISED, Act.LOWERED, Act.ENABLED, Act.DISABLED),
    *(Act.DEPRECATED, Act.REVERTED, Act.RELANDED, Act.BUMPED, Act.MOVED, Act.FIXED),
)
_MOVING = {Act.BUMPED, Act.MOVED, Act.RAISED, Act.LOWERED}
_ON = re.compile(
    r"\b(?:enabled?|on|turned on) by default\b|\bdefault(?:s|ed)? to (?:on|true|enabled)\b|默认(?:开启|打开|启用|开)",
    re.I,
)
_OFF = re.compile(
    r"\b(?:disabled?|off|turned off) by default\b|\bdefault(?:s|ed)? to (?:off|false)\b|默认(?:关闭|禁用|关)", re.I
)
_CLAUSE = re.compile(r"[,;.?!，。；？！]\s*")
_WHETHER = re.compile(
    r"^(?:and |or |but |so )?(?:is|are|was|were|does|do|did|has) (?:it|this|that|they|there)\b|\bon or off\b|\bor not\b"
    r"|还是|是否|是不是|[吗么]$|哪个|什么",
    re.IGNORECASE,
)
_NAMED = re.compile(r"[a-z]\d|\d[a-z]")
"""Letters and digits in one word: fp32, sm90."""
_DENIED = re.compile(r"\b(?:not|never|avoid|prevent|block|forbid|until)\b|不|禁止|避免", re.IGNORECASE)
_CVE = re.compile(r"\bCVE-\d", re.IGNORECASE)
_ASKS_CVE = re.compile(
    r"\b(?:which|what|the) CVE\b(?!-\d)|\bCVE (?:number|id|identifier)\b|CVE ?(?:编号|号)|哪个 ?CVE", re.IGNORECASE
)
_ASSUMING = (Aim.WHEN, Aim.WHO, Aim.CHANGES, Aim.EXPLAIN, Aim.FATE)
_SHOWN, _SAID = 3, 60
_ENTITLED = 0.6
"""Of a topic, what a title must have to be the same matter."""


def broken_premise(found: Findings) -> Draft | None:
    """Correct a question that takes something for granted which the evidence denies; None where nothing is wrong."""
    asks_how = found.inquiry.aim is Aim.STATUS and found.inquiry.which_fix and not found.threads
    if not (asks_how or found.inquiry.aim in _ASSUMING) or not found.matches or _asks_what_it_is(found.inquiry):
        return None
    checks = (
        _other_author,
        _no_cve,
        _other_version,
        _turned_round,
        _other_act,
        _too_often,
        _never_changed,
        _other_value,
        _other_end,
        _no_default,
        _switched,
    )
    return next((draft for check in checks if (draft := check(found)) is not None), None)


def _asks_what_it_is(inquiry: Inquiry) -> bool:
    """Tell whether it is asked what a commit or pull request is: that can be told, whatever else somebody believes."""
    signs = (*(f"#{number}" for number in inquiry.numbers), *inquiry.shas)
    naming = [one for one in lexicon.SENTENCE.split(inquiry.text) if any(sign in one for sign in signs)]
    return any(lexicon.DOES.search(one) for one in naming)


# ---------------------------------------------------------------- who


def _other_author(found: Findings) -> Draft | None:
    """Correct who did it."""
    inquiry, people = found.inquiry, found.inquiry.people
    topic = inquiry.names or inquiry.terms or inquiry.shas or inquiry.numbers
    if not people or inquiry.aim is Aim.WHO or not topic or any(by_one_of(people, one) for one in found.matches):
        return None
    return _corrected(found, "not by", {"person": people[0], "author": found.matches[0].card.author}, found.matches)


def _no_cve(found: Findings) -> Draft | None:
    """Correct that something has the number of a vulnerability where nothing that fits names one."""
    heard = any(_CVE.search(text_of(one.card)) for one in found.matches)
    return (
        None if heard or not _ASKS_CVE.search(found.inquiry.text) else _corrected(found, "unnamed", {}, found.matches)
    )


def by_one_of(people: Sequence[str], one: Match) -> bool:
    """Tell whether a commit is by one of these people."""
    return any(is_person(name, one.card.author) for name in people)


# ---------------------------------------------------------------- what


def _other_act(found: Findings) -> Draft | None:
    """Correct what happened to something: it was renamed, not removed; it was never bumped at all."""
    inquiry = found.inquiry
    named = bool(inquiry.names)
    acts = [
        act
        for act in inquiry.acts
        if act in _DEFINITE and not inquiry.pins and takes_for_granted(act, inquiry.text, named=named)
    ]
    if len(acts) > 1:
        acts = [act for act in acts if act is not Act.FIXED]  # A fix may be what was undone or came.
    if Act.RELANDED in acts:  # What came back went before; what was added besides did not.
        acts = [act for act in acts if act is Act.ADDED] or [Act.RELANDED]
    if not acts or len(acts) > 1 + (Act.BUMPED in acts) or not (inquiry.names or inquiry.terms):
        return None
    if any(_happened(act, found) for act in acts):
        return None
    against = [
        one for one in found.matches if any(bears_out(one, OPPOSITE[act], inquiry) for act in acts if act in OPPOSITE)
    ]
    telling = [*against, *(one for one in found.matches if one.facts)] or list(found.matches)
    return _corrected(found, "not so", {"act": acts[-1].value, "what": _topic(inquiry)}, telling)


def _happened(act: Act, found: Findings) -> bool:
    """Tell whether one of the commits that fit bears out an act; it must be by whoever is said to have done it."""
    inquiry = found.inquiry
    own = [one for one in found.matches if inquiry.names or one.together >= _ENTITLED]
    if act in (Act.REVERTED, Act.REMOVED) and any(one.card.id in found.undone for one in own):
        return True
    undoing = set(found.undone.values())
    if act is Act.REVERTED and any(one.card.id in undoing and one.together >= _ENTITLED for one in found.matches):
        return True
    again = any(ACTS[Act.RELANDED].search(card.title) for card in found.later)
    if act is Act.RELANDED and (found.relanded or again or _came_again(found)):
        return True
    numbers = inquiry.versions or inquiry.values
    if act in (Act.RAISED, Act.LOWERED) and not numbers and not all(map(has_direction, found.matches)):
        return True  # What has no numbers, such as a level of logging, may well be told as higher or lower.
    matches = found.matches
    if inquiry.people and inquiry.aim is not Aim.WHO:
        matches = tuple(one for one in matches if by_one_of(inquiry.people, one))
    return any(bears_out(one, act, inquiry) for one in matches)


def _came_again(found: Findings) -> bool:
    """Tell whether something entitled like what was undone landed after that."""
    undoing = [found.cards[name] for name in found.undone.values() if name in found.cards]
    names = {card.id for card in undoing}
    later = [one for one in found.matches if one.entitled >= _ENTITLED and one.card.id not in names]
    return any(one.card.at > card.at for one in later for card in undoing)


def _too_often(found: Findings) -> Draft | None:
    """Correct a second time where there was only one."""
    acts = [act for act in found.inquiry.acts if act in _DEFINITE]
    moved = [(one, fact) for one in found.matches for fact in one.facts if any(acted(fact, act) for act in acts)]
    times = {one.card.id: one for one, fact in moved if Act.ADDED in acts or not acted(fact, Act.ADDED)}
    if not acts or not lexicon.SECOND.search(found.inquiry.text) or len(times) > 1:
        return None
    values = {"act": acts[0].value, "what": _topic(found.inquiry)}
    return _corrected(found, "not so", values, list(times.values()) or found.matches)


def _turned_round(found: Findings) -> Draft | None:
    """Correct a change that is told the wrong way round: what is said to have come is what went."""
    asked = list(turns_of(found.inquiry.text))
    told = [(one, turn) for one in found.matches for turn in _turns(one)] if asked else []
    told = [(one, turn) for one, turn in told if turn.old] or told  # What only came was not another thing before.
    if any(turn.agrees(one) for _, turn in told for one in asked):
        return None
    against = [match for match, turn in told if any(turn.opposes(one) for one in asked)]
    return _corrected(found, "other value", {}, against) if against else None


def _turns(one: Match) -> list[Turn]:
    """Find what a commit turned into what, by its title and its facts."""
    facts = [turn_between(fact.old, fact.new) for fact in one.facts]
    return [*turns_of(one.card.title), *(turn for turn in facts if turn)]


def _never_changed(found: Findings) -> Draft | None:
    """Correct the change of a value that was only ever set."""
    inquiry = found.inquiry
    asks_change = inquiry.aim is Aim.WHEN and inquiry.acts == (Act.CHANGED,) and inquiry.names
    facts = [fact for one in found.matches for fact in one.facts]
    if not asks_change or not facts or any(not fact.kind.value.endswith("-added") for fact in facts):
        return None
    return _corrected(found, "not so", {"act": Act.CHANGED.value, "what": _topic(inquiry)}, found.matches)


# ---------------------------------------------------------------- from what to what


def _other_version(found: Findings) -> Draft | None:
    """Correct the versions that something is said to have been moved from or to."""
    inquiry = found.inquiry
    exempt = not inquiry.versions or inquiry.contained or inquiry.pins or inquiry.mentions or found.between
    if exempt or not (inquiry.names or inquiry.terms):
        return None
    moves = [
        (one, fact)
        for one in found.matches
        for fact in one.facts
        if acted(fact, Act.BUMPED) and (not inquiry.names or any(is_about(fact, name) for name in inquiry.names))
    ]
    titles = [one.card.title for one in found.matches]
    if not moves and inquiry.names and not _MOVING & set(inquiry.acts):
        texts = [line for one in found.matches for line in text_of(one.card).split("\n")]
        texts += [tag for tags in found.tags.values() for tag in tags]
        heard = any(_has_version(version.lstrip("vV"), texts) for version in inquiry.versions)
        return None if heard else _corrected(found, "other value", {}, found.matches)
    told = [*titles, *(value for _, fact in moves for value in (fact.old, fact.new) if value)]
    # Where something was moved, the version that it came to is the last one told.
    new = [*titles, *(fact.new or "" for _, fact in moves)]
    wanted = [version.lstrip("vV") for version in inquiry.versions]
    if all(_has_version(one, told) for one in wanted) and (not moves or _has_version(wanted[-1], new)):
        return None
    return _corrected(found, "other value", {}, [one for one, _ in moves] or found.matches)


def _has_version(version: str, texts: Sequence[str]) -> bool:
    """Tell whether one of these texts has a version, or one that begins so."""
    # Below a version something is kept off it.
    pattern = re.compile(rf"(?<![\d.<])(?<!<=)(?<!!=){re.escape(version)}(?!\d)")
    return any(pattern.search(text) and not _DENIED.search(text) for text in texts)


def _other_value(found: Findings) -> Draft | None:
    """Correct the old or the new value."""
    inquiry = found.inquiry
    facts = [(one, fact) for one in found.matches for fact in one.facts if fact.old or fact.new]
    turned = inquiry.turn and any(_turned(inquiry.turn, fact) for _, fact in facts)
    if inquiry.values and not facts:
        return None if _tells_value(found) else _corrected(found, "other value", {}, found.matches)
    if not inquiry.values or not facts:
        return None
    if inquiry.turn and not turned and all(any(sign.isdigit() for sign in one) for one in inquiry.turn):
        return _corrected(found, "other value", {}, [one for one, _ in facts])
    told = [" ".join(value for value in (fact.old, fact.new) if value) for _, fact in facts]
    if any(all(_pattern(value).search(one) for value in inquiry.values) for one in told):
        return None
    return _corrected(found, "other value", {}, [one for one, _ in facts])


def _switched(found: Findings) -> Draft | None:
    """Correct that something is on by default where it was turned off, and the other way round."""
    if _asks_whether(found.inquiry.text):
        return None
    wanted = _ON.search(found.inquiry.text), _OFF.search(found.inquiry.text)
    states = [(one, state) for one in found.matches for fact in one.facts if (state := _state(fact)) is not None]
    if bool(wanted[0]) == bool(wanted[1]) or not states or any(state == bool(wanted[0]) for _, state in states):
        return None
    return _corrected(found, "other value", {}, [one for one, _ in states])


def _no_default(found: Findings) -> Draft | None:
    """Correct that something is the default now where nothing speaks of it and of a default at once."""
    inquiry = found.inquiry
    # Of one thing that is named, the value is asked for, whatever else happened to it.
    of_one = inquiry.value and inquiry.names and not lexicon.WHICH_DEFAULT.search(inquiry.text)
    asked = Thing.DEFAULT in inquiry.things and not of_one and (inquiry.acts or inquiry.aim is not Aim.CHANGES)
    told = any(of_thing(fact, Thing.DEFAULT) for one in found.matches for fact in one.facts)
    if not asked or told or _asks_whether(inquiry.text):
        return None
    said = lexicon.THINGS[Thing.DEFAULT].search
    names = [plain(name) for name in things_of(inquiry.names)]
    lines = (line for one in found.matches for line in lines_of(one.card, found.evidence.get(one.card.id)))
    if any(said(line) and (any(one in plain(line) for one in names) or says_most(line, inquiry)) for line in lines):
        return None
    return _corrected(found, "other value", {}, found.matches)


def _asks_whether(text: str) -> bool:
    """Tell whether it is asked if something is on by default: who asks takes neither for granted."""
    said = lexicon.THINGS[Thing.DEFAULT].search
    return any(said(clause) and _WHETHER.search(clause) for clause in _CLAUSE.split(text))


def _state(fact: Fact) -> bool | None:
    """Tell whether something is on now, by what it was turned to or came with."""
    if fact.kind.value.endswith("-added") and plain(fact.new or "") in ON | OFF:
        return plain(fact.new or "") in ON
    return switched(fact)


def _other_end(found: Findings) -> Draft | None:
    """Correct what something is said to have become, where that is a name or a format and nothing says both at once."""
    inquiry = found.inquiry
    turns = list(turns_of(inquiry.text))
    ends = [word for turn in turns for word in turn.new if _NAMED.search(word) or (turn.old and _is_named(word))]
    said = [*(term.said.lower() for term in inquiry.terms), *map(plain, inquiry.names)]
    topical = [word for word in ends if any(word in one for one in said)]
    whole = [word for word in topical if any(word == one for one in said)] or topical
    if not whole or _told_at_once(found, whole):
        return None
    return _corrected(found, "other value", {}, found.matches)


def _is_named(word: str) -> bool:
    """Tell whether a word is a name, and no word of everyday speech."""
    return word.isascii() and not is_ordinary(word) and word not in WORDS


def _tells_value(found: Findings) -> bool:
    """Tell whether a commit has one of the values in one line with what is asked about."""
    return _told_at_once(found, found.inquiry.values)


def _told_at_once(found: Findings, words: Sequence[str]) -> bool:
    """Tell whether one sentence, fact or changed line of a commit has one of these words and what is asked about."""
    patterns = [_pattern(word) for word in words]
    others = tuple(name for name in found.inquiry.names if plain(name) not in words)
    inquiry = found.inquiry.model_copy(update={"names": others or found.inquiry.names})
    for one in found.matches:
        evidence = found.evidence.get(one.card.id)
        for line in lines_of(one.card, evidence):
            if any(pattern.search(line) for pattern in patterns) and speaks_of_it(line, one.card, inquiry):
                return True
    return False


def _pattern(value: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.]){re.escape(value)}(?![\w.]*\d)", re.IGNORECASE)


def _turned(turn: tuple[str, str], fact: Fact) -> bool:
    """Tell whether a fact goes from the one value to the other."""
    old, new = (plain(one) for one in turn)
    return old in plain(fact.old or "") and new in plain(fact.new or "")


def _corrected(found: Findings, head: str, values: dict[str, str], matches: Sequence[Match]) -> Draft:
    items = [commit_item(one.card, shown_facts(one.facts), found) for one in matches[:_SHOWN]]
    cites = tuple(dict.fromkeys(one.card.id for one in matches[:_SHOWN]))
    kept = {item.cite: item for item in items}
    return Draft(head=head, values=values, items=tuple(kept.values()), cites=cites, abstained=True)


def _topic(inquiry: Inquiry) -> str:
    """Say in the question's own words what it is about."""
    return ", ".join((*inquiry.names, *(term.said for term in inquiry.terms if not term.weak))) or inquiry.text[:_SAID]


def names_nobody(inquiry: Inquiry) -> bool:
    """Tell whether a question is about everything that landed."""
    return not (inquiry.names or inquiry.terms or inquiry.shas or inquiry.numbers or inquiry.versions)
