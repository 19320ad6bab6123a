"""What tools show, as pages of a bounded number of tokens: diffs, files, threads, lists of commits by name."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from agent.domain.base import RepoId
from agent.domain.commits import Change, Comment, Commit, FileChange, Issue, PullRequest
from agent.domain.patch import cut_hunks
from agent.domain.references import parse_reference
from agent.prompting import tokens_of
from agent.reports.titles import shown_title

PAGE_TOKENS = 6_000
_CHARS = 3  # Characters of ASCII that surely are no more than a token
_FILE_HEADING = re.compile(
    r" at [0-9a-f]{12}, lines (?P<first>[0-9]+) to (?P<last>[0-9]+) of [0-9]+"
)


class Piece(NamedTuple):
    """A text that stays together where it fits on a page, and the title that stands above it on each page."""

    text: str
    title: str = ""


def pages_of(pieces: Iterable[Piece], tokens: int = PAGE_TOKENS) -> list[str]:
    """Put pieces on pages; a piece longer than a page is cut between lines, a line longer than a page anywhere."""
    pages: list[list[str]] = [[]]
    room, title = tokens, ""
    for piece in pieces:
        for text in _cut(piece.text, max(1, tokens - tokens_of(piece.title))):
            size = tokens_of(text) + (tokens_of(piece.title) if piece.title != title else 0)
            if pages[-1] and size > room:
                pages.append([])
                room, title = tokens, ""
            if piece.title != title:
                pages[-1].append(piece.title)
                room, title = room - tokens_of(piece.title), piece.title
            pages[-1].append(text)
            room -= tokens_of(text)
    return ["".join(page) for page in pages]


def lines_as_pages(lines: Iterable[str], tokens: int = PAGE_TOKENS) -> list[str]:
    """Put lines on pages."""
    return pages_of((Piece(f"{line}\n") for line in lines), tokens)


def diff_pages(
    change: Change,
    files: Sequence[FileChange] | None = None,
    *,
    symbol: str = "",
    tokens: int = PAGE_TOKENS,
) -> list[str]:
    """Cut a commit's diff into pages; with `files` only these, with `symbol` only the hunks that name it."""
    chosen = change.files if files is None else files
    pieces = [piece for file in chosen for piece in file_pieces(file, symbol)]
    return pages_of([Piece(_heading(change)), *pieces], tokens)


def file_pieces(file: FileChange, symbol: str = "") -> Iterator[Piece]:
    """Cut a file's patch between its hunks, under the file's name; with `symbol` only the hunks that name it."""
    name = (
        file.path
        if file.previous_path in (None, file.path)
        else f"{file.previous_path} -> {file.path}"
    )
    title = f"--- {name} ({file.status}, +{file.additions} -{file.deletions})\n"
    if not file.patch:
        if not symbol:
            yield Piece(f"{file.unreadable or 'no text'}\n", title)
        return
    for hunk in cut_hunks(file.patch) or [file.patch]:
        if not symbol or names_symbol(hunk, symbol):
            yield Piece(f"{hunk}\n", title)


def names_symbol(hunk: str, symbol: str) -> bool:
    """Tell whether a hunk's heading or one of its changed lines has this identifier."""
    whole = word(symbol)
    return any(whole.search(line) for line in hunk.split("\n") if line[:1] in ("@", "+", "-"))


def word(name: str) -> re.Pattern[str]:
    """Give the pattern of an identifier that is not part of a longer one."""
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")


def _heading(change: Change) -> str:
    commit = change.commit
    counts = f"{len(change.files)} files, +{change.additions} -{change.deletions}"
    left_out = f"\nnot all files are listed: {change.incomplete}" if change.incomplete else ""
    return f"{commit.sha[:12]} {commit.author.name}\n{commit.message.strip()}\n{counts}{left_out}\n"


def _cut(text: str, tokens: int) -> Iterator[str]:
    if tokens_of(text) <= tokens:
        yield text
        return
    held: list[str] = []
    room = tokens
    for line in text.splitlines(keepends=True):
        for part in _cut_line(line, tokens):
            size = tokens_of(part)
            if held and size > room:
                yield "".join(held)
                held, room = [], tokens
            held.append(part)
            room -= size
    yield "".join(held)


def _cut_line(line: str, tokens: int) -> Iterator[str]:
    if tokens_of(line) <= tokens:
        yield line
        return
    size = max(1, _CHARS * (tokens - 1) if line.isascii() else tokens - 1)
    yield from (line[at : at + size] for at in range(0, len(line), size))


_LONGEST = 1_000  # Characters of a line that are shown
_BEFORE, _AFTER = (
    6,
    24,
)  # Lines around a line that names an identifier: mostly what follows tells what it is


