"""Statements written freely in two languages, with wrong versions written by hand, and what code spoils in them."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from agent.claims import Claim, Role
from agent.domain import Frozen
from agent.evidence import CommitEvidence, EvidenceId
from agent.ids import RepoId, commit_id
from agent.settings import Language
from evals.sets.mutants_case import Case, Operator
from evals.sets.mutants_cites import spoilt_cites
from evals.sets.mutants_stock import Stock
from evals.sets.mutants_wording import spoilt_words

DATA = Path(__file__).with_name("data")


class Wrong(Frozen):
    """A version of a statement that is not so, written by hand."""

    operator: Operator
    text: str
    reverted_by: str | None = None
    """The later commit that undid what is told as if it still stood."""


class Statement(Frozen):
    """One true statement about a commit."""

    id: str
    split: str
    lang: Language
    repo: RepoId
    sha: str
    also: tuple[str, ...]
    """Further commits that it cites, as `[@2]` and on."""
    text: str
    mutants: tuple[Wrong, ...]

    @property
    def shas(self) -> tuple[str, ...]:
        """Name every commit that must be read to judge it."""
        return (self.sha, *self.also, *(one.reverted_by for one in self.mutants if one.reverted_by))


def statements(name: str) -> tuple[Statement, ...]:
    """Read the statements about the world (`world`) or about real repositories (`real`, and later ones, `fresh`)."""
    lines = (DATA / f"mutants_{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(Statement.model_validate(json.loads(line)) for line in lines)


def prose_cases(rows: Sequence[Statement], stock: Stock) -> Iterator[Case]:
    """Give each statement clean, with its hand-written mutants, and with what code spoils in words and citations."""
    for row in rows:
        commit = stock.commit(row.repo, row.sha)
        if commit is None:
            continue
        clean = _clean(row, commit, stock)
        yield clean
        yield from _by_hand(row, clean, stock)
        yield from spoilt_words(clean, commit, stock)
        yield from spoilt_cites(clean, commit, stock)


def _clean(row: Statement, commit: CommitEvidence, stock: Stock) -> Case:
    cites: tuple[EvidenceId, ...] = tuple(commit_id(row.repo, sha) for sha in (row.sha, *row.also))
    claim = Claim(id=row.id, repo=row.repo, role=Role.CHANGE, about=cites[:1], cites=cites, text={row.lang: row.text})
    # The day is wide enough for the commits around, so that a wrong one is not refused for its date alone.
    around = [stock.commits[cite] for cite in cites if cite in stock.commits]
    around += [one for one in (stock.parent(commit), stock.stranger(commit)) if one is not None]
    return Case(
        id=row.id,
        claim=claim,
        dossier=stock.dossier(around),
        lang=row.lang,
        form="free",
        place=stock.place,
        split=row.split,
    )


def _by_hand(row: Statement, clean: Case, stock: Stock) -> Iterator[Case]:
    for number, wrong in enumerate(row.mutants):
        claim = clean.claim.model_copy(update={"text": {row.lang: wrong.text}})
        dossier = clean.dossier
        if wrong.reverted_by:
            undone: dict[EvidenceId, EvidenceId] = {
                commit_id(row.repo, row.sha): commit_id(row.repo, wrong.reverted_by)
            }
            dossier = replace(dossier, as_of=stock.now, reverted={**dossier.reverted, **undone})
        yield clean.spoilt(wrong.operator, str(number), claim=claim, dossier=dossier)
