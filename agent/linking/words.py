"""What messages say of issues: which they close by GitHub's rules, which they address, and which they only name."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from agent.ids import RepoId, ThreadId, parse_reference, thread_id

# Words in a quotation, a code fence, inline code or a hidden comment are not obeyed; what is never closed runs on.
_NOT_SAID = re.compile(
    r"^[ \t]*>.*?$|^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1.*?$|\Z)|<!--.*?(?:-->|\Z)|`[^`\n]*`", re.MULTILINE | re.DOTALL
)
_BOX = re.compile(r"^[ \t]*(?:[-*+]|\d+[.)])[ \t]+\[[ xX]?\].*$", re.MULTILINE)
_REFERENCE = re.compile(
    r"(?<![\w/#&.-])(?:(?:[\w.-]{1,39}/[\w.-]{1,100})?#[1-9]\d{0,9}|GH-[1-9]\d{0,9}"
    r"|https?://[\w.:-]{1,253}/[\w.-]{1,39}/[\w.-]{1,100}/(?:issues|pull)/[1-9]\d{0,9})(?![\w])",
    re.ASCII | re.IGNORECASE,
)
_KEYWORD = re.compile(r"(?<![\w-])(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?[ \t]+$", re.ASCII | re.IGNORECASE)
_HEDGED = re.compile(
    r"\b(?:should|may|might|could|hopefully|tr(?:y|ies|ying) to|attempts? to|aims? to)\s+(?:\w+\s+)?$", re.IGNORECASE
)
_DENIED = re.compile(r"\b(?:not|never|cannot|\w+n['’]t|without)\s+(?:\w+\s+)?$|(?:并未|没有|不是|未)$", re.IGNORECASE)
_PARTLY_DOES = re.compile(r"\b(?:part(?:ly|ially)|in part)\s+$|部分$", re.IGNORECASE)
_PARTLY = re.compile(
    r"\b(?:part(?:ly|ially| \d+)?(?: of| for)?|first (?:step|part|half)\b.{0,20}|steps? towards?|towards?|"
    r"not a full\b.{0,20}|progress on)(?: the)?(?: issue)?:?\s*$|(?:partly|partially) \w+\b.{0,30}$|部分\w{0,10}\s*$",
    re.IGNORECASE,
)
_ADDRESSING = re.compile(
    r"\b(?:address(?:es|ed|ing)?|clos(?:es?|ed|ing)|fix(?:es|ed|ing)?|resolv(?:es?|ed|ing)|solv(?:es?|ed|ing)|"
    r"tackl(?:es?|ed|ing)|implement(?:s|ed|ing)?|handl(?:es?|ed|ing)|for issue|(?:bug|hot)fix(?:es)? for|"
    r"fix for|patch for|workaround for)\b[^.;。；\n]{0,60}$"
    r"|(?:修复|解决|针对|处理|关闭)了?[^。；\n]{0,20}$",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(
    r"\b(?:introduced|caused|since|after|broken?|regress\w*|from|see|cf|follow\w*|like|similar|came up|discuss\w*|"
    r"context|mentioned|related to|revert\w*|duplicate|conflicts?|comments?|review|feedback|typo)\b"
    r"|引入|导致|参考|讨论",
    re.IGNORECASE,
)
_HEADING = re.compile(
    r"^[ \t]*(?:#{1,6}[ \t]+(?P<atx>.{1,80})|\*\*(?P<bold>[^*\n]{1,80})\*\*:?|__(?P<under>[^_\n]{1,80})__:?)[ \t]*$"
)
_RELATED = re.compile(
    r"^\W*(?:related|linked|associated|addressed|fixed|closed|resolved|tracking)?\s*(?:github\s+)?(?:issues?|tickets?|bugs?)"
    r"(?:\s+(?:links?|numbers?|fixed|addressed|closed|resolved))?(?:\s*\(.*\))?\W*$|^\W*(?:fixes|closes|resolves)\W*$"
    r"|^\W*(?:相关|关联|对应)\s*(?:的)?\s*(?:issues?|问题)\W*$",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"^[ \t]*(?:[-*+][ \t]+)?\**(?:(?:related|linked|fixed|addressed)[ \t]+)?(?:github[ \t]+)?"
    r"(?:issues?|bugs?)(?:[ \t]+(?:link|number))?\**[ \t]*[:：][ \t]*\**[ \t]*$",
    re.IGNORECASE,
)
_BARE = re.compile(r"^[ \t]*(?:[-*+•][ \t]*)?(?:issues?[ \t:]*)?[(\[]?$", re.IGNORECASE)
_BARE_AFTER = re.compile(r"^[)\]]?(?:\(https?://\S+\))?[ \t.,;]*$")


class Saying(StrEnum):
    """What a message says it does to an issue."""

    CLOSES = "closes"
    """GitHub's keyword stands right before it."""
    ADDRESSES = "addresses"
    PARTLY = "partly"
    NAMES = "names"


