"""What documents and examples name, which is how users come to set, call or read it."""

import re
from collections.abc import Iterable, Sequence

from agent.domain.commits import FileChange
from agent.domain.facts import FactKind
from agent.domain.patch import read_patch
from agent.triage.title_conventions import Area, area
from tools.diff.changed_file_declarations import declares_entry_points
from tools.diff.declaration_reader import language_of
from tools.diff.facts_by_declaration_kind import is_cmake
from tools.diff.file_roles import (
    Role,
    is_beside_product,
    is_for_users,
    is_product,
    module_of,
    role,
)
from tools.diff.located_differences import Difference

Lines = Sequence[tuple[str, str]]
"""Lines of a tree that hold a word, each behind the path of its file."""
_OF_PUBLISHED_NAMES: tuple[FactKind, ...] = (
    "flag-removed",
    "flag-renamed",
    "flag-choices-changed",
    "env-removed",
    "env-renamed",
    "route-removed",
    "metric-removed",
    "metric-renamed",
    "config-key-removed",
    "unregistered",
)
_PROGRAMS = (".py", ".sh")
_SHOWN_PROGRAMS = (Role.EXAMPLE, Role.BENCHMARK)
_DEPTH_OF_EXAMPLE = 2  # Folders of an example with several files: `examples/attention`
CONTAINER_FILE = re.compile(
    r"(?:.*/)?(?:(?:docker|container)file[^/]*|[^/]+\.(?:docker|container)file)", re.IGNORECASE
)
_RUNNER = re.compile(r"python[\d.]*|bash|sh|source|torchrun|mpirun|srun")
"""Commands that run the file which is named behind them."""
_INCLUSION = re.compile(r"--8<--|\bliteralinclude::")
"""How documents of MkDocs and Sphinx show parts of a source file."""


def names_in_documents(differences: Iterable[Difference]) -> frozenset[str]:
    """Return the names that are to be looked up in the documents of both trees."""
    names: set[str] = set()
    for difference in differences:
        if needs_publication(difference):
            names.update(_published_names(difference))
            names.add(difference.oldest.file.rpartition("/")[2])
    return frozenset(names)


def path_taken_away(file: FileChange) -> str:
    """Return the path that a commit takes away; empty where the file stays where it is."""
    if file.status == "renamed":
        return file.previous_path or ""
    return file.path if file.status == "removed" else ""


def names_of_programs(files: Iterable[FileChange]) -> frozenset[str]:
    """Return the paths and modules that go, by which documents may tell to run them."""
    names: set[str] = set()
    for file in files:
        path = path_taken_away(file)
        if path.endswith(_PROGRAMS) and (is_product(path) or is_beside_product(path)):
            names |= {path, module_of(path)}
    return frozenset(names)


def names_of_examples(files: Iterable[FileChange]) -> frozenset[str]:
    """Return how documents name the examples and benchmarks that change: by their files and folders."""
    names: set[str] = set()
    for file in files:
        if role(file.path) in _SHOWN_PROGRAMS and language_of(file.path) is not None:
            names |= {name for name in _names_of_example(file.path) if name}
    return frozenset(names)


def is_documented_example(path: str, documents: Lines | None) -> bool:
    """Return True for an example or a benchmark that a document names, so that users try it."""
    if role(path) not in _SHOWN_PROGRAMS:
        return False
    either = "|".join(re.escape(name) for name in _names_of_example(path) if name)
    named = re.compile(rf"(?<![\w-])(?:{either})(?![\w-])")
    for document, line in documents or ():
        if role(document) is Role.DOCUMENT and is_for_users(document) and named.search(line):
            return True
    return False


def _names_of_example(path: str) -> tuple[str, str]:
    """Return the file of an example, and the folder that it has for itself with all of its parts."""
    *folders, file = path.split("/")
    folder = "/".join(folders) if len(folders) == _DEPTH_OF_EXAMPLE else ""
    return file, folder


def names_of_images(files: Iterable[FileChange]) -> frozenset[str]:
    """Return the paths of images that change, by which documents may tell to build them."""
    return frozenset(file.path for file in files if CONTAINER_FILE.fullmatch(file.path))


def is_image_for_developers(path: str, documents: Lines | None) -> bool:
    """Return True for an image that no document for users names: tests and workflows run in it.

    The one at the top of a repository is built without being named.
    """
    if documents is None or "/" not in path or not CONTAINER_FILE.fullmatch(path):
        return False
    return not any(path in line for _, line in documents)


def is_run_by_documents(path: str, documents: Lines) -> bool:
    """Return True if a document has a command that runs a file by its path or as a module."""
    if not path.endswith(_PROGRAMS):
        return False
    commands = [line for document, line in documents if document != path]
    return any(_runs(command, path) for command in commands)


def _runs(line: str, path: str) -> bool:
    """Return True for a command that names a program to run, as `python`, and the file behind it."""
    is_running = False
    before = ""
    for word in line.split():
        bare_word = word.strip("`'\"$(;")
        if bare_word == f"./{path}" or (is_running and bare_word == path):
            return True
        if is_running and before == "-m" and bare_word == module_of(path):
            return True
        is_running = is_running or _RUNNER.fullmatch(bare_word) is not None
        before = bare_word
    return False


def needs_publication(difference: Difference) -> bool:
    """Return True for what breaks only for those who know a name from a document.

    An entry point of a manifest is there for others by itself.
    """
    if difference.kind == "unregistered" and declares_entry_points(difference.oldest.file):
        return False
    return difference.kind in _OF_PUBLISHED_NAMES or difference.oldest.kind == "query"


def is_published(difference: Difference, documents: Lines) -> bool:
    """Return True for a name that documents or examples have, or whose file they show."""
    either = "|".join(map(re.escape, _published_names(difference)))
    whole_name = re.compile(rf"(?<![\w-])(?:{either})(?![\w-])")
    path = difference.oldest.file
    for document, line in documents:
        if _is_about_benchmarks(document):
            continue  # Programs beside the product have options of their own
        if whole_name.search(line) or _shows_file(line, path):
            return True
    return False


def _is_about_benchmarks(document: str) -> bool:
    return role(document) is Role.DOCUMENT and area(document) is Area.BENCH


def earlier_lines(documents: Lines, files: Iterable[FileChange]) -> list[tuple[str, str]]:
    """Return the lines of documents that a commit did not write itself."""
    own_lines: set[tuple[str, str]] = set()
    for file in files:
        if is_for_users(file.path):
            for line in read_patch(file.patch).lines("new").values():
                own_lines.add((file.path, line[1:]))
    return [(path, line) for path, line in documents if (path, line) not in own_lines]


def _published_names(difference: Difference) -> list[str]:
    """Return how documents write a setting: of a nested key they have its last part."""
    oldest = difference.oldest
    if oldest.kind == "flag":
        return oldest.name.split()[:1]  # Behind it may be what it takes: `--host <address>`
    if oldest.kind != "config":
        return [oldest.name]
    if is_cmake(oldest.file):
        return [oldest.name, f"-D{oldest.name}"]
    return [oldest.name.rpartition(".")[2]]


def _shows_file(line: str, path: str) -> bool:
    """Return True for a line by which a document shows a part of a file."""
    return _INCLUSION.search(line) is not None and path in line
