"""Statements about titles, authors, dates, states and pull requests, in tables and beside what they describe."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from datetime import date
from operator import attrgetter

from agent.audit.markdown_blocks import Block, Inline
from agent.audit.mentions import Mention
from agent.audit.page import Page
from agent.audit.signatures import IN_LINK, inside, is_name, signature
from agent.audit.statement import Kind, Statement, shortened
from agent.audit.vocabulary import (
    AUTHOR_COLUMN,
    AUTHOR_LABEL,
    DATE_COLUMN,
    DATE_LABEL,
    DATED_IN_WORDS,
    STATE_COLUMN,
    TITLE_COLUMN,
    plain,
)
from agent.dates import find_dates

_NAME_END = re.compile(r"，|；|。|\n|\s-\s|\s\||（|;|, (?=\d{4}-)|,\s*(?:on|at)\s")
_BY = re.compile(r"\bby (@[A-Za-z0-9][\w-]*(?:\[bot\])?)")
_BY_NAME = re.compile(r"\bby ([A-Z][\w.'-]*[\w'-](?: (?:[A-Z]\.|[A-Z][\w.'-]*[\w'-])){0,3})")
# Without a colon only what is written in Latin letters is surely a name.
_UNLABELLED = re.compile(r"(?:作者|提交者)\s*(?=[A-Za-z@])|\b(?:author|committer)\s+(?=@?[A-Z])")
_DONE_BY = re.compile(
    r"由\s*(@?[A-Za-z](?:[A-Za-z0-9_.@'-]| (?=[A-Za-z0-9])){0,60}(?:, [A-Z][A-Za-z-]+)?)"
    r"(?=\s*(?:[于在][\s\d年月日:/-]{4,24})?(?:提交|完成|贡献|合入|编写))"
)
# "被回滚的修复由 Ada 合入": what the entry takes back is by somebody else.
_OF_ANOTHER = re.compile(
    r"(?:被(?:回滚|回退|撤销|撤回|还原|取代|替换)的?|原(?:先|来|本|始)?(?:的)?(?=提交|修复|改动|变更|实现|PR)|此前|之前|早先|上游)"
    r"[^，。；,;\n]*$"
)
_TITLE_LABEL = re.compile(
    r"(?:标题|\btitled?)\s*(?:为|是)?\s*[:：]?\s*[“\"「《](?P<title>[^”\"」》\n]{6,})[”\"」》]", re.IGNORECASE
)
_SIGNED = re.compile(r"\(#\d+\) by (?!@)([^()\[\]@:：,，;；\n]{2,60}?)\s*(?=[(\[（:：,，;；]|$)", re.MULTILINE)
_CLOCK = re.compile(r"^\s*(\d{1,2}:\d{2}(?::\d{2})?)\s*$")
_STATES = {
    "open": "open", "opened": "open", "closed": "closed", "merged": "merged", "打开": "open", "未关闭": "open",
    "开放": "open", "已关闭": "closed", "关闭": "closed", "已合并": "merged", "合并": "merged",
}  # fmt: skip
# What stands behind a title and is none of it: "：PR", ", #12, Ada".
_TRAILER = re.compile(
    r"\s*[:：,，]\s*(?:(?:PR|pull request|commit|核心提交|提交|合并请求)\s*\W*$|#\d+\b.*$)", re.IGNORECASE
)
_SIGNED_TITLE = re.compile(r"(\(#\d+\))\s*[,，;；:：]\s.*$")
# "(#12, Ada)": a bracket that signs is no part of the title, and what it stands behind need not be one.
_SIGNED_INSIDE = re.compile(r"\s*[(（]#\d+\s*[,，;；][^()（）]*[)）]?\s*$")
# "by Ada Lovelace (#12)": who and which number, and no title between.
_SIGNED_ONLY = re.compile(r"by (?P<name>[^()\[\]:：,，;；\n]{2,60}?)\s*(?:\(#\d+\))?")
# "adds a flag (#12)": a sentence of which the hash before it is the subject.
_TELLS = re.compile(r"(?:also |now |only )?[a-z]{2,}(?<!s)s\s+\S")
# "abc1234: a title", as headings of a log have it.
_HASH_BEFORE = re.compile(r"^\W*(?=[a-f]*\d)[0-9a-f]{7,40}`?\s*[:：–—|-]\s*")
_BESIDE_HASH = re.compile(r"(?<!\w)([0-9a-f]{7,40})\W*[(（\[]$")
# "a title (#12), and its revert (#13)": only the first is quoted.
_AND_ANOTHER = re.compile(r"(?<=\d\))\s*(?:[,，;；/+&]|and\b)[^\n]*\(#\d+\)\s*$")
_REACH = 48
_LEAST_WORDS = 2
_LINKS = 6


def attributes(page: Page) -> Iterator[Statement]:
    """State what the report says of each artefact beside its content."""
    for place, block in enumerate(page.blocks):
        subject = page.subjects[place]
        if subject is None:
            continue
        make = _Maker(page, place, subject)
        if block.kind == "row":
            yield from _row(make, block, page.days.first)
        elif block.kind in ("item", "paragraph"):
            for inline in block.inlines:
                yield from _labelled(make, inline)
                yield from _told_in_words(make, inline)
            yield from _signed(make, page, place)
            yield from _leads(make, page, place)
        elif block.kind == "heading":
            title = _AND_ANOTHER.sub("", re.sub(r"\s+`?[0-9a-f]{7,40}`?\s*$", "", block.text))
            title = _HASH_BEFORE.sub("", title)
            yield make("title", title, "titled", strict=_closed(title), title=title)
        yield from _pulls(make, page, place)


class _Maker:
    """Makes statements about one subject."""

    def __init__(self, page: Page, place: int, subject: Mention) -> None:
        self._page, self._place = page, place
        self._line = page.blocks[place].line
        self._subject = subject
        self._repo = page.repo_of(subject, place)

    def near(self, at: int) -> "_Maker":
        """Speak of the change that was named last before a place."""
        subject = self._page.nearest(self._place, at) or self._subject
        return _Maker(self._page, self._place, subject)

    def __call__(
        self, kind: Kind, words: str, predicate: str, *, line: int = 0, strict: bool = True, **params: str
    ) -> Statement:
        at = line or self._line
        return Statement(at, kind, shortened(words), self._subject, self._repo, predicate, params, strict=strict)


def _row(make: _Maker, block: Block, day: date | None) -> Iterator[Statement]:
    if block.level:
        return
    for column, inline in zip(block.header, block.inlines, strict=False):
        name, text = plain(column).strip(), plain(inline.text).strip()
        if not text or text in ("-", "—"):
            continue
        if TITLE_COLUMN.match(name):
            yield make("title", inline.text, "titled", title=inline.text.strip(), strict=_verbatim(name))
        elif AUTHOR_COLUMN.match(name):
            yield make("author", inline.text, "authored", author=inline.text.strip(), column="yes")
        elif DATE_COLUMN.match(name):
            yield make("date", inline.text, "dated", at=_moment(text, day))
        elif STATE_COLUMN.match(name) and (state := _STATES.get(text.lower())):
            yield make("state", inline.text, "state", state=state)


def _verbatim(column: str) -> bool:
    """Tell whether a column quotes: one of titles or messages does, one of changes may describe them."""
    return column.lower() not in ("change", "变更")


def _moment(text: str, day: date | None) -> str:
    """Complete a time of day by the report's own day."""
    clock = _CLOCK.match(text)
    return f"{day.isoformat()} {clock[1]}" if clock and day else text


