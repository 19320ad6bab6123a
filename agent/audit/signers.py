"""Who and when, as an entry says it beside its number: in brackets, behind commas, before the verb."""

import re
from collections.abc import Iterator
from datetime import timedelta

from agent.audit.markdown_blocks import Inline
from agent.audit.mentions import Mention
from agent.audit.page import Page
from agent.audit.signatures import inside, is_name
from agent.audit.statement import Statement, shortened
from agent.audit.vocabulary import plain
from agent.audit.whereabouts import Days
from agent.dates import find_dates

_BRACKET = re.compile(r"[(（]([^()（）\n]{9,160})[)）]")
_TAIL = re.compile(
    r"(?:#\d{1,7}|(?<!\w)[0-9a-f]{7,40})[)）\]]?\s*[,，]\s*([^\n:：;；。]{2,120}?)(?=\s*(?:$|\n|[:：;；。]))"
)
_PARTS = re.compile(r"\s*[,，;；|]\s*")
_SHORT_DAY = re.compile(r"(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*\.?\s+)?(0[1-9]|1[0-2])[-/](0[1-9]|[12]\d|3[01])")
_OF_MONTH = re.compile(
    r"(?:(?P<day>[0-3]?\d)\s*[日号]\s*)?(?P<clock>[0-2]?\d:[0-5]\d(?::[0-5]\d)?)(?:\s*(?:UTC|合入|落地|提交))?"
)
_MONTH = 28
_ON = re.compile(r"\bon (?=\d{1,2}(?:st|nd|rd|th)? [A-Z]|[A-Z][a-z]{2,8}\.? \d|20\d\d-)")
_LABELLED = re.compile(
    r"^(?:(?:同样|也|都|仍|均)?(?:是|由|来自)|作者|提交者|贡献者)[:：]?\s*(?=[A-Za-z@])|^(?:also\s+)?by\s+"
)
# "新增 40 行" and "合入时间 10" are no names; "Ada Li (李)" is one.
_MIXED = re.compile(r"[\u4e00-\u9fff].*[A-Za-z0-9]|[A-Za-z0-9].*[\u4e00-\u9fff]|[\u4e00-\u9fff]{5}|\s\d+$")
_INNER = re.compile(r"\([^()]*\)")
_PERSON = r"(?P<name>[A-Z][\w.'-]*(?: (?:[A-Z][\w.'-]*|de|van|von|der|da|al)){1,4}|[A-Za-z][\w-]{4,38})"
# The name before what somebody did; whether it is one shows by who else landed something.
_DOES = re.compile(
    r"(?:^|(?<=[.。!?:：*]\s)|(?<=[。：)）])|\b(?:in|with|by|through) which\b|, where\b)\W*"
    rf"{_PERSON}(?:['’]s\b|\s*(?:的\s*)?(?=[\u4e00-\u9fff]|[\[`(（]*[0-9a-f]{{7,40}}\b)|\s+(?:[a-z]{{3,}}(?:ed|es|s)\b|made|wrote|cut|put|built))",
    re.MULTILINE,
)
_CLOCKED = re.compile(
    r"(?<!\w)[0-9a-f]{7,40}[)\]）]*\s*(?:at|于)\s*(?P<clock>[0-2]?\d:[0-5]\d(?::[0-5]\d)?)(?![\w:])", re.ASCII
)
_IN_NUMBER = re.compile(rf"\b[Ii]n #\d+,? {_PERSON}\s+[a-z]{{3,}}s?\b")
_BY = re.compile(rf"(?:#\d+|[0-9a-f]{{7,40}})[)\]）]*\**\s+by {_PERSON}")
# Who is thanked for a change itself, and not for a hint, wrote it.
_THANKED = re.compile(
    rf"\b(?:[Tt]hanks to|[Cc]redit (?:goes )?to|[Cc]ourtesy of) {_PERSON} for \W*[0-9a-f]{{7,40}}\b"
    rf"|(?:感谢|出自|来自)\s*{_PERSON.replace('name', 'zh')}\s*(?:(?:提交|贡献|带来|编写)的|之手)"
)
# "`abc1234` Ada Lovelace：…": who stands between the hash and what it does.
_HEADED = re.compile(rf"^\W*[0-9a-f]{{7,40}}[`*\])）]*\s+{_PERSON}\s*[:：]")
# "By Ada Lovelace, +3/-1: …" and "…, by Ada Lovelace." in the remarks of an entry.
_REMARKED = (
    re.compile(
        rf"^\W*(?:(?:[Ww]ritten |[Aa]uthored |[Cc]ontributed |[Aa]lso )?[Bb]y|[Ff]rom|出自|来自|作者是?|由)\s*{_PERSON}"
        r"(?=\s*(?:[,，;；:：.。(（]|$|and\b|之手|提交|贡献|编写|完成))",
    ),
    re.compile(
        rf"[,，;；(（]\s*(?:(?:written|authored|contributed) )?(?:by|出自|来自|作者是?|由)\s*{_PERSON}"
        r"(?=\s*(?:[.。)）;；]|$|之手|提交|贡献|编写|完成))",
    ),
    re.compile(
        rf"^\W*{_PERSON}\s*"
        r"(?:\b(?:wrote|authored|contributed|landed|submitted|made|did) (?:it|this|the (?:change|patch))\b"
        r"|(?:提交|编写|贡献|完成)(?:了|。|，|$))",
    ),
)


def signers(page: Page) -> Iterator[Statement]:
    """State who did what an entry is about, and when."""
    for place, block in enumerate(page.blocks):
        if block.kind not in ("item", "paragraph", "row") or (block.kind == "row" and block.level):
            continue
        for cell, inline in enumerate(block.inlines):
            for mention, text, at in _beside(page, place, cell, inline):
                yield from _parts(page, place, mention, text, inline.line_at(at))
            yield from _doers(page, place, cell, inline)
            yield from _remarked(page, place, cell, inline)
            yield from _clocked(page, place, cell, inline)


