"""The Python modules of the user's own code, and which of them an import means."""

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from agent.bumps.python_scopes import ModuleScopes

_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)|import[ \t]+([^\n]*))",
    re.MULTILINE,
)
_PATH_IN_QUOTES = re.compile(r"""["'](\w+(?:\.\w+)+)["']""")
_WORD = re.compile(r"\w+")
_MAX_ROUNDS = 4  # Modules between the one that imports a package and the one that uses it
_SOURCE_FOLDERS = ("", "src", "lib", "python")


def parsed(source: str) -> ast.Module | None:
    """Parse a file; None for one that is no Python."""
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


@dataclass
class OwnModules:
    """Parses files when they are asked for, and once."""

    texts: Mapping[str, str]
    _scopes: dict[str, ModuleScopes | None] = field(default_factory=dict)
    _folders: set[str] = field(default_factory=set)
    _roots: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        packages: set[str] = set()
        for file in self.texts:
            folder = file.rpartition("/")[0]
            if file.endswith("/__init__.py"):
                packages.add(folder)
            while folder:
                self._folders.add(folder)
                folder = folder.rpartition("/")[0]
        parents = {folder.rpartition("/")[0] for folder in packages}
        self._roots = [*_SOURCE_FOLDERS, *sorted(parents - packages - {*_SOURCE_FOLDERS})]

    def scopes(self, file: str) -> ModuleScopes | None:
        """Return the scopes of a file; None for one that cannot be parsed."""
        if file not in self._scopes:
            self._scopes[file] = scopes_of(file, self.texts[file])
        return self._scopes[file]

    def place(self, file: str, module: str, level: int = 0) -> str:
        """Return the file or the folder that an import in a file means; empty if it is not here."""
        parts = [part for part in module.split(".") if part]
        folder = file.rpartition("/")[0]
        if level:
            for _ in range(level - 1):
                folder = folder.rpartition("/")[0]
            return self._existing("/".join([*folder.split("/"), *parts]).strip("/"))
        for root in (folder, *self._roots):
            path = self._existing("/".join([root, *parts]).strip("/"))
            if path:
                return path
        return ""

    def below(self, path: str, name: str) -> str:
        """Return the module of a name in a package, which is a file or a folder."""
        if path.endswith(".py") and not path.endswith("__init__.py"):
            return ""
        folder = path.removesuffix("__init__.py").rstrip("/")
        return self._existing(f"{folder}/{name}".lstrip("/"))

    def _existing(self, path: str) -> str:
        for file in (f"{path}/__init__.py", f"{path}.py"):
            if file in self.texts:
                return file
        return path if path in self._folders else ""

    def conftests(self, file: str) -> Iterator[str]:
        """Yield the files whose fixtures pytest gives to a test, the nearest first."""
        folder = file.rpartition("/")[0]
        while True:
            candidate = f"{folder}/conftest.py".lstrip("/")
            if candidate in self.texts and candidate != file:
                yield candidate
            if not folder:
                return
            folder = folder.rpartition("/")[0]

    def concerned_with(self, packages: Collection[str]) -> set[str]:
        """Return the files that name a package, or import a module that does, and so on.

        Only the lines of imports are looked at: parsing is what takes time.
        """
        concerned: set[str] = set()
        imported: dict[str, set[str]] = {}
        for file, text in self.texts.items():
            if any(package in text for package in packages):
                concerned.add(file)
            else:
                imported[file] = set(_imported_words(text))
        newest = set(concerned)
        for _ in range(_MAX_ROUNDS):
            names = {_module_name(file) for file in newest}
            newest = {file for file, words in imported.items() if words & names}
            for file in newest:
                del imported[file]
            concerned |= newest
        folders = [file.rpartition("/")[0] for file in concerned if file.endswith("conftest.py")]
        return concerned | {file for file in self.texts if _is_test_below(file, folders)}


def scopes_of(file: str, text: str) -> ModuleScopes | None:
    """Return the scopes of a text; None if it cannot be parsed."""
    tree = parsed(text)
    if tree is None:
        return None
    try:
        return ModuleScopes(file, tree)
    except RecursionError:
        return None


def _imported_words(text: str) -> Iterator[str]:
    """Yield the names in imports, and in paths that are passed as strings."""
    for match in _IMPORT.finditer(text):
        for part in match.groups():
            yield from _WORD.findall(part or "")
    for path in _PATH_IN_QUOTES.findall(text):
        yield from path.split(".")


def _module_name(file: str) -> str:
    parts = file.removesuffix(".py").split("/")
    return parts[-2] if parts[-1] == "__init__" and len(parts) > 1 else parts[-1]


def _is_test_below(file: str, folders: Iterable[str]) -> bool:
    name = file.rpartition("/")[2]
    if not name.startswith("test_") and not name.endswith("_test.py"):
        return False
    return any(not folder or file.startswith(f"{folder}/") for folder in folders)
