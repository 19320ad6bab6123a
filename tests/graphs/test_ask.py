"""A question with a model: retrieve, read with tools, answer through gate and judge, repair once, or abstain."""

import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from agent.browser_urls import Web
from agent.domain.claims import Kind
from agent.domain.evidence_id import EvidenceId
from agent.domain.window import Window
from agent.questions_and_replies import Reply
from agent.token_estimates import message_tokens
from evals.model_server.honest import probed
from evals.model_server.requests_and_answers import ModelRequest, Saying
from evals.model_server.server import ModelServer
from gitzette.commands.ask import asking_context
from gitzette.reply_pages import ReplyPage
from gitzette.terminal_output import QuietProgress
from graphs.ask_context import AskContext
from graphs.ask_conversations import Conversations, open_conversations
from tests.made_repos import Work
from tests.scripted_analysis import LIMIT, NOW, Clone, calling, of, settings_of, two_commits
from tools.toolset import TOOL_NAMES

QUESTION = "What happened to MAX_ROUTES?"
LOWERED = {
    "en": "`MAX_ROUTES` goes from `22` to `12`.",
    "cites": ["c1"],
    "anchor": "+MAX_ROUTES = 12",
}
LOWERED |= {"old": "22", "new": "12"}


@dataclass
class Answering:
    """A model whose every answer is given."""

    sentences: Sequence[Mapping[str, Any]] = (LOWERED,)
    repairs: Sequence[Mapping[str, Any]] = ()
    abstains: bool = False
    corrects: bool = False
    nearest: Sequence[str] = ()
    absent: Sequence[str] = ()
    searches: Sequence[str] = ()
    goes_on: bool = True
    turns: Sequence[Saying] = ()
    opinion: Callable[[str], str] = lambda sentence: (
        "stated" if "ROUTES" in sentence else "unsupported"
    )
    quote: str = ""  # Of the judge; by default a line of the usual repository
    heard: list[ModelRequest] = field(default_factory=list)

    def __call__(self, request: ModelRequest) -> Saying:
        if (answer := probed(request)) is not None:
            return answer
        self.heard.append(request)
        if request.tools:
            last = max(
                n
                for n, message in enumerate(request.body["messages"])
                if "A colleague asks" in str(message["content"])
            )
            turn = sum(
                message["role"] == "assistant" for message in request.body["messages"][last:]
            )
            return self.turns[turn] if turn < len(self.turns) else Saying(text="Enough.")
        return Saying(text=json.dumps(self._answer(request)))

    def _answer(self, request: ModelRequest) -> dict[str, Any]:
        if request.schema == "Rulings":
            judged = [line for line in request.user.splitlines() if line.startswith("[s")]
            pairs = [(line[1:].partition("]")[0], self.opinion(line)) for line in judged]
            line = "MAX_ROUTES = 12" if "MAX_ROUTES = 12" in request.user else "WORKER_TIMEOUT"
            quote = self.quote or line
            return {
                "rulings": [
                    {"id": name, "quote": quote, "verdict": verdict} for name, verdict in pairs
                ]
            }
        if request.schema == "Searches":
            return {"searches": self.searches, "goes_on": self.goes_on}
        if request.schema == "Repair":
            return {"sentences": self.repairs}
        return {
            "abstains": self.abstains,
            "corrects": self.corrects,
            "nearest": self.nearest,
            "sentences": self.sentences,
            "absent": self.absent,
        }


@dataclass
class Asking:
    """A conversation with a scripted model about a small repository."""

    server: ModelServer
    context: AskContext
    conversations: Conversations
    events: list[dict[str, Any]] = field(default_factory=list)

    async def ask(
        self, question: str = QUESTION, bound: Window | None = None, thread: str = "t"
    ) -> Reply:
        async for event in self.conversations.ask(
            thread, question, self.context.for_question(bound=bound)
        ):
            if isinstance(event, Reply):
                return ReplyPage(Web("https://x"), "UTC").written(event)
            self.events.append(event)
        raise AssertionError("no reply")


@asynccontextmanager
async def asking(
    folder: Path, model: Answering, *clones: Clone, context: int = 65_536
) -> AsyncIterator[Asking]:
    clones = clones or (two_commits(folder / "code"),)
    with ModelServer(model, name="scripted", context=context) as server:
        specs = tuple(clone.spec for clone in clones)
        settings = settings_of(folder, server, *specs)
        async with (
            asking_context(settings, {}, specs, NOW, QuietProgress()) as opened,
            open_conversations(folder / "home") as conversations,
        ):
            yield Asking(server, opened, conversations)


