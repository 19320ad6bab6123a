"""The languages whose files are read: their grammars and their queries."""

import re
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from importlib.resources import files

from tree_sitter import Language as Grammar
from tree_sitter import Node, Parser, Query

_GRAMMARS = {
    "python": ("tree_sitter_python", "language"),
    "cpp": ("tree_sitter_cpp", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "go": ("tree_sitter_go", "language"),
    "javascript": ("tree_sitter_javascript", "language"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
}
_ECMASCRIPT = ("ecmascript", "typescript")
_QUERIES = {"javascript": ("ecmascript", "javascript"), "typescript": _ECMASCRIPT, "tsx": _ECMASCRIPT}
"""The folders of queries of a language where it shares them with another one."""
_CUDA = re.compile(
    rb"\b__(?:global|device|host|forceinline|noinline|shared|constant)__\b|\b__launch_bounds__\([^()\n]*\)"
)
_EXTENSIONS = {
    "python": "py pyi",
    "cpp": "c cc cpp cxx h hh hpp hxx inl cu cuh",
    "rust": "rs",
    "go": "go",
    "javascript": "js jsx mjs cjs",
    "typescript": "ts mts",
    "tsx": "tsx",
}
_BY_EXTENSION = {extension: name for name, all_of in _EXTENSIONS.items() for extension in all_of.split()}


@dataclass(frozen=True)
class Language:
    """A grammar with all of its queries as one."""

    name: str
    grammar: Grammar
    query: Query

    def parse(self, text: bytes) -> Node:
        """Parse a text; what does not fit the grammar becomes error nodes, which no query looks into."""
        if self.name == "cpp" and b"__" in text:
            # The grammar of C++ does not know what CUDA marks functions with; blanks keep every place where it is.
            text = _CUDA.sub(lambda found: b" " * len(found[0]), text)
        return Parser(self.grammar).parse(text).root_node


def language_of(path: str) -> Language | None:
    """Choose the language of a file by its extension; None where no grammar reads it."""
    name = _BY_EXTENSION.get(path.rpartition(".")[2].lower())
    return _language(name) if name else None


@lru_cache
def _language(name: str) -> Language:
    module, function = _GRAMMARS[name]
    grammar = Grammar(getattr(import_module(module), function)())
    folders = (files("tools.diff.queries").joinpath(folder) for folder in _QUERIES.get(name, (name,)))
    sources = sorted((file for folder in folders for file in folder.iterdir()), key=lambda file: file.name)
    text = "\n".join(file.read_text("utf-8") for file in sources if file.name.endswith(".scm"))
    return Language(name, grammar, Query(grammar, text))
