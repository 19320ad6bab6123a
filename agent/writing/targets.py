"""The targets of writing, above all commits: what writer and judge are shown of each, and its checks by code."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from agent.domain.account import Part
from agent.domain.base import Language, RepoId
from agent.domain.claims import Anchor, Claim, Judgement, Kind, Refused
from agent.domain.evidence import Citable, EvidenceSet, FileEvidence, Material, Read
from agent.domain.evidence_id import EvidenceId
from agent.gate.quotes import MAX_ANCHOR, anchor_fault, is_in_code
from agent.judging.false_twins import moved_sentences, removed_files, reversed_facts
from agent.judging.rulings import Case, Control, Text, deciding_lines, refusal_text
from agent.packets.commit_packet import CommitContext, commit_excerpt, commit_packet
from agent.packets.lines_supporting_claims import focus_on
from agent.packets.token_budgets import (
    COMMIT_BUDGET,
    JUDGED_BUDGET,
    REPAIR_BUDGET,
    SECOND_READING_BUDGET,
)
from agent.prompt_sizes import EvidencePrompt
from agent.prompt_templates import fenced
from agent.writing.model_sentences import (
    MOST_SENTENCES,
    Sentence,
    analysis_shape,
    anchored,
    asked_languages,
    repair_shape,
    sentence_claim,
    words_of,
)
from agent.writing.tasks import Draft, Task, is_foreign

Check = Callable[[Claim, EvidenceSet, Language], Iterable[Judgement]]
"""Returns why a claim is refused: the gate."""


@dataclass(frozen=True, kw_only=True)
class WritingTarget(ABC):
    """What some sentences are written about."""

    repo: RepoId | None
    account: str  # Who pays for the models
    languages: tuple[Language, ...]
    evidence_set: EvidenceSet  # What the gate may look at
    about: EvidenceId | None = None  # The commit, where there is one
    judge_prompt: ClassVar[str] = "judge"  # The file in agent/prompts that a judge is asked with
    has_excerpts: ClassVar[bool] = False
    """Whether an excerpt shows less than the evidence of the same sentences."""
    citable: Mapping[str, Citable] = field(
        default_factory=dict
    )  # What may be cited, by its handles

    @property
    def is_must_know(self) -> bool:
        """True for what matters most, about which a judge looks further by itself."""
        return False

    @abstractmethod
    def evidence(self, claims: Sequence[Claim], budget: int, quotes: Sequence[str] = ()) -> str:
        """Return the evidence of some sentences in about so many tokens; without any, of all.

        What the sentences rest on comes first, and `quotes`, which are words of the evidence.
        """

    def excerpt(self, claims: Sequence[Claim], refused: Sequence[Refused], budget: int) -> str:
        """Return the evidence of some sentences without what they do not speak of.

        What they rest on and name is in it, and what the judge of refused ones quoted and named.
        """
        all_claims = list(claims)
        all_claims += [refusal.claim for refusal in refused]
        return self.evidence(all_claims, budget, deciding_lines(refused))

    @abstractmethod
    def elsewhere(self, passed: Sequence[Draft]) -> Iterable[Text]:
        """Return true sentences about something else."""

    def required(self, claim: Claim) -> Sequence[str]:
        """Return passages of the evidence without which a sentence cannot be judged."""
        return [anchor.text for anchor in claim.anchors]

    def twins(self, claims: Sequence[Claim]) -> Iterable[Control]:
        """Return sentences about the same thing that are surely false."""
        del claims
        return ()

    def last_controls(self) -> Iterable[Control]:
        """Return controls for where there is no other: somebody must test the judge."""
        return ()

    def case(
        self, claims: Sequence[Claim], passed: Sequence[Draft], refused: Sequence[Refused] = ()
    ) -> Case:
        """Return the case for the judge, with controls that it must refuse.

        For rewritten claims, `refused` has their former wordings, and the judge sees the excerpt
        that the writer saw.
        """

        def show(some_claims: Sequence[Claim], budget: int) -> str:
            if not refused:
                return self.evidence(some_claims, budget)
            ids = {claim.id for claim in some_claims}
            former = [refusal for refusal in refused if refusal.claim.id in ids]
            return self.excerpt(some_claims, former, budget)

        others = list(self.elsewhere(passed))
        twins = list(self.twins(claims))

        def controls(evidence: str) -> list[Control]:
            foreign = [Control(text) for text in others if is_foreign(text, evidence)]
            return [*foreign, *twins] or list(self.last_controls())

        return Case(
            account=self.account,
            claims=claims,
            show=show,
            controls=controls,
            required=self.required,
            prompt=self.judge_prompt,
        )

    def repair_prompt(self, refused: Mapping[str, Refused], mark: str) -> EvidencePrompt:
        """Return the prompt that asks to rewrite refused sentences, each under its number."""
        texts = [refusal_text(number, refusal) for number, refusal in refused.items()]
        values = {
            "refused": fenced("\n".join(texts), mark),
            "languages": asked_languages(self.languages),
        }
        return EvidencePrompt(name="repair", values=values, shape=repair_shape(self.languages))

    def objections(self, claim: Claim, check: Check) -> tuple[Judgement, ...]:
        """Return the gate's objections to the literals of a sentence, in each language."""
        objections: list[Judgement] = []
        for lang in self.languages:
            objections += check(claim, self.evidence_set, lang)
        return tuple(objections)

    def claim(self, name: str, sentence: Sentence) -> Claim | None:
        """Turn one sentence into a claim."""
        notes = self.evidence_set.notes
        return sentence_claim(name, sentence, self.citable, self.languages, self.about, notes)

    def again(self, old: Claim, sentence: Any) -> Claim | None:
        """Turn a new wording into a claim in the place of the old one; a headline stays one."""
        claim = self.claim(old.id, sentence)
        if claim is None or old.role != "headline":
            return claim
        is_verbatim = not any(anchor_fault(anchor, self.evidence_set) for anchor in claim.anchors)
        anchors = claim.anchors if claim.anchors and is_verbatim else old.anchors
        update = {"role": "headline", "anchors": anchors, "attributed": False}
        return claim.model_copy(update=update)


