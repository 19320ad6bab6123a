"""What sentences are about: what their writer and their judge are shown, and what code holds them to."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import ClassVar

from pydantic import BaseModel

from agent.analysts.packet import commit_packet, piece_text, shown_hunks
from agent.analysts.sentences import (
    MOST_ANSWERED,
    Found,
    Sentence,
    analysis_shape,
    asked_languages,
    commit_claims,
    focus_of,
    named_by,
    sentence_claim,
    summary_claims,
    summary_shape,
)
from agent.analysts.tasks import Task, controls_for, is_foreign
from agent.domain.accounts import Part
from agent.domain.base import EvidenceId, Language, RepoId
from agent.domain.claims import Claim, Judgement, Role
from agent.domain.commits import Change, Commit, Person
from agent.domain.evidence import CommitEvidence, Dossier, Evidence, Material, Read, ReleaseEvidence, ThreadEvidence
from agent.models import fenced, tokens_of
from agent.telling import fact_sentence

_ALL = 1_000_000
Check = Callable[[Claim, Dossier, Language], Iterable[Judgement]]  # Says why a claim is refused: the gate
_NOBODY = Person(name="", email="")


@dataclass(frozen=True, kw_only=True)
class Subject(ABC):
    """What some sentences are about."""

    repo: RepoId | None
    account: str  # Who pays for the models
    languages: tuple[Language, ...]
    room: int  # Tokens of evidence that a model can be shown
    dossier: Dossier  # What the gate may look at
    about: EvidenceId | None = None  # The commit, where there is one
    repairs: ClassVar[bool] = True  # Whether what is refused goes back to its writer

    @abstractmethod
    def evidence(self, claims: Sequence[Claim] = (), focus: Sequence[str] = ()) -> str:
        """Show the evidence of some sentences; with a focus, of diffs only what holds these words or lines."""

    @abstractmethod
    def controls(self, evidence: str, passed: Sequence[tuple[str, Claim]]) -> Sequence[Mapping[Language, str]]:
        """Choose true sentences about something else, for the judge to refuse."""

    def objections(self, claim: Claim, check: Check) -> tuple[Judgement, ...]:
        """Say what is wrong with the literals of a sentence, in each language."""
        return tuple(no for lang in self.languages for no in check(claim, self.dossier, lang))

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

    def objections(self, claim: Claim, check: Check) -> tuple[Judgement, ...]:
        """Hold a summary to published sentences, which have no files."""
        bare = tuple(anchor.model_copy(update={"file": None}) for anchor in claim.anchors)
        return super().objections(claim.model_copy(update={"anchors": bare}), check)


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
    (repo, _, sha), at = name.partition("@"), datetime.fromtimestamp(0, UTC)
    people = {"author": _NOBODY, "committer": _NOBODY, "authored_at": at, "committed_at": at}
    commit = Commit.model_validate({"repo": repo, "sha": sha, "parents": (), "message": text, **people})
    return CommitEvidence(change=Change(commit=commit, files=()))


_LEAST = 500  # Tokens below which a diff is not shown
_COMPACT = 0.6  # How much of the room the pieces share; the rest is for the diffs of the best ones
_LETTERS: dict[type, str] = {CommitEvidence: "c", ThreadEvidence: "t", ReleaseEvidence: "v"}


def handles_of(names: Sequence[EvidenceId], found: Found) -> dict[str, EvidenceId]:
    """Give each piece of evidence a short name: c1 a commit, t1 a thread, v1 a release."""
    handles: dict[str, EvidenceId] = {}
    for name in dict.fromkeys(name for name in names if name in found):
        letter = _LETTERS[type(found[name])]
        handles[f"{letter}{1 + sum(handle[0] == letter for handle in handles)}"] = name
    return handles


def cited(text: str, handles: Mapping[str, EvidenceId], found: Found) -> EvidenceId:
    """Find what a model cites: by its handle, its name, its number or the beginning of its hash."""
    text = text.strip("[]` ")
    if text in handles or text in found:
        return handles.get(text, text)
    ends = [name for name in found if name.endswith((f"#{text.lstrip('#')}", f"@{text}"))]
    begun = [name for name in found if len(text) > 6 and name.partition("@")[2].startswith(text.rpartition("@")[2])]
    return next(iter((*ends, *begun)), text)


@dataclass(frozen=True, kw_only=True)
class AnswerSubject(Subject):
    """What an answer is about: the pieces of evidence under their handles."""

    handles: Mapping[str, EvidenceId]
    notes: Mapping[EvidenceId, str] = field(default_factory=dict)
    """What code knows of pieces of evidence beside their text."""

    def evidence(self, claims: Sequence[Claim] = (), focus: Sequence[str] = ()) -> str:
        """Show what some sentences cite, or everything: all pieces shortly, and diffs of the first ones."""
        found, wanted = self.dossier.found, {cite for claim in claims for cite in claim.cites}
        pieces = {handle: found[name] for handle, name in self.handles.items() if not claims or name in wanted}
        each = int(self.room * _COMPACT) // max(1, len(pieces))
        texts = {handle: piece_text(handle, one, each, self.dossier.window) for handle, one in pieces.items()}
        texts |= {key: f"{texts[key]}\n{self.notes[one.id]}" for key, one in pieces.items() if one.id in self.notes}
        room = self.room - sum(map(tokens_of, texts.values()))
        for handle, one in pieces.items():
            if isinstance(one, CommitEvidence) and room >= _LEAST:
                most = room if len(pieces) == 1 else max(_LEAST, room // 3)
                hunks, left_out = shown_hunks(one, most, focus or focus_of(claims))
                more = f"\nNot shown, for lack of room:\n{chr(10).join(left_out[:10])}" if left_out else ""
                texts[handle] += f"\nThe diff:\n{hunks}{more}"
                room -= tokens_of(hunks)
        return "\n\n".join(texts.values())

    def claims(self, answer: BaseModel) -> list[Claim]:
        """Turn the sentences of an answer into claims, each under its number."""
        said: Sequence[Sentence] = getattr(answer, "sentences", ())[:MOST_ANSWERED]
        return [claim for place, one in enumerate(said, start=1) if (claim := self._claim(f"a{place}", one))]

    def again(self, old: Claim, said: Sentence) -> Claim | None:
        """Turn a sentence that was said anew into a claim."""
        return self._claim(old.id, said)

    def objections(self, claim: Claim, check: Check) -> tuple[Judgement, ...]:
        """Let a number pass that tells how many pieces a sentence cites: a count stands in none of them."""
        count = str(len(claim.cites)) if len(claim.cites) > 1 else " "
        wrong = super().objections(claim, check)
        return tuple(no for no in wrong if no.check != "number" or not no.literal.startswith(count))

    def controls(self, evidence: str, passed: Sequence[tuple[str, Claim]]) -> Sequence[Mapping[Language, str]]:
        """Choose facts of pieces that no sentence cites."""
        (lang,), known = self.languages, {cite for _, claim in passed for cite in claim.cites}
        facts = [fact for name in self.handles.values() if name not in known for fact in self.dossier.found[name].facts]
        told = [{lang: fact_sentence(fact, lang)} for fact in facts]
        return [text for text in told if is_foreign(text, evidence)][:2]

    def _claim(self, name: str, said: Sentence) -> Claim | None:
        """Turn one sentence into a claim; what it cites and was never shown stays, for the gate to refuse."""
        found = self.dossier.found
        cites = [cited(one, self.handles, found) for one in said.cites if one.strip()]
        return sentence_claim(name, said, cites, found, self.languages)
