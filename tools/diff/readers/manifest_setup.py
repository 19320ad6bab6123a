"""What a setup.py asks for and ships: requirements with their extras, versions, packages, variables, refusals."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from agent.facts import PACKAGE
from tools.diff.readers.definitions import listed_in_setup
from tools.diff.readers.lines import fold
from tools.diff.readers.manifest_python import SETUP, requirement
from tools.diff.reading import Site, Source

_TOKEN = re.compile(
    r"""#[^\n]*|[rbfuRBFU]{0,2}(?P<string>\"{3}[\s\S]*?\"{3}|'{3}[\s\S]*?'{3}|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')"""
    r"""|(?P<name>[A-Za-z_][\w.]*)|(?P<open>[\[({])|(?P<close>[\])}])|(?P<given>\+=|(?<![=!<>])=(?!=))|(?P<mark>[,:])|(?P<line>\n)"""
)
_WORDS = re.compile(r"""(["'])((?:(?!\1)[^\\\n]|\\.){2,400})\1""")
_REQUIRES = re.compile(
    r"(?:^|_|\.)(?:requires?|require_list|requirements?|dependencies|deps|extras)(?:_list|_dict)?$", re.I
)
_GROWS = re.compile(r"\.(?:append|extend|insert|add)$")
_OTHERS = re.compile(
    r"packages|package_data|package_dir|data_files|classifiers|py_modules|modules|entry_points|scripts|sources"
    r"|keywords|exclude|(?:include|library)_dirs|libraries|\w*(?:args|flags|files|paths?)"
)
"""Lists of a setup.py that hold no requirements, whatever they look like."""
PACKAGES = "packages"
_PYTHON = "python_requires"
_NUMBER = re.compile(r"\d[^\s\"']*")
_LONGEST = 1000
_ARCHITECTURE = re.compile(r"(?:-gencode=)?arch=compute_\w+,code=\w+")
"""What a compiler is told to make code for."""
_COMPARED = re.compile(
    r"""\b([\w.]{1,80})\s*(<=|>=|<|>)\s*(?:[\w.]+\.)?(?:Version|parse)\(["'](\d[\w.]*)["']\)(:\s*raise\b)?"""
)
_RAISED = re.compile(r"""\braise\s+(\w+)\(((?:[^()"']|"[^"\n]*"|'[^'\n]*'|\([^()]{0,400}\)){0,3000})\)""")
_COMMON = ("CUDA_HOME", "CUDA_PATH", "ROCM_HOME", "ROCM_PATH", "PATH", "HOME", "CC", "CXX", "MAX_JOBS")
_VARIABLE = re.compile(
    r"""(?:\benviron(?:\.get)?|\bgetenv)\s*[(\[]\s*["']([A-Za-z_]\w*)["']\s*(?:,\s*("[^"\n]{0,80}"|'[^'\n]{0,80}'|[^(),\]]{1,80}))?,?\s*[)\]](?!\s*=[^=])"""
    r"""(?:[ \t]+or[ \t]+(["'][^"'\n]{0,80}["']|\d[\d.]*)(?![\w.]))?"""
    r"""|["']([A-Za-z_]\w*)["']\s+(?:not\s+)?in\s+os\.environ\b"""
)
_LIMITED = re.compile(r"""(["']?)\bpy_limited_api\1\s*[=:]\s*(True|False|["']\w+["'])(?=\s*[,)}\n])""")
"""For which versions of Python one build serves: said of a module, or of the wheel by a key."""
_EXTENSION = re.compile(r"""\b\w*Extension\(\s*(?:name\s*=\s*)?["']([A-Za-z_][\w.]*)["']""")
"""A module that is compiled, by the name under which it is imported."""
_VERSIONS = ("__version__", "version", "VERSION", "PACKAGE_VERSION")


def read_setup(source: Source) -> Iterator[Site]:
    """Read the literal requirements and version of a setup.py, and the variables it asks; what it computes is not."""
    text = source.text.decode("utf-8", "replace")
    yield from _variables(source, text)
    yield from _refusals(source, text)
    yield from _limited(source, text)
    yield from _extensions(source, text)
    yield from listed_in_setup(source)
    yield from _Listing(source, text).read()


