"""One statement for the gate, right or spoilt on purpose, with the evidence it is judged by."""

import hashlib
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Literal

from agent.claims import Claim, Judgement, Verdict
from agent.dossier import Dossier
from agent.gate.judge import judge
from agent.settings import Language

CLEAN = "clean"
Place = Literal["world", "mirrors"]
Form = Literal["free", "template"]
Kind = Literal["deterministic", "semantic", "invented"]


class Operator(StrEnum):
    """How a right claim is spoilt."""

    SHA = "sha one digit off"
    NEIGHBOUR = "neighbour cited instead"
    OTHER_REPO = "other repository"
    AUTHOR = "author swapped"
    DATE = "date one day off"
    NUMBER = "number or unit off"
    NEGATION = "negation"
    STATE = "state swapped"
    OVERCLAIM = "overclaim"
    QUOTE_WORD = "quote with one word changed"
    QUOTE_ELSEWHERE = "quote from elsewhere"
    UNSEEN = "unseen cite"
    SUPERFLUOUS = "superfluous cite"
    MISSING = "missing cite"
    CAUSAL = "causal overreach"
    REVERTED = "revert ignored"
    INVENTED = "invented detail"
    """Beside the sixteen: a name or word of the sentence put in by hand or by code that the change does not have."""

    @property
    def kind(self) -> Kind:
        """Tell whether it shows by comparing, or only by the meaning of words."""
        if self is Operator.INVENTED:
            return "invented"
        return "semantic" if self in _SEMANTIC else "deterministic"


_SEMANTIC = (Operator.NEGATION, Operator.OVERCLAIM, Operator.CAUSAL, Operator.REVERTED)


@dataclass(frozen=True, kw_only=True)
class Case:
    """A claim in one language; mutants name the clean case that they were made from."""

    id: str
    claim: Claim
    dossier: Dossier
    lang: Language
    form: Form
    place: Place
    split: str
    operator: Operator | None = None
    """None for a clean claim."""
    twin: str = ""

    @property
    def text(self) -> str:
        """What a reader would be shown, or the values where there are no words."""
        said = self.claim.text.get(self.lang, "")
        values = ", ".join(f"{name}={value}" for name, value in self.claim.params.items())
        return said or f"{self.claim.predicate}({values})"

    def spoilt(
        self, operator: Operator, how: str = "", *, claim: Claim | None = None, dossier: Dossier | None = None
    ) -> "Case":
        """Make a mutant of it; `how` tells mutants by the same operator apart."""
        name = "/".join(part for part in (self.id, operator, how) if part)
        return replace(
            self,
            id=name,
            claim=claim or self.claim,
            dossier=dossier or self.dossier,
            operator=operator,
            twin=self.id,
        )

    def saying(self, operator: Operator, text: str, how: str = "") -> "Case":
        """Make a mutant of it that has other words."""
        return self.spoilt(operator, how, claim=self.claim.model_copy(update={"text": {self.lang: text}}))

    def judged(self) -> "Judged":
        """Ask the gate."""
        return Judged(self, judge(self.claim, self.dossier, self.lang))


@dataclass(frozen=True)
class Judged:
    """A case with what the gate said."""

    case: Case
    judgement: Judgement

    @property
    def supported(self) -> bool:
        """Tell whether the gate lets it pass."""
        return self.judgement.passed

    @property
    def undecided(self) -> bool:
        """Tell whether no rule could tell."""
        return self.judgement.verdict is Verdict.UNDECIDED

    @property
    def false_alarm(self) -> bool:
        """Tell whether a right claim is called wrong; what is undecided is not."""
        return self.case.operator is None and not self.supported and not self.undecided

    @property
    def line(self) -> str:
        """Put it in one line: what, what was said of it, and why."""
        case, said = self.case, self.judgement
        about = f"{said.verdict}/{said.check}: {said.reason}" if said.reason else f"{said.verdict}/{said.check}"
        return f"{case.id} [{case.operator or CLEAN}] {case.text} → {about}"


def split_of(name: str) -> str:
    """Put half of everything aside: what is tuned is tuned on `dev` alone."""
    return "test" if int(hashlib.sha256(name.encode()).hexdigest()[:8], 16) % 2 else "dev"
