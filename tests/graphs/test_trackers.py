"""The issue that the first part of a series names is offered for its later parts."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from pydantic import SecretStr

from agent.domain.evidence_id import EvidenceId
from agent.domain.links import Relation
from evals.github_server.app import GitHubServer
from evals.model_server.server import ModelServer
from evals.worlds.data_model import WorldIssue
from evals.worlds.worlds import repo_from_mirror
from tests.scripted_analysis import Clone, Scripted, of, run

OPENED = datetime(2026, 2, 1, tzinfo=UTC)
PLAN = WorldIssue(
    7, "Weigh backends in several steps", "- [ ] Weights\n- [ ] Drain", "bo", OPENED, OPENED
)
LAST_PART = "[2/2] Weigh backends: drain them slowly"


async def test_a_later_part_of_a_series_is_told_as_a_step_of_the_plan_that_the_first_one_names(
    tmp_path: Path,
) -> None:
    clone = Clone(tmp_path / "router")
    clone.commit("Begin", 0, router__py="MAX_ROUTES = 22\n", worker__py="WORKER_TIMEOUT = 30\n")
    clone.commit("[1/2] Weigh backends: take weights\n\nSee #7.", 0, weights__py="WEIGHT = 1\n")
    last = clone.commit(LAST_PART, 9, drain__py="DRAIN_SECONDS = 30\n")
    step = {
        "other": "#7",
        "relation": "step of",
        "anchor": "+DRAIN_SECONDS = 30",
        "other_anchor": "- [ ] Drain",
    }
    # It was closed before the day, so it is not among the open issues that words are compared with.
    plan = replace(PLAN, state="closed", closed_at=OPENED, state_reason="completed")
    hub = repo_from_mirror(clone.name, clone.folder / ".git", (plan,))
    with (
        GitHubServer([hub], tokens=("t",)) as github,
        ModelServer(Scripted(relations={LAST_PART: [step]}), context=32_768) as server,
    ):
        covered = await run(
            tmp_path, server, clone, github_url=github.url, token=SecretStr("t"), source="both"
        )
        (shortlist,) = of(server, "Shortlist")
    assert "named by the first part of the series" in shortlist
    assert PLAN.title in shortlist
    issue = EvidenceId.thread(clone.spec.name, PLAN.number)
    told = [(link.change.sha, link.issue, link.relation) for link in covered.report.links]
    assert (last, issue, Relation.STEP) in told
