"""The page of figures: what landed, what broke, how fast issues are fixed, and how careful our own reports are."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta

from agent.ids import RepoId
from agent.report import Depth
from gitzette.site.html import Markup, join, tag
from gitzette.site.plots import Bar, Plot, drawn
from gitzette.site.shell import Scene, page
from gitzette.site.summary import RepoDay, Summary

_MOST_DAYS = 45
_WEEKS = 53
_LIMITS = (1, 3, 7, 30, 90)
_KINDS = ("feature", "fix", "speed", "upkeep", "other")


def figures_page(summaries: Sequence[Summary], scene: Scene) -> str:
    """Draw all plots over all repositories; `summaries` are those of single days, oldest first."""
    own = scene.labels
    content = join(
        tag("h1", own.figures),
        drawn(kinds_plot(summaries, scene)),
        drawn(breaking_plot(summaries, scene)),
        latency(summaries, scene),
        drawn(_reading(summaries, scene)),
        drawn(_accuracy(summaries, scene)),
    )
    return page(scene, f"{own.figures} · Gitzette", content, here="figures")


def kinds_plot(summaries: Sequence[Summary], scene: Scene, repo: RepoId | None = None, last: int = 0) -> Plot:
    """Plot what landed by kind: by days where they are few, else by weeks."""
    own = scene.labels
    chosen = summaries[-last:] if last else summaries
    counted = {one.day: Counter[str]() for one in chosen}
    for one in chosen:
        for part in _parts(one, repo):
            counted[one.day].update(part.kinds)
    bars = _bars(counted, scene)
    return Plot(
        id="kinds",
        title=own.plot_kinds,
        note=own.plot_kinds_note,
        parts={kind: own.kinds[kind] for kind in _KINDS},
        bars=bars,
        column=own.day,
        table=own.data_table,
    )


def breaking_plot(summaries: Sequence[Summary], scene: Scene, repo: RepoId | None = None) -> Plot:
    """Plot breaking changes by weeks."""
    own = scene.labels
    weeks = _by_week({one.day: Counter(breaking=sum(part.breaking for part in _parts(one, repo))) for one in summaries})
    return Plot(
        id="breaking",
        title=own.plot_breaking,
        note=own.plot_breaking_note,
        parts={"breaking": scene.say.breaking},
        bars=_named(weeks, lambda day: own.week_of.format(day)),
        column=own.per_week,
        table=own.data_table,
    )


def latency(summaries: Sequence[Summary], scene: Scene) -> Markup:
    """Plot how long issues took to be fixed, where both ends are known."""
    own = scene.labels
    waited = days_to_fix(summaries)
    if not waited:
        return tag("section", tag("h2", own.plot_latency), tag("p", own.no_latency, class_="quiet"))
    counted = Counter(next((at for at, limit in enumerate(_LIMITS) if days <= limit), len(_LIMITS)) for days in waited)
    plot = Plot(
        id="latency",
        title=own.plot_latency,
        note=f"{own.plot_latency_note} (n = {len(waited)})",
        parts={"fix": own.kinds["fix"]},
        bars=[Bar(name, name, {"fix": counted[at]}) for at, name in enumerate(own.within)],
        column=own.plot_latency,
        table=own.data_table,
    )
    return drawn(plot)


def days_to_fix(summaries: Sequence[Summary]) -> list[float]:
    """Give for each issue of which both are known the days from its opening to its first fix."""
    opened = {issue: at for one in reversed(summaries) for issue, at in one.opened.items()}
    fixed = {issue: at for one in reversed(summaries) for issue, at in one.fixed.items()}
    waited = ((at - opened[issue]).total_seconds() / 86_400 for issue, at in fixed.items() if issue in opened)
    return [days for days in waited if days >= 0]


def _reading(summaries: Sequence[Summary], scene: Scene) -> Plot:
    own, say = scene.labels, scene.say
    counted = {one.day: Counter(one.depths) for one in summaries}
    shares = [
        Bar(bar.label, bar.name, {key: round(100 * value / whole, 1) for key, value in bar.parts.items()})
        for bar in _bars(counted, scene)
        if (whole := sum(bar.parts.values()))
    ]
    return Plot(
        id="reading",
        title=own.plot_reading,
        note=own.plot_reading_note,
        parts={depth.value: say.depths[depth] for depth in Depth},
        bars=shares,
        column=own.day,
        percent=True,
        table=own.data_table,
    )


def _accuracy(summaries: Sequence[Summary], scene: Scene) -> Plot:
    own = scene.labels
    counted = {one.day: Counter(passed=one.claims, refused=one.refused) for one in summaries}
    claims, refused = sum(one.claims for one in summaries), sum(one.refused for one in summaries)
    citations = sum(one.citations for one in summaries)
    told = own.accuracy.format(claims=claims, refused=refused, citations=citations)
    return Plot(
        id="accuracy",
        title=own.plot_accuracy,
        note=f"{own.plot_accuracy_note} {told}",
        parts={"passed": own.passed, "refused": own.refused},
        bars=_bars(counted, scene),
        column=own.day,
        table=own.data_table,
    )


def _parts(summary: Summary, repo: RepoId | None) -> list[RepoDay]:
    return [part for part in summary.repos if repo is None or part.repo == repo]


def _bars(counted: Mapping[str, Counter[str]], scene: Scene) -> list[Bar]:
    if len(counted) > _MOST_DAYS:
        return _named(_by_week(counted), lambda day: scene.labels.week_of.format(day))
    return _named(counted, lambda day: day)


def _named(counted: Mapping[str, Counter[str]], name: Callable[[str], str]) -> list[Bar]:
    return [Bar(day[5:], name(day), dict(parts)) for day, parts in counted.items()]


def _by_week(counted: Mapping[str, Counter[str]]) -> dict[str, Counter[str]]:
    """Add up by weeks that begin on Monday; a week without a report stands as an empty one."""
    weeks: dict[date, Counter[str]] = {}
    for name, parts in counted.items():
        day = date.fromisoformat(name)
        weeks.setdefault(day - timedelta(days=day.weekday()), Counter()).update(parts)
    if not weeks:
        return {}
    last = max(weeks)
    first = max(min(weeks), last - timedelta(weeks=_WEEKS - 1))
    days = (first + timedelta(weeks=at) for at in range((last - first).days // 7 + 1))
    return {day.isoformat(): weeks.get(day, Counter()) for day in days}
