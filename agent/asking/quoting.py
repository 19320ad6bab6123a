"""What a commit says and shows of what a question asks: sentences of its message, lines of its diff."""

import re
from collections.abc import Iterator, Sequence

from agent.asking.inquiry import Inquiry, Term
from agent.asking.names import plain
from agent.claims import Claim, Quote, Role
from agent.evidence import CommitEvidence
from agent.excerpts import short_stretches
from agent.gate.stems import Vocabulary, words_of

_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+|\n(?=\s*(?:[-*+]|\d+[.)])\s)")
_NO_SPEECH = re.compile(r"^\s*(?:[A-Z][\w-]*-by:|Co-authored|#|\||```|https?://|\(cherry picked)", re.IGNORECASE)
_NAME = 3
"""How many words a name counts for."""
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


def changed_lines(evidence: CommitEvidence, inquiry: Inquiry) -> Claim | None:
    """Show the changed lines that have most of what a question names; None where no short stretch has any."""

    def fit(stretch: tuple[str, tuple[str, ...]]) -> tuple[int, bool]:
        text = "\n".join(stretch[1])
        names = sum(plain(name) in plain(text) for name in inquiry.names)
        vocabulary = Vocabulary(words_of(text))
        words = sum(any(_has(vocabulary, form, text) for form in term.forms) for term in inquiry.terms)
        return _NAME * names + words, {line[0] for line in stretch[1]} == {"+", "-"}

    stretches = short_stretches(evidence.change) or short_stretches(evidence.change, everywhere=True)
    best = max(stretches, key=fit, default=None)
    if best is None or not (fit(best)[0] or len(stretches) == 1):
        return None
    return Claim(
        id="",
        repo=evidence.repo,
        role=Role.CHANGE,
        about=(evidence.id,),
        predicate="shows",
        cites=(evidence.id,),
        quotes=(Quote(cite=evidence.id, text="\n".join(best[1]), file=best[0]),),
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
