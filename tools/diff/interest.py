"""Which hunks can hold a fact at all: a glance at the changed lines, so that the rest is never parsed.

The marks are generous: a hunk that is read for nothing costs time, one that is passed over costs a fact. What they
leave out are plain statements inside function bodies, which are most of what changes. Plain words are looked for
before patterns are tried, because that is a hundred times as fast. Indentation is matched by `*+`: what may follow it
never begins with a space, and a pattern that gives spaces back tries all of it again at each one.
"""

import re
from collections.abc import Sequence, Set
from keyword import kwlist, softkwlist

from tools.diff.cautions import may_caution
from tools.diff.decided import may_decide
from tools.diff.headers import HEADERS
from tools.diff.hunks import Hunk
from tools.diff.readers.python_mentions import may_declare


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# The words that are seen most stand first.
_PYTHON_SITES = _words(
    """raise assert env "-- '-- "-D '-D default= choices= add_argument eprecat VERSION __version__ Env ENV ption( oute(
    "/ '/ at_least( ersion( version. DEFINE_ REGIST Regist _MAP _MODELS DEPRECAT typer. paths=[ names=[ models=[
    aliases=[ add_parser( Gauge( gauge_cls( Counter( counter_cls( Histogram( histogram_cls( Summary( summary_cls("""
)
_SET_BY_USERS = _words(
    """DEFINE_ env::var .env. .long( #[arg .option( .flag( .get("/ .post("/ Route( .route( HandleFunc .GET( .POST(
    Flags() flag.String( flag.Bool( flag.Int flag.Duration( flag.Var( cmd_line add_option add_flag add_argument
    REGISTER_ .def( TORCH_LIB TVM_ PYBIND11_MODULE"""
)
_BRACED_SITES = _words(
    """CHECK raise default assert throw _ERROR( env Env ENV eprecat DEPRECAT regist Regist REGISTR VERSION panic
    bail ensure! Err( Errorf errors.New "-- '-- flag. DEFINE_ .long( #[arg .option( .get("/ .post("/ Route( .route(
    HandleFunc .GET( .POST( Flags() cmd_line .def( .def_ TORCH_LIB EXPORT_ TVM_ _MAP __version__ THROW ASSERT FATAL
    .value(" describe_ counter!( gauge!( histogram!( ::arg( "_a cerr stderr abort( =*/ RuntimeCheck LOG_ERR
    emitOpError emitError diag;"""
)
_READ_BY_NAME = (
    *(re.compile(env + r"\w*\s*(?:<[^<>\n]*>\s*)?\(\s*[\"']") for env in ("nv", "NV", "nV", "Nv")),
    re.compile(r"VERSION\w*[ \t=]+[\"(v\d]"),
)
_SETUP = re.compile(r"(?:^|/)setup\w*\.py$")
# A definition, a constant, something with a type; a type that is followed by a word, or that stands alone behind a
# space, belongs to the prose of a docstring: `size: Number of tokens`, `size : int`.
_DECLARED = re.compile(
    r"\n. *+(?:(?:async )?def |class |@|__all__|\) ->|[A-Z][A-Z0-9_]+[ \t]*\+?="
    r"|(?!\w+ :[^=\n]*[^,=(\[\n](?:\n|\Z))\*{0,2}[A-Za-z_]\w*[ \t]*:[ \t]*(?![\w.`'-]+ +[A-Za-z`(])[^=\s#])"
)
_ENTRY = re.compile(r"[\"'][\w.:/-]+[\"']\s*[:,]")
_LISTS = _words("add_argument choices Literal ption( __all__ REGISTR Regist regist _MAP _MODELS _BACKENDS env")
_REGISTERED = re.compile(r"regist\w*\s*[(:=\[]")
# Of C, C++ and CUDA: comments, directives that define nothing, and statements, which stand in some body.
_IDLE = re.compile(
    r".\s*+(?:$|//|/\*|\*[ /]|\*$|#\s*(?:include|pragma|ifndef|if(?!(?<=\+#if)(?:def [A-Za-z]| defined))|el|endif)"
    r"|(?:return|for|while|break|continue|switch|case)\b"
    r"|[\w\]\[]+(?:->|\.)[\w.>\[\]-]+\s*(?:[-+*/|&^]?=[^=]|\+\+|--|\())"
)
_BOUNDED = re.compile(
    r"const(?<!\wconst)(?:expr)? .*(?:[mM]ax|MAX|[mM]in|MIN|imit|IMIT|hresh|HRESH|imeout|IMEOUT|apacity)"
)
_PARAMETER = re.compile(r". *+(?:\*{0,2}[a-z_]\w*(?:=[^=].*)?|\*|/),?\s*(?:#.*)?$")
_SIGNATURE_END = re.compile(r".\s*+\)\s*(?:->.*)?:\s*$")
_MARGIN = re.compile(r"[ +-][^\s#})\]/*]")
_DECLARES = re.compile(r"[ +-]\s*+(?:pub|struct|enum|union|class|trait|impl|interface|namespace|template|extern)\b")
_CONTAINER = re.compile(r"\b(?:struct|class|union|enum|namespace|extern)\b")
_WORDING = re.compile(r"\n.[ \t]*+(?:[frFR]{0,2}[\"']|<<)")
_FAILING = _words("raise assert warn CHECK throw ERROR ASSERT Error( panic bail ensure! Errorf deprecat cerr")
_RENAMED = re.compile(r"\w+ as \w+,")
_GIVEN_ON = re.compile(r"(?:from|import)\b|[\w.]+(?: as \w+)?,?\s*(?:#.*)?$|[\"')\]]")
_QUOTES = ('"""', "'''")
_IN_A_ROW = re.compile(r"\b[a-z]{2,}+ [a-z]{2,}+ [a-z]{2,}+\b")
_KEYWORDS = frozenset((*kwlist, *softkwlist))
_UNREAD = re.compile(r"[\"'#]")
_QUOTED = ('"', "'")
_SPREAD = re.compile(r".(?:    )?[A-Za-z_]\w*(?:\s*:[^=]*)? = [\w.]+[(\[{]$")
_METHOD = re.compile(r"(?:async )?def (?:__|\w+\((?:self|cls)\b)")
_OPENED = re.compile(r"=\s*[(\[{]\s*$")
_GIVEN = re.compile(r"\b(?:choices|default\w*|const)\s*=\s*[(\[{]\s*$")
_SHALLOW = 8
_LONGEST_CONDITION = 8
_BRANCHES = ("if ", "elif ", "raise ", "else:")
_NAMED_ITEM = re.compile(r"\n.    [A-Z]\w*\(\n.        name=[\"']")
"""An item of a module's list that has a name."""
_METRIC = re.compile(r"\n.\s*+name=\"[A-Za-z]\w*[:_][\w:]+\",?(?:\n|\Z)")
_METRICS = _words("auge( auge_cls( ounter( ounter_cls( istogram( istogram_cls( ummary( ummary_cls(")
"""Where a metric may be called otherwise below a line that stays."""
_MEASURED = _words("describe_ counter!( gauge!( histogram!( counter_vec!( gauge_vec!( histogram_vec!(")
"""The same, of Rust."""
_PYTHON = ("py", "pyi")
_PACKAGE = "/__init__.py"
_INDENTED = frozenset(("rs", "go", "ts", "tsx", "js", "jsx", "mjs", "cjs", "mts", "cts"))
"""Languages whose functions often stand inside something else, so that the margin does not tell where they end."""
_BRACED = _INDENTED | {"c", "h", "hh", "hpp", "hxx", "cc", "cpp", "cxx", "cu", "cuh", "inl", "inc"}
_SHADERS = ("metal", "cl")
"""Languages of which kernels alone are told."""
_SWITCHED = re.compile(
    r"\n[+-][ \t]*#[ \t]*(?:el)?if[^\n]*\b(?:[A-Z0-9]+_)*(?:DISABLE|ENABLE|WITH|WITHOUT|USE|NO|BUILD|SKIP)_"
)
"""A header that is built otherwise where somebody defines a macro."""


