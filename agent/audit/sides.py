"""Which side of a diff a name stands on, and sentences that put it on the other."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from agent.audit.measures import fitting_paths
from agent.audit.paths import is_path
from agent.audit.swaps import swapped
from agent.evidence import CommitEvidence

# A name in code, a bracket of values such as (1, 2) or [0,1), or a longer word.
_VALUES = r"[(\[][^()\[\]`\n]{{1,30}}[)\]]"
_MARKED = rf"(?:`(?P<{{0}}>[^`]{{{{2,80}}}})`|(?P<{{0}}v>{_VALUES}))"
_THING = rf"(?:`(?P<{{0}}>[^`]{{{{2,80}}}})`|(?P<{{0}}v>{_VALUES})|(?P<{{0}}w>[A-Za-z][\w.+-]{{{{3,40}}}}))"
_OLD, _NEW = _THING.format("old"), _THING.format("new")
_OLD_MARKED, _NEW_MARKED = _MARKED.format("old"), _MARKED.format("new")
_BECAME = (
    r"(?:(?:重命名|改名|更名|替换|改|变|切换|更正|修正)为|改[成回用]|换[成到]|切换到|转[到向]|迁移?[到至]|升级?[到至]"
    r"|(?:收窄|收紧|放宽|扩展|扩大|扩|缩小|缩减|精简|简化|提升|提高|降低|降|下调|上调|调整|更改|更新|修改|变更)[为到至成])了?"
)
BEFORE = (
    r"(?:(?:previously|formerly|before(?: this| that)?|earlier)[,:]?\s*(?:it |this |they )?(?:was|were)?"
    r"|(?:it |this |which )?(?:was|were|used to be)(?: previously| formerly| before)?|(?:up |down )?from|instead of"
    r"|(?:and )?(?:not|no longer)|replacing|in place of|取代|代替|(?:而)?(?:不是|非|不再是|不再为)"
    r"|(?:此前|之前|先前|原来|原先|原本|以前|旧值|原值?)(?:的?值)?(?:是|为|写作|写成)?[:：]?)"
)
"""What opens the words about what was there before, behind what is there now."""
_WAS = r"(?:\b(?:was|were|used to be)|(?:此前|之前|先前|原来|原先|原本|以前|原)(?:是|为)?)"
_IS_NOW = r"(?:(?:and )?(?:is|are) now|now|becomes|became|(?:如今|现在?|后来)?(?:改|变|换)?(?:为|成|是))"
_EXCHANGES = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"\bfrom (?:the )?{_OLD} (?:back )?(?:over )?to (?:the )?{_NEW}",
        rf"{_NEW_MARKED} (?:instead of|rather than|in place of) (?:the |calling |using )?{_OLD_MARKED}",
        rf"{_NEW_MARKED} where (?:it|they|there) (?:was|were|returned|used|read|passed|called|gave) {_OLD_MARKED}",
        rf"\breplac(?:es|ed|ing) (?:the )?{_OLD} (?:with|by) (?:the )?{_NEW}",
        rf"`(?P<old>[^`]{{2,80}})` (?:is|are|was|were) (?:now )?replaced (?:with|by) (?:the )?{_NEW}",
        rf"\brenam(?:es|ed|ing) (?:the )?(?:\w+ )?{_OLD_MARKED} (?:in)?to {_NEW_MARKED}",
        rf"{_OLD_MARKED} (?:is|are|was|were|gets|got) (?:now )?renamed (?:in)?to {_NEW_MARKED}",
        rf"{_OLD_MARKED} (?:becomes|became|is now called) {_NEW_MARKED}",
        rf"{_NEW_MARKED} (?:now )?(?:replaces|replaced|supersedes|takes the place of) (?:the )?{_OLD_MARKED}",
        rf"(?:由|从|将|把)(?:原来的|原先的|原本的|旧的)?\s*{_OLD}\s*(?:统一)?{_BECAME}\s*{_NEW}",
        rf"{_OLD_MARKED}\s*(?:被)?(?:统一)?(?:(?:重命名|改名|更名|替换|改|更正|修正)为|改成|改回|换成)了?\s*{_NEW_MARKED}",
        rf"{_NEW_MARKED}\s*[,，]?\s*而(?:不是|非|不再是|不用)\s*{_OLD_MARKED}",
        rf"(?:用|以)\s*{_NEW}\s*(?:取代|代替|替换|替代)(?:了)?\s*{_OLD}",
        rf"{_OLD_MARKED}\s*(?:→|⟶|->|=>)\s*{_NEW_MARKED}",
        rf"{_NEW_MARKED}\s*(?:now\s*)?[,(（，;；]\s*{BEFORE}\s*{_OLD_MARKED}",
        rf"\bto {_NEW_MARKED},? (?:up |down |away )?from {_OLD_MARKED}",
        rf"{_WAS}\s*{_OLD_MARKED}\s*[,，;；]?\s*(?:and )?(?:it )?{_IS_NOW}\s*{_NEW_MARKED}",
    )
)
# What may stand behind a name that is itself added or removed; "adds `x` support" is about something else.
_ITSELF = (
    r"(?=\s*(?:[，。,.；;、)）]|$|参数|字段|选项|变量|函数|方法|导入|import|arguments?|parameters?|fields?|options?|flags?"
    r"|to\b|in\b|into\b|from\b))"
)
_ADDED = re.compile(
    rf"(?:新增|增加|添加|加入|引入|\b(?:adds|added|introduces|introduced|gains))(?:了|\s+(?:an?|the|new))*\s*`(?P<name>[^`]{{3,80}})`{_ITSELF}",
    re.IGNORECASE,
)
_WAS_REMOVED = re.compile(
    r"`(?P<name>[^`]{3,80})`\s*(?:(?:因此|也|都|随之|现已|已经?|均)*被(?:删除|移除|去掉)"
    r"|(?:is|are|was|were) (?:now |therefore |also )?(?:removed|dropped|deleted|gone))(?!\s*(?:from|by|when|if|之后))",
    re.IGNORECASE,
)
_WAS_ADDED = re.compile(
    r"`(?P<name>[^`]{3,80})`\s*(?:(?:因此|也|都|随之|现已|已经?|均)*被(?:加入|添加|引入)"
    r"|(?:is|are|was|were) (?:now |therefore |also )?(?:added|introduced))",
    re.IGNORECASE,
)
_REMOVED = re.compile(
    r"(?:删除|移除|去掉|删去|去除|不再使用|不再导入|不再调用|\b(?:removes|removed|drops|dropped|deletes|deleted)"
    r"|\bno longer (?:uses|imports|calls|passes))"
    rf"(?:了|\s+(?:an?|the))*\s*`(?P<name>[^`]{{3,80}})`{_ITSELF}",
    re.IGNORECASE,
)
_MARKS = re.compile(
    r"(?<!不再)(?<!未)(?<!不再被)(?<!未被)(?:标记|标注)为\s*`(?P<name>[A-Za-z_]\w{3,40})`"
    r"|\b(?:is|are|was|were|gets|got) (?:now )?(?:marked|flagged|annotated)(?: as| with)? `(?P<en>[A-Za-z_]\w{3,40})`"
)
# What is done to data each time, unlike what the change itself does to the code.
_ERASES = re.compile(
    r"(?:只要|每当|一旦|当)[^。；\n]{2,80}?(?:删掉|删除|移除|去掉|清除)(?:了)?\s*`(?P<name>[A-Za-z_]\w{2,60})`"
    r"|\b(?:whenever|when|once)\b[^.;\n]{2,80}?\b(?:erases|deletes|removes|drops)(?: the)? `(?P<en>[A-Za-z_]\w{2,60})`",
    re.IGNORECASE,
)
_ERASED = re.compile(r"\.(?:erase|pop|remove|delete)\(\s*[\"'](\w+)[\"']|\bdel \w[\w.]*\[[\"'](\w+)[\"']\]")
_BRACKET = re.compile(_VALUES.format())
_FLAG = re.compile(r"--[A-Za-z][\w-]+")


class Sides:
    """The added and removed lines of the commits of one report."""

    def __init__(self) -> None:
        self._read: dict[str, tuple[str, str]] = {}

    def turned(self, text: str, commits: Sequence[CommitEvidence]) -> str:
        """Say which names of a sentence went the other way than it says; nothing where the diff does not show it."""
        if any(one.change.unreadable or one.change.incomplete for one in commits):
            return ""
        for old, new in exchanges(text):
            turned = self._balance(old, commits) > 0 > self._balance(new, commits)
            # One line that shows the exchange as it is told outweighs all counting.
            straight = turned and any(line for one in commits for line in swapped(one, old, new))
            if (turned and not straight) or _renamed(new, old, commits):
                return f"the diff takes {new} away and brings {old} in, not the other way round"
            if self._is_no_flag(old, new, commits):
                return f"{new} is no flag of the change, which takes {old} away"
            if absent := self._absent(old, new, commits):
                return f"{absent} stands nowhere in the diff and the message"
        for found in (*_ADDED.finditer(text), *_WAS_ADDED.finditer(text)):
            if _all_of(found["name"], "removed", commits):
                return f"{found['name']} is deleted, not added"
            added, removed = self._counts(found["name"], commits)
            if removed and not added:
                return f"{found['name']} stands only on removed lines"
        for found in _MARKS.finditer(text):
            mark = found["name"] or found["en"]
            added, removed = self._counts(mark, commits)
            if removed and not added:
                return f"the diff takes {mark} away"
        if other := self._erased(text, commits):
            return other
        for found in (*_REMOVED.finditer(text), *_WAS_REMOVED.finditer(text)):
            if _all_of(found["name"], "added", commits):
                return f"{found['name']} is added, not deleted"
            added, removed = self._counts(found["name"], commits)
            if added and not removed and not _spoken(found["name"], commits):
                return f"{found['name']} stands only on added lines"
        return ""

    def _erased(self, text: str, commits: Sequence[CommitEvidence]) -> str:
        """Find a key that is said to be deleted each time and is gone from the code, which now deletes another one."""
        keys = [one or two for commit in commits for one, two in _ERASED.findall(self._of(commit)[0])]
        for found in _ERASES.finditer(text):
            name = found["name"] or found["en"]
            added, removed = self._counts(name, commits)
            if keys and name not in keys and removed and not added:
                return f"what is deleted is {keys[0]}, not {name}"
        return ""

    def _absent(self, old: str, new: str, commits: Sequence[CommitEvidence]) -> str:
        """Find of two brackets of values the one that is nowhere, where the other is there as it is written."""
        if not (_BRACKET.fullmatch(old) and _BRACKET.fullmatch(new)):
            return ""
        lacking = [
            one for one in (old, new) if not any(_whole(one).search(text) for each in commits for text in each.texts)
        ]
        return lacking[0] if len(lacking) == 1 else ""

    def _is_no_flag(self, old: str, new: str, commits: Sequence[CommitEvidence]) -> bool:
        """Tell whether a flag that the diff takes away is said to have become one that stands nowhere, by any joint."""
        if not (_FLAG.fullmatch(old) and _FLAG.fullmatch(new)) or self._balance(old, commits) >= 0:
            return False
        name = re.sub(r"[-_]", "[-_]", new.lstrip("-"))
        # Flags are also made of fields.
        form = re.compile(rf"--{name}(?![\w-])|(?<![\w-]){name}\s*[:=](?!=)")
        return not any(form.search(text) for one in commits for text in one.texts)

    def _balance(self, name: str, commits: Sequence[CommitEvidence]) -> int:
        added, removed = self._counts(name, commits)
        return added - removed

    def _counts(self, name: str, commits: Sequence[CommitEvidence]) -> tuple[int, int]:
        """Count how often a name stands on added and on removed lines."""
        token = _whole(name.strip().removesuffix("()"))
        sides = [self._of(one) for one in commits]
        return sum(len(token.findall(come)) for come, _ in sides), sum(len(token.findall(gone)) for _, gone in sides)

    def _of(self, commit: CommitEvidence) -> tuple[str, str]:
        if commit.id not in self._read:
            lines = [line for file in commit.change.files for line in (file.patch or "").split("\n")]
            come, gone = ("\n".join(line[1:] for line in lines if line[:1] == sign) for sign in "+-")
            self._read[commit.id] = come, gone
        return self._read[commit.id]


def exchanges(text: str) -> Iterator[tuple[str, str]]:
    """Find what a sentence says was there before, and what is there now."""
    for form in _EXCHANGES:
        for found in form.finditer(text):
            named = found.groupdict()
            old, new = (
                next((named[key] for key in (name, f"{name}v", f"{name}w") if named.get(key)), "")
                for name in ("old", "new")
            )
            if old and new and old.lower() != new.lower():
                yield old.strip(), new.strip(" .")


def _renamed(old: str, new: str, commits: Sequence[CommitEvidence]) -> bool:
    """Tell whether a file of one name got another."""
    if not (is_path(old) and is_path(new)):
        return False
    pairs = [(file.previous_path, file.path) for one in commits for file in one.change.files if file.previous_path]
    return any(fitting_paths(old, [before]) and fitting_paths(new, [after]) for before, after in pairs)


def _all_of(path: str, status: str, commits: Sequence[CommitEvidence]) -> bool:
    """Tell whether all that a path can mean came, or went, as a file."""
    files = [file for one in commits for file in one.change.files]
    meant = set(fitting_paths(path, [file.path for file in files])) if is_path(path) else set()
    return bool(meant) and all(file.status == status for file in files if file.path in meant)


def _spoken(name: str, commits: Sequence[CommitEvidence]) -> bool:
    return any(_whole(name).search(one.change.commit.message) for one in commits)


@lru_cache(maxsize=256)
def _whole(name: str) -> re.Pattern[str]:
    parts = r"\s+".join(map(re.escape, name.split()))
    if _BRACKET.fullmatch(name):
        parts = r"\s*,\s*".join(re.escape(part.strip()) for part in name.split(","))
    before = r"(?<!\w)" if re.match(r"\w", name) else ""
    after = r"(?!\w)" if re.search(r"\w$", name) else ""
    return re.compile(before + parts + after, re.ASCII)
