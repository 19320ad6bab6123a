"""The search before a name is called absent: through everything that was read."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from itertools import islice, pairwise
from typing import NamedTuple

from agent.domain.base import RepoId
from agent.domain.errors import UpstreamError
from agent.domain.evidence import Card, Citable, ThreadEvidence
from agent.domain.evidence_id import EvidenceId
from agent.domain.threads import Release
from agent.domain.window import Window
from agent.questions_and_replies import Absence, Hit, Known, Named, Query, Searched
from graphs.ask_context import AskContext

_MAX_SECONDS = 40  # For all names of a question; after that, none is said to be absent
_MAX_TEXTS = (
    20_000  # Stored threads and commits; where there are more, no name is said to be absent
)
_RUN = re.compile(r"[A-Za-z0-9]+|[^\x00-\x7f]+")
_BETWEEN = "[^A-Za-z0-9]"
_LISTING = re.compile(r"[/,，、]")
"""What stands between names that are written together."""


class NameMentions(NamedTuple):
    """What mentions a name; if nothing does, how far it was searched for."""

    hits: tuple[Hit, ...] = ()
    absence: Absence | None = None  # None where something mentions it, or where time ran out


class _Text(NamedTuple):
    """A stored piece of evidence with all its words."""

    hit: Hit
    text: str


class MentionSearch:
    """Searches whole commits in clones, and whole threads in memory.

    The index has only the most distinctive names of a commit and the beginning of each text.
    """

    def __init__(
        self,
        query: Query,
        searched: Sequence[Searched],
        evidence: Mapping[EvidenceId, Citable],
        context: AskContext,
    ) -> None:
        self._query = query
        self._searched = searched
        self._evidence = evidence
        self._context = context
        self._deadline = asyncio.get_running_loop().time() + _MAX_SECONDS
        self._stored_texts: list[_Text] | None = None

    async def mentions(self, name: Named) -> NameMentions:
        """Return what mentions a name, newest first, or that nothing does."""
        pattern = mention_pattern(name)
        parts = [part for part in self._searched if _may_mention(part.repo, name)]
        mentions = await self._bounded(pattern, parts) if pattern and parts else NameMentions()
        named_hits = [hit.model_copy(update={"named": (name.text,)}) for hit in mentions.hits]
        newest = sorted(named_hits, key=lambda hit: hit.opened, reverse=True)
        return mentions._replace(hits=tuple(newest))

    async def absences(self, names: Sequence[Named]) -> dict[str, Absence]:
        """Return the names that nothing mentions; most often that is all, which one search shows."""
        patterns = {name.text: mention_pattern(name) for name in names}
        searchable = {text: pattern for text, pattern in patterns.items() if pattern}
        common_absence = None
        if len(searchable) > 1:
            any_pattern = "|".join(f"({pattern})" for pattern in searchable.values())
            common_absence = (await self._bounded(any_pattern, self._searched)).absence
        absences: dict[str, Absence] = {}
        for text, pattern in searchable.items():
            absence = common_absence or (await self._bounded(pattern, self._searched)).absence
            if absence is not None and not await self._has_mentioned_part(text):
                absences[text] = absence
        return absences

    async def _has_mentioned_part(self, text: str) -> bool:
        """Return True if a name is written behind others, as in `old_plan/plan`, and is mentioned.

        Nothing may mention both in this order, and yet each of them.
        """
        last = _LISTING.split(text)[-1].strip()
        if last == text or not last:
            return False
        pattern = mention_pattern(Named(kind="name", text=last))
        if pattern is None:
            return False
        return bool((await self._bounded(pattern, self._searched)).hits)

    async def _bounded(self, pattern: str, parts: Sequence[Searched]) -> NameMentions:
        """Return what matches a pattern; nothing at all if the search does not finish."""
        try:
            async with asyncio.timeout_at(self._deadline):
                return await self._matching(pattern, parts)
        except (TimeoutError, UpstreamError):
            return NameMentions()

    async def _matching(self, pattern: str, parts: Sequence[Searched]) -> NameMentions:
        texts = await self._texts()
        if len(texts) > _MAX_TEXTS:
            return NameMentions()
        repos = {part.repo for part in parts}
        search = re.compile(pattern, re.IGNORECASE).search
        hits: dict[EvidenceId, Hit] = {}
        for stored in texts:
            if stored.hit.id.repo in repos and search(stored.text):
                hits[stored.hit.id] = stored.hit
        is_whole = True
        unread_files = 0
        for part in parts:
            clone = await self._context.clone(part.repo)
            if clone is None:
                is_whole = False
                continue
            for span in part.spans:
                window = Window(start=span.start, end=span.end, tz=part.tz)
                commits = await clone.commits_with(pattern, window)
                ids = [EvidenceId.commit(part.repo, sha) for sha in commits.shas]
                commit_hits = _commit_hits(self._context.memory.all(ids))
                if ids and not commit_hits:
                    return NameMentions()  # A commit that is not stored mentions it
                hits |= commit_hits
                unread_files += commits.unread_files
        if hits:
            return NameMentions(hits=tuple(hits.values()))
        return NameMentions(absence=Absence(is_whole=is_whole, unread_files=unread_files))

    async def _texts(self) -> list[_Text]:
        """Return the texts of memory; those of commits only where no clone has them whole."""
        if self._stored_texts is not None:
            return self._stored_texts
        repos = [part.repo for part in self._searched]
        without_clone = {repo for repo in repos if await self._context.clone(repo) is None}
        hits: dict[EvidenceId, Hit] = {}
        for hit in self._context.index.entries(repos, self._query.window):
            if hit.kind != "commit" or hit.id.repo in without_clone:
                hits[hit.id] = hit
        stored = self._context.memory.all(islice(hits, _MAX_TEXTS + 1))
        texts = [_Text(hits[name], _text_of(stored_item)) for name, stored_item in stored.items()]
        for name, piece in self._evidence.items():
            if isinstance(piece, ThreadEvidence) and name in hits:
                texts.append(_Text(hits[name], "\n".join(piece.texts)))  # With comments
        self._stored_texts = texts
        return texts


def _may_mention(repo: RepoId, name: Named) -> bool:
    """Return True unless a name is a number or hash of another repository."""
    return name.repo is None or name.repo.lower() == repo.lower()


def _text_of(stored_item: Known) -> str:
    if isinstance(stored_item, Card):
        lines = (
            stored_item.title,
            stored_item.message,
            *stored_item.paths,
            *stored_item.touched,
            *stored_item.written,
        )
        return "\n".join(lines)
    if isinstance(stored_item, Release):
        return f"{stored_item.name}\n{stored_item.tag}\n{stored_item.body}"
    return "\n".join((stored_item.title, stored_item.body, *stored_item.labels))


def _commit_hits(stored: Mapping[EvidenceId, Known]) -> dict[EvidenceId, Hit]:
    hits: dict[EvidenceId, Hit] = {}
    for name, card in stored.items():
        if isinstance(card, Card):
            hits[name] = Hit(id=name, kind="commit", opened=f"{card.at:%Y-%m-%dT%H:%M:%SZ}")
    return hits


def mention_pattern(name: Named) -> str | None:
    """Return an extended regular expression, for git and Python, for texts that mention a name.

    It is to be matched in any case; without words there is none. What separates words does not
    matter, so that `max routes` finds `MAX_ROUTES`, and a longer word mentions the one that it
    contains: where nothing matches, no spelling of the name occurs.
    """
    if name.kind == "thread":
        return f"(#|/pull/|/issues/){name.text}([^0-9]|$)"
    runs: list[str] = _RUN.findall(name.text)
    if not runs:
        return None
    pattern = runs[0]
    for left, right in pairwise(runs):
        # Without a separator, 1.2 would be found in 12.
        are_digits = left[-1].isdigit() and right[0].isdigit()
        pattern += f"{_BETWEEN}{'+' if are_digits else '*'}{right}"
    return pattern
