"""Which flag, variable, error or entry of a table took the place of another one, and by what each is known again."""

import re
from collections.abc import Callable, Iterator, Mapping

from agent.facts import METRICS
from tools.diff.homes import plain_words
from tools.diff.likeness import MOST_PAIRS, likeness
from tools.diff.readers import document
from tools.diff.reading import Site

Key = tuple[str, ...]
ASSERTED = "AssertionError"
RENAMED = ("flag", "env", "error", "registration")
_SETTINGS = ("flag", "env")
_IN_PLACE = 2
"""What `Patch.together` says of a line that stands where another one stood."""
ALIKE = 0.55
TELLING = 10
"""Letters that hardly two names or messages have in common by chance."""
_WORDED_ALIKE = 0.75
"""Of an error that is of another class as well."""
_SAME_CHECK = 0.99
_DIGITS = re.compile(r"\d+")
_THING = re.compile(r"[A-Za-z_]\w*")
_NAMES = re.compile(r"(?!(?:not|and|or|in|is|None|True|False)\b)[A-Za-z_]\w*(?:\(\)|\.\w+)*")
_EVERYBODYS = frozenset(("len", "isinstance", "all", "any", "self", "torch", "int", "type", "min", "max", "abs"))
_ONE_NAME = 0.85
"""Of two spellings of the same variable."""
_ANY = 0.001
_CUT, _KEPT = 300, 150
"""Letters after which readers cut a message, and those that are compared then."""
_SENTENCES = re.compile(r"[A-Za-z]{2,} [a-z]{2,}")
_ARGUMENT = re.compile(r"(?:\d+, ?)?([A-Za-z_]\w*)(?=[,.(\[]| [=<>!]=?|$)")
_HELD = re.compile(r"\.value\(\)|->")
"""How code gets at what an optional or a pointer holds."""
_HOLDER = re.compile(r"&?(?<![\w.>])[a-z_]\w*(?:\.|->)(?=[a-z_]\w{7,}(?![\w(]))")
"""What a variable with a telling name is in."""
_COMPARING = re.compile(r"([A-Z][A-Z_]*)_(EQ|NE|GE|GT|LE|LT)")
_SIGN = {"EQ": "==", "NE": "!=", "GE": ">=", "GT": ">", "LE": "<=", "LT": "<"}
_SPACES = re.compile(r"(?:\b\w+::)+")
_SIGNS = re.compile(r"\W+")
_LETTERS = re.compile(r"[\W_]+")
_SIMILAR, _RELATED = 0.6, 0.4
"""Of the names of two flags or variables in one hunk, and of those that have the same telling default besides."""
_SENTENCE, _EXPLAINED = 4, 0.8
"""Words in the shorter help of two flags, and the share of them that the longer one has too."""
_USUAL = ("", "None", "False", "True", "0", "1", "-1")
"""Defaults that two flags or variables have in common by chance."""


def rebased(before: Mapping[Key, list[Site]], after: Mapping[Key, list[Site]]) -> list[tuple[Site, Site]]:
    """Pair the images from which a stage of that name was and is built, where it is another image now."""
    sides = [
        {site.scope: site for key, sites in side.items() if key[0] == "image" for site in sites if site.scope}
        for side in (before, after)
    ]
    pairs = [(sides[0][stage], sides[1][stage]) for stage in sides[0] if stage in sides[1]]
    return [(one, other) for one, other in pairs if one.name != other.name]


