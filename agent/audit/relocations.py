"""Names that a change moves from one file to another, and sentences that move them back."""

import re
from collections.abc import Sequence

from agent.audit.measures import fitting_paths
from agent.audit.paths import is_path
from agent.evidence import CommitEvidence

_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        r"\bfrom (?:the )?`(?P<old>[^`]+)` (?:over |out )?(?:in)?to (?:the )?`(?P<new>[^`]+)`",
        r"\b(?:in)?to (?:the )?`(?P<new>[^`]+)`,? (?:out )?(?:of|from) (?:the )?`(?P<old>[^`]+)`",
        r"(?:由|从)\s*`(?P<old>[^`]+)`\s*(?:中|里)?\s*(?:[移迁搬挪][动移]?|拆分?|转移|抽)(?:出)?[到至入进]\s*`(?P<new>[^`]+)`",
        r"`(?P<old>[^`]+)`\s*(?:→|⟶|->|=>)\s*`(?P<new>[^`]+)`",
    )
)
_CODE = re.compile(r"`([^`]+)`")
_NAME = re.compile(r"[A-Za-z_][\w.:]{3,}")


def moved_back(text: str, commits: Sequence[CommitEvidence]) -> str:
    """Say that names went from the second file of a sentence to the first; nothing where the diff does not show it."""
    if any(one.change.unreadable or one.change.incomplete for one in commits):
        return ""
    for old, new in ((found["old"], found["new"]) for form in _FORMS for found in form.finditer(text)):
        if not (is_path(old) and is_path(new)) or old == new:
            continue
        names = [name.removesuffix("()") for name in _CODE.findall(text) if not is_path(name)]
        for name in (one.rpartition(".")[2] for one in names if _NAME.fullmatch(one)):
            left, right = (sum(_balance(one, path, name) for one in commits) for path in (old, new))
            if left > 0 > right:
                return f"{name} goes from {new} to {old}, not the other way round"
    return ""


def _balance(commit: CommitEvidence, path: str, name: str) -> int:
    """Count on how many more lines of a file a name is added than removed."""
    meant = fitting_paths(path, commit.paths)
    form = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    lines = [line for file in commit.change.files if file.path in meant for line in (file.patch or "").split("\n")]
    return sum((line[:1] == "+") - (line[:1] == "-") for line in lines if form.search(line))
