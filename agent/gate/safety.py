"""Check that the words of a model do nothing on a page: no address, markup, mention, closing keyword, hidden sign."""

import re
from collections.abc import Iterator

from agent.domain.base import Language
from agent.domain.claims import MARK, Claim, Judgement
from agent.markdown import visible
from agent.models import repeats_instructions

LONGEST = 700
_SPAN = re.compile("`[^`]*`")
_ANY_MARK = re.compile(r"\[@[^\[\]]{0,20}\]?")
_HANDLE = re.compile(r"(?<![\w\])])\[[a-z]{1,2}[0-9]{1,3}\](?!\()", re.ASCII)
_ADDRESS = re.compile(
    r"\b[a-z][a-z0-9+.-]{1,15}://[^\s<>`]*|\bwww\.[^\s<>`]*|\bgithub\.com/[^\s<>`]*|\bmailto:", re.ASCII
)
_MENTION = re.compile(r"(?<![\w`./@-])@[A-Za-z0-9][\w-]*", re.ASCII)
# https://docs.github.com/articles/closing-issues-using-keywords
_CLOSING = re.compile(
    r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\b:?\s+(?:[\w-]+/[\w.-]+)?(?:#|gh-)\d+", re.IGNORECASE | re.ASCII
)
_MARKUP = (
    ("HTML", re.compile(r"<[/!]?[A-Za-z][^<>]{0,200}>|<!--|&#?\w{1,10};")),
    ("a Markdown link or image", re.compile(r"\]\s?\(|!\[|\]\s?\[|\]:")),
    ("a Markdown heading", re.compile(r"^ {0,3}#{1,6}\s", re.MULTILINE)),
    ("a Markdown table", re.compile(r"^\s*\||\|\s*:?-{3}", re.MULTILINE)),
)
_HAN = re.compile("[\u3400-\u9fff]")
_LETTER = re.compile("[A-Za-z]")


def check_safety(claim: Claim, text: str, lang: Language) -> Iterator[Judgement]:
    """Say what is wrong with the words of a sentence, whatever they mean."""
    if not 0 < len(text) <= LONGEST:
        # Nothing further is read of it: patterns are made for sentences.
        yield _wrong(f"the text in {lang} has {len(text)} characters; a sentence has 1 to {LONGEST}")
        return
    if visible(text) != " ".join(text.split()):
        yield _wrong("the text holds control or invisible characters")
    if repeats_instructions(text):
        yield _wrong("the text repeats the instructions")
    for mark in _ANY_MARK.findall(text):
        number = MARK.fullmatch(mark)
        if number is None or int(number[1]) > len(claim.sources):
            yield _wrong(f"{mark} names none of the {len(claim.sources)} citations", mark)
    yield from _unsafe(MARK.sub(" ", text))
    if reason := _in_another_language(text, lang):
        yield _wrong(reason)


def _unsafe(text: str) -> Iterator[Judgement]:
    for found in _ADDRESS.findall(text.lower()):
        yield _wrong(f"{found} is an address; only code writes links", found)
    for closing in _CLOSING.finditer(text):
        yield _wrong(f"{closing[0]!r} would close an issue; put the number elsewhere", closing[0])
    if "```" in text or "~~~" in text:
        yield _wrong("a code fence stands in the text; show code in the anchor")
    elif text.count("`") % 2:
        yield _wrong("a code span is not closed")
    bare = _SPAN.sub(" ", text)
    for name, form in _MARKUP:
        if match := form.search(bare):
            yield _wrong(f"{match[0]!r} reads as {name}; put code in backticks", match[0])
    for found in _MENTION.findall(bare):
        yield _wrong(f"{found} would notify somebody; put code in backticks", found)
    for found in _HANDLE.findall(bare):
        yield _wrong(f"{found} is a handle; put it among the citations", found)


def _in_another_language(text: str, lang: Language) -> str:
    """Count the letters of each script: a text in Chinese has Han characters, one in English mostly has not."""
    bare = _SPAN.sub(" ", text)
    han, letters = len(_HAN.findall(bare)), len(_LETTER.findall(bare))
    if lang == "zh" and not han:
        return "the text for zh is not in Chinese"
    return "the text for en is not in English" if lang == "en" and han * 2 > letters else ""


def _wrong(reason: str, literal: str = "") -> Judgement:
    return Judgement(verdict="malformed", reason=reason, check="safety", literal=literal)
