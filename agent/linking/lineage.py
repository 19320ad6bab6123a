"""Which commits take something back, by what their messages call themselves."""

import re

from agent.domain import Commit

_REVERT = re.compile(r'^(?:\[[^\]]{1,30}\]\s*)*revert(?:ed|s|ing)?\b[\s:"“\']*', re.IGNORECASE)
_UNDONE = re.compile(r"^This reverts commit [0-9a-f]{7,40}", re.MULTILINE)


def is_revert(commit: Commit) -> bool:
    """Tell whether a commit undoes another one; the revert of a revert brings back what was undone."""
    title, depth = commit.title, 0
    while found := _REVERT.match(title):
        depth, title = depth + 1, title[found.end() :]
    if depth:
        return depth % 2 == 1
    return bool(_UNDONE.search(commit.message)) and not re.match(r"\W*re-?(?:land|apply)", commit.title, re.IGNORECASE)
