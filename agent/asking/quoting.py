"""What a commit says and shows of what a question asks: sentences of its message, lines of its diff."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agent.asking.deeds import kinds_of
from agent.asking.inquiry import Inquiry, Term, Thing
from agent.asking.lexicon import CONSEQUENCE
from agent.asking.names import is_path, plain
from agent.asking.saying import said_in
from agent.claims import Claim, Quote, Role
from agent.domain import FileChange
from agent.evidence import CommitEvidence

_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+|\n(?=\s*(?:[-*+]|\d+[.)])\s)")
_NO_SPEECH = re.compile(r"^\s*(?:[A-Z][\w-]*-by:|Co-authored|#|\||```|https?://|\(cherry picked)", re.IGNORECASE)
_READ, _LONGEST, _SHORTEST = 8_000, 420, 25
_BESIDE = re.compile(r"(?:^|/)(?:tests?|benchmarks?|examples?)/|(?:^|/)test_|_test\.|\.(?:lock|csv|svg|ipynb)$")
_SAYS_LITTLE = re.compile(r"^[+-]\s*(?:import\b|from\b.*\bimport\b|\"\"\"|[)}\]({\[,;]*$|$)")
_MOST_LINES, _STEP, _AROUND, _PIECES, _WIDEST = 12, 4, 3, 600, 240
_NAME, _KIND, _BOTH = 3.0, 2.0, 0.3
_CONTEXT, _ASIDE = 0.5, 0.6
"""How much a word counts that stands beside the changed lines, and everything in tests."""
_NEARLY, _SMALL = 0.6, 16
_TERMS = {
    "error": Term(said="error", forms=("error*", "rais*", "warn*", "except*", "reject*", "assert*", "throw*", "fail*")),
    Thing.DEFAULT: Term(said="default", forms=("default*",)),
    Thing.LIMIT: Term(said="limit", forms=("limit*", "max*")),
}
_FLAG, _DIGIT = re.compile(r"--[a-z][a-z0-9]"), re.compile(r"\d")


@dataclass(frozen=True)
class _Piece:
    """A few changed lines that stand together, and what stands around them."""

    file: str
    lines: tuple[str, ...]
    around: str

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


def spoken_of(evidence: CommitEvidence, inquiry: Inquiry, known: Sequence[Claim]) -> Claim | None:
    """Quote the passage of the message that has most of the question's words; None where none has two of them."""
    commit = evidence.change.commit
    body = commit.message.partition(commit.title)[2][:_READ]
    told = [quote.text for claim in known for quote in claim.quotes]
    best, most = "", 1
    for words in _passages(body):
        if not _SHORTEST <= len(words) <= _LONGEST or _NO_SPEECH.match(words) or any(words in one for one in told):
            continue
        found = len(said_in(words, inquiry.terms)) + sum(plain(name) in plain(words) for name in inquiry.names)
        if found > most:
            best, most = words, found
    if not best:
        return None
    return _claim(evidence, Quote(cite=evidence.id, text=best), speech=True)


def changed_lines(evidence: CommitEvidence, inquiry: Inquiry, told: str = "", most: int = 1) -> list[Claim]:
    """Show the changed lines that have most of what is asked, as far as what is told already has it not."""
    pieces = [piece for file in evidence.change.files for piece in _pieces(file)][:_PIECES]
    wanted = _wanted(inquiry)
    found = [_found(piece, wanted, inquiry.names) for piece in pieces]
    common = Counter(word for words in found for word in words)
    rare = {word: math.log(1 + len(pieces) / count) for word, count in common.items()}
    kinds = bool(kinds_of(inquiry))  # Where things of a kind are asked for, a file only says where.
    known = {name for name in inquiry.names if (kinds and is_path(name)) or plain(name) in plain(told)}
    missing = set(rare) - set(said_in(told, wanted)) - known

    def fit(place: int) -> float:
        words, piece = found[place], pieces[place]
        score = sum(share * rare[word] * (_NAME if word in inquiry.names else 1.0) for word, share in words.items())
        score += _KIND * _of_kind(piece, inquiry) + _BOTH * ({line[0] for line in piece.lines} == {"+", "-"})
        return score * (_ASIDE if _BESIDE.search(piece.file) else 1.0)

    ranked = sorted(range(len(pieces)), key=lambda place: -fit(place))
    ranked = [place for place in ranked if found[place] or len(pieces) == 1 or _of_kind(pieces[place], inquiry)]
    if told:
        ranked = [place for place in ranked if missing & set(found[place])]
    own = [place for place, piece in enumerate(pieces) if not _BESIDE.search(piece.file)] or list(range(len(pieces)))
    if not told and sum(len(pieces[place].lines) for place in own) <= _SMALL:
        chosen = own[: 2 * most]  # All of it is no more than one piece of another.
    else:
        chosen = _apart([place for place in ranked if fit(place) >= _NEARLY * fit(ranked[0])], pieces)[:most]
    quotes = [Quote(cite=evidence.id, text=pieces[place].text, file=pieces[place].file) for place in chosen]
    return [_claim(evidence, quote) for quote in quotes]