@dataclass(frozen=True, kw_only=True)
class CommitTarget(WritingTarget):
    """A commit that is explained."""

    task: Task
    read: Read
    material: Material
    context: CommitContext
    part: ClassVar[Part] = "explaining"
    has_excerpts: ClassVar[bool] = True

    @property
    def is_must_know(self) -> bool:
        """True for a commit that readers must know of."""
        return self.task.is_must_know

    def evidence(self, claims: Sequence[Claim], budget: int, quotes: Sequence[str] = ()) -> str:
        """Return the packet of the commit."""
        focus = focus_on(claims, quotes)
        budget = min(budget, JUDGED_BUDGET if claims else COMMIT_BUDGET)
        context = self.context
        if context.look_ups and not claims:
            # The packet of a writer begins as it did before looking.
            context = replace(context, keeps_earlier_room=True)
        return commit_packet(self.read, self.material, budget, focus, context)

    def excerpt(self, claims: Sequence[Claim], refused: Sequence[Refused], budget: int) -> str:
        """Return the parts of the packet that some sentences and their judge speak of."""
        all_claims = list(claims)
        remarks: list[str] = []
        for refusal in refused:
            all_claims.append(refusal.claim)
            remarks += [reason.reason for reason in refusal.reasons]
        focus = focus_on(all_claims, deciding_lines(refused), remarks)
        budget = min(budget, REPAIR_BUDGET if refused else SECOND_READING_BUDGET)
        return commit_excerpt(self.read, self.material, focus, self.context, budget)

    def write_prompt(self) -> EvidencePrompt:
        """Ask what changes, why, for whom, and what to do."""
        values = {"languages": asked_languages(self.languages)}
        return EvidencePrompt(name="write", values=values, shape=analysis_shape(self.languages))

    def before_looking(self) -> "CommitTarget":
        """Return the target in a packet with room for look-ups and for earlier commits.

        Writers look into commits while these are related: what they see now is shown again when
        they write.
        """
        context = replace(self.context, look_ups=(), leaves_room=True, keeps_earlier_room=True)
        return replace(self, context=context)

    def with_room(self) -> "CommitTarget":
        """Return the target in a packet that leaves room for look-ups."""
        return replace(self, context=replace(self.context, leaves_room=True))

    def claim(self, name: str, sentence: Sentence) -> Claim | None:
        """Turn one sentence into a claim; its background are earlier commits and lines of files."""
        claim = super().claim(name, self._with_anchor_cited(sentence))
        if claim is None:
            return None
        earlier = {evidence.id for evidence in self.context.earlier.values()}
        cites: list[EvidenceId] = []
        background: list[EvidenceId] = []
        for cite in claim.cites:
            is_news = cite not in earlier and cite.kind != "lines"
            (cites if is_news else background).append(cite)
        update = {"cites": tuple(cites), "background": tuple(background)}
        return claim.model_copy(update=update)

    def _with_anchor_cited(self, sentence: Sentence) -> Sentence:
        """Add the looked-up lines that hold the anchor, if only they do, to what is cited."""
        is_usable = 0 < len(sentence.anchor.strip()) <= MAX_ANCHOR
        if not is_usable or is_in_code(sentence.anchor, self.read.evidence):
            return sentence
        for handle, evidence in self.citable.items():
            if isinstance(evidence, FileEvidence) and is_in_code(sentence.anchor, evidence):
                return sentence.model_copy(update={"cites": [*sentence.cites, handle]})
        return sentence

    def claims(self, answer: Any) -> list[Claim]:
        """Turn an analysis into claims: its headline, then its sentences."""
        name = self.read.evidence.id.shortened()
        claims = []
        if headline := self._headline(f"{name}.m0", answer):
            claims.append(headline)
        for number, sentence in enumerate(answer.sentences[:MOST_SENTENCES], start=1):
            if claim := self.claim(f"{name}.m{number}", sentence):
                claims.append(claim)
        return claims

    def _headline(self, name: str, answer: Any) -> Claim | None:
        evidence = self.read.evidence
        text = words_of(answer, self.languages, "headline_")
        if not text:
            return None
        return Claim(
            id=name,
            repo=evidence.repo,
            role="headline",
            about=(evidence.id,),
            cites=(evidence.id,),
            text=text,
            anchors=(self._headline_anchor(answer.headline_anchor),),
            kind=Kind.STATED,
        )

    def _headline_anchor(self, text: str) -> Anchor:
        """Return the anchor of a headline: the line that its writer copied, else the title."""
        evidence = self.read.evidence
        anchor = anchored(text, (evidence.id,), {evidence.id: evidence})
        if anchor_fault(anchor, self.evidence_set):
            return Anchor(cite=evidence.id, text=evidence.change.commit.title)
        return anchor

    def elsewhere(self, passed: Sequence[Draft]) -> Iterable[Text]:
        """Return sentences about other commits."""
        others = [draft.claim.text for draft in passed if draft.task != self.task.key]
        return [*others, *self.task.controls]

    def twins(self, claims: Sequence[Claim]) -> Iterable[Control]:
        """Return proven facts of the commit turned round, and sentences moved to what it leaves alone."""
        evidence = self.read.evidence
        if not self.context.earlier:
            # The opposite of a revert is what the earlier commit did, which is shown as well.
            for text in reversed_facts(evidence.facts, self.languages):
                yield Control(text, "twin")
        for text in moved_sentences(claims, evidence, self.context.surroundings):
            yield Control(text, "reach")

    def last_controls(self) -> Iterable[Control]:
        """Return the removal of a file that the commit changes."""
        for text in removed_files(self.read.evidence, self.languages):
            yield Control(text, "twin")


def cited_by(claims: Iterable[Claim]) -> set[EvidenceId]:
    """Return all evidence that some sentences cite."""
    cites: set[EvidenceId] = set()
    for claim in claims:
        cites.update(claim.cites)
    return cites
