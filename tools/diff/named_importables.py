"""Which importable names somebody wrote down: a package, a document, an example, a title.

What users reach only by `import *` of an inner module is there by chance.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from agent.domain.commits import Change, FileChange
from agent.domain.patch import read_patch
from tools.diff.documented_names import Lines
from tools.diff.facts_by_declaration_kind import ROWS
from tools.diff.file_roles import is_for_users, is_product
from tools.diff.located_differences import Difference, FoundDeclaration
from tools.diff.names_sought_in_trees import SurroundingTrees, holds_word
from tools.diff.reachable_declarations import is_filled_in_field, is_private


def importable_names(differences: Iterable[Difference]) -> frozenset[str]:
    """Return the classes and functions of Python to be looked up in packages and documents."""
    names: set[str] = set()
    for difference in differences:
        if _is_importable(difference) and not is_private(difference.oldest):
            names.add(_top_name(difference.oldest))
    return frozenset(names)


def is_written_down(difference: Difference, trees: SurroundingTrees, change: Change) -> bool:
    """Return True for what is no importable of Python, or whose name anybody wrote down.

    Also where the trees are not at hand, and for fields that users fill in.
    """
    if trees.before is None or trees.documents is None:
        return True
    oldest = difference.oldest
    if not _is_importable(difference) or is_filled_in_field(oldest):
        return True
    if oldest.kind == "export" or oldest.file.endswith("__init__.py"):
        return True
    name = _top_name(oldest)
    if any(sibling.kind == "export" and sibling.name == name for sibling in oldest.siblings):
        return True
    if _is_in_title(difference, change.commit.title):
        return True
    if is_given_on(name, trees.before) or is_given_on(name, _added_lines(change.files)):
        return True
    documents = [*trees.documents, *_added_lines(change.files)]
    return any(is_for_users(path) and holds_word(line, name) for path, line in documents)


def is_given_on(name: str, lines: Lines) -> bool:
    """Return True if one of these lines gives a name on by itself, in the `__init__.py` of a package."""
    # A call of the function, or of a method with its name, is a use by the package itself.
    given_name = re.compile(rf"(?<![\w.]){re.escape(name)}(?![\w(.])")
    for path, line in lines:
        is_package = path.endswith("__init__.py") and is_product(path)
        if is_package and holds_word(line, name) and given_name.search(line):
            return True
    return False


def _is_importable(difference: Difference) -> bool:
    newest = difference.newest
    return newest.is_python and ROWS[newest.kind].symbol and is_product(newest.file)


def _top_name(declared: FoundDeclaration) -> str:
    return declared.path.partition(".")[0]


def _is_in_title(difference: Difference, title: str) -> bool:
    names = {_top_name(difference.oldest), difference.oldest.name, difference.newest.name}
    return any(holds_word(title, name) for name in names)


def _added_lines(files: Sequence[FileChange]) -> Lines:
    """Return the lines that a commit adds to packages and documents."""
    return list(_lines_of_packages_and_documents(files))


def _lines_of_packages_and_documents(files: Iterable[FileChange]) -> Iterator[tuple[str, str]]:
    for file in files:
        if file.path.endswith("__init__.py") or is_for_users(file.path):
            for line in read_patch(file.patch).lines("new").values():
                yield file.path, line[1:]
