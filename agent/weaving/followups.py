"""Which earlier changes a message says it mends or completes, by number or by hash."""

import re
from dataclasses import dataclass

_MOST = 20_000
REF = (
    r"(?:(?:PR|pull request|commit|change)s?\s{0,2}:?\s{0,2})?"
    r"(?:https?://[\w.:-]{1,99}/(?P<where>[\w.-]{1,99}/[\w.-]{1,99})/(?:pull|commit)/(?P<linked>\w{1,40})\b"
    r"|(?P<repo>[\w.-]{1,99}/[\w.-]{1,99})?#(?P<number>[1-9]\d{0,8})\b|(?P<sha>(?=[a-f]*\d)[0-9a-f]{7,40})\b)"
)
MORE = re.compile(
    rf"[^\S\n]{{0,3}}(?:\([^()\n]{{0,80}}\))?\s{{0,3}}(?:,|and|/|&|\+|[-*](?=\s))\s{{0,3}}(?:and\s)?"
    rf"(?:(?:re-?landed|added|extended|introduced|changed)\s(?:in|by)\s)?{REF}",
    re.IGNORECASE,
)
_BREAKAGE = (
    r"(?:regress\w*|defects?|bugs?|breakage|break|error|failure|crash|issue|problem|leak|hang|typo|\w*error|mistake|oversight"
    r"|race|deadlock|lint|warnings?|slowdown|mismatch|corruption|segfault)"
)
_SAYINGS = tuple(
    re.compile(rf"{opening}\s{{0,3}}(?:the\s)?{REF}", re.IGNORECASE)
    for opening in (
        r"\bfollow[\s-]?ups?(?:\s(?:fix|fixes|pr|patch|change|work|cleanup|clean-up))?\s(?:to|of|on|for|from|after)",
        r"\bfollowing\sup\s(?:to|on)",
        rf"\b{_BREAKAGE}\s(?:\w+\s){{0,2}}?(?:introduced|caused|added|created|brought)\s(?:in|by|with|from|since)",
        r"\b(?:regressions?|regressed|regresses|broken|broke|breakage)\s(?:from|of|in|by|since|after|introduced\sby)",
        r"\b(?:missed|overlooked|forgotten|left\s(?:out|over|behind))\s(?:by|in|from)",
        r"\b(?:accidentally|mistakenly|unintentionally|inadvertently|wrongly)\s(?:\w+\s){1,2}?(?:in|by)",
        r"\b(?:move|moves|rework|reworks|simplify|simplifies|clean\sup|extend|extends)\s(?:\w+\s){0,3}?changes\s(?:from|of|in)",
        r"\b(?:was|were|is|are|got|been)\s(?:accidentally\s|mistakenly\s|wrongly\s|incorrectly\s)?(?:broken|dropped|removed|lost)\s(?:in|by)",
        r"\b(?:partially\s)?(?:overwritten|clobbered)\s(?:in|by)",
        r"(?:^|[.\n]\s{0,3})(?:this\s(?:is\s|was\s)?)?(?:needed|required|necessary)\s(?:after|since)",
        r"\b(?:fix|fixes|fixed|fixing|repair|repairs|restore|restores|correct|corrects|address|addresses)\b[^\n.;]{1,90}?\s"
        r"(?:removed|broken|introduced|dropped|lost|caused|added|missed|left|restriction|after|since|brought)"
        r"(?:\s(?:in|by|from|after|out|over))?(?:\s(?:of|in|by|from))?",
        r"\b(?:review\s)?(?:feedback|comments|nits|review)\s(?:on|for|from|of|in)",
        r"\b(?:complements|completes|continuation\sof|continues|builds?\s(?:up)?on\stop\sof)",
    )
)
_INTRODUCED = re.compile(
    rf"(?:(?:^|\n|[.]\s)\W{{0,4}}(?:this\s(?:was\s|is\s)?|it\s(?:was\s)?|was\s)?|\b(?:is|was|were|are|been)\s)"
    rf"introduced\s(?:in|by|with)\s{{1,3}}{REF}",
    re.IGNORECASE,
)
"""What a fix says of itself in a sentence of its own: where the trouble came from."""
_BROUGHT = re.compile(rf"\b(?:added|introduced|changed|landed)\s(?:in|by)\s{{1,3}}{REF}", re.IGNORECASE)
_FIX = re.compile(r"\b(?:bug\s?)?fix(?:es|ed|up)?\b|bugfix|修复|修正", re.IGNORECASE)
_BREAKS = re.compile(
    r"\s(?:(?!\bnot\b|n't\b|\bnever\b|\bno longer\b)[^.;:#]){0,50}?\b(?:breaks?|broke|fails?|crash(?:es)?)\b",
    re.IGNORECASE,
)
"""What was brought by something is mended only where the sentence goes on to say that it breaks."""
_REF_ZH = (
    r"(?:PR\s{0,2})?(?:(?P<repo>[\w.-]{1,99}/[\w.-]{1,99})?#(?P<number>[1-9]\d{0,8})"
    r"|(?P<sha>(?=[a-f]*\d)[0-9a-f]{7,40}))"
)
_SAYINGS_ZH = tuple(
    re.compile(form, re.ASCII)
    for form in (
        rf"(?:跟进|接续|续)\s{{0,2}}{_REF_ZH}",
        rf"{_REF_ZH}\s{{0,2}}的(?:后续|跟进|补充|续作)",
        rf"(?:修复|修正|解决)\s{{0,2}}(?:由|在)?\s{{0,2}}{_REF_ZH}\s{{0,2}}(?:中|里|所)?(?:引入|导致|造成|带来)",
        rf"{_REF_ZH}\s{{0,2}}(?:中|里|所)?(?:引入|导致|造成|带来)的(?:问题|回归|错误|bug|缺陷)",
    )
)
# What stands in quotes is another change's title, and what a revert is called are the words of what it takes back.
_TITLES = re.compile(
    r"^\W*(?:\[[^\]\n]{1,40}\]\s?){0,4}(?:revert|rollback|roll back)\b.*$"
    r"|(?<![\w\"“])[\"“](?=\S)[^\"“”\n]{12,300}(?<=\S)[\"”]",
    re.IGNORECASE | re.MULTILINE,
)
# A closed issue is not an earlier change, and quoted or checked lines are forms.
NOISE = re.compile(r"<!--.*?-->|```.*?```|^\s*>.*$|^\s*[-*]\s\[[ xX]\].*$", re.DOTALL | re.MULTILINE)
_BEFORE = re.compile(
    r"\b(?:not|no|isn't|unlike|before|until|without|must be merged|depends on)\s(?:a\s)?$", re.IGNORECASE
)


