"""Uses of packages of npm, Cargo and Go in own code, and what a new version does to them."""

from collections.abc import Mapping
from typing import NamedTuple

from agent.bumps.bump_report_model import CodeUse, SourceMapping, UsedName
from agent.bumps.pins import Bump
from tools.packages.broken_ecmascript_uses import imports_package, npm_uses
from tools.packages.broken_go_uses import go_uses, imports_of
from tools.packages.broken_rust_uses import names_crate, rust_uses
from tools.packages.go_package_api import GoModule
from tools.packages.npm_package_api import NpmPackage
from tools.packages.repository_trees import TreeReader
from tools.packages.rust_crate_api import RustWorkspace, TooLarge

LANGUAGES = {"npm": "JavaScript and TypeScript", "cargo": "Rust", "go": "Go"}


class LanguageUses(NamedTuple):
    """The lines that a bump breaks, and in how many files a package is used."""

    name: str = ""  # Under which own code imports the package
    broken: tuple[CodeUse, ...] = ()
    files_importing: int = 0
    problem: str = ""  # Why the package could not be compared
    used: tuple[UsedName, ...] = ()  # All names of the package that own code uses


async def other_uses(
    trees: TreeReader, bump: Bump, mapping: SourceMapping, texts: Mapping[str, str]
) -> LanguageUses:
    """Compare a package of one of these ecosystems, and look its uses up."""
    if bump.ecosystem == "go":
        return await _go_uses(trees, bump, mapping, texts)
    if bump.ecosystem == "cargo":
        return await _rust_uses(trees, bump, mapping, texts)
    return await _npm_uses(trees, bump, mapping, texts)


async def _go_uses(
    trees: TreeReader, bump: Bump, mapping: SourceMapping, texts: Mapping[str, str]
) -> LanguageUses:
    importing: set[str] = set()
    files: list[str] = []
    for path, text in texts.items():
        imported = imports_of(path, text, bump.name) if path.endswith(".go") else []
        importing.update(imported)
        files += [path] if imported else []
    old = GoModule(trees, mapping.old.sha, bump.name, mapping.folder)
    new = GoModule(trees, mapping.new.sha, bump.name, mapping.folder)
    found = [path for path in importing if await old.package(path) is not None]
    if importing and not found:
        problem = f"none of the packages that your code imports is at {mapping.old.version}"
        return LanguageUses(bump.name, files_importing=len(files), problem=problem)
    uses = await go_uses(texts, bump.name, old, new)
    return LanguageUses(bump.name, _once(uses.broken), len(files), used=tuple(uses.used))


async def _rust_uses(
    trees: TreeReader, bump: Bump, mapping: SourceMapping, texts: Mapping[str, str]
) -> LanguageUses:
    crate = bump.name.replace("-", "_")
    files = []
    for path, text in texts.items():
        if path.endswith(".rs") and names_crate(text, crate):
            files.append(path)
    try:
        old = await RustWorkspace.at(trees, mapping.old.sha, crate)
        new = await RustWorkspace.at(trees, mapping.new.sha, crate)
    except TooLarge as error:
        return LanguageUses(crate, files_importing=len(files), problem=str(error))
    if not old.has_crate(crate) or not new.has_crate(crate):
        problem = "its library was not found in the sources: no src/lib.rs, and no other `[lib]`"
        return LanguageUses(crate, files_importing=len(files), problem=problem)
    uses = rust_uses(texts, crate, old, new)
    return LanguageUses(crate, _once(uses.broken), len(files), used=tuple(uses.used))


async def _npm_uses(
    trees: TreeReader, bump: Bump, mapping: SourceMapping, texts: Mapping[str, str]
) -> LanguageUses:
    old = await NpmPackage.at(trees, mapping.old.sha, mapping.folder)
    new = await NpmPackage.at(trees, mapping.new.sha, mapping.folder)
    files = [path for path, text in texts.items() if imports_package(path, text, bump.name)]
    uses = await npm_uses(texts, bump.name, old, new)
    if not uses.broken and await old.exports() is None:
        problem = "the source of its entry point was not found: what it exports is built"
        return LanguageUses(bump.name, files_importing=len(files), problem=problem)
    return LanguageUses(bump.name, _once(uses.broken), len(files), used=tuple(uses.used))


def _once(broken: list[CodeUse]) -> tuple[CodeUse, ...]:
    """Return each line once, and of a name that is gone or deprecated the first one of a file."""
    kept: dict[tuple[str, int, str], CodeUse] = {}
    for use in sorted(broken, key=lambda use: (use.file, use.line)):
        line = use.line if use.effect == "argument" else 0
        kept.setdefault((use.file, line, use.text), use)
    return tuple(kept.values())
