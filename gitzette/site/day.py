"""The page of one day: everything that a report says, each statement with its evidence."""

from dataclasses import dataclass
from datetime import date

from agent.layouts.account import account
from agent.layouts.rows import counted_commits
from agent.layouts.view import View, row_id

from agent.claims import Claim, Role
from agent.domain import Notice
from agent.report import LedgerRow, Report, RepoSection
from agent.report_counts import footer_counts
from agent.triage import Noise, Tier
from agent.window import zone
from gitzette.site.analysis import brief, sentences
from gitzette.site.cites import Sources
from gitzette.site.commits import SHAPES, Commits, badge, counted
from gitzette.site.html import Child, Markup, fill, join, link, prose, tag
from gitzette.site.names import anchor, day_path, repo_path, section_anchor
from gitzette.site.shell import Scene, page
from gitzette.site.threads import Threads
from gitzette.site.timelines import timeline

_MOST, _LEAST = 12, 3
_LEAST_STEPS = 2


@dataclass(frozen=True)
class Neighbours:
    """The reports before and after one, by their labels."""

    before: str | None = None
    after: str | None = None


def day_page(report: Report, scene: Scene, neighbours: Neighbours) -> str:
    """Write the page."""
    return page(scene, f"{report.window.label} · Gitzette", DayPage(report, scene).content(neighbours), here="days")


def title_of(label: str, scene: Scene) -> str:
    """Write a report's day in words; a range stays as it is."""
    try:
        return scene.labels.date(date.fromisoformat(label))
    except ValueError:
        return label


def highlighted(view: View, least: int = _LEAST) -> list[LedgerRow]:
    """Choose what everybody should see: the top tier of all repositories, and more where that is less than `least`."""
    repos = [section.repo for section in view.report.sections]
    high, mid = (
        sorted((row for repo in repos for row in view.items(repo, tier)), key=view.order)
        for tier in (Tier.HIGH, Tier.MID)
    )
    return [*high[:_MOST], *mid[: max(0, least - len(high))]]


