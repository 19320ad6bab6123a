"""Checks of what stands beside a hash: in running text as in columns it is a claim about the commit.

A number, a name, a date or a title counts only where nothing but punctuation and a label stands
between it and the hash; with words between them the sentence may say anything.
"""

import re
from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import NamedTuple

from agent.audit.commit_metadata import Authors, author_finding, date_finding, is_misspelt
from agent.audit.entries import FIELDS, AuditEntry, commits_meant, thread_repos
from agent.audit.findings import Finding, RuledWords, finding
from agent.audit.markdown import plain
from agent.audit.repository_lookup_results import Library, ReportReference, folded
from agent.domain.commits import Commit
from agent.domain.references import mentions_thread, pull_number, without_pull_number
from agent.domain.stated_dates import Stated, find_dates

_GAP = re.compile(
    r"[\s`*_()\[\]（）【】,，:：·–—/-]{1,12}"
    r"(?:(?:PR|MR|pull request|commit|提交)[\s`*_()\[\]（）:：]{0,8})?",
    re.IGNORECASE,
)
_LONGEST_GAP = 40
_SEPARATOR = re.compile(r"[|·•,，;；()（）\[\]\n]|\s[–—-]\s")
_COLON = re.compile(r"[:：]")
_CHARACTERS_BESIDE = 300
_PIECES_BESIDE = 5
_AUTHOR_LABELS = (*FIELDS["author"], "by")
_DATE_LABELS = (*FIELDS["date"], "dated", "on")
_WORDS_OF_NAME = 6
_MIN_PULLS = 5  # Beside hashes, before another number there is taken for a pull request
_SHARE_OF_PULLS = 0.8
_MIN_TITLE_LENGTH = 12  # A shorter title may stand in a sentence by chance.


class Beside(NamedTuple):
    """A piece of text that stands right behind a hash."""

    text: str
    start: int  # In the text of the block
    end: int


class HashOfEntry(NamedTuple):
    """A hash in a block, and the one commit that it means."""

    entry: AuditEntry
    reference: ReportReference
    commit: Commit


def check_beside(entries: Sequence[AuditEntry], library: Library) -> Iterator[Finding]:
    """Compare what stands right beside each hash of a report with its commit."""
    numbers: list[_NumberBeside] = []
    for entry in entries:
        for hash_of_entry in _hashes_of(entry, library):
            number = _number_beside(hash_of_entry, library)
            if number is not None:
                numbers.append(number)
            for ruled in _people_and_dates(hash_of_entry, library):
                yield ruled.finding
        if len(entry.commits) == 1:
            yield from _number_behind_title(entry, entry.commits[0])
    right_numbers = [number for number in numbers if number.is_right]
    is_custom = len(right_numbers) >= _MIN_PULLS and len(right_numbers) >= _SHARE_OF_PULLS * len(
        numbers
    )
    for number in numbers:
        yield from _number_findings(number, is_custom=is_custom)


def people_and_dates(entry: AuditEntry, library: Library) -> Iterator[RuledWords]:
    """Yield the names and dates right behind the hashes of a block, with what is found of them."""
    for hash_of_entry in _hashes_of(entry, library):
        yield from _people_and_dates(hash_of_entry, library)


def _hashes_of(entry: AuditEntry, library: Library) -> Iterator[HashOfEntry]:
    if entry.block.kind not in ("text", "item", "row"):
        return
    for reference in entry.references:
        if reference.kind != "commit":
            continue
        commits = commits_meant(reference, entry.scope, library)
        if len(commits) != 1:
            continue
        (commit,) = commits
        if not entry.scope or commit.repo in entry.scope:
            yield HashOfEntry(entry, reference, commit)


def thread_beside(
    entry: AuditEntry, reference: ReportReference, pull: int = 0
) -> ReportReference | None:
    """Return the number that stands right before or behind a hash; None where there is none.

    In a list of pairs the number behind belongs to the next hash, if the one before is `pull`.
    """
    index = entry.references.index(reference)
    if 0 < index < len(entry.references) - 2:
        before, _, behind, following = entry.references[index - 1 : index + 3]
        is_pull = before.kind == "thread" and int(before.value) == pull
        is_pair = following.kind == "commit" and _are_beside(entry, behind, following)
        if is_pull and is_pair and _are_beside(entry, before, reference):
            return before
    for neighbour in (index + 1, index - 1):
        if not 0 <= neighbour < len(entry.references):
            continue
        other = entry.references[neighbour]
        if other.kind != "thread" or other.field == "pull":
            continue
        if _are_beside(entry, reference, other):
            opposite = 2 * index - neighbour
            return None if _is_hash_beside(entry, reference, opposite) else other
    return None


