"""The scripted model in a process of its own: what it does is not time of whoever asks it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection

from evals.model_server.server import ModelServer
from evals.model_server.talk import Asked, Script


@dataclass(frozen=True)
class Apart:
    """A server that runs elsewhere."""

    url: str
    model: str
    _line: Connection

    def asked(self) -> Sequence[Asked]:
        """Give everything that was asked so far."""
        self._line.send("asked")
        told: Sequence[Asked] = self._line.recv()
        return told


@contextmanager
def served_apart(script: Script, *, latency: float, context: int) -> Iterator[Apart]:
    """Serve a script, which must be a function of a module, until the block ends."""
    # A process that is forked would hold our locks in whatever state they are.
    fresh = get_context("spawn")
    ours, theirs = fresh.Pipe()
    process = fresh.Process(target=_serve, args=(theirs, script, latency, context), daemon=True)
    process.start()
    try:
        url, model = ours.recv()
        yield Apart(url, model, ours)
    finally:
        ours.send("end")
        process.join()


def _serve(line: Connection, script: Script, latency: float, context: int) -> None:
    with ModelServer(script, latency=latency, context=context) as server:
        line.send((server.url, server.model))
        while line.recv() == "asked":
            line.send(server.asked)
