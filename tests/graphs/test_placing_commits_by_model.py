"""How a model edits the paper: every commit gets its place, whatever the model says or leaves out."""

import json
import re
from datetime import date
from pathlib import Path

from agent.browser_urls import Web
from agent.domain.ledger import LedgerRow
from agent.domain.placement import Importance
from agent.domain.report import Report
from agent.domain.window import Window
from evals.model_server.requests_and_answers import ModelRequest, Saying
from evals.model_server.server import ModelServer
from gitzette.day_run import run_day
from gitzette.render.report_view import ReportView
from gitzette.terminal_output import QuietProgress
from tests.made_repos import Work
from tests.scripted_analysis import (
    DAY,
    LIMIT,
    NOW,
    TIMEOUT,
    TIMEOUT_SAID,
    Answer,
    Clone,
    Scripted,
    honest,
    of,
    run,
    sentences_in,
    settings_of,
    two_commits,
)


def row_of(report: Report, title: str) -> LedgerRow:
    (row,) = (row for row in report.ledger if title in row.title)
    return row


class Editing(Scripted):
    """Answers the editor's question with what it is given."""

    edition: Answer

    def _answer(self, request: ModelRequest) -> Answer:
        if request.schema == "Edition":
            return self.edition
        return super()._answer(request)


def editing(**edition: object) -> Editing:
    script = Editing()
    script.edition = {"places": [], "groups": []} | edition
    return script


def place(handle: str, tier: int, reason: str = "", reason_zh: str = "") -> Answer:
    return {"commit": handle, "tier": tier, "reason_en": reason, "reason_zh": reason_zh}


CHANGES_A_VALUE = {"reason_en": "It changes a value.", "reason_zh": "改了一个值。"}


async def test_the_model_places_every_commit_and_the_ledger_says_who_decided_and_why(
    tmp_path: Path,
) -> None:
    script = Scripted(tiers={LIMIT: 3, TIMEOUT: 2}, reason=CHANGES_A_VALUE)
    with ModelServer(script, context=32_768) as server:
        clone = two_commits(tmp_path / "router")
        covered = await run(tmp_path, server, clone, languages=("en", "zh"))
        (question,) = of(server, "Edition")
    assert "[c1] " in question
    assert "[c2] " in question
    assert "router.py: +MAX_ROUTES = 12" in question
    assert "message: Larger values overflow the shared buffer." in question
    assert "product +1 -1: router.py" in question
    limit = row_of(covered.report, LIMIT).placement
    timeout = row_of(covered.report, TIMEOUT).placement
    assert limit is not None
    assert timeout is not None
    assert (limit.importance, limit.order, limit.decided_by) == (Importance.MUST_KNOW, 1, "model")
    assert (timeout.importance, timeout.order) == (Importance.WORTH_KNOWING, 2)
    assert limit.reason == "It changes a value."
    data = json.loads((tmp_path / "out" / "reports" / "2026-02-04.json").read_text("utf-8"))
    rows = {row["title"]: row for row in data["ledger"]}
    in_short = [rows[title] for title in (LIMIT, TIMEOUT)]
    assert [(row["tier"], row["order"], row["edited_by"]) for row in in_short] == [
        (3, 1, "model"),
        (2, 2, "model"),
    ]
    stored = {row["title"]: row["placement"] for row in data["ledger"]}
    assert stored[LIMIT] == {
        "importance": 3,
        "order": 1,
        "reason": "It changes a value.",
        "reasons": {"en": "It changes a value.", "zh": "改了一个值。"},
        "decided_by": "model",
    }


async def test_what_the_model_forgets_the_rules_place_and_what_it_invents_is_ignored(
    tmp_path: Path,
) -> None:
    places = [place("c99", 3), place("[c2]", 3), place("c2", 0), place("c1", 7)]
    with ModelServer(editing(places=places), context=32_768) as server:
        covered = await run(tmp_path, server, two_commits(tmp_path / "router"))
    by_handle = {"c1": TIMEOUT, "c2": LIMIT}
    assert covered.report.sections[0].account.fallbacks == ()
    named_row = row_of(covered.report, by_handle["c2"])
    forgotten = row_of(covered.report, by_handle["c1"])
    assert named_row.importance is Importance.MUST_KNOW
    assert forgotten.placement is not None
    assert forgotten.placement.decided_by == "rules"
    assert sorted(row.placement.order for row in covered.report.ledger if row.placement) == [1, 2]


