"""The sources and the pages of a run, with everything they answer on the run's tape."""

from collections.abc import Callable
from dataclasses import dataclass

from pydantic import TypeAdapter

from agent.errors import StorageError
from agent.record import merge
from agent.report import Report
from agent.settings import RepoSpec, Settings
from agent.sources import CodeSource, ThreadSource
from graphs.desk import Desk, Desks
from memory.shapes import Plain
from memory.tape import Call, Tape
from memory.taped_code import TapedCode
from memory.taped_threads import TapedThreads

_DIFFS: Plain[int | None] = Plain("limit", TypeAdapter(int | None))
_REPORT: Plain[Report | None] = Plain("report", TypeAdapter(Report | None))


@dataclass(frozen=True)
class Origins:
    """Where a repository is read from, as it may be told: a path of this machine may not."""

    code: str
    threads: str

    @classmethod
    def of(cls, settings: Settings, spec: RepoSpec) -> "Origins":
        """Name the kind of source and its public address."""
        api = f"api {settings.github_url}"
        if settings.source == "api":
            return cls(api, api)
        return cls("git, a local clone" if spec.path is not None else f"git {settings.git_url}", api)


class TapedDesks:
    """Opens the sources of each repository behind the tape."""

    def __init__(self, tape: Tape, desks: Desks, origins: Callable[[RepoSpec], Origins]) -> None:
        self._tape = tape
        self._desks = desks
        self._origins = origins

    async def open(self, spec: RepoSpec) -> Desk:
        """Prepare the sources; where the tape has that already, they are prepared when somebody needs them."""

        async def diffs() -> int | None:
            return (await self._desks.open(spec)).diffs

        async def code() -> CodeSource:
            return (await self._desks.open(spec)).code

        async def threads() -> ThreadSource:
            return (await self._desks.open(spec)).threads

        origins = self._origins(spec)
        limit = await self._tape.fetch(Call("desk.open", spec.name, origin=origins.code), _DIFFS, diffs)
        return Desk(
            code=TapedCode(self._tape, spec.name, origins.code, code),
            threads=TapedThreads(self._tape, spec.name, origins.threads, threads),
            diffs=limit,
        )


class NoDesks:
    """Stands in where nobody may be asked."""

    async def open(self, spec: RepoSpec) -> Desk:
        """Refuse."""
        raise StorageError(f"{spec.name} is not read in a replay")


class EarlierReport:
    """What a window's report was before a run published its own: the run's report was merged with that."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape

    def note(self, report: Report, earlier: Report | None) -> None:
        """Record it; the files are what counts, so a run that is taken up again records what it finds then."""
        self._tape.record([(self._call(report), _REPORT.pack(earlier))])

    def publish(self, report: Report) -> Report:
        """Make the report of the window again, without writing it anywhere."""
        earlier = self._tape.play(self._call(report), _REPORT)
        return report if earlier is None else merge(earlier, report)

    def _call(self, report: Report) -> Call:
        return Call("publisher.earlier", report.window.key)
