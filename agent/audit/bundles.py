"""Values that a sentence gives to several names together, and the lines of a change that give them together."""

import re
from collections.abc import Iterator, Sequence

from agent.evidence import CommitEvidence

_VALUE = r"-?\d[\d_]*(?:\.\d+)?|True|False|None|true|false"
_STATED = re.compile(
    rf"`(?P<name>[A-Za-z_]\w*)`\s*(?:(?:is|of|to|at|为|是|取|设为)\s*|[:：=]\s*)?`?(?P<value>{_VALUE})`?(?![\w.]*\w)"
)
_GIVEN = re.compile(
    rf"(?<![\w.])[\"']?(?P<name>[A-Za-z_]\w*)[\"']?\s*[:=]\s*(?P<value>{_VALUE})(?![\w.(]|\s*[-+*/]\s*\w)"
)
_JOINT = re.compile(r"\s*(?:[,，、;；]\s*)?(?:and|with|以及|和|与|及)?\s*")
_FAR = 3
"""After how many lines without a value what follows belongs to something else."""
_SURE = 3
"""How many names tell one bundle from another; two do where no bundle has the value that differs."""
Bundle = dict[str, str]


def bundled_otherwise(text: str, commits: Sequence[CommitEvidence]) -> str:
    """Say which value of a bundle is another one; nothing where some lines have them all, or none has most of them."""
    if any(one.change.unreadable or one.change.incomplete for one in commits):
        return ""
    for said in _stated(text):
        whole = [one for one in _given(commits) if said.keys() <= one.keys()]
        if not whole or any(said.items() <= one.items() for one in whole):
            continue
        near = [one for one in whole if len(_unlike(said, one)) == 1]
        for one in near:
            (name,) = _unlike(said, one)
            nowhere = all(other[name] != said[name] for other in whole)
            if len(said) >= _SURE or nowhere:
                return f"with the other values the change has {name} {one[name]}, not {said[name]}"
    return ""


def _unlike(said: Bundle, real: Bundle) -> list[str]:
    return [name for name, value in said.items() if real[name] != value]


def _stated(text: str) -> Iterator[Bundle]:
    """Find names with their values that stand one behind the other."""
    bundle: Bundle = {}
    end = 0
    for found in _STATED.finditer(text):
        if bundle and not _JOINT.fullmatch(text[end : found.start()]):
            yield from (bundle,) if len(bundle) > 1 else ()
            bundle = {}
        bundle[found["name"]] = found["value"]
        end = found.end()
    yield from (bundle,) if len(bundle) > 1 else ()


def _given(commits: Sequence[CommitEvidence]) -> Iterator[Bundle]:
    """Gather the values that lines behind the change give, as long as no name comes twice."""
    for patch in (file.patch or "" for one in commits for file in one.change.files):
        bundle: Bundle = {}
        silent = 0
        for line in (line for line in patch.split("\n") if line[:1] in "+ "):
            values = [(found["name"], found["value"]) for found in _GIVEN.finditer(line[1:])]
            silent = 0 if values else silent + 1
            if bundle and (silent > _FAR or any(name in bundle for name, _ in values)):
                yield bundle
                bundle = {}
            bundle |= dict(values)
        yield from (bundle,) if bundle else ()
