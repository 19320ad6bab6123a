"""Where what left a file is now, or what came to one was before: in files that came or went as wholes."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import cached_property
from itertools import chain

from agent.domain import FileChange
from tools.diff.draft import Draft
from tools.diff.headers import HEADERS, includes, is_c, margin_names, opens_namespace
from tools.diff.languages import reader_for
from tools.diff.letters import letters, refused, written
from tools.diff.metrics import quoted
from tools.diff.rehoused import House, Rehoused
from tools.diff.roles import Role, role
from tools.diff.successors import Successors
from tools.diff.variables import asking, reads

DECLARED = re.compile(
    r"\n[+-](?=[acdefpstu])(?!(?:struct|class|enum class|enum|union) \w+;)"
    r"(?:(?:async )?(?:def|class)|pub (?:fn|struct|enum|trait|const)|func|type|struct|enum class|enum|union"
    r"|export (?:default )?(?:async )?(?:function|class|const|interface|type|enum)) "
    r"(?:alignas\([^()]*\) )?([A-Za-z_]\w*)"
)
"""What a whole file declares at its left margin; what C only announces (`class X;`) stands elsewhere."""
_VALUE = re.compile(r"\n[+-]([A-Za-z_]\w*+)\s*+(?::[^=\n]+)?=(?!=)")
_CONDITION = re.compile(r"\n[+-](?:if|elif|else|try|except)\b[^\n]*:")
_CONDITIONED = re.compile(r"[+-](?:    |  )(?:async )?(?:def|class) (\w+)")
_SET = re.compile(r"[+-](?:    |  )([A-Za-z_]\w*+)\s*+(?::[^=()\n]+)?=(?!=)")
_PLACEHOLDER = re.compile(r"\{[^{}]*\}|%[sdr]")
_ADDED, _REMOVED = re.compile(r"\n\+(?!\+)(.*)"), re.compile(r"\n-(?!-)(.*)")
_CLASS_THEN, _CLASS_NOW = re.compile(r"\n-class (\w+)"), re.compile(r"\n[+ ]class (\w+)")
_MARGIN = re.compile(r"\n(?:@@|[-+ ][^\s)#])")
_FOREIGN = (Role.TEST, Role.DOCUMENT)
_MOST_OF_IT = 0.75
_RUN, _STEP = 30, 4
_TWICE = 2
_LIST = "requirements.txt"
"""The list that everybody installs by; those of tests and documents have longer names."""
_WORDS = 24
"""Letters of a message that stand on one line nearly always."""


class Homes:
    """The whole files of a commit, asked for names, bodies and messages; nothing is looked at before that."""

    def __init__(self, files: Sequence[FileChange]) -> None:
        self._files = files
        self._told = [file for file in files if file.patch and role(file.path) not in _FOREIGN]
        self._included: dict[str, Set[str]] = {}
        self._called: dict[tuple[str, str], bool] = {}

    def of(self, name: str, path: str, *, came: bool) -> str | None:
        """Find the file that came (or went) with a declaration.

        It is the only one, the one of the same file name, the header that the old file includes now, or the header of
        a source that defines what it declares.
        """
        declared = (self._came if came else self._went).get(name, ())
        # The same name in another language is another thing.
        files = [file for file in declared if reader_for(file) is reader_for(path)]
        stem = path.rpartition("/")[2]
        alike = [file for file in files if file.rpartition("/")[2] == stem]
        headers = [file for file in files if file.endswith(HEADERS)]
        if not alike and len(files) > 1 and headers:
            alike = [file for file in headers if came and self.reaches(path, file)]
            files = headers if len({file.rpartition(".")[0] for file in files}) == 1 else files
        return alike[0] if alike else files[0] if len(files) == 1 else None

    def before(self, path: str) -> str:
        """Name a file as it was called before the commit."""
        return next((file.previous_path for file in self._files if file.path == path and file.previous_path), path)

    def reaches(self, path: str, other: str) -> bool:
        """Tell whether a file is seen to include another one: what moved there is still had from here."""
        if other.rpartition("/")[2] in self._included.get(path, ()):
            return True
        return any(file.path == path and includes(file.patch or "", other) for file in self._told)

    def opens(self, path: str, name: str) -> bool:
        """Tell whether a new header has the namespace that a thing of this name stood in."""
        return any(file.path == path and opens_namespace(file.patch or "", name) for file in self._told)

    def learn(self, path: str, included: Set[str]) -> None:
        """Take in which headers a file includes, by the names of these, where more of it was read than its patch."""
        self._included[path] = included

    def shows(self, pattern: re.Pattern[str], word: str) -> bool:
        """Tell whether a line that the commit shows, with this word in it, fits a pattern that minds the signs."""
        return any(file.patch and word in file.patch and pattern.search(file.patch) for file in self._told)

    def count(self, pattern: re.Pattern[str], word: str) -> int:
        """Count the lines with this word that fit such a pattern."""
        return sum(len(pattern.findall(file.patch)) for file in self._told if file.patch and word in file.patch)

    def shared(self, left: Iterable[str], come: Iterable[str]) -> set[str]:
        """Name the whole files that declare what went from, or came to, another file, whole or not."""
        if not any(file.status in ("added", "removed") for file in self._told):
            return set()
        came, went = self._came, self._went
        new = {path for name in {*left, *went} for path in came.get(name, ())}
        old = {path for name in {*come, *came} for path in went.get(name, ())}
        return new | old

    def merged(self, file: FileChange) -> str | None:
        """Find the new file that declares most of what a removed one did."""
        if not any(other.status == "added" for other in self._told):
            return None
        names = set(_names(file))
        homes = Counter(path for name in names for path in self._came.get(name, ()))
        path, count = homes.most_common(1)[0] if homes else ("", 0)
        # Whoever looks for what another new file has would not find it there: the file was made into several.
        parted = any(path not in self._came[name] for name in names if name in self._came)
        return path if count >= max(2, _MOST_OF_IT * len(names)) and not parted else None

    def successor(self, draft: Draft, path: str) -> str | None:
        """Name the function of a new file that one has become: it has the body, or all but the name."""
        if not any(file.status == "added" for file in self._told):
            return None
        return self._successors.by_body(draft, path) or self._successors.by_name(draft, path)

    def rehoused(self, draft: Draft, path: str) -> House | None:
        """Find the function, of whichever file and sort, that has the body of one that went."""
        return self._rehoused.of(draft, path)

    def has_lines(self, lines: Sequence[str]) -> bool:
        """Tell whether new files have, among others, the lines that the place of something gone shows."""
        said = [line[1:].strip() for line in lines if line[:1] == "-"]
        return sum(map(len, said)) >= _WORDS and all(line in self._new_lines for line in said)

    def calls(self, function: str, path: str) -> bool:
        """Tell whether an added line of a file calls a function; checks ask this of each that may stand for another."""
        if (function, path) not in self._called:
            patches = (file.patch or "" for file in self._told if file.path == path)
            self._called[function, path] = any(_is_called_anew(f"{function}(", patch) for patch in patches)
        return self._called[function, path]

    def helps(self, function: str, path: str) -> bool:
        """Tell whether functions of other files, that were there before, call one now."""
        call = f"{function}("
        others = (file.patch or "" for file in self._told if file.status == "modified" and file.path != path)
        return bool(function) and any(call in patch and _calls_from_old(call, patch) for patch in others)

    def delegates(self, owner: str, method: str, path: str) -> bool:
        """Tell whether an added line of a file calls a method of a base, or of a class of which the name was taken."""
        call = re.compile(rf"^\+.*\b(?:super\(\)|{re.escape(owner)}\w+)\.{re.escape(method)}\(", re.MULTILINE)
        patches = (file.patch or "" for file in self._told if file.path == path)
        return any(f".{method}(" in patch and call.search(patch) is not None for patch in patches)

    def still_calls(self, method: str) -> bool:
        """Tell whether a line that a file keeps or wins calls a method of some object."""
        call = re.compile(rf"^[+ ].*\w\.{re.escape(method)}\(", re.MULTILINE)
        patches = (file.patch or "" for file in self._told)
        return any(method in patch and call.search(patch) is not None for patch in patches)

    def keeps(self, draft: Draft, path: str) -> bool:
        """Tell whether a base of a class has, in a new file, the body of a method or the line of a field it lost."""
        if not any(file.status == "added" for file in self._told):
            return False
        return self._successors.keeps(draft, path)

    def says(self, message: str | None, *, came: bool) -> bool:
        """Tell whether a file that came (or went) has an error's words."""
        words = max(_PLACEHOLDER.split(message or ""), key=len).strip()[:_WORDS]
        status = "added" if came else "removed"
        return len(words) >= _WORDS // 2 and any(
            words in (file.patch or "") for file in self._told if file.status == status
        )

    def still_says(self, message: str | None) -> bool:
        """Tell whether a line that was added anywhere has all of an error's words, other than as a warning."""
        words = letters(max(_PLACEHOLDER.split(message or ""), key=len))
        if len(words) < _WORDS // 2:
            # Too little is said between what is put in, and so all of it has to be there.
            whole = letters(message or "")
            return len(whole) >= _WORDS and whole in self._said_now
        return _has_run(words, self._said_now)

    def wrote_before(self, message: str | None) -> bool:
        """Tell whether lines that were removed anywhere have a message's words: of an error, a warning or a note."""
        words = letters(max(_PLACEHOLDER.split(message or ""), key=len))
        return len(words) >= _WORDS // 2 and _has_run(words, self._written_then)

    def said_before(self, message: str | None) -> bool:
        """Tell whether lines that were removed anywhere have all of an error's words."""
        longest = max(_PLACEHOLDER.split(message or ""), key=len).strip()
        if len(longest) < _WORDS:
            return False
        if letters(longest) not in self._said_then:
            return False
        # What is said once was taken from pieces of other sentences.
        return sum(file.patch.count(longest[: _WORDS // 2]) for file in self._told if file.patch) >= _TWICE

    def is_alias(self, name: str) -> bool:
        """Tell whether an added line calls a quoted name an alias."""
        quoted = re.compile(rf"""^\+.*alias.*["']{re.escape(name)}["']""", re.MULTILINE | re.IGNORECASE)
        return any(name in (file.patch or "") and quoted.search(file.patch or "") for file in self._told)

    def registers(self, name: str, path: str, *, before: bool) -> bool:
        """Tell whether lines of another file, as they were before the commit (or are after it), register a name."""
        signs = " -" if before else " +"
        call = re.compile(rf"""^[{signs}].*(?:\.def|_EXPORT\w*)\s*\(\s*"?{re.escape(name)}["(,]""", re.MULTILINE)
        patches = (file.patch or "" for file in self._told if file.path != path)
        return any(name in patch and call.search(patch) is not None for patch in patches)

    def reads(self, name: str, *, before: bool) -> bool:
        """Tell whether a line that the commit shows of the version before it (or after it) reads a variable."""
        signs = (" ", "-") if before else (" ", "+")
        for file, said in self._asking:
            lines = [line for line in said if name in line and line[:1] in signs]
            if lines and reads(name, (file.previous_path or file.path) if before else file.path, lines):
                return True
        return False

    def is_used_still(self, variable: str, path: str) -> bool:
        """Tell whether a script goes on to use a variable, or hands on its name, and does not set it by itself."""
        word = re.escape(variable)
        used = re.compile(rf"^[+ ](?!\s*#).*(?:\$\{{?{word}\b|\s{word}(?=\s|$))", re.MULTILINE)
        own = re.compile(rf"^[+ ]\s*(?:\w+\s+)?{word}=", re.MULTILINE)
        shown = [file.patch or "" for file in self._told if file.path == path]
        return any(used.search(patch) is not None and own.search(patch) is None for patch in shown)

    def names(self, variable: str) -> bool:
        """Tell whether code still names a variable by itself: whoever passes the name on can read it elsewhere."""
        quoted = re.compile(rf"""^[+ ].*(["']){re.escape(variable)}\1""", re.MULTILINE)
        patches = (file.patch or "" for file in self._told)
        return any(variable in patch and quoted.search(patch) is not None for patch in patches)

    def quotes(self, name: str, *, before: bool) -> bool:
        """Tell whether code as it was before the commit (or is after it) has a metric or command in quotes."""
        signs, wanted = (" ", "-") if before else (" ", "+"), quoted(name)
        patches = (file.patch or "" for file in self._told)
        lines = (line for patch in patches for line in patch.split("\n") if line[:1] in signs)
        return any(wanted.search(line) is not None for line in lines)

    def drops(self, path: str, line: str) -> bool:
        """Tell whether the commit takes a line of a file away."""
        return line in self._gone.get(path, ())

    def asks_for(self, package: str, *, besides: str) -> bool:
        """Tell whether a list of requirements other than this file has a package now that it did not have."""
        word = re.escape(package).replace("\\-", "[-_.]")
        asked = re.compile(rf"\n\+{word}(?![\w.-])", re.IGNORECASE)
        lists = (file for file in self._files if file.path.endswith(_LIST) and file.path != besides and file.patch)
        return any(asked.search(file.patch or "") for file in lists)

    def inherits(self, bases: Sequence[str], name: str) -> bool | None:
        """Tell whether new files give one of these bases a method; None where no base is in them."""
        heads = [re.compile(rf"\n\+class {re.escape(base)}\b") for base in bases]
        found = [file.patch or "" for file in self._told if file.status == "added"]
        found = [patch for patch in found if any(head.search(patch) for head in heads)]
        return (
            any(re.search(rf"\n\+\s+(?:async )?def {re.escape(name)}\(", patch) for patch in found) if found else None
        )

    @property
    def loses_classes(self) -> bool:
        """Whether a file of Python lost a class, with the file or without."""
        return bool(self._lost)

    def bequeathed(self, owners: Iterable[str], name: str) -> bool:
        """Tell whether one of these classes that a file of Python lost has this method or field."""
        own = re.escape(name)
        member = re.compile(rf"\n-    (?:(?:async )?def {own}\(|{own}\s*[:=])")
        return any(member.search(body) for owner in owners for body in self._lost.get(owner, ()))

    def took(self, owner: str, method: str, parameter: str) -> bool:
        """Tell whether a method of a class that a file of Python lost took a parameter."""
        head = re.compile(rf"\n-    (?:async )?def {re.escape(method)}\((.*?)\)(?: ->[^\n]*)?:\n", re.DOTALL)
        heads = (found[1] for body in self._lost.get(owner, ()) if (found := head.search(body)) is not None)
        word = re.compile(rf"\b{re.escape(parameter)}\b")
        return any(word.search(found) is not None for found in heads)

    @cached_property
    def _lost(self) -> dict[str, list[str]]:
        """Give the lines of the classes that files of Python no longer have at their margin."""
        lost: dict[str, list[str]] = {}
        for file in self._told:
            patch = f"\n{file.patch}"
            if "\n-class " in patch and file.path.endswith(".py"):
                stays = {found[1] for found in _CLASS_NOW.finditer(patch)}
                for found in _CLASS_THEN.finditer(patch):
                    if found[1] not in stays:
                        end = _MARGIN.search(patch, found.end())
                        lost.setdefault(found[1], []).append(patch[found.start() : end.start() if end else len(patch)])
        return lost

    def has_member(self, owner: str, name: str) -> bool:
        """Tell whether a new file of C++ declares a class with this field, type, constant or function."""
        own = re.escape(name)
        member = re.compile(rf"\n\+[ \t]+(?!return\b)(?:using {own}\s*=|[\w:<>,*& ]+[ *&]{own}\s*[;={{(])")
        return any(member.search(body) for body in self._bodies(owner))

    def _bodies(self, owner: str) -> Iterator[str]:
        """Give the lines of the classes of a name that new files of C++ declare, to the brace below their heads."""
        head = re.compile(rf"\n\+([ \t]*)(?:struct|class) {re.escape(owner)}\b[^;{{}}]*\{{")
        for file in self._told:
            patch = file.patch or ""
            if file.status == "added" and is_c(file.path) and owner in patch:
                for found in head.finditer(patch):
                    yield patch[found.end() : patch.find(f"\n+{found[1]}}}", found.end())]

    def is_let_go(self, name: str, path: str) -> bool:
        """Tell whether the commit takes uses of a name away in other files and leaves none that can be seen."""
        others = (file for file in self._told if file.path != path)
        used = [file.patch for file in others if file.patch and f".{name}" in file.patch]
        gone, left = (re.compile(rf"^[{signs}].*\.{re.escape(name)}\b", re.MULTILINE) for signs in ("-", "+ "))
        return any(gone.search(patch) for patch in used) and not any(left.search(patch) for patch in used)

    @cached_property
    def _gone(self) -> dict[str, Set[str]]:
        patches = ((file.previous_path or file.path, file.patch) for file in self._files if file.patch)
        return {path: {found[1] for found in _REMOVED.finditer(f"\n{patch}")} for path, patch in patches}

    @cached_property
    def _successors(self) -> Successors:
        new = [file for file in self._told if file.status == "added" and file.path.endswith(".py")]
        return Successors(self._files, new, self._came)

    @cached_property
    def _rehoused(self) -> Rehoused:
        return Rehoused(self._told)

    @cached_property
    def _new_lines(self) -> frozenset[str]:
        new = (file.patch or "" for file in self._told if file.status == "added")
        # Signs are taken off all at once: a large commit has a hundred thousand such lines.
        lines = (patch.replace("\n+", "\n").split("\n") for patch in new)
        return frozenset(map(str.strip, chain.from_iterable(lines)))

    @cached_property
    def _came(self) -> dict[str, list[str]]:
        return self._declared("added")

    @cached_property
    def _went(self) -> dict[str, list[str]]:
        return self._declared("removed")

    def _declared(self, status: str) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for file in self._told:
            if file.status == status:
                # By what is set as the machine is found, no file is known again.
                found_out = _under_conditions(file.patch or "", _SET) if file.path.endswith(".py") else ()
                for name in dict.fromkeys((*_names(file), *found_out)):
                    found.setdefault(name, []).append(file.path)
        return found

    @cached_property
    def _asking(self) -> list[tuple[FileChange, list[str]]]:
        return [(file, lines) for file in self._told if (lines := asking(file.patch or ""))]

    @cached_property
    def _said_now(self) -> str:
        return self._said(_ADDED)

    @cached_property
    def _said_then(self) -> str:
        return self._said(_REMOVED)

    @cached_property
    def _written_then(self) -> str:
        return "".join(written(_REMOVED.findall(file.patch or "")) for file in self._told)

    def _said(self, lines: re.Pattern[str]) -> str:
        """Give the letters of all added (removed) lines, strings of several lines joined; warnings refuse nothing."""
        return "".join(refused(lines.findall(file.patch or "")) for file in self._told)


def _has_run(words: str, text: str) -> bool:
    """Tell whether a text has all of these words, or so long a run of their letters that it is the same sentence."""
    runs = (words[at : at + _RUN] for at in range(0, len(words) - _RUN + 1, _STEP))
    return words in text or any(run in text for run in runs)


def _is_called_anew(call: str, patch: str) -> bool:
    """Tell whether an added line that begins no function has a call."""
    at = patch.find(call)
    while at >= 0:
        before = patch[patch.rfind("\n", 0, at) + 1 : at]
        inside_word = before[-1:].isalnum() or before[-1:] == "_"
        if before[:1] == "+" and not inside_word and not before[1:].lstrip().startswith(("def ", "async def ")):
            return True
        at = patch.find(call, at + 1)
    return False


def _calls_from_old(call: str, patch: str) -> bool:
    """Tell whether an added line with a call stands in a function that the commit has not added."""
    new = False
    for line in patch.split("\n"):
        if line.startswith("@@"):
            new = False
        elif (head := line[1:].lstrip()).startswith(("def ", "async def ")) and line[:1] != "-":
            new = line[:1] == "+"
        elif line[:1] == "+" and not new and call in head:
            return True
    return False


def _names(file: FileChange) -> list[str]:
    patch = file.patch or ""
    names = [one[1] for one in DECLARED.finditer(patch)]
    if is_c(file.path):
        return [*names, *margin_names(patch)]
    if not file.path.endswith(".py"):
        return names
    names += [one[1] for one in _VALUE.finditer(patch)]
    return names + _under_conditions(patch, _CONDITIONED)


def _under_conditions(patch: str, declaration: re.Pattern[str]) -> list[str]:
    """Name what a module declares under a condition: `if is_hip:` and below it a function or a value."""
    names, inside = list[str](), False
    for line in patch.split("\n") if _CONDITION.search(patch) else ():
        if (first := line[1:2]) and not first.isspace() and first not in "#)":
            inside = _CONDITION.match(f"\n{line}") is not None
        elif inside and (found := declaration.match(line)):
            names.append(found[1])
    return names


def plain_words(message: str | None) -> str | None:
    """Write a message without the names of what is put into it, which no reader of the message sees."""
    return message if message is None or "{" not in message else _PLACEHOLDER.sub("{}", message)
