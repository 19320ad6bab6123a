"""What a user of C, C++ or CUDA code sets, calls by name or runs into, found in the masked text."""

import re
from collections.abc import Iterator

from tools.diff.readers.limits import bounds, pair
from tools.diff.readers.masked import Masked
from tools.diff.readers.scopes import Scopes
from tools.diff.reading import Site, SiteKind

MAX_VALUE = 300
_ENV = re.compile(rb"[eE][nN][vV]\w*\s*(?:<[^<>]*>\s*)?\(\s*\"")
_ENV_NAME = re.compile(r"[A-Z][A-Z0-9_]{2,}")
_CHECK = re.compile(rb"(?:CHECK|ERROR|ASSERT|THROW|ENFORCE|FATAL)[A-Z0-9_]*\s*\(")
_STATIC_ASSERT = re.compile(rb"static_assert\s*\(")
_THROW = re.compile(rb"throw\s+([\w:]+)(?:<[^<>]*>)?\s*[({]")
_IF = re.compile(rb"if\s*(?:constexpr\s*)?\(")
_FAILS = re.compile(
    rb"\bthrow\b|\breturn\s+[\w:]*(?:[eE]rror|ERROR|Invalid|INVALID|[uU]nsupported|NotSupported|NOT_SUPPORTED)"
    rb"|\b[A-Z][A-Z0-9_]*(?:CHECK|ERROR|ASSERT|FATAL|THROW)[A-Z0-9_]*\s*\(|\b(?:abort|exit)\s*\("
)
_WRAPPER = re.compile(
    r"CUDA|CUBLAS|CUDNN|CUSPARSE|CUSOLVER|NCCL|NVRTC|NVSHMEM|NVML|MPI|HIP|(?:^|_)CU_|DRIVER|LAST_ERROR|STATUS"
)
_STREAMED = re.compile(rb"\s*(\w+)\s*\.\s*str\s*\(\s*\)\s*$")
_CAPITALS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"


def calls(masked: Masked, pattern: re.Pattern[bytes]) -> Iterator[tuple[str, int, int, list[tuple[int, int]]]]:
    """Give each call whose name and bracket match: its name, where it begins and ends, and its arguments."""
    mask = masked.mask
    for match in pattern.finditer(mask):
        opening = mask.index(b"(", match.start())
        # Patterns begin with a literal, which the engine finds fast; the rest of the name may stand before it.
        before = mask[max(0, match.start() - 80) : match.start()]
        outer = before.rstrip(_CAPITALS)
        start = match.start() - len(before) + len(outer)
        if outer[-1:].isalnum() or outer.rstrip().endswith(b"define"):
            continue
        word = mask[start:opening].split(b"<")[0].strip().decode()
        yield word, start, masked.close(opening) or match.end(), masked.arguments(opening)


class SiteReader:
    """Finds the variables, errors and limits of one text; `scopes` says in which function they are."""

    def __init__(self, masked: Masked, scopes: Scopes) -> None:
        self._masked = masked
        self._scopes = scopes

    def read(self) -> list[Site]:
        """Return every such site."""
        return [*self._environment(), *self._checks(), *self._throws(), *self._guards()]

    def _site(self, kind: SiteKind, name: str, start: int, end: int, value: str | None, scope: str = "") -> Site:
        line = self._masked.line
        return Site(kind, name, line(start), line(end), value=value[:MAX_VALUE] if value else value, scope=scope)

    def _environment(self) -> Iterator[Site]:
        mask = self._masked.mask
        for match in _ENV.finditer(mask):
            arguments = self._masked.arguments(mask.index(b"(", match.start()))
            name = self._masked.literal(*arguments[0]) if arguments else None
            if name and _ENV_NAME.fullmatch(name):
                default = self._masked.fold(*arguments[1]) if len(arguments) > 1 else None
                yield self._site("env", name, match.start(), arguments[-1][1], default)

    def _checks(self) -> Iterator[Site]:
        """Give the checks that fail with a message, and the bounds they check."""
        for pattern in (_CHECK, _STATIC_ASSERT):
            for word, start, closing, arguments in calls(self._masked, pattern):
                message = self._message(word, closing, arguments)
                if not arguments or (message is None and _WRAPPER.search(word)):
                    continue
                scope = self._scopes.at(self._masked.line(start))
                value = message or self._masked.fold(arguments[0][0], arguments[-1][1])
                yield self._site("error", word, start, closing, value, scope)
                conditions = [*bounds(self._masked, *arguments[0]), *pair(self._masked, word, arguments)]
                for name, bound in conditions:
                    yield self._site("limit", name, *arguments[0], bound, scope)

    def _message(self, word: str, closing: int, arguments: list[tuple[int, int]]) -> str | None:
        """Return what a check says: its later arguments' strings, or what is streamed into it."""
        mask = self._masked.mask
        first = 0 if "ERROR" in word or "THROW" in word or "FATAL" in word else 1
        parts = [text for span in arguments[first:] for text in self._masked.literals(*span)]
        if mask[closing + 1 : closing + 20].lstrip().startswith(b"<<"):
            end = mask.find(b";", closing, closing + 2000)
            parts += self._masked.literals(closing, end if end >= 0 else closing)
        if not parts and arguments and (stream := _STREAMED.match(mask, *arguments[-1])):
            parts += self._streamed(stream.group(1), arguments[-1][0])
        return " ".join(parts) or None

    def _streamed(self, name: bytes, before: int) -> Iterator[str]:
        """Give the strings that were written into a stream shortly before."""
        mask, start = self._masked.mask, max(0, before - 800)
        declared = mask.rfind(name + b";", start, before)
        for match in re.finditer(rb"\b%s\s*<<" % name, mask[max(start, declared) : before]):
            at = max(start, declared) + match.start()
            end = mask.find(b";", at, before)
            yield from self._masked.literals(at, end if end >= 0 else before)

    def _throws(self) -> Iterator[Site]:
        mask = self._masked.mask
        for match in _THROW.finditer(mask):
            closing = self._masked.close(match.end() - 1) or match.end()
            name = match.group(1).decode().replace("::", ".").removeprefix("std.")
            message = " ".join(self._masked.literals(match.end(), closing)) or None
            yield self._site(
                "error", name, match.start(), closing, message, self._scopes.at(self._masked.line(match.start()))
            )

    def _guards(self) -> Iterator[Site]:
        """Give the bounds of conditions whose branch fails."""
        mask = self._masked.mask
        for start, opening, closing in self._conditions():
            branch = self._branch(closing + 1)
            if _FAILS.search(mask, *branch):
                scope = self._scopes.at(self._masked.line(start))
                for name, bound in bounds(self._masked, opening + 1, closing):
                    yield self._site("limit", name, start, closing, bound, scope)

    def _conditions(self) -> Iterator[tuple[int, int, int]]:
        mask = self._masked.mask
        for match in _IF.finditer(mask):
            closing = self._masked.close(match.end() - 1, 1500)
            # Most conditions compare with nothing that could be a bound; they are let go before they are taken apart.
            if closing is not None and re.search(rb"[<>=]", mask[match.end() : closing]):
                yield match.start(), match.end() - 1, closing

    def _branch(self, after: int) -> tuple[int, int]:
        """Return the first statement of a branch, or the whole of a short block."""
        mask = self._masked.mask
        text = mask[after : after + 700]
        if text.lstrip().startswith(b"{"):
            closing = self._masked.close(mask.index(b"{", after), 700)
            return after, closing if closing is not None else after + 200
        end = text.find(b";")
        return after, after + (end if end >= 0 else 200)
