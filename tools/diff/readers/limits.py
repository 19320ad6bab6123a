"""The bounds in a condition: comparisons of something with a number or a named constant."""

import re
from collections.abc import Iterator

from tools.diff.readers.masked import Masked

_BRACKET = re.compile(rb"[()\[\]{}]")
_JOIN = re.compile(rb"&&|\|\|")
_COMPARISON = re.compile(rb"(?<![<>=!\-])(===|!==|<=|>=|==|!=|<|>)(?![<>=])")
_TEMPLATE = re.compile(rb"(?<=\w)<[\w:,\s*&\x01]*>(?=\s*(?:[({]|::))")
_ATOM = rb"(?:-?(?:0[xX])?\d[\w.']*|(?:\w+(?:::|\.))*(?:[A-Z]\w*|k[A-Z]\w*)|sizeof\s*\([^()]*\))"
_BOUND = re.compile(rb"\s*\(?%s(?:\s*(?:[-+*/%%]|<<)\s*%s)*\)?\s*" % (_ATOM, _ATOM))
_NUMBER = re.compile(rb"\s*-?(?:0[xX])?\d[\w.']*\s*")
_FLIPPED = {b"<": b">", b">": b"<", b"<=": b">=", b">=": b"<="}
_SUFFIX = {"LE": "<=", "LT": "<", "GE": ">=", "GT": ">", "EQ": "==", "NE": "!="}
MAX_CLAUSES = 40


def bounds(masked: Masked, start: int, end: int) -> Iterator[tuple[str, str]]:
    """Give each bound between two offsets as what is compared and with what: `("topK", "<= 22")`."""
    spans, seen = [(start, end)], 0
    while spans and seen < MAX_CLAUSES:
        seen += 1
        left, right = _trim(masked, *spans.pop())
        shallow = _shallow(masked.mask[left:right])
        joins = [match.span() for match in _JOIN.finditer(shallow)]
        if joins:
            starts = [left, *(left + join[1] for join in joins)]
            ends = [*(left + join[0] for join in joins), right]
            spans.extend(reversed(list(zip(starts, ends, strict=True))))
        elif (bound := _comparison(masked, left, right, shallow)) is not None:
            yield bound


def pair(masked: Masked, word: str, arguments: list[tuple[int, int]]) -> Iterator[tuple[str, str]]:
    """Give the bound of a check whose name holds the comparison: `CHECK_LE(top_k, 22)`."""
    sign = _SUFFIX.get(word.rsplit("_", 1)[-1])
    if sign is None or len(arguments) < 2:
        return
    left, right = arguments[:2]
    bound = _NUMBER if sign in ("==", "!=") else _BOUND
    if bound.fullmatch(masked.mask, *right):
        yield masked.fold(*left), f"{sign} {masked.fold(*right)}"
    elif bound.fullmatch(masked.mask, *left):
        sign = _FLIPPED.get(sign.encode(), sign.encode()).decode()
        yield masked.fold(*right), f"{sign} {masked.fold(*left)}"


def _comparison(masked: Masked, left: int, right: int, shallow: bytes) -> tuple[str, str] | None:
    found = list(_COMPARISON.finditer(shallow))
    if len(found) != 1:
        return None
    sign, middle, after = found[0].group(), left + found[0].start(), left + found[0].end()
    # What is equal to a named constant is mostly of a kind, not of a size.
    bound = _BOUND if sign in _FLIPPED else _NUMBER
    if bound.fullmatch(masked.mask, after, right):
        return masked.fold(left, middle), f"{sign.decode()} {masked.fold(after, right)}"
    if bound.fullmatch(masked.mask, left, middle):
        return masked.fold(after, right), f"{_FLIPPED.get(sign, sign).decode()} {masked.fold(left, middle)}"
    return None


def _trim(masked: Masked, left: int, right: int) -> tuple[int, int]:
    """Take away the space, the negation and the brackets around a clause."""
    while left < right:
        sign = masked.mask[left : left + 1]
        if sign.isspace() or sign == b"!":
            left += 1
        elif masked.mask[right - 1 : right].isspace():
            right -= 1
        elif sign == b"(" and masked.close(left, right - left) == right - 1:
            left, right = left + 1, right - 1
        else:
            break
    return left, right


def _shallow(clause: bytes) -> bytes:
    """Return the clause with what stands in brackets, and template arguments, made unreadable."""
    out, depth, since = bytearray(clause), 0, 0
    for match in _BRACKET.finditer(clause):
        if match.group() in b"([{":
            since = match.end() if depth == 0 else since
            depth += 1
        else:
            depth -= 1
            if depth == 0:
                out[since : match.start()] = b"\x01" * (match.start() - since)
    return _TEMPLATE.sub(lambda found: b"\x01" * len(found.group()), bytes(out))
