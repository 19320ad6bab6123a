"""One sentence of a claim beside the evidence it cites, as every check of the words is given it."""

from dataclasses import dataclass
from functools import cached_property

from agent.claims import Claim, Judgement, Verdict
from agent.dossier import Dossier
from agent.gate import acts_en, acts_zh
from agent.gate.act import Act
from agent.gate.ground import Ground
from agent.gate.people import names_of
from agent.gate.persons import with_people
from agent.gate.prose import Kind, Sentence, Token
from agent.gate.prose_zh import cut
from agent.settings import Language


@dataclass(frozen=True)
class Reading:
    """A sentence, its words, what it says was done, and its evidence."""

    claim: Claim
    dossier: Dossier
    lang: Language
    sentence: Sentence
    ground: Ground

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """The pieces of the sentence, people found by their names, and Chinese cut into words."""
        names = {name for one in self.ground.evidence for name in names_of(one, self.dossier)}
        return cut(with_people(self.sentence, names))

    @cached_property
    def acts(self) -> tuple[Act, ...]:
        """What it says was done, in either language: Chinese prose has English words in it."""
        chinese = acts_zh.acts(self.tokens)
        if self.lang == "zh" and any(token.kind is Kind.HAN for token in self.tokens):
            return chinese
        return (*acts_en.acts(self.tokens), *chinese)

    @cached_property
    def plain(self) -> tuple[str, ...]:
        """Its words without names, marks and signs; no capitals."""
        return tuple(token.lower for token in self.tokens if token.kind in (Kind.WORD, Kind.HAN))


def unsupported(check: str, reason: str) -> Judgement:
    """Say that the evidence does not bear a claim out."""
    return Judgement(verdict=Verdict.UNSUPPORTED, check=check, reason=reason)


def undecided(check: str, reason: str) -> Judgement:
    """Say that no rule can tell."""
    return Judgement(verdict=Verdict.UNDECIDED, check=check, reason=reason)