@dataclass
class _Frame:
    """A bracket that is open, and what it belongs to."""

    label: str
    """The name or key that it is given to, or what is called."""
    called: bool
    line: int
    begin: int
    """Where the value begins of which it is the first bracket."""
    key: str
    """The name or key before it, whatever is called: `packages` of `packages=find_packages(`."""


@dataclass
class _Listing:
    """Walks over the tokens of a setup.py, whole or cut from a hunk, and knows in which list it is."""

    source: Source
    text: str
    frames: list[_Frame] = field(default_factory=list)
    sites: list[Site] = field(default_factory=list)
    name: str = ""
    """The name or string that was read last, where only a sign may follow it."""
    key: str = ""
    """The name or key to which the next thing is given."""
    begin: int = 0
    bare: bool = True
    """Whether the line has had nothing but strings and signs so far."""
    line: int = 0
    last: str = ""
    """The sign that was read last, empty at the beginning of a line."""

    def read(self) -> list[Site]:
        """List what is asked for, in source order."""
        self.line = self.source.first_line
        for token in _TOKEN.finditer(self.text):
            kind = token.lastgroup
            if kind == "string":
                self._string(token)
                self.line += token[0].count("\n")
            elif kind == "name":
                self.name, self.begin, self.bare = token[0], token.start(), False
            elif kind == "line":
                self.line += 1
                self.bare = True
                if not self.frames:
                    self.name = self.key = self.last = ""
            elif kind is not None:
                self._sign(kind, token)
        return self.sites

    def _sign(self, kind: str, token: re.Match[str]) -> None:
        if kind == "open":
            called = bool(self.name) and token[0] == "(" and self.text[token.start() - 1 : token.start()].isidentifier()
            begin = self.begin if called else token.start()
            self.frames.append(_Frame(self.name if called else self.key, called, self.line, begin, self.key))
            self.key = ""
        elif kind == "close":
            self._close(token)
        elif kind == "given" or token[0] == ":":
            self.key = self.name or self.key
        else:
            self.key = ""
        self.name, self.last = "", token[0]

    def _close(self, token: re.Match[str]) -> None:
        frame = self.frames.pop() if self.frames else None
        if frame is None and token[0] == "}":
            self._within_extras()
        elif frame is not None and frame.key == PACKAGES:
            self._packages(frame, token.end())

    def _packages(self, frame: _Frame, end: int) -> None:
        """Note which packages are shipped, as it is written."""
        value = fold(self.text[frame.begin : end])
        if self.text[end : end + 10].lstrip().startswith("+"):
            value += " + …"
        # What is gathered in a loop is no list of what is shipped.
        if len(value) <= _LONGEST and " for " not in value:
            self.sites.append(Site("config", PACKAGES, frame.line, self.line, value=value, scope=SETUP))

    def _string(self, token: re.Match[str]) -> None:
        if self.text[max(0, token.start() - 4) : token.start()].rstrip().endswith(("==", "!=")):
            # What something is compared with is asked for by nobody: sys.platform != "win32".
            return
        text = token["string"].strip("\"'")
        following = self.text[token.end() : token.end() + 1]
        if _ARCHITECTURE.fullmatch(text):
            self.sites.append(Site("config", text, self.line, self.line, scope=SETUP))
        elif self.last == "=" and self.key:
            self._given(self.key, text)
        elif following == ":":
            if not self.frames:
                self._within_extras()
            self.name = text
        elif self.last in ("", "[", "(", "{", ",", "+=") and following in ("", ",", "]", ")", "}", "\n", " ", "#"):
            self._element(text)

    def _given(self, name: str, text: str) -> None:
        if name == _PYTHON:
            self.sites.append(Site("dependency", "python", self.line, self.line, value=text, scope="project"))
        elif name in _VERSIONS and _NUMBER.fullmatch(text):
            self.sites.append(Site("version", "version", self.line, self.line, value=text, scope="project"))
        elif name == "name" and self.frames and self.frames[-1].label.rpartition(".")[2] == "setup":
            self.sites.append(Site("config", "project.name", self.line, self.line, value=text, scope=PACKAGE))

    def _element(self, text: str) -> None:
        """Read what stands in a list: a requirement where the list is one of these, or where it names a version."""
        labels = [_GROWS.sub("", frame.label) for frame in self.frames]
        place = next((at for at, label in enumerate(labels) if _REQUIRES.search(label)), None)
        if place is not None:
            scope = ".".join(label for label in (labels[place], *labels[place + 1 : place + 2]) if label)
        elif self._is_something_else(labels):
            return
        else:
            scope = labels[-1] if labels else ""
            # In a hunk that begins inside of the extras, the first key stands outside of any bracket.
            scope = f"extras_require.{scope}" if scope and len(labels) == 1 and not self.source.whole else scope
        # One version among them tells that the names beside it are packages too.
        sure = place is not None or (scope.startswith("extras_require.") and any(map(_is_for_an_extra, self.sites)))
        if found := requirement(text, self.line, scope, sure=sure):
            self.sites.append(found)

    def _is_something_else(self, labels: list[str]) -> bool:
        """Tell whether this is no list that may hold requirements; in a hunk its beginning may be out of sight."""
        if not self.frames:
            return self.source.whole or not self.bare
        return self.frames[-1].called or any(map(_OTHERS.fullmatch, labels))

    def _within_extras(self) -> None:
        """Know what stood before another key, or the end of all keys, for an extra whose name is out of sight."""
        self.sites = [
            site._replace(scope="extras_require") if site.kind == "dependency" and not site.scope else site
            for site in self.sites
        ]


