"""Which pull request brought a commit."""

import re

from agent.domain.evidence import CommitEvidence, Evidence, ThreadEvidence

_SQUASHED = re.compile(r"\(#([1-9][0-9]{0,8})\)\s*$")
_MERGED = re.compile(r"Merge pull request #([1-9][0-9]{0,8})\b")


def pulls_of(evidence: Evidence) -> tuple[int, ...]:
    """List the numbers that the records and the message give, the surest first."""
    if isinstance(evidence, ThreadEvidence):
        return (evidence.thread.number,)
    if not isinstance(evidence, CommitEvidence):
        return ()
    commit = evidence.change.commit
    named = [form.search(commit.subject) for form in (_SQUASHED, _MERGED)]
    numbers = [evidence.pull, *(int(match[1]) for match in named if match)]
    return tuple(dict.fromkeys(number for number in numbers if number))
