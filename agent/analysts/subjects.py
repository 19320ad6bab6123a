"""What sentences are about: what their writer and their judge are shown, and what code holds them to."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, ClassVar

from pydantic import BaseModel

from agent.analysts.packet import commit_packet, piece_text, shown_hunks
from agent.analysts.sentences import (
    MOST_ANSWERED,
    MOST_SENTENCES,
    Sentence,
    analysis_shape,
    anchored,
    asked_languages,
    focus_of,
    sentence_claim,
    summary_shape,
    words_of,
)
from agent.analysts.tasks import Task, is_foreign
from agent.domain.base import EvidenceId, Language, RepoId
from agent.domain.claims import Anchor, Claim, Judgement, Kind, Number
from agent.domain.commits import Release
from agent.domain.evidence import CommitEvidence, Dossier, Evidence, Material, Read, ReleaseEvidence
from agent.domain.spending import Part
from agent.gate.quotes import anchor_fault
from agent.prompting import fenced, fitting, tokens_of
from agent.telling import fact_sentence

Asked = tuple[
    str, dict[str, str], type[BaseModel]
]  # A prompt by its name, its values, and the shape of the answer
Texts = Iterable[Mapping[Language, str]]
Passed = Sequence[tuple[str, Claim]]
Check = Callable[
    [Claim, Dossier, Language], Iterable[Judgement]
]  # Says why a claim is refused: the gate
_LEAST = 500  # Tokens below which a diff is not shown
_COMPACT = 0.6  # How much of the room the pieces share; the rest is for the diffs of the best ones


@dataclass(frozen=True, kw_only=True)
class Subject(ABC):
    """What some sentences are about."""

    repo: RepoId | None
    account: str  # Who pays for the models
    languages: tuple[Language, ...]
    room: int  # Tokens of evidence that a model can be shown
    dossier: Dossier  # What the gate may look at
    about: EvidenceId | None = None  # The commit, where there is one
    shown: Mapping[str, Evidence] = field(default_factory=dict)  # What may be cited, by its handles
    repairs: ClassVar[bool] = True  # Whether what is refused goes back to its writer

    @abstractmethod
    def evidence(self, claims: Sequence[Claim] = (), focus: Sequence[str] = ()) -> str:
        """Show the evidence of some sentences; with a focus, of diffs only what holds these words or lines."""

    @abstractmethod
    def elsewhere(self, passed: Passed) -> Texts:
        """Give true sentences about something else."""

    def controls(self, evidence: str, passed: Passed) -> Sequence[Mapping[Language, str]]:
        """Choose sentences about something else that name what this evidence does not have, for the judge to refuse."""
        return [text for text in self.elsewhere(passed) if is_foreign(text, evidence)][:2]

    def objections(self, claim: Claim, check: Check) -> tuple[Judgement, ...]:
        """Say what is wrong with the literals of a sentence, in each language."""
        return tuple(no for lang in self.languages for no in check(claim, self.dossier, lang))

    def claim(self, name: str, said: Sentence) -> Claim | None:
        """Turn one sentence into a claim."""
        notes = self.dossier.notes
        return sentence_claim(name, said, self.shown, self.languages, self.about, notes)

    def again(self, old: Claim, said: Sentence) -> Claim | None:
        """Turn a sentence that was said anew into a claim in the place of the old one; a headline stays one."""
        claim = self.claim(old.id, said)
        if claim is None or old.role != "headline":
            return claim
        is_verbatim = not any(anchor_fault(anchor, self.dossier) for anchor in claim.anchors)
        anchors = claim.anchors if claim.anchors and is_verbatim else old.anchors
        update = {"role": "headline", "anchors": anchors, "attributed": False}
        return claim.model_copy(update=update)


@dataclass(frozen=True, kw_only=True)
class CommitSubject(Subject):
    """A commit that is explained."""

    task: Task
    read: Read
    material: Material
    part: ClassVar[Part] = "explaining"

    def evidence(self, claims: Sequence[Claim] = (), focus: Sequence[str] = ()) -> str:
        """Show the commit, whichever sentences are about it."""
        del claims
        return commit_packet(self.read, self.material, self.room, focus)

    def prompt(self, mark: str) -> Asked:
        """Ask what changes, why, for whom, and what to do."""
        notes = (
            f"Your notes from reading, which are no evidence:\n{self.task.notes}\n"
            if self.task.notes
            else ""
        )
        values = {"evidence": fenced(self.evidence(), mark), "notes": notes}
        return (
            "write",
            values | {"languages": asked_languages(self.languages)},
            analysis_shape(self.languages),
        )

    def claims(self, answer: Any) -> list[Claim]:
        """Turn an analysis into claims: its headline, then its sentences."""
        about, commit = self.read.evidence, self.read.evidence.change.commit
        name = f"{commit.repo}@{commit.sha[:12]}"
        said = enumerate(answer.sentences[:MOST_SENTENCES], start=1)
        claims = [claim for number, one in said if (claim := self.claim(f"{name}.m{number}", one))]
        if text := words_of(answer, self.languages, "headline_"):
            given: dict[str, Any] = {
                "repo": about.repo,
                "about": (about.id,),
                "cites": (about.id,),
                "text": text,
            }
            anchors = (self._headline_anchor(answer.headline_anchor),)
            claims.insert(
                0,
                Claim(id=f"{name}.m0", role="headline", anchors=anchors, kind=Kind.STATED, **given),
            )
        return claims

    def _headline_anchor(self, text: str) -> Anchor:
        """Return what a headline rests on: the line that its writer copied, else the title."""
        evidence = self.read.evidence
        anchor = anchored(text, (evidence.id,), {evidence.id: evidence})
        if anchor_fault(anchor, self.dossier):
            return Anchor(cite=evidence.id, text=evidence.change.commit.title)
        return anchor

    def elsewhere(self, passed: Passed) -> Texts:
        """Give sentences about other commits."""
        return [*(claim.text for key, claim in passed if key != self.task.key), *self.task.controls]


@dataclass(frozen=True, kw_only=True)
class SummarySubject(Subject):
    """What was published of several commits."""

    task: Task
    part: ClassVar[Part] = "summing up"
    repairs = False

    def evidence(self, claims: Sequence[Claim] = (), focus: Sequence[str] = ()) -> str:
        """List what was published, of the commits that some sentences cite or of all; the lightest go first."""
        del focus
        wanted = {cite for claim in claims for cite in claim.cites}
        lines, last = list[str](), ""
        for handle, claim in self.task.rests.items():
            about = claim.about[0]
            if claims and about not in wanted:
                continue
            head = (
                f"{about.partition('@')[0]}: {self.task.titles.get(about, '')}\n"
                if about != last
                else ""
            )
            lines.append(f"{head}[{handle}] {' / '.join(claim.text.values())}")
            last = about
        return "\n".join(lines if claims else fitting(lines, self.room))

    def prompt(self, mark: str) -> Asked:
        """Ask for the day of one repository, or for the brief of all of them."""
        scope = {"scope": self.repo or "all repositories", "most": "five" if self.repo else "seven"}
        values = {
            "languages": asked_languages(self.languages),
            "items": fenced(self.evidence(), mark),
        }
        return "day", values | scope, summary_shape(self.languages)

    def claims(self, answer: Any) -> list[Claim]:
        """Turn sentences about a day into claims that cite the commits of the sentences they rest on."""
        name, role = (f"{self.repo}.day", "summary") if self.repo else ("brief", "brief")
        claims: list[Claim] = []
        for number, one in enumerate(answer.sentences, start=1):
            text, rests = words_of(one, self.languages), self.task.rests
            ground = [
                rests[handle] for raw in one.rests_on if (handle := raw.strip("[]` ")) in rests
            ]
            cites = tuple(dict.fromkeys(cite for claim in ground for cite in claim.about))
            anchors = tuple(
                dict.fromkeys(one for claim in ground for one in claim.anchors if one.cite in cites)
            )
            if text and ground:
                given: dict[str, Any] = {
                    "repo": self.repo,
                    "role": role,
                    "cites": cites,
                    "anchors": anchors,
                }
                # Words that rest on something inferred are inferred themselves.
                kind = (
                    Kind.INFERRED
                    if any(claim.kind is Kind.INFERRED for claim in ground)
                    else Kind.STATED
                )
                # What rests on somebody's words does so in a summary, too.
                attributed = any(claim.attributed for claim in ground)
                claims.append(
                    Claim(
                        id=f"{name}{number}", text=text, kind=kind, attributed=attributed, **given
                    )
                )
        return claims

    def objections(self, claim: Claim, check: Check) -> tuple[Judgement, ...]:
        """Hold a summary to published sentences, which have no files."""
        bare = tuple(anchor.model_copy(update={"file": None}) for anchor in claim.anchors)
        return super().objections(claim.model_copy(update={"anchors": bare}), check)

    def elsewhere(self, passed: Passed) -> Texts:
        """Give sentences about commits that this summary does not cite."""
        known = {cite for key, claim in passed if key == self.task.key for cite in claim.cites}
        others = (claim.text for claim in self.task.rests.values() if claim.about[0] not in known)
        return [*others, *self.task.controls]


def light_dossier(task: Task) -> Dossier:
    """Give what literals of a summary are held to: titles, published sentences and their anchors."""
    texts = {claim.about[0]: [task.titles.get(claim.about[0], "")] for claim in task.rests.values()}
    published: dict[EvidenceId, str] = {}
    for claim in task.rests.values():
        about = claim.about[0]
        texts[about] += [*claim.text.values(), *(anchor.text for anchor in claim.anchors)]
        published[about] = "\n".join((published.get(about, ""), *claim.text.values()))
    found: dict[EvidenceId, Evidence] = {}
    for name, lines in texts.items():
        # Words of that name and nothing else, in the form of a release.
        told = {
            "repo": name.partition("@")[0],
            "tag": name.partition("@")[2],
            "body": "\n".join(lines),
            "name": "",
        }
        release = Release.model_validate(
            {**told, "published_at": datetime.fromtimestamp(0, UTC), "prerelease": False}
        )
        found[name] = ReleaseEvidence(release=release)
    return Dossier(found=found, seen=frozenset(found), notes=published)


@dataclass(frozen=True, kw_only=True)
class AnswerSubject(Subject):
    """What an answer is about: the pieces of evidence under their handles."""

    notes: Mapping[EvidenceId, str] = field(default_factory=dict)
    """What code knows of pieces of evidence beside their text."""

    def evidence(self, claims: Sequence[Claim] = (), focus: Sequence[str] = ()) -> str:
        """Show what some sentences cite, or everything: all pieces shortly, and diffs of the first ones."""
        wanted = {cite for claim in claims for cite in claim.cites}
        pieces = {
            handle: one for handle, one in self.shown.items() if not claims or one.id in wanted
        }
        each = int(self.room * _COMPACT) // max(1, len(pieces))
        texts = {
            handle: piece_text(handle, one, each, self.dossier.window)
            for handle, one in pieces.items()
        }
        texts |= {
            key: f"{texts[key]}\n{self.notes[one.id]}"
            for key, one in pieces.items()
            if one.id in self.notes
        }
        room = self.room - sum(map(tokens_of, texts.values()))
        for handle, one in pieces.items():
            if isinstance(one, CommitEvidence) and room >= _LEAST:
                most = room if len(pieces) == 1 else max(_LEAST, room // 3)
                hunks, left_out = shown_hunks(one, most, focus or focus_of(claims))
                more = (
                    f"\nNot shown, for lack of room:\n{chr(10).join(left_out[:10])}"
                    if left_out
                    else ""
                )
                texts[handle] += f"\nThe diff:\n{hunks}{more}"
                room -= tokens_of(hunks)
        return "\n\n".join(texts.values())

    def claims(self, answer: Any) -> list[Claim]:
        """Turn the sentences of an answer into claims, each under its number."""
        said = enumerate(answer.sentences[:MOST_ANSWERED], start=1)
        return [claim for number, one in said if (claim := self.claim(f"a{number}", one))]

    def objections(self, claim: Claim, check: Check) -> tuple[Judgement, ...]:
        """Let a number pass that tells how many pieces a sentence cites: a count stands in none of them."""
        objections = super().objections(claim, check)
        if len(claim.cites) < 2:
            return objections
        count = Number(value=Decimal(len(claim.cites)))
        return tuple(objection for objection in objections if objection.number != count)

    def elsewhere(self, passed: Passed) -> Texts:
        """Give facts of pieces that no sentence cites."""
        (lang,), known = self.languages, {cite for _, claim in passed for cite in claim.cites}
        facts = (fact for one in self.shown.values() if one.id not in known for fact in one.facts)
        return ({lang: fact_sentence(fact, lang)} for fact in facts)
