"""Statements that what is told as new landed in the days the report is about, and that nothing did."""

import re
from collections.abc import Iterator
from datetime import date

from agent.audit.mentions import Mention
from agent.audit.page import Page
from agent.audit.periods import dates_in
from agent.audit.statement import Statement, shortened
from agent.audit.vocabulary import NOTHING_NEW, TITLE_COLUMN, plain
from agent.dates import find_dates

_EARLIER = re.compile(
    r"(?:revert(?:s|ed|ing)?|回退|撤销|earlier|之前|previous(?:ly)?|since|introduced in|compare|stood at|位于|读取时为"
    r"|(?:re-?)?lands|重新合入|重新落地)\W*$",
    re.IGNORECASE,
)
_BOTH = re.compile(
    r"\b(?:both|all(?: \w+)?)(?: of them)?,?(?: were| are| came| went in)?(?: landed| merged| committed| in)? on "
    r"(?P<day>\w+ \w+(?: 20\d\d)?|20\d\d-\d\d-\d\d)",
    re.IGNORECASE,
)


def _told_as_new(mention: Mention) -> bool:
    """Tell whether a mention is news: a commit, or a pull request by its address."""
    if mention.kind == "commit":
        return mention.sure and not mention.damaged
    return mention.kind == "thread" and mention.told == "pull" and mention.repo is not None and not mention.damaged


def _closes_title(page: Page, place: int, mention: Mention) -> bool:
    """Tell whether a bare number closes the title of a row: then the row is about the commit that came by it."""
    block = page.blocks[place]
    column = plain(block.header[mention.cell]).strip() if mention.cell < len(block.header) else ""
    bare = block.kind == "row" and mention.kind == "thread" and not mention.told and not mention.damaged
    return bare and mention is page.subjects[place] and bool(TITLE_COLUMN.match(column))


def _has_commit(page: Page, place: int) -> bool:
    subject = page.subjects[place]
    return subject is not None and subject.kind == "commit"


def windows(page: Page) -> Iterator[Statement]:
    """State once for each commit that it belongs to the report's days."""
    seen: set[tuple[str, str]] = set()
    yield from _filed_days(page)
    yield from _said_of_all(page)
    for place, block in enumerate(page.blocks):
        for mention in page.mentions[place] if block.inlines else ():
            told = _told_as_new(mention) or _closes_title(page, place, mention)
            if not told or (mention.kind == "thread" and _has_commit(page, place)):
                continue
            key = (str(page.repo_of(mention, place)), mention.sha[:7] or str(mention.number))
            if key in seen or _EARLIER.search(
                plain(block.inlines[mention.cell].text[max(0, mention.at - 24) : mention.at])
            ):
                continue
            seen.add(key)
            repo = page.repo_of(mention, place)
            yield Statement(mention.line, "window", shortened(mention.words), mention, repo, "new")
        if block.kind in ("paragraph", "item") and NOTHING_NEW.match(plain(block.text)) and page.repos[place]:
            params = {"commits": "0"}
            yield Statement(block.line, "coverage", block.text, None, page.repos[place], "landed", params)


def _said_of_all(page: Page) -> Iterator[Statement]:
    """State of each entry of a list that it landed on the day on which the line above says that both or all did."""
    year = page.days.first.year if page.days.first else None
    for place, block in enumerate(page.blocks):
        found = (
            _BOTH.search(plain(block.text)) if block.kind == "paragraph" and block.text.rstrip()[-1:] in ":：" else None
        )
        day = next(iter(find_dates(found["day"])), None) if found else None
        if day is None or not (day.year or year) or not day.month or not day.day:
            continue
        at = f"{day.year or year}-{day.month:02d}-{day.day:02d}"
        for behind in range(place + 1, len(page.blocks)):
            item, lead = page.blocks[behind], page.subjects[behind]
            if item.kind not in ("item", "row"):
                break
            if item.parent is None and lead in page.mentions[behind] and lead is not None and lead.kind == "commit":
                words, repo = f"{shortened(lead.words)} on {day.text}", page.repo_of(lead, behind)
                yield Statement(block.line, "date", words, lead, repo, "dated", {"at": at})


def _filed_days(page: Page) -> Iterator[Statement]:
    """State of what a report of several days files under one of them that it landed on that day."""
    if page.days.period != "range":
        return
    day: date | None = None
    level = 0
    for place, block in enumerate(page.blocks):
        if block.kind == "heading" and (day is None or block.level <= level):
            named = set(dates_in(block.text)) if block.line != page.days.line else set()
            day, level = (named.pop() if len(named) == 1 else None), block.level
        lead = page.subjects[place]
        entry = block.kind in ("item", "row") and lead in page.mentions[place]
        if day is not None and entry and lead is not None and lead.kind == "commit" and lead.sure and not lead.damaged:
            told = f"{shortened(lead.words)} under {day}"
            yield Statement(block.line, "date", told, lead, page.repo_of(lead, place), "dated", {"at": day.isoformat()})
