"""What a model may choose from while it reads: the commits under handles, and what it was shown so far."""

from collections.abc import Sequence

from agent.analyst import Assignment, ToolAnswer, ToolRequest
from agent.briefs import answer_brief
from agent.prompting import fenced

_TABLE, _LATER = 60, 20
"""Rows that are shown at first, and of those not read yet in later turns."""
_ANSWER, _ANSWERS = 1_500, 6_000
"""Characters of one answer and of all of them: what was read is shown again, and longer, when it is written about."""


class Menu:
    """The commits of one repository as a model sees them."""

    def __init__(self, assignment: Assignment) -> None:
        self._assignment = assignment
        self._handles = {f"c{number}": one.sha for number, one in enumerate(assignment.table[:_TABLE], start=1)}

    def values(self, answers: Sequence[ToolAnswer], mark: str) -> dict[str, str]:
        """Fill the prompt: the table, or what is left of it, and what was read."""
        by_sha = {sha: handle for handle, sha in self._handles.items()}
        read = [f"{one.request.tool} {_told(one.request, by_sha)}:\n{text}" for one, text in _bounded(answers, mark)]
        return {
            "table": fenced("\n".join(self._rows(answers)), mark),
            "deep": str(len(self._assignment.allotment.deep)),
            "answers": "\n".join(["What you have read so far:", *read]) if read else "",
        }

    def resolve(self, request: ToolRequest) -> ToolRequest:
        """Put the hash in the place of a handle."""
        arguments = dict(request.arguments)
        if isinstance(sha := arguments.get("sha"), str):
            arguments["sha"] = self._handles.get(sha.strip("[] "), sha)
        return ToolRequest(request.tool, arguments)

    def _rows(self, answers: Sequence[ToolAnswer]) -> list[str]:
        weights = {one.sha: f"{one.tier.value} {one.score:.1f}" for one in self._assignment.table}
        seen = {str(one.request.arguments.get("sha")) for one in answers if shows_diff(one)}
        unread = [(handle, sha) for handle, sha in self._handles.items() if sha not in seen]
        shown = unread[:_LATER] if answers else unread
        rows = [f"[{handle}] {weights[sha]} {self._assignment.titles[sha]}" for handle, sha in shown]
        more = len(unread) - len(shown)
        return [*rows, *([f"and {more} lighter ones"] if more else [])]


def shows_diff(answer: ToolAnswer) -> bool:
    """Tell whether a diff was shown; a call that was refused shows nothing, and may name anything at all."""
    return answer.request.tool == "get_diff" and answer.text.startswith("page ")


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