def _labelled(make: _Maker, inline: Inline) -> Iterator[Statement]:
    text = plain(inline.text)
    for label in AUTHOR_LABEL.finditer(text):
        rest = inline.text[label.end() :]
        end = _NAME_END.search(plain(rest))
        name = inside(rest[: end.start()] if end else rest).strip(" *_`")
        if name and len(name) < 80:
            line = inline.line_at(label.start())
            yield make("author", f"{label[0]}{name}", "authored", line=line, author=name)
            behind = plain(rest)[len(name) : len(name) + 24]
            for found in find_dates(behind)[:1]:
                yield make("date", found.text, "dated", line=line, at=found.text)
    for label in DATE_LABEL.finditer(text):
        for found in find_dates(text[label.end() : label.end() + 40])[:1]:
            if found.start <= 2:
                yield make("date", found.text, "dated", line=inline.line_at(label.start()), at=found.text)
    for named in _BY_NAME.finditer(text):
        if _behind_a_change(inline, named.start()):
            near = make.near(named.start())
            yield near("author", named[0], "authored", line=inline.line_at(named.start()), author=named[1])
    for signed in (one for one in _SIGNED.finditer(text) if is_name(one[1])):
        at = inline.line_at(signed.start())
        yield make("author", signed[0].strip(") (["), "authored", line=at, author=signed[1].strip())
    for by in _BY.finditer(text):
        yield make("author", by[0], "authored", line=inline.line_at(by.start()), author=by[1], strict=False)


