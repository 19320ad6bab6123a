"""Whether the evidence has a name, also where a report writes it a little differently."""

import re
from collections.abc import Iterable

_JOINTS = re.compile(r"[-_]")
# A flag, and the name of a header, are one word each.
_PIECE = re.compile(r"--\w[\w-]*|[A-Z]\w*(?:-[A-Z]\w*){2,}|[A-Za-z_]\w*|\d+(?:\.\d+)*")
_CONSTANT = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_LONG = re.compile(r"[a-z0-9]+(?:[_-][a-z0-9]+){2,}")


def loosely_named(name: str, texts: Iterable[str]) -> bool:
    """Find a name in another case, or as the end of a longer one, or with other joints."""
    last = [part for part in re.split(r"[.:/]", name) if part][-1:] or [name]
    if _CONSTANT.fullmatch(last[0]):
        # Whoever sets a variable must write each joint.
        return any(last[0].lower() in text.lower() for text in texts)
    if _begins_one(last[0], texts := tuple(texts)):
        return False
    bare = _JOINTS.sub("", last[0]).lower()
    return any(bare in _JOINTS.sub("", text).lower() for text in texts)


def _begins_one(name: str, texts: Iterable[str]) -> bool:
    """Tell whether a long name is nothing but the beginning of one longer: of several it may be the family's."""
    if not _LONG.fullmatch(name):
        return False
    flat = name.replace("-", "_").lower()
    words = {word for text in texts for word in re.findall(rf"\w*{flat}\w*", text.replace("-", "_").lower())}
    return len(words) == 1 and next(iter(words)).startswith(f"{flat}_")


def pieced(code: str, texts: Iterable[str]) -> bool:
    """Tell whether every word and number of a piece of code is there: it may be a paraphrase then."""
    known = tuple(texts)
    return all(
        any(re.search(rf"(?<![\w.]){re.escape(piece)}(?![\w.]*\d)", text) for text in known)
        if piece[0].isdigit()
        else loosely_named(piece, known)
        for piece in _PIECE.findall(code)
    )
