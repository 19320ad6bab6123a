"""What a report calls the largest, the first and the last of what landed."""

import re
from collections.abc import Iterator

from agent.audit.markdown_blocks import Inline
from agent.audit.mentions import Mention
from agent.audit.page import Page
from agent.audit.scopes import is_of_others, repos_behind, value_of
from agent.audit.statement import Statement, shortened
from agent.audit.vocabulary import plain

_LARGEST = re.compile(
    r"\b(?:largest|biggest) (?:single )?(?P<of>[A-Za-z][\w-]* )?(?:commit|change|patch|diff|pull request|PR)\b"
    r"(?! (?:in|to|for|on|among|within|since|ever)\b)(?P<by> (?:by|in|measured by|counting) [a-z ]{5,24}?)?"
    r"(?: of (?:the|this) (?:day|week|weekend|period))? (?:is|was|comes from|came from)\b"
    r"|最大的(?:(?:一|单)[个笔次])?(?:提交|改动|变更)?(?:是|为)",
    re.IGNORECASE,
)
_SECOND = re.compile(
    r"^\W*(?:(?:and )?(?:the )?(?:second|next|runner-up)(?: is| was| largest)?|(?:is )?followed by"
    r"|其次是?|第二是?)\W*$",
    re.IGNORECASE,
)
_ADDED = re.compile(r"add(?:ed|itions)|insertions|new lines|新增", re.IGNORECASE)
_DELETED = re.compile(r"delet|remov|删除", re.IGNORECASE)
_PERIOD = r"(?: (?:of|on|in|during) (?:the|this|that|both) (?:\w+ )?(?:days?|week|weekend|period|window|month))?"
_ENDS = re.compile(
    rf"\bthe (?P<which>first|last|final|earliest|latest) (?:commit|merge|change|landing){_PERIOD}"
    r" (?:is|was|comes|came)(?: with| from)?\s*[`*(\[]*$",
    re.IGNORECASE,
)
_TIMED = re.compile(
    r"\bthe (?P<which>first|last) (?:commit |merge |change |one )?(?:came |landed |was merged )?"
    r"at (?P<at>[0-2]\d:[0-5]\d)\b",
    re.IGNORECASE,
)
_OF_THESE = re.compile(r"^\W*(?:of|among) (?:these|those|the) (?P<n>\d{1,2}|[a-z]+)\b", re.IGNORECASE)
_PLACED = re.compile(
    r"^[`*)\]]*\s*(?:\((?:[^()]*)\)\s*)?(?:was |is |came |landed |went in )?(?:merged |landed |committed )?"
    r"(?P<which>first|last)\b",
    re.IGNORECASE,
)
_FAR = 60


def extremes(page: Page) -> Iterator[Statement]:
    """State of what is called the largest, the first or the last that nothing else is."""
    for place, block in enumerate(page.blocks):
        if block.kind not in ("item", "paragraph"):
            continue
        for cell, inline in enumerate(block.inlines):
            text, start = plain(inline.text), 0
            for end in (*page.sentence_ends(place, cell), len(text)):
                named = [m for m in page.within(place, cell, start, end) if _is_change(m)]
                yield from _largest(page, place, inline, (start, end), named)
                yield from _ends(page, place, inline, (start, end), named)
                yield from _timed(page, place, inline, (start, end))
                start = end


def _is_change(mention: Mention) -> bool:
    return not mention.damaged and (mention.kind == "commit" or (mention.kind == "thread" and mention.told != "issue"))


def _largest(
    page: Page, place: int, inline: Inline, span: tuple[int, int], named: list[Mention]
) -> Iterator[Statement]:
    text = plain(inline.text)
    found = _LARGEST.search(text, *span)
    if found is None or is_of_others(page, place, text, *found.span()):
        return
    if found["of"] and not page.names.named(found["of"]) and found["of"].strip().lower() != "single":
        return
    behind = [m for m in named if m.at >= found.end()]
    metric = (
        "additions" if _ADDED.search(found["by"] or "") else "deletions" if _DELETED.search(found["by"] or "") else ""
    )
    repos = " ".join(repos_behind(page, place, text, *found.span()))
    for rank, mention in enumerate(_ranked(text, found.end(), behind), start=1):
        params = {"rank": str(rank), "by": metric, "repos": repos}
        words = shortened(f"{found[0]} {mention.words}")
        line = inline.line_at(mention.at)
        yield Statement(line, "statistics", words, mention, page.repo_of(mention, place), "largest", params)


def _ranked(text: str, at: int, behind: list[Mention]) -> Iterator[Mention]:
    """Give the change that is called the largest, and the one that is said to follow."""
    changes: list[Mention] = []
    for mention in behind:
        # A hash and the number beside it are one change.
        if not changes or re.search(r"[A-Za-z]{3}", text[changes[-1].at + len(_shown(changes[-1])) : mention.at]):
            changes.append(mention)
    if changes:
        yield changes[0]
    if len(changes) > 1:
        between = text[changes[0].at + len(_shown(changes[0])) : changes[1].at]
        if _SECOND.search(re.sub(r"[(（][^()（）]*[)）]", " ", between)):
            yield changes[1]


def _shown(mention: Mention) -> str:
    """Give what of a mention stands in the text."""
    return "" if mention.words.startswith("http") else mention.words


def _ends(page: Page, place: int, inline: Inline, span: tuple[int, int], named: list[Mention]) -> Iterator[Statement]:
    text = plain(inline.text)
    listed = _OF_THESE.match(text[span[0] : span[1]])
    group = _above(page, place, value_of(listed["n"])) if listed else []
    for mention in named:
        before = text[max(span[0], mention.at - _FAR) : mention.at]
        behind = text[mention.at + len(_shown(mention)) : span[1]]
        lead, tail = _ENDS.search(before), _PLACED.match(behind) if group else None
        which = (lead or tail or {"which": ""})["which"].lower()
        if not which or (lead and is_of_others(page, place, text, mention.at, mention.at + 1)):
            continue
        params = {"which": "first" if which in ("first", "earliest") else "last"}
        params["repos"] = " ".join(repos_behind(page, place, text, mention.at, mention.at + 1))
        words, repo = f"{mention.words} {params['which']}", page.repo_of(mention, place)
        yield Statement(
            inline.line_at(mention.at),
            "date",
            words,
            mention,
            repo,
            "at the end",
            params,
            also=tuple(group) if tail else (),
        )


def _above(page: Page, place: int, count: int | None) -> list[Mention]:
    """List the changes of the rows or items right above a paragraph, if they are as many as it says."""
    found: list[Mention] = []
    kind = ""
    for before in range(place - 1, -1, -1):
        block, subject = page.blocks[before], page.subjects[before]
        if block.kind not in ("row", "item") or (kind and block.kind != kind):
            break
        kind = block.kind
        if (block.kind == "row" and block.level) or block.parent is not None:
            continue
        if subject is None or subject.kind != "commit":
            return []
        found.append(subject)
    return found if len(found) == count else []


def _timed(page: Page, place: int, inline: Inline, span: tuple[int, int]) -> Iterator[Statement]:
    text = plain(inline.text)
    for found in _TIMED.finditer(text, *span):
        if not is_of_others(page, place, text, *found.span()):
            params = {"which": found["which"].lower(), "clock": found["at"]}
            params["repos"] = " ".join(repos := repos_behind(page, place, text, *found.span()))
            repo = repos[0] if len(repos) == 1 else None
            yield Statement(inline.line_at(found.start()), "date", found[0], None, repo, "clocked", params)
