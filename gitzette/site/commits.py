"""How one commit is told on a day's page: in full where it matters, in one line to open where it does not."""

from collections.abc import Sequence

from agent.claims import Claim, Kind, Role
from agent.layouts.rows import counted_commits, counted_files, cut_title, lines_changed, moment
from agent.layouts.view import View, row_id
from agent.report import LedgerRow
from agent.triage import Tier
from gitzette.site.cites import Sources, excerpt
from gitzette.site.html import Child, Markup, fill, join, link, prose, tag
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
            tag("h4", self.name(row)),
            self._original(row),
            tag("p", self._pair_meta(earlier, row) if earlier else self._meta(row), class_="meta"),
            self._body(row),
            self._why(row),
            self._earlier_place(row),
            id=anchor(row_id(row)),
            class_=f"commit {self._view.tier(row) or 'low'}{' breaking' if self._view.breaking(row) else ''}",
        )

    def name(self, row: LedgerRow) -> Markup:
        """Name a commit by its headline in the reader's language, else by its title."""
        headline = self._headline(row)
        return tag("span", prose(headline), class_="title") if headline else self._heading(row)

    def link(self, row: LedgerRow, address: str, **attributes: str) -> Markup:
        """Link to the place of a commit by its headline, else by its title."""
        shown = self._view.undid.get(row_id(row), row)
        return link(address, prose(self._headline(row) or cut_title(shown)[0]) or "—", **attributes)

    def _headline(self, row: LedgerRow) -> str:
        headline = None if row_id(row) in self._view.undid else self._view.headline(row)
        return headline.text[self._view.lang] if headline else ""

    def _original(self, row: LedgerRow) -> Markup | None:
        """Write the original title below a headline."""
        return tag("p", self._heading(row), class_="original") if self._headline(row) else None

    def _body(self, row: LedgerRow) -> Markup:
        """Write the analysis and fold its evidence, or write what code says and quotes."""
        claims, sentences = self._told(row), self._view.analysis(row)
        if not sentences:
            return join(self._claims(claims), self._excerpt(claims))
        analysis = self.sentences(sentences)
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

    def sentences(self, claims: Sequence[Claim]) -> Markup:
        """Write sentences of analysis as a paragraph, and each advice as one of its own."""
        told = [claim for claim in claims if claim.kind is not Kind.ADVICE]
        # No `p`: a citation opens to blocks, which a paragraph cannot hold.
        return join(
            tag("div", [(self._gap(at), self._sources.claim(one)) for at, one in enumerate(told)], class_="analysis")
            if told
            else None,
            [
                tag("div", self._sources.claim(claim), class_="analysis advice")
                for claim in claims
                if claim.kind is Kind.ADVICE
            ],
        )

    def brief(self) -> Markup | None:
        """Write what is said of the whole report."""
        items = [tag("li", self._sources.claim(claim)) for claim in self._view.brief()]
        return tag("ul", items, class_="brief") if items else None

    def _gap(self, at: int) -> str | None:
        return " " if at and self._say.colon.endswith(" ") else None

    def _evidence(self, claims: Sequence[Claim]) -> Markup:
        """Fold what code says and quotes of a commit below its analysis."""
        say = self._say
        facts = sum(bool(claim.text) and not claim.speech for claim in claims)
        count = say.one_fact if facts == 1 else say.facts.format(facts)
        name = say.counted_evidence.format(count) if facts else say.evidence
        return tag("details", tag("summary", name), self._claims(claims), self._excerpt(claims), class_="more")

    def line(self, row: LedgerRow) -> Markup:
        """Tell a commit in one line, and keep the rest of what is said to open."""
        sentences, claims = self._view.analysis(row), self._told(row)
        lead = [] if sentences else self._view.lead(row)
        news: list[Child] = [(" — ", self._said(claim)) for claim in lead[:1]]
        more = len(claims) > len(lead[:1]) or any(quote.file for claim in claims for quote in claim.quotes)
        late = self._say.late.format(moment(row, self._view.report.window)) if row.late else None
        return tag(
            "li",
            badge("breaking", BREAKING, self._say.breaking) if self._view.breaking(row) else None,
            " ",
            self._headed(row),
            " ",
            self._hashes(row),
            (" · ", late) if late else None,
            (" — ", tag("code", row.reason)) if row.files is None else None,
            news,
            self.sentences(sentences) if sentences else None,
            self._more(row, claims) if more else None,
            self._earlier_place(row),
            id=anchor(row_id(row)),
        )

    def plain(self, row: LedgerRow) -> Markup:
        """Name a commit that is folded with its like."""
        place = self._earlier_place(row)
        sentences = self._view.analysis(row)
        told = self.sentences(sentences) if sentences else None
        return tag("li", self._headed(row), " ", self._hashes(row), told, place, id=anchor(row_id(row)))

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

    def _headed(self, row: LedgerRow) -> Markup:
        """Write the headline in front of the title, where there is one."""
        headline = self._headline(row)
        return join(tag("b", prose(headline)), " · ", self._heading(row)) if headline else self._heading(row)

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

    def _earlier_place(self, row: LedgerRow) -> Markup | None:
        """Give what was undone a place to link to: it is told with what undid it."""
        earlier = self._view.undid.get(row_id(row))
        return tag("span", id=anchor(row_id(earlier))) if earlier else None

    def _heading(self, row: LedgerRow) -> Markup:
        earlier = self._view.undid.get(row_id(row))
        if earlier is None:
            return self._title(row)
        return join(f"{self._say.pair}{self._say.colon}", self._title(earlier))

    def _title(self, row: LedgerRow) -> Markup:
        words, number = cut_title(row)
        pull = f"#{number}"
        title = prose(words) or "—"
        if not number:
            return tag("span", title, class_="title")
        address = self._view.web.thread(row.repo, number, pull=True)
        return join(tag("span", title, class_="title"), " ", link(address, pull, rel="noreferrer", class_="pull"))

    def _hash(self, row: LedgerRow) -> Markup:
        address = self._view.web.commit(row.repo, row.sha)
        return link(address, tag("code", self._view.short(row)), rel="noreferrer", class_="sha")

    def _hashes(self, row: LedgerRow) -> Markup:
        earlier = self._view.undid.get(row_id(row))
        return join(self._hash(earlier), " → ", self._hash(row)) if earlier else self._hash(row)

    def _pair_meta(self, earlier: LedgerRow, later: LedgerRow) -> Markup:
        window = self._view.report.window
        landed, undone = (f"{moment(row, window)} ({row.author})" for row in (earlier, later))
        return join(fill(self._say.pair_times, landed=landed, undone=undone), " · ", self._hashes(later))

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
        parts.append(self._hash(row))
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
