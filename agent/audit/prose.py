"""The prose of a report: sentences about commits, which only a judge can read."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import NamedTuple

from agent.audit.entries import AuditEntry
from agent.audit.findings import NOT_CHECKED, RIGHT, UNVERIFIABLE, Finding, Library
from agent.audit.markdown import code_of, plain
from agent.domain.evidence import CommitEvidence, ThreadEvidence
from agent.domain.references import pull_number, without_pull_number
from agent.gate.evidence_text import normal
from agent.judging.rulings import PASSING, Ruling, is_shown
from agent.packets.commit_packet import piece_text
from agent.packets.diff_text import LEFT_OUT_HEADING, shown_diff
from agent.packets.focus import Focus
from agent.prompting import tokens_of

_SENTENCE_END = re.compile(
    r"[。！？][”」』）)]{0,2}|[!?.](?=\s+[A-Z\"'“(\[`*])|；|<br ?/?>|(?<=[.;:：])\n|\n(?=[*<\[])| \| "
)
_NOT_WORDS = re.compile(r"`[^`\n]{0,1000}`|https?://\S{1,2000}")
_WORD = re.compile(r"[\u4e00-\u9fff]|[A-Za-z][A-Za-z'-]{1,40}")
_MIN_WORDS = 5  # What has fewer words is a label or a name.
_MAX_SENTENCES = 10  # Of one batch
_MAX_COMMITS = 3  # That sentences of one batch may be about
_CONTROLS = 2  # One for each reading of the judge
_WORDS_SHARE = 0.4
_MIN_NAME = 4  # Characters of code marks that the diff is searched for
_MAX_CLAIM = 300  # Characters of a sentence or a quotation that a finding has


class ReportSentence(NamedTuple):
    """A sentence with its block, whose commits are the evidence for judging it."""

    line: int
    text: str
    entry: AuditEntry


def sentences_of(entries: Sequence[AuditEntry]) -> Iterator[ReportSentence]:
    """Yield the sentences of all entries, without titles, field values and tables of contents."""
    for entry in entries:
        if entry.block.kind not in ("text", "item", "row"):
            continue
        block = entry.block
        for start, end in _sentence_spans(block.text):
            if any(start <= field.start < end for field in entry.fields):
                continue
            piece = block.text[start:end].lstrip()
            is_in_contents = "](#" in piece
            words = plain(piece).strip(" -–—:：|")
            if not is_in_contents and _says_something(words, entry):
                yield ReportSentence(block.line_at(end - len(piece)), words, entry)


def _sentence_spans(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for match in _SENTENCE_END.finditer(text):
        yield start, match.end()
        start = match.end()
    yield start, len(text)


def _says_something(words: str, entry: AuditEntry) -> bool:
    """Return True if enough of the words are the writer's own, not code or a commit's title."""
    for commit in entry.commits:
        title = normal(without_pull_number(plain(commit.title))).strip()
        if normal(words) in title:
            return False
        if title in normal(words):
            words = normal(words).replace(title, " ")
            break
    return len(_WORD.findall(_NOT_WORDS.sub(" ", words))) >= _MIN_WORDS


def unchecked(sentences: Sequence[ReportSentence], reason: str) -> list[Finding]:
    """Return a `not-checked` finding for each sentence."""
    findings = []
    for sentence in sentences:
        claim = sentence.text[:_MAX_CLAIM]
        findings.append(Finding(sentence.line, "sentence", claim, NOT_CHECKED, reason))
    return findings


class ProseBatch(NamedTuple):
    """Sentences about the same commits, and sentences about others that the judge must refuse."""

    evidence: Sequence[CommitEvidence]
    sentences: Sequence[ReportSentence]
    controls: Sequence[str]


def batches(sentences: Sequence[ReportSentence], library: Library) -> Iterator[ProseBatch]:
    """Yield batches of sentences about the same commits, except about more than can be judged."""
    sentences_by_commits: dict[tuple[str, ...], list[ReportSentence]] = {}
    for sentence in sentences:
        entry = sentence.entry
        are_all_read = len(entry.commits) == len(entry.evidence)
        if are_all_read and len(entry.commits) <= _MAX_COMMITS:
            key = tuple(commit.id for commit in entry.commits)
            sentences_by_commits.setdefault(key, []).append(sentence)
    for group in sentences_by_commits.values():
        evidence = group[0].entry.evidence
        controls = list(islice(_controls(evidence, library), _CONTROLS))
        for start in range(0, len(group), _MAX_SENTENCES):
            yield ProseBatch(evidence, group[start : start + _MAX_SENTENCES], controls)


def _controls(evidence: Sequence[CommitEvidence], library: Library) -> Iterator[str]:
    """Yield titles of commits whose pull request the evidence does not name."""
    texts = list(chain.from_iterable(commit.texts for commit in evidence))
    for repository in library.values():
        for commit in repository.line:
            pull = str(pull_number(commit.subject) or "")
            if pull and not any(pull in text for text in texts):
                yield commit.title


def evidence_text(batch: ProseBatch, library: Library, budget: int) -> str:
    """Return the text of a batch's commits: messages, facts, and as much of the diffs as fits.

    In a long diff, hunks with names from the sentences come first.
    """
    focus = _focus(batch.sentences)
    tokens_per_commit = budget // max(1, len(batch.evidence))
    words_budget = int(tokens_per_commit * _WORDS_SHARE)
    texts: list[str] = []
    for number, commit in enumerate(batch.evidence, start=1):
        words = piece_text(f"c{number}", commit, words_budget, None, focus)
        pull = library[commit.repo].threads.get(commit.pull or 0)
        if pull is not None:
            thread = ThreadEvidence(thread=pull)
            words += "\n\n" + piece_text(f"#{commit.pull}", thread, words_budget, None, focus)
        diff = shown_diff(commit, tokens_per_commit - tokens_of(words), focus)
        texts.append(f"{words}\n\nThe diff:\n{diff}")
    return "\n\n".join(texts)


def _focus(sentences: Sequence[ReportSentence]) -> Focus:
    """Return the focus on the names that sentences have in code marks."""
    names: dict[str, None] = {}
    for sentence in sentences:
        for code in code_of(sentence.text):
            if len(code.text) >= _MIN_NAME:
                names[code.text] = None
    return Focus(names=tuple(names))


def verdict(
    sentence: ReportSentence, rulings: Sequence[Ruling], evidence: str, judge: str
) -> Finding:
    """Return the finding about a sentence that follows from two rulings.

    A verdict of right or wrong needs both, and a quotation that code finds in the evidence.
    """
    verdicts = {ruling.verdict for ruling in rulings}
    reason = f"{judge} calls it {' and '.join(sorted(verdicts))}"
    for ruling in rulings:
        if is_shown(ruling.quote, evidence):
            ids = ", ".join(commit.id for commit in sentence.entry.commits[:2])
            reason += f"; {ids} has: {ruling.quote[:_MAX_CLAIM]}"
            break
    claim = sentence.text[:_MAX_CLAIM]
    return Finding(sentence.line, "sentence", claim, _verdict(rulings, evidence), reason)


def _verdict(rulings: Sequence[Ruling], evidence: str) -> str:
    verdicts = {ruling.verdict for ruling in rulings}
    if all(ruling.verdict in PASSING and is_shown(ruling.quote, evidence) for ruling in rulings):
        return RIGHT if verdicts == {"stated"} else UNVERIFIABLE
    # A ruling that quotes neither the sentence nor the evidence proves no reading of them.
    has_proof = all(ruling.covers or ruling.quote for ruling in rulings)
    if verdicts.intersection(PASSING) or not has_proof:
        return NOT_CHECKED
    if verdicts == {"contradicted"}:
        return "wrong:contradicted"
    # The part of the diff that was left out may support the sentence.
    return UNVERIFIABLE if LEFT_OUT_HEADING in evidence else "wrong:unsupported"