async def test_a_revert_and_a_break_cannot_be_buried(tmp_path: Path) -> None:
    clone = Clone(tmp_path / "router")
    before = "def route(name):\n    return name\n\n\ndef drop(name):\n    return None\n"
    clone.commit("Begin", 0, router__py="LIMIT = 1\n", api__py=before)
    clone.commit("Tidy up", 8, api__py="def route(name):\n    return name\n")
    clone.commit('Revert "Raise the limit"', 9, router__py="LIMIT = 2\n")
    clone.commit("Polish", 10, router__py="LIMIT = 3\n")
    script = Scripted(tiers={"Tidy": 0, "Revert": 0, "Polish": 0})
    with ModelServer(script, context=32_768) as server:
        covered = await run(tmp_path, server, clone)
    revert = row_of(covered.report, "Revert").placement
    polish = row_of(covered.report, "Polish").placement
    assert revert is not None
    assert polish is not None
    assert (revert.importance, revert.decided_by) == (Importance.WORTH_KNOWING, "floor")
    assert revert.reason == "revert"
    assert (polish.importance, polish.decided_by) == (Importance.NOISE, "model")


async def test_words_that_may_not_be_published_are_dropped_and_groups_need_a_true_label(
    tmp_path: Path,
) -> None:
    places = [
        place("c1", 2, "See https://evil.example/x now"),
        place("c2", 2, "`MAX_ROUTES` goes down to `12`"),
    ]
    both = ["c1", "c2"]
    groups = [
        {"commits": both, "label_en": "Values of `NOWHERE_AT_ALL`", "label_zh": "数值"},
        {"commits": ["c1", "c77"], "label_en": "Alone", "label_zh": "单独"},
        {"commits": both, "label_en": "", "label_zh": ""},
        {"commits": both, "label_en": "Limits and timeouts", "label_zh": "限制与超时"},
        {"commits": both, "label_en": "Once more", "label_zh": "再来"},
    ]
    with ModelServer(editing(places=places, groups=groups), context=32_768) as server:
        covered = await run(tmp_path, server, two_commits(tmp_path / "router"))
    reasons = {row.placement.reason for row in covered.report.ledger if row.placement}
    assert reasons == {"", "`MAX_ROUTES` goes down to `12`"}
    (group,) = covered.report.groups
    assert group.label["en"] == "Limits and timeouts"
    assert {commit.sha for commit in group.commits} == {row.sha for row in covered.report.ledger}


async def test_a_model_that_cannot_edit_leaves_the_places_to_the_rules(tmp_path: Path) -> None:
    with ModelServer(editing(), context=32_768) as server:
        covered = await run(tmp_path, server, two_commits(tmp_path / "router"))
    (fallback,) = covered.report.sections[0].account.fallbacks
    assert fallback.part == "editing"
    deciders = {row.placement.decided_by for row in covered.report.ledger if row.placement}
    assert deciders == {"rules"}
    assert any(claim.free for claim in covered.report.claims)


async def test_without_a_model_the_rules_place_every_commit(tmp_path: Path) -> None:
    with ModelServer(Scripted(), context=32_768) as server:
        covered = await run(tmp_path, server, two_commits(tmp_path / "router"), analyst="rules")
        assert server.asked == []
    placements = [row.placement for row in covered.report.ledger]
    assert all(placement is not None for placement in placements)
    assert {placement.decided_by for placement in placements if placement} == {"rules"}
    assert sorted(placement.order for placement in placements if placement) == [1, 2]


async def test_a_long_day_goes_in_batches_and_no_commit_is_left_out(tmp_path: Path) -> None:
    clone = Clone(tmp_path / "router")
    clone.commit("Begin", 0, router__py="STEPS = 0\n")
    for number in range(1, 24):
        title = f"Step {number} {'which has a very long title ' * 12}"
        clone.commit(title, 9, router__py=f"STEPS = {number}\n")
    script = Scripted(analyses={}, tiers={"Step 23 ": 3, "Step 9 ": 3, "Step": 0})
    with ModelServer(script, context=4_096) as server:
        covered = await run(tmp_path, server, clone)
        questions = of(server, "Edition")
    assert len(questions) > 1
    assert all("already have tier 3" not in question for question in questions[:1])
    assert "already have tier 3" in questions[-1]
    rows = covered.report.ledger
    assert len(rows) == 23
    assert {row.placement.decided_by for row in rows if row.placement} == {"model"}
    assert covered.report.sections[0].account.fallbacks == ()
    assert sum(row.importance is Importance.MUST_KNOW for row in rows) == 2


