"""Check that the words of a model do nothing on a page: no address, markup, mention, closing keyword, hidden sign."""

import re
from collections.abc import Iterator

from agent.domain.base import Language
from agent.domain.claims import MARK, Claim, Judgement
from agent.markdown import visible
from agent.prompting import repeats_instructions

LONGEST = 700
_SPAN = re.compile("`[^`]*`")
_ANY_MARK = re.compile(r"\[@[^\[\]]{0,20}\]?")
_ANYWHERE = {
    "is an address; only code writes links": re.compile(
        r"\b[a-z][a-z0-9+.-]{1,15}://[^\s<>`]*|\bwww\.[^\s<>`]*|\bgithub\.com/[^\s<>`]*|\bmailto:",
        re.I | re.ASCII,
    ),
    # https://docs.github.com/articles/closing-issues-using-keywords
    "would close an issue; put the number elsewhere": re.compile(
        r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\b:?\s+(?:[\w-]+/[\w.-]+)?(?:#|gh-)\d+",
        re.I | re.ASCII,
    ),
    "begins a code fence; show code in the anchor": re.compile("```|~~~"),
}
_OUTSIDE_OF_CODE = {
    "reads as HTML; put code in backticks": re.compile(
        r"<[/!]?[A-Za-z][^<>]{0,200}>|<!--|&#?\w{1,10};"
    ),
    "reads as a Markdown link or image; put code in backticks": re.compile(
        r"\]\s?\(|!\[|\]\s?\[|\]:"
    ),
    "reads as a Markdown heading; put code in backticks": re.compile(r"^ {0,3}#{1,6}\s", re.M),
    "reads as a Markdown table; put code in backticks": re.compile(r"^\s*\||\|\s*:?-{3}", re.M),
    "would notify somebody; put code in backticks": re.compile(
        r"(?<![\w`./@-])@[A-Za-z0-9][\w-]*", re.ASCII
    ),
    "is a handle; put it among the citations": re.compile(
        r"(?<![\w\])])\[[a-z]{1,2}[0-9]{1,3}\](?!\()", re.ASCII
    ),
}
_HAN = re.compile("[\u3400-\u9fff]")
_LETTER = re.compile("[A-Za-z]")


def check_safety(claim: Claim, text: str, lang: Language) -> Iterator[Judgement]:
    """Say what is wrong with the words of a sentence, whatever they mean."""
    if not 0 < len(text) <= LONGEST:
        # Nothing further is read of it: patterns are made for sentences.
        yield _wrong(
            f"the text in {lang} has {len(text)} characters; a sentence has 1 to {LONGEST}"
        )
        return
    if visible(text) != " ".join(text.split()):
        yield _wrong("the text holds control or invisible characters")
    if repeats_instructions(text):
        yield _wrong("the text repeats the instructions")
    for mark in _ANY_MARK.findall(text):
        number = MARK.fullmatch(mark)
        if number is None or int(number[1]) > len(claim.sources):
            yield _wrong(f"{mark} names none of the {len(claim.sources)} citations", mark)
    words = MARK.sub(" ", text)
    if words.count("`") % 2:
        yield _wrong("a code span is not closed")
    bare = _SPAN.sub(" ", words)
    for where, table in ((words, _ANYWHERE), (bare, _OUTSIDE_OF_CODE)):
        for told, form in table.items():
            yield from (_wrong(f"{found[0]!r} {told}", found[0]) for found in form.finditer(where))
    # A text in Chinese has Han characters, one in English mostly has not.
    han, letters = len(_HAN.findall(bare)), len(_LETTER.findall(bare))
    if lang == "zh" and not han:
        yield _wrong("the text for zh is not in Chinese")
    elif lang == "en" and han * 2 > letters:
        yield _wrong("the text for en is not in English")


def _wrong(reason: str, literal: str = "") -> Judgement:
    return Judgement(verdict="malformed", reason=reason, check="safety", literal=literal)
