"""Sentences of a commit's message that speak of what a question asks."""

import re
from collections.abc import Iterator, Sequence

from agent.asking.inquiry import Term
from agent.claims import Claim, Quote, Role
from agent.evidence import CommitEvidence
from agent.gate.stems import Vocabulary, words_of

_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+|\n(?=\s*(?:[-*+]|\d+[.)])\s)")
_NO_SPEECH = re.compile(r"^\s*(?:[A-Z][\w-]*-by:|Co-authored|#|\||```|https?://|\(cherry picked)", re.IGNORECASE)
_READ, _LONGEST, _SHORTEST = 8_000, 420, 25


def spoken_of(evidence: CommitEvidence, terms: Sequence[Term], known: Sequence[Claim]) -> Claim | None:
    """Quote the passage of the message that has most of the question's words; None where none has two of them."""
    commit = evidence.change.commit
    body = commit.message.partition(commit.title)[2][:_READ]
    told = [quote.text for claim in known for quote in claim.quotes]
    best, most = "", 1
    for words in _passages(body):
        if not _SHORTEST <= len(words) <= _LONGEST or _NO_SPEECH.match(words) or any(words in one for one in told):
            continue
        vocabulary = Vocabulary(words_of(words))
        found = sum(any(_has(vocabulary, form, words) for form in term.forms) for term in terms)
        if found > most:
            best, most = words, found
    if not best:
        return None
    return Claim(
        id="",
        repo=evidence.repo,
        role=Role.CHANGE,
        about=(evidence.id,),
        cites=(evidence.id,),
        quotes=(Quote(cite=evidence.id, text=best),),
        speech=True,
    )


def _passages(body: str) -> Iterator[str]:
    """Cut a message into paragraphs, and into sentences those that are too long to be quoted."""
    for paragraph in re.split(r"\n\s*\n", body):
        if len(paragraph.strip()) <= _LONGEST:
            yield paragraph.strip()
        else:
            yield from (sentence.strip() for sentence in _SENTENCE.split(paragraph))


def _has(vocabulary: Vocabulary, form: str, text: str) -> bool:
    if not form.isascii():
        return form in text
    return vocabulary.has_stem(form[:-1]) if form.endswith("*") else vocabulary.has(form)