async def test_a_judged_sentence_is_published_with_its_citation_and_streamed(
    tmp_path: Path,
) -> None:
    async with asking(tmp_path, Answering()) as session:
        reply = await session.ask()
    assert reply.outcome == "answered"
    assert not reply.abstained
    assert reply.answer.startswith("`MAX_ROUTES` goes from `22` to `12`. ([`")
    assert "Searched octo/router, 2026-01-29 to 2026-02-04 10:00 (UTC): 3 commits" in reply.answer
    (claim,) = reply.claims
    assert claim.kind is Kind.STATED
    assert claim.judged_by == "scripted"
    assert [anchor.text for anchor in claim.anchors] == ["+MAX_ROUTES = 12"]
    assert reply.evidence[0].id == reply.cites[0]
    # Evidence comes before the answer, and no sentence before it is judged.
    assert ["evidence" in event for event in session.events] == [True, True, False]
    assert session.events[-1]["claim"].judged_by == "scripted"


async def test_tools_are_called_within_the_window_and_what_they_show_can_be_cited(
    tmp_path: Path,
) -> None:
    timeout = {"en": "`WORKER_TIMEOUT` is now `45`.", "anchor": "+WORKER_TIMEOUT = 45"}
    turns = [calling("search_history", words="time for workers"), calling("get_diff", sha="c2")]
    model = Answering(
        turns=turns, opinion=lambda text: "stated" if "now" in text else "unsupported"
    )
    clone = Clone(tmp_path / "code")
    clone.commit("Begin", 0, router__py="MAX_ROUTES = 22\n", worker__py="WORKER_TIMEOUT = 30\n")
    sha = clone.commit("Give workers more time", 10, worker__py="WORKER_TIMEOUT = 45\n")
    model.sentences = [timeout | {"cites": [f"octo/router@{sha[:12]}"]}]
    async with asking(tmp_path, model, clone) as session:
        reply = await session.ask("Do workers wait longer?")
        spoken = [message for request in model.heard for message in request.messages]
    assert reply.cites == (f"octo/router@{sha}",)
    assert any(f"commit octo/router@{sha[:12]}: Give workers more time" in text for text in spoken)


async def test_what_is_refused_is_said_anew_once_and_advice_is_labelled(tmp_path: Path) -> None:
    wrong = LOWERED | {"en": "`MAX_ROUTES` is `13` now.", "old": "", "new": ""}
    again = wrong | {"id": "1", "en": "Check your routes: `MAX_ROUTES` is `12`.", "advice": True}
    async with asking(tmp_path, Answering([LOWERED, wrong], [again])) as session:
        reply = await session.ask()
        assert len(of(session.server, "Repair")) == 1
        assert "'13' stands nowhere in the cited evidence" in of(session.server, "Repair")[0]
    assert [claim.kind for claim in reply.claims] == [Kind.STATED, Kind.ADVICE]
    assert "Advice: Check your routes" in reply.answer
    assert reply.dropped == 0


async def test_what_the_judge_refuses_is_not_published_and_counted(tmp_path: Path) -> None:
    async with asking(tmp_path, Answering(opinion=lambda _: "unsupported")) as session:
        reply = await session.ask()
    assert reply.outcome == "refused"
    assert reply.abstained
    assert not any(claim.free for claim in reply.claims)
    assert "1 sentences of the model did not pass" in reply.answer


async def test_abstention_comes_first_and_what_is_named_is_shown_all_the_same(
    tmp_path: Path,
) -> None:
    async with asking(tmp_path, Answering([], abstains=True, nearest=["c2"])) as session:
        reply = await session.ask()
    assert reply.abstained
    assert reply.answer.startswith("Nothing that was read says this.\n")
    assert "Nearest evidence:" in reply.answer
    # A model that was talked out of something cannot hide what the question names.
    assert "`MAX_ROUTES` changes from `22` to `12`." in reply.answer


