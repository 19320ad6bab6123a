"""A page as a sequence of owned spans: who answers for each piece of its text."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from agent.claims import MARK, Anchor, Claim, Quote
from agent.evidence import EvidenceId
from agent.factual import is_factual, sentences
from agent.ids import RepoId
from agent.markdown import code, inline, link, visible
from agent.settings import Language
from agent.templates import names_alone
from agent.web import Web

TITLE = "title"
"""Verbatim words of an artefact: what a commit, an issue or a release calls itself."""
COMPUTED = "computed"
"""What code counted, dated or looked up."""
CHROME = "chrome"
"""Fixed words of the layout, which state nothing."""

_SHORT = 7
_BETWEEN = re.compile(r"\[@[1-9][0-9]?\]")
_LINKS = re.compile(r"[(（]?(?:\[`[^`]*`\]\([^()\s]*\)(?:, |、)?)+[)）]?")
_BEHIND: Mapping[Language, str] = {"en": " ({})", "zh": "（{}）"}
_LISTED: Mapping[Language, str] = {"en": ", ", "zh": "、"}


@dataclass(frozen=True)
class Span:
    """A piece of a page's Markdown and who answers for it: a claim by its id, or one of the three above."""

    text: str
    owner: str


@dataclass(frozen=True)
class Uncited:
    """A sentence, or a piece of one, for which nobody answers."""

    text: str
    reason: str


def page(spans: Sequence[Span]) -> str:
    """Join the spans to the page they make."""
    return "".join(span.text for span in spans)


# ---------------------------------------------------------------- owning


def uncited(spans: Sequence[Span], claims: Collection[Claim], titles: Collection[str] | None = None) -> list[Uncited]:
    """Find the text that nobody answers for.

    A page cannot pass off a statement as layout: the rendered text is cut into sentences again, and whatever of a
    sentence is not owned must state nothing. `titles` are the verbatim titles there are; None trusts the renderer.
    """
    owners = {claim.id: claim for claim in claims}
    found = [fault for span in spans if (fault := _unowned(span, owners, titles))]
    for loose in _loose(spans):
        found += [
            Uncited(one, "it states something, and no claim owns it") for one in sentences(loose) if is_factual(one)
        ]
    return found


def _unowned(span: Span, owners: Mapping[str, Claim], titles: Collection[str] | None) -> Uncited | None:
    text = span.text.strip()
    if not text or span.owner in (COMPUTED, CHROME):
        return None
    if span.owner == TITLE:
        known = titles is None or text in titles or text in {inline(one) for one in titles}
        return None if known else Uncited(text, "it is shown as a title, and nothing is called so")
    claim = owners.get(span.owner)
    if claim is None:
        return Uncited(text, f"no claim is called {span.owner!r}")
    if claim.judgement is not None and not claim.judgement.passed:
        return Uncited(text, "its claim did not pass the gate")
    return None if _is_of(text, claim) else Uncited(text, "its claim does not say this")


def _is_of(text: str, claim: Claim) -> bool:
    """Tell whether a piece of a page is words, links or a quotation of a claim, in whichever language."""
    texts = () if claim.speech else claim.text.values()
    own = {inline(piece) for one in texts for piece in _BETWEEN.split(one)}
    own |= {span.text for lang in claim.text for span in names_spans(claim, lang)}
    own |= {_excerpt(quote) for quote in claim.quotes}
    own |= {_saying(quote.text) for quote in claim.quotes} if claim.speech else set()
    own |= {text for anchor in claim.anchors for text in (_excerpt(_quoted(anchor)), _saying(anchor.text))}
    # In a table a bar stands behind a backslash.
    return text in own or text.replace("\\|", "|") in own or _LINKS.fullmatch(text) is not None


def _loose(spans: Sequence[Span]) -> Iterator[str]:
    """Give the text between owned spans, in stretches; an owned span in the middle does not part a sentence."""
    stretch: list[str] = []
    for span in spans:
        if span.owner == CHROME:
            stretch.append(span.text)
        elif re.search(r"[.!?。！？\n]\s*$", span.text):
            yield "".join(stretch)
            stretch = []
        else:
            stretch.append(" ")
    yield "".join(stretch)


# ---------------------------------------------------------------- rendering


def claim_spans(claim: Claim, lang: Language, web: Web, pulls: Collection[EvidenceId] = ()) -> tuple[Span, ...]:
    """Render a claim in one language: its words, links in the place of its marks, and its quotations.

    `pulls` are the threads that are pull requests. What is cited and not marked in the words is linked behind them;
    attributed speech has no words of ours, so there its sources stand in front of the quotation.
    """
    quotes = (Span(f"\n\n{_excerpt(quote)}", claim.id) for quote in claim.quotes)
    return (*words_spans(claim, lang, web, pulls), *quotes)


