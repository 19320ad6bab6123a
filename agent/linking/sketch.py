"""What a diff touches, reduced to the words that an issue might name."""

import re
from dataclasses import dataclass

from agent.domain import Change
from agent.linking.terms import alarms, code_terms, terms

_MOST_OF_A_FILE, _MOST = 8_000, 60_000
_BESIDE = re.compile(
    r"(?:^|/)(?:tests?|docs?|\.github|\.buildkite|ci)/|(?:^|/)(?:test_[^/]*|[^/]*_test\.\w+)$|\.(?:md|rst)$"
)
_QUOTED = re.compile(r"[\"'].{8,}")


@dataclass(frozen=True)
class Sketch:
    """The words of one diff."""

    words: frozenset[str]
    """Stems of everything on the changed lines, in the names of the functions around them and in the paths."""
    names: frozenset[str]
    """Names of code, flags, variables and files."""
    alarms: frozenset[str] = frozenset()
    """What messages of errors say on the changed lines."""
    beside: bool = False
    """Tells that only tests, documents or workflows changed: that mends no flaw of the code."""


def sketch(change: Change) -> Sketch:
    """Read the paths and as much of the patches as a person would."""
    changed, room = [], _MOST
    for file in change.files:
        patch = (file.patch or "")[: min(room, _MOST_OF_A_FILE)]
        room -= len(patch)
        changed += [
            line[1:] if line[:1] in "+-" else line.rpartition("@@")[2]
            for line in patch.split("\n")
            if line[:1] in "+-@"
        ]
        if room <= 0:
            break
    paths = " ".join(file.path for file in change.files[:300])
    text = "\n".join(changed)
    spoken = "\n".join(line for line in changed if _QUOTED.search(line))
    flags = frozenset(found.replace("-", "_") for found in re.findall(r"[\"']--([a-z][a-z0-9-]{2,})", text))
    return Sketch(
        words=_cut_terms(f"{paths}\n{text}"),
        names=code_terms(paths) | _all_names(text) | flags,
        alarms=alarms(spoken),
        beside=bool(change.files) and all(_BESIDE.search(file.path) for file in change.files),
    )


def _all_names(text: str) -> frozenset[str]:
    return frozenset(name.lower() for name in re.findall(r"[A-Za-z_]\w{3,60}", text))


def _cut_terms(text: str) -> frozenset[str]:
    """Read a long text in pieces: terms look at the head of a text only."""
    found: frozenset[str] = frozenset()
    for start in range(0, len(text), 20_000):
        found |= terms(text[start : start + 20_000])
    return found