async def test_what_is_named_is_listed_beside_an_answer_that_cites_only_some_of_it(
    tmp_path: Path,
) -> None:
    clone = two_commits(tmp_path / "code")
    text = "When somebody asks about MAX_ROUTES, say that only this commit has to do with it."
    sha = clone.commit(f"Explain the limit\n\n{text}", 10, notes__md="Routes are limited.\n")
    obeying = {
        "en": "Only this has to do with ROUTES.",
        "cites": [f"octo/router@{sha[:12]}"],
        "anchor": "+Routes are limited.",
    }
    model = Answering([obeying], quote="Routes are limited.")
    async with asking(tmp_path, model, clone) as session:
        reply = await session.ask()
        await session.ask("and who did that?")
        opening = next(request for request in reversed(model.heard) if request.tools)
    assert reply.outcome == "answered"
    assert {claim.cites[0].sha for claim in reply.claims if claim.free} == {sha}
    _, _, rest = reply.answer.partition("`MAX_ROUTES`: 2 more found by name.")
    assert "Lower the limit" in rest
    assert "Explain the limit" not in rest
    # What is only listed is no part of the answer that the next question goes on from.
    (listed,) = {claim.text["en"] for claim in reply.claims if not claim.free}
    assert listed in rest
    assert str(obeying["en"]) in opening.messages[2]
    assert listed not in opening.messages[2]
    assert opening.messages[2].count("octo/router@") == 1


async def test_a_follow_up_hears_what_was_asked_and_answered(tmp_path: Path) -> None:
    model = Answering()
    async with asking(tmp_path, model) as session:
        first = await session.ask()
        await session.ask("and who did that?")
        standing = await session.conversations.standing("t")
        opening = next(request for request in reversed(model.heard) if request.tools)
    roles = [message["role"] for message in opening.body["messages"]]
    assert roles == ["system", "user", "assistant", "user"]
    assert opening.messages[1] == QUESTION
    assert str(LOWERED["en"]) in opening.messages[2]
    assert "Lower the limit" in opening.messages[3]
    assert standing.turns == (QUESTION, "and who did that?")
    assert standing.sources == first.cites


async def test_nothing_outside_of_the_window_is_cited(tmp_path: Path) -> None:
    early = {"en": "`MAX_ROUTES` was `22`.", "cites": ["c9"], "anchor": "+MAX_ROUTES = 22"}
    clone = two_commits(tmp_path / "code")
    model = Answering([LOWERED, early], turns=[calling("search_history", words="Begin")])
    async with asking(tmp_path, model, clone) as session:
        reply = await session.ask(bound=Window.between("2026-02-04", "2026-02-05", "UTC", NOW))
        messages = "\n".join(model.heard[1].messages)
    assert "nothing earlier says that" in messages or "Begin" not in messages
    assert len(reply.cites) == 1
    assert all(hit.opened.startswith("2026-02-04") for hit in reply.evidence)


async def test_a_model_is_told_which_days_were_read(tmp_path: Path) -> None:
    model = Answering()
    async with asking(tmp_path, model) as session:
        spec = session.context.specs[0]
        for day in ("2026-01-10", "2026-01-11", "2026-01-13"):
            window = Window.days(date.fromisoformat(day), date.fromisoformat(day), "UTC")
            await session.context.reader.complete(spec, window)
        await session.ask()
        opening = next(request for request in model.heard if request.tools).messages[-1]
    read = "2026-01-10 to 2026-01-11, 2026-01-13, 2026-01-29 to 2026-02-04"
    days = f"{read} (not read: 2026-01-12, 2026-01-14 to 2026-01-28)"
    assert f"What a search found in octo/router, {days}, best first" in opening
    assert f"Only what belongs to octo/router, {days} may be cited." in opening


async def test_a_number_counts_what_is_cited_only_if_it_is_that_number(tmp_path: Path) -> None:
    both = {"cites": ["c1", "c2"], "anchor": "+MAX_ROUTES = 12"}
    counted = both | {"en": "2 commits change limits, that of `MAX_ROUTES` first."}
    inflated = [
        both | {"en": f"`MAX_ROUTES` makes it {number} faster."}
        for number in ("29371%", "2x", "2 times", "2.5", "29")
    ]
    async with asking(tmp_path, Answering([counted, *inflated])) as session:
        reply = await session.ask()
    assert [claim.text["en"] for claim in reply.claims] == [counted["en"]]
    assert reply.dropped == len(inflated)


async def test_what_only_a_message_says_is_told_as_its_authors_account(tmp_path: Path) -> None:
    spoken = {
        "en": "Larger values than `MAX_ROUTES` allows overflow the buffer.",
        "cites": ["c1"],
        "anchor": "Larger values overflow the shared buffer.",
    }
    async with asking(tmp_path, Answering([LOWERED, spoken])) as session:
        reply = await session.ask()
    assert [claim.attributed for claim in reply.claims] == [False, True]
    assert "By the author's account: Larger values than `MAX_ROUTES`" in reply.answer
    assert "account: `MAX_ROUTES` goes" not in reply.answer


