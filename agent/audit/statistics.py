"""Checks of counts that git can repeat: lines of a file or a commit, files of a commit, commits of the days."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from datetime import timedelta

from agent.audit.code import touched
from agent.audit.entries import Entry
from agent.audit.lookup import RIGHT, UNVERIFIABLE, Finding, Library, Repository
from agent.audit.markdown import Span, code_of
from agent.domain.commits import Change, FileChange
from agent.domain.dates import Days

_MINUS = "−–-"
_PAIR = re.compile(
    rf"(?<![\w.+/-])\+(\d[\d,]{{0,8}})(?: ?lines?| ?行)?[ /,，、|]{{0,4}}[{_MINUS}](\d[\d,]{{0,8}})(?![\w.%])"
)
_LONE = re.compile(rf"(?<![\w.+/-])([+{_MINUS}])(\d[\d,]{{0,8}}) {{0,2}}(?:lines?|行)(?!\w)")
_SHORTSTAT = re.compile(
    r"(?<![\d.])(\d{1,6}) files? changed(?:, (\d{1,7}) insertions?\(\+\))?(?:, (\d{1,7}) deletions?\(-\))?"
)
_FILES = re.compile(r"(?<![\d.])(\d{1,5}) {0,2}(?:files?|个文件)(?!\w)")
_COMMITS = re.compile(r"(?<![\d.#])(\d{1,5}) {0,2}(?:\w{1,20} )?(?:commits?|个提交|次提交)(?!\w)")
_COUNT = re.compile(r"\A\W{0,4}(\d{1,6})\W{0,4}")
_BETWEEN = re.compile(r"\A[`*\s(（:：]{0,8}")
_SHORT = 200
Sides = tuple[int | None, int | None]


def check_statistics(entries: Sequence[Entry], library: Library) -> Iterator[Finding]:
    """Compare what is counted with git."""
    yield from _commit_counts(entries, library)
    for entry in entries:
        if entry.block.kind not in ("fence", "rule") and len(entry.commits) == 1 and entry.whole:
            change = entry.evidence[0].change
            yield from _columns(entry, change)
            yield from _lines(entry, change)
            yield from _files(entry, change)


def _counted(line: int, claim: str, change: Change, *, right: bool, file: FileChange | None = None) -> Finding:
    one = file or change
    what = file.path if file else f"{len(change.files)} files"
    told = f"{change.commit.id}: {what}, +{one.additions} −{one.deletions}"
    return Finding(line, "statistics", claim, RIGHT if right else "wrong:number", told)


def _columns(entry: Entry, change: Change) -> Iterator[Finding]:
    true = {"added": change.additions, "deleted": change.deletions, "files": len(change.files)}
    for field in entry.fields:
        if field.name in true and (found := _COUNT.fullmatch(field.value)):
            right = int(found[1]) == true[field.name]
            yield _counted(entry.line_of(field), f"{field.name}: {found[1]}", change, right=right)


def _lines(entry: Entry, change: Change) -> Iterator[Finding]:
    """Compare added and deleted lines, of the file right before them or of the whole commit."""
    text = entry.block.text
    codes = code_of(text)
    for found in _PAIR.finditer(text):
        yield _compared(entry, change, codes, found, (_number(found[1]), _number(found[2])))
    # A number without its counterpart says nothing of the other side.
    for found in _LONE.finditer(_PAIR.sub(lambda pair: " " * len(pair[0]), text)):
        sides = (_number(found[2]), None) if found[1] == "+" else (None, _number(found[2]))
        yield _compared(entry, change, codes, found, sides)


def _number(text: str) -> int:
    return int(text.replace(",", ""))


def _compared(entry: Entry, change: Change, codes: Sequence[Span], found: re.Match[str], sides: Sides) -> Finding:
    line, claim = entry.block.line_at(found.start()), found[0].strip()
    place = bisect_right(codes, found.start(), key=lambda code: code.end) - 1
    near = place >= 0 and _BETWEEN.fullmatch(entry.block.text[codes[place].end : found.start()])
    if files := touched(codes[place].text, change) if near else []:
        right = any(_fits(sides, file) for file in files)
        return _counted(line, f"{codes[place].text} {claim}", change, right=right, file=files[0])
    if _fits(sides, change) or any(_fits(sides, file) for file in change.files):
        return _counted(line, claim, change, right=True)
    if None not in sides and not any("/" in code.text or "." in code.text for code in codes):
        return _counted(line, claim, change, right=False)
    return Finding(line, "statistics", claim, UNVERIFIABLE, "it is not said of which files")


def _fits(said: Sides, true: Change | FileChange) -> bool:
    return said[0] in (None, true.additions) and said[1] in (None, true.deletions)


def _files(entry: Entry, change: Change) -> Iterator[Finding]:
    """Compare git's own summary, and a number of files beside a number of lines."""
    text, true = entry.block.text, (len(change.files), change.additions, change.deletions)
    if found := _SHORTSTAT.search(text):
        right = all(said is None or int(said) == one for said, one in zip(found.groups(), true, strict=True))
        yield _counted(entry.block.line_at(found.start()), found[0], change, right=right)
    elif entry.direct and _PAIR.search(text) and len(counted := list(_FILES.finditer(text))) == 1:
        line = entry.block.line_at(counted[0].start())
        yield _counted(line, counted[0][0], change, right=int(counted[0][1]) == true[0])


def _commit_counts(entries: Sequence[Entry], library: Library) -> Iterator[Finding]:
    """Compare how many commits a heading, a label, a column or a line of figures says there are."""
    known: dict[tuple[str, Days], tuple[set[int], str]] = {}
    for entry in entries:
        repos = entry.scope or library.keys()
        repository = library.get(next(iter(repos))) if len(repos) == 1 else None
        if repository is None or entry.days is None:
            continue
        for line, count in _stated_counts(entry):
            key = (repository.repo, entry.days)
            if key not in known:
                known[key] = _true_counts(repository, entry.days, [one for one in entries if one.scope == entry.scope])
            counts, told = known[key]
            verdict = RIGHT if count in counts else "wrong:number"
            yield Finding(line, "number of commits", str(count), verdict, told)


def _stated_counts(entry: Entry) -> Iterator[tuple[int, int]]:
    block = entry.block
    for field in entry.fields:
        if field.name == "commits" and (found := _COUNT.fullmatch(field.value)):
            yield entry.line_of(field), int(found[1])
    opening = entry.heading is None or entry.heading.block.level == 1
    figures = block.kind == "text" and len(block.text) < _SHORT and ("|" in block.text or opening)
    if block.kind == "heading" or figures:
        for found in _COMMITS.finditer(block.text):
            yield block.line_at(found.start()), int(found[1])


def _true_counts(repository: Repository, days: Days, entries: Sequence[Entry]) -> tuple[set[int], str]:
    """Count what landed, in every zone of the earth, and what the report lists itself."""
    zones = [timedelta(hours=hours) for hours in range(-12, 15)]
    times = [commit.committed_at for commit in repository.line]
    landed = {sum(days.first <= (time + zone).date() <= days.last for time in times) for zone in zones}
    cited = {one.value[:7] for entry in entries for one in entry.references if one.kind == "commit"}
    rows = sum(bool(entry.block.header) for entry in entries)
    span = f"{min(landed)} to {max(landed)}, by the zone," if len(landed) > 1 else f"{min(landed)}"
    return landed | {len(cited), rows}, f"{span} commits landed in {repository.repo} on {days}"
