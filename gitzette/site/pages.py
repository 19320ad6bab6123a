"""The pages of the site, each by its template."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any
from uuid import UUID, uuid5

from agent.domain.base import Language
from agent.domain.report import Report
from agent.settings.values import MAX_FAILED
from agent.telling import catalogue
from agent.web import Web
from gitzette.render.addresses import LANGUAGES, Place, commit_path, day_path
from gitzette.render.compose import page_model
from gitzette.render.model import PageModel
from gitzette.render.templating import clean, html_environment, html_page
from gitzette.site.summary import TOLD, Summary, ToldStory, is_week

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'"
)
"""What a page may load: our own files, and nothing inline."""
_GAP = re.compile("@@(title|description|file|path|content)@@")
_RECENT, _OF_REPO, _IN_FEED = 14, 14, 30


@dataclass(frozen=True, kw_only=True)
class SiteSettings:
    """How a site is built."""

    web: Web
    lang: Language = "en"
    """The language of the first page."""
    max_failed: float = MAX_FAILED
    """The share of commits that may be unreadable in a report on the front page."""
    site_url: str = ""
    """Where the site will lie, for what needs absolute links."""


class Pages:
    """Writes pages; `assets` marks the style and the scripts, so that browsers take the new ones when they change."""

    def __init__(self, settings: SiteSettings, assets: str) -> None:
        self._web, self._site_url, self._assets = settings.web, settings.site_url, assets
        self._frames: dict[tuple[object, ...], list[str]] = {}

    def _context(self, at: Place, **values: Any) -> dict[str, Any]:
        """Collect what templates of a page may use, with the macros that see the same."""
        words = catalogue(at.lang)
        known = {"s": words["site"], "w": words["page"], "signs": words["signs"], "reasons": words["reasons"]}
        plain = {
            "at": at,
            "web": self._web,
            "assets": self._assets,
            "day": "",
            "page": None,
            "site_url": self._site_url,
        }
        context = plain | known | values
        return context | {"m": html_environment().get_template("macros.html").make_module(context)}

    def write(self, template: str, at: Place, title: str = "", description: str = "", **values: Any) -> str:
        """Write a page in its frame."""
        return self._framed(at, title, description, html_page(template, **self._context(at, **values)), **values)

    def _framed(self, at: Place, title: str, description: str, content: str, **values: Any) -> str:
        """Put content into the frame of a page, which is made once for its language, depth and what `values` say."""
        shape = {key: values.get(key, "") for key in ("here", "wide", "scripts")}
        key = (at.lang, at.root, *shape.values())
        if key not in self._frames:
            languages = [(lang, catalogue(lang)["site"]) for lang in LANGUAGES]
            frame = self._context(at, languages=languages, policy=POLICY, **shape)
            self._frames[key] = _GAP.split(html_page("base.html", **frame))
        told = {
            "title": escape(clean(f"{title} · Gitzette".removeprefix(" · ").replace("`", ""))),
            "description": escape(clean(description or catalogue(at.lang)["site"]["motto"])),
            "file": at.file,
            "path": "index.html" if at.path == "../index.html" else at.path,
            "content": content,
        }
        return "".join(told[piece] if place % 2 else piece for place, piece in enumerate(self._frames[key]))

    def day(self, page: PageModel, label: str, before: str, after: str) -> Iterator[tuple[str, str]]:
        """Write the pages of a report: its own, and one for each commit that it tells, each with its file."""
        at = Place(page.lang, day_path(label))
        context = self._context(at, page=page, day=at.to(at.path), label=label, before=before, after=after)
        pieces = context["m"]
        context["articles"] = {name: pieces.article(one, "h3") for name, one in page.items.items() if one.tier in TOLD}
        title = " · ".join(filter(None, (page.lead, label)))
        yield at.file, self._framed(at, title, page.description, html_page("day.html", **context), here="days")
        for name, article in context["articles"].items() if not is_week(label) else ():
            item = page.items[name]
            place = Place(at.lang, commit_path(item.row.repo, item.row.sha))
            told = " ".join(one.text for one in item.told[:2]).replace("`", "")
            # The article of the day, unfolded; both pages lie equally deep, so that links stay as they are.
            whole = str(article).replace("<h3>", "<h1>", 1).replace("</h3>", "</h1>", 1)
            whole = whole.replace('<details class="more">', '<details class="more" open>')
            whole = whole.replace("<!--brief-->", str(pieces.sentences(item.in_brief)) if item.in_brief else "")
            content = pieces.permalink(item, label).split("@@")
            title = f"{item.headline} · {item.row.repo} {item.row.sha[:7]}"
            yield place.file, self._framed(place, title, told or item.headline, whole.join(content))

    def front(self, latest: Report | None, kept_back: Sequence[str], summaries: Sequence[Summary], at: Place) -> str:
        """Write the front page from the latest report."""
        if latest is None:
            return self.write("front.html", at, wide=True)
        page, label = page_model(latest, at.lang, self._web), latest.window.label
        recent = [one for one in reversed(summaries) if one["label"] != label][:_RECENT]
        values = {"page": page, "label": label, "day": at.to(day_path(label)), "days": recent, "kept_back": kept_back}
        return self.write("front.html", at, page.lead, page.description, wide=True, **values)

    def repo(self, repo: str, days: Sequence[Summary], stories: Sequence[ToldStory], at: Place) -> str:
        """Write a repository's page: its latest news first."""
        every = ((one["label"], part) for one in reversed(days) for part in one["repos"] if part["repo"] == repo)
        recent, own = list(every)[:_OF_REPO], [one for one in stories if one[0].repo == repo][:_OF_REPO]
        lead = next((one["name"][at.lang] for _, part in recent for one in part["highlights"]), "")
        title = f"{lead} · {repo}" if lead else repo
        return self.write("repo.html", at, title, repo=repo, days=recent, stories=own, here="repos")

    def listing(self, name: str, values: Mapping[str, Any], at: Place) -> str:
        """Write a page that lists days, repositories or stories, or on which one searches."""
        scripts = ("search.js",) if name == "search" else ()
        return self.write(f"{name}.html", at, catalogue(at.lang)["site"][name], here=name, scripts=scripts, **values)

    def feed(self, summaries: Sequence[Summary], gazette: str, at: Place) -> str:
        """Write the Atom feed of a language: absolute links where the site knows where it will lie."""
        newest = sorted(summaries, key=lambda one: (one["end"], one["label"]), reverse=True)[:_IN_FEED]
        base = f"{self._site_url}/{at.lang}/" if self._site_url else ""
        values = {"newest": newest, "base": base, "id": lambda name: uuid5(UUID(gazette), name)}
        return html_page("feed.xml", **self._context(at, **values))
