"""How facts become a sentence: the template of their kind, filled with their own names and values as code."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from agent.facts import Fact, FactKind, Severity
from agent.grouping import CALLS, FIELDS, MEMBERS, RENAMES, class_of, must_be_given
from agent.markdown import code
from agent.naming import items_of, member_names, names_of, old_name, owner_of, shortened, shown_names, successors

K = FactKind
_LONG, _LONG_MESSAGE = 90, 240
_MESSAGES_SHOWN = 2
_COUNTED = re.compile(r"and (\d+) more")
"""The last line of a fact that has not all the messages."""
_SHOWN = 5
_LISTS = (
    K.CONSTANT_CHANGED,
    K.VALUE_CHANGED,
    K.FLAG_CHOICES,
    K.BASE_CHANGED,
    K.FIELD_CHANGED,
    K.CONFIG_CHANGED,
    K.SIGNATURE_CHANGED,
)
_CHOSEN = (K.FLAG_CHOICES, K.BASE_CHANGED)
_PARTS = ("case", "#if")
_RAISED = ("if ", "unless ")
"""How a fact writes under which condition an error is raised."""
_SEVERAL = re.compile(r"\d+ (\w+)s of ")
"""How a fact says what the things are that came or went with one file."""
_PART_OF = re.compile(r"[A-Za-z0-9]_[A-Za-z0-9]")
"""In the name of a version: of what it is the version, which is not the whole project."""
_CONDITION = re.compile(r" (?:[=!<>]=|[<>]|(?:not )?in|is) |\)$")
_OPERATOR = re.compile(r"\b(?:not|in|is|and|or)\b")
_SENTENCE = re.compile(r"[A-Za-z]{2,} (?:[a-z]{2,}|\()")
_ASSERTION = re.compile(r"assert|check|ensure|enforce", re.IGNORECASE)
"""What a check is called that may have a condition in the place of words."""
_INSIDE = (K.VALUE_CHANGED, K.CODE_CHANGED)
"""What functions do, where one side may have nothing of it."""
_VALUED = (*_LISTS, K.CODE_CHANGED, K.MEMBER_CHANGED, K.REGISTRATION_CHANGED, K.DEPENDENCY_CHANGED)
_MESSAGES = (K.ERROR_ADDED, K.ERROR_REMOVED, K.ERROR_CHANGED, K.WARNING_ADDED)
_OF_SYMBOLS = (K.SYMBOL_ADDED, K.SYMBOL_REMOVED)
_EXPRESSION = re.compile(r"[^\w.\[\]'\"]")
_EXPORT = re.compile(r"(\w+) = [\w.]*\.\1")
_NOWHERE = (None, "__init__")
_FORMS = re.compile(r"«([^/»]*)/([^»]*)»")
_ADDRESS = re.compile(r"https?://\S+/([^/\s]+)")
_BETWEEN_SIGNS = re.compile(r"(?<=[\u4e00-\u9fff，、]) (?=[\u4e00-\u9fff，。、；：])")
_WHEEL = re.compile(r"[\w.]+-(\d[\w.+!]*)-[\w.-]+\.whl")
_HASH = re.compile(r"[0-9a-f]{40}")
_HASH_SHOWN = 12
_LITERAL = re.compile(r"[A-Z]\w*(?:\.\w+)+|[a-z_]\w*(?:\.\w+)+")


@dataclass(frozen=True, kw_only=True)
class Phrases:
    """The templates of one language; «one/more» is chosen by the number of names."""

    things: Mapping[str, tuple[str, str]]
    """What a detail such as `method` or `kernel` is called, one and several of them."""
    thing: tuple[str, str]
    more: str
    comma: str
    semicolon: str
    change: Mapping[FactKind, str]
    without_values: Mapping[FactKind, str]
    """For kinds whose old or new value is missing or too long for a sentence; the excerpt shows it."""
    gained_default: str
    new_choice: str
    """For a value that a function sets or returns, in some case, and did not before."""
    new_part: str
    gone_part: str
    new_line: str
    gone_line: str
    by_keyword: str
    """Parameters that could be given by position before."""
    signature: str
    typed: Mapping[str, str]
    """What changed beside the parameters, by what a fact calls it; the type of a parameter under `parameter`."""
    must_give: str
    now_needs: str
    other_case: str
    """For a dependency of the same version that is needed on other systems, or by others, than before."""
    superseded: str
    """For what is deprecated in words that name something better."""
    with_names: str
    inside: str
    instead: str
    call: str
    calls: Mapping[FactKind, str]
    """What a sentence about several changes of a function's parameters is put together from."""
    lists: Mapping[str, str]
    """What came into a list, went from it, or both."""
    members: Mapping[str, str]
    fields: Mapping[FactKind, tuple[str, str]]
    """Who gains or loses, and what."""
    checks: Mapping[FactKind, str]
    """Several checks or warnings of one function that came or went."""
    refuses: str
    """What a new function or file refuses."""
    demands: Mapping[FactKind, str]
    """Checks without words, told by what they ask for."""
    check: str
    """A check of an expression, which is no limit that users know by a name."""
    asked: str
    """A check without words that asks for something else."""
    raised: str
    """An error that keeps its words and is raised under another condition."""
    entries: Mapping[str, Mapping[FactKind, str]]
    """Names that a program exports or is run with, by what a fact calls them."""
    renames: tuple[str, str]
    """Several renames of one owner, and one of them."""
    risk: Mapping[str, str]
    advice: Mapping[str, str]


