"""Writes diffs, files, threads and lists of commits as pages of a bounded number of tokens."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from agent.domain.base import RepoId
from agent.domain.commits import Change, Commit, FileChange
from agent.domain.evidence_id import EvidenceId
from agent.domain.patch import cut_hunks
from agent.domain.references import parse_reference
from agent.domain.threads import Comment, Issue, PullRequest
from agent.reports.shown_titles import shown_title
from agent.token_estimates import tokens_of

PAGE_TOKENS = 6_000
_ASCII_PER_TOKEN = 3  # ASCII characters that are never more than a token
_MAX_LINE = 1_000  # Characters of a line of a file that are shown
_MAX_CANDIDATES = 5  # Commits that an error lists
_MAX_COMMIT_LINE = 300  # Characters of a line about a commit
# Lines around one that names an identifier; what follows mostly explains it.
_LINES_BEFORE = 6
_LINES_AFTER = 24
_FILE_HEADING = re.compile(
    r" at (?P<sha>[0-9a-f]{12,40})(?: \([^\n]*?\))?, lines (?P<first>[0-9]+) to (?P<last>[0-9]+) of [0-9]+"
)


class Piece(NamedTuple):
    """A text that is not divided if it fits on a page, and the title above it on each page."""

    text: str
    title: str = ""


def pages_of(pieces: Iterable[Piece], tokens: int = PAGE_TOKENS) -> list[str]:
    """Return pieces as pages.

    A piece longer than a page is cut between lines, a line longer than a page anywhere.
    """
    pages: list[list[str]] = [[]]
    tokens_left = tokens
    last_title = ""
    for piece in pieces:
        title_tokens = tokens_of(piece.title)
        for text in _cut(piece.text, max(1, tokens - title_tokens)):
            size = tokens_of(text)
            if piece.title != last_title:
                size += title_tokens
            if pages[-1] and size > tokens_left:
                pages.append([])
                tokens_left = tokens
                last_title = ""
            if piece.title != last_title:
                pages[-1].append(piece.title)
                tokens_left -= title_tokens
                last_title = piece.title
            pages[-1].append(text)
            tokens_left -= tokens_of(text)
    return ["".join(page) for page in pages]


def lines_as_pages(lines: Iterable[str], tokens: int = PAGE_TOKENS) -> list[str]:
    """Return lines as pages."""
    return pages_of((Piece(f"{line}\n") for line in lines), tokens)


def diff_pages(
    change: Change,
    files: Sequence[FileChange] | None = None,
    *,
    symbol: str = "",
    tokens: int = PAGE_TOKENS,
) -> list[str]:
    """Return a commit's diff as pages: of some `files`, and of the hunks that name a `symbol`.

    A part begins with the first line of the message: the rest was shown before.
    """
    is_part = files is not None or bool(symbol)
    pieces = [Piece(_heading(change, is_part=is_part))]
    for file in change.files if files is None else files:
        pieces += file_pieces(file, symbol)
    return pages_of(pieces, tokens)


def file_pieces(file: FileChange, symbol: str = "") -> Iterator[Piece]:
    """Yield the hunks of a file, titled by its name; with a `symbol`, only those that name it."""
    name = file.path
    if file.previous_path not in (None, file.path):
        name = f"{file.previous_path} -> {file.path}"
    title = f"--- {name} ({file.status}, +{file.additions} -{file.deletions})\n"
    if not file.patch:
        if not symbol:
            yield Piece(f"{file.unreadable or 'no text'}\n", title)
        return
    for hunk in cut_hunks(file.patch) or [file.patch]:
        if not symbol or names_symbol(hunk, symbol):
            yield Piece(f"{hunk}\n", title)


def names_symbol(hunk: str, symbol: str) -> bool:
    """Return True if the heading or a changed line of a hunk has an identifier."""
    pattern = word(symbol)
    lines = [line for line in hunk.split("\n") if line[:1] in ("@", "+", "-")]
    return any(pattern.search(line) for line in lines)


def word(name: str) -> re.Pattern[str]:
    """Return a pattern for an identifier that is not part of a longer one."""
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")


def _heading(change: Change, *, is_part: bool) -> str:
    commit = change.commit
    message = commit.title if is_part else commit.message.strip()
    counts = f"{len(change.files)} files, +{change.additions} -{change.deletions}"
    left_out = f"\nnot all files are listed: {change.incomplete}" if change.incomplete else ""
    return f"{commit.sha[:12]} {commit.author.name}\n{message}\n{counts}{left_out}\n"


def _cut(text: str, tokens: int) -> Iterator[str]:
    if tokens_of(text) <= tokens:
        yield text
        return
    parts: list[str] = []
    tokens_left = tokens
    for line in text.splitlines(keepends=True):
        for part in _cut_line(line, tokens):
            size = tokens_of(part)
            if parts and size > tokens_left:
                yield "".join(parts)
                parts = []
                tokens_left = tokens
            parts.append(part)
            tokens_left -= size
    yield "".join(parts)


def _cut_line(line: str, tokens: int) -> Iterator[str]:
    if tokens_of(line) <= tokens:
        yield line
        return
    per_token = _ASCII_PER_TOKEN if line.isascii() else 1
    size = max(1, per_token * (tokens - 1))
    for start in range(0, len(line), size):
        yield line[start : start + size]


class Shown(NamedTuple):
    """Numbered lines, and the line to go on from; 0 if these were the last."""

    text: str
    first: int
    last: int
    following: int


class CommitMeant(NamedTuple):
    """The commit that a caller means, and the tag by which it was named."""

    sha: str
    tag: str = ""
    at: datetime | None = None  # When it landed

    @property
    def state(self) -> str:
        """The day of the commit behind the tag that it was named by, to distinguish an old state from the present."""
        day = f"{self.at:%Y-%m-%d}" if self.at else ""
        return ", ".join(filter(None, (self.tag, day)))

    @property
    def tag_line(self) -> str:
        """The line that says which commit a tag is; empty for a commit that was named itself."""
        return f"{self.tag} is {self.sha[:12]} of {self.at:%Y-%m-%d}\n" if self.tag else ""


def file_heading(path: str, commit: CommitMeant, shown: Shown, total: int) -> str:
    """Return the beginning of the line above lines of a file; `shown_lines` reads it."""
    state = commit.sha[:12]
    if commit.tag:
        # The whole hash: this commit may be none of the window, by which it could be completed.
        state = f"{commit.sha} ({commit.tag} of {commit.at:%Y-%m-%d})"
    return f"{path} at {state}, lines {shown.first} to {shown.last} of {total}"


class ShownLines(NamedTuple):
    """Which lines of a file get_file has shown, and the hash, perhaps abbreviated, of their commit."""

    sha: str
    numbers: range


def shown_lines(text: str, path: str) -> ShownLines | None:
    """Return which lines of a file get_file has shown; None where it has shown none."""
    heading = _FILE_HEADING.match(text.removeprefix(path))
    if heading is None or heading["first"] == "0":
        return None
    return ShownLines(heading["sha"], range(int(heading["first"]), int(heading["last"]) + 1))


def clean_path(path: str) -> str | None:
    """Return a path below the root of a repository as git writes it, or None if it is none."""
    clean = path.strip().removeprefix("./").strip("/")
    if "\n" in clean:
        return None
    if any(part in ("", ".", "..") for part in clean.split("/")):
        return None
    return clean


def stretch(lines: Sequence[str], start: int, tokens: int) -> Shown:
    """Return lines from a number on, as many as fit."""
    return _shown(lines, range(start, len(lines) + 1), tokens)


def around(lines: Sequence[str], name: str, start: int, tokens: int) -> Shown:
    """Return the lines around those that have an identifier, from a number on, as many as fit."""
    pattern = word(name)
    numbers: set[int] = set()
    for number in range(start, len(lines) + 1):
        if pattern.search(lines[number - 1]):
            first = max(start, number - _LINES_BEFORE)
            last = min(len(lines), number + _LINES_AFTER)
            numbers.update(range(first, last + 1))
    return _shown(lines, sorted(numbers), tokens)


def _shown(lines: Sequence[str], numbers: Sequence[int], tokens: int) -> Shown:
    text: list[str] = []
    last = 0
    for number in numbers:
        line = lines[number - 1]
        if len(line) > _MAX_LINE:
            line = f"{line[:_MAX_LINE]} … ({len(line)} characters)"
        gap = "…\n" if last and number > last + 1 else ""
        numbered = f"{gap}{number:>6}  {line}\n"
        tokens -= tokens_of(numbered)
        if tokens < 0 and text:
            return Shown("".join(text), numbers[0], last, number)
        text.append(numbered)
        last = number
    return Shown("".join(text), numbers[0] if text else 0, last, 0)


def thread_pieces(thread: Issue | PullRequest, comments: Sequence[Comment]) -> Iterator[Piece]:
    """Yield the pieces of a thread; texts are kept as they were written."""
    yield Piece(f"#{thread.number} {thread.title}\n{_state(thread)}\n\n")
    yield Piece(f"{thread.body.strip() or '(no text)'}\n")
    for comment in reversed(comments):
        author = comment.author or "a deleted account"
        title = f"\ncomment by {author}, {comment.created_at:%Y-%m-%d}:\n"
        yield Piece(f"{comment.body.strip()}\n", title)


def _state(thread: Issue | PullRequest) -> str:
    kind = "pull request" if isinstance(thread, PullRequest) else "issue"
    state = [f"{kind}, {thread.state}", f"by {thread.author or 'a deleted account'}"]
    if isinstance(thread, PullRequest):
        if thread.merged_at:
            state.append(f"merged {thread.merged_at:%Y-%m-%d}")
        if thread.merge_commit and thread.merged_at:
            state.append(f"as {thread.merge_commit[:12]}")
        if thread.closes:
            state.append(f"closes {' '.join(thread.closes)}")
    elif thread.state_reason:
        state.append(thread.state_reason)
    labels = f"; labels: {', '.join(thread.labels)}" if thread.labels else ""
    return f"{', '.join(state)}{labels}"


class CommitNames:
    """Finds commits of one window; others are not at hand."""

    def __init__(
        self, repo: RepoId, commits: Sequence[Commit], handles: Mapping[str, EvidenceId]
    ) -> None:
        self._repo = repo
        self._commits = {commit.sha: commit for commit in commits}
        self._handles = {handle.lower(): evidence_id for handle, evidence_id in handles.items()}

    def of_handle(self, name: str) -> EvidenceId | None:
        """Return what a handle stands for, in whichever repository; None if it is no handle."""
        return self._handles.get(_bare_name(name))

    def matching(self, name: str) -> list[str]:
        """Return the full hashes that a handle, a hash, perhaps abbreviated, or an id may mean.

        A handle is never taken for the beginning of a hash.
        """
        evidence_id = self.of_handle(name)
        if evidence_id is not None:
            is_commit_here = evidence_id.is_commit and self._is_here(evidence_id.repo)
            return [evidence_id.sha] if is_commit_here else []
        reference = parse_reference(_bare_name(name), self._repo)
        if reference is None or reference.kind != "commit" or not self._is_here(reference.repo):
            return []
        return [sha for sha in self._commits if sha.startswith(reference.sha)]

    def meant(self, sha: str) -> CommitMeant:
        """Return a commit with its time, which is known for the commits of the window."""
        commit = self._commits.get(sha)
        return CommitMeant(sha, at=commit.committed_at if commit else None)

    def tag_meant(self, name: str) -> str:
        """Return the tag of this repository that a handle, an id or a bare name may mean, or nothing."""
        bare = name.strip(" []`")
        evidence_id = self.of_handle(name) or EvidenceId.parse(bare)
        if evidence_id is None:
            return bare
        is_tag_here = evidence_id.kind == "tag" and self._is_here(evidence_id.repo)
        return evidence_id.revision if is_tag_here else ""

    def _is_here(self, repo: str | None) -> bool:
        return repo is not None and repo.lower() == self._repo.lower()

    @property
    def newest(self) -> str | None:
        """The newest commit; of several from the same second, the one that builds on the others."""
        parents: set[str] = set()
        for commit in self._commits.values():
            parents.update(commit.parents)
        tips = [commit for sha, commit in self._commits.items() if sha not in parents]
        if not tips:
            return None
        return max(tips, key=lambda commit: commit.committed_at).sha

    def listed(self, notes: Mapping[str, str]) -> list[str]:
        """Return a line for each commit: its handle, if any, its hash, and its note or title."""
        handle_of = {evidence_id: handle for handle, evidence_id in self._handles.items()}
        lines = []
        for sha, commit in self._commits.items():
            commit_id = EvidenceId.commit(self._repo, sha)
            handle = f"{handle_of[commit_id]} " if commit_id in handle_of else ""
            note = notes.get(sha) or _title_line(commit)
            lines.append(f"{handle}{sha[:12]}  {note}"[:_MAX_COMMIT_LINE])
        return lines


def several_commits(name: str, candidates: Sequence[EvidenceId]) -> str:
    """Return the complaint that a name may mean each of these commits."""
    return f"{name!r} fits several commits: {', '.join(candidates[:_MAX_CANDIDATES])}"


def _bare_name(text: str) -> str:
    """Return a name without what surrounds it where it is cited."""
    return text.strip(" []`@").lower()


def _title_line(commit: Commit) -> str:
    title = shown_title(commit.title)
    return f"{commit.committed_at:%Y-%m-%d} {commit.author.name}: {title}"
