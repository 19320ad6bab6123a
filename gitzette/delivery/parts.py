"""How a long text becomes messages: cut by bytes between paragraphs, links whole, each piece with its number."""

from collections.abc import Callable, Iterator, Sequence

Atoms = Sequence[str]
"""A paragraph in pieces that are not cut: words with the space behind them, links, short code."""


def packed(paragraphs: Sequence[Atoms], limit: int, size: Callable[[str], int], between: str = "\n") -> list[str]:
    """Fill as few texts as possible, none larger than `limit`; a paragraph is cut only where it fits into none."""
    texts: list[str] = []
    text = ""
    for paragraph in paragraphs:
        for place, piece in enumerate(_fitting(paragraph, limit, size)):
            joined = f"{text}{between}{piece}" if text else piece
            if place == 0 and size(joined) <= limit:
                text = joined
                continue
            if text:
                texts.append(text)
            text = piece
    return [*texts, text] if text else texts


def _fitting(atoms: Atoms, limit: int, size: Callable[[str], int]) -> Iterator[str]:
    """Give a paragraph whole where it fits, else in pieces that do."""
    text = ""
    for atom in atoms:
        if size(text + atom) <= limit:
            text += atom
            continue
        if text.strip():
            yield text.rstrip()
        text = ""
        if size(atom) <= limit:
            text = atom
            continue
        *whole, text = _cut(atom, limit, size)
        yield from whole
    if text.strip():
        yield text.rstrip()


def _cut(atom: str, limit: int, size: Callable[[str], int]) -> list[str]:
    """Cut a word that is longer than a message, between two characters."""
    pieces, piece = [], ""
    for char in atom:
        if piece and size(piece + char) > limit:
            pieces.append(piece)
            piece = ""
        piece += char
    return [*pieces, piece]


def in_bytes(text: str) -> int:
    """Count the bytes of a text as it travels."""
    return len(text.encode("utf-8"))