def telling(path: str, hunks: Sequence[Hunk]) -> tuple[Hunk, ...]:
    """Choose the hunks of a patch that are worth parsing."""
    extension = path.rpartition(".")[2].lower()
    if (extension not in _BRACED and extension not in _PYTHON) or _SETUP.search(path):
        return tuple(hunks)
    if extension in _PYTHON:
        chosen = [hunk for hunk in hunks if _may_tell(path, extension, hunk, _PYTHON_SITES) or may_decide(path, hunk)]
        return tuple(hunk for hunk in chosen if not _is_prose(hunk.text))
    return tuple(hunk for hunk in hunks if _may_tell(path, extension, hunk, _BRACED_SITES) or may_decide(path, hunk))


def _may_tell(path: str, extension: str, hunk: Hunk, words: Sequence[str]) -> bool:
    changed = hunk.changed
    # Patterns begin with a line's end, because the engine finds a letter faster than a place.
    text = "\n" + "\n".join(changed)
    if _has(text, words):
        return True
    if may_caution(text):
        return True
    # The words of an error often change on lines below the one that raises it.
    if _WORDING.search(text) and _has(hunk.text, _FAILING):
        return True
    if extension in _PYTHON:
        if 'name="' in text and _METRIC.search(text) and _has(hunk.text, _METRICS):
            return True
        if _DECLARED.search(text) or ("regist" in text and _REGISTERED.search(text)):
            return True
        if "if " in text and _raises_below(hunk):
            return True
        return _NAMED_ITEM.search(text) is not None or _python(path, hunk, changed)
    if extension == "rs" and '"' in text and _WORDING.search(text) and _has(hunk.text, _MEASURED):
        return True
    if "const" in text and _BOUNDED.search(text):
        return True
    if "#" in text and path.endswith(HEADERS) and _SWITCHED.search(text):
        return True
    if all(_IDLE.match(line) for line in changed):
        return False
    # Inside a function body nothing is declared; elsewhere almost every line declares something.
    if "(" not in hunk.heading or any(_DECLARES.match(line) for line in hunk.lines):
        return True
    if extension in _INDENTED:
        return any(_MARGIN.match(line) for line in hunk.lines)
    open_head = hunk.heading.count("(") > hunk.heading.count(")")
    return (open_head and _begins_in_signature(hunk)) or _outside_of_bodies(hunk)


