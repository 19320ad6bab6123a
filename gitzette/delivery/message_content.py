"""The content of messages: the lines of a report and its title, and how they are divided."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import Generic, NamedTuple, TypeVar

from agent.browser_urls import Web
from agent.markdown import visible
from agent.reports.page_model import PageModel
from gitzette.render.page_addresses import day_path
from gitzette.render.templating import filled, made_environment, verbatim

T = TypeVar("T")
_CODE_SPAN = re.compile(r"`([^`]+)`")
_MAX_LEAD = 100  # Characters of the lead in a title
_MAX_PIECE = 500  # Characters of the words between two links of a line
_MAX_SENTENCE_PARTS = 20
_MAX_CITES = 6  # Behind a sentence
_MAX_BREAKING = 20  # Names in the line of what breaks
_MAX_RELEASE_CHANGES = 3  # Of a release that break
_MAX_CHANGE_SENTENCES = 3
_MAX_CARDS = 10  # Of what is worth knowing; what asks for action is all there
_HTML_CHANNELS = ("html", "chat")  # Whose templates escape every value


class Line(NamedTuple):
    """A line of a message, written for a channel."""

    kind: str  # text, item or heading
    words: str


class MessagePart(NamedTuple, Generic[T]):
    """One of the messages that a report is divided into."""

    title: str
    values: list[T]


@dataclass(frozen=True)
class Content:
    """A report in one language, as it is sent."""

    page: PageModel
    web: Web
    site_url: str | None = None
    whole: bool = False  # The full report is sent, as to programs, not only brief and headlines

    @property
    def url(self) -> str:
        """The address of the report on the site; empty if there is no site."""
        if not self.site_url:
            return ""
        return f"{self.site_url}/{self.page.lang}/{day_path(self.page.report.window.label)}"

    @cached_property
    def title(self) -> str:
        """The news of the day and its scale, for subjects and first lines; the day stands below."""
        lead = visible(_CODE_SPAN.sub(r"\1", self.page.lead)).rstrip(".。")
        if len(lead) > _MAX_LEAD:
            lead = f"{lead[: _MAX_LEAD - 1].rstrip()}…"
        if not lead:
            lead = f"Gitzette {self.page.report.window.label}"
        return f"{lead} · {visible(self.page.scale)}"

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the text, links and language, without what a report says of its making.

        Why a part is missing, or was not analysed, is no news by itself.
        """
        failures = [
            failure.model_copy(update={"message": ""}) for failure in self.page.report.failures
        ]
        report = self.page.report.model_copy(update={"failures": tuple(failures)})
        page = replace(self.page, report=report, account=("",), left_out=())
        text: str | list[tuple[str, ...]]
        if self.whole:
            text = filled("digest.md", page.lang, self.web, page=page)
        else:
            text = [tuple(line) for line in replace(self, page=page).lines()]
        identity = repr((self.page.lang, self.title, text))
        return sha256(identity.encode("utf-8", "replace")).hexdigest()[:32]

    def lines(self, channel: str = "text", **filters: Callable[..., str]) -> list[Line]:
        """Return the lines of the report as a channel writes them.

        The filters of a channel keep foreign words from being read as markup.
        """
        environment = made_environment(autoescape=channel in _HTML_CHANNELS)
        environment.filters |= {"spans": _spans, "clean": verbatim} | filters
        lines: list[Line] = []

        def add(kind: str, words: str) -> None:
            lines.append(Line(kind, words))

        environment.get_template("message.jinja").render(
            page=self.page,
            web=self.web,
            site=self.site_url,
            url=self.url,
            c=environment.get_template(f"message_{channel}.jinja").module,
            add=add,
            max_sentence_parts=_MAX_SENTENCE_PARTS,
            max_cites=_MAX_CITES,
            max_breaking=_MAX_BREAKING,
            max_release_changes=_MAX_RELEASE_CHANGES,
            max_change_sentences=_MAX_CHANGE_SENTENCES,
            max_cards=_MAX_CARDS,
        )
        return lines


def _spans(text: str) -> Iterator[tuple[bool, str]]:
    """Yield the pieces of a line, shortened, and whether each is code in backticks."""
    for index, piece in enumerate(_CODE_SPAN.split(text)):
        if not piece:
            continue
        is_code = index % 2 == 1
        shortened = piece if len(piece) <= _MAX_PIECE else f"{piece[:_MAX_PIECE]}…"
        yield is_code, shortened


def line_or_ellipsis(
    line: str, limit: int, size: Callable[[str], int] = len, left_out: str = "…"
) -> str:
    """Return a line as it is sent, with its prefix; if it is too long, a sign that it is left out.

    It is not cut inside: half of a link or of code could be read as something else.
    """
    return line if size(line) <= limit else left_out


def grouped(
    values: Sequence[T], size: Callable[[T], int], max_size: int, max_values: int | None = None
) -> list[list[T]]:
    """Divide values, in order, into as few groups as the limits allow."""
    groups: list[list[T]] = [[]]
    group_size = 0
    for value in values:
        value_size = size(value)
        is_full = group_size + value_size > max_size or len(groups[-1]) == max_values
        if groups[-1] and is_full:
            groups.append([])
            group_size = 0
        groups[-1].append(value)
        group_size += value_size
    return groups


def numbered(title: str, groups: list[list[T]]) -> Iterator[MessagePart[T]]:
    """Yield the groups as parts, with their numbers in the titles if there are several."""
    if len(groups) == 1:
        yield MessagePart(title, groups[0])
        return
    for number, group in enumerate(groups, start=1):
        yield MessagePart(f"{title} ({number}/{len(groups)})", group)
