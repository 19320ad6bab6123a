"""What functions do otherwise in a few lines that no other fact tells: a small fix, by its function and its lines.

Most commits mend something inside a function, where no declaration shows it. The functions that users call come first,
then those that changed most. Of a commit that rewrites everything, its other facts say more than a list of functions.
"""

import re
import sys
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Self

from agent.conventions import CHORES, Purpose, read_heading
from agent.domain import FileChange
from agent.facts import FactKind, Place
from tools.diff.draft import Draft, Span, Where
from tools.diff.exchanged import Exchange
from tools.diff.extracted import Newcomers
from tools.diff.grouping import Shown
from tools.diff.hunks import Hunk, Run, Side, read_patch
from tools.diff.readers.python_cut import long_strings
from tools.diff.reading import EMPTY
from tools.diff.roles import Role, role
from tools.diff.scopes import ASIDE, DEFINED, depth_of, function_in, is_deep_in_class, is_prose, is_unfinished, scope_of
from tools.diff.versions import Blobs, Contents, Versions

_PYTHON = (".py", ".pyi")
_C_FAMILY = (".c", ".cc", ".cpp", ".cxx", ".cu", ".cuh", ".h", ".hh", ".hpp", ".hxx", ".inl", ".jinja")
_SHADERS = (".m", ".mm", ".metal", ".cl", ".comp")
_READ = (*_PYTHON, *_C_FAMILY, *_SHADERS, ".rs", ".go", ".ts", ".tsx", ".js", ".jsx")
_RUN = (Role.SOURCE, Role.HEADER, Role.KERNEL, Role.MODEL, Role.OPERATOR)
_SILENT = (
    FactKind.REVERT,
    FactKind.RELAND,
    FactKind.CHERRY_PICK,
    FactKind.ONLY_FORMATTING,
    FactKind.ONLY_COMMENTS,
    FactKind.ONLY_UPKEEP,
)
"""What says of a whole commit that its lines are another's, or say nothing new."""
_QUIET = (*CHORES, Purpose.REFACTOR)
_IDLE = re.compile(
    r"(?:$|#(?!\s*(?:el)?if)|//|/\*|\"\"\"|'''|[\])}\[({;,?]*$)"
    r"|(?:self\.)?_?log(?:g(?:er|ing))?[.(_]|print\w*\(|warnings\.warn|std::(?:cout|cerr)|\w*LOG\w*\(|(?:tracing::)?(?:debug|info|warn)!?\("
    r"|\w*\.def\w*\(|import |from \S+ import |using |use |pass$|assert isinstance\("
)
"""Lines that do nothing by themselves, or only say something."""
_STARRED = re.compile(r"\*(?:\s|/|$)")
"""How the lines of a long remark begin, but for Python, which multiplies there."""
_TRAILED = re.compile(r",(?=[)\]}])")
_TRAILING = re.compile(r"\s(?:#|//)\s.*$")
_BEGINS = re.compile(
    r"\s*(?:@\w|(?:async )?def |class |template\s*<|func "
    r"|(?:pub(?:\([^)]*\))? )?(?:async )?(?:fn|struct|enum|impl|trait) )"
)
_CONTAINER = re.compile(
    r"\s*(?:typedef\s+)?(?:struct|class|union|enum|namespace|extern|impl|trait|mod|interface|type)\b"
)
_CLASS = re.compile(r"(?:class|struct)\s+(?:\w+\s+)*?([A-Za-z_]\w*)\s*(?:final\s*)?[:{]")
_WIDE = 4
"""Spaces by which most code is indented; some by half of that."""
_HEADED = re.compile(r"[A-Za-z_].*\(")
_BEGUN_EMPTY = re.compile(r"self\.\w+(?:: [^=]+)? = (?:None|False|0|\[\]|\{\}|dict\(\)|list\(\)|set\(\))$")
"""What an object has from now on and nobody has set yet."""
_RUST_TESTS = re.compile(rb"^[ \t]*#\[cfg\(test\)\]\s+(?:pub\s+)?mod\s+\w+\s*\{", re.MULTILINE)
_RUST_TEST = re.compile(r"\s*(?:#\[(?:\w+::)?test\b|(?:pub )?mod tests?\s*\{)")
_HEADING = re.compile(r"^@@ [^@]* @@ (.+)$", re.MULTILINE)
_HEAD = 3
"""Lines over which the head of a kernel stretches before its name."""
_WORD = re.compile(r"\w+|[^\w\s]")
_NAME = re.compile(r"[A-Za-z_]\w*")
_CALLED = ("parameter-", "signature-")
_DECLARED = (*_CALLED, "symbol-", "field-", "enum-member-", "flag-", "env-")
_LIMIT = 120_000
"""Characters of the patches that are looked at."""
_MOST_CHANGED, _MOST_FUNCTIONS, _MOST_TOLD = 30, 8, 24
"""Functions of which some are told, those that are, and other facts beside which they are."""
_SHOWN = 8
"""Lines of each side that are shown of a function."""
_LONGEST = 160
"""Letters of a line that is told by itself."""


