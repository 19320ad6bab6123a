"""What to look for in the past of a repository, given what landed today."""

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta

from agent.evidence import CommitEvidence
from agent.facts import FactKind
from agent.weaving.followups import follows
from agent.weaving.parts import PARTS, read_part
from agent.weaving.undoings import undoings

FAR = timedelta(days=400)
"""How far back parts of a series and earlier changes are looked for."""
_MOST_NAMES = 60
_NAME = re.compile(r"#([1-9]\d{0,8})$")


def pattern(today: Sequence[CommitEvidence], bodies: Mapping[str, tuple[int, str]]) -> str:
    """Write what titles must fit that belong to stories of today: reverts always, parts and names where needed."""
    numbers, titles = _named(today, bodies)
    pieces = ["revert|rollback|roll back"]
    if any(read_part(one.change.commit.title) for one in today):
        pieces.append(PARTS)
    if numbers:
        either = "|".join(sorted(map(str, numbers))[:_MOST_NAMES])
        pieces.append(rf"\(#({either})\)|^Merge pull request #({either}) ")
    pieces += sorted(map(literal, titles))[:_MOST_NAMES]
    return "|".join(pieces)


def literal(text: str) -> str:
    """Write a text as a pattern that fits it and that every dialect reads alike."""
    return re.sub(r"[^A-Za-z0-9 ]", ".", text[:60].strip())


def quoted_titles(titles: Collection[str]) -> str:
    """Write what titles must fit that these reverts quote, or of which they give the numbers."""
    numbers = {number for title in titles for number in re.findall(r"(?:#|\bPR\s{1,2})([1-9]\d{1,8})\b", title)}
    quoted = (re.search(r"[\"“](.{12,}?)[\"”…]?(?:\s*\(#\d+\))*\s*$", title) for title in titles)
    found = {literal(re.sub(r"\s*\(#\d+\)", "", match[1]).strip("\"“”' …")) for match in quoted if match}
    found |= {rf"\(#{number}\)" for number in numbers}
    return "|".join(sorted(found)[:_MOST_NAMES])


def _named(today: Sequence[CommitEvidence], bodies: Mapping[str, tuple[int, str]]) -> tuple[set[int], set[str]]:
    numbers: set[int] = set()
    titles: set[str] = set()
    for one in today:
        for fact in one.facts:
            if fact.kind in (FactKind.REVERT, FactKind.RELAND):
                if found := _NAME.search(fact.name):
                    numbers.add(int(found[1]))
                elif fact.name and not re.fullmatch("[0-9a-f]{7,40}", fact.name):
                    titles.add(fact.name)
        texts = [one.change.commit.message, bodies.get(one.change.commit.sha, (0, ""))[1]]
        numbers |= {name.number for text in texts for name in follows(text) if name.number}
        numbers |= {said.of.number for said in undoings(one.change.commit.message) if said.of.number}
    return numbers, {title for title in titles if len(title) >= 12}
