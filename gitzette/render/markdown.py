"""Markdown by templates, with the escaping of `agent.markdown` as filters; guides between versions, single claims."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from jinja2 import Environment

from agent.domain.base import EvidenceId, Language, RepoId, commit_id
from agent.domain.claims import MARK, Claim
from agent.domain.upgrade import Part, Upgrade
from agent.editions.upgrade import entries
from agent.markdown import cell, code, inline, link, slug, visible
from agent.telling import catalogue
from agent.web import Web
from gitzette.render.model import Citation, Excerpt
from gitzette.render.templating import made_environment, named, plain

_LINK = re.compile(r"\[((?:[^\[\]\\]|\\.)*)\]\([^()\s]*\)")
_GAPS = re.compile(r"\n{3,}")
_IN_SIGHT = 15  # Entries of a guide's part in front of its fold; all of what breaks or is used is in sight


@cache
def _environment() -> Environment:
    # Markdown has its own escaping: every value of a template goes through `md`, `code` or `link`.
    made = made_environment(keep_trailing_newline=True)
    made.filters |= {"md": spaced, "code": code, "link": link, "cell": cell, "fence": _fence, "cited": _cited}
    made.globals["plain"] = plain()
    return made


def filled(name: str, lang: Language, web: Web, **values: Any) -> str:
    """Fill a template of Markdown, without gaps of several lines."""
    words = catalogue(lang)
    known = {"w": words["page"], "own": words, "signs": words["signs"], "web": web, "headings": Headings()}
    text = _environment().get_template(name).render(**(known | values))
    return _GAPS.sub("\n\n", text).strip("\n") + "\n"


def readme_page(latest: str, labels: Iterable[str], lang: Language, others: Mapping[str, Sequence[Language]]) -> str:
    """Write the front page of an output folder: the latest report in full and the list of all of them.

    `others` are the further languages in which each report of the list can be read.
    """
    reports = [(label, others[label]) for label in sorted(labels, reverse=True)]
    return _environment().get_template("readme.md").render(latest=latest, reports=reports, w=catalogue(lang)["page"])


def upgrade_page(upgrade: Upgrade, lang: Language, web: Web) -> str:
    """Write the guide in one language."""
    parts = [(part.value, list(entries(upgrade, part, lang))) for part in Part]
    urls = {sha: web.commit(upgrade.repo, sha) for sha in upgrade.titles}
    whole = (Part.USED, Part.BREAKS)
    return filled("upgrade.md", lang, web, guide=upgrade, parts=parts, whole=whole, most=_IN_SIGHT, urls=urls)


def upgrade_json(upgrade: Upgrade) -> dict[str, Any]:
    """Give the guide as plain data, each item with its part and with the commits as they are cited."""
    items = []
    for one in (one for one in upgrade.items if one.part):
        fact = one.fact.model_dump(mode="json")
        best = fact["places"][0] if fact["places"] else {"file": None, "line": None, "lines": []}
        cites = [commit_id(upgrade.repo, sha) for sha in one.commits]
        items.append(fact | best | {"part": one.part, "cites": cites, "backwards": one.backwards})
    uses = [use.model_dump(mode="json") for one in upgrade.items if one.part for use in one.uses]
    return upgrade.model_dump(mode="json", exclude={"items", "titles"}) | {"items": items, "uses": uses}


def claim_text(
    claim: Claim, lang: Language, web: Web, pulls: Collection[EvidenceId] = (), own: EvidenceId | None = None
) -> str:
    """Write one claim by itself with links; `own` is what is linked already where the words stand."""

    def linked(cite: EvidenceId) -> str:
        home = RepoId(cite.partition("@")[0]) if claim.repo is None and "@" in cite else claim.repo
        name, url = named(cite, home, web, pull=cite in pulls)
        return link(code(name), url)

    pieces, cites = MARK.split(claim.text.get(lang, "")), claim.sources
    marked = {int(mark) for mark in pieces[1::2]}
    pieces[::2] = map(spaced, pieces[::2])
    pieces[1::2] = (linked(cites[int(mark) - 1]) if int(mark) <= len(cites) else "" for mark in pieces[1::2])
    rest = [linked(one) for at, one in enumerate(cites, start=1) if at not in marked and one != own]
    signs = catalogue(lang)["signs"]
    return "".join(pieces) + (signs["behind"].format(signs["listing"].join(rest)) if rest else "")


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


def _fence(excerpt: Excerpt) -> str:
    """Show an excerpt in a fence that it cannot close; of each line the indentation and what can be seen stay."""
    texts = [line.text.rstrip("\r").expandtabs(4) for line in excerpt.lines]
    shown = [
        " " * (len(text) - len(text.lstrip(" "))) + " ".join(map(visible, text.strip().split(" "))) for text in texts
    ]
    marks = "`" * max(3, *(len(run) + 1 for line in shown for run in re.findall("`+", line)), 3)
    return "\n".join((f"{marks}{'diff' if any(line.side for line in excerpt.lines) else 'text'}", *shown, marks))