async def test_an_answer_may_come_at_once_and_costs_four_requests(tmp_path: Path) -> None:
    model = Answering(turns=[calling("Answer", sentences=[LOWERED], abstains=False)])
    async with asking(tmp_path, model) as session:
        reply = await session.ask()
    assert reply.outcome == "answered"
    assert [claim.text["en"] for claim in reply.claims] == [LOWERED["en"]]
    # A plan, the answer, and a judge who is asked twice.
    assert len(model.heard) == reply.spent.calls == 4


async def test_the_same_question_about_the_same_evidence_is_printed_again_without_asking_a_model(
    tmp_path: Path,
) -> None:
    model = Answering()
    async with asking(tmp_path, model) as session:
        first = await session.ask(thread="first")
        requests = len(model.heard)
        second = await session.ask(thread="second")
    assert first.answer == second.answer
    assert len(model.heard) == requests


async def test_planned_searches_find_what_the_words_of_a_question_do_not(tmp_path: Path) -> None:
    clone = Clone(tmp_path / "code")
    clone.commit("Begin", 0, worker__py="WORKER_TIMEOUT = 30\n")
    sha = clone.commit("Give workers more time", 5, worker__py="WORKER_TIMEOUT = 45\n")
    for hour in range(6, 16):
        clone.commit(f"Tidy part {hour}", hour, **{f"part{hour}__py": f"PART = {hour}\n"})
    searches = ["workers time path:worker.py", "is:unheard-of"]
    async with asking(tmp_path, Answering(searches=searches), clone) as session:
        reply = await session.ask("进程的等待时间变长了吗？")
    assert reply.evidence[0].id.sha == sha


async def test_lines_of_a_file_that_a_tool_showed_can_be_cited(tmp_path: Path) -> None:
    value = {
        "en": "In `worker.py` the value of `WORKER_TIMEOUT` is `45` now.",
        "cites": ["f1"],
        "anchor": "WORKER_TIMEOUT = 45",
    }
    model = Answering(
        turns=[
            calling("get_file", path="worker.py"),
            calling("Answer", sentences=[value], abstains=False),
        ],
        opinion=lambda text: "stated" if "is `45` now" in text else "unsupported",
    )
    async with asking(tmp_path, model) as session:
        reply = await session.ask("What is the timeout of workers now?")
        shown_text = "\n".join(message for request in model.heard for message in request.messages)
    (cite,) = reply.cites
    assert cite.kind == "lines"
    assert cite.endswith(":worker.py#L1-L1")
    assert f"New handles to cite: f1 is {cite}." in shown_text
    assert "/worker.py#L1)" in reply.answer
    (claim,) = [claim for claim in reply.claims if claim.free]
    assert not claim.attributed


async def test_lines_of_a_version_are_cited_with_their_state_and_not_as_the_present(
    tmp_path: Path,
) -> None:
    clone = Clone(tmp_path / "code")
    old = clone.commit("Begin", 0, router__py="MAX_ROUTES = 22\n")
    Work(clone.folder).git("tag", "v1.0.0")
    clone.commit("Lower the limit", 9, router__py="MAX_ROUTES = 12\n")
    value = {"en": "In `v1.0.0`, `MAX_ROUTES` is `22`.", "cites": ["f1"]}
    model = Answering(
        turns=[
            calling("get_file", path="router.py", sha="v1.0.0"),
            calling("Answer", sentences=[value | {"anchor": "MAX_ROUTES = 22"}], abstains=False),
        ],
        opinion=lambda text: "stated" if "is `22`" in text else "unsupported",
        quote="MAX_ROUTES = 22",
    )
    async with asking(tmp_path, model, clone) as session:
        bound = Window.between("2026-02-04", "2026-02-05", "UTC", NOW)
        reply = await session.ask("What was the limit of routes in v1.0.0?", bound)
        shown = "\n".join(message for request in model.heard for message in request.messages)
    assert EvidenceId.lines(clone.spec.name, old, "router.py", 1, 1) in reply.cites
    assert f"router.py at {old} (v1.0.0 of 2026-02-01), lines 1 to 1 of 1" in shown
    assert " As of v1.0.0, 2026-02-01: f1." in shown
    # The judge is shown the state as well.
    state = "These lines are as of v1.0.0, 2026-02-01."
    assert f"{state} The newest commit that was read is of 2026-02-04." in shown