@dataclass(frozen=True)
class _Prose:
    """What is only said in a file: lines of docstrings where the whole file is known, and how else remarks begin."""

    starred: bool
    gone: Set[int] = frozenset()
    come: Set[int] = frozenset()

    @classmethod
    def of(cls, path: str, contents: Contents) -> Self:
        """Look for it in both versions."""
        python = path.endswith(_PYTHON)
        gone, come = (_docstrings(blob) if python and blob is not None else frozenset[int]() for blob in contents)
        return cls(not python, gone, come)


@dataclass
class _Body:
    """A function with those of its lines that changed and do something, by their numbers."""

    gone: dict[int, str] = field(default_factory=dict)
    come: dict[int, str] = field(default_factory=dict)
    partial: bool = False
    """Lines beside these changed places as well: what is left does not say what became of what."""
    was: list[str] = field(default_factory=list)
    """All lines that went and did something, those included that only stand elsewhere now."""

    def shown(self, name: str, path: str, *, public: bool) -> Shown:
        """Tell of it, with the line that changed where it is only one."""
        sides = [_bare(side) for side in (self.gone, self.come)]
        # A line that only moved became no other.
        single = all(len(side) <= 1 and len("".join(side)) <= _LONGEST for side in sides)
        told = single and sides[0] != sides[1] and not self.partial
        old, new = ("".join(side) or None if told else None for side in sides)
        draft = Draft(FactKind.CODE_CHANGED, name, public, Where(_span(self.gone), _span(self.come)), old, new)
        lines = (*self.gone.values(), *self.come.values())
        return Shown(draft, Place(file=path, line=min(self.come or self.gone), lines=lines))


def paths_of_bodies(files: Sequence[FileChange]) -> list[str]:
    """Name the files whose whole versions tell in which method of which class, or in which kernel, lines changed."""
    return [file.path for file in _few(files) if file.path.endswith(_PYTHON) or _has_unfinished_headings(file)]


def _has_unfinished_headings(file: FileChange) -> bool:
    return any(is_unfinished(heading[1]) for heading in _HEADING.finditer(file.patch or ""))


def changed_bodies(
    files: Sequence[FileChange], shown: Sequence[Shown], read: Sequence[Versions], blobs: Blobs, subject: str
) -> list[Shown]:
    """Tell which functions that were there before changed in lines that nothing else tells; none where much did.

    Where lines only changed places, that is told of a commit that does nothing else.
    """
    code = _few(files)
    told = _for_users(shown)
    if len(told) > _MOST_TOLD or any(one.draft.kind in _SILENT for one in shown):
        return []
    known = {versions.file.path: versions for versions in read}
    versions = [known.get(file.path) or Versions(file, read_patch(file.patch), EMPTY, EMPTY) for file in code]
    named = _names(shown)
    new = _newcomers(files)
    found = list(_told(versions, shown, named, blobs, subject, new))
    if not found and not told:
        found = list(_told(versions, shown, named, blobs, subject, new, moved=True))
    chosen = sorted(found, key=_weight)[:_MOST_FUNCTIONS] if len(found) <= _MOST_CHANGED else []
    return [_cut(one) for one in found if one in chosen]


