"""The front page: what stands out on the latest day over all repositories, what goes on, and the archive."""

from collections.abc import Sequence
from dataclasses import dataclass

from agent.layouts.rows import counted_commits
from agent.layouts.view import View, row_id

from agent.report import LedgerRow, Report
from agent.stories import Story
from agent.triage import Tier
from gitzette.site.analysis import brief
from gitzette.site.calendar import months
from gitzette.site.cites import Sources
from gitzette.site.commits import BREAKING, Commits, badge
from gitzette.site.day import highlighted, title_of
from gitzette.site.figures import kinds_plot
from gitzette.site.html import Child, Markup, join, link, tag
from gitzette.site.names import anchor, day_path, repo_path
from gitzette.site.plots import drawn
from gitzette.site.shell import Scene, page
from gitzette.site.summary import Summary
from gitzette.site.timelines import timeline

_LAST_DAYS = 30
_LEAST = 9
_MOST_STORIES = 2


@dataclass(frozen=True)
class Latest:
    """The report that the front page shows, and newer ones of which too much is missing."""

    report: Report
    kept_back: tuple[str, ...] = ()


def front_page(latest: Latest | None, summaries: Sequence[Summary], scene: Scene) -> str:
    """Write the page."""
    if latest is None:
        content = join(tag("h1", "Gitzette"), tag("p", scene.labels.no_reports, class_="quiet"))
    else:
        content = Front(latest, scene).content(summaries)
    return page(scene, "Gitzette", content, here="front", wide=True)


class Front:
    """The front page while it is written."""

    def __init__(self, latest: Latest, scene: Scene) -> None:
        self._latest = latest
        self._scene = scene
        self._label = latest.report.window.label
        self._day = scene.place.to(day_path(self._label))
        self._view = View(latest.report, scene.lang, scene.web)
        self._sources = Sources(self._view, self._day)
        self._commits = Commits(self._view, self._sources)

    def content(self, summaries: Sequence[Summary]) -> Markup:
        """Write everything between the masthead and the footer."""
        own = self._scene.labels
        rows = highlighted(self._view, _LEAST)
        single = [one for one in summaries if len(one.label) == 10]
        return join(
            tag("p", own.latest, class_="kicker"),
            tag("h1", link(self._day, title_of(self._label, self._scene))),
            self._warning(),
            brief(self._sources),
            tag("div", self._articles(rows), self._beside(summaries), class_="front"),
            tag("div", drawn(kinds_plot(single, self._scene, last=_LAST_DAYS)), class_="plots")
            if len(single) > 1
            else None,
            tag("section", tag("h2", self._scene.say.archive), months(summaries, self._scene), class_="archive"),
        )

    def _warning(self) -> Markup | None:
        if not self._latest.kept_back:
            return None
        told = self._scene.labels.kept_back.format(", ".join(self._latest.kept_back))
        return tag("aside", tag("p", told), class_="warning", aria_label=told)

    def _articles(self, rows: Sequence[LedgerRow]) -> Markup:
        own = self._scene.labels
        if not rows:
            return tag("section", tag("h2", self._scene.say.highlights, class_="unseen"), tag("p", own.no_news))
        articles = [self._article(row, first=at == 0) for at, row in enumerate(rows)]
        more = tag("p", link(self._day, own.whole_day, " →"), class_="onwards")
        heading = tag("h2", self._scene.say.highlights, class_="unseen")
        return tag("section", heading, tag("div", articles, class_="articles"), more, class_="news")

    def _article(self, row: LedgerRow, *, first: bool) -> Markup:
        mark = self._commits.mark(row)
        return tag(
            "article",
            tag("p", mark, " ", tag("span", row.repo, class_="repo"), class_="kicker"),
            tag("h3", self._commits.names.link(row, f"{self._day}#{anchor(row_id(row))}")),
            tag("div", self._commits.lead(row), class_="lead"),
            self._commits.consequences(row) if first else None,
            self._commits.excerpt(row) if first else None,
            class_="first" if first else None,
        )

    def _beside(self, summaries: Sequence[Summary]) -> Markup:
        own = self._scene.labels
        summary = next((one for one in summaries if one.label == self._label), None)
        parts: list[Child] = [(tag("h2", own.numbers), self._numbers(summary))] if summary else []
        if summary:
            parts.append((tag("h2", own.repos), self._repos(summary)))
        stories = self._stories()
        if stories:
            parts.append((tag("h2", link(self._scene.place.to("stories.html"), own.stories)), stories))
        return tag("div", parts, class_="beside")

    def _numbers(self, summary: Summary) -> Markup:
        own = self._scene.labels
        entries = (
            (summary.landed, own.landed),
            (summary.count(Tier.HIGH), own.acted),
            (summary.claims, own.claims),
            (summary.citations, own.checked),
        )
        return tag("dl", [tag("div", tag("dt", name), tag("dd", value)) for value, name in entries], class_="numbers")

    def _repos(self, summary: Summary) -> Markup:
        rows = []
        for one in summary.repos:
            name = link(self._scene.place.to(repo_path(one.repo)), one.repo)
            releases = [(" ", tag("code", released)) for released in one.releases]
            say = self._scene.say
            marks = (badge("breaking", BREAKING, f"{one.breaking} {say.breaking}"), " · ") if one.breaking else None
            count = tag("span", marks, counted_commits(one.landed, say), class_="count")
            rows.append(tag("li", name, releases, " ", count))
        return tag("ul", rows, class_="repos")

    def _stories(self) -> list[Markup]:
        """Draw those stories that have a past: what only began today is among the news."""
        view = self._view
        going_on = [story for story in view.report.stories if _has_past(story)]
        chosen = sorted(going_on, key=lambda story: -len(story.timeline))[:_MOST_STORIES]
        tz = view.report.window.tz
        return [timeline(one, view.lang, view.web, tz, level="h3", day=None, most=4) for one in chosen]


def _has_past(story: Story) -> bool:
    return len(story.timeline) > 1 and any(step.cite not in story.news for step in story.timeline)
