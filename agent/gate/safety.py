"""Checks of safety: the words of a model do nothing on a page.

They hold no link, markup, mention, closing keyword or hidden sign, and are in the right language.
"""

import re
from collections.abc import Iterator, Mapping

from agent.domain.base import Language
from agent.domain.claims import MARK, Claim, Judgement
from agent.markdown import visible
from agent.prompt_templates import repeats_instructions
from agent.report_languages import is_in_script, writing_of

LONGEST = 700  # Characters of a sentence
_SPAN = re.compile("`[^`]*`")
_ANY_MARK = re.compile(r"\[@[^\[\]]{0,20}\]?")
_ANYWHERE = {
    "is an address; only code writes links": re.compile(
        r"\b[a-z][a-z0-9+.-]{1,15}://[^\s<>`]*|\bwww\.[^\s<>`]*|\bgithub\.com/[^\s<>`]*|\bmailto:",
        re.IGNORECASE | re.ASCII,
    ),
    # https://docs.github.com/articles/closing-issues-using-keywords
    "would close an issue; put the number elsewhere": re.compile(
        r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\b:?\s+(?:[\w-]+/[\w.-]+)?(?:#|gh-)\d+",
        re.IGNORECASE | re.ASCII,
    ),
    "begins a code fence; show code in the anchor": re.compile("```|~~~"),
}
_OUTSIDE_OF_CODE = {
    "reads as HTML; put code in backticks": re.compile(
        r"<[/!]?[A-Za-z][^<>]{0,200}>|<!--|&#?\w{1,10};"
    ),
    "reads as a Markdown link or image; put code in backticks": re.compile(r"\]\s?\(|!\[|\]:"),
    "reads as a Markdown heading; put code in backticks": re.compile(
        r"^ {0,3}#{1,6}\s", re.MULTILINE
    ),
    "reads as a Markdown table; put code in backticks": re.compile(
        r"^\s*\||\|\s*:?-{3}", re.MULTILINE
    ),
    "would notify somebody; put code in backticks": re.compile(
        r"(?<![\w`./@-])@[A-Za-z0-9][\w-]*", re.ASCII
    ),
    "is a handle; put it among the citations": re.compile(
        r"(?<![\w\])])\[[a-z]{1,2}[0-9]{1,3}\](?!\()", re.ASCII
    ),
}


def check_safety(claim: Claim, text: str, lang: Language) -> Iterator[Judgement]:
    """Yield what is wrong with the words of a sentence, whatever they mean."""
    if not 0 < len(text) <= LONGEST:
        # The patterns below are made for sentences: nothing longer is read.
        yield _unsafe(
            f"the text in {lang} has {len(text)} characters; a sentence has 1 to {LONGEST}"
        )
        return
    if visible(text) != " ".join(text.split()):
        yield _unsafe("the text holds control or invisible characters")
    if repeats_instructions(text):
        yield _unsafe("the text repeats the instructions")
    yield from _check_marks(claim, text)
    words = MARK.sub(" ", text)
    if words.count("`") % 2:
        yield _unsafe("a code span is not closed")
    prose = _SPAN.sub(" ", words)
    yield from _check_forms(words, _ANYWHERE)
    yield from _check_forms(prose, _OUTSIDE_OF_CODE)
    if fault := _language_fault(prose, lang):
        yield _unsafe(fault)


def _check_marks(claim: Claim, text: str) -> Iterator[Judgement]:
    for mark in _ANY_MARK.findall(text):
        match = MARK.fullmatch(mark)
        if match is None or int(match[1]) > len(claim.sources):
            yield _unsafe(f"{mark} names none of the {len(claim.sources)} citations", mark)


def _check_forms(text: str, forms: Mapping[str, re.Pattern[str]]) -> Iterator[Judgement]:
    for fault, form in forms.items():
        for match in form.finditer(text):
            yield _unsafe(f"{match[0]!r} {fault}", match[0])


def _language_fault(prose: str, lang: Language) -> str:
    if is_in_script(prose, lang):
        return ""
    return f"the text for {lang} is not in {writing_of(lang).name}"


def _unsafe(reason: str, literal: str = "") -> Judgement:
    return Judgement(verdict="malformed", reason=reason, check="safety", literal=literal)