def _told(
    versions: Sequence[Versions],
    shown: Sequence[Shown],
    named: Set[str],
    blobs: Blobs,
    subject: str,
    new: Newcomers,
    *,
    moved: bool = False,
) -> Iterator[Shown]:
    purposes = read_heading(subject).purposes[:1]
    for one in versions:
        path = one.file.path
        here = [other for other in shown if other.place is not None and other.place.file == path]
        # What a function takes otherwise, it does something else with.
        known_by_call = {other.draft.name for other in _for_users(here) if _is_of_call(other)}
        drafts = (other.draft for other in here if other.draft.kind is FactKind.SYMBOL_ADDED)
        namesakes = {draft.name.rpartition(".")[2] for draft in drafts}
        for name, body in _bodies(one, here, named, blobs.get(path, (None, None)), moved=moved).items():
            own = name.rpartition(".")[2].startswith("_")
            quiet = any(purpose in _QUIET or (own and purpose is Purpose.PERFORMANCE) for purpose in purposes)
            only_moved = moved and not (body.gone and body.come)
            taken = new.took(body.was, _bare(body.come)) or (
                name.rpartition(".")[2] in namesakes and not body.come and new.share(body.was)
            )
            if name not in known_by_call and not only_moved and not taken:
                yield body.shown(name, path, public=not quiet)


def _newcomers(files: Sequence[FileChange]) -> Newcomers:
    """Choose the lines of a commit's code that came with new functions, and those that were there before."""
    code = [file for file in files if file.patch and file.path.endswith(_READ) and role(file.path) in _RUN]
    # Few commits need any of it, and those at most once.
    begun = (
        hunk.lines[run.first : run.behind] for hunk in _hunks(code) for run in hunk.runs if _is_new_function(hunk, run)
    )
    return Newcomers(
        (line[1:] for lines in begun for line in lines if line[:1] == "+"),
        (line[1:] for hunk in _hunks(code) for line in hunk.lines if line[:1] != "+"),
        [file.patch or "" for file in code],
    )


def _hunks(files: Sequence[FileChange]) -> Iterator[Hunk]:
    for file in files:
        yield from read_patch(file.patch).hunks


def _is_new_function(hunk: Hunk, run: Run) -> bool:
    return _Changed.of(hunk, run, _Prose(starred=True)).begins()


def _for_users(shown: Sequence[Shown]) -> list[Shown]:
    return [one for one in shown if one.draft.public and not one.draft.silent]


def _is_of_call(one: Shown) -> bool:
    return one.draft.kind.startswith(_CALLED)


def _names(shown: Sequence[Shown]) -> Set[str]:
    """List what the commit declares otherwise: lines that only follow such a name do nothing else."""
    drafts = [one.draft for one in shown if one.draft.kind.startswith(_DECLARED)]
    texts = (text or "" for draft in drafts for text in (draft.name.rpartition(".")[2], draft.detail))
    renamed = (text or "" for draft in drafts if draft.kind.endswith("renamed") for text in (draft.old, draft.new))
    return {word for text in (*texts, *renamed) for word in _NAME.findall(text)}


def _weight(one: Shown) -> tuple[bool, bool, int]:
    """Put first what users call, and then what changed most."""
    assert one.place is not None
    own = any(part.startswith("_") and not part.startswith("__") for part in one.draft.name.split("."))
    return not one.draft.public, own, -len(one.place.lines)


