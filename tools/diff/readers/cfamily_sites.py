"""What a user of C, C++ or CUDA code sets, calls by name or runs into, found in the masked text."""

import re
from collections.abc import Iterator

from tools.diff.readers.calls import Call, Sites, calls
from tools.diff.readers.limits import pair
from tools.diff.readers.masked import Masked
from tools.diff.readers.scopes import Scopes
from tools.diff.readers.syntax import mentions
from tools.diff.reading import Site

_ENV = re.compile(rb"[eE][nN][vV]\w*\s*(?:<[^<>]*>\s*)?\(\s*\"")
_CHECK = re.compile(rb"(?:CHECK|ERROR|ASSERT|THROW|ENFORCE|FATAL|RuntimeCheck)[A-Z0-9_]*\s*\(")
_CHECKS = (b"CHECK", b"ERROR", b"ASSERT", b"THROW", b"ENFORCE", b"FATAL", b"static_assert", b"RuntimeCheck")
_WARNING = re.compile(rb"(?:WARN(?:ING)?(?:_ONCE)?|WRN)\s*\(|spdlog\s*::\s*warn\s*\(")
_STREAMED_WARNING = re.compile(rb"\bLOG\s*\(\s*WARNING\s*\)\s*<<")
_WARNINGS = (b"WARN", b"WRN", b"spdlog")
_ASSERT = re.compile(rb"\bassert\s*\(")
_STATIC_ASSERT = re.compile(rb"static_assert\s*\(")
_BOUND = re.compile(
    rb"const(?<!\wconst)(?:expr)?\s+(?:static\s+)?[\w:]+\s+"
    rb"(\w*(?:[mM]ax|MAX|[mM]in|MIN|[lL]imit|LIMIT|[tT]hresh|THRESH|[tT]imeout|TIMEOUT|[cC]apacity|CAPACITY)\w*)"
    rb"\s*(?:=\s*|\{)(-?\d[\w.' *<+-]*?)\s*\}?\s*;"
)
"""A number by which a function decides, under a name that says so."""
_THROW = re.compile(rb"throw\s+([\w:]+)(?:<[^<>]*>)?\s*[({]")
_IF = re.compile(rb"if(?<!\wif)\s*(?:constexpr\s*)?\(")
_FAILS = re.compile(
    rb"\bthrow\b|\breturn\s+[\w:]*(?:[eE]rror|ERROR|Invalid|INVALID|[uU]nsupported|NotSupported|NOT_SUPPORTED)"
    rb"|\b[A-Z][A-Z0-9_]*(?:CHECK|ERROR|ASSERT|FATAL|THROW)[A-Z0-9_]*\s*\(|\b(?:abort|exit)\s*\("
    rb"|\bc(?:err|out)\b[^;]{0,600};\s*return\b"
)
_FAILING = tuple(
    b"throw rror ERROR nvalid INVALID upported SUPPORTED CHECK ASSERT FATAL THROW abort exit cerr cout".split()
)
"""One of these is in all that fails."""
_STOPS = re.compile(
    rb"(?:\bcerr\s*<<|\bfprintf\s*\(\s*stderr\s*,)([^;]{1,600});\s*(?:std\s*::\s*|::\s*)?"
    rb"(?:(abort|exit)\s*\((?!\s*(?:0|EXIT_SUCCESS)\s*\))|return\s+(?:-?[012]|EXIT_FAILURE|EXIT_SUCCESS)\s*;)"
)
_LOGGED = re.compile(
    rb"\b((?:[A-Z]+_)*LOG_ERR(?:OR)?)\s*\(([^;]{1,600});\s*return\s+(?:false|nullptr|NULL|-?[012]|EXIT_FAILURE)\s*;"
)
"""A message after which a function of a program gives up."""
_EMITTED = re.compile(rb"\b(?:return|(\w+)\s*=)\s*(?:[\w.()]{1,60}?(?:->|\.))?(emit(?:Op)?Error)\s*(\([^;]{1,600});")
"""What the verifier of a compiler refuses: it returns what it says, at once or by a name."""
_NOTED = 800
"""How far behind its message a verifier may return it."""
_TOLD = "stderr"
"""The name of an error that is printed before a program gives up by returning."""
_GIVEN = re.compile(rb"/\*\s*(\w+)\s*=\s*\*/")
_GIVEN_END = re.compile(rb"[()\[\]{},;]")
_SIZE = re.compile(r"(?<![\w.])(?:[2-9]|\d[\d.x])")
_MAX_GIVEN = 120
_WRAPPER = re.compile(
    r"CUDA|(?:^|_)(?:CL|VK|ACL|MUSA|ZE|MTL)_|CUBLAS|CUDNN|CUSPARSE|CUSOLVER|NCCL|NVRTC|NVSHMEM|NVML|MPI|HIP|(?:^|_)CU_|DRIVER|LAST_ERROR|STATUS|^CUTLASS_CHECK$"
)
_LOG = re.compile(r"(?:^|_)LOG_(?!AND_THROW)|^LOG")
_CLASS = re.compile(r"[A-Z][a-z]\w*")
_COMPARING = re.compile(r"_(?:EQ|NE|GE|GT|LE|LT)$")
_TELLING = re.compile(r"[A-Za-z_]\w{2,}(?<!false)(?<!true)")
_ALL_MESSAGE = re.compile(r"ERROR|THROW|FATAL")
_FAILS_SURELY = re.compile(r"CHECK|ASSERT|THROW|FATAL|ENFORCE|RuntimeCheck|static_assert")
"""Names of macros that fail with or without words; any other with `ERROR` may set something, or hand an error on."""
_PASSED_ON = "__VA_ARGS__"
"""Stands in the definition of a macro: what is checked and said is up to those who use it."""
_SAID = re.compile(rb"(?:&&|\|\|)\s*(?:\"\x01*\"\s*)+$")
"""The words of an assertion that has no place for them: `assert(ok && "not so")`."""
_STREAMED = re.compile(rb"\s*(\w+)\s*\.\s*str\s*\(\s*\)\s*$")


