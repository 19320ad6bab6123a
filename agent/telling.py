"""The sentences that code writes: a predicate with its values becomes words of `agent/words`, in each language."""

import re
import tomllib
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from agent.domain.base import Language
from agent.domain.facts import Fact, FactKind, Severity
from agent.markdown import code

Params = Mapping[str, str]
Phrases = Mapping[str, Any]  # The part `facts` of a catalogue; «one/more» is chosen by the number of names
_VALUES = {"kind", "severity", "name", "old", "new", "detail"}
_LINEAGE = ("revert", "reland", "cherry-pick")
_ERRORS = ("error-added", "error-removed")
_INSIDE = (*_ERRORS, "error-changed", "limit-changed")  # What is told with the function that it stands in
_OWNED = ("enum-member-added", "enum-member-removed", "field-added", "field-removed")
_BY_NAME = ("-removed", "symbol-added", "file-added", "route-added", "registered", "registration-changed")
"""Told by their names and by what they are, or by where they stand; others also by their values."""
_LONG, _LONG_MESSAGE, _LONG_MEMBER, _LONG_PATH = 90, 240, 60, 80
_SHOWN, _MESSAGES_SHOWN, _HASH_SHOWN, _PARTS = 5, 2, 12, 2
_PATH = re.compile(r"[\w.@+=,-]+(?:/[\w.@+=,-]+)+")
_NAME = re.compile(r"[A-Za-z_~][\w.:~]*")
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.\w+)+")
_BETWEEN = re.compile(r"\.|::")
_FORMS = re.compile(r"«([^/»]*)/([^»]*)»")
_BETWEEN_SIGNS = re.compile(r"(?<=[\u4e00-\u9fff，、]) (?=[\u4e00-\u9fff，。、；：])")
_HASH = re.compile(r"[0-9a-f]{40}")
_EXPRESSION = re.compile(r"[\w.:]*(?:\(.*\))?")  # A message that the program puts together elsewhere: a name or a call


@cache
def catalogue(lang: Language) -> dict[str, Any]:
    """Read the words of a language; both files have the same keys."""
    return tomllib.loads(files("agent").joinpath("words", f"{lang}.toml").read_text("utf-8"))


# ---------------------------------------------------------------- which facts are told


def told_facts(facts: Sequence[Fact]) -> list[Fact]:
    """List what is worth a sentence each, the most important first."""
    telling = _once([fact for fact in facts if _tells(fact)])
    much = [fact for fact in telling if _says_much(fact) or fact.severity is Severity.BREAKING]
    return joined(much or telling)


def changed_functions(facts: Sequence[Fact]) -> list[Fact]:
    """Name the functions inside of which something changed, for a commit of which nothing else can be said."""
    inside = [fact for fact in facts if fact.kind == "code-changed" and fact.severity is not Severity.INTERNAL]
    inside = [fact for fact in inside if not any(place.file.endswith(fact.name) for place in fact.places)]
    bare = [fact if _says_much(fact) else fact.model_copy(update={"old": None, "new": None}) for fact in inside]
    return joined(bare)


def joined(facts: Sequence[Fact]) -> list[Fact]:
    """Make one fact of those that differ in their names alone, with a place of each."""
    groups: dict[Hashable, list[Fact]] = defaultdict(list)
    for number, fact in enumerate(facts):
        groups[_key(fact, number)].append(fact)
    return [_joined(group) for group in groups.values()]


def _key(fact: Fact, number: int) -> Hashable:
    if fact.kind in _OWNED:
        return fact.kind, class_of(fact)
    if fact.kind in _INSIDE or len(names_of(fact)) > 1:
        return number
    values = () if fact.kind.endswith(_BY_NAME) and fact.kind != "config-key-removed" else (fact.old, fact.new)
    return fact.kind, fact.severity, fact.detail, values


def _joined(group: Sequence[Fact]) -> Fact:
    proofs = [[place for place in fact.places if place.lines][:1] for fact in group]
    update: dict[str, Any] = {"places": tuple(place for places in proofs for place in places)}
    if len(group) > 1 and group[0].kind in _OWNED:
        values = {side: ", ".join(_unique(getattr(fact, side) for fact in group)) for side in ("old", "new")}
        update |= values | {"name": class_of(group[0]), "detail": f"{len(group)} members"}
    elif len(group) > 1:
        differ = (side for side in ("old", "new") if len({getattr(fact, side) for fact in group}) > 1)
        update |= dict.fromkeys(differ) | {"name": ", ".join(_unique(fact.name for fact in group))}
    return group[0].model_copy(update=update)


def _tells(fact: Fact) -> bool:
    if fact.severity is Severity.INTERNAL or fact.kind in _LINEAGE or fact.kind == "code-changed":
        return False
    if fact.kind in _ERRORS:
        return _says_much(fact)
    if fact.kind == "file-added" and fact.name.endswith("__init__.py") and fact.new == fact.name:
        return False
    # Of which class a bare `__init__` is nobody knows who saw the patch alone.
    last = fact.name.rpartition(".")[2]
    unknown = last == "__init__" and (fact.kind == "symbol-added" or fact.name == last)
    return not unknown or fact.severity is Severity.BREAKING


