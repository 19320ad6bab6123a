"""From statements to findings: each becomes one small claim for the gate, or is decided by counting."""

import re
from collections.abc import Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import chain

from agent.audit.code import ANNOTATION
from agent.audit.hearing import Hearing
from agent.audit.library import Answer, Library
from agent.audit.measures import fitting_paths, measured
from agent.audit.mentions import Mention
from agent.audit.naming import loosely_named
from agent.audit.own_judging import OwnJudge, printed
from agent.audit.page import Page
from agent.audit.signatures import signature
from agent.audit.statement import RIGHT, UNVERIFIABLE, Finding, Statement, shortened, told, wrong
from agent.audit.vocabulary import plain
from agent.claims import Claim, Judgement, Quote, Role, Verdict
from agent.domain import Commit
from agent.dossier import Dossier
from agent.evidence import CommitEvidence, Evidence, Unresolved
from agent.gate.judge import judge
from agent.gate.metadata import titles
from agent.gate.people import authors
from agent.gate.verbatim import normal
from agent.ids import thread_id
from agent.settings import Language
from agent.window import Window

_ALIKE = 0.8
_CUSTOM = 2
_TELLING = 4
_DESCRIBED = 80
_MOST = 12
"""How many diffs a block of code is looked for in."""
_THREAD_FIRST = {"exists", "state", "fixes", "happened", "named"}
_NUMBERED = re.compile(r"\s*\(#\d+\)\s*$")
_MERGED_NOTE = re.compile(r"\s+—\s+.*$")


