"""What a writer and a judge are shown of a commit: its words, threads, facts, and the hunks that fit."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from agent.analysts.excerpt import Excerpt, excerpt, folded, needed_tokens
from agent.analysts.focus import NO_FOCUS, Focus, FocusText
from agent.domain.base import thread_id
from agent.domain.commits import FileChange
from agent.domain.evidence import (
    CommitEvidence,
    Evidence,
    Material,
    Read,
    ReleaseEvidence,
    ThreadEvidence,
)
from agent.domain.facts import Fact, Severity
from agent.domain.patch import cut_hunks
from agent.domain.window import Window
from agent.gate.shown import (
    comment_lines,
    fact_line,
    file_heading,
    left_out_line,
    piece_heading,
    subject_heading,
)
from agent.prompting import fitting, tokens_of
from agent.reports.titles import shown_title
from agent.triage.conventions import Area, area

BUDGET = 24_000  # Tokens of one commit's packet, where the model has room for them
_WORDS_SHARE = 0.3  # Of the budget, for texts of people
_FACTS_SHARE = 0.15
_LEFT_OUT_SHARE = 0.1  # For the list of files that are not shown whole
_MAX_COMMENTS = 3
_MAX_THREADS = 4
_MAX_FACTS = 40
_MIN_THREAD_TOKENS = 100
_FACTS_HEADING = "Facts that a program found in the diff:"
LEFT_OUT_HEADING = "Not shown, for lack of room:"
_NUMBER = re.compile(r"(?<![\w/&])#([1-9]\d{0,9})\b")
_CONFIGURATION = re.compile(
    r".*\.(?:toml|ya?ml|json|cfg|ini|cmake)|(?:requirements|constraints).*\.txt"
    r"|setup\.py|CMakeLists\.txt|.*Dockerfile.*"
)


def commit_packet(
    read: Read, material: Material, budget: int = BUDGET, focus: Focus = NO_FOCUS
) -> str:
    """Return what people wrote of a commit, what code found, and hunks of the diff.

    The passages of the focus are always in it, with the lines around them; then come hunks that
    hold its names, then the others in the order in which they tell most.
    """
    evidence = read.evidence
    pieces = pieces_of(evidence, material)
    words = _words(evidence, pieces, int(budget * _WORDS_SHARE), focus)
    facts = _shortened(fact_lines(evidence.facts), int(budget * _FACTS_SHARE), focus)
    opening = f"{words}\n\n{_FACTS_HEADING}\n{facts or '(none)'}\n\nThe diff:\n"
    diff = shown_diff(evidence, budget - tokens_of(opening), focus)
    return f"{opening}{diff}"


def pieces_of(evidence: CommitEvidence, material: Material) -> dict[str, Evidence]:
    """Return a commit, its pull request, and the issues that they name or are linked to, by handle."""
    pull = material.pulls.get(evidence.pull or 0)
    threads: dict[str, ThreadEvidence] = {}
    for thread in (*material.issues, *([pull] if pull else [])):
        threads[thread.id] = ThreadEvidence(thread=thread)
    threads |= dict[str, ThreadEvidence](material.threads)
    wanted = [pull.id] if pull else []
    wanted += [link.issue for link in material.links if link.change == evidence.id]
    for text in (evidence.change.commit.message, pull.body if pull else ""):
        wanted += [thread_id(evidence.repo, int(number)) for number in _NUMBER.findall(text)]
    shown = [threads[name] for name in dict.fromkeys(wanted) if name in threads]
    pieces: dict[str, Evidence] = {"c": evidence}
    for piece in shown[:_MAX_THREADS]:
        pieces[f"#{piece.thread.number}"] = piece
    return pieces


def _words(
    evidence: CommitEvidence, pieces: Mapping[str, Evidence], budget: int, focus: Focus
) -> str:
    """Return the message of a commit, then its threads, which share what it leaves."""
    threads = {handle: piece for handle, piece in pieces.items() if piece is not evidence}
    message_budget = budget // 2 if threads else budget
    message = cut_text(evidence.change.commit.message.strip(), message_budget, focus)
    texts = [f"[c] {subject_heading(evidence)}\n{message}"]
    each = (budget - tokens_of(message)) // max(1, len(threads))
    for handle, piece in threads.items():
        texts.append(piece_text(handle, piece, max(_MIN_THREAD_TOKENS, each), None, focus))
    return "\n\n".join(texts)


def piece_text(
    handle: str, piece: Evidence, budget: int, window: Window | None, focus: Focus = NO_FOCUS
) -> str:
    """Return a piece of evidence in short: its heading, what people wrote, and what code found."""
    heading = f"[{handle}] {piece_heading(piece, window)}"
    if isinstance(piece, ReleaseEvidence):
        body = cut_text(piece.release.body.strip(), budget, focus)
        return f"{heading}: {piece.release.name}\n{body}".rstrip()
    if isinstance(piece, ThreadEvidence):
        comments = list(comment_lines(piece))[-_MAX_COMMENTS:]
        body = cut_text("\n".join([piece.thread.body.strip(), *comments]), budget, focus)
        return f"{heading}: {piece.thread.title}\n{body}".rstrip()
    commit = piece.change.commit
    message = cut_text(commit.body.strip(), budget // 2, focus)
    text = f"{heading}: {shown_title(commit.title)}\n{message}"
    facts = _shortened(fact_lines(piece.facts), budget // 2, focus)
    if facts:
        text += f"\n{_FACTS_HEADING}\n{facts}"
    return text.replace("\n\n\n", "\n").rstrip()


def fact_lines(facts: Sequence[Fact]) -> Iterator[str]:
    """Yield the facts in words, those that users can notice before the others."""
    noticeable = [fact for fact in facts if fact.severity is not Severity.INTERNAL]
    for fact in (noticeable or facts)[:_MAX_FACTS]:
        yield fact_line(fact)


def cut_text(text: str, budget: int, focus: Focus = NO_FOCUS) -> str:
    """Return what fits of a text that people wrote; passages of the focus stay, whatever the budget."""
    if tokens_of(text) <= budget:
        return text
    return _shortened(folded(text), budget, focus)


def _shortened(lines: Iterable[str], budget: int, focus: Focus) -> str:
    lines = list(lines)
    passages = focus.passage_lines(lines)
    names = focus.name_lines(lines)
    return excerpt(lines, max(budget, needed_tokens(lines, passages)), [*passages, *names]).text


# ---------------------------------------------------------------- hunks


_MIN_LINES = 6  # Lines of a hunk that is cut below which it tells nothing
_SHORT_HUNK = 1_500  # Tokens that every hunk may have
_LINES_AROUND = 8  # Lines on either side of a passage, shown before any other hunk


class _Hunk(NamedTuple):
    """A hunk with what the focus finds in it."""

    file: FileChange
    position: int  # In the diff
    lines: tuple[str, ...]
    rank: int  # How telling its file is, the most telling first
    size: int  # Changed lines
    names: tuple[int, ...]  # Lines that hold names
    name_count: int  # Names of the focus in it, or in the path of its file
    passages: tuple[int, ...] = ()  # Lines that hold passages

    @property
    def preference(self) -> tuple[bool, int, int, int]:
        """The order in which hunks are chosen."""
        return not self.passages, -self.name_count, self.rank, -self.size

    @property
    def kept(self) -> list[int]:
        """The lines that come first where the hunk is shortened, its heading among them."""
        return [*self.passages, 0, *self.names]

    def needed(self, around: int) -> int:
        """Return the tokens of its passages with some lines around them."""
        if not self.passages:
            return 0
        heading = tokens_of(file_heading(self.file))
        return heading + needed_tokens(self.lines, (0, *self.passages), around)


def shown_diff(
    evidence: CommitEvidence, budget: int, focus: Focus = NO_FOCUS, *, only_named: bool = False
) -> str:
    """Return hunks of a commit, and the files that lost lines, in about `budget` tokens.

    With `only_named` there are no hunks without a name of the focus, unless none has one.
    """
    hunks = _hunks(evidence, focus)
    if only_named:
        hunks = [hunk for hunk in hunks if hunk.name_count] or hunks
    chosen = _chosen_parts(hunks, budget)
    left_out = _files_left_out(evidence, hunks, chosen)
    if not left_out:
        return _joined(hunks, chosen)
    listed_tokens = int(max(budget, 0) * _LEFT_OUT_SHARE)
    listing = _left_out_list(left_out, listed_tokens)
    chosen = _chosen_parts(hunks, budget - tokens_of(listing))
    left_out = _files_left_out(evidence, hunks, chosen)
    return f"{_joined(hunks, chosen)}{_left_out_list(left_out, listed_tokens)}"


def _left_out_list(files: Sequence[str], budget: int) -> str:
    """Return a list of files that are not shown whole, at least one of them by its name."""
    listed = fitting(files, budget) or [files[0]]
    if len(listed) < len(files):
        listed.append(f"and {len(files) - len(listed)} more files")
    lines = "\n".join(listed)
    return f"\n{LEFT_OUT_HEADING}\n{lines}\n"


def _chosen_parts(hunks: Sequence[_Hunk], budget: int) -> dict[int, Excerpt]:
    """Return what is shown of the hunks, by their position.

    What the focus needs is set aside first; the rest of the budget goes to hunks by how much they
    tell, and those that hold names of the focus come before the others.
    """
    reserved = _reserved_tokens(hunks, budget)
    tokens_left = budget - sum(reserved.values())
    # One new file must not take the room of everything that changes beside it.
    largest = budget if len(hunks) == 1 else max(_SHORT_HUNK, budget // 3)
    chosen: dict[int, Excerpt] = {}
    headed_files: set[str] = set()
    for hunk in sorted(hunks, key=lambda hunk: hunk.preference):
        needed = reserved.get(hunk.position, 0)
        heading = 0 if hunk.file.path in headed_files else tokens_of(file_heading(hunk.file))
        allowed = max(needed, min(tokens_left + needed, largest)) - heading
        part = excerpt(hunk.lines, allowed, hunk.kept)
        if not (part.is_complete or hunk.passages) and part.line_count < _MIN_LINES:
            continue
        chosen[hunk.position] = part
        headed_files.add(hunk.file.path)
        tokens_left -= tokens_of(part.text) + heading - needed
    return chosen


def _reserved_tokens(hunks: Sequence[_Hunk], budget: int) -> dict[int, int]:
    """Return the tokens that are set aside for the passages in each hunk, with lines around them if they fit."""
    for around in (_LINES_AROUND, _LINES_AROUND // 2, 1):
        needed = {hunk.position: hunk.needed(around) for hunk in hunks if hunk.passages}
        if sum(needed.values()) <= budget:
            return needed
    return {hunk.position: hunk.needed(0) for hunk in hunks if hunk.passages}


def _joined(hunks: Sequence[_Hunk], chosen: Mapping[int, Excerpt]) -> str:
    """Return the chosen parts of the diff, each file under its heading."""
    files: dict[str, list[str]] = {}
    for hunk in hunks:
        if hunk.position in chosen:
            lines = files.setdefault(hunk.file.path, [file_heading(hunk.file)])
            lines.append(chosen[hunk.position].text)
    return "\n".join(line for lines in files.values() for line in lines) or "(no text)"


def _files_left_out(
    evidence: CommitEvidence, hunks: Sequence[_Hunk], chosen: Mapping[int, Excerpt]
) -> list[str]:
    """Name the files of which lines are not shown, with their counts."""
    shown_paths = {hunk.file.path for hunk in hunks if hunk.position in chosen}
    files: dict[str, FileChange] = {}
    for hunk in sorted(hunks, key=lambda hunk: hunk.preference):
        part = chosen.get(hunk.position)
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


def _hunks(evidence: CommitEvidence, focus: Focus) -> list[_Hunk]:
    """Return the hunks of all patches in their order, with what the focus finds in them."""
    proving = _proving_lines(evidence.facts)
    hunks: list[_Hunk] = []
    for file in evidence.change.files:
        for text in cut_hunks(file.patch or ""):
            lines = tuple(text.splitlines())
            names = focus.names_in(f"{file_heading(file)}\n{text}")
            hunk = _Hunk(
                file=file,
                position=len(hunks),
                lines=lines,
                rank=_rank(file, lines, proving),
                size=sum(line[:1] in ("+", "-") for line in lines),
                names=tuple(Focus(names=names).name_lines(lines)),
                name_count=len(names),
            )
            hunks.append(hunk)
    texts = [FocusText(hunk.lines, hunk.file.path) for hunk in hunks]
    passages = focus.passages_in(texts)
    return [
        hunk._replace(passages=tuple(lines)) for hunk, lines in zip(hunks, passages, strict=True)
    ]


def _proving_lines(facts: Iterable[Fact]) -> set[str]:
    """Return the lines that show the facts which users can notice."""
    lines: set[str] = set()
    for fact in facts:
        if fact.severity is not Severity.INTERNAL:
            for place in fact.places[:2]:
                lines.update(place.lines)
    return lines


def _rank(file: FileChange, lines: Sequence[str], proving: set[str]) -> int:
    """Return how telling a hunk is: documents and configuration first, tests and removed files last."""
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
