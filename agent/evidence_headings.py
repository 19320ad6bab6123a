"""The headings of evidence, with the facts and notes that code writes around it.

Packets are made of these lines, and an anchor may be copied from any of them.
"""

from collections.abc import Iterator

from agent.domain.commits import FileChange
from agent.domain.evidence import (
    Citable,
    CommitEvidence,
    Evidence,
    FileEvidence,
    PublishedEvidence,
    ReleaseEvidence,
    ThreadEvidence,
    state_at,
)
from agent.domain.facts import Fact
from agent.domain.threads import PullRequest
from agent.domain.window import Window
from agent.fact_sentences import fact_sentence


def file_heading(file: FileChange) -> str:
    """Return the line above the hunks of a file: `--- path (modified, +1 -2)`."""
    old = f" (was {file.previous_path})" if file.previous_path not in (None, file.path) else ""
    return f"--- {file.path}{old} ({file.status}, +{file.additions} -{file.deletions})"


def left_out_line(file: FileChange) -> str:
    """Return the line for a file whose lines are not shown, with the reason if it is unreadable."""
    reason = file.unreadable or file.status
    return f"{file.path} ({reason}, +{file.additions} -{file.deletions})"


def fact_line(fact: Fact) -> str:
    """Return a fact in words behind its severity."""
    return f"- {fact.severity.value}: {fact_sentence(fact, 'en')}"


def subject_heading(evidence: CommitEvidence) -> str:
    """Return the line above the commit that a packet is about."""
    commit = evidence.change.commit
    return (
        f"commit by {commit.author.name}, landed {commit.committed_at:%Y-%m-%d}, {_size(evidence)}"
    )


def piece_heading(evidence: Evidence, window: Window | None) -> str:
    """Return the line above a piece of evidence among others, up to its title."""
    if isinstance(evidence, ReleaseEvidence):
        release = evidence.release
        return f"release {release.tag} of {release.repo}, {release.published_at:%Y-%m-%d}"
    if isinstance(evidence, ThreadEvidence):
        thread = evidence.thread
        kind = "pull request" if isinstance(thread, PullRequest) else "issue"
        opened = f"opened {thread.created_at:%Y-%m-%d} by {thread.author or 'a deleted account'}"
        return f"{kind} #{thread.number} of {thread.repo}, {opened}, {state_at(thread, window)}"
    commit = evidence.change.commit
    pull = f", pull request #{evidence.pull}" if evidence.pull else ""
    day = f"{commit.committed_at:%Y-%m-%d}"
    return (
        f"commit {commit.sha[:12]} of {commit.repo}, {day}, {commit.author.name}"
        f"{pull}, {_size(evidence)}"
    )


def _size(evidence: CommitEvidence) -> str:
    change = evidence.change
    return f"{len(change.files)} files, +{change.additions} -{change.deletions}"


def comment_lines(evidence: ThreadEvidence) -> Iterator[str]:
    """Yield the comments of a thread, each behind its author."""
    for comment in evidence.comments:
        yield f"{comment.author or 'somebody'}: {comment.body}"


def printed_texts(evidence: Citable, window: Window | None) -> Iterator[str]:
    """Yield the texts of evidence as packets print them, each below its heading.

    Lines of a file are code and no text of this kind.
    """
    if isinstance(evidence, FileEvidence):
        return
    if isinstance(evidence, PublishedEvidence):
        yield evidence.text
    elif isinstance(evidence, ReleaseEvidence):
        release = evidence.release
        yield f"{piece_heading(evidence, window)}: {release.name}\n{release.body}"
    elif isinstance(evidence, ThreadEvidence):
        thread = evidence.thread
        discussion = "\n".join((thread.body, *comment_lines(evidence)))
        for moment in {window, None}:
            yield f"{piece_heading(evidence, moment)}: {thread.title}\n{discussion}"
    else:
        commit = evidence.change.commit
        yield f"{subject_heading(evidence)}\n{commit.message}"
        yield f"{piece_heading(evidence, window)}: {commit.message}"


def code_written_lines(evidence: Citable) -> Iterator[str]:
    """Yield the lines that code writes about a commit: headings of files, and facts."""
    if not isinstance(evidence, CommitEvidence):
        return
    for file in evidence.change.files:
        yield file_heading(file)
        yield left_out_line(file)
    for fact in evidence.facts:
        yield fact_line(fact)
