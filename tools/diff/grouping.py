"""One fact for one thing, however many files show it; what matters most comes first."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from agent.facts import Fact, FactKind, Place, Severity
from tools.diff.cutting import MOST, PACKAGE, cut, is_attribute
from tools.diff.draft import Draft
from tools.diff.likeness import likeness
from tools.diff.severity import severity_of

_BY_SEVERITY = {severity: place for place, severity in enumerate(Severity)}
_FIRST = (FactKind.REVERT, FactKind.RELAND, FactKind.CHERRY_PICK)
_RENAMES = {
    FactKind.SYMBOL_RENAMED,
    FactKind.FIELD_RENAMED,
    FactKind.MEMBER_RENAMED,
    FactKind.FLAG_RENAMED,
    FactKind.ENV_RENAMED,
}
_PARAMETERS = {
    FactKind.PARAMETER_ADDED,
    FactKind.PARAMETER_REMOVED,
    FactKind.PARAMETER_RENAMED,
    FactKind.PARAMETER_DEFAULT,
    FactKind.PARAMETER_REQUIRED,
}
_BY_NAME = {
    FactKind.FLAG_ADDED,
    FactKind.FLAG_REMOVED,
    FactKind.ENV_ADDED,
    FactKind.ENV_REMOVED,
    FactKind.ERROR_ADDED,
    FactKind.ERROR_REMOVED,
    FactKind.WARNING_ADDED,
}
_MEMBERS = {FactKind.MEMBER_ADDED, FactKind.MEMBER_REMOVED, FactKind.FIELD_ADDED, FactKind.FIELD_REMOVED}
_IN_A_SCOPE = {
    FactKind.ERROR_ADDED,
    FactKind.ERROR_REMOVED,
    FactKind.WARNING_ADDED,
    FactKind.CONFIG_ADDED,
    FactKind.CONFIG_REMOVED,
    FactKind.REGISTERED,
    FactKind.UNREGISTERED,
}
_ALIKE = {FactKind.CONSTANT_CHANGED, FactKind.FIELD_CHANGED, FactKind.MEMBER_CHANGED}
"""What several classes that are made alike have in common, and what then changes in all of them."""
_TOGETHER = {*_IN_A_SCOPE, FactKind.SYMBOL_MOVED, FactKind.FILE_ADDED, FactKind.FILE_REMOVED, FactKind.DEPRECATED}
_ASKED = {FactKind.DEPENDENCY_ADDED, FactKind.DEPENDENCY_REMOVED, FactKind.DEPENDENCY_CHANGED}
_MET = {FactKind.ERROR_ADDED, FactKind.ERROR_REMOVED, FactKind.WARNING_ADDED}
_COMPILED = ("static_assert",)
"""Checks that many templates of one family have in the same words."""
_SYSTEM = ("apt", "yum", "dnf", "microdnf", "apk", "zypper")
"""What installs packages of the system, which come by the dozen too."""
_IN_SERIES = ("kernel", "device-config")
"""Roles of files that come by the dozen, one for each size or device."""
_LAST = (
    FactKind.ERROR_ADDED,
    FactKind.ERROR_REMOVED,
    FactKind.ERROR_CHANGED,
    FactKind.WARNING_ADDED,
    FactKind.CONFIG_ADDED,
    FactKind.CONFIG_REMOVED,
    FactKind.CONFIG_CHANGED,
    FactKind.IMAGE_CHANGED,
    FactKind.FILE_ADDED,
)
"""Within a severity, these give way to what somebody's code calls or sets."""
_CROWDED = {
    FactKind.FLAG_ADDED: "flags",
    FactKind.FLAG_REMOVED: "flags",
    FactKind.ENV_ADDED: "variables",
    FactKind.ENV_REMOVED: "variables",
    FactKind.SYMBOL_ADDED: "symbols",
    FactKind.SYMBOL_REMOVED: "symbols",
    FactKind.CONSTANT_CHANGED: "constants",
    FactKind.CONFIG_ADDED: "settings",
}
"""Kinds of which many may be told as one, and what they are then called."""
_TYPED = ("py", "rs", "go", "proto")
"""Languages of which each declares its own; those of the C family share headers, those of the browser modules."""
_MODULE = "/__init__.py"
_BUILD = (".cmake", "CMakeLists.txt")
"""Files of a build, of which users set the options together."""
_INSIDE = (FactKind.VALUE_CHANGED, FactKind.CODE_CHANGED)
"""What functions do comes behind what they are called and take."""
_ALIKE_ENOUGH = 0.62
_PLACES = 20
_NAMES = 12
_CROWD = 40
_SET = (FactKind.FLAG_ADDED, FactKind.FLAG_REMOVED, FactKind.ENV_ADDED, FactKind.ENV_REMOVED)
_WHOLE = (FactKind.FILE_ADDED, FactKind.FILE_REMOVED)
_FORMS = ("override", "overload")
_DOZEN = 8
"""Flags or variables that came or went with one file; more of them are told as one."""


