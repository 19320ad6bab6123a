"""The prose of a report: output that was cut or left raw, and sentences about commits that only a judge can read."""

import json
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from agent.analysts.packet import piece_text, shown_hunks
from agent.analysts.ruling import PASSING, Ruling, is_shown
from agent.audit.entries import Entry, field_name
from agent.audit.lookup import NOT_CHECKED, RIGHT, UNVERIFIABLE, Finding, Library
from agent.audit.markdown import blanked, code_of, plain
from agent.domain.commits import pull_named
from agent.domain.evidence import CommitEvidence, ThreadEvidence
from agent.gate.text import normal
from agent.models import tokens_of

_END = re.compile(
    r"[。！？](?:[”」』）)]{0,2})|[!?.](?=\s+[A-Z\"'“(\[`*])|；|<br ?/?>|(?<=[。！？.!?;；:：|])\n|\n(?=[*<\[])"
)
_NOT_WORDS = re.compile(r"`[^`\n]{0,1000}`|https?://\S{1,2000}")
_WORD = re.compile(r"[\u4e00-\u9fff]|[A-Za-z][A-Za-z'-]{1,40}")
_PROSE = ("text", "item")
_FEW = 5  # What has fewer words is a label or a name, and tells nothing.


class Sentence(NamedTuple):
    """A sentence and the block that it stands in, by whose commits it can be judged."""

    line: int
    text: str
    entry: Entry


def sentences_of(entries: Sequence[Entry]) -> list[Sentence]:
    """List the sentences of all entries; titles, labelled values and tables of contents are none."""
    found: dict[tuple[int, str], Sentence] = {}
    for entry in (entry for entry in entries if entry.commits):
        titles = [normal(plain(commit.title)) for commit in entry.commits]
        for line, text in _pieces(entry):
            words = plain(text).strip(" -–—:：|")
            rest = next((normal(words).replace(title, " ") for title in titles if title in normal(words)), words)
            if "](#" not in text and len(_WORD.findall(_NOT_WORDS.sub(" ", rest))) >= _FEW:
                found.setdefault((line, words), Sentence(line, words, entry))
    return list(found.values())


def _pieces(entry: Entry) -> Iterator[tuple[int, str]]:
    """Cut a block into sentences, each with its line; values of fields are checked by code."""
    block, at, values = entry.block, 0, {field.start for field in entry.fields}
    if block.kind == "row":
        cells = [cell for head, cell in zip(block.header, block.cells, strict=False) if not field_name(head)]
        yield from ((block.line, piece) for cell in cells for piece in _END.split(cell))
    for end in (*(one.end() for one in _END.finditer(block.text)), len(block.text)) if block.kind in _PROSE else ():
        if not values.intersection(range(at, end)):
            piece = block.text[at:end].lstrip()
            yield block.line_at(end - len(piece)), piece
        at = end


def unchecked(sentences: Sequence[Sentence], why: str) -> list[Finding]:
    """Say of sentences that nobody has read them."""
    return [Finding(one.line, "sentence", one.text[:300], NOT_CHECKED, why) for one in sentences]


_SENTENCES, _COMMITS, _CONTROLS = 10, 3, 2  # Sentences and commits of one batch, and controls: one for each pass.
_WORDS_SHARE = 0.4
_CUT = "Not shown, for lack of room:"


class ProseBatch(NamedTuple):
    """Sentences about the same commits, and sentences about others that the judge must refuse."""

    evidence: Sequence[CommitEvidence]
    sentences: Sequence[Sentence]
    controls: Sequence[str]


def batches(sentences: Sequence[Sentence], library: Library) -> Iterator[ProseBatch]:
    """Put sentences about the same commits together; those about too many at once cannot be judged."""
    groups: dict[tuple[str, ...], list[Sentence]] = {}
    for one in sentences:
        if len(one.entry.commits) == len(one.entry.evidence) <= _COMMITS:
            groups.setdefault(tuple(commit.id for commit in one.entry.commits), []).append(one)
    for mine in groups.values():
        read = mine[0].entry.evidence
        controls = list(islice(_controls(read, library), _CONTROLS))
        for start in range(0, len(mine), _SENTENCES):
            yield ProseBatch(read, mine[start : start + _SENTENCES], controls)


