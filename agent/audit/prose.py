"""The prose of a report: sentences about commits, which only a judge can read."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice, zip_longest
from typing import NamedTuple

from agent.audit.entries import AuditEntry, commits_meant
from agent.audit.findings import NOT_CHECKED, RIGHT, UNVERIFIABLE, Finding
from agent.audit.markdown import code_of, plain
from agent.audit.repository_lookup_results import Library
from agent.audit.settled_words import SETTLED, SettledWords
from agent.domain.commits import Commit
from agent.domain.evidence import CommitEvidence, ThreadEvidence
from agent.domain.evidence_id import EvidenceId
from agent.domain.references import pull_number, without_pull_number
from agent.gate.quotes import patch_lines
from agent.gate.searchable_evidence_text import normal
from agent.judging.rulings import PASSING, Ruling, is_shown
from agent.packets.commit_packet import piece_text
from agent.packets.diff_text import LEFT_OUT_HEADING, shown_diff
from agent.packets.lines_supporting_claims import Focus
from agent.token_estimates import tokens_of
from agent.triage.title_conventions import Area, area

_SENTENCE_END = re.compile(
    r"[。！？][”」』）)]{0,2}|[!?.](?=\s+[A-Z\"'“(\[`*])|；|<br ?/?>|(?<=[.;:：])\n|\n(?=[*<\[])| \| "
)
_NOT_WORDS = re.compile(r"`[^`\n]{0,1000}`|https?://\S{1,2000}")
_WORD = re.compile(r"[\u4e00-\u9fff]|[A-Za-z][A-Za-z'-]{1,40}")
_CLOSED_BORDER = re.compile(
    r"[`)\]）】]{0,4}(?:\([^()\s]{1,400}\)\)?)?\s?(?:[,;，；、]|(?:and|while|whereas)\s|以及|并且|而)",
    re.IGNORECASE,
)
_BORDER = re.compile(r"[,;，；、]|\s(?:and|while|whereas)\s|以及|并且|而")
_BETWEEN_PARTS = " .,;:|()-–—：，；（）"
_MIN_DIVIDED = 2  # Commits of a block whose sentences are divided
_MIN_WORDS = 5  # What has fewer words is a label or a name.
_MIN_BARE_WORDS = 3  # Of these, besides what is in code marks
_MAX_SENTENCES = 10  # Of one batch
_MAX_COMMITS = 3  # That sentences of one batch may be about
_CONTROLS = 2  # One for each reading of the judge
_WORDS_SHARE = 0.4
_MIN_NAME = 4  # Characters of code marks that the diff is searched for
_ABOUT_SETTLED = (
    f"In the sentences {SETTLED} stands for a name, date, path or count that a program has compared "
    "with the commit: take it to be right."
)
_MAX_CLAIM = 300  # Characters of a sentence or a quotation that a finding has


class ReportSentence(NamedTuple):
    """A sentence with its block, whose commits are the evidence for judging it."""

    line: int
    text: str
    entry: AuditEntry
    commits: tuple[Commit, ...] = ()  # Those that it names, or else those of its block
    unsettled: str = ""  # Its words without those that code has compared with git

    @property
    def evidence(self) -> tuple[CommitEvidence, ...]:
        """Return those of its commits of which the diff was read."""
        ids = {commit.id for commit in self.commits}
        return tuple(read for read in self.entry.evidence if read.change.commit.id in ids)


def sentences_of(entries: Sequence[AuditEntry], library: Library) -> Iterator[ReportSentence]:
    """Yield the sentences of all entries, without titles, field values and tables of contents.

    A sentence that names several commits is divided into what it says of each. What says nothing
    besides what code has compared with git is no sentence, and neither is what is copied from the
    commit itself: the report says what its author says.
    """
    for entry in entries:
        if entry.block.kind not in ("text", "item", "row"):
            continue
        block = entry.block
        settled = SettledWords(entry, library)
        for start, end, named in _parts(block.text, _named_commits(entry, library)):
            if any(start <= field.start < end for field in entry.fields):
                continue
            piece = block.text[start:end].lstrip()
            is_in_contents = "](#" in piece
            unsettled = settled.rest(start, end).strip(" -–—:：|")
            if is_in_contents or not _says_something(unsettled, entry):
                continue
            line = block.line_at(end - len(piece))
            words = plain(piece).strip(" -–—:：|")
            sentence = ReportSentence(line, words, entry, named or entry.commits, unsettled)
            if not _is_copied(sentence):
                yield sentence


class _NamedCommit(NamedTuple):
    """A hash in a block, and the commit that it means."""

    start: int
    end: int
    commit: Commit


def _named_commits(entry: AuditEntry, library: Library) -> list[_NamedCommit]:
    """Return the hashes of a block that is about several commits."""
    if len(entry.commits) < _MIN_DIVIDED:
        return []
    named_commits = []
    for reference in entry.references:
        if reference.kind != "commit":
            continue
        meant = commits_meant(reference, entry.scope, library)
        if len(meant) == 1:
            named_commits.append(_NamedCommit(reference.start, reference.end, meant[0]))
    return named_commits


def _parts(
    text: str, named_commits: Sequence[_NamedCommit]
) -> Iterator[tuple[int, int, tuple[Commit, ...]]]:
    """Yield where the sentences of a text are, and the clauses of those about several commits.

    A hash stands at the end of what is said of it, right before a border between clauses, or else
    at its beginning.
    """
    following = 0
    for start, end in _sentence_spans(text):
        first = following
        while following < len(named_commits) and named_commits[following].start < end:
            following += 1
        part_start = start
        in_part: dict[EvidenceId, Commit] = {}
        for named, other in zip_longest(
            named_commits[first:following], named_commits[first + 1 : following]
        ):
            in_part[named.commit.id] = named.commit
            border = _border(text, named, other) if other is not None else 0
            if border:
                yield part_start, border, tuple(in_part.values())
                part_start = border
                in_part = {}
        yield part_start, end, tuple(in_part.values())


def _border(text: str, named: _NamedCommit, other: _NamedCommit) -> int:
    """Return where the clause of a hash ends before that of the next; 0 if they are in a row."""
    if not _WORD.search(text, named.end, other.start):
        return 0
    closed = _CLOSED_BORDER.match(text, named.end, other.start)
    if closed:
        return closed.end()
    borders = [*_BORDER.finditer(text, named.end, other.start)]
    return borders[-1].end() if borders else 0


def _sentence_spans(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for match in _SENTENCE_END.finditer(text):
        yield start, match.end()
        start = match.end()
    yield start, len(text)


def _is_copied(sentence: ReportSentence) -> bool:
    """Return True if a sentence stands in the message of its commit, or in a document it adds to.

    What code has compared with the commit need not stand there.
    """
    if len(sentence.evidence) != 1:
        return False
    change = sentence.evidence[0].change
    texts = [change.commit.message]
    for file in change.files:
        if file.patch and area(file.path) is Area.DOCS:
            added = [line.text for line in patch_lines(file.patch) if line.mark == "+"]
            texts.append("\n".join(added))
    own_words = [normal(plain(text)) for text in texts]
    for part in sentence.unsettled.split(SETTLED):
        words = normal(plain(part)).strip(_BETWEEN_PARTS)
        if not any(words in text for text in own_words):
            return False
    return True


def _says_something(words: str, entry: AuditEntry) -> bool:
    """Return True if enough of the words are the writer's own, not code or a commit's title."""
    for commit in entry.commits:
        title = normal(without_pull_number(plain(commit.title))).strip()
        if normal(words) in title:
            return False
        if title in normal(words):
            words = normal(words).replace(title, " ")
            break
    bare_words = len(_WORD.findall(_NOT_WORDS.sub(" ", words)))
    return bare_words >= _MIN_BARE_WORDS and bare_words + len(code_of(words)) >= _MIN_WORDS


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
        are_all_read = len(sentence.commits) == len(sentence.evidence)
        if are_all_read and len(sentence.commits) <= _MAX_COMMITS:
            key = tuple(commit.id for commit in sentence.commits)
            sentences_by_commits.setdefault(key, []).append(sentence)
    for group in sentences_by_commits.values():
        evidence = group[0].evidence
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
    if any(SETTLED in sentence.unsettled for sentence in batch.sentences):
        texts.append(_ABOUT_SETTLED)
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
            ids = ", ".join(commit.id for commit in sentence.commits[:2])
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