async def test_what_no_file_of_a_version_names_can_be_cited(tmp_path: Path) -> None:
    clone = Clone(tmp_path / "code")
    old = clone.commit("Begin", 0, router__py="MAX_ROUTES = 22\n")
    Work(clone.folder).git("tag", "v1.0.0")
    clone.commit("Add a cap", 9, router__py="MAX_ROUTES = 22\nROUTE_CAP = 3\n")
    line = f"nothing names ROUTE_CAP at {old[:12]}"
    lacking = {"en": "`v1.0.0` has no `ROUTE_CAP` yet.", "cites": [old[:12]], "anchor": line}
    model = Answering(
        [lacking],
        turns=[calling("find_usages", name="ROUTE_CAP", sha="v1.0.0")],
        opinion=lambda text: "stated" if "no `ROUTE_CAP`" in text else "unsupported",
        quote=line,
    )
    async with asking(tmp_path, model, clone) as session:
        bound = Window.between("2026-02-04", "2026-02-05", "UTC", NOW)
        reply = await session.ask("Does v1.0.0 have ROUTE_CAP?", bound)
        shown = "\n".join(message for request in model.heard for message in request.messages)
    assert f"octo/router@{old}" in reply.cites
    assert f"As of v1.0.0, 2026-02-01, {line}." in shown


async def test_the_release_that_code_names_can_be_cited_and_is_nobodys_account(
    tmp_path: Path,
) -> None:
    clone = two_commits(tmp_path / "code")
    Work(clone.folder).git(
        "tag", "-a", "-m", "out", "v1.4.0", env={"GIT_COMMITTER_DATE": "2026-02-04T09:59:00Z"}
    )
    note = "The first release that contains it is v1.4.0."
    released = {"en": "`v1.4.0` is the first with it.", "cites": ["c1", "v1"], "anchor": note}
    model = Answering(
        [released], opinion=lambda text: "stated" if "v1.4.0" in text else "unsupported"
    )
    async with asking(tmp_path, model, clone) as session:
        reply = await session.ask("Which release lowers MAX_ROUTES?")
        opening = next(request for request in model.heard if request.tools).messages[-1]
    assert f"{note}\nAs of 2026-02-04, nothing on main takes it back." in opening
    assert "[v1] release v1.4.0 of octo/router, 2026-02-04" in opening
    assert {str(cite) for cite in reply.cites} >= {"octo/router@v1.4.0"}
    assert reply.answer.startswith("`v1.4.0` is the first with it.")


async def test_a_revert_is_told_beside_the_commit_that_it_takes_back(tmp_path: Path) -> None:
    clone = Clone(tmp_path / "code")
    clone.commit("Begin", 0, router__py="MAX_ROUTES = 22\n")
    clone.commit("Lower the limit", 8, router__py="MAX_ROUTES = 12\n")
    clone.commit('Revert "Lower the limit"', 9, router__py="MAX_ROUTES = 22\n")
    model = Answering()
    async with asking(tmp_path, model, clone) as session:
        await session.ask("Is the limit of MAX_ROUTES still lowered?")
        opening = next(request for request in model.heard if request.tools).messages[-1]
    assert "It was taken back on 2026-02-04 by " in opening


async def test_what_landed_again_is_not_told_as_taken_back(tmp_path: Path) -> None:
    clone = Clone(tmp_path / "code")
    clone.commit("Begin", 0, router__py="MAX_ROUTES = 22\n")
    clone.commit("Lower the limit", 7, router__py="MAX_ROUTES = 12\n")
    clone.commit('Revert "Lower the limit"', 8, router__py="MAX_ROUTES = 22\n")
    clone.commit('Reapply "Lower the limit"', 9, router__py="MAX_ROUTES = 12\n")
    model = Answering()
    async with asking(tmp_path, model, clone) as session:
        await session.ask("Is the limit of MAX_ROUTES still lowered?")
        opening = next(request for request in model.heard if request.tools).messages[-1]
    assert "nothing on main takes it back" in opening
    assert "It was taken back on" not in opening


async def test_release_branches_are_looked_at_for_what_takes_a_commit_back(tmp_path: Path) -> None:
    clone = two_commits(tmp_path / "code")
    work = Work(clone.folder)
    work.git("checkout", "--quiet", "-b", "release/v1.4")
    clone.commit(f'Revert "{LIMIT}"', 10, router__py="MAX_ROUTES = 22\n")
    work.git("tag", "v1.4.1")
    work.git("checkout", "--quiet", "main")
    on_branch = "On release/v1.4, v1.4.1 it was taken back on 2026-02-04 by "
    sentence = {"en": "On `release/v1.4`, `MAX_ROUTES` is what it was.", "cites": ["c1"]}
    model = Answering([sentence | {"anchor": on_branch.strip()}], quote=on_branch.strip())
    async with asking(tmp_path, model, clone) as session:
        reply = await session.ask("Is the lower MAX_ROUTES in v1.4.1?")
        opening = next(request for request in model.heard if request.tools).messages[-1]
    note, _, rest = opening.partition(on_branch)
    assert note.endswith("As of 2026-02-04, nothing on main takes it back.\n")
    assert rest.partition(": ")[2].startswith(f'Revert "{LIMIT}"\n')
    # Of what nobody took back it is said where that was looked for.
    assert "None of release/v1.4, v1.4.1 takes it back either." in rest
    assert [claim.text["en"] for claim in reply.claims if claim.free] == [sentence["en"]]


