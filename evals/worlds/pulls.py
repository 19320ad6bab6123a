"""Pull requests: how they are planned, and how the threads tell of them."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from evals.worlds import people, wording
from evals.worlds.dice import Dice
from evals.worlds.drafts import Draft, Maker
from evals.worlds.model import User
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


@dataclass(frozen=True)
class Fate:
    """What became of a pull request."""

    title: str
    steps: tuple[str, ...]
    """The commits of its branch."""
    landed: str | None = None
    closed_at: datetime | None = None
    """When it was closed without landing."""
    base: str | None = None
    """The branch it targets, if that is not the default branch."""


@dataclass(frozen=True)
class Clerk:
    """Writes the threads of one repository."""

    repo: str
    branch: str
    """The default branch: only there closing words count."""
    template: str
    desk: Desk
    dice: Dice

    def pull(self, work: Work, draft: Draft, fate: Fate) -> None:
        """Write a pull request, what was said below it, and what it did to issues."""
        desk, landed = self.desk, fate.landed
        closed_at = work.landed_at if landed else fate.closed_at
        effective = fate.base in (None, self.branch)
        reason = work.text or wording.why(draft, self.dice, work.chinese)
        closing = [ref.issue for ref in work.refs if ref.how in ("keyword", "manual") and effective]
        home = self.repo if work.author.bot else f"{work.author.login}/{self.repo.partition('/')[2]}"
        desk.write(
            work.key,
            title=fate.title,
            body=wording.pull_body(self.template, reason, self._related(work), self.dice, work.chinese),
            author=work.author.login,
            base=fate.base or self.branch,
            head_ref=work.key,
            head_sha=fate.steps[-1],
            head_repo=home if work.fork else None,
            state="closed" if closed_at else "open",
            closed_at=closed_at,
            merged_at=work.landed_at if landed else None,
            merge_commit=landed,
            commits=tuple(fate.steps),
            closes=tuple((self.repo, desk.number(issue)) for issue in closing),
        )
        if work.labels:
            desk.label(work.key, work.opened_at + timedelta(minutes=2), work.merger.login, *work.labels)
        self.chat(work.key, work.opened_at, work.landed_at, self.dice.below(3), chinese=work.chinese)
        if landed:
            desk.event(work.key, "merged", work.landed_at, work.merger.login, commit=landed)
        if closed_at:
            desk.event(work.key, "closed", closed_at, work.merger.login)
        for ref in work.refs:
            self._tell(ref, work, landed, effective)

    def _tell(self, ref: Ref, work: Work, landed: str | None, effective: bool) -> None:
        """Note in the issue what the pull request did to it."""
        desk, merger, later = self.desk, work.merger.login, work.landed_at + timedelta(seconds=1)
        if ref.how == "manual":
            source = (self.repo, desk.number(work.key))
            desk.event(ref.issue, "connected", work.opened_at + timedelta(minutes=9), merger, source=source)
        elif ref.how not in ("commit", "fenced"):
            will_close = effective and ref.how == "keyword"
            desk.mention(ref.issue, work.key, work.opened_at, work.author.login, will_close=will_close)
        if landed and effective and ref.how == "commit":
            desk.event(ref.issue, "referenced", work.landed_at, merger, commit=landed)
            desk.close(ref.issue, later, merger, commit=landed)
        elif landed and effective and ref.how in ("keyword", "manual"):
            desk.close(ref.issue, later, merger, pull=work.key)

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