def renames(gone: list[Site], come: list[Site], together: Callable[[int, int], int]) -> Iterator[tuple[Site, Site]]:
    """Pair what went with what came in its place: a flag or variable under another name, an error in other words."""
    # Which line of a document stands for which is anybody's guess: its tables are sorted.
    went, free = (
        [site for site in sites if site.kind in RENAMED and site.scope != document.SCOPE] for sites in (gone, come)
    )
    few = len(went) * len(free) <= MOST_PAIRS
    left: list[Site] = []
    # Whatever stands in the very place of another is its heir before others are asked.
    for site in sorted(went, key=lambda one: not _placed(one, free, together)) if few else ():
        near = [
            (_heritage(site, other, placed=beside == _IN_PLACE), other)
            for other in free
            # An error may be raised anywhere in its function, and nowhere else.
            if other.kind == site.kind
            and (beside := other.scope == site.scope if site.kind == "error" else together(site.start, other.start))
        ]
        how_alike, best = max(near, key=lambda one: one[0], default=(0.0, site))
        if site.kind == "error" and how_alike == 0:
            other = _in_its_place(site, went, free, together) or _of_the_same(site, went, free, together)
            how_alike, best = (_ANY, other) if other is not None else (0.0, site)
        if how_alike == 0 and site.kind == "env" and (longer := _lengthened(site, free)) is not None:
            how_alike, best = _ANY, longer
        if how_alike > 0:
            free.remove(best)
            yield site, best
        elif site.kind == "error":
            left.append(site)
    yield from _in_the_very_place(left, free, together)


def _in_the_very_place(
    left: list[Site], free: list[Site], together: Callable[[int, int], int]
) -> Iterator[tuple[Site, Site]]:
    """Pair errors of one function and class, in other words, of which each is the only one where the other stood."""
    came = [other for other in free if other.kind == "error"]
    beside = [
        (one, other)
        for one in (left if came else ())
        for other in came
        if _place(one) == _place(other)
        and one.value
        and other.value
        and _IN_PLACE in (together(one.start, other.start), together(one.end, other.end))
    ]
    for one, other in beside:
        alone = sum(one is mine for mine, _ in beside) == sum(other is its for _, its in beside) == 1
        if alone and not (_subject(one) and _subject(other)) and not _is_of_another(one, other):
            yield one, other


def _placed(one: Site, come: list[Site], together: Callable[[int, int], int]) -> bool:
    settings = (other for other in come if other.kind == one.kind in _SETTINGS)
    return any(together(one.start, other.start) == _IN_PLACE for other in settings)


def _lengthened(one: Site, come: list[Site]) -> Site | None:
    """Find the only variable of the file that came with all of a name and a word more, or a word less."""
    rivals = [
        other
        for other in come
        if other.kind == "env" and (other.name.startswith(f"{one.name}_") or one.name.startswith(f"{other.name}_"))
    ]
    return rivals[0] if len(rivals) == 1 and min(len(one.name), len(rivals[0].name)) >= TELLING else None


def _in_its_place(one: Site, went: list[Site], come: list[Site], together: Callable[[int, int], int]) -> Site | None:
    """Find the only error of its class that came where the only one went: the check is another now, in other words."""
    mine, its = ([site for site in sites if _place(site) == _place(one)] for sites in (went, come))
    alone = len(mine) == len(its) == 1 and one.scope and one.value and its[0].value
    if alone and together(one.start, its[0].start) and not _is_of_another(one, its[0]):
        return its[0]
    # The only error of a function may be of another class now, where it still says much the same.
    mine, its = ([site for site in sites if _place(site)[::2] == _place(one)[::2]] for sites in (went, come))
    only = len(mine) == len(its) == 1 and bool(one.scope) and one.name != its[0].name
    near = only and together(one.start, its[0].start)
    return its[0] if near and likeness(one.value or "", its[0].value or "", ALIKE) >= ALIKE else None


def _of_the_same(one: Site, went: list[Site], come: list[Site], together: Callable[[int, int], int]) -> Site | None:
    """Find the only assertion of a function about a thing, where the only one about it went: it asks otherwise now."""
    if one.name != ASSERTED or not (thing := _asserted_of(one)):
        return None
    mine, its = (
        [site for site in sites if _place(site) == _place(one) and _asserted_of(site) == thing]
        for sites in (went, come)
    )
    if len(mine) != 1 or len(its) != 1:
        return None
    asked = [site.guard.split()[:2] for site in (one, its[0])]
    return its[0] if together(one.start, its[0].start) or asked[0] == asked[1] else None


