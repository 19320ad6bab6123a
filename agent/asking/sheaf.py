"""What a model is shown for a question: a closed list of evidence, each piece under a handle."""

from collections.abc import Iterator
from dataclasses import replace

from agent.asking.findings import Findings
from agent.asking.telling import whole_day
from agent.card import Card
from agent.domain import Comment, Issue, PullRequest, Release
from agent.drafts import Shown
from agent.evidence import CommitEvidence, EvidenceId, ReleaseEvidence
from agent.facts import Severity
from agent.ids import ThreadId
from agent.linking.own_words import said
from agent.speech import by_hand
from agent.templates import params_of, sentence

_FACTS, _MESSAGE, _BODY, _COMMENT = 6, 500, 700, 400
_RELEASES = 6
_HASH = 10


class Sheaf:
    """The evidence of one question; what tools find is added, and nothing is ever taken away."""

    def __init__(self, found: Findings) -> None:
        """Begin with what the rules found, the likeliest first."""
        self.found = found
        self._handles: dict[EvidenceId, str] = {}
        ordered = [*(one.card.id for one in found.matches), *found.cards]
        for name in dict.fromkeys(ordered):
            if name in found.evidence:
                self._handle("c", name)
        for thread in found.threads:
            self._handle("t", thread)
        for release in _telling_releases(found):
            self._handle("v", ReleaseEvidence(release=release).id)

    @property
    def shown(self) -> Shown:
        """The handles, for turning words into claims."""
        repos = {one.repo for one in self.found.searched}
        handles = {handle: name for name, handle in self._handles.items()}
        one = next(iter(repos)) if len(repos) == 1 else None
        return Shown(handles=handles, known=frozenset(self._handles), repo=one)

    @property
    def releases(self) -> dict[EvidenceId, ReleaseEvidence]:
        """The releases that may be cited."""
        every = (ReleaseEvidence(release=one) for several in self.found.releases.values() for one in several)
        return {one.id: one for one in every if one.id in self._handles}

    def add_commit(self, evidence: CommitEvidence, card: Card) -> str:
        """Put a commit that was read now to the rest, and give it as it is shown."""
        known = {**self.found.evidence, evidence.id: evidence}
        self.found = replace(self.found, evidence=known, cards={**self.found.cards, card.id: card})
        self._handle("c", card.id)
        return "\n".join(self._commit(card))

    def add_thread(self, thread: Issue | PullRequest, comments: tuple[Comment, ...] = ()) -> str:
        """Put a thread that was read now to the rest, and give it as it is shown."""
        self.found = replace(
            self.found,
            threads={**self.found.threads, thread.id: thread},
            comments={**self.found.comments, thread.id: comments or self.found.comments.get(thread.id, ())},
        )
        self._handle("t", thread.id)
        return "\n".join(self._thread(thread))

    def resolve(self, name: str) -> EvidenceId | None:
        """Find what a handle or a name means."""
        return self.shown.find(name)

    def text(self, room: int) -> str:
        """Show the evidence as far as the room goes, whole pieces only; the rest by its first line, then not at all."""
        told: list[str] = []
        for lines in self._pieces():
            whole = "\n".join(lines)
            piece = whole if len(whole) <= room else lines[0]
            if len(piece) > room:
                break
            told.append(piece)
            room -= len(piece) + 1
        return "\n".join(told) or "(nothing was found)"

    def _handle(self, kind: str, name: EvidenceId) -> str:
        if name not in self._handles:
            number = sum(handle.startswith(kind) for handle in self._handles.values()) + 1
            self._handles[name] = f"{kind}{number}"
        return self._handles[name]

    def _pieces(self) -> Iterator[list[str]]:
        for name in self._handles:
            if name in self.found.evidence and (card := self.found.cards.get(name)):
                yield self._commit(card)
            elif thread := self.found.threads.get(ThreadId(name)):
                yield self._thread(thread)
            elif release := self.releases.get(name):
                day = whole_day(release.at, self.found.window.tz)
                yield [f"[{self._handles[name]}] release {release.release.tag} of {release.repo}, published {day}"]

    def _commit(self, card: Card) -> list[str]:
        lang, evidence = self.found.inquiry.lang, self.found.evidence[card.id]
        pull = f", pull request #{card.pull}" if card.pull else ""
        day = whole_day(card.at, self.found.window.tz)
        handle = self._handles[card.id]
        head = (
            f"[{handle}] commit {card.sha[:_HASH]} of {card.repo}, landed {day}, by {card.author}{pull}: {card.title}"
        )
        facts = sorted(evidence.facts, key=lambda fact: fact.severity is Severity.INTERNAL)
        lines = [f"  - {sentence('fact', params_of(fact), lang)}" for fact in facts[:_FACTS]]
        if undone := self.found.undone.get(card.id):
            lines.append(f"  - undone by {self._handles.get(undone, undone[-40:][:_HASH])}")
        lines.append(f"  files: {', '.join(card.paths[:4])}")
        body = by_hand(card.message.partition("\n")[2])
        return [head, *lines, *(f"  > {line}" for line in _bounded(body, _MESSAGE))]

    def _thread(self, thread: Issue | PullRequest) -> list[str]:
        kind = "pull request" if isinstance(thread, PullRequest) else "issue"
        state = "merged" if isinstance(thread, PullRequest) and thread.merged_at else thread.state
        opened = whole_day(thread.created_at, self.found.window.tz)
        head = f"[{self._handles[thread.id]}] {kind} #{thread.number} of {thread.repo}, opened {opened}"
        head += f" by {thread.author or 'a deleted account'}, {state}: {thread.title}"
        lines = [f"  > {line}" for line in _bounded(said(thread.body).strip(), _BODY)]
        for comment in self.found.comments.get(thread.id, ())[-3:]:
            lines += [f"  {comment.author or 'somebody'} > {line}" for line in _bounded(comment.body, _COMMENT)]
        return [head, *lines]


def _bounded(text: str, most: int) -> list[str]:
    """Give whole lines, as many as fit; the end says that there is more."""
    kept: list[str] = []
    for line in (line for line in text.splitlines() if line.strip()):
        most -= len(line)
        if most < 0:
            return [*kept, "(more was written)"]
        kept.append(line.strip())
    return kept


def _telling_releases(found: Findings) -> list[Release]:
    """Choose the releases that the question or what was found names, else the newest of each repository."""
    tags = {tag for names in found.tags.values() for tag in names} | set(found.inquiry.versions)
    plain = {tag.lstrip("vV") for tag in tags}
    every = [one for several in found.releases.values() for one in reversed(several)]
    named = [one for one in every if one.tag.lstrip("vV") in plain]
    return (named or every)[:_RELEASES]