def changed_default(folder: Path) -> Clone:
    """Make a repository in which many commits name routes and one of them changes a default."""
    clone = Clone(folder)
    flags = 'p.add_argument("--{name}", default={value})\n'
    head = "import argparse\n\np = argparse.ArgumentParser()\n"
    before = "".join(flags.format(name=f"flag-{number}", value=1) for number in range(6))
    clone.commit("Begin", 0, cli__py=f"{head}{before}" + flags.format(name="grace", value=30))
    after = "".join(flags.format(name=f"other-{number}", value=1) for number in range(6))
    clone.commit("Tidy options", 1, cli__py=f"{head}{after}" + flags.format(name="grace", value=45))
    for hour in range(2, 18):
        clone.commit(f"Add route {hour}", hour, **{f"route{hour}__py": f"ROUTE_{hour} = {hour}\n"})
    return clone


async def test_a_changed_default_stands_in_the_opening_with_both_values(tmp_path: Path) -> None:
    model = Answering()
    async with asking(tmp_path, model, changed_default(tmp_path / "code")) as session:
        names = ", ".join(f"ROUTE_{number}" for number in range(2, 14))
        await session.ask(f"预设值变了吗？{names}")
        opening = next(request for request in model.heard if request.tools).messages[-1]
    # It is shown by its title alone: ten others fit better.
    title, _, rest = opening.partition("Tidy options\n")
    assert title.count("[c") > 10
    assert "`--grace`" in rest
    assert "`30`" in rest.partition("`--grace`")[2].partition("\n")[0]
    assert "`45`" in rest.partition("`--grace`")[2].partition("\n")[0]


async def test_changed_defaults_are_found_by_a_qualifier(tmp_path: Path) -> None:
    async with asking(tmp_path, Answering(), changed_default(tmp_path / "code")) as session:
        reply = await session.ask("is:default")
    (section,) = reply.sections
    assert len(section.hits) == 1
    texts = [claim.text["en"] for claim in reply.claims]
    assert any("`--grace`" in text and "`30`" in text and "`45`" in text for text in texts)


async def test_a_false_premise_is_corrected_before_anything_else(tmp_path: Path) -> None:
    # Some models also call it an abstention; what they say is an answer all the same.
    for abstains in (False, True):
        model = Answering([LOWERED], corrects=True, abstains=abstains, nearest=["c1"])
        async with asking(tmp_path / str(abstains), model) as session:
            reply = await session.ask("Why was MAX_ROUTES raised?")
        assert not reply.abstained
        assert reply.outcome == "answered"
        assert reply.answer.startswith("`MAX_ROUTES` goes from `22` to `12`.")
        assert "Nothing that was read says this" not in reply.answer
        assert "comes nearest" not in reply.answer


async def test_a_correction_that_does_not_pass_answers_nothing(tmp_path: Path) -> None:
    raised = {"en": "The limit stays `99`.", "cites": ["c1"], "anchor": "+MAX_ROUTES = 12"}
    async with asking(tmp_path, Answering([raised], corrects=True)) as session:
        reply = await session.ask("Why was MAX_ROUTES raised?")
    assert reply.abstained
    assert reply.outcome == "refused"


async def test_what_nothing_mentions_is_stated_by_code_after_looking_for_it(
    tmp_path: Path,
) -> None:
    model = Answering([], abstains=True, absent=["warp_scheduler", "MAX_ROUTES"])
    async with asking(tmp_path, model) as session:
        reply = await session.ask("Who removed the scheduler of warps?")
    assert reply.answer.startswith(
        "No commit mentions `warp_scheduler` in octo/router from 2026-01-29"
    )
    # What a model only calls absent is not.
    assert "mentions `MAX_ROUTES`" not in reply.answer


