"""The pages of the site, each by its template."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from html import escape
from importlib.resources import files
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from agent.domain.report import Report
from agent.settings.values import Settings
from agent.telling import catalogue
from agent.web import Web
from gitzette.render.compose import page_model
from gitzette.render.model import PageModel
from gitzette.render.templating import (
    LANGUAGES,
    Place,
    clean,
    commit_path,
    day_path,
    html_environment,
    html_page,
    repo_path,
)
from gitzette.site.summary import TOLD, Summary, is_week, told_stories

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'"
)
"""What a page may load: our own files, and nothing inline."""
_GAP = re.compile("@@(title|description|file|path|content)@@")
_RECENT, _OF_REPO, _IN_FEED = 14, 14, 30
_LISTS = {"days/index.html": "days", "repos/index.html": "repos", "stories.html": "stories", "search.html": "search"}


def asset(name: str) -> str:
    """Read a style or script of the site."""
    return files("gitzette.site").joinpath("assets", name).read_text("utf-8")


class Pages:
    """Writes pages; `assets` marks the style and the scripts, so that browsers take the new ones when they change."""

    def __init__(self, settings: Settings, assets: str) -> None:
        self.web, self._site_url, self._assets = Web(settings.web), settings.site_url or "", assets
        self._lang = settings.lang
        self._frames: dict[tuple[object, ...], list[str]] = {}

    def _context(self, at: Place, **values: Any) -> dict[str, Any]:
        """Collect what templates of a page may use, with the macros that see the same."""
        words = catalogue(at.lang)
        known = {"s": words["site"], "w": words["page"], "signs": words["signs"], "reasons": words["reasons"]}
        plain = {
            "at": at,
            "web": self.web,
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
        context["articles"] = {name: pieces.article(one) for name, one in page.items.items() if one.tier in TOLD}
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

    def together(
        self, summaries: Sequence[Summary], latest: Report | None, kept_back: Sequence[Summary]
    ) -> Iterator[tuple[str, str]]:
        """Write the pages that are made from all reports, each with its file."""
        by_repo: dict[str, list[tuple[str, dict[str, Any]]]] = defaultdict(list)
        for one in reversed(summaries):
            for part in one["repos"] if not is_week(one["label"]) else ():
                by_repo[part["repo"]].append((one["label"], part))
        stories = told_stories(summaries)
        every: dict[str, Any] = {"summaries": summaries, "by_repo": by_repo, "stories": stories}
        front = Place(self._lang, "../index.html")
        yield front.file, self._front(front, latest, kept_back, summaries)
        for lang in LANGUAGES:
            at, say = partial(Place, lang), catalogue(lang)["site"]
            yield at("index.html").file, self._front(at("index.html"), latest, kept_back, summaries)
            yield at("feed.xml").file, self._feed(at("feed.xml"), summaries)
            for path, name in _LISTS.items():
                scripts = ("search.js",) if name == "search" else ()
                yield (
                    at(path).file,
                    self.write(f"{name}.html", at(path), say[name], here=name, scripts=scripts, **every),
                )
            for repo, days in by_repo.items():
                place, own = at(repo_path(repo)), [one for one in stories if one[0].repo == repo][:_OF_REPO]
                lead = next((one["name"][lang] for _, part in days[:_OF_REPO] for one in part["highlights"]), "")
                values: dict[str, Any] = {"repo": repo, "days": days[:_OF_REPO], "stories": own, "here": "repos"}
                yield place.file, self.write("repo.html", place, f"{lead} · {repo}".removeprefix(" · "), **values)

    def _front(
        self, at: Place, latest: Report | None, kept_back: Sequence[Summary], summaries: Sequence[Summary]
    ) -> str:
        """Write the front page from the latest report."""
        if latest is None:
            return self.write("front.html", at, wide=True)
        page, label = page_model(latest, at.lang, self.web), latest.window.label
        recent = [one for one in reversed(summaries) if one["label"] != label][:_RECENT]
        values = {"page": page, "label": label, "day": at.to(day_path(label)), "days": recent, "kept_back": kept_back}
        return self.write("front.html", at, page.lead, page.description, wide=True, **values)

    def _feed(self, at: Place, summaries: Sequence[Summary]) -> str:
        """Write the Atom feed of a language: absolute links where the site knows where it will lie."""
        newest = sorted(summaries, key=lambda one: (one["end"], one["label"]), reverse=True)[:_IN_FEED]
        base = f"{self._site_url}/{at.lang}/" if self._site_url else ""
        known = f"{self._site_url}/{at.lang}/"
        values = {"newest": newest, "base": base, "id": lambda path: uuid5(NAMESPACE_URL, f"{known}{path}")}
        return html_page("feed.xml", **self._context(at, **values))
