"""An issue reduced to what later days need of it: how it stands, and the words by which it is found."""

import re
from datetime import datetime
from typing import Literal

from agent.domain import Frozen, Issue
from agent.ids import RepoId, ThreadId, thread_id

_TITLE, _BODY, _TERMS, _LABELS = 300, 12_000, 400, 12
# Words and the names of code, Chinese by pairs of characters.
_WORD = re.compile(r"[A-Za-z_][\w-]{1,60}|[\u3400-\u9fff]{2,40}", re.ASCII)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)


class Digest(Frozen):
    """What is known of an issue."""

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
    terms: tuple[str, ...]
    """The words of title and body, each once."""

    @property
    def id(self) -> ThreadId:
        """The name under which the issue is cited."""
        return thread_id(self.repo, self.number)


def as_issue(known: Digest) -> Issue:
    """Give an issue of an earlier day as far as it was kept: its words are gone, its title is not."""
    return Issue(body="", **known.model_dump(exclude={"terms"}))


def digest(issue: Issue) -> Digest:
    """Read an issue; of a long one its head counts."""
    fields = issue.model_dump(exclude={"body", "title", "labels"})
    title, body = issue.title[:_TITLE], _COMMENT.sub(" ", issue.body[:_BODY])
    return Digest(title=title, labels=issue.labels[:_LABELS], terms=terms(f"{title}\n{body}")[:_TERMS], **fields)


def terms(text: str) -> tuple[str, ...]:
    """Give the words of a text, each once, in its order."""
    found: dict[str, None] = {}
    for word in _WORD.findall(text):
        if word[0] > "z":
            found |= dict.fromkeys(word[place : place + 2] for place in range(len(word) - 1))
        else:
            found[word.lower().strip("-_").replace("-", "_")] = None
    return tuple(found)
