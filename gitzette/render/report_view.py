"""A view of a report in one language: what is said of each commit, in which section, and why."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple

from agent.browser_urls import Web, line_fragment
from agent.domain.base import LANGUAGES, Language, RepoId
from agent.domain.claims import MARK, Claim, Kind, Role
from agent.domain.evidence_id import EvidenceId
from agent.domain.facts import Severity
from agent.domain.ledger import LedgerRow
from agent.domain.links import undone_pairs
from agent.domain.placement import Importance, Placement
from agent.domain.references import pull_number
from agent.domain.report import Report
from agent.domain.window import zone
from agent.fact_sentences import names_alone
from agent.report_languages import catalogue, is_in_script
from agent.reports.page_model import Citation, CitedTitle, Mark, PageSentence, SectionName
from agent.triage.title_conventions import read_heading
from gitzette.render.excerpts import NAME_SEPARATORS, code_spans, excerpts_of
from gitzette.render.page_addresses import element_id_of, named

WEAK_PREDICATES = frozenset(
    {
        "refers to",
        "refers as said",
        "refers outside",
        "changes lines",
        "continues",
        "same work",
        "needs or ports",
        "same change",
        "step of",
        "likely continues",
        "likely same work",
        "likely needs or ports",
        "likely same change",
        "likely step of",
    }
)
"""Statements about an earlier commit that are no news by themselves."""
_LINEAGE_PREDICATES = WEAK_PREDICATES | {
    "undoes",
    "undoes part",
    "relands",
    "mends",
    "fixes",
    "addresses",
    "partly fixes",
    "likely fixes",
    "likely partly fixes",
    "reverts the fix",
    "reverts because of",
    "likely reverts because of",
}
"""Statements about an earlier commit or an issue, which a reader knows by its title."""
_OVERTAKEN_PREDICATES = frozenset({"fact", "undoes", "shows"})
"""What is said of a revert that no longer matters where the reverted commit is told with it."""
_PLAIN_FILES = ("source", "header")  # New models, kernels and operators are news
_MARKS: dict[Kind, Mark] = {Kind.INFERRED: "inferred", Kind.ADVICE: "advice"}


class CutTitle(NamedTuple):
    """A title without the number of its pull request, and that number."""

    words: str
    number: int | None


class _Summary(NamedTuple):
    """The summary of an artefact that a sentence may cite."""

    title: str
    about: str  # Its author and time
    is_on_page: bool


class ReportView:
    """A report in one language."""

    def __init__(self, report: Report, lang: Language, web: Web) -> None:
        self.report = report
        self.lang = lang
        self.web = web
        self.words: dict[str, Any] = catalogue(lang)
        self.rows = {row.id: row for row in report.ledger}
        self._claims: dict[EvidenceId, list[Claim]] = defaultdict(list)
        for claim in report.claims:
            if claim.about and claim.role not in ("brief", "summary"):
                self._claims[claim.about[0]].append(claim)
        self._pulls: set[EvidenceId] = set()
        for row in report.ledger:
            number = cut_title(row).number
            if number:
                self._pulls.add(EvidenceId.listed(row.repo, number=number))

    # ------------------------------------------------------------ commits

    @cached_property
    def undid(self) -> dict[EvidenceId, LedgerRow]:
        """The commit of the window that each of these undid; a change and its revert are one item."""
        undone: dict[EvidenceId, LedgerRow] = {}
        for story in self.report.stories:
            for change, revert in undone_pairs(story):
                if change in self.rows and revert in self.rows:
                    undone.setdefault(revert, self.rows[change])
        return undone

    def importance(self, row: LedgerRow) -> Importance:
        """Return how much a commit matters, together with the one that it undid."""
        undone = self.undid.get(row.id)
        return row.importance if undone is None else max(row.importance, undone.importance)

    def section(self, row: LedgerRow) -> SectionName:
        """Return the section of a commit.

        The first one has what readers must know of, and what their own code uses. What is out
        again asks nobody to act.
        """
        importance = self.importance(row)
        if importance < Importance.WORTH_KNOWING:
            return "also landed"
        if row.id in self.undid:
            return "worth knowing"
        if self.uses(row) or importance is Importance.MUST_KNOW:
            return "act on"
        return "worth knowing"

    def is_breaking(self, row: LedgerRow) -> bool:
        """Return True if a fact of the commit says that something which users reach breaks."""
        return any(is_breaking(claim) for claim in self._changes(row))

    def is_marked_breaking(self, row: LedgerRow) -> bool:
        """Return True if its author calls the commit breaking."""
        return read_heading(row.title).breaking

    def breaks(self, row: LedgerRow) -> tuple[str, ...]:
        """Return what a commit breaks, each by the first name in the words of its fact."""
        names: list[str] = []
        for claim in self._changes(row):
            if is_breaking(claim):
                names += code_spans(self.text(claim))[:1]
        return tuple(dict.fromkeys(names))

    def _changes(self, row: LedgerRow) -> list[Claim]:
        return [claim for claim in self.claims_of(row) if claim.role == "change"]

    def uses(self, row: LedgerRow) -> tuple[str, ...]:
        """Return where the reader's own code uses what a commit changes, behind the name used."""
        uses: dict[str, None] = {}
        for use in self.report.uses:
            if use.repo == row.repo and use.sha == row.sha:
                uses[f"{use.name} {use.file}:{use.line}"] = None
        return tuple(uses)

    def why(self, row: LedgerRow) -> str:
        """Return why a commit stands where it stands, and who decided; empty without a reason.

        Where the editor gave no reason in this language, the marks of the rules are named as what
        they are: they are not its reason.
        """
        marks = self._marks(row)
        placement = row.placement
        if placement is None:
            return marks
        deciders: dict[str, str] = self.words["page"]["deciders"]
        decider = deciders[placement.decided_by]
        reason = self._editors_reason(placement)
        if placement.decided_by == "floor":
            reason = self.words["reasons"].get(placement.reason, placement.reason)
        if placement.decided_by == "rules":
            reason = marks
        if reason:
            aside: str = self.words["signs"]["behind"].format(decider)
            return f"{reason}{aside}"
        if not marks:
            return ""  # Who decided is no reason
        semicolon: str = self.words["signs"]["semicolon"]
        by_rules: str = self.words["page"]["why_by_rules"].format(marks)
        return f"{decider}{semicolon}{by_rules}"

    def _marks(self, row: LedgerRow) -> str:
        """Return what the weight of a commit comes from by the rules."""
        reasons: dict[str, str] = self.words["reasons"]
        listing: str = self.words["signs"]["listing"]
        return listing.join(reasons.get(mark, mark) for mark in row.marks)

    def _editors_reason(self, placement: Placement) -> str:
        """Return the reason of an editor in this language; empty where it gave none."""
        reason = placement.reasons.get(self.lang, "")
        if not placement.reasons and is_in_script(placement.reason, self.lang):
            reason = placement.reason  # Older reports have it in one language
        return reason.rstrip(".。")

    # ------------------------------------------------------------ claims

    def claims_of(self, row: LedgerRow) -> list[Claim]:
        """Return what is said of a commit, in order."""
        return self._claims.get(row.id, [])

    def text(self, claim: Claim) -> str:
        """Return the words of a claim in this language; empty where it has none.

        Analysis that nobody wrote in this language is shown as it was written.
        """
        if self.lang in claim.text or not claim.free:
            return claim.text.get(self.lang, "")
        return next(iter(claim.text.values()), "")

    def foreign_language(self, claim: Claim) -> Language | None:
        """Return the language of a claim's words where it is not that of the page."""
        if self.lang in claim.text or not claim.free:
            return None
        return next(iter(claim.text), None)

    @cached_property
    def foreign_languages(self) -> tuple[Language, ...]:
        """The languages of analysis that nobody wrote in the language of the page."""
        languages = {self.foreign_language(claim) for claim in self.report.claims}
        return tuple(lang for lang in LANGUAGES if lang in languages)

    def headline(self, row: LedgerRow) -> Claim | None:
        """Return the claim that says in the reader's language what a commit does."""
        for claim in self.claims_of(row):
            if claim.role == "headline" and self.text(claim):
                return claim
        return None

    def pull(self, row: LedgerRow) -> Citation | None:
        """Return the pull request of a commit, if its title or the ledger names one."""
        number = cut_title(row).number
        if number is None:
            return None
        return self.citation(EvidenceId.listed(row.repo, number=number), home=row.repo)

    def analysis(self, row: LedgerRow) -> list[Claim]:
        """Return the sentences that a model wrote of a commit in this language, in its order."""
        sentences = []
        for claim in self.claims_of(row):
            if claim.free and claim.role != "headline" and self.text(claim):
                sentences.append(claim)
        return sentences

    def facts(self, row: LedgerRow) -> list[Claim]:
        """Return what code says and quotes of a commit: facts, relations, the author's words.

        Of a change and its revert, only what holds in the end.
        """
        undone = self.undid.get(row.id)
        if undone is not None:
            facts = [claim for claim in self.claims_of(undone) if claim.predicate == "undone"]
            for claim in self.claims_of(row):
                if not claim.free and claim.predicate not in _OVERTAKEN_PREDICATES:
                    facts.append(claim)
            return facts
        facts = []
        for claim in self.claims_of(row):
            if not claim.free and (claim.text or claim.quotes) and not self.only_names(claim):
                facts.append(claim)
        return sorted(facts, key=lambda claim: (is_weak(claim), claim.speech))

    def only_names(self, claim: Claim) -> bool:
        """Return True if a claim only names the functions in which something changed."""
        return bool(names_alone(claim.predicate, self.text(claim), self.lang))

    # ------------------------------------------------------------ sentences

    def sentences(self, claims: Iterable[Claim], *, apart: bool = False) -> list[PageSentence]:
        """Return sentences for the claims that have words in this language or quote somebody's."""
        worded = [claim for claim in claims if self.text(claim) or claim.speech]
        return [self.sentence(claim, apart=apart) for claim in worded]

    def sentences_with_role(self, role: Role, repo: RepoId | None = None) -> list[PageSentence]:
        """Return what is said of a repository's day, or of the whole report."""
        claims = [claim for claim in self.report.claims if claim.role == role]
        if repo is not None:
            claims = [claim for claim in claims if claim.repo == repo]
        return self.sentences(claims, apart=True)

    def unplaced(self, placed: Iterable[Claim]) -> list[PageSentence]:
        """Return sentences for the claims of the report that have no place on the page yet."""
        return self.sentences(without(self.report.claims, placed), apart=True)

    def sentence(self, claim: Claim, *, apart: bool = False) -> PageSentence:
        """Return a claim as a sentence; `apart` from its commit it names that one as well."""
        text = self.text(claim)
        speaker = ""
        if claim.speech:
            text = " ".join(f"“{quote.text}”" for quote in claim.quotes)
            speaker = self.words["page"]["speech"]
        reporters = self._reporters(claim)
        cited: set[EvidenceId] = set(reporters)
        parts: list[str | Citation] = [*self._opening(claim, reporters, apart=apart)]
        for number, piece in enumerate(MARK.split(text)):
            if number % 2 == 0:
                parts.append(piece)
                continue
            # A report that was changed by hand may mark what it does not cite; that says nothing.
            for cite in claim.sources[int(piece) - 1 : int(piece)]:
                parts.append(self.citation(cite, claim, apart=apart))
                parts += self._lineage(claim, cite)
                cited.add(cite)
        account_sign = ""
        if claim.attributed and not reporters:
            account_sign = self.words["page"]["marks"]["attributed"]
            parts.append(account_sign)
        behind = []
        for cite in claim.sources:
            if cite not in cited:
                behind.append(self.citation(cite, claim, apart=apart))
        words = "".join(part if isinstance(part, str) else part.name for part in parts).strip()
        return PageSentence(
            claim=claim,
            mark=_MARKS.get(claim.kind, ""),
            speaker=speaker,
            parts=tuple(parts),
            behind=tuple(behind),
            text=words,
            account_sign=account_sign,
            lang=self.foreign_language(claim),
        )

    def _opening(
        self, claim: Claim, reporters: tuple[EvidenceId, ...], *, apart: bool
    ) -> Iterator[str | Citation]:
        """Yield in front of a sentence where it was reported, if only issues say it."""
        colon = self.words["signs"]["colon"]
        before, after = self.words["page"]["reported"].split("{}")
        for cite in reporters:
            yield from (before, self.citation(cite, claim, apart=apart), f"{after}{colon}")

    def _lineage(self, claim: Claim, cite: EvidenceId) -> Iterator[CitedTitle]:
        """Yield the title of the earlier commit or the issue that a relation names."""
        if claim.predicate not in _LINEAGE_PREDICATES or cite in claim.about[:1]:
            return  # The first artefact that it is about is the commit that has the relation
        summary = self._summaries.get(cite)
        if summary is not None and summary.title:
            yield CitedTitle(f" “{summary.title}”")

    def _reporters(self, claim: Claim) -> tuple[EvidenceId, ...]:
        """Return the issues in which a sentence was reported, where nothing else anchors it."""
        if not claim.free:
            return ()
        cites = tuple(dict.fromkeys(anchor.cite for anchor in claim.anchors))
        if all(cite.is_thread and cite not in self._pulls for cite in cites):
            return cites
        return ()

    # ------------------------------------------------------------ citations

    def citation(
        self,
        cite: EvidenceId,
        claim: Claim | None = None,
        home: RepoId | None = None,
        *,
        apart: bool = False,
    ) -> Citation:
        """Return a citation; for a claim it opens on the lines that show what the claim says.

        In the repository `home`, or that of the claim, names need no repository.
        """
        if claim is not None:
            home = claim.repo
        if home is None and not cite.is_thread:
            home = cite.repo  # In a sentence over all repositories a hash is name enough
        shown = cite if claim is None else _lines_rested_on(cite, claim)
        name, url = named(shown, home, self.web, pull=cite in self._pulls)
        if cite.kind == "lines" and cite.repo == home:
            # The link has the commit and the folders; a reader needs the file and the lines.
            file = cite.path.rpartition("/")[2]
            name = f"{file}{line_fragment(shown.first_line, shown.last_line)}"
        summary = self._summaries.get(cite, _Summary("", "", is_on_page=False))
        element_id = element_id_of(cite) if summary.is_on_page else ""
        if claim is None:
            return Citation(cite, name, url, summary.title, summary.about, element_id)
        about = [summary.about]
        if cite in claim.background and cite.kind != "lines":
            about.append(self.words["site"]["background"])
        is_own = claim.about[:1] == (cite,) and not apart
        return Citation(
            id=cite,
            name=name,
            url=url,
            title=summary.title,
            about=" · ".join(filter(None, about)),
            element_id="" if is_own else element_id,
            is_own=is_own,
            excerpts=tuple(excerpts_of(cite, claim, self.text(claim))),
        )

    @cached_property
    def _summaries(self) -> dict[EvidenceId, _Summary]:
        """Title, author and time of what the report names, and whether the page has it."""
        timezone = zone(self.report.window.tz)

        def about(author: str | None, at: datetime) -> str:
            time = f"{at.astimezone(timezone):%Y-%m-%d %H:%M}"
            return f"{author} · {time}" if author else time

        summaries: dict[EvidenceId, _Summary] = {}
        for story in self.report.stories:
            for step in story.timeline:
                when = about("", step.at)
                summaries[step.cite] = _Summary(step.title, when, is_on_page=False)
        for section in self.report.sections:
            for release in section.releases:
                when = about("", release.published_at)
                release_id = release.id(section.repo)
                summaries[release_id] = _Summary(release.name, when, is_on_page=True)
            for issue in section.issues:
                who = about(issue.author, issue.at)
                summaries[issue.id(section.repo)] = _Summary(issue.title, who, is_on_page=True)
        for commit, row in self.rows.items():
            who = about(row.author, row.landed_at)
            summaries[commit] = _Summary(row.title, who, is_on_page=True)
        return summaries


