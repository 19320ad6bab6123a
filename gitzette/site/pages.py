"""The pages of the site, each by its template, and what a report leaves for pages that are made from all reports.

`data/DAY.json` has its news and stories. `search/index.js` names the months, `search/MONTH.js` has a line of text for
each document of their days, `search/docs/DAY.js` what is shown of each document. They are scripts, because a page that
was opened from disk may load scripts and no data. The page loads the newest month first and shows what it finds.
"""

import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from html import escape
from importlib.resources import files
from itertools import groupby
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from agent.domain.base import LANGUAGES, Language
from agent.domain.ledger import Tier
from agent.domain.links import BARE, Story
from agent.domain.report import Report, failed_share
from agent.languages import catalogue
from agent.reports.page import Item, PageModel, RepoPart
from agent.settings.values import Settings
from agent.web import Web
from gitzette.render.compose import page_model
from gitzette.render.templating import (
    PageLocation,
    clean,
    day_path,
    html_environment,
    html_page,
    place_of,
    repo_path,
    story_key,
)

_FIRST_HEADLINE = 5 + len(LANGUAGES)  # Behind five fields and a text in each language
_NOTHING_WRITTEN = ("",) * (2 * len(LANGUAGES))  # Instead of texts and headlines
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'"
)
"""What a page may load: our own files, and nothing inline."""
_GAP = re.compile("@@(title|description|file|path|content)@@")
_RECENT, _OF_REPO, _IN_FEED = 14, 14, 30
_LISTS = {
    "days/index.html": "days",
    "repos/index.html": "repos",
    "stories.html": "stories",
    "search.html": "search",
}
_TOLD = (Tier.HIGH.value, Tier.MID.value)  # Tiers whose commits have pages of their own
_HIGHLIGHTS, _SHOWN = 8, 230  # Commits of a repository on one day, and characters of what is found
_CODE = re.compile(r"`([^`]+)`")
Summary = dict[
    str, Any
]  # One report in short, as `data/DAY.json` has it; `summarise` says which keys there are
Models = Mapping[Language, PageModel]
Files = Iterator[tuple[str, str]]  # Each with its name


def asset(name: str) -> str:
    """Read a style or script of the site."""
    return files("gitzette.site").joinpath("assets", name).read_text("utf-8")


