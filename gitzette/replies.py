"""Replies as Markdown: sentences with their citations, rows of evidence, and where was looked."""

from collections.abc import Collection, Sequence
from functools import partial
from typing import Any

from agent.domain.base import Language
from agent.domain.claims import Claim, Kind
from agent.domain.commits import PullRequest, Release
from agent.domain.evidence import Card, state_at
from agent.domain.window import zone
from agent.markdown import code, inline, link
from agent.questions import Hit, Known, Reply, Searched
from agent.reports.stored import claim_json
from agent.telling import catalogue
from agent.web import Web
from gitzette.render.markdown import claim_text, filled

_SHOWN, _BEST = 20, 10  # Rows that are listed of a section, and pieces of evidence that fit best


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
            rows=partial(self._rows, reply),
            sentence=partial(self.sentence, lang=reply.lang, pulls=pulls),
            searched=partial(_searched, reply.lang),
            told=told,
            fitting=[hit for hit in rest if hit.fits][:_BEST],
            rest=rest[:_BEST],
            shown=shown or reply.evidence[:_BEST],
        )
        return reply.model_copy(update={"answer": answer})

    def sentence(self, claim: Claim, lang: Language, pulls: Collection[str] = ()) -> str:
        """Write a sentence of a model behind its label, with its citations; `pulls` are pull requests among them."""
        label = catalogue(lang)["ask"][claim.kind.value] if claim.kind in (Kind.INFERRED, Kind.ADVICE) else ""
        return f"{label}{claim_text(claim, lang, self._web, pulls)}\n\n"

    def found(self, known: dict[str, Known], lang: Language) -> str:
        """List what a search found, while somebody waits for the answer."""
        rows = "\n".join(f"- {self._described(one, lang, several=False)}" for one in known.values())
        return f"{catalogue(lang)['ask']['best']}\n\n{rows}\n\n" if rows else ""

    def _rows(self, reply: Reply, head: str, hits: Sequence[Hit], *, why: bool = False) -> str:
        """List pieces of evidence, each with the facts that code found, or with the words by which it was found."""
        say = catalogue(reply.lang)["ask"]
        several = len(reply.searched) > 1
        facts = [claim for claim in reply.claims if claim.predicate != "says"]
        lines: list[str] = []
        for hit in hits[:_SHOWN]:
            words = ", ".join(dict.fromkeys((*map(code, hit.named), *map(inline, hit.words))))
            found = f" · {say['why'].format(words=words)}" if why and words else ""
            if one := reply.known.get(hit.id):
                lines.append(f"- {self._described(one, reply.lang, several=several, reply=reply)}{found}")
                own = [claim for claim in facts if claim.about[:1] == (hit.id,)]
                lines += [f"  - {claim_text(claim, reply.lang, self._web, own=hit.id)}" for claim in own]
        if len(hits) > _SHOWN:
            lines.append(f"- {say['more'].format(count=len(hits) - _SHOWN)}")
        return f"{head}\n\n{chr(10).join(lines)}\n\n" if lines else ""

    def _described(self, one: Known, lang: Language, *, several: bool, reply: Reply | None = None) -> str:
        """Name a piece of evidence by its day, link, title and author."""
        where = f"{one.repo.partition('/')[2]} " if several else ""
        if isinstance(one, Card):
            shown = link(code(one.sha[:7]), self._web.commit(one.repo, one.sha))
            moment, title, more = one.at, one.title, one.author
            if one.pull and f"#{one.pull}" not in title:
                shown += f" {link(code(f'#{one.pull}'), self._web.thread(one.repo, one.pull, pull=True))}"
        elif isinstance(one, Release):
            shown = link(code(one.tag), self._web.release(one.repo, one.tag))
            moment, title, more = one.published_at, one.name if one.name != one.tag else "", ""
        else:
            address = self._web.thread(one.repo, one.number, pull=isinstance(one, PullRequest))
            shown, moment, title = link(code(f"#{one.number}"), address), one.created_at, one.title
            standing = state_at(one, reply.window if reply else None)
            state = catalogue(lang)["ask"][standing]
            if one.ended_at and standing in ("merged", "closed", "not_planned"):
                state += f" {one.ended_at.astimezone(zone(self._tz)).date().isoformat()}"
            more = f"{one.author} · {state}" if one.author else state
        day = moment.astimezone(zone(self._tz)).date().isoformat()
        return " · ".join(filter(None, (f"{day} {where}{shown} {inline(title)}".rstrip(), inline(more))))


def _searched(lang: Language, one: Searched) -> str:
    """Say where and when was looked."""
    say = catalogue(lang)["ask"]
    start, end = (f"{moment.astimezone(zone(one.tz)):%Y-%m-%d}" for moment in (one.start, one.end))
    values = one.model_dump() | {"start": start, "end": end, "threads": say["read" if one.threads else "unread"]}
    return str(say["searched"].format(**values))


def reply_json(reply: Reply) -> dict[str, Any]:
    """Give a reply as data that others read."""
    ranked = [
        {"id": hit.id, "rank": rank, "score": hit.score, "words": [*hit.named, *hit.words]}
        for rank, hit in enumerate(reply.evidence, start=1)
    ]
    return {
        "answer": reply.answer,
        "abstained": reply.abstained,
        "claims": [claim_json(claim) | {"text": claim.text.get(reply.lang, "")} for claim in reply.claims],
        "cites": list(reply.cites),
        "searched": [one.model_dump(mode="json") for one in reply.searched],
        "evidence": ranked,
        "dropped": reply.dropped,
    }
