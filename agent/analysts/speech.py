"""What an author says of a change in words of their own, without what templates and machines put around it."""

import re

from agent.text.commands import commands

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_FENCE = re.compile(r"^(```|~~~).*?(?:^\1.*?$|\Z)", re.MULTILINE | re.DOTALL)
# What stands behind these was written by a machine, or is a form that was filled in.
_END = re.compile(
    r"^[^\w\n]{0,12}(?:summary by coderabbit|walkthrough|release notes by coderabbit|🚀 pull request checklist|"
    r"pull request checklist|checklist|test plan|test result|review(?:er)? notes|🤖|generated (?:with|by))\b",
    re.IGNORECASE | re.MULTILINE,
)
# Who signed, reviewed or wrote along, with an address, wherever in a line it stands.
_SIGNED = re.compile(
    r"[ \t]*\b[a-z]\w{0,30}(?:-\w{1,30}){1,3}[ \t]*:[^\n<>]{1,120}\n?[ \t]*<[^<>\s@]+@[^<>\s]+>", re.IGNORECASE
)
_TRAILER = re.compile(
    r"^\s*(?:(?:[-*+]\s+)?(?i:[a-z][\w-]*-by)|Cc|cc|Co-authored|Change-Id|Reviewed|Differential Revision|"
    r"Pull Request resolved|Approved|Merge|PR|Ticket|Bug|See|Ref|Refs|Related|Depends on|Close[sd]?|"
    r"Fix(?:e[sd])?|Resolve[sd]?|Reverts?|This reverts commit|\(cherry picked)\b"
    r"[^.]{0,12}(?:#\d|[:@]|https?:|[0-9a-f]{7,40}\b|commit\b)",
)
_FORM = re.compile(
    r"^\s*(?:#{1,6}\s|[-*+]\s*\[[ xX]?\]|\||>|-{3,}|={3,}|https?://\S+$|!\[|<[a-z/]|\*\*[^*]+\*\*:?$)", re.IGNORECASE
)
_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")
_SENTENCE = re.compile(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!vs\.)(?<!etc\.)\s+(?=[A-Z`\"'(])|(?<=[。！？])")
# Why a change was made: what was wrong, what it mends, what it breaks.
_WHY = re.compile(
    r"\b(?:fix(?:es|ed)|fix (?:an?|the)|breaks|broke|broken|regression|previously|crash(?:es|ed)?|incorrect(?:ly)?"
    r"|wrong(?:ly)?|fails|failed|miscompil\w*|hangs|dead ?locks?|leak(?:s|ed)?|caus(?:es|ed|ing)"
    r"|garbage|garbled|collaps(?:es|ed)|aborts?|overruns?|corrupt(?:s|ed|ion)?|NaNs?|out[- ]of[- ]bounds"
    r"|illegal memory|OOMs?|segfault\w*|silently)\b"
    r"|修复|导致|崩溃|错误地",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"\b(?:future|follow-?ups?|later PRs?|no (?:\w+ )?(?:regression|failure|crash)\w*|measured|tests?"
    r"|tested|CI|bench\w*)\b",
    re.IGNORECASE,
)
_CALLS_SOMEBODY = re.compile(r"\bcc:? @|@[\w-]+ to \w+", re.IGNORECASE)
_TABLE = re.compile(r"\|\s*\||\|\s*$")
_MIDWAY = re.compile(r"[a-z)\],;]")
_VERB = re.compile(
    r"(?:add|allow|avoid|change|correct|drop|enable|disable|expose|fix|handle|implement|improve|introduce|make|move|prevent"
    r"|refactor|remove|rename|replace|support|switch|use)\w*\s"
)
_MARKUP = re.compile(r"\*\*")
_MOST_SENTENCES = 12
_TRIFLES = re.compile(
    r"^(?:fix(?:ed)? (?:lint|typo|format|ci|test|comment|conflict|pre-?commit|nit|review)s?|lint|format|wip|typo|nit|"
    r"update|upd|clean ?up|address(?:ed|ing)? (?:review |pr )?(?:comments|feedback)|merge|minor|tmp|"
    r"select (?:one|all|any) (?:of|that)|(?:ai|auto)-?(?:assisted|generated)|"
    r"(?:(?:this |the )?(?:pr|pull request|commit|description|summary|message|code) ){0,2}"
    r"(?:was |is )?(?:mostly |automatically )?(?:written|authored|drafted|generated) (?:by|with)|"
    r"as (?:the )?title|.{0,200}\b(?:per|after|from|following|based on) (?:the )?(?:code |pr )?review(?:er)?s?)\b",
    re.IGNORECASE,
)
_CHINESE = re.compile(r"[\u4e00-\u9fff]{8}")
# Whoever has something to say says it early; patterns are made for texts, not for floods.
_READ = 12_000
_SHORTEST, _LONGEST, _FEW_WORDS = 24, 320, 5


def own_words(text: str, title: str) -> str | None:
    """Find the sentence that says why, else the first telling one; None where nobody said anything.

    Two are taken where they are short.
    """
    told = [
        (words, item)
        for paragraph, item in _paragraphs(_by_hand(text))
        for words in _openings(paragraph)
        if _tells(words, title)
    ]
    whole = [(words, item) for words, item in told if _stands_alone(words, item=item)]
    ranked = sorted(enumerate(whole), key=lambda one: (-_worth(*one[1]), one[0]))
    return ranked[0][1][0] if ranked else None


def told_lines(text: str) -> list[str]:
    """Give everything that somebody wrote by hand, a paragraph or an item of a list a line, with its code as it is."""
    return [" ".join(paragraph.split()) for paragraph, _ in _paragraphs(_by_hand(text))]


def told_sentences(text: str) -> list[str]:
    """Give the same a sentence each."""
    return [one.strip() for line in told_lines(text) for one in _SENTENCE.split(line) if one.strip()]


def by_hand(text: str) -> str:
    """Give the lines that somebody wrote by hand, as they are: without remarks, blocks of code, forms and trailers."""
    lines = _by_hand(text).split("\n")
    return "\n".join(line for line in lines if not _FORM.match(line) and not _TRAILER.match(line)).strip()


def _by_hand(text: str) -> str:
    """Leave out hidden remarks, blocks of code, who signed, and what machines and forms put at the end."""
    text = _COMMENT.sub("", _FENCE.sub("", text[:_READ].replace("\r", "")))
    # What stood on both sides of a signature was not said in one breath.
    text = _SIGNED.sub("\n\n", text)
    end = _END.search(text)
    return text[: end.start()] if end else text


def _worth(words: str, item: bool) -> int:
    """Prefer prose that says why to what comes first, and that to words with markup."""
    why = 2 if _says_why(words) and not item else 0
    return why - bool(_MARKUP.search(words))


def _says_why(words: str) -> bool:
    return _WHY.search(words) is not None and _ASIDE.search(words) is None


def _stands_alone(words: str, *, item: bool) -> bool:
    """Refuse what begins or ends in the middle of something, belongs to a table, or calls for somebody."""
    if (
        _CALLS_SOMEBODY.search(words)
        or _TABLE.search(words)
        or (_MIDWAY.match(words) and not (item and _VERB.match(words)))
    ):
        return False
    return all(words.count(one) == words.count(other) for one, other in ("()", "[]")) and words.count("`") % 2 == 0


def _paragraphs(text: str) -> list[tuple[str, bool]]:
    """Cut the text at blank lines and items, and tell which are items; lines of forms and trailers are left out."""
    found: list[tuple[list[str], bool]] = [([], False)]
    for line in text.split("\n"):
        if not line.strip() or _FORM.match(line) or _TRAILER.match(line):
            found.append(([], False))
        elif item := _ITEM.match(line):
            found.append(([line[item.end() :]], True))
        else:
            found[-1][0].append(line)
    return [("\n".join(lines).strip(), item) for lines, item in found if lines]


def _openings(paragraph: str) -> list[str]:
    """Give how a paragraph begins, and each of its later sentences that says why."""
    later = _SENTENCE.split(paragraph, maxsplit=_MOST_SENTENCES)[1:_MOST_SENTENCES]
    why = [one.strip() for one in later if _says_why(one) and len(one) <= _LONGEST]
    return [words for words in (_opening(paragraph), *why) if words]


def _opening(paragraph: str) -> str:
    """Take the first sentence, and the second where both are short; none is cut."""
    first, *rest = [piece for piece in _SENTENCE.split(paragraph, maxsplit=2)[:2] if piece] or [""]
    both = paragraph[: paragraph.find(rest[0]) + len(rest[0])] if rest else first
    chosen = both if len(both) <= _LONGEST * 2 // 3 else first
    return chosen.strip() if len(chosen) <= _LONGEST else ""


def _tells(words: str, title: str) -> bool:
    """Tell a statement from a trifle, a label, a question of a form, an order, or the title over again."""
    flat = " ".join(words.split())
    long_enough = (len(flat) >= _SHORTEST and len(flat.split()) >= _FEW_WORDS) or _CHINESE.search(flat)
    if not long_enough or _TRIFLES.match(flat) or flat.endswith((":", "?", "：", "？")) or commands(flat):
        return False
    return _bare(flat) not in _bare(title)


def _bare(text: str) -> str:
    return " ".join(re.sub(r"\W+", " ", text).lower().split())
