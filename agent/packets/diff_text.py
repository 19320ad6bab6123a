"""The text of a commit's diff as writers and judges see it: changed parts, shortened to a budget."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from agent.domain.code_around_changes import CodePassage
from agent.domain.commits import FileChange
from agent.domain.evidence import CommitEvidence
from agent.domain.facts import Fact, Severity
from agent.domain.patch import cut_hunks, read_hunks
from agent.evidence_headings import file_heading, left_out_line
from agent.packets.code_around_changes_text import passage_heading
from agent.packets.line_importance import by_importance, leading_changes, plain_middle
from agent.packets.lines_in_budget import Excerpt, excerpt, needed_tokens
from agent.packets.lines_supporting_claims import NO_FOCUS, Focus, FocusText
from agent.packets.redundant_diff_lines import (
    bodies_of_tests,
    generated_lines,
    licence_lines,
    repeated_rows,
)
from agent.packets.token_budgets import CHANGES_SHARE, LEFT_OUT_SHARE
from agent.token_estimates import fitting, tokens_of
from agent.triage.title_conventions import Area, area

LEFT_OUT_HEADING = "Not shown, for lack of room:"
_CONFIGURATION = re.compile(
    r".*\.(?:toml|ya?ml|json|cfg|ini|cmake)|(?:requirements|constraints).*\.txt"
    r"|setup\.py|CMakeLists\.txt|.*Dockerfile.*"
)
_MIN_LINES = 6  # Lines that a cut hunk must keep to be of use
_SHORT_HUNK = 1_500  # Tokens that every hunk may have
_LINES_AROUND = 8  # Lines on either side of a passage, shown before any other hunk
_LINES_BESIDE_CHANGE = 3


class _Hunk(NamedTuple):
    """A hunk with what the focus finds in it."""

    file: FileChange
    position: int  # In the diff
    lines: tuple[str, ...]
    rank: int  # By the kind of its file, the most informative first
    size: int  # Changed lines
    names: tuple[int, ...]  # Lines that hold names
    name_count: int  # Names of the focus in it, or in the path of its file
    order: tuple[int, ...] | None  # All lines, the most important ones first, where that is known
    plain: frozenset[int] = frozenset()  # Lines that are left out even if there is space
    passages: tuple[int, ...] = ()  # Lines that hold passages

    @property
    def preference(self) -> tuple[bool, int, int, bool, int]:
        """The order in which hunks are chosen: edits of what exists come before new files."""
        is_new = self.file.status == "added"
        return not self.passages, -self.name_count, self.rank, is_new, -self.size

    def shortened(self, budget: int) -> Excerpt:
        """Return an excerpt that fits: passages of the focus, lines with its names, then by importance."""
        if self.order is None:
            return excerpt(self.lines, budget, [*self.passages, 0, *self.names], plain=self.plain)
        order = [*self.names, *self.order]
        plain = self.plain.difference(self.names)
        return excerpt(self.lines, budget, [*self.passages, 0], order, plain)

    def needed(self, around: int) -> int:
        """Return the tokens of its passages with some lines around them."""
        if not self.passages:
            return 0
        heading = tokens_of(file_heading(self.file))
        return heading + needed_tokens(self.lines, (0, *self.passages), around)

    def change_tokens(self) -> int:
        """Return the tokens of its leading changes with a few lines around them."""
        heading = tokens_of(file_heading(self.file))
        changed = [line for line in leading_changes(self.lines) if line not in self.plain]
        return heading + needed_tokens(self.lines, (0, *changed), _LINES_BESIDE_CHANGE)


def shown_diff(
    evidence: CommitEvidence,
    budget: int,
    focus: Focus = NO_FOCUS,
    passages: Sequence[CodePassage] = (),
    *,
    only_named: bool = False,
) -> str:
    """Return the changed parts of a commit in about `budget` tokens, and a list of cut files.

    Files with passages, the whole functions around their changes, are shown by these, other files
    by their hunks. With `only_named`, hunks without a passage or a name of the focus are left out,
    unless none has one; their files are listed.
    """
    hunks = _hunks(evidence, focus, passages)
    candidates = _focused(hunks) if only_named else hunks
    chosen = _chosen_parts(candidates, budget)
    left_out = _files_left_out(evidence, hunks, chosen)
    if not left_out:
        return _joined(hunks, chosen)
    listed_tokens = int(max(budget, 0) * LEFT_OUT_SHARE)
    listing = _left_out_list(left_out, listed_tokens)
    chosen = _chosen_parts(candidates, budget - tokens_of(listing))
    left_out = _files_left_out(evidence, hunks, chosen)
    return f"{_joined(hunks, chosen)}{_left_out_list(left_out, listed_tokens)}"


def _focused(hunks: Sequence[_Hunk]) -> Sequence[_Hunk]:
    """Return the hunks with passages or names of the focus; all of them if none has any."""
    focused = [hunk for hunk in hunks if hunk.passages or hunk.name_count]
    return focused or hunks


def _left_out_list(files: Sequence[str], budget: int) -> str:
    """Return the list of files that are not fully shown, at least one of them by name."""
    listed = fitting(files, budget) or [files[0]]
    if len(listed) < len(files):
        listed.append(f"and {len(files) - len(listed)} more files")
    lines = "\n".join(listed)
    return f"\n{LEFT_OUT_HEADING}\n{lines}\n"


def _chosen_parts(hunks: Sequence[_Hunk], budget: int) -> dict[int, Excerpt]:
    """Return the excerpts of the hunks that are shown, by their position.

    Tokens for the focus are reserved first. The rest of the budget goes to hunks by rank, those
    with names of the focus before the others.
    """
    reserved = _reserved_tokens(hunks, budget)
    tokens_left = budget - sum(reserved.values())
    # One new file must not use up the budget of all other changes.
    largest = budget if len(hunks) == 1 else max(_SHORT_HUNK, budget // 3)
    chosen: dict[int, Excerpt] = {}
    headed_files: set[str] = set()
    for number, hunk in enumerate(_by_preference(hunks)):
        needed = reserved.get(hunk.position, 0)
        heading = 0
        if hunk.file.path not in headed_files:
            heading = tokens_of(file_heading(hunk.file))
        growth = min(tokens_left, largest)
        if hunk.order is not None:
            # A whole function may take twice its share of the rest, so that others grow, too.
            double_share = 2 * tokens_left // (len(hunks) - number)
            growth = min(growth, max(_SHORT_HUNK, double_share))
        allowed = max(needed, min(needed + growth, largest)) - heading
        part = hunk.shortened(allowed)
        if not (part.is_complete or hunk.passages) and part.line_count < _MIN_LINES:
            continue
        chosen[hunk.position] = part
        headed_files.add(hunk.file.path)
        tokens_left -= tokens_of(part.text) + heading - needed
    return chosen


def _by_preference(hunks: Iterable[_Hunk]) -> list[_Hunk]:
    return sorted(hunks, key=lambda hunk: hunk.preference)


def _reserved_tokens(hunks: Sequence[_Hunk], budget: int) -> dict[int, int]:
    """Return the tokens that are reserved for the passages and changes of each hunk.

    Passages of the focus come first, with lines around them if they fit; then the changed lines of
    as many hunks as possible, so that one long function does not hide the change of another.
    """
    reserved = _passage_tokens(hunks, budget)
    tokens_left = int(budget * CHANGES_SHARE) - sum(reserved.values())
    for hunk in _by_preference(hunks):
        if hunk.position in reserved or hunk.order is None:
            continue
        needed = hunk.change_tokens()
        if needed <= tokens_left:
            reserved[hunk.position] = needed
            tokens_left -= needed
    return reserved


def _passage_tokens(hunks: Sequence[_Hunk], budget: int) -> dict[int, int]:
    """Return the tokens for passages, with as many lines around them as the budget allows."""
    with_passages = [hunk for hunk in hunks if hunk.passages]
    needed: dict[int, int] = {}
    for around in (_LINES_AROUND, _LINES_AROUND // 2, 1, 0):
        needed = {hunk.position: hunk.needed(around) for hunk in with_passages}
        if sum(needed.values()) <= budget:
            break
    return needed


def _joined(hunks: Sequence[_Hunk], chosen: Mapping[int, Excerpt]) -> str:
    """Return the chosen parts of the diff, each file under its heading."""
    texts_by_file: dict[str, list[str]] = {}
    for hunk in hunks:
        if hunk.position in chosen:
            texts = texts_by_file.setdefault(hunk.file.path, [file_heading(hunk.file)])
            texts.append(chosen[hunk.position].text)
    return "\n".join(chain.from_iterable(texts_by_file.values())) or "(no text)"


def _files_left_out(
    evidence: CommitEvidence, hunks: Sequence[_Hunk], chosen: Mapping[int, Excerpt]
) -> list[str]:
    """Return the names of the files of which lines are not shown, with their counts."""
    shown_paths: set[str] = set()
    files: dict[str, FileChange] = {}
    for hunk in _by_preference(hunks):
        part = chosen.get(hunk.position)
        if part is not None:
            shown_paths.add(hunk.file.path)
        if part is None or not part.is_complete:
            files[hunk.file.path] = hunk.file
    for file in evidence.change.files:
        if not file.patch:
            files[file.path] = file
    names = []
    for file in files.values():
        rest = "the rest of " if file.path in shown_paths else ""
        names.append(f"{rest}{left_out_line(file)}")
    return names


class _Part(NamedTuple):
    """A changed part of a file: a hunk, or a passage with the whole function around the change."""

    heading: str
    lines: tuple[str, ...]
    first_number: int  # Of the first line, in the new version of the file
    has_function: bool  # Whether the whole function around the change is in it


def _hunks(evidence: CommitEvidence, focus: Focus, passages: Sequence[CodePassage]) -> list[_Hunk]:
    """Return the changed parts of all files, tests last, with what the focus finds in them."""
    proving = _proving_lines(evidence.facts)
    files = evidence.change.files
    tests = [file for file in files if area(file.path) is Area.TESTS]
    others = [file for file in files if area(file.path) is not Area.TESTS]
    has_product = any(area(file.path) is Area.PRODUCT for file in others)
    hunks: list[_Hunk] = []
    for file in (*others, *tests):
        for part in _parts(file, passages):
            plain = _plain_positions(file, part, has_product)
            hunk = _hunk(file, part, plain, focus, proving)
            hunks.append(hunk._replace(position=len(hunks)))
    texts = [FocusText(hunk.lines, hunk.file.path) for hunk in hunks]
    positions_by_hunk = focus.passages_in(texts)
    focused: list[_Hunk] = []
    for hunk, positions in zip(hunks, positions_by_hunk, strict=True):
        focused.append(hunk._replace(passages=tuple(positions)))
    return focused


def _hunk(
    file: FileChange, part: _Part, plain: Iterable[int], focus: Focus, proving: set[str]
) -> _Hunk:
    """Return a part of a file as a hunk, whose first line is its heading."""
    lines = (part.heading, *part.lines)
    text = "\n".join(lines)
    names = focus.names_in(f"{file_heading(file)}\n{text}")
    order: tuple[int, ...] | None = None
    if part.has_function:
        important = [position + 1 for position in by_importance(part.lines)]
        order = (0, *important)
    return _Hunk(
        file=file,
        position=0,
        lines=lines,
        rank=_rank(file, lines, proving),
        size=sum(line[:1] in ("+", "-") for line in part.lines),
        names=tuple(Focus(names=names).name_lines(lines)),
        name_count=len(names),
        order=order,
        plain=frozenset(position + 1 for position in plain),
    )


def _parts(file: FileChange, passages: Sequence[CodePassage]) -> list[_Part]:
    parts: list[_Part] = []
    for passage in passages:
        if passage.file == file.path:
            heading = passage_heading(passage)
            parts.append(_Part(heading, passage.lines, passage.first, has_function=True))
    if parts:
        return parts
    for text in cut_hunks(file.patch or ""):
        heading, *lines = text.splitlines()
        hunks = read_hunks(text)
        first_number = hunks[0].new_start if hunks else 0
        parts.append(_Part(heading, tuple(lines), first_number, has_function=False))
    return parts


def _plain_positions(file: FileChange, part: _Part, has_product: bool) -> set[int]:
    """Return the lines of a part without news; of tests, more if the commit changes the product."""
    plain = licence_lines(part.lines, part.first_number)
    plain |= repeated_rows(part.lines)
    if part.has_function:
        plain |= plain_middle(part.lines)
    if has_product:
        plain |= generated_lines(file.path, part.lines, part.first_number)
    if has_product and area(file.path) is Area.TESTS:
        plain |= bodies_of_tests(part.lines)
    return plain


def _proving_lines(facts: Iterable[Fact]) -> set[str]:
    """Return the lines that show the facts which users can notice."""
    lines: set[str] = set()
    for fact in facts:
        if fact.severity is not Severity.INTERNAL:
            for location in fact.places[:2]:
                lines.update(location.lines)
    return lines


def _rank(file: FileChange, lines: Sequence[str], proving: set[str]) -> int:
    """Return a hunk's rank: documents and configuration first, tests and removed files last."""
    kind = area(file.path)
    name = file.path.rpartition("/")[2]
    if file.status == "removed":
        return 5
    if kind is Area.TESTS:
        return 4
    if kind is Area.DOCS or (kind is Area.PRODUCT and _CONFIGURATION.fullmatch(name)):
        return 0
    if any(line in proving for line in lines):
        return 1
    return 2 if kind is Area.PRODUCT else 3