def _cut(one: Shown) -> Shown:
    """Show a few lines of each side."""
    assert one.place is not None
    sides = ([line for line in one.place.lines if line[:1] == sign][:_SHOWN] for sign in "-+")
    return Shown(one.draft, one.place.model_copy(update={"lines": tuple(line for side in sides for line in side)}))


def _few(files: Sequence[FileChange]) -> list[FileChange]:
    """Choose the files of what users run, of a commit that changes little of it."""
    code = [file for file in files if _is_code(file)]
    return code if sum(len(file.patch or "") for file in code) <= _LIMIT else []


def _is_code(file: FileChange) -> bool:
    kept = file.patch is not None and file.status not in ("added", "removed")
    return kept and file.path.endswith(_READ) and role(file.path) in _RUN


def _bodies(
    versions: Versions, shown: Sequence[Shown], named: Set[str], contents: Contents, *, moved: bool
) -> Mapping[str, _Body]:
    """Collect the changed lines of each function that no fact shows."""
    found: dict[str, _Body] = {}
    patch = versions.patch
    # What only stands elsewhere now, or is laid out anew, does what it did.
    went, came = (set[str](), set[str]()) if moved else ({*_bare(patch.removed)}, {*_bare(patch.added)})
    prose = _Prose.of(versions.file.path, contents)
    told = _for_users(shown)
    # Of what is nobody's business the parameters are not, but what it does may be.
    heads = (one.place for one in shown if one.place and (_is_of_call(one) or one.draft.kind is FactKind.SYMBOL_ADDED))
    taken = {line for place in heads for line in place.lines}
    for hunk in patch.hunks:
        for run in hunk.runs:
            changed = _Changed.of(hunk, run, prose)
            before, after = changed.acting
            gone = {at: line for at, line in before.items() if line[1:].strip() not in came and line not in taken}
            come = {at: line for at, line in after.items() if line[1:].strip() not in went and line not in taken}
            if not (gone or come) or _follows(gone, come, named) or _is_told(changed, told) or _is_laid_out(gone, come):
                continue
            if (name := _name(versions, hunk, changed, contents)) is None or ASIDE.search(name):
                continue
            body = found.setdefault(name, _Body())
            # What went in one place did not become what came in another.
            body.partial = bool(body.gone or body.come) or len(gone) < len(before) or len(come) < len(after)
            body.gone |= gone
            body.come |= come
            body.was += _bare(before)
    return found


def _docstrings(blob: bytes) -> Set[int]:
    """Give the numbers of the lines of a Python file that only say what something is for."""
    found, at, number = set[int](), 0, 1
    for start, end in long_strings(blob) or ():
        line = blob.rfind(b"\n", 0, start)
        begun = blob[max(0, line - _LONGEST) : max(0, line)].rstrip().endswith(b":")
        if begun and not blob[line + 1 : start].strip(b" \trRuU"):
            number += blob.count(b"\n", at, start)
            at = start
            found |= {*range(number, number + blob.count(b"\n", start, end) + 1)}
    return found


def _acting(lines: Mapping[int, str], said: Set[int], *, starred: bool) -> Iterator[tuple[int, str]]:
    """Leave out what does nothing, and the signatures of functions."""
    signature = False
    for at, line in lines.items():
        text = line[1:].strip()
        signature = signature or _BEGINS.match(line[1:]) is not None
        remark = _STARRED.match(text) if starred else text.startswith("#")
        idle = signature or at in said or _IDLE.match(text) or remark
        if not idle:
            yield at, line
        signature = signature and not line.rstrip().endswith((":", "{"))


def _is_laid_out(gone: Mapping[int, str], come: Mapping[int, str]) -> bool:
    """Tell whether the same is only written on fewer lines, or on more."""
    sides = ["".join("".join(_bare(side)).split()) for side in (gone, come)]
    mine, its = (_TRAILED.sub("", side) for side in sides)
    return bool(mine) and mine == its


