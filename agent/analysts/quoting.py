"""What is quoted of a commit: the words of its author, and the few lines of a diff that show a change."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from agent.domain.commits import Change
from agent.markdown import visible
from agent.triage.conventions import Area, area

_REMARK = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_FENCE = re.compile(r"^(```|~~~).*?(?:^\1.*?$|\Z)", re.MULTILINE | re.DOTALL)
_FORM = re.compile(r"\s*(?:#{1,6}\s|[-*+]\s*\[[ xX]?\]|\||>|-{3,}|={3,}|!\[|<[a-zA-Z/])")
"""Lines of Markdown that are no prose: headings, boxes to tick, tables, quotations, pictures, HTML."""
_TRAILER = re.compile(r"\s*(?:[-*+]\s+)?[A-Za-z]\w{0,30}(?:-\w{1,30}){1,3}\s*:")
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s+")
_SENTENCE = re.compile(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)\s+(?=[A-Z`\"'(])|(?<=[。！？])")
_ADDRESS = re.compile(r"\w://|\bwww\.", re.IGNORECASE)
_CHINESE = re.compile(r"[\u4e00-\u9fff]{8}")
# Whoever has something to say says it early; patterns are made for texts, not for floods.
_READ = 12_000
_SHORTEST, _LONGEST, _FEW_WORDS = 24, 320, 5
_SAYS_LITTLE = re.compile(r"[+-]\s*(?:#|//|\*|/\*|import\b|from\b.*\bimport\b|\"\"\"|[)}\]({\[,;]*$|$)")
_MOST, _SHOWN = 12, 8
_WIDEST = 400
"""Characters of a line that a person reads: beyond it are pictures in base64, minified code and tables."""
Excerpt = tuple[str, tuple[str, ...]]
"""A path, and lines of its patch with their signs."""


def own_words(text: str, title: str) -> str | None:
    """Take how the first paragraph of prose begins, else the first item of a list; None where there is neither."""
    paragraphs = sorted(_paragraphs(text), key=lambda one: one[1])
    openings = (_opening(words) for words, _ in paragraphs)
    return next((words for words in openings if _tells(words, title)), None)


def _paragraphs(text: str) -> list[tuple[str, bool]]:
    """Cut a text at blank lines, forms, trailers and items, and tell which parts are items."""
    text = _REMARK.sub("", _FENCE.sub("", text[:_READ].replace("\r", "")))
    found: list[tuple[list[str], bool]] = [([], False)]
    for line in text.split("\n"):
        if not line.strip() or _FORM.match(line) or _TRAILER.match(line):
            found.append(([], False))
        elif item := _ITEM.match(line):
            found.append(([line[item.end() :]], True))
        else:
            found[-1][0].append(line)
    return [("\n".join(lines).strip(), item) for lines, item in found if lines]


def _opening(paragraph: str) -> str:
    """Take the first sentence, and the second where both are short; none is cut."""
    first, *rest = [piece for piece in _SENTENCE.split(paragraph, maxsplit=2)[:2] if piece] or [""]
    both = paragraph[: paragraph.find(rest[0]) + len(rest[0])] if rest else first
    chosen = both if len(both) <= _LONGEST * 2 // 3 else first
    return chosen.strip() if len(chosen) <= _LONGEST else ""


def _tells(words: str, title: str) -> bool:
    """Refuse what is too short to be a sentence, hides signs, leads elsewhere, or says the title over again."""
    flat = " ".join(words.split())
    long_enough = (len(flat) >= _SHORTEST and len(flat.split()) >= _FEW_WORDS) or _CHINESE.search(flat)
    leads_away = visible(flat) != flat or _ADDRESS.search(flat)
    return bool(long_enough) and not leads_away and _bare(flat) not in _bare(title)


def _bare(text: str) -> str:
    return " ".join(re.sub(r"\W+", " ", text).lower().split())


# ---------------------------------------------------------------- lines


def short_change(change: Change) -> Excerpt | None:
    """Choose a short stretch of changed code, best one that takes something away and puts something in its place."""
    found = [(path, lines) for path, lines in _stretches(change) if len(lines) <= _MOST]
    telling = [(path, lines) for path, lines in found if not all(map(_SAYS_LITTLE.match, lines))]
    exchanges = [one for one in telling if {line[0] for line in one[1] if not _SAYS_LITTLE.match(line)} == {"+", "-"}]
    return next(((path, _trimmed(lines)) for path, lines in (*exchanges, *telling)), None)


def _stretches(change: Change) -> Iterator[tuple[str, list[str]]]:
    """Give the stretches of changed lines of the product, those of the files with most changes first."""
    for file in sorted(change.files, key=lambda file: -(file.additions + file.deletions)):
        lines = (file.patch or "").split("\n") if area(file.path) is Area.PRODUCT and is_code(file.path) else ()
        for changed, run in groupby(lines, key=lambda line: line[:1] in ("+", "-")):
            if changed and is_legible(stretch := list(run)):
                yield file.path, stretch


def shown_lines(lines: Sequence[str], patch: str, literals: Sequence[str] = ()) -> tuple[str, ...]:
    """Choose the few lines that name most of what a fact is about, one below the other as they stand in the patch."""
    legible = [line for line in lines if is_legible([line])]
    if not legible:
        return ()
    at = max(range(len(legible)), key=lambda place: (sum(one in legible[place] for one in literals), -place))
    first, last = at, at + 1
    while last - first < _SHOWN:
        wider = [(one, two) for one, two in ((first, last + 1), (first - 1, last)) if one >= 0 and two <= len(legible)]
        fitting = next((one for one in wider if "\n".join(legible[slice(*one)]) in patch), None)
        if fitting is None:
            break
        first, last = fitting
    return tuple(legible[first:last]) if not patch or "\n".join(legible[first:last]) in patch else ()


def is_code(path: str) -> bool:
    """Tell a file whose lines say something by themselves from a table of data."""
    return not path.endswith((".json", ".csv", ".lock", ".txt", ".svg", ".ipynb"))


def is_legible(lines: Iterable[str]) -> bool:
    """Tell whether a person would read these lines."""
    return all(len(line) <= _WIDEST for line in lines)


def _trimmed(lines: Sequence[str]) -> tuple[str, ...]:
    """Leave out blank lines at the ends."""
    telling = [place for place, line in enumerate(lines) if line[1:].strip()]
    return tuple(lines[telling[0] : telling[-1] + 1])
