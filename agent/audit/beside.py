"""Checks of what stands beside a hash: in running text as in columns it is a claim about the commit.

A number, a name, a date or a title counts only where nothing but punctuation stands between it and
the hash; with words between them the sentence may say anything.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from agent.audit.entries import AuditEntry, thread_repos
from agent.audit.findings import Finding, Library, ReportReference, finding, folded
from agent.audit.markdown import plain
from agent.audit.metadata import author_finding, date_finding
from agent.domain.commits import Commit
from agent.domain.dates import Stated, find_dates
from agent.domain.references import mentions_thread, pull_number, without_pull_number

_GAP = re.compile(
    r"[\s`*_()\[\]（）【】,，:：·–—/-]{1,12}"
    r"(?:(?:PR|MR|pull request|commit|提交)[\s`*_()\[\]（）:：]{0,8})?",
    re.IGNORECASE,
)
_LONGEST_GAP = 40
_PULL_BEHIND_TITLE = re.compile(r"\s{0,3}\(#([1-9]\d{0,8})\)")
_SEPARATOR = re.compile(r"[|·•,，;；()（）\[\]\n]|\s[–—-]\s")
_CHARACTERS_BESIDE = 160
_PIECES_BESIDE = 5
_MIN_TITLE_LENGTH = 12  # A shorter title may stand in a sentence by chance.


class Beside(NamedTuple):
    """A piece of text that stands right behind a hash."""

    text: str
    start: int  # In the text of the block


def check_beside(entry: AuditEntry, library: Library) -> Iterator[Finding]:
    """Compare what stands right beside each hash of a block with its commit."""
    if entry.block.kind not in ("text", "item", "row"):
        return
    for reference in entry.references:
        if reference.kind != "commit":
            continue
        commits = library.meant(reference, entry.scope)
        if len(commits) != 1:
            continue
        (commit,) = commits
        if entry.scope and commit.repo not in entry.scope:
            continue
        yield from _number(entry, reference, commit, library)
        yield from _people_and_dates(entry, reference, commit, library)
    if len(entry.commits) == 1:
        yield from _number_behind_title(entry, entry.commits[0])


def thread_beside(entry: AuditEntry, reference: ReportReference) -> ReportReference | None:
    """Return the number that stands right before or behind a hash; None where there is none."""
    index = entry.references.index(reference)
    for neighbour in (index + 1, index - 1):
        if not 0 <= neighbour < len(entry.references):
            continue
        other = entry.references[neighbour]
        if other.kind != "thread" or other.field == "pull":
            continue
        first, second = sorted((reference, other), key=lambda found: found.start)
        gap = entry.block.text[first.end : second.start]
        if len(gap) <= _LONGEST_GAP and _GAP.fullmatch(gap):
            return other
    return None


def commit_of_number_beside(
    entry: AuditEntry, reference: ReportReference, library: Library
) -> Commit | None:
    """Return the commit that landed by the number beside a hash."""
    thread = thread_beside(entry, reference)
    if thread is None:
        return None
    return library.landed(thread, thread_repos(entry, thread, library))


def _number(
    entry: AuditEntry, reference: ReportReference, commit: Commit, library: Library
) -> Iterator[Finding]:
    """Compare the number beside a hash with the pull request of the commit.

    The number may be that of an issue, so it is only wrong if another commit landed by it.
    """
    thread = thread_beside(entry, reference)
    pull = pull_number(commit.subject)
    if thread is None or pull is None:
        return
    claim = f"{commit.sha[:10]} #{thread.value}"
    evidence = f"{commit.id} came by #{pull}"
    number = int(thread.value)
    if number == pull:
        yield finding(thread.line, "pull request of commit", claim, evidence, wrong="")
        return
    landed = library.landed(thread, thread_repos(entry, thread, library))
    if landed is None or _are_related(commit, landed):
        return
    yield finding(
        thread.line,
        "pull request of commit",
        claim,
        f"{evidence}, and #{number} landed as {landed.sha[:10]}",
        wrong="mismatch",
        span=f"#{number}",
        replacement=f"#{pull}",
    )


def _are_related(commit: Commit, other: Commit) -> bool:
    """Return True if the message of one of two commits names the other."""
    for message, named in ((commit.message, other), (other.message, commit)):
        pull = pull_number(named.subject)
        if named.sha[:7] in message or (pull and mentions_thread(message, pull)):
            return True
    return False


def _number_behind_title(entry: AuditEntry, commit: Commit) -> Iterator[Finding]:
    """Compare the `(#12)` behind the title of a commit, where the report copies the title."""
    pull = pull_number(commit.subject)
    title = without_pull_number(commit.subject).strip()
    if pull is None or len(title) < _MIN_TITLE_LENGTH:
        return
    start = entry.block.text.find(title)
    if start < 0:
        return
    number = _PULL_BEHIND_TITLE.match(entry.block.text, start + len(title))
    if number is None or int(number[1]) == pull:
        return
    yield finding(
        entry.block.line_at(number.start(1)),
        "pull request of commit",
        f"{commit.sha[:10]} #{number[1]}",
        f"{commit.id} came by #{pull}",
        wrong="mismatch",
        span=f"(#{number[1]})",
        replacement=f"(#{pull})",
    )


def _people_and_dates(
    entry: AuditEntry, reference: ReportReference, commit: Commit, library: Library
) -> Iterator[Finding]:
    """Compare the names and dates that stand as pieces of their own right behind a hash."""
    authors = library[commit.repo].authors
    for piece in _pieces_behind(entry, reference):
        line = entry.block.line_at(piece.start)
        if folded(piece.text) in authors:
            yield author_finding(line, piece.text, commit, authors)
        date = _only_date(piece.text)
        if date is not None:
            yield date_finding(line, date, commit)


def _pieces_behind(entry: AuditEntry, reference: ReportReference) -> Iterator[Beside]:
    """Yield the pieces between a hash and the next reference, separated by punctuation.

    Columns and labels that are known by name are left out: they are checked as such.
    """
    text = entry.block.text
    end = min(len(text), reference.end + _CHARACTERS_BESIDE)
    for other in entry.references:
        if other.start > reference.start and other.kind == "commit":
            end = min(end, other.start)
            break
    taken = [range(field.start, field.start + len(field.value)) for field in entry.fields]
    start = reference.end
    pieces = 0
    for separator in (*_SEPARATOR.finditer(text, reference.end, end), None):
        stop = separator.start() if separator else end
        piece = plain(text[start:stop]).strip(" @`*_.:：")
        if piece and not any(start in span for span in taken):
            yield Beside(piece, start)
            pieces += 1
        if pieces == _PIECES_BESIDE or (separator and separator[0] == "\n"):
            return
        start = separator.end() if separator else end


def _only_date(text: str) -> Stated | None:
    """Return the date that a piece of text is, and nothing else."""
    dates = find_dates(text)
    if len(dates) != 1:
        return None
    (date,) = dates
    if date.text.strip() != text or not date.year or not date.day:
        return None
    return date
