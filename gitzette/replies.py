"""Replies as Markdown: sentences with their citations, rows of evidence, and where was looked; and what they cite."""

import re
import unicodedata
from collections.abc import Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from agent.domain.base import InputError, Language, RepoId
from agent.domain.claims import Claim, Kind
from agent.domain.commits import Issue, PullRequest, Release
from agent.domain.evidence import Card, state_at
from agent.domain.evidence_id import EvidenceId
from agent.domain.window import Window, zone
from agent.languages import catalogue
from agent.markdown import code, inline, link, visible
from agent.ports import Desk
from agent.questions import Hit, Known, Reply
from agent.reports.stored import claim_json
from agent.reports.titles import shown_title
from agent.settings.values import RepoSpec
from agent.web import Web
from gitzette.render.templating import claim_text, filled, named, plain_environment

if TYPE_CHECKING:
    from graphs.ask_context import AskContext

_SHOWN, _BEST = 20, 10  # Rows that are listed of a section, and pieces of evidence that fit best
_WIDTH, _LONGEST = 400, 400_000  # Characters that are shown of a line, and of all that is cited
_CODE = re.compile(r"`([^`\n]{3,})`")
_HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")


class ReplyPage:
    """Writes replies in Markdown that does nothing to whoever shows it."""

    def __init__(self, web: Web, tz: str) -> None:
        self._web = web
        self._tz = tz

    def written(self, reply: Reply) -> Reply:
        """Put the Markdown of a reply beside its data."""
        told = {hit.id for section in reply.sections for hit in section.hits[:_SHOWN]}
        rest = [hit for hit in reply.evidence if hit.id not in told]
        ranked = {hit.id: hit for hit in reply.evidence}
        shown = [ranked.get(name) or Hit(id=name, kind="", opened="") for name in reply.shown]
        pulls = {name for name, one in reply.known.items() if isinstance(one, PullRequest)}
        answer = filled(
            "reply.md",
            reply.lang,
            self._web,
            reply=reply,
            say=catalogue(reply.lang)["ask"],
            described=partial(self._described, lang=reply.lang, window=reply.window),
            fact=lambda claim, own: claim_text(claim, reply.lang, self._web, own=own),
            sentence=partial(self.sentence, lang=reply.lang, pulls=pulls),
            told=told,
            most=_SHOWN,
            fitting=[hit for hit in rest if hit.fits][:_BEST],
            rest=rest[:_BEST],
            shown=shown or reply.evidence[:_BEST],
        )
        return reply.model_copy(update={"answer": answer})

    def sentence(self, claim: Claim, lang: Language, pulls: Collection[EvidenceId] = ()) -> str:
        """Write a sentence of a model behind its label, with its citations; `pulls` are pull requests among them."""
        words = catalogue(lang)["ask"]
        label = words[claim.kind.value] if claim.kind in (Kind.INFERRED, Kind.ADVICE) else ""
        author = words["attributed"] if claim.attributed else ""
        return f"{label}{author}{claim_text(claim, lang, self._web, pulls)}\n\n"

    def found(self, known: dict[str, Known], lang: Language) -> str:
        """List what a search found, while somebody waits for the answer."""
        rows = "\n".join(f"- {self._described(one, lang)}" for one in known.values())
        return f"{catalogue(lang)['ask']['best']}\n\n{rows}\n\n" if rows else ""

    def _described(
        self, one: Known, lang: Language, where: str = "", window: Window | None = None
    ) -> str:
        """Name a piece of evidence by its day, link, title and author."""
        name, url = named(one.id, one.repo, self._web, pull=isinstance(one, PullRequest))
        if isinstance(one, Card):
            moment, title, more = one.at, shown_title(one.title, lang), one.author
        elif isinstance(one, Release):
            moment, title, more = one.published_at, one.name if one.name != one.tag else "", ""
        else:
            moment, title, standing = one.created_at, one.title, state_at(one, window)
            more = " · ".join(filter(None, (one.author, catalogue(lang)["ask"][standing])))
            if one.ended_at and standing in ("merged", "closed", "not_planned"):
                more += f" {one.ended_at.astimezone(zone(self._tz)).date()}"
        shown = f"{moment.astimezone(zone(self._tz)).date()} {where}{link(code(name), url)} {inline(title)}".rstrip()
        return " · ".join(filter(None, (shown, inline(more))))