class DayPage:
    """One report while its page is written."""

    def __init__(self, report: Report, scene: Scene) -> None:
        self._scene = scene
        self._view = View(report, scene.lang, scene.web)
        self._sources = Sources(self._view)
        self._commits = Commits(self._view, self._sources)
        self._threads = Threads(self._view, self._sources)
        self._say = scene.say
        self._rows = {row_id(row): row for row in report.ledger}

    def content(self, neighbours: Neighbours) -> Markup:
        """Write everything between the masthead and the footer."""
        report = self._view.report
        return join(
            tag("h1", title_of(report.window.label, self._scene)),
            tag("p", self._summary(), class_="summary"),
            self._neighbours(neighbours),
            self._failures(),
            brief(self._sources),
            self._highlights(),
            self._contents(),
            [self._section(section) for section in report.sections],
            self._account(),
            self._neighbours(neighbours),
        )

    def _summary(self) -> str:
        report, say = self._view.report, self._say
        window, where = report.window, zone(report.window.tz)
        start, end = (f"{at.astimezone(where):%Y-%m-%d %H:%M}" for at in (window.start, window.end))
        parts = [say.period.format(start=start, end=end, tz=window.tz)]
        if window.cutoff is not None:
            parts.append(say.partial.format(f"{window.cutoff.astimezone(where):%Y-%m-%d %H:%M}"))
        counts = footer_counts(report)
        parts.append(say.one_repo if len(report.repos) == 1 else say.repos.format(len(report.repos)))
        parts.append(say.landed.format(counted_commits(counts["landed"], say)))
        if counts["late"]:
            parts.append(say.late_total.format(counts["late"]))
        return " · ".join(parts)

    def _neighbours(self, neighbours: Neighbours) -> Markup | None:
        own, place = self._scene.labels, self._scene.place
        before, after = neighbours.before, neighbours.after
        ways = [
            link(place.to(day_path(before)), "← ", own.previous, " ", before, rel="prev") if before else None,
            link(place.to(day_path(after)), own.next, " ", after, " →", rel="next") if after else None,
        ]
        return tag("nav", ways, class_="neighbours", aria_label=own.day_nav) if any(ways) else None

    def _failures(self) -> Markup | None:
        report, say = self._view.report, self._say
        if not report.failures:
            return None
        told = [
            tag("li", fill(say.failed[one.stage], repo=one.repo, message=tag("code", one.message)))
            for one in report.failures
        ]
        return tag("aside", tag("p", say.incomplete), tag("ul", told), class_="warning", aria_label=say.incomplete)

    def _highlights(self) -> Markup | None:
        rows = highlighted(self._view)
        if not rows:
            return tag("p", self._scene.labels.no_news, class_="quiet")
        several = len(self._view.report.sections) > 1
        items = [self._highlight(row, several=several) for row in rows]
        heading = tag("h2", self._say.highlights)
        return tag("section", heading, tag("ol", items), class_="highlights")

    def _highlight(self, row: LedgerRow, *, several: bool) -> Markup:
        mark = self._commits.mark(row)
        whose = (" ", tag("span", row.repo, class_="repo")) if several else None
        heading = self._commits.names.link(row, f"#{anchor(row_id(row))}", class_="title")
        return tag(
            "li", tag("p", mark, whose, class_="kicker"), heading, tag("div", self._commits.lead(row), class_="lead")
        )

    def _contents(self) -> Markup:
        report, say = self._view.report, self._say
        items = []
        for section in report.sections:
            counts = {tier: self._view.count(section.repo, tier) for tier in Tier}
            marks = [
                (" ", badge(tier.value, SHAPES[tier], f"{counts[tier]} {say.tiers[tier]}"))
                for tier in (Tier.HIGH, Tier.MID)
                if counts[tier]
            ]
            name = link(f"#{section_anchor(section.repo)}", section.repo)
            items.append(tag("li", name, " ", counted_commits(len(self._view.rows(section.repo)), say), marks))
        heading = tag("h2", self._scene.labels.on_page, class_="minor")
        return tag("nav", heading, tag("ul", items), class_="contents", aria_label=self._scene.labels.on_page)

    def _section(self, section: RepoSection) -> Markup:
        name = link(self._scene.place.to(repo_path(section.repo)), section.repo)
        return tag(
            "section",
            tag("h2", name),
            sentences(self._view.summary(section.repo), self._sources),
            tag("p", self._section_summary(section), class_="summary"),
            [tag("p", self._notice(notice), class_="notice") for notice in section.notices],
            [self._tier(section, tier) for tier in (Tier.HIGH, Tier.MID)],
            self._stories(section),
            self._lines(section),
            self._threads.releases(section),
            self._threads.issues(section),
            id=section_anchor(section.repo),
            class_="repository",
        )

    def _section_summary(self, section: RepoSection) -> Markup | str:
        say, web = self._say, self._view.web
        rows = [row for row in self._view.rows(section.repo) if not row.late]
        if section.tip is None:
            return say.empty
        branch = tag("code", section.branch)
        if not rows:
            return fill(say.nothing, branch=branch)
        return fill(
            say.branch,
            commits=counted_commits(len(rows), say),
            branch=branch,
            tip=link(web.commit(section.repo, section.tip), tag("code", self._view.tip(section)), rel="noreferrer"),
            files=sum(row.files or 0 for row in rows),
            additions=sum(row.additions or 0 for row in rows),
            deletions=sum(row.deletions or 0 for row in rows),
        )

    def _notice(self, notice: Notice) -> Markup:
        return fill(self._say.notices[notice.kind], *(tag("code", one) for one in notice.about))

    def _tier(self, section: RepoSection, tier: Tier) -> Markup | None:
        rows = self._view.items(section.repo, tier)
        if not rows:
            return None
        heading = tag("h3", badge(tier.value, SHAPES[tier], self._say.tiers[tier]), " ", self._count(rows))
        return tag("section", heading, [self._commits.full(row) for row in rows], class_="tier")

    def _stories(self, section: RepoSection) -> Markup | None:
        view = self._view
        found = [one for one in view.report.stories if one.repo == section.repo and len(one.timeline) >= _LEAST_STEPS]
        if not found:
            return None
        tz = view.report.window.tz
        drawn = [timeline(one, view.lang, view.web, tz, level="h4", day=None) for one in found]
        return tag("section", tag("h3", self._say.stories, " ", counted(len(found))), drawn, class_="stories")

    def _lines(self, section: RepoSection) -> Markup:
        say, view = self._say, self._view
        low, unread = view.items(section.repo, Tier.LOW), view.items(section.repo, None)
        folded = view.items(section.repo, Tier.NOISE)
        parts: list[Child] = []
        if low:
            heading = tag("h3", badge("low", SHAPES[Tier.LOW], say.tiers[Tier.LOW]), " ", self._count(low))
            parts.append((heading, tag("ul", [self._commits.line(row) for row in low], class_="lines")))
        if unread:
            items = [self._commits.line(row) for row in unread]
            parts.append((tag("h3", say.not_read, " ", self._count(unread)), tag("ul", items, class_="lines")))
        if folded:
            groups = [self._folded(noise, [row for row in folded if row.noise is noise]) for noise in (*Noise, None)]
            parts.append((tag("h3", badge("noise", SHAPES[Tier.NOISE], say.folded), " ", self._count(folded)), groups))
        return join(parts)

    def _folded(self, noise: Noise | None, rows: list[LedgerRow]) -> Markup | None:
        if not rows:
            return None
        name = self._say.noises[noise] if noise else self._say.folded
        lines = tag("ul", [self._commits.plain(row) for row in rows], class_="lines")
        return tag("details", tag("summary", name, " ", self._count(rows)), lines, class_="folded")

    def _account(self) -> Markup:
        lines = account(self._view, [claim for claim in self._view.report.claims if self._is_shown(claim)])
        return tag("aside", [tag("p", prose(one)) for one in lines], class_="account", aria_label=self._say.statistics)

    def _is_shown(self, claim: Claim) -> bool:
        """Tell whether a claim stands on the page: analysis in its language, and what does not repeat analysis."""
        if claim.free:
            return bool(claim.text.get(self._view.lang))
        row = self._rows.get(claim.about[0]) if claim.about and claim.role in (Role.RISK, Role.ADVICE) else None
        return row is None or claim in self._view.consequences(row, claim.role)

    def _count(self, rows: list[LedgerRow]) -> Markup:
        return counted(self._view.commits(rows))
