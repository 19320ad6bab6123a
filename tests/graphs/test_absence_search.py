"""That nothing mentions a name is said only after whole commits and threads were searched for it."""

import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from agent.browser_urls import Web
from agent.domain.base import RepoId
from agent.domain.window import Window
from agent.questions_and_replies import Named, Reply
from agent.settings.values import RepoSpec
from evals.github_server.app import GitHubServer
from evals.model_server.server import ModelServer
from evals.worlds.data_model import Push, Repo, WorldIssue
from evals.worlds.worlds import repo_from_mirror
from gitzette.commands.ask import asking_context
from gitzette.reply_pages import ReplyPage
from gitzette.terminal_output import QuietProgress
from graphs import absence_search
from graphs.absence_search import mention_pattern
from graphs.ask_conversations import answered
from tests.graphs.test_ask import Answering
from tests.made_repos import Work
from tests.scripted_analysis import NOW, Clone, settings_of
from tools.git.source import GitSource

LONG = "words that say nothing " * 1_000
NAMES = "".join(f"setting_{number} = {number}\n" for number in range(200))
CODE = f'{NAMES}# Frobnicate before use\ngreet("Willkommen zurück")\n'
HIDDEN = ["frobnicate", "Willkommen zurück", "setting_190", "sidelong", "quagmire"]
"""A plain word, a string, a name behind the most distinctive ones, and the ends of long texts."""
OPENED = datetime(2026, 2, 3, tzinfo=UTC)
ISSUE = WorldIssue(7, "Long", f"{LONG} quagmire", "bo", OPENED, OPENED)
ALWAYS = Window.between("2000-01-01", "2099-01-01", "UTC", datetime(2099, 1, 1, tzinfo=UTC))


def made_clone(folder: Path) -> Clone:
    clone = Clone(folder)
    clone.commit("Begin", 0, router__py="MAX_ROUTES = 22\n")
    clone.commit(f"Add settings\n\n{LONG} sidelong", 9, settings__py=CODE)
    return clone


@asynccontextmanager
async def replies(folder: Path, clone: Clone, source: str, model: Answering) -> AsyncIterator[Any]:
    """Serve threads, and commits as well where the source is the API."""
    pushed = Push(datetime(2026, 2, 4, 10, tzinfo=UTC), Work(clone.folder).head())
    served = repo_from_mirror(clone.name, clone.folder / ".git", (ISSUE,))
    repo = Repo(**{**vars(served), "pushes": (pushed,)})
    spec = clone.spec if source == "both" else RepoSpec(name=RepoId(clone.name))
    with (
        GitHubServer([repo], tokens=("t",), now=NOW) as github,
        ModelServer(model, name="scripted", context=65_536) as server,
    ):
        near = {"github_url": github.url, "git_url": github.git_url, "token": SecretStr("t")}
        settings = settings_of(folder, server, spec, source=source, **near)
        async with asking_context(settings, {}, (spec,), NOW, QuietProgress()) as context:

            async def ask(question: str) -> Reply:
                reply = await answered(question, context)
                return ReplyPage(Web("https://x"), "UTC").written(reply)

            yield ask


def absent(*names: str) -> Answering:
    return Answering([], abstains=True, absent=names)


async def test_of_several_names_each_is_looked_for(tmp_path: Path) -> None:
    clone = made_clone(tmp_path / "code")
    names = ("zebra", "quokka", "frobnicate", "???")
    async with replies(tmp_path, clone, "both", absent(*names)) as ask:
        some = await ask("Is there such a thing?")
    assert re.findall("mentions `(.+?)`", some.answer) == ["zebra", "quokka"]
    async with replies(tmp_path, clone, "both", absent("zebra", "quokka")) as ask:
        all_absent = await ask("Is there such a thing?")
    assert re.findall("mentions `(.+?)`", all_absent.answer) == ["zebra", "quokka"]


@pytest.mark.parametrize("name", HIDDEN)
async def test_what_only_whole_commits_and_threads_hold_is_not_called_absent(
    tmp_path: Path, name: str
) -> None:
    clone = made_clone(tmp_path / "code")
    async with replies(tmp_path, clone, "both", absent(name, "zebra")) as ask:
        reply = await ask("Is there such a thing?")
    assert f"mentions `{name}`" not in reply.answer
    assert "No commit or thread mentions `zebra` in octo/router from 2026-01-29" in reply.answer
    assert "Comments below issues and pull requests were not searched." in reply.answer


