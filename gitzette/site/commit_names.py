"""How a commit is named on the site: by its headline, its title, its pull request and its hash."""

from agent.layouts.rows import cut_title
from agent.layouts.view import View, row_id

from agent.report import LedgerRow
from gitzette.site.html import Markup, join, link, prose, tag
from gitzette.site.names import anchor


class CommitNames:
    """Names the commits of one report."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._say = view.say

    def name(self, row: LedgerRow) -> Markup:
        """Name a commit by its headline in the reader's language, else by its title."""
        headline = self._headline(row)
        return tag("span", prose(headline), class_="title") if headline else self.titled(row)

    def link(self, row: LedgerRow, address: str, **attributes: str) -> Markup:
        """Link to the place of a commit by its headline, else by its title."""
        shown = self._view.undid.get(row_id(row), row)
        return link(address, prose(self._headline(row) or cut_title(shown)[0]) or "—", **attributes)

    def headed(self, row: LedgerRow) -> Markup:
        """Write the headline in front of the title, where there is one."""
        headline = self._headline(row)
        return join(tag("b", prose(headline)), " · ", self.titled(row)) if headline else self.titled(row)

    def original(self, row: LedgerRow) -> Markup | None:
        """Write the original title below a headline."""
        return tag("p", self.titled(row), class_="original") if self._headline(row) else None

    def titled(self, row: LedgerRow) -> Markup:
        """Write the title; that of what was undone for a commit that undid another of the report."""
        earlier = self._view.undid.get(row_id(row))
        if earlier is None:
            return self._title(row)
        return join(f"{self._say.pair}{self._say.colon}", self._title(earlier))

    def hash(self, row: LedgerRow) -> Markup:
        """Link a commit by its short hash."""
        address = self._view.web.commit(row.repo, row.sha)
        return link(address, tag("code", self._view.short(row)), rel="noreferrer", class_="sha")

    def hashes(self, row: LedgerRow) -> Markup:
        """Link a commit, and in front of it the one that it undid."""
        earlier = self._view.undid.get(row_id(row))
        return join(self.hash(earlier), " → ", self.hash(row)) if earlier else self.hash(row)

    def earlier_place(self, row: LedgerRow) -> Markup | None:
        """Give what was undone a place to link to: it is told with what undid it."""
        earlier = self._view.undid.get(row_id(row))
        return tag("span", id=anchor(row_id(earlier))) if earlier else None

    def _headline(self, row: LedgerRow) -> str:
        headline = None if row_id(row) in self._view.undid else self._view.headline(row)
        return headline.text[self._view.lang] if headline else ""

    def _title(self, row: LedgerRow) -> Markup:
        words, number = cut_title(row)
        pull = f"#{number}"
        title = prose(words) or "—"
        if not number:
            return tag("span", title, class_="title")
        address = self._view.web.thread(row.repo, number, pull=True)
        return join(tag("span", title, class_="title"), " ", link(address, pull, rel="noreferrer", class_="pull"))
