"""The declarations of a C, C++ or CUDA text without what its functions do, so that a grammar can parse them.

Macros in bodies and branches of the preprocessor are what breaks a parser on such code; declarations seldom do.
"""

import re
from dataclasses import dataclass, field

from tools.diff.readers.masked import blank

# A directive is one token, so that the braces of a macro's text do not count.
_TOKEN = re.compile(rb"[{};]|^[ \t]*#[ \t]*(\w*)[^\n\\]*(?:\\(?:\r\n|.)[^\n\\]*)*", re.M | re.S)
_CONTAINER = re.compile(rb"\b(?:namespace|class|struct|union|enum|extern)\b")
_FUNCTION = re.compile(
    rb"\)\s*(?:(?:const|noexcept|override|final|mutable|volatile|try|requires|&|&&|[A-Z][A-Z0-9_]+)\s*)*$"
    rb"|\)\s*(?:const\s*)?(?:noexcept\s*)?->[^;{}=]*$"
    rb"|\b(?:else|do|try)\s*$"
    rb"|\}\s*$"
)
_ANNOTATION = re.compile(
    rb"\b(?:__align__|__cluster_dims__|__maxnreg__|__launch_bounds__|__attribute__|__declspec|alignas|\w+_ALIGNAS)\s*"
    rb"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
    rb"|\b(?:[A-Z][A-Z0-9]*_)*(?:FORCE_?INLINE|INLINE|NOINLINE|HOST_DEVICE|DEVICE|HOST|GLOBAL|KERNEL|EXPORT|API|PUBLIC"
    rb"|LOCAL|HIDDEN|VISIBLE|NODISCARD|UNUSED|CONSTEXPR|NO_SANITIZE)\b(?=\s+[\w:~])(?!\s+operator\b\s*\()"
)


@dataclass(slots=True)
class _Scan:
    """Where the scan of the braces stands."""

    mask: bytes
    out: bytearray
    open: list[str] = field(default_factory=list)
    """What each open brace is: a container `c`, the body `b` of a function, an initialiser `i`."""
    since: int = 0
    body: int = 0
    branches: list[tuple[int, int | None]] = field(default_factory=list)
    """For each `#if`: how many braces were open before it, and since where its other branch is left out."""

    @property
    def dead(self) -> bool:
        return any(start is not None for _, start in self.branches)

    def blank(self, start: int, end: int) -> None:
        self.out[start:end] = blank(bytes(self.out[start:end]))

    def directive(self, word: bytes, at: int) -> None:
        """Leave out the other branch of an `#if` whose first branch leaves a brace open."""
        if word == b"endif" and self.branches:
            _, start = self.branches.pop()
            if start is not None:
                self.blank(start, at)
        elif word.startswith(b"if"):
            self.branches.append((len(self.open), None))
        elif word.startswith(b"el") and self.branches:
            before, start = self.branches[-1]
            if start is None and len(self.open) != before:
                self.branches[-1] = (before, at)

    def brace(self, at: int) -> None:
        """Decide what an opening brace opens."""
        if self.open and self.open[-1] != "c":
            self.open.append(self.open[-1])
            return
        kind = _kind(self.mask[self.since : at])
        if kind == "b":
            self.body = at + 1
        elif kind == "c":
            self.since = at + 1
        self.open.append(kind)

    def end(self, at: int) -> None:
        """Close a brace; a function's body goes with it."""
        kind = self.open.pop() if self.open else "c"
        if kind == "c":
            self.since = at + 1
        elif kind == "b" and (not self.open or self.open[-1] == "c"):
            self.blank(self.body, at)
            self.since = at + 1


def _kind(head: bytes) -> str:
    head = head.rstrip()
    if _FUNCTION.search(head[-200:]) and b"=" not in head[-2:]:
        return "b"
    return "c" if _CONTAINER.search(head) and not head.endswith((b"=", b",", b"(")) else "i"


def skeleton(bare: bytes, mask: bytes) -> bytes:
    """Return the text with function bodies, directives and annotations blanked; offsets stay what they were."""
    scan = _Scan(mask, bytearray(bare))
    for match in _TOKEN.finditer(mask):
        token, at = match.group(), match.start()
        if token == b"{":
            if not scan.dead:
                scan.brace(at)
        elif token == b"}":
            if not scan.dead:
                scan.end(at)
        elif token == b";":
            if not scan.open or scan.open[-1] == "c":
                scan.since = at + 1
        else:
            scan.directive(match.group(1), at)
            scan.blank(at, match.end())
    for match in _ANNOTATION.finditer(bytes(scan.out)):
        scan.blank(*match.span())
    return bytes(scan.out)
