"""Tasks of a writing model, and its sentences on their way."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Self

from pydantic import Field

from agent.domain.base import Frozen, Language, RepoId
from agent.domain.claims import Claim, Refused
from agent.domain.evidence import (
    Citable,
    CommitEvidence,
    FileEvidence,
    Material,
    ReleaseEvidence,
    ThreadEvidence,
)
from agent.domain.evidence_id import EvidenceId
from agent.domain.placement import Importance, Placement
from agent.judging.rulings import Text, can_be_repaired
from agent.links.admitted_relation_links import asserts_relation
from agent.stories.story_claims import short_text

_LETTERS: dict[type, str] = {
    CommitEvidence: "c",
    ThreadEvidence: "t",
    ReleaseEvidence: "v",
    FileEvidence: "f",
}
MAX_SUMMED = 24  # Commits that a day is summed up from
_MAX_CONTROLS = 4  # Sentences about something else that go with a task


class Task(Frozen):
    """One thing to write about: a commit, or what was published of several."""

    repo: RepoId | None  # None for the brief of all repositories
    about: EvidenceId | None = None  # The commit; None for a summary
    is_must_know: bool = False  # Whether the commit is one that readers must know of
    minor: tuple[EvidenceId, ...] = ()  # Commits that get one sentence each
    rests: dict[str, Claim] = Field(default_factory=dict)  # What a summary rests on, by handles
    titles: dict[EvidenceId, str] = Field(default_factory=dict)  # Of the commits of a summary
    controls: tuple[dict[Language, str], ...] = ()
    """True sentences about something else, for the judge to refuse."""

    @property
    def account(self) -> str:
        """The account that pays: the repository's, or that of the brief."""
        return self.repo or "brief"

    @property
    def key(self) -> str:
        """The name that distinguishes the claims of this task from others."""
        if self.minor:
            return f"{self.account} from {self.minor[0].sha[:12]}"
        return self.about or self.account

    @property
    def is_summary(self) -> bool:
        """True for a task that sums up what was published."""
        return self.about is None and not self.minor


class Draft(Frozen):
    """A sentence that is not published yet, and the key of the task that it was written for."""

    task: str
    claim: Claim


class Sentences(Frozen):
    """The sentences of some tasks on their way from the writer to the page."""

    order: tuple[str, ...] = ()  # The ids of all of them, as their writers put them
    drafts: tuple[Draft, ...] = ()  # To be checked by code
    passed: tuple[Draft, ...] = ()  # To be judged
    failed: tuple[Refused, ...] = ()
    mended: tuple[Refused, ...] = ()  # Refused sentences that were rewritten
    published: tuple[Claim, ...] = ()
    repaired: bool = False  # Whether the writers were shown once what was refused

    @classmethod
    def written(cls, drafts: Iterable[Draft]) -> Self:
        """Begin with what the writers wrote, in their order."""
        drafts = tuple(drafts)
        return cls(order=tuple(draft.claim.id for draft in drafts), drafts=drafts)

    @property
    def repairable(self) -> list[Refused]:
        """The refused sentences that the writers may still rewrite."""
        if self.repaired:
            return []
        return [refused for refused in self.failed if can_be_repaired(refused)]

    def checked(self, passed: Iterable[Draft], refused: Iterable[Refused]) -> Self:
        """Hand the drafts to which code has no objection to the judge."""
        update = {"drafts": (), "passed": tuple(passed), "failed": (*self.failed, *refused)}
        return self.model_copy(update=update)

    def judged(self, admitted: Iterable[Claim], refused: Iterable[Refused]) -> Self:
        """Publish what the judge admits; every sentence stands where its writer put it."""
        positions = {claim_id: position for position, claim_id in enumerate(self.order)}
        published = [*self.published, *admitted]
        published.sort(key=lambda claim: positions[claim.id])
        update = {
            "passed": (),
            "published": tuple(published),
            "failed": (*self.failed, *refused),
        }
        return self.model_copy(update=update)

    def said_anew(self, drafts: Iterable[Draft]) -> Self:
        """Replace refused sentences by new wordings, which are checked and judged in their place."""
        drafts = tuple(drafts)
        replaced = {draft.claim.id for draft in drafts}
        failed: list[Refused] = []
        mended = list(self.mended)
        for refused in self.failed:
            if refused.claim.id in replaced:
                mended.append(refused.model_copy(update={"repaired": True}))
            else:
                failed.append(refused)
        update = {
            "drafts": drafts,
            "failed": tuple(failed),
            "mended": tuple(mended),
            "repaired": True,
        }
        return self.model_copy(update=update)


