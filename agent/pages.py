"""The pages of a report: the report itself in a layout, and the front page of an output folder."""

from collections.abc import Iterable, Mapping, Sequence

from agent.layouts.digest import digest
from agent.layouts.ledger import ledger
from agent.layouts.view import View
from agent.markdown import link
from agent.report import Report
from agent.settings import Language, Layout
from agent.spans import Span, page
from agent.web import Web
from agent.wordings import words

_LAYOUTS = {"digest": digest, "ledger": ledger}


def report_spans(report: Report, lang: Language, web: Web, layout: Layout) -> list[Span]:
    """Write the whole report as owned spans."""
    return _LAYOUTS[layout](View(report, lang, web))


def report_page(report: Report, lang: Language, web: Web, layout: Layout = "digest") -> str:
    """Render the whole report."""
    return page(report_spans(report, lang, web, layout))


def readme_page(
    latest: str, labels: Iterable[str], lang: Language, others: Mapping[str, Sequence[Language]] | None = None
) -> str:
    """Render the front page of an output folder: the page of the latest report in full and the list of all of them.

    `others` are the further languages in which each report of the list can be read.
    """
    archive = [
        "- " + " · ".join([link(label, f"reports/{label}.md"), *_others(label, (others or {}).get(label, ()))])
        for label in sorted(labels, reverse=True)
    ]
    return "\n".join([latest, f"## {words(lang).archive}", "", *archive, ""])


def _others(label: str, others: Sequence[Language]) -> list[str]:
    """Link the same report in the other languages it is written in."""
    return [link(other, f"reports/{label}.{other}.md") for other in others]
