"""The pages of the site, each by its template."""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from html import escape
from importlib.resources import files
from typing import Any, NamedTuple
from uuid import NAMESPACE_URL, uuid5

from agent.browser_urls import Web
from agent.domain.base import LANGUAGES, Language
from agent.domain.evidence_id import EvidenceId
from agent.domain.links import Story
from agent.domain.report import Report
from agent.domain.window import zone
from agent.editions.week import days_of
from agent.report_languages import catalogue
from agent.reports.page_model import Item, PageModel
from agent.settings.values import Settings
from gitzette.render.page_addresses import (
    PageLocation,
    breaking_path,
    day_path,
    repo_path,
    story_element_id,
)
from gitzette.render.page_composition import WeekModel, page_model
from gitzette.render.templating import clean, html_environment, html_page
from gitzette.site.charts import (
    Chart,
    DayCount,
    WeekCell,
    activity_chart,
    areas_chart,
    story_chart,
    week_chart,
)
from gitzette.site.summaries import Summary, is_week, told_stories

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'"
)
"""What a page may load: our own files, and nothing inline."""
_GAP = re.compile("@@(title|description|file|path|content)@@")
_MAX_RECENT_DAYS = 14  # On the front page
_MAX_REPO_DAYS = 14  # Days and stories on the page of a repository
_MAX_FEED_ENTRIES = 30
_DAY_LABEL_LENGTH = 10  # As 2026-02-04; labels of ranges are longer
_MAX_STORIES = 60  # On the page of all stories
_MAX_BREAKING_DAYS = 31  # On the page of what breaks; each month has one of its own
_MAX_RELEASES = 12  # On the page of a repository
_LISTS = {
    "days/index.html": "days",
    "repos/index.html": "repos",
    "stories.html": "stories",
    "breaking.html": "breaking",
    "search.html": "search",
}


class SiteFile(NamedTuple):
    """A file of the site, by its path from the root."""

    path: str
    text: str


Files = Iterator[SiteFile]


class SharedFile(NamedTuple):
    """A file that is made from all reports."""

    path: str  # From the root of the site
    inputs: str  # Says what it is made from; while that is the same, so is the file
    make: Callable[[], str]


class LatestDay(NamedTuple):
    """The report that the front page has."""

    label: str
    key: str
    read: Callable[[], Report]


class MonthPart(NamedTuple):
    """What the lists of the whole site have of a month."""

    month: str  # As 2026-02
    days: dict[Language, str]  # Its section in the list of days
    has_breaks: bool
    is_searched: bool  # It has documents in the search


class Charts(NamedTuple):
    """The pictures that are made from all reports."""

    activity: dict[str, Chart]  # Commits and breaks by day, by repository
    areas: dict[str, Chart]  # Changed lines by folder, by repository
    stories: dict[str, Chart]  # Timelines, by the element id of their story

    @classmethod
    def of(
        cls,
        days_of_repo: Mapping[str, Sequence[tuple[str, Mapping[str, Any]]]],
        stories: Sequence[tuple[Story, str, str]],
    ) -> "Charts":
        """Draw the pictures of all repositories, and of the stories that pages list."""
        charts = cls({}, {}, {})
        for story, _, tz in stories:
            charts.stories[story_element_id(story)] = story_chart(story, tz, LANGUAGES)
        for repo, days in days_of_repo.items():
            counts = []
            for label, part in days:
                if len(label) == _DAY_LABEL_LENGTH:
                    breaks = len(part["breaking"])
                    counts.append(DayCount(label, part["landed"], breaks, part["areas"]))
            if not counts:
                continue
            charts.activity[repo] = activity_chart(repo, counts, LANGUAGES)
            areas = areas_chart(repo, counts, LANGUAGES)
            if areas is not None:
                charts.areas[repo] = areas
        return charts

    def all(self) -> Iterator[Chart]:
        """Yield every picture."""
        yield from self.activity.values()
        yield from self.areas.values()
        yield from self.stories.values()

    def marks(self, repo: str | None = None) -> Iterator[str]:
        """Yield what changes with each picture, of one repository or of all."""
        for charts in (self.activity, self.areas):
            for name, chart in charts.items():
                if repo in (None, name):
                    yield chart.address
        for chart in self.stories.values():
            yield chart.address


