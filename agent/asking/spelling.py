"""How people write when they write fast: dont, whats, w/, 啥, 咋; and how the same is written in full."""

import re
from collections.abc import Mapping

_FULL: Mapping[str, str] = {
    **{f"{verb}nt": f"{verb}n't" for verb in ("do", "does", "did", "is", "was", "are", "has", "have", "wo", "could")},
    "cant": "can't",
    "whats": "what's",
    "whos": "who's",
    "wheres": "where's",
    "thats": "that's",
    "theres": "there is",
    "im": "i'm",
    "ive": "i've",
    "w/": "with",
    "w/o": "without",
    "b/c": "because",
    "bc": "because",
    "pls": "please",
    "plz": "please",
    "thx": "thanks",
    "btw": "by the way",
    "啥": "什么",
    "咋": "怎么",
}
_FORM = re.compile(
    r"(?<![\w/.`-])(?:"
    + "|".join(re.escape(one) for one in sorted(_FULL, key=len, reverse=True) if one.isascii())
    + r")(?![\w/.`-])|啥|咋(?:样)?",
    re.IGNORECASE,
)


def written_out(text: str) -> str:
    """Write short forms of everyday speech in full; names and quotations of code are left as they are."""
    return _FORM.sub(_full, text)


def _full(found: re.Match[str]) -> str:
    said = found[0].lower()
    return "怎样" if said == "咋样" else _FULL[said]