def _apart(places: Sequence[int], pieces: Sequence[_Piece]) -> list[int]:
    """Leave out pieces that show again what a better one has shown."""
    kept: list[int] = []
    for place in places:
        lines = pieces[place].lines
        if all(2 * sum(line in pieces[other].lines for line in lines) <= len(lines) for other in kept):
            kept.append(place)
    return kept


def _wanted(inquiry: Inquiry) -> list[Term]:
    """Give the words that an answer would have: those of the topic, and those of what is asked about it."""
    further = [_TERMS[thing] for thing in inquiry.things if thing in _TERMS]
    return [*inquiry.terms, *further, *([_TERMS["error"]] if CONSEQUENCE.search(inquiry.text) else [])]


def _of_kind(piece: _Piece, inquiry: Inquiry) -> bool:
    """Tell whether lines have a thing of the kind that is asked for: a flag, a number that was another one."""
    if Thing.FLAG in inquiry.things and not inquiry.names and _FLAG.search(piece.text):
        return True
    signs = {line[0] for line in piece.lines if _DIGIT.search(line)}
    return inquiry.value and signs == {"+", "-"}


def _found(piece: _Piece, wanted: Sequence[Term], names: Sequence[str]) -> dict[str, float]:
    """Give the words and names that a piece has, those beside its lines for less."""
    lines, around = said_in(piece.text, wanted), said_in(piece.around, wanted)
    words = dict.fromkeys(around, _CONTEXT) | dict.fromkeys(lines, 1.0)
    words |= {name: _CONTEXT for name in names if plain(name) in plain(f"{piece.file}\n{piece.around}")}
    return words | {name: 1.0 for name in names if plain(name) in plain(piece.text)}


def _pieces(file: FileChange) -> Iterator[_Piece]:
    """Cut a patch into stretches of changed lines that are short enough to be shown."""
    lines = (file.patch or "").split("\n")
    gone, come = ({line[1:].strip() for line in lines if line.startswith(sign)} for sign in "-+")
    same = gone & come  # What was only moved or set in or out.
    at = 0
    while at < len(lines):
        if lines[at][:1] not in ("+", "-"):
            at += 1
            continue
        end = at
        while end < len(lines) and lines[end][:1] in ("+", "-"):
            end += 1
        for start, stop in _cut(lines, at, end):
            stretch = [
                line for line in lines[start:stop] if not _SAYS_LITTLE.match(line) and line[1:].strip() not in same
            ]
            if stretch and max(map(len, stretch)) <= _WIDEST:
                around = "\n".join((file.path, *lines[max(0, start - _AROUND) : start], *lines[stop : stop + _AROUND]))
                yield _Piece(file.path, _trimmed(lines[start:stop]), around)
        at = end


def _cut(lines: Sequence[str], start: int, end: int) -> Iterator[tuple[int, int]]:
    """Give a stretch whole where it is short, else what came by itself where that is, else pieces of it."""
    if end - start <= _MOST_LINES:
        yield start, end
        return
    came = next((at for at in range(start, end) if lines[at][0] == "+"), end)
    if came > start and 0 < end - came <= _MOST_LINES:
        yield came, end
        return
    for at in range(start, end, _STEP):
        yield at, min(end, at + _MOST_LINES)


def _trimmed(lines: Sequence[str]) -> tuple[str, ...]:
    """Leave out blank lines at the ends."""
    telling = [place for place, line in enumerate(lines) if line[1:].strip()]
    return tuple(lines[telling[0] : telling[-1] + 1])


def _passages(body: str) -> Iterator[str]:
    """Cut a message into paragraphs, and into sentences those that are too long to be quoted."""
    for paragraph in re.split(r"\n\s*\n", body):
        if len(paragraph.strip()) <= _LONGEST:
            yield paragraph.strip()
        else:
            yield from (sentence.strip() for sentence in _SENTENCE.split(paragraph))


def _claim(evidence: CommitEvidence, quote: Quote, *, speech: bool = False) -> Claim:
    return Claim(
        id="",
        repo=evidence.repo,
        role=Role.CHANGE,
        about=(evidence.id,),
        predicate="says" if speech else "shows",
        cites=(evidence.id,),
        quotes=(quote,),
        speech=speech,
    )
