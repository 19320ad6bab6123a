"""How one commit is told on a day's page: in full where it matters, in one line to open where it does not."""

from collections.abc import Sequence

from agent.layouts.rows import counted_commits, counted_files, lines_changed, moment
from agent.layouts.view import View, row_id

from agent.claims import Claim, Role
from agent.report import LedgerRow
from agent.triage import Tier
from gitzette.site.analysis import sentences
from gitzette.site.cites import Sources, excerpt
from gitzette.site.commit_names import CommitNames
from gitzette.site.html import Child, Markup, fill, join, prose, tag
from gitzette.site.names import anchor
from gitzette.site.reasons import reason_words

SHAPES = {Tier.HIGH: "◆", Tier.MID: "●", Tier.LOW: "○", Tier.NOISE: "·"}
BREAKING = "▲"
_NEWS = (Role.CHANGE, Role.EFFECT, Role.SUMMARY, Role.OUTLOOK)


def badge(kind: str, shape: str, words: str) -> Markup:
    """Mark how grave something is, by a colour, a shape and a word."""
    return tag("span", tag("span", shape, aria_hidden="true"), " ", words, class_=f"badge {kind}")


def counted(number: int) -> Markup:
    """Write a number behind a heading."""
    return tag("span", f"({number})", class_="count")


