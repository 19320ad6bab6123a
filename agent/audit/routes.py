"""What is taken under a condition such as "SM >= 100", and what a change takes under the same one."""

import re
from collections.abc import Iterator, Sequence

from agent.evidence import CommitEvidence

_BOUND = re.compile(
    r"(?<![\w.])(?P<left>[A-Za-z_][\w.]{0,30})`?\s*(?P<sign>>=|<=|==|≥|≤|>|<)\s*`?(?P<value>\d[\d.]*\d|\d)"
)
_SIGNS = {"≥": ">=", "≤": "<="}
_CLAUSE = re.compile(r"[,，;；]\s*|\s(?:while|whereas|and|or|otherwise)\s|而|否则")
# Written as names are: with a capital inside or in front, or as code.
_NAME = re.compile(r"`([A-Za-z_]\w{2,40})`|(?<![\w.])([A-Za-z]*[A-Z][A-Za-z0-9]{2,30})(?![\w.]*\w)")
Bound = tuple[str, str, str]


def routed_otherwise(text: str, commits: Sequence[CommitEvidence]) -> str:
    """Say what the change takes under a condition, where the sentence has it under another one."""
    lines = [
        line
        for one in commits
        for shown in one.texts
        for line in shown.split("\n")
        if line[:1] != "-" or line[1:2] == " "
    ]
    for bound, here, others in _stated(text):
        meant = [line for line in lines if bound in _bounds(line)]
        for name in here:
            for other in others:
                instead = [line for line in meant if _has(line, other) and not _has(line, name)]
                if instead and not any(_has(line, name) and not _has(line, other) for line in meant):
                    return (
                        f"under {' '.join(bound)} the change has {other}, not {name}: “{instead[0].strip('+- ')[:120]}”"
                    )
    return ""


def _stated(text: str) -> Iterator[tuple[Bound, list[str], list[str]]]:
    """Give each condition with the names of its clause and those that only other clauses have."""
    clauses = _CLAUSE.split(text)
    for clause in clauses:
        found = _BOUND.search(clause)
        if found is None:
            continue
        here = _names(clause[found.end() :])
        others = [name for one in clauses if one is not clause for name in _names(_BOUND.sub("", one))]
        both = {name.lower() for name in here} & {name.lower() for name in others}
        kept = [[name for name in names if name.lower() not in both] for names in (here, others)]
        yield _bound(found), kept[0], kept[1]


def _names(text: str) -> list[str]:
    return [found[1] or found[2] for found in _NAME.finditer(text)]


def _bounds(line: str) -> set[Bound]:
    return {_bound(found) for found in _BOUND.finditer(line)}


def _bound(found: re.Match[str]) -> Bound:
    return found["left"].lower(), _SIGNS.get(found["sign"], found["sign"]), found["value"]


def _has(line: str, name: str) -> bool:
    return name.lower() in line.lower()
