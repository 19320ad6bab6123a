"""The brief of a report on a terminal, with links, and its page in a browser."""

import re
import webbrowser
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from agent.markdown import visible
from agent.reports.page_model import Citation, PageModel, PageSentence
from agent.settings.values import Settings
from gitzette.render.page_addresses import day_path
from gitzette.terminal_output import say

if TYPE_CHECKING:
    from rich.text import Text

    from agent.domain.report import Report

_CODE = re.compile(r"`([^`]+)`")
_MAX_ACTIONS = 5  # Cards to act on that are named below the brief


def site_page(settings: Settings, report: "Report") -> Path:
    """Return the page of a report on the site of the output folder."""
    return settings.out / "site" / settings.lang / day_path(report.window.label)


def open_in_browser(page: Path) -> None:
    """Open a page in the reader's browser; say where it is if there is none."""
    if not webbrowser.open(page.resolve().as_uri()):
        say(f"no browser was found; open {page} yourself")


def print_brief(page: PageModel, site: Path | None, stream: TextIO) -> None:
    """Print the news of a report, its brief and what to act on; citations are links."""
    from rich.console import Console
    from rich.padding import Padding

    console = Console(file=stream, highlight=False)
    console.print(_headline(page))
    for sentence in page.brief:
        console.print(Padding(_line(page, sentence), (0, 0, 0, 2)))
    marks = page.words["page"]["marks"]
    legend = page.words["page"]["legend"]
    for mark in page.brief_marks:
        console.print(f"  {marks[mark]} {legend[mark]}", style="dim", markup=False)
    for line in _actions(page):
        console.print(Padding(line, (0, 0, 0, 2)))
    if site is not None:
        from rich.text import Text

        console.print(Text(str(site), style=f"link {site.resolve().as_uri()}"))


def _headline(page: PageModel) -> "Text":
    from rich.text import Text

    text = Text()
    headline = page.headline or page.words["page"]["title"].format(page.report.window.label)
    text.append(_CODE.sub(r"\1", visible(headline)), style="bold")
    text.append(f"\n{page.report.window.label} · {page.scale}", style="dim")
    return text


def _line(page: PageModel, sentence: PageSentence) -> "Text":
    from rich.text import Text

    text = Text("• ")
    if sentence.repo_name:
        text.append(f"{sentence.repo_name}{page.words['signs']['colon']}")
    for part in sentence.flow:
        if isinstance(part, Citation):
            text.append(visible(part.name), style=f"cyan link {part.url}" if part.url else "cyan")
        else:
            _append_words(text, part)
    return text


def _append_words(text: "Text", words: str) -> None:
    """Append words; what stands between backticks is set as code."""
    left = " " if words[:1].isspace() else ""
    right = " " if words[-1:].isspace() and words.strip() else ""
    text.append(left)
    for number, piece in enumerate(_CODE.split(visible(words))):
        text.append(piece, style="bold" if number % 2 else "")
    text.append(right)


def _actions(page: PageModel) -> "Iterator[Text]":
    """Yield the headlines of what to act on, with their commits."""
    from rich.text import Text

    section = page.sections[0]
    if section.is_empty:
        return
    words = page.words["page"]
    actions = [(card.headline, card.first.row) for card in section.cards]
    actions += [(item.headline, item.row) for item in section.short_rows]
    yield Text(f"{words['tiers'][section.name]} ({len(actions)})", style="bold")
    for headline, row in actions[:_MAX_ACTIONS]:
        text = Text("◆ ", style="yellow")
        text.append(_CODE.sub(r"\1", visible(headline)), style="default")
        text.append(f" · {row.repo} {row.sha[:7]}", style="dim")
        yield text
    left = len(actions) - _MAX_ACTIONS
    if left > 0:
        yield Text(words["more"].format(left), style="dim")