def _follows(gone: Mapping[int, str], come: Mapping[int, str], named: Set[str]) -> bool:
    """Tell whether lines say the same as before, but for names that the commit declares otherwise."""
    before, after = (_words(side) for side in (gone, come))
    if before == after or (not gone and all(_BEGUN_EMPTY.match(line[1:].strip()) for line in come.values())):
        return True
    other = {word for word in {*before} ^ {*after} if _NAME.fullmatch(word)}
    return bool(before and after and other) and other <= named


@dataclass(frozen=True)
class _Changed:
    """The lines of one stretch, as the diff has them, by their numbers."""

    gone: Mapping[int, str]
    come: Mapping[int, str]
    at: tuple[int, int]
    """The numbers of the first line on both sides, or of the one before which something came or went."""
    acting: tuple[dict[int, str], dict[int, str]]
    """Those of the lines that do something, of both sides."""

    @classmethod
    def of(cls, hunk: Hunk, run: Run, prose: _Prose) -> Self:
        """Take the lines out of a hunk."""
        raw = hunk.lines[run.first : run.behind]
        gone, come = ([line for line in raw if line[:1] == sign] for sign in "-+")
        before, after = dict(enumerate(gone, run.old)), dict(enumerate(come, run.new))
        sides = ((before, prose.gone), (after, prose.come))
        was, now = (dict(_acting(side, said, starred=prose.starred)) for side, said in sides)
        return cls(before, after, (run.old, run.new), (was, now))

    def begins(self) -> bool:
        """Tell whether some function or class begins here that is not the same on both sides."""
        return _begun(self.gone) != _begun(self.come)

    def exchange(self) -> Exchange | None:
        """Put the first line that does something as one that was exchanged."""
        old, new = self.at
        was, now = self.acting
        if (at := next(iter(now), None)) is not None:
            return Exchange("set", "", "", "line", (old, old), (at, at))
        if (at := next(iter(was), None)) is not None:
            return Exchange("set", "", "line", "", (at, at), (new, new))
        return None


def _begun(lines: Mapping[int, str]) -> list[str]:
    """List what begins on some lines: by its name where it has one, else by the whole line."""
    begun = [line[1:] for line in lines.values() if _BEGINS.match(line[1:]) or _HEADED.match(line[1:])]
    return [match[1] or match[2] if (match := DEFINED.match(line.strip())) else line for line in begun]


def _name(versions: Versions, hunk: Hunk, changed: _Changed, contents: Contents) -> str | None:
    """Name the function in which lines changed, or at least its class; None for a new one, and outside of any."""
    found = changed.exchange()
    if found is None or changed.begins():
        return None
    python = versions.file.path.endswith(_PYTHON)
    if versions.file.path.endswith(".rs") and _is_rust_test(hunk, contents, found):
        return None
    if not python:
        inside = hunk.heading and not any(line[1:2].strip(" \t#") for line in hunk.lines)
        name = scope_of(versions, hunk, found) or _headed(hunk, contents, found)
        name = name or (_file(versions.file.path, hunk) or _class_around(hunk, changed) if inside else None)
        # Every shader is called alike, and goes by its file.
        return _file(versions.file.path, hunk) if name == "main" and versions.file.path.endswith(_SHADERS) else name
    if is_prose(found, hunk):
        return None
    old, new = contents
    if old is not None and new is not None:
        here, there, at = (new, old, found.come) if found.new else (old, new, found.gone)
        name = _enclosing(here, at)
        return name if _is_in(there, name) else None
    if begun := _begun(changed.come):
        return begun[0] if len(begun) == 1 else None
    name = scope_of(versions, hunk, found)
    if name is None and is_deep_in_class(hunk, found):
        heading = DEFINED.match(hunk.heading)
        return heading[2] if heading is not None else None
    return name


