"""Where the user's own code uses what a change removes, renames or alters; nothing here reads files or leaves them."""

import builtins
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from agent.domain import Change, Frozen
from agent.facts import Fact, FactKind
from agent.ids import RepoId
from agent.own_python import PythonFile, Reference, read_python

K = FactKind
MOST_PLACES = 3
_NATIVE = (".c", ".cc", ".cpp", ".cxx", ".cu", ".cuh", ".h", ".hh", ".hpp", ".rs", ".go", ".ts", ".js")
_SETTING = ("flag-", "env-", "route-", "config-key-")
_SYMBOL = ("symbol-", "field-", "enum-member-", "constant-", "base-", "signature-", "deprecated")
_GONE = (K.PARAMETER_REMOVED, K.PARAMETER_RENAMED)
_OWN_FIELDS = re.compile(r"(?:Config|Args|Options|Settings|Params|Request|Response)$")
"""Records that take their own fields; whatever else takes a setting by its name hands it on to one."""
_HANDED_ON = ("Args", "Arguments")
"""Records of everything that a program can be started with: its interfaces take their fields by name."""
_TOKEN = re.compile(r"--?[A-Za-z][\w-]*|/[\w{}./-]*[\w}]|[A-Za-z_][\w.-]*\w|[A-Za-z_]")
_DECLARED = re.compile(
    r"^-\s*(?:async\s+)?(?:def|class)\s+(\w+)|^-\s*(\w+)\s*[:=]|(\w+)\s*\(|[\"'](--?[\w-]+|[\w.-]+|/[\w/{}.-]+)[\"']"
)
_COMMENT = ("#", "//")
_BUILTIN = frozenset(name for kind in (dict, list, str, set, bytes, int, Exception) for name in dir(kind)) | {
    *dir(builtins)
}


class OwnUse(Frozen):
    """One line of the user's own code that names what a commit changes."""

    repo: RepoId
    sha: str
    name: str
    file: str
    line: int


def concerns(fact: Fact) -> bool:
    """Tell a fact after which code that was written before may need a change; what is new is in nobody's code."""
    added = fact.kind.endswith("-added") and not (fact.kind is K.PARAMETER_ADDED and fact.severity == "breaking")
    kinds = (*_SETTING, *_SYMBOL, "parameter-", "unregistered", "file-re")
    return fact.kind.startswith(kinds) and not added


def projects_of(repo: RepoId, modules: Iterable[str]) -> frozenset[str]:
    """Name what code says that uses a repository: its own name, its packages, its public headers' folders."""
    tops = {re.split(r"[./]", module.partition("include/")[2] or module)[0].lower() for module in modules}
    return frozenset({repo.rpartition("/")[2].lower(), *(top for top in tops if len(top) > 3)})


def names_project(text: str, projects: Iterable[str]) -> bool:
    """Tell a file that has anything to do with a project: flags and common words mean nothing elsewhere."""
    low = text.lower()
    return any(re.search(rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])", low) for name in projects if name in low)


def words_of(path: str, text: str, projects: Iterable[str]) -> set[str]:
    """List the words of a file by which a change that concerns it can be found."""
    python = read_python(text) if path.endswith((".py", ".pyi")) else None
    words = set(_tokens(python.texts if python else _code_lines(text)))
    for one in (*python.references, *python.members) if python else ():
        if "." not in one.name or one.name.partition(".")[0].lower() in projects:
            words |= {*one.name.split("."), *one.keywords}
    return words


def words_gone(change: Change) -> frozenset[str]:
    """List what the lines that a change takes out may have declared, and the files that went."""
    found: set[str] = set()
    for file in change.files:
        for line in re.findall(r"^-(?!--).*", file.patch or "", re.MULTILINE):
            found |= {_plain(word) for groups in _DECLARED.findall(line) for word in groups if word}
        if file.status in ("removed", "renamed"):
            found.add((file.previous_path or file.path).rpartition("/")[2].partition(".")[0])
    return frozenset(found)


def find_uses(facts: Sequence[Fact], path: str, text: str) -> Iterator[tuple[Fact, int]]:
    """Find the lines of one file that use what the facts are about, each fact in its first few places."""
    python = read_python(text) if path.endswith((".py", ".pyi")) else None
    tokens = _tokens(python.texts if python else _code_lines(text))
    for fact in facts:
        if not concerns(fact):
            continue
        if fact.kind.startswith((*_SETTING, "unregistered")):
            lines = _setting_lines(fact, tokens, python)
        elif python:
            lines = _python_lines(fact, python) if "/" not in fact.module else iter(())
        else:
            lines = _native_lines(fact, path, text, tokens)
        yield from ((fact, line) for line in sorted(set(lines))[:MOST_PLACES])


def used_name(fact: Fact) -> str:
    """Name what is used, as code has it that was written before."""
    return (
        f"{_sought(fact)}({fact.old or fact.detail})"
        if fact.kind is K.PARAMETER_RENAMED
        else (
            f"{_sought(fact)}({fact.detail})" if fact.kind.startswith("parameter-") and fact.detail else _sought(fact)
        )
    )


