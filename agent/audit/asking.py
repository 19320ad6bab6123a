"""One small claim at a time, put before the gate."""

from dataclasses import replace

from agent.audit.library import Library
from agent.audit.page import Page
from agent.audit.statement import Statement
from agent.audit.values import judge
from agent.claims import Claim, Judgement, Role
from agent.dossier import Dossier
from agent.evidence import Evidence


class Asking:
    """Asks the gate about the statements of one report."""

    def __init__(self, page: Page, library: Library, dossier: Dossier) -> None:
        self._page = page
        self._library = library
        self._dossier = dossier

    def ask(self, statement: Statement, evidence: Evidence, **params: str) -> Judgement:
        """Put one small claim before the gate."""
        cites = [evidence.id]
        for mention in statement.also:
            other = self._library.answer(
                mention, self._page.names.known(mention.repo) if mention.repo else statement.repo, self._page.names.all
            )
            cites += [other.id] if other.found and other.id not in cites else []
        window = self._library.window if statement.predicate == "new" else None
        predicate = "exists" if statement.predicate == "new" else statement.predicate
        dossier = self._dossier if window is None else replace(self._dossier, window=window)
        given = dict(statement.params) | params
        if predicate == "dated":
            given.setdefault("tz", self._library.tz)
        repo = statement.repo if statement.predicate == "exists" else None
        claim = Claim(
            id="audit",
            repo=repo,
            role=Role.CHANGE,
            about=(evidence.id,),
            predicate=predicate,
            params=given,
            cites=tuple(cites),
        )
        return judge(claim, dossier, self._page.lang)
