"""Comparisons of the lines and files that a report counts with those of its commits."""

import re
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import chain, combinations
from typing import NamedTuple

from agent.audit.entries import AuditEntry
from agent.audit.findings import RIGHT, UNVERIFIABLE, Finding, RuledWords
from agent.audit.markdown import code_of
from agent.audit.repository_lookup_results import touched
from agent.domain.commits import Change, FileChange
from agent.domain.evidence import CommitEvidence

_COUNT = r"(\d{1,3}(?:,\d{3}){1,2}|\d{1,7})"
_PAIR = re.compile(
    rf"(?<![\w.+/-])\+(?P<added>{_COUNT})(?: ?行)?[ /,，、|]{{0,4}}[−–-](?P<deleted>{_COUNT})"
    r"(?![\w.%]|,\d)"
)
_PAIR_IN_WORDS = re.compile(
    rf"(?<![\w.,+/−–-])(?P<added>{_COUNT}) (?:lines? )?(?:insertions?|additions?|inserted|added)"
    r"(?:\(\+\))?(?: lines?)?(?:, and |,? |; | and | / )"
    rf"(?P<deleted>{_COUNT}) (?:lines? )?(?:deletions?|removals?|deleted|removed)(?!\w)"
)
_PAIR_IN_CHINESE = re.compile(
    rf"(?:新增|增加|添加) ?(?P<added>{_COUNT}) ?行 ?[,，、/和及]? ?(?:删除|移除|减少) ?(?P<deleted>{_COUNT}) ?行"
)
# What `git show --shortstat` prints, with or without its signs.
_SHORTSTAT = re.compile(
    r"\b(?P<files>\d{1,6}) files? changed"
    r"(?:, (?P<added>\d{1,8}) insertions?(?:\(\+\))?)?"
    r"(?:(?:,| and|, and) (?P<deleted>\d{1,8}) deletions?(?:\(-\))?)?"
)
# Right beside the lines of a commit it is the number of its files.
_FILES = re.compile(
    r"(?<![\w.,#/+−–-])(?P<files>\d{1,6}) ?(?:files?(?: changed)?(?![\w.-])|个文件)"
)
_NUMBER_OF_FILES = re.compile(r"[*_ ]{0,4}(?P<files>\d{1,6}) ?(?:files?|个文件|个)?[*_ ]{0,4}")
_BETWEEN_COUNTS = re.compile(r"[\s,，、;；()（）]{1,4}")
_MAX_CODE_SPANS = 50
_MAX_COMMITS = 3  # Of a block: of more, a count may be that of any part.
_MAX_FILES = 2000  # Of a change whose folders are counted


class _Counts(NamedTuple):
    """The files, added and deleted lines that are counted; None for what is not said."""

    files: int | None
    added: int | None
    deleted: int | None

    def agrees(self, other: "_Counts") -> bool:
        """Return True if nothing that these counts say is another number there."""
        for count, other_count in zip(self, other, strict=True):
            if count is not None and count != other_count:
                return False
        return True


def check_counts(entry: AuditEntry, evidence: Sequence[CommitEvidence]) -> Iterator[RuledWords]:
    """Compare the lines and files that a block counts with those of its commits.

    A count may be that of one of these commits, of several together, of a file, or of all files in
    a folder.
    """
    changes = [commit.change for commit in evidence]
    if not 1 <= len(changes) <= _MAX_COMMITS:
        return
    checked = _CountedBlock(entry, changes)
    summaries = [*_SHORTSTAT.finditer(entry.block.text)]
    for summary in summaries:
        yield checked.ruled(summary, checked.totals)
    pairs_of_commit = []
    for pair in _pairs(entry.block.text, summaries):
        counts = _counts_in(pair)
        if any(counts.agrees(total) for total in checked.totals):
            pairs_of_commit.append(pair)
        yield checked.ruled(pair, checked.parts)
    if len(changes) == 1:
        yield from _file_counts(checked, pairs_of_commit)


def _pairs(text: str, summaries: Sequence[re.Match[str]]) -> Iterator[re.Match[str]]:
    """Yield the added and deleted lines that a text counts outside of git's summaries."""
    for form in (_PAIR, _PAIR_IN_WORDS, _PAIR_IN_CHINESE):
        for pair in form.finditer(text):
            if not _is_within(pair, summaries):
                yield pair


def _is_within(pair: re.Match[str], summaries: Sequence[re.Match[str]]) -> bool:
    return any(summary.start() <= pair.start() < summary.end() for summary in summaries)


def _counts_in(match: re.Match[str]) -> _Counts:
    numbers: dict[str, int] = {}
    for name, text in match.groupdict().items():
        if text:
            numbers[name] = int(text.replace(",", ""))
    return _Counts(numbers.get("files"), numbers.get("added"), numbers.get("deleted"))


