"""What a writer and a judge are shown of a commit: its words, its threads, its facts, and as many hunks as fit."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

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
_WORDS_SHARE, _FACTS_SHARE = 0.3, 0.15  # How much of the budget texts of people may take, and facts
_COMMENTS, _THREADS, _FACTS = 3, 4, 40
_FACTS_HEAD = "Facts that a program found in the diff:"
_NUMBER = re.compile(r"(?<![\w/&])#([1-9]\d{0,9})\b")
_CONFIGURATION = re.compile(
    r".*\.(?:toml|ya?ml|json|cfg|ini|cmake)|(?:requirements|constraints).*\.txt|setup\.py|CMakeLists\.txt|.*Dockerfile.*"
)


def commit_packet(
    read: Read, material: Material, budget: int = BUDGET, focus: Sequence[str] = ()
) -> str:
    """Show a commit: what people wrote, what code found, then hunks in the order in which they tell most.

    With a `focus`, only hunks that hold one of these words or lines: whoever repairs a sentence has seen the rest.
    """
    evidence = read.evidence
    words = _words(evidence, pieces_of(evidence, material), int(budget * _WORDS_SHARE))
    facts = cut_text("\n".join(fact_lines(evidence.facts)), int(budget * _FACTS_SHARE))
    head = f"{words}\n\n{_FACTS_HEAD}\n{facts or '(none)'}\n"
    hunks, left_out = shown_hunks(evidence, max(500, budget - tokens_of(head)), focus)
    missing = f"\nNot shown, for lack of room:\n{chr(10).join(left_out)}\n" if left_out else ""
    return f"{head}\nThe diff:\n{hunks}{missing}"


def pieces_of(evidence: CommitEvidence, material: Material) -> dict[str, Evidence]:
    """Give a commit, its pull request, and the issues that both name or are linked to, by handles to cite them."""
    pull = material.pulls.get(evidence.pull or 0)
    threads = (*material.issues, *([pull] if pull else []))
    known = {one.id: ThreadEvidence(thread=one) for one in threads} | dict[str, ThreadEvidence](
        material.threads
    )
    linked = [link.issue for link in material.links if link.change == evidence.id]
    texts = (evidence.change.commit.message, pull.body if pull else "")
    named = [
        thread_id(evidence.repo, int(number)) for text in texts for number in _NUMBER.findall(text)
    ]
    wanted = dict.fromkeys((pull.id if pull else "", *linked, *named))
    found = [known[name] for name in wanted if name in known][:_THREADS]
    return {"c": evidence} | dict[str, Evidence]({f"#{one.thread.number}": one for one in found})


def _words(evidence: CommitEvidence, pieces: Mapping[str, Evidence], room: int) -> str:
    threads = {handle: one for handle, one in pieces.items() if one is not evidence}
    commit = evidence.change.commit
    head = f"[c] {subject_heading(evidence)}"
    message = cut_text(commit.message.strip(), room // 2 if threads else room)
    each = (room - tokens_of(message)) // max(1, len(threads))
    told = [piece_text(handle, one, max(100, each), None) for handle, one in threads.items()]
    return "\n\n".join([f"{head}\n{message}", *told])


def piece_text(handle: str, one: Evidence, room: int, window: Window | None) -> str:
    """Show a piece of evidence shortly: its head, what people wrote, and what code found."""
    heading = f"[{handle}] {piece_heading(one, window)}"
    if isinstance(one, ReleaseEvidence):
        body = cut_text(one.release.body.strip(), room)
        return f"{heading}: {one.release.name}\n{body}".rstrip()
    if isinstance(one, ThreadEvidence):
        comments = list(comment_lines(one))[-_COMMENTS:]
        body = cut_text("\n".join([one.thread.body.strip(), *comments]), room)
        return f"{heading}: {one.thread.title}\n{body}".rstrip()
    commit = one.change.commit
    message = cut_text(commit.body.strip(), room // 2)
    facts = cut_text("\n".join(fact_lines(one.facts)), room // 2)
    told = f"\n{_FACTS_HEAD}\n{facts}" if facts else ""
    return f"{heading}: {shown_title(commit.title)}\n{message}{told}".replace(
        "\n\n\n", "\n"
    ).rstrip()


def fact_lines(facts: Sequence[Fact]) -> Iterator[str]:
    """List the facts in words, those that users can notice first."""
    telling = [fact for fact in facts if fact.severity is not Severity.INTERNAL] or facts
    return (fact_line(fact) for fact in telling[:_FACTS])


def cut_text(text: str, room: int) -> str:
    """Keep the whole lines that fit, and say that there is more."""
    if tokens_of(text) <= room:
        return text
    return "\n".join([*fitting(text.splitlines(), room), "(more was written)"])


# ---------------------------------------------------------------- hunks


class _Hunk(NamedTuple):
    file: FileChange
    place: int
    text: str
    rank: tuple[int, int]


def shown_hunks(evidence: CommitEvidence, room: int, focus: Sequence[str]) -> tuple[str, list[str]]:
    """Choose hunks by what they tell, show them in the order of the diff, and list the files that lost lines."""
    chosen: list[_Hunk] = []
    lacking: dict[str, FileChange] = {}
    hunks, room = _focused([*_hunks(evidence)], focus), room // 2 if focus else room
    # One new file must not take the room of everything that changes beside it.
    most = room if len(hunks) == 1 else max(_SHORT_HUNK, room // 3)
    for hunk in sorted(hunks, key=lambda one: one.rank):
        text = cut_text(hunk.text, min(room, most))
        if text != hunk.text:
            lacking[hunk.file.path] = hunk.file
        if text == hunk.text or text.count("\n") >= _LEAST_LINES:
            room -= tokens_of(text)
            chosen.append(hunk._replace(text=text))
    lacking |= {file.path: file for file in evidence.change.files if not file.patch}
    shown: dict[str, list[str]] = {}
    for hunk in sorted(chosen, key=lambda one: one.place):
        shown.setdefault(hunk.file.path, [file_heading(hunk.file)]).append(hunk.text)
    left = [
        f"{'the rest of ' if file.path in shown else ''}{left_out_line(file)}"
        for file in lacking.values()
    ]
    return "\n".join(line for part in shown.values() for line in part) or "(no text)", left


def _focused(hunks: list[_Hunk], focus: Sequence[str]) -> list[_Hunk]:
    """Keep the hunks that hold, under the heading of their file, what somebody speaks of; those with most first."""
    told = [f"{file_heading(hunk.file)}\n{hunk.text}" for hunk in hunks]
    held = [
        (sum(one in text for one in focus), hunk) for text, hunk in zip(told, hunks, strict=True)
    ]
    return [hunk._replace(rank=(-count, hunk.rank[1])) for count, hunk in held if count] or hunks


_LEAST_LINES, _SHORT_HUNK = 6, 1_500
"""Lines of a hunk that is cut below which it tells nothing; tokens that every hunk may have."""


def _hunks(evidence: CommitEvidence) -> Iterator[_Hunk]:
    """Cut the patches between hunks; documents, configuration and what shows facts first, tests and what went last."""
    telling = [fact for fact in evidence.facts if fact.severity is not Severity.INTERNAL]
    proving = {line for fact in telling for place in fact.places[:2] for line in place.lines}
    hunks = ((file, text) for file in evidence.change.files for text in cut_hunks(file.patch or ""))
    for place, (file, text) in enumerate(hunks):
        size = sum(line[:1] in "+-" for line in text.splitlines())
        yield _Hunk(file, place, text, (_rank(file, text, proving), -size))


def _rank(file: FileChange, hunk: str, proving: set[str]) -> int:
    kind, name = area(file.path), file.path.rpartition("/")[2]
    if file.status == "removed" or kind is Area.TESTS:
        return 5 if file.status == "removed" else 4
    if kind is Area.DOCS or (kind is Area.PRODUCT and _CONFIGURATION.fullmatch(name)):
        return 0
    if any(line in proving for line in hunk.splitlines()):
        return 1
    return 2 if kind is Area.PRODUCT else 3
