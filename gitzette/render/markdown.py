"""Reports as Markdown: the templates of both layouts, with the escaping of `agent.markdown` as filters."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from jinja2 import Environment

from agent.domain.base import EvidenceId, Language, RepoId
from agent.domain.claims import MARK, Claim
from agent.domain.report import Report
from agent.markdown import cell, code, inline, link, slug, visible
from agent.settings.values import Layout
from agent.telling.words import catalogue
from agent.web import Web
from gitzette.render.account import notice_words
from gitzette.render.compose import page_model
from gitzette.render.names import named
from gitzette.render.page import PageModel
from gitzette.render.pieces import Citation, Excerpt, Sentence
from gitzette.render.templating import made_environment

_LINK = re.compile(r"\[((?:[^\[\]\\]|\\.)*)\]\([^()\s]*\)")
_GAPS = re.compile(r"\n{3,}")


@cache
def _environment() -> Environment:
    # Markdown has its own escaping: every value of a template goes through `md`, `code` or `link`.
    made = made_environment(autoescape=False, keep_trailing_newline=True)
    made.filters |= {"md": spaced, "code": code, "link": link, "cell": cell, "fence": fence, "said": said}
    made.globals |= {"notice_words": notice_words, "zip": zip}
    return made


def filled(name: str, **values: Any) -> str:
    """Fill a template of Markdown, without gaps of several lines."""
    return _GAPS.sub("\n\n", _environment().get_template(name).render(**values)).strip("\n") + "\n"


def report_page(report: Report, lang: Language, web: Web, layout: Layout = "digest") -> str:
    """Write the whole report."""
    return markdown_page(page_model(report, lang, web), web, layout)


def markdown_page(page: PageModel, web: Web, layout: Layout) -> str:
    """Write a page model as Markdown in one of the layouts."""
    words = page.words
    return filled(f"{layout}.md", page=page, w=words["page"], signs=words["signs"], web=web, headings=Headings())


def readme_page(
    latest: str, labels: Iterable[str], lang: Language, others: Mapping[str, Sequence[Language]] | None = None
) -> str:
    """Write the front page of an output folder: the latest report in full and the list of all of them.

    `others` are the further languages in which each report of the list can be read.
    """
    words: Mapping[str, Any] = catalogue(lang)["page"]
    listed = [(label, (others or {}).get(label, ())) for label in sorted(labels, reverse=True)]
    return _environment().get_template("readme.md").render(latest=latest, reports=listed, w=words)


def said(sentence: Sentence, signs: Mapping[str, str], reported: str) -> str:
    """Write a sentence behind its label, with its citations but for that of the commit under whose headline it is."""
    words = "".join(spaced(one) if isinstance(one, str) else _cited(one) for one in sentence.parts)
    behind = [_cited(one) for one in sentence.behind if not one.own]
    before = f"**{sentence.label}**{signs['colon']}" if sentence.label else ""
    if sentence.reported:
        before += reported.format(signs["listing"].join(map(_cited, sentence.reported))) + signs["colon"]
    words = f"{words.strip()} — {inline(sentence.aside)}" if sentence.aside else words.strip()
    return before + words + (signs["behind"].format(signs["listing"].join(behind)) if behind else "")


def claim_text(
    claim: Claim, lang: Language, web: Web, pulls: Collection[EvidenceId] = (), own: EvidenceId | None = None
) -> str:
    """Write one claim by itself with links; `own` is what is linked already where the words stand."""
    signs, text = catalogue(lang)["signs"], claim.text.get(lang, "")

    def linked(cite: EvidenceId) -> str:
        home = RepoId(cite.partition("@")[0]) if claim.repo is None and "@" in cite else claim.repo
        name, url = named(cite, home, web, pull=cite in pulls)
        return link(code(name), url)

    pieces = MARK.split(text)
    cites = [linked(claim.sources[int(mark) - 1]) if int(mark) <= len(claim.sources) else "" for mark in pieces[1::2]]
    words = "".join(f"{spaced(piece)}{cite}" for piece, cite in zip(pieces[::2], [*cites, ""], strict=True))
    marked = {int(mark) for mark in pieces[1::2]}
    rest = [linked(one) for at, one in enumerate(claim.sources, start=1) if at not in marked and one != own]
    return words + (signs["behind"].format(signs["listing"].join(rest)) if rest else "")


def _cited(one: Citation) -> str:
    """Link an artefact; its name is set as code, so that no word in front of it can close an issue."""
    return link(code(one.name), one.url)


class Headings:
    """The headings of a page while it is written: each has the anchor that GitHub gives it."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self.anchors: dict[str, str] = {}

    def add(self, level: int, text: str, name: str = "") -> str:
        """Write a heading, and remember under `name` where it stands."""
        self.anchors[name] = slug(_LINK.sub(r"\1", text).strip(), self._taken)
        return f"{'#' * level} {text}"


def spaced(text: str) -> str:
    """Write foreign text so that it can do nothing; a space at its ends is part of the sentence."""
    left, right = (" " if text[:1].isspace() else ""), (" " if len(text) > 1 and text[-1:].isspace() else "")
    return f"{left}{inline(text)}{right}" if text.strip() else left


def fence(excerpt: Excerpt) -> str:
    """Show an excerpt in a fence that it cannot close."""
    lines = [_line(line.text) for line in excerpt.lines]
    longest = max((len(run) for line in lines for run in re.findall("`+", line)), default=0)
    marks = "`" * max(3, longest + 1)
    kind = "diff" if any(line.side for line in excerpt.lines) else "text"
    return "\n".join((f"{marks}{kind}", *lines, marks))


def _line(line: str) -> str:
    """Keep the indentation and what a reader can see of a line."""
    line = line.rstrip("\r").expandtabs(4)
    indent = len(line) - len(line.lstrip(" "))
    return " " * indent + " ".join(visible(word) for word in line.strip().split(" "))
