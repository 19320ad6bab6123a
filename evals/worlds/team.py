"""A team at work: opens issues, sends pull requests, lands them and says so in the threads."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from evals.worlds import people, wording
from evals.worlds.dice import Dice
from evals.worlds.drafts import Draft, Maker
from evals.worlds.history import History, Note
from evals.worlds.model import Edit, User
from evals.worlds.objects import Stamp
from evals.worlds.projects import Project
from evals.worlds.threads import Desk


@dataclass(frozen=True)
class Ref:
    """How a pull request speaks of an issue.

    `keyword` closes it; `manual` closes it by a link made on the web site; `commit` closes it by a word in the landed
    commit only. The rest close nothing: `related` (under a heading), `mention`, `second` (behind a comma after a
    keyword), `quoted`, `fenced`.
    """

    issue: str
    how: str = "keyword"


@dataclass(frozen=True)
class Work:
    """A pull request to be: announced before it is written, as its number stands in what lands."""

    key: str
    opened_at: datetime
    landed_at: datetime
    author: User
    make: Maker
    refs: tuple[Ref, ...] = ()
    chinese: bool = False
    steps: int = 1
    """Commits on the branch."""
    merger: User = people.MAINTAINERS[0]
    labels: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    fork: bool = True
    """Whether the fork it came from still exists."""
    subject: str | None = None
    text: str | None = None
    """What the description says, where it is not left to chance."""
    trailer: str = ""
    """What stands at the end of the landed commit's message."""


