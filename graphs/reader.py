"""Reads the facts of commits that a report of ours speaks of, each once however often the report is audited."""

from agent.audit.reckoning import Reckoning
from agent.domain import Change
from agent.evidence import EvidenceId
from agent.sources import CodeSource
from tools.diff.sheet import read_facts
from tools.diff.study import study


class Reader:
    """Remembers the facts of what it has read."""

    def __init__(self) -> None:
        self._read: dict[EvidenceId, Reckoning] = {}

    async def reckon(self, code: CodeSource, change: Change, *, whole: bool) -> Reckoning:
        """Read the facts of a change by its patch, and with `whole` also by the files around it."""
        name = change.commit.id
        if name not in self._read:
            studied = await study(code, change) if whole else None
            self._read[name] = Reckoning(change, read_facts(change, None), studied)
        return self._read[name]
