"""What a change uses of other packages, by the names that its new lines import or call, and who brought such a name."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from agent.areas import Area, area
from agent.domain import Change, FileChange
from agent.ids import RepoId
from agent.weaving.bumps import upstream_of

_MOST = 200
_SHORTEST, _SHORT_WORD = 7, 3
_PYTHON = (".py", ".pyi")
_NATIVE = (".h", ".hpp", ".cuh", ".cu", ".c", ".cc", ".cpp", ".cxx", ".inl")
_FROM = re.compile(r"^\s*from\s+([A-Za-z_]\w*)(?:\.\w+)*\s+import\s+(.*)")
_DOTTED = re.compile(r"(?<![\w.])([A-Za-z_]\w*)(?:\.\w+)*\.(\w+)")
_LAZY = re.compile(r"[\"']([A-Za-z_]\w*)(?:\.\w+)*[\"']\s*,\s*[\"'](\w+)[\"']")
_SCOPED = re.compile(r"(?<![\w:])([A-Za-z_]\w*)(?:::\w+)*::(\w+)")
_SETTING = re.compile(r"(?<![\w.])([A-Z][A-Z0-9]{4,})_[A-Z0-9_]*[A-Z0-9](?!\w)")
_STRING = re.compile(r"\"[^\"]*\"|'[^']*'")
_COMMENT = re.compile(r"(?:#|//)\s.*")
_DISTINCT = re.compile(r"[A-Za-z](?=.*(?:_|[a-z0-9][A-Z]))\w*")


class Use(NamedTuple):
    """A name that a change uses, and the package that it stands under."""

    package: str
    name: str


def uses(change: Change) -> tuple[Use, ...]:
    """List the distinctive names of other packages that the new lines of a change's product code import or call."""
    found: dict[Use, None] = {}
    for file in change.files:
        if area(file.path) is Area.PRODUCT:
            own = file.path.split("/")[:-1][:2]
            found |= {use: None for use in _uses(file) if use.package not in own and is_distinct(use.name)}
    return tuple(found)[:_MOST]


def is_distinct(name: str) -> bool:
    """Tell a name that hardly means two things: public, long, and made of several words."""
    return len(name) >= _SHORTEST and _DISTINCT.fullmatch(name) is not None


def home_of(package: str, repos: Iterable[RepoId], own: RepoId) -> RepoId | None:
    """Tell which of these repositories a package is of: by its name, which may be run together or shortened."""
    known = list(repos)
    if found := upstream_of(package, known, own):
        return found
    fitting = [repo for repo in known if repo != own and _shortens(package, repo.partition("/")[2])]
    return fitting[0] if len(fitting) == 1 else None


def brings(change: Change, use: Use) -> bool:
    """Tell whether a change defines or exports a name in the product code of a package."""
    name = re.escape(use.name)
    forms = (
        rf"\s*(?:async\s+)?def\s+{name}\b",
        rf"\s*(?:template\s*<[^>]*>\s*)?(?:class|struct|union|enum|enum\s+class|using|concept)\s+(?:\w+\s+)*?{name}\b",
        rf"\s*{name}\s*(?::[^=\n]+)?=(?!=)",
        rf"\s*from\s+\S+\s+import\s+.*\b{name}\b",
        rf"\s*[\"']?{name}[\"']?(?:\s+as\s+{name})?\s*,?\s*(?:#.*)?$",
        rf"(?!\s*(?:return|throw|co_return)\b)(?:[\w:<>,*&][\w:<>,*& ]*[ *&]){name}\s*\(",
        *([rf"[^#\n]*(?<!\w){name}(?!\w)"] if use.name.isupper() else []),
    )
    form = re.compile(rf"^\+(?:{'|'.join(forms)})", re.MULTILINE)
    # A variable of the environment is read wherever it is needed.
    return any(
        (use.name.isupper() or use.package in file.path.split("/"))
        and area(file.path) is Area.PRODUCT
        and form.search(file.patch or "")
        for file in change.files
    )


def _shortens(package: str, name: str) -> bool:
    """Tell whether a package is called like a repository: `deep_gemm` DeepGEMM, `flash_attn` flash-attention."""
    words = [[word for word in re.split(r"[^a-z0-9]+", one.lower()) if word] for one in (package, name)]
    if "".join(words[0]) == "".join(words[1]):
        return True
    return len(words[0]) == len(words[1]) > 1 and all(map(_is_short_for, *words))


def _is_short_for(short: str, word: str) -> bool:
    if short == word:
        return True
    letters = iter(word)
    return len(short) >= _SHORT_WORD and short[0] == word[0] and all(letter in letters for letter in short)


def _uses(file: FileChange) -> Iterator[Use]:
    """Give what the new lines of a file use; signs are looked for before patterns, which most lines do not need."""
    python, native = file.path.endswith(_PYTHON), file.path.endswith(_NATIVE)
    lines = (file.patch or "").split("\n") if python or native else []
    new = [line for line in lines if line.startswith("+")]
    for line in new if _SETTING.search(file.patch or "") else ():
        if _SETTING.search(line):
            # A variable of the environment bears the name of what reads it.
            code = _COMMENT.sub("", line)
            yield from (Use(match[1].lower(), match[0]) for match in _SETTING.finditer(code))
    if python:
        yield from _imported(lines)
        yield from (use for line in new if "." in line or "," in line for use in _called(line))
    elif native:
        for line in new:
            if "::" in line:
                code = _STRING.sub('""', line[1:]).partition("//")[0]
                yield from (Use(*match.groups()) for match in _SCOPED.finditer(code))


def _called(line: str) -> Iterator[Use]:
    """Read what a new line of Python calls under a package, by its name or as text."""
    quoted = '"' in line or "'" in line
    if quoted and "," in line:
        yield from (Use(*match.groups()) for match in _LAZY.finditer(line))
    code = (_STRING.sub("''", line[1:]) if quoted else line[1:]).partition("#")[0]
    yield from (Use(*match.groups()) for match in _DOTTED.finditer(code) if code[match.end() :].strip())


def _imported(lines: list[str]) -> Iterator[Use]:
    """Read the names that new lines import, also where the list of them goes over several lines."""
    package = ""
    for line in lines:
        if not package and "import" not in line:
            continue
        if line.startswith(("-", "@@")):
            package = "" if line.startswith("@@") else package
            continue
        text = line[1:].partition("#")[0]
        listed = text if package else ""
        if opening := _FROM.match(text):
            package, listed = opening[1], opening[2]
        if package and line.startswith("+"):
            names = (part.split()[0] for part in re.split(r"[(),\\]", listed) if part.strip())
            yield from (Use(package, name) for name in names if name.isidentifier())
        if package and (")" in listed or (opening and "(" not in listed)):
            package = ""
