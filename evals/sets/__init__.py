"""The evaluation sets, one module each."""

import pkgutil
from importlib import import_module

from evals.harness import EvalSet


def all_sets() -> list[EvalSet]:
    """Find the sets of all modules, by name."""
    modules = [import_module(f"{__name__}.{one.name}") for one in pkgutil.iter_modules(__path__)]
    found = {
        one.name: one
        for module in modules
        for one in vars(module).values()
        if isinstance(one, EvalSet)
    }
    return [found[name] for name in sorted(found)]