def _headed(hunk: Hunk, contents: Contents, found: Exchange) -> str | None:
    """Name the function whose heading git has cut off before the name, by what stands below it in the whole file."""
    blob, at = (contents[1], found.come) if found.new else (contents[0], found.gone)
    if blob is None or not is_unfinished(hunk.heading):
        return None
    above = [line.decode("utf-8", "replace") for line in _lines(blob)[:at]]
    heads = [number for number, line in enumerate(above) if line.startswith(hunk.heading)]
    return function_in("\n".join(above[heads[-1] : heads[-1] + _HEAD])) if heads else None


def _is_rust_test(hunk: Hunk, contents: Contents, found: Exchange) -> bool:
    """Tell whether a line belongs to the tests that Rust keeps at the end of what they test."""
    side: Side = "new" if found.new else "old"
    blob, at = (contents[1], found.come) if found.new else (contents[0], found.gone)
    above = hunk.side(side)[: at - hunk.span(side)[0]]
    if any(_RUST_TEST.match(line) for line in (hunk.heading, *above)):
        return True
    tests = _RUST_TESTS.search(blob) if blob is not None else None
    return blob is not None and tests is not None and blob.count(b"\n", 0, tests.start()) < at


def _file(path: str, hunk: Hunk) -> str | None:
    """Give the name of a file for a function whose heading git has cut off."""
    return None if _CONTAINER.match(hunk.heading) else path.rpartition("/")[2]


def _class_around(hunk: Hunk, changed: _Changed) -> str | None:
    """Name the class of C++ that a hunk is headed by, where all that changed stands so deep that it is in a method."""
    heading = _CLASS.match(hunk.heading)
    depths = [depth_of(line) for side in changed.acting for line in side.values()]
    narrow = any(depth_of(line) % _WIDE for line in hunk.lines if line[1:].strip())
    deep = 2 * _WIDE if not narrow else _WIDE
    return heading[1] if heading is not None and depths and min(depths) >= deep else None


def _enclosing(blob: bytes, number: int) -> str | None:
    """Name the function around a line of a file, with its class, by how far lines are indented."""
    depth, names, function = sys.maxsize, list[str](), False
    for line in reversed(_lines(blob)[:number]):
        text = line.lstrip()
        if not text or text[0] in b"#)]}" or len(line) - len(text) >= depth:
            continue
        if depth < sys.maxsize and (match := DEFINED.match(text.decode("utf-8", "replace"))) is not None:
            # Of functions inside of one another the outer one is known.
            names = [match[1]] if match[1] else [match[2], *names]
            function = function or match[1] is not None
        depth = len(line) - len(text)
        if not depth:
            break
    return ".".join(names) if function else None


@lru_cache(maxsize=2)
def _lines(blob: bytes) -> list[bytes]:
    """Take a file apart; each of its changes asks for the same two versions."""
    return blob.split(b"\n")


def _is_in(blob: bytes, name: str | None) -> bool:
    """Tell whether a version of a file has such a function too."""
    own = (name or "").rpartition(".")[2]
    return bool(own) and b"def %s(" % own.encode() in blob


def _is_told(changed: _Changed, told: Sequence[Shown]) -> bool:
    """Tell whether a fact shows one of the lines."""
    shown = {line for one in told if one.place is not None for line in one.place.lines}
    return any(line in shown for line in (*changed.gone.values(), *changed.come.values())) or any(
        _meet(one.draft.where.old, changed.gone) or _meet(one.draft.where.new, changed.come) for one in told
    )


def _meet(span: Span | None, lines: Mapping[int, str]) -> bool:
    return span is not None and any(span[0] <= at <= span[1] for at in lines)


def _bare(lines: Mapping[int, str]) -> list[str]:
    return [line[1:].strip() for line in lines.values()]


def _words(lines: Mapping[int, str]) -> list[str]:
    """Take lines apart, without the remarks behind them."""
    return _WORD.findall(" ".join(_TRAILING.sub("", line) for line in _bare(lines)))


def _span(lines: Mapping[int, str]) -> Span | None:
    return (min(lines), max(lines)) if lines else None
