"""Which issues and releases a window has news of."""

from agent.domain import Issue, Release, Threads
from agent.report import ReleaseLine, ThreadLine
from agent.window import Window


def issue_news(threads: Threads, window: Window) -> tuple[ThreadLine, ...]:
    """Tell which issues were opened, closed or, while open, spoken of inside the window, in the order of numbers."""
    lines: list[ThreadLine] = []
    for issue in sorted(threads.issues, key=lambda issue: issue.number):
        if issue.created_at in window:
            lines.append(_line(issue, opened=True))
        if issue.closed_at is not None and issue.closed_at in window:
            lines.append(_line(issue, opened=False))
        elif issue.state == "open" and issue.created_at < window.start and issue.updated_at in window:
            lines.append(_line(issue, opened=True).model_copy(update={"event": "active", "at": issue.updated_at}))
    return tuple(lines)


def release_news(releases: tuple[Release, ...], window: Window) -> tuple[ReleaseLine, ...]:
    """Tell which releases were published inside the window, oldest first."""
    found = sorted((r for r in releases if r.published_at in window), key=lambda r: (r.published_at, r.tag))
    return tuple(
        ReleaseLine(tag=r.tag, name=r.name, published_at=r.published_at, prerelease=r.prerelease) for r in found
    )


def _line(issue: Issue, *, opened: bool) -> ThreadLine:
    closed_how = "not planned" if issue.state_reason in ("not_planned", "duplicate") else "closed"
    return ThreadLine(
        number=issue.number,
        title=issue.title,
        author=issue.author,
        event="opened" if opened else closed_how,
        at=issue.created_at if opened or issue.closed_at is None else issue.closed_at,
        labels=issue.labels,
    )
