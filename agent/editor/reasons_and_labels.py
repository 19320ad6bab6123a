"""The words of an editor: reasons of places and labels of groups, as code and a judge check them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from agent.domain.base import Language
from agent.domain.claims import Anchor, Claim, Judgement, Kind
from agent.domain.evidence import EvidenceSet
from agent.editor.rows import CommitRow
from agent.gate.check import refusals
from agent.judging.false_twins import reversed_facts
from agent.judging.rulings import Case, Control, Text
from agent.token_estimates import fitting, tokens_of
from agent.writing.tasks import is_foreign

_MAX_REASON_WORDS = 12
_MAX_REASON_CHARACTERS = 120  # Languages without spaces have no words to count
_MAX_LABEL_CHARACTERS = 100
_MAX_CONTROLS = 4  # Of each kind, for all words of a day


def reason_of(row: CommitRow, text: Text) -> "EditorWords":
    """Return why a commit stands where it stands, as words about its row."""
    return EditorWords(f"{row.commit.shortened()}.reason", (row,), text)


@dataclass(frozen=True)
class EditorWords:
    """Words about one row (why its commit stands where it stands) or several (their label)."""

    name: str  # The id of their claim
    rows: tuple[CommitRow, ...]
    text: Text  # In each language of the report

    @property
    def claim(self) -> Claim:
        """The words as a claim that rests on their rows."""
        commits = tuple(row.commit for row in self.rows)
        return Claim(
            id=self.name,
            repo=commits[0].repo,
            role="summary",
            about=commits,
            cites=commits,
            text=dict(self.text),
            anchors=(Anchor(cite=commits[0], text=self.rows[0].heading),),
            kind=Kind.STATED,
        )

    @property
    def judged_claim(self) -> Claim:
        """The claim as a judge is shown it: behind the handles of its rows."""
        text = _with_handles(self.rows, self.text)
        return self.claim.model_copy(update={"text": text, "about": ()})

    def objections(self) -> list[Judgement]:
        """Return why the words may not be published: their length, or what the gate refuses."""
        objections: list[Judgement] = []
        if any(map(self._is_too_long, self.text.values())):
            objections.append(
                Judgement(verdict="malformed", check="length", reason="it is too long")
            )
        evidence_set = EvidenceSet(by_id={row.commit: row.evidence for row in self.rows})
        for lang in self.text:
            objections += refusals(self.claim, evidence_set, lang)
        return objections

    def _is_too_long(self, text: str) -> bool:
        if len(self.rows) > 1:
            return len(text) > _MAX_LABEL_CHARACTERS
        return len(text) > _MAX_REASON_CHARACTERS or len(text.split()) > _MAX_REASON_WORDS


def judged_case(words: Sequence[EditorWords], account: str, languages: Sequence[Language]) -> Case:
    """Return reasons and labels as they are put before a judge, each beside its own rows."""
    words_by_name = {editor_words.name: editor_words for editor_words in words}

    def show(claims: Sequence[Claim], budget: int) -> str:
        rows = _rows_of([words_by_name[claim.id] for claim in claims] or words)
        texts = [row.text() for row in rows]
        if sum(map(tokens_of, texts)) > budget:
            texts = [row.text(0) for row in rows]
        return "\n".join(fitting(texts, budget))

    every_control = [*_moved_reasons(words), *_reversed_facts(words, languages)]

    def controls(evidence: str) -> list[Control]:
        # A planner, which knows no evidence yet, leaves room for the longest control.
        shown = [control for control in every_control if control.row.heading in evidence]
        return [control.sentence for control in (shown if evidence else every_control)]

    return Case(
        account=account,
        claims=[editor_words.judged_claim for editor_words in words],
        show=show,
        controls=controls,
        prompt="judge_edition",
    )


@dataclass(frozen=True)
class _RowControl:
    """A sentence about a row that a judge must refuse."""

    row: CommitRow
    sentence: Control


def _moved_reasons(words: Sequence[EditorWords]) -> Iterator[_RowControl]:
    """Yield reasons under the handle of another row, which has nothing of what they name."""
    reasons = [editor_words for editor_words in words if len(editor_words.rows) == 1]
    moved = 0
    for reason, other in zip(reasons, [*reasons[1:], *reasons[:1]], strict=True):
        (other_row,) = other.rows
        if moved < _MAX_CONTROLS and is_foreign(reason.text, other_row.text()):
            moved += 1
            text = _with_handles((other_row,), reason.text)
            yield _RowControl(other_row, Control(text))


def _reversed_facts(
    words: Sequence[EditorWords], languages: Sequence[Language]
) -> Iterator[_RowControl]:
    """Yield facts of rows, turned into their opposites."""
    reversed_count = 0
    for row in _rows_of(words):
        text = next(reversed_facts(row.facts, languages), None)
        if text is not None and reversed_count < _MAX_CONTROLS:
            reversed_count += 1
            yield _RowControl(row, Control(_with_handles((row,), text), "twin"))


def _rows_of(words: Iterable[EditorWords]) -> list[CommitRow]:
    """Return the rows that words are about, each once."""
    row_by_handle: dict[str, CommitRow] = {}
    for editor_words in words:
        row_by_handle.update((row.handle, row) for row in editor_words.rows)
    return list(row_by_handle.values())


def _with_handles(rows: Sequence[CommitRow], text: Text) -> dict[Language, str]:
    handles = ", ".join(row.handle for row in rows)
    return {lang: f"{handles}: {words}" for lang, words in text.items()}
