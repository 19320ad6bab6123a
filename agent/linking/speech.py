"""What the words around a reference say that a change does to the issue."""

import re
from enum import StrEnum

_KEYWORD = re.compile(r"(?<![\w-])(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?[ \t]+$", re.ASCII | re.IGNORECASE)
_HEDGED = re.compile(
    r"\b(?:should|may|might|could|hopefully|tr(?:y|ies|ying) to|attempts? to|aims? to)\s+(?:\w+\s+)?$", re.IGNORECASE
)
_DENIED = re.compile(r"\b(?:not|never|cannot|\w+n['’]t|without)\s+(?:\w+\s+)?$|(?:并未|没有|不是|未)$", re.IGNORECASE)
_LATER = re.compile(
    r"\b(?:todo|fixme|(?:later|next|another|separate|future|subsequent|follow-?up)\b[^.;。；]{0,40}\b"
    r"(?:will|should|to|can|may)|still needs?(?: to)?|we need to|remains? to|plan(?:s|ned)? to|instead of|rather than"
    r"|(?:tried|attempted|failed) to"
    r"|unable to|could not)\b[^.;。；\w]{0,3}(?:\w+\s+)?$|待$|计划$|以后$",
    re.IGNORECASE,
)
_PARTLY_DOES = re.compile(r"\b(?:part(?:ly|ially)|in part)\s+$|部分$", re.IGNORECASE)
_PARTLY = re.compile(
    r"\b(?:part(?:ly|ially| \d+)?(?: of| for)?|first (?:step|part|half)\b.{0,20}|steps? towards?|towards?|"
    r"not a full\b.{0,20}|progress on|mitigat(?:es?|ed|ing|ion (?:for|of))|alleviat(?:es?|ed|ing)|helps? with|"
    r"works? around|work-?arounds? for|partial (?:fix|solution|support|work)\w* (?:for|of|to)"
    r")(?: the)?(?: issue)?:?\s*$|(?:partly|partially) \w+\b.{0,30}$|部分\w{0,10}\s*$|缓解\s*$"
    r"|\b(?:fix|address|resolv|solv|handl)\w* (?:one|some|half|a part|parts|most|several) of\b[^.;。；]{0,40}$",
    re.IGNORECASE,
)
_PARTLY_AFTER = re.compile(r"^\W{0,3}(?:partially|partly|in part)\b|^\s*的?(?:一)?部分", re.IGNORECASE)
_ADDRESSING = re.compile(
    r"\b(?:address(?:es|ed|ing)?|clos(?:es?|ed|ing)|fix(?:es|ed|ing)?|resolv(?:es?|ed|ing)|solv(?:es?|ed|ing)|"
    r"tackl(?:es?|ed|ing)|implement(?:s|ed|ing)?|handl(?:es?|ed|ing)|for issue|(?:bug|hot)fix(?:es)?(?: for)?|"
    r"fix for|patch for)\b[^.;。；\n]{0,60}$"
    r"|(?:修复|解决|针对|处理|关闭)了?[^。；\n]{0,20}$",
    re.IGNORECASE,
)
_BY_OTHERS = re.compile(
    r"\b(?:fixed|closed|resolved|solved|addressed|handled|implemented|tackled)\s+(?:\w+\s+)?"
    r"(?:in|by|via|with|through)\s*(?:the\s+)?(?:prs?|pull requests?|commits?|changes?)?\s*[(\[]?$"
    r"|\bfix(?:es|ed)?:?\s+(?:commit\s+)?[0-9a-f]{7,40}\b",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"\b(?:mentioned|described|reported|raised|discussed|seen|found|shown|observed|filed|tracked)\s+"
    r"(?:(?:in|at|by|as|here)\b[:\s]*)?(?:the\s+)?(?:issues?|bug report|ticket)?[:\s]*[(\[]?$"
    r"|\bregression\s*[(\[]?$",
    re.IGNORECASE,
)
_BLAMED = re.compile(
    r"^[)\]]?\s+(?:has |had |have |which |that |also )?(?:introduced|added|broke|caused|regressed|brought|removed|"
    r"changed|landed|missed|forgot|left|fixed|fixes|did|does)\b|^\s*(?:引入|导致|造成|带来)",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(
    r"\b(?:introduced|caused|since|after|broken?|regress\w*|from|see|cf|follow\w*|like|similar|came up|discuss\w*|"
    r"context|mentioned|related to|revert\w*|duplicate|conflicts?|comments?|review|feedback|typo)\b"
    r"|引入|导致|参考|讨论",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"^[ \t]*(?:[-*+][ \t]+)?\**(?:(?:related|linked|fixed|addressed)[ \t]+)?(?:github[ \t]+)?"
    r"(?:issues?|bugs?)(?:[ \t]+(?:link|number))?\**[ \t]*[:：][ \t]*\**[ \t]*$",
    re.IGNORECASE,
)
_TITLED = re.compile(r"^\W*(?:issue|bug)\s+$", re.IGNORECASE)
_TITLED_AFTER = re.compile(r"^\s*[:：—–-]\s*\S")
_BARE_AFTER = re.compile(r"^[)\]]?(?:\(https?://\S+\))?[ \t.,;]*$")


class Saying(StrEnum):
    """What a message says it does to an issue."""

    CLOSES = "closes"
    """GitHub's keyword stands right before it."""
    ADDRESSES = "addresses"
    PARTLY = "partly"
    NAMES = "names"


def saying(line: str, start: int, match: re.Match[str], *, listed: bool, first: bool) -> Saying:
    """Tell what a line makes of a reference; words before `start` belong to another one.

    `listed` tells that it stands alone below a heading for such issues, `first` that the line is the message's title.
    """
    before, after = line[start : match.start()], line[match.end() :]
    keyword = _KEYWORD.search(before)
    lead = before[: keyword.start()] if keyword else before
    if (_PARTLY_DOES if keyword else _PARTLY).search(lead):
        return Saying.PARTLY
    if keyword:
        return _by_keyword(lead, after)
    if listed or (_LABEL.match(line[: match.start()]) and _BARE_AFTER.match(after)):
        return Saying.ADDRESSES
    if first and _TITLED.match(line[: match.start()]) and _TITLED_AFTER.match(after):
        return Saying.ADDRESSES
    return _by_verb(before, after)


def _by_keyword(lead: str, after: str) -> Saying:
    if _DENIED.search(lead) or _LATER.search(lead):
        return Saying.NAMES
    if _PARTLY_AFTER.match(after):
        return Saying.PARTLY
    return Saying.ADDRESSES if _HEDGED.search(lead) else Saying.CLOSES


def _by_verb(before: str, after: str) -> Saying:
    # Where a problem was reported says nothing of who caused it.
    before = _REPORTED.sub(" ", before)
    verb = _ADDRESSING.search(before)
    if verb is None or _ELSEWHERE.search(before) or _BY_OTHERS.search(before) or _BLAMED.match(after):
        return Saying.NAMES
    lead = before[: verb.start()]
    if _DENIED.search(lead) or _LATER.search(lead):
        return Saying.NAMES
    return Saying.PARTLY if _PARTLY_AFTER.match(after) else Saying.ADDRESSES
