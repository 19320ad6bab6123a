"""Subjects of sentences: the packets for writer and judge, and the checks by code."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, ClassVar

from agent.analysts.diff_text import shown_diff
from agent.analysts.focus import NO_FOCUS, Focus, focus_on
from agent.analysts.packet import (
    COMMIT_BUDGET,
    JUDGED_BUDGET,
    MINOR_PACKET,
    REPAIR_BUDGET,
    SECOND_READING_BUDGET,
    CommitContext,
    commit_excerpt,
    commit_packet,
    piece_text,
)
from agent.analysts.ruling import Case, Control, Text, deciding_lines, refusal_text
from agent.analysts.sentences import (
    MOST_ANSWERED,
    MOST_SENTENCES,
    Sentence,
    Summary,
    analysis_shape,
    anchored,
    asked_languages,
    minor_shape,
    repair_shape,
    sentence_claim,
    summary_repair_shape,
    summary_shape,
    words_of,
)
from agent.analysts.tasks import Draft, Task, is_foreign
from agent.analysts.twins import moved_sentences, reversed_facts
from agent.domain.base import Language, RepoId
from agent.domain.claims import Anchor, Claim, Judgement, Kind, Number, Refused
from agent.domain.evidence import (
    Citable,
    CommitEvidence,
    EvidenceSet,
    FileEvidence,
    Material,
    PublishedEvidence,
    Read,
)
from agent.domain.evidence_id import EvidenceId
from agent.domain.spending import Part
from agent.fact_sentences import fact_sentence
from agent.gate.literals import Literal
from agent.gate.lookup import Lookup
from agent.gate.quotes import MAX_ANCHOR, anchor_fault, is_in_code
from agent.gate.text import SearchText
from agent.prompting import fenced, fitting, tokens_of
from agent.sizing import EvidencePrompt

Check = Callable[[Claim, EvidenceSet, Language], Iterable[Judgement]]
"""Returns why a claim is refused: the gate."""
_AUTHORS_ACCOUNT = "(by the author's account)"  # Before a sentence that only its author supports
_HANDLE_TOKENS = 8  # Of a handle before a packet
_MIN_DIFF_TOKENS = 500  # Below this a diff is not shown
_OVERVIEW_TOKENS = 4_500  # Of the evidence with which a question begins
_PIECES_IN_SHORT = 10  # That an overview shows with their first lines and facts; then come titles
_TITLE_TOKENS = 40  # Of a piece that an overview shows by its title
_ANSWER_EVIDENCE_TOKENS = 6_000  # Of what the sentences of an answer cite, for their judge
_PIECES_SHARE = (
    0.6  # Of the budget, for all pieces in short; the rest is for diffs of the first ones
)


@dataclass(frozen=True, kw_only=True)
class Subject(ABC):
    """The subject of some sentences."""

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
            return [*foreign, *twins]

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
class CommitSubject(Subject):
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
        return commit_packet(self.read, self.material, budget, focus, self.context)

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

    def before_looking(self) -> "CommitSubject":
        """Return the subject without look-ups, in a packet that leaves room for them."""
        return replace(self, context=replace(self.context, look_ups=(), leaves_room=True))

    def with_room(self) -> "CommitSubject":
        """Return the subject in a packet that leaves room for look-ups."""
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


@dataclass(frozen=True, kw_only=True)
class MinorSubject(Subject):
    """Commits that get one sentence each, in one question."""

    task: Task
    commits: Mapping[str, CommitSubject]  # By their handles
    part: ClassVar[Part] = "telling in short"

    def evidence(self, claims: Sequence[Claim], budget: int, quotes: Sequence[str] = ()) -> str:
        """Return a small packet for each commit that some sentences are about."""
        subjects: dict[str, CommitSubject] = {}
        for handle, subject in self.commits.items():
            if not claims or _claims_about(subject, claims):
                subjects[handle] = subject
        share = budget // max(1, len(subjects)) - _HANDLE_TOKENS
        packets = []
        for handle, subject in subjects.items():
            commit_claims = _claims_about(subject, claims)
            packet = subject.evidence(commit_claims, min(MINOR_PACKET, share), quotes)
            packets.append(f"[{handle}] {packet}")
        return "\n\n".join(packets)

    def write_prompt(self) -> EvidencePrompt:
        """Ask for one sentence about each commit."""
        values = {"languages": asked_languages(self.languages)}
        return EvidencePrompt(name="minor", values=values, shape=minor_shape(self.languages))

    def claims(self, answer: Any) -> list[Claim]:
        """Turn an answer into claims, the first sentence about each commit."""
        claims: dict[str, Claim] = {}
        for sentence in answer.sentences:
            handle = sentence.commit.strip("[]`. ")
            subject = self.commits.get(handle)
            if subject is None or handle in claims:
                continue
            name = f"{subject.read.evidence.id.shortened()}.m1"
            if claim := subject.claim(name, _about_commit(sentence)):
                claims[handle] = claim
        return list(claims.values())

    def again(self, old: Claim, sentence: Any) -> Claim | None:
        """Turn a new wording into a claim about the same commit."""
        for subject in self.commits.values():
            if subject.about in old.about:
                return subject.claim(old.id, _about_commit(sentence))
        return None

    def objections(self, claim: Claim, check: Check) -> tuple[Judgement, ...]:
        """Return the objections to a sentence, by the evidence of its own commit."""
        for subject in self.commits.values():
            if subject.about in claim.about:
                return subject.objections(claim, check)
        return super().objections(claim, check)

    def elsewhere(self, passed: Sequence[Draft]) -> Iterable[Text]:
        """Return sentences about other commits."""
        others = [draft.claim.text for draft in passed if draft.task != self.task.key]
        return [*others, *self.task.controls]

    def twins(self, claims: Sequence[Claim]) -> Iterable[Control]:
        """Return sentences about the same commits that are surely false."""
        for subject in self.commits.values():
            commit_claims = _claims_about(subject, claims)
            if commit_claims:
                yield from subject.twins(commit_claims)


def _claims_about(subject: CommitSubject, claims: Iterable[Claim]) -> list[Claim]:
    return [claim for claim in claims if subject.about in claim.about]


def _cited_by(claims: Iterable[Claim]) -> set[EvidenceId]:
    cites: set[EvidenceId] = set()
    for claim in claims:
        cites.update(claim.cites)
    return cites


def _about_commit(sentence: Sentence) -> Sentence:
    """Return a sentence that cites its commit alone: within a batch, `c` is no handle."""
    return sentence.model_copy(update={"cites": []})


@dataclass(frozen=True, kw_only=True)
class SummarySubject(Subject):
    """The published sentences about several commits."""

    task: Task
    part: ClassVar[Part] = "summing up"
    judge_prompt: ClassVar[str] = "judge_day"

    def evidence(self, claims: Sequence[Claim], budget: int, quotes: Sequence[str] = ()) -> str:
        """Return the published sentences about the cited commits; over budget, minor ones are cut."""
        del quotes
        cites = _cited_by(claims)
        lines: list[str] = []
        last_commit = ""
        for handle, published in self.task.rests.items():
            commit = published.about[0]
            if claims and commit not in cites:
                continue
            words = _joined(published)
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
                sentences.append(_joined(published))
        return sentences

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
            anchors += claim.anchors
        anchors = [anchor for anchor in anchors if anchor.cite in cites]
        # Words that rest on something inferred are inferred themselves.
        is_inferred = any(claim.kind is Kind.INFERRED for claim in ground)
        return Claim(
            id=name,
            repo=self.repo,
            role="summary" if self.repo else "brief",
            cites=tuple(dict.fromkeys(cites)),
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


def _joined(claim: Claim) -> str:
    return " / ".join(claim.text.values())


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
        note = notes.get(commit, "")
        notes[commit] = f"{note}\n{words}" if claim.text else note
    evidence_by_id: dict[EvidenceId, PublishedEvidence] = {}
    for commit, lines in texts.items():
        evidence_by_id[commit] = PublishedEvidence(id=commit, text="\n".join(lines))
    return EvidenceSet(by_id=evidence_by_id, seen=frozenset(evidence_by_id), notes=notes)


@dataclass(frozen=True, kw_only=True)
class AnswerSubject(Subject):
    """The subject of an answer: the pieces of evidence under their handles."""

    citable: Mapping[str, Citable] = field(default_factory=dict)
    notes: Mapping[EvidenceId, str] = field(default_factory=dict)
    """What code knows of pieces of evidence beside their text."""
    question: str = ""
    denies: bool = False  # Whether the writer abstains or corrects what the question says

    def overview(self, budget: int) -> str:
        """Return the first pieces in short and the others by their titles, without diffs."""
        budget = min(budget, _OVERVIEW_TOKENS)
        pieces = list(self.citable.items())
        first_pieces = pieces[:_PIECES_IN_SHORT]
        titles: list[str] = []
        for handle, piece in pieces[_PIECES_IN_SHORT:]:
            titles.append(self._piece_text(handle, piece, _TITLE_TOKENS, NO_FOCUS))
        share = (budget - sum(map(tokens_of, titles))) // max(1, len(first_pieces))
        texts: list[str] = []
        for handle, piece in first_pieces:
            texts.append(self._piece_text(handle, piece, max(share, _TITLE_TOKENS), NO_FOCUS))
        return "\n\n".join(fitting([*texts, *titles], budget))

    def evidence(self, claims: Sequence[Claim], budget: int, quotes: Sequence[str] = ()) -> str:
        """Return the pieces that some sentences cite, commits with their diffs."""
        cites = _cited_by(claims)
        pieces = {handle: piece for handle, piece in self.citable.items() if piece.id in cites}
        focus = focus_on(claims, quotes)
        budget = min(budget, _ANSWER_EVIDENCE_TOKENS)
        each = int(budget * _PIECES_SHARE) // max(1, len(pieces))
        texts: dict[str, str] = {}
        for handle, piece in pieces.items():
            texts[handle] = self._piece_text(handle, piece, each, focus)
        tokens_left = budget - sum(map(tokens_of, texts.values()))
        for handle, piece in pieces.items():
            if not isinstance(piece, CommitEvidence) or tokens_left < _MIN_DIFF_TOKENS:
                continue
            share = tokens_left if len(pieces) == 1 else max(_MIN_DIFF_TOKENS, tokens_left // 3)
            diff = shown_diff(piece, share, focus)
            texts[handle] += f"\nThe diff:\n{diff}"
            tokens_left -= tokens_of(diff)
        return "\n\n".join(texts.values())

    def _piece_text(self, handle: str, piece: Citable, budget: int, focus: Focus) -> str:
        """Return a piece in short under its handle, with what code knows of it."""
        if isinstance(piece, FileEvidence):
            text = f"[{handle}] lines of a file, {piece.id}\n{piece.text}"
        else:
            assert not isinstance(piece, PublishedEvidence), "answers rest on what was read"
            text = piece_text(handle, piece, budget, self.evidence_set.window, focus)
        note = self.notes.get(piece.id)
        return f"{text}\n{note}" if note else text

    def claim(self, name: str, sentence: Sentence) -> Claim | None:
        """Turn one sentence into a claim; lines of a file that hold its anchor are cited with it."""
        cites = [handle.strip("[]` ") for handle in sentence.cites]
        pieces = [self.citable[handle] for handle in cites if handle in self.citable]
        is_usable = 0 < len(sentence.anchor.strip()) <= MAX_ANCHOR
        if is_usable and not any(is_in_code(sentence.anchor, piece) for piece in pieces):
            for handle, piece in self.citable.items():
                if isinstance(piece, FileEvidence) and is_in_code(sentence.anchor, piece):
                    sentence = sentence.model_copy(update={"cites": [*sentence.cites, handle]})
                    break
        return super().claim(name, sentence)

    def claims(self, answer: Any) -> list[Claim]:
        """Turn the sentences of an answer into claims, each under its number."""
        claims = []
        for number, sentence in enumerate(answer.sentences[:MOST_ANSWERED], start=1):
            if claim := self.claim(f"a{number}", sentence):
                claims.append(claim)
        return claims

    def objections(self, claim: Claim, check: Check) -> tuple[Judgement, ...]:
        """Return the objections to a sentence, except to its count of citations and the question's words.

        No piece of evidence states how many pieces are cited, and an abstention or a correction
        may repeat names from the question.
        """
        objections = super().objections(claim, check)
        if len(claim.cites) >= 2:
            count = Number(value=Decimal(len(claim.cites)))
            objections = tuple(objection for objection in objections if objection.number != count)
        if self.denies:
            question = Lookup((SearchText(self.question),))
            objections = tuple(
                objection for objection in objections if not _is_asked(objection, question)
            )
        return objections

    def elsewhere(self, passed: Sequence[Draft]) -> Iterable[Text]:
        """Return facts of pieces that no sentence cites."""
        (lang,) = self.languages
        cites = _cited_by([draft.claim for draft in passed])
        for piece in self.citable.values():
            if piece.id in cites or not isinstance(piece, CommitEvidence):
                continue
            for fact in piece.facts:
                yield {lang: fact_sentence(fact, lang)}


def _is_asked(objection: Judgement, question: Lookup) -> bool:
    """Return True if an objection is to a literal that the question has."""
    if objection.literal_kind is None or not objection.literal:
        return False
    literal = Literal(objection.literal_kind, objection.literal, number=objection.number)
    return question.has_literal(literal)