def words_spans(
    claim: Claim, lang: Language, web: Web, pulls: Collection[EvidenceId] = (), own: EvidenceId | None = None
) -> tuple[Span, ...]:
    """Render a claim without its quotations; `own` is what the page links already where the words stand."""
    text = "" if claim.speech else claim.text.get(lang, "")
    spans = list(_words(text, claim, web, pulls))
    marked = {int(mark) for mark in MARK.findall(text)}
    sources = [(number, cite) for number, cite in enumerate(claim.sources, start=1) if cite != own]
    rest = [cite for number, cite in sources if number not in marked]
    if rest:
        links = ", ".join(_link(cite, claim.repo, web, pulls) for cite in rest)
        spans.append(Span(f" ({links})" if spans else links, claim.id))
    return tuple(spans)


def analysis_spans(
    claim: Claim, lang: Language, web: Web, pulls: Collection[EvidenceId] = (), linked: Collection[EvidenceId] = ()
) -> tuple[Span, ...]:
    """Render a sentence of analysis with its citations behind it, without those that are `linked` beside it already."""
    spans = list(_words(claim.text.get(lang, ""), claim, web, pulls))
    if rest := [cite for cite in claim.sources if cite not in linked]:
        links = _LISTED[lang].join(cite_link(cite, claim, web, pulls) for cite in rest)
        spans.append(Span(_BEHIND[lang].format(links), claim.id))
    return tuple(spans)


def cite_link(cite: EvidenceId, claim: Claim, web: Web, pulls: Collection[EvidenceId] = ()) -> str:
    """Link what a claim cites; a commit in a sentence over all repositories is called by its hash alone."""
    own = RepoId(cite.partition("@")[0]) if claim.repo is None and "@" in cite else claim.repo
    return _link(cite, own, web, pulls)


def anchor_span(claim: Claim, anchor: Anchor) -> Span:
    """Render an anchor: changed lines as an excerpt, words between quotation marks."""
    return Span(_excerpt(_quoted(anchor)) if anchor.file else _saying(anchor.text), claim.id)


def names_spans(claim: Claim, lang: Language) -> tuple[Span, ...]:
    """Render the names alone of a claim that says no more than that lines of them change; nothing of any other."""
    names = names_alone(claim.predicate, claim.text.get(lang, ""), lang)
    return (Span(inline(names), claim.id),) if names else ()


def excerpt_span(claim: Claim, quote: Quote) -> Span:
    """Render one quotation of code by itself."""
    return Span(_excerpt(quote), claim.id)


def speech_span(claim: Claim) -> Span:
    """Render attributed speech in one line, between quotation marks."""
    return Span(" ".join(_saying(quote.text) for quote in claim.quotes), claim.id)


def _saying(text: str) -> str:
    return f"“{inline(text)}”"


def _quoted(anchor: Anchor) -> Quote:
    return Quote(cite=anchor.cite, text=anchor.text, file=anchor.file)


def _words(text: str, claim: Claim, web: Web, pulls: Collection[EvidenceId]) -> Iterator[Span]:
    """Write the words between the marks as text that can do nothing, and each mark as its link."""
    position = 0
    for mark in MARK.finditer(text):
        yield from _plain(text[position : mark.start()], claim.id)
        # A report that was changed by hand may mark what it does not cite; that says nothing.
        if int(mark[1]) <= len(claim.sources):
            yield Span(_link(claim.sources[int(mark[1]) - 1], claim.repo, web, pulls), claim.id)
        position = mark.end()
    yield from _plain(text[position:], claim.id)


def _plain(text: str, owner: str) -> Iterator[Span]:
    # Safe writing trims the ends, but a space beside a link is part of the sentence.
    left, right = (" " if text[:1].isspace() else ""), (" " if len(text) > 1 and text[-1:].isspace() else "")
    if text:
        yield Span(f"{left}{inline(text)}{right}", owner)


def _link(cite: EvidenceId, own: RepoId | None, web: Web, pulls: Collection[EvidenceId]) -> str:
    """Link an artefact; its name is set as code, so that no word in front of it can close an issue."""
    if found := re.fullmatch(r"([^@#]+)#([0-9]+)", cite):
        repo, number = RepoId(found[1]), int(found[2])
        label = f"#{number}" if repo == own else cite
        return link(code(label), web.thread(repo, number, pull=cite in pulls))
    name, _, rest = cite.partition("@")
    repo = RepoId(name)
    if re.fullmatch("[0-9a-f]{40}", rest):
        return link(code(rest[:_SHORT] if repo == own else f"{repo}@{rest[:_SHORT]}"), web.commit(repo, rest))
    return link(code(rest if repo == own else cite), web.release(repo, rest))


def _excerpt(quote: Quote) -> str:
    """Show a quotation in a fence that it cannot close."""
    lines = [_line(line) for line in quote.text.strip("\n").split("\n")]
    longest = max((len(run) for line in lines for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    kind = "diff" if quote.file and any(line[:1] in ("+", "-") for line in lines) else "text"
    return "\n".join((f"{fence}{kind}", *lines, fence))


def _line(line: str) -> str:
    """Keep the indentation and what a reader can see of a line."""
    line = line.rstrip("\r").expandtabs(4)
    indent = len(line) - len(line.lstrip(" "))
    return " " * indent + " ".join(visible(word) for word in line.strip().split(" "))
