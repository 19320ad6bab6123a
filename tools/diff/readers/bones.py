"""A text cut down to its declarations, and the way back from its offsets to those of the whole."""

import re
from bisect import bisect_right

from tools.diff.readers.masked import blank

LONG_RUN = 3_000
LONGEST_RUN = 20_000
LONG_DATA = 10_000
_WORD = re.compile(rb"[A-Za-z_]")
_BOUNDARY = re.compile(rb"[;{}]")
_PAUSE = re.compile(rb"[,\n]")
_GAP = re.compile(rb"\s{12,}")
_TOKEN = re.compile(rb"[{};]")
_BRACE = re.compile(rb"[{}]")


class Bones:
    """A text without its bodies; `origin` tells where in the whole text an offset of it was."""

    def __init__(self, blanked: bytes) -> None:
        # A parser takes as long for a space as for a letter, so what was blanked is cut out.
        kept: list[bytes] = []
        self._at, self._lost, last, lost = [0], [0], 0, 0
        for match in _GAP.finditer(blanked):
            start, end = match.span()
            kept += blanked[last:start], b"\n"
            last = end
            self._at.append(start - lost + 1)
            lost += end - start - 1
            self._lost.append(lost)
        kept.append(blanked[last:])
        self.text = b"".join(kept)
        self.skipped = 0
        if len(self.text) > LONG_RUN and max(map(len, _BOUNDARY.split(self.text))) > LONG_RUN:
            self._skip_runs()

    @classmethod
    def of_data(cls, text: bytes) -> "Bones":
        """Give nothing to parse of a text that begins with a brace, as data under a wrong name does."""
        bones = cls(blank(text))
        bones.skipped = len(text)
        return bones

    def _skip_runs(self) -> None:
        """Blank what goes on for too long without a boundary: a parser's time there grows with its square."""
        out, last = bytearray(self.text), 0
        for end in [*(match.start() for match in _BOUNDARY.finditer(self.text)), len(self.text)]:
            size = end - last
            if size > LONGEST_RUN or (size > LONG_RUN and _PAUSE.subn(b"", self.text[last:end])[1] * 100 < size):
                out[last:end] = blank(out[last:end])
                self.skipped += size
            last = end + 1
        self.text = bytes(out)

    def problems(self, path: str) -> tuple[str, ...]:
        """Say in words what was left out."""
        return (f"{path}: {self.skipped} bytes without a declaration were not read",) if self.skipped else ()

    def origin(self, offset: int) -> int:
        """Return the offset in the whole text."""
        return offset + self._lost[bisect_right(self._at, offset) - 1]


def without_bodies(bare: bytes, mask: bytes, function: re.Pattern[bytes]) -> Bones:
    """Cut out every block whose head, from the last `;` or brace on, is matched as a function's."""
    first = mask.find(b"{")
    if len(mask) > LONG_DATA and first >= 0 and not _WORD.search(mask, 0, first):
        return Bones.of_data(bare)
    out, position, since = bytearray(bare), 0, 0
    while True:
        for match in _TOKEN.finditer(mask, position):
            at = match.start()
            if match.group() == b"{" and function.search(mask, since, at):
                end = _end(mask, at + 1)
                out[at + 1 : end] = blank(mask[at + 1 : end])
                position = since = end + 1
                break
            since = at + 1
        else:
            return Bones(bytes(out))


def _end(mask: bytes, start: int) -> int:
    depth = 1
    for match in _BRACE.finditer(mask, start):
        depth += 1 if match.group() == b"{" else -1
        if depth == 0:
            return match.start()
    return len(mask)
