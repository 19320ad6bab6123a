"""What must be looked up in one repository to judge a report."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from agent.audit.page import Page
from agent.audit.statement import Statement
from agent.ids import RepoId
from agent.window import Window

RECKONED = ("tells", "undoes", "relands", "undone", "purposed", "types", "excerpt")
"""Statements that are compared with what our rules say."""
SIZED = ("sums", "largest", "only one", "compares")
"""Statements that compare all that landed by its lines."""
_SEVERAL = 500
_ABBREVIATED = 16
_CODE = re.compile(r"`([^`]+)`")


@dataclass(frozen=True)
class Wanted:
    """Hashes, numbers and days."""

    own: tuple[str, ...]
    """Digits of commits that the report files under this repository, or under none."""
    others: tuple[str, ...]
    """Digits of commits that it files elsewhere: they may belong here."""
    threads: tuple[int, ...]
    pulls: tuple[int, ...]
    """Numbers that a commit's subject may name."""
    beside: tuple[int, ...]
    """Numbers that stand beside a commit, of this repository if the commit is."""
    issues: frozenset[int]
    """Numbers whose state matters."""
    releases: bool
    members: bool
    """Whether it says how many commits a merge brought in."""
    window: Window | None
    sizes: bool = False
    """Whether it compares or sums up what landed by its lines."""
    told: frozenset[str] = frozenset()
    """Digits of commits of which our rules say something: their facts are read again."""
    names: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The code that sentences about a change quote, by its digits or `#` and the number of its pull request."""


def wanted(page: Page, statements: Sequence[Statement], repo: RepoId) -> Wanted:
    """Collect what one repository is asked for."""
    own: dict[str, None] = {}
    others: dict[str, None] = {}
    threads: dict[int, None] = {}
    pulls: dict[int, None] = {}
    beside: dict[int, None] = {}
    issues: set[int] = set()
    told: set[str] = set()
    releases = False
    for statement in statements:
        for mention in (statement.about, *statement.also):
            if mention is None or (mention.damaged and (mention.kind == "thread" or len(mention.sha) > _ABBREVIATED)):
                continue
            where = page.names.known(mention.repo) if mention.repo else statement.repo
            if mention.kind == "commit" and statement.predicate in RECKONED and where == repo:
                told.add(mention.sha)
            if mention.kind == "commit":
                (own if where in (repo, None) else others)[mention.sha] = None
            elif mention.kind == "thread" and where is None and statement.also:
                # Which repository is meant shows by the commit beside it.
                beside[mention.number] = None
            elif mention.kind == "thread" and where == repo:
                threads[mention.number] = None
                if mention.told != "issue":
                    pulls[mention.number] = None
                if statement.predicate in ("fixes", "state", "speaks") or mention.told == "issue":
                    issues.add(mention.number)
            elif mention.kind == "release" and where == repo:
                releases = True
    others = {digits: None for digits in others if digits not in own}
    window = page.days.window("UTC")
    numbers = tuple(threads)[:_SEVERAL]
    members = any(statement.predicate in ("brought", "summed") and statement.repo == repo for statement in statements)
    return Wanted(
        own=tuple(own),
        others=tuple(others),
        threads=numbers,
        pulls=tuple(pulls),
        beside=tuple(beside),
        issues=frozenset(issues),
        releases=releases,
        members=members,
        window=window,
        sizes=any(one.predicate in SIZED and repo in one.params["repos"].split() for one in statements),
        told=frozenset(told),
        names=_names(statements),
    )


def _names(statements: Sequence[Statement]) -> dict[str, frozenset[str]]:
    """Collect the code that sentences quote of each change."""
    found: dict[str, set[str]] = {}
    for statement in statements:
        quoted = _CODE.findall(statement.params["text"]) if statement.predicate == "says" else []
        for mention in (statement.about, *statement.also) if quoted else ():
            if mention is not None:
                found.setdefault(mention.sha or f"#{mention.number}", set()).update(quoted)
    return {key: frozenset(names) for key, names in found.items()}
