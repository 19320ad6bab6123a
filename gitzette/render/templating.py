"""The Jinja environments: every value of an HTML template is escaped, Markdown and messages escape by filters."""

import re
from datetime import date
from functools import cache, lru_cache
from html import escape
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from agent.domain.window import zone
from agent.markdown import visible
from gitzette.render.addresses import commit_path, day_path, named, place_of, repo_path, story_key
from gitzette.render.model import ISSUES_SHOWN, Excerpt

_CODE = re.compile(r"(?<!`)(`+)(?!`) ?(.+?) ?(?<!`)\1(?!`)", re.DOTALL)


def made_environment(*, autoescape: bool = False, **options: Any) -> Environment:
    """Make an environment for our templates; a name that does not exist is an error."""
    loader = PackageLoader("gitzette.render", "templates")
    shape: dict[str, Any] = {"trim_blocks": True, "lstrip_blocks": True, "undefined": StrictUndefined}
    made = Environment(loader=loader, autoescape=autoescape, **(shape | options))  # noqa: S701 -- see who calls
    ways = (named, place_of, day_path, repo_path, commit_path, story_key, zone)
    made.globals |= {one.__name__: one for one in ways} | {"date": date, "issues_shown": ISSUES_SHOWN}
    return made


@cache
def plain_environment() -> Environment:
    """Give the environment of text that is neither Markdown nor HTML, or not yet."""
    return made_environment()


@cache
def plain() -> Any:
    """Give the macros of lines that several templates have, in which backticks mean code."""
    return plain_environment().get_template("plain.txt").module


@cache
def html_environment() -> Environment:
    """Give the environment of all HTML templates: the site, the live page, mail, the feed and audits."""
    made = made_environment(autoescape=True, finalize=_shown)
    made.filters |= {"prose": prose, "verbatim": verbatim}
    made.globals |= {"excerpt": _excerpt, "plain": plain()}
    return made


def html_page(template: str, **values: Any) -> str:
    """Write a page by its template."""
    return html_environment().get_template(template).render(**values)


@lru_cache(maxsize=16_384)
def _excerpt(one: Excerpt) -> Markup:
    """Show lines, those that came and went marked; the same ones stand on several pages."""
    return Markup(html_page("excerpt.html", one=one))  # noqa: S704 -- the template escapes


@lru_cache(maxsize=65_536)
def clean(text: str) -> str:
    """Keep what a reader can see of a text, in one line."""
    return text if text.isascii() and text.isprintable() else visible(text)


@lru_cache(maxsize=32_768)
def prose(text: str) -> Markup:
    """Write a line in which backticks mean code, as in claims and titles; spaces at its ends stay."""
    left, right = (" " if text[:1].isspace() else ""), (" " if len(text) > 1 and text[-1:].isspace() else "")
    told = _CODE.sub(r"<code>\2</code>", escape(clean(text), quote=False))
    return Markup(f"{left}{told}{right}")  # noqa: S704 -- escaped before the tags are put in


@lru_cache(maxsize=32_768)
def verbatim(line: str) -> str:
    """Give a line of code: every space stays, what cannot be seen goes."""
    return _seen(line.rstrip("\r").expandtabs(4))


def _seen(text: str) -> str:
    """Take out what cannot be seen; spaces stay, they are part of sentences and of code."""
    return text if text.isascii() and text.isprintable() else " ".join(clean(word) for word in text.split(" "))


def _shown(value: Any) -> Any:
    return _seen(value) if type(value) is str else value
