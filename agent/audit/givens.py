"""What a change gives a name: its default, its arguments, how many values it yields; and sentences that differ."""

import re
from collections.abc import Iterator, Sequence

from agent.audit.scopes import value_of
from agent.evidence import CommitEvidence

_NAME = r"`(?:--)?(?P<name>[A-Za-z_][\w.-]*)`"
_VALUE = r"(?P<q>`?)(?P<value>[\"']?[A-Za-z0-9_.+-]*[A-Za-z0-9_][\"']?)(?P=q)"
_DEFAULTS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"{_NAME}\s*[,(（，]\s*{_VALUE} by default\b",
        rf"{_NAME}\s*[,(（，]?\s*(?:which |that )?(?:now )?defaults? to {_VALUE}(?=[\s.,;)]|$)",
        rf"{_NAME}\s*[(（](?:by )?default(?:s to|ing to| is|:)? {_VALUE}(?=[)）,;])",
        rf"\bdefault (?:value )?of {_NAME} is (?:now )?{_VALUE}(?=[\s.,;)]|$)",
        rf"{_NAME}\s*[，,（(]?\s*默认(?:值)?(?:为|是|取)?\s*{_VALUE}(?=[\s，。；、)）]|$)",
        rf"{_NAME}\s+(?:is|stays|remains) (?:now )?{_VALUE} by default\b",
        rf"{_NAME}\s*[，,（(]?\s*默认(?:是|为|保持|被)?(?P<value>开启|启用|打开|关闭|禁用|停用)",
    )
)
# A list of names with what each of them is in brackets.
_DEFAULTS_FOLLOW = re.compile(r"\bdefaults?\b[^`.;。；]{0,24}[:：]|默认值[^`。；]{0,12}[:：]", re.IGNORECASE)
_VALUED = re.compile(rf"{_NAME}\s*[(（]\s*{_VALUE}\s*[)）]")
_SWITCH = dict.fromkeys(("on", "enabled", "开启", "启用", "打开"), "True") | dict.fromkeys(
    ("off", "disabled", "关闭", "禁用", "停用"), "False"
)
_SWITCHED = {"true", "false"}
_GIVEN = r"(?<![\w.]){0}[\"']?\s*(?::[^=\n,()]{{0,60}})?(?<![=!<>])=(?!=)\s*(?P<value>[\"'][^\"'\n]*[\"']|[\w.+-]+)"
_DEFINED = r"(?:^|[\s(,]){0}\s*:[^=\n,()]{{0,60}}=(?!=)|\bdef \w+\([^\n]*\b{0}\s*="
# Variables of the environment: made by a call that gets the default, or asked for by name with one beside it.
_VARIABLE = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_ASKED = (
    r"(?<![\w\"']){0}\s*(?::[^=\n,()]{{0,60}})?=\s*[A-Za-z_][\w.]*\(\s*(?P<value>[\"'][^\"'\n]*[\"']|[\w.+-]+)\s*\)"
    r"|[\"']{0}[\"']\s*,\s*(?P<second>[\"'][^\"'\n]*[\"']|[\w.+-]+)\s*[,)]"
)
_LITERAL = re.compile(r"true|false|none|null|nullptr|[\"'].*[\"']|-?\d[\d_.]*", re.IGNORECASE)
_LIST = re.compile(
    r"(?P<values>\d+(?:(?:\s*,\s*|\s+and\s+|\s*,\s*and\s+)\d+)+)(?:\s+[a-z]+){0,3}\s+(?:through|via|with|using)"
    r" (?:the )?`@?(?P<name>[A-Za-z_][\w.]*)(?:\(\))?`"
)
_YIELDS = re.compile(
    r"`(?P<name>[A-Za-z_][\w.]*)(?:\(\))?` (?:now )?(?:returns|yields|gives back) (?P<new>[a-z]+|\d) values?"
    r" (?:instead of|rather than) (?P<old>[a-z]+|\d)\b"
    r"|`(?P<zh>[A-Za-z_][\w.]*)(?:\(\))?`\s*(?:现在)?(?:返回值)?由\s*(?P<oldzh>[\d一二两三四五六七八九])\s*个(?:返回值|值)?"
    r"(?:变|改)[为成]\s*(?P<newzh>[\d一二两三四五六七八九])\s*个"
)
_UNPACKED = (
    r"^(?P<sign>[+-])\s*\(?(?P<left>[A-Za-z_*][\w.\[\]*]*(?:\s*,\s*[A-Za-z_*][\w.\[\]*]*)*)\)?\s*=\s*[^=\n]*?\b{0}\("
)


