"""A writer is shown the commit that is taken back, and what it says of it is published."""

from pathlib import Path

from evals.model_server.server import ModelServer
from tests.scripted_analysis import Clone, Scripted, analysis, of, run, said

TITLE = 'Revert "Let routes grow"'
SAID = said(
    "`MAX_ROUTES` had been raised to `90` before.",
    "此前 `MAX_ROUTES` 曾被提高到 `90`。",
    "+MAX_ROUTES = 90",
)


async def test_a_sentence_may_cite_the_earlier_commit_that_was_shown(tmp_path: Path) -> None:
    clone = Clone(tmp_path / "router")
    clone.commit("Begin", 0, router__py="MAX_ROUTES = 22\n")
    earlier = clone.commit("Let routes grow", 0, router__py="MAX_ROUTES = 90\n")
    message = f"{TITLE}\n\nThis reverts commit {earlier}."
    change = clone.commit(message, 9, router__py="MAX_ROUTES = 22\n")
    script = Scripted({TITLE: analysis(SAID | {"cites": ["c", "p1"]})})
    with ModelServer(script, context=32_768) as server:
        covered = await run(tmp_path, server, clone)
        (packet,) = of(server, "Analysis")
    assert "Earlier commits that this one goes back to:\n[p1] commit" in packet
    assert "+MAX_ROUTES = 90" in packet
    published = [claim for claim in covered.report.claims if claim.free and claim.role == "effect"]
    assert [claim.text["en"] for claim in published] == [SAID["en"]]
    assert published[0].cites == (f"octo/router@{change}",)
    assert published[0].background == (f"octo/router@{earlier}",)