class _WholeSite(NamedTuple):
    """What pages that are made from all reports have in common."""

    newest: list[Summary]  # The newest first
    key_of_label: dict[str, str]
    days_of_repo: dict[str, list[tuple[str, dict[str, Any]]]]
    stories: list[tuple[Story, str, str]]
    charts: Charts

    @classmethod
    def of(cls, summaries: Sequence[Summary]) -> "_WholeSite":
        newest = list(reversed(summaries))
        days_of_repo: dict[str, list[tuple[str, dict[str, Any]]]] = defaultdict(list)
        for summary in newest:
            if is_week(summary["label"]):
                continue
            for part in summary["repos"]:
                days_of_repo[part["repo"]].append((summary["label"], part))
        stories = told_stories(summaries, _MAX_STORIES, _MAX_REPO_DAYS)
        key_of_label = {summary["label"]: summary["key"] for summary in summaries}
        charts = Charts.of(days_of_repo, stories)
        return cls(newest, key_of_label, dict(days_of_repo), stories, charts)

    def keys(self, summaries: Iterable[Summary]) -> list[str]:
        """Return the keys of reports, which change with them."""
        return [summary["key"] for summary in summaries]

    def story_keys(self, stories: Iterable[tuple[Story, str, str]]) -> list[str]:
        """Return names of stories that change with the reports that tell them."""
        keys: list[str] = []
        for story, label, _ in stories:
            keys.append(f"{story_element_id(story)} {self.key_of_label[label]}")
        return keys


def _week_chart(label: str, model: WeekModel) -> Chart:
    """Draw what landed and broke in each repository on each day of a week."""
    days = [str(day) for day in days_of(label)]
    timezone = zone(model.page.report.window.tz)
    breaking = {item.row.id for item in model.page.breaking}
    rows: dict[str, list[WeekCell]] = {}
    for repo in model.page.report.repos:
        cells = dict.fromkeys(days, WeekCell(0, 0))
        for row in model.page.report.rows(repo):
            day = str(row.landed_at.astimezone(timezone).date())
            if day in cells:
                commits, breaks = cells[day]
                cells[day] = WeekCell(commits + 1, breaks + (row.id in breaking))
        rows[repo] = list(cells.values())
    return week_chart(label, days, rows, LANGUAGES)


def _has_breaks(summary: Summary) -> bool:
    """Return True if a day has something that breaks; a week's commits are told on their days."""
    if is_week(summary["label"]):
        return False
    return any(part["breaking"] for part in summary["repos"])


class _Frame(NamedTuple):
    """The parts of a page's frame, beside its language and depth."""

    here: str = ""  # The entry of the navigation that the page belongs to
    wide: bool = False
    scripts: tuple[str, ...] = ()


def asset(name: str) -> str:
    """Read a style or script of the site."""
    return files("gitzette.site").joinpath("assets", name).read_text("utf-8")


