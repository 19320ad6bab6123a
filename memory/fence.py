"""The secret from which the fence around untrusted text is made: the same day after day, and nobody else's."""

import os
import secrets
from pathlib import Path

from pydantic import TypeAdapter

from agent.errors import StorageError
from memory.call_recorder import Call, CallRecorder
from memory.shapes import Plain

_SEED = Plain("fence", TypeAdapter(str))


def fence_seed(home: Path | None, recorder: CallRecorder) -> str:
    """Give the seed of this run; equal prompts of different runs are then the same question to a model.

    The run records it, so that a replay, which has no home to look in, asks exactly what was asked.
    """
    return recorder.ask(Call("memory.fence", "run"), _SEED, lambda: _secret(home) if home else "")


def _secret(home: Path) -> str:
    """Read the secret of this home, or make one, for the eyes of its owner only."""
    file = home / "fence"
    try:
        home.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
        with os.fdopen(descriptor, "r+", encoding="ascii") as stream:
            if not (seed := stream.read().strip()):
                seed = secrets.token_hex(16)
                stream.write(seed)
        return seed
    except (OSError, UnicodeDecodeError) as error:
        raise StorageError(f"cannot read or write {file}: {error}") from error