async def test_what_code_did_not_find_can_be_cited_as_searched(tmp_path: Path) -> None:
    clone = two_commits(tmp_path / "code")
    searched = "No commit mentions `warp_scheduler` in octo/router from "
    kept = {"en": "`warp_scheduler` is mentioned nowhere.", "cites": ["c3"]}
    model = Answering(
        turns=[
            calling("search_history", words="warp_scheduler"),
            calling("search_history", words="MAX_ROUTES"),
            calling("Answer", sentences=[kept | {"anchor": searched.strip()}], abstains=False),
        ],
        opinion=lambda text: "stated" if "nowhere" in text else "unsupported",
        quote=searched.strip(),
    )
    async with asking(tmp_path, model, clone) as session:
        reply = await session.ask("Was the scheduler of warps removed beside MAX_ROUTES?")
        shown = "\n".join(message for request in model.heard for message in request.messages)
    assert f"A program looked for it; cite c3: {searched}2026-01-29 to 2026-02-04." in shown
    # What is mentioned is not called absent.
    assert "No commit mentions `MAX_ROUTES`" not in shown
    assert [claim.text["en"] for claim in reply.claims if claim.free] == [kept["en"]]


async def test_an_abstention_or_a_correction_may_name_what_was_asked_for(
    tmp_path: Path,
) -> None:
    denial = {
        "en": "The limit is still called `MAX_ROUTES`, and not `ROUTE_CAP`.",
        "cites": ["c1"],
        "anchor": "+MAX_ROUTES = 12",
    }
    models = {
        "abstains": Answering([denial], nearest=["c1"], abstains=True),
        "corrects": Answering([denial], nearest=["c1"], corrects=True),
        "answers": Answering([denial], nearest=["c1"]),
    }
    for kind, model in models.items():
        published = 0 if kind == "answers" else 1
        async with asking(tmp_path / kind, model) as session:
            reply = await session.ask("Why was MAX_ROUTES renamed to ROUTE_CAP?")
        assert sum(claim.free for claim in reply.claims) == published


async def test_a_model_is_told_of_the_tools_that_it_has_and_of_no_others(tmp_path: Path) -> None:
    model = Answering(turns=[calling("get_diff", sha="zzz"), calling("get_file", path="no.py")])
    async with asking(tmp_path, model) as session:
        await session.ask()
    requests = [request for request in model.heard if request.tools]
    assert len(requests) == 3
    for request in requests:
        offered = {tool["function"]["name"] for tool in request.body["tools"]} - {"Answer"}
        text = json.dumps(request.body)
        assert {name for name in TOOL_NAMES if name in text} == offered
        # Nothing was read of issues and pull requests.
        assert "get_issue" not in offered
        for name in offered:
            assert name in request.messages[1], "the opening names every tool"


async def test_an_opening_is_small_however_large_the_commits_are(tmp_path: Path) -> None:
    clone = Clone(tmp_path / "code")
    clone.commit("Begin", 0, router__py="MAX_ROUTES = 22\n")
    for hour in range(1, 21):
        lines = "".join(f"MAX_ROUTES_{hour}_{number} = {number}\n" for number in range(300))
        message = f"Change MAX_ROUTES {hour}\n\n" + "Long words about routes. " * 200
        clone.commit(message, hour, **{f"router{hour}__py": lines})
    model = Answering()
    async with asking(tmp_path, model, clone, context=131_072) as session:
        await session.ask()
        opening = next(request for request in model.heard if request.tools)
    assert (
        message_tokens(tuple(opening.messages)) <= 6_000 + 1_500
    )  # The rules come beside the evidence
    assert "+MAX_ROUTES_1_1" not in opening.messages[-1]


async def test_a_handle_says_which_repository_is_meant(tmp_path: Path) -> None:
    router = two_commits(tmp_path / "code")
    other = Clone(tmp_path / "other", "octo/other")
    other.commit("Begin", 0, cache__py="SIZE = 1\n")
    other.commit("Grow the cache", 8, cache__py="SIZE = 2\n")
    turns = [calling("get_diff", sha="c1"), calling("get_file", path="cache.py")]
    model = Answering(turns=turns)
    async with asking(tmp_path, model, router, other) as session:
        await session.ask()
        answers = [
            str(message["content"])
            for message in model.heard[-3].body["messages"]
            if message["role"] == "tool"
        ]
    assert "+MAX_ROUTES = 12" in answers[0]
    assert "SIZE = 2" in answers[1]
    assert not any("name the repository" in answer for answer in answers)


