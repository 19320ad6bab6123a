"""A reply as it is given: checked sentences or facts, the ranked evidence, and the Markdown that shows both."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from agent.asking.packet import state_at
from agent.asking.query import Hit
from agent.asking.words import WORDS
from agent.card import Card
from agent.claims import Claim, Kind
from agent.domain import Frozen, Issue, PullRequest, Release
from agent.evidence import EvidenceId
from agent.ids import RepoId
from agent.markdown import code, inline, link
from agent.settings import Language
from agent.spans import analysis_spans, page, words_spans
from agent.web import Web
from agent.window import Window, zone

SHOWN = 20
"""Pieces of evidence that a reply lists at most."""
Known = Card | Issue | PullRequest | Release


class Searched(Frozen):
    """Where and when was looked, and what a cap left unread."""

    repo: RepoId
    start: datetime
    end: datetime
    tz: str
    commits: int
    threads: bool
    left_out: int = 0


class Reply(Frozen):
    """What somebody gets for a question."""

    answer: str
    lang: Language
    abstained: bool
    claims: tuple[Claim, ...] = ()
    cites: tuple[EvidenceId, ...] = ()
    evidence: tuple[Hit, ...] = ()
    """The ranked list."""
    searched: tuple[Searched, ...] = ()
    dropped: int = 0


class Page:
    """Writes the parts of replies in one language."""

    def __init__(self, lang: Language, web: Web, tz: str, window: Window | None, known: Mapping[EvidenceId, Known]) -> None:
        self.lang = lang
        self._say = WORDS[lang]
        self._web = web
        self._tz = tz
        self._window = window
        self._known = known
        self._pulls = {name for name, one in known.items() if isinstance(one, PullRequest)}
        self._several = len({_repo(name) for name in known}) > 1

    def say(self, key: str, **values: object) -> str:
        """Write a fixed line; values that are texts of others are safe already."""
        return f"{self._say[key].format(**values)}\n\n"

    def sentence(self, claim: Claim) -> str:
        """Write a sentence of a model behind its label, with its citations."""
        label = self._say[claim.kind.value] if claim.kind in (Kind.INFERRED, Kind.ADVICE) else ""
        return f"{label}{page(analysis_spans(claim, self.lang, self._web, self._pulls))}\n\n"

    def rows(self, hits: Sequence[Hit], claims: Mapping[EvidenceId, Sequence[Claim]], *, why: bool = False) -> str:
        """List pieces of evidence, each with the facts that code found, or with the words by which it was found."""
        lines = [line for hit in hits[:SHOWN] for line in self._row(hit, claims.get(hit.id, ()), why=why)]
        more = [f"- {self._say['more'].format(count=len(hits) - SHOWN)}"] if len(hits) > SHOWN else []
        return "\n".join((*lines, *more)) + "\n\n" if lines else ""

    def _row(self, hit: Hit, claims: Sequence[Claim], *, why: bool) -> Iterator[str]:
        one = self._known[hit.id]
        words = ", ".join(dict.fromkeys((*map(code, hit.named), *map(inline, hit.words))))
        found = f" · {self._say['why'].format(words=words)}" if why and words else ""
        yield f"- {self.described(hit.id, one)}{found}"
        for claim in claims:
            yield f"  - {page(words_spans(claim, self.lang, self._web, self._pulls, own=hit.id))}"

    def described(self, name: EvidenceId, one: Known) -> str:
        """Name a piece of evidence by its day, link, title and author."""
        where = f"{_repo(name).partition('/')[2]} " if self._several else ""
        if isinstance(one, Card):
            address, label, moment, more = self._web.commit(one.repo, one.sha), one.sha[:7], one.at, one.author
            title = one.title
        elif isinstance(one, Release):
            address, label, moment, more = self._web.release(one.repo, one.tag), one.tag, one.published_at, ""
            title = one.name if one.name != one.tag else ""
        else:
            address = self._web.thread(one.repo, one.number, pull=isinstance(one, PullRequest))
            label, moment, title = f"#{one.number}", one.created_at, one.title
            more = f"{one.author or ''} · {self._say[state_at(one, self._window)]}".removeprefix(" · ")
        day = moment.astimezone(zone(self._tz)).date().isoformat()
        behind = f" · {inline(more)}" if more else ""
        return f"{day} {where}{link(code(label), address)} {inline(title)}{behind}"

    def searched(self, searched: Sequence[Searched], most: int) -> str:
        """Say where and when was looked, and what was left unread."""
        parts = []
        for one in searched:
            days = {
                key: f"{moment.astimezone(zone(one.tz)):%Y-%m-%d}" for key, moment in (("start", one.start), ("end", one.end))
            }
            threads = self._say["read" if one.threads else "unread"]
            told = {"repo": one.repo, "tz": one.tz, "commits": one.commits, "threads": threads}
            parts.append(self.say("searched", **days, **told))
            if one.left_out:
                parts.append(self.say("capped", repo=one.repo, count=one.left_out, most=most))
        return "".join(parts)


def evidence_of(hits: Sequence[Hit], names: Collection[EvidenceId]) -> list[Hit]:
    """Give the pieces of evidence with these names, in their order; what no search ranked has no score."""
    ranked = {hit.id: hit for hit in hits}
    return [ranked.get(name) or Hit(id=name, kind="", opened="", score=0.0) for name in names]


def _repo(name: EvidenceId) -> str:
    return name.partition("#")[0].partition("@")[0]


def as_json(reply: Reply) -> dict[str, Any]:
    """Give a reply as data."""
    return {
        "answer": reply.answer,
        "abstained": reply.abstained,
        "claims": [_claim(claim, reply.lang) for claim in reply.claims],
        "cites": list(reply.cites),
        "searched": [one.model_dump(mode="json") for one in reply.searched],
        "evidence": [
            {"id": hit.id, "rank": rank, "score": hit.score, "words": [*hit.named, *hit.words]}
            for rank, hit in enumerate(reply.evidence, start=1)
        ],
        "dropped": reply.dropped,
    }


def _claim(claim: Claim, lang: Language) -> dict[str, Any]:
    return {
        "id": claim.id,
        "repo": claim.repo,
        "role": claim.role.value,
        "kind": claim.kind.value,
        "text": claim.text.get(lang, ""),
        "cites": list(claim.sources),
        "anchors": [anchor.model_dump(exclude_none=True) for anchor in claim.anchors],
        "judged_by": claim.judged_by,
        "verdict": claim.judgement.verdict.value if claim.judgement else None,
    }
