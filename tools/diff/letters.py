"""What lines say to whoever runs into an error: their letters alone, without signs and without warnings."""

import re
from collections.abc import Iterable

_SIGNS = re.compile(r"\W+")
_ASCII_SIGNS = bytes(sign for sign in range(128) if _SIGNS.match(chr(sign)))
_ASCII = bytes(range(128))
_JOINTS = tuple(re.compile(rf"""{quote}\n\s*[frbFRB]{{0,2}}["']""") for quote in "\"'")
"""Each begins with a literal, which is found fast; for that, lines end with their last sign."""
_GIVEN = re.compile(r"""\(\s*[frb]{0,2}["']""")
_WARNS = ("warn", "log", "print")
_REMARKS = ("# ", "//", "/*", "* ")
_WARNER = re.compile(r"(?:\bwarn(?:ing)?(?:_once)?|\blog\w*\.\w+|\bprint)$")


def refused(lines: Iterable[str]) -> str:
    """Give the letters of lines, strings that go on for several lines joined; warnings and remarks refuse nothing."""
    return letters(_unwarned(_joined(line for line in lines if not line.lstrip().startswith(_REMARKS))))


def written(lines: Iterable[str]) -> str:
    """Give the letters of lines, strings that go on for several lines joined, warnings and all."""
    return letters(_joined(lines))


def letters(text: str) -> str:
    """Leave out all signs; one pattern over the text of a large commit would take as long as reading its facts."""
    encoded = text.encode("utf-8", "surrogatepass")
    left = encoded.translate(None, _ASCII_SIGNS)
    for foreign in () if text.isascii() else set(encoded.translate(None, _ASCII).decode("utf-8", "surrogatepass")):
        if _SIGNS.match(foreign):
            left = left.replace(foreign.encode("utf-8", "surrogatepass"), b"")
    return left.decode("utf-8", "surrogatepass")


def _joined(lines: Iterable[str]) -> str:
    text = "\n".join(map(str.rstrip, lines))
    for joint in _JOINTS:
        text = joint.sub("", text)
    return text


def _unwarned(text: str) -> str:
    """Leave out warnings with the rest of their lines; brackets are found far faster than names."""
    parts: list[str] = []
    done = 0
    for given in _GIVEN.finditer(text):
        at = given.start()
        begin = max(done, text.rfind("\n", 0, at) + 1)
        before = text[begin:at]
        if any(word in before for word in _WARNS) and (warner := _WARNER.search(text, begin, at)):
            parts.append(text[done : warner.start()])
            end = text.find("\n", given.end())
            done = len(text) if end < 0 else end
    return "\n".join((*parts, text[done:]))
