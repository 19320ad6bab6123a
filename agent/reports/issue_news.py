"""Which issues and releases a window has news of, and how the issues stand."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from agent.domain.commits import Issue, Release, Threads
from agent.domain.links import Link
from agent.domain.report import ReleaseLine, ThreadLine
from agent.domain.window import Window
from agent.links.issues import Digest, Known, standing


@dataclass(frozen=True, kw_only=True)
class Connected:
    """What connects the issues with changes, now and on earlier days."""

    links: Sequence[Link] = ()
    known: Known = field(default_factory=Known)

    def of(self, issue: Issue | Digest) -> list[Link]:
        """List everything that addresses an issue, oldest first."""
        return [link for link in (*self.known.links, *self.links) if link.issue == issue.id]


def issue_news(threads: Threads, window: Window, connected: Connected | None = None) -> tuple[ThreadLine, ...]:
    """Tell what happened to issues inside the window: opened, closed, spoken of while open, or addressed by a change.

    They come in the order of their numbers, those that a change addresses last.
    """
    connected = connected or Connected()
    news = _News(threads, window, connected)
    fresh = {issue.number: issue for issue in threads.issues}
    older = {one.number: one for one in connected.known.issues if one.number not in fresh}
    lines = [line for number in sorted(fresh) for line in news.happened(fresh[number])]
    told = {line.number for line in lines}
    linked = {link.issue for link in connected.links}
    every: list[Issue | Digest] = sorted((*older.values(), *fresh.values()), key=lambda one: one.number)
    return (*lines, *(news.line(one, "linked") for one in every if one.id in linked and one.number not in told))


@dataclass(frozen=True)
class _News:
    """Writes the lines of one window."""

    threads: Threads
    window: Window
    connected: Connected

    def happened(self, issue: Issue) -> Iterator[ThreadLine]:
        """Tell what people did with an issue."""
        if issue.created_at in self.window:
            yield self.line(issue, "opened")
        if issue.closed_at is not None and issue.closed_at in self.window:
            yield self.line(issue, "closed")
        elif issue.state == "open" and issue.created_at < self.window.start and issue.updated_at in self.window:
            yield self.line(issue, "active")

    def line(self, issue: Issue | Digest, event: str) -> ThreadLine:
        """Write a line with how the issue stands."""
        links = self.connected.of(issue)
        given_up = issue.state_reason in ("not_planned", "duplicate")
        moments = {"opened": issue.created_at, "closed": issue.closed_at or issue.created_at}
        fields = ("number", "title", "author", "labels")
        told = {
            "event": "not planned" if event == "closed" and given_up else event,
            "at": moments.get(event, issue.updated_at),
            "standing": standing(issue, links),
        }
        return ThreadLine.model_validate({name: getattr(issue, name) for name in fields} | told)


def release_news(releases: tuple[Release, ...], window: Window) -> tuple[ReleaseLine, ...]:
    """Tell which releases were published inside the window, oldest first."""
    found = sorted((r for r in releases if r.published_at in window), key=lambda r: (r.published_at, r.tag))
    return tuple(ReleaseLine.model_validate(one, from_attributes=True) for one in found)
