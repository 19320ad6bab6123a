"""The prose of a report: output that was cut or left raw, and sentences about commits that only a judge can read."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from agent.analysts.diff_text import LEFT_OUT_HEADING, shown_diff
from agent.analysts.focus import Focus
from agent.analysts.packet import piece_text
from agent.analysts.ruling import PASSING, Ruling, is_shown
from agent.audit.entries import AuditEntry
from agent.audit.findings import NOT_CHECKED, RIGHT, UNVERIFIABLE, Finding, Library
from agent.audit.markdown import code_of, plain
from agent.domain.evidence import CommitEvidence, ThreadEvidence
from agent.domain.references import pull_number
from agent.gate.text import normal
from agent.prompting import tokens_of

_END = re.compile(
    r"[。！？][”」』）)]{0,2}|[!?.](?=\s+[A-Z\"'“(\[`*])|；|<br ?/?>|(?<=[.;:：])\n|\n(?=[*<\[])| \| "
)
_NOT_WORDS = re.compile(r"`[^`\n]{0,1000}`|https?://\S{1,2000}")
_WORD = re.compile(r"[\u4e00-\u9fff]|[A-Za-z][A-Za-z'-]{1,40}")
_FEW = 5  # What has fewer words is a label or a name, and tells nothing.
_SENTENCES, _COMMITS, _CONTROLS = (
    10,
    3,
    2,
)  # Sentences and commits of one batch, and controls: one for each pass.
_WORDS_SHARE = 0.4


class ReportSentence(NamedTuple):
    """A sentence and the block that it stands in, by whose commits it can be judged."""

    line: int
    text: str
    entry: AuditEntry


def sentences_of(entries: Sequence[AuditEntry]) -> Iterator[ReportSentence]:
    """Cut all entries into sentences; titles, values of fields and tables of contents are none."""
    for entry in (
        one for one in entries if one.commits and one.block.kind in ("text", "item", "row")
    ):
        block, at, values = entry.block, 0, {field.start for field in entry.fields}
        titles = [normal(plain(commit.title)) for commit in entry.commits]
        for end in (*(one.end() for one in _END.finditer(block.text)), len(block.text)):
            is_value, piece = values.intersection(range(at, end)), block.text[at:end].lstrip()
            at, words = end, plain(piece).strip(" -–—:：|")
            rest = next(
                (normal(words).replace(title, " ") for title in titles if title in normal(words)),
                words,
            )
            if (
                not is_value
                and "](#" not in piece
                and len(_WORD.findall(_NOT_WORDS.sub(" ", rest))) >= _FEW
            ):
                yield ReportSentence(block.line_at(end - len(piece)), words, entry)


def unchecked(sentences: Sequence[ReportSentence], why: str) -> list[Finding]:
    """Say of sentences that nobody has read them."""
    return [Finding(one.line, "sentence", one.text[:300], NOT_CHECKED, why) for one in sentences]


class ProseBatch(NamedTuple):
    """Sentences about the same commits, and sentences about others that the judge must refuse."""

    evidence: Sequence[CommitEvidence]
    sentences: Sequence[ReportSentence]
    controls: Sequence[str]


def batches(sentences: Sequence[ReportSentence], library: Library) -> Iterator[ProseBatch]:
    """Put sentences about the same commits together; those about too many at once cannot be judged."""
    groups: dict[tuple[str, ...], list[ReportSentence]] = {}
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
    for commit in (commit for repository in library.values() for commit in repository.line):
        pull = str(pull_number(commit.subject) or "")
        if pull and not any(pull in text for one in read for text in one.texts):
            yield commit.title


def evidence_text(batch: ProseBatch, library: Library, budget: int) -> str:
    """Return the commits of a batch: what people wrote, the facts, and as much of the diff as fits.

    Of a long diff the hunks that hold what the sentences name come first.
    """
    names = []
    for sentence in batch.sentences:
        names += [code.text for code in code_of(sentence.text) if len(code.text) > 3]
    focus = Focus(names=tuple(dict.fromkeys(names)))
    texts = []
    for number, commit in enumerate(batch.evidence, start=1):
        tokens_left = budget // len(batch.evidence)
        words_budget = int(tokens_left * _WORDS_SHARE)
        words = piece_text(f"c{number}", commit, words_budget, None, focus)
        if pull := library[commit.repo].threads.get(commit.pull or 0):
            thread = ThreadEvidence(thread=pull)
            words += "\n\n" + piece_text(f"#{commit.pull}", thread, words_budget, None, focus)
        diff = shown_diff(commit, tokens_left - tokens_of(words), focus)
        texts.append(f"{words}\n\nThe diff:\n{diff}")
    return "\n\n".join(texts)


def verdict(one: ReportSentence, rulings: Sequence[Ruling], evidence: str, judge: str) -> Finding:
    """Say what two rulings make of a sentence: right and wrong need both, and proof that code finds."""
    said, ids = (
        {ruling.verdict for ruling in rulings},
        ", ".join(commit.id for commit in one.entry.commits[:2]),
    )
    told = f"{judge} calls it {' and '.join(sorted(said))}"
    if quote := next((ruling.quote for ruling in rulings if is_shown(ruling.quote, evidence)), ""):
        told += f"; {ids} has: {quote[:300]}"
    # Without a word of the sentence or of the evidence nobody has looked at it.
    if all(ruling.verdict in PASSING and is_shown(ruling.quote, evidence) for ruling in rulings):
        kind = RIGHT if said == {"stated"} else UNVERIFIABLE
    elif not said.intersection(PASSING) and all(
        ruling.covers or ruling.quote for ruling in rulings
    ):
        why = "contradicted" if said == {"contradicted"} else "unsupported"
        kind = (
            UNVERIFIABLE
            if why == "unsupported" and LEFT_OUT_HEADING in evidence
            else f"wrong:{why}"
        )
    else:
        kind = NOT_CHECKED
    return Finding(one.line, "sentence", one.text[:300], kind, told)
