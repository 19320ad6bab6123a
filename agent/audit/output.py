"""Checks of what went wrong while a report was made: dead anchors, raw data, failed tools, texts that were cut off."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from http import HTTPStatus
from urllib.parse import unquote

from agent.audit.entries import Entry
from agent.audit.lookup import RIGHT, Finding, Library
from agent.audit.markdown import Block, blanked, code_of, links_of, plain
from agent.markdown import slug

_ID = re.compile(r"<[a-z]{1,10}\s[^<>\n]{0,200}?\b(?:id|name)\s?=\s?[\"']?([^\s\"'<>]{1,200})", re.IGNORECASE)
_DATUM = re.compile(r"(?<![\w.-])([a-z]{1,40}(?:_[a-z0-9]{1,40}){1,6}): ?(?:true|false|null)(?!\w)")
_JSON = re.compile(r"\A\s{0,20}[{\[].{0,100}")
_KEYED = re.compile(r"[\"'][A-Za-z_][\w-]{0,60}[\"'] ?: ?[\"'\[{\d]")
_PLACEHOLDER = re.compile(r"\{\{ ?[\w.]{1,60} ?\}\}|\[object Object\]|</?think>")
_STATUS = re.compile(r"(?<![\w.#+/-])([45]\d\d)(?![\w.%+-]|/\d)")
_TRACEBACK = re.compile(
    r"Traceback \(most recent call last\)|\bError code: [45]\d\d - |\b[45]\d\d (?:Client|Server) Error: "
    r"|\bHTTP Error [45]\d\d: |\b(?:Client|Server) error '[45]\d\d "
)
_PHRASES = "|".join(status.phrase for status in HTTPStatus if status.value >= 400)
_STATED = re.compile(
    rf"(?i)\bHTTP\b.{{0,20}}\d{{3}}|\bstatus(?:_code| code)?[ =:]{{1,3}}\d{{3}}|\d{{3}} (?:{_PHRASES})\b"
)
_HEX = re.compile(r"\b[0-9a-f]{7,40}\b|#\d{1,9}")
_SENTENCE_END = re.compile(r"[。！？]|[.!?] ")
_PAIRS = (("（", "）"), ("【", "】"), ("“", "”"), ("「", "」"), ("(", ")"))
_REPEATED, _SIBLINGS, _NEAR, _KEYS, _TAIL, _TELLING = 3, 2, 12, 3, 300, 10


def check_output(entries: Sequence[Entry], library: Library) -> Iterator[Finding]:
    """Find the traces of a report that did not come out whole."""
    blocks = [entry.block for entry in entries]
    yield from _anchors(blocks)
    yield from _raw(entries, library)
    yield from _failed(entries)
    yield from _cut(entries, blocks)


def _anchors(blocks: Sequence[Block]) -> Iterator[Finding]:
    titles = Counter(slug(plain(block.text).replace("`", ""), set()) for block in blocks if block.kind == "heading")
    anchors = {name if place == 0 else f"{name}-{place}" for name, many in titles.items() for place in range(many)}
    ids = {found.casefold() for block in blocks if "<" in block.text for found in _ID.findall(block.text)}
    known = {anchor.casefold() for anchor in anchors} | ids | {one.removeprefix("user-content-") for one in ids}
    for block in blocks:
        for link in links_of(block.text) if "](#" in block.text and block.kind != "fence" else ():
            target = unquote(link.url[1:]).casefold().removeprefix("user-content-")
            if link.url.startswith("#") and target not in ("", "top"):
                verdict = RIGHT if target in known else "wrong:dead-anchor"
                told = f"the page has {'this' if target in known else 'no such'} heading or id"
                yield Finding(block.line_at(link.start), "anchor", link.url, verdict, told)


def _raw(entries: Sequence[Entry], library: Library) -> Iterator[Finding]:
    """Find data and places of templates that were left in the text."""
    words = {word for found in library.values() for word in found.words}
    for entry in entries:
        block = entry.block
        if block.kind in ("fence", "rule"):
            continue
        bare = blanked(block.text, code_of(block.text))
        left = [(found, "a place of a template was not filled") for found in _PLACEHOLDER.finditer(bare)]
        left += [(found, "raw JSON stands in the text") for found in [_JSON.match(bare)] if found and _is_json(bare)]
        # What the change or the repositories have is spoken of, not left over.
        for found in _DATUM.finditer(block.text):
            if found[1] not in words and not any(found[1] in text for one in entry.evidence for text in one.texts):
                left.append((found, "a field of the tool's own data was left in the text"))
        for found, why in left:
            yield Finding(block.line_at(found.start()), "output", found[0].strip(), "wrong:raw-data", why)


def _is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict | list) and '"' in text
    except (ValueError, RecursionError):
        return len(_KEYED.findall(text[:4000])) >= _KEYS


def data_names(entries: Sequence[Entry]) -> set[str]:
    """List the names that may be fields of raw data, to be looked for in the repositories."""
    return {found for entry in entries if entry.block.kind != "fence" for found in _DATUM.findall(entry.block.text)}


def _failed(entries: Sequence[Entry]) -> Iterator[Finding]:
    """Find errors of a server or a program where an entry should have its text.

    A report may speak of errors: then the change has the same status, or more is said, or of something that is named.
    """
    texts = [plain(one.block.text) if one.block.kind in ("text", "item", "row") else "" for one in entries]
    repeated = Counter(_HEX.sub("", text)[:_TAIL] for text in texts)
    for place, (entry, text) in enumerate(zip(entries, texts, strict=True)):
        status = _STATUS.search(text)
        known = status is not None and int(status[1]) in set(HTTPStatus)
        again = known and repeated[_HEX.sub("", text)[:_TAIL]] >= _REPEATED and len(text) > _TELLING
        ends = place + 1 == len(entries) or entries[place + 1].block.kind in ("heading", "rule")
        only = ends and entry.block.kind == "text" and len(text) < _TAIL and not entry.references
        told_of = status and any(status[1] in part for one in entry.evidence for part in one.texts)
        if not told_of and (_TRACEBACK.search(text) or again or (known and only and _STATED.search(text))):
            told = "an error stands where the text should be; make this entry again"
            yield Finding(entry.block.line, "output", text[:120], "wrong:failed-output", told)


def _cut(entries: Sequence[Entry], blocks: Sequence[Block]) -> Iterator[Finding]:
    """Find fences that nobody closes, rows that end early, and sentences that stop before a heading or the end."""
    for index, (block, after) in enumerate(zip(blocks, [*blocks[1:], Block("rule", 0, "")], strict=True)):
        line, why = block.line, ""
        if block.kind == "fence" and not block.closed:
            why = "the fence is never closed"
        elif block.kind == "row" and after.kind != "row" and len(block.cells) < len(block.header):
            why = "the last row of the table is not whole" if block.text.count("`") % 2 or not block.closed else ""
        elif after.kind in ("heading", "rule") and block.kind in ("text", "item"):
            line, why = block.line_at(len(block.text)), _stops(entries, index)
        if why:
            yield Finding(line, "output", plain(block.text)[-60:], "wrong:cut-off", why)


def _stops(entries: Sequence[Entry], index: int) -> str:
    """Say why a text seems to stop in the middle: an open mark, or no end where everything like it has one."""
    entry, block = entries[index], entries[index].block
    text = block.text.rstrip()
    if text.count("`") % 2 or text.count("**") % 2:
        return "a mark is opened and never closed"
    tail = blanked(text, code_of(text))[-_TAIL:]
    if opened := next((one for one, other in _PAIRS if tail.count(one) > tail.count(other)), ""):
        return f"{opened} is opened and never closed"
    if not text[-1:].isalnum() or (entry.references and entry.references[-1].end >= len(text) - 1):
        return ""
    if block.kind == "text" and _SENTENCE_END.search(text) and len(_SENTENCE_END.split(text)[-1]) > 1:
        return "the last sentence has no end"
    label = text.partition("：")[0].partition(":")[0]
    last = [one.block for one in entries[max(0, index - _NEAR) : index]]
    near = [one for one in last if one.kind == "item" and one.level == block.level]
    same = [one for one in near if one.text.startswith(label)]
    siblings = same if len(same) >= _SIBLINGS else near
    alike = len(siblings) >= _SIBLINGS and all(one.text.rstrip().endswith(tuple("。.!！?？;；")) for one in siblings)
    return "it has no end, unlike those before it" if alike and block.kind == "item" else ""