class Pages:
    """Writes pages; `assets` marks the style and the scripts, so that browsers take the new ones when they change."""

    def __init__(self, settings: Settings, assets: str) -> None:
        self.web, self._site_url, self._lang = (
            Web(settings.web),
            settings.site_url or "",
            settings.lang,
        )
        self._plain = {
            "web": self.web,
            "assets": assets,
            "site_url": self._site_url,
            "day": "",
            "page": None,
        }
        self._frames: dict[tuple[object, ...], list[str]] = {}

    def _context(self, at: PageLocation, **values: Any) -> dict[str, Any]:
        """Collect what templates of a page may use, with the macros that see the same."""
        words = catalogue(at.lang)
        known = {
            "s": words["site"],
            "w": words["page"],
            "signs": words["signs"],
            "reasons": words["reasons"],
        }
        context = self._plain | known | {"at": at} | values
        return context | {"m": html_environment().get_template("macros.html").make_module(context)}

    def write(
        self, template: str, at: PageLocation, title: str = "", description: str = "", **values: Any
    ) -> str:
        """Write a page in its frame."""
        return self._framed(
            at, title, description, html_page(template, **self._context(at, **values)), **values
        )

    def _framed(
        self, at: PageLocation, title: str, description: str, content: str, **values: Any
    ) -> str:
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
            "path": at.path.removeprefix("../"),
            "content": content,
        }
        return "".join(
            told[piece] if place % 2 else piece for place, piece in enumerate(self._frames[key])
        )

    def day(self, page: PageModel, label: str, before: str, after: str) -> Files:
        """Write the pages of a report: its own, and one for each commit that it tells."""
        at = PageLocation(page.lang, day_path(label))
        context = self._context(
            at, page=page, day=at.to(at.path), label=label, before=before, after=after
        )
        pieces = context["m"]
        context["articles"] = {
            name: pieces.article(one) for name, one in page.items.items() if one.tier in _TOLD
        }
        title = " · ".join(filter(None, (page.lead, label)))
        yield (
            at.file,
            self._framed(
                at, title, page.description, html_page("day.html", **context), here="days"
            ),
        )
        for name, article in context["articles"].items() if not is_week(label) else ():
            item = page.items[name]
            place, told = (
                PageLocation(at.lang, item.path),
                " ".join(one.text for one in item.told[:2]).replace("`", ""),
            )
            # The article of the day, unfolded; both pages lie equally deep, so that links stay as they are.
            whole = str(article).replace("<h3>", "<h1>", 1).replace("</h3>", "</h1>", 1)
            whole = whole.replace('<details class="more">', '<details class="more" open>')
            whole = whole.replace(
                "<!--brief-->", str(pieces.sentences(item.in_brief)) if item.in_brief else ""
            )
            title = f"{item.headline} · {item.row.repo} {item.row.sha[:7]}"
            content = whole.join(pieces.permalink(item, label).split("@@"))
            yield place.file, self._framed(place, title, told or item.headline, content)

    def together(
        self, summaries: Sequence[Summary], latest: Report | None, kept_back: Sequence[Summary]
    ) -> Files:
        """Write the pages that are made from all reports."""
        by_repo: dict[str, list[tuple[str, dict[str, Any]]]] = defaultdict(list)
        for one in reversed(summaries):
            for part in one["repos"] if not is_week(one["label"]) else ():
                by_repo[part["repo"]].append((one["label"], part))
        stories = _told_stories(summaries)
        every: dict[str, Any] = {"summaries": summaries, "by_repo": by_repo, "stories": stories}
        for front in (
            PageLocation(self._lang, "../index.html"),
            *(PageLocation(lang, "index.html") for lang in LANGUAGES),
        ):
            yield front.file, self._front(front, latest, kept_back, summaries)
        for lang in LANGUAGES:
            at, say = partial(PageLocation, lang), catalogue(lang)["site"]
            yield at("feed.xml").file, self._feed(at("feed.xml"), summaries)
            for path, name in _LISTS.items():
                scripts = ("search.js",) if name == "search" else ()
                page = self.write(
                    f"{name}.html", at(path), say[name], here=name, scripts=scripts, **every
                )
                yield at(path).file, page
            for repo, days in by_repo.items():
                place, own = (
                    at(repo_path(repo)),
                    [one for one in stories if one[0].repo == repo][:_OF_REPO],
                )
                lead = next(
                    (
                        one["name"][lang]
                        for _, part in days[:_OF_REPO]
                        for one in part["highlights"]
                    ),
                    "",
                )
                values: dict[str, Any] = {
                    "repo": repo,
                    "days": days[:_OF_REPO],
                    "stories": own,
                    "here": "repos",
                }
                yield (
                    place.file,
                    self.write(
                        "repo.html", place, f"{lead} · {repo}".removeprefix(" · "), **values
                    ),
                )

    def _front(
        self,
        at: PageLocation,
        latest: Report | None,
        kept_back: Sequence[Summary],
        summaries: Sequence[Summary],
    ) -> str:
        if latest is None:
            return self.write("front.html", at, wide=True)
        page, label = page_model(latest, at.lang, self.web), latest.window.label
        recent = [one for one in reversed(summaries) if one["label"] != label][:_RECENT]
        values = {
            "page": page,
            "label": label,
            "day": at.to(day_path(label)),
            "days": recent,
            "kept_back": kept_back,
        }
        return self.write("front.html", at, page.lead, page.description, wide=True, **values)

    def _feed(self, at: PageLocation, summaries: Sequence[Summary]) -> str:
        """Write the Atom feed of a language: absolute links where the site knows where it will lie."""
        newest = sorted(summaries, key=lambda one: (one["end"], one["label"]), reverse=True)[
            :_IN_FEED
        ]
        known = f"{self._site_url}/{at.lang}/"
        values = {
            "base": known if self._site_url else "",
            "id": lambda path: uuid5(NAMESPACE_URL, f"{known}{path}"),
        }
        return html_page("feed.xml", **self._context(at, newest=newest, **values))


def is_week(label: str) -> bool:
    """Tell a weekly edition by its label."""
    return "W" in label


def summarise(label: str, report: Report, pages: Models, lines: str) -> Summary:
    """Take from the pages of a report what other pages show of it; a week's commits have the pages of its days."""
    window, page, week = report.window, pages["en"], is_week(label)
    end = window.cutoff or window.end
    return {
        "label": label,
        "month": f"{end:%Y-%m}" if week else label[:7],
        "end": f"{end:%Y-%m-%dT%H:%M:%SZ}",
        "tz": window.tz,
        "lead": {lang: page.lead for lang, page in pages.items()},
        "brief": {lang: [one.text for one in page.brief] for lang, page in pages.items()},
        "repos": [_repo_day(part, pages) for part in page.repos],
        "stories": [] if week else [one.model_dump(mode="json") for one in report.stories],
        "failed_share": failed_share(report),
        "lines": lines,
    }


