"""Checks of a report's layout: broken rows and columns, and text that a program cut off or left raw."""

import re
from collections.abc import Iterator, Sequence

from agent.audit.code_span_checks import is_path
from agent.audit.entries import AuditEntry
from agent.audit.findings import Finding
from agent.audit.markdown import blanked, code_of, links_of, plain
from agent.domain.evidence import CommitEvidence
from agent.domain.evidence_id import EvidenceId
from agent.gate.searchable_evidence_text import text_of

_RAW = re.compile(
    r"\{\{ ?[\w.]{1,60} ?\}\}|\[object Object\]|</?think>|\A(?:\{\s{0,99}\"|\[\s{0,99}\{)"
)
_FAILED = re.compile(
    r"Traceback \(most recent|\b(?:Error code:|HTTP Error) [45]\d\d\b"
    r"|\b[45]\d\d (?:Client|Server) Error:"
)
_FIELD_OF_DATA = re.compile(
    r"[a-z][a-z0-9]{0,30}(?:_[a-z0-9]{1,30}){1,6} ?: ?(?:[Tt]rue|[Ff]alse|null|None|undefined)"
)
_OPEN_END = re.compile(r"[(（\[「『“《，、,]\s*\Z|(?<!`)`\s*\Z")
# Chinese text, and English words behind which a sentence goes on.
_OPEN_WORD = re.compile(
    r"(?:[\u4e00-\u9fff]|\s(?:an?|and|are|as|at|because|but|by|for|from|if|in|into|is|of|on|or|so|than"
    r"|that|the|their|this|to|was|when|where|which|while|with|without))\s*\Z"
)
_FULL_STOP = re.compile(r"[.。!！?？;；]\s*\Z")
_MIN_CUT_LENGTH = 30  # What is shorter may be a title or a name.
_MIN_SIBLINGS = 4  # Three may end alike by chance.
_MAX_CLAIM = 100  # Characters of a text that are shown as evidence


def check_layout(entries: Sequence[AuditEntry]) -> Iterator[Finding]:
    """Find rows that lack cells, text that ends in the middle, and output of programs."""
    for index, entry in enumerate(entries):
        yield from _row(entry)
        yield from _output(entry)
        if _is_last_of_part(entries, index):
            yield from _cut_off(entries, index)
    yield from _leaked_fields(entries)


def _row(entry: AuditEntry) -> Iterator[Finding]:
    """Check that a row has a cell for every column, and no path where a commit should stand."""
    block = entry.block
    if block.kind != "row" or not block.header:
        return
    if block.written_cells < len(block.header):
        evidence = f"the row has {block.written_cells} cells, its head has {len(block.header)}"
        yield Finding(block.line, "row", block.text[:_MAX_CLAIM], "wrong:missing-cells", evidence)
    for field in entry.fields:
        path = plain(field.value).strip(" *_`")
        if field.name == "commit" and is_path(path):
            evidence = "a path stands in the column of commits"
            yield Finding(block.line, "column", path[:_MAX_CLAIM], "wrong:column", evidence)


def _output(entry: AuditEntry) -> Iterator[Finding]:
    """Find raw data, places of templates, errors of programs, and fences that nobody closes."""
    block = entry.block
    if not block.closed:
        evidence = "the fence is never closed"
        yield Finding(block.line, "output", block.text[-60:], "wrong:cut-off", evidence)
    if block.kind == "fence":
        return
    text = blanked(block.text, code_of(block.text))
    claim = text.strip()[:_MAX_CLAIM]
    raw = _RAW.search(text)
    if raw and not any(raw[0] in commit.title for commit in entry.commits):
        evidence = "data or a template, not text"
        yield Finding(block.line, "output", claim, "wrong:raw-data", evidence)
    if _FAILED.search(text):
        yield Finding(block.line, "output", claim, "wrong:failed-output", "a tool failed here")


def _is_last_of_part(entries: Sequence[AuditEntry], index: int) -> bool:
    """Return True if a heading follows a block, or nothing at all."""
    if index + 1 == len(entries):
        return True
    return entries[index + 1].block.kind == "heading"


def _cut_off(entries: Sequence[AuditEntry], index: int) -> Iterator[Finding]:
    """Find text that ends in the middle of a sentence, right before a heading or the end.

    An open bracket or a comma at the end says so by itself. Without it, a sentence is cut off if
    the other items of its list all end as sentences do, and this one ends with a word that cannot be
    the last one, or in Chinese without a mark.
    """
    block = entries[index].block
    if block.kind not in ("text", "item", "row"):
        return
    ends_open = _OPEN_END.search(block.text) and not _ends_with_span(block.text)
    # A code span may go on over several lines.
    if block.text.rstrip().endswith("`") and block.text.count("`") % 2 == 0:
        ends_open = False
    if ends_open or _differs_from_siblings(entries, index):
        claim = block.text.strip()[-_MAX_CLAIM:]
        line = block.line_at(len(block.text))
        evidence = "the text ends in the middle of a sentence"
        yield Finding(line, "output", claim, "wrong:cut-off", evidence)


def _ends_with_span(text: str) -> bool:
    end = len(text.rstrip())
    spans = [*code_of(text), *links_of(text)]
    return any(span.end == end for span in spans)


def _differs_from_siblings(entries: Sequence[AuditEntry], index: int) -> bool:
    block = entries[index].block
    if block.kind != "item" or len(plain(block.text)) < _MIN_CUT_LENGTH:
        return False
    if not _OPEN_WORD.search(block.text) or _ends_with_span(block.text):
        return False
    siblings = []
    for entry in reversed(entries[:index]):
        if entry.block.kind != "item":
            break
        if entry.block.level == block.level:
            siblings.append(entry.block.text)
    if len(siblings) < _MIN_SIBLINGS:
        return False
    return all(_FULL_STOP.search(text) for text in siblings)


def _leaked_fields(entries: Sequence[AuditEntry]) -> Iterator[Finding]:
    """Find fields of a program's data in code spans, which no diff of the report has."""
    commits: dict[EvidenceId, CommitEvidence] = {}
    for entry in entries:
        commits.update({commit.id: commit for commit in entry.evidence})
    if not commits:
        return
    for entry in entries:
        if entry.block.kind == "fence":
            continue
        for span in code_of(entry.block.text):
            if not _FIELD_OF_DATA.fullmatch(span.text):
                continue
            name = span.text.partition(":")[0].rstrip()
            if any(text_of(commit).has(name, fold=True) for commit in commits.values()):
                continue
            line = entry.block.line_at(span.start)
            evidence = f"no commit of the report has `{name}`: a field of a program's data"
            yield Finding(line, "output", span.text, "wrong:raw-data", evidence)
