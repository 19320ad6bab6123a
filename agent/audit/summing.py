"""Whether the summary of a report says something else than the commits that the report is about."""

import re
from collections.abc import Sequence

from agent.audit.measures import fitting_paths
from agent.audit.pairs import stated_exchanges
from agent.audit.swaps import swapped
from agent.evidence import CommitEvidence
from agent.gate.stems import words_of

_NAMED_NOUN = re.compile(r"(?<![\w-])(?P<name>[A-Z][A-Za-z0-9]+(?:-\w+)*) (?P<noun>[a-z]{4,})(?![\w-])")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]{3,}")
_HALVES = (
    (r"前向|forward|fwd", r"forward|fwd", r"反向|后向|backward|bwd", r"backward|bwd"),
    (r"编码|encod\w*", r"encod\w*", r"解码|decod\w*", r"decod\w*"),
    (r"训练|training", r"train\w*", r"推理|inference", r"inference"),
    (r"读取?|read(?:s|ing)?", r"read\w*", r"写入?|writ(?:es|ing)", r"writ\w*"),
)
_HAS = r"(?:只|仅)(?:拿到|支持|有|实现|合入|覆盖|加入|获得)了?|\bonly (?:got|gets|has|supports?)"
_ONLY = (
    rf"(?P<of>[A-Z][A-Za-z0-9-]{{{{2,}}}})[^，。；,;.]{{{{0,24}}}}?(?:{_HAS})\s*(?:the )?(?:{{half}})(?![、和与及\w])"
)
_PAIRS = ("large small", "long short", "high low", "static dynamic", "dense sparse", "even odd", "upper lower")
_OPPOSITE = {one: two for pair in map(str.split, _PAIRS) for one, two in (pair, pair[::-1])}
_KIND = re.compile(rf"(?<![\w-])(?P<kind>{'|'.join(_OPPOSITE)})[ -](?P<noun>[a-z]{{4,}})(?![\w-])", re.IGNORECASE)
_PATH = re.compile(r"(?<![\w/.-])(?:[\w.-]+/)+[\w-]+(?:\.\w+)+")
_NAME = re.compile(r"(?<![\w-])[A-Z][A-Za-z0-9]{2,}(?![\w-])")
_VERSION = r"v?(?P<{0}>\d+(?:\.\d+)+)(?![\w-]|\.\w)"
_RAISED = re.compile(
    rf"\b(?:bump|upgrad|updat|rais)\w*\b(?:[^.;`,]|\.\d){{0,24}}? to {_VERSION.format('version')}"
    rf"|(?:升级?|提升|更新)[到至为]\s*{_VERSION.format('zh')}",
    re.IGNORECASE,
)
_OWNER = 32
"""How far before the verb the project may stand that got a version."""
_SHARED = 3
"""How many words a sentence and a title share that are about one matter."""
_BRINGS = re.compile(r"\b(?:add|support|enabl|implement|introduc)\w*", re.IGNORECASE)


def unlike(text: str, commits: Sequence[CommitEvidence]) -> str:
    """Say what of a summary no commit bears out and one has otherwise; nothing where all may be so."""
    return _other_name(text, commits) or _other_half(text, commits) or _other_version(text, commits)


def opposite(text: str, commits: Sequence[CommitEvidence]) -> str:
    """Say which commit has the opposite of what a summary says; a hash that means nothing may stand beside it."""
    return _other_kind(text, commits) or _other_way(text, commits) or _other_file(text, commits)


def _other_name(text: str, commits: Sequence[CommitEvidence]) -> str:
    """Find a noun that a title of the same matter has with another name, where nobody ever writes the stated one."""
    for found in _NAMED_NOUN.finditer(text):
        if any(found["name"].lower() in shown.lower() for one in commits for shown in one.texts):
            continue
        rest = words_of(" ".join(_WORD.findall(text[: found.start()] + " " + text[found.end() :])))
        for one in commits:
            title = one.change.commit.title
            for real in _NAMED_NOUN.finditer(title):
                alike = rest & words_of(title.replace(real[0], ""))
                if real["noun"] == found["noun"] and real["name"].lower() not in text.lower() and alike:
                    return f"no commit names {found['name']}; {one.id} is about the {real[0]}: “{title}”"
    return ""


