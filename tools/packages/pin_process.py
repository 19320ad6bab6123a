"""Reads files of pins within a limit of time: parsing a large hostile one takes minutes."""

import asyncio
import multiprocessing
from collections.abc import Mapping
from multiprocessing.connection import Connection

from agent.bumps.pin_files import read_pins
from agent.bumps.pins import PinFile

_MAX_CHARACTERS_HERE = 1_000_000  # Of a file that is parsed in seconds whatever it holds
_MAX_SECONDS = 10.0


async def read_pins_in_time(
    path: str, text: str, submodules: Mapping[str, str], seconds: float = _MAX_SECONDS
) -> PinFile:
    """Read the pins of a file; a large one in a process of its own, which is ended in time."""
    if len(text) <= _MAX_CHARACTERS_HERE:
        return read_pins(path, text, submodules)
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_send, args=(sender, path, text, dict(submodules)))
    process.start()
    sender.close()
    try:
        is_answered = await asyncio.to_thread(receiver.poll, seconds)
        if not is_answered:
            return PinFile(problem=f"reading it takes longer than {seconds:g} seconds")
        result = await asyncio.to_thread(receiver.recv)
    except EOFError:
        return PinFile(problem="the process that read it ended")
    finally:
        process.kill()
        process.join()
        receiver.close()
    assert isinstance(result, PinFile)
    return result


def _send(sender: Connection, path: str, text: str, submodules: Mapping[str, str]) -> None:
    sender.send(read_pins(path, text, submodules))