def _is_hash_beside(entry: AuditEntry, reference: ReportReference, index: int) -> bool:
    """Return True if another hash stands there: in a row of hashes, a number belongs to none."""
    if not 0 <= index < len(entry.references):
        return False
    other = entry.references[index]
    return other.kind == "commit" and _are_beside(entry, reference, other)


def _are_beside(entry: AuditEntry, reference: ReportReference, other: ReportReference) -> bool:
    """Return True if nothing but punctuation and a label stands between two references."""
    first, second = sorted((reference, other), key=attrgetter("start"))
    return is_gap(entry.block.text[first.end : second.start])


def is_gap(text: str) -> bool:
    """Return True if a text between two others is nothing but punctuation and a label."""
    return len(text) <= _LONGEST_GAP and _GAP.fullmatch(text) is not None


def commit_of_number_beside(
    entry: AuditEntry, reference: ReportReference, library: Library
) -> Commit | None:
    """Return the commit that landed by the number beside a hash."""
    thread = thread_beside(entry, reference)
    if thread is None:
        return None
    return library.landed(thread, thread_repos(entry, thread, library))


class _NumberBeside(NamedTuple):
    """The number of a thread beside a hash, and the pull request that the commit came by."""

    thread: ReportReference
    commit: Commit
    pull: int
    landed: Commit | None  # The commit that came by the number
    has_pull: bool  # The block has the right number, too
    is_landed: bool  # Other commits may have landed by the pull request of their branch

    @property
    def is_right(self) -> bool:
        return int(self.thread.value) == self.pull


def _number_beside(hash_of_entry: HashOfEntry, library: Library) -> _NumberBeside | None:
    entry, reference, commit = hash_of_entry
    pull = pull_number(commit.subject)
    if pull is None:
        return None
    thread = thread_beside(entry, reference, pull)
    if thread is None:
        return None
    repos = thread_repos(entry, thread, library)
    if commit.repo not in repos:
        return None
    landed = library.landed(thread, repos)
    is_landed = commit.sha in library[commit.repo].landed_hashes
    return _NumberBeside(thread, commit, pull, landed, _has_number(entry, pull), is_landed)


def _number_findings(number: _NumberBeside, *, is_custom: bool) -> Iterator[Finding]:
    """Compare the number beside a hash with the pull request of the commit.

    The number may be that of an issue. So it is wrong only if another commit landed by it, if it is
    a link to a pull request, or if such numbers are pull requests all over the report. A block that
    has the right number as well may name two pull requests, unless one beside each hash is custom.
    """
    thread, commit, pull, landed, has_pull, is_landed = number
    claim = f"{commit.sha[:10]} #{thread.value}"
    evidence = f"{commit.id} came by #{pull}"
    if number.is_right:
        yield finding(thread.line, "pull request of commit", claim, evidence, wrong="")
        return
    if not is_landed:
        return
    if landed is None:
        is_claim = thread.is_pull and is_custom
        if not has_pull:
            is_claim = thread.is_pull or is_custom
        if not is_claim or mentions_thread(commit.message, int(thread.value)):
            return
    elif _are_related(commit, landed):
        return
    else:
        evidence += f", and #{thread.value} landed as {landed.sha[:10]}"
    yield finding(
        thread.line,
        "pull request of commit",
        claim,
        evidence,
        wrong="mismatch",
        span=f"#{thread.value}",
        replacement=f"#{pull}",
    )


def _are_related(commit: Commit, other: Commit) -> bool:
    """Return True if the message of one of two commits names the other."""
    for message, other_commit in ((commit.message, other), (other.message, commit)):
        pull = pull_number(other_commit.subject)
        if other_commit.sha[:7] in message or (pull and mentions_thread(message, pull)):
            return True
    return False


def _number_behind_title(entry: AuditEntry, commit: Commit) -> Iterator[Finding]:
    """Compare the number right behind the title of a commit, where the report copies the title.

    There GitHub has written the pull request. The report may leave out the kind of the change that
    the title begins with, or write it in another way.
    """
    pull = pull_number(commit.subject)
    title = without_pull_number(commit.subject).strip()
    if pull is None:
        return
    text = entry.block.text.casefold()
    for copied_title in (title, title.partition(": ")[2]):
        start = text.find(copied_title.casefold())
        if len(copied_title) < _MIN_TITLE_LENGTH or start < 0 or len(text) != len(entry.block.text):
            continue
        end = start + len(copied_title)
        thread = _thread_behind(entry, end)
        if thread is None or _has_number(entry, pull):
            return
        if mentions_thread(commit.message, int(thread.value)):
            return
        yield finding(
            thread.line,
            "pull request of commit",
            f"{commit.sha[:10]} #{thread.value}",
            f"{commit.id} came by #{pull}",
            wrong="mismatch",
            span=f"#{thread.value}",
            replacement=f"#{pull}",
        )
        return


