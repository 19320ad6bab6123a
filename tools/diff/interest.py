"""Which hunks can hold a fact at all: a glance at the changed lines, so that the rest is never parsed.

The marks are generous: a hunk that is read for nothing costs time, one that is passed over costs a fact. What they
leave out are plain statements inside function bodies, which are most of what changes. Plain words are looked for
before patterns are tried, because that is a hundred times as fast.
"""

import re
from collections.abc import Sequence

from tools.diff.hunks import Hunk


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_SET_BY_USERS = _words(
    """add_argument click.option typer. DEFINE_ getenv environ "-- '-- Env _env env:: .env. .long( #[arg .option(
    .get("/ .post("/ api_route Route( .route( HandleFunc .GET( .POST( Flags() flag. get_cmd_line
    regist Regist REGISTR _MAPPING _MODELS .def( TORCH_LIBRARY EXPORT_ __version__ VERSION"""
)
_RUN_INTO = _words(
    "raise assert throw CHECK _ERROR( panic bail! ensure! Err( Errorf errors.New eprecat DEPRECAT ENV env"
)
_EVERY_SITE = (*_SET_BY_USERS, *_RUN_INTO)
_PYTHON_STARTS = ("def ", "class ", "async def ", "@", "__all__", ") ->", "):")
_NAMED = re.compile(r"\*{0,2}[A-Za-z_]\w*\s*:\s*[^=\s]|[A-Z][A-Z0-9_]+\s*\+?=|[\"'][\w.:/-]+[\"']\s*[:,]")
_PARAMETER = re.compile(r"\*{0,2}[a-z_]\w*\s*(?:=\s*[^=].*)?,?\s*$")
_SIGNATURE_END = re.compile(r".\s*\)\s*(?:->.*)?:\s*$")
_MARGIN = re.compile(r"[ +-][^\s#})\]/*]")
_DECLARES = re.compile(r"[ +-]\s*(?:pub|struct|enum|union|class|trait|impl|interface|namespace|template|extern)\b")
_OPENED = re.compile(r"=\s*[(\[{]\s*$")
_SHALLOW = 8
_PYTHON = ("py", "pyi")
_BRACED = frozenset(("c", "h", "hh", "hpp", "hxx", "cc", "cpp", "cxx", "cu", "cuh", "inl", "inc", "rs", "go")) | {
    *("ts", "tsx", "js", "jsx", "mjs", "cjs", "mts", "cts")
}


def may_tell(path: str, hunk: Hunk) -> bool:
    """Tell whether a hunk is worth parsing."""
    extension = path.rpartition(".")[2].lower()
    if extension not in _BRACED and extension not in _PYTHON:
        return True
    changed = [line for line in hunk.lines if line[:1] in "+-"]
    if _has("\n".join(changed), _EVERY_SITE):
        return True
    if extension in _PYTHON:
        return _python(path, hunk, changed)
    # Inside a function body nothing is declared; elsewhere almost every line declares something.
    inside = "(" in hunk.heading and not any(_MARGIN.match(line) or _DECLARES.match(line) for line in hunk.lines)
    return not inside


def may_tell_whole(path: str, patch: str) -> bool:
    """Tell whether a file that came or went as a whole can hold something that is told beside the file."""
    extension = path.rpartition(".")[2].lower()
    return (extension not in _BRACED and extension not in _PYTHON) or _has(patch, _SET_BY_USERS)


def _has(text: str, words: Sequence[str]) -> bool:
    return any(word in text for word in words)


def _python(path: str, hunk: Hunk, changed: list[str]) -> bool:
    package = path.endswith("__init__.py")
    in_class = "class " in hunk.heading or any("class " in line for line in hunk.lines)
    parameters = False
    for line in changed:
        text = line[1:].lstrip(" ")
        depth = len(line) - 1 - len(text)
        if text.startswith(_PYTHON_STARTS) or _NAMED.match(text):
            return True
        if depth == 0 and (" = " in text or package):
            return True
        if depth == 4 and (package or (in_class and " = " in text)):
            return True
        # A value that stands on a line of its own, under a name that did not change.
        if depth <= _SHALLOW and text[:1] in "\"'([{0123456789" and any(_OPENED.search(near) for near in hunk.lines):
            return True
        parameters = parameters or _PARAMETER.match(text) is not None
    # Arguments look like parameters; where no signature is in sight they are.
    return parameters and any("def " in line or _SIGNATURE_END.match(line) for line in hunk.lines)