@dataclass(frozen=True)
class Shown:
    """A difference with the place that shows it."""

    draft: Draft
    place: Place | None


Crowd = Callable[[Shown], tuple[object, ...] | None]
"""Says what belongs to one crowd; None for what is told by itself."""


def group(shown: Iterable[Shown]) -> tuple[list[Fact], list[str]]:
    """Join what is the same, rank it, and say how much was left out of the list."""
    shown = list(shown)
    # What new things refuse is told where there is room for it.
    debuts = _joined((one for one in shown if one.draft.debut), lambda _: None)
    shown = [one for one in shown if not one.draft.debut]
    facts = _joined(shown, _of_a_script(shown))
    if _told(facts) > MOST:
        sure = _without_guesses(shown)
        facts = _joined(sure, _of_a_place(sure))
    return cut(sorted([*facts, *debuts[: max(0, MOST - _told(facts))]], key=_rank))


def _without_guesses(shown: Sequence[Shown]) -> list[Shown]:
    """Leave out renames that may be none, unless something else is told of the thing by its new name."""
    told = {one.draft.name for one in shown if one.draft.kind is not FactKind.SYMBOL_RENAMED}
    return [one for one in shown if one.draft.name in told or not _is_guessed(one.draft)]


def _is_guessed(draft: Draft) -> bool:
    """Tell a new name that has little of the old one: where everything changes at once, something always fits."""
    # Two names of one type were not paired for their looks.
    if draft.kind is not FactKind.SYMBOL_RENAMED or draft.detail == "type" or not draft.old or not draft.new:
        return False
    old, new = (name.rpartition(".")[2] for name in (draft.old, draft.new))
    return likeness(old, new, _ALIKE_ENOUGH) < _ALIKE_ENOUGH


def _told(facts: Iterable[Fact]) -> int:
    told = (fact for fact in facts if fact.kind not in _INSIDE)
    return sum(fact.severity is not Severity.INTERNAL for fact in told)


def _joined(shown: Iterable[Shown], crowd: Crowd) -> list[Fact]:
    """Make one fact of what has one key."""
    groups: dict[tuple[object, ...], list[Shown]] = {}
    for one in shown:
        groups.setdefault(crowd(one) or (*_key(one.draft), _language(one)), []).append(one)
    return list(_met_alike(map(_fact, groups.values())))


def _met_alike(facts: Iterable[Fact]) -> Iterator[Fact]:
    """Make one fact of the same refusals in the same words of several functions; each of them is named."""
    alike: dict[tuple[object, ...], list[Fact]] = {}
    for at, fact in enumerate(facts):
        worded = fact.kind in _MET and fact.detail and (fact.old or fact.new)
        key = (fact.kind, fact.severity, fact.name, fact.old, fact.new) if worded else (at,)
        alike.setdefault(key, []).append(fact)
    for first, *others in alike.values():
        if not others:
            yield first
            continue
        scopes = list(dict.fromkeys(fact.detail or "" for fact in (first, *others)))
        more = f" and {len(scopes) - _NAMES} more" if len(scopes) > _NAMES else ""
        places = tuple(place for fact in (first, *others) for place in fact.places)[:_PLACES]
        yield first.model_copy(update={"detail": ", ".join(scopes[:_NAMES]) + more, "places": places})


def _of_a_script(shown: Sequence[Shown]) -> Crowd:
    """Join the flags and variables of a file that came or went as a whole, where they are many."""
    whole = {one.place.file for one in shown if one.draft.kind in _WHOLE and one.place is not None}
    counts = Counter((one.draft.kind, one.place.file) for one in shown if one.place and one.place.file in whole)

    def crowd(one: Shown) -> tuple[object, ...] | None:
        if one.draft.kind not in _SET or one.place is None or counts[one.draft.kind, one.place.file] <= _DOZEN:
            return None
        return one.draft.kind, one.place.file, severity_of(one.draft)

    return crowd