class SiteReader:
    """Finds the variables, errors and limits of one text; `scopes` says in which function they are.

    `classes`, of a header, says in which class: whoever includes it compiles what is checked there.
    """

    def __init__(self, masked: Masked, scopes: Scopes, classes: Scopes | None = None) -> None:
        self._masked = masked
        self._sites = Sites(masked, scopes)
        self._classes = classes

    def read(self) -> list[Site]:
        """Return every such site."""
        mask = self._masked.mask
        # Most texts mention none of this.
        found = [*self._sites.environment(_ENV)] if b"env" in mask.lower() else []
        if mentions(mask, _CHECKS):
            found += self._checks()
        if mentions(mask, _WARNINGS):
            found += self._warnings()
        if b"assert" in mask:
            found += self._assertions()
        if b"throw" in mask:
            found += self._throws()
        if self._classes is not None and b"const" in mask:
            found += self._bounds()
        if b"cerr" in mask or b"stderr" in mask:
            found += self._stops()
        if b"LOG_ERR" in mask:
            found += self._logged()
        if b"emitOpError" in mask or b"emitError" in mask:
            found += self._emitted()
        if b"=*/" in self._masked.text or b"= */" in self._masked.text:
            found += self._given()
        if b"if" in mask and mentions(mask, _FAILING) and _FAILS.search(mask):
            found += self._sites.guards(_IF, _FAILS)
        return found

    def _checks(self) -> Iterator[Site]:
        """Give the checks that fail with a message, and the bounds they check."""
        for pattern in (_CHECK, _STATIC_ASSERT):
            for call in calls(self._masked, pattern):
                message = self._message(call)
                if not call.arguments or (message is None and _is_quiet(call.name)) or _LOG.search(call.name):
                    continue
                value = message or self._masked.fold(call.arguments[0][0], call.arguments[-1][1])
                if _PASSED_ON in value:
                    continue
                start = min((at for at, _ in self._streamed(call)), default=call.start)
                failure = self._sites.at("error", self._thrown(call), start, call.end, value)
                found = [
                    failure._replace(guard=self._guard(call)) if message else failure,
                    *self._sites.limits(call.arguments[0]),
                    *(
                        self._sites.at("limit", name, *call.arguments[0], bound)
                        for name, bound in pair(self._masked, call.name, call.arguments)
                    ),
                ]
                runs = pattern is _CHECK and "STATIC_ASSERT" not in call.name
                yield from found if runs else (self._compiled(site, message) for site in found)

    def _assertions(self) -> Iterator[Site]:
        """Give what `assert` says and asks for; it is known again by its words alone."""
        for call in calls(self._masked, _ASSERT):
            said = _SAID.search(self._masked.mask, *call.arguments[0]) if len(call.arguments) == 1 else None
            if said is not None:
                words = self._sites.message([said.span()])
                asked = self._masked.fold(call.arguments[0][0], said.start())
                yield self._sites.at("assertion", call.name, call.start, call.end, words)._replace(guard=asked)

    def _compiled(self, site: Site, message: str | None) -> Site:
        """Judge what fails while compiling: those who build meet it, and if it has words those who include a header."""
        if self._classes is not None and not site.scope:
            site = site._replace(scope=self._classes.at(site.start))
        return site._replace(public=self._classes is not None and site.kind == "error" and message is not None)

    def _bounds(self) -> Iterator[Site]:
        """Give the bounds that functions have for themselves; any other constant is a symbol."""
        for match in _BOUND.finditer(self._masked.mask):
            name, value = match.group(1).decode(), self._masked.fold(*match.span(2))
            site = self._sites.at("constant", name, match.start(), match.end(), value)
            if site.scope:
                yield site

    def _thrown(self, call: Call) -> str:
        """Name the error: the class that a macro is told to throw, or else the macro."""
        name = self._masked.fold(*call.arguments[0]) if "THROW" in call.name else ""
        return name if _CLASS.fullmatch(name) else call.name

    def _guard(self, call: Call) -> str:
        """Return what a check asks for; nothing where it fails in any case."""
        if _ALL_MESSAGE.search(call.name):
            return ""
        last = call.arguments[:2][-1] if _COMPARING.search(call.name) else call.arguments[0]
        asked = self._masked.fold(call.arguments[0][0], last[1])
        return asked if _TELLING.search(asked) else ""

    def _message(self, call: Call) -> str | None:
        """Return what a check says: its later arguments' strings, or what is streamed into it."""
        mask, end = self._masked.mask, call.end
        parts = call.arguments[0 if _ALL_MESSAGE.search(call.name) else 1 :]
        if mask[end + 1 : end + 20].lstrip().startswith(b"<<"):
            parts = [*parts, (end, max(end, mask.find(b";", end, end + 2000)))]
        if (message := self._sites.message(parts)) is not None:
            return message
        if call.arguments and (said := _SAID.search(mask, *call.arguments[0])):
            return self._sites.message([said.span()])
        return self._sites.message(list(self._streamed(call)))

    def _streamed(self, call: Call) -> Iterator[tuple[int, int]]:
        """Give where the stream that a check hands over was written to, shortly before."""
        mask = self._masked.mask
        stream = _STREAMED.match(mask, *call.arguments[-1]) if call.arguments else None
        if stream is None:
            return
        name, before = stream.group(1), call.arguments[-1][0]
        start = max(0, before - 800)
        start = max(start, mask.rfind(name + b";", start, before))
        for match in re.finditer(rb"\b%s\s*<<" % name, mask[start:before]):
            at = start + match.start()
            end = mask.find(b";", at, before)
            yield at, end if end >= 0 else before

    def _throws(self) -> Iterator[Site]:
        for match in _THROW.finditer(self._masked.mask):
            end = self._masked.close(match.end() - 1) or match.end()
            name = match.group(1).decode().replace("::", ".").removeprefix("std.")
            yield self._sites.at("error", name, match.start(), end, self._sites.message([(match.end(), end)]))

    def _warnings(self) -> Iterator[Site]:
        """Give what is warned of: by a macro, a logger, or what is streamed into one."""
        for call in calls(self._masked, _WARNING):
            if (message := self._sites.message(call.arguments)) is not None:
                yield self._sites.at("warning", call.name, call.start, call.end, message)
        for match in _STREAMED_WARNING.finditer(self._masked.mask):
            end = max(match.end(), self._masked.mask.find(b";", match.end(), match.end() + 2000))
            if (message := self._sites.message([(match.end(), end)])) is not None:
                yield self._sites.at("warning", "LOG", match.start(), end, message)

    def _stops(self) -> Iterator[Site]:
        """Give the messages with which a program ends."""
        for match in _STOPS.finditer(self._masked.mask):
            message = self._sites.message([match.span(1)])
            if message is not None:
                name = match.group(2).decode() if match.group(2) else _TOLD
                yield self._sites.at("error", name, match.start(), match.end(), message)

    def _logged(self) -> Iterator[Site]:
        """Give the messages that are logged before a function gives up."""
        for match in _LOGGED.finditer(self._masked.mask):
            message = self._sites.message([match.span(2)])
            if message is not None:
                yield self._sites.at("error", match.group(1).decode(), match.start(), match.end(), message)

    def _emitted(self) -> Iterator[Site]:
        """Give what verifiers return as their error; one that is only emitted refuses nothing."""
        mask = self._masked.mask
        for match in _EMITTED.finditer(mask):
            end = match.end()
            if match.group(1):
                given = re.search(rb"\breturn\s+%s\s*;" % match.group(1), mask[end : end + _NOTED])
                if given is None:
                    continue
                end += given.end()
            message = self._sites.message([match.span(3)])
            if message is not None:
                yield self._sites.at("error", match.group(2).decode(), match.start(), end, message)

    def _given(self) -> Iterator[Site]:
        """Give the numbers that a call is given under a name in a comment: `/*min_chunk=*/512`."""
        masked = self._masked
        for match in _GIVEN.finditer(masked.text):
            depth, start = 0, match.end()
            if not masked.mask[match.start() : start].isspace():
                continue
            for sign in _GIVEN_END.finditer(masked.mask, start, start + _MAX_GIVEN):
                depth += (sign.group() in b"([{") - (sign.group() in b")]}")
                if depth < 0 or (depth == 0 and sign.group() in b",;"):
                    value = masked.fold(start, sign.start())
                    if _SIZE.search(value):
                        yield self._sites.at("constant", match.group(1).decode(), match.start(), sign.start(), value)
                    break


def _is_quiet(name: str) -> bool:
    """Tell whether a macro that is given no words refuses nothing by itself: it wraps a status, or sets something."""
    return _WRAPPER.search(name) is not None or _FAILS_SURELY.search(name) is None