class PlacingEveryHandle(Scripted):
    """Places what it is shown as noise, and all other commits of the day, unseen, at the top."""

    handles = tuple(f"c{number}" for number in range(1, 24))

    def _edition(self, request: ModelRequest) -> Answer:
        places = []
        for handle in self.handles:
            is_shown = f"[{handle}] " in request.user
            places.append(place(handle, 0 if is_shown else 3))
        return {"places": places, "groups": [{"commits": self.handles, "label_en": "Steps"}]}


async def test_commits_of_another_part_of_a_long_day_are_placed_only_where_they_are_shown(
    tmp_path: Path,
) -> None:
    clone = Clone(tmp_path / "router")
    clone.commit("Begin", 0, router__py="STEPS = 0\n")
    for number in range(1, 24):
        title = f"Step {number} {'which has a very long title ' * 12}"
        clone.commit(title, 9, router__py=f"STEPS = {number}\n")
    with ModelServer(PlacingEveryHandle(analyses={}), context=4_096) as server:
        covered = await run(tmp_path, server, clone)
        questions = of(server, "Edition")
    assert len(questions) > 1
    assert all("[c1] " not in question or "[c23] " not in question for question in questions)
    rows = covered.report.ledger
    assert {row.placement.decided_by for row in rows if row.placement} == {"model"}
    assert {row.importance for row in rows} == {Importance.NOISE}
    assert all(len(group.commits) < len(rows) for group in covered.report.groups)


async def test_a_long_day_has_one_order_over_its_batches_and_shows_the_rows_of_must_knows(
    tmp_path: Path,
) -> None:
    clone = Clone(tmp_path / "router")
    clone.commit("Begin", 0, router__py="STEPS = 0\n")
    for number in range(1, 24):
        title = f"Step {number} {'which has a very long title ' * 12}"
        clone.commit(title, 9, router__py=f"STEPS = {number}\n")

    def newest_first(title: str) -> int:
        return -int(title.split()[1])

    script = Scripted(
        analyses={}, tiers={"Step 23 ": 3, "Step 9 ": 3, "Step": 0}, ranks=newest_first
    )
    with ModelServer(script, context=4_096) as server:
        covered = await run(tmp_path, server, clone)
        questions = of(server, "Edition")
        (order,) = of(server, "CommitOrder")
    assert "(tier 3)" in order
    assert order.count("] Step ") == 2
    earlier = questions[-1].partition("already have tier 3")[2]
    assert "product +1 -1: router.py" in earlier
    placed = {row.title.split()[1]: row.placement for row in covered.report.ledger}
    first, second = placed["23"], placed["9"]
    assert first is not None
    assert second is not None
    assert (first.order, second.order) == (1, 2)


async def test_minor_commits_get_one_sentence_each_and_noise_gets_none(tmp_path: Path) -> None:
    script = Scripted(tiers={LIMIT: 0, TIMEOUT: 1}, minor={TIMEOUT: TIMEOUT_SAID})
    with ModelServer(script, context=32_768) as server:
        covered = await run(tmp_path, server, two_commits(tmp_path / "router"))
        assert of(server, "Analysis") == []
        (question,) = of(server, "MinorSentences")
    assert TIMEOUT in question
    assert LIMIT not in question
    (claim,) = (claim for claim in covered.report.claims if claim.free)
    assert claim.text["en"] == TIMEOUT_SAID["en"]
    assert claim.about[0].sha == row_of(covered.report, TIMEOUT).sha
    assert claim.judged_by


async def test_a_false_sentence_about_a_minor_commit_is_refused_and_its_fact_is_told(
    tmp_path: Path,
) -> None:
    wrong = {**TIMEOUT_SAID, "en": "`WORKER_TIMEOUT` is now `46`."}
    script = Scripted(tiers={LIMIT: 0, TIMEOUT: 1}, minor={TIMEOUT: wrong})
    with ModelServer(script, context=32_768) as server:
        covered = await run(tmp_path, server, two_commits(tmp_path / "router"))
    assert not any(claim.free for claim in covered.report.claims)
    sha = row_of(covered.report, TIMEOUT).sha
    facts = [claim for claim in covered.report.claims if claim.predicate == "fact"]
    assert any(claim.about[0].sha == sha for claim in facts)


