"""The change that a statement of a report speaks of, with its diff."""

from agent.audit.library import Library
from agent.audit.mentions import Mention
from agent.audit.page import Page
from agent.audit.statement import Statement
from agent.evidence import CommitEvidence


class Changes:
    """The changes that were read for one report."""

    def __init__(self, page: Page, library: Library) -> None:
        self._page = page
        self._library = library

    def of(self, mention: Mention | None, statement: Statement) -> CommitEvidence | None:
        """Find the commit behind a mention; None where it was not read."""
        if mention is None:
            return None
        repo = self._page.names.known(mention.repo) if mention.repo else statement.repo
        answer = self._library.change_of(mention, repo, self._page.names.all)
        evidence = self._library.found.get(answer.id)
        return evidence if isinstance(evidence, CommitEvidence) else None
