"""What the memory itself answers during a run: it shapes the report, so it is on the tape as well."""

from collections.abc import Iterable, Sequence

from pydantic import TypeAdapter

from agent.domain import Notice, Threads
from agent.evidence import EvidenceId
from agent.ids import RepoId
from agent.ledger import Owner
from agent.linking.known import Known
from agent.report import Report
from agent.sources import Past
from agent.weaving.weave import Remembered
from agent.window import Window
from memory.archive import Archive
from memory.issues import OpenIssues
from memory.landings import Landings
from memory.recall import Recall
from memory.shapes import KnownShape, Plain
from memory.tales import Tales
from memory.tape import Call, Tape

_TIP: Plain[str | None] = Plain("tip", TypeAdapter(str | None))
_OWNERS = Plain("owners", TypeAdapter(dict[str, Owner]))
_NUMBERS = Plain("numbers", TypeAdapter(frozenset[int]))
_LINES = Plain("lines", TypeAdapter(tuple[str, ...]))
_KNOWN = KnownShape()
_REMEMBERED = Plain("remembered", TypeAdapter(Remembered))
_PAST = Plain("past", TypeAdapter(Past))
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


class TapedIssues:
    """The open issues as this run knew them; a replay changes nothing."""

    def __init__(self, tape: Tape, issues: OpenIssues) -> None:
        self._tape = tape
        self._issues = issues

    def known_open(self, repo: RepoId, window: Window | None = None) -> frozenset[int]:
        """List the numbers of the issues that were open when last seen."""
        call = Call("memory.known_open", repo, window.key if window else "")
        return self._tape.ask(call, _NUMBERS, lambda: self._issues.known_open(repo, window))

    def known(self, repo: RepoId, window: Window) -> Known:
        """Tell what earlier days know of the issues."""
        call = Call("memory.known", repo, window.key)
        return self._tape.ask(call, _KNOWN, lambda: self._issues.known(repo, window))

    def cut_short(self, repo: RepoId) -> Notice | None:
        """Tell where the one listing of the open issues ended before its end."""
        return self._tape.ask(Call("memory.cut_short", repo), _NOTICE, lambda: self._issues.cut_short(repo))

    def remember(self, repo: RepoId, threads: Threads, *, relisted: bool = False) -> None:
        """Store the state in which the issues are now."""
        if not self._tape.play_only:
            self._issues.remember(repo, threads, relisted=relisted)


class TapedRecall:
    """What earlier reports said, as this run was told."""

    def __init__(self, tape: Tape, recall: Recall) -> None:
        self._tape = tape
        self._recall = recall

    def search(self, words: str, *, repo: RepoId | None = None, limit: int = 10) -> Sequence[str]:
        """Give the statements that fit best."""
        call = Call("memory.search", repo or "", [words, limit])
        return self._tape.ask(call, _LINES, lambda: tuple(self._recall.search(words, repo=repo, limit=limit)))

    def report(self, day: str, *, repo: RepoId | None = None) -> Sequence[str]:
        """Give what the report of a day said."""
        call = Call("memory.report", repo or "", day)
        return self._tape.ask(call, _LINES, lambda: tuple(self._recall.report(day, repo=repo)))


class TapedTales:
    """The stories that this run was told of."""

    def __init__(self, tape: Tape, tales: Tales) -> None:
        self._tape = tape
        self._tales = tales

    def known(self, window: Window, cites: Sequence[EvidenceId]) -> Remembered:
        """Tell in which earlier reports these stand, and which stories they belong to."""
        call = Call("memory.stories", "", [window.key, *cites])
        return self._tape.ask(call, _REMEMBERED, lambda: self._tales.known(window, cites))

    def past(self, repo: RepoId, window: Window) -> Past:
        """Give what earlier reports list of a repository."""
        call = Call("memory.past", repo, window.key)
        return self._tape.ask(call, _PAST, lambda: self._tales.past(repo, window))


class TapedArchive:
    """The memory of published reports; a replay changes nothing."""

    def __init__(self, tape: Tape, archive: Archive) -> None:
        self._tape = tape
        self._archive = archive

    def remember(self, report: Report) -> None:
        """Store what a published report covers and says."""
        if not self._tape.play_only:
            self._archive.remember(report)
