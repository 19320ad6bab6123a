"""How a model chooses what to explain from a closed list of commits."""

import re
from pathlib import Path

from evals.model_server.server import ModelServer
from evals.model_server.talk import ModelRequest
from tests.scripted_analysis import LIMIT, TIMEOUT, Answer, Clone, Scripted, of, run, two_commits


async def test_a_model_chooses_from_the_list_and_what_it_passes_over_is_told_as_facts(
    tmp_path: Path,
) -> None:
    with ModelServer(Scripted(read=["c99", "all", "[c2]", "c2"]), context=32_768) as server:
        covered = await run(tmp_path, server, two_commits(tmp_path / "router"))
        (written,) = of(server, "Analysis")
        assert "at most 2" in of(server, "Choice")[0]
    assert LIMIT in written
    report = covered.report
    assert report.sections[0].account.fallbacks == ()
    told = {claim.about[0] for claim in report.claims if claim.predicate == "fact"}
    assert told == {f"octo/router@{row.sha}" for row in report.ledger}
    assert f"{TIMEOUT} [" in covered.page.read_text()


async def test_a_handle_below_the_cut_of_a_long_table_chooses_nothing(tmp_path: Path) -> None:
    clone = Clone(tmp_path / "router")
    clone.commit("Begin", 0, router__py="STEPS = 0\n")
    for number in range(1, 24):
        title = f"Step {number} {'which has a very long title ' * 12}"
        clone.commit(title, 9, router__py=f"STEPS = {number}\n")

    class Guessing(Scripted):
        """Chooses the first handle that it sees, and the first that it does not see."""

        def _answer(self, asked: ModelRequest) -> Answer:
            if asked.schema != "Choice":
                return super()._answer(asked)
            listed = re.findall(r"^\[(c\d+)\]", asked.user, re.MULTILINE)
            return {"read": [listed[0], f"c{len(listed) + 1}"]}

    with ModelServer(Guessing(analyses={}), context=4_096) as server:
        covered = await run(tmp_path, server, clone)
        (choice,) = of(server, "Choice")
        assert "lighter ones)" in choice
        assert len(of(server, "Analysis")) == 1
    assert covered.report.sections[0].account.fallbacks == ()