def _told_in_words(make: _Maker, inline: Inline) -> Iterator[Statement]:
    """Read who did it, when, and how it is called, where a sentence says so."""
    text = plain(inline.text)
    for label in _UNLABELLED.finditer(text):
        rest = text[label.end() : label.end() + 80]
        end = _NAME_END.search(rest)
        name = (rest[: end.start()] if end else rest).strip(" *_`.")
        line = inline.line_at(label.start())
        yield make.near(label.start())("author", f"{label[0]}{name}", "authored", line=line, author=name)
    for done in _DONE_BY.finditer(text):
        if _OF_ANOTHER.search(text, max(0, done.start() - _REACH), done.start()):
            continue
        near, line = make.near(done.start()), inline.line_at(done.start())
        yield near("author", done[0].strip(), "authored", line=line, author=done[1])
    for label in DATED_IN_WORDS.finditer(text):
        for found in find_dates(text[label.end() : label.end() + 40])[:1]:
            if found.start <= 1:
                line = inline.line_at(label.start())
                yield make.near(label.start())("date", found.text, "dated", line=line, at=found.text)
    for label in _TITLE_LABEL.finditer(text):
        title = inline.text[label.start("title") : label.end("title")]
        yield make.near(label.start())("title", title, "titled", line=inline.line_at(label.start()), title=title)


def _signed(make: _Maker, page: Page, place: int) -> Iterator[Statement]:
    """Read who signed an entry; whether the words are a name shows by how the other entries are signed."""
    inline = page.blocks[place].inlines[0]
    first_line = inline.text.partition("\n")[0]
    for text, start in _signable(inline, first_line, page.mentions[place]):
        if (signed := signature(text)) is None:
            continue
        if signed.name and not signed.name.startswith("@"):
            custom = "" if signed.date else "yes"
            line = inline.line_at(start + signed.at)
            yield make("author", signed.name, "authored", line=line, author=signed.name, signed=custom)
        if signed.date:
            yield make("date", signed.date, "dated", line=inline.line_at(start + signed.at), at=signed.date)
        return


def _signable(inline: Inline, line: str, mentions: tuple[Mention, ...]) -> Iterator[tuple[str, int]]:
    """Give what of a line may be signed: all of it behind a leading hash, or what stands before a link."""
    lead = next((m for m in mentions if m.kind == "commit" and m.at < 4), None)
    spans = [span for span in inline.spans if span.kind == "link" and span.end <= len(line)]
    start = 0
    if lead is not None:
        start = next((span.end for span in inline.spans if span.at <= lead.at < span.end and span.kind != "text"), 0)
        start = start or lead.at + len(lead.words)
    yield line[start:], start
    for span in spans[:_LINKS]:
        if span.at > start:
            yield line[start : span.at], start


def _behind_a_change(inline: Inline, at: int) -> bool:
    """Tell whether a place follows right behind a hash or a link to a change."""
    before = plain(inline.text[max(0, at - 64) : at]).rstrip(" ,()[]")
    place = bisect_left(inline.spans, at, key=attrgetter("at"))
    links = [span for span in inline.spans[max(0, place - 4) : place] if span.kind == "link"]
    return bool(re.search(r"(?<!\w)[0-9a-f]{7,40}$", before)) or any(0 <= at - span.end <= 2 for span in links)


def _leads(make: _Maker, page: Page, place: int) -> Iterator[Statement]:
    """Offer what may be the subject's title; whether it is meant as one shows when the real one is known."""
    for line, lead in leads(page.blocks[place], page.mentions[place]):
        yield make("title", lead, "titled", line=line, title=lead, strict=_closed(lead))


def _closed(lead: str) -> bool:
    """Tell whether words end as change logs close a title, by its number or by whom in what: then each is meant."""
    if (signed := signature(lead)) is not None and (signed.date or IN_LINK.search(plain(lead))):
        return signed.date == "" or _closed(signed.title)
    return bool(re.search(r"\(#\d+\)(?:\s+by\s+\S.*)?$", lead.strip())) and not re.search(r"[\u4e00-\u9fff]", lead)


