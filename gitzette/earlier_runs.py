"""Earlier runs: the list of the command `runs`, and which one `run --resume` takes up again."""

import argparse
import json
import sys
from collections.abc import Mapping
from dataclasses import asdict, replace

from agent.domain.base import EXIT_DONE, InputError, StorageError, UsageError
from agent.editions.recipe import Recipe
from gitzette.arguments import settings_here
from gitzette.wiring import memory_of
from memory.runs import FINISHED, RunLocks, RunRecord, recipe_of, still_alive
from memory.store import Memory


def show_runs(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """List earlier runs, newest first."""
    settings = settings_here(environ)
    with memory_of(settings, environ) as memory:
        records = [as_it_is(record, memory.run_locks) for record in memory.runs.latest()]
    if args.json:
        sys.stdout.write(json.dumps([asdict(record) for record in records], indent=1) + "\n")
        return EXIT_DONE
    for record in records:
        repos = ", ".join(record.details.get("repos", []))
        seconds = record.details.get("seconds", "?")
        sys.stdout.write(f"{record.id}  {record.started}  {record.status:<10}  {record.window}  {seconds} s  {repos}\n")
    if not records:
        sys.stdout.write("no runs yet\n")
    return EXIT_DONE


def as_it_is(record: RunRecord, lives: RunLocks) -> RunRecord:
    """Tell a run that died from one that is under way; the dead do not note their end."""
    died = record.status == "running" and lives.process(record.id) is None
    return replace(record, status="unfinished") if died else record


def to_resume(memory: Memory, asked: str, wanted: Recipe, *, any_window: bool) -> tuple[RunRecord, Recipe]:
    """Find the run that was asked for by its id, or the newest unfinished one with these settings."""
    found = _named(memory, asked, wanted) if asked else _newest(memory, wanted, any_window=any_window)
    run, recipe = found
    if run.status in FINISHED:
        raise InputError(f"run {run.id} is finished ({run.status}); --replay {run.id} shows its report again")
    if (process := memory.run_locks.process(run.id)) is not None:
        raise still_alive(run.id, process)
    return run, recipe


def _named(memory: Memory, asked: str, wanted: Recipe) -> tuple[RunRecord, Recipe]:
    run = memory.runs.find(asked)
    recipe = recipe_of(run)
    if run.status not in FINISHED and (other := _differences(recipe, wanted)):
        raise UsageError(f"run {run.id} was started with another {', another '.join(other)}; use the same to go on")
    return run, recipe


def _newest(memory: Memory, wanted: Recipe, *, any_window: bool) -> tuple[RunRecord, Recipe]:
    same = [found for run in memory.runs.latest(200) if (found := _if_same(run, wanted, any_window=any_window))]
    unfinished = [found for found in same if found[0].status not in FINISHED]
    if not same:
        raise InputError("there is no run with these settings to go on with; `gitzette runs` lists all")
    return (unfinished or same)[0]


def _if_same(run: RunRecord, wanted: Recipe, *, any_window: bool) -> tuple[RunRecord, Recipe] | None:
    try:
        recipe = recipe_of(run)
    except StorageError:
        return None
    same_window = any_window or recipe.window.key == wanted.window.key
    return (run, recipe) if same_window and not _differences(recipe, wanted) else None


def _differences(recipe: Recipe, wanted: Recipe) -> list[str]:
    """Name the settings, beside the window, that shape the report otherwise."""
    fields = [name for name in Recipe.model_fields if name != "window"]
    return [name for name in fields if getattr(recipe, name) != getattr(wanted, name)]
