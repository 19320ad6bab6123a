"""How many tokens a text has, roughly: models cut text differently, and most do not say how."""

_PER_TOKEN = 3.2
"""ASCII characters of code and English in one token, on the safe side: tokenizers in use give 3.3 to 4.5."""
_ENVELOPE = 8
"""What surrounds each message."""
_ANSWER = 4_000
"""Enough for five sentences about a commit in two languages, with their anchors."""


def tokens_of(text: str) -> int:
    """Estimate the tokens of a text; a character outside ASCII counts as one."""
    plain = sum(map(str.isascii, text)) if not text.isascii() else len(text)
    return int(plain / _PER_TOKEN) + (len(text) - plain) + 1


def message_tokens(texts: tuple[str, ...]) -> int:
    """Estimate the tokens of a conversation."""
    return sum(tokens_of(text) + _ENVELOPE for text in texts)


def answer_tokens(context: int) -> int:
    """Give the tokens that an answer may have; a small context keeps three quarters for the question."""
    return min(_ANSWER, context // 4)
