"""What a caller sees of a signature: parameters in another order, and not what is only written otherwise."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from agent.facts import FactKind as K
from tools.diff.compare import Difference
from tools.diff.patch import Side
from tools.diff.versions import Found, Versions

_PYTHON = (".py", ".pyi")


def settle_parameters(differences: Iterable[Difference], files: Sequence[Versions]) -> Iterator[Difference]:
    """Leave out annotations and values that only got a name, and add the functions that take another order."""
    constants = {
        (one.name, one.parts["value"])
        for versions in files
        for one in versions.new
        if one.kind == "constant" and "value" in one.parts
    }
    for one in differences:
        annotated = one.kind is K.SIGNATURE_CHANGED and one.found.versions.file.path.endswith(_PYTHON)
        got_a_name = one.new is not None and (one.new.rpartition(".")[2], one.old) in constants
        if not annotated and not got_a_name:
            yield one
    yield from _reordered(files)


def _reordered(files: Sequence[Versions]) -> Iterator[Difference]:
    """Tell the functions whose common parameters come in another order."""
    for versions in files:
        before, after = _signatures(versions, "old"), _signatures(versions, "new")
        for path in before.keys() & after.keys():
            old, new = before[path], after[path]
            was = [name for name in old if name in new]
            now = [name for name in new if name in old]
            if was != now:
                first = now[0]
                names = (", ".join(was), ", ".join(now))
                yield Difference(K.PARAMETER_REORDERED, path, *names, None, old[first], new[first])


def _signatures(versions: Versions, side: Side) -> dict[str, dict[str, Found]]:
    """Give the parameters of each function by their names, in their order."""
    found: dict[str, dict[str, Found]] = defaultdict(dict)
    for one in versions.old if side == "old" else versions.new:
        if one.kind == "parameter" and not one.local:
            found[one.owner][one.name] = Found(one, versions, side)
    return found
