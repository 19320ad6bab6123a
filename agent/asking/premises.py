"""Whether what a question takes for granted is so; where it is not, the truth with its proof is the answer."""

from collections.abc import Sequence

from agent.asking import lexicon
from agent.asking.draft import Draft
from agent.asking.findings import Findings
from agent.asking.inquiry import Act, Aim, Inquiry
from agent.asking.matching import Match, acted
from agent.asking.names import is_about, plain
from agent.asking.telling import commit_item, shown_facts
from agent.facts import Fact

_DEFINITE = (Act.ADDED, Act.REMOVED, Act.RENAMED, Act.RAISED, Act.LOWERED, Act.DEPRECATED, Act.REVERTED)
_ASSUMING = (Aim.WHEN, Aim.WHO, Aim.CHANGES, Aim.EXPLAIN, Aim.FATE)
_SHOWN = 3


def broken_premise(found: Findings) -> Draft | None:
    """Correct a question that takes something for granted which the evidence denies; None where nothing is wrong."""
    inquiry = found.inquiry
    if inquiry.aim not in _ASSUMING or not found.matches:
        return None
    if inquiry.people and inquiry.aim is not Aim.WHO and (other := _other_author(found)):
        return other
    checks = (_other_version, _never_bumped, _turned_round, _other_act, _never_changed, _other_value)
    return next((draft for check in checks if (draft := check(found)) is not None), None)


def _turned_round(found: Findings) -> Draft | None:
    """Correct a rename that is told the wrong way round."""
    names = [plain(name) for name in found.inquiry.names]
    renames = [(one, fact) for one in found.matches for fact in one.facts if fact.kind.value.endswith("-renamed")]
    if len(names) != 2 or not renames or not {Act.RENAMED, Act.CHANGED} & set(found.inquiry.acts):
        return None
    pairs = {(plain(fact.old or ""), plain(fact.new or "")) for _, fact in renames}
    if tuple(names) in pairs or (names[1], names[0]) not in pairs:
        return None
    return _corrected(found, "not so", {"act": Act.RENAMED.value}, [one for one, _ in renames])


def _never_changed(found: Findings) -> Draft | None:
    """Correct the change of a value that was only ever set."""
    inquiry = found.inquiry
    asks_change = inquiry.aim is Aim.WHEN and inquiry.acts == (Act.CHANGED,) and inquiry.names
    facts = [fact for one in found.matches for fact in one.facts]
    if not asks_change or not facts or any(not fact.kind.value.endswith("-added") for fact in facts):
        return None
    return _corrected(found, "not so", {"act": Act.CHANGED.value}, found.matches)


def _other_version(found: Findings) -> Draft | None:
    """Correct the version that something is said to have been moved to."""
    inquiry = found.inquiry
    wanted = [version.lstrip("vV") for version in inquiry.versions]
    moves = [
        (one, fact)
        for one in found.matches
        for fact in one.facts
        if acted(fact, Act.BUMPED) and (not inquiry.names or any(is_about(fact, name) for name in inquiry.names))
    ]
    if Act.BUMPED not in inquiry.acts or len(wanted) != 1 or not moves or inquiry.contained or inquiry.pins:
        return None
    if any(wanted[0] in (fact.new or "") or wanted[0] in one.card.title for one, fact in moves):
        return None
    return _corrected(found, "other value", {}, [one for one, _ in moves])


def _never_bumped(found: Findings) -> Draft | None:
    """Correct a version that was never moved: neither a fact nor a title of what fits tells of it."""
    inquiry = found.inquiry
    if Act.BUMPED not in inquiry.acts or len(set(inquiry.acts)) > 1 or not (inquiry.names or inquiry.terms):
        return None
    pattern = lexicon.ACTS[Act.BUMPED]
    if any(acted(fact, Act.BUMPED) for one in found.matches for fact in one.facts):
        return None
    if any(pattern.search(one.card.title) for one in found.matches):
        return None
    return _corrected(found, "not so", {"act": Act.BUMPED.value}, found.matches)


