"""What a model may choose from while it reads: the commits under handles, and what it was shown so far."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from agent.analyst import Assignment, ToolAnswer, ToolRequest, ToolSpec
from agent.briefs import answer_brief
from agent.prompting import fenced

_TABLE, _LATER = 60, 20
"""Rows that are shown at first, and of those not read yet in later turns."""
_QUIET = 6
"""So many commits can be explained one by one, also where the rules would read few of them in depth."""
_ANSWER, _ANSWERS = 1_500, 6_000
"""Characters of one answer and of all of them: what was read is shown again, and longer, when it is written about."""


class Menu:
    """The commits of one repository as a model sees them, after what it has read."""

    def __init__(self, assignment: Assignment, answers: Sequence[ToolAnswer] = ()) -> None:
        self._assignment = assignment
        self._answers = answers
        self._handles = {f"c{number}": one.sha for number, one in enumerate(assignment.table[:_TABLE], start=1)}
        self._weights = {one.sha: f"{one.tier.value} {one.score:.1f}" for one in assignment.table}

    @cached_property
    def unread(self) -> tuple[str, ...]:
        """The handles of which no diff was shown."""
        seen = {str(one.request.arguments.get("sha")) for one in self._answers if shows_diff(one)}
        return tuple(handle for handle, sha in self._handles.items() if sha not in seen)

    @cached_property
    def worthy(self) -> tuple[str, ...]:
        """Those of them that are worth reading in depth; on a quiet day that is everything."""
        return tuple(handle for handle in self.unread if self._handles[handle] in self._deep)

    def values(self, mark: str) -> dict[str, str]:
        """Fill the prompt: the table, or what is left of it, and what was read."""
        by_sha = {sha: handle for handle, sha in self._handles.items()}
        shown = _bounded(self._answers, mark)
        read = [f"{one.request.tool} {_told(one.request, by_sha)}:\n{text}" for one, text in shown]
        more = len(self.unread) - len(self._listed)
        rows = [*map(self.row, self._listed), *([f"and {more} lighter ones"] if more else [])]
        return {
            "table": fenced("\n".join(rows), mark),
            "deep": str(len(self._deep)),
            "answers": "\n".join(["What you have read so far:", *read]) if read else "",
        }

    def row(self, handle: str) -> str:
        """Write a commit as it stands in the table."""
        sha = self._handles[handle]
        return f"[{handle}] {self._weights[sha]} {self._assignment.titles[sha]}"

    def tools(self) -> list[ToolSpec]:
        """Describe the tools with the handles that have a diff: where schemas are kept to, there is no other.

        They are the same in every turn: tools stand before all else, and what begins alike is not read anew.
        """
        handles = list(self._handles)
        return [_closed(tool, handles) if tool.name == "get_diff" else tool for tool in self._assignment.tools]

    def resolve(self, request: ToolRequest) -> ToolRequest:
        """Put the hash in the place of a handle, and leave out what would be taken for granted."""
        arguments = {key: value for key, value in request.arguments.items() if (key, value) not in _GRANTED}
        if isinstance(sha := arguments.get("sha"), str):
            arguments["sha"] = self._handles.get(sha.strip("[] "), sha)
        return ToolRequest(request.tool, arguments)

    def fresh(self, wanted: Sequence[ToolRequest]) -> list[ToolRequest]:
        """Give what was not called before, each once: who asks for the same again would never end."""
        asked = {_key(self.resolve(one.request)) for one in self._answers}
        resolved = {_key(one): one for one in map(self.resolve, wanted)}
        return [one for key, one in resolved.items() if key not in asked]

    @cached_property
    def _deep(self) -> frozenset[str]:
        quiet = [one.sha for one in self._assignment.table] if len(self._assignment.table) <= _QUIET else []
        return frozenset((*self._assignment.allotment.deep, *quiet))

    @cached_property
    def _listed(self) -> tuple[str, ...]:
        return self.unread[:_LATER] if self._answers else self.unread


_GRANTED: tuple[tuple[str, Any], ...] = (("page", 1), ("file", ""), ("file", None), ("page", None))


def shows_diff(answer: ToolAnswer) -> bool:
    """Tell whether a diff was shown; a call that was refused shows nothing, and may name anything at all."""
    return answer.request.tool == "get_diff" and answer.text.startswith("page ")


def _closed(tool: ToolSpec, handles: Sequence[str]) -> ToolSpec:
    """Name the handles that a tool takes, where there are any."""
    fields: Mapping[str, Any] = tool.schema.get("properties", {})
    if not handles or "sha" not in fields:
        return tool
    sha = {**fields["sha"], "enum": list(handles)}
    return replace(tool, schema={**tool.schema, "properties": {**fields, "sha": sha}})


def _key(request: ToolRequest) -> tuple[str, str]:
    return request.tool, repr(sorted(request.arguments.items()))


def _told(request: ToolRequest, handles: dict[str, str]) -> str:
    """Name a call as the model made it: by handles."""
    return ", ".join(f"{key}={handles.get(str(value), value)}" for key, value in sorted(request.arguments.items()))


def _bounded(answers: Sequence[ToolAnswer], mark: str) -> list[tuple[ToolAnswer, str]]:
    """Fence what was answered, the newest as far as there is room; of the others only that they were read."""
    room, told = _ANSWERS, list[tuple[ToolAnswer, str]]()
    for one in reversed(answers):
        text = answer_brief(one.text, min(_ANSWER, room))
        room = max(0, room - len(text))
        told.append((one, fenced(text, mark)))
    return told[::-1]
