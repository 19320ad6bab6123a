"""Statements that a change takes back what a pull request brought, and who brought that."""

import re
from collections.abc import Iterator

from agent.audit.mentions import Mention
from agent.audit.page import Page
from agent.audit.statement import Statement, shortened
from agent.audit.vocabulary import plain

_LEAD = 32
_REVERTS = re.compile(
    r"(?:\brevert(?:s|ed|ing)?|\bback(?:s|ed|ing)? out|回退|回滚|撤销)(?:了)?\s*(?:the\s+)?"
    r"(?:pr|pull request|合并请求)?\s*$",
    re.IGNORECASE,
)
# Whose the change was that is taken back; the one who takes it back is another.
_TAKEN_BACK = re.compile(
    r"\b(?:the )?(?:reverted|backed-out|undone) (?:change|commit|patch|PR|pull request) (?:is|was|had been|came) "
    r"(?:(?:written |made |authored )?by |from )?(?P<name>[A-Z][\w.'-]*?(?: [A-Z][\w.-]*?){0,3})(?:['’]s)?(?=[\s.,;]|$)"
    r"|被(?:回退|回滚|撤销)的?(?:改动|提交|变更|PR)(?:是由?|由|出自)\s*(?P<zh>[A-Za-z][\w.-]*(?: [A-Z][\w.-]*){0,3})",
)


def undoings(page: Page) -> Iterator[Statement]:
    """State of each change that is said to revert a number that it does."""
    for place, block in enumerate(page.blocks):
        if block.kind not in ("item", "paragraph", "row"):
            continue
        yield from _brought(page, place)
        for mention in page.mentions[place]:
            lead = plain(block.inlines[mention.cell].text[max(0, mention.at - _LEAD) : mention.at])
            said = _REVERTS.search(lead)
            if mention.kind != "thread" or mention.told == "issue" or mention.damaged or said is None:
                continue
            change = page.nearest(place, mention.at, mention.cell)
            if change is None or change.number == mention.number or (change.kind != "commit" and change.told != "pull"):
                continue
            words, params = f"{said[0]}#{mention.number}", {"number": str(mention.number)}
            yield Statement(mention.line, "sentence", words, change, page.repo_of(change, place), "reverts", params)


def _brought(page: Page, place: int) -> Iterator[Statement]:
    """State by whom what is taken back was, where this part of the report has said which number that is."""
    for inline in page.blocks[place].inlines:
        found = _TAKEN_BACK.search(plain(inline.text))
        taken = _taken_back(page, place) if found else None
        if found is not None and taken is not None:
            params = {"author": found["name"] or found["zh"], "signed": "yes", "known": "only"}
            line, repo = inline.line_at(found.start()), page.repo_of(taken, place)
            yield Statement(line, "author", shortened(found[0]), taken, repo, "authored", params)


def _taken_back(page: Page, place: int) -> Mention | None:
    """Find the one number that the lines since the heading say is taken back."""
    found: dict[int, Mention] = {}
    for before in range(place, -1, -1):
        if page.blocks[before].kind == "heading":
            break
        for mention in page.mentions[before]:
            text = page.blocks[before].inlines[mention.cell].text
            lead = plain(text[max(0, mention.at - _LEAD) : mention.at])
            if mention.kind == "thread" and mention.told != "issue" and not mention.damaged and _REVERTS.search(lead):
                found.setdefault(mention.number, mention)
    return next(iter(found.values())) if len(found) == 1 else None
