"""Templating: Jinja2 environments with their filters, and templates that are filled.

Every value of an HTML template is escaped; Markdown and messages escape by filters, those of
`agent.markdown`.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from functools import cache, lru_cache
from html import escape
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from agent.browser_urls import Web
from agent.domain.base import Language
from agent.domain.claims import MARK, Claim
from agent.domain.evidence_id import EvidenceId
from agent.domain.window import zone
from agent.markdown import cell, code, inline, link, slug, visible
from agent.report_languages import catalogue
from agent.reports.page_model import NO_BREAK, Citation, PageExcerpt
from agent.stories.paragraph import story_title
from gitzette.render.page_addresses import (
    breaking_path,
    day_path,
    element_id_of,
    mark_of,
    named,
    repo_path,
    story_element_id,
    story_key,
)
from gitzette.render.template_cache import template_cache

_TEMPLATES = Path(__file__).parent / "templates"
_MAX_ISSUES = 5  # Issues of a kind that are in sight; the others are folded
_CODE = re.compile(r"(?<!`)(`+)(?!`) ?(.+?) ?(?<!`)\1(?!`)", re.DOTALL)
_MAX_UNBROKEN_CHARACTERS = 20  # Of code in a headline, on the narrowest phone
_LINK = re.compile(r"\[((?:[^\[\]\\]|\\.)*)\]\([^()\s]*\)")
_GAPS = re.compile(r"\n{3,}")


# ---------------------------------------------------------------- environments


def made_environment(**options: Any) -> Environment:
    """Return an environment for our templates; a name that does not exist is an error."""
    defaults: dict[str, Any] = {"trim_blocks": True, "lstrip_blocks": True, "auto_reload": False}
    settings = defaults | options
    names = [f"{name} {getattr(value, '__name__', value)}" for name, value in settings.items()]
    environment = Environment(  # noqa: S701 -- HTML is escaped by the environment that asks for it
        loader=PackageLoader("gitzette.render", "templates"),
        undefined=StrictUndefined,
        bytecode_cache=template_cache(_TEMPLATES, mark_of(" ".join(names), 4)),
        **settings,
    )
    functions = (
        named,
        element_id_of,
        day_path,
        breaking_path,
        repo_path,
        story_key,
        story_element_id,
        story_title,
        zone,
    )
    for function in functions:
        environment.globals[function.__name__] = function
    environment.filters["language_name"] = language_name
    environment.globals["date"] = date
    environment.globals["max_issues"] = _MAX_ISSUES
    return environment


def language_name(lang: Language) -> str:
    """Return what a language calls itself."""
    name: str = catalogue(lang)["site"]["own_name"]
    return name


@cache
def plain_environment() -> Environment:
    """Return the environment of text that is neither Markdown nor HTML, or not yet."""
    return made_environment()


@cache
def plain() -> Any:
    """Return the macros of lines that several templates have, in which backticks mean code."""
    return plain_environment().get_template("plain.txt").module


@cache
def html_environment() -> Environment:
    """Return the environment of all HTML: the site, the live page, mail, the feed and audits."""
    environment = made_environment(autoescape=True, finalize=_finalized)
    environment.filters |= {"prose": prose, "verbatim": verbatim}
    environment.globals |= {"plain": plain(), "excerpt": _excerpt}
    return environment


def _finalized(value: Any) -> Any:
    return _visible_words(value) if type(value) is str else value


@cache
def _markdown() -> Environment:
    # Markdown has its own escaping: every value of a template goes through `md`, `code` or `link`.
    environment = made_environment(keep_trailing_newline=True)
    environment.filters |= {
        "md": _spaced,
        "code": code,
        "link": link,
        "cell": cell,
        "fence": _fence,
        "cited": _cited,
    }
    environment.globals["plain"] = plain()
    return environment


def _cited(citation: Citation) -> str:
    """Return a citation set as code, so that no word in front of it can close an issue."""
    return link(code(citation.name), citation.url)


def html_page(template: str, **values: Any) -> str:
    """Return a page by its template."""
    return html_environment().get_template(template).render(**values)


@lru_cache(maxsize=16_384)  # The same lines stand on several pages
def _excerpt(excerpt: PageExcerpt) -> Markup:
    macros: Any = html_environment().get_template("excerpt.html").module
    figure: Markup = macros.excerpt(excerpt)
    return figure


# ---------------------------------------------------------------- text


@lru_cache(maxsize=65_536)
def clean(text: str) -> str:
    """Return what a reader can see of a text, in one line."""
    return text if text.isascii() and text.isprintable() else visible(text)


@lru_cache(maxsize=32_768)
def prose(text: str) -> Markup:
    """Return a line in which backticks mean code as HTML; spaces at its ends stay."""
    left, right = _ends(text)
    escaped = escape(clean(text), quote=False)
    html = _CODE.sub(lambda match: _inline_code(match[2]), escaped)
    return Markup(f"{left}{html}{right}")  # noqa: S704 -- escaped before the tags are put in


def _inline_code(escaped: str) -> str:
    # A browser would break an option behind its hyphens.
    if escaped.startswith("-") and len(escaped) <= _MAX_UNBROKEN_CHARACTERS:
        return f'<code class="whole">{escaped}</code>'
    return f"<code>{escaped}</code>"


@lru_cache(maxsize=32_768)
def verbatim(line: str) -> str:
    """Return a line of code: every space stays, what cannot be seen goes."""
    return _visible_words(line.rstrip("\r").expandtabs(4))


def _visible_words(text: str) -> str:
    """Return a text without what cannot be seen; spaces stay, they are part of sentences."""
    if text.isascii() and text.isprintable():
        return text
    return " ".join(clean(word) for word in text.split(" "))


def _ends(text: str) -> tuple[str, str]:
    """Return a space for each end of a text that has one; one at which no line breaks stays so."""
    left = _space(text[:1])
    right = _space(text[-1:]) if len(text) > 1 else ""
    return left, right


def _space(character: str) -> str:
    if character == NO_BREAK:
        return character
    return " " if character.isspace() else ""


def _spaced(text: str) -> str:
    """Return foreign text so that it can do nothing; a space at its ends is part of the sentence."""
    left, right = _ends(text)
    return f"{left}{inline(text)}{right}" if text.strip() else left


def _fence(excerpt: PageExcerpt) -> str:
    """Return an excerpt in a fence that it cannot close."""
    lines = [verbatim(line.text) for line in excerpt.lines]
    longest_run = 2
    for line in lines:
        for run in re.findall("`+", line):
            longest_run = max(longest_run, len(run))
    marks = "`" * (longest_run + 1)
    language = "diff" if any(line.side for line in excerpt.lines) else "text"
    return "\n".join((f"{marks}{language}", *lines, marks))


# ---------------------------------------------------------------- Markdown pages


class _Headings:
    """The headings of a page while it is written: each has the anchor that GitHub gives it."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self.anchors: dict[str, str] = {}
        self._linked: list[str] = []

    def add(self, level: int, text: str, name: str = "") -> str:
        """Return a heading, and remember its anchor under a name."""
        self.anchors[name] = slug(_LINK.sub(r"\1", text).strip(), self._taken)
        return f"{'#' * level} {text}"

    def link(self, text: str, name: str) -> str:
        """Return a link to a heading that may come later; `resolved` completes it."""
        self._linked.append(name)
        # No text of a page has this character: what cannot be seen is taken out.
        return f"[{text}](#\0{len(self._linked) - 1}\0)"

    def resolved(self, page: str) -> str:
        """Return a page whose links to headings have their anchors."""
        for number, name in enumerate(self._linked):
            page = page.replace(f"\0{number}\0", self.anchors.get(name, ""))
        return page


