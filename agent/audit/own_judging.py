"""Verdicts on what only our own reports print: sentences made of facts, excerpts, types, events, merges."""

import re
from collections import Counter
from collections.abc import Sequence

from agent.audit.library import Library
from agent.audit.mentions import Mention
from agent.audit.metadata import titles
from agent.audit.own_layout import Layout, coverage_told, read_layout
from agent.audit.page import Page
from agent.audit.reckoning import Reckoning
from agent.audit.statement import RIGHT, UNVERIFIABLE, Finding, Statement, shortened, told, wrong
from agent.conventions import Purpose, read_heading
from agent.domain import Change, Issue, PullRequest
from agent.evidence import CommitEvidence, Evidence, EvidenceId, ReleaseEvidence, ThreadEvidence
from agent.gate.verbatim import normal, stands_in
from agent.ids import commit_id, thread_id
from agent.markdown import visible
from agent.report import Depth
from agent.wordings import words

_OF_STORIES = (
    "likely fixes", "relands part", "undoes part", "mends", "continues", "same work", "refers to", "refers as said",
    "takes in",
)  # fmt: skip
Verdict = tuple[str, str]
"""What a finding says, and why."""


class OwnJudge:
    """Judges what a report of ours prints of the commits and threads that were found."""

    def __init__(self, page: Page, library: Library) -> None:
        self._page = page
        self._library = library
        layout = read_layout(page)
        self._layout: Layout | None = layout
        self._rules = {
            "brought": self._brought,
            "happened": self._happened,
            "waiting": self._waiting,
            "named": self._named,
            "tells": self._tells,
            "undoes": self._undoes,
            "relands": self._undoes,
            "undone": self._undone,
            "series": self._series,
            "purposed": self._purposed,
            "excerpt": self._excerpt,
            "speaks": self._speaks,
            "unreadable": self._unreadable,
            **dict.fromkeys(_OF_STORIES, self._story),
        }

    def knows(self, statement: Statement) -> bool:
        """Tell whether a statement is of a kind that only our reports make."""
        return statement.predicate in self._rules

    def finding(self, statement: Statement, evidence: Evidence) -> Finding:
        """Judge a statement about something that was found."""
        verdict, why = self._rules[statement.predicate](statement, evidence)
        return Finding(statement.line, statement.kind, statement.words, verdict, why)

    def of_page(self, statement: Statement) -> Finding | None:
        """Judge a statement about many commits at once; None where it is another kind."""
        rule = {"types": self._types, "summed": self._summed, "claims": self._claims}.get(statement.predicate)
        return rule(statement) if rule else None

    # ------------------------------------------------------------ sentences

    def _tells(self, statement: Statement, evidence: Evidence) -> Verdict:
        """Look for a sentence among those that the facts give."""
        reckoned = self._library.reckoned.get(evidence.id)
        if reckoned is None or self._layout is None:
            return UNVERIFIABLE, "the facts of the commit were not read"
        text, kind, lang = statement.params["text"], statement.params["as"], self._layout.lang
        if text in reckoned.sentences(kind, lang):
            return RIGHT, f"the facts of {evidence.id} say so"
        nearest = reckoned.nearest(text, kind, lang)
        if nearest and reckoned.studied is not None:
            return wrong("unsupported"), f"the facts of {evidence.id} say: {shortened(nearest, 400)}"
        return UNVERIFIABLE, "our rules would not say this of the commit"

    def _undoes(self, statement: Statement, evidence: Evidence) -> Verdict:
        return self._paired(statement.predicate, evidence, self._other(statement))

    def _undone(self, statement: Statement, evidence: Evidence) -> Verdict:
        other = self._other(statement)
        return self._paired("undoes", other, evidence) if other else (UNVERIFIABLE, "what undid it was not found")

    def _paired(self, predicate: str, later: Evidence, earlier: Evidence | None) -> Verdict:
        reckoned = self._library.reckoned.get(later.id)
        if reckoned is None or earlier is None:
            return UNVERIFIABLE, "the facts of the commits were not read"
        partners = set(reckoned.partners(predicate))
        if isinstance(earlier, CommitEvidence) and partners & _names(earlier):
            return RIGHT, f"{later.id} {predicate} {earlier.id}"
        return UNVERIFIABLE, f"the diff and the words of {later.id} do not name {earlier.id}"

    def _story(self, statement: Statement, evidence: Evidence) -> Verdict:
        del statement
        return UNVERIFIABLE, f"only the story as a whole shows this: {told(evidence)}"

    def _series(self, statement: Statement, evidence: Evidence) -> Verdict:
        """Hold the number of each part to the title of its commit, and what is missing to what has landed."""
        part, landed, missing = (statement.params[name] for name in ("part", "landed", "missing"))
        numbers, gaps = landed.split(), {int(one) for one in missing.split()}
        others = [self._of(mention, statement) for mention in statement.also]
        for number, one in zip((part, *numbers), (evidence, *others), strict=False):
            real = read_heading(next(titles(one), "")).part if one else None
            if real and real[0] != int(number):
                return wrong("number"), f"it is part {real[0]}: {told(one) if one else ''}"
        own = read_heading(next(titles(evidence), "")).part
        total = statement.params.get("total")
        if own and own[1] and total and own[1] != int(total):
            return wrong("number"), f"the title says part {own[0]} of {own[1]}"
        have = {int(part), *map(int, numbers)}
        if gaps and gaps != set(range(min(have), int(part))) - have:
            return wrong("number"), f"the parts that are named have landed: {landed}"
        return RIGHT, told(evidence)

    def _other(self, statement: Statement) -> Evidence | None:
        return self._of(statement.also[0], statement)

    def _of(self, mention: Mention, statement: Statement) -> Evidence | None:
        repo = self._page.names.known(mention.repo) if mention.repo else statement.repo
        return self._library.found.get(self._library.change_of(mention, repo, self._page.names.all).id)

    # ------------------------------------------------------------ excerpts and words of authors

    def _speaks(self, statement: Statement, evidence: Evidence) -> Verdict:
        """Look for an author's words in the commit's message and, where one was read, in its pull request."""
        numbers = [mention.number for mention in statement.also if mention.number]
        names = [thread_id(statement.repo, number) for number in numbers if statement.repo]
        pulls = [one.thread.body for name in names if isinstance(one := self._library.found.get(name), ThreadEvidence)]
        message = [evidence.change.commit.message] if isinstance(evidence, CommitEvidence) else []
        if self._in(statement.lines, (*message, *pulls)):
            return RIGHT, f"these are words of {evidence.id}"
        if len(pulls) < len(statement.also):
            return UNVERIFIABLE, "the words may be those of the pull request, which was not read"
        return wrong("quote"), f"these words are not in {told(evidence)}"

    @staticmethod
    def _in(lines: Sequence[str], sources: Sequence[str]) -> bool:
        """Tell whether one source has all of the words, part by part."""
        texts = [normal(visible(source)) for source in sources]
        return any(all(stands_in(normal(visible(line)), text) for line in lines) for text in texts)

    def _excerpt(self, statement: Statement, evidence: Evidence) -> Verdict:
        """Look for lines that follow one another in the diff of one file."""
        if not isinstance(evidence, CommitEvidence):
            return UNVERIFIABLE, "the diff was not read"
        file = statement.params.get("file")
        patches = [one.patch or "" for one in evidence.change.files if not file or one.path == file]
        shown = "\n".join(normal(visible(line)) for line in statement.lines)
        if not patches:
            return wrong("quote"), f"{evidence.id} does not touch {file}"
        for patch in (*patches, *(() if file else (evidence.change.commit.message,))):
            lines = "\n".join(normal(visible(line)) for line in patch.split("\n"))
            if f"\n{shown}\n" in f"\n{lines}\n":
                return RIGHT, f"these lines are in {evidence.id}"
        return wrong("quote"), f"these lines do not follow one another in {told(evidence)}"

    # ------------------------------------------------------------ types

    def _purposed(self, statement: Statement, evidence: Evidence) -> Verdict:
        stated = statement.params["purpose"]
        reckoned = self._library.reckoned.get(evidence.id)
        if reckoned is None or self._layout is None or not isinstance(evidence, CommitEvidence):
            return UNVERIFIABLE, "the facts of the commit were not read"
        real = {self._word(one) for one in reckoned.purposes(self._labels(evidence))}
        if stated in real:
            return RIGHT, f"{evidence.id} is of this type"
        if real == {"—"} and not self._labels(evidence):
            return UNVERIFIABLE, "the type may be that of a label"
        return wrong("metadata"), f"by its words and its diff it is {' or '.join(sorted(real))}"

    def _types(self, statement: Statement) -> Finding:
        """Judge how often each type occurs in a table."""
        counted: Counter[str] = Counter()
        unsure = 0
        for mention, depth in zip(statement.also, statement.lines, strict=True):
            evidence = self._of(mention, statement)
            reckoned = self._library.reckoned.get(evidence.id) if evidence else None
            if reckoned is None or not isinstance(evidence, CommitEvidence):
                unsure += 1
                continue
            word = self._type(reckoned, evidence, depth)
            unsure += word == "—" and not self._labels(evidence) and self._threads_read(statement)
            counted[word] += 1
        del counted["—"]
        stated = {name: int(count) for name, count in statement.params.items()}
        real = ", ".join(f"{name} {count}" for name, count in counted.most_common())
        over = sum((Counter(stated) - counted).values())
        short = sum((counted - Counter(stated)).values())
        verdict = RIGHT if stated == counted else UNVERIFIABLE if over <= unsure and not short else wrong("count")
        return Finding(statement.line, statement.kind, statement.words, verdict, f"the rows: {real}")

    def _type(self, reckoned: Reckoning, evidence: CommitEvidence, depth: str) -> str:
        assert self._layout is not None
        deep = depth == self._layout.say.depths[Depth.DEEP]
        return self._word(next(iter(reckoned.purposes(self._labels(evidence), studied=deep))))

    def _threads_read(self, statement: Statement) -> bool:
        assert self._layout is not None
        told = coverage_told(self._page, self._layout).get(statement.repo or "")
        return told != self._layout.say.coverage["not read"]

    def _word(self, purpose: Purpose | None) -> str:
        assert self._layout is not None
        return words(self._layout.lang).purposes[purpose] if purpose else "—"

    def _labels(self, evidence: CommitEvidence) -> tuple[str, ...]:
        name: EvidenceId = thread_id(evidence.repo, evidence.pull) if evidence.pull else ""
        pull = self._library.found.get(name)
        return pull.thread.labels if isinstance(pull, ThreadEvidence) and isinstance(pull.thread, PullRequest) else ()

    # ------------------------------------------------------------ claims

    def _claims(self, statement: Statement) -> Finding:
        """Judge the number of claims and citations by what stands on the page."""
        stated = {name: int(count) for name, count in statement.params.items()}
        alone = sum(self._alone(m, code, statement) for m, code in zip(statement.also, statement.lines, strict=True))
        count = stated["told"] + stated["citing"] + stated["spoken"] + stated["shown"] + alone
        # Words of an author may be those of a pull request, which is cited beside the commit.
        fewest, most = count + stated["cited"], count + stated["cited"] + stated["spoken"]
        same = stated["claims"] == count and fewest <= stated["checked"] == stated["passed"] <= most
        why = f"on the page are {count} claims with {fewest} to {most} citations"
        return Finding(statement.line, statement.kind, statement.words, RIGHT if same else wrong("count"), why)

    def _alone(self, mention: Mention, excerpt: str, statement: Statement) -> bool:
        """Tell an excerpt that is a claim of its own from one that shows what a sentence says."""
        evidence = self._of(mention, statement)
        reckoned = self._library.reckoned.get(evidence.id) if evidence else None
        return reckoned is not None and not reckoned.proves(excerpt)

    # ------------------------------------------------------------ merges, events, releases

    def _brought(self, statement: Statement, evidence: Evidence) -> Verdict:
        real = self._library.members.get(evidence.id)
        same = str(real) == statement.params["members"]
        why = f"{real} commits came in by {evidence.id}"
        return UNVERIFIABLE if real is None else RIGHT if same else wrong("number"), why

    def _unreadable(self, statement: Statement, evidence: Evidence) -> Verdict:
        if not isinstance(evidence, CommitEvidence):
            return UNVERIFIABLE, "the diff was not read"
        real = {"count": str(len(evidence.change.unreadable)), "files": str(len(evidence.change.files))}
        same = real == dict(statement.params)
        return RIGHT if same else wrong("number"), f"unreadable: {real['count']} of {real['files']}"

    def _summed(self, statement: Statement) -> Finding:
        """Judge the files and lines of all commits of a part."""
        changes = [one.change for m in statement.also if isinstance(one := self._of(m, statement), CommitEvidence)]
        real = {
            "files": str(sum(len(one.files) for one in changes)),
            "additions": str(sum(one.additions for one in changes)),
            "deletions": str(sum(one.deletions for one in changes)),
            **self._merged(changes, statement),
        }
        same = real == dict(statement.params)
        whole = len(changes) == len(statement.also) and not any(one.incomplete for one in changes)
        verdict = RIGHT if same else wrong("count") if whole else UNVERIFIABLE
        why = ", ".join(f"{name} {count}" for name, count in real.items())
        return Finding(statement.line, statement.kind, statement.words, verdict, f"the commits: {why}")

    def _merged(self, changes: Sequence[Change], statement: Statement) -> dict[str, str]:
        """Count the merges among commits, and what they brought in, where that could be read."""
        assert statement.repo is not None
        brought = self._library.members
        counts = [brought.get(commit_id(statement.repo, one.commit.sha)) for one in changes if one.commit.is_merge]
        if None in counts:
            return {name: statement.params[name] for name in ("merges", "members")}
        full = [count for count in counts if count]
        return {"merges": str(len(full)), "members": str(sum(full))}

    def _named(self, statement: Statement, evidence: Evidence) -> Verdict:
        name = evidence.release.name if isinstance(evidence, ReleaseEvidence) else ""
        same = printed(name) == printed(statement.params["name"])
        return RIGHT if same else wrong("metadata"), f"it is called “{name}”"

    def _happened(self, statement: Statement, evidence: Evidence) -> Verdict:
        """Tell whether an issue was opened or closed in the report's days."""
        event, window = statement.params["event"], self._library.window
        if not isinstance(evidence, ThreadEvidence) or window is None:
            return UNVERIFIABLE, told(evidence)
        thread = evidence.thread
        if event == "opened":
            return RIGHT if thread.created_at in window else wrong("metadata"), told(evidence)
        # It may have been opened again since.
        if not isinstance(thread, Issue) or thread.closed_at is None or thread.closed_at not in window:
            return UNVERIFIABLE, told(evidence)
        dropped = thread.state_reason in ("not_planned", "duplicate")
        return RIGHT if dropped == (event == "not planned") else wrong("metadata"), told(evidence)

    def _waiting(self, statement: Statement, evidence: Evidence) -> Verdict:
        """Compare how many spoke of an issue; there may be more by now, and never fewer."""
        thread = evidence.thread if isinstance(evidence, ThreadEvidence) else None
        if not isinstance(thread, Issue):
            return UNVERIFIABLE, told(evidence)
        stated, why = int(statement.params["comments"]), f"comments: {thread.comments}"
        settled = self._library.window is not None and thread.updated_at < self._library.window.end
        if stated == thread.comments:
            return RIGHT, why
        return wrong("number") if settled or stated > thread.comments else UNVERIFIABLE, why


def printed(text: str) -> str:
    """Give a text as a page shows it, without the marks of code."""
    return normal(visible(text)).replace("`", "").strip()


def _names(commit: CommitEvidence) -> set[str]:
    """Give the names by which another commit may say that it undoes this one."""
    closing = re.search(r"\(#(\d+)\)\s*$", commit.change.commit.subject)
    pull = commit.pull or (int(closing[1]) if closing else 0)
    return {commit.change.commit.sha, f"#{pull}"} if pull else {commit.change.commit.sha}
