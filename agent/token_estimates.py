"""Estimates of tokens: of texts and conversations, and of what fits into some."""

from collections.abc import Iterable

_ASCII_PER_TOKEN = 3.2
"""ASCII characters of a token, on the safe side: tokenizers in use give 3.3 to 4.5."""
_MESSAGE_TOKENS = 8  # What a chat template puts around each message


def tokens_of(text: str) -> int:
    """Estimate the tokens of a text; a character outside ASCII counts as one."""
    ascii_count = len(text) if text.isascii() else sum(map(str.isascii, text))
    return int(ascii_count / _ASCII_PER_TOKEN) + (len(text) - ascii_count) + 1


def fitting(lines: Iterable[str], budget: int) -> list[str]:
    """Return the first lines, as many as fit into some tokens."""
    kept: list[str] = []
    for line in lines:
        budget -= tokens_of(line)
        if budget < 0:
            break
        kept.append(line)
    return kept


def message_tokens(texts: tuple[str, ...]) -> int:
    """Estimate the tokens of a conversation."""
    return sum(tokens_of(text) + _MESSAGE_TOKENS for text in texts)
