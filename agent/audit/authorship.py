"""Whether who a report names as the author of a change is the one."""

import re
from collections.abc import Sequence
from dataclasses import replace

from agent.audit.changes import Changes
from agent.audit.library import Library
from agent.audit.people import authors
from agent.audit.statement import RIGHT, UNVERIFIABLE, Finding, Statement, judged, told, wrong
from agent.audit.vocabulary import plain
from agent.claims import Judgement, Verdict
from agent.domain import Person
from agent.dossier import Dossier
from agent.evidence import CommitEvidence, Evidence

_CUSTOM = 2
_COLUMN = 4
"""How many authors a column must have right for each co-author that it has in their place."""
_BOT = re.compile(r"\[bot\]|\bbot\b", re.IGNORECASE)
Found = Sequence[tuple[Statement, Finding]]


class Authorship:
    """Compares names of one report with those that git has."""

    def __init__(self, library: Library, changes: Changes, dossier: Dossier) -> None:
        self._library = library
        self._changes = changes
        self._dossier = dossier

    def lenient(self, statement: Statement, evidence: Evidence, judgement: Judgement) -> Finding:
        """Allow what git alone cannot refute: a login, a name with a comma, a co-author."""
        name = plain(statement.params["author"])
        known = authors(evidence, self._dossier)
        helped = () if "beside" in statement.params and _signs_off(evidence) else known.along
        if any(_is_named(name, plain(one)) for one in (*known.main, *helped)):
            return judged(statement, Judgement(verdict=Verdict.SUPPORTED), told(evidence))
        is_login = bool(re.fullmatch(r"@?[A-Za-z0-9][A-Za-z0-9-]*(?:\[bot\])?", name.strip("`* ")))
        pull_known = isinstance(evidence, CommitEvidence) and len(known.main) > 1
        if is_login and isinstance(evidence, CommitEvidence) and name.startswith("@") and not pull_known:
            why = f"git names {known.main[0] if known.main else 'nobody'} and no login"
            return statement.ruled(UNVERIFIABLE, why)
        stranger = plain(statement.params["author"]).casefold() not in self._library.people
        if stranger and "beside" in statement.params and " " not in name:
            why = f"git names {known.main[0] if known.main else 'nobody'}; whose login this is it does not say"
            return statement.ruled(UNVERIFIABLE, why)
        return judged(statement, judgement, "")

    def signed(self, found: Found) -> list[tuple[Statement, Finding]]:
        """Drop words that sign an entry and are no name; they are names where most of them turn out to be right."""
        signing = [finding for one, finding in found if "signed" in one.params and "known" not in one.params]
        right = sum(finding.verdict == RIGHT for finding in signing)
        decided = sum(finding.verdict != UNVERIFIABLE for finding in signing)
        named = right >= _CUSTOM and right * 2 > decided
        return [(one, finding) for one, finding in found if not one.params.get("signed") or self._is_name(one, named)]

    def _is_name(self, statement: Statement, named: bool) -> bool:
        """Tell whether words are somebody's name: who is known, or what stands where the other entries have names."""
        name = plain(statement.params["author"]).casefold()
        change = self._changes.of(statement.about, statement)
        known = name in self._library.people or (change is not None and _is_nearly(name, change.change.commit.author))
        return known or (named and "known" not in statement.params)

    def in_columns(self, found: Found) -> list[tuple[Statement, Finding]]:
        """Refute a co-author in a column that has the author of all other changes."""
        rows = [
            place for place, (one, finding) in enumerate(found) if "column" in one.params and finding.verdict == RIGHT
        ]
        helpers = {place: author for place in rows if (author := self._author_instead(found[place][0]))}
        if not helpers or len(rows) < (_COLUMN + 1) * len(helpers):
            return list(found)
        refuted = wrong(Verdict.METADATA.value)
        why = "the author is {0}; who is named here is a co-author"
        return [
            (
                one,
                replace(finding, verdict=refuted, evidence=why.format(helpers[place])) if place in helpers else finding,
            )
            for place, (one, finding) in enumerate(found)
        ]

    def _author_instead(self, statement: Statement) -> str:
        """Give the author of a change of which a co-author alone is named."""
        change = self._changes.of(statement.about, statement)
        if change is None:
            return ""
        name, known = plain(statement.params["author"]), authors(change, self._dossier)
        among = any(_is_named(_key(part), plain(one)) for part in re.split(r"[,，、&/;；]", name) for one in known.main)
        author = change.change.commit.author.name
        return "" if among or any(_is_named(name, plain(one)) for one in known.main) or _BOT.search(author) else author


def _signs_off(evidence: Evidence) -> bool:
    """Tell whether the author put his own name to a message: then who is a co-author there is somebody else."""
    if not isinstance(evidence, CommitEvidence):
        return False
    author = evidence.change.commit.author
    signed = {" ".join(line.split()) for line in evidence.change.commit.message.split("\n")}
    return f"Signed-off-by: {author.name} <{author.email}>" in signed


def _is_nearly(name: str, author: Person) -> bool:
    """Tell whether a name is the author's but for one of its words: then nobody else can be meant."""
    said, real = set(_key(name).split()), set(_key(author.name).split())
    return len(said) > 1 and len(said) == len(real) and len(said - real) == 1


def _key(name: str) -> str:
    return " ".join(name.strip("`*_ @.").casefold().split())


def _is_named(stated: str, real: str) -> bool:
    """Compare names; behind a comma something else may follow, unless the comma is part of the name."""
    if _key(stated) == _key(real) or _key(stated).startswith(f"{_key(real)},"):
        return True
    # "Brian" and "Brian Ryu" are both Brian K. Ryu.
    said, whole = _key(stated).split(), iter(_key(real).split())
    return len(said) > 0 and all(word in whole for word in said)
