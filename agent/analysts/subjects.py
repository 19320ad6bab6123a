"""What sentences are about: what their writer and their judge are shown, and what code holds them to."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import ClassVar

from pydantic import BaseModel

from agent.analysts.packet import commit_packet
from agent.analysts.sentences import (
    Sentence,
    analysis_shape,
    asked_languages,
    commit_claims,
    named_by,
    sentence_claim,
    summary_claims,
    summary_shape,
)
from agent.analysts.tasks import Task, controls_for
from agent.domain.accounts import Part
from agent.domain.base import EvidenceId, Language, RepoId
from agent.domain.claims import Claim, Judgement, Role
from agent.domain.commits import Change, Commit, Person
from agent.domain.evidence import CommitEvidence, Dossier, Evidence, Material, Read
from agent.gate.check import refusals
from agent.models import fenced, tokens_of

_ALL = 1_000_000
_NOBODY = Person(name="", email="")


@dataclass(frozen=True, kw_only=True)
class Subject(ABC):
    """What some sentences are about."""

    repo: RepoId | None
    account: str
    """Who pays for the models."""
    languages: tuple[Language, ...]
    room: int
    """Tokens of evidence that a model can be shown."""
    dossier: Dossier
    """What the gate may look at."""
    about: EvidenceId | None = None
    """The commit, where there is one."""
    repairs: ClassVar[bool] = True
    """Whether what is refused goes back to its writer."""

    @abstractmethod
    def evidence(self, claims: Sequence[Claim] = (), focus: Sequence[str] = ()) -> str:
        """Show the evidence of some sentences; with a focus, of diffs only what holds these words or lines."""

    @abstractmethod
    def controls(self, evidence: str, passed: Sequence[tuple[str, Claim]]) -> Sequence[Mapping[Language, str]]:
        """Choose true sentences about something else, for the judge to refuse."""

    def objections(self, claim: Claim) -> tuple[Judgement, ...]:
        """Say what is wrong with the literals of a sentence, in each language."""
        return tuple(no for lang in self.languages for no in refusals(claim, self.dossier, lang))

    def again(self, old: Claim, said: Sentence) -> Claim | None:
        """Turn a sentence that was said anew into a claim in the place of the old one."""
        raise NotImplementedError(f"nobody says {old.id} anew: {said!r:.80}")


@dataclass(frozen=True, kw_only=True)
class TaskSubject(Subject):
    """What a task of the daily run is about."""

    task: Task
    part: ClassVar[Part]

    @abstractmethod
    def prompt(self, mark: str) -> tuple[str, dict[str, str], type[BaseModel]]:
        """Name the prompt by which it is written, with its values and the shape of the answer."""

    @abstractmethod
    def claims(self, answer: BaseModel) -> list[Claim]:
        """Turn what was written into claims."""

    def controls(self, evidence: str, passed: Sequence[tuple[str, Claim]]) -> Sequence[Mapping[Language, str]]:
        """Choose sentences about other commits."""
        return controls_for(self.task, evidence, passed)


@dataclass(frozen=True, kw_only=True)
class CommitSubject(TaskSubject):
    """A commit that is explained."""

    read: Read
    material: Material
    part = "explaining"

    def evidence(self, claims: Sequence[Claim] = (), focus: Sequence[str] = ()) -> str:
        """Show the commit, whichever sentences are about it."""
        del claims
        return commit_packet(self.read, self.material, self.room, focus).text

    def prompt(self, mark: str) -> tuple[str, dict[str, str], type[BaseModel]]:
        """Ask what changes, why, for whom, and what to do."""
        notes = f"Your notes from reading, which are no evidence:\n{self.task.notes}\n" if self.task.notes else ""
        values = {"evidence": fenced(self.evidence(), mark), "notes": notes}
        return "write", values | {"languages": asked_languages(self.languages)}, analysis_shape(self.languages)

    def claims(self, answer: BaseModel) -> list[Claim]:
        """Turn an analysis into claims."""
        packet = commit_packet(self.read, self.material, self.room)
        return commit_claims(answer, self.read.evidence, packet.handles, packet.found, self.languages)

    def again(self, old: Claim, said: Sentence) -> Claim | None:
        """Turn a sentence that was said anew into a claim; a headline stays one."""
        packet = commit_packet(self.read, self.material, self.room)
        cites = (self.read.evidence.id, *named_by(said, packet.handles))
        claim = sentence_claim(old.id, said, cites, packet.found, self.languages)
        same = {"role": old.role, "anchors": old.anchors} if old.role is Role.HEADLINE else {}
        return claim and claim.model_copy(update=same)


@dataclass(frozen=True, kw_only=True)
class SummarySubject(TaskSubject):
    """What was published of several commits."""

    part = "summing up"
    repairs = False

    def evidence(self, claims: Sequence[Claim] = (), focus: Sequence[str] = ()) -> str:
        """Show what was published, of the commits that some sentences cite or of all."""
        del focus
        cited = {cite for claim in claims for cite in claim.cites}
        rests = {handle: one for handle, one in self.task.rests.items() if not claims or one.about[0] in cited}
        return _published(rests, self.task.titles, _ALL if claims else self.room)

    def prompt(self, mark: str) -> tuple[str, dict[str, str], type[BaseModel]]:
        """Ask for the day of one repository, or for the brief of all of them."""
        scope = {"scope": self.repo or "all repositories", "most": "five" if self.repo else "seven"}
        values = {"languages": asked_languages(self.languages), "items": fenced(self.evidence(), mark)}
        return "day", values | scope, summary_shape(self.languages)

    def claims(self, answer: BaseModel) -> list[Claim]:
        """Turn a summary into claims."""
        name, role = (f"{self.repo}.day", Role.SUMMARY) if self.repo else ("brief", Role.BRIEF)
        return summary_claims(answer, self.task.rests, name, self.repo, role, self.languages)

    def objections(self, claim: Claim) -> tuple[Judgement, ...]:
        """Hold a summary to published sentences, which have no files."""
        bare = tuple(anchor.model_copy(update={"file": None}) for anchor in claim.anchors)
        return super().objections(claim.model_copy(update={"anchors": bare}))


def _published(rests: Mapping[str, Claim], titles: Mapping[EvidenceId, str], room: int) -> str:
    """List what was published, commit by commit, each sentence under its handle; the lightest commits go first."""
    lines: list[str] = []
    last = ""
    for handle, claim in rests.items():
        about = claim.about[0]
        told = [f"{about.partition('@')[0]}: {titles.get(about, '')}"] if about != last else []
        told.append(f"[{handle}] {' / '.join(claim.text.values())}")
        room -= sum(map(tokens_of, told))
        if room < 0:
            break
        lines += told
        last = about
    return "\n".join(lines)


def light_dossier(rests: Mapping[str, Claim], titles: Mapping[EvidenceId, str]) -> Dossier:
    """Give what literals of a summary are held to: titles, published sentences and their anchors."""
    texts: dict[EvidenceId, list[str]] = {}
    for claim in rests.values():
        about = claim.about[0]
        texts.setdefault(about, [titles.get(about, "")]).extend(claim.text.values())
        texts[about] += [anchor.text for anchor in claim.anchors]
    found: dict[EvidenceId, Evidence] = {name: _light(name, "\n".join(lines)) for name, lines in texts.items()}
    return Dossier(found=found, seen=frozenset(found))


def _light(name: EvidenceId, text: str) -> CommitEvidence:
    """Give words the form of a commit that says them."""
    repo, _, sha = name.partition("@")
    at = datetime.fromtimestamp(0, UTC)
    commit = Commit(
        repo=repo, sha=sha, parents=(), author=_NOBODY, authored_at=at, committer=_NOBODY, committed_at=at, message=text
    )
    return CommitEvidence(change=Change(commit=commit, files=()))
