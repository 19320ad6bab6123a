"""What stands in a function or class that has another name now, or speaks of a parameter that has: it went along."""

import re
from collections.abc import Iterator, Mapping, Sequence, Set

from agent.facts import FactKind
from tools.diff.draft import Draft
from tools.diff.exchanged import stretches
from tools.diff.hunks import Patch
from tools.diff.readers.definitions import DEFINE
from tools.diff.reading import Site

_WITHIN = ("error", "limit", "warning")
"""Sites that are told by the function they stand in."""
_TOKEN = re.compile(r"\w+|[^\w\s]")
_VARIABLE = re.compile(r"[a-z_]\w*$")
_WORD = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_SENTENCE = re.compile(r"[A-Za-z]{2,} [a-z]{2,}")


def went_along(old: Sequence[Site], new: Sequence[Site], symbols: Sequence[Draft], patch: Patch) -> Sequence[Site]:
    """Put the sites of the old version into the functions that these have become, with what their parameters are now.

    A check is written with the new names, of parameters and of variables, only where the new version makes it so: any
    other is quoted as it stood.
    """
    renamed = renamed_symbols(symbols)
    if renamed:
        old = [
            site._replace(scope=renamed_scope(site.scope, renamed)) if site.scope and _is_within(site) else site
            for site in old
        ]
    old = _with_renamed_variables(old, new, patch)
    parameters = _renamed_parameters(symbols)
    if not parameters:
        return old
    made = {_check(site) for site in new if site.scope in parameters}
    return [_in_new_words(site, parameters, made) if site.scope in parameters else site for site in old]


def _is_within(site: Site) -> bool:
    return site.kind in _WITHIN or site.name.startswith(DEFINE)


def renamed_symbols(symbols: Sequence[Draft]) -> dict[str, str]:
    """Give the new names of what was renamed, by the old ones."""
    return {
        f"{draft.name.removesuffix(draft.new)}{draft.old}": draft.name
        for draft in symbols
        if draft.kind is FactKind.SYMBOL_RENAMED and draft.old and draft.new and draft.name.endswith(draft.new)
    }


def renamed_scope(scope: str, renamed: Mapping[str, str]) -> str:
    """Write where a thing stood with the new names."""
    parts = scope.split(".")
    for size in range(len(parts), 0, -1):
        if new := renamed.get(".".join(parts[:size])):
            return ".".join((new, *parts[size:]))
    return scope


def _renamed_parameters(symbols: Sequence[Draft]) -> dict[str, dict[str, str]]:
    """Give for each function the new names of its parameters, by the old ones."""
    found: dict[str, dict[str, str]] = {}
    for draft in symbols:
        if draft.kind is FactKind.PARAMETER_RENAMED and draft.old and draft.new:
            found.setdefault(draft.name, {})[draft.old] = draft.new
    return found


def _in_new_words(site: Site, parameters: Mapping[str, Mapping[str, str]], made: Set[tuple[str, ...]]) -> Site:
    words = parameters[site.scope]
    if site.kind == "limit":
        return site._replace(name=_spoken(site.name, words))
    return _in_words(site, words, made) if _is_wordless(site) else site


def _is_wordless(site: Site) -> bool:
    """Tell whether an error says nothing but what it checks; what it says to its users, it says in other words now."""
    return site.kind == "error" and _SENTENCE.search(site.value or "") is None


def _in_words(site: Site, words: Mapping[str, str], made: Set[tuple[str, ...]]) -> Site:
    now = site._replace(value=_spoken(site.value or "", words) or None, guard=_spoken(site.guard, words))
    return now if _check(now) in made else site


def _with_renamed_variables(old: Sequence[Site], new: Sequence[Site], patch: Patch) -> Sequence[Site]:
    """Write checks as they are made now of variables that are only called otherwise where they are set."""
    made = {_check(site) for site in new if _is_wordless(site)}
    gone = {id(site) for site in old if made and _is_wordless(site) and _check(site) not in made}
    variables = dict(_renamed_variables(patch)) if gone else {}
    return [_in_words(site, variables, made) if id(site) in gone else site for site in old] if variables else old


def _renamed_variables(patch: Patch) -> Iterator[tuple[str, str]]:
    """Give the variables that a line sets under another name, and is the same line otherwise."""
    for stretch in (stretch for hunk in patch.hunks for stretch in stretches(hunk)):
        if len(stretch.gone) != len(stretch.come):
            continue
        for one, other in zip(stretch.gone, stretch.come, strict=True):
            mine, its = _TOKEN.findall(one.text), _TOKEN.findall(other.text)
            exchanged = {pair for pair in zip(mine, its, strict=False) if pair[0] != pair[1]}
            if len(mine) == len(its) and len(exchanged) == 1:
                ((name, now),) = exchanged
                if _VARIABLE.match(name) and _VARIABLE.match(now) and _is_set(name, one.text):
                    yield name, now


def _is_set(name: str, line: str) -> bool:
    """Tell whether a line gives a value to a variable, by itself or among others: `auto [rows, cols] = …`."""
    return re.search(rf"\b{re.escape(name)}\b[^=()]*=(?!=)", line) is not None


def _check(site: Site) -> tuple[str, ...]:
    return site.kind, site.name, site.value or "", site.guard, site.scope


def _spoken(text: str, words: Mapping[str, str]) -> str:
    return _WORD.sub(lambda word: words.get(word[0], word[0]), text)
