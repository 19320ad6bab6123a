"""What a sentence says and the words of a commit, its title, its message, its remarks, say the other way round."""

import re
from collections.abc import Iterator, Sequence

from agent.audit.sides import exchanges
from agent.evidence import CommitEvidence

_TAGS = re.compile(r"^(?:\s*(?:\[[^\]]*\]|\w+(?:\([^)]*\))?!?:))*\s*")
_MOVES = re.compile(r"\b(?:migrat|mov|switch|port|convert|chang|updat|upgrad|downgrad|bump|replac|transition)\w*", re.I)
_WORDS = r"[A-Za-z][\w.+-]{1,40}"
_MOVED = (
    re.compile(
        rf"(?:由|从)\s*(?P<old>{_WORDS})\s*(?:迁移?|改|切换|升级?|转|换|移植)(?:[到至为向]|成)\s*(?P<new>{_WORDS})"
    ),
    re.compile(rf"\bfrom (?:the )?(?P<old>{_WORDS}) (?:over )?to (?:the )?(?P<new>{_WORDS})"),
)
_ON = re.compile(r"\benabl(?:e|es|ed|ing)\b|\bturn(?:s|ed)? on\b", re.IGNORECASE)
_OFF = re.compile(r"\bdisabl(?:e|es|ed|ing)\b|\bturn(?:s|ed)? off\b", re.IGNORECASE)
_SAID_ON = re.compile(r"启用|打开|开启|\benabl(?:e|es|ed|ing)\b|\bturn(?:s|ed)? on\b", re.IGNORECASE)
_SAID_OFF = re.compile(r"关闭|禁用|停用|关掉|\bdisabl(?:e|es|ed|ing)\b|\bturn(?:s|ed)? off\b", re.IGNORECASE)
_OBJECT = re.compile(r"\W*((?:[A-Za-z][\w-]*\W{1,2}){0,2}[A-Za-z][\w-]*)")
# What a defect did: told behind its cause.
_LEFT = re.compile(
    r"\b(?:so that|causing|leaving|which (?:left|kept|meant that|caused))\b[^.;。；]{0,60}?\b(?P<name>[A-Z][\w-]+) "
    r"(?:(?:was|were|being|to be|stayed|is|always) ){0,3}(?P<state>enabled|disabled)\b",
    re.IGNORECASE,
)
_BECAUSE = re.compile(r"\b(?:caus\w+|so that|leav\w+|result\w* in|lead\w* to|led to|because|due to)\b", re.IGNORECASE)
_VERSION = r"(?:[A-Za-z]+ )?`?v?(?P<version>\d+\.\d+(?:\.\d+)*[a-z]?\w*)(?![\w.]*\w)"
_REMOVING, _ADDING = r"\b(?:remov|drop|delet)\w*", r"\b(?:add|support|enabl)\w*"
_SAID_GONE = re.compile(
    r"(?:去掉|去除|移除|删除|放弃|不再支持|\b(?:removes?|drops?|deletes?|removed|dropped))(?:了| support for)?"
    rf"\s*{_VERSION}",
    re.IGNORECASE,
)
_SAID_COME = re.compile(
    rf"(?:新增|增加|添加|支持|\b(?:adds?|supports?|enables?|added))(?:了| support for)?\s*{_VERSION}", re.IGNORECASE
)
_CLAUSE = re.compile(r"[，。；,;、\n]")
_NAME = r"[A-Za-z][\w.-]{2,38}"
_LISTED = re.compile(rf"{_NAME}(?:(?:\s*[、，,]\s*(?:and\s+)?|\s*(?:和|与|及|以及|and|&)\s*){_NAME}){{2,11}}")
_JOINT = re.compile(r"\s*(?:[、，,]\s*(?:and\s+)?|(?<![A-Za-z])(?:和|与|及|以及|&)(?![A-Za-z])|\sand\s)\s*")
_CODE = re.compile(r"`")
_LEAST = 4


def contradicted(text: str, commits: Sequence[CommitEvidence]) -> str:
    """Say which words of a commit contradict a sentence; nothing where none does."""
    rules = (_in_place, _moved, _switched, _caused, _listed, _versioned)
    return next(filter(None, (rule(text, commits) for rule in rules)), "")


def _in_place(text: str, commits: Sequence[CommitEvidence]) -> str:
    """Find "a instead of b" where the sentence has b in the place of a."""
    for old, new in exchanges(text):
        said, real = _instead(new, old), _instead(old, new)
        texts = [shown for one in commits for shown in one.texts]
        if any(real.search(shown) for shown in texts) and not any(said.search(shown) for shown in texts):
            return f"the change says {old} instead of {new}, not the other way round"
    return ""


