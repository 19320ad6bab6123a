"""A page while it is written: owned spans in order, and the anchors of the headings among them."""

import re
from collections.abc import Iterable

from agent.markdown import inline, slug
from agent.spans import CHROME, COMPUTED, TITLE, Span

_LINK = re.compile(r"\[((?:[^\[\]\\]|\\.)*)\]\([^()\s]*\)")


def chrome(text: str) -> Span:
    """Own fixed words of the layout."""
    return Span(text, CHROME)


def computed(text: str) -> Span:
    """Own what code counted, dated or looked up."""
    return Span(text, COMPUTED)


def title(text: str) -> Span:
    """Own what an artefact calls itself, written so that it can do nothing."""
    return Span(inline(text) or "—", TITLE)


class Sheet:
    """Collects spans; sheets of one page share the anchors that are taken."""

    def __init__(self, taken: set[str] | None = None) -> None:
        self.spans: list[Span] = []
        self.anchors: dict[str, str] = {}
        """Where each thing stands that has a heading of its own, by its name."""
        self.taken = set() if taken is None else taken

    def write(self, *spans: Span) -> None:
        """Add spans as they are."""
        self.spans += spans

    def line(self, *spans: Span) -> None:
        """Add a line."""
        self.spans += [*spans, chrome("\n")]

    def paragraph(self, *spans: Span) -> None:
        """Add a line and a blank one."""
        self.spans += [*spans, chrome("\n\n")]

    def blank(self) -> None:
        """End a list or a table."""
        self.spans.append(chrome("\n"))

    def heading(self, level: int, name: str, *spans: Span) -> None:
        """Add a heading, and remember under `name` where it stands."""
        text = "".join(span.text for span in spans)
        self.anchors[name] = slug(_LINK.sub(r"\1", text).strip(), self.taken)
        self.paragraph(chrome("#" * level + " "), *spans)

    def take(self, other: "Sheet") -> None:
        """Add a whole sheet."""
        self.spans += other.spans
        self.anchors |= other.anchors


def joined(parts: Iterable[str], separator: str = " · ") -> str:
    """Join what there is."""
    return separator.join(part for part in parts if part)
