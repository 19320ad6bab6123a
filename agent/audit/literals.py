"""Lists and types that the change writes out, and sentences that have one of them otherwise."""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from agent.evidence import CommitEvidence

_NAMES = re.compile(r"`\w{3,40}`(?:\s*(?:[、,，]|\band\b|\bor\b|[和与及或])\s*(?:and\s+)?`\w{3,40}`)+")
_CODE = re.compile(r"`(\w+)`")
_LIST = re.compile(r"[\[({]([^\[\](){}\n]{5,400})[\])}]")
_STRING = re.compile(r"[\"'](\w+)[\"']")
_ALIKE, _MANY = 0.6, 3
# What something is made or reckoned in; a type that is only spoken of need not be written.
_TYPE = re.compile(
    r"(?:改为?用?|使用|[用为以成]|\b(?:to|in|as|uses?|using|an?|with))\s*(?P<type>(?P<kind>float|fp|uint|int)(?P<bits>16|32|64))(?!\w)",
    re.IGNORECASE,
)
_BROKEN = {"16": r"|\bhalf", "32": r"|\bfloat\b", "64": r"|\bdouble"}
_ENTIRE = {"16": r"|\bshort\b", "32": r"|\bint\b|\bunsigned\b", "64": r"|\blong\b|\bs?size_t\b"}


def written_otherwise(text: str, commits: Sequence[CommitEvidence]) -> str:
    """Say which list or type of the change a sentence has otherwise; nothing where it does not show."""
    if any(one.change.unreadable or one.change.incomplete for one in commits):
        return ""
    return _other_member(text, commits) or _other_type(text, commits)


def _other_member(text: str, commits: Sequence[CommitEvidence]) -> str:
    """Find a list of strings that has all names of a sentence but for one, which stands nowhere."""
    for found in _NAMES.finditer(text):
        names = _CODE.findall(found[0])
        missing = [name for name in names if not _stands(name, commits)]
        if len(missing) != 1:
            continue
        for real in _lists(commits):
            other = [name for name in real if name not in names]
            if len(real) != len(names) or len(other) != 1:
                continue
            part = missing[0] in other[0] or other[0] in missing[0]
            alike = SequenceMatcher(None, other[0], missing[0], autojunk=False).ratio() >= _ALIKE
            if part or alike or len(names) >= _MANY:
                return f"the change lists {', '.join(real)}, not {missing[0]}"
    return ""


def _stands(name: str, commits: Sequence[CommitEvidence]) -> bool:
    form = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    return any(form.search(shown) for one in commits for shown in one.texts)


def _lists(commits: Sequence[CommitEvidence]) -> Iterator[list[str]]:
    lines = (line for one in commits for file in one.change.files for line in (file.patch or "").split("\n"))
    for line in lines:
        if line[:1] == "+":
            yield from (_STRING.findall(found[1]) for found in _LIST.finditer(line))


def _other_type(text: str, commits: Sequence[CommitEvidence]) -> str:
    """Find a number of so many bits told as whole or as broken, where the change has only the other kind."""
    shown = "\n".join(part for one in commits for part in one.texts)
    for found in _TYPE.finditer(text):
        bits = found["bits"]
        broken, entire = (
            re.compile(form, re.IGNORECASE)
            for form in (rf"(?:float|fp|\bf)_?{bits}{_BROKEN[bits]}", rf"(?:int|\b[iu]){bits}{_ENTIRE[bits]}")
        )
        said, other = (entire, broken) if found["kind"].lower().endswith("int") else (broken, entire)
        if not said.search(shown) and (real := other.search(shown)):
            return f"the change has {real[0]}, not {found['type']}"
    return ""
