"""What an analyst can call while it investigates a repository: small readings as text, each bounded and paged."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Protocol

from agent.domain import Change, Commit, FileChange, Issue, PullRequest
from agent.errors import AppError, NotFound, UpstreamError
from agent.evidence import EvidenceId
from agent.ids import RepoId, commit_id, thread_id
from agent.sources import CodeSource, ThreadSource

PAGE_CHARS = 16_000
_COMMITS_PER_PAGE = 60
_COMMENTS = 10
_LONGEST = 4_000
_HELD = 20_000_000
"""Characters of pages that are held: whoever reads several diffs side by side asks for the pages of each by turns."""


class ToolError(AppError):
    """The analyst asked for something that cannot be given; the message says what would be right."""


class Recall(Protocol):
    """Finds what earlier reports said."""

    def search(self, words: str, *, repo: RepoId | None = None, limit: int = 10) -> Sequence[str]:
        """Give the statements that fit best, each on one line with its day and what it cites."""
        ...

    def report(self, day: str, *, repo: RepoId | None = None) -> Sequence[str]:
        """Give what the report of a day said, one statement a line."""
        ...


class Toolset:
    """The tools of one repository and one run; what they have shown is remembered as seen."""

    def __init__(
        self,
        code: CodeSource,
        threads: ThreadSource,
        commits: Sequence[Commit],
        notes: Mapping[str, str],
        recall: Recall,
    ) -> None:
        """Serve these commits; `notes` is what triage says of each, by hash."""
        self._code = code
        self._threads = threads
        self._commits = {commit.sha: commit for commit in commits}
        self._notes = notes
        self._recall = recall
        self._changes: dict[str, Change] = {}
        self._cut: dict[tuple[str, str], list[str]] = {}
        self._pages: dict[str, set[int]] = {}
        self.seen: set[EvidenceId] = set()
        self.shown: list[str] = []
        """Commits of whose diff something was shown, in that order."""
        self.whole: list[str] = []
        """Commits whose whole diff was shown, in that order."""

    @property
    def tools(self) -> tuple[Callable[..., Awaitable[str]], ...]:
        """Everything that can be called, by the names of the functions."""
        return (
            self.list_commits,
            self.get_diff,
            self.get_issue,
            self.get_pull,
            self.search_history,
            self.previous_reports,
        )

    async def list_commits(self, page: int = 1) -> str:
        """List the window's commits with their weight and first line, heaviest first, 60 a page."""
        return _page([f"{sha[:12]}  {self._notes.get(sha, '')}" for sha in self._commits], page, _COMMITS_PER_PAGE)

    async def get_diff(self, sha: str, file: str = "", page: int = 1) -> str:
        """Show the diff of one commit of this window, or of one of its files, in pages that end between hunks."""
        full = self._full(sha)
        pages = self._cut.get((full, file)) or await self._cut_pages(full, file)
        if not 1 <= page <= len(pages):
            raise ToolError(f"there are {len(pages)} pages; ask for one of them")
        self._note_shown(full, page, len(pages), whole=not file)
        return f"page {page} of {len(pages)}\n{pages[page - 1]}"

    async def get_issue(self, number: int) -> str:
        """Show an issue with its newest comments."""
        return await self._thread(number)

    async def get_pull(self, number: int) -> str:
        """Show a pull request with its newest comments."""
        return await self._thread(number)

    async def search_history(self, words: str) -> str:
        """Search what earlier reports said, by words, identifiers or Chinese text."""
        return "\n".join(self._recall.search(words, repo=self._code.repo)) or "nothing earlier says that"

    async def previous_reports(self, day: str) -> str:
        """Show what the report of an earlier day (2026-02-01) said of this repository."""
        return "\n".join(self._recall.report(day, repo=self._code.repo)) or f"no report of {day} is remembered"

    async def _thread(self, number: int) -> str:
        try:
            thread = await self._threads.issue(number)
            comments = await self._threads.comments(number)
        except NotFound as error:
            raise ToolError(f"#{number} cannot be shown: {error}") from error
        self.seen.add(thread_id(self._code.repo, number))
        lines = [f"#{number} {thread.title}", _state(thread), "", thread.body[:_LONGEST]]
        lines += [f"\n{one.author or 'somebody'}: {one.body[:_LONGEST]}" for one in comments[-_COMMENTS:]]
        return "\n".join(lines)

    def _full(self, sha: str) -> str:
        found = [full for full in self._commits if full.startswith(sha.lower())] if sha else []
        if len(found) != 1:
            problem = "fits several commits" if found else "is not a commit of this window"
            raise ToolError(f"{sha!r} {problem}; list_commits shows what there is")
        return found[0]

    async def _cut_pages(self, sha: str, file: str) -> list[str]:
        """Cut a diff into pages and hold them, instead of those that were cut first where it gets too much."""
        change = await self._change(sha)
        files = [one for one in change.files if not file or file in (one.path, one.previous_path)]
        if not files:
            paths = ", ".join(one.path for one in change.files[:20])
            raise ToolError(f"{sha[:12]} does not touch {file!r}; it touches {paths}")
        self._cut[sha, file] = pages = diff_pages(change, files)
        while len(self._cut) > 1 and sum(len(one) for held in self._cut.values() for one in held) > _HELD:
            del self._cut[next(iter(self._cut))]
        return pages

    async def _change(self, sha: str) -> Change:
        if sha not in self._changes:
            changes = [change async for change in self._code.changes([sha])]
            if not changes:
                raise UpstreamError(f"{commit_id(self._code.repo, sha)} could not be read", retryable=False)
            # One at a time: a day of diffs would not fit in memory, and pages of one follow each other.
            self._changes = {sha: changes[0]}
        return self._changes[sha]

    def _note_shown(self, sha: str, page: int, of: int, *, whole: bool) -> None:
        self.seen.add(commit_id(self._code.repo, sha))
        if sha not in self.shown:
            self.shown.append(sha)
        if whole:
            shown = self._pages.setdefault(sha, set())
            shown.add(page)
            if len(shown) == of and sha not in self.whole:
                self.whole.append(sha)


