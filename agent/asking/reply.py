"""An answer as it is given: checked claims, what they cite, and the text that shows both."""

import string
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from agent.asking.draft import Draft, Item
from agent.asking.findings import Findings
from agent.asking.telling import whole_day
from agent.asking.wording import ACTS, HEADS, MORE, SEARCHED, STATES, THREADS
from agent.card import Card
from agent.claims import Claim
from agent.domain import Issue, PullRequest
from agent.evidence import EvidenceId
from agent.ids import ThreadId
from agent.markdown import code, inline, link
from agent.settings import Language
from agent.spans import COMPUTED, TITLE, Span, excerpt_span, page, speech_span, words_spans
from agent.web import Web

_SHORT = 7
_TRUNKS = ("main", "master")


@dataclass(frozen=True)
class Reply:
    """What somebody gets for a question."""

    answer: str
    abstained: bool
    claims: tuple[Claim, ...]
    cites: tuple[EvidenceId, ...]
    searched: tuple[dict[str, Any], ...]
    dropped: int = 0
    spans: tuple[Span, ...] = ()


def reply_of(draft: Draft, found: Findings, dropped: int, web: Web) -> Reply:
    """Print an answer whose claims have all passed."""
    lang = found.inquiry.lang
    spans = tuple(_spans(draft, found, web, lang))
    claims = tuple(claim for item in draft.items for claim in item.claims)
    cites = dict.fromkeys((*draft.cites, *(name for claim in claims for name in claim.sources)))
    return Reply(
        answer=page(spans).strip() + "\n",
        abstained=draft.abstained,
        claims=claims,
        cites=tuple(cites),
        searched=tuple(searched(found)),
        dropped=dropped,
        spans=spans,
    )


def searched(found: Findings) -> Iterator[dict[str, Any]]:
    """Tell where and when was looked."""
    for one in found.searched:
        yield {
            "repo": one.repo,
            "start": one.start.isoformat(),
            "end": one.end.isoformat(),
            "tz": found.window.tz,
            "commits": one.commits,
            "threads": one.threads,
            "names": list(found.inquiry.names),
            "words": [term.said for term in found.inquiry.terms],
        }


def _spans(draft: Draft, found: Findings, web: Web, lang: Language) -> Iterator[Span]:
    head = _filled(draft.head, draft.values, lang)
    if head:
        yield Span(f"{head}\n\n", COMPUTED)
    pulls = {str(name) for name, thread in found.threads.items() if isinstance(thread, PullRequest)}
    for item in draft.items:
        yield from _item(item, found, web, lang, pulls)
    if draft.more:
        yield Span(f"- {MORE[lang].format(count=draft.more)}\n", COMPUTED)
    for name, values in draft.notes:
        yield Span(f"\n{_filled(name, values, lang)}\n", COMPUTED)
    for place, one in enumerate(found.searched):
        threads = THREADS[lang][0 if one.threads else 1]
        values = {
            "repo": one.repo,
            "start": whole_day(one.start, found.window.tz),
            "end": whole_day(one.end, found.window.tz),
            "tz": found.window.tz,
            "commits": str(one.commits),
            "threads": threads,
        }
        # A paragraph each: lines that follow each other are one where Markdown is shown as a page.
        yield Span("\n" * (2 if place else 1) + SEARCHED[lang].format(**values), COMPUTED)


def _item(item: Item, found: Findings, web: Web, lang: Language, pulls: set[str]) -> Iterator[Span]:
    if card := found.cards.get(item.cite):
        yield Span(f"- {_day_and_link(card, found, web)} ", COMPUTED)
        yield Span(f"{inline(card.title)}", TITLE)
        where = f" · {', '.join(code(place) for place in item.places)}" if item.places else ""
        number = f" · {_pull_link(card, web)}" if card.pull and f"#{card.pull}" not in card.title else ""
        yield Span(f" · {inline(card.author)}{number}{where}\n", COMPUTED)
    elif thread := found.threads.get(ThreadId(item.cite)):
        yield Span(f"- {_thread_link(thread, web)} ", COMPUTED)
        yield Span(f"{inline(thread.title)}", TITLE)
        yield Span(f" · {_thread_told(thread, found, lang)}\n", COMPUTED)
    for claim in item.claims:
        yield Span("  - ", COMPUTED)
        for span in _said(claim, item, web, lang, pulls):
            yield Span(span.text.replace("\n", "\n    "), span.owner)
        yield Span("\n", COMPUTED)


def _said(claim: Claim, item: Item, web: Web, lang: Language, pulls: set[str]) -> Iterator[Span]:
    """Say a claim below its commit or thread, whose link stands there already; an author's words in one line."""
    words = words_spans(claim, lang, web, pulls, own=item.cite)
    yield from words
    if claim.speech:
        yield Span(" " if words else "", COMPUTED)
        yield speech_span(claim)
        return
    for quote in claim.quotes:
        yield Span("\n\n" if words else "", COMPUTED)
        yield excerpt_span(claim, quote)


def _day_and_link(card: Card, found: Findings, web: Web) -> str:
    day = whole_day(card.at, found.window.tz)
    several = len({one.repo for one in found.searched}) > 1
    where = f"{card.repo.partition('/')[2]} " if several else ""
    return f"{day} {where}{link(code(card.sha[:_SHORT]), web.commit(card.repo, card.sha))}"


def _pull_link(card: Card, web: Web) -> str:
    return link(code(f"#{card.pull}"), web.thread(card.repo, card.pull or 0, pull=True))


def _thread_link(thread: Issue | PullRequest, web: Web) -> str:
    address = web.thread(thread.repo, thread.number, pull=isinstance(thread, PullRequest))
    return link(code(f"#{thread.number}"), address)


def _thread_told(thread: Issue | PullRequest, found: Findings, lang: Language) -> str:
    """Say who opened a thread, when, and how it stands."""
    merged = isinstance(thread, PullRequest) and thread.merged_at is not None
    state = STATES[lang]["merged" if merged else thread.state]
    author = inline(thread.author) if thread.author else STATES[lang]["nobody"]
    if isinstance(thread, PullRequest) and thread.base not in _TRUNKS:
        state = f"{state} → {code(thread.base)}"
    ended = thread.merged_at if isinstance(thread, PullRequest) else thread.closed_at
    closed = f" {whole_day(ended, found.window.tz)}" if ended else ""
    return f"{author} · {whole_day(thread.created_at, found.window.tz)} · {state}{closed}"


class _Filler(string.Formatter):
    """Fills a sentence with foreign text that cannot do anything."""

    def format_field(self, value: Any, spec: str) -> str:
        return code(str(value)) if spec == "c" else inline(str(value))


def _filled(name: str, values: Mapping[str, str], lang: Language) -> str:
    told = dict(values)
    if "act" in told:
        told["act"] = ACTS[lang].get(told["act"], told["act"])
    return _Filler().format(HEADS[lang][name], **told)


def as_json(reply: Reply, lang: Language) -> dict[str, Any]:
    """Give an answer as data."""
    return {
        "answer": reply.answer,
        "abstained": reply.abstained,
        "claims": [
            {
                "id": claim.id,
                "repo": claim.repo,
                "role": claim.role.value,
                "text": claim.text.get(lang, ""),
                "cites": list(claim.sources),
                "quotes": [quote.model_dump(exclude_none=True) for quote in claim.quotes],
                "verdict": claim.judgement.verdict.value if claim.judgement else None,
            }
            for claim in reply.claims
        ],
        "cites": list(reply.cites),
        "searched": list(reply.searched),
        "dropped": reply.dropped,
    }
