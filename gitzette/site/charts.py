"""Charts of the site as SVG files: no script, colours for both themes, words in their `alt`."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from html import escape
from typing import Any, NamedTuple

from agent.domain.base import Language
from agent.domain.links import Story
from agent.domain.window import zone
from agent.markdown import visible
from agent.report_languages import catalogue
from gitzette.render.page_addresses import chart_path, mark_of, story_element_id

DAYS_SHOWN = 30  # Of a repository, up to the newest report
_MAX_AREAS = 6
_MAX_AREA_NAME = 30  # Characters that fit beside the bars
_STYLE = (
    "text{font:11px system-ui,sans-serif;fill:#5d5850}"
    ".bar{fill:#8a8378}.break{fill:#a3161b}.rule{stroke:#b8b1a4}.past{fill:#fcfbf8}"
    ".step{stroke:#5d5850;stroke-width:1.5}.news{fill:#1c1a17}.undone{fill:#a3161b}"
    "@media(prefers-color-scheme:dark){text{fill:#aba497}.bar{fill:#8f887c}.break{fill:#ff8f86}"
    ".rule{stroke:#55505c}.past{fill:#17161a}.step{stroke:#aba497}.news{fill:#e9e4da}"
    ".undone{fill:#ff8f86}}"
)


class DayCount(NamedTuple):
    """The counts of a repository in one report."""

    day: str
    commits: int
    breaks: int
    areas: Mapping[str, int]  # Changed lines by folder


class Chart(NamedTuple):
    """A picture with its file from the root of the site, its size and its words by language."""

    path: str
    width: int
    height: int
    svg: str
    alt: Mapping[Language, str]

    @property
    def address(self) -> str:
        """The file with a mark of its content, so that browsers take a new picture."""
        return f"{self.path}?v={mark_of(self.svg, 4)}"


class _Drawing:
    """Collects the shapes of a picture; all text is escaped."""

    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self.height = height
        self._shapes: list[str] = []

    def rect(self, x: float, y: float, width: float, height: float, kind: str, **more: Any) -> None:
        """Add a rectangle."""
        size = f'width="{width:g}" height="{height:g}"'
        self._shapes.append(f'<rect class="{kind}" x="{x:g}" y="{y:g}" {size}{_given(more)}/>')

    def line(self, x1: float, y1: float, x2: float, y2: float) -> None:
        """Add a quiet line."""
        ends = f'x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}"'
        self._shapes.append(f'<line class="rule" {ends}/>')

    def circle(self, x: float, y: float, radius: float, kind: str) -> None:
        """Add a dot."""
        self._shapes.append(f'<circle class="{kind}" cx="{x:g}" cy="{y:g}" r="{radius:g}"/>')

    def polygon(self, points: Sequence[tuple[float, float]], kind: str) -> None:
        """Add a shape with corners."""
        corners = " ".join(f"{x:g},{y:g}" for x, y in points)
        self._shapes.append(f'<polygon class="{kind}" points="{corners}"/>')

    def text(self, x: float, y: float, words: str, **more: Any) -> None:
        """Add words."""
        escaped = escape(visible(words))
        self._shapes.append(f'<text x="{x:g}" y="{y:g}"{_given(more)}>{escaped}</text>')

    def svg(self) -> str:
        """Return the picture as a file."""
        box = f'viewBox="0 0 {self.width} {self.height}"'
        size = f'width="{self.width}" height="{self.height}"'
        shapes = "\n".join(self._shapes)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" {box} {size}>\n'
            f"<style>{_STYLE}</style>\n{shapes}\n</svg>\n"
        )


def _given(more: Mapping[str, Any]) -> str:
    attributes = ""
    for name, value in more.items():
        attributes += f' {name.replace("_", "-")}="{escape(str(value))}"'
    return attributes


def _chart(path: str, drawing: _Drawing, alt: Mapping[Language, str]) -> Chart:
    return Chart(path, drawing.width, drawing.height, drawing.svg(), alt)


def _words(languages: Iterable[Language]) -> Iterator[tuple[Language, dict[str, str]]]:
    for lang in languages:
        yield lang, catalogue(lang)["charts"]


# ---------------------------------------------------------------- commits and breaks by day


def activity_chart(repo: str, days: Sequence[DayCount], languages: Sequence[Language]) -> Chart:
    """Return commits and breaks of a repository by day, for the last days up to its newest."""
    counts = {count.day: count for count in days}
    last = date.fromisoformat(max(counts))
    chart_days = [str(last - timedelta(days=age)) for age in reversed(range(DAYS_SHOWN))]
    drawing = _Drawing(DAYS_SHOWN * 6, 36)
    drawing.line(0, 35.5, drawing.width, 35.5)
    max_commits = max(count.commits for count in counts.values()) or 1
    for position, day in enumerate(chart_days):
        count = counts.get(day)
        if count is None:
            continue
        left = position * 6 + 1
        height = 26 * count.commits / max_commits
        drawing.rect(left, 35 - height, 4, height, "bar")
        if count.breaks:
            share = max(2.0, 26 * count.breaks / max_commits)
            drawing.rect(left, 35 - share, 4, share, "break")
            top = 35 - height
            corners = ((left - 1, top - 2), (left + 5, top - 2), (left + 2, top - 7))
            drawing.polygon(corners, "break")
    reported = [counts[day] for day in chart_days if day in counts]
    busiest = max(reported, key=lambda count: count.commits)
    breaking = [count for count in reported if count.breaks]
    alt: dict[Language, str] = {}
    for lang, words in _words(languages):
        text = words["activity"].format(
            repo=repo,
            first=chart_days[0],
            last=chart_days[-1],
            days=len(reported),
            commits=sum(count.commits for count in reported),
            busiest=busiest.day,
            most=busiest.commits,
        )
        if breaking:
            listing = catalogue(lang)["signs"]["listing"]
            entries = (f"{count.day} ({count.breaks})" for count in breaking)
            text += words["breaks"].format(listing.join(entries))
        else:
            text += words["no_breaks"]
        alt[lang] = text
    return _chart(chart_path("activity", repo), drawing, alt)


# ---------------------------------------------------------------- areas that move most


def areas_chart(repo: str, days: Sequence[DayCount], languages: Sequence[Language]) -> Chart | None:
    """Return the folders of a repository that changed most; None where reports do not say."""
    last = date.fromisoformat(max(count.day for count in days))
    first = str(last - timedelta(days=DAYS_SHOWN - 1))
    totals: dict[str, int] = {}
    for count in days:
        if count.day < first:
            continue
        for folder, lines in count.areas.items():
            totals[folder] = totals.get(folder, 0) + lines
    ranked = sorted(totals.items(), key=lambda entry: (-entry[1], entry[0]))
    ranked = ranked[:_MAX_AREAS]
    if not ranked:
        return None
    max_lines = ranked[0][1] or 1
    drawing = _Drawing(360, len(ranked) * 20 + 4)
    for number, (folder, lines) in enumerate(ranked):
        top = number * 20 + 4
        name = folder if len(folder) <= _MAX_AREA_NAME else f"…{folder[1 - _MAX_AREA_NAME :]}"
        drawing.text(0, top + 11, name)
        drawing.rect(190, top + 1, max(1.0, 115 * lines / max_lines), 12, "bar")
        drawing.text(360, top + 11, f"{lines}", text_anchor="end")
    alt: dict[Language, str] = {}
    for lang, words in _words(languages):
        listing = catalogue(lang)["signs"]["listing"]
        entries = listing.join(f"{folder} {lines}" for folder, lines in ranked)
        alt[lang] = words["areas"].format(repo=repo, first=first, last=last, entries=entries)
    return _chart(chart_path("areas", repo), drawing, alt)


# ---------------------------------------------------------------- a story as a timeline


def story_chart(story: Story, tz: str, languages: Sequence[Language]) -> Chart:
    """Return the steps of a story along the days that it took."""
    drawing = _Drawing(360, 34)
    drawing.line(8, 10, 352, 10)
    for x, step in zip(_positions(story), story.timeline, strict=True):
        if step.act == "undone":
            corners = ((x, 3.0), (x + 7, 10.0), (x, 17.0), (x - 7, 10.0))
            drawing.polygon(corners, "undone")
        elif step.act == "released":
            kind = "step news" if step.cite in story.news else "step past"
            drawing.rect(x - 5, 5, 10, 10, kind)
        else:
            kind = "step news" if step.cite in story.news else "step past"
            drawing.circle(x, 10, 5.5, kind)
    days = [_day(step.at, tz) for step in story.timeline]
    drawing.text(2, 31, days[0])
    if days[-1] != days[0]:
        drawing.text(358, 31, days[-1], text_anchor="end")
    alt: dict[Language, str] = {}
    for lang, words in _words(languages):
        acts = catalogue(lang)["page"]["acts"]
        steps = []
        for day, step in zip(days, story.timeline, strict=True):
            steps.append(f"{day} {acts[step.act].format(step.part)}")
        listing = catalogue(lang)["signs"]["semicolon"]
        alt[lang] = words["story"].format(listing.join(steps))
    return _chart(chart_path("story", story_element_id(story)), drawing, alt)


def _positions(story: Story) -> list[float]:
    """Return where the steps stand, by time; those of one hour stand beside each other."""
    first = story.timeline[0].at.timestamp()
    span = story.timeline[-1].at.timestamp() - first
    even_gap = 344 / max(1, len(story.timeline) - 1)
    gap = min(16.0, even_gap)
    positions: list[float] = []
    for number, step in enumerate(story.timeline):
        share = (step.at.timestamp() - first) / span if span > 0 else 0.0
        by_time = 8 + 344 * share
        # The steps behind it need their space, too.
        latest = 352 - gap * (len(story.timeline) - 1 - number)
        earliest = positions[-1] + gap if positions else 8.0
        positions.append(min(max(by_time, earliest), max(latest, earliest)))
    return positions


def _day(moment: datetime, tz: str) -> str:
    return f"{moment.astimezone(zone(tz)):%Y-%m-%d}"


# ---------------------------------------------------------------- a week as a heat map


class WeekCell(NamedTuple):
    """The commits of a repository on one day of a week."""

    commits: int
    breaks: int


def week_chart(
    label: str,
    days: Sequence[str],
    rows: Mapping[str, Sequence[WeekCell]],
    languages: Sequence[Language],
) -> Chart:
    """Return the days of a week for each repository: the darker, the more commits."""
    drawing = _Drawing(360, len(rows) * 24 + 20)
    for column, day in enumerate(days):
        drawing.text(158 + column * 30, 12, day[8:], text_anchor="middle")
    all_cells: list[WeekCell] = []
    for cells in rows.values():
        all_cells += cells
    max_commits = max((cell.commits for cell in all_cells), default=0) or 1
    for number, (repo, cells) in enumerate(rows.items()):
        top = number * 24 + 18
        name = repo.rpartition("/")[2]
        drawing.text(0, top + 15, name if len(name) <= 20 else f"{name[:19]}…")
        for column, cell in enumerate(cells):
            left = 144 + column * 30
            shade = 0.12 + 0.88 * cell.commits / max_commits if cell.commits else 0.06
            drawing.rect(left, top, 28, 22, "bar", fill_opacity=f"{shade:.2f}")
            if cell.breaks:
                corners = (
                    (left + 18.0, top + 0.0),
                    (left + 28.0, top + 0.0),
                    (left + 28.0, top + 10.0),
                )
                drawing.polygon(corners, "break")
    alt: dict[Language, str] = {}
    for lang, words in _words(languages):
        signs = catalogue(lang)["signs"]
        lines = []
        for repo, cells in rows.items():
            counts = signs["listing"].join(str(cell.commits) for cell in cells)
            lines.append(f"{repo}{signs['colon']}{counts}")
        breaks = sum(cell.breaks for cell in all_cells)
        alt[lang] = words["week"].format(
            first=days[0], last=days[-1], entries=signs["semicolon"].join(lines), breaks=breaks
        )
    return _chart(chart_path("week", label), drawing, alt)
