"""What an answer cites, as a person looks it up: a numbered list with links, and each artefact's own text, by pages."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from datetime import datetime

from agent.card import Card
from agent.domain import Change, Issue, PullRequest, Release
from agent.errors import InputError
from agent.ids import RepoId
from agent.markdown import visible
from agent.settings import RepoSpec
from agent.web import Web
from agent.window import zone
from graphs.ask_context import AskContext

_LISTED = 50
_LINES = 60
_WIDTH = 400
_TEXT = 400_000
_LINK = re.compile(r"\[(`[^`\n]+`)\]\((https?://[^)\s]+)\)")


class Exhibits:
    """The evidence behind answers."""

    def __init__(self, context: AskContext, specs: Sequence[RepoSpec], web: Web, tz: str) -> None:
        self._desks, self._memory = context.desks, context.memory
        self._specs = {spec.name: spec for spec in specs}
        self._web = web
        self._tz = tz

    def listed(self, cites: Sequence[str]) -> Iterator[str]:
        """Name what is cited, each with its number and its address."""
        for number, cite in enumerate(cites[:_LISTED], start=1):
            title, address = self.entry(cite)
            yield f"{number:>3}. {title}\n     {address}\n"
        if len(cites) > _LISTED:
            yield f"     and {len(cites) - _LISTED} more\n"

    async def opened(self, cite: str, page: int) -> Iterator[str]:
        """Give one page of an artefact: a commit with its message and patch, a thread or a release with its text."""
        lines = await self.lines(cite)
        pages = max(1, -(-len(lines) // _LINES))
        if not 1 <= page <= pages:
            raise InputError(f"it has {pages} {'page' if pages == 1 else 'pages'}")
        shown = lines[(page - 1) * _LINES : page * _LINES]
        return iter([*(f"{line}\n" for line in shown), *([f"-- page {page} of {pages}\n"] if pages > 1 else [])])

    async def lines(self, cite: str) -> list[str]:
        """Give the whole text of an artefact, as lines that do nothing to whoever shows them."""
        return _safe("".join(await self._text(cite))[:_TEXT])

    def numbered(self, text: str, cites: Sequence[str]) -> str:
        """Write the links of Markdown as numbers that can be opened."""
        places = {address: number for number, cite in enumerate(cites, start=1) for address in self.addresses(cite)}

        def spelled(found: re.Match[str]) -> str:
            return f"{found[1]} [{places[found[2]]}]" if found[2] in places else found[1]

        return _LINK.sub(spelled, text)

    # ---------------------------------------------------------------- names

    def entry(self, cite: str) -> tuple[str, str]:
        """Name an artefact, and give its address."""
        repo, number, mark = _parts(cite)
        if number is not None:
            thread = self._memory.get(cite)
            title = f" {visible(thread.title)}" if isinstance(thread, Issue | PullRequest) else ""
            return f"{repo}#{number}{title}", self._web.thread(repo, number, pull=isinstance(thread, PullRequest))
        if _is_hash(mark):
            card = self._memory.get(cite)
            title = f" {visible(card.title)}" if isinstance(card, Card) else ""
            return f"{repo}@{mark[:7]}{title}", self._web.commit(repo, mark)
        return f"{repo} {visible(mark)}", self.addresses(cite)[0]

    def addresses(self, cite: str) -> list[str]:
        """List the addresses under which an answer may link an artefact."""
        repo, number, mark = _parts(cite)
        if number is not None:
            return [self._web.thread(repo, number, pull=pull) for pull in (False, True)]
        return [self._web.commit(repo, mark) if _is_hash(mark) else self._web.release(repo, mark)]

    # ---------------------------------------------------------------- texts

    async def _text(self, cite: str) -> Iterator[str]:
        repo, number, mark = _parts(cite)
        if number is not None:
            return self._thread(await self._found_thread(repo, number))
        if _is_hash(mark):
            return self._commit(await self._change(repo, mark))
        release = self._memory.get(cite)
        if isinstance(release, Release):
            return self._release(release)
        return iter([f"{cite}: a tag of the repository; no release notes were read\n"])

    async def _found_thread(self, repo: RepoId, number: int) -> Issue | PullRequest:
        known = self._memory.get(f"{repo}#{number}")
        if isinstance(known, Issue | PullRequest):
            return known
        return await (await self._desks.open(self._spec(repo))).threads.issue(number)

    async def _change(self, repo: RepoId, sha: str) -> Change:
        code = (await self._desks.open(self._spec(repo))).code
        async for change in code.changes([sha]):
            return change
        raise InputError(f"{repo}@{sha[:12]} cannot be read any more")

    def _spec(self, repo: RepoId) -> RepoSpec:
        if repo not in self._specs:
            raise InputError(f"{repo} is not at hand; begin the conversation with --repo {repo}")
        return self._specs[repo]

    def _commit(self, change: Change) -> Iterator[str]:
        commit = change.commit
        yield f"commit {commit.sha}\nRepository: {commit.repo}\nAuthor: {commit.author.name}\n"
        yield f"Landed: {self._when(commit.committed_at)}\n"
        yield f"Files: {len(change.files)}, +{change.additions} -{change.deletions}\n\n{commit.message.rstrip()}\n"
        for file in change.files:
            yield f"\n--- {file.previous_path or file.path}\n+++ {file.path}\n"
            yield f"{file.patch.rstrip()}\n" if file.patch else "(no text: binary, too large, or only renamed)\n"

    def _thread(self, thread: Issue | PullRequest) -> Iterator[str]:
        kind = "pull request" if isinstance(thread, PullRequest) else "issue"
        merged = isinstance(thread, PullRequest) and thread.merged_at is not None
        yield f"{kind} {thread.repo}#{thread.number}\n{visible(thread.title)}\n"
        yield f"Opened: {self._when(thread.created_at)} by {thread.author or 'a deleted account'}\n"
        yield f"State: {'merged' if merged else thread.state}\n"
        yield f"Labels: {', '.join(thread.labels)}\n" if thread.labels else ""
        yield f"\n{thread.body.rstrip() or '(no text)'}\n"

    def _release(self, release: Release) -> Iterator[str]:
        yield f"release {release.tag} of {release.repo}\nPublished: {self._when(release.published_at)}\n\n"
        yield f"{release.body.rstrip() or '(no notes)'}\n"

    def _when(self, moment: datetime) -> str:
        return f"{moment.astimezone(zone(self._tz)):%Y-%m-%d %H:%M} {self._tz}"


def _parts(cite: str) -> tuple[RepoId, int | None, str]:
    """Take the name of an artefact apart: repository, number of a thread, hash or tag."""
    repo, sign, rest = re.split(r"([@#])", cite, maxsplit=1)
    return RepoId(repo), int(rest) if sign == "#" else None, "" if sign == "#" else rest


def _is_hash(mark: str) -> bool:
    return re.fullmatch(r"[0-9a-f]{40}", mark) is not None


def _safe(text: str) -> list[str]:
    """Cut foreign text into lines that do nothing to a terminal; what hides in them is shown by its number."""
    return [_line(line.removesuffix("\r")) for line in text.rstrip("\n").split("\n")]


def _line(text: str) -> str:
    cut = text if len(text) <= _WIDTH else f"{text[:_WIDTH]} …"
    return "".join(char if char == "\t" or not _hides(char) else f"<U+{ord(char):04X}>" for char in cut)


def _hides(char: str) -> bool:
    return unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")