def _asserted_of(site: Site) -> str:
    """Name the first thing of an assertion's condition that is not everybody's."""
    names = (name.partition(".")[0].removesuffix("()") for name in _NAMES.findall(site.guard))
    return next((name for name in names if name not in _EVERYBODYS), "")


def _place(site: Site) -> tuple[str, ...]:
    return site.kind, site.name, site.scope


def _heritage(one: Site, other: Site, *, placed: bool) -> float:
    """Say how alike two sites are of which one may stand for the other now; 0 where it does not."""
    if one.kind == "error":
        return _same_refusal(one, other)
    if one.kind == "registration" and one.scope == METRICS:
        # Metrics of one family are called much alike; what is said of one in words tells it from the others.
        same = (one.value, one.scope, one.about) == (other.value, other.scope, other.about)
        return max(likeness(one.name, other.name, 0.0), _ANY) if same and one.about else 0.0
    if one.kind == "registration":
        alike = likeness(one.name, other.name, _ONE_NAME)
        digits = [_DIGITS.findall(site.name) for site in (one, other)]
        same = (one.value, one.scope, digits[0]) == (other.value, other.scope, digits[1])
        return alike if same and alike >= _ONE_NAME else 0.0
    found = _same_setting(one, other, _RELATED if placed and one.kind == "env" else _SIMILAR)
    return found + 1 if placed and found else found


def _same_refusal(one: Site, other: Site) -> float:
    if one.scope != other.scope:
        return 0.0
    if one.value and _by_value(one.value) == _by_value(other.value or ""):
        return 1.0
    if (one.guard and one.guard == other.guard) or (one.name == other.name and begins_so(worded(one), worded(other))):
        return _SAME_CHECK
    mine, its = _subject(one), _subject(other)
    if mine and its:
        # What the arguments of a macro check is told by the first of them.
        same = mine == its or _goes_on(one.value or "", other.value or "")
        return max(likeness(one.value or "", other.value or "", 0.0), _ANY) if same else 0.0
    if _is_of_another(one, other):
        return 0.0
    if not one.value and not other.value and _are_of_nothing_shared(one.guard, other.guard):
        return 0.0
    least = ALIKE if one.name == other.name else _WORDED_ALIKE
    words = [site.value or (site.guard if site.name == ASSERTED else "") for site in (one, other)]
    found = likeness(words[0], words[1], least) if all(words) and bool(one.value) == bool(other.value) else 0.0
    return found if found >= least else 0.0


def _are_of_nothing_shared(one: str, other: str) -> bool:
    """Tell whether two conditions name no thing in common and are not the same but for the names."""
    mine, its = ({name.partition(".")[0] for name in _NAMES.findall(guard)} - _EVERYBODYS for guard in (one, other))
    return mine.isdisjoint(its) and _NAMES.sub("x", one) != _NAMES.sub("x", other)


def is_same_macro(one: str, other: str) -> bool:
    """Tell whether a macro has the name of another and a word before it: `TORCH_CHECK`, `STD_TORCH_CHECK`."""
    return one == other or (
        one.isupper() and other.isupper() and (f"_{one}".endswith(f"_{other}") or f"_{other}".endswith(f"_{one}"))
    )


def spelled_out(name: str, value: str) -> tuple[str, str]:
    """Write what a macro compares as its plain sister does: `CHECK_EQ(a, b)` as `CHECK(a == b)`, without namespaces."""
    macro = _COMPARING.fullmatch(name)
    sides = value.split(", ", 1)
    if macro and len(sides) == 2:
        name, value = macro[1], f" {_SIGN[macro[2]]} ".join(sides)
    return name, _SPACES.sub("", value)


