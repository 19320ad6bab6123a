"""Lists of words as they are best read: written as running text."""


def listed(text: str) -> frozenset[str]:
    """Give the words of a text."""
    return frozenset(text.split())
