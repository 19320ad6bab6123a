"""What is wrong with a report as a text: dead anchors, cut sentences, repeated entries, words for another period."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from urllib.parse import unquote

from agent.audit.markdown_blocks import Block
from agent.audit.page import Page
from agent.audit.paths import is_path
from agent.audit.periods import day_from
from agent.audit.repeats import repeats
from agent.audit.statement import Statement, structural
from agent.audit.vocabulary import DAY_WORDS, FILES_LABEL, plain
from agent.audit.whereabouts import span_days
from agent.markdown import slug

_ENDED = re.compile(r"[。．.!！?？:：;；…)）\]】」』”\"'`|>%*~—-]$|[\U0001f300-\U0001faff]$")
_DANGLING = re.compile(
    r"(?:[\u4e00-\u9fff](?:在|的|将|与|和|或|对|及|为|以|从|把|被|由|于|并)|(?<=[\u4e00-\u9fff])(?:在|的|将|与|和|或)"
    r"|[A-Za-z0-9_)）]\s?(?:和|与|及|以及|或|、)"
    r"|[\u4e00-\u9fff，](?:并且|以便|因为|其中|包括|从而|例如|用于|如果|而且|但是|由于|根据|对于|使得)|[\w\u4e00-\u9fff）)][，、]"
    r"|[a-z,]\s(?:the|a|an|of|and|or|to|with|in|for|by|from|that|which|is|are|as|on|at)"
    r"|[a-z,]\s(?:when|while|where|because|than|whose|their|these|those|has|have|had|were|will|cannot|no|but|into|onto"
    r"|between|through|via|without|until|every|such|if)"
    r"|[a-z,]\s(?:the|an?|its|their|this|these)\s(?:new|old|existing|corresponding|underlying|additional|respective))$"
)
_LAST_WORD = re.compile(r"(?<![\w`./-])([A-Za-z_]\w{2,40})$")
_SENTENCES = re.compile(r"[。；！？].*[，。；]|[a-z]\. [A-Z].*[a-z,] [a-z]", re.DOTALL)
_RAW = re.compile(r"\b\w+_truncated\s*:\s*true\b|\{\s*\"\w+\"\s*:|\"\w+\"\s*:\s*(?:\"|\[|\{|true|false|null)")
_THIS_WEEK = re.compile(
    r"本周|这周|本週|这一周|本月|这个月|本季度|(?<!\w)this (?:week|month|quarter)(?!\w)"
    r"|\b(?:\w+est|most \w+|first|last|only|single|highlights?|stars?)\b[^.;\n]{0,40}?"
    r" of the (?:week|month|quarter)(?!\w)",
    re.IGNORECASE,
)
_THIS_DAY = re.compile(r"今日|本日|昨日|(?<!\w)(?:today'?s?|daily report|yesterday'?s)(?!\w)", re.IGNORECASE)
_DATE = re.compile(r"(?<![\w./-])([1-9]\d{3})-(\d\d)-(\d\d)(?![\w/-])")
_LONG = 40
_FEW = 3
_FAR = 500


def structure(page: Page) -> Iterator[Statement]:
    """Find what reading alone can tell."""
    yield from anchors(page)
    yield from _cut(page)
    yield from _raw(page.blocks)
    yield from _periods(page)
    yield from repeats(page)
    yield from _no_days(page.blocks)


def anchors(page: Page) -> Iterator[Statement]:
    """Find links to headings that are not there."""
    blocks = page.blocks
    taken: set[str] = set()
    for block in blocks:
        if block.kind == "heading":
            slug(block.text.strip("\n"), taken)
    ids = {anchor.lower() for block in blocks for anchor in block.anchors}
    for block in blocks:
        for span in block.spans:
            if span.kind != "link" or not span.url.startswith("#") or len(span.url) == 1:
                continue
            target = unquote(span.url[1:])
            alive = target in taken or target.lower() in taken | ids or target == "top"
            told = f"[{span.text}]({unquote(span.url)})"
            if alive:
                yield structural(span.line, "anchor", told, "right", "the heading is there")
            else:
                yield structural(span.line, "anchor", told, "dead anchor", f"no heading has the anchor #{target}")


# ---------------------------------------------------------------- text that was cut


def _cut(page: Page) -> Iterator[Statement]:
    blocks = page.blocks
    for place, block in enumerate(blocks):
        if block.kind == "fence" and not block.closed:
            yield structural(block.line, "cut", "```", "cut off", "the fence is never closed")
        if block.kind not in ("item", "paragraph", "row") or (block.kind == "row" and block.level):
            continue
        last = block.inlines[-1] if block.inlines else None
        line = last.line_at(len(last.text)) if last else block.line
        if why := _why_cut(page, place):
            yield structural(line, "cut", block.text[-60:], "cut off", why)
        elif word := _open_word(page, place):
            about = page.subjects[place]
            repo = page.repo_of(about, place) if about else page.repos[place]
            yield Statement(line, "cut", block.text.rstrip()[-60:], about, repo, "ends", {"word": word})


def _open_word(page: Page, place: int) -> str:
    """Give the last word of a long entry without an end sign, where those like it have one or nothing follows."""
    block = page.blocks[place]
    found = _LAST_WORD.search(plain(block.text.rstrip()))
    if block.kind == "row" or found is None or len(block.text) < _LONG:
        return ""
    length = len(block.text.rstrip())
    if any(span.kind != "text" and span.end >= length for span in block.spans) or is_path(block.text.split()[-1]):
        return ""
    return found[1] if place + 1 == len(page.blocks) or _peers_end(page, place) else ""


def _why_cut(page: Page, place: int) -> str:
    block = page.blocks[place]
    text = block.text.rstrip()
    if not text:
        return ""
    after = page.blocks[place + 1] if place + 1 < len(page.blocks) else None
    at_end = after is None
    if block.kind == "row":
        raw = page.text.rstrip().splitlines()[-1] if at_end else ""
        cut = raw.lstrip().startswith("|") and not raw.rstrip().endswith("|")
        return "the last row of the table is not whole" if cut else ""
    if at_end and text.count("`") % 2:
        return "a code span is never closed"
    in_link = any(span.kind == "link" and span.end >= len(text) for span in block.spans)
    in_code = any(span.kind == "code" and span.end >= len(text) for span in block.spans)
    if re.search(r"(?:\.{3}|…)$", text) and not in_link and not in_code:
        return "the text ends in an ellipsis"
    if _ENDED.search(text) or in_link or in_code or FILES_LABEL.match(plain(text)) or is_path(text.split()[-1]):
        return ""
    if _DANGLING.search(text):
        return "the sentence has no end"
    ends_part = at_end or (after is not None and after.kind in ("heading", "rule"))
    if ends_part and block.kind == "paragraph" and len(text) > 2 * _LONG and _SENTENCES.search(text):
        return "the last sentence of the paragraph has no end"
    return "the sentence has no end, unlike those before it" if ends_part and _peers_end(page, place) else ""


def _peers_end(page: Page, place: int) -> bool:
    """Tell whether entries of the same kind end as sentences do."""
    block, peers = page.blocks[place], list[Block]()
    label = _label(page, place)
    same: list[Block] = []
    for before in range(place - 1, max(-1, place - _FAR), -1):
        one = page.blocks[before]
        if one.kind in ("heading", "rule") and len(same if label else peers) >= _FEW:
            break
        linked = all(span.kind == "link" for span in one.spans)
        alike = one.kind == block.kind and one.level == block.level and len(one.text) >= _LONG // 4 and not linked
        alike = alike and not _is_label(one)
        peers += [one] if alike else []
        same += [one] if alike and _label(page, before) == label else []
    peers = same if len(same) >= _FEW else peers
    ended = sum(bool(re.search(r"[。.!！?？]\s*$", one.text.rstrip())) for one in peers)
    return len(peers) >= _FEW and ended >= 0.8 * len(peers)


def _is_label(block: Block) -> bool:
    """Tell a paragraph that heads or introduces what follows from one that tells something."""
    bold = next((span for span in block.spans if span.text.strip()), None)
    headed = block.kind == "paragraph" and bold is not None and bold.kind == "strong"
    return block.text.rstrip().endswith((":", "：")) or (headed and not re.search(r"[。.!！?？]\s*$", block.text))


def _label(page: Page, place: int) -> str:
    """Give what an entry is labelled by: its own first word, or the line right above it."""
    found = re.match(r"\W*(\w{1,12})\s*[:：]", plain(page.blocks[place].text[:_LONG]))
    above = page.blocks[place - 1] if place else None
    if found is None and above is not None and above.kind == "paragraph" and len(above.text) < _LONG:
        return above.text.strip()
    return found[1] if found else ""


def _raw(blocks: Sequence[Block]) -> Iterator[Statement]:
    for block in blocks:
        if block.kind in ("item", "paragraph", "row") and (found := _RAW.search(block.text)):
            line = block.inlines[0].line_at(found.start()) if block.kind != "row" else block.line
            yield structural(line, "cut", found[0], "raw data", "a piece of the tool's own data was left in the text")


# ---------------------------------------------------------------- periods


def _periods(page: Page) -> Iterator[Statement]:
    daily = is_daily(page)
    several = span_days(page.days) >= _FEW
    for block in page.blocks:
        if block.kind in ("fence", "rule", "comment"):
            continue
        for inline in block.inlines:
            own = [span for span in inline.spans if span.kind in ("text", "strong")]
            for span in own:
                found = _THIS_WEEK.search(span.text) if daily else None
                if several and (block.kind == "heading" or block is page.blocks[0]):
                    found = found or _THIS_DAY.search(span.text)
                if found:
                    about = "one day" if daily else f"{span_days(page.days)} days"
                    why = f"the report is about {about}"
                    yield structural(span.line, "period", span.text, "wrong period", why)


def _no_days(blocks: Sequence[Block]) -> Iterator[Statement]:
    """Find dates that no calendar has."""
    for block in blocks:
        for inline in block.inlines:
            for span in inline.spans:
                for found in _DATE.finditer(plain(span.text)) if span.kind in ("text", "strong") else ():
                    if not 1970 <= int(found[1]) <= 2099 or day_from(*found.groups()) is None:
                        yield structural(span.line, "date", found[0], "malformed", "there is no such day")


def is_daily(page: Page) -> bool:
    """Tell whether a report is about one day, by its label or its own words."""
    if page.days.period == "range":
        return False
    words = Counter(found[0] for found in DAY_WORDS.finditer(page.text))
    weeks = len(re.findall(r"周报|weekly", page.text[:400], re.IGNORECASE))
    return not weeks and (page.days.period == "day" or sum(words.values()) >= 2)
