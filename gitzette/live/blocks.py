"""The Markdown of a reply as data for the script of the page: paragraphs of words, code and links, and nothing else."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

_TEXTS = ("text", "code_inline", "softbreak", "hardbreak")


def blocks_of(markdown: str, cites: Mapping[str, int]) -> list[dict[str, Any]]:
    """List the paragraphs and items of a reply; `cites` numbers the addresses of what it cites."""
    blocks, depth = [], 0
    for token in MarkdownIt("commonmark", {"html": False}).parse(markdown):
        if token.type.startswith("bullet_list"):
            depth += token.nesting
        elif token.type == "inline":
            pieces = list(_pieces(token.children or (), cites))
            blocks.append({"kind": "item" if depth else "text", "level": depth, "pieces": pieces})
    return blocks


def _pieces(tokens: Sequence[Token], cites: Mapping[str, int]) -> Iterator[dict[str, Any]]:
    url = ""
    for token in tokens:
        if token.type in ("link_open", "link_close"):
            url = str(token.attrGet("href") or "")
        elif token.type in _TEXTS:
            code = token.type == "code_inline"
            yield {"text": token.content or " ", "code": code, "url": url or None, "cite": cites.get(url)}
