"""Values that are written out in code: numbers, words in quotes, switches, members of enumerations, lists of them."""

import re
from collections.abc import Sequence

_TOKEN = re.compile(
    r"[A-Za-z]{0,2}\"(?:[^\"\\]|\\.)*\"|[A-Za-z]{0,2}'(?:[^'\\]|\\.)*'|/\*.*?\*/"
    r"|float\([\"'][-+]?inf[\"']\)"
    r"|[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)*"
    r"|(?:\d[\d_']*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?\w*"
    r"|[<>=!]=|&&|\|\||\S"
)
_LITERAL = re.compile(
    r"(?:0[xX][\da-fA-F]+|(?:\d[\d_']*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)[uUlLfF]*$"
    r"|[\"'][\w.+:/-]{0,40}[\"']$|(?:True|False|None|true|false|nullptr)$|float\("
)
_MEMBER = re.compile(r"(?:\w+(?:\.|::))*[A-Z]\w*(?:\.|::)\w+$|(?:torch|jnp|np|tl)\.(?:b?float|u?int|half|bool)\w*$")
_REMARK = re.compile(r"(?<![:\"'])//.*")
SIGNS = ("==", "!=", "<", "<=", ">", ">=", "in")
OPEN, CLOSE = "([{", ")]}"
WORDS = frozenset(("if", "elif", "and", "or", "not", "return", "while", "assert", "in", "is", "else", "when"))


def tokens_of(text: str, *, python: bool) -> list[str]:
    """Take a line apart into words and signs, without what is remarked at its end."""
    tokens = _TOKEN.findall(text if python or "//" not in text else _REMARK.sub("", text))
    return tokens[: tokens.index("#")] if python and "#" in tokens else tokens


def is_value(tokens: Sequence[str]) -> bool:
    """Tell whether this is a number, a word, a constant, or a list of them."""
    if len(tokens) == 2 and tokens[0] == "-":
        tokens = tokens[1:]
    if len(tokens) == 1:
        return _LITERAL.match(tokens[0]) is not None or _MEMBER.match(tokens[0]) is not None
    if len(tokens) < 2 or tokens[0] not in OPEN or tokens[-1] not in CLOSE:
        return False
    # Round brackets around one thing only hold it together.
    listed = "," in tokens or tokens[0] != "("
    return listed and all(part == "," or is_value([part]) for part in tokens[1:-1])


def closing(tokens: Sequence[str], opened: int) -> int | None:
    """Find where a bracket is closed."""
    depth = 0
    for at in range(opened, len(tokens)):
        depth += (tokens[at] in OPEN) - (tokens[at] in CLOSE)
        if depth == 0:
            return at
    return None


def spelled(tokens: Sequence[str]) -> str:
    """Write words and signs as code is written."""
    text = ""
    for at, part in enumerate(tokens):
        word = part in WORDS or part in SIGNS or part in ("&&", "||", "?")
        apart = text[-1:].isalnum() and part[0].isalnum()
        text += f" {part} " if word and at else f"{part} " if part == "," or word else f" {part}" if apart else part
    return text.replace(", ]", "]").replace(", )", ",)").replace("  ", " ").removesuffix(";").strip()