@dataclass(frozen=True)
class Named:
    """An earlier change by what a message calls it, and the words that do."""

    words: str
    number: int | None = None
    sha: str = ""
    repo: str = ""


def follows(message: str) -> list[Named]:
    """List the earlier changes that a message says it follows up, mends or completes."""
    mending = (_INTRODUCED,) if _FIX.search(message.partition("\n")[0]) else ()
    text = _TITLES.sub(" ", NOISE.sub(" ", message[:_MOST]))
    found: dict[tuple[int | None, str, str], Named] = {}
    for saying in (*_SAYINGS, _BROUGHT, *mending, *_SAYINGS_ZH):
        for match in saying.finditer(text):
            if _BEFORE.search(text[max(0, match.start() - 24) : match.start()]):
                continue
            end = match.end()
            refs = [match]
            while more := MORE.match(text, end):
                refs.append(more)
                end = more.end()
            if saying is _BROUGHT and not _BREAKS.match(text, end):
                continue
            words = " ".join(text[match.start() : end].split())
            for ref in refs:
                one = named(ref, words)
                found.setdefault((one.number, one.sha, one.repo), one)
    return list(found.values())


def named(ref: re.Match[str], words: str) -> Named:
    """Read what a match of `REF` names."""
    groups = ref.groupdict()
    linked = groups.get("linked") or ""
    number = ref["number"] or (linked if linked.isdigit() and len(linked) < 10 else None)
    sha = (ref["sha"] or ("" if number else linked)).lower()
    return Named(
        words=words,
        number=int(number) if number else None,
        sha=sha,
        repo=(ref["repo"] or groups.get("where") or "").lower(),
    )