def diff_pages(change: Change, files: Sequence[FileChange] | None = None) -> list[str]:
    """Cut a commit's diff, or that of some of its files, into pages that end between hunks."""
    chosen = change.files if files is None else files
    return _pages([_heading(change), *(piece for one in chosen for piece in _pieces(one))])


def _page(lines: Sequence[str], page: int, size: int) -> str:
    count = max(1, -(-len(lines) // size))
    if not 1 <= page <= count:
        raise ToolError(f"there are {count} pages; ask for one of them")
    return "\n".join([f"page {page} of {count}", *lines[(page - 1) * size : page * size]])


def _heading(change: Change) -> str:
    commit = change.commit
    counts = f"{len(change.files)} files, +{change.additions} -{change.deletions}"
    return f"{commit.sha[:12]} {commit.author.name}\n{commit.message[:_LONGEST]}\n{counts}\n"


def _pieces(file: FileChange) -> list[str]:
    """Cut a file's patch between its hunks; a hunk longer than a page is cut between lines."""
    name = file.path if file.previous_path in (None, file.path) else f"{file.previous_path} -> {file.path}"
    title = f"--- {name} ({file.status}, +{file.additions} -{file.deletions})\n"
    if not file.patch:
        return [title + f"{file.unreadable or 'no text'}\n"]
    hunks = [f"@@ {part}" for part in f"\n{file.patch}".split("\n@@ ")[1:]] or [file.patch]
    return [title, *(piece + "\n" for hunk in hunks for piece in _bounded(hunk))]


def _bounded(hunk: str) -> list[str]:
    if len(hunk) <= PAGE_CHARS:
        return [hunk]
    pieces, piece, size = [], list[str](), 0
    for line in hunk.splitlines():
        for part in [line] if len(line) <= PAGE_CHARS else _cut(line):
            if size + len(part) >= PAGE_CHARS:
                pieces.append("".join(piece))
                piece, size = [], 0
            piece.append(f"{part}\n")
            size += len(part) + 1
    return [*pieces, "".join(piece)]


def _cut(line: str) -> list[str]:
    return [line[at : at + PAGE_CHARS] for at in range(0, len(line), PAGE_CHARS)]


def _pages(pieces: Sequence[str]) -> list[str]:
    pages = [""]
    for piece in pieces:
        if pages[-1] and len(pages[-1]) + len(piece) > PAGE_CHARS:
            pages.append("")
        pages[-1] += piece
    return pages


def _state(thread: Issue | PullRequest) -> str:
    kind = "pull request" if isinstance(thread, PullRequest) else "issue"
    merged = ", merged" if isinstance(thread, PullRequest) and thread.merged_at else ""
    labels = f"; labels: {', '.join(thread.labels)}" if thread.labels else ""
    return f"{kind}, {thread.state}{merged}, by {thread.author or 'a deleted account'}{labels}"