def _of_a_place(shown: Sequence[Shown]) -> Crowd:
    """Join what came to one file or folder and what one class has, where there is more than anybody reads."""
    scripts = _of_a_script(shown)
    homes: dict[str, str] = {}
    packages = _packages(shown)
    changes = Counter(_key(one.draft) for one in shown if _is_alike(one.draft))

    def crowd(one: Shown) -> tuple[object, ...] | None:
        draft = one.draft
        if draft.kind in (FactKind.SYMBOL_ADDED, FactKind.SYMBOL_REMOVED) and one.place is not None:
            # A further form of what was there before is nothing new beside what is.
            form = draft.detail if draft.detail in _FORMS else ""
            return draft.kind, form, homes.setdefault(draft.name, one.place.file), severity_of(draft)
        if draft.kind is FactKind.DEPRECATED:
            # What is deprecated with the same words, or all of a file with none, is so for one reason.
            return draft.kind, draft.new or (one.place and one.place.file.rpartition("/")[0]), severity_of(draft)
        if draft.kind is FactKind.FILE_REMOVED:
            return draft.kind, draft.name.rpartition("/")[0], severity_of(draft)
        if draft.kind is FactKind.CONFIG_ADDED and not draft.detail and one.place and one.place.file.endswith(_BUILD):
            return draft.kind, _BUILD, severity_of(draft)
        if draft.kind is FactKind.FILE_ADDED:
            folder = draft.name.rpartition("/")[0]
            whole = next((package for package in packages if f"{folder}/".startswith(f"{package}/")), folder)
            return draft.kind, draft.detail, whole, severity_of(draft)
        if draft.kind is FactKind.CONSTANT_CHANGED and "." in draft.name and changes[_key(draft)] <= 1:
            return draft.kind, draft.name.rpartition(".")[0], severity_of(draft)
        return scripts(one)

    return crowd


def _packages(shown: Sequence[Shown]) -> list[str]:
    """Name the folders that became packages with this commit, those that hold others first."""
    names = (one.draft.name for one in shown if one.draft.kind is FactKind.FILE_ADDED)
    return sorted(name.removesuffix(_MODULE) for name in names if name.endswith(_MODULE))


def _language(one: Shown) -> str:
    """Tell the members of classes apart that have one name in two languages: each of them has its own."""
    if one.place is None or (one.draft.kind not in _MEMBERS and one.draft.kind is not FactKind.CODE_CHANGED):
        return ""
    if one.draft.kind is FactKind.CODE_CHANGED:
        return one.place.file
    extension = one.place.file.rpartition(".")[2]
    return extension if extension in _TYPED else ""


def _key(draft: Draft) -> tuple[object, ...]:
    if draft.kind in _MEMBERS:
        return draft.kind, draft.name.rpartition(".")[0], severity_of(draft)
    if draft.kind is FactKind.SYMBOL_MOVED:
        return draft.kind, draft.old, draft.new, severity_of(draft)
    if draft.detail in _SYSTEM and draft.kind in (FactKind.DEPENDENCY_ADDED, FactKind.DEPENDENCY_REMOVED):
        # A version is that of one package, not of all.
        return draft.kind, draft.detail, draft.public, (draft.old or draft.new) and draft.name
    if draft.kind is FactKind.ERROR_ADDED and draft.public and draft.name in _COMPILED:
        return draft.kind, draft.name, draft.new
    if draft.kind in _IN_A_SCOPE and draft.detail:
        return draft.kind, draft.detail, draft.public, draft.condition, draft.optional
    if draft.kind is FactKind.FILE_ADDED and draft.detail in _IN_SERIES:
        return draft.kind, draft.detail, draft.name.rpartition("/")[0]
    if draft.kind in _RENAMES:
        return draft.kind, draft.old, draft.new
    if _is_of_many(draft):
        return draft.kind, draft.detail, draft.old, draft.new, severity_of(draft)
    if _is_alike(draft):
        return draft.kind, draft.name.rpartition(".")[2], draft.old, draft.new, severity_of(draft)
    if draft.kind is FactKind.BASE_CHANGED:
        return draft.kind, draft.old, draft.new, severity_of(draft)
    if draft.kind is FactKind.DEPENDENCY_CHANGED:
        # `==1.2` in a manifest and `1.2` in a check at the start ask for one thing.
        return draft.kind, draft.name, (draft.old or "").lstrip("="), (draft.new or "").lstrip("=")
    if draft.kind in _BY_NAME:
        return draft.kind, draft.name, draft.old if draft.kind is FactKind.ERROR_REMOVED else draft.new
    return draft.kind, draft.name, draft.old, draft.new


def _is_of_many(draft: Draft) -> bool:
    """Tell whether the same is often so in several functions, which are then named together."""
    return draft.kind in _PARAMETERS or draft.kind is FactKind.VALUE_CHANGED or _is_in_a_series(draft)


def _is_alike(draft: Draft) -> bool:
    """Tell whether a member of a class has another value, both of them shown: so it often has in many classes."""
    return draft.kind in _ALIKE and "." in draft.name and None not in (draft.old, draft.new)


