"""What models cost, how a judge did, and which parts the rules had to take over."""

from collections import Counter
from collections.abc import Mapping
from typing import Literal

from pydantic import Field, field_serializer

from agent.domain.base import Frozen
from agent.domain.evidence_id import EvidenceId

CallsAbout = Mapping[str, Mapping[str, int]]

_MAX_REASON_CHARACTERS = 200  # Of an error that a report shows


class Price(Frozen):
    """What a model's tokens cost, per million."""

    input: float = Field(default=0.0, ge=0)
    output: float = Field(default=0.0, ge=0)
    currency: str = Field(default="USD", pattern=r"^[A-Z]{3}$")


class Spent(Frozen):
    """Calls to models, and the tokens that went out and came back."""

    calls: int = 0
    sent: int = 0
    received: int = 0
    cost: float = 0.0  # By the price table; 0 where the model has no price
    currency: str = ""

    def __add__(self, other: "Spent") -> "Spent":
        return Spent(
            calls=self.calls + other.calls,
            sent=self.sent + other.sent,
            received=self.received + other.received,
            cost=round(self.cost + other.cost, 9),
            currency=self.currency or other.currency,
        )

    def priced(self, price: Price | None) -> "Spent":
        """Return the same with its cost."""
        if price is None:
            return self
        cost = (self.sent * price.input + self.received * price.output) / 1_000_000
        return self.model_copy(update={"cost": round(cost, 9), "currency": price.currency})


_JOB_OF_PROMPT = {
    "edit": "editing",
    "minor": "telling in short",
    "look": "looking",
    "shortlist": "shortlisting",
    "relate": "relating",
    "write": "writing",
    "repair": "repairing",
    "repair_day": "repairing",
    "judge": "judging",
    "judge_day": "judging",
    "judge_look": "judging",
    "day": "summing up",
    "stories": "telling stories",
}


SUMMING_UP = "summing up"
_SUMMARY_PROMPTS = ("day", "judge_day", "repair_day")


def subject_of(topic: str) -> str:
    """Return what a request is about, given its topic: a commit, a payer, or a summary.

    A topic is the name of the prompt, then the subject, then the turn or the reading, if any.
    """
    prompt, _, subject = topic.partition(" ")
    return SUMMING_UP if prompt in _SUMMARY_PROMPTS else subject.partition(",")[0]


def job_of(prompt: str) -> str:
    """Return what the tokens of a prompt are spent on, as the footer counts it."""
    return _JOB_OF_PROMPT.get(prompt, prompt)


Part = Literal[
    "editing",
    "reading",
    "relating",
    "summing up",
    "explaining",
    "telling in short",
    "telling stories",
    "repairing",
    "judging",
    "answering",
]


class Fallback(Frozen):
    """A part that the rules did without the model, and why."""

    part: Part
    reason: str
    about: EvidenceId | None = None


class Judging(Frozen):
    """What the judge made of sentences, and how it did on those that it had to refuse."""

    controls: int = 0  # Control sentences that were hidden among the others
    caught: int = 0  # Those of them that the judge refused; a batch with an admitted one is void
    twins: int = 0  # Those of the controls that reverse a proven fact of the same commit
    caught_twins: int = 0
    standing: int = 0  # Sentences that the judge let stand
    narrowed: int = 0  # Those that it called too wide
    refuted: int = 0  # Those that it found contradicted or not shown
    look_ups: int = 0  # How often it looked further with a tool
    could_look: bool = False  # Whether it could

    def __add__(self, other: "Judging") -> "Judging":
        return Judging(
            controls=self.controls + other.controls,
            caught=self.caught + other.caught,
            twins=self.twins + other.twins,
            caught_twins=self.caught_twins + other.caught_twins,
            standing=self.standing + other.standing,
            narrowed=self.narrowed + other.narrowed,
            refuted=self.refuted + other.refuted,
            look_ups=self.look_ups + other.look_ups,
            could_look=self.could_look or other.could_look,
        )


class Account(Frozen):
    """Fallbacks, controls and costs; what the rules alone write has none of them."""

    fallbacks: tuple[Fallback, ...] = ()
    judging: Judging = Judging()
    spent: Spent = Spent()
    by_job: dict[str, Spent] = Field(default_factory=dict)  # The same by what it was spent on
    calls_about: dict[str, dict[str, int]] = Field(default_factory=dict)
    """The calls by who pays for them and by the commit that they are about; by `SUMMING_UP` those
    for a summary, and by the payer itself those about its whole day."""
    kept: tuple[EvidenceId, ...] = ()  # Commits whose analysis an earlier run wrote
    kept_summaries: int = 0  # Sentences of summary or brief that an earlier run wrote
    assumed_contexts: dict[str, int] = Field(default_factory=dict)
    """The tokens that were assumed as the context of a model whose server does not report it."""

    @field_serializer("calls_about")
    def _calls_in_order(self, calls_about: CallsAbout) -> dict[str, dict[str, int]]:
        """Return the calls by name: they end in another order in every run."""
        return {payer: dict(sorted(calls.items())) for payer, calls in sorted(calls_about.items())}

    def __add__(self, other: "Account") -> "Account":
        return Account(
            fallbacks=(*self.fallbacks, *other.fallbacks),
            judging=self.judging + other.judging,
            spent=self.spent + other.spent,
            by_job=added_by_job(self.by_job, other.by_job),
            calls_about=_added_calls(self.calls_about, other.calls_about),
            kept=(*self.kept, *other.kept),
            kept_summaries=self.kept_summaries + other.kept_summaries,
            assumed_contexts=self.assumed_contexts | other.assumed_contexts,
        )


def _added_calls(first: CallsAbout, second: CallsAbout) -> dict[str, dict[str, int]]:
    added = {payer: Counter(calls) for payer, calls in first.items()}
    for payer, calls in second.items():
        added.setdefault(payer, Counter()).update(calls)
    return {payer: dict(calls) for payer, calls in added.items()}


def longest_chain(calls_about: CallsAbout) -> int:
    """Return how many answers are waited for one after the other, at most.

    Commits are asked about at the same time, and so are repositories, and all summaries after
    them; questions about one commit are counted as if each waited for the one before.
    """
    longest_reading = 0
    longest_summary = 0
    for payer, calls in calls_about.items():
        about_commits = [
            count for subject, count in calls.items() if subject not in (payer, SUMMING_UP)
        ]
        reading = calls.get(payer, 0) + max(about_commits, default=0)
        longest_reading = max(longest_reading, reading)
        longest_summary = max(longest_summary, calls.get(SUMMING_UP, 0))
    return longest_reading + longest_summary


def added_by_job(first: Mapping[str, Spent], second: Mapping[str, Spent]) -> dict[str, Spent]:
    """Return what was spent on each job, by its name."""
    added = dict(first)
    for job, spent in second.items():
        added[job] = added.get(job, Spent()) + spent
    return added


def fallback(part: Part, error: Exception, about: EvidenceId | None = None) -> Account:
    """Return an account of a part that was done without the model, with the reason."""
    reason = " ".join(str(error).split())[:_MAX_REASON_CHARACTERS]
    return Account(fallbacks=(Fallback(part=part, reason=reason, about=about),))


def price_of(model: str, prices: Mapping[str, Price]) -> Price | None:
    """Return the price of a model; servers may put the maker's name in front of the model's."""
    return prices.get(model) or prices.get(model.rpartition("/")[2])
