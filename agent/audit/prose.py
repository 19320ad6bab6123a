"""The prose of a report: output that was cut or left raw, and sentences about commits that only a judge can read."""

import json
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from agent.analysts.packet import cut_text, piece_text, shown_hunks
from agent.analysts.ruling import PASSING, Ruling, is_shown
from agent.audit.entries import Entry, field_name
from agent.audit.lookup import NOT_CHECKED, RIGHT, UNVERIFIABLE, Finding, Library
from agent.audit.markdown import blanked, code_of, links_of, plain
from agent.domain.base import CommitId
from agent.domain.evidence import CommitEvidence, ThreadEvidence
from agent.gate.text import normal
from agent.models import tokens_of

_END = re.compile(
    r"[。！？](?:[”」』）)]{0,2})|[!?.](?=\s+[A-Z\"'“(\[`*])|；|<br ?/?>|(?<=[。！？.!?;；:：|])\n|\n(?=[*<\[])"
)
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_WORD = re.compile(r"[A-Za-z][A-Za-z'-]{1,40}")
_FEW_SIGNS, _FEW_WORDS, _LONG = 6, 4, 100  # What is shorter is a label or a name, and tells nothing.


class Sentence(NamedTuple):
    """A sentence and the commits by which it can be judged."""

    line: int
    text: str
    commits: tuple[CommitId, ...]
    codes: tuple[str, ...]  # What it gives as code


def sentences_of(entries: Sequence[Entry], library: Library) -> list[Sentence]:
    """List the sentences of all entries; titles, labelled values and tables of contents are none."""
    found: dict[tuple[int, str], Sentence] = {}
    for entry in entries:
        row = entry.block.kind == "row" and entry.block.header
        if not entry.commits or not (row or entry.block.kind in ("text", "item")):
            continue
        titles = [normal(plain(library.commit(name).title)) for name in entry.commits]
        for line, text in _pieces(entry):
            words = plain(text).strip(" -–—:：|")
            rest = next((normal(words).replace(title, " ") for title in titles if title in normal(words)), words)
            if _tells(rest, text):
                codes = tuple(code.text for code in code_of(text))
                found.setdefault((line, words), Sentence(line, words, entry.commits, codes))
    return list(found.values())


def _pieces(entry: Entry) -> Iterator[tuple[int, str]]:
    """Cut a block into sentences, each with its line; values of fields are checked by code."""
    block = entry.block
    if block.kind == "row":
        cells = [cell for head, cell in zip(block.header, block.cells, strict=False) if not field_name(head)]
        yield from ((block.line, piece) for cell in cells for _, piece in _cut(cell))
        return
    known = [field.start for field in entry.fields if field.name != "files"]
    for start, piece in _cut(block.text):
        # A long one says more behind the value.
        if len(piece) > _LONG or bisect_left(known, start) == bisect_left(known, start + len(piece)):
            yield block.line_at(start + len(piece) - len(piece.lstrip())), piece


def _cut(text: str) -> Iterator[tuple[int, str]]:
    at = 0
    for end in _END.finditer(text):
        yield at, text[at : end.end()]
        at = end.end()
    yield at, text[at:]


def _tells(words: str, text: str) -> bool:
    """Tell whether a piece is more than a label, a name or a link into the page."""
    if any(link.url.startswith("#") for link in links_of(text)):
        return False
    bare = re.sub(r"`[^`\n]{0,1000}`|https?://\S{1,2000}", " ", words)
    told = re.split(r"[:：]\s*", bare, maxsplit=1)[-1]
    return len(_CHINESE.findall(told)) >= _FEW_SIGNS or len(_WORD.findall(told)) >= _FEW_WORDS


def unchecked(sentences: Sequence[Sentence], why: str) -> list[Finding]:
    """Say of sentences that nobody has read them."""
    return [Finding(one.line, "sentence", one.text[:300], NOT_CHECKED, why) for one in sentences]


_SENTENCES, _COMMITS, _CONTROLS = 10, 3, 2  # Sentences and commits of one batch, and controls: one for each pass.
_WORDS_SHARE = 0.4
_CUT = "Not shown, for lack of room:"


@dataclass(frozen=True)
class ProseBatch:
    """Sentences about the same commits, and sentences about others that the judge must refuse."""

    commits: tuple[CommitId, ...]
    sentences: tuple[Sentence, ...]
    controls: tuple[str, ...]


def batches(sentences: Sequence[Sentence], library: Library) -> Iterator[ProseBatch]:
    """Put sentences about the same commits together; those about too many at once cannot be judged."""
    groups: dict[tuple[CommitId, ...], list[Sentence]] = {}
    for one in sentences:
        if len(one.commits) <= _COMMITS and all(library.evidence(name) for name in one.commits):
            groups.setdefault(one.commits, []).append(one)
    for commits, mine in groups.items():
        controls = tuple(islice(_controls(commits, sentences, library), _CONTROLS))
        for start in range(0, len(mine), _SENTENCES):
            yield ProseBatch(commits, tuple(mine[start : start + _SENTENCES]), controls)


