"""Writers and answers may say which versions have a fault, because code shows it to them."""

from pathlib import Path

from evals.model_server.server import ModelServer
from tests.graphs.test_ask import Answering, asking
from tests.made_repos import Work
from tests.scripted_analysis import Clone, Scripted, analysis, of, run, said

TITLE = 'Revert "Let routes grow"'
ANCHOR = "which is taken back here; no release is without it yet."
SAID = said("`MAX_ROUTES` is `90` in `v1.0.0`.", "在 `v1.0.0` 中 `MAX_ROUTES` 为 `90`。", ANCHOR)


def mended(folder: Path) -> Clone:
    """Make a repository that takes back what a version has."""
    clone = Clone(folder)
    clone.commit("Begin", 0, router__py="MAX_ROUTES = 22\n")
    earlier = clone.commit("Let routes grow", 0, router__py="MAX_ROUTES = 90\n")
    Work(folder).git("tag", "v1.0.0")
    message = f"{TITLE}\n\nThis reverts commit {earlier}."
    clone.commit(message, 9, router__py="MAX_ROUTES = 22\n")
    return clone


async def test_a_writer_may_rest_a_sentence_on_the_versions_that_have_the_fault(
    tmp_path: Path,
) -> None:
    script = Scripted({TITLE: analysis(SAID | {"cites": ["c", "p1"]})})
    with ModelServer(script, context=32_768) as server:
        covered = await run(tmp_path, server, mended(tmp_path / "router"))
        (packet,) = of(server, "Analysis")
    assert "[c] `v1.0.0` have" in packet
    assert ANCHOR in packet
    published = [claim for claim in covered.report.claims if claim.free and claim.role == "effect"]
    assert [claim.text["en"] for claim in published] == [SAID["en"]]


async def test_a_question_is_answered_with_the_affected_versions_in_sight(tmp_path: Path) -> None:
    model = Answering(abstains=True, sentences=())
    clone = mended(tmp_path / "code")
    async with asking(tmp_path, model, clone) as conversation:
        await conversation.ask("Which versions have MAX_ROUTES = 90?")
    assert any(ANCHOR in request.user for request in model.heard)