def _says_much(fact: Fact) -> bool:
    """Tell whether a sentence about a changed value or an error can show it, or only say that it is another."""
    phrases: Phrases = catalogue("en")["facts"]
    templates = phrases["change"][fact.kind]
    little = len(templates) > 1 and _template(fact, _values(fact, phrases), phrases) == templates[-1]
    return not little or not (fact.kind.endswith("-changed") or fact.kind in _ERRORS)


def _once(facts: Sequence[Fact]) -> list[Fact]:
    """Leave out what another fact says already: a flag's field, a name's export, an error that only moved."""
    flags = {_plain(fact.name) for fact in facts if fact.kind in ("flag-added", "env-added")}
    came, gone = ({fact.new or fact.old for fact in facts if fact.kind == kind} for kind in _ERRORS)
    seen: set[tuple[FactKind, str]] = set()
    kept = []
    for fact in facts:
        lasts = {(fact.kind, name.rpartition(".")[2]) for name in names_of(fact)}
        is_field = fact.kind in ("field-added", "symbol-added") and _plain(fact.name.rpartition(".")[2]) in flags
        only_moved = fact.kind in _ERRORS and (fact.new or fact.old) in came & gone
        if not is_field and not only_moved and not (fact.detail == "export" and lasts <= seen):
            kept.append(fact)
            seen |= lasts
    return kept


def _plain(name: str) -> str:
    return name.strip("-").replace("-", "_").lower()


# ---------------------------------------------------------------- sentences


def sentence(predicate: str, params: Params, lang: Language) -> str:
    """Write the sentence of a predicate."""
    phrases: Phrases = catalogue(lang)["facts"]
    if predicate == "series":
        return _series(params, phrases["series"])
    if predicate == "changes lines":
        days = int(params["days"])
        return str(phrases["changes_lines"][days > 1]).format(days)
    if predicate in phrases["fixed"]:
        return str(phrases["fixed"][predicate])
    return fact_sentence(Fact.model_validate({"severity": Severity.BEHAVIOUR, **params}), lang)


def fact_sentence(fact: Fact, lang: Language) -> str:
    """Tell a fact, as Markdown."""
    phrases: Phrases = catalogue(lang)["facts"]
    values = _values(fact, phrases)
    form = r"\1" if len(names_of(fact)) == 1 else r"\2"
    text = _FORMS.sub(form, _template(fact, values, phrases)).format_map(values)
    # A gap leaves spaces between Chinese signs.
    return _BETWEEN_SIGNS.sub("", text[:1].upper() + text[1:])


def params_of(fact: Fact) -> dict[str, str]:
    """Give what a sentence about a fact is made from."""
    return fact.model_dump(mode="json", include=_VALUES, exclude_none=True)


def names_alone(predicate: str, text: str, lang: Language) -> str | None:
    """Give the names of a sentence that says no more than that lines of them change; None where it says more."""
    before, after = catalogue(lang)["facts"]["change"]["code-changed"][-1].split("{name}")
    if predicate != "fact" or not (text.startswith(before) and text.endswith(after)):
        return None
    return text.removeprefix(before).removesuffix(after)


def _series(params: Params, say: Mapping[str, str]) -> str:
    """Tell a part of a series; the parts that have landed are cited in the order of their marks."""
    total, missing = params.get("total"), params.get("missing", "").split()
    text = say["part_of"].format(params["part"], total) if total else say["part"].format(params["part"])
    marked = [(int(part), mark) for mark, part in enumerate(params.get("landed", "").split(), start=2)]
    landed = [say["one"].format(part, mark) for part, mark in sorted(marked)]
    if landed:
        text += say["landed"].format(say["list"].join(landed))
    if missing:
        text += say["missing"].format(say["list"].join(missing))
    return text + say["end"]


def _template(fact: Fact, values: Mapping[str, str], phrases: Phrases) -> str:
    """Choose the first sentence of a kind whose values are there and short enough to be read, else the last."""
    templates: list[str] = phrases["change"][fact.kind]
    wanted = ("old", "new", "gained", "detail", "messages")
    full = (one for one in templates if all(values[gap] for gap in wanted if f"{{{gap}}}" in one))
    return next(full, templates[-1])