def given_otherwise(text: str, commits: Sequence[CommitEvidence]) -> str:
    """Say which name of a sentence is given something else in the change; nothing where it does not show."""
    if any(one.change.unreadable or one.change.incomplete for one in commits):
        return ""
    return _other_default(text, commits) or _other_arguments(text, commits) or _other_yield(text, commits)


def _lines(commits: Sequence[CommitEvidence], signs: str) -> Iterator[str]:
    for one in commits:
        for file in one.change.files:
            yield from (line for line in (file.patch or "").split("\n") if line[:1] in signs)


def _other_default(text: str, commits: Sequence[CommitEvidence]) -> str:
    """Find a default that the name never has, where the change defines it with another one."""
    for name, value in _stated_defaults(text):
        switch = _SWITCH.get(value.lower(), "")
        if not switch and not _LITERAL.fullmatch(value):
            continue
        given = _defaults_of(name, commits)
        literal = {one for one in given if _LITERAL.fullmatch(one)}
        known = {_plain(one) for one in given}
        if switch and not known <= _SWITCHED:
            # Something else than a switch, which may be on by another value.
            continue
        if literal and _plain(switch or value) not in known:
            return f"the change gives {name} {' or '.join(sorted(literal)[:3])}, not {value}"
    return ""


def _stated_defaults(text: str) -> Iterator[tuple[str, str]]:
    """Find names and what they are said to be by default, one by one or in a list."""
    yield from ((found["name"], found["value"]) for form in _DEFAULTS for found in form.finditer(text))
    if follow := _DEFAULTS_FOLLOW.search(text):
        yield from ((found["name"], found["value"]) for found in _VALUED.finditer(text, follow.end()))


def _defaults_of(stated: str, commits: Sequence[CommitEvidence]) -> set[str]:
    """Find what the lines behind a change give a name where it is defined, or asked of the environment."""
    name = re.escape(stated.rpartition(".")[2].replace("-", "_"))
    lines = [line[1:] for line in _lines(commits, "+ ")]
    # Calls hand over what they like.
    defining = [line for line in lines if re.search(_DEFINED.format(name), line)]
    given = {value["value"] for line in defining for value in re.finditer(_GIVEN.format(name), line)}
    if _VARIABLE.fullmatch(stated):
        asked = (one for line in lines for one in re.finditer(_ASKED.format(name), line))
        given |= {one["value"] or one["second"] for one in asked}
    return given


def _plain(value: str) -> str:
    return value.strip("`\"'").replace("_", "").lower()


def _other_arguments(text: str, commits: Sequence[CommitEvidence]) -> str:
    """Find numbers that are said to be handed to a name and are in none of its calls."""
    for found in _LIST.finditer(text):
        name = re.escape(found["name"].rpartition(".")[2])
        calls = [line for line in _lines(commits, "+ ") if re.search(rf"\b{name}\(.*\d", line)]
        known = [set(re.findall(r"\d+", line.partition("(")[2])) for line in calls]
        said = re.findall(r"\d+", found["values"])
        if known and not any(set(said) <= one for one in known):
            return f"the change has {calls[0].strip('+ ')[:120]}, not {found['values']}"
    return ""


def _other_yield(text: str, commits: Sequence[CommitEvidence]) -> str:
    """Find how many names the calls are unpacked into, before and after."""
    for found in _YIELDS.finditer(text):
        name = re.escape((found["name"] or found["zh"]).rpartition(".")[2])
        old, new = (value_of(found[side] or found[f"{side}zh"]) for side in ("old", "new"))
        form = re.compile(_UNPACKED.format(name))
        rows = [row for line in _lines(commits, "+-") if (row := form.match(line))]
        sides = {sign: {row["left"].count(",") + 1 for row in rows if row["sign"] == sign} - {1} for sign in "+-"}
        if new in sides["-"] - sides["+"] and old in sides["+"] - sides["-"]:
            return f"calls of {found['name'] or found['zh']} take {new} values before the change and {old} behind it"
    return ""
