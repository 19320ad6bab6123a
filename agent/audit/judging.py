"""From statements to findings: each becomes one small claim for the gate, or is decided by counting."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from agent.audit.asking import Asking
from agent.audit.authorship import Authorship
from agent.audit.changes import Changes
from agent.audit.endings import Endings
from agent.audit.excerpts import Excerpts
from agent.audit.landings import Landings
from agent.audit.library import Answer, Library
from agent.audit.measures import fitting_paths, measured
from agent.audit.mentions import Mention
from agent.audit.naming import loosely_named
from agent.audit.novelties import Novelties
from agent.audit.own_judging import OwnJudge
from agent.audit.page import Page
from agent.audit.relations import Relations
from agent.audit.sharing import Sharing
from agent.audit.standings import Standings
from agent.audit.statement import NOT_CHECKED, RIGHT, UNVERIFIABLE, Finding, Statement, judged, told, wrong
from agent.audit.titling import Titling
from agent.audit.values import judge
from agent.claims import Claim, Judgement, Role, Verdict
from agent.dossier import Dossier
from agent.evidence import CommitEvidence, Evidence, Unresolved

_OF_PLACE = {"exists", "filed", "new"}
"""Statements that are about the repository itself."""
_ELSEWHERE = "what it speaks of is missing: {0} belongs to another repository"
_THREAD_FIRST = {"exists", "state", "fixes", "happened", "named"}


class Judge:
    """Judges the statements of one report."""

    def __init__(self, page: Page, library: Library) -> None:
        self._page = page
        self._library = library
        self._lang = page.lang
        self._dossier = Dossier(found=library.found, unresolved=library.unresolved, links=library.links)
        self._changes = Changes(page, library)
        self._authorship = Authorship(library, self._changes, self._dossier)
        self._asking = Asking(page, library, self._dossier)
        self._own = OwnJudge(page, library)
        self._titling = Titling(library, self._asking, page.text)
        self._excerpts = Excerpts(library, self._changes, self._dossier, page.lang)
        self._relations = Relations(library, self._changes)
        standings = Standings(library, self._changes)
        self._rules: Mapping[str, Callable[[Statement], Finding | None]] = {
            **dict.fromkeys(("landed", "complete", "branch"), Landings(page, library).finding),
            "shows": self._excerpts.finding,
            "listed": self._titling.listed,
            "says": self._not_checked,
            "sums up": self._not_checked,
            "closes": self._relations.closed,
            "reverts": self._relations.reverted,
            "writes": self._relations.written,
            "cites": self._relations.cited,
            "ends": Endings(page, self._changes).finding,
            "filed": self._relations.filed,
            "new name": Novelties(library).finding,
            **standings.rules,
            **Sharing(library, self._changes, standings).rules,
        }

    def findings(self, statements: Sequence[Statement]) -> list[Finding]:
        """Give every verdict; words that only sign entries are names where most of them turn out to be right."""
        found = [(one, finding) for one in statements if (finding := self.finding(one)) is not None]
        # What stands in a sentence that our rules would write is right with it.
        ours = {finding.line for one, finding in found if one.predicate == "tells" and finding.verdict == RIGHT}
        found = [(one, finding) for one, finding in found if not one.loose or one.line not in ours]
        return _once(self._authorship.in_columns(self._authorship.signed(found)))

    def finding(self, statement: Statement) -> Finding | None:
        """Give the verdict; None where a statement turns out to be none."""
        if statement.found:
            verdict = RIGHT if statement.found == RIGHT else wrong(statement.found)
            return statement.ruled(verdict, statement.evidence)
        if whole := self._own.of_page(statement):
            return whole
        if statement.predicate == "new" and self._library.window is None:
            return None
        if rule := self._rules.get(statement.predicate):
            return rule(statement)
        if statement.about is None:
            why = "nothing says which commit this is from"
            return statement.ruled(UNVERIFIABLE, why)
        if statement.predicate == "exists" and statement.also:
            # A number belongs to the repository of the commit that its line is about.
            beside = self._changes.of(statement.also[0], statement)
            statement = replace(statement, repo=beside.repo if beside else statement.repo, also=())
        if statement.predicate == "fixes" and (own := self._relations.own_number(statement)):
            why = f"#{statement.params['issue']} is the pull request that brought {own}, not an issue"
            return statement.ruled(wrong("label"), why)
        return self._of_another(statement, self._judged(statement, self._answer(statement)))

    def _not_checked(self, statement: Statement) -> Finding:
        """Leave prose to a reader: code proves references and values, not what a sentence means."""
        return statement.ruled(NOT_CHECKED, "prose is not checked by rules")

    def _of_another(self, statement: Statement, finding: Finding | None) -> Finding | None:
        """Leave open what was held against a commit of another repository: the change that is meant was not read."""
        mention = statement.about
        if mention is None or finding is None or not finding.wrong or statement.predicate in _OF_PLACE:
            return finding
        repo = self._page.names.known(mention.repo) if mention.repo else statement.repo
        answer = self._library.change_of(mention, repo, self._page.names.all)
        return statement.ruled(UNVERIFIABLE, _ELSEWHERE.format(answer.id)) if answer.elsewhere else finding

    def _answer(self, statement: Statement) -> Answer:
        assert statement.about is not None
        among = self._page.names.all
        threads = statement.predicate in _THREAD_FIRST or "thread" in statement.params
        find = self._library.answer if threads else self._library.change_of
        answer = find(statement.about, statement.repo, among)
        if answer.found or statement.predicate != "exists":
            return answer
        # A pull request that a landed commit names exists, whoever may read it.
        through = self._library.change_of(statement.about, statement.repo, among)
        return through if through.found else answer

    def _judged(self, statement: Statement, answer: Answer) -> Finding | None:
        if not answer.found:
            return self._absent(statement, answer)
        if answer.elsewhere and statement.about is not None and self._is_quoted_hash(statement.about):
            # A commit that moves a pin from hash to hash: what it pins may be a project of this report.
            return None
        evidence = self._library.found[answer.id]
        if self._own.knows(statement):
            return self._own.finding(statement, evidence)
        if statement.predicate == "counts":
            return judged(statement, *measured(statement, evidence))
        if statement.predicate == "titled":
            return self._titling.finding(statement, evidence)
        if (
            statement.predicate == "pull"
            and "bare" in statement.params
            and not self._relations.is_other(statement, evidence)
        ):
            return None
        if statement.predicate == "touches":
            statement = _with_whole_path(statement, evidence)
        return self._by_gate(statement, evidence)

    def _absent(self, statement: Statement, answer: Answer) -> Finding | None:
        """Say of something that was not found whether it is missing or could not be looked up."""
        mention, repo = statement.about, statement.repo
        assert mention is not None
        looked_up = mention.kind == "commit" and (
            repo in self._library.readable if repo else bool(self._library.readable)
        )
        gone = self._library.unresolved.get(answer.id)
        if statement.predicate != "exists":
            if not statement.strict and (statement.predicate in ("titled", "names") or mention.kind == "commit"):
                return None
            titled = statement.predicate == "titled" and mention.kind == "thread" and repo in self._library.readable
            if titled and (other := self._titling.called_so(statement.params["title"])):
                why = f"#{mention.number} brought no commit of this title; so is called {other}"
                return statement.ruled(wrong("metadata"), why)
            why = (
                gone.reason if gone else self._library.unread(repo) if not looked_up else "what it speaks of is missing"
            )
            return statement.ruled(UNVERIFIABLE, why)
        if gone is not None and gone.kind == "unread":
            return statement.ruled(UNVERIFIABLE, gone.reason)
        if gone is None and not looked_up:
            if not mention.sure:
                return None
            return statement.ruled(UNVERIFIABLE, self._library.unread(repo))
        if not mention.sure or self._is_quoted_hash(mention):
            return None
        unresolved = {
            answer.id: gone or Unresolved(kind="missing", reason=f"there is no commit {mention.sha} in {repo}")
        }
        dossier = Dossier(found={}, unresolved=unresolved)
        claim = Claim(id="audit", repo=None, role=Role.CHANGE, predicate="exists", cites=(answer.id,))
        return judged(statement, judge(claim, dossier, self._lang), "")

    def _is_quoted_hash(self, mention: Mention) -> bool:
        """Tell whether a commit that is cited writes this hash itself: then it is one of another project."""
        cited = (one for one in self._library.found.values() if isinstance(one, CommitEvidence))
        return not mention.repo and any(mention.sha in shown for one in cited for shown in one.texts)

    def _by_gate(self, statement: Statement, evidence: Evidence) -> Finding | None:
        judgement = self._asking.ask(statement, evidence)
        lenient = statement.predicate in ("authored", "dated") and "exact" not in statement.params
        if lenient and judgement.verdict is Verdict.METADATA:
            return self._lenient(statement, evidence, judgement)
        if (
            statement.predicate == "names"
            and not judgement.passed
            and loosely_named(statement.params["identifier"], evidence.texts)
        ):
            return statement.ruled(RIGHT, f"{evidence.id} has it")
        spoken = (
            statement.predicate == "touches"
            and isinstance(evidence, CommitEvidence)
            and statement.params["path"] in evidence.change.commit.message
        )
        if not judgement.passed and (spoken or not statement.strict) and judgement.verdict is Verdict.UNSUPPORTED:
            return statement.ruled(UNVERIFIABLE, judgement.reason)
        return judged(statement, judgement, told(evidence))

    def _lenient(self, statement: Statement, evidence: Evidence, judgement: Judgement) -> Finding | None:
        """Allow what git alone cannot refute: other names of an author, and the author's own date."""
        if statement.predicate == "authored":
            return self._authorship.lenient(statement, evidence, judgement)
        if isinstance(evidence, CommitEvidence) and self._asking.ask(statement, evidence, event="authored").passed:
            return judged(statement, Judgement(verdict=Verdict.SUPPORTED), f"authored then: {told(evidence)}")
        return judged(statement, judgement, "")


def _once(found: Sequence[tuple[Statement, Finding]]) -> list[Finding]:
    """Tell one mistake once: of what was read in several ways the plainest is kept, a whole sentence last."""
    known: dict[int, list[Finding]] = {}
    for one, finding in found:
        if finding.wrong and one.predicate != "says":
            known.setdefault(finding.line, []).append(finding)
    kept: dict[tuple[object, ...], Finding] = {}
    for one, finding in found:
        others = known.get(finding.line, []) if finding.wrong else []
        if one.predicate == "says" and any(other.claim in one.params["text"] for other in others):
            continue
        same = (finding.kind, finding.evidence) if finding.wrong and finding.kind == "author" else (id(finding),)
        kept.setdefault((finding.line, *same), finding)
    return list(kept.values())


def _with_whole_path(statement: Statement, evidence: Evidence) -> Statement:
    """Choose the touched file that a short or general path means."""
    if not isinstance(evidence, CommitEvidence):
        return statement
    fitting = fitting_paths(statement.params["path"], evidence.paths)
    return replace(statement, params={"path": fitting[0]}) if fitting else statement
