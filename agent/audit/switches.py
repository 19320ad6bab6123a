"""What is on and what is off in a change: cases, conditions, and what holds while nothing is set."""

import re
from collections.abc import Iterator, Sequence

from agent.audit.measures import fitting_paths
from agent.audit.paths import is_path
from agent.evidence import CommitEvidence

_CASES = re.compile(r"\b(?:cases?|tests?|lines?|parameters?|configs?)\b|用例|测试|参数", re.IGNORECASE)
_OFF = r"(?:disabled|switched off|turned off|off)\b|关闭|禁用|停用"
_ON = r"(?<!re-)(?<!re)(?:enabled|switched on|turned on|on)\b|开启|启用|打开"
_CASES_OFF = re.compile(
    r"\b(?:are|is|were|was|now|gets?) (?:now )?(?:disabled|commented out)\b|被?注释掉|被?禁用|被?停用"
)
_CASES_ON = re.compile(r"\bre-?enabled?s?\b|\buncomment(?:s|ed)\b|重新(?:启用|打开|开启)|取消注释|恢复", re.IGNORECASE)
_CODE = re.compile(r"`([^`]+)`")
_REMARK = re.compile(r"^(?:#|//)\s*(?=\S)")
_NAME = r"[A-Za-z][\w -]{3,60}?"
_ONLY_WHEN = re.compile(
    rf"[仅只][在当]\s*(?:(?P<off>关闭|禁用|停用|未启用)|开启|启用|打开)\s*`?(?P<name>{_NAME})`?\s*(?:时|的情况)"
    rf"|\bonly (?:when|if|while) (?:the )?`?(?P<name_en>{_NAME})`? is (?:(?P<off_en>off|disabled)|on|enabled)\b",
    re.IGNORECASE,
)
_UNSET = re.compile(r"未设置|没有设置|不设置|\b(?:unset|not set|left out)\b", re.IGNORECASE)
_BY_DEFAULT = re.compile(
    rf"默认(?:为|是|被)?(?:(?P<off>{_OFF})|(?P<on>{_ON}))|\b(?:(?P<off_en>{_OFF})|(?P<on_en>{_ON})) by default",
    re.IGNORECASE,
)
_IF_UNSET = re.compile(r"^\+\s*if [^\n]* is None:\n\+\s*return (True|False)\b", re.MULTILINE)


def switched_otherwise(text: str, commits: Sequence[CommitEvidence]) -> str:
    """Say what of a sentence is on in the change and off in the words, or the reverse."""
    if any(one.change.unreadable or one.change.incomplete for one in commits):
        return ""
    return _other_cases(text, commits) or _other_condition(text, commits) or _other_default(text, commits)


def _patches(text: str, commits: Sequence[CommitEvidence]) -> Iterator[str]:
    """Give the patches of the files that a sentence names, or of all."""
    files = [file for one in commits for file in one.change.files]
    paths = [name for name in _CODE.findall(text) if is_path(name)]
    named = {path for name in paths for path in fitting_paths(name, [file.path for file in files])}
    yield from (file.patch or "" for file in files if not named or file.path in named)


def _other_cases(text: str, commits: Sequence[CommitEvidence]) -> str:
    """Find lines that were made remarks, or were remarks before, where cases are told to have gone the other way."""
    off, on = _CASES_OFF.search(text), _CASES_ON.search(text)
    if not _CASES.search(text) or bool(off) == bool(on):
        return ""
    silenced, woken = 0, 0
    for patch in _patches(text, commits):
        come, gone = ({" ".join(line[1:].split()) for line in patch.split("\n") if line[:1] == sign} for sign in "+-")
        silenced += sum(_REMARK.sub("", line) in gone - come for line in come if _REMARK.match(line))
        woken += sum(_REMARK.sub("", line) in come - gone for line in gone if _REMARK.match(line))
    if off and woken and not silenced:
        return f"{woken} lines that were remarks are code again"
    return f"{silenced} lines of code are remarks now" if on and silenced and not woken else ""


def _other_condition(text: str, commits: Sequence[CommitEvidence]) -> str:
    """Find conditions that ask for the opposite of what a sentence says something happens under alone."""
    for found in _ONLY_WHEN.finditer(text):
        name = re.escape(re.sub(r"\W+", "_", (found["name"] or found["name_en"]).strip().lower()))
        asked = re.compile(
            rf"\bif\b[^\n]*?(?P<no>\bnot |!)?(?:\w+(?:\.|->))*(?P<off>disable_)?(?:enable_|use_)?{name}\b"
        )
        lines = [line for patch in _patches("", commits) for line in patch.split("\n") if line[:1] in "+ "]
        rows = [(bool(one["no"]) != bool(one["off"]), line) for line in lines if (one := asked.search(line.lower()))]
        off = bool(found["off"] or found["off_en"])
        if rows and all(negated != off for negated, _ in rows):
            return f"the change asks for the opposite: {rows[0][1].strip('+ ')[:120]}"
    return ""


def _other_default(text: str, commits: Sequence[CommitEvidence]) -> str:
    """Find what is returned while nothing is set, where a sentence says the opposite of it."""
    found = _BY_DEFAULT.search(text) if _UNSET.search(text) else None
    if found is None:
        return ""
    on = bool(found["on"] or found["on_en"])
    given = {value for patch in _patches(text, commits) for value in _IF_UNSET.findall(patch)}
    return f"unset, it is {given.pop()} in the change" if given == {str(not on)} else ""
