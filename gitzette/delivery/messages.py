"""What is sent of a report: its title, and its lines as every channel writes them, by one template."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import TypeVar

from agent.markdown import visible
from agent.web import Web
from gitzette.render.model import PageModel
from gitzette.render.templating import day_path, made_environment, verbatim

_CODE = re.compile(r"`([^`]+)`")
_MOST_LEAD, _MOST_WORDS = 100, 500  # Characters of the lead in a title, and of words between two links of a line
T = TypeVar("T")


@dataclass(frozen=True)
class Content:
    """A report as it is sent in one language: its brief and headlines, or the whole of it."""

    page: PageModel
    web: Web
    site_url: str | None = None
    full: bool = False

    @property
    def url(self) -> str:
        """Give the address of the report on the site; empty where there is no site."""
        return f"{self.site_url}/{self.page.lang}/{day_path(self.page.report.window.label)}" if self.site_url else ""

    @cached_property
    def title(self) -> str:
        """Write the news of the day and the day, for subjects and first lines."""
        lead = visible(_CODE.sub(r"\1", self.page.lead)).rstrip(".。")
        lead = f"{lead[: _MOST_LEAD - 1].rstrip()}…" if len(lead) > _MOST_LEAD else lead
        return " · ".join(filter(None, (lead, f"Gitzette {self.page.report.window.label}")))

    @cached_property
    def fingerprint(self) -> str:
        """Name what is said: words, links and language; not what a report says of its own making."""
        said = [line for line in self.lines() if line[0] != "account"]
        return sha256(repr((self.page.lang, self.title, said)).encode("utf-8", "replace")).hexdigest()[:32]

    def lines(self, channel: str = "text", **filters: Callable[..., str]) -> list[tuple[str, str]]:
        """List the kind and the words of each line, as a channel writes words: its filters make them harmless."""
        made, lines = made_environment(autoescape=channel == "html"), list[tuple[str, str]]()
        made.filters |= {"spans": _spans, "clean": verbatim} | filters
        values = {"page": self.page, "web": self.web, "site": self.site_url, "url": self.url, "full": self.full}
        values |= {"c": made.get_template(f"message_{channel}.jinja").module, "add": lambda *line: lines.append(line)}
        made.get_template("message.jinja").render(values)
        return lines


def _spans(text: str) -> Iterator[tuple[bool, str]]:
    """Part a line in which backticks mean code; words that are too long are cut."""
    for at, piece in enumerate(_CODE.split(text)):
        if piece:
            yield at % 2 == 1, piece if len(piece) <= _MOST_WORDS else f"{piece[:_MOST_WORDS]}…"


def grouped(values: Sequence[T], size: Callable[[T], int], limit: int, most: int | None = None) -> list[list[T]]:
    """Put values into as few groups as possible, none larger than `limit` nor of more than `most` values."""
    groups: list[list[T]] = [[]]
    held = 0
    for value in values:
        if groups[-1] and (held + size(value) > limit or len(groups[-1]) == most):
            groups.append([])
            held = 0
        groups[-1].append(value)
        held += size(value)
    return groups


def numbered(title: str, groups: list[list[T]]) -> list[tuple[str, list[T]]]:
    """Give every group the title of its message, with a number where there are several."""
    parts = len(groups)
    return [(f"{title} ({at}/{parts})" if parts > 1 else title, one) for at, one in enumerate(groups, start=1)]