def leads(block: Block, mentions: tuple[Mention, ...]) -> list[tuple[int, str]]:
    """Find the words of a line that may be a title."""
    inline = block.inlines[0]
    found: list[tuple[int, str]] = []
    strong = next((span for span in inline.spans if span.text.strip()), None)
    if strong is not None and strong.kind == "strong":
        found.append((strong.line, strong.text))
    first_line = inline.text.partition("\n")[0]
    marks = [m for m in mentions if m.kind == "commit" and m.at < len(first_line)]
    links = [span.at for span in inline.spans if span.kind == "link" and span.at < len(first_line)]
    cuts = [m.at for m in marks] + links
    if cuts:
        # The number that closes a title may be a link itself.
        whole = first_line[: min(m.at for m in marks)].rstrip(" [`") if marks else ""
        found.append((inline.line, whole if re.search(r"\(#\d+\)$", whole) else first_line[: min(cuts)]))
        last = max(marks, key=lambda m: m.at) if marks else None
        if last is not None and last.at < 4:
            # "abc1234 – the title"
            rest = first_line[last.at + len(_written(block, last)) :]
            found.append((inline.line, rest))
    else:
        found.append((inline.line, first_line))
    bare = [(line, _TRAILER.sub("", re.sub(r"^\W*[0-9a-f]{7,40}\b", "", text))) for line, text in found]
    bare = [(line, _SIGNED_INSIDE.sub("", _SIGNED_TITLE.sub(r"\1", text))) for line, text in bare]
    cleaned = [(line, re.split(r"\s+by @", text)[0].strip(" \t-–—:：|*_`([（，,.。")) for line, text in bare]
    return [
        (line, text)
        for line, text in dict.fromkeys(cleaned)
        if len(text.split()) >= _LEAST_WORDS and not _is_no_title(text)
    ]


def _is_no_title(text: str) -> bool:
    """Tell words of which the hash is the subject, or that only say by whom it is."""
    if _TELLS.match(text):
        return True
    signed = _SIGNED_ONLY.fullmatch(plain(text))
    return signed is not None and is_name(signed["name"])


def _written(block: Block, mention: Mention) -> str:
    """Give the words that stand in the text for a mention."""
    span = next((s for s in block.inlines[mention.cell].spans if s.at <= mention.at < s.end), None)
    return span.text if span is not None and span.kind == "link" else mention.words


def _pulls(make: _Maker, page: Page, place: int) -> Iterator[Statement]:
    """State that the pull request beside a commit is the one that brought it."""
    subject = page.subjects[place]
    if page.blocks[place].kind == "paragraph":
        yield from _bracketed_pulls(page, place)
    if subject is None or subject.kind != "commit" or page.blocks[place].kind not in ("row", "item"):
        return
    commits = {m.sha[:7] for m in page.mentions[place] if m.kind == "commit" and m.sure}
    pulls = {m.number: m for m in page.mentions[place] if m.kind == "thread" and m.told == "pull" and not m.damaged}
    if len(commits) == 1 and len(pulls) == 1:
        (pull,) = pulls.values()
        if page.repo_of(pull, place) not in (None, page.repo_of(subject, place)):
            # What a link to another repository says is looked at where links are.
            return
        yield make("pull request", f"#{pull.number}", "pull", line=pull.line, number=str(pull.number))
    bare = {m.number: m for m in page.mentions[place] if m.kind == "thread" and not m.told and _cites(page, place, m)}
    if len(commits) == 1 and not pulls and len(bare) == 1:
        (pull,) = bare.values()
        yield make("pull request", f"#{pull.number}", "pull", line=pull.line, number=str(pull.number), bare="yes")


def _bracketed_pulls(page: Page, place: int) -> Iterator[Statement]:
    """State of each number in a bracket right behind a hash that it brought this commit."""
    for mention in page.mentions[place]:
        text = plain(page.blocks[place].inlines[mention.cell].text)
        beside = _BESIDE_HASH.search(text[max(0, mention.at - _REACH) : mention.at])
        if mention.kind != "thread" or mention.told or beside is None or not _cites(page, place, mention):
            continue
        named = page.within(place, mention.cell, max(0, mention.at - _REACH), mention.at)
        commit = next((m for m in reversed(named) if m.kind == "commit" and m.sure and not m.damaged), None)
        if commit is not None and commit.sha.startswith(beside[1][:7]):
            number = str(mention.number)
            make = _Maker(page, place, commit)
            yield make("pull request", f"#{number}", "pull", line=mention.line, number=number, bare="yes")


def _cites(page: Page, place: int, mention: Mention) -> bool:
    """Tell whether a number stands where entries name their pull request: in a bracket, or between commas."""
    text = plain(page.blocks[place].inlines[mention.cell].text)
    before, behind = text[: mention.at].rstrip(), text[mention.at + len(mention.words) :].lstrip()
    placed = before[-1:] in (",", "，") or _BESIDE_HASH.search(before) is not None
    return placed and (not behind or behind[0] in ")）,，;；:：]\n")
