"""Whether the evidence has a name, also where a report writes it a little differently."""

import re
from collections.abc import Iterable

_JOINTS = re.compile(r"[-_]")
_PIECE = re.compile(r"--\w[\w-]*|[A-Za-z_]\w*|\d+(?:\.\d+)*")
_CONSTANT = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")


def loosely_named(name: str, texts: Iterable[str]) -> bool:
    """Find a name in another case, or as the end of a longer one, or with other joints."""
    last = [part for part in re.split(r"[.:/]", name) if part][-1:] or [name]
    if _CONSTANT.fullmatch(last[0]):
        # Whoever sets a variable must write each joint.
        return any(last[0].lower() in text.lower() for text in texts)
    bare = _JOINTS.sub("", last[0]).lower()
    return any(bare in _JOINTS.sub("", text).lower() for text in texts)


def pieced(code: str, texts: Iterable[str]) -> bool:
    """Tell whether every word and number of a piece of code is there: it may be a paraphrase then."""
    known = tuple(texts)
    return all(
        any(re.search(rf"(?<![\w.]){re.escape(piece)}(?![\w.]*\d)", text) for text in known)
        if piece[0].isdigit()
        else loosely_named(piece, known)
        for piece in _PIECE.findall(code)
    )