class Pages:
    """Writes pages.

    `assets` marks the style and the scripts, so that browsers take the new ones when they change.
    """

    def __init__(self, settings: Settings, assets: str) -> None:
        self.web = Web(settings.web)
        self._site_url = settings.site_url or ""
        self._lang = settings.lang
        self._assets = assets
        self._frames: dict[tuple[object, ...], list[str]] = {}

    def write(
        self, template: str, at: PageLocation, title: str = "", description: str = "", **values: Any
    ) -> str:
        """Return a page in its frame."""
        content = html_page(template, **self._context(at, **values))
        frame = _Frame(
            here=values.get("here", ""),
            wide=values.get("wide", False),
            scripts=values.get("scripts", ()),
        )
        return self._framed(at, title, description, content, frame)

    def _context(self, at: PageLocation, **values: Any) -> dict[str, Any]:
        """Return what templates of a page may use, with the macros that see the same."""
        words = catalogue(at.lang)
        context: dict[str, Any] = {
            "web": self.web,
            "assets": self._assets,
            "site_url": self._site_url,
            "day": "",
            "page": None,
            "s": words["site"],
            "w": words["page"],
            "signs": words["signs"],
            "words": words,
            "at": at,
        }
        context |= values
        context["m"] = html_environment().get_template("macros.html").make_module(context)
        return context

    def _framed(
        self, at: PageLocation, title: str, description: str, content: str, frame: _Frame
    ) -> str:
        """Return content in a frame, which is made once for each language, depth and kind."""
        key = (at.lang, at.root, frame)
        if key not in self._frames:
            languages = [(lang, catalogue(lang)["site"]) for lang in LANGUAGES]
            context = self._context(at, languages=languages, policy=POLICY, **frame._asdict())
            self._frames[key] = _GAP.split(html_page("base.html", **context))
        full_title = f"{title} · Gitzette" if title else "Gitzette"
        fillings = {
            "title": escape(clean(full_title.replace("`", ""))),
            "description": escape(clean(description or catalogue(at.lang)["site"]["motto"])),
            "file": at.file,
            "path": at.path.removeprefix("../"),
            "content": content,
        }
        pieces = []
        for number, piece in enumerate(self._frames[key]):
            pieces.append(fillings[piece] if number % 2 else piece)
        return "".join(pieces)

    def days(
        self, pages: Mapping[Language, PageModel], label: str, before: str, after: str
    ) -> Files:
        """Yield the pages of a report in all languages."""
        for page in pages.values():
            yield from self.day(page, label, before, after)

    def week(self, weeks: Mapping[Language, WeekModel], label: str) -> Files:
        """Yield the page of a week in all languages, and its picture."""
        chart: Chart | None = None
        for lang, model in weeks.items():
            chart = chart or _week_chart(label, model)
            at = PageLocation(lang, day_path(label))
            content = html_page(
                "week.html",
                **self._context(at, label=label, day="", chart=chart, **model._asdict()),
            )
            page = model.page
            title = page.news if page.lead else f"{label} · {page.scale}"
            frame = _Frame(here="days")
            yield SiteFile(at.file, self._framed(at, title, page.description, content, frame))
        if chart is not None:
            yield SiteFile(chart.path, chart.svg)

    def day(self, page: PageModel, label: str, before: str, after: str) -> Files:
        """Yield the pages of a report: its own, and one for each commit that has a card."""
        at = PageLocation(page.lang, day_path(label))
        context = self._context(
            at, page=page, day=at.to(at.path), label=label, before=before, after=after
        )
        macros = context["m"]
        articles: dict[EvidenceId, str] = {}
        for section in page.sections[:2]:
            for card in section.cards:
                for item in card.items:
                    headline = None if card.is_group else card.headline
                    articles[item.row.id] = macros.article(item, headline)
        context["articles"] = articles
        content = html_page("day.html", **context)
        title = page.news if page.lead else f"{label} · {page.scale}"
        description = f"{label}{page.words['signs']['colon']}{page.description}"
        yield SiteFile(at.file, self._framed(at, title, description, content, _Frame(here="days")))
        for name, article in articles.items():
            yield self._commit(page.items[name], article, page.lang, label, macros)

    def _commit(
        self, item: Item, article: str, lang: Language, label: str, macros: Any
    ) -> SiteFile:
        """Return the page of a commit: its article of the day, unfolded.

        Both pages lie equally deep, so that links stay as they are.
        """
        at = PageLocation(lang, item.path)
        text = str(article).replace("<h3>", "<h1>", 1).replace("</h3>", "</h1>", 1)
        text = text.replace('<details class="more">', '<details class="more" open>')
        text = text.replace("<!--brief-->", str(macros.sentences(item.in_brief)))
        before, after = macros.permalink(item, label).split("@@")
        title = f"{item.headline} · {item.row.repo} {item.row.sha[:7]}"
        description = " ".join(sentence.text for sentence in item.told[:2]).replace("`", "")
        content = f"{before}{text}{after}"
        return SiteFile(
            at.file, self._framed(at, title, description or item.headline, content, _Frame())
        )

    def month_part(
        self, month: str, summaries: Sequence[Summary], *, is_searched: bool
    ) -> MonthPart:
        """Return what lists have of a month, whose newest report comes first."""
        days: dict[Language, str] = {}
        for lang in LANGUAGES:
            at = PageLocation(lang, "days/index.html")
            context = self._context(at, month=month, summaries=summaries)
            days[lang] = html_page("days_of_month.html", **context)
        has_breaks = any(_has_breaks(summary) for summary in summaries)
        return MonthPart(month, days, has_breaks, is_searched)

    def breaking_of_month(self, month: str, summaries: Sequence[Summary]) -> Files:
        """Yield the page of what broke in a month in all languages."""
        breaking = [summary for summary in summaries if _has_breaks(summary)]
        if not breaking:
            return
        for lang in LANGUAGES:
            at = PageLocation(lang, breaking_path(month))
            title = f"{catalogue(lang)['site']['breaking']} · {month}"
            text = self.write(
                "breaking.html",
                at,
                title,
                here="breaking",
                summaries=breaking,
                month=month,
                months=(),
            )
            yield SiteFile(at.file, text)

    def together(
        self,
        summaries: Sequence[Summary],
        latest: LatestDay | None,
        kept_back: Sequence[Summary],
        parts: Sequence[MonthPart],
    ) -> Iterator[SharedFile]:
        """Yield the pages that are made from all reports."""
        site = _WholeSite.of(summaries)
        for chart in site.charts.all():
            yield SharedFile(chart.path, chart.address, partial(str, chart.svg))
        models: dict[Language, PageModel] = {}

        def latest_model(lang: Language) -> PageModel | None:
            if latest is not None and lang not in models:
                models[lang] = page_model(latest.read(), lang, self.web)
            return models.get(lang)

        recent = [summary for summary in site.newest if latest and summary["label"] != latest.label]
        recent = recent[:_MAX_RECENT_DAYS]
        front_inputs = [latest.key if latest else "", *site.keys(recent), *site.keys(kept_back)]
        front_inputs += site.charts.marks()
        fronts = [PageLocation(self._lang, "../index.html")]
        fronts += (PageLocation(lang, "index.html") for lang in LANGUAGES)
        for front in fronts:
            make = partial(self._front, front, latest_model, recent, kept_back, site.charts)
            yield SharedFile(front.file, " ".join((front.lang, *front_inputs)), make)
        for lang in LANGUAGES:
            yield from self._feeds(lang, site)
            yield from self._lists(lang, site, parts)
            for repo in site.days_of_repo:
                yield self._repository(lang, repo, site)

    def _lists(
        self, lang: Language, site: "_WholeSite", parts: Sequence[MonthPart]
    ) -> Iterator[SharedFile]:
        """Yield the lists of days, repositories, stories and breaks, and the search."""
        stories = site.stories[:_MAX_STORIES]
        breaking = [summary for summary in site.newest if _has_breaks(summary)]
        breaking = breaking[:_MAX_BREAKING_DAYS]
        breaking_months = [part.month for part in parts if part.has_breaks]
        values: dict[str, dict[str, Any]] = {
            "days": {"months": [part.days[lang] for part in parts]},
            "repos": {"by_repo": site.days_of_repo},
            "stories": {"stories": stories, "charts": site.charts},
            "breaking": {"summaries": breaking, "month": "", "months": breaking_months},
            "search": {"scripts": ("search.js",)},
        }
        all_keys = site.keys(site.newest)
        inputs = {
            "days": all_keys,
            "repos": all_keys,
            "stories": [*site.story_keys(stories), *site.charts.marks()],
            "breaking": [*site.keys(breaking), *breaking_months],
            "search": [],
        }
        for path, name in _LISTS.items():
            at = PageLocation(lang, path)
            title = catalogue(lang)["site"][name]
            make = partial(self.write, f"{name}.html", at, title, here=name, **values[name])
            yield SharedFile(at.file, " ".join(inputs[name]), make)

    def _repository(self, lang: Language, repo: str, site: "_WholeSite") -> SharedFile:
        at = PageLocation(lang, repo_path(repo))
        headlines: list[str] = []
        releases: list[tuple[str, Mapping[str, Any]]] = []
        all_days = site.days_of_repo[repo]
        for label, part in all_days:
            releases += ((label, line) for line in part["release_lines"])
            headlines += (highlight["name"][lang] for highlight in part["highlights"])
        title = f"{headlines[0]} · {repo}" if headlines else repo
        days = all_days[:_MAX_REPO_DAYS]
        stories = [entry for entry in site.stories if entry[0].repo == repo][:_MAX_REPO_DAYS]
        make = partial(
            self.write,
            "repo.html",
            at,
            title,
            repo=repo,
            days=days,
            releases=releases[:_MAX_RELEASES],
            stories=stories,
            charts=site.charts,
            here="repos",
        )
        inputs = [title, json.dumps(releases[:_MAX_RELEASES])]
        inputs += (site.key_of_label[label] for label, _ in days)
        inputs += site.story_keys(stories)
        inputs += site.charts.marks(repo)
        return SharedFile(at.file, " ".join(inputs), make)

    def _front(
        self,
        at: PageLocation,
        latest_model: Callable[[Language], PageModel | None],
        recent: Sequence[Summary],
        kept_back: Sequence[Summary],
        charts: Charts,
    ) -> str:
        page = latest_model(at.lang)
        if page is None:
            return self.write("front.html", at, wide=True)
        label = page.report.window.label
        return self.write(
            "front.html",
            at,
            page.news,
            page.description,
            wide=True,
            page=page,
            label=label,
            day=at.to(day_path(label)),
            days=recent,
            kept_back=kept_back,
            charts=charts,
        )

    def _feeds(self, lang: Language, site: "_WholeSite") -> Iterator[SharedFile]:
        """Yield the Atom feeds of a language, of all reports and of what breaks."""
        newest = sorted(
            site.newest, key=lambda summary: (summary["end"], summary["label"]), reverse=True
        )
        newest = newest[:_MAX_FEED_ENTRIES]
        for name in ("feed.xml", "breaking.xml"):
            at = PageLocation(lang, name)
            yield SharedFile(at.file, " ".join(site.keys(newest)), partial(self._feed, at, newest))

    def _feed(self, at: PageLocation, newest: Sequence[Summary]) -> str:
        """Return an Atom feed; its links are absolute where the site knows where it will lie."""
        base = f"{self._site_url}/{at.lang}/"
        context = self._context(
            at,
            newest=newest,
            base=base if self._site_url else "",
            max_breaks=_MAX_FEED_ENTRIES,
            id=lambda path: uuid5(NAMESPACE_URL, f"{base}{path}"),
        )
        return html_page(at.path, **context)