def change_sentence(facts: Sequence[Fact], phrases: Phrases) -> str:
    """Tell what changed, as Markdown; the facts are a group of `agent.grouping`."""
    first = facts[0]
    if first.kind in CALLS and len(facts) > 1:
        return _call(facts, phrases)
    if first.kind in MEMBERS:
        return _members(facts, phrases)
    if first.kind in FIELDS:
        return _fields(facts, phrases)
    if first.kind in RENAMES and len(facts) > 1:
        return _renames(facts, phrases)
    if first.kind in _LISTS and len(facts) == 1 and (told := _list(first, phrases)):
        return told
    return _plain(facts, phrases)


def _plain(facts: Sequence[Fact], phrases: Phrases) -> str:
    fact = facts[0]
    template = phrases.entries.get(fact.detail or "", {}).get(fact.kind) or phrases.change[fact.kind]
    if fact.kind is K.PARAMETER_DEFAULT and fact.old is None and fact.new is not None:
        template = phrases.gained_default
    if fact.kind is K.DEPENDENCY_CHANGED and fact.new and not fact.old:
        template = phrases.now_needs
    elif fact.kind is K.DEPENDENCY_CHANGED and fact.old and _version(fact.old) == _version(fact.new):
        template = phrases.other_case
    if fact.kind in _INSIDE and (fact.old is None) != (fact.new is None):
        template = _one_sided(fact, phrases)
    if fact.kind is K.SIGNATURE_CHANGED and not fact.detail:
        starred, _, names = (fact.new or "").partition(", ")
        if starred == "*":
            return fill(phrases.by_keyword, facts, phrases, names=listed(names.split(", "), phrases))
        template = phrases.signature
    elif fact.kind is K.SIGNATURE_CHANGED:
        template, fact = _typed(fact, phrases)
        facts = (fact, *facts[1:])
    if not fits(template, fact):
        template = phrases.without_values.get(fact.kind, template)
    elif fact.kind is K.LIMIT_CHANGED and _is_check(fact):
        template = phrases.check
    elif fact.kind is K.VERSION_CHANGED and _PART_OF.search(fact.name):
        template = phrases.change[K.CONSTANT_CHANGED]
    if fact.kind is K.ERROR_CHANGED and all((text or "").startswith(_RAISED) for text in (fact.old, fact.new)):
        template = phrases.raised
    elif fact.kind is K.ERROR_CHANGED and fits(template, fact) and all(map(_is_condition, (fact.old, fact.new))):
        template = phrases.asked
    if is_debut(fact):
        return _refusals(fact, phrases)
    if better := successors(fact):
        return fill(phrases.superseded, facts, phrases, new=listed(better, phrases))
    told = _demands(fact, phrases) or _several_checks(fact, phrases) or fill(template, facts, phrases)
    if fact.kind is K.FILE_ADDED and len(facts) == len(names_of(fact)) == 1 and fact.new and "/" not in fact.new:
        names = listed(member_names(fact.new), phrases)
        told = fill(phrases.with_names, facts, phrases, names=names)
    if fact.kind in _MESSAGES:
        place = "" if fact.detail in _NOWHERE else _places(fact, phrases)
        told = fill(phrases.inside, facts, phrases, told=told, place=place) if place else told[:1].upper() + told[1:]
    if fact.kind is K.PARAMETER_ADDED and must_be_given(fact):
        told += ("" if told.endswith("。") else " ") + phrases.must_give
    return told


def _version(pin: str | None) -> str:
    """Give a pin without the condition under which it holds."""
    return (pin or "").partition(";")[0].strip()


