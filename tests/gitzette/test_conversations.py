"""Conversations: one that is cut short stays with its last answer."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

import pytest

from agent.asking.reply import Reply
from agent.errors import InputError
from agent.settings import RepoSpec, Settings
from agent.web import Web
from gitzette.asking import asking_context
from gitzette.cited_evidence import CitedEvidence
from gitzette.progress import QuietProgress
from gitzette.replies import ReplyPage
from graphs.ask_context import AskContext
from graphs.conversing import Conversations, open_conversations

NOW = datetime(2026, 2, 5, 12, tzinfo=UTC)


class Engine(Protocol):
    """The clone of the fixture."""

    folder: Path


class Stop(Exception):
    """Somebody who does not want to wait."""


class Impatient(QuietProgress):
    """Stops whatever reads commits."""

    def step(self, repo: str, what: str, done: int = 0, total: int = 0) -> None:
        raise Stop


@pytest.fixture
async def deps(engine: Engine, corner: Path) -> AsyncIterator[AskContext]:
    spec = RepoSpec.parse(f"acme/engine={engine.folder}")
    settings = Settings(repos=(spec,), home=corner)
    async with asking_context(settings, {}, settings.repos, NOW, QuietProgress()) as opened:
        yield opened


@pytest.fixture
async def conversations(corner: Path, deps: AskContext) -> AsyncIterator[Conversations]:
    async with open_conversations(corner) as opened:
        yield opened


async def said(conversations: Conversations, question: str, deps: AskContext) -> str:
    """Ask, and give the answer."""
    events = [event async for event in conversations.ask("t", question, deps.for_question())]
    assert "evidence" in events[0]
    reply = events[-1]
    assert isinstance(reply, Reply)
    return ReplyPage(Web("https://x"), "UTC").written(reply).answer


async def test_a_question_that_is_cut_short_leaves_the_conversation_with_its_last_answer(
    conversations: Conversations, deps: AskContext
) -> None:
    await said(conversations, "what changed in MAX_ROUTES on 2026-02-04?", deps)
    before = await conversations.standing("t")
    hasty = replace(deps.for_question(), reader=replace(deps.reader, progress=Impatient()))
    with pytest.raises(Stop):
        async for _ in conversations.ask("t", "what changed in MAX_ROUTES on 2026-02-03?", hasty):
            pass
    assert await conversations.standing("t") == before
    assert "Grace" in await said(conversations, "who wrote MAX_ROUTES?", deps)
    assert len((await conversations.standing("t")).turns) == 2


async def test_the_first_question_may_be_cut_short(conversations: Conversations, deps: AskContext) -> None:
    hasty = replace(deps.for_question(), reader=replace(deps.reader, progress=Impatient()))
    with pytest.raises(Stop):
        async for _ in conversations.ask("t", "what changed on 2026-02-03?", hasty):
            pass
    assert (await conversations.standing("t")).turns == ()
    assert "Raise the limit" in await said(conversations, "what changed on 2026-02-03?", deps)


async def test_a_citation_of_a_repository_that_is_not_at_hand_says_what_to_do(deps: AskContext) -> None:
    cited = CitedEvidence(deps, deps.specs, Web("https://x"), "UTC")
    with pytest.raises(InputError, match="begin the conversation with --repo octo/other"):
        await cited.lines(f"octo/other@{'0' * 40}")