def _values(fact: Fact, phrases: Phrases) -> dict[str, str]:
    """Give the words for the gaps of a sentence; what is too long to be read is empty."""
    limit = _LONG_MESSAGE if fact.kind in ("error-changed", "deprecated") else _LONG
    old, new = (value if len(value := _short(one)) <= limit else "" for one in (fact.old, fact.new))
    detail, place = fact.detail or "", ""
    if fact.kind == "symbol-renamed" and detail == "method":
        old = shortened(f"{fact.name.rpartition('.')[0]}.{old}".lstrip("."))
    if fact.kind == "flag-added" and _DOTTED.fullmatch(new):
        # The default is what another name stands for, which says nothing.
        new = ""
    if fact.kind == "signature-changed" and detail in ("function", "method"):
        detail = ""
    if fact.kind in _INSIDE and detail not in ("", "__init__"):
        place = phrases["inside"].format(code(shortened(detail)))
    messages = [one for one in (fact.new or fact.old or "").split("\n") if not _EXPRESSION.fullmatch(one)]
    names = _shown_names(names_of(fact), constructors=fact.kind in ("symbol-added", "symbol-removed"))
    values = {
        "name": _listed(names, phrases),
        "old": code(old),
        "new": code(new),
        "gained": code(new) if fact.old is None else "",
        "detail": code(detail),
        "thing": phrases["things"].get(detail, phrases["thing"])[len(names) > 1],
        "owner": code(shortened(class_of(fact))) or phrases["somewhere"],
        "place": place,
        "messages": _listed([one for one in messages if len(one) <= _LONG_MESSAGE], phrases, _MESSAGES_SHOWN),
        "must": phrases["must"] if fact.severity is Severity.BREAKING else "",
    }
    if fact.kind in _OWNED:
        members = [_member(item) for item in _items(fact.new or fact.old)] or [fact.name.rpartition(".")[2]]
        values |= dict.fromkeys(("old", "new"), _listed(members, phrases))
    return values


# ---------------------------------------------------------------- names and values


def names_of(fact: Fact) -> tuple[str, ...]:
    """List what a fact is about; one change of several functions names them all."""
    # The comma of `Traits<A, B>` or of a path like `shape=[128, 128].json` parts no names.
    return tuple(_items(f"[{fact.name}]")) or (fact.name,)


def class_of(fact: Fact) -> str:
    """Name the class that a field or a member belongs to: a fact about several is named by it."""
    return fact.name if (fact.detail or "")[:1].isdigit() else fact.name.rpartition(".")[0]


def shortened(name: str, parts: int = _PARTS, *, constructors: bool = False) -> str:
    """Keep the last parts of a qualified name; a flag or a version stays whole, of a very long path the file is left.

    A constructor is what people know by the name of its class, unless the constructor itself is the news.
    """
    if _PATH.fullmatch(name):
        return name if len(name) <= _LONG_PATH else name.rpartition("/")[2]
    if not _NAME.fullmatch(name):
        return name
    pieces = _BETWEEN.split(name)
    if not constructors and len(pieces) > 1 and pieces[-1] in ("__init__", "__new__", pieces[-2]):
        name, pieces = name[: -len(pieces[-1])].rstrip(".:"), pieces[:-1]
    cuts = [found.end() for found in _BETWEEN.finditer(name)]
    return name[cuts[-parts] :] if len(pieces) > parts else name


def _shown_names(names: Sequence[str], *, constructors: bool) -> list[str]:
    """Shorten names by as much as leaves them different from one another."""
    longest = max((len(_BETWEEN.split(name)) for name in names), default=1)
    for parts in range(_PARTS, longest + 1):
        shown = _unique(shortened(name, parts, constructors=constructors) for name in names)
        if len(shown) == len(set(names)):
            return shown
    return _unique(names)


def _items(text: str | None) -> list[str]:
    """Take a written list apart: `[a, b(1, 2), c<d, e>]` has three items."""
    text = (text or "").strip()
    if text[:1] + text[-1:] in ("[]", "()", "{}"):
        text = text[1:-1]
    items, depth, angles, start = [], 0, 0, 0
    for place, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        # After a word `<` opens a template; anywhere else it compares.
        opens, closes = sign == "<" and text[place - 1 : place].isalnum(), sign == ">" and angles > 0
        angles += opens - closes
        if sign == "," and depth == angles == 0:
            items.append(text[start:place].strip())
            start = place + 1
    return [item for item in (*items, text[start:].strip()) if item]


def _member(item: str) -> str:
    """Write a member or a field with its type and value, or by its name where that would be long."""
    return item if len(item) <= _LONG_MEMBER else item.partition("=")[0].partition(":")[0].strip()


def _short(value: str | None) -> str:
    """Write a value in one line, and a whole hash short."""
    text = " ".join((value or "").split())
    return text[:_HASH_SHOWN] if _HASH.fullmatch(text) else text


def _listed(names: Sequence[str], phrases: Phrases, most: int = _SHOWN) -> str:
    """List names as code: all of a few, or the first ones and how many more there are."""
    names = _unique(names)
    shown = names if len(names) <= most + 1 else names[:most]
    text: str = phrases["comma"].join(code(name) for name in shown)
    rest = len(names) - len(shown)
    return f"{text} {phrases['more'].format(count=rest)}" if rest else text


def _unique(names: Iterable[str]) -> list[str]:
    """List names once, in their order, and none that is empty."""
    return list(dict.fromkeys(name for name in names if name))
