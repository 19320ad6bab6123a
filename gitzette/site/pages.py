"""The pages of the site, each by its template."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from html import escape
from typing import Any
from uuid import UUID, uuid5

from agent.domain.base import Language
from agent.domain.report import Report
from agent.telling.catalogue import catalogue
from agent.text.web import Web
from gitzette.render.account import notice_words
from gitzette.render.compose import page_model
from gitzette.render.html import clean, html_page, macros
from gitzette.render.names import place_of
from gitzette.render.page import Item, PageModel
from gitzette.site.addresses import LANGUAGES, Place, commit_path, day_path, month_path, repo_path
from gitzette.site.stories import ToldStory
from gitzette.site.summary import TOLD, Summary

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'"
)
"""What a page may load: our own files, and nothing inline."""
NAMESPACE = UUID("5b3a9f0c-5d0e-4a55-9a3c-0f4f7a1e2c11")
_GAP = re.compile("@@(title|description|file|path|content)@@")
_SHAPE = ("here", "wide", "scripts")
_RECENT, _MOST_STORIES, _OF_REPO, _IN_FEED, _ON_FRONT = 14, 60, 14, 30, 2


class Pages:
    """Writes pages; `assets` marks the style and the scripts, so that browsers take the new ones when they change."""

    def __init__(self, web: Web, site_url: str, assets: str) -> None:
        self._web, self._site_url, self._assets = web, site_url, assets
        self._frames: dict[tuple[object, ...], list[str]] = {}

    def context(self, at: Place, **values: Any) -> dict[str, Any]:
        """Collect what templates of a page may use."""
        words = catalogue(at.lang)
        known = {"s": words["site"], "w": words["page"], "signs": words["signs"], "reasons": words["reasons"]}
        named = [(lang, catalogue(lang)["site"]["code"], catalogue(lang)["site"]["own_name"]) for lang in LANGUAGES]
        frame = {"at": at, "assets": self._assets, "languages": named, "policy": POLICY, "site_url": self._site_url}
        ways = {"day_path": day_path, "repo_path": repo_path, "commit_path": commit_path, "month_path": month_path}
        helpers = {"month_name": lambda month: _month(month, at.lang), "notice_words": notice_words}
        plain = {"day": "", "page": None, "web": self._web, "place_of": place_of}
        return plain | helpers | known | frame | ways | values

    def write(self, template: str, at: Place, title: str, description: str = "", **values: Any) -> str:
        """Write a page in its frame."""
        context = self.context(at, **values)
        content = html_page(template, **({"m": macros(**context)} | context))
        return self.framed(at, title, description, content, **values)

    def framed(self, at: Place, title: str, description: str, content: str, **values: Any) -> str:
        """Put content into the frame of a page; frames differ by language, depth and what `values` say of them."""
        shape = {"here": "", "wide": False, "scripts": ()} | {key: values[key] for key in _SHAPE if key in values}
        key = (at.lang, at.root, *shape.values())
        if key not in self._frames:
            self._frames[key] = _GAP.split(html_page("base.html", **self.context(at, **shape)))
        pieces = self._frames[key]
        told = {
            "title": escape(clean(f"{title} · Gitzette" if title else "Gitzette")),
            "description": escape(clean(description or catalogue(at.lang)["site"]["motto"])),
            "file": at.file,
            "path": "index.html" if at.path == "../index.html" else at.path,
            "content": content,
        }
        return "".join(told[piece] if place % 2 else piece for place, piece in enumerate(pieces))

    def day(self, page: PageModel, at: Place, before: str, after: str) -> Iterator[tuple[str, str]]:
        """Write the pages of a report: its own, and one for each commit that it tells, each with its file."""
        label = page.report.window.label
        context = self.context(at, page=page, day=at.to(day_path(label)))
        pieces = macros(**context)
        articles = {item.id: pieces.article(item, "h3") for item in page.items if item.tier in TOLD}
        values = {
            "heading": day_name(label, at.lang),
            "before": before,
            "after": after,
            "articles": articles,
            "m": pieces,
        }
        title = " · ".join(filter(None, (page.lead.replace("`", ""), label)))
        content = html_page("day.html", **(context | values))
        yield at.file, self.framed(at, title, page.description, content, here="days")
        for item in (page.item(name) for name in articles):
            if item is not None:
                place = Place(at.lang, commit_path(item.repo, item.row.sha))
                brief = str(pieces.sentences(item.in_brief)) if item.in_brief else ""
                article = str(articles[item.id]).replace("<!--brief-->", brief)
                yield place.file, self._commit(page, item, article, place)

    def _commit(self, page: PageModel, item: Item, article: str, at: Place) -> str:
        """Write the page of a commit: its article of the day, unfolded."""
        # Both pages lie equally deep, so that links stay as they are.
        whole = article.replace("<h3>", "<h1>", 1).replace("</h3>", "</h1>", 1)
        whole = whole.replace('<details class="more">', '<details class="more" open>')
        title = f"{item.headline} · {item.repo} {item.short}".replace("`", "")
        told = " ".join(one.text for one in item.told[:2]).replace("`", "")
        say, label = catalogue(at.lang)["site"], page.report.window.label
        onwards = f'<a href="{at.to(day_path(label))}#{item.place}">{escape(say["told_on"].format(label))} →</a>'
        tier = escape(catalogue(at.lang)["page"]["tiers"][item.tier])
        content = f'<p class="kicker">{tier}</p>{whole}<p class="onwards">{onwards}</p>'
        return self.framed(at, title, told or item.headline, content)

    def front(self, latest: Report | None, kept_back: Sequence[str], summaries: Sequence[Summary], at: Place) -> str:
        """Write the front page from the latest report."""
        if latest is None:
            return self.write("front.html", at, "", wide=True)
        page, label = page_model(latest, at.lang, self._web), latest.window.label
        stories = [one for part in page.repos for one in part.stories][:_ON_FRONT]
        recent = [one for one in reversed(summaries) if one.label != label][:_RECENT]
        values = {"heading": day_name(label, at.lang), "stories": stories, "days": recent, "kept_back": kept_back}
        title, day = page.lead.replace("`", ""), at.to(day_path(label))
        return self.write("front.html", at, title, page.description, page=page, day=day, wide=True, **values)

    def days(self, summaries: Sequence[Summary], at: Place) -> str:
        """List the reports with their briefs, newest first."""
        months: dict[str, list[Summary]] = {}
        for one in reversed(summaries):
            months.setdefault(one.month, []).append(one)
        title = catalogue(at.lang)["site"]["days"]
        return self.write("days.html", at, title, months=list(months.items()), here="days")

    def repos(self, by_repo: Mapping[str, Sequence[Summary]], at: Place) -> str:
        """List the repositories."""
        listed = [
            (repo, days[-1].label, sum(part.landed for one in days for part in one.repos if part.repo == repo))
            for repo, days in sorted(by_repo.items(), key=lambda one: one[0].lower())
        ]
        return self.write("repos.html", at, catalogue(at.lang)["site"]["repos"], repos=listed, here="repos")

    def repo(self, repo: str, days: Sequence[Summary], stories: Sequence[ToldStory], at: Place) -> str:
        """Write a repository's page: its latest news first."""
        recent = [(one.label, part) for one in reversed(days) for part in one.repos if part.repo == repo][:_OF_REPO]
        own = [(one.part, one.label) for one in stories if one.part.story.repo == repo][:_OF_REPO]
        lead = next((one.name(at.lang) for _, part in recent for one in part.highlights), "").replace("`", "")
        title = f"{lead} · {repo}" if lead else repo
        return self.write("repo.html", at, title, repo=repo, days=recent, stories=own, here="repos")

    def stories(self, stories: Sequence[ToldStory], at: Place, **month: Any) -> str:
        """Show stories, the newest of all or those of a month."""
        months = sorted({one.month for one in stories}, reverse=True)
        shown = [(one.part, one.label) for one in stories][: None if month else _MOST_STORIES]
        values = {"stories": shown, "month": "", "months": months, "here": "stories"} | month
        return self.write("stories.html", at, catalogue(at.lang)["site"]["stories"], **values)

    def search(self, at: Place) -> str:
        """Write the page on which one searches."""
        return self.write(
            "search.html", at, catalogue(at.lang)["site"]["search"], here="search", scripts=("search.js",)
        )

    def feed(self, summaries: Sequence[Summary], gazette: str, at: Place) -> str:
        """Write the Atom feed of a language: absolute links where the site knows where it will lie."""
        newest = sorted(summaries, key=lambda one: (one.end, one.label), reverse=True)[:_IN_FEED]
        entries = [(one, uuid5(UUID(gazette), f"{one.key} {at.lang}"), _moment(one.end)) for one in newest]
        updated = _moment(newest[0].end if newest else datetime(1970, 1, 1, tzinfo=UTC))
        base = f"{self._site_url}/{at.lang}/" if self._site_url else ""
        values = {"entries": entries, "updated": updated, "base": base, "lang": at.lang}
        return html_page("feed.xml", **self.context(at, id=uuid5(UUID(gazette), at.lang), **values))

    def gazette_id(self, summaries: Sequence[Summary]) -> str:
        """Name a gazette by its first report: two gazettes of the same day are not the same."""
        first = summaries[0] if summaries else None
        about = f"{first.key} {' '.join(sorted(part.repo for part in first.repos))}" if first else "empty"
        return str(uuid5(NAMESPACE, about))


def day_name(label: str, lang: Language) -> str:
    """Write a report's day in words; a range stays as it is."""
    say = catalogue(lang)["site"]
    try:
        day = date.fromisoformat(label)
    except ValueError:
        return label
    values = {"weekday": say["weekdays"][day.weekday()], "month": say["months"][day.month - 1]}
    return str(say["long_date"].format(day=day.day, year=day.year, **values))


def _month(name: str, lang: Language) -> str:
    say = catalogue(lang)["site"]
    year, _, month = name.partition("-")
    return str(say["month_year"].format(year=int(year), month=say["months"][int(month) - 1]))


def _moment(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