def commit_handles(shas: Iterable[str]) -> dict[str, str]:
    """Return a short name for each commit: c1, c2."""
    distinct = dict.fromkeys(shas)
    return {f"c{number}": sha for number, sha in enumerate(distinct, start=1)}


def evidence_handles(
    ids: Iterable[EvidenceId], evidence_by_id: Mapping[EvidenceId, Citable]
) -> dict[str, EvidenceId]:
    """Return a short name for each piece of evidence; what is not in `evidence_by_id` gets none.

    c1 is a commit, t1 a thread, v1 a release, f1 lines of a file.
    """
    handles: dict[str, EvidenceId] = {}
    counts = Counter[str]()
    for text in dict.fromkeys(ids):
        if text not in evidence_by_id:
            continue
        evidence_id = EvidenceId.cited(text)  # A checkpoint holds ids as plain text
        letter = _LETTERS[type(evidence_by_id[evidence_id])]
        counts[letter] += 1
        handles[f"{letter}{counts[letter]}"] = evidence_id
    return handles


def commit_tasks(
    shas: Sequence[str],
    placements: Mapping[str, Placement],
    material: Material,
    facts: Sequence[Claim],
) -> list[Task]:
    """Return a task for each commit to be explained, with true sentences about others as controls."""
    deep_reads = [read for read in material.reads if read.depth == "deep"]
    deep = {read.evidence.change.commit.sha for read in deep_reads}
    tasks = []
    for sha in shas:
        if sha not in deep:
            continue
        commit = EvidenceId.commit(material.repo, sha)
        tasks.append(
            Task(
                repo=material.repo,
                about=commit,
                is_must_know=_is_must_know(placements.get(sha)),
                controls=_controls(facts, {commit}),
            )
        )
    return tasks


def _controls(claims: Iterable[Claim], commits: Collection[EvidenceId]) -> tuple[Text, ...]:
    """Return the last facts of a list that are about other commits."""
    controls: list[Text] = []
    for claim in claims:
        if claim.predicate == "fact" and claim.text and claim.about[0] not in commits:
            controls.append(claim.text)
    return tuple(controls[-_MAX_CONTROLS:])


def _is_must_know(placement: Placement | None) -> bool:
    return placement is not None and placement.importance is Importance.MUST_KNOW


def minor_tasks(
    shas: Sequence[str], material: Material, facts: Sequence[Claim], batch_size: int
) -> list[Task]:
    """Return tasks that ask for one sentence about each of some commits, several in a task."""
    readable = {read.evidence.change.commit.sha: read.evidence for read in material.reads}
    commits = [readable[sha].id for sha in shas if sha in readable]
    tasks = []
    for start in range(0, len(commits), batch_size):
        batch = tuple(commits[start : start + batch_size])
        task = Task(repo=material.repo, minor=batch, controls=_controls(facts, batch))
        tasks.append(task)
    return tasks


def summary_task(
    repo: RepoId | None,
    claims: Sequence[Claim],
    titles: Mapping[EvidenceId, str],
    release_claims: Sequence[Claim] = (),
) -> Task | None:
    """Return the task to sum up published sentences about several commits; None for fewer than two.

    What the commits have to do with issues and other changes is part of it, and what releases
    bring. Facts of other commits are its controls.
    """
    written = [claim for claim in claims if claim.free and claim.about]
    relations = [_named_in_words(claim) for claim in claims if asserts_relation(claim)]
    commits = list(dict.fromkeys(claim.about[0] for claim in written))[:MAX_SUMMED]
    if len(commits) < 2:
        return None
    rests: dict[str, Claim] = {}
    for number, claim in enumerate(release_claims, start=1):
        rests[f"r{number}"] = claim
    for number, commit in enumerate(commits, start=1):
        about_commit = [claim for claim in (*written, *relations) if claim.about[0] == commit]
        for position, claim in enumerate(about_commit):
            rests[f"c{number}.{position}"] = claim
    controls: list[Text] = []
    for claim in claims:
        if claim.predicate == "fact" and claim.about[0] not in commits:
            controls.append(claim.text)
    return Task(
        repo=repo,
        rests=rests,
        titles={commit: titles.get(commit, "") for commit in commits},
        controls=tuple(controls[-_MAX_CONTROLS:]),
    )


def _named_in_words(relation: Claim) -> Claim:
    """Return a sentence about two things with the name of the other one, about its commit alone."""
    text = {lang: short_text(relation, lang) for lang in relation.text}
    return relation.model_copy(update={"about": relation.about[:1], "text": text})


def is_foreign(text: Mapping[Language, str], evidence: str) -> bool:
    """Return True if a sentence has a name that some evidence does not have."""
    for words in text.values():
        for span in words.split("`")[1::2]:
            if len(span) > 3 and span not in evidence:
                return True
    return False
