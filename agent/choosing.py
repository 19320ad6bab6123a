"""How a model chooses what to read: freely by tools, and a small one, or one that is lost, from a closed list."""

from collections.abc import Sequence
from functools import cache

from pydantic import BaseModel, create_model

from agent.analyst import Assignment, ToolAnswer, ToolRequest
from agent.ids import RepoId
from agent.menu import Menu, shows_diff
from agent.model import AMPLE_ROOM, Message, ModelError, Models
from agent.prompting import fenced, prompt
from agent.utterances import handles_field

_AT_ONCE = 12
"""Calls of tools that one turn may make; a model that storms is cut, not obeyed."""


class Choice(BaseModel):
    """The commits that a model wants to read."""

    read: list[str]


@cache
def choice_of(handles: tuple[str, ...]) -> type[Choice]:
    """Make the shape of a choice from these handles: at least one of them, and nothing else can be said."""
    return create_model("Choice", __base__=Choice, read=(list[str], handles_field(handles, "the most important first")))


class Chooser:
    """Asks a model what to read next; a ModelError where it chose nothing that can be read."""

    def __init__(self, models: Models, mark: str) -> None:
        self._models = models
        self._mark = mark
        self._listed: set[RepoId] = set()
        """Where the closed list was shown; once is enough."""

    async def next_calls(
        self, system: Message, assignment: Assignment, answers: Sequence[ToolAnswer]
    ) -> Sequence[ToolRequest]:
        """Give what the model asks for and has not seen; nothing ends the reading."""
        menu = Menu(assignment, answers)
        listed = assignment.repo in self._listed
        if await self._models.room("reading") < AMPLE_ROOM:
            # A small model calls one tool a turn and loses its way; one look at the list costs it a fifth of that.
            return () if listed else await self._by_list(system, menu, assignment)
        try:
            wanted = await self._by_tools(system, menu, assignment)
        except ModelError as error:
            # Whoever cannot call tools can still choose from a list; whoever is away cannot.
            if error.retryable:
                raise
            if listed:
                return ()
            return await self._by_list(system, menu, assignment)
        if (fresh := menu.fresh(wanted)[:_AT_ONCE]) or not menu.worthy:
            return fresh
        # To call nothing after having read is to have read enough; to ask for the same again is to be lost.
        lost = bool(wanted) or not any(map(shows_diff, answers))
        return await self._by_list(system, menu, assignment) if lost and not listed else ()

    async def _by_tools(self, system: Message, menu: Menu, assignment: Assignment) -> Sequence[ToolRequest]:
        user = prompt("investigate", menu.values(self._mark))
        model = self._models.get("reading", assignment.repo)
        return await model.call_tools([system, Message("user", user)], menu.tools())

    async def _by_list(self, system: Message, menu: Menu, assignment: Assignment) -> Sequence[ToolRequest]:
        """Let it choose from what is unread and worth reading; a choice outside of the list is none."""
        self._listed.add(assignment.repo)
        rows = menu.worthy or menu.unread
        if not rows:
            return ()
        table = fenced("\n".join(menu.row(handle) for handle in rows), self._mark)
        user = prompt("choose", {"table": table, "handles": ", ".join(rows)})
        model = self._models.get("reading", assignment.repo)
        choice = await model.fill([system, Message("user", user)], choice_of(rows))
        chosen = [one for name in choice.read if (one := name.strip("[] ")) in rows]
        if not chosen:
            raise ModelError("it chose nothing that can be read")
        return [menu.resolve(ToolRequest("get_diff", {"sha": one})) for one in dict.fromkeys(chosen)][:_AT_ONCE]
