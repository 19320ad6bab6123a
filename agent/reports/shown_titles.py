"""Titles of commits as people are shown them: never blank, and never longer than a few lines."""

from agent.domain.base import Language
from agent.domain.commits import LONGEST_TITLE
from agent.domain.report import Report
from agent.report_languages import catalogue


def shown_title(title: str, lang: Language = "en") -> str:
    """Return a title that can be shown: words for a commit without a message, the beginning of a long one."""
    if not title.strip():
        words: str = catalogue(lang)["page"]["no_message"]
        return words
    if len(title) <= LONGEST_TITLE:
        return title
    return f"{title[:LONGEST_TITLE].rstrip()} …"


def with_shown_titles(report: Report, lang: Language) -> Report:
    """Return a report whose rows have titles that can be shown in a language."""
    rows = []
    for row in report.ledger:
        title = shown_title(row.title, lang)
        rows.append(row if title == row.title else row.model_copy(update={"title": title}))
    return report.model_copy(update={"ledger": tuple(rows)})