class Judge:
    """Judges the statements of one report."""

    def __init__(self, page: Page, library: Library) -> None:
        self._page = page
        self._library = library
        self._lang: Language = page.lang
        self._normal: dict[str, str] = {}
        self._by_title: dict[str, list[str]] = {}
        for commit in (*chain.from_iterable(library.landed.values()), *_commits(library)):
            bare = " ".join(word for word in _tokens(commit.subject) if not word.isdigit())
            self._by_title.setdefault(bare, []).append(f"{commit.id} “{shortened(commit.subject, 80)}”")
        self._own = OwnJudge(page, library)
        self._dossier = Dossier(found=library.found, unresolved=library.unresolved, links=library.links)
        self._hearing = Hearing(self._dossier, page.lang, library.around)

    def findings(self, statements: Sequence[Statement]) -> list[Finding]:
        """Give every verdict; words that only sign entries are names where most of them turn out to be right."""
        found = [(one, finding) for one in statements if (finding := self.finding(one)) is not None]
        signed = [finding for one, finding in found if "signed" in one.params and "known" not in one.params]
        right = sum(finding.verdict == RIGHT for finding in signed)
        judged = sum(finding.verdict != UNVERIFIABLE for finding in signed)
        named = right >= _CUSTOM and right * 2 > judged
        # What stands in a sentence that our rules would write is right with it.
        ours = {finding.line for one, finding in found if one.predicate == "tells" and finding.verdict == RIGHT}
        found = [(one, finding) for one, finding in found if not one.loose or one.line not in ours]
        kept = [(one, finding) for one, finding in found if not one.params.get("signed") or self._is_signed(one, named)]
        return _once(kept)

    def _is_signed(self, statement: Statement, named: bool) -> bool:
        """Tell whether words are somebody's name: who is known, or what stands where the other entries have names."""
        known = plain(statement.params["author"]).casefold() in self._library.people
        return known or (named and "known" not in statement.params)

    def finding(self, statement: Statement) -> Finding | None:
        """Give the verdict; None where a statement turns out to be none."""
        if statement.found:
            verdict = RIGHT if statement.found == RIGHT else wrong(statement.found)
            return Finding(statement.line, statement.kind, statement.words, verdict, statement.evidence)
        if whole := self._own.of_page(statement):
            return whole
        if statement.predicate in ("landed", "complete", "branch"):
            return self._of_repository(statement)
        if statement.predicate == "new" and self._library.window is None:
            return None
        if statement.predicate == "shows":
            return self._shown(statement)
        if statement.predicate == "says":
            return self._told(statement)
        if statement.predicate == "closes":
            return self._closed(statement)
        if statement.about is None:
            why = "nothing says which commit this is from"
            return Finding(statement.line, statement.kind, statement.words, UNVERIFIABLE, why)
        if statement.predicate == "exists" and statement.also:
            statement = self._placed(statement)
        if statement.predicate == "fixes" and (own := self._own_number(statement)):
            why = f"#{statement.params['issue']} is the pull request that brought {own}, not an issue"
            return Finding(statement.line, statement.kind, statement.words, wrong("label"), why)
        return self._judged(statement, self._answer(statement))

    def _told(self, statement: Statement) -> Finding | None:
        """Hear a sentence, if every change that it speaks of was read."""
        mentions = [mention for mention in (statement.about, *statement.also) if mention is not None]
        commits = [one for mention in mentions if (one := self._diff(mention, statement)) is not None]
        distinct = list({one.id: one for one in commits}.values())
        return self._hearing.finding(statement, distinct) if commits and len(commits) == len(mentions) else None

    def _closed(self, statement: Statement) -> Finding | None:
        """Ask the words of a commit whether it has to do with an issue that nobody could read."""
        change = self._diff(statement.about, statement) if statement.about is not None else None
        issue = int(statement.params["issue"])
        if change is None or change.pull == issue or thread_id(change.repo, issue) in self._library.found:
            return None
        if re.search(rf"(?:#|/issues/|/pull/){issue}\b", change.change.commit.message):
            return _of(statement, Judgement(verdict=Verdict.SUPPORTED), f"its message names #{issue}")
        landed = self._library.pulls.get((change.repo, issue))
        if landed is not None:
            why = f"#{issue} is the pull request that brought {landed}, not an issue"
        elif _explains(change.change.commit.message):
            why = f"{change.id} says in its message what it is for, and does not name #{issue}"
        else:
            # The pull request may name it.
            return None
        return Finding(statement.line, statement.kind, statement.words, wrong(Verdict.UNSUPPORTED.value), why)

    def _placed(self, statement: Statement) -> Statement:
        """File a number under the repository of the commit that its line is about."""
        beside = self._diff(statement.also[0], statement)
        return replace(statement, repo=beside.change.commit.repo if beside else statement.repo, also=())

    def _own_number(self, statement: Statement) -> str:
        """Find the commit that is said to fix an issue which is its own pull request."""
        for mention in statement.also:
            change = self._diff(mention, statement)
            if change is not None and str(change.pull) == statement.params["issue"]:
                return change.id
        return ""

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
        evidence = self._library.found[answer.id]
        if self._own.knows(statement):
            return self._own.finding(statement, evidence)
        if statement.predicate == "counts":
            return _of(statement, *measured(statement, evidence))
        if statement.predicate == "titled":
            return self._titled(statement, evidence)
        if statement.predicate == "pull" and "bare" in statement.params and not self._is_other(statement, evidence):
            return None
        if statement.predicate == "touches":
            statement = _with_whole_path(statement, evidence)
        return self._by_gate(statement, evidence)

    def _is_other(self, statement: Statement, evidence: Evidence) -> bool:
        """Tell whether a bare number is the pull request of the commit beside it, or of quite another one."""
        number = statement.params["number"]
        if not isinstance(evidence, CommitEvidence) or str(evidence.pull) == number:
            return isinstance(evidence, CommitEvidence)
        spoken = re.search(rf"(?:#|/){number}\b", evidence.change.commit.message) is not None
        brought = self._library.pulls.get((evidence.change.commit.repo, int(number)))
        return evidence.pull is not None and brought not in (None, evidence.id) and not spoken

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
            if statement.predicate == "titled" and mention.kind == "thread" and repo in self._library.readable:
                unsigned = signature(statement.params["title"])
                for title in (statement.params["title"], unsigned.title if unsigned else ""):
                    if other := self._titled_so(_tokens(title)):
                        why = f"#{mention.number} brought no commit of this title; so is called {other}"
                        return Finding(statement.line, statement.kind, statement.words, wrong("metadata"), why)
            why = (
                gone.reason if gone else self._library.unread(repo) if not looked_up else "what it speaks of is missing"
            )
            return Finding(statement.line, statement.kind, statement.words, UNVERIFIABLE, why)
        if gone is not None and gone.kind == "unread":
            return Finding(statement.line, statement.kind, statement.words, UNVERIFIABLE, gone.reason)
        if gone is None and not looked_up:
            if not mention.sure:
                return None
            return Finding(statement.line, statement.kind, statement.words, UNVERIFIABLE, self._library.unread(repo))
        if not mention.sure or self._is_quoted_hash(mention):
            return None
        unresolved = {
            answer.id: gone or Unresolved(kind="missing", reason=f"there is no commit {mention.sha} in {repo}")
        }
        dossier = Dossier(found={}, unresolved=unresolved)
        claim = Claim(id="audit", repo=None, role=Role.CHANGE, predicate="exists", cites=(answer.id,))
        return _of(statement, judge(claim, dossier, self._lang), "")

    def _is_quoted_hash(self, mention: Mention) -> bool:
        """Tell whether a commit that is cited writes this hash itself: then it is one of another project."""
        cited = (one for one in self._library.found.values() if isinstance(one, CommitEvidence))
        return not mention.repo and any(mention.sha in shown for one in cited for shown in one.texts)

    def _by_gate(self, statement: Statement, evidence: Evidence) -> Finding | None:
        judgement = self._ask(statement, evidence)
        lenient = statement.predicate in ("authored", "dated") and "exact" not in statement.params
        if lenient and judgement.verdict is Verdict.METADATA:
            return self._lenient(statement, evidence, judgement)
        if (
            statement.predicate == "names"
            and not judgement.passed
            and loosely_named(statement.params["identifier"], evidence.texts)
        ):
            return Finding(statement.line, statement.kind, statement.words, RIGHT, f"{evidence.id} has it")
        spoken = (
            statement.predicate == "touches"
            and isinstance(evidence, CommitEvidence)
            and statement.params["path"] in evidence.change.commit.message
        )
        if not judgement.passed and (spoken or not statement.strict) and judgement.verdict is Verdict.UNSUPPORTED:
            return Finding(statement.line, statement.kind, statement.words, UNVERIFIABLE, judgement.reason)
        return _of(statement, judgement, told(evidence))

    def _ask(self, statement: Statement, evidence: Evidence, **params: str) -> Judgement:
        """Put one small claim before the gate."""
        cites = [evidence.id]
        for mention in statement.also:
            other = self._library.answer(
                mention, self._page.names.known(mention.repo) if mention.repo else statement.repo, self._page.names.all
            )
            cites += [other.id] if other.found and other.id not in cites else []
        window = self._library.window if statement.predicate == "new" else None
        predicate = "exists" if statement.predicate == "new" else statement.predicate
        dossier = self._dossier if window is None else _windowed(self._dossier, window)
        given = dict(statement.params) | params
        if predicate == "dated":
            given.setdefault("tz", self._library.tz)
        repo = statement.repo if statement.predicate == "exists" else None
        claim = Claim(
            id="audit",
            repo=repo,
            role=Role.CHANGE,
            about=(evidence.id,),
            predicate=predicate,
            params=given,
            cites=tuple(cites),
        )
        return judge(claim, dossier, self._lang)

    # ------------------------------------------------------------ people and dates

    def _lenient(self, statement: Statement, evidence: Evidence, judgement: Judgement) -> Finding | None:
        """Allow what git alone cannot refute: a login, a name with a comma, the author's own date, another zone."""
        if statement.predicate == "authored":
            name = plain(statement.params["author"])
            known = authors(evidence, self._dossier)
            if any(_is_named(name, plain(one)) for one in (*known.main, *known.along)):
                return _of(statement, Judgement(verdict=Verdict.SUPPORTED), told(evidence))
            is_login = bool(re.fullmatch(r"@?[A-Za-z0-9][A-Za-z0-9-]*(?:\[bot\])?", name.strip("`* ")))
            pull_known = isinstance(evidence, CommitEvidence) and len(known.main) > 1
            if is_login and isinstance(evidence, CommitEvidence) and name.startswith("@") and not pull_known:
                why = f"git names {known.main[0] if known.main else 'nobody'} and no login"
                return Finding(statement.line, statement.kind, statement.words, UNVERIFIABLE, why)
            stranger = plain(statement.params["author"]).casefold() not in self._library.people
            if stranger and "beside" in statement.params and " " not in name:
                why = f"git names {known.main[0] if known.main else 'nobody'}; whose login this is it does not say"
                return Finding(statement.line, statement.kind, statement.words, UNVERIFIABLE, why)
            return _of(statement, judgement, "")
        if isinstance(evidence, CommitEvidence) and self._ask(statement, evidence, event="authored").passed:
            return _of(statement, Judgement(verdict=Verdict.SUPPORTED), f"authored then: {told(evidence)}")
        return _of(statement, judgement, "")

    # ------------------------------------------------------------ titles

    def _titled(self, statement: Statement, evidence: Evidence) -> Finding | None:
        title = statement.params["title"]
        if "exact" in statement.params:
            return self._exactly_titled(statement, evidence)
        bare = _MERGED_NOTE.sub("", title)
        signed = signature(title)
        unsigned = signed.title if signed else re.sub(r"\s+by\s+\S[^()]*$", "", bare)
        for form in dict.fromkeys((title, bare, _unnumbered(bare, evidence), unsigned, plain(title))):
            if form.strip() and self._ask(statement, evidence, title=form).passed:
                return _of(statement, Judgement(verdict=Verdict.SUPPORTED), told(evidence))
        real = [_tokens(one) for one in titles(evidence)]
        stated = _tokens(_MERGED_NOTE.sub("", title))
        if not stated:
            return None
        forms = (stated, _tokens(unsigned))
        joined = {"".join(form) for form in forms}
        shortened_only = not statement.strict and any(_abridges(stated, one) for one in real)
        if shortened_only or any("".join(one) in joined or any(_within(form, one) for form in forms) for one in real):
            return _of(statement, Judgement(verdict=Verdict.SUPPORTED), told(evidence))
        if not statement.strict and _is_translated(stated, real):
            return None
        likeness = max((_likeness(form, one) for one in real for form in forms if form), default=0.0)
        if statement.strict or likeness >= _ALIKE:
            by_pull = statement.about is not None and statement.about.kind == "thread"
            grown = any(len(one) > _TELLING and forms[1][: len(one) - 1] == one[:-1] for one in real)
            if by_pull and isinstance(evidence, CommitEvidence) and likeness < _ALIKE and not grown:
                if other := self._titled_so(stated, evidence.id) or self._titled_so(forms[1], evidence.id):
                    why = f"it is “{next(titles(evidence), '')}”; so is called {other}"
                    return Finding(statement.line, statement.kind, statement.words, wrong("metadata"), why)
                # The title of a pull request may have changed on the way.
                why = f"the commit is called “{next(titles(evidence), '')}”"
                return Finding(statement.line, statement.kind, statement.words, UNVERIFIABLE, why)
            return _of(statement, self._ask(statement, evidence), told(evidence))
        return None

    def _titled_so(self, stated: list[str], but: str = "") -> str:
        """Find another commit that has exactly this title, whatever number closes it."""
        bare = [word for word in stated if not word.isdigit()]
        if len(bare) < _TELLING:
            return ""
        return next((name for name in self._by_title.get(" ".join(bare), ()) if name != but), "")

    def _exactly_titled(self, statement: Statement, evidence: Evidence) -> Finding:
        """Compare a title of our own printing letter by letter; only what Markdown does to it is allowed."""
        shown = {printed(form) for form in _without_notes(statement.params["title"], evidence)}
        real = [printed(one) for one in titles(evidence)]
        verdict = Verdict.SUPPORTED if shown & {*real, *(one or "—" for one in real)} else Verdict.METADATA
        reason = "" if verdict is Verdict.SUPPORTED else f"the title is “{next(titles(evidence), '')}”"
        return _of(statement, Judgement(verdict=verdict, reason=reason), told(evidence))

    # ------------------------------------------------------------ code

    def _shown(self, statement: Statement) -> Finding:
        """Look for each line of a block in the diffs that it may be of; the best of them counts."""
        shown = [
            one for mention in (statement.about, *statement.also) if mention and (one := self._diff(mention, statement))
        ]
        count = len(statement.lines)
        if not shown:
            verdict, why = self._shown_of_none(statement)
            return Finding(statement.line, statement.kind, statement.words, verdict, why)
        missing = {one.id: [line for line in statement.lines if not self._quoted(line, one)] for one in shown[:_MOST]}
        evidence = min(shown[:_MOST], key=lambda one: len(missing[one.id]))
        lacking = missing[evidence.id]
        if any(not ANNOTATION.match(line) for line in statement.lines):
            # A comment may be the report's own.
            lacking = [line for line in lacking if not ANNOTATION.match(line)]
        verdict, why = RIGHT, f"all {count} lines are in {evidence.id}"
        if lacking and "at" in statement.params:
            # The line that is wrong is what must be corrected.
            place = int(statement.params["at"].split()[statement.lines.index(lacking[0])])
            statement = replace(statement, line=place)
        if len(lacking) == count:
            verdict, why = wrong("quote"), f"none of its {count} lines is in {told(evidence)}"
        if lacking and not statement.strict:
            verdict, why = UNVERIFIABLE, f"not word by word in {evidence.id}"
        elif lacking and len(lacking) < count:
            why = f"{len(lacking)} of {count} lines are not in {evidence.id}: {shortened(lacking[0], 60)}"
            verdict = wrong("quote")
        return Finding(statement.line, statement.kind, statement.words, verdict, why)

    def _diff(self, mention: Mention, statement: Statement) -> CommitEvidence | None:
        repo = self._page.names.known(mention.repo) if mention.repo else statement.repo
        answer = self._library.change_of(mention, repo, self._page.names.all)
        evidence = self._library.found.get(answer.id)
        return evidence if isinstance(evidence, CommitEvidence) else None

    def _shown_of_none(self, statement: Statement) -> tuple[str, str]:
        """Judge code that stands below no change: where no diff of the report has a line of it, it was made up."""
        if statement.about is not None:
            return UNVERIFIABLE, "the diff of what it stands below was not read"
        where = [one for one in self._library.found.values() if isinstance(one, CommitEvidence)]
        own = [one for one in where if statement.repo is None or one.change.commit.repo == statement.repo]
        if not own or any(one.change.unreadable or one.change.incomplete for one in own):
            return UNVERIFIABLE, "nothing says which commit this is from"
        texts = self._diffs(own)
        forms = [normal(re.sub(r"^[+-]\s*", "", line)) for line in statement.lines]
        if any(form in text for form in forms for text in texts):
            return UNVERIFIABLE, "nothing says which commit this is from"
        return wrong("quote"), f"none of its {len(forms)} lines is in any of the {len(own)} commits that are cited"

    def _diffs(self, commits: Sequence[CommitEvidence]) -> list[str]:
        """Normalise each diff once."""
        for one in commits:
            if one.id not in self._normal:
                bare = "\n".join(line[1:] for text in one.texts for line in text.split("\n"))
                self._normal[one.id] = normal(bare)
        return [self._normal[one.id] for one in commits]

    def _quoted(self, line: str, evidence: Evidence) -> bool:
        forms = {line, re.sub(r"^[+-]\s*", "", line), plain(line), plain(re.sub(r"^[+-]\s*", "", line)).rstrip(";,")}
        for form in forms:
            quote = Quote(cite=evidence.id, text=form)
            claim = Claim(
                id="audit", repo=None, role=Role.CHANGE, predicate="shows", cites=(evidence.id,), quotes=(quote,)
            )
            if form.strip() and judge(claim, self._dossier, self._lang).passed:
                return True
        return False

    # ------------------------------------------------------------ counts of a window

    def _of_repository(self, statement: Statement) -> Finding:
        """Judge what is said of a repository as a whole."""
        if statement.predicate == "landed":
            return self._landed(statement)
        repo = statement.repo
        real = self._library.branches.get(repo) if repo else None
        if real is None or repo is None:
            why = self._library.unread(repo)
            return Finding(statement.line, statement.kind, statement.words, UNVERIFIABLE, why)
        if statement.predicate == "branch":
            verdict = RIGHT if real == statement.params["branch"] else wrong("metadata")
            return Finding(statement.line, statement.kind, statement.words, verdict, f"the branch is {real}")
        rows, shown = len(self._library.landed.get(repo, ())), int(statement.params["shown"])
        # More may have come to light since: commits that landed late belong to a later report.
        verdict = RIGHT if rows == shown else wrong("count") if shown > rows else UNVERIFIABLE
        return Finding(
            statement.line, statement.kind, statement.words, verdict, f"{rows} commits landed, {shown} are listed"
        )

    def _landed(self, statement: Statement) -> Finding:
        repo, stated = statement.repo, int(statement.params["commits"])
        rows = self._library.landed.get(repo) if repo else None
        if rows is None or self._library.window is None:
            why = self._library.unread(repo) if self._library.window else "the report's day is not known"
            return Finding(statement.line, statement.kind, statement.words, UNVERIFIABLE, why)
        why = f"{repo}: {len(rows)} commits landed on {self._library.window.label} ({self._library.window.tz})"
        verdict = RIGHT if len(rows) == stated else wrong("count")
        if verdict != RIGHT and stated in self._otherwise_counted(rows):
            verdict, why = UNVERIFIABLE, f"{why}; counted in another way it is {stated}"
        return Finding(statement.line, statement.kind, statement.words, verdict, why)

    def _otherwise_counted(self, rows: Sequence[Commit]) -> set[int]:
        """Count without merges, and with what they brought in."""
        merges = [row for row in rows if row.is_merge]
        members = [self._library.members.get(row.id) for row in merges]
        all_told = len(rows) + sum(count or 0 for count in members)
        return {len(rows) - len(merges), all_told, all_told - len(merges)} if merges else set()


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