async def test_names_written_together_are_not_called_absent_where_the_last_is_mentioned(
    tmp_path: Path,
) -> None:
    clone = made_clone(tmp_path / "code")
    names = ("old_limits/setting_190", "zebra/quokka")
    async with replies(tmp_path, clone, "both", absent(*names)) as ask:
        reply = await ask("Is there such a thing?")
    assert re.findall("mentions `(.+?)`", reply.answer) == ["zebra/quokka"]


async def test_without_a_clone_it_is_said_what_was_searched(tmp_path: Path) -> None:
    clone = made_clone(tmp_path / "code")
    async with replies(tmp_path, clone, "api", absent("frobnicate", "quagmire")) as ask:
        reply = await ask("Is there such a thing?")
        chinese = await ask("有这样的东西吗？")
    assert "No title, message or indexed name mentions `frobnicate` in octo/router" in reply.answer
    assert "The lines that changed were not searched" in reply.answer
    assert "没有标题、提交说明或已索引的名称提到 `frobnicate`" in chinese.answer
    # Threads are stored whole, whatever the source of commits is.
    assert "mentions `quagmire`" not in reply.answer


async def test_a_name_that_the_index_lacks_is_found_in_changed_lines(tmp_path: Path) -> None:
    clone = made_clone(tmp_path / "code")
    async with replies(tmp_path, clone, "both", absent()) as ask:
        reply = await ask("Who added setting_190?")
    assert "`setting_190`: 1 found by name." in reply.answer
    assert "Add settings" in reply.answer


async def test_a_number_is_looked_for_in_its_own_repository(tmp_path: Path) -> None:
    clone = made_clone(tmp_path / "code")
    clone.commit("Follow up on #4711", 10, router__py="MAX_ROUTES = 12\n")
    async with replies(tmp_path, clone, "both", absent()) as ask:
        own = await ask("What became of octo/router#4711?")
        foreign = await ask("What became of octo/switch#4711?")
    assert "`octo/router#4711`: 1 found by name." in own.answer
    assert "Follow up on" in own.answer
    assert "`octo/switch#4711`: not found by name in what was read." in foreign.answer


async def test_a_search_that_does_not_finish_says_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(absence_search, "_MAX_SECONDS", 0)
    clone = made_clone(tmp_path / "code")
    async with replies(tmp_path, clone, "both", absent("zebra")) as ask:
        reply = await ask("Who removed the_zebra?")
    assert "No commit or thread mentions" not in reply.answer
    assert "`the_zebra`: not found by name in what was read." in reply.answer


@pytest.mark.parametrize(
    ("name", "mentioning", "others"),
    [
        ("max routes", ["MAX_ROUTES = 1", "--max-routes", "maxRoutes"], ["max", "routes max"]),
        ("1.2", ["v1.2", "1-2"], ["12", "1.x2"]),
        ("c++", ["C++"], ["d"]),
        ("路由", ["新的路由器"], ["路 由"]),
    ],
)
async def test_a_pattern_means_the_same_in_git_and_in_python(
    work: Work, name: str, mentioning: Sequence[str], others: Sequence[str]
) -> None:
    pattern = mention_pattern(Named(kind="name", text=name))
    assert pattern is not None
    expected = []
    for number, text in enumerate(mentioning):
        expected.append(work.commit("x", {f"added{number}": f"{text}\n"}))
        expected.append(work.commit(f"x {text}"))
    for number, text in enumerate(others):
        work.commit(f"x {text}", {f"other{number}": f"{text}\n"})
    source = GitSource(RepoId("octo/router"), work.path)
    assert sorted((await source.commits_with(pattern, ALWAYS)).shas) == sorted(expected)


async def test_a_path_and_the_messages_of_a_merge_mention_something(work: Work) -> None:
    work.commit("Begin", {"a.py": "1\n"})
    with_path = work.commit("x", {"zebra/__init__.py": ""})
    work.git("checkout", "-q", "-b", "side")
    work.commit("Feed the zebra", {"b.py": "1\n"})
    work.git("checkout", "-q", "main")
    work.merge("side")
    source = GitSource(RepoId("octo/router"), work.path)
    mentions_in_git = await source.commits_with("zebra", ALWAYS)
    assert mentions_in_git.shas == (work.head(), with_path)