def _file_counts(checked: "_CountedBlock", pairs: Sequence[re.Match[str]]) -> Iterator[RuledWords]:
    """Compare each count of a commit's files.

    It stands in a column or behind a label, or right beside the lines of the whole commit.
    """
    block = checked.entry.block
    for field in checked.entry.fields:
        number = _NUMBER_OF_FILES.fullmatch(field.value)
        if field.name == "files" and number is not None:
            line = block.line_at(field.start)
            claim = f"{field.value.strip()} (files)"
            found = checked.finding(line, claim, number, checked.totals)
            yield RuledWords(found, field.start, field.start + len(field.value))
    for count in _FILES.finditer(block.text):
        for pair in pairs:
            start, end = sorted((count.span(), pair.span()))
            if _BETWEEN_COUNTS.fullmatch(block.text, start[1], end[0]):
                yield checked.ruled(count, checked.totals)
                break


class _CountedBlock:
    """A block, and the counts that it may mean: of commits, of files, and of folders."""

    def __init__(self, entry: AuditEntry, changes: Sequence[Change]) -> None:
        self.entry = entry
        self._changes = changes
        self._names_hash = any(reference.kind == "commit" for reference in entry.references)

    @cached_property
    def totals(self) -> list[_Counts]:
        """Return the counts of each commit, and of several together."""
        totals = []
        for size in range(1, len(self._changes) + 1):
            for some in combinations(self._changes, size):
                files = chain.from_iterable(change.files for change in some)
                totals.append(_total(list(files)))
        return totals

    @cached_property
    def parts(self) -> list[_Counts]:
        """Return all counts that the block may mean."""
        counts = [*self.totals]
        for pattern in self._patterns:
            for change in self._changes:
                counts.append(_total(_files_like(pattern, change)))
        counts.append(_total(self._named_files))
        for change in self._changes:
            counts += [_total([file]) for file in self._named_files or change.files]
            counts += _totals_of_folders(change).values()
        return counts

    @cached_property
    def _codes(self) -> list[str]:
        return [code.text for code in code_of(self.entry.block.text)[:_MAX_CODE_SPANS]]

    @property
    def _patterns(self) -> list[str]:
        return [code for code in self._codes if "*" in code]

    @cached_property
    def _named_files(self) -> list[FileChange]:
        files = {}
        for code in self._codes:
            for change in self._changes:
                files.update({file.path: file for file in touched(code, change)})
        return list(files.values())

    def ruled(self, match: re.Match[str], possible: Sequence[_Counts]) -> RuledWords:
        """Compare counts that stand in the text of the block."""
        line = self.entry.block.line_at(match.start())
        return RuledWords(self.finding(line, match[0], match, possible), *match.span())

    def finding(
        self, line: int, claim: str, match: re.Match[str], possible: Sequence[_Counts]
    ) -> Finding:
        """Compare counts with those that the block may mean."""
        evidence = "; ".join(_described(change) for change in self._changes)
        counts = _counts_in(match)
        if any(counts.agrees(other) for other in possible):
            return Finding(line, "statistics", claim, RIGHT, evidence)
        if not self._is_of_named_commits:
            return Finding(line, "statistics", claim, UNVERIFIABLE, evidence)
        replacement = ""
        is_of_whole_commit = len(self._changes) == 1 and not self._named_files
        if self._names_hash and is_of_whole_commit:
            replacement = _with_numbers(match, self.totals[0])
        span = match[0] if replacement else ""
        return Finding(line, "statistics", claim, "wrong:number", evidence, span, replacement)

    @property
    def _is_of_named_commits(self) -> bool:
        """Return False if the counts may be those of commits that the block does not name.

        A block that lists several pull requests may count what came with them as well.
        """
        numbers = set()
        for reference in self.entry.references:
            if reference.kind == "thread":
                numbers.add(reference.value)
        return self._names_hash or max(len(self._changes), len(numbers)) == 1


def _total(files: Sequence[FileChange]) -> _Counts:
    added = sum(file.additions for file in files)
    deleted = sum(file.deletions for file in files)
    return _Counts(len(files), added, deleted)


def _files_like(pattern: str, change: Change) -> list[FileChange]:
    """Return the files of a change that a path with wildcards names."""
    ending = f"*/{pattern.removeprefix('./').lstrip('/')}"
    return [file for file in change.files if fnmatchcase(f"/{file.path}", ending)]


def _totals_of_folders(change: Change) -> Mapping[str, _Counts]:
    """Return the counts of all files in each folder of a change."""
    files_by_folder: dict[str, list[FileChange]] = {}
    for file in change.files[:_MAX_FILES]:
        folder = file.path.rpartition("/")[0]
        while folder:
            files_by_folder.setdefault(folder, []).append(file)
            folder = folder.rpartition("/")[0]
    return {folder: _total(files) for folder, files in files_by_folder.items()}


def _with_numbers(match: re.Match[str], counts: _Counts) -> str:
    """Return the words of a match with other numbers in them."""
    pieces = []
    offset = match.start()
    numbers = {"files": counts.files, "added": counts.added, "deleted": counts.deleted}
    for name in match.groupdict():
        if match[name] is None:
            continue
        pieces.append(match.string[offset : match.start(name)] + str(numbers[name]))
        offset = match.end(name)
    pieces.append(match.string[offset : match.end()])
    return "".join(pieces)


def _described(change: Change) -> str:
    return f"{change.commit.id}: {len(change.files)} files, +{change.additions} −{change.deletions}"