class Commits:
    """Tells the commits of one report."""

    def __init__(self, view: View, sources: Sources) -> None:
        self._view = view
        self._sources = sources
        self._say = view.say
        self.names = CommitNames(view)

    def mark(self, row: LedgerRow) -> Markup:
        """Mark how grave a commit is: that it breaks something, else its tier."""
        tier = self._view.tier(row) or Tier.LOW
        if self._view.breaking(row):
            return badge("breaking", BREAKING, self._say.breaking)
        return badge(tier.value, SHAPES[tier], self._say.tiers[tier])

    def full(self, row: LedgerRow) -> Markup:
        """Tell a commit under a heading of its own."""
        earlier = self._view.undid.get(row_id(row))
        return tag(
            "article",
            tag("h4", self.names.name(row)),
            self.names.original(row),
            tag("p", self._pair_meta(earlier, row) if earlier else self._meta(row), class_="meta"),
            self._body(row),
            self._why(row),
            self.names.earlier_place(row),
            id=anchor(row_id(row)),
            class_=f"commit {self._view.tier(row) or 'low'}{' breaking' if self._view.breaking(row) else ''}",
        )

    def _body(self, row: LedgerRow) -> Markup:
        """Write the analysis and fold its evidence, or write what code says and quotes."""
        claims, told = self._told(row), self._view.analysis(row)
        if not told:
            return join(self._claims(claims), self._excerpt(claims))
        analysis = sentences(told, self._sources)
        if row_id(row) in self._view.undid:
            return join(analysis, self._claims(claims), self._excerpt(claims))
        apart = self._view.untold(row)
        folded = [claim for claim in claims if claim not in apart and claim.role in _NEWS]
        return join(
            analysis,
            self._news(apart),
            self._consequences(
                [one for role in (Role.RISK, Role.ADVICE) for one in self._view.consequences(row, role)]
            ),
            self._evidence(folded) if folded else None,
        )

    def _evidence(self, claims: Sequence[Claim]) -> Markup:
        """Fold what code says and quotes of a commit below its analysis."""
        say = self._say
        facts = sum(bool(claim.text) and not claim.speech for claim in claims)
        count = say.one_fact if facts == 1 else say.facts.format(facts)
        name = say.counted_evidence.format(count) if facts else say.evidence
        return tag("details", tag("summary", name), self._claims(claims), self._excerpt(claims), class_="more")

    def line(self, row: LedgerRow) -> Markup:
        """Tell a commit in one line, and keep the rest of what is said to open."""
        # Of a change and what undid it, the line says first that it is out again.
        analysis = [] if row_id(row) in self._view.undid else self._view.analysis(row)
        claims, lead = self._told(row), [] if analysis else self._view.lead(row)
        news: list[Child] = [(" — ", self._said(claim)) for claim in lead[:1]]
        more = len(claims) > len(lead[:1]) or any(quote.file for claim in claims for quote in claim.quotes)
        late = self._say.late.format(moment(row, self._view.report.window)) if row.late else None
        return tag(
            "li",
            badge("breaking", BREAKING, self._say.breaking) if self._view.breaking(row) else None,
            " ",
            self.names.headed(row),
            " ",
            self.names.hashes(row),
            (" · ", late) if late else None,
            (" — ", tag("code", row.reason)) if row.files is None else None,
            news,
            sentences(analysis, self._sources),
            self._more(row, claims) if more else None,
            self.names.earlier_place(row),
            id=anchor(row_id(row)),
        )

    def plain(self, row: LedgerRow) -> Markup:
        """Name a commit that is folded with its like."""
        place = self.names.earlier_place(row)
        told = sentences(self._view.analysis(row), self._sources)
        return tag("li", self.names.headed(row), " ", self.names.hashes(row), told, place, id=anchor(row_id(row)))

    def lead(self, row: LedgerRow) -> Markup | None:
        """Write the first news of a commit."""
        lead = self._view.lead(row)
        return join([(" ", self._said(claim)) for claim in lead[:2]]) if lead else None

    def consequences(self, row: LedgerRow) -> Markup | None:
        """Write what a commit risks and what to do about it."""
        if self._view.analysis(row):
            return None
        return self._consequences(self._told(row))

    def excerpt(self, row: LedgerRow) -> Markup | None:
        """Show the place that proves the first news of a commit."""
        return self._excerpt(self._told(row) if self._view.analysis(row) else self._view.lead(row))

    def _more(self, row: LedgerRow, claims: Sequence[Claim]) -> Markup:
        own = self._sources.labels
        return tag(
            "details",
            tag("summary", own.evidence),
            tag("p", self._meta(row), class_="meta"),
            self._claims(claims),
            self._excerpt(claims),
            class_="more",
        )

    def _told(self, row: LedgerRow) -> list[Claim]:
        """List what is said of a commit; of a change and what undid it, what holds in the end."""
        earlier = self._view.undid.get(row_id(row))
        if earlier is not None:
            return self._view.said_of_pair(earlier, row)
        return [claim for claim in self._view.said(row) if not claim.free]

    def _pair_meta(self, earlier: LedgerRow, later: LedgerRow) -> Markup:
        window = self._view.report.window
        landed, undone = (f"{moment(row, window)} ({row.author})" for row in (earlier, later))
        return join(fill(self._say.pair_times, landed=landed, undone=undone), " · ", self.names.hashes(later))

    def _meta(self, row: LedgerRow) -> Markup:
        say, window = self._say, self._view.report.window
        at = moment(row, window)
        parts: list[Child] = []
        if self._view.breaking(row):
            parts.append(badge("breaking", BREAKING, say.breaking))
        if row.purpose:
            parts.append(say.purposes[row.purpose])
        parts += [row.author, say.late.format(at) if row.late else at]
        parts += [
            told for told in (lines_changed(row), row.files is not None and counted_files(row.files, say)) if told
        ]
        if row.members:
            parts.append(counted_commits(row.members, say))
        if row.unreadable:
            parts.append(say.unreadable.format(row.unreadable, row.files))
        parts.append(self.names.hash(row))
        return join([(" · " if at else None, part) for at, part in enumerate(parts)])

    def _claims(self, claims: Sequence[Claim]) -> Markup:
        speech = [claim for claim in claims if claim.speech]
        return join(
            self._news([claim for claim in claims if claim.role in _NEWS and not claim.speech and claim.text]),
            self._consequences(claims),
            [self._speech(claim) for claim in speech],
        )

    def _news(self, claims: Sequence[Claim]) -> Markup | None:
        items = [tag("li", self._sources.claim(claim)) for claim in claims]
        return tag("ul", items, class_="claims") if items else None

    def _consequences(self, claims: Sequence[Claim]) -> Markup | None:
        say = self._say
        told = [
            tag("div", tag("dt", name), [tag("dd", self._sources.claim(claim)) for claim in found], class_=role.value)
            for role, name in ((Role.RISK, say.risk), (Role.ADVICE, say.advice))
            if (found := [claim for claim in claims if claim.role is role and claim.text])
        ]
        return tag("dl", told, class_="consequences") if told else None

    def _speech(self, claim: Claim) -> Markup:
        words = [tag("p", "“", prose(quote.text), "”") for quote in claim.quotes]
        cites = self._sources.cites(claim.sources, claim)
        return tag("blockquote", tag("div", self._say.speech, cites, class_="who"), words)

    def _said(self, claim: Claim) -> Markup:
        if not claim.speech:
            return self._sources.claim(claim)
        words = [("“", prose(quote.text), "”") for quote in claim.quotes]
        return join(words, self._sources.cites(claim.sources, claim))

    def _excerpt(self, claims: Sequence[Claim]) -> Markup | None:
        """Show the one place that proves most; the others are behind their citations."""
        quotes = (quote for claim in claims if not claim.speech for quote in claim.quotes if quote.file)
        found = next(quotes, None)
        return excerpt(found) if found else None

    def _why(self, row: LedgerRow) -> Markup:
        own, say = self._sources.labels, self._say
        rest = (row.files or 0) - len(row.places)
        told: list[Child] = []
        if row.places:
            paths = [(tag("code", path), " ") for path in row.places]
            told.append((tag("dt", say.where), tag("dd", paths, say.more.format(rest) if rest > 0 else None)))
        if row.marks:
            reasons = say.listing.join(reason_words(mark, self._view.lang) for mark in row.marks)
            told.append((tag("dt", own.why), tag("dd", reasons, f" ({row.weight:.1f})")))
        told.append((tag("dt", own.reading), tag("dd", say.depths[row.depth])))
        return tag("dl", told, class_="why")
