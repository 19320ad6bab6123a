"""Whatever model and judge say of a commit and something else is in the report, or counted as dropped."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Literal, get_args

import pytest
from pydantic import SecretStr

from agent.domain.evidence_id import EvidenceId
from agent.domain.links import Relation
from agent.domain.report import Report
from agent.links.relation_prompts import NamedRelation
from evals.github_server.app import GitHubServer
from evals.model_server.server import ModelServer
from evals.worlds.data_model import Pull, Repo, WorldIssue
from evals.worlds.worlds import repo_from_mirror
from tests.scripted_analysis import Clone, Scripted, run

EARLIER = datetime(2026, 2, 2, tzinfo=UTC)
Kind = Literal["issue", "open pull", "merged pull", "commit"]
KINDS: tuple[Kind, ...] = get_args(Kind)
Place = Literal["link", "story", "dropped", "lost"]
RELATIONS = [name for name in get_args(NamedRelation) if name != "none"]
TO_ISSUES: dict[Kind, Place] = {"issue": "link"}
TO_CHANGES: dict[Kind, Place] = {"merged pull": "story", "commit": "story"}
TO_THREADS: dict[Kind, Place] = {"issue": "link", "open pull": "story", "merged pull": "story"}
TO_ALL: dict[Kind, Place] = {"issue": "link", **dict.fromkeys(KINDS[1:], "story")}
OWN: dict[str, dict[Kind, Place]] = {
    "fixes": TO_ISSUES,
    "partly fixes": TO_ISSUES,
    "reverts because of": TO_ISSUES,
    "introduced by": TO_CHANGES,
    "continues": TO_ALL,
    "step of": TO_THREADS,
    "reverts": TO_CHANGES,
    "lands again": TO_CHANGES,
    "needs or ports": {},
    "same change made independently": TO_ALL,
}
OTHER = OWN | {"reverts": {}, "lands again": {}, "needs or ports": TO_ALL}


@dataclass(frozen=True)
class Other:
    """What a commit may have to do with: how it is named, shown and cited."""

    kind: Kind
    own: bool
    reference: str
    handle: str
    anchor: str
    cites: frozenset[EvidenceId]

    def title(self, relation: str) -> str:
        """Return the title of the commit that has a relation with it."""
        return f"Work beside {'our' if self.own else 'their'} {self.kind}: {relation}"


def others_in(clone: Clone, *, own: bool) -> list[Other]:
    """Land a pull request and a commit before the day, and name them and two open threads."""
    clone.commit("Begin", 0, base__py="BASE = 0\n")
    merged = clone.commit("Land a pull request", 0, base__py="BASE = 1111\n")
    landed = clone.commit("Land a commit", 0, base__py="BASE = 2222\n")
    address = f"https://github.com/{clone.name}/commit/{landed}"
    handle = landed[:9] if own else f"{clone.name}@{landed[:9]}"

    def thread(kind: Kind, number: int, anchor: str, *cites: EvidenceId) -> Other:
        name = f"#{number}" if own else f"{clone.name}#{number}"
        return Other(
            kind, own, name, name, anchor, frozenset((EvidenceId(f"{clone.name}#{number}"), *cites))
        )

    return [
        thread("issue", 7, "Every part must be done."),
        thread("open pull", 8, "This is not merged yet."),
        thread("merged pull", 9, "This was merged before.", EvidenceId(f"{clone.name}@{merged}")),
        Other(
            "commit",
            own,
            address,
            handle,
            "+BASE = 2222",
            frozenset({EvidenceId(f"{clone.name}@{landed}")}),
        ),
    ]


def hub_of(clone: Clone, others: list[Other]) -> Repo:
    """Give a clone the threads that its others are, on GitHub."""
    issue, attempt, done, _ = others
    (merged,) = (cite.partition("@")[2] for cite in done.cites if "@" in cite)
    pulls = (
        Pull(8, "An attempt", attempt.anchor, "bo", EARLIER, EARLIER),
        Pull(
            9,
            "Land a pull request",
            done.anchor,
            "bo",
            EARLIER,
            EARLIER,
            state="closed",
            closed_at=EARLIER,
            merged_at=EARLIER,
            merge_commit=merged,
            commits=(merged,),
        ),
    )
    plan = WorldIssue(7, "A plan", issue.anchor, "bo", EARLIER, EARLIER)
    hub = repo_from_mirror(clone.name, clone.folder / ".git", (plan,))
    return replace(hub, pulls=pulls)


@dataclass(frozen=True)
class Pair:
    """A relation that a model names, and what it names it with."""

    relation: str
    other: Other

    @property
    def title(self) -> str:
        """The title of the commit that has the relation."""
        return self.other.title(self.relation)


def every_second(relations: Sequence[str], others: Sequence[Other]) -> list[Pair]:
    """Pair each relation with each kind of other, by turns with one of our own and of theirs."""
    pairs = []
    for number, relation in enumerate(relations):
        for other in others:
            if other.own == ((number + KINDS.index(other.kind)) % 2 == 0):
                pairs.append(Pair(relation, other))
    return pairs


def every_one(relations: Sequence[str], others: Sequence[Other]) -> list[Pair]:
    """Pair each relation with each of the others."""
    return [Pair(relation, other) for relation, other in product(relations, others)]


Pairing = Callable[[Sequence[str], Sequence[Other]], list[Pair]]


async def report_on(
    folder: Path, pairing: Pairing, named_ids: Sequence[str]
) -> tuple[Report, list[Pair]]:
    """Report on a day of commits, one for each pair of a relation and an other."""
    router = Clone(folder / "router")
    worker = Clone(folder / "worker", "octo/worker")
    ours = others_in(router, own=True)
    theirs = others_in(worker, own=False)
    worker.commit("Go on", 9, more__py="MORE = 1\n")
    pairs = pairing(named_ids, [*ours, *theirs])
    relations = {}
    for number, pair in enumerate(pairs):
        message = f"{pair.title}\n\nSee {pair.other.reference} for more."
        router.commit(message, 9, **{f"part{number}__py": f"PART_{number} = {number}\n"})
        named_relation = {"other": pair.other.handle, "relation": pair.relation}
        anchors = {"anchor": f"+PART_{number} = {number}", "other_anchor": pair.other.anchor}
        relations[pair.title] = [named_relation | anchors]
    hubs = [hub_of(router, ours), hub_of(worker, theirs)]
    with (
        GitHubServer(hubs, tokens=("t",)) as github,
        ModelServer(
            Scripted(relations=relations, tiers={"Work beside": 1}), context=32_768
        ) as server,
    ):
        token = SecretStr("t")
        covered = await run(
            folder, server, router, worker, github_url=github.url, token=token, source="both"
        )
    return covered.report, pairs


def place_of(report: Report, change: EvidenceId, other: Other, relation: str) -> Place:
    for link in report.links:
        if link.change == change and link.issue in other.cites and link.relation == relation:
            return "link"
    for story in report.stories:
        acts = [step.act for step in story.timeline if step.cite == change]
        if acts and acts != ["refers"] and other.cites & set(story.steps):
            return "story"
    return "dropped" if is_dropped(report, change, other) else "lost"


def is_dropped(report: Report, change: EvidenceId, other: Other) -> bool:
    """Return True if the report counts the relation of a commit and an other as left out."""
    drops = [drop for drop in report.drops if drop.about[:1] == (change,) and drop.reason]
    return any(other.cites & set(drop.about) for drop in drops)


# A run reads 40 commits beside others.
@pytest.mark.parametrize(
    ("pairing", "named_ids"),
    [
        (every_second, RELATIONS),
        pytest.param(every_one, RELATIONS[:5], marks=pytest.mark.heavy),
        pytest.param(every_one, RELATIONS[5:], marks=pytest.mark.heavy),
    ],
)
async def test_a_relation_is_told_with_its_sentence_or_counted_as_dropped(
    tmp_path: Path, pairing: Pairing, named_ids: Sequence[str]
) -> None:
    report, pairs = await report_on(tmp_path, pairing, named_ids)
    changes = {row.title: row.id for row in report.ledger}
    places = {}
    expected = {}
    for pair in pairs:
        places[pair.title] = place_of(report, changes[pair.title], pair.other, pair.relation)
        table = OWN if pair.other.own else OTHER
        expected[pair.title] = table[pair.relation].get(pair.other.kind, "dropped")
    assert places == expected
    for pair in pairs:
        if places[pair.title] in ("link", "story"):
            change = changes[pair.title]
            assert len(sentences_about(report, change, pair.other)) == 1, pair.title
            assert not is_dropped(report, change, pair.other), pair.title


async def test_a_commit_that_changes_nothing_is_related_to_nothing(tmp_path: Path) -> None:
    router = Clone(tmp_path / "router")
    router.commit("Begin", 0, base__py="BASE = 0\n")
    landed = router.commit("Land a commit", 0, base__py="BASE = 2222\n")
    empty = f"Mend what {landed[:9]} broke"
    router.commit(f"{empty}\n\nSee commit {landed}, which counted from zero.", 9)
    related = {
        "other": landed[:9],
        "relation": "introduced by",
        "anchor": "which counted from zero",
        "other_anchor": "+BASE = 2222",
    }
    with ModelServer(Scripted(relations={empty: [related]}), context=32_768) as server:
        covered = await run(tmp_path, server, router)
        assert [request for request in server.asked if request.schema == "SaidRelations"] == []
    acts = [step.act for story in covered.report.stories for step in story.timeline]
    assert "introduced by" not in acts


def sentences_about(report: Report, change: EvidenceId, other: Other) -> list[str]:
    about = [claim for claim in report.claims if claim.about[:1] == (change,)]
    citing = [claim for claim in about if other.cites & set(claim.sources)]
    return [claim.text["en"] for claim in citing if claim.predicate != "refers to"]


def test_every_relation_has_a_place() -> None:
    recorded = {Relation.MENTIONS, Relation.REVERTS, Relation.SAME_WORK}
    assert {relation.value for relation in Relation if relation not in recorded} == set(RELATIONS)