def _other_author(found: Findings) -> Draft | None:
    """Correct who did it."""
    people = found.inquiry.people
    by_them = [one for one in found.matches if any(is_person(name, one.card.author) for name in people)]
    if by_them or not (found.inquiry.names or found.inquiry.terms or found.inquiry.shas or found.inquiry.numbers):
        return None
    return _corrected(found, "not by", {"person": people[0], "author": found.matches[0].card.author}, found.matches)


def is_person(name: str, author: str) -> bool:
    """Tell whether a name is that of an author, in full or by one of its parts."""
    wanted, known = plain(name), plain(author)
    return wanted == known or wanted in known.replace("_", " ").split() or known in wanted.replace("_", " ").split()


def _other_act(found: Findings) -> Draft | None:
    """Correct what happened to something that is named: it was renamed, not removed."""
    inquiry = found.inquiry
    acts = [act for act in inquiry.acts if act in _DEFINITE]
    telling = [one for one in found.matches if one.facts] or list(found.matches)
    if len(acts) != 1 or not (inquiry.names or inquiry.terms):
        return None
    if any(_shows(fact, acts[0], inquiry) for one in telling for fact in one.facts) or _says_so(
        found.matches, acts[0], inquiry
    ):
        return None
    if acts[0] is Act.REVERTED and any(one.card.id in found.undone for one in found.matches):
        return None
    return _corrected(found, "not so", {"act": acts[0].value}, telling)


def _shows(fact: Fact, act: Act, inquiry: Inquiry) -> bool:
    """Tell whether a fact shows the act; that a field came or went does not show it of the flag of the same name."""
    flags = [name for name in inquiry.names if name.startswith("--")]
    of_flag = fact.kind.value.startswith("flag-") or fact.name.startswith("--")
    return acted(fact, act) and (not flags or of_flag or act not in (Act.ADDED, Act.REMOVED))


def _says_so(matches: Sequence[Match], act: Act, inquiry: Inquiry) -> bool:
    """Tell whether the commits themselves speak of the act, which facts may not show; of a thing by its name."""
    pattern, names = lexicon.ACTS[act], [plain(name) for name in inquiry.names if "." not in name]
    lines = [line for one in matches for line in one.card.message.split("\n") if pattern.search(line)]
    return any(not names or any(name in plain(line) for name in names) for line in lines)


def _other_value(found: Findings) -> Draft | None:
    """Correct the old or the new value."""
    inquiry = found.inquiry
    facts = [(one, fact) for one in found.matches for fact in one.facts if fact.old or fact.new]
    if inquiry.values and inquiry.names and not facts:
        return None if _tells_value(found) else _corrected(found, "other value", {}, found.matches)
    if not inquiry.values or not facts:
        return None
    if inquiry.turn and not any(_turned(inquiry.turn, fact) for _, fact in facts):
        return _corrected(found, "other value", {}, [one for one, _ in facts])
    said = {plain(value) for value in inquiry.values}
    told = {plain(value) for _, fact in facts for value in (fact.old, fact.new) if value}
    if all(any(one == other or one in other for other in told) for one in said):
        return None
    return _corrected(found, "other value", {}, [one for one, _ in facts])


def _tells_value(found: Findings) -> bool:
    """Tell whether a commit speaks of one of the values, in whatever words."""
    return any(value in one.card.message for one in found.matches for value in found.inquiry.values)


def _turned(turn: tuple[str, str], fact: Fact) -> bool:
    """Tell whether a fact goes from the one value to the other."""
    old, new = (plain(one) for one in turn)
    return old in plain(fact.old or "") and new in plain(fact.new or "")


def _corrected(found: Findings, head: str, values: dict[str, str], matches: Sequence[Match]) -> Draft:
    items = [commit_item(one.card, shown_facts(one.facts), found) for one in matches[:_SHOWN]]
    cites = tuple(dict.fromkeys(one.card.id for one in matches[:_SHOWN]))
    kept = {item.cite: item for item in items}
    return Draft(head=head, values=values, items=tuple(kept.values()), cites=cites, abstained=True)


def names_nobody(inquiry: Inquiry) -> bool:
    """Tell whether a question is about everything that landed."""
    return not (inquiry.names or inquiry.terms or inquiry.shas or inquiry.numbers or inquiry.versions)
