"""The spending of a run on models, results of the judge, and the parts that the rules took over."""

from collections.abc import Iterable, Mapping
from typing import Literal

from pydantic import AliasChoices, Field, field_serializer

from agent.domain.base import Frozen
from agent.domain.evidence_id import EvidenceId

_MAX_REASON_CHARACTERS = 200  # Of an error that a report shows


class Price(Frozen):
    """The price of a model's tokens, per million."""

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
    "edit_look": "editing",
    "edit_order": "editing",
    "minor": "telling in short",
    "look": "looking",
    "shortlist": "shortlisting",
    "relate": "relating",
    "write": "writing",
    "repair": "repairing",
    "repair_day": "repairing",
    "judge": "judging",
    "judge_day": "judging",
    "judge_edition": "judging",
    "judge_look": "judging",
    "day": "summing up",
    "stories": "telling stories",
}


SUMMING_UP = "summing up"
WRITING_STORIES = "telling stories"
LOOKING = "looking"
_SUMMARY_PROMPTS = ("day", "judge_day", "repair_day")


def subject_of(topic: str) -> str:
    """Return the subject of a request's topic: a commit, a payer, a summary, stories, or looking.

    A topic is the name of the prompt, then the subject, then the turn or the reading, if any.
    Writers look into all commits at the same time.
    Paragraphs of stories are judged like summaries, but each is about its newest commit.
    """
    prompt, _, words = topic.partition(" ")
    subject = words.partition(",")[0]
    if prompt == "look":
        return LOOKING
    if prompt == "stories":
        return WRITING_STORIES
    if prompt in _SUMMARY_PROMPTS:
        return WRITING_STORIES if "@" in subject else SUMMING_UP
    return subject


def job_of(prompt: str) -> str:
    """Return the job on which a prompt's tokens are spent, as the footer counts it."""
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


Limit = Literal["calls", "tokens", "seconds", "cost", "diffs"]
"""What a budget limits."""


class Fallback(Frozen):
    """A part that the rules did without the model, and why."""

    part: Part
    reason: str
    about: EvidenceId | None = None
    limit: Limit | None = None  # The limit of the budget that is reached, if that is the cause


class Judging(Frozen):
    """The judge's verdicts in figures, also on the sentences that it had to refuse."""

    controls: int = 0  # Control sentences that were hidden among the others
    caught: int = 0  # Those of them that the judge refused; a batch with an admitted one is void
    twins: int = 0  # Those of the controls that reverse a proven fact of the same commit
    caught_twins: int = 0
    moved: int = 0  # Those of the controls that name what the same commit leaves alone
    caught_moved: int = 0
    judged_again: int = 0  # Sentences judged once more, because a control beside them was admitted
    void: int = 0  # Those of them that stood beside an admitted control again, and are left out
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
            moved=self.moved + other.moved,
            caught_moved=self.caught_moved + other.caught_moved,
            judged_again=self.judged_again + other.judged_again,
            void=self.void + other.void,
            standing=self.standing + other.standing,
            narrowed=self.narrowed + other.narrowed,
            refuted=self.refuted + other.refuted,
            look_ups=self.look_ups + other.look_ups,
            could_look=self.could_look or other.could_look,
        )


class Editing(Frozen):
    """Look-ups of an editor before it placed commits, in figures."""

    look_ups: int = 0  # How often it looked further with a tool
    could_look: bool = False  # Whether it could

    def __add__(self, other: "Editing") -> "Editing":
        return Editing(
            look_ups=self.look_ups + other.look_ups,
            could_look=self.could_look or other.could_look,
        )


Phase = Literal["editing", "relating", "looking", "explaining", "telling_stories"]
"""A part of a run whose answers follow each other."""


