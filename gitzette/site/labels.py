"""The site's own words, beside those that it shares with every report."""

from dataclasses import dataclass
from datetime import date

from agent.settings import Language


@dataclass(frozen=True)
class Labels:
    """One language's words; `{}` is filled by code."""

    code: str
    """The language as browsers know it."""
    own_name: str
    motto: str
    skip: str
    front: str
    days: str
    repos: str
    repo: str
    latest_day: str
    commits: str
    issue: str
    release: str
    stories: str
    figures: str
    search: str
    search_hint: str
    theme: str
    themes: str
    """The three states of the switch, between bars: as the system, light, dark."""
    language: str
    previous: str
    next: str
    whole_day: str
    latest: str
    numbers: str
    landed: str
    acted: str
    claims: str
    checked: str
    feed: str
    feed_of: str
    site_nav: str
    day_nav: str
    on_page: str
    evidence: str
    no_lines: str
    background: str
    open_source: str
    in_page: str
    why: str
    reading: str
    author: str
    grade: str
    grades: dict[str, str]
    more_commits: str
    no_news: str
    searching: str
    found: str
    none_found: str
    no_script: str
    failed_search: str
    stories_note: str
    news_on: str
    missing_parts: str
    older_stories: str
    newest: str
    no_stories: str
    plot_kinds: str
    plot_kinds_note: str
    plot_breaking: str
    plot_breaking_note: str
    plot_latency: str
    plot_latency_note: str
    plot_reading: str
    plot_reading_note: str
    plot_accuracy: str
    plot_accuracy_note: str
    accuracy: str
    no_latency: str
    kinds: dict[str, str]
    per_week: str
    week_of: str
    day: str
    within: tuple[str, ...]
    data_table: str
    passed: str
    refused: str
    archive_note: str
    no_reports: str
    kept_back: str
    made_by: str
    weekdays: tuple[str, ...]
    months: tuple[str, ...]
    long_date: str
    month_year: str

    def date(self, day: date) -> str:
        """Write a day in full."""
        return self.long_date.format(
            weekday=self.weekdays[day.weekday()], day=day.day, month=self.months[day.month - 1], year=day.year
        )

    def month(self, name: str) -> str:
        """Write a month, given as `2026-02`."""
        year, _, month = name.partition("-")
        return self.month_year.format(year=int(year), month=self.months[int(month) - 1])


def labels(lang: Language) -> Labels:
    """Find a language's words."""
    from gitzette.site.labels_en import EN
    from gitzette.site.labels_zh import ZH

    return {"en": EN, "zh": ZH}[lang]
