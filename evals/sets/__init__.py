"""The evaluation sets, one module each."""

import pkgutil
from importlib import import_module

from evals.harness import EvalSet


def all_sets() -> list[EvalSet]:
    """Return the sets of all modules, sorted by name."""
    sets: dict[str, EvalSet] = {}
    for info in pkgutil.iter_modules(__path__):
        module = import_module(f"{__name__}.{info.name}")
        for value in vars(module).values():
            if isinstance(value, EvalSet):
                sets[value.name] = value
    return [sets[name] for name in sorted(sets)]
