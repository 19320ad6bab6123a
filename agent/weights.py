"""What each reason to care about a commit is worth; docs/triage.md has the same table in words."""

import re
from collections.abc import Iterator, Sequence

from agent.areas import Area, area
from agent.conventions import CHORES, Heading, Purpose, read_heading
from agent.facts import Fact, FactKind, Severity

POINTS = {
    "security": 6.0,
    "revert": 5.5,
    "breaks what users set": 5.0,
    "marked breaking": 5.0,
    "new version": 4.5,
    "grave fix": 4.5,
    "breaks exported names": 4.0,
    "moves exported names": 4.0,
    "deprecation": 3.0,
    "fix": 3.0,
    "release": 2.5,
    "performance": 2.5,
    "feature": 2.5,
    "changes defaults": 2.5,
    "changes what users call": 2.5,
    "new for users": 2.5,
    "speaks of defaults": 2.5,
    "deprecates": 2.5,
    "undoes a change": 2.5,
    "removes": 2.0,
    "lands again": 2.0,
    "says it adds": 1.8,
    "breaks names": 1.5,
    "changes values": 1.5,
    "new names": 1.2,
    "dependencies": 1.0,
    "dependency": 0.5,
    "moves names": 0.7,
    "refactor": 0.3,
}
URGENT = frozenset(
    {
        "security",
        "revert",
        "breaks what users set",
        "marked breaking",
        "new version",
        "release",
        "grave fix",
        "breaks exported names",
        "undoes a change",
    }
)
"""Only with one of these can a commit be of the top tier, however much else it does."""

_SET_BY_USERS = ("flag-", "env-", "config-key-", "route-", "limit-")
_CALLED = ("parameter-", "field-", "signature-", "enum-member-", "base-", "registration-")
_FIELDS_GONE = {FactKind.FIELD_REMOVED, FactKind.FIELD_RENAMED}
_VALUES = {FactKind.PARAMETER_DEFAULT, FactKind.CONSTANT_CHANGED}
_NEW_FOR_USERS = (FactKind.REGISTERED, FactKind.FLAG_ADDED, FactKind.ENV_ADDED, FactKind.ROUTE_ADDED)
_NEW_ROLES = ("model", "kernel", "operator")
_DEPENDENCIES = {FactKind.DEPENDENCY_CHANGED, FactKind.DEPENDENCY_ADDED, FactKind.DEPENDENCY_REMOVED}
# Trouble that users would have met, in the words of those who mended it.
_GRAVE = re.compile(
    r"\b(?:crash\w*|segfault\w*|hang(?:s|ing)?|stuck|dead ?lock\w*|panic\w*|corrupt\w*|nans?|inf(?:inite)? loop|race"
    r"|oom|out of memory|leak(?:s|ed|ing|age)?|regression\w*|wrong \w+|incorrect\w*|garbage|garbled|data loss"
    r"|(?:under|over)(?:flow|run)s?|illegal memory|uninitiali[sz]ed|accuracy|numeric(?:s|al\w*)|use[- ]after[- ]\w+"
    r"|aborts?|out[- ]of[- ](?:bounds|range)|dangling|swapped|miscompil\w*)\b"
    r"|崩溃|死锁|卡死|永远无法|死循环|泄漏|精度|溢出|下溢|非法访存|结果错误|乱码|半个汉字",
    re.IGNORECASE,
)
_DEFAULT = re.compile(r"\bby default\b|\bdefaults? (?:to|of|for|value)\b|\bdefault \S+ (?:of|to)\b|默认", re.IGNORECASE)
_UNUSED = re.compile(
    r"\b(?:unused|dead code|redundant|unnecessary|stale|obsolete|duplicate)\b|不再使用|无用|冗余", re.IGNORECASE
)
# What nobody meets who uses the project.
_UNSEEN = re.compile(
    r"\b(?:compil\w*|build|linter|clang|gcc|msvc)\b.{0,24}\bwarnings?\b|\bwarnings?\b.{0,24}\b(?:compil\w*|build)"
    r"|\btypos?\b|\blint(?:er|ing)?\b|编译警告|错别字",
    re.IGNORECASE,
)
# A version that is named without a package is the project's own.
_OWN_VERSION = re.compile(
    r"^(?:[\w./-]+ ?: *|\[[^\]]*\] *)*(?:bump|update|set|increase) (?:the )?version (?:number )?(?:to|from)\b",
    re.IGNORECASE,
)
_CONFIGURATION = re.compile(r"(?:Config|Configuration|Args|Arguments|Options|Settings|Params)$")
# What people write against: commands, configuration, the protocol of a server, headers.
_SURFACE = re.compile(
    r"(?:^|/)(?:entrypoints?|include|api|cli|openai|config|configs|protocols?)/|(?:^|/)__init__\.py$"
    r"|(?:^|/)(?:envs?|environ|api|cli|config|protocol|server_args|engine_args|arg_utils|sampling_params|args)\.\w+$",
    re.IGNORECASE,
)
_TOP_OF_PACKAGE = re.compile(r"(?:python/|src/)?(?!csrc/)[^/]+(?:/[^/]+)?|.*/src/[^/]+\.rs")