def filled(name: str, lang: Language, web: Web, **values: Any) -> str:
    """Return a template of Markdown with its values, without gaps of several lines."""
    words = catalogue(lang)
    headings = _Headings()
    template = _markdown().get_template(name)
    text = template.render(
        w=words["page"],
        own=words,
        signs=words["signs"],
        web=web,
        headings=headings,
        **values,
    )
    text = headings.resolved(text)
    return _GAPS.sub("\n\n", text).strip("\n") + "\n"


def readme_page(
    latest: str, labels: Iterable[str], lang: Language, others: Mapping[str, Sequence[Language]]
) -> str:
    """Return the front page of an output folder: the latest report, and a list of all.

    `others` has the further languages of each report.
    """
    reports = [(label, others[label]) for label in sorted(labels, reverse=True)]
    template = _markdown().get_template("readme.md")
    return template.render(latest=latest, reports=reports, w=catalogue(lang)["page"])


def claim_text(
    claim: Claim,
    lang: Language,
    web: Web,
    pulls: Collection[EvidenceId] = (),
    own: EvidenceId | None = None,
) -> str:
    """Return a claim by itself with links; `own` is what is linked already where it stands."""
    links: list[str] = []
    for cite in claim.sources:
        home = claim.repo
        if home is None and not cite.is_thread:
            home = cite.repo
        name, url = named(cite, home, web, pull=cite in pulls)
        links.append(link(code(name), url))
    pieces = MARK.split(claim.text.get(lang, ""))
    marked: set[int] = set()
    for position, piece in enumerate(pieces):
        if position % 2 == 0:
            pieces[position] = _spaced(piece)
            continue
        number = int(piece) - 1
        marked.add(number)
        pieces[position] = "".join(links[number : number + 1])
    behind: list[str] = []
    for number, cite in enumerate(claim.sources):
        if number not in marked and cite != own:
            behind.append(links[number])
    words = "".join(pieces)
    if not behind:
        return words
    signs = catalogue(lang)["signs"]
    listed: str = signs["behind"].format(signs["listing"].join(behind))
    return words + listed