def reply_json(reply: Reply) -> dict[str, Any]:
    """Give a reply as data that others read."""
    plain = reply.model_dump(
        mode="json", include={"answer", "cites", "searched", "failures", "dropped"}
    )
    claims = [
        claim_json(claim) | {"text": claim.text.get(reply.lang, "")} for claim in reply.claims
    ]
    ranked = [
        {"id": hit.id, "rank": rank, "score": hit.score, "words": [*hit.named, *hit.words]}
        for rank, hit in enumerate(reply.evidence, start=1)
    ]
    return plain | {"abstained": reply.abstained, "claims": claims, "evidence": ranked}


class CitedEvidence:
    """Finds and writes the evidence behind answers."""

    def __init__(self, context: "AskContext", specs: Sequence[RepoSpec], web: Web, tz: str) -> None:
        self._desks, self._memory = context.desks, context.memory
        self._specs = {spec.name: spec for spec in specs}
        self._web, self._tz = web, tz

    def addresses(self, cite: str) -> list[str]:
        """List the addresses under which an answer may link an artefact."""
        return [named(cite, None, self._web, pull=pull)[1] for pull in (False, True)]

    def told_by(self, reply: Reply) -> dict[str, Any]:
        """Say what a reply cites, which lines of it the reply quotes, and what it names."""
        quotes: dict[str, list[str]] = {}
        words: dict[str, list[str]] = {}
        for claim in reply.claims:
            for one in (*claim.quotes, *claim.anchors):
                quotes.setdefault(one.cite, []).extend(one.text.splitlines())
            for cite in claim.sources:
                words.setdefault(cite, []).extend(
                    word for text in claim.text.values() for word in _CODE.findall(text)
                )
        cites = list(map(self._entry, reply.cites))
        return {"abstained": reply.abstained, "cites": cites, "quotes": quotes, "words": words}

    def _entry(self, cite: EvidenceId) -> dict[str, str]:
        known = self._memory.get(cite)
        name, url = named(cite, None, self._web, pull=isinstance(known, PullRequest))
        title = shown_title(known.title) if isinstance(known, Card) else getattr(known, "title", "")
        return {"id": cite, "title": visible(f"{name} {title}"), "url": url}

    async def lines(self, cite: EvidenceId) -> list[str]:
        """Return the whole text of an artefact, as lines that do nothing to a terminal or a page."""
        one: Any = self._memory.get(cite)
        if cite.number is not None and one is None:
            desk = await self._desk(cite.repo)
            one = await desk.threads.issue(cite.number)
        elif isinstance(one, Card) or cite.is_commit:
            desk = await self._desk(cite.repo)
            one = await anext(aiter(desk.code.changes([cite.sha])), None)
            if one is None:
                raise InputError(f"{cite.shortened()} cannot be read any more")
        state = state_at(one, None) if isinstance(one, Issue | PullRequest) else ""
        values = {
            "cite": cite,
            "one": one,
            "kind": type(one).__name__,
            "state": state,
            "tz": self._tz,
        }
        text = plain_environment().get_template("evidence.txt").render(values)[:_LONGEST]
        return [_safe(line.removesuffix("\r")) for line in text.rstrip("\n").split("\n")]

    async def _desk(self, repo: RepoId) -> Desk:
        if repo not in self._specs:
            raise InputError(f"{repo} is not at hand; begin the conversation with --repo {repo}")
        return await self._desks.open(self._specs[repo])


def _safe(text: str) -> str:
    """Show what hides in a line by its number."""
    cut = text if len(text) <= _WIDTH else f"{text[:_WIDTH]} …"
    shown = (
        one if one == "\t" or unicodedata.category(one) not in _HIDDEN else f"<U+{ord(one):04X}>"
        for one in cut
    )
    return "".join(shown)