def cut_title(row: LedgerRow) -> CutTitle:
    """Return a title and the number of its pull request, which squash merges put at its end."""
    number = row.pull or pull_number(row.title)
    return CutTitle(row.title.rstrip().removesuffix(f"(#{number})").rstrip(), number)


def without(claims: Iterable[Claim], others: Iterable[Claim]) -> list[Claim]:
    """Return the claims that are not among others, each as itself: two may be equal."""
    excluded = {id(claim) for claim in others}
    return [claim for claim in claims if id(claim) not in excluded]


def _lines_rested_on(cite: EvidenceId, claim: Claim) -> EvidenceId:
    """Return the lines that a sentence rests on, of all that were looked up at once in a file.

    Other evidence stays as it is.
    """
    spans = [anchor.lines for anchor in claim.anchors if anchor.cite == cite and anchor.lines]
    if cite.kind != "lines" or not spans:
        return cite
    first = min(first for first, _ in spans)
    last = max(last for _, last in spans)
    return EvidenceId.lines(cite.repo, cite.sha, cite.path, first, last)


def is_breaking(claim: Claim) -> bool:
    """Return True if a claim states a fact that breaks what users reach."""
    # Reports of earlier versions say `breaking`.
    return claim.params.get("severity") in (Severity.BREAKING, "breaking")


def is_new_file(claim: Claim) -> bool:
    """Return True if a claim only says that source files are new, which is no news by itself."""
    params = claim.params
    return params.get("kind") == "file-added" and params.get("detail") in _PLAIN_FILES


def is_weak(claim: Claim) -> bool:
    """Return True if a claim says nothing that is news by itself."""
    return claim.predicate in WEAK_PREDICATES or is_new_file(claim)


def is_telling(claim: Claim) -> bool:
    """Return True if a brief may be made of a claim: it says more than that something changed.

    What came and went in the same window leaves nothing to know.
    """
    is_fact = claim.kind is Kind.FACT and bool(claim.text)
    return is_fact and not is_weak(claim) and claim.predicate != "undone"


def is_private(claim: Claim) -> bool:
    """Return True if a claim is about names that users do not reach."""
    if claim.params.get("severity") == Severity.INTERNAL:
        return True
    parts = NAME_SEPARATORS.split(claim.params.get("name", ""))
    return any(part.startswith("_") and not part.startswith("__") for part in parts)
