"""Commits, their changes, and landings."""

from datetime import datetime
from typing import Literal

from agent.domain.base import Frozen, RepoId
from agent.domain.evidence_id import EvidenceId


class Person(Frozen):
    """A name as git records it."""

    name: str
    email: str


FileStatus = Literal["added", "removed", "modified", "renamed", "copied", "changed"]


class FileChange(Frozen):
    """The change of one file by one commit, against its first parent."""

    path: str
    status: FileStatus
    additions: int
    deletions: int
    patch: str | None = None
    """The hunks, byte for byte as GitHub prints them; None for binary files, pure renames and empty files."""
    previous_path: str | None = None
    omitted: int = 0
    """Bytes of a patch that is too large to be read; it is then None, and the counts are right."""
    unreadable: str | None = None
    """Why the content could not be read (a partial mirror lacks the blob); counts are then 0 and mean nothing."""


LONGEST_TITLE = 400  # Characters of a title that pages show
_MAX_SUBJECT = 1_000


def _first_line(text: str) -> str:
    return text.lstrip().partition("\n")[0].rstrip()


def text_after(message: str, title: str) -> str:
    """Return the text of a message after its title; all of it if the title is empty."""
    return message.partition(title)[2] if title else message


class Commit(Frozen):
    """One commit without its diff; all times are UTC."""

    repo: RepoId
    sha: str
    parents: tuple[str, ...]
    author: Person
    authored_at: datetime
    committer: Person
    committed_at: datetime
    message: str
    message_omitted: int = 0  # Bytes at the end of a very long message that were not read

    @property
    def id(self) -> EvidenceId:
        """The name under which the commit is cited."""
        return EvidenceId.commit(self.repo, self.sha)

    @property
    def subject(self) -> str:
        """The first line of the message that is not blank; of a very long one its beginning."""
        return _first_line(self.message)[:_MAX_SUBJECT].rstrip()

    @property
    def title(self) -> str:
        """The subject of the commit, or behind GitHub's merge line the title of what was merged.

        It is empty for a blank message. Of a very long title it is the beginning, as the message has it, with one
        character more than pages show: so they can show that it goes on.
        """
        title = self.subject
        if self.is_merge and self.subject.startswith("Merge pull request #"):
            _, _, below = self.message.lstrip().partition("\n")
            title = _first_line(below) or self.subject
        return title[: LONGEST_TITLE + 1].rstrip()

    @property
    def body(self) -> str:
        """The message after the title."""
        return text_after(self.message, self.title)

    @property
    def is_merge(self) -> bool:
        """True when the commit joins branches."""
        return len(self.parents) > 1


class Change(Frozen):
    """A commit with everything it did to the files, against its first parent."""

    commit: Commit
    files: tuple[FileChange, ...]
    incomplete: str | None = None  # Why files may be missing from the list: the API stops at 3,000

    @property
    def additions(self) -> int:
        """Lines added over all files."""
        return sum(file.additions for file in self.files)

    @property
    def deletions(self) -> int:
        """Lines deleted over all files."""
        return sum(file.deletions for file in self.files)

    @property
    def unreadable(self) -> tuple[FileChange, ...]:
        """The files whose content is not at hand."""
        return tuple(file for file in self.files if file.unreadable)


NoticeKind = (
    Literal[
        "tip-gone",
        "tip-apart",
        "rewritten",
        "shallow",
        "shallow-merges",
        "far-future",
        "future-dated",
        "too-large",
        "message-cut",
        "renamed",
        "told-before",
    ]
    | Literal[
        "issues-off",
        "listing-capped",
        "open-capped",
        "anonymous",
        "anonymous-limit",
        "git-only",
        "local-only",
    ]
    | Literal["paths-left-out", "authors-ignored", "budget-left-out"]
)
"""What a reader must know to judge what a report leaves out; each language has its own words for it."""


class Notice(Frozen):
    """One such thing, and what it is about: hashes, numbers, names."""

    kind: NoticeKind
    about: tuple[str, ...] = ()


_MAX_OMISSIONS_NAMED = 5
_MAX_PATH_SHOWN = 200


def megabytes(size: int) -> str:
    """Return a number of bytes as a reader reads it."""
    return f"{size / 1_000_000:.1f} MB"


def omission_notices(change: Change) -> tuple[Notice, ...]:
    """Return a notice that names the files of a commit whose patches are too large to be read."""
    omitted = sorted(
        (file for file in change.files if file.omitted), key=lambda file: -file.omitted
    )
    if not omitted:
        return ()
    descriptions: list[str] = []
    for file in omitted[:_MAX_OMISSIONS_NAMED]:
        descriptions.append(f"{file.path[:_MAX_PATH_SHOWN]} ({megabytes(file.omitted)})")
    rest = omitted[_MAX_OMISSIONS_NAMED:]
    if rest:
        descriptions.append(f"+{len(rest)} ({megabytes(sum(file.omitted for file in rest))})")
    return (Notice(kind="too-large", about=(change.commit.sha[:12], ", ".join(descriptions))),)


class Landed(Frozen):
    """One row of the ledger: a first-parent commit of the default branch."""

    commit: Commit
    members: int | None = None
    """How many commits a merge brought in; None where counting them would cost a request each, 0 for a plain commit."""


class Landing(Frozen):
    """The commits that arrived on the default branch, newest first."""

    repo: RepoId
    branch: str
    tip: str | None  # The branch's newest commit when it was read; None for an empty repository
    rows: tuple[Landed, ...]
    late: tuple[Landed, ...] = ()
    """Rows whose date is not in the window and that belong to it: those between the earlier tip and
    this one that are dated before it, and those that are dated in the future and landed in it."""
    notices: tuple[Notice, ...] = ()
    """What the reader must know: rewritten history, a shallow clone that ends inside the window."""
    failures: tuple[str, ...] = ()  # What could not be read or does not add up, each in words


class Headline(Frozen):
    """A landed commit by what it calls itself."""

    sha: str
    at: datetime
    author: str
    title: str
    pull: int | None = None  # The pull request that it says it came by
