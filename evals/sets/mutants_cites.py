"""Right words with the wrong citations: a digit off, a neighbour, another repository, too many, too few, unread."""

from collections.abc import Iterator
from dataclasses import replace

from agent.claims import Quote
from agent.evidence import CommitEvidence, EvidenceId
from evals.sets.mutants_case import Case, Operator
from evals.sets.mutants_stock import Stock

_NEXT = dict(zip("0123456789abcdef", "123456789abcdef0", strict=True))
_SHORT, _LONG = 24, 160


def spoilt_cites(clean: Case, commit: CommitEvidence, stock: Stock) -> Iterator[Case]:
    """Spoil what a claim about a commit cites, in every way that the stock allows."""
    own = commit.id
    yield _citing(clean, Operator.SHA, own, one_digit_off(own))
    yield _without(clean)
    yield _unseen(clean)
    parent, stranger = stock.parent(commit), stock.stranger(commit)
    if parent is not None and parent.id not in clean.claim.cites:
        yield _citing(clean, Operator.NEIGHBOUR, own, parent.id)
    if other := stock.elsewhere(commit):
        yield _citing(clean, Operator.OTHER_REPO, own, other.id)
    if stranger is not None and stranger.id not in clean.claim.cites:
        claim = clean.claim.model_copy(update={"cites": (*clean.claim.cites, stranger.id)})
        yield clean.spoilt(Operator.SUPERFLUOUS, claim=claim)
    yield from _quotes(clean, commit, stranger)


def one_digit_off(cite: EvidenceId) -> EvidenceId:
    """Change one digit of a hash, in its middle."""
    return f"{cite[:-20]}{_NEXT[cite[-20]]}{cite[-19:]}"


def _citing(clean: Case, operator: Operator, right: EvidenceId, wrong: EvidenceId) -> Case:
    cites = tuple(wrong if cite == right else cite for cite in clean.claim.cites)
    about = tuple(wrong if cite == right else cite for cite in clean.claim.about)
    return clean.spoilt(operator, claim=clean.claim.model_copy(update={"cites": cites, "about": about}))


def _without(clean: Case) -> Case:
    bare = clean.claim.model_copy(update={"cites": (), "about": (), "quotes": ()})
    return clean.spoilt(Operator.MISSING, claim=bare)


def _unseen(clean: Case) -> Case:
    seen = (clean.dossier.seen or frozenset()) - set(clean.claim.cites[:1])
    return clean.spoilt(Operator.UNSEEN, dossier=replace(clean.dossier, seen=seen))


# ---------------------------------------------------------------- quotations


def _quotes(clean: Case, commit: CommitEvidence, stranger: CommitEvidence | None) -> Iterator[Case]:
    """Put a quotation under the words that is not in the diff they cite."""
    own = quotable(commit)
    if own is not None:
        changed = own.model_copy(update={"text": one_word_changed(own.text)})
        yield clean.spoilt(Operator.QUOTE_WORD, claim=clean.claim.model_copy(update={"quotes": (changed,)}))
    foreign = quotable(stranger) if stranger is not None else None
    if foreign is not None and not any(foreign.text in text for text in commit.texts):
        told = Quote(cite=commit.id, text=foreign.text)
        yield clean.spoilt(Operator.QUOTE_ELSEWHERE, claim=clean.claim.model_copy(update={"quotes": (told,)}))


def quotable(commit: CommitEvidence) -> Quote | None:
    """Find a changed line worth showing."""
    for file in commit.change.files:
        for line in (file.patch or "").split("\n"):
            words = line[1:].strip()
            if line[:1] in "+-" and _SHORT <= len(words) <= _LONG and len(words.split()) > 2 and words.isprintable():
                return Quote(cite=commit.id, text=words, file=file.path)
    return None


def one_word_changed(text: str) -> str:
    """Change the longest word of a line."""
    word = max(text.split(), key=len)
    letters = [at for at, sign in enumerate(word) if sign.isalnum()]
    at = letters[len(letters) // 2] if letters else 0
    other = "x" if word[at] != "x" else "y"
    return text.replace(word, f"{word[:at]}{other}{word[at + 1 :]}", 1)