def _sought(fact: Fact) -> str:
    """Give the name that code has which was written before the change."""
    if fact.kind.endswith("-renamed") and fact.old and not fact.kind.startswith(("parameter-", "file-")):
        owner = fact.name.rpartition(".")[0] if fact.kind.startswith(_SYMBOL) else ""
        return f"{owner}.{fact.old}" if owner else fact.old
    return fact.name.removesuffix(".__init__")


# ---------------------------------------------------------------- flags, variables, routes, keys


def _code_lines(text: str) -> list[tuple[str, int]]:
    lines = enumerate(text.splitlines(), start=1)
    return [(line, number) for number, line in lines if not line.lstrip().startswith(_COMMENT)]


def _tokens(lines: Iterable[tuple[str, int]]) -> Mapping[str, list[int]]:
    """Find the words of lines; a text over several lines is named by its first."""
    found: dict[str, list[int]] = defaultdict(list)
    for text, first in lines:
        for offset, line in enumerate(text.split("\n")):
            for token in _TOKEN.findall(line):
                found[_plain(token)].append(first + offset)
    return found


def _plain(token: str) -> str:
    """Write a flag one way: programs take dashes and underscores alike, and `--no-` before a switch."""
    return "--" + token[2:].replace("_", "-").removeprefix("no-") if token.startswith("--") else token


def _setting_lines(fact: Fact, tokens: Mapping[str, list[int]], python: PythonFile | None) -> Iterator[int]:
    name = _sought(fact)
    if fact.kind.startswith(("config-key-", "unregistered")) and not re.search(r"[a-z][_.-]?[A-Z_.-]", name):
        # A single common word.
        return
    yield from tokens.get(_plain(name), ())
    if python and fact.kind.startswith("env-"):
        yield from (one.line for one in python.references if one.name.rpartition(".")[2] == name)
    if fact.kind.startswith("route-"):
        yield from (line for token, lines in tokens.items() if token.endswith(name) for line in lines)


# ---------------------------------------------------------------- names of code


def _python_lines(fact: Fact, file: PythonFile) -> Iterator[int]:
    if fact.kind in (K.FILE_REMOVED, K.FILE_RENAMED):
        yield from (one.line for one in file.references if _within(one.name, fact.module))
    elif fact.kind.startswith("parameter-"):
        yield from _call_lines(fact, file)
    else:
        sought = _sought(fact)
        exact = fact.kind is K.SYMBOL_MOVED
        yield from (one.line for one in file.references if _means(one.name, fact.module, sought, exact=exact))
        yield from _member_lines(fact, sought, file)


def _call_lines(fact: Fact, file: PythonFile) -> Iterator[int]:
    """Find the calls that a change of a parameter concerns: those that give it, or those that do not."""
    name = fact.old if fact.kind is K.PARAMETER_RENAMED else fact.detail
    for one in file.references:
        if (one.call or one.overrides) and _means(one.name, fact.module, _sought(fact), whole=True):
            given = one.keywords.get(name or "")
            if fact.kind is K.PARAMETER_REORDERED:
                concerned = one.positional > 1
            else:
                concerned = (given is not None) is (fact.kind in _GONE)
            if concerned or one.overrides:
                yield given or one.line
    if fact.kind in _GONE:
        yield from _member_lines(fact, _sought(fact), file, keyword=name)


def _member_lines(fact: Fact, sought: str, file: PythonFile, keyword: str | None = None) -> Iterator[int]:
    """Find a member of a class that the file imports, and a setting that is given by its name."""
    owner, _, name = sought.rpartition(".")
    if not owner:
        return
    if fact.kind.startswith("field-"):
        top = fact.module.partition(".")[0] if owner.endswith(_HANDED_ON) else ""
        calls = (one for one in file.references if one.call and name in one.keywords)
        yield from (one.keywords[name] for one in calls if _means(one.name, fact.module, owner) or _hands_on(one, top))
    if any(_means(one.name, fact.module, owner) for one in file.references) and name not in _BUILTIN:
        members = (one for one in file.members if one.name == name)
        yield from (
            one.keywords.get(keyword or "", one.line) for one in members if not keyword or keyword in one.keywords
        )


def _hands_on(call: Reference, top: str) -> bool:
    """Tell a call of the same package that may hand its keywords on to settings."""
    return _within(call.name, top) and not _OWN_FIELDS.search(call.name)


def _means(name: str, module: str, path: str, *, exact: bool = False, whole: bool = False) -> bool:
    """Tell whether a dotted name is this one of the module, or as a package above gives it on."""
    head, found, rest = f"{name}.".partition(f".{path}.")
    given_on = head == module if exact else _within(module, head)
    return bool(found) and given_on and not (whole and rest)


def _within(name: str, package: str) -> bool:
    return bool(package) and (name == package or name.startswith(f"{package}."))


def _native_lines(fact: Fact, path: str, text: str, tokens: Mapping[str, list[int]]) -> Iterator[int]:
    """Find a name in a file that includes its header, names its owner, or could mean nothing else by such a name."""
    if "/" not in fact.module or not path.endswith(_NATIVE) or fact.kind.startswith("file-"):
        return
    owner, _, name = _sought(fact).rpartition(".")
    header = fact.module.rpartition("/")[2]
    if owner and not re.search(rf"\b{re.escape(owner.rpartition('.')[2])}\b", text):
        return
    if f"{header}" in text or re.search(r"_|[a-z][A-Z]", name):
        yield from tokens.get(name, ())
