"""What nobody outside of a Rust crate can name: in a module that is taken in without `pub`, or nowhere to be had."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from agent.domain import FileChange

_PATH = re.compile(r"^(.*\bsrc|src)/(?!bin/)(.+)\.rs$")
_ROOTS = ("lib", "main")
_WORD = re.compile(r"\w+")
_MANIFEST = re.compile(r"^(?:(.*)/)?Cargo\.toml$")
_KEPT, _LOADED = "publish = false", "cdylib"
KEPT = (_KEPT, _LOADED)
"""What a manifest says of a crate that is nowhere to be had, and of one that other languages load."""
_SPOKEN = re.compile(r"\n[+ -]((?:pub(?:\([^)\n]*\))? )?(?:mod \w+;|use [^\n]+))")


class Module(NamedTuple):
    """A module, and the files of which one takes it in."""

    homes: tuple[str, ...]
    name: str


class Item(NamedTuple):
    """Something with a name, and the modules it stands in, outermost first; without a name it is a whole file."""

    modules: tuple[Module, ...]
    name: str


def item_of(path: str, name: str) -> Item | None:
    """Place a name of a file of Rust; None for the root of a crate and for other languages."""
    found = _PATH.match(path)
    parts = found[2].removesuffix("/mod").split("/") if found else []
    if found is None or parts[0] in (*_ROOTS, "mod"):
        return None
    outer = [[f"{found[1]}/{root}.rs" for root in _ROOTS]]
    for size in range(1, len(parts)):
        folder = "/".join((found[1], *parts[:size]))
        outer.append([f"{folder}.rs", f"{folder}/mod.rs"])
    return Item(tuple(Module(tuple(homes), part) for homes, part in zip(outer, parts, strict=True)), name)


def words(item: Item) -> Iterator[str]:
    """Give what the lines hold by which modules are taken in, or what they have is given on."""
    for module in item.modules:
        yield from (f"{before}{module.name}" for before in ("mod ", "use ", "crate::", "self::"))


def kept(lines: Iterable[tuple[str, str]]) -> frozenset[str]:
    """Name the folders of sources of crates that only their repository builds, for programs in Rust."""
    said: dict[str, set[str]] = {}
    for path, line in lines:
        if (found := _MANIFEST.match(path)) is not None and not line.lstrip().startswith("#"):
            said.setdefault(found[1] or "", set()).update(word for word in KEPT if word in line)
    return frozenset(f"{folder}/src/".lstrip("/") for folder, words in said.items() if words == {_KEPT})


def module_lines(files: Iterable[FileChange]) -> Iterator[tuple[str, str]]:
    """Give the lines of that sort that a commit shows: a module may be as new as what it has, or no longer open."""
    for file in files:
        if file.path.endswith(".rs") and file.patch and ("mod " in file.patch or "pub use" in file.patch):
            yield from ((file.path, found[1]) for found in _SPOKEN.finditer(file.patch))


def is_hidden(item: Item, lines: Sequence[tuple[str, str]]) -> bool:
    """Tell whether one of its modules is taken in without `pub`, and no module around it gives the name on."""
    around: set[str] = set()
    for module in item.modules:
        around |= {*module.homes}
        own = [line.strip() for path, line in lines if path in module.homes]
        declared = [line for line in own if line.endswith(f"mod {module.name};")]
        if declared and not any(line.startswith("pub mod ") for line in declared):
            given = (line.strip() for path, line in lines if path in around)
            if not any(_gives_on(line, module.name, item.name) for line in given):
                return True
    return False


def _gives_on(line: str, module: str, name: str) -> bool:
    """Tell whether a line gives a name on; of a list that goes on below nobody knows."""
    before, _, given = line.partition(f"{module}::")
    if not line.startswith("pub use ") or before == line:
        return False
    return not name or "*" in given or ";" not in given or name in _WORD.findall(given)