def _one_sided(fact: Fact, phrases: Phrases) -> str:
    """Choose the words for what a function chooses anew, and for a case, a condition or a line that came or went."""
    if fact.kind is K.CODE_CHANGED:
        return phrases.gone_line if fact.new is None else phrases.new_line
    if fact.new is None:
        return phrases.gone_part
    return phrases.new_part if fact.detail in _PARTS else phrases.new_choice


def _typed(fact: Fact, phrases: Phrases) -> tuple[str, Fact]:
    """Choose the words for another type, and write the types of a parameter without its name."""
    if template := phrases.typed.get(fact.detail or ""):
        return template, fact
    start = f"{fact.detail}: "
    sides = {side: value.removeprefix(start) for side in ("old", "new") if (value := getattr(fact, side))}
    whole = all((value or "").startswith(start) for value in (fact.old, fact.new))
    return (phrases.typed["parameter"], fact.model_copy(update=sides)) if whole else (phrases.change[fact.kind], fact)


def _is_check(fact: Fact) -> bool:
    """Tell a check of an expression, or against a list, from the limit of something that has a name."""
    return _EXPRESSION.search(fact.name) is not None or (fact.old or "").startswith(("in ", "not in "))


def _is_condition(text: str | None) -> bool:
    """Tell what a check asks for from the words in which it fails."""
    if not text or not _CONDITION.search(text):
        return False
    return _SENTENCE.search(_OPERATOR.sub("=", text)) is None


def messages_of(fact: Fact) -> list[str]:
    """List what the errors or warnings say that came or went together, each message by itself."""
    return (fact.new or fact.old or "").split("\n")


def is_debut(fact: Fact) -> bool:
    """Tell whether a check came with a new function or file: nobody could run into it before."""
    return fact.kind is K.ERROR_ADDED and fact.severity is Severity.ADDITIVE


def _refusals(fact: Fact, phrases: Phrases) -> str:
    """Tell what a new function or file refuses."""
    return fill(phrases.refuses, [fact], phrases, place=_places(fact, phrases), messages=_some_messages(fact, phrases))


def _places(fact: Fact, phrases: Phrases) -> str:
    """Name the functions in which a check or a warning came or went."""
    # What a template is given stands in brackets that are also signs for less and more.
    names = [fact.detail or ""] if "<" in (fact.detail or "") else items_of(fact.detail)
    return listed([shortened(name) for name in names], phrases)


def _several_checks(fact: Fact, phrases: Phrases) -> str | None:
    """Tell several checks of one function with as many of their messages as can be read."""
    template = phrases.checks.get(fact.kind)
    if template is None or len(messages_of(fact)) < 2:
        return None
    return fill(template, [fact], phrases, messages=_some_messages(fact, phrases))


def _demands(fact: Fact, phrases: Phrases) -> str | None:
    """Tell assertions without words by what they ask for: that is no message anybody reads."""
    asked = messages_of(fact)
    template = phrases.demands.get(fact.kind) if _ASSERTION.search(fact.name) and says_much(fact) else None
    if template is None or not all(map(_is_condition, asked)):
        return None
    return _tight(_formed(template, len(asked)).format(messages=_some_messages(fact, phrases)))


def _some_messages(fact: Fact, phrases: Phrases) -> str:
    """Quote the first messages that can be read, and count the others."""
    *first, last = messages_of(fact)
    counted = _COUNTED.fullmatch(last) if is_debut(fact) else None
    messages = first if counted else [*first, last]
    shown = [one for one in messages if len(one) <= _LONG_MESSAGE][:_MESSAGES_SHOWN]
    rest = len(messages) - len(shown) + (int(counted[1]) if counted else 0)
    more = f" {phrases.more.format(count=rest)}" if rest else ""
    return phrases.comma.join(map(code, shown)) + more


def _call(facts: Sequence[Fact], phrases: Phrases) -> str:
    """Tell all that changed in the parameters of one function, or of several alike, in one sentence."""
    told = {kind: listed(_parameters([fact for fact in facts if fact.kind is kind]), phrases) for kind in CALLS}
    kinds = {fact.kind for fact in facts}
    if kinds == {K.PARAMETER_ADDED, K.PARAMETER_REMOVED}:
        return fill(phrases.instead, facts, phrases, new=told[K.PARAMETER_ADDED], old=told[K.PARAMETER_REMOVED])
    pieces = []
    for kind in CALLS:
        own = [fact for fact in facts if fact.kind is kind]
        if kind in (K.PARAMETER_ADDED, K.PARAMETER_REMOVED, K.PARAMETER_REQUIRED) and own:
            pieces.append(phrases.calls[kind].format(names=told[kind]))
        elif own:
            pieces += [_one_way(fact, phrases) for fact in own]
    return fill(phrases.call, facts, phrases, changes=phrases.semicolon.join(_unique(pieces)))


