"""Which earlier commits have a file in which they did the opposite of a commit, told by the lines themselves."""

import secrets
from collections import Counter
from collections.abc import Iterator, Sequence

from tools.git.view import View

_LINES = ("--patch", "--unified=0", "--no-renames", "--diff-merges=first-parent", "--no-ext-diff", "--no-textconv")
_ENOUGH = 0.25
"""The least share of a file's lines; a commit that is undone by half or more has a file with twice as much."""
Lines = frozenset[bytes]


async def opposites(view: View, sha: str, others: Sequence[str], paths: Sequence[bytes]) -> list[str]:
    """Keep the commits that brought what this one takes out of a file, or took what it brings.

    Where git cannot tell because contents are missing, all are kept.
    """
    mark = secrets.token_hex(16)
    asked = ["log", f"--format={mark}%H", *_LINES, "--no-color", "--no-walk=unsorted", "--stdin", "--"]
    told = await view.run([*asked, *paths], stdin="\n".join((sha, *others)).encode("ascii"))
    if told.code != 0:
        return list(others)
    found = {one[:40].decode("ascii"): dict(_files(one)) for one in told.out.split(mark.encode("ascii"))[1:]}
    own = found.get(sha, {})
    return [other for other in others if any(_is_opposite(own, path, file) for path, file in found[other].items())]


def _is_opposite(own: dict[bytes, tuple[Lines, Lines]], path: bytes, file: tuple[Lines, Lines]) -> bool:
    """Tell whether a file was changed the other way round."""
    less, more = own.get(path, (frozenset(), frozenset()))
    common = len(less & file[1]) + len(more & file[0])
    return common > 0 and common >= _ENOUGH * max(len(less) + len(more), len(file[0]) + len(file[1]))


def _files(patch: bytes) -> Iterator[tuple[bytes, tuple[Lines, Lines]]]:
    """Give for each file of a patch without context the lines of which there are fewer, and those of which more."""
    for part in patch.split(b"\ndiff --git ")[1:]:
        head, _, body = part.partition(b"\n@@ ")
        removed, added = list[bytes](), list[bytes]()
        for line in body.split(b"\n"):
            if line[:1] == b"+":
                added.append(b"".join(line[1:].split()))
            elif line[:1] == b"-":
                removed.append(b"".join(line[1:].split()))
        less, more = Counter(removed), Counter(added)
        # Without renames both sides of the first line name the same path.
        yield head.partition(b"\n")[0], (frozenset(less - more) - {b""}, frozenset(more - less) - {b""})
