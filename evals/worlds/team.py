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
from evals.worlds.pulls import Clerk, Fate, Work
from evals.worlds.threads import Desk


@dataclass
class Team:
    """One repository with its history and its desk."""

    project: Project
    history: History
    desk: Desk
    dice: Dice
    """Decides what is done."""
    words: Dice
    """Decides how it is told in the threads: more talk must not change a hash."""
    landed: dict[str, str] = field(default_factory=dict)
    """What each piece of work became."""

    @property
    def clerk(self) -> Clerk:
        """Who writes the threads."""
        return Clerk(self.repo, self.history.branch, self.project.template, self.desk, self.words)

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
        self.clerk.pull(work, draft, Fate(title, steps, sha))
        return sha

    def propose(self, work: Work, *, closed_at: datetime | None = None) -> None:
        """Send a pull request that does not land: it is open, or was closed at that time."""
        draft = work.make(self.history.tree())
        title = work.subject or wording.subject(self.project.style, draft, work.chinese)
        side = f"{work.author.login}/{work.key}"
        self.history.fork(side)
        steps = self._steps(work, draft, side, title)
        self.history.refs[f"refs/pull/{self.desk.number(work.key)}/head"] = steps[-1]
        self.clerk.pull(work, draft, Fate(title, steps, closed_at=closed_at))

    def land_elsewhere(self, work: Work, base: str) -> str:
        """Land a pull request on another branch, where closing words mean nothing."""
        number, draft = self.desk.number(work.key), work.make(self.history.tree(base))
        title = work.subject or wording.subject(self.project.style, draft, work.chinese)
        side = f"{work.author.login}/{work.key}"
        self.history.fork(side, self.history.heads[base])
        steps = self._steps(work, draft, side, title)
        note = self.note(f"{title} (#{number})", work.author, work.landed_at, edits=draft.edits)
        sha = self.history.squash(side, note, onto=base)
        self.history.refs |= {f"refs/heads/{base}": sha, f"refs/pull/{number}/head": steps[-1]}
        self.clerk.pull(work, draft, Fate(title, steps, sha, base=base))
        return sha

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
        self.clerk.pull(work, make(None), Fate(title, (sha,), sha))
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

    def _steps(self, work: Work, draft: Draft, side: str, title: str) -> tuple[str, ...]:
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
        return tuple(steps)

    def _message(self, head: str, work: Work, steps: Sequence[str] = ()) -> str:
        lines = [
            f"{self.dice.pick(('Fixes', 'Closes', 'fix'))} <<{ref.issue}>>" for ref in work.refs if ref.how == "commit"
        ]
        if len(steps) > 1:
            lines.insert(0, "* " + head.rpartition(" (#")[0] + "\n\n* address review")
        parts = [head, *lines, *([work.trailer] if work.trailer else [])]
        return "\n\n".join(parts)


def _stamp(user: User, at: datetime) -> Stamp:
    return Stamp(user.name, user.email, at)