def _one_way(fact: Fact, phrases: Phrases) -> str:
    return phrases.calls[fact.kind].format(
        names=code(fact.detail or ""), old=code(fact.old or "—"), new=code(fact.new or "—")
    )


def _parameters(facts: Sequence[Fact]) -> list[str]:
    """Write each parameter once; one that functions take in different forms by its name alone."""
    forms: dict[str, list[str]] = {}
    for fact in facts:
        forms.setdefault(fact.detail or "", []).append(_parameter(fact))
    return [told[0] if len(set(told)) == 1 else name for name, told in forms.items()]


def _parameter(fact: Fact) -> str:
    """Write a parameter with its type and default where that is short."""
    whole = fact.new if fact.kind is K.PARAMETER_ADDED else None
    return whole if whole and len(whole) <= _LONG else fact.detail or ""


def _members(facts: Sequence[Fact], phrases: Phrases) -> str:
    """Tell what an enumeration lost and gained."""
    gone = listed([name for fact in facts if fact.kind is K.MEMBER_REMOVED for name in member_names(fact.old)], phrases)
    came = listed([name for fact in facts if fact.kind is K.MEMBER_ADDED for name in member_names(fact.new)], phrases)
    form = "both" if gone and came else "gone" if gone else "came"
    name = code(shortened(class_of(facts[0])))
    return fill(phrases.members[form], facts, phrases, name=name, gone=gone, came=came)


def _fields(facts: Sequence[Fact], phrases: Phrases) -> str:
    """Tell which fields a class gained or lost; a single one with its default."""
    values = [item for fact in facts for item in items_of(fact.new or fact.old)]
    shown = (
        values
        if len(values) == 1 and len(values[0]) <= _LONG
        else [name for fact in facts for name in member_names(fact.new or fact.old)]
    )
    owners = shown_names(tuple(dict.fromkeys(class_of(fact) for fact in facts)))
    verb, noun = phrases.fields[facts[0].kind]
    template = _formed(verb, len(owners)) + _formed(noun, len(_unique(shown)))
    return _tight(template.format(name=listed(owners, phrases), names=listed(shown, phrases)))


def _renames(facts: Sequence[Fact], phrases: Phrases) -> str:
    """Tell the renamed members of one owner together."""
    pairs = [phrases.renames[1].format(old=code(fact.old or ""), new=code(fact.new or "")) for fact in facts]
    owner = code(shortened(owner_of(facts[0].name)))
    return phrases.renames[0].format(owner=owner, pairs=phrases.comma.join(pairs))


def _list(fact: Fact, phrases: Phrases) -> str | None:
    """Tell what came into a list and what went, where most of it stayed."""
    if fact.kind is K.FIELD_CHANGED and fits(phrases.change[fact.kind], fact):
        return None
    gone, came, stayed = _exchanged(fact)
    if not (gone or came) or not (stayed or fact.kind in _CHOSEN) or len(gone) + len(came) > 2 * _SHOWN:
        return None
    if any(len(item) > _LONG for item in (*gone, *came)):
        return None
    form = "both" if gone and came else "gone" if gone else "came"
    typed = "type " if fact.detail else "parameters "
    prefixes = {K.FLAG_CHOICES: "flag ", K.BASE_CHANGED: "base ", K.SIGNATURE_CHANGED: typed, K.VALUE_CHANGED: "value "}
    template = phrases.lists[prefixes.get(fact.kind, "") + form]
    return fill(template, [fact], phrases, gone=listed(gone, phrases), came=listed(came, phrases))


def _exchanged(fact: Fact) -> tuple[list[str], list[str], bool]:
    """Compare what was listed with what is: what went, what came, and whether something stayed."""
    old, new = fact.old or "", fact.new or ""
    if fact.kind is K.SIGNATURE_CHANGED and not fact.detail:
        return _exchanged_parameters(old, new) if old[-1:] == new[-1:] == ")" else ([], [], False)
    listed_before = fact.kind in _CHOSEN or (old[:1] in "[({" and new[:1] in "[({")
    separator = "|" if "|" in old + new and fact.kind not in _CHOSEN else ","
    if separator == "," and not listed_before:
        return [], [], False
    if fact.kind is K.SIGNATURE_CHANGED:
        old, new = (side.partition(": ")[2] for side in (old, new))
    return _exchanged_items(old, new, separator)


