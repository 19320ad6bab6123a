"""What the memory itself answers during a run: it shapes the report, so it is on the tape as well."""

from collections.abc import Iterable

from pydantic import TypeAdapter

from agent.domain import Notice, Threads
from agent.ids import RepoId
from agent.ledger import Owner
from agent.window import Window
from memory.issues import OpenIssues
from memory.landings import Landings
from memory.shapes import Plain
from memory.tape import Call, Tape

_TIP: Plain[str | None] = Plain("tip", TypeAdapter(str | None))
_OWNERS = Plain("owners", TypeAdapter(dict[str, Owner]))
_NUMBERS = Plain("numbers", TypeAdapter(frozenset[int]))
_NOTICE: Plain[Notice | None] = Plain("notice", TypeAdapter(Notice | None))


class TapedLandings:
    """The ownership of landed commits as this run saw it; a replay changes nothing."""

    def __init__(self, tape: Tape, landings: Landings) -> None:
        self._tape = tape
        self._landings = landings

    def known_tip(self, repo: RepoId, window: Window) -> str | None:
        """Find the tip from which "late" is counted."""
        call = Call("memory.known_tip", repo, window.key)
        return self._tape.ask(call, _TIP, lambda: self._landings.known_tip(repo, window))

    def elsewhere(self, repo: RepoId, window: Window, shas: Iterable[str]) -> dict[str, Owner]:
        """Tell which of these commits other reports own."""
        asked = list(shas)
        call = Call("memory.elsewhere", repo, [window.key, *asked])
        return self._tape.ask(call, _OWNERS, lambda: self._landings.elsewhere(repo, window, asked))

    def remember(self, repo: RepoId, window: Window, *, tip: str, rows: Iterable[str], late: Iterable[str]) -> None:
        """Store what a published report covers."""
        if not self._tape.play_only:
            self._landings.remember(repo, window, tip=tip, rows=rows, late=late)


class TapedIssues:
    """The open issues as this run knew them; a replay changes nothing."""

    def __init__(self, tape: Tape, issues: OpenIssues) -> None:
        self._tape = tape
        self._issues = issues

    def known_open(self, repo: RepoId) -> frozenset[int]:
        """List the numbers of the issues that were open when last seen."""
        call = Call("memory.known_open", repo)
        return self._tape.ask(call, _NUMBERS, lambda: self._issues.known_open(repo))

    def cut_short(self, repo: RepoId) -> Notice | None:
        """Tell where the one listing of the open issues ended before its end."""
        return self._tape.ask(Call("memory.cut_short", repo), _NOTICE, lambda: self._issues.cut_short(repo))

    def remember(self, repo: RepoId, threads: Threads) -> None:
        """Store the state in which the issues are now."""
        if not self._tape.play_only:
            self._issues.remember(repo, threads)
