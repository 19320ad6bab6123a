"""Counts that a report gives of itself: in headings, in its table of contents, in its sums."""

import re
from collections.abc import Iterator

from agent.audit.markdown_blocks import Block
from agent.audit.page import Page
from agent.audit.statement import Statement, structural
from agent.audit.vocabulary import plain

_COUNTED = re.compile(r"[（(]\s*(\d{1,4})\s*(?:个|items?|commits?|changes?)?\s*[)）]\s*$")
_SUM = re.compile(r"(?<![\w.#])(\d{1,4})\s*(?:个提交|commits?\b|changes?\b|项变更)", re.IGNORECASE)
_OPENING = re.compile(r"\W*(?:[0-9a-f]{7,40}\W{1,6}(?:(?:and|和|与|及)\s*\W{0,3})?)+")
_SHORT = 60
_SIGNS = "\U0001f300"
_SHARE = re.compile(r"([\U0001f300-\U0001faff])\s*\S{0,8}?\s*(\d+)")
_PARTS = re.compile(r"[|｜·•,，;；、(（)）]|\s/\s")
_LABELLED = re.compile(r"\s*([^\W\d][\w -]{1,20}?)\s*[:：]?\s*(\d{1,4})\s*(?:个|项)?\s*")


def contents(page: Page) -> Iterator[Statement]:
    """State that the report has as many entries as it says."""
    headed = dict(_headed(page))
    for place, (count, entries) in headed.items():
        block = page.blocks[place]
        if not entries:
            continue
        if count in entries:
            yield structural(block.line, "count", block.text, "right", f"{count} entries follow")
        else:
            told = " or ".join(str(one) for one in sorted(entries))
            yield structural(block.line, "count", block.text, "count", f"{told} entries follow, not {count}")
    for place, block in enumerate(page.blocks):
        if block.kind in ("paragraph", "item") and (found := _SUM.search(plain(block.text))):
            yield from _sum(page, place, block, found, headed)


def _headed(page: Page) -> Iterator[tuple[int, tuple[int, set[int]]]]:
    for place, block in enumerate(page.blocks):
        found = _COUNTED.search(block.text) if block.kind == "heading" else None
        if found and "#" not in found[0]:
            yield place, (int(found[1]), _entries(page, place))


def _entries(page: Page, place: int) -> set[int]:
    """Count what follows a heading, in each way that a reader may count."""
    own = page.blocks[place].level
    headings = items = rows = 0
    changes: set[str] = set()
    for after in range(place + 1, len(page.blocks)):
        block = page.blocks[after]
        if block.kind == "heading":
            if _COUNTED.search(block.text) or block.level < min(own, 3):
                break
            if page.subjects[after] is not None and page.subjects[after] is not page.subjects[after - 1]:
                headings += 1
            elif block.level <= own and not headings:
                break
        if block.kind == "paragraph" and len(block.text) < _SHORT and _COUNTED.search(block.text):
            # A folded list with a count of its own.
            break
        if not headings:
            items += block.kind == "item" and block.level == 1
            rows += block.kind == "row" and not block.level
        changes |= _named(page, after)
    # One entry may be about a change and its revert, and one change may be told in two entries.
    return {count for count in (headings, items, rows, len(changes)) if count}


def _named(page: Page, place: int) -> set[str]:
    """List the commits that an entry, or the line right below its heading, is about."""
    block = page.blocks[place]
    headed = block.kind == "paragraph" and place > 0 and page.blocks[place - 1].kind == "heading"
    if not headed and block.kind not in ("heading", "item", "row"):
        return set()
    named = [m.sha[:7] for m in page.mentions[place] if m.kind == "commit" and m.sure]
    # An entry may open with several: "`abc1234`, `def5678`: …".
    opening = _OPENING.match(plain(block.inlines[0].text)) if block.inlines else None
    together = sum(m.at < opening.end() and not m.cell for m in page.mentions[place]) if opening else 1
    return set(named if headed or block.kind == "heading" else named[: max(1, together)])


def _sum(
    page: Page, place: int, block: Block, found: re.Match[str], headed: dict[int, tuple[int, set[int]]]
) -> Iterator[Statement]:
    total = int(found[1])
    line = block.inlines[0].line_at(found.start())
    shares = _shares(plain(block.text)[found.end() :])
    heads = {mark: _below(page, place, mark, headed) for mark, _ in shares}
    known = [mark for mark, _ in shares if heads[mark]]
    if len(shares) < 2 or (len(known) < 2 and not all(mark[0] >= _SIGNS for mark, _ in shares)):
        return
    added = sum(int(count) for _, count in shares)
    why = "right" if added == total else "count"
    yield structural(line, "count", block.text, why, f"the parts add up to {added}")
    for mark, count in shares:
        if entries := heads[mark]:
            why = "right" if int(count) in entries else "count"
            told = f"{' or '.join(map(str, sorted(entries)))} entries follow under {mark}"
            yield structural(line, "count", f"{mark} {count}", why, told)


def _shares(text: str) -> list[tuple[str, str]]:
    """Read how a sum is split up: by signs, or by the names of parts."""
    signed = _SHARE.findall(text)
    return signed or [(found[1], found[2]) for part in _PARTS.split(text) if (found := _LABELLED.fullmatch(part))]


def _below(page: Page, place: int, mark: str, headed: dict[int, tuple[int, set[int]]]) -> set[int]:
    """Count what follows the one heading of a part."""
    named = [
        entries
        for at, (_, entries) in headed.items()
        if mark.casefold() in page.blocks[at].text.casefold() and page.repos[at] == page.repos[place]
    ]
    return named[0] if len(named) == 1 else set()