def reasons_in_words(heading: Heading, labels: Sequence[str], titles: Sequence[str]) -> Iterator[str]:
    """Name what the author and the maintainers say, in the commit's title and those of the issues that it fixes."""
    said, title = {*heading.purposes, *label_purposes(labels)}, titles[0]
    if len(titles) > 1 and not said - CHORES:
        said.add(Purpose.FIX)
    grave = any(map(_GRAVE.search, titles))
    for purpose in said - {Purpose.FIX, Purpose.FEATURE}:
        if purpose.value in POINTS:
            yield purpose.value
    if Purpose.FIX in said and (grave or not _UNSEEN.search(title)):
        yield "grave fix" if grave else "fix"
    if Purpose.FEATURE in said:
        # Every second subject begins with "Add", whatever it adds.
        yield (
            "says it adds"
            if Purpose.FEATURE in heading.purposes and not _declares_feature(heading, labels)
            else "feature"
        )
    if _OWN_VERSION.search(title):
        yield "release"
    if heading.breaking or any(read_heading(f"[{label}] x").breaking for label in labels):
        yield "marked breaking"
    if heading.removes and not _UNUSED.search(title):
        yield "removes"
    if _DEFAULT.search(title):
        yield "speaks of defaults"


def label_purposes(labels: Sequence[str]) -> list[Purpose]:
    """Read the labels of the pull request like tags; those for chores are put on by machines, by the paths touched."""
    found = [purpose for label in labels for purpose in read_heading(f"[{label}] x").declared]
    return [purpose for purpose in found if purpose not in CHORES]


def _declares_feature(heading: Heading, labels: Sequence[str]) -> bool:
    return Purpose.FEATURE in heading.declared or Purpose.FEATURE in label_purposes(labels)


def reasons_in_facts(facts: Sequence[Fact], *, refactored: bool) -> Iterator[str]:
    """Name what the diff does, each sort once: ten renamed parameters are no ten times as urgent as one."""
    breaking = [fact for fact in facts if fact.severity is Severity.BREAKING]
    if any(fact.kind.startswith(_SET_BY_USERS) or _configures(fact) for fact in breaking):
        yield "breaks what users set"
    elif any(_exported(fact) for fact in breaking):
        # A refactoring says itself that nobody outside should notice.
        yield "moves exported names" if refactored else "breaks exported names"
    elif breaking:
        yield "moves names" if refactored else "breaks names"
    yield from _in_behaviour([fact for fact in facts if fact.severity is Severity.BEHAVIOUR])
    kinds = {fact.kind for fact in facts}
    if FactKind.REVERT in kinds:
        yield "undoes a change"
    if FactKind.RELAND in kinds:
        yield "lands again"
    additive = [fact for fact in facts if fact.severity is Severity.ADDITIVE]
    if not refactored and any(fact.kind in _NEW_FOR_USERS or fact.detail in _NEW_ROLES for fact in additive):
        yield "new for users"
    elif additive:
        yield "new names"


def _in_behaviour(facts: Sequence[Fact]) -> Iterator[str]:
    kinds = {fact.kind for fact in facts}
    if any(kind.startswith(_SET_BY_USERS) for kind in kinds):
        yield "changes defaults"
    elif any(fact.kind.startswith(_CALLED) and _on_surface(fact) for fact in facts):
        yield "changes what users call"
    elif kinds & _VALUES:
        yield "changes values"
    if FactKind.DEPRECATED in kinds:
        yield "deprecates"
    if FactKind.VERSION_CHANGED in kinds:
        yield "new version"
    if kinds & _DEPENDENCIES:
        yield "dependencies"


def _exported(fact: Fact) -> bool:
    """Tell what users import, include or choose by name from what lies deep inside."""
    if fact.kind is FactKind.UNREGISTERED:
        return True
    places = [place.file for place in fact.places if area(place.file) is Area.PRODUCT]
    return any(_SURFACE.search(file) or _TOP_OF_PACKAGE.fullmatch(file) for file in places)


def _configures(fact: Fact) -> bool:
    """Tell the fields of a public configuration: users set them like options."""
    owner = fact.name if (fact.detail or "")[:1].isdigit() else fact.name.rpartition(".")[0]
    return fact.kind in _FIELDS_GONE and _CONFIGURATION.search(owner) is not None and _on_surface(fact)


def _on_surface(fact: Fact) -> bool:
    return any(_SURFACE.search(place.file) for place in fact.places)