def _commits(library: Library) -> list[Commit]:
    return [one.change.commit for one in library.found.values() if isinstance(one, CommitEvidence)]


def _windowed(dossier: Dossier, window: Window) -> Dossier:
    return replace(dossier, window=window)


def _of(statement: Statement, judgement: Judgement, why: str) -> Finding:
    if judgement.passed:
        verdict = RIGHT
    elif judgement.verdict is Verdict.UNDECIDED:
        verdict = UNVERIFIABLE
    else:
        verdict = wrong(judgement.verdict.value)
    return Finding(statement.line, statement.kind, statement.words, verdict, judgement.reason or why)


def _explains(message: str) -> bool:
    """Tell whether a message has the description of its pull request, and not its title and trailers alone."""
    body = [line for line in message.split("\n")[1:] if not re.match(r"[\w-]+(?:-by)?: |\s*[*-] |-{3}|\s*$", line)]
    return len(" ".join(body)) >= _DESCRIBED


def _unnumbered(title: str, evidence: Evidence) -> str:
    """Leave out the number of a pull request that the real title does not have, and only that."""
    return title if any(_NUMBERED.search(one) for one in titles(evidence)) else _NUMBERED.sub("", title)


def _without_notes(title: str, evidence: Evidence) -> list[str]:
    """Give a printed title with fewer and fewer of the notes behind it."""
    forms = [title]
    while " — " in forms[-1]:
        forms.append(forms[-1].rpartition(" — ")[0])
    return [*forms, *(_unnumbered(form, evidence) for form in forms)]


