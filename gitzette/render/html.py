"""Reports as HTML: one Jinja environment for the site, the live page, mail and the feed; everything is escaped."""

import re
from functools import cache, lru_cache
from html import escape
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from agent.markdown import visible
from gitzette.render.pieces import Excerpt
from gitzette.render.templating import made_environment

# What fits on a phone in one line.
_LONGEST_WHOLE = 30
_FLAG = re.compile(rf"(?<![\w-])--[a-z][\w-]{{1,{_LONGEST_WHOLE}}}(?![\w-])", re.ASCII | re.IGNORECASE)
_CODE = re.compile(r"(?<!`)(`+)(?!`) ?(.+?) ?(?<!`)\1(?!`)", re.DOTALL)


@cache
def environment() -> Environment:
    """Give the environment of all HTML templates."""
    made = made_environment(autoescape=True, finalize=_shown)
    made.filters |= {"prose": prose, "verbatim": verbatim}
    made.globals["excerpt"] = excerpt
    return made


@lru_cache(maxsize=16_384)
def excerpt(one: Excerpt) -> Markup:
    """Show lines, those that came and went marked; the same ones stand on several pages."""
    return Markup(html_page("excerpt.html", one=one))  # noqa: S704 -- the template escapes


def html_page(template: str, **values: Any) -> str:
    """Write a page by its template."""
    return environment().get_template(template).render(**values)


def macros(**values: Any) -> Any:
    """Give the macros of `macros.html`, which see these values."""
    return environment().get_template("macros.html").make_module(values)


@lru_cache(maxsize=65_536)
def clean(text: str) -> str:
    """Keep what a reader can see of a text, in one line."""
    return text if text.isascii() and text.isprintable() else visible(text)


@lru_cache(maxsize=32_768)
def prose(text: str) -> Markup:
    """Write a line in which backticks mean code, as in claims and titles; spaces at its ends stay."""
    left, right = (" " if text[:1].isspace() else ""), (" " if len(text) > 1 and text[-1:].isspace() else "")
    text = clean(text)
    if "`" not in text:
        return Markup(f"{left}{_unbroken(text)}{right}")  # noqa: S704 -- escaped piece by piece
    pieces: list[str] = []
    at = 0
    for found in _CODE.finditer(text):
        kind = ' class="whole"' if "-" in found[2] and len(found[2]) <= _LONGEST_WHOLE else ""
        pieces += [_unbroken(text[at : found.start()]), f"<code{kind}>{escape(found[2], quote=False)}</code>"]
        at = found.end()
    return Markup(f"{left}{''.join((*pieces, _unbroken(text[at:])))}{right}")  # noqa: S704 -- as above


@lru_cache(maxsize=32_768)
def verbatim(line: str) -> str:
    """Give a line of code: every space stays, what cannot be seen goes."""
    line = line.rstrip("\r").expandtabs(4)
    if line.isascii() and line.isprintable():
        return line
    return " ".join(clean(word) for word in line.split(" "))


def _unbroken(text: str) -> str:
    """Escape a text in which no short flag is broken at its hyphens."""
    told = escape(text, quote=False)
    return _FLAG.sub(r'<span class="whole">\g<0></span>', told) if "--" in told else told


def _shown(value: Any) -> Any:
    """Take out of every text what cannot be seen; spaces stay, they are part of sentences and of code."""
    if type(value) is not str or (value.isascii() and value.isprintable()):
        return value
    return " ".join(clean(word) for word in value.split(" "))
