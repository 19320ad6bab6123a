"""The text of what an answer cites: a commit with its patch, a thread, a release, each with its title and address."""

import re
import unicodedata
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from agent.domain.base import InputError, RepoId
from agent.domain.commits import Change, Issue, PullRequest, Release
from agent.domain.evidence import Card
from agent.domain.window import zone
from agent.markdown import visible
from agent.questions import Reply
from agent.settings.values import RepoSpec
from agent.web import Web
from graphs.ask_context import AskContext

_WIDTH = 400
_LONGEST = 400_000
_HASH = re.compile(r"[0-9a-f]{40}")
_CODE = re.compile(r"`([^`\n]{3,})`")


class CitedEvidence:
    """Finds and writes the evidence behind answers."""

    def __init__(self, context: AskContext, specs: Sequence[RepoSpec], web: Web, tz: str) -> None:
        self._desks, self._memory = context.desks, context.memory
        self._specs = {spec.name: spec for spec in specs}
        self._web, self._tz = web, tz

    def entry(self, cite: str) -> tuple[str, str]:
        """Give the title of an artefact and its address."""
        repo, number, mark = _parts(cite)
        if number is not None:
            thread = self._memory.get(cite)
            title = f" {visible(thread.title)}" if isinstance(thread, Issue | PullRequest) else ""
            return f"{repo}#{number}{title}", self._web.thread(repo, number, pull=isinstance(thread, PullRequest))
        if _HASH.fullmatch(mark):
            card = self._memory.get(cite)
            title = f" {visible(card.title)}" if isinstance(card, Card) else ""
            return f"{repo}@{mark[:7]}{title}", self._web.commit(repo, mark)
        return f"{repo} {visible(mark)}", self._web.release(repo, mark)

    def addresses(self, cite: str) -> list[str]:
        """List the addresses under which an answer may link an artefact."""
        repo, number, mark = _parts(cite)
        if number is not None:
            return [self._web.thread(repo, number, pull=pull) for pull in (False, True)]
        return [self._web.commit(repo, mark) if _HASH.fullmatch(mark) else self._web.release(repo, mark)]

    def told_by(self, reply: Reply) -> dict[str, Any]:
        """Say what a reply cites, which lines of it the reply quotes, and what it names."""
        quotes: dict[str, list[str]] = {}
        words: dict[str, list[str]] = {}
        for claim in reply.claims:
            shown = [(one.cite, one.text) for one in claim.quotes] + [(one.cite, one.text) for one in claim.anchors]
            for cite, text in shown:
                quotes.setdefault(cite, []).extend(text.splitlines())
            for cite in claim.sources:
                words.setdefault(cite, []).extend(word for text in claim.text.values() for word in _CODE.findall(text))
        cites = [dict(zip(("title", "url"), self.entry(cite), strict=True)) | {"id": cite} for cite in reply.cites]
        return {"abstained": reply.abstained, "cites": cites, "quotes": quotes, "words": words}

    async def lines(self, cite: str) -> list[str]:
        """Give the whole text of an artefact, as lines that do nothing to a terminal or a page."""
        text = (await self._text(cite))[:_LONGEST]
        return [_safe(line.removesuffix("\r")) for line in text.rstrip("\n").split("\n")]

    async def _text(self, cite: str) -> str:
        repo, number, mark = _parts(cite)
        if number is not None:
            known = self._memory.get(cite)
            if not isinstance(known, Issue | PullRequest):
                known = await (await self._desks.open(self._spec(repo))).threads.issue(number)
            return self._thread(known)
        if _HASH.fullmatch(mark):
            async for change in (await self._desks.open(self._spec(repo))).code.changes([mark]):
                return self._commit(change)
            raise InputError(f"{repo}@{mark[:12]} cannot be read any more")
        release = self._memory.get(cite)
        if isinstance(release, Release):
            return self._release(release)
        return f"{cite}: a tag of the repository; no release notes were read\n"

    def _spec(self, repo: RepoId) -> RepoSpec:
        if repo not in self._specs:
            raise InputError(f"{repo} is not at hand; begin the conversation with --repo {repo}")
        return self._specs[repo]

    def _commit(self, change: Change) -> str:
        commit = change.commit
        text = (
            f"commit {commit.sha}\nRepository: {commit.repo}\nAuthor: {commit.author.name}\n"
            f"Landed: {self._when(commit.committed_at)}\n"
            f"Files: {len(change.files)}, +{change.additions} -{change.deletions}\n\n{commit.message.rstrip()}\n"
        )
        for file in change.files:
            patch = file.patch.rstrip() if file.patch else "(no text: binary, too large, or only renamed)"
            text += f"\n--- {file.previous_path or file.path}\n+++ {file.path}\n{patch}\n"
        return text

    def _thread(self, thread: Issue | PullRequest) -> str:
        kind = "pull request" if isinstance(thread, PullRequest) else "issue"
        merged = isinstance(thread, PullRequest) and thread.merged_at is not None
        labels = f"Labels: {', '.join(thread.labels)}\n" if thread.labels else ""
        return (
            f"{kind} {thread.repo}#{thread.number}\n{visible(thread.title)}\n"
            f"Opened: {self._when(thread.created_at)} by {thread.author or 'a deleted account'}\n"
            f"State: {'merged' if merged else thread.state}\n{labels}\n{thread.body.rstrip() or '(no text)'}\n"
        )

    def _release(self, release: Release) -> str:
        head = f"release {release.tag} of {release.repo}\nPublished: {self._when(release.published_at)}\n\n"
        return f"{head}{release.body.rstrip() or '(no notes)'}\n"

    def _when(self, moment: datetime) -> str:
        return f"{moment.astimezone(zone(self._tz)):%Y-%m-%d %H:%M} {self._tz}"


def _parts(cite: str) -> tuple[RepoId, int | None, str]:
    """Take the name of an artefact apart: repository, number of a thread, hash or tag."""
    repo, sign, rest = re.split(r"([@#])", cite, maxsplit=1)
    return RepoId(repo), int(rest) if sign == "#" else None, "" if sign == "#" else rest


def _safe(text: str) -> str:
    """Show what hides in a line by its number."""
    cut = text if len(text) <= _WIDTH else f"{text[:_WIDTH]} …"
    hidden = ("Cc", "Cf", "Cs", "Zl", "Zp")
    shown = (one if one == "\t" or unicodedata.category(one) not in hidden else f"<U+{ord(one):04X}>" for one in cut)
    return "".join(shown)
