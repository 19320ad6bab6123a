"""Checks of the metadata of commits in a report: people, dates and counts, as git knows them."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta, timezone
from itertools import product

from agent.audit.entries import AuditEntry
from agent.audit.findings import (
    RIGHT,
    UNVERIFIABLE,
    Finding,
    count_differing,
    finding,
    folded,
    touched,
)
from agent.audit.markdown import code_of
from agent.domain.commits import Change, Commit
from agent.domain.stated_dates import Days, Stated

# A date is right if it is the commit's date anywhere on earth.
_TIME_ZONES = tuple(timezone(timedelta(minutes=minutes)) for minutes in range(-720, 841, 30))
Authors = Mapping[str, set[str]]
"""The names of the authors of a repository, folded, each with its addresses."""
_ROUNDING = timedelta(minutes=1)
_ISO_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_COUNT = r"(\d{1,3}(?:,\d{3}){1,2}|\d{1,7})"
_PAIR = re.compile(rf"(?<![\w.+/-])\+{_COUNT}(?: ?行)?[ /,，、|]{{0,4}}[−–-]{_COUNT}(?![\w.%]|,\d)")
# What `git show --shortstat` prints.
_SHORTSTAT = re.compile(
    r"\b(\d{1,6}) files? changed(?:, (\d{1,8}) insertions?\(\+\))?"
    r"(?:, (\d{1,8}) deletions?\(-\))?"
)
_MIN_LETTERS = 6  # Of a name: a shorter one with another letter is another name
_MAX_CODE_SPANS = 50
# Right beside the lines of a commit it is the number of its files.
_FILES = re.compile(r"(?<![\w.,#/+−–-])(\d{1,6}) ?(?:files?(?: changed)?(?![\w.-])|个文件)")
_NUMBER_OF_FILES = re.compile(r"[*_ ]{0,4}(\d{1,6}) ?(?:files?|个文件|个)?[*_ ]{0,4}")
_BETWEEN_COUNTS = re.compile(r"[\s,，、;；()（）]{1,4}")


def author_finding(line: int, name: str, commit: Commit, authors: Authors) -> Finding:
    """Compare a name with the author of a commit; `authors` are those of the repository.

    A name that begins with `@` is a login, which git does not know: it is never wrong.
    """
    verdict = _author_verdict(folded(name), commit, authors)
    if verdict == UNVERIFIABLE and is_misspelt(name, commit.author.name):
        verdict = "wrong:metadata"
    if verdict != RIGHT and name.startswith("@"):
        verdict = UNVERIFIABLE
    evidence = f"{commit.id} is by {commit.author.name}"
    if verdict in (RIGHT, UNVERIFIABLE):
        return Finding(line, "author", name, verdict, evidence)
    return Finding(line, "author", name, verdict, evidence, name, commit.author.name)


def _author_verdict(name: str, commit: Commit, authors: Authors) -> str:
    """Compare a name; one that nobody of the repository has may be a login, and is left open."""
    author = commit.author
    committer = commit.committer
    if name in folded(f"{author.name} {author.email}") or folded(author.name) in name:
        return RIGHT
    if name not in authors:
        return UNVERIFIABLE
    # Who writes under two names has one address.
    addresses = {author.email.casefold()} | authors.get(folded(author.name), set())
    if addresses & authors[name]:
        return RIGHT
    # The message names those who wrote it as well.
    others = folded(f"{committer.name} {committer.email} {commit.message}")
    return UNVERIFIABLE if name in others else "wrong:metadata"


def is_misspelt(name: str, right_name: str) -> bool:
    """Return True if a name is another one with one letter wrong, left out or added.

    Letters without their accents are a way to write a name.
    """
    written = folded(_without_accents(name))
    right = folded(_without_accents(right_name))
    if written == right or min(len(written), len(right)) < _MIN_LETTERS:
        return False
    return count_differing(written, right) == 1


def _without_accents(name: str) -> str:
    letters = unicodedata.normalize("NFKD", name)
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def date_finding(line: int, date: Stated, commit: Commit) -> Finding:
    """Compare a date with the two moments by which reports date a commit."""
    is_right = any(_fits(date, moment) for moment in _moments(commit))
    is_day = _ISO_DAY.fullmatch(date.text) is not None
    return finding(
        line,
        "date",
        date.text,
        landed_at(commit),
        wrong="" if is_right else "metadata",
        span=date.text,
        replacement=f"{commit.committed_at:%Y-%m-%d}" if is_day else "",
    )


def _fits(date: Stated, moment: datetime) -> bool:
    """Return True if a date is that of a moment in some time zone; minutes may be rounded."""
    moments = [moment]
    if date.minute is not None:
        moments += [moment - _ROUNDING, moment + _ROUNDING]
    pairs = product(moments, _TIME_ZONES)
    return any(date.fits(candidate, zone) for candidate, zone in pairs)


def is_inside(commit: Commit, days: Days) -> bool:
    """Return True if a commit was made or landed on one of some days, anywhere on earth."""
    for moment in _moments(commit):
        for zone in _TIME_ZONES:
            if days.first <= moment.astimezone(zone).date() <= days.last:
                return True
    return False


def _moments(commit: Commit) -> Iterator[datetime]:
    yield commit.committed_at
    yield commit.authored_at


def landed_at(commit: Commit) -> str:
    """Return the time at which a commit landed, in the form of a report."""
    return f"{commit.id} landed at {commit.committed_at:%Y-%m-%d %H:%M} UTC"


def check_counts(entry: AuditEntry, change: Change) -> Iterator[Finding]:
    """Compare added and deleted lines with those of the commit or of a file, and files with git's."""
    text = entry.block.text
    counts = _CountedLines(change, [code.text for code in code_of(text)[:_MAX_CODE_SPANS]])
    names_commit = any(reference.kind == "commit" for reference in entry.references)
    totals = (
        f"{change.commit.id}: {len(change.files)} files, +{change.additions} −{change.deletions}"
    )
    pairs_of_commit = []
    for pair in _PAIR.finditer(text):
        if counts.is_total(_number(pair[1]), _number(pair[2])):
            pairs_of_commit.append(pair)
        added = _number(pair[1])
        deleted = _number(pair[2])
        yield finding(
            entry.block.line_at(pair.start()),
            "statistics",
            pair[0],
            totals,
            wrong="" if counts.has(added, deleted) else "number",
            span=pair[0],
            replacement=counts.written_like(pair) if names_commit else "",
        )
    for summary in _SHORTSTAT.finditer(text):
        stated = (int(summary[1]), int(summary[2] or 0), int(summary[3] or 0))
        is_right = stated == (len(change.files), change.additions, change.deletions)
        yield finding(
            entry.block.line_at(summary.start()),
            "statistics",
            summary[0],
            totals,
            wrong="" if is_right else "number",
        )

    for line, claim, number in _file_counts(entry, pairs_of_commit):
        is_right = number == len(change.files)
        yield finding(line, "statistics", claim, totals, wrong="" if is_right else "number")