def _raises_below(hunk: Hunk) -> bool:
    """Tell whether a condition changed right above an error that stays: `if n > 4:`, `raise ValueError(…)`."""
    lines = hunk.lines
    for at, line in enumerate(lines):
        if line[:1] == " " and line.lstrip().startswith("raise "):
            for above in reversed(lines[max(at - _LONGEST_CONDITION, 0) : at]):
                if above[:1] in "+-":
                    return True
                if above.lstrip().startswith(_BRANCHES):
                    break
    return False


def may_tell_whole(path: str, patch: str) -> bool:
    """Tell whether a file that came or went as a whole can hold something that is told beside the file."""
    extension = path.rpartition(".")[2].lower()
    if extension in _PYTHON:
        return may_declare(patch.encode("utf-8", "replace")) or (path.endswith(_PACKAGE) and "raise " in patch)
    if extension in _SHADERS:
        return False
    if extension not in _BRACED or _has(patch, _SET_BY_USERS):
        return True
    return any(pattern.search(patch) for pattern in _READ_BY_NAME)


def _has(text: str, words: Sequence[str]) -> bool:
    for word in words:  # noqa: SIM110  # a generator costs more than the search
        if word in text:
            return True
    return False


def _python(path: str, hunk: Hunk, changed: Sequence[str]) -> bool:
    package = path.endswith("__init__.py")
    given_on = _GIVEN_ON if package else _RENAMED
    in_class = hunk.heading.startswith("class ") or "class " in hunk.text
    depths: set[int] = set()
    for line in changed:
        text = line[1:].lstrip(" ")
        depth = len(line) - 1 - len(text)
        if _is_entry(text, depth, hunk):
            return True
        if depth > _SHALLOW:
            continue
        depths.add(depth)
        if depth == 0 and (" = " in text or package):
            return True
        if (depth in (2, 4) and in_class and " = " in text) or given_on.match(text):
            return True
        if text.startswith(_QUOTED) and text[:3] not in _QUOTES:
            return True
    if in_class and _has_bases(hunk):
        return True
    return _in_value(hunk, depths, in_class=in_class) or _has_parameters(hunk, changed)


def _has_bases(hunk: Hunk) -> bool:
    """Tell whether a changed line stands among the bases of a class, each on a line of its own."""
    inside = hunk.heading.startswith("class ") and hunk.heading.endswith("(")
    for line in hunk.lines:
        text = line[1:].rstrip()
        if text.endswith("(") and text.lstrip().startswith("class "):
            inside = True
        elif text and not text.endswith(","):
            inside = False
        elif inside and line[:1] in "+-":
            return True
    return False