def _is_in_a_series(draft: Draft) -> bool:
    """Tell whether one parameter has another type, or is given by keyword now: so it often is in many functions."""
    if draft.kind is not FactKind.SIGNATURE_CHANGED or draft.detail is None or draft.detail == "template":
        return False
    if draft.detail in ("", "decorators"):
        return draft.detail != "" or (draft.new or "").startswith("*, ")
    return (draft.new or "").lstrip("*").startswith(f"{draft.detail}:")


def _fact(members: list[Shown]) -> Fact:
    """Speak for a group by its gravest member."""
    members = sorted(members, key=lambda one: _BY_SEVERITY[severity_of(one.draft)])
    draft = members[0].draft
    severity = severity_of(draft)
    if len(members) > 1 and draft.kind in _MEMBERS:
        draft = _several(members, draft.name.rpartition(".")[0], f"{len(members)} {draft.detail}s")
    elif len(members) > 1 and (_is_of_many(draft) or _is_one_change(members)):
        draft = draft._replace(name=_all_names(members))
    elif len(members) > 1 and (package := _removed_package(members)):
        draft = draft._replace(name=package, old=_all_names(members), new=None, detail=PACKAGE)
    elif draft.kind is FactKind.CONFIG_ADDED and not draft.detail and len({one.draft.name for one in members}) > 1:
        draft = _crowded(members)
    elif len(members) > 1 and (draft.kind in _TOGETHER or draft.detail in _SYSTEM):
        same = len({one.draft.detail for one in members}) == 1
        draft = _several(members, _all_names(members), draft.detail if same else None)
    elif draft.kind in _CROWDED and len({one.draft.name for one in members}) > 1:
        draft = _crowded(members)
    elif draft.kind in _ASKED and len({one.draft.detail for one in members}) > 1:
        # Of several sections or markers none speaks for the others.
        draft = draft._replace(detail=None)
    return Fact(
        kind=draft.kind,
        severity=severity,
        name=draft.name,
        old=draft.old,
        new=draft.new,
        detail=f"{draft.detail}, #ifdef {draft.condition}" if draft.condition else draft.detail,
        places=tuple(one.place for one in members if one.place is not None)[:_PLACES],
    )


def _removed_package(members: list[Shown]) -> str:
    """Name the folder of files that went, where the module that makes it a package is among them."""
    names = [one.draft.name for one in members if one.draft.kind is FactKind.FILE_REMOVED]
    return next((name.removesuffix(_MODULE) for name in names if name.endswith(_MODULE)), "")


def _is_one_change(members: list[Shown]) -> bool:
    """Tell whether all of a group became the same from the same."""
    one = members[0].draft
    alike = _is_alike(one) or one.kind is FactKind.BASE_CHANGED
    return alike and len({(other.draft.old, other.draft.new) for other in members}) == 1


def _crowded(members: list[Shown]) -> Draft:
    """Tell as one what is too much to be told one by one; their values would not fit."""
    draft, files = members[0].draft, {one.place.file for one in members if one.place is not None}
    count, what = len({one.draft.name for one in members}), _CROWDED[draft.kind]
    what = next((f"{form}s" for form in _FORMS if all(one.draft.detail == form for one in members)), what)
    where = f" of {files.pop()}" if len(files) == 1 else ""
    return draft._replace(name=_all_names(members, _CROWD), old=None, new=None, detail=f"{count} {what}{where}")


def _all_names(members: list[Shown], most: int = _NAMES) -> str:
    """Name everything that a group speaks of, the first by its whole name."""
    names = list(dict.fromkeys(one.draft.name for one in members))
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _several(members: list[Shown], name: str, detail: str | None) -> Draft:
    """Tell as one what came or went together: members of a class, checks of a function, keys of a section."""
    drafts = [one.draft for one in members]
    # Messages hold semicolons themselves, but are single lines.
    between = "\n" if drafts[0].kind in _IN_A_SCOPE and drafts[0].kind.startswith(("error-", "warning-")) else "; "
    old, new = (
        between.join(dict.fromkeys(value for draft in drafts if (value := getattr(draft, side)))) or None
        for side in ("old", "new")
    )
    if drafts[0].kind in _MEMBERS:
        old, new = (None if text is None else text.replace("; ", ", ") for text in (old, new))
    return drafts[0]._replace(name=name, old=old, new=new, detail=detail)


def _rank(fact: Fact) -> tuple[object, ...]:
    first, last = fact.kind in _FIRST, fact.kind in _LAST or is_attribute(fact)
    # What new things refuse comes behind the things.
    debut = fact.kind is FactKind.ERROR_ADDED and fact.severity is Severity.ADDITIVE
    behind = debut or fact.kind in _INSIDE
    return not first, _BY_SEVERITY[fact.severity], behind, last, -len(fact.places), fact.kind, fact.name