@dataclass(frozen=True)
class Said:
    """One issue that a message names, and the line that does."""

    issue: ThreadId
    saying: Saying
    words: str


def said(text: str) -> str:
    """Leave out what a message only quotes, shows as code or hides: GitHub does not obey words in there."""
    return _NOT_SAID.sub(" ", text)


def closing_words(text: str, repo: RepoId) -> Iterator[tuple[ThreadId, str]]:
    """Find the issues that a message closes when it reaches the default branch, each with the words that do it."""
    for one in sayings(text, repo):
        if one.saying is Saying.CLOSES:
            yield one.issue, one.words


def sayings(text: str, repo: RepoId) -> Iterator[Said]:
    """Find every issue that a message names, in the order of the text; what boxes of a template say does not count."""
    under = before = ""
    for line in _BOX.sub("", said(text)).splitlines():
        heading = _HEADING.match(line)
        if heading and not _REFERENCE.search(line):
            under, before = heading["atx"] or heading["bold"] or heading["under"] or "", ""
            continue
        listed = bool(under and _RELATED.match(under))
        # A sentence may be wrapped right before the number.
        yield from _line(
            f"{before} {line}" if before and line.lstrip()[:1] == "#" and not listed else line, repo, listed
        )
        before = "" if _REFERENCE.search(line) else line.rstrip()


def _line(line: str, repo: RepoId, listed: bool) -> Iterator[Said]:
    found = list(_REFERENCE.finditer(line))
    only = _only_references(line, found)
    start = 0
    for match in found:
        reference = parse_reference(match[0], repo)
        if reference is not None and reference.kind == "thread" and reference.repo is not None:
            before = line[start : match.start()]
            saying = _saying(line, before, match, listed and only)
            yield Said(thread_id(reference.repo, reference.number), saying, " ".join(line.split())[:200])
        start = match.end()


def _saying(line: str, before: str, match: re.Match[str], listed: bool) -> Saying:
    """Tell what the words around a reference make of it; those behind another reference are not its own."""
    keyword = _KEYWORD.search(before)
    lead = before[: keyword.start()] if keyword else before
    if (_PARTLY_DOES if keyword else _PARTLY).search(lead):
        return Saying.PARTLY
    if keyword:
        if _DENIED.search(lead):
            return Saying.NAMES
        return Saying.ADDRESSES if _HEDGED.search(lead) else Saying.CLOSES
    if listed or (_LABEL.match(line[: match.start()]) and _BARE_AFTER.match(line[match.end() :])):
        return Saying.ADDRESSES
    addressing = _ADDRESSING.search(before)
    if addressing and not _ELSEWHERE.search(before) and not _DENIED.search(before[: addressing.start()]):
        return Saying.ADDRESSES
    return Saying.NAMES


def _only_references(line: str, found: list[re.Match[str]]) -> bool:
    """Tell whether a line is nothing but references, as people list them below a heading."""
    if not found:
        return False
    rest = _REFERENCE.sub("", line)
    return bool(_BARE.match(line[: found[0].start()])) and not re.search(
        r"[^\W\d_]", re.sub(r"\(\s*\)|and|和", "", rest)
    )
