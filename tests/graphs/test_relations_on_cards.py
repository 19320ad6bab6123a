"""What a commit has to do with issues and earlier commits stands on its card, in words."""

from pathlib import Path

from pydantic import SecretStr

from agent.browser_urls import Web
from agent.domain.base import Language
from agent.domain.report import Report
from evals.github_server.app import GitHubServer
from evals.model_server.server import ModelServer
from evals.worlds.worlds import repo_from_mirror
from gitzette.render.page_composition import page_model
from tests.graphs.test_relating import FIXES, ISSUE, clone_at
from tests.scripted_analysis import LIMIT, Clone, Scripted, of, run


def card_sentences(report: Report, lang: Language, title: str) -> list[str]:
    """Return what is in sight of a commit."""
    for section in page_model(report, lang, Web("https://github.com")).sections:
        for card in section.cards:
            for item in card.items:
                if item.row.title.startswith(title):
                    return [sentence.text for sentence in item.sentences]
    return []


async def test_an_issue_that_a_commit_only_names_is_told_as_addressed_on_its_card(
    tmp_path: Path,
) -> None:
    clone = clone_at(tmp_path / "router", "The report is #7.")
    hub = repo_from_mirror(clone.name, clone.folder / ".git", (ISSUE,))
    with (
        GitHubServer([hub], tokens=("t",)) as github,
        ModelServer(Scripted(relations={LIMIT: [FIXES]}), context=32_768) as server,
    ):
        covered = await run(
            tmp_path, server, clone, github_url=github.url, token=SecretStr("t"), source="both"
        )
    english = card_sentences(covered.report, "en", LIMIT)
    chinese = card_sentences(covered.report, "zh", LIMIT)
    assert f"Addresses #7 “{ISSUE.title}”, which is still open." in " ".join(english)
    assert any(f"处理 #7 “{ISSUE.title}”，该问题仍未关闭。" in sentence for sentence in chinese)


async def test_an_earlier_commit_that_nobody_names_is_found_chosen_read_and_told_on_the_card(
    tmp_path: Path,
) -> None:
    clone = Clone(tmp_path / "router")
    clone.commit("Begin", 0, router__py="MAX_ROUTES = 22\n", worker__py="WORKER_TIMEOUT = 30\n")
    earlier = clone.commit("Spill routes", 1, spill__py="SPILL_AFTER_ROUTES = 90\nSPILL = 1\n")
    clone.commit("Rename a worker", 2, worker__py="WORKER_SECONDS = 30\n")
    clone.commit(LIMIT, 9, router__py="MAX_ROUTES = min(12, SPILL_AFTER_ROUTES)\n")
    mends = {
        "other": earlier[:9],
        "anchor": "+MAX_ROUTES = min(12, SPILL_AFTER_ROUTES)",
        "other_anchor": "+SPILL_AFTER_ROUTES = 90",
        "relation": "introduced by",
    }
    with ModelServer(Scripted(relations={LIMIT: [mends]}), context=32_768) as server:
        covered = await run(tmp_path, server, clone)
        (shortlist,) = of(server, "Shortlist")
        (reading,) = of(server, "SaidRelations")
    assert "· Spill routes · shares SPILL_AFTER_ROUTES" in shortlist
    assert "+SPILL_AFTER_ROUTES = 90" in reading
    (story,) = [story for story in covered.report.stories if story.kind == "follow-up"]
    assert story.steps[0].sha == earlier
    card_text = " ".join(card_sentences(covered.report, "en", LIMIT))
    assert f"Mends what {earlier[:7]} “Spill routes” introduced" in card_text


async def test_a_reader_is_shown_that_an_earlier_commit_was_taken_back(tmp_path: Path) -> None:
    clone = Clone(tmp_path / "router")
    clone.commit("Begin", 0, router__py="MAX_ROUTES = 22\n")
    clone.commit("Spill routes", 1, spill__py="SPILL_AFTER_ROUTES = 90\nSPILL = 1\n")
    revert = clone.commit('Revert "Spill routes"', 2, spill__py="")
    clone.commit(LIMIT, 9, router__py="MAX_ROUTES = 12\nSPILL_AFTER_ROUTES = 80\n")
    with ModelServer(Scripted(relations={LIMIT: []}), context=32_768) as server:
        await run(tmp_path, server, clone)
        (reading,) = of(server, "SaidRelations")
    note = f'(It was taken back on 2026-02-04 by {revert[:12]}: Revert "Spill routes")'
    assert note in reading
