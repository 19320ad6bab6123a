"""The capabilities of a model at an endpoint: ways of asking, tools, context and pace."""

from typing import Literal

from agent.domain.base import Frozen

Job = Literal["reading", "writing", "judging"]
"""What a model does: choose what to read, write sentences, or judge them."""
JOBS: tuple[Job, ...] = ("reading", "writing", "judging")
Way = Literal["schema", "tool", "words"]
"""How data is asked for: by a JSON schema, as the arguments of a tool, or in words."""
WAYS: tuple[Way, ...] = ("schema", "tool", "words")

DEFAULT_CONTEXT = 8_192  # Tokens that are assumed where a server does not report its context length
_MAX_ANSWER_TOKENS = 4_000
"""Enough for five sentences about a commit in two languages, with their anchors."""
_MIN_QUESTION_TOKENS = 3_000  # A slow server is asked no shorter questions than this
_READING_SHARE = 1 / 3  # Of the time for an answer, for a slow server to read the question


class Capabilities(Frozen):
    """Capabilities of a model at an endpoint; the defaults are optimistic until it is probed."""

    way: Way = "schema"
    tools: bool = True
    parallel: bool = False  # Several tool calls in one answer
    context: int = DEFAULT_CONTEXT  # Tokens that question and answer may have together
    told: bool = False  # Whether the server or the settings name the context; else it is assumed
    pace: float | None = None  # Tokens a second that it writes; None where that was not measured
    reading_pace: float | None = None
    """Tokens a second that a slow server reads; None for a fast one."""

    @property
    def ways(self) -> tuple[Way, ...]:
        """The ways of asking that are left to try, the best first."""
        left = WAYS[WAYS.index(self.way) :]
        return tuple(way for way in left if way != "tool" or self.tools)

    @property
    def is_slow(self) -> bool:
        """True for a server that takes long to read a question."""
        return self.reading_pace is not None

    def question_tokens(self, answer_seconds: float) -> int:
        """Return the tokens that a question may have.

        The answer needs a part of the context, and a slow server must be able to read the
        question in a part of the time that an answer may take.
        """
        fitting_context = self.context - answer_tokens(self.context)
        if self.reading_pace is None:
            return fitting_context
        read_in_time = int(self.reading_pace * answer_seconds * _READING_SHARE)
        return min(fitting_context, max(_MIN_QUESTION_TOKENS, read_in_time))


def answer_tokens(context: int) -> int:
    """Return the tokens that an answer may have: a quarter of a small context."""
    return min(_MAX_ANSWER_TOKENS, context // 4)
