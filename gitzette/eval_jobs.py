"""Runs evaluation sets in processes of their own: a few at once, each kept when it is done, none ending the others."""

import asyncio
import multiprocessing
import sys
from collections.abc import Sequence
from pathlib import Path

from evals.figures import crashed
from evals.harness import EvalSet, Figures
from evals.results import kept_set


async def run_apart(
    sets: Sequence[EvalSet], arguments: Sequence[str], folder: Path, key: str, jobs: int
) -> dict[str, Figures]:
    """Run each set as `gitzette eval SET --part KEY` would, and read what it has left in the folder.

    One process imports everything and forks into all others: twenty sets do not spend a minute on imports.
    """
    few = asyncio.Semaphore(jobs)
    apart = multiprocessing.get_context("forkserver")
    apart.set_forkserver_preload(["gitzette.evaluating"])

    async def one(chosen: EvalSet) -> Figures:
        file = folder / f"{chosen.name}.json"
        if (kept := kept_set(file, key)) is not None:
            sys.stderr.write(f"gitzette: {chosen.name}: kept from before\n")
            return kept
        async with few:
            process = apart.Process(target=_part, args=(["eval", chosen.name, *arguments, "--part", key],))
            process.start()
            try:
                await asyncio.to_thread(process.join)
            finally:
                process.kill()
        done = kept_set(file, key)
        return (
            {"ran to its end": crashed(chosen.name, f"ended with status {process.exitcode}")} if done is None else done
        )

    figures = await asyncio.gather(*map(one, sets))
    return {chosen.name: found for chosen, found in zip(sets, figures, strict=True)}


def _part(arguments: Sequence[str]) -> None:
    # Imported here, for it imports this module.
    from gitzette.cli import main

    sys.exit(main(arguments))
