"""The words by which an issue and a change can be known to be about the same thing."""

import re
from collections.abc import Set
from functools import lru_cache

_MOST, _ALARMING = 20_000, 6_000
_TAG = re.compile(r"^\s*(?:\[?[^\[\]]{1,40}\]\s*:?\s*)+")
_PREFIX = re.compile(
    r"^\s*(?:feat|fix|perf|refactor|docs?|test|ci|chore|build|style|revert|bugfix|misc)(?:\([^)]*\))?!?:\s*",
    re.IGNORECASE,
)
_PULL = re.compile(r"\(#\d+\)\s*$")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[_.-][A-Za-z0-9]+)*|\d+[a-z]+\w*|[\u4e00-\u9fff]+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_TOKEN = re.compile(r"--[a-z][a-z0-9-]{2,}|[A-Za-z_][\w.]*")
_TICKED = re.compile(r"`([A-Za-z_][\w.-]{2,40})(?=[`(\[=])")
_FILE = re.compile(r"\.(?:py|cuh?|cpp|cc|hpp|h|rs|go|ts|js|ya?ml|toml|json|sh|md|rst|txt)$")
_NAME = re.compile(r"[A-Za-z]\w*_\w+|[A-Z][a-z0-9]+[A-Z]\w*|[a-z]+[A-Z]\w+")
_ALARM = re.compile(
    r"error|exception|assert|fail|cannot|can't|invalid|unsupported|illegal"
    r"|not (?:found|supported|implemented)|mismatch|expected"
)
_SPELT = re.compile(r"[a-z_]{2,}")
_STOP = frozenset(
    re.findall(
        r"\w+",
        """
    the a an and or of to in on for with without from by at as is are be was were it its this that these
    those not no  do does did done can cannot could should would will may might when while if then else
    than but so some any all more  most other into over under after before since still just only also
    very via per up out off you your we our i my me  they them their he she his her has have had having
    get gets got make makes made use uses used using add adds added  adding support supports supported
    supporting fix fixes fixed fixing bug bugs issue issues update updates updated  feature request
    question docs doc documentation new one two how what which where why there here about please  help
    need needs want like work works working try tried run runs running error errors fail fails failed
    wrong  change changes changed remove removes removed set sets let first last same main version test
    tests code file files
    的时 时候 了一 一个 是不 不是 没有 有没 可以 什么 怎么 问题 支持 修复 之后 然后 现在 这个 还是
    """,
    )
)


def bare_title(text: str) -> str:
    """Leave out tags, prefixes and numbers: what remains says what it is about."""
    text = _PULL.sub("", text.strip())
    return _PREFIX.sub("", _TAG.sub("", text)).strip() or text


def terms(text: str) -> frozenset[str]:
    """Give the stems of the words, of the parts of names, and pairs of Chinese characters."""
    return frozenset(term for word in set(_WORD.findall(text[:_MOST])) for term in terms_of(word))


def first_terms(text: str, most: int) -> tuple[str, ...]:
    """Give the same of the head of a text, in the order of the text, and no more than `most`."""
    found: dict[str, None] = {}
    for word in dict.fromkeys(_WORD.findall(text)):
        for term in terms_of(word):
            found[term] = None
        if len(found) >= most:
            break
    return tuple(found)[:most]


def shared_parts(word: str, others: Set[str]) -> list[str]:
    """Give what of a word another text has: all of it, else its parts, else the pairs of Chinese characters."""
    if word[0] >= "\u4e00":
        return [pair for pair in terms_of(word) if pair in others]
    if stem(word.lower()) in others:
        return [word]
    return [part for part in _PART.findall(word) if len(part) > 1 and stem(part.lower()) in others]


def words_of(text: str) -> list[str]:
    """Give the words as they are written, each of which has its terms."""
    return list(dict.fromkeys(_WORD.findall(text)))


@lru_cache(maxsize=50_000)
def terms_of(word: str) -> tuple[str, ...]:
    """Give the terms of one word."""
    if word[0] >= "\u4e00":
        return tuple(pair for i in range(len(word) - 1) if (pair := word[i : i + 2]) not in _STOP)
    parts = _PART.findall(word)
    words = [word, *(parts if len(parts) > 1 else ())]
    return tuple(
        stem(one) for one in map(str.lower, words) if len(one) > 1 and one not in _STOP and not one.isdecimal()
    )


def stem(word: str) -> str:
    """Cut the endings that English words take; rough, and the same on both sides."""
    for ending in ("ization", "ations", "ation", "ings", "ing", "ers", "ies", "ed", "es", "er", "s", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word


def code_terms(text: str) -> frozenset[str]:
    """Give the names of code, flags, variables and files that a text speaks of."""
    text = text[:_MOST]
    found = {name for token in set(_TOKEN.findall(text)) for name in _names_in(token)}
    return frozenset(found | {name.strip("-._").lower().replace("-", "_") for name in _TICKED.findall(text)})


@lru_cache(maxsize=50_000)
def _names_in(token: str) -> tuple[str, ...]:
    token = token.strip(".")
    if token.startswith("--"):
        return (token.strip("-").replace("-", "_"),)
    if _FILE.search(token):
        return (token.strip("_").lower(),)
    return tuple(part.strip("_").lower() for part in token.split(".") if _NAME.fullmatch(part.strip("_")))


def is_file(name: str) -> bool:
    """Tell whether such a name is that of a file."""
    return _FILE.search(name) is not None


def alarms(text: str) -> frozenset[str]:
    """Give the runs of three words in lines that sound like a message of an error."""
    found: set[str] = set()
    for line in text[:_ALARMING].lower().splitlines():
        if _ALARM.search(line):
            words = _SPELT.findall(line[:400])
            found |= {" ".join(run) for run in zip(words, words[1:], words[2:], strict=False) if not set(run) <= _STOP}
    return frozenset(found)
