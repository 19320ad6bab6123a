"""What the steps of a run hand on to one another, kept with the run: the graph's own state holds only names."""

from typing import TypeVar

from pydantic import BaseModel, TypeAdapter

from agent.compact import compact
from agent.ids import RepoId
from memory.call_recorder import Call, CallRecorder
from memory.shapes import Plain

M = TypeVar("M", bound=BaseModel)


class Notes:
    """Values by name and repository; with a tape they outlive the process."""

    def __init__(self, tape: CallRecorder | None = None) -> None:
        self._tape = tape
        self._held: dict[tuple[str, str], BaseModel] = {}

    def keep(self, name: str, repo: RepoId | str, value: BaseModel) -> None:
        """Write a note, over an earlier one of the same name."""
        self._held[name, repo] = compact(value)
        if self._tape is None:
            return
        shape: Plain[BaseModel] = Plain(f"note {name}", TypeAdapter(type(value)))
        call, packed = _call(name, repo), shape.pack(value)
        # A run that is taken up again writes the same notes again.
        if not self._tape.has(call, packed[0]):
            self._tape.record([(call, packed)])

    def read(self, name: str, repo: RepoId | str, kind: type[M]) -> M:
        """Find a note that an earlier step has written, in this process or in the one before it."""
        held = self._held.get((name, repo))
        if isinstance(held, kind):
            return held
        if self._tape is None:
            raise KeyError(f"no note {name!r} of {repo}")
        return self._tape.play(_call(name, repo), Plain(f"note {name}", TypeAdapter(kind)))

    def release(self) -> None:
        """Let go of the notes that can be read again."""
        if self._tape is not None:
            self._held.clear()


def _call(name: str, repo: RepoId | str) -> Call:
    return Call(f"note.{name}", repo)