def _other_half(text: str, commits: Sequence[CommitEvidence]) -> str:
    """Find a title that brings the other half of what is said to have one only."""
    pairs = [(said, theirs) for first, one, second, two in _HALVES for said, theirs in ((first, two), (second, one))]
    for half, other in pairs:
        for found in re.finditer(_ONLY.format(half=half), text, re.IGNORECASE):
            named = re.compile(rf"(?<![A-Za-z0-9]){re.escape(found['of'])}(?![A-Za-z0-9])", re.IGNORECASE)
            for one in commits:
                title = one.change.commit.title
                both = named.search(title) and re.search(rf"\b(?:{other})\b", title, re.IGNORECASE)
                if both and _BRINGS.search(title):
                    return f"{one.id} brings more: “{title}”"
    return ""


def _other_version(text: str, commits: Sequence[CommitEvidence]) -> str:
    """Find a title that gives the project another version, where no commit ever writes the stated one."""
    for found in _RAISED.finditer(text):
        version = found["version"] or found["zh"]
        whole = re.compile(rf"(?<![\w.]){re.escape(version)}(?!\w|\.\d)")
        if any(whole.search(shown) for one in commits for shown in one.texts):
            continue
        lead = _letters(text[max(0, found.start() - _OWNER) : found.start()])
        for one in (one for one in commits if _letters(one.change.commit.repo.rpartition("/")[2]) in lead):
            title = one.change.commit.title
            if "version" in title.lower() and _RAISED.search(title):
                return f"no commit has {version}; {one.id} is called “{title}”"
    return ""


def _letters(text: str) -> str:
    return re.sub(r"[\W_]", "", text.lower())


def _other_kind(text: str, commits: Sequence[CommitEvidence]) -> str:
    """Find a title of the same matter that has the opposite before the same noun, where nobody has it as it is said."""
    for found in _KIND.finditer(text):
        kind, noun = found["kind"].lower(), found["noun"].lower()
        said, other = (re.compile(rf"\b{one}[ -]{noun}", re.IGNORECASE) for one in (kind, _OPPOSITE[kind]))
        rest = words_of(" ".join(_WORD.findall(text[: found.start()] + " " + text[found.end() :])))
        alike = [one for one in commits if len(rest & words_of(one.change.commit.title)) >= _SHARED]
        if any(said.search(one.change.commit.message) for one in alike):
            continue
        for one in alike:
            if other.search(one.change.commit.title):
                return f"{one.id} is for the opposite: “{one.change.commit.title}”"
    return ""


def _other_file(text: str, commits: Sequence[CommitEvidence]) -> str:
    """Find a file of the same folder that has the words of the stated one in another order."""
    touched = [path for one in commits for path in one.paths]
    for stated in _PATH.findall(text):
        if fitting_paths(stated, touched):
            continue
        for path in touched:
            if path != stated and _in_words(path) == _in_words(stated):
                return f"no commit touches {stated}; touched is {path}"
    return ""


def _in_words(path: str) -> tuple[str, list[str]]:
    folder, _, name = path.rpartition("/")
    return folder, sorted(re.split(r"[_.-]", name))


def _other_way(text: str, commits: Sequence[CommitEvidence]) -> str:
    """Find a line in which two values were exchanged the other way, of what the sentence names."""
    names = [word.lower() for word in _NAME.findall(text)]
    for old, new in stated_exchanges(text):
        turned = [(one, line) for one in commits for line in swapped(one, new, old)]
        meant = [(one, line) for one, line in turned if any(name in line.lower() for name in names)]
        if meant and not any(line for one in commits for line in swapped(one, old, new)):
            return f"{meant[0][0].id} goes from {new} to {old}: {meant[0][1][:120]}"
    return ""
