"""What a model chooses from and is asked to write about, and the sentences on their way."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from pydantic import BaseModel, Field

from agent.domain.base import EvidenceId, Frozen, Language, RepoId
from agent.domain.claims import Claim, Refused
from agent.domain.evidence import (
    CommitEvidence,
    Evidence,
    Material,
    ReleaseEvidence,
    ThreadEvidence,
)

_HANDLE = re.compile(r"\bc\d{1,3}\b")
_LETTERS: dict[type, str] = {CommitEvidence: "c", ThreadEvidence: "t", ReleaseEvidence: "v"}
_SUMMED = 20  # Commits that a day is summed up from


class Task(Frozen):
    """One thing to write about: a commit, or what was published of several."""

    repo: RepoId | None  # None for the brief of all repositories
    about: EvidenceId = ""  # The commit; empty for a summary
    rests: dict[str, Claim] = Field(default_factory=dict)  # What a summary rests on, by handles
    titles: dict[EvidenceId, str] = Field(
        default_factory=dict
    )  # What the commits of a summary call themselves
    notes: str = ""  # What the model noted of the commit when it read
    controls: tuple[
        dict[Language, str], ...
    ] = ()  # True sentences about something else, for the judge to refuse

    @property
    def account(self) -> str:
        """Whose account pays: the repository's, or that of the brief."""
        return self.repo or "brief"

    @property
    def key(self) -> str:
        """What the claims of this task are told apart by."""
        return self.about or self.account


class Sentences(Frozen):
    """Sentences on their way; a draft and what passed have the key of what they are about."""

    drafts: tuple[tuple[str, Claim], ...] = ()  # To be checked by code
    passed: tuple[tuple[str, Claim], ...] = ()  # To be judged
    failed: tuple[Refused, ...] = ()
    mended: tuple[Refused, ...] = ()  # What was refused and said anew
    published: tuple[Claim, ...] = ()
    repaired: bool = False  # Whether the writers were told once what was refused


def handles_of(
    names: Iterable[str], found: Mapping[EvidenceId, Evidence] | None = None
) -> dict[str, str]:
    """Give each piece of evidence a short name: c1 a commit, t1 a thread, v1 a release; all commits without `found`."""
    handles, count = dict[str, str](), Counter[str]()
    for name in dict.fromkeys(name for name in names if found is None or name in found):
        letter = _LETTERS[type(found[name])] if found else "c"
        count[letter] += 1
        handles[f"{letter}{count[letter]}"] = name
    return handles


def commit_tasks(
    chosen: Sequence[str],
    notes: str,
    table: Sequence[str],
    material: Material,
    facts: Sequence[Claim],
) -> list[Task]:
    """Name the commits that a model shall explain, with true sentences about others for the judge to refuse."""
    deep = {one.evidence.change.commit.sha for one in material.reads if one.depth == "deep"}
    plain = [claim for claim in facts if claim.predicate == "fact" and claim.text]
    handles = {sha: handle for handle, sha in handles_of(table).items()}
    tasks = []
    for sha in (sha for sha in chosen if sha in deep):
        about = f"{material.repo}@{sha}"
        controls = tuple(claim.text for claim in plain if claim.about[0] != about)[-4:]
        # Notes about other commits would mislead.
        named = [(line, _HANDLE.findall(line)) for line in notes.splitlines()]
        noted = "\n".join(line for line, others in named if not others or handles[sha] in others)
        tasks.append(Task(repo=material.repo, about=about, notes=noted, controls=controls))
    return tasks


def summary_task(
    repo: RepoId | None, claims: Sequence[Claim], titles: Mapping[EvidenceId, str]
) -> Task | None:
    """Have published sentences about several commits summed up; facts of other commits are for the judge to refuse."""
    written = [claim for claim in claims if claim.free]
    about = list(dict.fromkeys(claim.about[0] for claim in written if claim.about))[:_SUMMED]
    if len(about) < 2:
        return None
    rests: dict[str, Claim] = {}
    for number, name in enumerate(about, start=1):
        mine = sorted((one for one in written if one.about[:1] == (name,)), key=lambda one: one.id)
        rests |= {f"c{number}.{place}": one for place, one in enumerate(mine)}
    others = [
        claim.text for claim in claims if claim.predicate == "fact" and claim.about[0] not in about
    ]
    named = {name: titles.get(name, "") for name in about}
    return Task(repo=repo, rests=rests, titles=named, controls=tuple(others[-4:]))


def is_foreign(text: Mapping[Language, str], evidence: str) -> bool:
    """Tell whether a sentence has a name which some evidence does not have."""
    spans = {span for one in text.values() for span in one.split("`")[1::2]}
    return any(len(span) > 3 and span not in evidence for span in spans)


class Choice(BaseModel):
    """Which commits are worth explaining, the most important first."""

    read: list[str] = Field(default_factory=list)