async def test_an_editor_that_is_cut_off_costs_nothing_but_its_opinion(tmp_path: Path) -> None:
    class Rude(Scripted):
        """Answers the editor's question with nonsense."""

        def __call__(self, request: ModelRequest) -> Saying:
            if request.schema == "Edition":
                return Saying(text="no")
            return super().__call__(request)

    with ModelServer(Rude(), context=32_768) as server:
        covered = await run(tmp_path, server, two_commits(tmp_path / "router"))
    assert [fallback.part for fallback in covered.report.sections[0].account.fallbacks] == [
        "editing"
    ]
    assert len(covered.report.ledger) == 2


def by_rows(text: str, evidence: str) -> str:
    """Judge words behind handles by the rows of these handles alone, other sentences as usual."""
    if re.match(r"c\d+[,:] ", text) is None:
        return honest(text, evidence)
    handles, _, words = text.partition(": ")
    rows = {}
    for row in evidence.split("\n[")[1:]:
        handle, _, row_text = row.partition("] ")
        rows[handle] = row_text
    for handle in handles.split(", "):
        if not all(name in rows[handle] for name in words.split("`")[1::2]):
            return "unsupported"
        is_fact = "changes from" in words
        if is_fact and words.partition(" / ")[0] not in rows[handle]:
            return "contradicted"
    return "stated"


def judged_words(server: ModelServer) -> list[list[str]]:
    """Return the reasons and labels of each question to their judge."""
    questions = [question for question in of(server, "Rulings") if "one row for each" in question]
    return [sentences_in(question) for question in questions]


async def test_reasons_and_labels_are_held_to_their_own_rows_in_one_question(
    tmp_path: Path,
) -> None:
    places = [place("c1", 2, "It is `MAX_ROUTES`"), place("c2", 2, "`MAX_ROUTES` goes to `12`")]
    groups = [{"commits": ["c1", "c2"], "label_en": "Limits and timeouts"}]
    script = editing(places=places, groups=groups)
    script.opinion = by_rows
    with ModelServer(script, context=32_768) as server:
        covered = await run(tmp_path, server, two_commits(tmp_path / "router"))
        first, second = judged_words(server)
    own = {"c2: `MAX_ROUTES` goes to `12`", "c1, c2: Limits and timeouts"}
    assert own <= set(first)
    assert own <= set(second)
    reasons = {row.placement.reason for row in covered.report.ledger if row.placement}
    assert reasons == {"", "`MAX_ROUTES` goes to `12`"}
    assert [group.label["en"] for group in covered.report.groups] == ["Limits and timeouts"]


async def test_a_refused_reason_is_counted_and_the_page_says_that_rules_speak(
    tmp_path: Path,
) -> None:
    falls = "Everybody must set it"
    places = [
        place("c2", 3, falls, "人人都要设置"),
        place("c1", 2, "It changes a value.", "改了值。"),
    ]

    def opinion(text: str, evidence: str) -> str:
        return "unsupported" if falls in text else by_rows(text, evidence)

    script = editing(places=places)
    script.opinion = opinion
    with ModelServer(script, context=32_768) as server:
        clone = two_commits(tmp_path / "router")
        covered = await run(tmp_path, server, clone, languages=("en", "zh"))
    limit = row_of(covered.report, LIMIT)
    timeout = row_of(covered.report, TIMEOUT)
    assert limit.placement is not None
    assert timeout.placement is not None
    assert (limit.placement.importance, limit.placement.reasons) == (Importance.MUST_KNOW, {})
    assert timeout.placement.reasons == {"en": "It changes a value.", "zh": "改了值。"}
    view = ReportView(covered.report, "en", Web("https://git.example"))
    assert view.why(limit).startswith("decided by the model; by rules: ")
    assert view.why(timeout) == "It changes a value (decided by the model)"
    chinese = ReportView(covered.report, "zh", Web("https://git.example"))
    assert chinese.why(timeout) == "改了值（由模型决定）"
    (drop,) = (drop for drop in covered.report.drops if drop.free)
    assert (drop.about, drop.check) == ((limit.id,), "judge")
    assert covered.report.sections[0].account.judging.refuted == 1
    (file,) = (tmp_path / "home" / "runs").iterdir()
    texts = [entry["text"] for entry in json.loads(file.read_text("utf-8"))["refused"]]
    assert f"{falls} / 人人都要设置" in texts