def _controls(read: Sequence[CommitEvidence], library: Library) -> Iterator[str]:
    """Choose titles of commits whose pull request these ones do not name."""
    texts = [text for one in read for text in one.texts]
    for commit in (commit for repository in library.values() for commit in repository.line):
        pull = str(pull_named(commit.subject) or "")
        if pull and not any(pull in text for text in texts):
            yield commit.title


def evidence_text(batch: ProseBatch, library: Library, room: int) -> str:
    """Show the commits of a batch: what people wrote, the facts, and as much of the diff as fits."""
    focus = [code.text for one in batch.sentences for code in code_of(one.text) if len(code.text) > 3]
    each = room // len(batch.evidence)
    return "\n\n".join(_shown(f"c{at}", one, library, each, focus) for at, one in enumerate(batch.evidence, start=1))


def _shown(handle: str, one: CommitEvidence, library: Library, room: int, focus: Sequence[str]) -> str:
    words = piece_text(handle, one, int(room * _WORDS_SHARE), None)
    if pull := library[one.repo].threads.get(one.pull or 0):
        words += "\n\n" + piece_text(f"#{one.pull}", ThreadEvidence(thread=pull), int(room * _WORDS_SHARE), None)
    room -= tokens_of(words)
    hunks, left_out = shown_hunks(one, room, ())
    if left_out and focus:
        # A long diff: only the hunks that hold what the sentences name.
        hunks, _ = shown_hunks(one, room, focus)
    return f"{words}\n\nThe diff:\n{hunks}" + (f"\n{_CUT}\n{len(left_out)} files" if left_out else "")


def verdict(one: Sentence, rulings: Sequence[Ruling], evidence: str, judge: str) -> Finding:
    """Say what two rulings make of a sentence: right and wrong need both, and proof that code finds."""
    said, ids = {ruling.verdict for ruling in rulings}, ", ".join(commit.id for commit in one.entry.commits[:2])
    told = f"{judge} calls it {' and '.join(sorted(said))}"
    if quote := next((ruling.quote for ruling in rulings if is_shown(ruling.quote, evidence)), ""):
        told += f"; {ids} has: {quote[:300]}"
    # Without a word of the sentence or of the evidence nobody has looked at it.
    if all(ruling.verdict in PASSING and is_shown(ruling.quote, evidence) for ruling in rulings):
        kind = RIGHT if said == {"stated"} else UNVERIFIABLE
    elif not said.intersection(PASSING) and all(ruling.covers or ruling.quote for ruling in rulings):
        why = "unsupported" if "unsupported" in said else "contradicted"
        kind = UNVERIFIABLE if why == "unsupported" and _CUT in evidence else f"wrong:{why}"
    else:
        kind = NOT_CHECKED
    return Finding(one.line, "sentence", one.text[:300], kind, told)


# ---------------------------------------------------------------- output that did not come out whole

_RAW = re.compile(r"\{\{ ?[\w.]{1,60} ?\}\}|\[object Object\]|</?think>")
_ERROR = re.compile(
    r"Traceback \(most recent call last\)|\bError code: [45]\d\d - |\b[45]\d\d (?:Client|Server) Error: "
    r"|\bHTTP Error [45]\d\d: |\b(?:Client|Server) error '[45]\d\d "
)


def check_output(entries: Sequence[Entry]) -> Iterator[Finding]:
    """Find raw data, places of templates, errors of programs, and fences that nobody closes."""
    for block in (entry.block for entry in entries):
        bare = blanked(block.text, code_of(block.text)) if block.kind != "fence" else ""
        if not block.closed:
            yield Finding(block.line, "output", block.text[-60:], "wrong:cut-off", "the fence is never closed")
        if _is_json(bare) or _RAW.search(bare):
            yield Finding(block.line, "output", bare.strip()[:100], "wrong:raw-data", "data or a template, not text")
        if _ERROR.search(bare):
            yield Finding(block.line, "output", bare.strip()[:100], "wrong:failed-output", "a tool failed here")


def _is_json(text: str) -> bool:
    try:
        return text.lstrip()[:1] in ("{", "[") and '"' in text and isinstance(json.loads(text), dict | list)
    except (ValueError, RecursionError):
        return False
