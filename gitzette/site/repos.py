"""The pages of repositories: what each did over time, what stood out, its stories and releases."""

from collections.abc import Mapping, Sequence

from agent.ids import RepoId
from agent.triage import Tier
from gitzette.site.commits import BREAKING, SHAPES, badge
from gitzette.site.figures import breaking_plot, kinds_plot
from gitzette.site.html import Markup, join, link, prose, tag
from gitzette.site.names import day_path, repo_path
from gitzette.site.plots import drawn
from gitzette.site.shell import Scene, page
from gitzette.site.summary import Highlight, RepoDay, Summary
from gitzette.site.tales import Tale, drawn_tale

_MOST_DAYS = 30
_MOST_STORIES = 10


def repos_of(summaries: Sequence[Summary]) -> list[RepoId]:
    """List every repository that a report speaks of."""
    return sorted({part.repo for one in summaries for part in one.repos}, key=str.lower)


def repos_page(summaries: Sequence[Summary], scene: Scene) -> str:
    """List the repositories with what is known of each in numbers."""
    own = scene.labels
    landed: dict[RepoId, int] = {}
    latest: dict[RepoId, str] = {}
    for one in summaries:
        for part in one.repos:
            landed[part.repo] = landed.get(part.repo, 0) + part.landed
            latest[part.repo] = max(latest.get(part.repo, ""), one.day)
    head = tag("tr", [tag("th", name, scope="col") for name in (own.repo, own.latest_day, own.commits)])
    rows = [
        tag(
            "tr",
            tag("th", link(scene.place.to(repo_path(repo)), repo), scope="row"),
            tag("td", latest[repo]),
            tag("td", landed[repo]),
        )
        for repo in repos_of(summaries)
    ]
    table = tag(
        "table", tag("caption", own.repos, class_="unseen"), tag("thead", head), tag("tbody", rows), class_="plain"
    )
    return page(scene, f"{own.repos} · Gitzette", tag("h1", own.repos), table, here="repos")


def repo_page(repo: RepoId, summaries: Sequence[Summary], tales: Sequence[Tale], scene: Scene) -> str:
    """Write a repository's page; `summaries` are all, oldest first."""
    single = [one for one in summaries if len(one.label) == 10]
    days = {one.label: part for one in single for part in one.repos if part.repo == repo}
    own = [tale for tale in tales if tale.story.repo == repo][:_MOST_STORIES]
    covered = [one for one in single if one.label in days]
    content = join(
        tag("h1", repo),
        tag("p", link(scene.web.repo(repo), scene.labels.open_source, rel="noreferrer"), class_="summary"),
        drawn(kinds_plot(covered, scene, repo)) if covered else None,
        drawn(breaking_plot(covered, scene, repo)) if covered else None,
        _releases(repo, days, scene),
        _days(days, scene),
        tag("section", tag("h2", scene.labels.stories), [drawn_tale(tale, scene, "h3") for tale in own])
        if own
        else None,
    )
    return page(scene, f"{repo} · Gitzette", content, here="repos")


def _days(days: Mapping[str, RepoDay], scene: Scene) -> Markup:
    recent = list(days.items())[::-1][:_MOST_DAYS]
    items = [_day(label, part, scene) for label, part in recent]
    return tag("section", tag("h2", scene.labels.days), items, class_="days")


def _day(label: str, part: RepoDay, scene: Scene) -> Markup:
    say, address = scene.say, scene.place.to(day_path(label))
    counts = " · ".join(
        f"{SHAPES[tier]} {part.tiers[tier.value]} {say.tiers[tier]}" for tier in Tier if part.tiers.get(tier.value)
    )
    shown = [_highlight(one, address, scene) for one in part.highlights]
    return tag(
        "section",
        tag("h3", link(address, label)),
        tag("p", counts or say.commits.format(part.landed), class_="meta"),
        tag("ul", shown, class_="lines") if shown else None,
    )


def _highlight(one: Highlight, address: str, scene: Scene) -> Markup:
    say = scene.say
    mark = (
        badge("breaking", BREAKING, say.breaking)
        if one.breaking
        else badge(one.tier.value, SHAPES[one.tier], say.tiers[one.tier])
    )
    lead = one.lead.get(scene.lang, "")
    return tag(
        "li",
        mark,
        " ",
        link(f"{address}#{one.anchor}", prose(one.name(scene.lang))),
        (" — ", prose(lead)) if lead else None,
    )


def _releases(repo: RepoId, days: Mapping[str, RepoDay], scene: Scene) -> Markup | None:
    found = [(label, released) for label, part in reversed(list(days.items())) for released in part.releases][
        :_MOST_DAYS
    ]
    if not found:
        return None
    items = [
        tag("li", link(scene.web.release(repo, released), tag("code", released), rel="noreferrer"), " ", label)
        for label, released in found
    ]
    return tag("section", tag("h2", scene.say.releases), tag("ul", items, class_="lines"))