async def test_a_reason_of_another_row_and_a_reversed_fact_are_planted_among_the_words(
    tmp_path: Path,
) -> None:
    places = [
        place("c1", 2, "`WORKER_TIMEOUT` rises"),
        place("c2", 2, "`MAX_ROUTES` falls"),
    ]
    script = editing(places=places)
    script.opinion = by_rows
    with ModelServer(script, context=32_768) as server:
        covered = await run(tmp_path, server, two_commits(tmp_path / "router"))
        questions = judged_words(server)
    planted = {"c1: `MAX_ROUTES` falls", "c2: `WORKER_TIMEOUT` rises"}
    assert any(planted & set(question) for question in questions)
    judging = covered.report.sections[0].account.judging
    assert judging.twins > 0
    assert judging.controls > judging.twins
    assert judging.caught == judging.controls
    reasons = {row.placement.reason for row in covered.report.ledger if row.placement}
    assert reasons == {"`WORKER_TIMEOUT` rises", "`MAX_ROUTES` falls"}


async def test_a_group_of_many_commits_is_kept_whole(tmp_path: Path) -> None:
    clone = Clone(tmp_path / "router")
    clone.commit("Begin", 0, router__py="STEPS = 0\n")
    for number in range(1, 16):
        clone.commit(f"Step {number}", 9, router__py=f"STEPS = {number}\n")
    handles = [f"c{number}" for number in range(1, 16)]
    groups = [{"commits": handles, "label_en": "Steps", "label_zh": "步骤"}]
    script = Scripted(analyses={}, tiers={"Step": 1}, groups=groups)
    with ModelServer(script, context=32_768) as server:
        covered = await run(tmp_path, server, clone)
    (group,) = covered.report.groups
    assert len(group.commits) == 15


async def test_late_commits_releases_and_own_uses_are_in_the_editors_rows(tmp_path: Path) -> None:
    clone = Clone(tmp_path / "router")
    reads_variable = 'import os\n\nWORKER_TIMEOUT = os.environ["ROUTER_TIMEOUT"]\n'
    clone.commit("Begin", 0, router__py="MAX_ROUTES = 22\n", worker__py=reads_variable)
    own = tmp_path / "own"
    own.mkdir()
    (own / "run.sh").write_text("export ROUTER_TIMEOUT=30\n")
    work = Work(clone.folder)
    script = Scripted(tiers={"Late": 0, TIMEOUT: 0, LIMIT: 1})
    with ModelServer(script, context=32_768) as server:
        settings = settings_of(tmp_path, server, clone.spec, uses=(own,))
        day_before = Window.days(date(2026, 2, 3), date(2026, 2, 3), "UTC")
        rules = settings.model_copy(update={"analyst": "rules"})
        await run_day(rules, {}, day_before, settings.repos, NOW, QuietProgress(), None)
        clone.commit("Late to arrive", 0, late__py="LATE = 1\n")
        clone.commit(LIMIT, 9, router__py="MAX_ROUTES = 12\n")
        work.git("tag", "v1.2.0")
        clone.commit(TIMEOUT, 10, worker__py="WORKER_TIMEOUT = 45\n")
        covered = await run_day(settings, {}, DAY, settings.repos, NOW, QuietProgress(), None)
        (question,) = of(server, "Edition")
    rows = {row.partition("] ")[2].partition("\n")[0]: row for row in question.split("\n[")[1:]}
    assert "\nreleases of these days: v1.2.0\n" in question
    assert "released in these days: v1.2.0 is the first with it" in rows[LIMIT]
    assert "released in these days" not in rows[TIMEOUT]
    assert "the readers' own code uses what it changes: ROUTER_TIMEOUT" in rows[TIMEOUT]
    used = row_of(covered.report, TIMEOUT).placement
    assert used is not None
    assert (used.importance, used.decided_by) == (Importance.WORTH_KNOWING, "floor")
    assert "landed before this window and is reported late" in rows["Late to arrive"]
    assert {row.title for row in covered.report.ledger if row.late} == {"Late to arrive"}
    placements = [row.placement for row in covered.report.ledger]
    assert sorted(placement.order for placement in placements if placement) == [1, 2, 3]
