"""Whether code that a report shows is code of the change."""

import re
from collections.abc import Sequence
from dataclasses import replace

from agent.audit.changes import Changes
from agent.audit.code import ANNOTATION
from agent.audit.library import Library
from agent.audit.statement import RIGHT, UNVERIFIABLE, Finding, Statement, shortened, told, wrong
from agent.audit.values import judge
from agent.audit.vocabulary import plain
from agent.claims import Claim, Quote, Role
from agent.dossier import Dossier
from agent.evidence import CommitEvidence, Evidence
from agent.gate.verbatim import normal
from agent.settings import Language

_MOST = 12
"""How many diffs a block of code is looked for in."""


class Excerpts:
    """Looks for the lines of code blocks in diffs."""

    def __init__(self, library: Library, changes: Changes, dossier: Dossier, lang: Language) -> None:
        self._library = library
        self._changes = changes
        self._dossier = dossier
        self._lang = lang
        self._normal: dict[str, str] = {}

    def finding(self, statement: Statement) -> Finding:
        """Look for each line of a block in the diffs that it may be of; the best of them counts."""
        shown = [one for mention in (statement.about, *statement.also) if (one := self._changes.of(mention, statement))]
        count = len(statement.lines)
        if not shown:
            verdict, why = self._shown_of_none(statement)
            return statement.ruled(verdict, why)
        missing = {one.id: [line for line in statement.lines if not self._quoted(line, one)] for one in shown[:_MOST]}
        evidence = min(shown[:_MOST], key=lambda one: len(missing[one.id]))
        lacking = missing[evidence.id]
        if any(not ANNOTATION.match(line) for line in statement.lines):
            # A comment may be the report's own.
            lacking = [line for line in lacking if not ANNOTATION.match(line)]
        verdict, why = RIGHT, f"all {count} lines are in {evidence.id}"
        if lacking and "at" in statement.params:
            # The line that is wrong is what must be corrected.
            place = int(statement.params["at"].split()[statement.lines.index(lacking[0])])
            statement = replace(statement, line=place)
        if len(lacking) == count:
            verdict, why = wrong("quote"), f"none of its {count} lines is in {told(evidence)}"
            if statement.about is not None and self._changes.of(statement.about, statement) is None:
                verdict, why = UNVERIFIABLE, "the diff of what it stands below was not read"
        if lacking and not statement.strict:
            verdict, why = UNVERIFIABLE, f"not word by word in {evidence.id}"
        elif lacking and len(lacking) < count:
            why = f"{len(lacking)} of {count} lines are not in {evidence.id}: {shortened(lacking[0], 60)}"
            verdict = wrong("quote")
        return statement.ruled(verdict, why)

    def _shown_of_none(self, statement: Statement) -> tuple[str, str]:
        """Judge code that stands below no change: where no diff of the report has a line of it, it was made up."""
        if statement.about is not None:
            return UNVERIFIABLE, "the diff of what it stands below was not read"
        where = [one for one in self._library.found.values() if isinstance(one, CommitEvidence)]
        own = [one for one in where if statement.repo is None or one.change.commit.repo == statement.repo]
        if not own or any(one.change.unreadable or one.change.incomplete for one in own):
            return UNVERIFIABLE, "nothing says which commit this is from"
        texts = self._diffs(own)
        forms = [normal(re.sub(r"^[+-]\s*", "", line)) for line in statement.lines]
        if any(form in text for form in forms for text in texts):
            return UNVERIFIABLE, "nothing says which commit this is from"
        return wrong("quote"), f"none of its {len(forms)} lines is in any of the {len(own)} commits that are cited"

    def _diffs(self, commits: Sequence[CommitEvidence]) -> list[str]:
        """Normalise each diff once."""
        for one in commits:
            if one.id not in self._normal:
                bare = "\n".join(line[1:] for text in one.texts for line in text.split("\n"))
                self._normal[one.id] = normal(bare)
        return [self._normal[one.id] for one in commits]

    def _quoted(self, line: str, evidence: Evidence) -> bool:
        forms = {line, re.sub(r"^[+-]\s*", "", line), plain(line), plain(re.sub(r"^[+-]\s*", "", line)).rstrip(";,")}
        for form in forms:
            quote = Quote(cite=evidence.id, text=form)
            claim = Claim(
                id="audit", repo=None, role=Role.CHANGE, predicate="shows", cites=(evidence.id,), quotes=(quote,)
            )
            if form.strip() and judge(claim, self._dossier, self._lang).passed:
                return True
        return False
