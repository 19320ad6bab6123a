"""A commit that our own code stumbles over costs itself its facts, and nobody else anything."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from agent.browser_urls import Web
from agent.domain.base import RepoId
from agent.domain.commits import Change, FileChange
from agent.domain.report import Report
from agent.domain.window import Window
from agent.ports import RepositorySources
from agent.questions_and_replies import Reply
from agent.settings.values import RepoSpec, Settings
from gitzette.commands.ask import asking_context
from gitzette.reply_pages import ReplyPage
from gitzette.terminal_output import QuietProgress
from gitzette.wiring import open_services
from graphs import daily
from graphs.ask_conversations import answered
from graphs.state import DayInput
from tests.made_repos import Work
from tools.git.source import GitSource

REPO = RepoId("acme/engine")
WHY = "its facts could not be found (RuntimeError: nobody thought of this)"
DAY = Window.days(date(2026, 2, 4), date(2026, 2, 4), "UTC")
NOW = datetime(2026, 2, 5, 6, tzinfo=UTC)


class Trap(str):
    """A patch that cannot be taken apart."""

    __slots__ = ()

    def startswith(self, *_: object) -> bool:
        """Fail as a bug of ours would."""
        raise RuntimeError("nobody thought of this")


class SpoilingSource:
    """A clone of which one commit has a patch that our code stumbles over."""

    def __init__(self, code: GitSource, spoilt: str) -> None:
        self._code = code
        self._spoilt = spoilt

    def __getattr__(self, name: str) -> Any:
        return getattr(self._code, name)

    async def changes(self, shas: Sequence[str]) -> AsyncIterator[Change]:
        """Yield the commits, one of them spoilt."""
        async for change in self._code.changes(shas):
            if change.commit.sha == self._spoilt:
                files = [
                    FileChange.model_construct(**dict(file) | {"patch": Trap(file.patch)})
                    for file in change.files
                ]
                change = change.model_copy(update={"files": tuple(files)})
            yield change


class SpoilingRepositories:
    """Opens the same clone for every repository."""

    def __init__(self, sources: RepositorySources) -> None:
        self._sources = sources

    async def open(self, spec: RepoSpec) -> RepositorySources:
        """Return the clone."""
        del spec
        return self._sources


async def ask_about(work: Work, spoilt: str, folder: Path, question: str) -> Reply:
    """Ask a question without a model."""
    spec = RepoSpec.model_validate(f"{REPO}={work.path}")
    settings = Settings(repos=(spec,), source="git", out=folder / "out", home=folder / "home")
    async with asking_context(settings, {}, (spec,), NOW, QuietProgress()) as context:
        sources = await context.repositories.open(spec)
        assert isinstance(sources.code, GitSource)
        spoiling: Any = SpoilingSource(sources.code, spoilt)
        repositories = SpoilingRepositories(replace(sources, code=spoiling))
        reader = replace(context.reader, repositories=repositories)
        reply = await answered(
            question, replace(context, repositories=repositories, reader=reader, bound=DAY)
        )
    return ReplyPage(Web("https://github.com"), "UTC").written(reply)


async def report_on(work: Work, spoilt: str, folder: Path) -> Report:
    """Report on the day with the rules."""
    spec = RepoSpec.model_validate(f"{REPO}={work.path}")
    settings = Settings(repos=(spec,), source="git", out=folder / "out", home=folder / "home")
    async with open_services(settings, {}, NOW, specs=(spec,)) as services:
        sources = await services.context.repositories.open(spec)
        assert isinstance(sources.code, GitSource)
        spoiling: Any = SpoilingSource(sources.code, spoilt)
        context = replace(
            services.context, repositories=SpoilingRepositories(replace(sources, code=spoiling))
        )
        begun = DayInput(window=DAY, specs=(spec,))
        state = await daily.build().ainvoke(begun, context=context)
    report: Report = state["report"]
    return report


async def test_a_commit_whose_facts_cannot_be_found_is_named_and_the_others_are_told(
    work: Work, tmp_path: Path
) -> None:
    work.commit("Begin", {"limits.py": "MAX_ROUTES = 8\n", "other.py": "SIZE = 1\n"}, at=NOW)
    spoilt = work.commit("Change the size", {"other.py": "SIZE = 2\n"}, at=DAY.start)
    sound = work.commit("Lower the limit", {"limits.py": "MAX_ROUTES = 4\n"}, at=DAY.start)
    report = await report_on(work, spoilt, tmp_path)
    assert {row.sha for row in report.ledger} == {spoilt, sound}
    (failure,) = report.failures
    assert (failure.repo, failure.stage) == (REPO, "facts")
    assert failure.message == f"{spoilt[:12]}: {WHY}"
    texts = [claim.text["en"] for claim in report.claims if f"{REPO}@{sound}" in claim.about]
    assert texts == ["`MAX_ROUTES` changes from `8` to `4`."]
    page = next((tmp_path / "out").rglob("*.md")).read_text("utf-8")
    assert f"what a commit changes could not be told: `{spoilt[:12]}: {WHY}`" in page


async def test_a_commit_whose_facts_cannot_be_found_ends_no_question_and_is_named_in_each_answer(
    work: Work, tmp_path: Path
) -> None:
    limits = "MAX_ROUTES = 8\n"
    work.commit("Begin", {"limits/__init__.py": limits, "other.py": "def f(): ...\n"}, at=NOW)
    spoilt = work.commit("Drop a function", {"other.py": "SIZE = 2\n"}, at=DAY.start)
    work.commit("Lower the limit", {"limits/__init__.py": "MIN_ROUTES = 4\n"}, at=DAY.start)
    for _ in range(2):
        reply = await ask_about(work, spoilt, tmp_path, "is:breaking")
        assert not reply.abstained
        assert reply.failures == (f"{REPO}@{spoilt[:12]}: {WHY}",)
        assert f"Not everything could be read: `{REPO}@{spoilt[:12]}: {WHY}`." in reply.answer
        assert "Lower the limit" in reply.answer
