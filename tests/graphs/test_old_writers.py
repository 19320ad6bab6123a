"""The commit that brought a fault is found by the lines that are mended, however old it is."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evals.model_server.server import ModelServer
from tests.graphs.test_relations_on_cards import card_sentences
from tests.made_repos import Work
from tests.scripted_analysis import LIMIT, Clone, Scripted, analysis, of, run, said

SPILL = "def spill(routes):\n    kept = routes[:12]\n    return kept\n"
MENDED = SPILL.replace("routes[:12]", "routes[:MAX_ROUTES]")
MENDS = {
    "anchor": "+    kept = routes[:MAX_ROUTES]",
    "other_anchor": "+    kept = routes[:12]",
    "relation": "introduced by",
}


def begun(folder: Path) -> tuple[Clone, str]:
    """Make a repository of which one file was written years before the day; give its writer."""
    clone = Clone(folder)
    work = Work(folder)
    work.commit("Begin", {"core.py": "MAX_ROUTES = 22\n"}, at=datetime(2022, 1, 1, tzinfo=UTC))
    at = datetime(2023, 1, 1, tzinfo=UTC)
    return clone, work.commit("Spill the rest", {"spill.py": SPILL}, at=at)


def scripted(title: str, earlier: str, **more: Any) -> Scripted:
    return Scripted(relations={title: [{"other": earlier[:9], **MENDS, **more}]})


async def test_an_old_writer_is_offered_read_judged_and_told_on_the_card(tmp_path: Path) -> None:
    clone, earlier = begun(tmp_path / "router")
    clone.commit(LIMIT, 9, spill__py=MENDED)
    with ModelServer(scripted(LIMIT, earlier), context=32_768) as server:
        covered = await run(tmp_path, server, clone)
        (shortlist,) = of(server, "Shortlist")
        (reading,) = of(server, "SaidRelations")
    assert "· Spill the rest · wrote a line that is changed" in shortlist
    assert "+    kept = routes[:12]" in reading
    (story,) = [story for story in covered.report.stories if story.kind == "follow-up"]
    assert story.steps[0].sha == earlier
    card_text = " ".join(card_sentences(covered.report, "en", LIMIT))
    assert f"Mends what {earlier[:7]} “Spill the rest” introduced" in card_text


async def test_who_wrote_the_lines_is_not_told_where_no_reader_says_what_that_means(
    tmp_path: Path,
) -> None:
    clone, earlier = begun(tmp_path / "router")
    clone.commit(LIMIT, 9, spill__py=MENDED)
    unsaid = scripted(LIMIT, earlier, relation="none")
    with ModelServer(unsaid, context=32_768) as server:
        covered = await run(tmp_path, server, clone)
    assert covered.report.stories == ()
    assert earlier[:7] not in " ".join(card_sentences(covered.report, "en", LIMIT))


async def test_what_the_old_writer_changed_is_shown_and_may_be_cited(tmp_path: Path) -> None:
    clone, earlier = begun(tmp_path / "router")
    clone.commit(LIMIT, 9, spill__py=MENDED)
    limited = said(
        "`spill` kept only `12` routes from the start.",
        "`spill` 从一开始就只保留 `12` 条路由。",
        "+    kept = routes[:12]",
    )
    script = scripted(LIMIT, earlier)
    script = replace(script, analyses={LIMIT: analysis(limited | {"cites": ["c", "p1"]})})
    with ModelServer(script, context=32_768) as server:
        covered = await run(tmp_path, server, clone)
        (packet,) = of(server, "Analysis")
    section = packet.partition("Earlier commits that this one goes back to:")[2]
    assert "+    kept = routes[:12]" in section
    assert "[p1] is in no release" not in packet.partition("The diff:")[0]
    published = [claim for claim in covered.report.claims if claim.free and claim.role == "effect"]
    assert [claim.text["en"] for claim in published] == [limited["en"]]
    assert published[0].background == (f"octo/router@{earlier}",)