def _file_counts(
    entry: AuditEntry, pairs: Sequence[re.Match[str]]
) -> Iterator[tuple[int, str, int]]:
    """Yield the line, the words and the number of each count of a commit's files.

    It stands in a column or behind a label, or right beside the lines of the whole commit.
    """
    block = entry.block
    for field in entry.fields:
        number = _NUMBER_OF_FILES.fullmatch(field.value)
        if field.name == "files" and number is not None:
            yield block.line_at(field.start), f"{field.value.strip()} (files)", int(number[1])
    for count in _FILES.finditer(block.text):
        for pair in pairs:
            start, end = sorted((count.span(), pair.span()))
            if _BETWEEN_COUNTS.fullmatch(block.text, start[1], end[0]):
                yield block.line_at(count.start()), count[0], int(count[1])
                break


class _CountedLines:
    """The added and deleted lines that a report may mean: of the commit, or of files it names."""

    def __init__(self, change: Change, named_paths: Sequence[str]) -> None:
        named_files = []
        for path in named_paths:
            named_files.extend(touched(path, change))
        self._is_of_whole_commit = not named_files
        self._total = (change.additions, change.deletions)
        self._pairs = {self._total}
        for file in named_files or change.files:
            self._pairs.add((file.additions, file.deletions))

    def is_total(self, added: int, deleted: int) -> bool:
        """Return True if these are the lines of the whole commit."""
        return (added, deleted) == self._total

    def has(self, added: int, deleted: int) -> bool:
        """Return True if these are the lines of the commit or of one of the files."""
        return (added, deleted) in self._pairs

    def written_like(self, pair: re.Match[str]) -> str:
        """Return the right counts in the form of the wrong ones; empty if several may be meant."""
        if not self._is_of_whole_commit:
            return ""
        added, deleted = self._total
        between = pair.string[pair.end(1) : pair.start(2)]
        return f"+{added}{between}{deleted}"


def _number(text: str) -> int:
    return int(text.replace(",", ""))