def _is_for_an_extra(site: Site) -> bool:
    return site.kind == "dependency" and site.scope.startswith("extras_require")


def _refusals(source: Source, text: str) -> Iterator[Site]:
    """Find the versions that a setup.py compares with, and the errors with which it gives up."""
    for found in _COMPARED.finditer(text):
        line = source.first_line + text.count("\n", 0, found.start())
        refused = bool(found[4])
        yield Site("limit", found[1], line, line, value=f"{found[2]} {found[3]}", scope=SETUP, rejects=refused)
    for found in _RAISED.finditer(text) if "raise " in text else ():
        first = source.first_line + text.count("\n", 0, found.start())
        message = fold("".join(string[2] for string in _WORDS.finditer(found[2])))
        if message:
            yield Site("error", found[1], first, first + found[0].count("\n"), value=message, scope=SETUP)


def _limited(source: Source, text: str) -> Iterator[Site]:
    """Find whether what is built serves later versions of Python too."""
    for found in _LIMITED.finditer(text) if "py_limited_api" in text else ():
        line = source.first_line + text.count("\n", 0, found.start())
        name = "bdist_wheel.py_limited_api" if found[1] else "py_limited_api"
        yield Site("config", name, line, line, value=found[2].strip("\"'"), scope=SETUP)


def _extensions(source: Source, text: str) -> Iterator[Site]:
    """Find by which names the compiled modules of a package are imported."""
    for found in _EXTENSION.finditer(text) if "Extension(" in text else ():
        first = source.first_line + text.count("\n", 0, found.start())
        last = first + found[0].count("\n")
        yield Site("config", "ext_modules.name", first, last, value=found[1], scope=SETUP)


def _variables(source: Source, text: str) -> Iterator[Site]:
    """Find the environment variables with which whoever builds a package steers its setup.py."""
    for found in _VARIABLE.finditer(text) if "env" in text else ():
        begins = text.rfind("\n", 0, found.start()) + 1
        if "#" in text[begins : found.start()]:
            continue
        first = source.first_line + text.count("\n", 0, found.start())
        last = first + found[0].count("\n")
        name, default = found[1] or found[4], found[2] or found[3]
        default = None if default is None else fold(default.strip())
        yield Site("env", name, first, last, public=name not in _COMMON, value=default, scope=SETUP)
