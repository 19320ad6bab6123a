"""What a writer and a judge are shown of a commit: its words, its threads, its facts, and as many hunks as fit."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from agent.domain.base import EvidenceId, thread_id
from agent.domain.commits import FileChange, PullRequest
from agent.domain.evidence import CommitEvidence, Evidence, Material, Read, ReleaseEvidence, ThreadEvidence, state_at
from agent.domain.facts import Fact, Severity
from agent.domain.patch import cut_hunks
from agent.domain.window import Window
from agent.models import fitting, tokens_of
from agent.telling import fact_sentence
from agent.triage.conventions import Area, area

BUDGET = 24_000  # Tokens of one commit's packet, where the model has room for them
_WORDS_SHARE, _FACTS_SHARE = 0.3, 0.15  # How much of the budget texts of people may take, and facts
_COMMENTS, _THREADS, _FACTS = 3, 4, 40
_FACTS_HEAD = "Facts that a program found in the diff (to know, not to be copied as an anchor):"
_NUMBER = re.compile(r"(?<![\w/&])#([1-9]\d{0,9})\b")
_CONFIGURATION = re.compile(
    r".*\.(?:toml|ya?ml|json|cfg|ini|cmake)|(?:requirements|constraints).*\.txt|setup\.py|CMakeLists\.txt|.*Dockerfile.*"
)


@dataclass(frozen=True, kw_only=True)
class Packet:
    """One commit as a model sees it; the handles are what it may cite."""

    text: str
    handles: Mapping[str, EvidenceId]
    found: Mapping[EvidenceId, Evidence]  # The evidence behind the handles


def commit_packet(read: Read, material: Material, budget: int = BUDGET, focus: Sequence[str] = ()) -> Packet:
    """Show a commit: what people wrote, what code found, then hunks in the order in which they tell most.

    With a `focus`, only hunks that hold one of these words or lines: whoever repairs a sentence has seen the rest.
    """
    evidence = read.evidence
    threads = threads_of(read, material)
    shown: dict[str, Evidence] = {"c": evidence, **{_handle(one): one for one in threads}}
    words = _words(evidence, threads, int(budget * _WORDS_SHARE))
    facts = cut_text("\n".join(fact_lines(evidence.facts)), int(budget * _FACTS_SHARE))
    head = f"{words}\n\n{_FACTS_HEAD}\n{facts or '(none)'}\n"
    hunks, left_out = shown_hunks(evidence, max(500, budget - tokens_of(head)), focus)
    missing = f"\nNot shown, for lack of room:\n{chr(10).join(left_out)}\n" if left_out else ""
    return Packet(
        text=f"{head}\nThe diff:\n{hunks}{missing}",
        handles={handle: one.id for handle, one in shown.items()},
        found={one.id: one for one in shown.values()},
    )


def threads_of(read: Read, material: Material) -> list[ThreadEvidence]:
    """Give the pull request of a commit, and the issues that it or its pull request names or is linked to."""
    evidence, issues = read.evidence, {issue.id: issue for issue in material.issues}
    pull = material.pulls.get(evidence.pull or 0)
    linked = [link.issue for link in material.links if link.change == evidence.id]
    texts = (evidence.change.commit.message, pull.body if pull else "")
    named = [thread_id(evidence.repo, int(number)) for text in texts for number in _NUMBER.findall(text)]
    found: dict[EvidenceId, ThreadEvidence] = {}
    if pull is not None:
        found[pull.id] = material.threads.get(pull.id) or ThreadEvidence(thread=pull)
    for name in dict.fromkeys((*linked, *named)):
        if name in material.threads:
            found.setdefault(name, material.threads[name])
        elif name in issues:
            found.setdefault(name, ThreadEvidence(thread=issues[name]))
    return list(found.values())[:_THREADS]


def _handle(one: ThreadEvidence) -> str:
    return f"#{one.thread.number}"


def _words(evidence: CommitEvidence, threads: Sequence[ThreadEvidence], room: int) -> str:
    """Show what people wrote: the message whole where it fits, then the threads, evenly cut."""
    commit, change = evidence.change.commit, evidence.change
    counts = f"{len(change.files)} files, +{change.additions} -{change.deletions}"
    head = f"[c] commit by {commit.author.name}, landed {commit.committed_at:%Y-%m-%d}, {counts}"
    message = cut_text(commit.message.strip(), room // 2 if threads else room)
    each = (room - tokens_of(message)) // max(1, len(threads))
    told = [piece_text(_handle(one), one, max(100, each), None) for one in threads]
    return "\n\n".join([f"{head}\n{message}", *told])


def piece_text(handle: str, one: Evidence, room: int, window: Window | None) -> str:
    """Show a piece of evidence shortly: its head, what people wrote, and what code found."""
    if isinstance(one, ReleaseEvidence):
        release = one.release
        head = f"[{handle}] release {release.tag} of {release.repo}, {release.published_at:%Y-%m-%d}: {release.name}"
        return f"{head}\n{cut_text(release.body.strip(), room)}".rstrip()
    if isinstance(one, ThreadEvidence):
        thread, kind = one.thread, "pull request" if isinstance(one.thread, PullRequest) else "issue"
        head = f"[{handle}] {kind} #{thread.number} of {thread.repo}, opened {thread.created_at:%Y-%m-%d} by"
        head += f" {thread.author or 'a deleted account'}, {state_at(thread, window)}: {thread.title}"
        said = [f"{comment.author or 'somebody'}: {comment.body}" for comment in one.comments[-_COMMENTS:]]
        words = cut_text("\n".join([thread.body.strip(), *said]), room)
        return f"{head}\n{words}".rstrip()
    commit, change = one.change.commit, one.change
    head = f"[{handle}] commit {commit.sha[:12]} of {commit.repo}, {commit.committed_at:%Y-%m-%d}, {commit.author.name}"
    pull = f", pull request #{one.pull}" if one.pull else ""
    head += f"{pull}, {len(change.files)} files, +{change.additions} -{change.deletions}: {commit.title}"
    message = cut_text(commit.message.partition(commit.title)[2].strip(), room // 2)
    facts = cut_text("\n".join(fact_lines(one.facts)), room // 2)
    told = f"\n{_FACTS_HEAD}\n{facts}" if facts else ""
    return f"{head}\n{message}{told}".replace("\n\n\n", "\n").rstrip()


def fact_lines(facts: Sequence[Fact]) -> Iterator[str]:
    """List the facts in words, those that users can notice first."""
    telling = [fact for fact in facts if fact.severity is not Severity.INTERNAL]
    for fact in (telling or facts)[:_FACTS]:
        yield f"- {fact.severity.value}: {fact_sentence(fact, 'en')}"


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
    hunks = _focused([*_hunks(evidence)], focus)
    room = room // 2 if focus else room
    # One new file must not take the room of everything that changes beside it.
    most = room if len(hunks) == 1 else max(_SHORT_HUNK, room // 3)
    for hunk in sorted(hunks, key=lambda one: one.rank):
        text = cut_text(hunk.text, min(room, most))
        if text != hunk.text:
            lacking[hunk.file.path] = hunk.file
            if text.count("\n") < _LEAST_LINES:
                continue
        room -= tokens_of(text)
        chosen.append(hunk._replace(text=text))
    unreadable = {file.path: file for file in evidence.change.files if not file.patch}
    shown = {hunk.file.path for hunk in chosen}
    left = [_left(file, partly=file.path in shown) for file in (lacking | unreadable).values()]
    return "\n".join(_by_file(chosen)) or "(no text)", left


def _focused(hunks: list[_Hunk], focus: Sequence[str]) -> list[_Hunk]:
    """Keep the hunks that hold, under the heading of their file, what somebody speaks of; those with most first."""
    told = [f"{_heading(hunk.file)}\n{hunk.text}" for hunk in hunks]
    held = [(sum(one in text for one in focus), hunk) for text, hunk in zip(told, hunks, strict=True)]
    return [hunk._replace(rank=(-count, hunk.rank[1])) for count, hunk in held if count] or hunks


_LEAST_LINES, _SHORT_HUNK = 6, 1_500
"""Lines of a hunk that is cut below which it tells nothing; tokens that every hunk may have."""


def _by_file(hunks: Sequence[_Hunk]) -> Iterator[str]:
    path = ""
    for hunk in sorted(hunks, key=lambda one: one.place):
        if hunk.file.path != path:
            path = hunk.file.path
            yield _heading(hunk.file)
        yield hunk.text


def _heading(file: FileChange) -> str:
    old = f" (was {file.previous_path})" if file.previous_path not in (None, file.path) else ""
    return f"--- {file.path}{old} ({file.status}, +{file.additions} -{file.deletions})"


def _left(file: FileChange, *, partly: bool) -> str:
    some = "the rest of " if partly else ""
    return f"{some}{file.path} ({file.unreadable or file.status}, +{file.additions} -{file.deletions})"


def _hunks(evidence: CommitEvidence) -> Iterator[_Hunk]:
    """Cut the patches between hunks; documents, configuration and what shows facts first, tests and what went last."""
    telling = (fact for fact in evidence.facts if fact.severity is not Severity.INTERNAL)
    proving = {line for fact in telling for place in fact.places[:2] for line in place.lines}
    hunks = ((file, text) for file in evidence.change.files for text in cut_hunks(file.patch or ""))
    for place, (file, text) in enumerate(hunks):
        size = sum(line[:1] in "+-" for line in text.splitlines())
        yield _Hunk(file, place, text, (_rank(file, text, proving), -size))


def _rank(file: FileChange, hunk: str, proving: set[str]) -> int:
    kind, name = area(file.path), file.path.rpartition("/")[2]
    if file.status == "removed":
        return 5
    if kind is Area.TESTS:
        return 4
    if kind is Area.DOCS or (kind is Area.PRODUCT and _CONFIGURATION.fullmatch(name)):
        return 0
    if any(line in proving for line in hunk.splitlines()):
        return 1
    return 2 if kind is Area.PRODUCT else 3
