"""A tiny HTML builder that escapes by construction: text is text, and only this module can make markup of it.

`Markup` is made here and nowhere else (a test looks). Joining or formatting markup gives a plain string again, which is
escaped when it goes into a page: a mistake shows as visible tags, never as live ones.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from html import escape
from string import Formatter

from agent.markdown import visible


class Markup(str):
    """A piece of a page that is markup already."""

    __slots__ = ()


NO_BREAK = Markup("&nbsp;")
"""A space at which no line ends."""
Child = str | int | None | Iterable["Child"]
Attribute = str | int | float | bool | None


def _names(*lines: str) -> frozenset[str]:
    return frozenset(name for line in lines for name in line.split())


_VOID = _names("meta link input")
_NAMES = _names(
    "html head title meta link script noscript body header nav main footer section article aside h1 h2 h3 h4 p a",
    "ul ol li dl dt dd div span b code pre ins del blockquote details summary time table caption thead tbody tr th td",
    "figure figcaption form label input button abbr svg g rect line text desc",
)
_ATTRIBUTES = _names(
    "id class href lang hreflang rel type src charset name content role scope datetime title for placeholder action",
    "method autocomplete hidden defer tabindex x y x1 x2 y1 y2 width height viewBox text-anchor http-equiv spellcheck",
    "maxlength",
)
_ADDRESS = re.compile(r"https?://[^\s<>\"'\\^`{|}]+", re.ASCII)
_RELATIVE = re.compile(r"(?!//)[\w./~%+@=?#&,-]*", re.ASCII)
# What fits on a phone in one line.
_LONGEST_WHOLE = 30
_FLAG = re.compile(rf"(?<![\w-])--[a-z][\w-]{{1,{_LONGEST_WHOLE}}}(?![\w-])", re.ASCII | re.IGNORECASE)
_CODE = re.compile(r"(?<!`)(`+)(?!`) ?(.+?) ?(?<!`)\1(?!`)", re.DOTALL)


def tag(name: str, /, *children: Child, **attributes: Attribute) -> Markup:
    """Make an element; `class_` and `for_` stand for the names that Python keeps, `aria_label` for `aria-label`.

    An attribute that is None or False is left out. A link that leads nowhere allowed becomes text.
    """
    opened = _opened(name, *attributes, *attributes.values()) if attributes else _plain(name)
    if name in _VOID:
        return Markup(opened)
    inner = children[0] if len(children) == 1 and type(children[0]) is Markup else _inner(children)
    return Markup(f"{opened}{inner}</{name}>")


def link(address: str, /, *children: Child, **attributes: Attribute) -> Markup:
    """Link to a page; where the address is no address of ours or of the web, only the words stay."""
    if not is_address(address):
        return tag("span", *children)
    return tag("a", *children, href=address, **attributes)


def is_address(address: str) -> bool:
    """Tell whether a link may lead there: the web, or a place in this site."""
    return bool(_ADDRESS.fullmatch(address) or _RELATIVE.fullmatch(address))


def join(*children: Child) -> Markup:
    """Put pieces one after the other."""
    return Markup(_inner(children))


def fill(template: str, *values: Child, **named: Child) -> Markup:
    """Fill the places of a sentence of ours with pieces of a page."""
    pieces: list[Child] = []
    place = 0
    for literal, field, _, _ in Formatter().parse(template):
        pieces.append(literal)
        if field is None:
            continue
        if field.isdigit():
            pieces.append(values[int(field)])
        elif field:
            pieces.append(named[field])
        else:
            pieces.append(values[place])
            place += 1
    return Markup(_inner(pieces))


@lru_cache(maxsize=16_384)
def prose(text: str) -> Markup:
    """Write a line in which backticks mean code, as in claims and titles."""
    text = clean(text)
    if "`" not in text:
        return Markup(_unbroken(text))
    pieces: list[str] = []
    at = 0
    for found in _CODE.finditer(text):
        kind = ' class="whole"' if "-" in found[2] and len(found[2]) <= _LONGEST_WHOLE else ""
        pieces += [_unbroken(text[at : found.start()]), f"<code{kind}>{escape(found[2], quote=False)}</code>"]
        at = found.end()
    return Markup("".join((*pieces, _unbroken(text[at:]))))


def _unbroken(text: str) -> str:
    """Escape a text in which no short flag is broken at its hyphens."""
    told = escape(text, quote=False)
    return _FLAG.sub(r'<span class="whole">\g<0></span>', told) if "--" in told else told


@lru_cache(maxsize=16_384)
def verbatim(line: str) -> Markup:
    """Write a line of code: every space stays, what cannot be seen goes."""
    line = line.rstrip("\r").expandtabs(4)
    if not (line.isascii() and line.isprintable()):
        line = " ".join(clean(word) for word in line.split(" "))
    return Markup(escape(line, quote=False))


def document(*children: Child, lang: str) -> str:
    """Write a whole page."""
    return f"<!doctype html>\n{tag('html', *children, lang=lang)}\n"


@lru_cache(maxsize=65_536)
def clean(text: str) -> str:
    """Keep what a reader can see of a text, in one line."""
    return text if text.isascii() and text.isprintable() else visible(text)


def _inner(children: Iterable[Child]) -> str:
    pieces: list[str] = []
    for child in children:
        # Exact kinds first: this runs some thousand times for a page.
        kind = type(child)
        if kind is Markup:
            pieces.append(child)  # type: ignore[arg-type]
        elif child is None:
            continue
        elif kind is list or kind is tuple:
            pieces.append(_inner(child))  # type: ignore[arg-type]
        elif isinstance(child, str):
            pieces.append(_text(child))
        elif isinstance(child, int):
            pieces.append(str(child))
        else:
            pieces.append(_inner(child))
    return "".join(pieces)


@lru_cache(maxsize=128)
def _plain(name: str) -> str:
    if name not in _NAMES:
        raise ValueError(f"no element {name!r} here")
    return f"<{name}>"


@lru_cache(maxsize=65_536)
def _text(text: str) -> str:
    """Clean and escape a text, but keep the spaces around it: they are part of a sentence."""
    if text.isascii() and text.isprintable():
        return escape(text, quote=False)
    left, right = (" " if text[:1].isspace() else ""), (" " if text[-1:].isspace() else "")
    return escape(f"{left}{clean(text)}{right}", quote=False) if text.strip() else " "


# By kind as well: 0 and False are equal, and only one of them is left out.
@lru_cache(maxsize=65_536, typed=True)
def _opened(name: str, *attributes: Attribute) -> str:
    """Write a start tag from the names of its attributes, then their values in the same order."""
    middle = len(attributes) // 2
    told = [_attribute(str(key), value) for key, value in zip(attributes[:middle], attributes[middle:], strict=True)]
    return f"{_plain(name)[:-1]}{''.join(told)}>"


def _attribute(key: str, value: Attribute) -> str:
    if value is None or value is False:
        return ""
    name = _attribute_name(key)
    if value is True:
        return f" {name}"
    text = str(value)
    if name in ("href", "src", "action") and not is_address(text):
        raise ValueError(f"{name} leads nowhere allowed: {text[:80]!r}")
    return f' {name}="{escape(clean(text))}"'


@lru_cache(maxsize=256)
def _attribute_name(key: str) -> str:
    name = key.removesuffix("_").replace("_", "-")
    if not (name in _ATTRIBUTES or re.fullmatch(r"(?:aria|data)-[a-z-]+", name)):
        raise ValueError(f"no attribute {name!r} here")
    return name
