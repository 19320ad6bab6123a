"""What the server of a model can do; probed once and remembered, because servers differ and do not say so."""

from typing import Literal

from agent.domain.base import Frozen

Way = Literal["schema", "tool", "words"]
"""How an answer in a shape is asked for: by JSON schema, as the arguments of a tool, or in words."""
WAYS: tuple[Way, ...] = ("schema", "tool", "words")
DEFAULT_CONTEXT = 8_192


class Capabilities(Frozen):
    """What is known of one model at one address; before anybody asked, the best is hoped for."""

    way: Way = "schema"
    tools: bool = True
    parallel: bool = False
    """Several tool calls in one answer."""
    context: int = DEFAULT_CONTEXT
    """Tokens that question and answer may have together."""
    told: bool = False
    """Whether the server named its context; else it is assumed."""

    pace: float | None = None
    """Tokens that it writes in a second, once it has begun; None where nobody looked."""

    @property
    def ways(self) -> tuple[Way, ...]:
        """The ways that are left to try, the best that is known first."""
        return tuple(way for way in WAYS[WAYS.index(self.way) :] if way != "tool" or self.tools)