@dataclass
class Team:
    """One repository with its history and its desk."""

    project: Project
    history: History
    desk: Desk
    dice: Dice
    landed: dict[str, str] = field(default_factory=dict)
    """What each piece of work became."""

    @property
    def repo(self) -> str:
        """The repository as people write it."""
        return self.history.repo

    def direct(
        self,
        make: Maker,
        by: User,
        at: datetime,
        *,
        subject: str | None = None,
        body: str = "",
        tags: tuple[str, ...] = (),
        committed: datetime | None = None,
    ) -> str:
        """Commit straight to the default branch."""
        draft = make(self.history.tree())
        message = subject or wording.subject(self.project.style, draft, chinese=False)
        note = self.note(
            message + (f"\n\n{body}" if body else ""), by, committed or at, authored=at, edits=draft.edits, tags=tags
        )
        return self.history.commit(self.history.branch, draft.touches, note)

    def land(self, work: Work, *, merge: bool = False) -> str:
        """Send a pull request and land it, squashed or with a merge commit."""
        number, draft = self.desk.number(work.key), work.make(self.history.tree())
        title = work.subject or wording.subject(self.project.style, draft, work.chinese)
        side = f"{work.author.login}/{work.key}"
        self.history.fork(side)
        steps = self._steps(work, draft, side, title)
        tags = (*work.tags, *(["chinese"] if work.chinese else []), *(["bot"] if work.author.bot else []))
        if merge:
            message = f"Merge pull request #{number} from {side}\n\n{title}"
            note = self.note(self._message(message, work), work.merger, work.landed_at, tags=(*tags, "merge"))
            sha = self.history.merge(
                self.history.branch, [side], replace(note, committer=_stamp(people.WEB, work.landed_at))
            )
        else:
            note = self.note(
                self._message(f"{title} (#{number})", work, steps),
                work.author,
                work.landed_at,
                edits=draft.edits,
                tags=tags,
            )
            sha = self.history.squash(side, replace(note, committer=_stamp(people.WEB, work.landed_at)))
        self.landed[work.key] = sha
        self.history.refs[f"refs/pull/{number}/head"] = steps[-1]
        self._write_pull(work, draft, title, steps, sha)
        return sha

    def propose(self, work: Work, *, closed_at: datetime | None = None) -> None:
        """Send a pull request that does not land: it is open, or was closed at that time."""
        draft = work.make(self.history.tree())
        title = work.subject or wording.subject(self.project.style, draft, work.chinese)
        side = f"{work.author.login}/{work.key}"
        self.history.fork(side)
        steps = self._steps(work, draft, side, title)
        self.history.refs[f"refs/pull/{self.desk.number(work.key)}/head"] = steps[-1]
        self._write_pull(work, draft, title, steps, None, closed_at)

    def revert(
        self, key: str, target: str, opened_at: datetime, at: datetime, by: User, why: str, *, relands: bool = False
    ) -> str:
        """Revert landed work by a pull request; the revert of a revert lands the work again."""
        old = self.desk.title(target)
        title = f'Revert "{old}"' if not relands else f"Reland {old.removeprefix('Revert ').strip(chr(34))}"
        sha_of = self.landed[target]

        def make(_: object) -> Draft:
            edit = Edit("reland" if relands else "revert", "", (("commit", sha_of), ("work", target)))
            return Draft((), (edit,), "fix", "misc", title, title)

        work = Work(key, opened_at, at, by, make, tags=("reland" if relands else "revert",), subject=title, text=why)
        number, body = self.desk.number(key), f"{why}\n\nThis reverts commit {sha_of}."
        note = self.note(f"{title} (#{number})\n\n{body}", by, at, edits=make(None).edits, tags=work.tags)
        sha = self.history.undo(sha_of, replace(note, committer=_stamp(people.WEB, at)))
        self.landed[key] = sha
        self._write_pull(work, make(None), title, [sha], sha)
        self.desk.mention(target, key, opened_at, by.login)
        return sha

    def note(
        self,
        message: str,
        by: User,
        at: datetime,
        *,
        authored: datetime | None = None,
        edits: tuple[Edit, ...] = (),
        tags: tuple[str, ...] = (),
    ) -> Note:
        """Sign a message."""
        return Note(self.desk.fill(message), _stamp(by, authored or at), _stamp(by, at), edits, tags)

    def report(
        self, key: str, at: datetime, author: User | None, title: str, body: str, *labels: str, **fields: object
    ) -> None:
        """Write an issue that was announced."""
        login = author.login if author else None
        self.desk.write(key, title=title, body=body, author=login, **fields)
        if labels:
            self.desk.label(key, at + timedelta(minutes=3), people.MAINTAINERS[0].login, *labels)

    def chat(self, key: str, start: datetime, end: datetime, count: int, *, chinese: bool = False) -> None:
        """Let people say something in a thread between two moments."""
        for i in range(count):
            at = start + (end - start) * (i + 1) / (count + 1)
            at = at.replace(microsecond=0)
            if self.dice.chance(0.25):
                self.desk.comment(key, at, people.CI_BOT.login, self.dice.pick(wording.BOT_REMARKS))
            else:
                remark = self.dice.pick(wording.REMARKS_ZH if chinese else wording.REMARKS)
                self.desk.comment(key, at, self.dice.pick(people.MAINTAINERS).login, remark)

    def _steps(self, work: Work, draft: Draft, side: str, title: str) -> list[str]:
        """Commit on the branch: first with a blank line too many, which the review finds."""
        span = work.landed_at - work.opened_at
        steps = []
        for i in range(work.steps):
            at = (work.opened_at - timedelta(minutes=5) + span * i / work.steps).replace(microsecond=0)
            last = i == work.steps - 1
            touches = (
                draft.touches
                if last
                else [replace(t, data=t.data + b"\n" * (work.steps - 1 - i)) for t in draft.touches if t.data]
            )
            message = (
                title
                if i == 0
                else self.dice.pick(("address review", "fix lint", "fmt", "处理评审意见" if work.chinese else "nit"))
            )
            steps.append(
                self.history.commit(
                    side, touches, self.note(message, work.author, at, edits=draft.edits if last else ())
                )
            )
        return steps

    def _message(self, head: str, work: Work, steps: Sequence[str] = ()) -> str:
        lines = [
            f"{self.dice.pick(('Fixes', 'Closes', 'fix'))} <<{ref.issue}>>" for ref in work.refs if ref.how == "commit"
        ]
        if len(steps) > 1:
            lines.insert(0, "* " + head.rpartition(" (#")[0] + "\n\n* address review")
        parts = [head, *lines, *([work.trailer] if work.trailer else [])]
        return "\n\n".join(parts)

    def _write_pull(
        self,
        work: Work,
        draft: Draft,
        title: str,
        steps: Sequence[str],
        sha: str | None,
        closed_at: datetime | None = None,
    ) -> None:
        desk, merged_at = self.desk, work.landed_at if sha else None
        closed_at = merged_at or closed_at
        reason = work.text or wording.why(draft, self.dice, work.chinese)
        body = wording.pull_body(self.project.template, reason, self._related(work), self.dice, work.chinese)
        closing = [ref.issue for ref in work.refs if ref.how in ("keyword", "manual")]
        owner = self.repo if work.author.bot else f"{work.author.login}/{self.project.name}"
        desk.write(
            work.key,
            title=title,
            body=body,
            author=work.author.login,
            base=self.history.branch,
            head_ref=work.key,
            head_sha=steps[-1],
            head_repo=owner if work.fork else None,
            state="closed" if closed_at else "open",
            closed_at=closed_at,
            merged_at=merged_at,
            merge_commit=sha,
            commits=tuple(steps),
            closes=tuple((self.repo, desk.number(issue)) for issue in closing),
        )
        if work.labels:
            desk.label(work.key, work.opened_at + timedelta(minutes=2), work.merger.login, *work.labels)
        self.chat(work.key, work.opened_at, work.landed_at, self.dice.below(3), chinese=work.chinese)
        if sha:
            desk.event(work.key, "merged", work.landed_at, work.merger.login, commit=sha)
        if closed_at:
            desk.event(work.key, "closed", closed_at, work.merger.login)
        self._tell_issues(work, sha)

    def _tell_issues(self, work: Work, sha: str | None) -> None:
        desk = self.desk
        for ref in work.refs:
            later = work.landed_at + timedelta(seconds=1)
            if ref.how not in ("commit", "fenced", "manual"):
                desk.mention(ref.issue, work.key, work.opened_at, work.author.login, will_close=ref.how == "keyword")
            if ref.how == "manual":
                source = (self.repo, desk.number(work.key))
                desk.event(
                    ref.issue, "connected", work.opened_at + timedelta(minutes=9), work.merger.login, source=source
                )
            if sha and ref.how == "commit":
                desk.event(ref.issue, "referenced", work.landed_at, work.merger.login, commit=sha)
                desk.close(ref.issue, later, work.merger.login, commit=sha)
            elif sha and ref.how in ("keyword", "manual"):
                desk.close(ref.issue, later, work.merger.login, pull=work.key)

    def _related(self, work: Work) -> str:
        """Write the words about issues as the refs ask for."""
        lines: list[str] = []
        for ref in work.refs:
            name = f"<<{ref.issue}>>"
            if ref.how == "keyword":
                lines.append(self.dice.pick(wording.KEYWORDS).format(name))
            elif ref.how == "second":
                lines[-1] = lines[-1].rstrip(".") + f", {name}"
            elif ref.how == "related":
                lines.append(self.dice.pick(wording.RELATED_LEAD) + name)
            elif ref.how == "mention":
                lines.append(
                    self.dice.pick(
                        ("Follow-up of {}.", "Came up in {}.", "Not a full solution for {}, only the first step.")
                    ).format(name)
                )
            elif ref.how == "quoted":
                lines.append(f"> does this one say fixes {name}?\n\nNo, that needs more work.")
            elif ref.how == "fenced":
                lines.append(f"Example for the changelog bot:\n\n```\nfixes {name}\n```")
        return "\n".join(lines)


def _stamp(user: User, at: datetime) -> Stamp:
    return Stamp(user.name, user.email, at)