class Chain(Frozen):
    """The number of answers that had to come one after the other, by phase.

    Commits are edited first. Then they are related, while their writers look into them; then they
    are explained, while stories are written; summaries come last.
    """

    editing: int = Field(default=0, validation_alias=AliasChoices("editing", "reading"))
    relating: int = 0
    looking: int = 0
    explaining: int = 0
    telling_stories: int = 0
    summing_up: int = 0

    def __add__(self, other: "Chain") -> "Chain":
        return Chain(
            editing=self.editing + other.editing,
            relating=self.relating + other.relating,
            looking=self.looking + other.looking,
            explaining=self.explaining + other.explaining,
            telling_stories=self.telling_stories + other.telling_stories,
            summing_up=self.summing_up + other.summing_up,
        )


class Account(Frozen):
    """Fallbacks, controls and costs; what the rules alone write has none of them."""

    fallbacks: tuple[Fallback, ...] = ()
    editing: Editing = Editing()
    judging: Judging = Judging()
    spent: Spent = Spent()
    by_job: dict[str, Spent] = Field(default_factory=dict)  # The same by what it was spent on
    chains: dict[str, Chain] = Field(default_factory=dict)  # By who pays for the answers
    kept: tuple[EvidenceId, ...] = ()  # Commits whose analysis an earlier run wrote
    kept_summaries: int = 0  # Sentences of summary or brief that an earlier run wrote
    assumed_contexts: dict[str, int] = Field(default_factory=dict)
    """The tokens that were assumed as the context of a model whose server does not report it."""

    @field_serializer("chains")
    def _chains_in_order(self, chains: Mapping[str, Chain]) -> dict[str, Chain]:
        """Return the chains by name: repositories end in another order in every run."""
        return dict(sorted(chains.items()))

    @field_serializer("by_job")
    def _jobs_in_order(self, by_job: Mapping[str, Spent]) -> dict[str, Spent]:
        """Return the costs by name: what is done at the same time ends in another order in every run."""
        return dict(sorted(by_job.items()))

    def __add__(self, other: "Account") -> "Account":
        return Account(
            fallbacks=(*self.fallbacks, *other.fallbacks),
            editing=self.editing + other.editing,
            judging=self.judging + other.judging,
            spent=self.spent + other.spent,
            by_job=added_by_job(self.by_job, other.by_job),
            chains=_added_chains(self.chains, other.chains),
            kept=(*self.kept, *other.kept),
            kept_summaries=self.kept_summaries + other.kept_summaries,
            assumed_contexts=self.assumed_contexts | other.assumed_contexts,
        )


def _added_chains(first: Mapping[str, Chain], second: Mapping[str, Chain]) -> dict[str, Chain]:
    added = dict(first)
    for payer, chain in second.items():
        added[payer] = added.get(payer, Chain()) + chain
    return added


def longest_chain(chains: Iterable[Chain]) -> int:
    """Return the number of answers that a run waited for, one after the other.

    Repositories are read at the same time, and all summaries are written after them.
    """
    longest_reading = 0
    longest_summary = 0
    for chain in chains:
        about_commits = chain.editing
        about_commits += max(chain.relating, chain.looking)
        about_commits += max(chain.explaining, chain.telling_stories)
        longest_reading = max(longest_reading, about_commits)
        longest_summary = max(longest_summary, chain.summing_up)
    return longest_reading + longest_summary


def added_by_job(first: Mapping[str, Spent], second: Mapping[str, Spent]) -> dict[str, Spent]:
    """Return the sum of both by the name of the job."""
    added = dict(first)
    for job, spent in second.items():
        added[job] = added.get(job, Spent()) + spent
    return added


def fallback(part: Part, error: Exception, about: EvidenceId | None = None) -> Account:
    """Return an account of a part that was done without the model, with the reason."""
    reason = " ".join(str(error).split())[:_MAX_REASON_CHARACTERS]
    limit: Limit | None = getattr(error, "limit", None)
    return Account(fallbacks=(Fallback(part=part, reason=reason, about=about, limit=limit),))


def price_of(model: str, prices: Mapping[str, Price]) -> Price | None:
    """Return the price of a model; servers may put the maker's name in front of the model's."""
    return prices.get(model) or prices.get(model.rpartition("/")[2])
