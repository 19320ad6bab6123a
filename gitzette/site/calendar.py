"""The archive as a calendar: a month is a small table, a day with a report a link, darker the more landed."""

from calendar import Calendar
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date

from gitzette.site.html import Child, Markup, join, link, tag
from gitzette.site.names import day_path
from gitzette.site.shell import Scene, page
from gitzette.site.summary import Summary

_STEPS = 4


def archive_page(summaries: Sequence[Summary], scene: Scene) -> str:
    """List every report."""
    own = scene.labels
    content = join(tag("h1", own.days), tag("p", own.archive_note, class_="summary"), months(summaries, scene))
    return page(scene, f"{own.days} · Gitzette", content, here="days")


def months(summaries: Sequence[Summary], scene: Scene) -> Markup:
    """Draw the months, newest first, and name reports that are not of one day below them."""
    days = {one.label: one for one in summaries if len(one.label) == 10}
    ranges = [one for one in summaries if len(one.label) != 10]
    by_month: dict[str, dict[int, Summary]] = defaultdict(dict)
    for label, one in days.items():
        by_month[one.month][date.fromisoformat(label).day] = one
    most = max((one.landed for one in days.values()), default=0)
    drawn = [_month(name, by_month[name], most, scene) for name in sorted(by_month, reverse=True)]
    others = [tag("li", link(scene.place.to(day_path(one.label)), one.label)) for one in reversed(ranges)]
    return join(tag("div", drawn, class_="calendar"), tag("ul", others, class_="lines") if others else None)


def _month(name: str, days: Mapping[int, Summary], most: int, scene: Scene) -> Markup:
    own = scene.labels
    year, month = int(name[:4]), int(name[5:7])
    head = [
        tag(
            "th",
            tag("abbr", own.weekdays[at][-1:] if scene.lang == "zh" else own.weekdays[at][:2], title=name),
            scope="col",
        )
        for at, name in enumerate(own.weekdays)
    ]
    weeks = [
        tag("tr", [_day(day, days.get(day), most, scene) for day in week])
        for week in Calendar().monthdayscalendar(year, month)
    ]
    caption = tag("caption", own.month(name))
    return tag("table", caption, tag("thead", tag("tr", head)), tag("tbody", weeks), class_="month")


def _day(day: int, summary: Summary | None, most: int, scene: Scene) -> Markup:
    if not day:
        return tag("td")
    if summary is None:
        return tag("td", day)
    step = min(_STEPS, -(-summary.landed * _STEPS // most)) if most else 0
    landed = f"{summary.landed} {scene.labels.landed}"
    name: Child = (day, tag("span", f" {landed}", class_="unseen"))
    return tag("td", link(scene.place.to(day_path(summary.label)), name, title=landed, class_=f"heat-{step}"))
