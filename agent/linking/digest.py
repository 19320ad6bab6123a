"""An issue reduced to what linking compares: small enough to be kept for every open issue, and made once."""

import re
from datetime import datetime
from typing import Literal

from agent.domain import Frozen, Issue
from agent.ids import RepoId, ThreadId, thread_id
from agent.linking.terms import alarms, code_terms, first_terms

_TITLE, _READ, _BODY = 300, 70_000, 8_000
_WORDS, _NAMES, _ALARMS, _LABELS = 300, 80, 80, 12


# Templates of issues ask for the environment first, which fills pages and says nothing of what is wrong.
_FOLDED = re.compile(
    r"<details\b[^>\n]{0,80}>(?:(?!</?details).){0,400}?(?:collect_env|collecting environment|system info|pip3? list)"
    r"(?:(?!</details>).){0,70000}(?:</details>|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_ASKED = re.compile(
    r"^#{1,6}[ \t][^\n]{0,40}(?:environment|before submitting|checklist|prerequisites|system info|versions?)"
    r"\b[^\n]{0,40}$(?:\n(?!#{1,6}[ \t])[^\n]*){0,800}"
    r"|^[ \t]*[-*+][ \t]+\[[ xX]?\][^\n]*$",
    re.IGNORECASE | re.MULTILINE,
)


class Digest(Frozen):
    """What is known of an issue, and the words of its body."""

    repo: RepoId
    number: int
    title: str
    state: Literal["open", "closed"]
    state_reason: str | None
    author: str | None
    labels: tuple[str, ...]
    created_at: datetime
    updated_at: datetime
    closed_at: datetime | None
    comments: int
    reactions: int
    words: tuple[str, ...]
    """Stems of the body's words."""
    names: tuple[str, ...]
    """Names of code, flags and files in title and body."""
    alarms: tuple[str, ...]
    """Runs of three words in messages of errors."""

    @property
    def id(self) -> ThreadId:
        """The name under which the issue is cited."""
        return thread_id(self.repo, self.number)


def as_issue(known: Digest) -> Issue:
    """Give an issue of an earlier day as far as it was kept: its words are gone, its title is not."""
    fields = known.model_dump(exclude={"words", "names", "alarms"})
    return Issue(body="", **fields)


def digest(issue: Issue) -> Digest:
    """Read an issue; of a long one its head counts."""
    title, body = issue.title[:_TITLE], _told(issue.body)
    return Digest(
        repo=issue.repo,
        number=issue.number,
        title=title,
        state=issue.state,
        state_reason=issue.state_reason,
        author=issue.author,
        labels=issue.labels[:_LABELS],
        created_at=issue.created_at,
        updated_at=issue.updated_at,
        closed_at=issue.closed_at,
        comments=issue.comments,
        reactions=issue.reactions,
        words=tuple(sorted(first_terms(body, _WORDS))),
        names=tuple(sorted(code_terms(f"{title}\n{body}"))[:_NAMES]),
        alarms=tuple(sorted(alarms(body))[:_ALARMS]),
    )


def _told(body: str) -> str:
    """Leave out what a template asks for before it comes to the matter."""
    return _ASKED.sub(" ", _FOLDED.sub(" ", body[:_READ].replace("\r\n", "\n")))[:_BODY]