def _repo_day(part: RepoPart, pages: Models) -> dict[str, Any]:
    sections = [section.of(part.repo) for section in pages["en"].sections]
    highlights = []
    for item in [item for section in sections[:2] for item in section.items][:_HIGHLIGHTS]:
        both = {lang: page.items[item.row.id] for lang, page in pages.items()}
        named = {"name": {lang: one.headline for lang, one in both.items()}}
        led = {"lead": {lang: one.told[0].text for lang, one in both.items() if one.told}}
        highlights.append(
            {"path": item.path, "tier": item.tier, "breaking": item.breaking} | named | led
        )
    counts = {section.tier: section.size for section in sections}
    told = {
        "counts": counts,
        "releases": [one.tag for one in part.section.releases],
        "highlights": highlights,
    }
    return {"repo": part.repo, "landed": len(part.rows)} | told


def _told_stories(summaries: Sequence[Summary]) -> list[tuple[Story, str, str]]:
    """Collect the stories of all reports, each once, newest news first, with the label and zone of its report."""
    found: dict[str, tuple[Story, str, str]] = {}
    for one in sorted(
        summaries, key=lambda one: (datetime.fromisoformat(one["end"]), one["label"])
    ):
        for story in map(Story.model_validate, one["stories"]):
            if len(story.timeline) > 1 and story.kind not in BARE:
                found.pop(story_key(story), None)
                found[story_key(story)] = story, one["label"], one["tz"]
    return list(found.values())[::-1]


def day_index(pages: Models) -> tuple[list[tuple[str, ...]], str]:
    """List the documents of a report, and the line by which each is found: title, tab, the rest.

    A document has its kind (commit, issue, release), anchor, repository, tier, title, its text and its headline in
    each language.
    """
    found = list(_documents(pages))
    titles = (" ".join((document[4], *document[_FIRST_HEADLINE:])) for document, _ in found)
    lines = ((title, more) for title, (_, more) in zip(titles, found, strict=True))
    folded = (
        "\t".join(unicodedata.normalize("NFKC", clean(one)).lower() for one in line)
        for line in lines
    )
    return [document for document, _ in found], "\n".join(folded)


def _documents(pages: Models) -> Iterator[tuple[tuple[str, ...], str]]:
    """Give each document with the further words by which it is found: names, not whole sentences."""
    for name, item in pages["en"].items.items():
        yield _commit(item, [page.items[name] for page in pages.values()])
    for section in pages["en"].report.sections:
        repo = section.repo
        for thread in section.issues:
            more = " ".join((repo, f"{thread.number}", thread.author or "", *thread.labels))
            yield (
                (
                    "i",
                    place_of(thread.id(repo)),
                    repo,
                    "",
                    clean(thread.title),
                    *_NOTHING_WRITTEN,
                ),
                more,
            )
        for one in section.releases:
            yield (
                (
                    "r",
                    place_of(one.id(repo)),
                    repo,
                    "",
                    clean(f"{one.tag} {one.name}"),
                    *_NOTHING_WRITTEN,
                ),
                repo,
            )


def _commit(item: Item, both: Sequence[Item]) -> tuple[tuple[str, ...], str]:
    row, texts = item.row, [" ".join(one.text for one in own.told) for own in both]
    heads = (clean(own.headline.replace("`", "")) if own.title else "" for own in both)
    shown = (clean(text.replace("`", ""))[:_SHOWN] for text in texts)
    names = dict.fromkeys(name for text in texts for name in _CODE.findall(text))
    more = " ".join((row.repo, row.sha[:12], row.author, *row.places, *names))
    return (
        "c",
        item.place,
        row.repo,
        item.tier,
        clean(item.title or item.headline),
        *shown,
        *heads,
    ), more


def script(name: str, data: object) -> str:
    """Write a part of the index as a script that a page may load, also from disk."""
    told = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    # Two signs that end a line in a script and not in JSON.
    return f"gitzetteIndex({json.dumps(name)},{told});\n".replace("\u2028", " ").replace(
        "\u2029", " "
    )


def index_files(summaries: Sequence[Summary]) -> Files:
    """Write the index of these reports, newest first; what is told of a week is found on its days."""
    days = sorted(
        (one for one in summaries if one["lines"]), key=lambda one: str(one["label"]), reverse=True
    )
    months = {
        name: [(one["label"], one["lines"]) for one in own]
        for name, own in groupby(days, lambda one: one["month"])
    }
    yield "search/index.js", script("index", list(months))
    for name, lines in months.items():
        yield f"search/{name}.js", script(name, lines)