def _exchanged_parameters(old: str, new: str) -> tuple[list[str], list[str], bool]:
    """Compare parameters; beside those that came or went, others of the same name are no news."""
    gone, came, stayed = _exchanged_items(old, new, ",")
    names = [{_bare_name(item) for item in side} for side in (gone, came)]
    others = [[item for item in side if _bare_name(item) not in names[0] & names[1]] for side in (gone, came)]
    return (others[0], others[1], True) if any(others) and names[0] & names[1] else (gone, came, stayed)


def _bare_name(parameter: str) -> str:
    return re.split(r"[:=]", parameter, maxsplit=1)[0].strip(" *")


def _exchanged_items(old: str, new: str, separator: str) -> tuple[list[str], list[str], bool]:
    before, after = items_of(old, separator), items_of(new, separator)
    gone, came = [item for item in before if item not in after], [item for item in after if item not in before]
    return gone, came, len(gone) < len(before)


def fits(template: str, fact: Fact) -> bool:
    """Tell whether the sentence has its values, and whether they are short enough to be read."""
    limit = _LONG_MESSAGE if fact.kind in _MESSAGES else _LONG
    values = [value for gap, value in (("{old}", fact.old), ("{new}", fact.new)) if gap in template]
    if fact.kind is K.FLAG_ADDED and fact.new and _LITERAL.fullmatch(fact.new):
        # The default is what another name stands for, which says nothing.
        return False
    return all(value and len(_value(value)) <= limit and "\n" not in value for value in values)


def says_much(fact: Fact) -> bool:
    """Tell whether a sentence about a changed value or a check can show it, or only say that it is another."""
    if fact.kind in (K.ERROR_ADDED, K.ERROR_REMOVED, K.WARNING_ADDED):
        return any(one and len(one) <= _LONG_MESSAGE for one in messages_of(fact))
    if fact.kind not in _VALUED:
        return True
    values = (fact.old, fact.new)
    one_sided = fact.kind in _INSIDE and (fact.old or fact.new)
    shown = [value for value in values if value or not one_sided]
    short = all(value and len(_value(value)) <= _LONG and "\n" not in value for value in shown)
    gone, came, stayed = _exchanged(fact) if fact.kind in _LISTS else ([], [], False)
    return short or (stayed and 0 < len(gone) + len(came) <= _SHOWN)


def fill(template: str, facts: Sequence[Fact], phrases: Phrases, most: int = _SHOWN, **given: str) -> str:
    """Put names and values into a template; names that several facts have are listed once, `most` of them."""
    fact = facts[0]
    whole = tuple(dict.fromkeys(name for one in facts for name in names_of(one)))
    names = shown_names(whole, constructors=fact.kind in _OF_SYMBOLS)
    several = _SEVERAL.match(fact.detail or "")
    sort = "export" if _is_export(fact) else several[1] if several else fact.detail or ""
    sort = "attribute" if sort == "variable" and "." in whole[0] else sort
    thing = phrases.things.get(sort, phrases.thing)
    if fact.kind in (K.MEMBER_RENAMED, K.FIELD_RENAMED):
        names = [shortened(owner_of(fact.name))]
    values = {
        "name": listed(names, phrases, most),
        "old": code(old_name(fact) if fact.kind is K.SYMBOL_RENAMED else _value(fact.old or "")),
        "new": code(_value(fact.new or "")),
        "detail": code(fact.detail or ""),
        "thing": thing[len(names) > 1],
    }
    return _tight(_formed(template, len(names)).format(**values | given))


def _is_export(fact: Fact) -> bool:
    """Tell a name that a package only passes on from one that stands for a value."""
    return fact.detail == "variable" and _EXPORT.fullmatch(fact.new or fact.old or "") is not None


def _tight(text: str) -> str:
    """Take out the spaces that a gap leaves between Chinese signs."""
    return _BETWEEN_SIGNS.sub("", text)


def _formed(template: str, count: int) -> str:
    return _FORMS.sub(r"\1" if count == 1 else r"\2", template)


def _value(value: str) -> str:
    """Shorten an address to the file it names, the file of a package to its version, and a whole hash."""
    found = _ADDRESS.fullmatch(value)
    file = found[1] if found else value
    if _HASH.fullmatch(file):
        return file[:_HASH_SHOWN]
    wheel = _WHEEL.fullmatch(file)
    return wheel[1] if wheel else file


def listed(names: Sequence[str], phrases: Phrases, most: int = _SHOWN) -> str:
    """List names as code: all of a few, or the first ones and how many more there are."""
    names = _unique(names)
    shown = names if len(names) <= most + 1 else names[:most]
    text = phrases.comma.join(code(name) for name in shown)
    rest = len(names) - len(shown)
    return f"{text} {phrases.more.format(count=rest)}" if rest else text


def _unique(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(name for name in names if name))