def _beside(page: Page, place: int, cell: int, inline: Inline) -> Iterator[tuple[Mention, str, int]]:
    """Find what stands in one bracket with a change, or behind its number."""
    text = plain(inline.text)
    for form in (_BRACKET, _TAIL):
        for found in form.finditer(text):
            inside = page.within(place, cell, found.start(), found.end())
            changes = {(m.sha[:7], m.number) for m in inside if m.kind == "commit"} or {
                (m.sha[:7], m.number) for m in inside
            }
            subject = page.nearest(place, found.start(1), cell)
            if subject is not None and subject.kind == "thread" and subject.told == "issue":
                continue
            if len(changes) == 1 and subject is not None:
                first = next((m for m in inside if m.kind == "commit" and m.sure), None)
                yield first or subject, found[1], found.start(1)


def _parts(page: Page, place: int, about: Mention, text: str, line: int) -> Iterator[Statement]:
    repo = page.repo_of(about, place)
    for part in _PARTS.split(text):
        word = _LABELLED.sub("", inside(part).strip(" `*_"))
        if at := _day(word, page.days):
            yield Statement(line, "date", shortened(word), about, repo, "dated", {"at": at})
        elif (
            is_name(word)
            and not _MIXED.search(_INNER.sub("", word))
            and re.fullmatch(r"[^\W\d_][\w .'()-]{2,50}", word)
            and not re.fullmatch(r"[0-9a-f]{7,40}", word)
        ):
            params = {"author": word, "signed": "yes", "beside": "yes"}
            yield Statement(line, "author", word, about, repo, "authored", params)


def _doers(page: Page, place: int, cell: int, inline: Inline) -> Iterator[Statement]:
    """Find who is said to have done it, in a sentence that names one change."""
    text = plain(inline.text)
    start = 0
    for end in (*page.sentence_ends(place, cell), len(text)):
        inside = [m for m in page.within(place, cell, start, end) if not m.damaged]
        changes = [m for m in inside if m.kind == "commit" and m.sure] or [m for m in inside if m.told != "issue"]
        sentence = text[start:end]
        line, about = inline.line_at(start), page.nearest(place, start, cell)
        start = end
        if len({(m.sha[:7], m.number) for m in changes}) != 1 or about is None or about.kind == "release":
            continue
        about, repo = changes[0], page.repo_of(changes[0], place)
        for form in (_DOES, _IN_NUMBER, _BY, _THANKED):
            for found in form.finditer(sentence):
                name = re.sub(r"['’]s$", "", found["name"] or found["zh"])
                params = {"author": name, "signed": "yes", "known": "only"}
                yield Statement(line, "author", shortened(found[0]), about, repo, "authored", params)
        for headed in _HEADED.finditer(sentence):
            params = {"author": headed["name"], "signed": "yes", "beside": "yes"}
            yield Statement(line, "author", headed["name"], about, repo, "authored", params)
        for on in _ON.finditer(sentence):
            words = find_dates(sentence[on.end() : on.end() + 24])[:1]
            if words and (at := _day(words[0].text, page.days)):
                yield Statement(line, "date", words[0].text, about, repo, "dated", {"at": at})


def _remarked(page: Page, place: int, cell: int, inline: Inline) -> Iterator[Statement]:
    """Find by whom a remark says that the change of its entry is; it names none itself."""
    about = page.subjects[place]
    if about is None or page.mentions[place] or page.blocks[place].kind == "row":
        return
    if (about.kind != "commit" or not about.sure) and about.told != "pull":
        return
    for found in (one for form in _REMARKED for one in form.finditer(plain(inline.text))):
        params = {"author": found["name"], "signed": "yes", "known": "only"}
        line, repo = inline.line_at(found.start("name")), page.repo_of(about, place)
        yield Statement(line, "author", shortened(found[0].strip(" ,，;；(（")), about, repo, "authored", params)


def _clocked(page: Page, place: int, cell: int, inline: Inline) -> Iterator[Statement]:
    """Find the time of day right behind a hash, in a report of one day."""
    for found in _CLOCKED.finditer(plain(inline.text)):
        about = next((m for m in page.within(place, cell, found.start(), found.end()) if m.kind == "commit"), None)
        if about is not None and about.sure and (at := _in_period(found["clock"], page.days)):
            line, repo = inline.line_at(found.start()), page.repo_of(about, place)
            yield Statement(line, "date", found["clock"], about, repo, "dated", {"at": at})


def _day(text: str, days: Days) -> str:
    """Complete a day by the year of the report; empty where the words are none."""
    if days.first is not None and (short := _SHORT_DAY.fullmatch(text)):
        return f"{days.first.year}-{short[1]}-{short[2]}"
    if at := _in_period(text, days):
        return at
    found = next(iter(find_dates(text)), None)
    if found is None or found.text.strip() != text.strip() or not found.month or not found.day:
        return ""
    year = found.year or (days.first.year if days.first else None)
    return f"{year}-{found.month:02d}-{found.day:02d}" if year else ""


def _in_period(text: str, days: Days) -> str:
    """Complete the day of a month, or a time of day, by the only day of the report that it can be."""
    found = _OF_MONTH.fullmatch(text)
    if found is None or days.first is None or days.last is None or (days.last - days.first).days >= _MONTH:
        return ""
    all_days = [days.first + timedelta(days=n) for n in range((days.last - days.first).days + 1)]
    fitting = [day for day in all_days if not found["day"] or day.day == int(found["day"])]
    return f"{fitting[0].isoformat()} {found['clock'] or ''}".strip() if len(fitting) == 1 else ""
