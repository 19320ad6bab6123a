"""Which part of which piece of work a title says it is: `[2/N]`, `(2/3)`, `Part 2`, `Stage 2:`."""

import re
from dataclasses import dataclass
from functools import lru_cache

from agent.lists import listed

PARTS = r"[0-9] ?/ ?[0-9nNxX]|(part|pt|stage|phase|step|stack) ?[#-]? ?[0-9]"
"""A rough form of every marker, for git and for Python alike."""

_PULL = re.compile(r"\s*\(#\d{1,9}\)\s*$")
_REVERT = re.compile(r"^\W*(?:\[[^\]]{1,40}\]\s*)*(?:revert|rollback|roll back)", re.IGNORECASE)
_WORD = r"part|pt\.?|stage|phase|step|stack"
_SLASH = re.compile(
    rf"(?<![\w./=])(?:(?P<word>{_WORD})\s{{0,2}})?(?P<index>\d{{1,2}})\s?/\s?(?P<total>\d{{1,2}}|[nNxX])(?![\w/.])",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"(?:(?<=^)|(?<=[\s\[(（]))(?P<word>part[\s#-]{0,2}|(?:stage|phase|step|pt\.?)[\s#]{1,2})(?P<index>\d{1,2})(?![\w.]*\w)",
    re.IGNORECASE,
)
_ENDS = re.compile(r"\s*(?:$|[\])）]|[:：,;]|[-–—]|\.\s|\.$)")
_BRACKETS = re.compile(r"\[([^\[\]]{1,60})\]|【([^】]{1,60})】|[（(]([^()（）]{1,60})[)）]")
_REFERENCE = re.compile(r"(?<![\w&])#(\d{1,9})\b")
_VERSIONED = re.compile(r"\b(?:phase|stage|part|milestone)\s(\d{1,2}\.\d{1,2})\b", re.IGNORECASE)
_GENERIC = listed(
    """
    perf performance kernel kernels model models feature feat fix bugfix bug misc refactor refactoring ci cd doc docs
    core frontend rocm amd nvidia npu xpu cpu gpu hip cuda build test tests quantization quant cleanup chore enhancement
    attention moe backend hardware release wip tiny minor continued cont new support stack step part stage phase
    """
)
_PLAIN = listed(
    """
    add adds support supports enable fix fixes update refactor refactoring the a an for of to in on with and or by from
    via into use uses using new move remove make more some this that is as at it its be not no continued impl implement
    implementation part step stage phase stack initial first second tiny improve optimize
    """
)
_TOKEN = re.compile(r"[A-Za-z0-9_+.]{2,}|[\u4e00-\u9fff]{2,}")


@dataclass(frozen=True)
class Part:
    """A title taken apart: which part it is, and what the whole is called."""

    index: int
    total: int | None
    form: str
    """`/` or the word in front of the number."""
    tags: frozenset[str]
    """Every tag, in lower case."""
    own_tags: frozenset[str]
    """Those that name this work, not an area or a purpose."""
    lead: str
    """The words beside the marker up to a colon or a dash."""
    words: frozenset[str]
    """The words that mean something."""
    references: frozenset[str]
    """Other threads that the title names, with the phase of the plan."""


@lru_cache(maxsize=8192)
def read_part(title: str) -> Part | None:
    """Read which part a title says it is; None where it says nothing of the kind, or takes a part back."""
    text = _PULL.sub("", title.strip())[:400]
    if _REVERT.match(text):
        return None
    found = _marker(text)
    if found is None:
        return None
    match, word = found
    total = match.groupdict().get("total")
    tags = frozenset(_tags(text))
    rest = text[: match.start()] + "\0" + text[match.end() :]
    return Part(
        index=int(match["index"]),
        total=int(total) if total and total.isdigit() else None,
        form="/" if total else word,
        tags=tags,
        own_tags=frozenset(tag for tag in tags if " " in tag or not set(re.split(r"[\s/_-]+", tag)) <= _GENERIC),
        lead=_naming(_lead(rest)),
        words=frozenset(_words(rest)),
        references=_references(text),
    )


def _marker(text: str) -> tuple[re.Match[str], str] | None:
    for match in _SLASH.finditer(text):
        if match["total"].isdigit() and not _is_counted(match, text):
            continue
        return match, "/"
    for match in _NAMED.finditer(text):
        if _ENDS.match(text, match.end()) and int(match["index"]) > 0:
            return match, match["word"].strip(" #-.").lower()
    return None


def _is_counted(match: re.Match[str], text: str) -> bool:
    """Tell `(2/3)` and `Part 2/3` from a fraction, a date and a pair of alternatives."""
    index, total = int(match["index"]), int(match["total"])
    if not (0 < index <= total and total > 1):
        return False
    if match["word"]:
        return True
    before, after = text[: match.start()], text[match.end() :]
    enclosed = re.search(r"[\[(（【][^\])）】]{0,50}$", before) and re.match(r"[^\[(（【]{0,30}[\])）】]", after)
    # Inside brackets the number may follow a name, but not a sign: `(k = 2/4)`.
    return bool(enclosed) and not re.search(r"[=<>~×*]\s*$", before)


def _tags(text: str) -> list[str]:
    """List what stands in brackets at the head, and behind the number; round ones count only in front of words."""
    found = []
    for match in _BRACKETS.finditer(text):
        inside = match[1] or match[2] or match[3]
        if match[3] and match.start() > 12:
            continue
        plain = " ".join(_SLASH.sub(" ", _NAMED.sub(" ", inside)).split()).strip(" :,-").lower()
        if plain and not plain.startswith("#"):
            found.append(plain)
    return found


def _naming(lead: str) -> str:
    """Keep a lead that names this work; one that is an area or a purpose names nothing."""
    return "" if set(re.split(r"[\s/_-]+", lead)) <= _GENERIC else lead


def _lead(rest: str) -> str:
    """Give the words that name the whole: before the marker, or behind it up to a colon or a dash."""
    before, _, after = _BRACKETS.sub(lambda m: "\0" if "\0" in m[0] else " ", rest).partition("\0")
    for text in (after, before):
        clean = " ".join(text.split()).strip(" .,;|")
        head = re.match(r"([\w][\w\s./+-]{2,40}?)\s*(?:[:：]|\s[-–—]\s)", clean)
        if head:
            return head[1].strip().lower()
    whole = " ".join(before.split()).strip(" :.,;|-")
    behind = after.lstrip().startswith((":", "：", "-", "–"))
    return whole.lower() if behind and 2 < len(whole) <= 40 else ""


def _words(rest: str) -> list[str]:
    text = rest.replace("\0", " ")
    return [
        word
        for token in _TOKEN.findall(text)
        if (word := token.lower().strip(".")) and word not in _PLAIN and not word.isdigit()
    ]


def _references(text: str) -> frozenset[str]:
    versions = "".join(_VERSIONED.findall(text))
    return frozenset(f"#{number} {versions}" for number in _REFERENCE.findall(text))
