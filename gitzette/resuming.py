"""Which run `run --resume` takes up again."""

from agent.errors import InputError, StorageError, UsageError
from agent.recipe import Recipe
from memory.runs import FINISHED, RunRecord, recipe_of, still_alive
from memory.store import Memory


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
