"""Runs evaluation sets in processes of their own: a few at once, each kept when it is done, none ending the others."""

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

from evals.figures import crashed
from evals.harness import EvalSet, Figures
from evals.results import kept_set


async def run_apart(
    sets: Sequence[EvalSet], arguments: Sequence[str], folder: Path, key: str, jobs: int
) -> dict[str, Figures]:
    """Run each set as `gitzette eval SET --part KEY` and read what it has left in the folder."""
    few = asyncio.Semaphore(jobs)

    async def one(chosen: EvalSet) -> Figures:
        file = folder / f"{chosen.name}.json"
        if (kept := kept_set(file, key)) is not None:
            sys.stderr.write(f"gitzette: {chosen.name}: kept from before\n")
            return kept
        async with few:
            command = [sys.executable, "-P", "-m", "gitzette", "eval", chosen.name, *arguments, "--part", key]
            process = await asyncio.create_subprocess_exec(*command, stdin=asyncio.subprocess.DEVNULL)
            try:
                status = await process.wait()
            finally:
                if process.returncode is None:
                    process.kill()
        done = kept_set(file, key)
        return {"ran to its end": crashed(chosen.name, f"ended with status {status}")} if done is None else done

    figures = await asyncio.gather(*map(one, sets))
    return {chosen.name: found for chosen, found in zip(sets, figures, strict=True)}
