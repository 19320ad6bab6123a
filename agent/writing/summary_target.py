"""The target of a summary of a day, or of the brief: published sentences that it rests on."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from agent.domain.account import Part
from agent.domain.claims import Anchor, Claim, Judgement, Kind, Refused
from agent.domain.evidence import EvidenceSet, PublishedEvidence
from agent.domain.evidence_id import EvidenceId
from agent.judging.rulings import Text
from agent.prompt_sizes import EvidencePrompt
from agent.token_estimates import fitting
from agent.writing.model_sentences import (
    Summary,
    asked_languages,
    summary_repair_shape,
    summary_shape,
    words_of,
)
from agent.writing.targets import Check, WritingTarget, cited_by
from agent.writing.tasks import Draft, Task

_AUTHORS_ACCOUNT = "(by the author's account)"  # Before a sentence that only its author supports


@dataclass(frozen=True, kw_only=True)
class SummaryTarget(WritingTarget):
    """The published sentences about several commits."""

    task: Task
    part: ClassVar[Part] = "summing up"
    judge_prompt: ClassVar[str] = "judge_day"

    def evidence(self, claims: Sequence[Claim], budget: int, quotes: Sequence[str] = ()) -> str:
        """Return the published sentences about the cited commits; over budget, minor ones are cut."""
        del quotes
        cites = cited_by(claims)
        lines: list[str] = []
        last_commit = ""
        for handle, published in self.task.rests.items():
            commit = published.about[0]
            if claims and commit not in cites:
                continue
            words = self._words(published)
            if published.attributed:
                words = f"{_AUTHORS_ACCOUNT} {words}"
            line = f"[{handle}] {words}"
            if commit != last_commit:
                title = self.task.titles.get(commit, "")
                line = f"{commit.repo}: {title}\n{line}"
            lines.append(line)
            last_commit = commit
        return "\n".join(fitting(lines, budget))

    def required(self, claim: Claim) -> Sequence[str]:
        """Return the published sentences about the commits that a summary cites."""
        sentences: list[str] = []
        for published in self.task.rests.values():
            if published.about[0] in claim.cites:
                sentences.append(self._words(published))
        return sentences

    def _words(self, claim: Claim) -> str:
        """Return a published sentence in the languages that are asked for, where it has them."""
        words = [claim.text[language] for language in self.languages if language in claim.text]
        return " / ".join(words or claim.text.values())

    def write_prompt(self) -> EvidencePrompt:
        """Ask for the day of one repository, or for the brief of all of them."""
        values = {
            "languages": asked_languages(self.languages),
            "scope": self.repo or "all repositories",
            "most": "five" if self.repo else "seven",
        }
        shape = summary_shape(self.languages)
        return EvidencePrompt(name="day", values=values, shape=shape, slot="items")

    def repair_prompt(self, refused: Mapping[str, Refused], mark: str) -> EvidencePrompt:
        """Return the prompt that asks to rewrite refused sentences of a summary, by their numbers.

        Their anchors are those of the sentences they rest on, and no words of this writer.
        """
        bare: dict[str, Refused] = {}
        for number, refusal in refused.items():
            claim = refusal.claim.model_copy(update={"anchors": ()})
            bare[number] = refusal.model_copy(update={"claim": claim})
        form = super().repair_prompt(bare, mark)
        shape = summary_repair_shape(self.languages)
        return EvidencePrompt(name="repair_day", values=form.values, shape=shape)

    def claims(self, answer: Any) -> list[Claim]:
        """Turn sentences about a day into claims that cite the commits they rest on."""
        name = f"{self.repo}.day" if self.repo else "brief"
        claims = []
        for number, sentence in enumerate(answer.sentences, start=1):
            if claim := self._summary_claim(f"{name}{number}", sentence):
                claims.append(claim)
        return claims

    def again(self, old: Claim, sentence: Any) -> Claim | None:
        """Turn a new wording of a summary into a claim in the place of the old one."""
        return self._summary_claim(old.id, sentence)

    def _summary_claim(self, name: str, sentence: Summary) -> Claim | None:
        text = words_of(sentence, self.languages)
        handles = [handle.strip("[]` ") for handle in sentence.rests_on]
        ground = [self.task.rests[handle] for handle in handles if handle in self.task.rests]
        if not text or not ground:
            return None
        cites: list[EvidenceId] = []
        anchors: list[Anchor] = []
        for claim in ground:
            cites += claim.about
            anchors += _anchors_of(claim)
        background = [anchor.cite for anchor in anchors if anchor.cite not in cites]
        # Words that rest on something inferred are inferred themselves.
        is_inferred = any(claim.kind is Kind.INFERRED for claim in ground)
        return Claim(
            id=name,
            repo=self.repo,
            role="summary" if self.repo else "brief",
            cites=tuple(dict.fromkeys(cites)),
            background=tuple(dict.fromkeys(background)),
            text=text,
            anchors=tuple(dict.fromkeys(anchors)),
            kind=Kind.INFERRED if is_inferred else Kind.STATED,
            # Where code proves a part, the words say which part is the author's.
            attributed=all(claim.attributed for claim in ground),
        )

    def objections(self, claim: Claim, check: Check) -> tuple[Judgement, ...]:
        """Return the objections to a summary, by published sentences, which have no files."""
        bare = tuple(anchor.model_copy(update={"file": None}) for anchor in claim.anchors)
        return super().objections(claim.model_copy(update={"anchors": bare}), check)

    def elsewhere(self, passed: Sequence[Draft]) -> Iterable[Text]:
        """Return sentences about commits that this summary does not cite."""
        cites: set[EvidenceId] = set()
        for draft in passed:
            if draft.task == self.task.key:
                cites.update(draft.claim.cites)
        others: list[Text] = []
        for published in self.task.rests.values():
            if published.about[0] not in cites:
                others.append(published.text)
        return [*others, *self.task.controls]


def _anchors_of(claim: Claim) -> list[Anchor]:
    """Return the words of its commits that a sentence rests on; if it has none, all others.

    Some sentences rest on lines of a file, on an earlier commit or on a thread alone.
    """
    own = [anchor for anchor in claim.anchors if anchor.cite in claim.about]
    return own or list(claim.anchors)


def summary_evidence(task: Task) -> EvidenceSet:
    """Return the evidence of a summary: titles, published sentences and their anchors."""
    texts: dict[EvidenceId, list[str]] = {}
    notes: dict[EvidenceId, str] = {}
    for claim in task.rests.values():
        commit = claim.about[0]
        words = "\n".join(claim.text.values())
        lines = texts.setdefault(commit, [task.titles.get(commit, "")])
        lines += claim.text.values()
        lines += [anchor.text for anchor in claim.anchors]
        for anchor in _anchors_of(claim):
            if anchor.cite != commit:
                texts.setdefault(anchor.cite, []).append(anchor.text)
        note = notes.get(commit, "")
        notes[commit] = f"{note}\n{words}" if claim.text else note
    evidence_by_id: dict[EvidenceId, PublishedEvidence] = {}
    for commit, lines in texts.items():
        evidence_by_id[commit] = PublishedEvidence(id=commit, text="\n".join(lines))
    return EvidenceSet(by_id=evidence_by_id, seen=frozenset(evidence_by_id), notes=notes)