def _by_value(text: str) -> str:
    """Write a check of what an optional or a pointer holds as one of the thing itself: it refuses the same."""
    if "->" not in text and ".value()" not in text:
        return text
    return _HELD.sub(lambda found: "." if found[0] == "->" else "", text)


def is_only_held(one: str, other: str) -> bool:
    """Tell whether a check is the same but for what a variable is in now, or was: `slots`, `&storage.slots`."""
    return one != other and (_HOLDER.sub("", one) == other or one == _HOLDER.sub("", other))


def _subject(site: Site) -> str:
    """Name what a check without words is about: the first thing in its arguments."""
    value = _by_value(site.value or "")
    found = None if not value or _SENTENCES.search(value) else _ARGUMENT.match(value)
    return found[1] if found else ""


def _goes_on(one: str, other: str) -> bool:
    """Tell whether a check asks for all that another asked for, by whatever names, and for more."""
    mine, its = (_LETTERS.sub("", text) for text in (one, other))
    return len(mine) >= TELLING and (its.startswith(mine) or mine.startswith(its))


def _same_setting(one: Site, other: Site, least: float) -> float:
    """Compare flags or variables: by name, with less likeness where the default speaks for it, or by their help."""
    same = (one.value, one.choices) == (other.value, other.choices) and (one.value or "").strip("\"'") not in _USUAL
    least = _RELATED if same else least
    mine, its = _told_apart(one.name, other.name)
    found = likeness(mine, its, least)
    if found >= least:
        return found
    about = sorted((set(_THING.findall((plain_words(site.about) or "").lower())) for site in (one, other)), key=len)
    explained = len(about[0]) >= _SENTENCE and len(about[0] & about[1]) >= _EXPLAINED * len(about[0])
    return _ANY if explained else 0.0


def _told_apart(one: str, other: str) -> tuple[str, str]:
    """Write two names without the word that all of a project's variables begin with."""
    names = [name.lower().replace("_", "-").lstrip("-") for name in (one, other)]
    firsts = {name.partition("-")[0] for name in names}
    common = one[:1] != "-" and len(firsts) == 1 and all("-" in name for name in names)
    mine, its = (name.partition("-")[2] for name in names) if common else names
    return mine, its


def _is_of_another(one: Site, other: Site) -> bool:
    """Tell whether two errors say the same of different things: `lens must be int32`, `starts must be int32`."""
    mine, its = ((site.value or "").split() for site in (one, other))
    exchanged = {pair for pair in zip(mine, its, strict=False) if pair[0] != pair[1]}
    if len(mine) != len(its) or len(exchanged) != 1:
        return False
    old, new = ((_THING.match(word) or [""])[0] for word in next(iter(exchanged)))
    # A constant or an argument of a template that is called otherwise is so all over the file.
    if min(len(old), len(new)) <= 2 or old in new or new in old or not (old + new).islower():
        return False
    # The name of a thing stands in what is checked of it; where that was not read, it looks like a name.
    guarded = one.guard and other.guard
    named = (old in one.guard and new in other.guard) if guarded else ("_" in old and "_" in new)
    return named and likeness(old.replace("_", ""), new.replace("_", ""), _ONE_NAME) < _ONE_NAME


def begins_so(one: tuple[str | None, ...], other: tuple[str | None, ...]) -> bool:
    """Tell whether an error that is raised now says all that another said, and more: a part of it was out of sight."""
    if one[0] != other[0]:
        return False
    mine, its = (_SIGNS.sub("", words[1] or "") for words in (one, other))
    return len(mine) >= TELLING and len(its) > len(mine) and its.startswith(mine)


def worded(site: Site) -> tuple[str | None, ...]:
    """Say by what a user knows an error again; one without words by what it checks."""
    words = plain_words(_by_value(site.value)) if site.value else None
    # How much of a long message was read depends on the names of what is put into it.
    cut = len(site.value or "") >= _CUT
    return site.name, words[:_KEPT] if words and cut else words, None if site.value else site.guard