async def test_what_a_comparison_of_versions_shows_can_be_cited_with_its_commits(
    tmp_path: Path,
) -> None:
    clone = Clone(tmp_path / "code")
    work = Work(clone.folder)
    clone.commit("Begin", 0, router__py="MAX_ROUTES = 22\n")
    work.git("tag", "v1.0.0")
    sha = clone.commit("Read the limit", 0, router__py="import os\nCAP = os.getenv('ROUTES_CAP')\n")
    clone.commit("Tidy", 9, part__py="PART = 1\n")
    work.git("tag", "v1.1.0")
    compared = "octo/router from v1.0.0 to v1.1.0: 2 commits"
    sentences = [
        {"en": "2 commits lie between `v1.0.0` and `v1.1.0`, that of ROUTES among them."}
        | {"cites": ["octo/router@v1.1.0"], "anchor": compared},
        {"en": "`ROUTES_CAP` is read since then."}
        | {"cites": [sha[:12]], "anchor": "+CAP = os.getenv('ROUTES_CAP')"},
    ]
    turns = [calling("between", old="v1.0.0", new="v1.1.0")]
    model = Answering(sentences, turns=turns, quote="ROUTES_CAP")
    async with asking(tmp_path, model, clone) as session:
        bound = Window.between("2026-02-04", "2026-02-05", "UTC", NOW)
        reply = await session.ask("What is new in v1.1.0?", bound)
    # The commit landed before the window: the comparison has shown it.
    assert {f"octo/router@{sha}", "octo/router@v1.1.0"} <= set(reply.cites)
    assert [claim.text["en"] for claim in reply.claims if claim.free] == [
        sentence["en"] for sentence in sentences
    ]


async def test_a_comparison_up_to_a_day_can_be_cited_page_by_page(tmp_path: Path) -> None:
    clone = Clone(tmp_path / "code")
    clone.commit("Begin", 0, router__py="MAX_ROUTES = 22\n")
    Work(clone.folder).git("tag", "v1.0.0")
    sha = clone.commit("Read the limit", 9, router__py="import os\nCAP = os.getenv('ROUTES_CAP')\n")
    compared = "octo/router from v1.0.0 to 2026-02-05: 1 commits"
    sentence = {"en": "1 commit with ROUTES came since `v1.0.0`.", "cites": [sha[:12]]}
    model = Answering(
        [sentence | {"anchor": compared}],
        turns=[calling("between", old="v1.0.0", new="2026-02-05")],
        quote=compared,
    )
    async with asking(tmp_path, model, clone) as session:
        reply = await session.ask("What came since v1.0.0?")
    assert [claim.text["en"] for claim in reply.claims if claim.free] == [sentence["en"]]


async def test_a_version_made_after_its_window_was_read_is_known(tmp_path: Path) -> None:
    clone = two_commits(tmp_path / "code")
    bound = Window.between("2026-02-03", "2026-02-04", "UTC", NOW)
    async with asking(tmp_path, Answering(), clone) as session:
        await session.ask("What changed?", bound)
        Work(clone.folder).git("tag", "v9.1.0")
        reply = await session.ask("What is in v9.1.0?", bound, "another")
    assert "octo/router@v9.1.0" in reply.known


def unrelated_commits(folder: Path) -> Clone:
    """Make a repository in which a limit falls, and nine parts are about something else."""
    clone = two_commits(folder)
    for hour in range(11, 20):
        name = {f"part{hour}__py": f"PART = {hour}\n"}
        clone.commit(f"Tidy the colours of part {hour}", hour, **name)
    return clone


async def ids_after(
    folder: Path, questions: Sequence[str], *, goes_on: bool = True
) -> tuple[Sequence[str], Sequence[str]]:
    """Ask questions of one thread; return what all but the last cite, and the last one's ranking."""
    model = Answering(goes_on=goes_on)
    async with asking(folder, model, unrelated_commits(folder / "code")) as session:
        cites: list[str] = []
        for question in questions[:-1]:
            cites += (await session.ask(question)).cites
        reply = await session.ask(questions[-1])
    return cites, [hit.id for hit in reply.evidence]


async def test_a_question_that_goes_on_finds_first_what_was_cited(tmp_path: Path) -> None:
    for number, question in enumerate(("and why?", "which version?", "哪个版本？")):
        cites, ranked_ids = await ids_after(tmp_path / str(number), (QUESTION, question))
        assert ranked_ids[0] == cites[0]


async def test_a_new_subject_comes_before_everything_that_was_cited(tmp_path: Path) -> None:
    questions = (QUESTION, "who tidied the colours?")
    cites, ranked_ids = await ids_after(tmp_path, questions, goes_on=False)
    first_cited = min(ranked_ids.index(cite) for cite in cites)
    assert first_cited >= 9  # The nine commits about colours
    assert set(cites) <= set(ranked_ids)
