"""An issue or a pull request as text: what it says, then its comments, newest first."""

from collections.abc import Iterator, Sequence

from agent.domain import Comment, Issue, PullRequest
from tools.toolset.pages import Piece


def thread_pieces(thread: Issue | PullRequest, comments: Sequence[Comment]) -> Iterator[Piece]:
    """Write a thread in pieces that stay together on a page; bodies are kept as they were written."""
    yield Piece(f"#{thread.number} {thread.title}\n{_state(thread)}\n\n")
    yield Piece(f"{thread.body.strip() or '(no text)'}\n")
    for comment in reversed(comments):
        title = f"\ncomment by {comment.author or 'a deleted account'}, {comment.created_at:%Y-%m-%d}:\n"
        yield Piece(f"{comment.body.strip()}\n", title)


def _state(thread: Issue | PullRequest) -> str:
    kind = "pull request" if isinstance(thread, PullRequest) else "issue"
    state = [f"{kind}, {thread.state}", f"by {thread.author or 'a deleted account'}"]
    if isinstance(thread, PullRequest):
        if thread.merged_at:
            state.append(f"merged {thread.merged_at:%Y-%m-%d}")
        if thread.merge_commit and thread.merged_at:
            state.append(f"as {thread.merge_commit[:12]}")
        if thread.closes:
            state.append(f"closes {' '.join(thread.closes)}")
    elif thread.state_reason:
        state.append(thread.state_reason)
    labels = f"; labels: {', '.join(thread.labels)}" if thread.labels else ""
    return f"{', '.join(state)}{labels}"