def _instead(new: str, old: str) -> re.Pattern[str]:
    first, second = (rf"(?<![\w.])`?{re.escape(name)}`?(?!\w)" for name in (new, old))
    return re.compile(rf"{first}\s+(?:instead of|rather than|in place of)\s+(?:the\s+|using\s+)?{second}")


def _moved(text: str, commits: Sequence[CommitEvidence]) -> str:
    """Find a title that moves to what the sentence moves away from."""
    for found in (one for form in _MOVED for one in form.finditer(text)):
        old, new = re.escape(found["old"]), re.escape(found["new"])
        titles = [one.change.commit.title for one in commits]
        to_old = [title for title in titles if _MOVES.search(title) and re.search(rf"\bto (?:the )?{old}\b", title)]
        away = re.compile(rf"\bfrom (?:the )?{old}\b|\bto (?:the )?{new}\b", re.IGNORECASE)
        if to_old and not any(away.search(one.change.commit.message) for one in commits):
            return f"it moves to {found['old']}: “{to_old[0]}”"
    return ""


def _switched(text: str, commits: Sequence[CommitEvidence]) -> str:
    """Find a title that enables what the sentence disables, or the other way round."""
    for said, unsaid, done, undone in ((_SAID_OFF, _SAID_ON, _ON, _OFF), (_SAID_ON, _SAID_OFF, _OFF, _ON)):
        for clause in _CLAUSE.split(text):
            if not (verb := said.search(clause)) or unsaid.search(clause):
                continue
            meant = _objects(clause, verb.end())
            for one in commits:
                title = _TAGS.sub("", one.change.commit.title)
                act = done.match(title)
                if act and meant & _objects(title, act.end()) and not undone.search(one.change.commit.message):
                    return f"the title says the opposite: “{one.change.commit.title}”"
    return ""


def _caused(text: str, commits: Sequence[CommitEvidence]) -> str:
    """Find a defect of which the message says that it left enabled what the sentence has disabled, or the reverse."""
    for found in _LEFT.finditer(text):
        name, on = re.escape(found["name"]), found["state"].lower() == "enabled"
        for one in commits:
            lines = [line for line in _told(one.change.commit.message) if _BECAUSE.search(line)]
            said, other = (
                re.compile(
                    rf"\b{verb}(?:e|es|ed|ing)\s+(?:the\s+)?{name}\b|\b{name}\s+(?:\w+\s+){{0,2}}{verb}ed\b", re.I
                )
                for verb in (("enabl", "disabl") if on else ("disabl", "enabl"))
            )
            shown = next((line for line in lines if other.search(line)), "")
            if shown and not any(said.search(line) for line in lines):
                return f"the message says the opposite: “{shown[:160]}”"
    return ""


def _told(message: str) -> list[str]:
    """Give the sentences of a message, however its lines are wrapped."""
    return re.split(r"(?<=[.!?;])\s+|\n\s*\n", re.sub(r"(?<=\S)\n(?=\S)", " ", message))


def _objects(text: str, at: int) -> set[str]:
    """Give the words right behind a verb."""
    found = _OBJECT.match(text, at)
    return {word for word in re.findall(r"[a-z][\w-]+", found[1].lower()) if len(word) >= _LEAST} if found else set()


def _listed(text: str, commits: Sequence[CommitEvidence]) -> str:
    """Find a list of names that a title has too, but for one of them."""
    for names in _lists(text):
        for one in commits:
            for real in _lists(one.change.commit.title):
                other = [name for name in names if name not in real]
                lacking = [name for name in real if name not in names]
                if len(names) == len(real) and len(other) == len(lacking) == 1:
                    return f"the title names {lacking[0]}, not {other[0]}: “{one.change.commit.title}”"
    return ""


def _versioned(text: str, commits: Sequence[CommitEvidence]) -> str:
    """Find a title that adds or removes another version than the sentence, where its message does not do so too."""
    for said, verb in ((_SAID_GONE, _REMOVING), (_SAID_COME, _ADDING)):
        done = re.compile(rf"{verb}(?: support for)? {_VERSION}", re.IGNORECASE)
        for found in said.finditer(text):
            too = re.compile(rf"{verb}[^\n]{{0,60}}\b{re.escape(found['version'])}\b", re.IGNORECASE)
            for one in commits:
                real = done.match(_TAGS.sub("", one.change.commit.title))
                if real is None or real["version"] in text or too.search(one.change.commit.message):
                    continue
                if not any(found["version"] in (file.patch or "") for file in one.change.files):
                    return f"the title has {real['version']}, not {found['version']}: “{one.change.commit.title}”"
    return ""


def _lists(text: str) -> Iterator[list[str]]:
    for found in _LISTED.finditer(_CODE.sub("", text)):
        names = [name for name in _JOINT.split(found[0]) if name]
        if len(set(names)) == len(names):
            yield names
