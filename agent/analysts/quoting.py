"""What is quoted of a commit: the words of its author, and the few lines of a diff that show a change."""

import re
from collections.abc import Iterable, Sequence
from itertools import groupby

from agent.domain.commits import Change
from agent.markdown import visible
from agent.triage.conventions import Area, area

_REMARK = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_FENCE = re.compile(r"^(```|~~~).*?(?:^\1.*?$|\Z)", re.MULTILINE | re.DOTALL)
_FORM = re.compile(
    r"\s*(?:#{1,6}\s|[-*+]\s|\d{1,3}[.)]\s|\||>|-{3,}|={3,}|!\[|<[a-zA-Z/]|[A-Za-z]\w{0,30}(?:-\w{1,30}){1,3}\s*:)"
)
"""Lines that are no prose: headings, items, tables, quotations, pictures, HTML, trailers."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`\"'(])|(?<=[。！？])")
_ADDRESS = re.compile(r"\w://|\bwww\.", re.IGNORECASE)
# Whoever has something to say says it early; patterns are made for texts, not for floods.
_READ = 12_000
_SHORTEST, _LONGEST = 24, 320
_MOST, _SHOWN = 12, 8
_WIDEST = 400
"""Characters of a line that a person reads: beyond it are pictures in base64, minified code and tables."""
_DATA = (".json", ".csv", ".lock", ".txt", ".svg", ".ipynb")
"""Files whose lines say nothing by themselves."""


def own_words(text: str, title: str) -> str | None:
    """Take the first paragraph of prose, of a long one its first sentence; None where there is none."""
    text = _REMARK.sub("", _FENCE.sub("", text[:_READ].replace("\r", "")))
    for is_prose, lines in groupby(text.split("\n"), key=lambda line: bool(line.strip()) and not _FORM.match(line)):
        paragraph = "\n".join(lines).strip() if is_prose else ""
        words = paragraph if len(paragraph) <= _LONGEST else _SENTENCE.split(paragraph, maxsplit=1)[0]
        flat = " ".join(words.split())
        # Words that hide signs or lead elsewhere are not shown, and the title is known already.
        leads_away = visible(flat) != flat or _ADDRESS.search(flat)
        if _SHORTEST <= len(flat) <= _LONGEST and not leads_away and flat.rstrip(".") not in title:
            return words
    return None


def short_change(change: Change) -> tuple[str, tuple[str, ...]] | None:
    """Choose a short stretch of code that takes something away and puts something in its place, with its path."""
    code = [file for file in change.files if area(file.path) is Area.PRODUCT and not file.path.endswith(_DATA)]
    for file in sorted(code, key=lambda file: -(file.additions + file.deletions)):
        for sign, run in groupby((file.patch or "").split("\n"), key=lambda line: line[:1] in ("+", "-")):
            lines = tuple(run)
            if sign and len(lines) <= _MOST and _is_legible(lines) and {line[0] for line in lines} == {"+", "-"}:
                return file.path, lines
    return None


def shown_lines(lines: Sequence[str], patch: str, literals: Sequence[str] = ()) -> tuple[str, ...]:
    """Choose the line that names most of what a fact is about, and the few that stand below it in the patch."""
    legible = [line for line in lines if _is_legible([line])]
    if not legible:
        return ()
    at = max(range(len(legible)), key=lambda place: (sum(one in legible[place] for one in literals), -place))
    shown = legible[at : at + _SHOWN]
    while shown and "\n".join(shown) not in patch:
        shown.pop()
    return tuple(shown)


def _is_legible(lines: Iterable[str]) -> bool:
    """Tell whether a person would read these lines."""
    return all(len(line) <= _WIDEST for line in lines)
