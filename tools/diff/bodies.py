"""What functions do otherwise in a few lines that no other fact tells: a small fix, by its function and its lines.

Most commits mend something inside a function, where no declaration shows it. One that changes a handful of lines of
what users run is told by these lines. Of one that rewrites more, its other facts say more than a list of functions.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

from agent.conventions import CHORES, Purpose, read_heading
from agent.domain import FileChange
from agent.facts import FactKind, Place
from tools.diff.draft import Draft, Span, Where
from tools.diff.exchanged import Exchange
from tools.diff.grouping import Shown
from tools.diff.hunks import Hunk, Run, read_patch
from tools.diff.reading import EMPTY
from tools.diff.roles import Role, role
from tools.diff.scopes import DEFINED, is_deep_in_class, is_prose, scope_of
from tools.diff.versions import Versions

_PYTHON = (".py", ".pyi")
_READ = (*_PYTHON, ".c", ".cc", ".cpp", ".cxx", ".cu", ".cuh", ".h", ".hh", ".hpp", ".hxx", ".inl", ".rs", ".go", ".ts")
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
    r"(?:$|#(?!\s*(?:el)?if)|//|/?\*|\"\"\"|'''|[\])}\[({;,]*$)"
    r"|(?:self\.)?_?log(?:g(?:er|ing))?[.(_]|print\w*\(|warnings\.warn|std::(?:cout|cerr)|\w*LOG\w*\(|(?:tracing::)?(?:debug|info|warn)!?\("
    r"|import |from \S+ import |using |use |pass$|assert isinstance\("
)
"""Lines that do nothing by themselves, or only say something."""
_BEGINS = re.compile(
    r"\s*(?:@\w|(?:async )?def |class |template\s*<|func "
    r"|(?:pub(?:\([^)]*\))? )?(?:async )?(?:fn|struct|enum|impl|trait) )"
)
_HEADED = re.compile(r"[A-Za-z_].*\(")
_ASIDE = re.compile(r"dummy|fake|mock|(?:^|[._])test|debug|bench|__repr__|__str__|profile_run|sample_inputs|warm_?up")
_WORD = re.compile(r"\w+|[^\w\s]")
_CALLED = ("parameter-", "signature-")
_LIMIT = 40_000
"""Characters of the patches that are looked at."""
_MOST_LINES, _MOST_FUNCTIONS, _MOST_TOLD = 40, 4, 3
_SHOWN = 4
"""Lines of each side that are shown of a function."""
_LONGEST = 160
"""Letters of a line that is told by itself."""


@dataclass
class _Body:
    """A function with those of its lines that changed and do something, by their numbers."""

    gone: dict[int, str] = field(default_factory=dict)
    come: dict[int, str] = field(default_factory=dict)

    def shown(self, name: str, path: str, *, public: bool) -> Shown:
        """Tell of it, with the line that changed where it is only one."""
        old, new = (_bare(side) for side in (self.gone, self.come))
        told = len(self.gone) <= 1 and len(self.come) <= 1 and all(len(line) <= _LONGEST for line in (*old, *new))
        values = ("".join(side) or None if told else None for side in (old, new))
        draft = Draft(FactKind.CODE_CHANGED, name, public, Where(_span(self.gone), _span(self.come)), *values)
        lines = (*list(self.gone.values())[:_SHOWN], *list(self.come.values())[:_SHOWN])
        return Shown(draft, Place(file=path, line=min(self.come or self.gone), lines=lines))


def changed_bodies(
    files: Sequence[FileChange], shown: Sequence[Shown], read: Sequence[Versions], subject: str
) -> list[Shown]:
    """Tell which functions that were there before changed in lines that nothing else tells; none where much did."""
    code = [file for file in files if _is_code(file)]
    if not code or sum(len(file.patch or "") for file in code) > _LIMIT:
        return []
    told = [one for one in shown if one.draft.public and not one.draft.silent]
    if len(told) > _MOST_TOLD or any(one.draft.kind in _SILENT for one in shown):
        return []
    known = {versions.file.path: versions for versions in read}
    public = not _is_quiet(subject)
    found: list[Shown] = []
    lines = 0
    for file in code:
        versions = known.get(file.path) or Versions(file, read_patch(file.patch), EMPTY, EMPTY)
        shows = [one for one in told if one.place is not None and one.place.file == file.path]
        # What a function takes otherwise, it does something else with.
        known_by_call = {one.draft.name for one in shows if one.draft.kind.startswith(_CALLED)}
        for name, body in _bodies(versions, shows).items():
            if name in known_by_call:
                continue
            lines += len(body.gone) + len(body.come)
            found.append(body.shown(name, file.path, public=public))
        if lines > _MOST_LINES or len(found) > _MOST_FUNCTIONS:
            return []
    return found


def _is_code(file: FileChange) -> bool:
    kept = file.patch is not None and file.status not in ("added", "removed")
    return kept and file.path.endswith(_READ) and role(file.path) in _RUN


def _is_quiet(subject: str) -> bool:
    """Tell whether an author says that nobody outside should notice."""
    purposes = read_heading(subject).purposes
    return bool(purposes) and purposes[0] in _QUIET


def _bodies(versions: Versions, told: Sequence[Shown]) -> Mapping[str, _Body]:
    """Collect the changed lines of each function that no fact shows."""
    found: dict[str, _Body] = {}
    patch = versions.patch
    went, came = _bare(patch.removed), _bare(patch.added)
    for hunk in patch.hunks:
        for run in hunk.runs:
            changed = _Changed.of(hunk, run)
            # What only stands elsewhere now, or is laid out anew, does what it did.
            gone = {at: line for at, line in changed.gone.items() if _acts(line) and line[1:].strip() not in came}
            come = {at: line for at, line in changed.come.items() if _acts(line) and line[1:].strip() not in went}
            if not (gone or come) or _words(gone) == _words(come) or _is_told(changed, told):
                continue
            if (name := _name(versions, hunk, changed)) is None or _ASIDE.search(name):
                continue
            body = found.setdefault(name, _Body())
            body.gone |= gone
            body.come |= come
    return found


@dataclass(frozen=True)
class _Changed:
    """The lines of one stretch, as the diff has them, by their numbers."""

    gone: Mapping[int, str]
    come: Mapping[int, str]
    at: tuple[int, int]
    """The numbers of the first line on both sides, or of the one before which something came or went."""

    @classmethod
    def of(cls, hunk: Hunk, run: Run) -> Self:
        """Take the lines out of a hunk."""
        raw = hunk.lines[run.first : run.behind]
        gone, come = ([line for line in raw if line[:1] == sign] for sign in "-+")
        return cls(dict(enumerate(gone, run.old)), dict(enumerate(come, run.new)), (run.old, run.new))

    def begins(self) -> bool:
        """Tell whether some function or class begins here that is not the same on both sides."""
        return _begun(self.gone) != _begun(self.come)

    def exchange(self) -> Exchange | None:
        """Put the first line that does something as one that was exchanged."""
        old, new = self.at
        if (at := next((at for at, line in self.come.items() if _acts(line)), None)) is not None:
            return Exchange("set", "", "", "line", (old, old), (at, at))
        if (at := next((at for at, line in self.gone.items() if _acts(line)), None)) is not None:
            return Exchange("set", "", "line", "", (at, at), (new, new))
        return None


def _begun(lines: Mapping[int, str]) -> list[str]:
    """List what begins on some lines: by its name where it has one, else by the whole line."""
    begun = [line[1:] for line in lines.values() if _BEGINS.match(line[1:]) or _HEADED.match(line[1:])]
    return [match[1] or match[2] if (match := DEFINED.match(line.strip())) else line for line in begun]


def _name(versions: Versions, hunk: Hunk, changed: _Changed) -> str | None:
    """Name the function in which lines changed, or at least its class; None for a new one, and outside of any."""
    found = changed.exchange()
    if found is None or changed.begins():
        return None
    python = versions.file.path.endswith(_PYTHON)
    if python and is_prose(found, hunk):
        return None
    if python and (begun := _begun(changed.come)):
        return begun[0] if len(begun) == 1 else None
    name = scope_of(versions, hunk, found)
    if name is None and python and is_deep_in_class(hunk, found):
        heading = DEFINED.match(hunk.heading)
        return heading[2] if heading is not None else None
    return name


def _is_told(changed: _Changed, told: Sequence[Shown]) -> bool:
    """Tell whether a fact shows one of the lines."""
    shown = {line for one in told if one.place is not None for line in one.place.lines}
    return any(line in shown for line in (*changed.gone.values(), *changed.come.values())) or any(
        _meet(one.draft.where.old, changed.gone) or _meet(one.draft.where.new, changed.come) for one in told
    )


def _meet(span: Span | None, lines: Mapping[int, str]) -> bool:
    return span is not None and any(span[0] <= at <= span[1] for at in lines)


def _acts(line: str) -> bool:
    return _IDLE.match(line[1:].strip()) is None and _BEGINS.match(line[1:]) is None


def _bare(lines: Mapping[int, str]) -> list[str]:
    return [line[1:].strip() for line in lines.values()]


def _words(lines: Mapping[int, str]) -> list[str]:
    return _WORD.findall(" ".join(_bare(lines)))


def _span(lines: Mapping[int, str]) -> Span | None:
    return (min(lines), max(lines)) if lines else None