def _in_value(hunk: Hunk, depths: Set[int], *, in_class: bool) -> bool:
    """Tell whether lines so deep may be a value that stands on lines of its own, under a name that did not change."""
    last = [line for line in hunk.lines if line[-1:] in "([{"] if depths else []
    if any(_OPENED.search(line) and _holds_value(line, in_class=in_class) for line in last):
        return True
    members = in_class or not hunk.heading or _METHOD.match(hunk.heading) is not None
    return members and max(depths, default=0) > 4 and any(_SPREAD.match(line) for line in last)


def _holds_value(line: str, *, in_class: bool) -> bool:
    """Tell whether what a line opens is the value of a module's or class's name, or of a flag."""
    depth = len(line) - 1 - len(line[1:].lstrip(" "))
    return depth == 0 or (in_class and depth <= _SHALLOW) or _GIVEN.search(line) is not None


def _is_prose(text: str) -> bool:
    """Tell whether a hunk lies inside a docstring: three words in a row are no Python, and hard work for a grammar."""
    if any(quotes in text for quotes in _QUOTES) or "eprecat" in text:
        return False
    for found in _IN_A_ROW.finditer(text):
        before = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
        if _KEYWORDS.isdisjoint(found[0].split(" ")) and not _UNREAD.search(before):
            return True
    return False


def _begins_in_signature(hunk: Hunk) -> bool:
    """Tell whether a line changed before the first statement or body."""
    for line in hunk.lines:
        if line[:1] in "+-":
            return True
        if ";" in line or "{" in line:
            return False
    return False


def _outside_of_bodies(hunk: Hunk) -> bool:
    """Tell whether a changed line of C, C++ or CUDA stands outside of the functions that begin at the left margin."""
    inside, head = True, False
    for line in hunk.lines:
        text = line[1:]
        if _MARGIN.match(line):
            inside, head = False, _CONTAINER.search(line) is None
        elif text.startswith("}"):
            inside = head = False
        if not inside and line[:1] in "+-" and text.strip() and not text.lstrip().startswith(("//", "*", "/*")):
            return True
        if text.startswith("{") or (head and text.rstrip().endswith("{")):
            inside, head = True, False
    return False


def _is_entry(text: str, depth: int, hunk: Hunk) -> bool:
    """Tell whether a line is an item of a list that others read; deep in a function it is mostly an argument."""
    if text[:2] == "+ " or text[:1] == "*":
        # A further list that a flag takes its choices from.
        return any("choices" in line for line in hunk.lines)
    if text[:1] not in "\"'" or _ENTRY.match(text) is None:
        return False
    if depth <= _SHALLOW or hunk.heading.startswith("class ") or _has(hunk.text, _LISTS):
        return True
    # Of a class that begins in the hunk, below what git names it by.
    return any(map(_SPREAD.match, hunk.lines)) and any(line[1:].startswith("class ") for line in hunk.lines)


def _has_parameters(hunk: Hunk, changed: Sequence[str]) -> bool:
    """Tell whether a changed line in a signature looks like a parameter; elsewhere it would be an argument."""
    if not any(map(_PARAMETER.match, changed)):
        return False
    ends = next((at for at, line in enumerate(hunk.lines) if _SIGNATURE_END.match(line)), -1)
    begins = next((at for at, line in enumerate(hunk.lines) if _is_definition(line)), len(hunk.lines))
    inside = (0 <= ends < begins or (ends < 0 and _is_all_signature(hunk))) and _may_be_parameters(hunk.lines[:ends])
    for line in hunk.lines:
        if _is_definition(line):
            inside = line.count("(") > line.count(")")
        elif inside and _SIGNATURE_END.match(line):
            inside = False
        elif inside and line[:1] in "+-" and _PARAMETER.match(line):
            return True
    return False


def _may_be_parameters(lines: Sequence[str]) -> bool:
    """Tell whether lines before which nothing can be seen may be parameters: arguments stand deeper, without types."""
    return any(":" in line or not line[1:].startswith("     ") for line in lines)


def _is_all_signature(hunk: Hunk) -> bool:
    """Tell whether a hunk stands inside a signature that begins before and ends behind it."""
    if hunk.heading.count("(") <= hunk.heading.count(")"):
        return False
    texts = [line[1:].strip() for line in hunk.lines]
    return all(not text or text[0] == "#" or text.split("  #")[0].endswith(",") for text in texts)


def _is_definition(line: str) -> bool:
    return "def " in line and line[1:].lstrip(" ").startswith(("def ", "async def "))
