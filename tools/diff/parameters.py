"""Signatures: parameters that changed their order, and what a caller sees of several changes at once."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from agent.facts import FactKind as K
from tools.diff.compare import Difference
from tools.diff.versions import Found

_ONE_SIDED = (K.PARAMETER_ADDED, K.PARAMETER_REMOVED)


def settle_parameters(differences: Iterable[Difference]) -> Iterator[Difference]:
    """Leave out what no caller sees: a type that is written out, a parameter that `**kwargs` still takes."""
    for one in differences:
        if one.kind is K.SIGNATURE_CHANGED and _only_annotates(one):
            continue
        yield one


def _only_annotates(difference: Difference) -> bool:
    """Tell an annotation of Python, which changes nothing for a caller, from a type of a compiled language."""
    return difference.found.versions.file.path.endswith((".py", ".pyi"))


def reordered(pairs: Sequence[tuple[Found, Found]]) -> Iterator[Difference]:
    """Tell the functions whose common parameters come in another order."""
    functions: dict[tuple[str, str], list[tuple[Found, Found]]] = defaultdict(list)
    for old, new in pairs:
        functions[new.module, new.one.owner].append((old, new))
    for (_, name), common in functions.items():
        before = [new.one.name for _, new in sorted(common, key=lambda pair: pair[0].one.position)]
        after = [new.one.name for _, new in sorted(common, key=lambda pair: pair[1].one.position)]
        if before != after:
            old, new = common[0]
            yield Difference(K.PARAMETER_REORDERED, name, ", ".join(before), ", ".join(after), None, old, new)