def _with_whole_path(statement: Statement, evidence: Evidence) -> Statement:
    """Choose the touched file that a short or general path means."""
    if not isinstance(evidence, CommitEvidence):
        return statement
    fitting = fitting_paths(statement.params["path"], evidence.paths)
    return replace(statement, params={"path": fitting[0]}) if fitting else statement


def _key(name: str) -> str:
    return " ".join(name.strip("`*_ @.").casefold().split())


def _is_named(stated: str, real: str) -> bool:
    """Compare names; behind a comma something else may follow, unless the comma is part of the name."""
    return _key(stated) == _key(real) or _key(stated).startswith(f"{_key(real)},")


def _tokens(text: str) -> list[str]:
    return re.findall(r"[A-Za-z0-9]+|[\u4e00-\u9fff]", plain(text).lower())


def _within(stated: list[str], real: list[str]) -> bool:
    """Tell whether a title was only shortened at its ends: its words stand in the real one, in order and together."""
    if len(stated) < 3:
        return False
    text, whole = "\0".join(stated), "\0".join(real)
    return f"\0{text}\0" in f"\0{whole}\0"


def _abridges(stated: list[str], real: list[str]) -> bool:
    """Tell whether a title only leaves words out: who does not quote may say it shorter."""
    rest = iter(real)
    return len(stated) >= _TELLING and all(word in rest for word in stated)


def _is_translated(stated: list[str], real: list[list[str]]) -> bool:
    """Tell whether a headline says a title in another language: then it retells and does not quote."""
    return any(not word.isascii() for word in stated) and all(word.isascii() for one in real for word in one)


def _likeness(stated: list[str], real: list[str]) -> float:
    return SequenceMatcher(None, stated, real, autojunk=False).ratio()
