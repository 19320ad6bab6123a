"""The tools by which an agent reads a repository: commits, diffs, files, threads and reports."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar, runtime_checkable

from agent.domain.base import RepoId
from agent.domain.commits import Change, Commit
from agent.domain.errors import AppError, InputError, NotFound, UpstreamError
from agent.domain.evidence import ThreadEvidence
from agent.domain.evidence_id import EvidenceId
from agent.domain.references import repo_id
from agent.domain.threads import Release
from agent.domain.upgrade import Upgrade
from agent.domain.window import Window
from agent.editions.upgrade_guide import guide_lines
from agent.ports import CloneSource, CodeSource, NoThreads, ThreadSource
from tools.diff.version_comparison import compare_versions
from tools.git.process import LOCAL
from tools.git.source import GitSource
from tools.toolset import pages as show

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

    from tools.github.client import GitHubClient

_MAX_CACHED = 20_000_000
"""Characters of pages that are cached, for an agent that reads several diffs in turns."""
_MAX_LISTED_PATHS = 20  # In an error
_SHORT_HASH = 12  # Digits by which upgrade guides name commits
_MAX_USAGES = 200
_MAX_CITABLE_USAGES = 8  # Lines that use a name, of which each can be cited by itself
_MAX_COMPARED = 20  # Commits of an upgrade guide that can be cited
_MAX_LINE = 300  # Characters of a line that uses a name


class ToolError(AppError):
    """The agent made a mistake; the message says what would be right."""


@runtime_checkable
class Recall(Protocol):
    """Finds what earlier reports said."""

    def search(self, words: str, *, repo: RepoId | None = None, limit: int = 10) -> Sequence[str]:
        """Return the statements that fit best, each on one line with its day and what it cites."""
        ...

    def report(self, day: str, *, repo: RepoId | None = None) -> Sequence[str]:
        """Return what the report of a day said, one statement a line."""
        ...


Tool = TypeVar("Tool", bound=Callable[..., Awaitable[str]])


def tool(method: Tool) -> Tool:
    """Mark a method as a tool: its name, docstring and arguments are what a model is shown."""
    vars(method)["is_tool"] = True
    return method


async def open_tools(
    repo: str,
    *,
    path: str | Path = ".",
    since: str = "",
    until: str = "",
    tz: str = "UTC",
    branch: str | None = None,
    client: "GitHubClient | None" = None,
    page_tokens: int = show.PAGE_TOKENS,
) -> "list[BaseTool]":
    """Return LangChain tools over a clone or bare mirror at `path` of the repository `repo`.

    They cover what landed from `since` to `until` (not included), by default in the last seven
    days. Nothing is fetched or remembered; issues and pull requests are read only with a `client`
    for GitHub.
    """
    name = repo_id(repo)
    code = GitSource(name, Path(path), branch=branch, network=LOCAL)
    window = Window.between(since, until, tz, datetime.now(UTC))
    landed = await code.landed(window)
    commits = [row.commit for row in landed.rows]
    threads: ThreadSource = NoThreads(name, "local-only")
    if client is not None:
        from tools.github.threads import GitHubThreads

        threads = GitHubThreads(client, name)
    return Toolset(code, threads, commits, {}, None, page_tokens=page_tokens).as_tools()


def tools_of(toolsets: "Mapping[RepoId, Toolset]") -> "list[BaseTool]":
    """Return the tools of one repository, or of several as one set whose tools take `repo`."""
    first, *others = toolsets.values()
    if not others:
        return first.as_tools()
    from tools.toolset.langchain_tools import tools_over

    by_name = {str(repo): toolset for repo, toolset in toolsets.items()}
    return tools_over(by_name, first.offered, ToolError)


class DiffKey(NamedTuple):
    """A diff as an agent asks for it: of one file, or of the hunks that name a symbol."""

    sha: str
    file: str
    symbol: str


class GuidePage(NamedTuple):
    """A page of an upgrade guide, and the versions that it compares."""

    new: str
    new_sha: str
    old: str
    page: int


class Toolset:
    """The tools of one repository and one window; what they have shown is remembered."""

    def __init__(
        self,
        code: CodeSource,
        threads: ThreadSource,
        commits: Sequence[Commit],
        notes: Mapping[str, str],
        recall: Recall | None,
        *,
        page_tokens: int = show.PAGE_TOKENS,
        handles: Mapping[str, EvidenceId] | None = None,
        default_sha: str = "",
        offered: Sequence[str] = (),
        tags_until: datetime | None = None,
    ) -> None:
        """Serve these commits.

        `notes` describe commits by their hashes. `handles` are all short names that an agent was
        given, also those of other repositories and of what is no commit. A tool that is given no
        commit shows the one of `default_sha`, or else the newest. `offered` are the names of the
        tools to serve, all of them if it is empty. Tags made from `tags_until` on are not known.
        """
        self.offered = tuple(name for name in TOOL_NAMES if not offered or name in offered)
        self._code = code
        self._threads = threads
        self._names = show.CommitNames(code.repo, commits, handles or {})
        self._notes = notes
        self._recall = recall
        self._tokens = page_tokens
        self._default_sha = default_sha
        self._tags_until = tags_until
        self._changes: dict[str, Change] = {}
        self._diff_pages: dict[DiffKey, list[str]] = {}
        self._upgrades: dict[tuple[str, str], Upgrade] = {}
        self.seen: set[EvidenceId] = set()  # Commits and threads of which something was shown
        self.threads_read: dict[int, ThreadEvidence] = {}
        """Issues and pull requests that were shown, with their comments, by number."""
        self.lines_shown: dict[EvidenceId, str] = {}  # Lines of files, as they were shown
        self.states_shown: dict[str, show.CommitMeant] = {}
        """Commits whose files or diffs were shown, by hash, each with the tag that it was named by."""
        self.absences: dict[EvidenceId, dict[str, None]] = {}
        """What no file of a commit names, in the words in which it was shown, by the commit."""
        self.guides_shown: dict[GuidePage, str] = {}

    def of_handle(self, name: str) -> EvidenceId | None:
        """Return what a handle stands for, in whichever repository; None if it is no handle."""
        return self._names.of_handle(name)

    def matching(self, name: str) -> list[EvidenceId]:
        """Return the commits of this window that a handle, a hash or an id may mean."""
        return [EvidenceId.commit(self._code.repo, sha) for sha in self._names.matching(name)]

    async def has_tag(self, name: str) -> bool:
        """Return True if a name is that of a tag which these tools may show."""
        return await self._release(name) is not None

    @property
    def newest(self) -> show.CommitMeant | None:
        """The newest commit of the window."""
        return self._names.meant(self._names.newest) if self._names.newest else None

    @property
    def tools(self) -> tuple[Callable[..., Awaitable[str]], ...]:
        """The tools that are offered, by the names of the functions."""
        return tuple(getattr(self, name) for name in self.offered)

    def as_tools(self) -> "list[BaseTool]":
        """Return LangChain tools; a ToolError becomes an answer, an outage stays an error."""
        from tools.toolset.langchain_tools import langchain_tools

        return langchain_tools(self.tools, ToolError)

    @tool
    async def list_commits(self, page: int = 1) -> str:
        """List the commits of the window, one a line: its hash and what it is about.

        The first word of a line (a handle such as c1, or a hash) is what the other tools take as `sha`.
        """
        lines = self._names.listed(self._notes) or ["no commits landed in this window"]
        return _page(show.lines_as_pages(lines, self._tokens), page)

    @tool
    async def get_diff(self, sha: str, file: str = "", symbol: str = "", page: int = 1) -> str:
        """Show the diff of one commit of this window, whole with its message, in numbered pages that end between hunks.

        `sha` is a handle such as c1, a hash, or a version such as v0.5.12. `file` narrows it to one path. `symbol`
        narrows it to the hunks that name this function, class or other identifier in their heading or in a
        changed line.
        """
        commit = await self._commit_meant(sha)
        key = DiffKey(commit.sha, file, symbol)
        if key not in self._diff_pages:
            self._diff_pages[key] = await self._read_diff_pages(key)
            self._trim_cache()
        text = _page(self._diff_pages[key], page)
        self.seen.add(EvidenceId.commit(self._code.repo, key.sha))
        return f"{commit.tag_line}{text}"

    @tool
    async def get_file(self, path: str, sha: str = "", start: int = 1, symbol: str = "") -> str:
        """Show a file as it stands after a commit, with line numbers, from line `start` on, as much as fits.

        `sha` is a handle such as c1, a hash, or a version such as v0.5.12; left out, it is the newest commit
        of the window. `symbol` shows only the lines around those that name this identifier. The first line
        says where to go on.
        """
        commit = await self._commit_meant(sha)
        lines = await self._lines(path, commit.sha)
        if not 1 <= start <= max(1, len(lines)):
            raise ToolError(f"{path} has {len(lines)} lines; give a start from 1 to {len(lines)}")
        stretch = show.stretch(lines, start, self._tokens)
        if symbol:
            stretch = show.around(lines, symbol, start, self._tokens)
        if symbol and not stretch.text:
            raise ToolError(
                f"no line of {path} from {start} on names {symbol!r}"
                + self._hint("find_usages", "tells which files do")
            )
        heading = show.file_heading(path, commit, stretch, len(lines))
        self._note_lines(path, commit.sha, stretch.first, stretch.last, stretch.text)
        around_symbol = f" around {symbol}" if symbol else ""
        more = f"; go on with start={stretch.following}" if stretch.following else ""
        return f"{heading}{around_symbol}{more}\n{stretch.text}"

    @tool
    async def find_usages(self, name: str, sha: str = "", path: str = "", page: int = 1) -> str:
        """Find where an identifier stands in the files of the repository after a commit, as path:line: text.

        `name` is matched as a whole word, with case. `sha` is a handle such as c1, a hash, or a version such
        as v0.5.12; left out, it is the newest commit of the window. `path` narrows the search to one file or
        folder.
        """
        if not name.strip() or "\n" in name or "\0" in name:
            raise ToolError("give one identifier, such as max_tokens")
        name = name.strip()
        commit = await self._commit_meant(sha)
        folder = _checked(path) if path else ""
        usages = await self._code.usages(commit.sha, name, path=folder, limit=_MAX_USAGES)
        if usages is None:
            raise ToolError(
                "this source cannot search all files of a commit, only a whole clone can"
                + self._hint("get_diff", "shows what a commit changes")
            )
        lines: list[str] = []
        for usage in usages.found:
            line = f"{usage.path}:{usage.line}: {usage.text.strip()[:_MAX_LINE]}"
            if len(lines) < _MAX_CITABLE_USAGES:
                self._note_lines(usage.path, commit.sha, usage.line, usage.line, line)
            lines.append(line)
        if usages.more:
            lines.append(f"(more than {_MAX_USAGES}; narrow it with path)")
        if not lines:
            where = f" in {path}" if path else ""
            lines.append(f"nothing names {name} at {commit.sha[:12]}{where}")
            commit_id = EvidenceId.commit(self._code.repo, commit.sha)
            self.absences.setdefault(commit_id, {})[lines[0]] = None
        return f"{commit.tag_line}{_page(show.lines_as_pages(lines, self._tokens), page)}"

    @tool
    async def get_issue(self, number: int, page: int = 1) -> str:
        """Show an issue by its number: title, state, author, labels, text, then its comments, newest first."""
        return await self._thread(number, page)

    @tool
    async def get_pull(self, number: int, page: int = 1) -> str:
        """Show a pull request by its number: title, state, author, labels, text, then its comments, newest first."""
        return await self._thread(number, page)

    @tool
    async def search_history(self, words: str) -> str:
        """Search what is remembered of this repository, by words, identifiers or Chinese text."""
        if not words.strip():
            raise ToolError("give some words or an identifier to search for")
        statements: Sequence[str] = ()
        if self._recall:
            statements = self._recall.search(words, repo=self._code.repo)
        pages = show.lines_as_pages(statements or ["nothing earlier says that"], self._tokens)
        return pages[0].rstrip("\n")

    @tool
    async def previous_reports(self, day: str, page: int = 1) -> str:
        """Show what the report of an earlier day (such as 2026-02-01) said of this repository."""
        try:
            date.fromisoformat(day)
        except ValueError as error:
            raise ToolError(f"{day!r} is not a day; write it as 2026-02-01") from error
        statements: Sequence[str] = ()
        if self._recall:
            statements = self._recall.report(day, repo=self._code.repo)
        lines = statements or [f"no report of {day} is remembered"]
        return _page(show.lines_as_pages(lines, self._tokens), page)

    @tool
    async def between(self, old: str, new: str, page: int = 1) -> str:
        """Tell what changes for users from one version to another: what breaks, new and changed settings, dependencies.

        `old` and `new` are tags, hashes or days. A day means its beginning: `2026-02-01` to `2026-02-03` are the
        changes of the 1st and the 2nd. What was taken back is left out. Each line names its commits.
        """
        versions = (old.strip(), new.strip())
        if versions not in self._upgrades:
            try:
                upgrade = await compare_versions(self._code, *versions)
            except InputError as error:
                raise ToolError(str(error)) from error
            self._upgrades = {versions: upgrade}
        upgrade = self._upgrades[versions]
        text = _page(show.lines_as_pages(guide_lines(upgrade), self._tokens), page)
        self.guides_shown[GuidePage(upgrade.new.name, upgrade.new.sha, upgrade.old.name, page)] = (
            text
        )
        listed_shas = [sha for sha in upgrade.titles if sha[:_SHORT_HASH] in text]
        listed_shas.sort(key=lambda sha: text.index(sha[:_SHORT_HASH]))
        for sha in listed_shas[:_MAX_COMPARED]:
            self.seen.add(EvidenceId.commit(self._code.repo, sha))
        return text

    def _note_lines(self, path: str, sha: str, first: int, last: int, text: str) -> None:
        """Remember lines that were shown; a path that no id can hold is left out."""
        clean = show.clean_path(path)
        if clean is None or not text:
            return
        with suppress(ValueError):
            self.lines_shown[EvidenceId.lines(self._code.repo, sha, clean, first, last)] = text

    async def _thread(self, number: int, page: int) -> str:
        if number < 1:
            raise ToolError(
                f"{number} is not the number of an issue or a pull request; they count from 1"
            )
        evidence = self.threads_read.get(number)
        if evidence is None:
            try:
                thread = await self._threads.issue(number)
                comments = await self._threads.comments(number)
            except NotFound as error:
                raise ToolError(f"#{number} cannot be shown: {error}") from error
            evidence = ThreadEvidence(thread=thread, comments=comments)
        pieces = show.thread_pieces(evidence.thread, evidence.comments)
        text = _page(show.pages_of(pieces, self._tokens), page)
        self.threads_read[number] = evidence
        self.seen.add(EvidenceId.thread(self._code.repo, number))
        return text

    async def _lines(self, path: str, sha: str) -> list[str]:
        text = await self._code.file(sha, _checked(path))
        if text is None:
            raise ToolError(
                f"there is no file {path!r} at {sha[:12]}"
                + self._hint("get_diff", "shows the paths of a commit")
            )
        if "\0" in text:
            raise ToolError(f"{path!r} is binary; only text can be shown")
        if not text:
            return []
        # Lines as git counts them: splitlines would also cut at form feeds.
        return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]

    async def _commit_meant(self, name: str) -> show.CommitMeant:
        """Return the commit that a handle, a hash or a version means; the default one if none is named."""
        commit = await self._commit_named(name)
        earlier = self.states_shown.get(commit.sha)
        if earlier is None or not earlier.tag:
            self.states_shown[commit.sha] = commit
        return commit

    async def _commit_named(self, name: str) -> show.CommitMeant:
        default = self._default_sha or self._names.newest
        if default and not name.strip():
            return self._names.meant(default)
        matches = self._names.matching(name)
        if len(matches) == 1:
            return self._names.meant(matches[0])
        if matches:
            raise ToolError(f"{show.several_commits(name, self.matching(name))}; give more digits")
        tagged = await self._tagged(name)
        if tagged is not None:
            return tagged
        evidence_id = self._names.of_handle(name)
        if evidence_id is not None:
            raise ToolError(self._not_a_commit_here(name, evidence_id))
        problem = f"{name!r} is not a commit of this window"
        if self._default_sha:
            raise ToolError(f"{problem}; leave `sha` out to read the commit in question")
        raise ToolError(problem + self._hint("list_commits", "shows what there is"))

    async def _tagged(self, name: str) -> show.CommitMeant | None:
        """Return the commit of a tag, whenever it landed; None where a name is no tag of a commit."""
        release = await self._release(name)
        if release is None or not isinstance(self._code, CloneSource):
            return None
        try:
            commit = await self._code.version(release.tag)
        except InputError:
            return None
        return show.CommitMeant(commit.sha, release.tag, commit.committed_at)

    async def _release(self, name: str) -> Release | None:
        """Return what a name is the tag of, with or without its `v`."""
        tag = self._names.tag_meant(name)
        if not tag or not isinstance(self._code, CloneSource):
            return None
        release = await self._code.tagged([tag, f"v{tag}"])
        is_late = self._tags_until and release and release.published_at >= self._tags_until
        return None if is_late else release

    def _not_a_commit_here(self, handle: str, evidence_id: EvidenceId) -> str:
        if evidence_id.is_commit:
            return f"{handle!r} is {evidence_id}, which is not in {self._code.repo}"
        hint = self._hint("get_issue", "shows it") if evidence_id.is_thread else ""
        return f"{handle!r} is {evidence_id}, which is no commit{hint}"

    def _hint(self, name: str, advice: str) -> str:
        """Return what another tool does, for the end of an error, if that tool is offered."""
        return f"; {name} {advice}" if name in self.offered else ""

    async def _read_diff_pages(self, key: DiffKey) -> list[str]:
        change = await self._change(key.sha)
        files = None
        if key.file:
            files = [file for file in change.files if key.file in (file.path, file.previous_path)]
        if key.file and not files:
            paths = ", ".join(file.path for file in change.files[:_MAX_LISTED_PATHS])
            raise ToolError(f"{key.sha[:12]} does not touch {key.file!r}; it touches {paths}")
        pages = show.diff_pages(change, files, symbol=key.symbol, tokens=self._tokens)
        if key.symbol and not any("\n@@ " in page for page in pages):
            raise ToolError(
                f"no hunk of {key.sha[:12]} names {key.symbol!r};"
                " without `symbol` all of them are shown"
            )
        return pages

    def _trim_cache(self) -> None:
        """Drop the diffs that were read first, until the rest fits; the last one always stays."""
        sizes = {key: sum(map(len, pages)) for key, pages in self._diff_pages.items()}
        total = sum(sizes.values())
        for key in list(sizes)[:-1]:
            if total <= _MAX_CACHED:
                return
            del self._diff_pages[key]
            total -= sizes[key]

    async def _change(self, sha: str) -> Change:
        if sha not in self._changes:
            changes = [change async for change in self._code.changes([sha])]
            if not changes:
                raise UpstreamError(
                    f"{EvidenceId.commit(self._code.repo, sha)} could not be read", retryable=False
                )
            # Only the last one is kept: a day of diffs would not fit in memory.
            self._changes = {sha: changes[0]}
        return self._changes[sha]


TOOL_NAMES = tuple(name for name, member in vars(Toolset).items() if hasattr(member, "is_tool"))
"""The names of all tools, in the order in which they are defined."""


def _page(pages: Sequence[str], page: int) -> str:
    if not 1 <= page <= len(pages):
        raise ToolError(f"there is no page {page}; pages go from 1 to {len(pages)}")
    return f"page {page} of {len(pages)}\n{pages[page - 1]}"


def _checked(path: str) -> str:
    clean = show.clean_path(path)
    if clean is None:
        raise ToolError(
            f"{path!r} is not a path; write it from the root of the repository, such as src/main.py"
        )
    return clean