def _controls(commits: tuple[CommitId, ...], sentences: Iterable[Sentence], library: Library) -> Iterator[str]:
    """Choose sentences about other commits that name code which these have not, then titles of such commits."""
    texts = [text for name in commits if (read := library.evidence(name)) for text in read.texts]
    for one in sentences:
        foreign = [code for code in one.codes if len(code) > 3 and not any(code in text for text in texts)]
        if foreign and not set(one.commits) & set(commits):
            yield one.text
    for repository in library.values():
        for commit in repository.line:
            pull = commit.title.rpartition("(#")[2].rstrip(")")
            if commit.id not in commits and pull.isdigit() and not any(pull in text for text in texts):
                yield commit.title


def evidence_text(batch: ProseBatch, library: Library, room: int) -> str:
    """Show the commits of a batch: what people wrote, the facts, and as much of the diff as fits."""
    read = [one for name in batch.commits if (one := library.evidence(name))]
    focus = [code for one in batch.sentences for code in one.codes if len(code) > 3]
    each = room // len(read)
    return "\n\n".join(_shown(f"c{place}", one, library, each, focus) for place, one in enumerate(read, start=1))


def _shown(handle: str, one: CommitEvidence, library: Library, room: int, focus: Sequence[str]) -> str:
    words = piece_text(handle, one, int(room * _WORDS_SHARE), None)
    pull = library[one.repo].threads.get(one.pull or 0)
    if pull:
        words += "\n\n" + piece_text(f"#{one.pull}", ThreadEvidence(thread=pull), int(room * _WORDS_SHARE), None)
    room -= tokens_of(words)
    hunks, left_out = shown_hunks(one, room, ())
    if left_out and focus:
        # A long diff: first the hunks that hold what the sentences name, then what tells most.
        hunks = f"{shown_hunks(one, room, focus)[0]}\n{shown_hunks(one, room // 2, ())[0]}"
    missing = f"\n{_CUT}\n{cut_text(chr(10).join(left_out), 600)}" if left_out else ""
    return f"{words}\n\nThe diff:\n{hunks}{missing}"


def verdict(one: Sentence, rulings: Sequence[Ruling], evidence: str, judge: str) -> Finding:
    """Say what two rulings make of a sentence: right and wrong need both, and proof that code finds."""
    passed = [ruling.verdict in PASSING and is_shown(ruling.quote, evidence) for ruling in rulings]
    # Without a word of the sentence or of the evidence nobody has looked at it.
    refused = [ruling.verdict not in PASSING and (ruling.covers or ruling.quote) for ruling in rulings]
    said = " and ".join(dict.fromkeys(ruling.verdict for ruling in rulings))
    quote = next((ruling.quote for ruling in rulings if ruling.quote and is_shown(ruling.quote, evidence)), "")
    told = f"{judge} calls it {said}; {', '.join(one.commits[:2])}" + (f" has: {quote[:300]}" if quote else "")
    if all(passed):
        kind = RIGHT if all(ruling.verdict == "stated" for ruling in rulings) else UNVERIFIABLE
    elif all(refused):
        told += next((f"; about: {ruling.covers[:200]}" for ruling in rulings if ruling.covers), "")
        why = "unsupported" if "unsupported" in said else "contradicted"
        kind = UNVERIFIABLE if why == "unsupported" and _CUT in evidence else f"wrong:{why}"
    else:
        kind, told = NOT_CHECKED, f"{judge} was of two minds, or gave no proof: {said}"
    return Finding(one.line, "sentence", one.text[:300], kind, told)


# ---------------------------------------------------------------- output that did not come out whole

_PLACEHOLDER = re.compile(r"\{\{ ?[\w.]{1,60} ?\}\}|\[object Object\]|</?think>")
_ERROR = re.compile(
    r"Traceback \(most recent call last\)|\bError code: [45]\d\d - |\b[45]\d\d (?:Client|Server) Error: "
    r"|\bHTTP Error [45]\d\d: |\b(?:Client|Server) error '[45]\d\d "
)


def check_output(entries: Sequence[Entry]) -> Iterator[Finding]:
    """Find raw data, places of templates, errors of programs, and fences that nobody closes."""
    for block in (entry.block for entry in entries):
        if block.kind == "fence":
            if not block.closed:
                yield Finding(block.line, "output", block.text[-60:], "wrong:cut-off", "the fence is never closed")
            continue
        bare, told = blanked(block.text, code_of(block.text)), "an error stands where the text should be; make it again"
        for found in _PLACEHOLDER.finditer(bare):
            yield Finding(block.line, "output", found[0], "wrong:raw-data", "a place of a template was not filled")
        if _is_json(bare):
            yield Finding(block.line, "output", bare.strip()[:100], "wrong:raw-data", "raw JSON stands in the text")
        if _ERROR.search(bare):
            yield Finding(block.line, "output", plain(block.text)[:120], "wrong:failed-output", told)


def _is_json(text: str) -> bool:
    try:
        return text.lstrip()[:1] in ("{", "[") and '"' in text and isinstance(json.loads(text), dict | list)
    except (ValueError, RecursionError):
        return False
