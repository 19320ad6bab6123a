"""The issues, pull requests and releases of one repository while they are being written."""

import re
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from evals.worlds.model import Comment, Event, Issue, Pull, Release

_KEY = re.compile(r"<<([a-z0-9-]+)>>")


@dataclass
class _Thread:
    """What is known of a thread so far."""

    number: int
    fields: dict[str, Any] = field(default_factory=dict)
    comments: list[Comment] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)


@dataclass
class Desk:
    """Gives numbers, in the order in which threads are opened, and keeps what is said in them.

    All threads are announced with `expect` before the first number is asked for: a pull request's number stands in the
    commit that lands it, and issues and pull requests share one row of numbers.
    """

    repo: str
    first_number: int = 1
    first_id: int = 1
    _expected: dict[str, datetime] = field(default_factory=dict)
    _threads: dict[str, _Thread] = field(default_factory=dict)
    _releases: list[Release] = field(default_factory=list)

    def expect(self, key: str, opened_at: datetime) -> None:
        """Announce a thread."""
        assert key not in self._expected, f"two threads are called {key!r}"
        assert not self._threads, "numbers were given already"
        self._expected[key] = opened_at.astimezone(UTC)

    def number(self, key: str) -> int:
        """Give the number of an announced thread."""
        if not self._threads:
            order = sorted(self._expected, key=lambda name: (self._expected[name], name))
            self._threads = {name: _Thread(self.first_number + i) for i, name in enumerate(order)}
        return self._threads[key].number

    def has(self, key: str) -> bool:
        """Say whether a thread of this name was announced."""
        return key in self._expected

    def fill(self, text: str) -> str:
        """Replace every `<<key>>` by the thread's number."""
        return _KEY.sub(lambda found: f"#{self.number(found[1])}" if found[1] in self._expected else found[0], text)

    def write(self, key: str, **fields: Any) -> None:
        """Set fields of the thread: those of `model.Issue`, or, with a `base`, those of `model.Pull`."""
        self.number(key)
        for name, value in fields.items():
            self._threads[key].fields[name] = value.astimezone(UTC) if isinstance(value, datetime) else value

    def title(self, key: str) -> str:
        """Give the title of a thread that was written."""
        return str(self._threads[key].fields["title"])

    def comment(self, key: str, at: datetime, author: str | None, body: str) -> None:
        """Say something in a thread."""
        self.number(key)
        self._threads[key].comments.append(Comment(0, author, self.fill(body), at.astimezone(UTC)))

    def event(self, key: str, kind: str, at: datetime, actor: str | None, **details: Any) -> None:
        """Note that something happened to a thread."""
        self.number(key)
        self._threads[key].events.append(Event(0, kind, actor, at.astimezone(UTC), **details))

    def label(self, key: str, at: datetime, actor: str, *labels: str) -> None:
        """Put labels on a thread."""
        for label in labels:
            self.event(key, "labeled", at, actor, label=label)
        self.write(key, labels=(*self._threads[key].fields.get("labels", ()), *labels))

    def close(
        self,
        key: str,
        at: datetime,
        actor: str,
        *,
        reason: str = "completed",
        commit: str | None = None,
        pull: str | None = None,
    ) -> None:
        """Close an issue, by hand, by a commit or by a pull request."""
        source = (self.repo, self.number(pull)) if pull else None
        self.event(key, "closed", at, actor, commit=commit, source=source, state_reason=reason)
        self.write(key, state="closed", state_reason=reason, closed_at=at)

    def reopen(self, key: str, at: datetime, actor: str) -> None:
        """Open an issue again."""
        self.event(key, "reopened", at, actor)
        self.write(key, state="open", state_reason="reopened", closed_at=None)

    def mention(self, key: str, by: str, at: datetime, actor: str | None, *, will_close: bool = False) -> None:
        """Note that another thread of the repository speaks of this one."""
        source = (self.repo, self.number(by))
        self.event(key, "cross-referenced", at, actor, source=source, will_close=will_close)

    def release(self, **fields: Any) -> None:
        """Publish or draft a release."""
        self._releases.append(Release(id=self.first_id + len(self._releases), **fields))

    def finish(self) -> tuple[tuple[Issue, ...], tuple[Pull, ...], tuple[Release, ...]]:
        """Give everything, with ids in the order of time."""
        self._give_ids()
        issues: list[Issue] = []
        pulls: list[Pull] = []
        for key, thread in self._threads.items():
            assert thread.fields, f"thread {key!r} was announced and never written"
            values = {"number": thread.number, "created_at": self._expected[key], **thread.fields}
            values["body"] = self.fill(values["body"])
            values["comments"], values["events"] = tuple(thread.comments), tuple(thread.events)
            values["updated_at"] = max(
                [values["created_at"], *(x.created_at for x in thread.comments), *(x.at for x in thread.events)]
            )
            if "base" in values:
                pulls.append(Pull(**values))
            else:
                issues.append(Issue(**values))
        return tuple(issues), tuple(pulls), tuple(self._releases)

    def _give_ids(self) -> None:
        said = sorted((c.created_at, t.number, i) for t in self._threads.values() for i, c in enumerate(t.comments))
        ids = {(number, i): self.first_id + rank for rank, (_, number, i) in enumerate(said)}
        happened = sorted((e.at, t.number, i) for t in self._threads.values() for i, e in enumerate(t.events))
        event_ids = {(number, i): self.first_id + rank for rank, (_, number, i) in enumerate(happened)}
        for thread in self._threads.values():
            comments = [replace(c, id=ids[thread.number, i]) for i, c in enumerate(thread.comments)]
            events = [replace(e, id=event_ids[thread.number, i]) for i, e in enumerate(thread.events)]
            thread.comments = sorted(comments, key=lambda comment: comment.id)
            thread.events = sorted(events, key=lambda event: event.id)
