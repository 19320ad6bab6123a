"""What an author says of a change in words of their own, without what templates and machines put around it."""

import re

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_FENCE = re.compile(r"^(```|~~~).*?(?:^\1.*?$|\Z)", re.MULTILINE | re.DOTALL)
# What stands behind these was written by a machine, or is a form that was filled in.
_END = re.compile(
    r"^[^\w\n]{0,12}(?:summary by coderabbit|walkthrough|release notes by coderabbit|🚀 pull request checklist|"
    r"pull request checklist|checklist|test plan|test result|review(?:er)? notes|🤖|generated (?:with|by))\b",
    re.IGNORECASE | re.MULTILINE,
)
_TRAILER = re.compile(
    r"^\s*(?:[A-Z][\w-]*-by|Cc|cc|Co-authored|Change-Id|Reviewed|Differential Revision|Pull Request resolved|"
    r"Approved|Merge|PR|Ticket|Bug|See|Ref|Refs|Related|Depends on|Close[sd]?|Fix(?:e[sd])?|Resolve[sd]?|Reverts?|"
    r"This reverts commit|\(cherry picked)\b[^.]{0,12}(?:#\d|[:@]|https?:|[0-9a-f]{7,40}\b|commit\b)",
)
_FORM = re.compile(
    r"^\s*(?:#{1,6}\s|[-*+]\s*\[[ xX]?\]|\||>|-{3,}|={3,}|https?://\S+$|!\[|<[a-z/]|\*\*[^*]+\*\*:?$)", re.IGNORECASE
)
_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`\"'(])|(?<=[。！？])")
_TRIFLES = re.compile(
    r"^(?:fix(?:ed)? (?:lint|typo|format|ci|test|comment|conflict|pre-?commit|nit|review)s?|lint|format|wip|typo|nit|"
    r"update|upd|clean ?up|address(?:ed|ing)? (?:review |pr )?(?:comments|feedback)|merge|minor|tmp|"
    r"as (?:the )?title)\b",
    re.IGNORECASE,
)
_CHINESE = re.compile(r"[\u4e00-\u9fff]{8}")
# Whoever has something to say says it early; patterns are made for texts, not for floods.
_READ = 12_000
_SHORTEST, _LONGEST, _FEW_WORDS = 24, 320, 5


def own_words(text: str, title: str) -> str | None:
    """Find the first telling sentence, or the first two where they are short; None where nobody said anything."""
    text = _COMMENT.sub("", _FENCE.sub("", text[:_READ].replace("\r", "")))
    if end := _END.search(text):
        text = text[: end.start()]
    for paragraph in _paragraphs(text):
        words = _opening(paragraph)
        if words and _tells(words, title):
            return words
    return None


def _paragraphs(text: str) -> list[str]:
    """Cut the text at blank lines and items; lines of forms and trailers are left out."""
    found: list[list[str]] = [[]]
    for line in text.split("\n"):
        if not line.strip() or _FORM.match(line) or _TRAILER.match(line):
            found.append([])
        elif item := _ITEM.match(line):
            found.append([line[item.end() :]])
        else:
            found[-1].append(line)
    return ["\n".join(lines).strip() for lines in found if lines]


def _opening(paragraph: str) -> str:
    """Take the first sentence, and the second where both are short; none is cut."""
    first, *rest = [piece for piece in _SENTENCE.split(paragraph, maxsplit=2)[:2] if piece] or [""]
    both = paragraph[: paragraph.find(rest[0]) + len(rest[0])] if rest else first
    chosen = both if len(both) <= _LONGEST * 2 // 3 else first
    return chosen.strip() if len(chosen) <= _LONGEST else ""


def _tells(words: str, title: str) -> bool:
    """Tell a statement from a trifle, a label, a question of a form, or the title over again."""
    flat = " ".join(words.split())
    long_enough = (len(flat) >= _SHORTEST and len(flat.split()) >= _FEW_WORDS) or _CHINESE.search(flat)
    if not long_enough or _TRIFLES.match(flat) or flat.endswith((":", "?", "：", "？")):
        return False
    return _bare(flat) not in _bare(title)


def _bare(text: str) -> str:
    return " ".join(re.sub(r"\W+", " ", text).lower().split())
