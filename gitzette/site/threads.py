"""Issues and releases on a day's page: what happened, what addresses an issue, and how sure that is."""

from agent.evidence import EvidenceId
from agent.layouts.issues import told_relation
from agent.layouts.view import View, row_id
from agent.linking.standing import Standing
from agent.links import Link, Relation
from agent.report import LedgerRow, RepoSection, ThreadLine
from gitzette.site.cites import Sources
from gitzette.site.html import Child, Markup, fill, join, link, prose, tag
from gitzette.site.names import anchor, section_anchor
from gitzette.site.references import named

_RELEASED = (Standing.FIXED, Standing.ADDRESSED)


class Threads:
    """Tells the issues and releases of one report."""

    def __init__(self, view: View, sources: Sources) -> None:
        self._view = view
        self._sources = sources
        self._say = view.say
        self._placed: set[str] = set()
        told = {section.repo for section in view.report.sections}
        self._rows: dict[EvidenceId, LedgerRow] = {row_id(row): row for row in view.report.ledger if row.repo in told}

    def issues(self, section: RepoSection) -> Markup | None:
        """List what was opened, closed and addressed, and what many wait for."""
        say = self._say
        groups = say.events | {"active": say.still_open} | say.issue_groups
        listed = {
            name: [self._thread(one, section) for one in section.issues if one.event == event]
            for event, name in groups.items()
        }
        elsewhere = self._beside(section)
        if not any(listed.values()) and not elsewhere:
            return None
        parts = [_group(name, items) for name, items in listed.items() if items]
        return tag(
            "section",
            tag("h3", say.issues),
            parts,
            _group(say.issue_groups["linked"], elsewhere) if elsewhere else None,
            id=section_anchor(section.repo, "issues"),
            class_="issues",
        )

    def releases(self, section: RepoSection) -> Markup | None:
        """List what was published."""
        if not section.releases:
            return None
        say, web = self._say, self._view.web
        items = [
            tag(
                "li",
                link(web.release(section.repo, one.tag), tag("code", one.tag), rel="noreferrer"),
                (" ", prose(one.name)) if one.name and one.name != one.tag else None,
                f" ({say.prerelease})" if one.prerelease else None,
                id=self._place(f"{section.repo}@{one.tag}"),
            )
            for one in section.releases
        ]
        return tag("section", tag("h3", say.releases), tag("ul", items, class_="lines"), class_="releases")

    def _thread(self, thread: ThreadLine, section: RepoSection) -> Markup:
        name = f"{section.repo}#{thread.number}"
        address = self._view.web.thread(section.repo, thread.number)
        labels = [(" ", tag("span", label, class_="label")) for label in thread.labels[:6]]
        return tag(
            "li",
            link(address, f"#{thread.number}", rel="noreferrer", class_="number"),
            " ",
            prose(thread.title) or "—",
            labels,
            (" ", tag("span", thread.author, class_="by")) if thread.author else None,
            self._news(thread, name),
            id=self._place(name),
        )

    def _place(self, name: EvidenceId) -> str | None:
        """Give an artefact its place on the page: an issue that is listed twice is linked where it stands first."""
        if name in self._placed:
            return None
        self._placed.add(name)
        return anchor(name)

    def _news(self, thread: ThreadLine, name: str) -> Markup | None:
        say = self._say
        own = [one for one in self._view.report.links if one.issue == name]
        told: list[Child] = [words for one in own if (words := self._link(one, thread.standing))]
        undone = any(one.relation is Relation.REVERTS for one in own)
        if thread.standing in say.standings and thread.standing is not None and not undone:
            told.append(say.standings[thread.standing])
        if thread.release is not None and thread.standing in _RELEASED:
            told.append(fill(say.first_in, tag("code", thread.release)) if thread.release else say.unreleased)
        if thread.event == "important":
            told.append(say.waiting.format(comments=thread.comments))
        return tag("ul", [tag("li", one) for one in told], class_="news") if told else None

    def _link(self, one: Link, standing: Standing | None) -> Markup | None:
        row = self._rows.get(one.change)
        relation = told_relation(one, standing)
        if row is None or relation is None:
            return None
        change = link(f"#{anchor(one.change)}", tag("code", self._view.short(row)))
        return join(self._say.fixed[relation], " ", change, " ", self._sources.graded(one))

    def _beside(self, section: RepoSection) -> list[Markup]:
        """List the issues of which nothing is known but that a commit of this repository addresses them."""
        told = {f"{section.repo}#{thread.number}" for thread in section.issues}
        found = [
            one
            for one in self._view.report.links
            if one.change.startswith(f"{section.repo}@") and one.issue not in told
        ]
        return [self._bare(one, section, words) for one in found if (words := self._link(one, None))]

    def _bare(self, one: Link, section: RepoSection, words: Markup) -> Markup:
        name, address = named(one.issue, section.repo, self._view.web)
        return tag("li", link(address, name, rel="noreferrer", class_="number"), " ", words)


def _group(name: str, items: list[Markup]) -> Markup:
    heading = tag("h4", name, " ", tag("span", f"({len(items)})", class_="count"))
    return join(heading, tag("ul", items, class_="lines"))
