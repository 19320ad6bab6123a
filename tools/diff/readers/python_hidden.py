"""What of a Python file no user calls by name though it is open: parts of kernels, of gradients, of tree walks."""

import re
from typing import Final

from tools.diff.readers.python_declared import SURFACE, Found

GRADIENT: Final = ("torch.autograd.Function", "autograd.Function", "Function")
WALKER: Final = re.compile(r"(?:^|\.)Node(?:Visitor|Transformer)$")
HOOKS: Final = ("backward", "setup_context")
VARIABLE: Final = re.compile(r"(?:\w+\.)?(?:TypeVar|ParamSpec|TypeVarTuple)\(")
ABSTRACT: Final = "abstractmethod"
PASSES: Final = ("forward", "backward", "setup_context", "jvp", "vmap")


def hide(found: Found) -> None:
    """Mark what only a machine calls, once all declarations of the file are known."""
    if found.kernels:
        _hide_kernels(found)
    _hide_gradients(found)
    _hide_visitors(found)
    _hide_type_variables(found)
    _drop_idle_marks(found)


def _hide_kernels(found: Found) -> None:
    """Mark the methods of kernels that no host calls."""
    for name, symbol in found.symbols.items():
        owner, _, own = name.rpartition(".")
        if symbol.kind == "method" and not symbol.device and owner in found.kernels and own not in SURFACE:
            found.symbols[name] = symbol._replace(device=True)


def _hide_gradients(found: Found) -> None:
    """Mark what only autograd calls: whoever applies such a function never names its passes."""
    for name, symbol in found.symbols.items():
        owner, _, own = name.rpartition(".")
        # What is handed over by `register_autograd` is a function by itself.
        if symbol.kind == "function" and own in HOOKS and symbol.params and symbol.params[0].name == "ctx":
            found.symbols[name] = symbol._replace(public=False)
        if own not in PASSES or symbol.kind != "method":
            continue
        if all(base not in GRADIENT for base in getattr(found.symbols.get(owner), "bases", ())):
            continue
        if own == "forward":
            # What is applied is handed on by position.
            params = tuple(param._replace(positional_only=not param.star) for param in symbol.params or ())
            found.symbols[name] = symbol._replace(params=params if symbol.params is not None else None)
        else:
            found.symbols[name] = symbol._replace(public=False)


def _hide_visitors(found: Found) -> None:
    """Mark the members of what walks over a syntax tree: a compiler makes it and calls it, and nobody else."""
    walkers = {name for name, symbol in found.symbols.items() if any(map(WALKER.search, symbol.bases))}
    for name, symbol in found.symbols.items() if walkers else ():
        if name.rpartition(".")[0] in walkers:
            found.symbols[name] = symbol._replace(public=False)


def _hide_type_variables(found: Found) -> None:
    """Mark what only stands for types in the annotations of its own file: `T = TypeVar("T")`."""
    for name, symbol in found.symbols.items():
        if symbol.kind == "type" and VARIABLE.match(symbol.value or ""):
            found.symbols[name] = symbol._replace(public=False)


def _drop_idle_marks(found: Found) -> None:
    """Forget that a method is abstract where its class has no bases: only `ABC` and its like look at that."""
    for name, symbol in found.symbols.items():
        if symbol.decorators and any(ABSTRACT in text for text in symbol.decorators):
            owner = found.symbols.get(name.rpartition(".")[0])
            if owner is not None and not owner.bases:
                marks = tuple(text for text in symbol.decorators if ABSTRACT not in text)
                found.symbols[name] = symbol._replace(decorators=marks)