class Shown(NamedTuple):
    """Numbered lines, and the line to go on from; 0 where this was the end."""

    text: str
    first: int
    last: int
    following: int


def file_heading(path: str, sha: str, shown: Shown, total: int) -> str:
    """Return the beginning of the line above lines of a file; `shown_lines` reads it."""
    return f"{path} at {sha[:12]}, lines {shown.first} to {shown.last} of {total}"


def shown_lines(text: str, path: str) -> range | None:
    """Return the numbers of the lines of a file that get_file has shown; None where it has none."""
    heading = _FILE_HEADING.match(text.removeprefix(path))
    if heading is None or heading["first"] == "0":
        return None
    return range(int(heading["first"]), int(heading["last"]) + 1)


def clean_path(path: str) -> str | None:
    """Give a path below the root of a repository as git writes it; None where it is no such path."""
    clean = path.strip().removeprefix("./").strip("/")
    return (
        None
        if "\n" in clean or any(part in ("", ".", "..") for part in clean.split("/"))
        else clean
    )


def stretch(lines: Sequence[str], start: int, tokens: int) -> Shown:
    """Show lines from a number on, as many as fit."""
    return _shown(lines, range(start, len(lines) + 1), tokens)


def around(lines: Sequence[str], name: str, start: int, tokens: int) -> Shown:
    """Show what surrounds the lines that have an identifier, from a number on; no text where none has it."""
    whole = word(name)
    wanted: set[int] = set()
    for number in range(start, len(lines) + 1):
        if whole.search(lines[number - 1]):
            wanted.update(range(max(start, number - _BEFORE), min(len(lines), number + _AFTER) + 1))
    return _shown(lines, sorted(wanted), tokens)


def _shown(lines: Sequence[str], numbers: Sequence[int], tokens: int) -> Shown:
    text: list[str] = []
    last = 0
    for number in numbers:
        line = lines[number - 1]
        cut = f"{line[:_LONGEST]} … ({len(line)} characters)" if len(line) > _LONGEST else line
        gap = "…\n" if last and number > last + 1 else ""
        shown = f"{gap}{number:>6}  {cut}\n"
        tokens -= tokens_of(shown)
        if tokens < 0 and text:
            return Shown("".join(text), numbers[0], last, number)
        text.append(shown)
        last = number
    return Shown("".join(text), numbers[0] if text else 0, last, 0)


def thread_pieces(thread: Issue | PullRequest, comments: Sequence[Comment]) -> Iterator[Piece]:
    """Write a thread in pieces that stay together on a page; bodies are kept as they were written."""
    yield Piece(f"#{thread.number} {thread.title}\n{_state(thread)}\n\n")
    yield Piece(f"{thread.body.strip() or '(no text)'}\n")
    for comment in reversed(comments):
        title = f"\ncomment by {comment.author or 'a deleted account'}, {comment.created_at:%Y-%m-%d}:\n"
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


_LINE = 300


class CommitNames:
    """Finds commits of one window; others are not at hand."""

    def __init__(self, repo: RepoId, commits: Sequence[Commit], handles: Mapping[str, str]) -> None:
        self._repo = repo
        self._commits = {commit.sha: commit for commit in commits}
        self._handles = {handle.lower(): sha for handle, sha in handles.items()}

    def matching(self, name: str) -> list[str]:
        """Give the full hashes that a handle, a full or abbreviated hash or a citation may mean."""
        name = name.strip(" []`@").lower()
        if name in self._handles:
            return [self._handles[name]]
        reference = parse_reference(name, self._repo)
        if reference is not None and reference.kind == "commit":
            if reference.repo is None or reference.repo.lower() != self._repo.lower():
                return []
            name = reference.sha
        return [sha for sha in self._commits if sha.startswith(name)] if name else []

    @property
    def newest(self) -> str | None:
        """The commit that no other one of the window builds on: several may have landed in the same second."""
        parents = {parent for commit in self._commits.values() for parent in commit.parents}
        tips = [commit for sha, commit in self._commits.items() if sha not in parents]
        return max(tips, key=lambda commit: commit.committed_at).sha if tips else None

    def listed(self, notes: Mapping[str, str]) -> list[str]:
        """Write a line for each commit: its handle if it has one, its hash, and the note or else its title."""
        handle_of = {sha: handle for handle, sha in self._handles.items()}
        lines = []
        for sha, commit in self._commits.items():
            note = (
                notes.get(sha)
                or f"{commit.committed_at:%Y-%m-%d} {commit.author.name}: {shown_title(commit.title)}"
            )
            lines.append(
                f"{handle_of[sha]} {sha[:12]}  {note}"
                if sha in handle_of
                else f"{sha[:12]}  {note}"
            )
        return [line[:_LINE] for line in lines]