def _has_number(entry: AuditEntry, number: int) -> bool:
    threads = [reference for reference in entry.references if reference.kind == "thread"]
    return any(int(thread.value) == number for thread in threads)


def _thread_behind(entry: AuditEntry, end: int) -> ReportReference | None:
    """Return the number that stands right behind an offset of a block, and is no title's own."""
    for reference in entry.references:
        if reference.kind != "thread" or reference.start < end or reference.field == "pull":
            continue
        gap = entry.block.text[end : reference.start]
        return reference if is_gap(gap) else None
    return None


def _people_and_dates(hash_of_entry: HashOfEntry, library: Library) -> Iterator[RuledWords]:
    """Compare the names and dates that stand as pieces right behind a hash.

    They begin the piece, with their labels.
    """
    entry, reference, commit = hash_of_entry
    authors = library[commit.repo].authors
    for piece in _pieces_behind(entry, reference):
        line = entry.block.line_at(piece.start)
        name = _name_in(piece.text, authors) or _misspelt_name(piece.text, commit)
        if name:
            end = _end_of(name, piece, entry)
            yield RuledWords(author_finding(line, name, commit, authors), piece.start, end)
        date = _date_in(piece.text, name)
        if date is not None:
            end = _end_of(date.text, piece, entry)
            yield RuledWords(date_finding(line, date, commit), piece.start, end)


def _end_of(words: str, piece: Beside, entry: AuditEntry) -> int:
    """Return where words of a piece end in its block; where it begins if markup is between them."""
    start = entry.block.text.find(words, piece.start, piece.end)
    return start + len(words) if start >= 0 else piece.start


def _name_in(text: str, authors: Authors) -> str:
    """Return the name that a piece of text is, or has right behind a label; empty if there is none.

    One word alone must be all of the piece, or stand before a colon or a date: it may be any word.
    """
    if folded(text) in authors:
        return text
    value = _behind_label(text, _AUTHOR_LABELS)
    if value is None:
        return ""
    before_colon = _COLON.split(value)[0]
    if folded(before_colon) in authors:
        return before_colon
    words = value.split(" ")
    for count in range(min(len(words), _WORDS_OF_NAME), 0, -1):
        name = " ".join(words[:count])
        if folded(name) not in authors:
            continue
        following = " ".join(words[count:])
        if count > 1 or not following or _behind_label(following, _DATE_LABELS):
            return name
    return ""


def _misspelt_name(text: str, commit: Commit) -> str:
    """Return the words behind a label that are the name of the author with one letter wrong."""
    value = _behind_label(text, _AUTHOR_LABELS)
    if value is None:
        return ""
    words = _COLON.split(value)[0].split(" ")
    name = " ".join(words[: len(commit.author.name.split())])
    return name if is_misspelt(name, commit.author.name) else ""


def _date_in(text: str, name: str) -> Stated | None:
    """Return the date that a piece of text is, or has behind a label or behind the author."""
    date = _only_date(text)
    if date is not None:
        return date
    following = text.partition(name)[2].strip() if name else text
    value = _behind_label(following, _DATE_LABELS)
    if value is None:
        return None
    dates = find_dates(value)
    if not dates or dates[0].start > 0:
        return None
    return dates[0] if dates[0].year and dates[0].day else None


def _behind_label(text: str, labels: Sequence[str]) -> str | None:
    """Return what stands behind the label with which a text begins; None if it has none."""
    for label in labels:
        if not text.casefold().startswith(label):
            continue
        value = text[len(label) :]
        bare_value = value.lstrip(" :：*_`")
        if bare_value and (bare_value != value or not label.isascii()):
            return bare_value
    return None


def _pieces_behind(entry: AuditEntry, reference: ReportReference) -> Iterator[Beside]:
    """Yield the pieces between a hash and the next one, separated by punctuation.

    Columns and labels that are known by name are left out: they are checked as such. So are links
    and numbers, and a piece that goes on too far.
    """
    text = entry.block.text
    end = len(text)
    taken = [range(field.start, field.start + len(field.value)) for field in entry.fields]
    for other in entry.references:
        if other.start <= reference.start:
            continue
        if other.kind == "commit":
            end = other.start
            break
        taken.append(range(other.start, other.end))
    limit = min(end, reference.end + _CHARACTERS_BESIDE)
    ends: list[re.Match[str] | None] = [*_SEPARATOR.finditer(text, reference.end, limit)]
    if limit == end:
        ends.append(None)
    start = reference.end
    pieces = 0
    for separator in ends:
        stop = separator.start() if separator else end
        piece = plain(text[start:stop]).strip(" `*_.:：。").rstrip("@")
        if piece and not any(start in span for span in taken):
            yield Beside(piece, start, stop)
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
